// This file tests how the last line of the test run is counted, above all that nothing broken counts as passed.

import { describe, expect, test } from 'vitest';
import { countRepeated, countTests, failuresOf, filesToRepeat } from '../../scripts/tally.mjs';

interface ReportedFile {
  readonly status: string;
  readonly tests: readonly string[];
  readonly name?: string;
}

function report(...files: readonly ReportedFile[]): string {
  const testResults = files.map((file) => ({
    name: file.name,
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

describe('the files that run once more', () => {
  const failed = (name: string) => ({ name, status: 'failed', tests: ['failed', 'passed'] });
  const passed = { name: '/test/whole.test.ts', status: 'passed', tests: ['passed'] };

  test('are those that failed, each once', () => {
    const text = report(failed('/test/a.test.ts'), passed, failed('/test/a.test.ts'));
    expect(filesToRepeat(text)).toEqual(['/test/a.test.ts']);
  });

  test.each([
    ['nothing failed', report(passed)],
    ['more than five failed', report(...'abcdef'.split('').map(failed))],
    ['there is no report', undefined],
  ])('are none if %s', (_, text) => {
    expect(filesToRepeat(text)).toEqual([]);
  });

  test('count as passed only if they pass', () => {
    const first = { passed: 10, failed: 2, skipped: 1 };
    const one = { passed: 5, failed: 1, skipped: 0 };
    expect(countRepeated(first, one)).toEqual({ passed: 11, failed: 1, skipped: 1 });
    const none = { passed: 6, failed: 0, skipped: 0 };
    expect(countRepeated(first, none)).toEqual({ passed: 12, failed: 0, skipped: 1 });
  });
});

describe('the end of the output', () => {
  const file = { name: '/test/a.test.ts', status: 'failed', message: '', assertionResults: [] };
  const reported = (...testResults: readonly object[]): string => JSON.stringify({ testResults });

  test('names each failed test with its file and the first line of the reason', () => {
    const assertionResults = [
      { fullName: 'one holds', status: 'passed', failureMessages: [] },
      { fullName: 'two holds', status: 'failed', failureMessages: ['Error: 2 is 3\n    at x.ts'] },
    ];
    expect(failuresOf(reported({ ...file, assertionResults }), 1)).toEqual([
      '/test/a.test.ts > two holds: Error: 2 is 3',
    ]);
  });

  test('names a file that could not be loaded', () => {
    const text = reported({ ...file, message: 'Cannot find ./b.ts\nimported by a.test.ts' });
    expect(failuresOf(text, 1)).toEqual(['/test/a.test.ts: Cannot find ./b.ts']);
  });

  test('names an error outside every test, and nothing if nothing failed', () => {
    const text = reported({ ...file, status: 'passed' });
    expect(failuresOf(text, 1)).toEqual(['an error outside every test']);
    expect(failuresOf(text, 0)).toEqual([]);
  });
});
