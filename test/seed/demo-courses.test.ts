// This file walks over the demo records of all kinds of work and checks that their histories could have been written by the service: statuses
// follow the workflow, votes decide, e-mails become requests, and what the service keeps follows from the lines.
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityType } from '../../src/edm/model.ts';
import { demoRecords } from '../../src/seed/demo.ts';
import type { SeedRecord } from '../../src/seed/demo-plan.ts';
import { demoSizes } from '../../src/seed/demo-sizes.ts';
import { demoSource, suiteModel } from '../service-desk.ts';

const model = suiteModel();
const now = Date.UTC(2026, 3, 15, 12);
const SETS = ['ServiceRequests', 'Incidents', 'Problems', 'Changes', 'Workorders'] as const;
const APPROVED = ['ServiceRequests', 'Changes', 'Workorders'];
const [WAITING, GRANTED, DENIED] = [170002, 170003, 170004];
const MAIL = 'EmailServiceRequests';

interface Story {
  readonly set: string;
  readonly record: SeedRecord;
  readonly lines: readonly SeedRecord[];
  readonly votes: readonly SeedRecord[];
}

let records: readonly SeedRecord[] = [];
let stories: readonly Story[] = [];
const keyed = new Map<number, SeedRecord>();
beforeAll(() => {
  records = [...demoRecords({ ...demoSource, requests: 1500, seed: 11, now })];
  for (const record of records) keyed.set(record.uid, record);
  const lines = groupBy(({ set, parent }) => (set.endsWith('/HistoryLines') ? parent : undefined));
  const votes = groupBy(({ set, values }) =>
    set === 'ApproverVotes' ? Number(values.Record) : undefined,
  );
  stories = records
    .filter(({ set }) => [...SETS, MAIL].some((one) => one === set))
    .map((record) => ({
      set: record.set,
      record,
      lines: lines.get(record.uid) ?? [],
      votes: votes.get(record.uid) ?? [],
    }));
});

/** The records by the key of another one. */
function groupBy(
  keyOf: (record: SeedRecord) => number | undefined,
): ReadonlyMap<number, readonly SeedRecord[]> {
  const groups = new Map<number, SeedRecord[]>();
  for (const record of records) {
    const key = keyOf(record);
    if (key === undefined) continue;
    const group = groups.get(key) ?? [];
    if (group.length === 0) groups.set(key, group);
    group.push(record);
  }
  return groups;
}

const typeOf = (set: string) => model.types.get(model.sets.get(set)?.type ?? '') as EntityType;
const codes = [...model.codeLists.values()].flatMap((list) => list.codes);
const textOf = (code: unknown) =>
  codes.find(({ value }) => Number(value) === code)?.texts.en ?? null;
/** The symbols of the states by their texts. */
const symbolsOf = (set: string) => {
  const symbols = new Set(typeOf(set).workflow?.states.map(({ symbol }) => symbol));
  const list = [...model.codeLists.values()].find(({ codes: own }) =>
    [...symbols].every((one) => own.some(({ meaning }) => meaning === one)),
  );
  return new Map(list?.codes.map(({ texts, meaning }) => [texts.en ?? '', meaning ?? '']));
};

const at = (line: SeedRecord | undefined, path = 'CreatedAt') =>
  Date.parse(String(line?.values[path]));
const attribute = ({ values }: SeedRecord) => String(values.Attribute);
const changesOf = ({ lines }: Story) => lines.filter((line) => attribute(line) === 'Status');

/** Describes each story that breaks a rule. */
const broken = (sets: readonly string[], rule: (story: Story) => boolean) =>
  stories
    .filter((story) => sets.includes(story.set) && !rule(story))
    .map(({ set, record }) => `${set} ${record.uid}`);
const found = (set: string) => stories.filter((story) => story.set === set);

describe('Histories', () => {
  test.each([...SETS, MAIL])(
    'of %s change the status as the workflow permits, to the present one',
    (set) => {
      const symbols = symbolsOf(set);
      const { initial = [], transitions = [] } = typeOf(set).workflow ?? {};
      const permitted = new Set(
        transitions.flatMap(({ from, to }) => from.map((one) => `${one} ${to}`)),
      );
      const mistakes = new Set<string>();
      const seen = new Set<unknown>();
      for (const story of found(set)) {
        const { Status: present } = story.record.values;
        const changes = changesOf(story);
        let status = String(changes[0]?.values.OldValue ?? textOf(present));
        if (!initial.includes(symbols.get(status) ?? '')) mistakes.add(`begins as ${status}`);
        for (const { values } of changes) {
          if (values.OldValue !== status) mistakes.add(`${values.OldValue} is not ${status}`);
          const step = `${symbols.get(status)} ${symbols.get(String(values.NewValue))}`;
          if (!permitted.has(step)) mistakes.add(step);
          status = String(values.NewValue);
        }
        if (status !== textOf(present)) mistakes.add(`ends as ${status}, not ${textOf(present)}`);
        seen.add(present);
      }
      expect([...mistakes]).toEqual([]);
      expect(seen.size).toBeGreaterThan(4);
    },
  );

  test('have keys and times in order, from the creation to the last change and now', () => {
    const isOrdered = (numbers: readonly number[]) =>
      numbers.every((number, index) => number >= (numbers[index - 1] ?? 0));
    const all = [...SETS, MAIL];
    expect(broken(all, ({ lines }) => isOrdered(lines.map(({ uid }) => uid)))).toEqual([]);
    expect(
      broken(all, ({ record, lines }) =>
        isOrdered([at(record, 'Registration/DateCreated'), ...lines.map((line) => at(line)), now]),
      ),
    ).toEqual([]);
    const isTracked = ({ values }: SeedRecord) => values.Attribute !== null;
    expect(
      broken(all, ({ record, lines }) =>
        lines
          .filter((line) => isTracked(line) && !attribute(line).includes('('))
          .every((line) => at(line) <= at(record, 'Registration/DateModified')),
      ),
    ).toEqual([]);
  });

  test('name an account, or a part of the service with its reason', () => {
    const accounts = new Set(records.filter(({ set }) => set === 'Accounts').map(({ uid }) => uid));
    const isAuthored = ({ values: { CreatedBy, Origin, Cause } }: SeedRecord) =>
      Origin === null
        ? accounts.has(Number(CreatedBy)) && Cause === null
        : Origin === 'docket votes' && CreatedBy === null && Cause !== null;
    expect(broken([...SETS, MAIL], ({ lines }) => lines.every(isAuthored))).toEqual([]);
  });

  test('show the name of the person who has got the work', () => {
    const isNamed = ({ record, lines }: Story) =>
      lines
        .filter((line) => attribute(line) === 'Assignment/AssigneePerson')
        .every(({ values }) => {
          const person = keyed.get(Number(record.values['Assignment/AssigneePerson']));
          return values.OldValue === null && values.NewValue === person?.values.Name;
        });
    expect(broken(SETS, isNamed)).toEqual([]);
    const lines = ['Incidents', 'Workorders'].flatMap(found).flatMap((story) => story.lines);
    const named = lines.filter((line) => attribute(line) === 'Assignment/AssigneePerson');
    expect(named.length).toBeGreaterThan(100);
  });
});

describe('What the service keeps', () => {
  /** The member, and the states that set it, for the first or the last time. */
  const KEPT: readonly (readonly [string, string, readonly string[]])[] = [
    ['Incidents', 'ActualStart', ['IN_PROGRESS']],
    ['Incidents', 'Assignment/AssignedAt', ['ASSIGNED']],
    ['Incidents', 'ActualFinish', ['RESTORED', 'CANCELLED']],
    ['Incidents', 'RestoredAt', ['RESTORED']],
    ['Incidents', 'ClosedAt', ['CLOSED', 'CANCELLED']],
    ['Problems', 'ActualStart', ['INVESTIGATION']],
    ['Problems', 'ActualFinish', ['RESOLVED', 'CLOSED']],
    ['Problems', 'ClosedAt', ['CLOSED']],
    ['Changes', 'ActualStart', ['IMPLEMENTATION']],
    ['Changes', 'ActualFinish', ['BACKED_OUT', 'REVIEW', 'CLOSED', 'CANCELLED']],
    ['Changes', 'ClosedAt', ['CLOSED', 'CANCELLED']],
    ['Workorders', 'ActualStart', ['IN_PROGRESS']],
    ['Workorders', 'Assignment/AssignedAt', ['ASSIGNED']],
    ['Workorders', 'ActualFinish', ['COMPLETED']],
    ['Workorders', 'ClosedAt', ['CLOSED']],
  ];
  test.each(KEPT)('of %s follows from the statuses: %s', (set, member, states) => {
    const symbols = symbolsOf(set);
    const timeOf = (story: Story) =>
      changesOf(story).find(({ values }) =>
        states.includes(symbols.get(`${values.NewValue}`) ?? ''),
      )?.values.CreatedAt ?? null;
    expect(broken([set], (story) => story.record.values[member] === timeOf(story))).toEqual([]);
    expect(found(set).some(({ record }) => record.values[member] !== null)).toBe(true);
  });

  test('is complete: what states require', () => {
    const isComplete = (story: Story) => {
      const symbols = symbolsOf(story.set);
      const passed = new Set(
        changesOf(story).map(({ values }) => symbols.get(`${values.NewValue}`)),
      );
      const present = symbols.get(textOf(story.record.values.Status) ?? '');
      const { states = [] } = typeOf(story.set).workflow ?? {};
      return states
        .filter(
          ({ symbol }) => passed.has(symbol) && (symbol === present || !symbol.includes('WAIT')),
        )
        .flatMap(({ members = [] }) => members)
        .filter(({ flag }) => flag === 'required')
        .every(({ member }) => story.record.values[member] !== null);
    };
    expect(broken(SETS, isComplete)).toEqual([]);
  });

  test('has no open work order of a record whose work has ended', () => {
    const isOpen = ({ record }: Story) =>
      [105001, 105002, 105003, 105004, 105005, 105008].includes(Number(record.values.Status));
    const parents = ['ServiceRequest', 'Incident', 'Problem', 'Change'];
    const ended = [101007, 101008, 101009, 101010, 102006, 102007, 103006, 103007, 104008, 104010];
    const parentOf = ({ record }: Story) =>
      keyed.get(Number(parents.map((one) => record.values[one]).find((one) => one !== null)));
    expect(
      broken(
        ['Workorders'],
        (story) => !isOpen(story) || !ended.includes(Number(parentOf(story)?.values.Status)),
      ),
    ).toEqual([]);
    const open = found('Workorders').filter(isOpen);
    expect(open.filter((story) => parentOf(story) !== undefined).length).toBeGreaterThan(20);
  });
});

describe('Approvals', () => {
  const approval = ({ record }: Story, name: string) => record.values[`Approval/${name}`];
  const approvals = ({ votes }: Story) =>
    votes.filter(({ values }) => values.Approved === true).length;
  const isAsked = (story: Story) => approval(story, 'Round') !== null;

  test('count their votes, and are decided as the votes are', () => {
    const isCounted = (story: Story) => {
      if (!isAsked(story)) return story.votes.length === 0;
      const [needed, yes] = [Number(approval(story, 'NrOfApproversRequired')), approvals(story)];
      const open = story.votes.filter(({ values }) => values.Approved === null).length;
      const decision = yes >= needed ? GRANTED : yes + open < needed ? DENIED : WAITING;
      return (
        approval(story, 'NrOfApprovers') === story.votes.length &&
        approval(story, 'NrOfApproversApproved') === yes &&
        approval(story, 'Status') === decision &&
        story.votes.every(({ values }) => values.IsOpen === (decision === WAITING))
      );
    };
    expect(broken(APPROVED, isCounted)).toEqual([]);
    for (const set of APPROVED) {
      const outcomes = new Set(found(set).map((story) => approval(story, 'Status')));
      expect(outcomes, set).toContain(WAITING);
      expect(outcomes, set).toContain(set === 'ServiceRequests' ? DENIED : GRANTED);
    }
  });

  test('agree with the status: nothing goes on before the decision', () => {
    const asked = { ServiceRequests: 101006, Changes: 104003 } as const;
    for (const [set, status] of Object.entries(asked)) {
      const passes = (story: Story) =>
        story.record.values.Status === status ||
        changesOf(story).some(({ values }) => values.NewValue === textOf(status));
      expect(broken([set], (story) => isAsked(story) === passes(story))).toEqual([]);
      const waits = (story: Story) => story.record.values.Status === status;
      const isWaiting = (story: Story) => approval(story, 'Status') === WAITING;
      expect(broken([set], (story) => waits(story) === isWaiting(story))).toEqual([]);
    }
    const begun = ['Accepted', 'In progress', 'Completed', 'Closed'];
    const hasBegun = (story: Story) =>
      changesOf(story).some(({ values }) => begun.includes(String(values.NewValue)));
    expect(
      broken(
        ['Workorders'],
        (story) => !isAsked(story) || !hasBegun(story) || approval(story, 'Status') === GRANTED,
      ),
    ).toEqual([]);
  });

  test('have lines about the round, each vote, and the decision', () => {
    const linesOf = ({ lines }: Story, path: string) =>
      lines.filter((line) => attribute(line) === path).map(({ values }) => values.NewValue);
    const isTold = (story: Story) => {
      const decision = textOf(approval(story, 'Status'));
      const outcomes = decision === 'Waiting' ? ['Waiting'] : ['Waiting', decision];
      const numbers = Array.from({ length: approvals(story) + 1 }, (_, index) => `${index}`);
      return (
        !isAsked(story) ||
        (`${linesOf(story, 'Approval/Status')}` === `${outcomes}` &&
          `${linesOf(story, 'Approval/NrOfApproversApproved')}` === `${numbers}` &&
          story.votes.every(({ uid, values }) => {
            const told = linesOf(story, `ApproverVotes(${uid})/Approved`);
            const text =
              values.Approved === null ? [] : [textOf(values.Approved ? GRANTED : DENIED)];
            return `${told}` === `${text}`;
          }))
      );
    };
    expect(broken(APPROVED, isTold)).toEqual([]);
  });

  test('are voted by members of the group with their own accounts, within the round', () => {
    const persons = new Map(
      records
        .filter(({ set }) => set === 'Accounts')
        .map(({ uid, values }) => [uid, values.Person]),
    );
    const isOwn = (story: Story) =>
      story.votes.every((vote) => {
        const { Person, VotedBy, VotedAt, Approved } = vote.values;
        const line = story.lines.find(
          (one) => attribute(one) === `ApproverVotes(${vote.uid})/Approved`,
        );
        if (Approved === null) return VotedBy === null && VotedAt === null && line === undefined;
        return (
          VotedBy === Person &&
          persons.get(Number(line?.values.CreatedBy)) === Person &&
          line?.values.CreatedAt === VotedAt &&
          at(vote, 'VotedAt') > at(vote, 'Registration/DateCreated')
        );
      });
    expect(broken(APPROVED, isOwn)).toEqual([]);
  });
});

describe('E-mails', () => {
  const requestOf = ({ record }: Story) => keyed.get(Number(record.values.ServiceRequest));
  const withStatus = (status: number) =>
    found(MAIL).filter(({ record }) => record.values.Status === status);

  test('become requests with their subject, text and sender', () => {
    const converted = withStatus(212002);
    expect(converted.length).toBeGreaterThan(20);
    for (const story of converted) {
      const request = requestOf(story);
      const { Subject, Body, Sender } = story.record.values;
      expect(request?.values).toMatchObject({
        Description: Subject,
        Information: Body,
        Medium: 120002,
      });
      if (Sender !== null) expect(request?.values.Caller).toBe(Sender);
      expect(at(story.record, 'ReceivedAt')).toBeLessThan(at(request, 'Registration/DateCreated'));
      expect(story.lines.map(({ values }) => values.NewValue)).toEqual([
        'Converted',
        String(request?.uid),
      ]);
    }
  });

  test('that reply are lines in the history of the request', () => {
    const linked = withStatus(212003);
    expect(linked.length).toBeGreaterThan(20);
    const replies = found('ServiceRequests').flatMap(({ record, lines }) =>
      lines.filter(({ values }) => values.Kind === 202004).map((line) => ({ record, line })),
    );
    expect(replies).toHaveLength(linked.length);
    for (const story of linked) {
      const { Subject, Body, ReceivedAt, DistrustReason, InReplyTo } = story.record.values;
      const reply = replies.find(
        ({ record, line }) =>
          record.uid === story.record.values.ServiceRequest && line.values.CreatedAt === ReceivedAt,
      );
      const Information = DistrustReason === null ? Body : `${DistrustReason}\n\n${Body}`;
      expect(reply?.line.values).toMatchObject({ Subject, Information });
      const first = withStatus(212002).find(({ record }) => record.values.MessageId === InReplyTo);
      expect(first?.record.values.ServiceRequest).toBe(story.record.values.ServiceRequest);
    }
  });

  test('without a request are new, have an error, or were rejected with a reason', () => {
    expect(
      withStatus(212004).map(({ lines }) => lines.map(({ values }) => values.Subject)),
    ).toEqual(withStatus(212004).map(() => ['Status: New → Rejected', 'Rejected']));
    for (const story of [...withStatus(212001), ...withStatus(212005)]) {
      expect(story.lines).toEqual([]);
      expect(story.record.values.ServiceRequest).toBeNull();
    }
    expect(withStatus(212001).length * withStatus(212005).length).toBeGreaterThan(0);
  });
});

test('In a large installation, older work orders were imported without their history', () => {
  const linesPerOrder = (requests: number) => {
    const sizes = demoSizes({ ...demoSource, requests });
    return sizes['Workorders/HistoryLines'] / sizes.Workorders;
  };
  expect(linesPerOrder(9999)).toBeGreaterThan(5);
  expect(linesPerOrder(10_000)).toBeLessThan(2.5);
});
