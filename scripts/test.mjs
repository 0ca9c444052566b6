// This file runs every check of the project: the tests under test/, and beside them types, format and lint, unused code, and the compilation
// of the SQLite driver where this Node needs one; then the tests that measure time, and beside them some of the tests with that driver.
// Where this Node has no SQLite, all other tests run with the Node that test/node-24 pins, which is the documented one.
// With --all, all journeys run with PostgreSQL too, otherwise a part of them, and random tests try all that they can. Each part has its
// output under a heading. The files of failed tests, if they are few, run once more, one after the other; those that pass then are named
// as unstable. The end names what failed, and the last line contains only the counts, in which types, lint, unused code and the driver count
// as one test each. The exit code is 0 only if something ran and nothing failed twice.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DRIVER_TESTS, nodeWithSqlite } from './node-with-sqlite.mjs';
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
async function runTests(heading, { options, names }, program) {
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

const setUp = path.join(root, 'scripts', 'setup.mjs');

/** What all parts share: the console and the compiled program. */
async function build() {
  const code = await runCommand('build', process.execPath, [setUp, '--packages', '--build']);
  if (code !== 0) process.exit(code);
  // test/compiled.ts reads it.
  process.env.TEST_COMPILED = path.join(root, 'dist');
}

/** Adds the driver of SQLite if this Node needs one. */
async function addDriver() {
  const heading = 'driver of SQLite';
  return asTest(heading, await runBeside(heading, process.execPath, [setUp]));
}

async function runAll(names) {
  const checks = runChecks();
  const [node] = await Promise.all([nodeWithSqlite(), build()]);
  const driver = addDriver();
  // Without another Node, all tests need the driver.
  if (node === undefined) await driver;
  const beside = [checks, driver];
  const program = { node: node ?? process.execPath, run: runCommand };
  const tests =
    names.length === 0
      ? runParts(program, beside)
      : runTests('tests', { options: [], names }, program);
  return (await Promise.all([...beside, tests])).flat();
}

/** @param beside what the tests that measure time wait for */
async function runParts(program, beside) {
  const others = { options: ['--project=!timed', '--exclude', `**/*${TIMED}`], names: [] };
  const first = await runTests('tests', others, program);
  await Promise.all(beside);
  const alone = { options: [ALONE], names: [TIMED] };
  const timed = runTests('tests that measure time', alone, program);
  return [first, ...(await Promise.all([timed, runDriverTests(program.node)]))];
}

/** @param used the Node that has run the other tests */
async function runDriverTests(used) {
  const heading = 'tests with the driver of SQLite';
  const selection = { options: ['--project=all', '--project=isolated'], names: DRIVER_TESTS };
  const program = { node: process.execPath, run: runInBackground };
  if (used !== process.execPath) return await runTests(heading, selection, program);
  process.stdout.write(`\n== ${heading}\nskipped: the tests above ran with this Node\n`);
  return { passed: 0, failed: 0, skipped: 1 };
}

const [first, ...rest] = process.argv.slice(2);
const names = first === '--all' ? rest : process.argv.slice(2);
// vitest.config.ts selects the tests with PostgreSQL by this variable.
if (first === '--all') process.env.TEST_ALL = '1';

const counts = await runAll(names);
const sum = (name) => counts.reduce((total, count) => total + count[name], 0);
process.exitCode = sum('failed') === 0 ? 0 : 1;
for (const [heading, entries] of Object.entries({ failed: failures, unstable }))
  for (const entry of entries)
    process.stdout.write(`\n${heading}: ${entry.replace(`${root}${path.sep}`, '')}`);
process.stdout.write(
  `\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`,
);
