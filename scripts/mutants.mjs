// This file plants faults in source files, one at a time, and reports which of them no test notices.
//
//     npm run mutants -- --files src/access/policy.ts --tests test/access --slow test/plan/secure.test.ts --every 5
//
// `--files` takes a file or a line of it (`policy.ts:80`), `--every` plants only every nth mutant, `--json` writes the survivors to
// a file. Each mutant is run with `--tests` first. One that survives is compiled, since a fault that the compiler rejects cannot be
// released, and then run with `--slow`. All of this happens in a copy of the project in the folder for temporary files.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutationsOf } from './mutations.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Milliseconds after which a run that hangs is ended. Single tests have less, but more than usual: a slow machine is no fault. */
const RUN_TIMEOUT = 300_000;
const VITEST = [
  ...['run', '--bail=1', '--testTimeout=60000', '--hookTimeout=60000'],
  ...['--experimental.fsModuleCache', '--experimental.fsModuleCachePath=.vitest-cache'],
];

/** Whether something is left unused does not matter: it says nothing about behaviour. */
const TSC = [
  ...['--project', 'tsconfig.build.json', '--noEmit'],
  ...['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'],
];

function copyProject() {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-mutants-'));
  const left = new Set(
    ['node_modules', '.git', 'dist', 'data'].map((name) => path.join(root, name)),
  );
  fs.cpSync(root, copy, { recursive: true, filter: (source) => !left.has(source) });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
  return copy;
}

let running;

/** Runs a tool in the copy; resolves to whether it succeeded, or to `hung`. */
function run(copy, script, args) {
  return new Promise((resolve) => {
    const tool = path.join(root, 'node_modules', script);
    const options = { cwd: copy, stdio: 'ignore', timeout: RUN_TIMEOUT };
    running = spawn(process.execPath, [tool, ...args], options);
    running.on('close', (code) => resolve(code === null ? 'hung' : code === 0));
  });
}

/** What noticed the mutant: `tests`, `slow tests`, `compiler`, `time limit`; undefined if it survived. */
async function whatNotices(copy, { tests, slow }) {
  const checks = [
    ['tests', 'vitest/vitest.mjs', [...VITEST, ...tests]],
    ['compiler', 'typescript/bin/tsc', TSC],
    ...(slow.length === 0 ? [] : [['slow tests', 'vitest/vitest.mjs', [...VITEST, ...slow]]]),
  ];
  for (const [name, script, args] of checks) {
    const outcome = await run(copy, script, args);
    if (outcome !== true) return outcome === 'hung' ? 'time limit' : name;
  }
  return undefined;
}

function mutantsIn(place) {
  const [file, line] = place.split(':');
  const original = fs.readFileSync(path.join(root, file), 'utf8');
  return mutationsOf(original, file)
    .filter((mutation) => line === undefined || mutation.line === Number(line))
    .map((mutation) => ({ ...mutation, file, original }));
}

async function plantAll(copy, mutants, plan) {
  const survivors = [];
  for (const [index, { file, line, from, to, text, original }] of mutants.entries()) {
    fs.writeFileSync(path.join(copy, file), text);
    const noticed = await whatNotices(copy, plan);
    fs.writeFileSync(path.join(copy, file), original);
    if (noticed === undefined) survivors.push({ file, line, from, to });
    const outcome = noticed === undefined ? 'SURVIVED' : `found by ${noticed}`;
    const change = `${from.replaceAll(/\s+/g, ' ')} -> ${to}`;
    process.stdout.write(`${index + 1}/${mutants.length} ${outcome}: ${file}:${line} ${change}\n`);
  }
  return survivors;
}

const { values } = parseArgs({
  options: {
    files: { type: 'string', multiple: true, default: [] },
    tests: { type: 'string', multiple: true, default: [] },
    slow: { type: 'string', multiple: true, default: [] },
    every: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const { files, tests, slow, json } = values;
if (files.length === 0 || tests.length === 0) {
  process.stderr.write(
    'usage: mutants --files FILE[:LINE] … --tests TEST … [--slow TEST …] [--every N] [--json OUT]\n',
  );
  process.exit(2);
}
const copy = copyProject();
process.on('exit', () => {
  running?.kill();
  fs.rmSync(copy, { recursive: true, force: true, maxRetries: 10 });
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const failing = await whatNotices(copy, { tests, slow });
if (failing !== undefined) {
  process.stderr.write(`Without any mutant, this already fails: ${failing}.\n`);
  process.exit(2);
}
const mutants = files.flatMap(mutantsIn).filter((_, index) => index % Number(values.every) === 0);
const survivors = await plantAll(copy, mutants, { tests, slow });
process.stdout.write(`${mutants.length} planted, ${survivors.length} survived\n`);
if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(survivors, null, 2)}\n`);
