// This file runs every check of the project in one go: types, then format and lint, then the tests under test/.
// The output of each goes through under a heading of its own. The last line holds the counts alone, the types and
// the lint as one test each, and the exit code is 0 only if something ran and nothing failed.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTests } from './tally.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs one tool of node_modules/.bin with its output going straight through; gives its exit code. */
function run(heading, tool, args) {
  process.stdout.write(`\n== ${heading}\n`);
  const command = path.join(root, 'node_modules', '.bin', tool);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    child.on('error', (error) => {
      process.stderr.write(`${tool} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Tests that measure time: they run one after the other when the others are done, so that nothing else slows them down. */
const TIMED = '.timed.test.ts';

/** Runs vitest with a report beside its usual output; gives the counts. Arguments narrow the run to some files. */
async function runTests(heading, names) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-test-'));
  const report = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await run(heading, 'vitest', ['run', ...reporters, ...names]);
  const text = fs.existsSync(report) ? fs.readFileSync(report, 'utf8') : undefined;
  fs.rmSync(folder, { recursive: true, force: true });
  return countTests(text, code);
}

function asTest(code) {
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

async function runAllTests(names) {
  if (names.length > 0) return [await runTests('tests', names)];
  return [
    await runTests('tests', ['--exclude', `**/*${TIMED}`]),
    await runTests('tests that measure time', [TIMED, '--no-file-parallelism']),
  ];
}

const counts = [
  asTest(await run('types', 'tsc', ['--noEmit'])),
  asTest(await run('format and lint', 'biome', ['check', '.'])),
  ...(await runAllTests(process.argv.slice(2))),
];
const sum = (name) => counts.reduce((total, count) => total + count[name], 0);
process.exitCode = sum('failed') === 0 ? 0 : 1;
process.stdout.write(
  `\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`,
);
