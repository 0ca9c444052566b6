// This file runs every check of the project: types, format and lint, unused code, then the tests under test/, and some of these again
// with the other SQLite driver. With --all, all journeys run with PostgreSQL too, otherwise a part of them. Each has its output under a
// heading. The last line contains only the counts, in which types, lint and unused code count as one test each. The exit code is 0 only
// if something ran and nothing failed.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeWithSqlite, SQLITE_TESTS } from './sqlite-of-node.mjs';
import { countTests } from './tally.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a tool of node_modules/.bin with inherited output. Returns its exit code. */
function run(heading, tool, args) {
  return runCommand(heading, path.join(root, 'node_modules', '.bin', tool), args);
}

function runCommand(heading, command, args) {
  process.stdout.write(`\n== ${heading}\n`);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    child.on('error', (error) => {
      process.stderr.write(`${command} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');

/** Tests that measure time run one after the other after all others, so that nothing slows them down. */
const TIMED = '.timed.test.ts';

/** Runs vitest with a JSON report besides its usual output. Returns the counts. `names` limit the run to matching files. */
async function runTests(heading, names, node = process.execPath) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-test-'));
  const report = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await runCommand(heading, node, [vitest, 'run', ...reporters, ...names]);
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
    await runSqliteTests(),
  ];
}

async function runSqliteTests() {
  const heading = 'tests with the SQLite of Node';
  const { node, reason } = await nodeWithSqlite();
  const projects = ['--project=all', '--project=isolated'];
  if (node !== undefined) return await runTests(heading, [...projects, ...SQLITE_TESTS], node);
  process.stdout.write(`\n== ${heading}\nskipped: ${reason}\n`);
  return { passed: 0, failed: 0, skipped: 1 };
}

const [first, ...rest] = process.argv.slice(2);
const names = first === '--all' ? rest : process.argv.slice(2);
// vitest.config.ts selects the tests with PostgreSQL by this variable.
if (first === '--all') process.env.TEST_ALL = '1';

const counts = [
  asTest(await run('types', 'tsc', ['--noEmit'])),
  asTest(await run('format and lint', 'biome', ['check', '.'])),
  asTest(await run('unused files, exports and dependencies', 'knip', [])),
  ...(await runAllTests(names)),
];
const sum = (name) => counts.reduce((total, count) => total + count[name], 0);
process.exitCode = sum('failed') === 0 ? 0 : 1;
process.stdout.write(
  `\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`,
);
