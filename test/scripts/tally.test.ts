// This file tests how the last line of the test run is counted, above all that nothing broken counts as passed.

import { describe, expect, test } from 'vitest';
import { countTests } from '../../scripts/tally.mjs';

interface ReportedFile {
  readonly status: string;
  readonly tests: readonly string[];
}

function report(...files: readonly ReportedFile[]): string {
  const testResults = files.map((file) => ({
    status: file.status,
    assertionResults: file.tests.map((status) => ({ status })),
  }));
  return JSON.stringify({ testResults });
}

describe('the counts of a test run', () => {
  test('passed, failed and skipped tests of all files are added up', () => {
    const text = report(
      { status: 'passed', tests: ['passed', 'passed', 'skipped'] },
      { status: 'failed', tests: ['failed', 'todo', 'passed', 'pending'] },
    );
    expect(countTests(text, 1)).toEqual({ passed: 3, failed: 1, skipped: 3 });
  });

  test('a file that could not be loaded counts as one failed test', () => {
    const text = report({ status: 'failed', tests: [] }, { status: 'passed', tests: ['passed'] });
    expect(countTests(text, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('an error outside every test counts as one failed test', () => {
    const text = report({ status: 'passed', tests: ['passed'] });
    expect(countTests(text, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test.each([
    ['no report at all', undefined],
    ['a report that was cut off', '{"testResults":[{'],
    ['a report without a test', report()],
    ['a report of skipped tests alone', report({ status: 'passed', tests: ['skipped'] })],
  ])('%s is a failure even with exit code 0', (_, text) => {
    expect(countTests(text, 0).failed).toBe(1);
  });
});
