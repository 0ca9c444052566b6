// This file compiles and runs the statements that find changes.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Span } from '../../src/plan/read-plan.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE, toSqlite } from '../../src/sql/dialect/sqlite.ts';
import { engineTableDdl } from '../../src/sql/schema/ddl.ts';
import type { DeltaScript } from '../../src/sql/script.ts';
import { CHANGE_TABLE, type ChangeKind } from '../../src/sql/write/change-log.ts';
import { outcomeOf } from '../../src/store/run-read-script.ts';
import type { Connection } from '../../src/store/sqlite/driver.ts';
import { CONTEXT, layout, openZoo, planOf, run, scriptOf } from './zoo.ts';

const TRACK = { prefer: 'track-changes' };
let zoo: Connection;

beforeEach(() => {
  zoo = openZoo();
  for (const statement of engineTableDdl(CHANGE_TABLE, SQLITE)) zoo.exec(statement);
});

interface Note {
  readonly navigation?: string;
  readonly other?: number;
  readonly address?: string;
}

function note(deed: ChangeKind, source: string, identity: number, more: Note = {}): void {
  zoo
    .prepare(
      `INSERT INTO "docket_change" ("at", "deed", "source", "identity", "navigation", "other", "address")
       VALUES ('2026-03-01T10:00:00.000Z', ?, ?, ?, ?, ?, ?)`,
    )
    .run([
      deed,
      source,
      identity,
      more.navigation ?? null,
      more.other ?? null,
      more.address ?? null,
    ]);
}

/** The script of a query's delta link. */
function deltaScript(url: string, span: Partial<Span> = {}, headers = {}): DeltaScript {
  const tracked = planOf(url, TRACK);
  if (tracked.kind !== 'read' || tracked.tracking === undefined) throw new Error('not tracked');
  const mark = url.includes('?') ? '&' : '?';
  const link = `${url}${mark}$deltatoken=1.${tracked.tracking.signature}.0`;
  const plan = planOf(link, headers);
  if (plan.kind !== 'delta') throw new Error('no delta');
  const script = compile({ ...plan, span: { since: 0n, ...span } }, layout, SQLITE);
  if (script.kind !== 'delta') throw new Error('no script of changes');
  return script;
}

/** What the statement gives, a line for each row: `4 {"Id":4}`, `9 deleted Animals(9)`. */
function changes(url: string, span: Partial<Span> = {}, headers = {}): readonly string[] {
  const rows = run(zoo, deltaScript(url, span, headers).statement);
  return rows.flatMap(([, , , id, json, address, deleted]) => {
    if (id === null) return [];
    if (json !== null) return [`${id} ${String(json).replace(/"@odata[^,]*,/g, '')}`];
    return [`${id} ${deleted === 1n ? 'deleted' : 'changed'} ${address}`];
  });
}

function changedIds(url: string): readonly number[] {
  return changes(url).map((line) => Number.parseInt(line, 10));
}

describe('A tracked page', () => {
  it('tells the number of the newest change with its rows', () => {
    note('update', 'Animals', 1);
    note('update', 'Keepers', 101);
    const script = scriptOf('Animals?$top=2&$count=true', TRACK);
    const { rows, count, lastChange } = outcomeOf(script, run(zoo, script.statement), CONTEXT);
    expect([rows.length, count, lastChange]).toEqual([2, 4n, 2n]);
    expect(rows.map(({ keys }) => keys)).toEqual([[1n], [2n]]);
  });

  it('tells it without rows, and 0 where nothing ever changed', () => {
    const script = scriptOf("Animals?$filter=Name eq 'nobody'", TRACK);
    const { rows, lastChange } = outcomeOf(script, run(zoo, script.statement), CONTEXT);
    expect([rows, lastChange]).toEqual([[], 0n]);
  });
});

describe('Changes of a source', () => {
  it('are told once for each record, in the order of identities', () => {
    for (const id of [4, 1, 4, 4]) note('update', 'Animals', id);
    note('update', 'Keepers', 101);
    expect(changes('Animals?$select=Id')).toEqual(['1 {"Id":1}', '4 {"Id":4}']);
  });

  it('are told after one change, up to another, behind a row', () => {
    for (const id of [1, 2, 3, 4]) note('update', 'Animals', id);
    expect(changes('Animals?$select=Id', { since: 2n })).toEqual(['3 {"Id":3}', '4 {"Id":4}']);
    expect(changes('Animals?$select=Id', { since: 1n, until: 3n })).toEqual([
      '2 {"Id":2}',
      '3 {"Id":3}',
    ]);
    expect(changes('Animals?$select=Id', { until: 4n, after: 3n })).toEqual(['4 {"Id":4}']);
  });

  it('come with the numbers of the newest and the oldest change, even where there are none', () => {
    expect(run(zoo, deltaScript('Animals').statement)).toEqual([[0n, 1n, ...Array(8).fill(null)]]);
    for (const id of [1, 2, 3]) note('update', 'Keepers', id);
    zoo.exec('DELETE FROM "docket_change" WHERE "seq" = 1');
    expect(run(zoo, deltaScript('Animals').statement)[0]?.slice(0, 3)).toEqual([3n, 2n, null]);
  });

  it('are counted as a whole, whatever the page', () => {
    for (const id of [1, 2, 3, 4]) note('update', 'Animals', id);
    const { statement } = deltaScript('Animals?$select=Id', {}, { prefer: 'maxpagesize=2' });
    expect(run(zoo, statement)).toHaveLength(3);
    const tracked = planOf('Animals', TRACK);
    const signature = tracked.kind === 'read' ? tracked.tracking?.signature : '';
    for (const link of [
      `Animals/$count?$deltatoken=1.${signature}.1`,
      `Animals?$count=true&$deltatoken=1.${signature}.1`,
    ]) {
      const script = compile(planOf(link), layout, SQLITE);
      if (script.kind !== 'delta') throw new Error('no changes');
      expect(run(zoo, script.statement)[0]?.[2]).toBe(3n);
    }
  });

  it('of records that do not belong to the query now are told as removed', () => {
    note('update', 'Animals', 1);
    note('update', 'Animals', 4);
    expect(changes("Animals?$select=Id&$filter=Name eq 'Leo'")).toEqual([
      '1 {"Id":1}',
      '4 changed Animals(4)',
    ]);
  });

  it('of records that are gone are told with the address that they had', () => {
    note('unlink', 'Animals', 9, { navigation: 'Species', other: 401 });
    note('delete', 'Animals', 9, { address: 'Animals(9)' });
    note('delete', 'Enclosures', 299, { address: "Enclosures(Wing='East',Number=7)" });
    expect(changes('Animals?$select=Id')).toEqual(['9 deleted Animals(9)']);
    expect(changes('Enclosures')).toEqual(["299 deleted Enclosures(Wing='East',Number=7)"]);
  });

  it('tell addresses with all parts of the key, encoded', () => {
    note('update', 'Enclosures', 201);
    note('update', 'AllSpecies', 403);
    expect(changes('Enclosures?$filter=Number eq 99')).toEqual([
      "201 changed Enclosures(Wing='North',Number=1)",
    ]);
    expect(changes("AllSpecies?$filter=Title eq 'none'")).toEqual([
      "403 changed AllSpecies('O''Brien''s%20%2F%20gull')",
    ]);
  });

  it('say nothing of records that came and went, or came and never belonged to the query', () => {
    note('create', 'Animals', 9);
    note('delete', 'Animals', 9, { address: 'Animals(9)' });
    note('create', 'Animals', 4);
    expect(changes("Animals?$filter=Name eq 'Leo'")).toEqual([]);
    expect(changes("Animals?$filter=Name eq 'Leo'", { since: 1n })).toEqual([
      '9 deleted Animals(9)',
    ]);
    expect(changes('Animals?$select=Id')).toEqual(['4 {"Id":4}']);
  });

  it('reach the records of a derived type', () => {
    note('update', 'Animals', 1);
    note('update', 'Animals', 2);
    expect(changes('Animals/Odd.Zoo.Bird?$select=Id')).toEqual([
      '1 changed Animals(1)',
      '2 {"Id":2}',
    ]);
  });
});

describe('Changes of what records show', () => {
  it.each([
    ['a reference', 'Animals?$expand=Species', 'AllSpecies', 402, [2, 3]],
    ['a reference in a complex value', 'Animals?$expand=Care/Vet', 'Keepers', 101, [1]],
    ['references to this record', 'Keepers?$expand=Staff', 'Keepers', 102, [101, 102]],
    ['a single reference to this record', 'Animals?$expand=Passport', 'Passports', 601, [2]],
    ['pairs', 'Animals?$expand=Keepers', 'Keepers', 102, [1, 2]],
    ['pairs, from their other end', 'Keepers?$expand=Animals', 'Animals', 2, [102]],
    ['contained records', 'Animals?$expand=Notes', 'Odd.Zoo.Creature/Notes', 503, [2]],
    [
      'contained records of a derived type',
      'Animals?$expand=Odd.Zoo.Bird/Eggs',
      'Odd.Zoo.Bird/Eggs',
      551,
      [2],
    ],
    ['two steps away', 'Animals?$expand=Keepers($expand=Boss)', 'Keepers', 101, [1, 2]],
    [
      'in a path of $filter',
      "Animals?$filter=Species/Title eq 'Parrots'",
      'AllSpecies',
      402,
      [2, 3],
    ],
    [
      'in a lambda',
      "Animals?$filter=Notes/any(n:n/Text ne 'x')",
      'Odd.Zoo.Creature/Notes',
      501,
      [1],
    ],
    ['in a number', 'Enclosures?$filter=Animals/$count gt 0', 'Animals', 1, [201]],
  ])('count as changes of the record: %s', (_, url, source, identity, ids) => {
    note('update', source, identity);
    expect(changedIds(url)).toEqual(ids);
  });

  it.each([
    ['a reference', 'Animals?$select=Id', 'AllSpecies', 402],
    ['contained records', 'Animals', 'Odd.Zoo.Creature/Notes', 503],
    ['pairs', 'Animals', 'Keepers', 102],
  ])('are none where the query does not look at it: %s', (_, url, source, identity) => {
    note('update', source, identity);
    expect(changedIds(url)).toEqual([]);
  });

  it.each([
    [
      'moved to another',
      'Enclosures?$expand=Animals',
      'Animals',
      1,
      { navigation: 'Enclosure', other: 202 },
      [201, 202],
    ],
    [
      'deleted, and referred to it',
      'Enclosures?$expand=Animals',
      'Animals',
      9,
      { navigation: 'Enclosure', other: 202 },
      [202],
    ],
    [
      'deleted, and was contained',
      'Animals?$expand=Notes',
      'Odd.Zoo.Creature/Notes',
      599,
      { navigation: '$parent', other: 4 },
      [4],
    ],
    [
      'deleted, and was paired',
      'Animals?$expand=Keepers',
      'Keepers',
      199,
      { navigation: 'Animals.Keepers', other: 3 },
      [3],
    ],
    [
      'unrelated by another navigation',
      'Enclosures?$expand=Animals',
      'Animals',
      9,
      { navigation: 'Mother', other: 202 },
      [],
    ],
  ])('include what is no longer related: %s', (_, url, source, identity, link, ids) => {
    note('unlink', source, identity, link);
    expect(changedIds(url)).toEqual(ids);
  });

  it('belong to the record even where it is not changed itself', () => {
    note('update', 'AllSpecies', 402);
    expect(changes('Animals?$select=Id&$filter=Id eq 2&$expand=Species($select=Title)')).toEqual([
      '2 {"Id":2,"Species":{"Title":"Parrots"}}',
      '3 changed Animals(3)',
    ]);
  });
});

describe('The statement', () => {
  it.each([
    'Animals?$select=Id',
    'Animals?$expand=Notes,Keepers,Species',
    "Keepers?$filter=Name eq 'x'&$expand=Staff",
  ])('finds changes by their numbers, and records by what leads to them: %s', (url) => {
    const { statement } = deltaScript(url, { since: 5n });
    const bound = statement.parameters.map((one) =>
      toSqlite(one.kind === 'value' ? one.value : ''),
    );
    const plan = zoo.prepare(`EXPLAIN QUERY PLAN ${statement.text}`).all(bound);
    // `a`, `c`, `d`, `e`, `f` and `l` are the changed rows themselves.
    const harmless = /^SCAN (?:CONSTANT ROW|a|d|e|f|l|q|s|c LEFT-JOIN|\(subquery-\d+\))$/;
    const lines = plan.map(([_id, _parent, _unused, detail]) => String(detail));
    expect(lines.filter((line) => line.startsWith('SCAN') && !harmless.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('SEARCH')).length).toBeGreaterThan(5);
  });
});
