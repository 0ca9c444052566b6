// This file tests which steps of write scripts run in one pipeline.
import { describe, expect, it } from 'vitest';
import type { PlannedFault } from '../../src/plan/write-plan.ts';
import type { Statement } from '../../src/sql/script.ts';
import type { ScriptStep } from '../../src/sql/write/write-script.ts';
import { pipelineEnd } from '../../src/store/step-pipelines.ts';

const fault: PlannedFault = { code: 'record.not-found', parameters: {} } as never;
const using = (...registers: readonly string[]): Statement => ({
  text: '',
  parameters: registers.map((name) => ({ kind: 'register', name, field: 'identity' })),
  reads: [],
  writes: [],
});
const find = (into: string, ...uses: readonly string[]): ScriptStep => ({
  kind: 'find',
  statement: using(...uses),
  into,
  missing: fault,
  optional: false,
});
const guard = (...uses: readonly string[]): ScriptStep => ({
  kind: 'require',
  statement: using(...uses),
  fault,
});
const match: ScriptStep = { kind: 'match', row: 'a', versions: 'any', negated: false, fault };
const run: ScriptStep = { kind: 'run', statement: using('a') };
const allocate: ScriptStep = { kind: 'allocate', into: 'a' };
const sequence = (name: string): ScriptStep => ({ kind: 'sequence', name, local: name });

/** The numbers of steps of the pipelines. */
function sizes(steps: readonly ScriptStep[]): readonly number[] {
  const found: number[] = [];
  for (let index = 0, end = 0; index < steps.length; index = end) {
    end = pipelineEnd(steps, index);
    found.push(end - index);
  }
  return found;
}

describe('steps run together', () => {
  it.each<[string, readonly ScriptStep[], readonly number[]]>([
    ['queries that need no row of each other', [find('a'), find('b'), guard('x')], [3]],
    ['queries up to one that needs a row', [find('a'), find('b', 'a'), guard('a')], [1, 2]],
    ['queries around a check of versions', [find('a'), match, find('b')], [3]],
    ['queries without checks that follow', [find('a'), match, run], [1, 1, 1]],
    ['changes', [run, run, run, find('b')], [3, 1]],
    ['changes up to one that must change a row', [run, { ...run, none: fault }, run], [2, 1]],
    ['changes up to a raised version', [run, { ...run, kind: 'raise', row: 'a' }, run], [1, 1, 1]],
    ['allocations', [allocate, sequence('x'), sequence('y'), run], [3, 1]],
    ['allocations of different sequences', [sequence('x'), sequence('y'), sequence('x')], [2, 1]],
    ['no queries and allocations', [find('a'), allocate, run], [1, 1, 1]],
  ])('%s', (_, steps, expected) => {
    expect(sizes(steps)).toEqual(expected);
  });
});
