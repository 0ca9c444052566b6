// This file replays the demo data in the order of time and applies the rules between records of the workflows: work on a record is done before it
// ends, work orders wait for their predecessors, major incidents have a problem, problems wait for their changes, and changes for a free window.
import { describe, expect, test } from 'vitest';
import { demoLinks, demoRecords } from '../../src/seed/demo.ts';
import type { SeedLink, SeedRecord } from '../../src/seed/demo-plan.ts';
import { demoSource, suiteModel } from '../service-desk.ts';

const now = Date.UTC(2026, 3, 15, 12);
const codes = [...suiteModel().codeLists.values()].flatMap((list) => list.codes);
const textOf = (code: number) => codes.find(({ value }) => Number(value) === code)?.texts.en ?? '';

const PARENTS = ['ServiceRequest', 'Incident', 'Problem', 'Change', 'Project'] as const;
type Parent = (typeof PARENTS)[number];

/** The statuses that need all work orders to be done, or after which none may be open. */
const ENDS: Readonly<Record<Parent, readonly number[]>> = {
  ServiceRequest: [101008, 101009, 101007, 101010],
  Incident: [102006, 102007],
  Problem: [103006, 103007, 103008],
  Change: [104008, 104010],
  Project: [106005, 106006, 106007],
};
const [COMPLETED, STARTED] = [105006, 105004];

/** The statuses of a parent that the service leaves when the last work order is completed. Standard changes have no review. */
const WAITS: readonly number[] = [101005, 104006];
const STANDARD = 141001;

const isTime = (time: number | undefined): time is number => time !== undefined;
const instant = ({ values }: SeedRecord, path: string) =>
  values[path] === null ? undefined : Date.parse(String(values[path]));
const created = (record: SeedRecord) => instant(record, 'Registration/DateCreated') ?? 0;

/** The demo data, with what they mean at a time. */
function replayed(seed: number, requests: number) {
  const options = { ...demoSource, requests, seed, now };
  const records = [...demoRecords(options)];
  const links = [...demoLinks(options)];
  const keyed = new Map(records.map((record) => [record.uid, record]));
  const changes = new Map<number, { readonly at: number; readonly status: string }[]>();
  for (const { parent, values } of records) {
    if (parent === undefined || values.Attribute !== 'Status') continue;
    const known = changes.get(parent) ?? [];
    changes.set(parent, [
      ...known,
      { at: Date.parse(`${values.CreatedAt}`), status: `${values.NewValue}` },
    ]);
  }
  const inSet = (set: string) => records.filter((record) => record.set === set);
  /** When a record got one of the statuses for the first time. */
  const reached = ({ uid }: SeedRecord, statuses: readonly number[]) => {
    const texts = statuses.map(textOf);
    return changes.get(uid)?.find(({ status }) => texts.includes(status))?.at;
  };
  const statusAt = ({ uid }: SeedRecord, time: number) =>
    changes.get(uid)?.findLast(({ at }) => at <= time)?.status;
  const target = ({ target: key }: SeedLink) => keyed.get(key) as SeedRecord;
  const source = ({ source: key }: SeedLink) => keyed.get(key) as SeedRecord;
  const linksOf = (set: string, navigation: string) =>
    links.filter((link) => link.set === set && link.navigation === navigation);
  return { inSet, keyed, reached, statusAt, linksOf, target, source };
}

type Replay = ReturnType<typeof replayed>;

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key) {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** The work orders with their parents. */
function ordersIn({ inSet, keyed }: Replay) {
  return inSet('Workorders').flatMap((order) => {
    const kind = PARENTS.find((name) => order.values[name] !== null);
    const parent = kind && keyed.get(Number(order.values[kind]));
    return kind === undefined || parent === undefined ? [] : [{ order, kind, parent }];
  });
}

/** Projects were imported with their status and their times. */
function endOf({ reached }: Replay, kind: Parent, parent: SeedRecord): number | undefined {
  if (kind !== 'Project') return reached(parent, ENDS[kind]);
  const { Status: status } = parent.values;
  return ENDS.Project.includes(Number(status)) ? instant(parent, 'ActualFinish') : undefined;
}

describe.each([
  [11, 6000],
  [5, 300],
  [1, 40],
])('The demo data of seed %i with %i requests', (seed, requests) => {
  const replay = replayed(seed, requests);
  const { inSet, keyed, reached, statusAt, linksOf, target, source } = replay;
  const orders = ordersIn(replay);
  const isLarge = requests > 1000;
  const doneAt = (order: SeedRecord) => reached(order, [COMPLETED]);

  test('complete all work orders of a record before its work ends', () => {
    const broken = orders.filter(({ order, kind, parent }) => {
      const end = endOf(replay, kind, parent);
      return end !== undefined && !((doneAt(order) ?? Infinity) <= end);
    });
    expect(broken.map(({ order, parent }) => `${order.uid} of ${parent.set}`)).toEqual([]);
    const ended = orders.filter(({ kind, parent }) => isTime(endOf(replay, kind, parent)));
    expect(ended.length).toBeGreaterThan(orders.length / 2);
    if (isLarge) expect(new Set(ended.map(({ kind }) => kind)).size).toBe(PARENTS.length);
  });

  test('have work orders that are open, and most orders have a parent', () => {
    const open = orders.filter(({ order }) => doneAt(order) === undefined);
    if (isLarge) expect(open.length).toBeGreaterThan(20);
    expect(orders.length).toBeGreaterThan(inSet('Workorders').length * 0.8);
  });

  test('add work orders to records that exist', () => {
    const broken = orders.filter(({ order, parent }) => created(order) < created(parent));
    expect(broken.map(({ order, parent }) => `${order.uid} of ${parent.set}`)).toEqual([]);
  });

  test('leave no parent waiting after its last work order', () => {
    const ordersOf = groupBy(orders, ({ parent }) => parent);
    const broken = orders.filter(({ order, parent }) => {
      const at = doneAt(order);
      const waits = WAITS.map(textOf).includes(`${at && statusAt(parent, at)}`);
      if (at === undefined || !waits || parent.values.ChangeType === STANDARD) return false;
      return (ordersOf.get(parent) ?? [])
        .filter((other) => created(other.order) <= at)
        .every((other) => (doneAt(other.order) ?? Infinity) <= at);
    });
    expect(broken.map(({ order, parent }) => `${order.uid} of ${parent.set}`)).toEqual([]);
  });

  test('start work orders after their predecessors are completed', () => {
    const links = linksOf('Workorders', 'Predecessors');
    const begun = links.filter((link) => isTime(reached(source(link), [STARTED])));
    const broken = begun.filter((link) => {
      const start = reached(source(link), [STARTED]) ?? 0;
      return !((doneAt(target(link)) ?? Infinity) <= start);
    });
    expect(broken.map((link) => link.source)).toEqual([]);
    expect(begun.length).toBeGreaterThan(0);
  });

  test('close major incidents only with a problem', () => {
    const closed = inSet('Incidents').filter(
      (incident) => incident.values.MajorIncident === true && isTime(reached(incident, [102006])),
    );
    const broken = closed.filter((incident) => {
      const problem = keyed.get(Number(incident.values.Problem));
      return problem === undefined || created(problem) > (reached(incident, [102006]) ?? 0);
    });
    expect(broken.map(({ uid }) => uid)).toEqual([]);
    if (isLarge) expect(closed.length).toBeGreaterThan(3);
  });

  test('resolve problems after their changes are final', () => {
    const links = linksOf('Problems', 'Changes').filter((link) =>
      isTime(reached(source(link), [103006])),
    );
    const broken = links.filter((link) => {
      const final = reached(target(link), [104008, 104010]) ?? Infinity;
      return !(final <= (reached(source(link), [103006]) ?? 0));
    });
    expect(broken.map((link) => link.source)).toEqual([]);
    if (isLarge) expect(links.length).toBeGreaterThan(3);
  });

  test('schedule changes in free windows', () => {
    const planned = inSet('Changes').filter((change) => isTime(reached(change, [104005])));
    const [SCHEDULED, ONGOING] = [104005, 104006].map(textOf);
    const windowOf = (change: SeedRecord) =>
      ['Start', 'End'].map((end) => instant(change, `ScheduledWindow/${end}`) ?? 0);
    const byItem = groupBy(
      inSet('Changes').filter(({ values }) => values.ConfigurationItem !== null),
      ({ values }) => values.ConfigurationItem,
    );
    const conflicts = planned.filter((change) => {
      const at = reached(change, [104005]) ?? 0;
      const [start = 0, end = 0] = windowOf(change);
      return (byItem.get(change.values.ConfigurationItem) ?? []).some((other) => {
        const [from = 0, until = 0] = windowOf(other);
        const isActive = [SCHEDULED, ONGOING].includes(statusAt(other, at));
        return other !== change && isActive && from < end && until > start;
      });
    });
    expect(conflicts.map(({ uid }) => uid)).toEqual([]);
    if (isLarge) expect(planned.length).toBeGreaterThan(20);
  });
});
