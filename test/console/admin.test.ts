// This file tests the logic of the screens for administrators: the matrix of a workflow, rights side by side, and the week of a schedule.
import { describe, expect, test } from 'vitest';
import { type EffectiveRights, memberRows } from '../../console/src/admin/compare-rights.ts';
import { type Window, weekOf } from '../../console/src/admin/week.ts';
import {
  cellOf,
  type Declared,
  findings,
  newRow,
  type Row,
  type Workflow,
} from '../../console/src/admin/workflow-matrix.ts';

const declared = (from: string, to: string): Declared => ({
  symbol: `${from}${to}`,
  from,
  to,
  takers: ['agent'],
  needsComment: true,
  clocks: [],
});

const row = (from: string | undefined, to: string, isBlocked = false): Row => ({
  uid: '1',
  etag: undefined,
  symbol: 'row',
  from,
  to,
  guard: '',
  required: [],
  roles: [],
  needsComment: false,
  isBlocked,
});

function workflow(parts: Partial<Workflow>): Workflow {
  const states = ['A', 'B', 'C'].map((value) => ({ value, label: `State ${value}` }));
  return { states, declared: [], rows: [], unknown: new Set(), ...parts };
}

describe('a cell of the matrix', () => {
  test.each<[string, Partial<Workflow>, string]>([
    ['nothing', {}, 'none'],
    ['a transition of the model', { declared: [declared('A', 'B')] }, 'declared'],
    ['one in the other direction', { declared: [declared('B', 'A')] }, 'none'],
    ['an added one', { rows: [row('A', 'B')] }, 'changed'],
    ['one that is added for every state', { rows: [row(undefined, 'B')] }, 'changed'],
    ['one from another state', { rows: [row('C', 'B')] }, 'none'],
    ['a replaced one', { declared: [declared('A', 'B')], rows: [row('A', 'B')] }, 'changed'],
    ['a blocked one', { rows: [row('A', 'B', true)] }, 'blocked'],
    [
      'a blocked one beside one of the model',
      { declared: [declared('A', 'B')], rows: [row('A', 'B', true)] },
      'declared',
    ],
  ])('with %s', (_, parts, kind) => {
    expect(cellOf(workflow(parts), 'A', 'B').kind).toBe(kind);
  });

  test('starts a row with what the model has, so that a change of one thing keeps the others', () => {
    const cell = cellOf(workflow({ declared: [declared('A', 'B')] }), 'A', 'B');
    expect(newRow(cell, 'A', 'B', 'new')).toMatchObject({
      uid: undefined,
      symbol: 'AB',
      from: 'A',
      to: 'B',
      roles: ['agent'],
      needsComment: true,
    });
    expect(newRow(cellOf(workflow({}), 'A', 'B'), 'A', 'B', 'new').symbol).toBe('new');
  });
});

describe('findings', () => {
  const found = (parts: Partial<Workflow>) =>
    findings(workflow(parts)).map(({ kind, state }) => `${kind} ${state.value}`);

  test('name states that nothing leads to, and that nothing leaves', () => {
    expect(found({ declared: [declared('A', 'B'), declared('B', 'C')] })).toEqual([
      'unreachable A',
      'dead-end C',
    ]);
  });

  test('count blocked transitions as missing, and added ones', () => {
    expect(found({ declared: [declared('A', 'B')], rows: [row('B', 'C', true)] })).toEqual([
      'unreachable A',
      'dead-end B',
      'unreachable C',
      'dead-end C',
    ]);
    expect(
      found({ declared: [declared('A', 'B'), declared('B', 'C')], rows: [row('C', 'A')] }),
    ).toEqual([]);
  });

  test('say nothing about what is unknown', () => {
    const parts = { declared: [declared('A', 'B')], unknown: new Set(['B']) };
    expect(found(parts)).toEqual(['dead-end C']);
  });
});

test('members are compared by what the accounts may do with them', () => {
  const rights = (Members: EffectiveRights['Members']): EffectiveRights => ({
    Read: true,
    Create: false,
    Change: true,
    Delete: false,
    Attach: false,
    Members,
  });
  const rows = memberRows([
    rights([
      { Name: 'A', Read: true, Change: true },
      { Name: 'B', Read: true, Change: false },
      { Name: 'C', Read: false, Change: false },
    ]),
    rights([
      { Name: 'A', Read: true, Change: false },
      { Name: 'B', Read: true, Change: false },
    ]),
  ]);
  expect(rows).toEqual([
    { name: 'A', access: ['changeable', 'readable'], differs: true },
    { name: 'B', access: ['readable', 'readable'], differs: false },
    { name: 'C', access: ['hidden', 'hidden'], differs: false },
  ]);
});

describe('a week', () => {
  const parts = (weekday: number | null, from: string | null, to: string | null) => {
    const window: Window = { uid: '1', weekday, from, to };
    return weekOf([window]).map((day) => day.map(({ start, end }) => [start, end]));
  };
  const only = (index: number, ...values: readonly (readonly number[])[]) =>
    Array.from({ length: 7 }, (_, day) => (day === index ? values : []));

  test.each<[string, number | null, string | null, string | null, unknown]>([
    ['hours of a day', 1, '09:00:00', '17:30:00', only(0, [540, 1050])],
    ['a whole day', 2, null, null, only(1, [0, 1440])],
    ['until midnight', 3, '22:00:00', '00:00:00', only(2, [1320, 1440])],
    ['from midnight', 3, '00:00:00', '06:00:00', only(2, [0, 360])],
    [
      'over midnight of Sunday',
      7,
      '22:00:00',
      '06:00:00',
      [[[0, 360]], [], [], [], [], [], [[1320, 1440]]],
    ],
    ['every day', null, '09:00:00', '10:00:00', Array(7).fill([[540, 600]])],
  ])('shows %s', (_, weekday, from, to, expected) => {
    expect(parts(weekday, from, to)).toEqual(expected);
  });
});
