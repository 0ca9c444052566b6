// This file checks on random orders that pages give every row once, in the order asked for, also while rows come and go.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Connection } from '../../src/store/sqlite/driver.ts';
import { sampleSize } from '../sample-size.ts';
import { byPages, get, layout, NO_METADATA, openZoo } from './zoo.ts';

type Value = string | number | null;
type Item = readonly [string, 'asc' | 'desc'];

const ROWS = 40;
const FIRST = 1000;

/** Columns with few values, many of them null, and the paths that order by them. */
const COLUMNS = {
  Name: ['a', 'b', 'B', 'ü'],
  Born: [null, '2020-01-01', '2020-01-02', '2021-07-01'],
  Number: [null],
  Mood: [null, 1001, 1002],
  Weight: [null, 100, 200, 300, 1000],
  Tame: [0, 1],
  Modified: [null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  Enclosure: [null, 201, 202, 203],
  'Care/Vet': [null, 101, 102, 103, 104],
} satisfies Record<string, readonly Value[]>;
/** Properties of related rows, which an index serves, by identity. */
const TARGETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Enclosure/Wing': { 201: 'North', 202: 'South', 203: 'North' },
  'Care/Vet/Name': { 101: 'Ada Lovelace', 102: 'Bob', 103: 'Cy', 104: 'Bob' },
};
const COLUMN_OF: Readonly<Record<string, keyof typeof COLUMNS>> = {
  'Enclosure/Wing': 'Enclosure',
  'Care/Vet/Name': 'Care/Vet',
  Name: 'Name',
  Born: 'Born',
  'Mood/Value': 'Mood',
  Weight: 'Weight',
  Tame: 'Tame',
  Modified: 'Modified',
};

const row = fc.record(
  Object.fromEntries(
    Object.entries(COLUMNS).map(([name, values]) => [name, fc.constantFrom<Value>(...values)]),
  ),
);
const rows = fc.array(row, { minLength: ROWS, maxLength: ROWS });
const direction = fc.constantFrom<'asc' | 'desc'>('asc', 'desc');
const oneItem = fc.tuple(fc.constantFrom(...Object.keys(TARGETS)), direction).map((item) => [item]);
const manyItems = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...Object.keys(COLUMN_OF), 'Id'), direction),
  {
    selector: ([path]) => path,
    maxLength: 3,
  },
);
const order: fc.Arbitrary<readonly Item[]> = fc.oneof({ arbitrary: manyItems, weight: 2 }, oneItem);
const filter = fc.constantFrom('', 'Mood/Value eq 1001', 'Tame', 'Mood/Value ne 1002');
const size = fc.integer({ min: 1, max: 7 });

function open(): Connection {
  const database = openZoo();
  database.exec('DELETE FROM "Animals.Keepers"; DELETE FROM "Creature/Notes"');
  database.exec(`INSERT INTO "Enclosures" ("$id", "Wing", "Number") VALUES (203, 'North', 2)`);
  database.exec(`INSERT INTO "Keepers" ("Id", "Name") VALUES (104, 'Bob')`);
  database.exec('PRAGMA foreign_keys = OFF; DELETE FROM "Animals"');
  return database;
}

const database = open();

function fill(records: readonly Readonly<Record<string, Value>>[]): void {
  database.exec('DELETE FROM "Animals"');
  for (const [index, record] of records.entries()) insert(FIRST + index, record);
}

function insert(id: number, record: Readonly<Record<string, Value>>): void {
  const names = Object.keys(COLUMNS);
  const columns = ['Id', '$type', 'Size', 'Created', ...names].map((name) => `"${name}"`);
  database
    .prepare(`INSERT INTO "Animals" (${columns}) VALUES (${columns.map(() => '?')})`)
    .all([
      BigInt(id),
      'Odd.Zoo.Animal',
      1n,
      null,
      ...names.map((name) => cell(record[name] ?? null)),
    ]);
}

const cell = (value: Value) => (typeof value === 'number' ? BigInt(value) : value);

function urlOf(items: readonly Item[], condition: string): string {
  const orderby = items.map(([path, towards]) => `${path} ${towards}`).join();
  const options = [
    '$select=Id',
    ...(orderby === '' ? [] : [`$orderby=${orderby}`]),
    ...(condition === '' ? [] : [`$filter=${condition}`]),
  ];
  return `Animals?${options.join('&')}`;
}

/** The order of the contract: null first, texts by code point, ties by the key in the direction of the last item. */
function sorted(records: readonly Readonly<Record<string, Value>>[], items: readonly Item[]) {
  const whole: readonly Item[] = items.some(([path]) => path === 'Id')
    ? items
    : [...items, ['Id', items.at(-1)?.[1] ?? 'asc']];
  const numbered = records.map((record, index) => ({ record, id: FIRST + index }));
  const valueAt = ({ record, id }: (typeof numbered)[number], path: string): Value =>
    path === 'Id' ? id : targetValue(path, record[COLUMN_OF[path] ?? ''] ?? null);
  return numbered
    .toSorted((left, right) => {
      for (const [path, towards] of whole) {
        const difference = compare(valueAt(left, path), valueAt(right, path));
        if (difference !== 0) return towards === 'asc' ? difference : -difference;
      }
      return 0;
    })
    .map(({ id }) => id);
}

function targetValue(path: string, value: Value): Value {
  const targets = TARGETS[path];
  return targets === undefined ? value : (targets[String(value)] ?? null);
}

function compare(left: Value, right: Value): number {
  if (left === right) return 0;
  if (left === null) return -1;
  return right === null || left > right ? 1 : -1;
}

test('all rows come in the order asked for, and equal ones by key in its last direction', () => {
  fc.assert(
    fc.property(rows, order, size, (records, items, pageSize) => {
      fill(records);
      expect(byPages(database, urlOf(items, ''), { size: pageSize })).toEqual(
        sorted(records, items),
      );
    }),
    { numRuns: sampleSize(50, 150) },
  );
});

test('pages of a filter are those of the whole', () => {
  fc.assert(
    fc.property(rows, order, filter, size, (records, items, condition, pageSize) => {
      fill(records);
      const url = urlOf(items, condition);
      const whole = get(database, `${url}&$top=250`, NO_METADATA).records.map(
        (one) => (one as { Id: number }).Id,
      );
      expect(byPages(database, url, { size: pageSize })).toEqual(whole);
    }),
    { numRuns: sampleSize(50, 150) },
  );
});

test('rows that stay come once, whatever comes and goes between two pages', () => {
  const change = fc.record({ gone: fc.integer({ min: 0, max: ROWS - 1 }), record: row });
  const changes = fc.array(change, { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(rows, order, filter, size, changes, (records, items, condition, pageSize, all) => {
      fill(records);
      const gone = new Set<number>();
      const pending = [...all];
      const between = () => {
        const change = pending.pop();
        if (change === undefined) return;
        gone.add(FIRST + change.gone);
        database.exec(`DELETE FROM "Animals" WHERE "Id" = ${FIRST + change.gone}`);
        insert(FIRST + ROWS + pending.length, change.record);
      };
      const url = urlOf(items, condition);
      const before = get(database, `${url}&$top=250`, NO_METADATA).records.map(
        (one) => (one as { Id: number }).Id,
      );
      const found = byPages(database, url, { size: pageSize, between });
      expect(new Set(found).size).toBe(found.length);
      expect(found.filter((id) => Number(id) < FIRST + ROWS && !gone.has(Number(id)))).toEqual(
        before.filter((id) => !gone.has(id)),
      );
    }),
    { numRuns: sampleSize(50, 150) },
  );
});

test('the tables have the columns of this file', () => {
  const { columns } = layout.bySource.get('Animals') ?? {};
  for (const name of Object.keys(COLUMNS)) expect(columns?.has(name)).toBe(true);
});
