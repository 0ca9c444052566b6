// This file changes random models with random records: elements are kept, renamed, removed and added. Every value of an element that is
// kept survives, and the tables are those of a new installation of the second model.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasMistakes, lintModel } from '../../src/edm/lint/lint.ts';
import { type Member, type ModelDefinition, makeModel } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { loadLinks, loadRecords } from '../../src/store/load/bulk-load.ts';
import { migrateDatabase, planMigration } from '../../src/store/model/migrate.ts';
import { createTables, finishTables } from '../../src/store/model-tables.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { sqliteInstallation } from '../../src/store/sqlite/installation.ts';
import {
  boolean,
  complex,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int32,
  int64,
  many,
  one,
  text,
} from '../define-model.ts';

/** What becomes of an element of the first model; `new` elements are in the second one only. */
type Fate = 'kept' | 'renamed' | 'removed' | 'new';
type Kind = 'text' | 'searched' | 'unique' | 'number' | 'flag' | 'complex' | 'one' | 'many';

interface RandomMember {
  readonly kind: Kind;
  readonly fate: Fate;
}

interface RandomType {
  readonly fate: Fate;
  readonly set: Fate;
  readonly members: readonly RandomMember[];
}

const TYPES = 2;
const ROWS = 3;

const member: fc.Arbitrary<RandomMember> = fc.record({
  kind: fc.constantFrom<Kind>(
    'text',
    'searched',
    'unique',
    'number',
    'flag',
    'complex',
    'one',
    'many',
  ),
  fate: fc.constantFrom<Fate>('kept', 'renamed', 'removed', 'new'),
});
const types: fc.Arbitrary<readonly RandomType[]> = fc.array(
  fc.record({
    fate: fc.constantFrom<Fate>('kept', 'renamed'),
    set: fc.constantFrom<Fate>('kept', 'renamed'),
    members: fc.array(member, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: TYPES, maxLength: TYPES },
);

/** The name of an element in the first (0) or second (1) model, and the annotation in the second. */
function named(name: string, fate: Fate, model: 0 | 1) {
  const isNew = model === 1 && fate === 'renamed';
  return { name: isNew ? `${name}Next` : name, ...(isNew ? { renamedFrom: name } : {}) };
}

const isIn = (fate: Fate, model: 0 | 1) =>
  fate === 'kept' || fate === 'renamed' || (fate === 'new') === (model === 1);

function modelOf(random: readonly RandomType[], model: 0 | 1): ModelDefinition {
  const typeName = (at: number) => named(`Type${at}`, random[at]?.fate ?? 'kept', model).name;
  return defineModel({
    namespaces: [{ name: 'Random' }],
    languages: ['en'],
    types: [
      complexType('Pair', [int32('Left'), text('Right')]),
      ...random.map((type, at) => {
        const { name, ...options } = named(`Type${at}`, type.fate, model);
        const members = type.members.flatMap((one, index) =>
          isIn(one.fate, model) ? [memberOf(one, index, typeName((at + 1) % TYPES), model)] : [],
        );
        const key = int64('Uid', { nullable: false, generated: { by: 'key' } });
        return entityType(name, [key, ...members], { key: ['Uid'], ...options });
      }),
    ],
    sets: random.map((type, at) => {
      const { name, ...options } = named(`Set${at}`, type.set, model);
      return entitySet(name, typeName(at), options);
    }),
  });
}

function memberOf({ kind, fate }: RandomMember, at: number, target: string, model: 0 | 1): Member {
  const { name, ...options } = named(`Member${at}`, fate, model);
  switch (kind) {
    case 'text':
      return text(name, options);
    case 'searched':
      return text(name, { ...options, searchable: true });
    case 'unique':
      return text(name, { ...options, unique: true });
    case 'number':
      return int32(name, options);
    case 'flag':
      return boolean(name, options);
    case 'complex':
      return complex(name, 'Pair', options);
    case 'one':
      return one(name, target, options);
    case 'many':
      return many(name, target, options);
  }
}

const uidOf = (type: number, row: number) => type * ROWS + row + 1;

/** The value of a member in a row, as it is loaded. */
function valueIn(kind: Kind, type: number, row: number, at: number): unknown {
  const other = uidOf((type + 1) % TYPES, (row + at) % ROWS);
  if (kind === 'number') return row * 7 + at;
  if (kind === 'flag') return row % 2 === 0;
  if (kind === 'complex') return { Left: row, Right: `right ${row} ${at}` };
  return kind === 'one' ? other : `value ${type} ${row} ${at}`;
}

/** The columns of a value. */
function columnsOf(name: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).map(([inner, part]) => [`${name}/${inner}`, part]);
}

async function install(file: string, random: readonly RandomType[], model: 0 | 1): Promise<void> {
  const database = openSqlite({ file, isLoading: true });
  const layout = makeLayout(makeModel(modelOf(random, model)));
  await createTables(database, layout, SQLITE, []);
  const rows = random.flatMap(({ members, set }, type) =>
    Array.from({ length: ROWS }, (_, row) => ({
      set: named(`Set${type}`, set, model).name,
      uid: uidOf(type, row),
      values: Object.fromEntries(
        members.flatMap(({ kind, fate }, at) =>
          kind === 'many' || !isIn(fate, model)
            ? []
            : columnsOf(named(`Member${at}`, fate, model).name, valueIn(kind, type, row, at)),
        ),
      ),
    })),
  );
  if (model === 0) {
    await loadRecords(database, layout, rows as never, () => undefined);
    await loadLinks(database, layout, linksOf(random), () => undefined);
  }
  await finishTables(database, layout, SQLITE);
  await database.close();
}

function linksOf(random: readonly RandomType[]) {
  return random.flatMap(({ members }, type) =>
    members.flatMap(({ kind, fate }, at) =>
      kind !== 'many' || !isIn(fate, 0)
        ? []
        : [
            {
              set: `Set${type}`,
              navigation: `Member${at}`,
              source: uidOf(type, 0),
              target: uidOf((type + 1) % TYPES, at % ROWS),
            },
          ],
    ),
  );
}

/** The columns, indexes and references of each table, in the order of their names. */
function schemaOf({ read }: SqliteDatabase): readonly string[] {
  const tables = read(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    [],
  );
  return tables.flatMap(([table]) => {
    const rows = (pragma: string, columns: string) =>
      read(`SELECT ${columns} FROM ${pragma}('${table}')`, [])
        .map((row) => `${table} ${pragma} ${row.join(' ')}`)
        .sort();
    return [
      ...rows('pragma_table_info', 'name, type, "notnull", dflt_value, pk > 0'),
      ...rows('pragma_index_list', 'name, "unique"').filter((line) => !line.includes('autoindex')),
      ...rows('pragma_foreign_key_list', '"table", "from", on_delete'),
    ];
  });
}

function expectValues({ read }: SqliteDatabase, random: readonly RandomType[]): void {
  for (const [type, { members, set }] of random.entries()) {
    const table = named(`Set${type}`, set, 1).name;
    for (const [at, { kind, fate }] of members.entries()) {
      if (fate !== 'kept' && fate !== 'renamed') continue;
      const { name } = named(`Member${at}`, fate, 1);
      if (kind === 'many') {
        const links = read(`SELECT source, target FROM "${table}.${name}"`, []);
        expect(links.map((row) => row.map(Number))).toEqual([
          [uidOf(type, 0), uidOf((type + 1) % TYPES, at % ROWS)],
        ]);
        continue;
      }
      const column = kind === 'complex' ? `${name}/Right` : name;
      const found = read(`SELECT "${column}" FROM "${table}" ORDER BY "Uid"`, []);
      const stored = Array.from({ length: ROWS }, (_, row) => {
        const value = valueIn(kind, type, row, at);
        if (kind === 'complex') return (value as { Right: string }).Right;
        return typeof value === 'boolean' ? BigInt(value) : value;
      });
      const plain = (value: unknown) => (typeof value === 'number' ? BigInt(value) : value);
      expect(found.map(([value]) => value)).toEqual(stored.map(plain));
    }
  }
}

test('values of kept and renamed elements survive, and the tables are as new', async () => {
  await fc.assert(
    fc.asyncProperty(types, async (random) => {
      const next = modelOf(random, 1);
      for (const model of [modelOf(random, 0), next])
        expect(lintModel(model).filter((mistake) => hasMistakes([mistake]))).toEqual([]);
      const directory = mkdtempSync(join(tmpdir(), 'docket-random-'));
      const [file, fresh] = [join(directory, 'docket.db'), join(directory, 'fresh.db')];
      try {
        await install(file, random, 0);
        await install(fresh, random, 1);
        const installation = sqliteInstallation(file);
        await migrateDatabase(installation, next, [], { mayLose: true });
        expect(await planMigration(installation, next, [])).toEqual([]);
        const [changed, other] = [openSqlite({ file }), openSqlite({ file: fresh })];
        expectValues(changed, random);
        expect(schemaOf(changed)).toEqual(schemaOf(other));
        await Promise.all([changed.close(), other.close()]);
      } finally {
        rmSync(directory, { recursive: true });
      }
    }),
    { numRuns: 30 },
  );
}, 120_000);
