// This file walks over the demo requests and checks that their history could have been written by the service: each change of the status is
// permitted by the workflow, times are in order and in working hours, and what the service keeps follows from the changes.
import { beforeAll, describe, expect, test } from 'vitest';
import { demoRecords } from '../../src/seed/demo.ts';
import type { SeedRecord } from '../../src/seed/demo-plan.ts';
import { demoSource, suiteModel } from '../service-desk.ts';

const model = suiteModel();
const now = Date.UTC(2026, 3, 15, 12);
const DAY = 86_400_000;

interface Story {
  readonly request: SeedRecord;
  readonly lines: readonly SeedRecord[];
}

let records: readonly SeedRecord[] = [];
let stories: readonly Story[] = [];
beforeAll(() => {
  records = [...demoRecords({ ...demoSource, requests: 1500, seed: 7, now })];
  const lines = new Map<number | undefined, SeedRecord[]>();
  for (const record of records) {
    if (record.set !== 'ServiceRequests/HistoryLines') continue;
    lines.set(record.parent, [...(lines.get(record.parent) ?? []), record]);
  }
  stories = records
    .filter(({ set }) => set === 'ServiceRequests')
    .map((request) => ({ request, lines: lines.get(request.uid) ?? [] }));
});

const type = [...model.types.values()].find(({ name }) => name.endsWith('.ServiceRequest'));
const workflow = type?.kind === 'entity' ? type.workflow : undefined;
const statuses = [...model.codeLists.values()].find(({ codes }) =>
  codes.some(({ value }) => value === 101001n),
);
const symbolOf = (status: unknown) =>
  statuses?.codes.find(({ value, texts }) => Number(value) === status || texts.en === status)
    ?.meaning ?? `unknown ${status}`;

const at = ({ values }: SeedRecord, path = 'CreatedAt') => Date.parse(String(values[path]));
const changesOf = ({ lines }: Story) => lines.filter(({ values }) => values.Attribute === 'Status');

/** When the request got one of the statuses for the first or the last time. */
const timeOf = (story: Story, symbols: readonly string[], which: 0 | -1 = 0) =>
  changesOf(story)
    .filter(({ values }) => symbols.includes(symbolOf(values.NewValue)))
    .map(({ values }) => values.CreatedAt)
    .at(which) ?? null;

/** Describes each story that breaks a rule. */
const broken = (rule: (story: Story) => boolean) =>
  stories.filter((story) => !rule(story)).map(({ request }) => request.values.ID);

describe('The history of requests', () => {
  test('has four lines each and those about votes and replies, whose times lie between registration, last change and now', () => {
    const isExtra = ({ values }: SeedRecord) =>
      values.Kind === 202004 ||
      values.Kind === 202006 ||
      `${values.Attribute}`.startsWith('Approval');
    expect(broken(({ lines }) => lines.filter((line) => !isExtra(line)).length === 4)).toEqual([]);
    expect(
      broken(({ request, lines }) => {
        const times = lines.map((line) => at(line));
        const created = at(request, 'Registration/DateCreated');
        return [created, ...times, now].every((time, index, all) => time >= (all[index - 1] ?? 0));
      }),
    ).toEqual([]);
    expect(
      broken((story) => {
        const modified = at(story.request, 'Registration/DateModified');
        return changesOf(story).every((line) => at(line) <= modified);
      }),
    ).toEqual([]);
  });

  test('changes the status as the workflow permits, from the first status to that of the request', () => {
    const permitted = new Set(
      workflow?.transitions.flatMap(({ from, to }) => from.map((one) => `${one} ${to}`)),
    );
    expect(permitted.size).toBeGreaterThan(10);
    const mistakes = new Set<string>();
    for (const story of stories) {
      let status = workflow?.initial[0] ?? '';
      for (const { values } of changesOf(story)) {
        if (symbolOf(values.OldValue) !== status)
          mistakes.add(`${values.OldValue} is not ${status}`);
        const next = symbolOf(values.NewValue);
        if (!permitted.has(`${status} ${next}`)) mistakes.add(`${status} to ${next}`);
        status = next;
      }
      const last = symbolOf(story.request.values.Status);
      if (status !== last) mistakes.add(`ends with ${status}, not ${last}`);
    }
    expect([...mistakes]).toEqual([]);
  });

  test('changes the status on working days between 9 and 18 o’clock, apart from the last month', () => {
    const local = new Intl.DateTimeFormat('en', {
      timeZone: 'Europe/Amsterdam',
      weekday: 'short',
      hour: 'numeric',
      hourCycle: 'h23',
    });
    const odd = stories
      .flatMap(changesOf)
      .filter((line) => at(line) < now - 31 * DAY)
      .map((line) => local.formatToParts(at(line)))
      .filter((parts) => {
        const part = (name: string) => parts.find((one) => one.type === name)?.value ?? '';
        const hour = Number(part('hour'));
        return ['Sat', 'Sun'].includes(part('weekday')) || hour < 9 || hour >= 18;
      });
    expect(odd).toEqual([]);
  });

  test('shows what was changed with its label, texts of codes and names of persons', () => {
    const names = new Map(
      records.filter(({ set }) => set === 'Persons').map(({ uid, values }) => [uid, values.Name]),
    );
    const subjects = new Set<string>();
    for (const { request, lines } of stories) {
      for (const { values } of lines) {
        expect(values.Subject).not.toBe('');
        expect(values.Subject).not.toBeNull();
        if (values.Attribute !== 'Assignment/AssigneePerson') continue;
        const name = names.get(Number(request.values['Assignment/AssigneePerson']));
        expect(values).toMatchObject({ OldValue: null, NewValue: name, Kind: 202001 });
        expect(values.Subject).toBe(`Assigned person: – → ${name}`.slice(0, 255));
      }
      for (const line of changesOf({ request, lines })) subjects.add(String(line.values.Subject));
    }
    expect(subjects).toContain('Status: Registered → Assigned');
    expect(subjects).toContain('Status: Resolved → Closed');
    expect([...subjects].filter((subject) => /\d/.test(subject))).toEqual([]);
  });

  test('has notes of agents and callers, internal and public, and mail', () => {
    const kinds = new Set<unknown>();
    for (const { values } of stories.flatMap(({ lines }) => lines)) {
      kinds.add(values.Kind);
      const isOfCaller = values.Kind === 202004 && !`${values.Information}`.includes('no known');
      expect(values.Visibility).toBe(values.Kind === 202003 || isOfCaller ? 203002 : 203001);
    }
    expect([...kinds].sort()).toEqual([202001, 202002, 202003, 202004, 202006]);
    const accounts = new Map(
      records
        .filter(({ set }) => set === 'Accounts')
        .map(({ uid, values }) => [uid, values.Person]),
    );
    const byCaller = stories.flatMap(({ request, lines }) =>
      lines.filter(
        ({ values }) =>
          values.Kind === 202003 &&
          accounts.get(Number(values.CreatedBy)) === request.values.Caller,
      ),
    );
    expect(byCaller.length).toBeGreaterThan(0);
  });
});

describe('What the service keeps of requests', () => {
  const ended = ['REJECTED', 'CANCELLED'];

  test('follows from the changes: start, assignment, finish and closing', () => {
    const value = ({ request }: Story, path: string) => request.values[path];
    expect(
      broken((story) => value(story, 'ActualStart') === timeOf(story, ['IN_PROGRESS'])),
    ).toEqual([]);
    expect(
      broken(
        (story) =>
          value(story, 'Assignment/AssignedAt') === timeOf(story, ['ASSIGNED', 'IN_PROGRESS']),
      ),
    ).toEqual([]);
    expect(
      broken((story) => value(story, 'ActualFinish') === timeOf(story, ['RESOLVED', ...ended])),
    ).toEqual([]);
    expect(
      broken((story) => value(story, 'ClosedAt') === timeOf(story, ['CLOSED', ...ended])),
    ).toEqual([]);
  });

  test('is complete: what the statuses and transitions require', () => {
    const has = (request: SeedRecord, path: string) => request.values[path] !== null;
    const symbols = (story: Story) =>
      changesOf(story).map(({ values }) => symbolOf(values.NewValue));
    expect(
      broken(
        (story) =>
          !symbols(story).includes('IN_PROGRESS') ||
          has(story.request, 'Assignment/AssigneePerson'),
      ),
    ).toEqual([]);
    expect(
      broken(
        (story) =>
          !symbols(story).includes('ASSIGNED') ||
          has(story.request, 'Assignment/AssigneeWorkgroup') ||
          has(story.request, 'Assignment/AssigneePerson'),
      ),
    ).toEqual([]);
    expect(
      broken(
        (story) =>
          !symbols(story).includes('RESOLVED') ||
          (has(story.request, 'Solution') && has(story.request, 'ClosureCode')),
      ),
    ).toEqual([]);
    expect(
      broken(
        ({ request: { values } }) =>
          symbolOf(values.Status) !== 'CANCELLED' ||
          [130006, 130008, 130009].includes(Number(values.ClosureCode)),
      ),
    ).toEqual([]);
  });

  test('contains no request that has been resolved for longer than five working days', () => {
    const old = broken(({ request: { values } }) => {
      if (symbolOf(values.Status) !== 'RESOLVED') return true;
      return Date.parse(String(values.ActualFinish)) > now - 7 * DAY;
    });
    expect(old).toEqual([]);
  });
});
