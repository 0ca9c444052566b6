// This file counts the tests in the JSON report of a vitest run. It errs on the side of failure: a file that could not
// be loaded, an error outside every test, a missing report and a run without any test each count as one failed test.
// It also names the failed tests with their reasons, because whoever reads a long output reads its end first.

/**
 * @param {string | undefined} report the text of the JSON report, if vitest wrote one
 * @param {number} code the exit code of vitest
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(report, code) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of filesOf(report)) {
    for (const test of file.assertionResults) counts[kindOf(test.status)] += 1;
    const hasFailedTest = file.assertionResults.some((test) => test.status === 'failed');
    if (file.status === 'failed' && !hasFailedTest) counts.failed += 1;
  }
  const nothingRan = counts.passed + counts.failed === 0;
  if (counts.failed === 0 && (code !== 0 || nothingRan)) counts.failed = 1;
  return counts;
}

/** More failed files than this have a common cause, which running them again would only confirm. */
const MOST_UNSTABLE = 5;

/**
 * The files to run again, without others beside them, because a failure that does not happen again is a fault of timing.
 *
 * @param {string | undefined} report the text of the JSON report, if vitest wrote one
 * @returns {readonly string[]} paths; empty if too many files failed, or none
 */
export function filesToRepeat(report) {
  const failed = filesOf(report).filter((file) => file.status === 'failed');
  return failed.length > MOST_UNSTABLE ? [] : [...new Set(failed.map((file) => file.name))];
}

/**
 * The counts of a run and of the second run of its failed files. A file that passes now counts as passed.
 *
 * @param {{ passed: number, failed: number, skipped: number }} first
 * @param {{ passed: number, failed: number, skipped: number }} second
 */
export function countRepeated(first, second) {
  const passed = first.passed + Math.max(0, first.failed - second.failed);
  return { passed, failed: second.failed, skipped: first.skipped };
}

/**
 * The failed tests of a run, with the file, the name and the first line of the reason.
 *
 * @param {string | undefined} report the text of the JSON report, if vitest wrote one
 * @param {number} failed as counted by `countTests`
 * @returns {readonly string[]} empty if nothing failed, otherwise never empty
 */
export function failuresOf(report, failed) {
  if (failed === 0) return [];
  const failures = filesOf(report)
    .filter((file) => file.status === 'failed')
    .flatMap(failuresOfFile);
  return failures.length > 0 ? failures : ['an error outside every test'];
}

function failuresOfFile(file) {
  const tests = file.assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0) return [`${file.name}: ${firstLine(file.message)}`];
  return tests.map(
    (test) => `${file.name} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`,
  );
}

const firstLine = (text) => (text ?? '').trimStart().split('\n', 1)[0];

function filesOf(report) {
  try {
    return JSON.parse(report ?? '').testResults;
  } catch {
    return [];
  }
}

function kindOf(status) {
  if (status === 'passed' || status === 'failed') return status;
  return 'skipped';
}
