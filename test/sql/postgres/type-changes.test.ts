// This file changes the types of columns with values, on SQLite and on PostgreSQL: each primitive type to each other one, enumerations and
// collections. Afterwards each value is a valid value of the new type or null, and the planned losses are those that happened.
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { primitive } from '../../../src/bind/expression/types.ts';
import { type Facets, makeModel, type NamedType, type Property } from '../../../src/edm/model.ts';
import { readDecimal } from '../../../src/edm/value/decimal.ts';
import { type JsonInput, parseExactJson, printJson } from '../../../src/edm/value/lossless-json.ts';
import { type PrimitiveName, parseJson, primitiveRow } from '../../../src/edm/value/primitives.ts';
import { shortestFraction } from '../../../src/edm/value/temporal.ts';
import type { Dialect } from '../../../src/sql/dialect/dialect.ts';
import { POSTGRES } from '../../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../../src/sql/dialect/sqlite.ts';
import { typeText } from '../../../src/sql/expression/convert-storage.ts';
import { jsonOf } from '../../../src/sql/expression/json-value.ts';
import { type Fragment, name, sql, text, toStatement } from '../../../src/sql/fragment.ts';
import { ddl } from '../../../src/sql/schema/ddl.ts';
import { type MigrationStep, planMigration } from '../../../src/sql/schema/migration.ts';
import { makeLayout } from '../../../src/sql/schema/model-layout.ts';
import { storageOf } from '../../../src/sql/schema/value-storage.ts';
import { openInMemory } from '../../../src/store/sqlite/connection.ts';
import { enumType } from '../../define.ts';
import {
  collectionOf,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int64,
  property,
} from '../../define-model.ts';
import { postgresUrl } from '../../postgres.ts';

interface Sample {
  readonly type: PrimitiveName;
  readonly facets?: Facets;
  /** Values as text. */
  readonly values: readonly string[];
}

const POINTS = ['2024-02-29T12:34:56.789012Z', '0001-01-01T00:00:00Z', '2024-01-01T10:00:00.500Z'];
const TIMES = ['12:34:56.789012', '00:00:00', '08:30:00.500'];

const SAMPLES: readonly Sample[] = [
  { type: 'Edm.Boolean', values: ['true', 'false'] },
  { type: 'Edm.Byte', values: ['0', '255'] },
  { type: 'Edm.SByte', values: ['-128', '127'] },
  { type: 'Edm.Int16', values: ['-32768', '300'] },
  { type: 'Edm.Int32', values: ['2147483647', '-5', '16777217'] },
  { type: 'Edm.Int64', values: ['5000000000', '-9223372036854775808', '9007199254740993', '7'] },
  {
    type: 'Edm.Decimal',
    facets: { scale: 'floating' },
    values: ['1.23456789', '-7', 'INF', 'NaN'],
  },
  { type: 'Edm.Decimal', facets: { precision: 9, scale: 2 }, values: ['1234567.89', '-2.50', '3'] },
  {
    type: 'Edm.Decimal',
    facets: { precision: 18, scale: 4 },
    values: ['0.1250', '-1.2345', '12345678901234.0001'],
  },
  {
    type: 'Edm.Decimal',
    facets: { precision: 30, scale: 6 },
    values: ['0.125001', '-1.2', '123456789012345678901234.5'],
  },
  {
    type: 'Edm.Decimal',
    facets: { precision: 22, scale: 2 },
    values: ['12345678901234567890.25', '3'],
  },
  { type: 'Edm.Double', values: ['1e300', '0.1', '-3', 'NaN', 'INF', '2.5', '9007199254740992'] },
  { type: 'Edm.Single', values: ['0.1', '1e30', '-INF', '16777216'] },
  {
    type: 'Edm.String',
    values: [
      'one',
      '12',
      '-1.5',
      'true',
      '0.1234567890123456789',
      '1e400',
      '2024-02-30',
      '2024-02-29',
      ...POINTS,
      ...TIMES,
      'PT1.5S',
      '6F9619FF-8B86-D011-B42D-00CF4FC964FF',
      'SRID=4326;Point(1 2)',
      'SRID=0;Point(1 2)',
      '',
    ],
  },
  { type: 'Edm.Guid', values: ['6f9619ff-8b86-d011-b42d-00cf4fc964ff'] },
  { type: 'Edm.Date', values: ['2024-02-29', '9999-12-31'] },
  { type: 'Edm.DateTimeOffset', facets: { precision: 0 }, values: POINTS },
  { type: 'Edm.DateTimeOffset', facets: { precision: 6 }, values: POINTS },
  { type: 'Edm.DateTimeOffset', facets: { anyPrecision: true }, values: POINTS },
  { type: 'Edm.TimeOfDay', facets: { precision: 0 }, values: TIMES },
  { type: 'Edm.TimeOfDay', facets: { anyPrecision: true }, values: TIMES },
  { type: 'Edm.Duration', values: ['PT1.5S', '-P1D'] },
  { type: 'Edm.Binary', values: ['AQID', '', '1234'] },
  { type: 'Edm.Geography', values: ['SRID=4326;Point(1 2)', 'SRID=4326;LineString(1 1,2 2)'] },
  { type: 'Edm.GeographyPoint', values: ['SRID=4326;Point(1 2)'] },
  { type: 'Edm.GeographyLineString', values: ['SRID=4326;LineString(1 1,2 2)'] },
  { type: 'Edm.GeometryPoint', values: ['SRID=0;Point(1 2)'] },
];

const rowCount = ({ values }: Sample) => values.length + 1;
const typeOf = ({ type, facets = {} }: Sample) => primitive(type, facets);
const describeType = ({ type, facets }: Sample) => `${type}${JSON.stringify(facets ?? {})}`;

const key = int64('Id', { nullable: false, generated: { by: 'key' } });

function layoutOf(elements: readonly (Property | NamedType)[], open = false) {
  const members = elements.filter((one) => one.kind === 'property');
  const types = elements.filter((one) => one.kind !== 'property');
  return makeLayout(
    makeModel(
      defineModel({
        namespaces: [{ name: 'Test' }],
        types: [entityType('Thing', [key, ...members], { key: ['Id'], open }), ...types],
        sets: [entitySet('Things', 'Thing')],
      }),
    ),
  );
}

/** One column for each type to change to. */
const before = (sample: Sample) =>
  layoutOf(SAMPLES.map((_, at) => property(`C${at}`, sample.type, sample.facets)));
const AFTER = layoutOf(SAMPLES.map(({ type, facets }, at) => property(`C${at}`, type, facets)));

function inserts(dialect: Dialect, sample: Sample): readonly string[] {
  const { type, facets = {}, values } = sample;
  const storage = storageOf(typeOf(sample));
  const stored = values.map((one) => {
    const parsed = dialect.values.convert(
      text(one),
      typeText('Edm.String', {}),
      typeText(type, facets),
    );
    return storage.kind === 'scaled' ? dialect.values.scale(parsed, storage.scale) : parsed;
  });
  return [...stored, sql`NULL`].map((one, row) => {
    const columns = SAMPLES.map((_, at) => `"C${at}"`).join(', ');
    const contents = SAMPLES.map(() => textOf(dialect, one)).join(', ');
    return `INSERT INTO "Things" ("Id", ${columns}) VALUES (${row + 1}, ${contents})`;
  });
}

const textOf = ({ placeholder }: Dialect, fragment: Fragment) =>
  toStatement(fragment, placeholder).text;

/** Selects the values of each column in JSON. */
function selected(dialect: Dialect, typeAt: (at: number) => Sample): string {
  const form = { ieee754Compatible: false, exponentialDecimals: false };
  const columns = SAMPLES.map((_, at) => {
    const type = typeOf(typeAt(at));
    const content = { sql: name(`C${at}`), storage: storageOf(type), nullable: true };
    return textOf(dialect, jsonOf(dialect, content, type, form));
  });
  return `SELECT ${columns.join(', ')} FROM "Things" ORDER BY "Id"`;
}

type Rows = readonly (readonly unknown[])[];
type Run = (statement: string) => Promise<Rows>;

async function connect(dialect: Dialect): Promise<{ run: Run; close: () => Promise<void> }> {
  if (dialect === SQLITE) {
    const database = openInMemory();
    const run: Run = async (statement) => {
      if (statement.startsWith('SELECT')) return database.prepare(statement).all([]);
      database.exec(statement);
      return [];
    };
    return { run, close: async () => database.close() };
  }
  const client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  const run: Run = async (text) => (await client.query({ text, rowMode: 'array' })).rows;
  return { run, close: async () => await client.end() };
}

/** A number or a time in a form that is equal for equal values, else undefined. */
function exact({ type }: Sample, json: JsonInput): string | undefined {
  const kind = primitiveRow(type).class;
  const written = typeof json === 'string' ? json : printJson(json);
  if (kind === 'point' || kind === 'time') return shortestFraction(written);
  if (kind === 'date') return `${written}T00:00:00Z`;
  const number = readDecimal(written, { scale: 'floating' });
  return number.kind === 'value' ? String(number.value) : undefined;
}

/** Whether a value has lost digits. Texts are compared with numbers and times by what they mean. */
function isRounded(
  from: Sample,
  to: Sample,
  [old, next]: readonly [JsonInput, JsonInput],
): boolean {
  if (to.type === 'Edm.String' || old === null || next === null) return false;
  const [left, right] = [exact(from.type === 'Edm.String' ? to : from, old), exact(to, next)];
  return left !== undefined && right !== undefined && left !== right;
}

/** The losses that the steps list, as they are counted before they run. */
async function migrate(
  run: Run,
  steps: readonly MigrationStep[],
): Promise<Readonly<Record<string, number>>> {
  const losses: Record<string, number> = {};
  for (const { kind, table, column, condition } of steps.flatMap((step) => step.losses)) {
    const [row] = await run(`SELECT count(*) FROM "${table}" WHERE ${condition ?? 'TRUE'}`);
    if (Number(row?.[0]) > 0) losses[`${column} ${kind}`] = Number(row?.[0]);
  }
  for (const statement of steps.flatMap((step) => step.sql)) await run(statement);
  return losses;
}

const parse = (rows: Rows) => rows.map((row) => row.map((one) => parseExactJson(String(one))));

describe.each([SQLITE, POSTGRES])('$name', (dialect) => {
  it.each(SAMPLES.map((sample) => [describeType(sample), sample] as const))(
    'from %s',
    async (_, from) => {
      const { run, close } = await connect(dialect);
      const layout = before(from);
      for (const statement of [
        ...dialect.schema.routines,
        ...ddl(layout, dialect),
        ...inserts(dialect, from),
      ])
        await run(statement);
      const old = parse(await run(selected(dialect, () => from)));
      expect(old.map(([value]) => value === null)).toEqual([...from.values.map(() => false), true]);

      const planned = await migrate(run, planMigration(layout, AFTER, dialect));
      const next = parse(await run(selected(dialect, (at) => SAMPLES[at] ?? from)));

      const happened: Record<string, number> = {};
      for (const [at, to] of SAMPLES.entries())
        for (let row = 0; row < rowCount(from); row++) {
          const [former = null, value = null] = [old[row]?.[at], next[row]?.[at]];
          const read = parseJson(to.type, to.facets ?? {}, value);
          expect([describeType(to), printJson(value), read.kind]).toEqual([
            describeType(to),
            printJson(value),
            'value',
          ]);
          const isLost = former !== null && value === null;
          const kind = isLost
            ? 'values'
            : isRounded(from, to, [former, value])
              ? 'digits'
              : undefined;
          const name = `C${at} ${kind}`;
          if (kind !== undefined) happened[name] = (happened[name] ?? 0) + 1;
        }
      expect(planned).toEqual(happened);
      await close();
    },
  );

  interface Change {
    readonly from: readonly (Property | NamedType)[];
    readonly to: readonly (Property | NamedType)[];
    /** The stored values, as SQL text. */
    readonly stored: readonly string[];
    readonly next: readonly unknown[];
    readonly losses: Readonly<Record<string, number>>;
  }

  const colour = (members: Readonly<Record<string, number>>, options = {}) =>
    enumType('Colour', members, options);
  const RED_GREEN = colour({ Red: 0, Green: 1 });
  const own = property('Own', 'Colour');
  const all = collectionOf(property('Own', 'Colour'));
  const flags = { flags: true };

  const CHANGES: Readonly<Record<string, Change>> = {
    'an enumeration that lacks a member': {
      from: [own, RED_GREEN],
      to: [own, colour({ Red: 0 })],
      stored: ['0', '1', '7', 'NULL'],
      next: [0, null, 7, null],
      losses: { 'Own values': 1 },
    },
    'an enumeration with other numbers': {
      from: [own, RED_GREEN],
      to: [own, colour({ Red: 2, Green: 0, Blue: 1 })],
      stored: ['0', '1', 'NULL'],
      next: [2, 0, null],
      losses: {},
    },
    'an enumeration with one more member': {
      from: [own, RED_GREEN],
      to: [own, colour({ Red: 0, Green: 1, Blue: 2 })],
      stored: ['0', '1'],
      next: [0, 1],
      losses: {},
    },
    'flags with other numbers, one removed': {
      from: [own, colour({ Red: 1, Green: 2, Blue: 4 }, flags)],
      to: [own, colour({ Red: 8, Green: 1 }, flags)],
      stored: ['0', '1', '3', '6'],
      next: [0, 8, 9, null],
      losses: { 'Own values': 1 },
    },
    'an enumeration as text': {
      from: [own, RED_GREEN],
      to: [property('Own', 'Edm.String')],
      stored: ['0', '1', 'NULL'],
      next: ['Red', 'Green', null],
      losses: {},
    },
    'flags as text': {
      from: [own, colour({ Red: 1, Green: 2 }, flags)],
      to: [property('Own', 'Edm.String')],
      stored: ['1', '3'],
      next: ['Red', 'Red,Green'],
      losses: {},
    },
    'text as an enumeration': {
      from: [property('Own', 'Edm.String')],
      to: [own, RED_GREEN],
      stored: ["'Green'", "'Blue'", "'0'", 'NULL'],
      next: [1, null, null, null],
      losses: { 'Own values': 2 },
    },
    'an enumeration as a number': {
      from: [own, colour({ Red: 0, Green: 300 })],
      to: [property('Own', 'Edm.Byte')],
      stored: ['0', '300'],
      next: [0, null],
      losses: { 'Own values': 1 },
    },
    'a number as an enumeration': {
      from: [property('Own', 'Edm.Int32')],
      to: [own, RED_GREEN],
      stored: ['1', '7'],
      next: [1, null],
      losses: { 'Own values': 1 },
    },
    'a collection of an enumeration that lacks a member': {
      from: [all, RED_GREEN],
      to: [all, colour({ Red: 2 })],
      stored: [`'["Red"]'`, `'["Red","Green"]'`, "'[]'"],
      next: ['["Red"]', '[]', '[]'],
      losses: { 'Own values': 1 },
    },
    'a collection of flags that are none': {
      from: [all, colour({ Red: 1, Green: 2 }, flags)],
      to: [all, RED_GREEN],
      stored: [`'["Red","Green"]'`, `'["Red,Green"]'`],
      next: ['["Red","Green"]', '[]'],
      losses: { 'Own values': 1 },
    },
    'a collection of texts as one of numbers': {
      from: [collectionOf(property('Own', 'Edm.String'))],
      to: [collectionOf(property('Own', 'Edm.Int32'))],
      stored: [`'["1"]'`, "'[]'"],
      next: ['[]', '[]'],
      losses: { 'Own values': 1 },
    },
    'a collection of texts as one of complex values': {
      from: [collectionOf(property('Own', 'Edm.String'))],
      to: [
        collectionOf(property('Own', 'Place')),
        complexType('Place', [property('Name', 'Edm.String')]),
      ],
      stored: [`'["one"]'`, "'[]'"],
      next: ['[]', '[]'],
      losses: { 'Own values': 1 },
    },
    'a collection of numbers as one of larger numbers': {
      from: [collectionOf(property('Own', 'Edm.Int32'))],
      to: [collectionOf(property('Own', 'Edm.Int64'))],
      stored: ["'[1]'"],
      next: ['[1]'],
      losses: {},
    },
    'a required text as a required date': {
      from: [property('Own', 'Edm.String', { nullable: false })],
      to: [property('Own', 'Edm.Date', { nullable: false })],
      stored: ["'2024-02-29'", "'one'"],
      next: ['2024-02-29', '0001-01-01'],
      losses: { 'Own values': 1 },
    },
  };

  it.each(Object.entries(CHANGES))('%s', async (_, { from, to, stored, next, losses }) => {
    const { run, close } = await connect(dialect);
    const [former, current] = [layoutOf(from), layoutOf(to)];
    const rows = stored.map(
      (one, at) => `INSERT INTO "Things" ("Id", "Own") VALUES (${at}, ${one})`,
    );
    for (const statement of [...dialect.schema.routines, ...ddl(former, dialect), ...rows])
      await run(statement);
    const steps = planMigration(former, current, dialect);
    expect(await migrate(run, steps)).toEqual(losses);
    const found = (await run('SELECT "Own" FROM "Things" ORDER BY "Id"')).map(([value]) => value);
    expect(found.map((value) => (value === null ? null : String(value)))).toEqual(
      next.map((value) => (value === null ? null : String(value))),
    );
    await close();
  });

  /** Values of the dynamic property Own, those of the declared one, and what is lost. */
  const DECLARED: Readonly<Record<string, readonly [Change['to'], ...unknown[][]]>> = {
    'small numbers': [[property('Own', 'Edm.Int16')], [5, 70000, 1.5, '5'], [5, null, 2, null]],
    decimals: [
      [property('Own', 'Edm.Decimal', { precision: 5, scale: 2 })],
      [1.25, 99999, -3],
      [125, null, -300],
    ],
    texts: [[property('Own', 'Edm.String')], ['a', 5, ['a']], ['a', null, null]],
    days: [[property('Own', 'Edm.Date')], ['2024-02-29', 'soon'], ['2024-02-29', null]],
    switches: [
      [property('Own', 'Edm.Boolean')],
      [true, 'true'],
      [dialect === SQLITE ? 1 : true, null],
    ],
    members: [
      [own, RED_GREEN],
      ['Green', 'Blue', 1],
      [1, null, null],
    ],
    'any JSON': [[property('Own', 'Edm.Untyped')], [{ a: [1] }, 'b'], ['{"a":[1]}', '"b"']],
    'no text': [[collectionOf(property('Own', 'Edm.String'))], [['a'], 'b'], ['[]', '[]']],
  };
  it.each(Object.entries(DECLARED))(
    'declared dynamic properties: %s',
    async (_, [to, stored = [], next = []]) => {
      const { run, close } = await connect(dialect);
      const [former, current] = [layoutOf([], true), layoutOf(to, true)];
      const rows = stored.map((value, at) => {
        const document = { A: 1, 'Own@odata.type': '#Some', Own: value };
        return `INSERT INTO "Things" ("Id", "$dynamic") VALUES (${at}, '${JSON.stringify(document)}')`;
      });
      for (const statement of [...dialect.schema.routines, ...ddl(former, dialect), ...rows])
        await run(statement);
      const losses = await migrate(run, planMigration(former, current, dialect));
      const found = await run('SELECT "Own", "$dynamic" FROM "Things" ORDER BY "Id"');
      const form = (value: unknown) => (value === null ? null : String(value));
      const shown = found.map(([value]) => form(value));
      const expected = next.map((value) => form(value));
      expect(shown).toEqual(expected);
      expect(found.map(([, document]) => document)).toEqual(stored.map(() => '{"A":1}'));
      const isLost = (value: unknown) => value === null || value === '[]';
      expect(losses['Own values'] ?? 0).toBe(next.filter(isLost).length);
      await close();
    },
  );

  it('records of a removed type get the declared type', async () => {
    const { run, close } = await connect(dialect);
    const [car, boat] = ['Car', 'Boat'].map((name) => entityType(name, [], { base: 'Thing' }));
    const former = layoutOf([car, boat].filter((one) => one !== undefined));
    const current = layoutOf([car].filter((one) => one !== undefined));
    const rows = ['Thing', 'Car', 'Boat'].map(
      (type, at) => `INSERT INTO "Things" ("Id", "$type") VALUES (${at}, 'Test.${type}')`,
    );
    for (const statement of [...dialect.schema.routines, ...ddl(former, dialect), ...rows])
      await run(statement);
    const losses = await migrate(run, planMigration(former, current, dialect));
    expect(losses).toEqual({ '$type values': 1 });
    const types = await run('SELECT "$type" FROM "Things" ORDER BY "Id"');
    expect(types.map(([type]) => type)).toEqual(['Test.Thing', 'Test.Car', 'Test.Thing']);
    await close();
  });
});
