// This file counts the tests in the JSON report of a vitest run. It errs on the side of failure: a file that could not
// be loaded, an error outside every test, a missing report and a run without any test each count as one failed test.

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
