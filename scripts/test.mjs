// This file runs every check of the project: the tests under test/, and beside the rest of the set-up types, format and lint, unused code and
// the tests with PostgreSQL, which do not need the driver of SQLite, because that is compiled on one processor; then the tests that measure
// time, and some of the tests again with the other SQLite driver.
// With --all, all journeys run with PostgreSQL too, otherwise a part of them, and random tests try all that they can. Each part has its
// output under a heading. The files of failed tests, if they are few, run once more, one after the other; those that pass then are named
// as unstable. The end names what failed, and the last line contains only the counts, in which types, lint and unused code count as one
// test each. The exit code is 0 only if something ran and nothing failed twice.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeWithSqlite, SQLITE_TESTS } from './sqlite-of-node.mjs';
import { countRepeated, countTests, failuresOf, filesToRepeat } from './tally.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a command beside others, and then writes its output. Returns its exit code. */
async function runBeside(heading, command, args, priority = os.constants.priority.PRIORITY_NORMAL) {
  const output = [];
  const child = start(command, args, ['ignore', 'pipe', 'pipe']);
  if (child.pid !== undefined) os.setPriority(child.pid, priority);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => output.push(chunk));
  const code = await exitCode(child, command);
  process.stdout.write(`\n== ${heading}\n${Buffer.concat(output)}`);
  return code;
}

/** The same with the processor time that others leave, which slows them down hardly at all. */
const runInBackground = (heading, command, args) =>
  runBeside(heading, command, args, os.constants.priority.PRIORITY_LOW);

/** Runs a command with inherited output. Returns its exit code. */
async function runCommand(heading, command, args) {
  process.stdout.write(`\n== ${heading}\n`);
  return await exitCode(start(command, args, 'inherit'), command);
}

const start = (command, args, stdio) =>
  spawn(command, args, { cwd: root, stdio, shell: process.platform === 'win32' });

function exitCode(child, command) {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`${command} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');

/** Tests that measure time run one after the other after all others, and beside them only tests in the background. */
const TIMED = '.timed.test.ts';

/** The option of vitest to run one file after the other. */
const ALONE = '--no-file-parallelism';

/** What the end of the output names: failed tests and checks, and tests that failed at first and passed when they ran again. */
const failures = [];
const unstable = [];

/**
 * Runs tests, and those files again that failed. Returns the counts.
 *
 * @param {{ options: readonly string[], names: readonly string[] }} selection options of vitest, and beginnings of the paths of files
 */
async function runTests(heading, { options, names }, program = THIS_NODE) {
  const first = await runVitest(heading, [...options, ...names], program);
  const files = filesToRepeat(first.report);
  if (files.length === 0) {
    failures.push(...first.failures);
    return first.counts;
  }
  const alone = [...options.filter((option) => option !== ALONE), ALONE];
  const again = `${heading}: failed files once more`;
  const second = await runVitest(again, [...alone, ...files], program);
  failures.push(...second.failures);
  if (second.counts.failed === 0) unstable.push(...first.failures);
  return countRepeated(first.counts, second.counts);
}

const THIS_NODE = { node: process.execPath, run: runCommand };

/** Runs vitest with a JSON report besides its usual output. */
async function runVitest(heading, selected, { node, run }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-test-'));
  const file = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run(heading, node, [vitest, 'run', ...reporters, ...selected]);
  const report = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
  fs.rmSync(folder, { recursive: true, force: true });
  const counts = countTests(report, code);
  return { report, counts, failures: failuresOf(report, counts.failed) };
}

function asTest(heading, code) {
  if (code === 0) return { passed: 1, failed: 0, skipped: 0 };
  failures.push(heading);
  return { passed: 0, failed: 1, skipped: 0 };
}

/** The checks, one after the other. */
const CHECKS = [
  ['types', 'tsc', ['--noEmit']],
  ['types of the console', 'tsc', ['--noEmit', '-p', 'console']],
  ['format and lint', 'biome', ['check', '.']],
  ['unused files, exports and dependencies', 'knip', []],
];

const tools = path.join(root, 'node_modules', '.bin');

async function runChecks() {
  const results = [];
  for (const [heading, tool, args] of CHECKS)
    results.push(asTest(heading, await runBeside(heading, path.join(tools, tool), args)));
  return results;
}

/** What tests need besides the packages: the driver of SQLite, the console, and the compiled program, which all parts share. */
async function finishSetUp() {
  const setUp = path.join(root, 'scripts', 'setup.mjs');
  const code = await runCommand('set-up', process.execPath, [setUp, '--build']);
  if (code !== 0) process.exit(code);
  // test/compiled.ts reads it.
  process.env.TEST_COMPILED = path.join(root, 'dist');
}

async function runAll() {
  const beside = [runChecks(), runPostgresTests()];
  await finishSetUp();
  const options = ['--exclude', `**/*${TIMED}`, `--project=!${POSTGRES}`];
  const tests = runTests('tests', { options, names: [] });
  const others = await Promise.all([...beside, tests]);
  const timed = runTests('tests that measure time', { options: [ALONE], names: [TIMED] });
  return [...others.flat(), ...(await Promise.all([timed, runSqliteTests()]))];
}

async function runNamed(names) {
  const checks = runChecks();
  await finishSetUp();
  return [...(await checks), await runTests('tests', { options: [], names })];
}

/** The project of vitest.config.ts whose tests use no SQLite. */
const POSTGRES = 'postgres';

/** Half as many processes as for the other tests, since these run at the same time. */
async function runPostgresTests() {
  const selection = { options: [`--project=${POSTGRES}`, '--maxWorkers=2'], names: [] };
  const program = { node: process.execPath, run: runBeside };
  return await runTests('tests with PostgreSQL', selection, program);
}

async function runSqliteTests() {
  const heading = 'tests with the SQLite of Node';
  const { node, reason } = await nodeWithSqlite();
  const selection = { options: ['--project=all', '--project=isolated'], names: SQLITE_TESTS };
  if (node !== undefined) return await runTests(heading, selection, { node, run: runInBackground });
  process.stdout.write(`\n== ${heading}\nskipped: ${reason}\n`);
  return { passed: 0, failed: 0, skipped: 1 };
}

const [first, ...rest] = process.argv.slice(2);
const names = first === '--all' ? rest : process.argv.slice(2);
// vitest.config.ts selects the tests with PostgreSQL by this variable.
if (first === '--all') process.env.TEST_ALL = '1';

const counts = names.length === 0 ? await runAll() : await runNamed(names);
const sum = (name) => counts.reduce((total, count) => total + count[name], 0);
process.exitCode = sum('failed') === 0 ? 0 : 1;
for (const [heading, entries] of Object.entries({ failed: failures, unstable }))
  for (const entry of entries)
    process.stdout.write(`\n${heading}: ${entry.replace(`${root}${path.sep}`, '')}`);
process.stdout.write(
  `\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`,
);
