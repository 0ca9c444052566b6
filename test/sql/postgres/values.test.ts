// This file compares calculations on PostgreSQL with the functions registered for SQLite, on random arguments: thousands of rows in one
// statement. Where the function for SQLite fails, PostgreSQL must report the same fault.
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { dateOfDay } from '../../../src/edm/value/temporal.ts';
import { unscale } from '../../../src/sql/dialect/decimal-math.ts';
import type { Compiled, ValueDialect } from '../../../src/sql/dialect/dialect.ts';
import { POSTGRES_FUNCTIONS } from '../../../src/sql/dialect/postgres/functions.ts';
import { postgresPlaceholder } from '../../../src/sql/dialect/postgres/postgres.ts';
import { VALUE_ROUTINES } from '../../../src/sql/dialect/postgres/value-routines.ts';
import { POSTGRES_VALUES } from '../../../src/sql/dialect/postgres/values.ts';
import { SQLITE, toSqlite } from '../../../src/sql/dialect/sqlite.ts';
import { SQLITE_FUNCTIONS, type SqlValue } from '../../../src/sql/dialect/sqlite-functions.ts';
import { type Fragment, sql, toStatement, word } from '../../../src/sql/fragment.ts';
import { SQL_TYPES, type Storage } from '../../../src/sql/schema/value-storage.ts';
import type { Parameter } from '../../../src/sql/script.ts';
import { openInMemory } from '../../../src/store/sqlite/connection.ts';
import { postgresUrl } from '../../postgres.ts';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({
    connectionString: await postgresUrl(),
    types: { getTypeParser: () => (text: string) => text },
  });
  await client.connect();
  for (const routine of VALUE_ROUTINES) await client.query(routine);
});

afterAll(() => client.end());

type Row = readonly (bigint | number | string)[];

/** A calculation: the storage of its arguments and result, and what it is on each database. */
interface Calculation {
  readonly of: readonly Storage['kind'][];
  readonly to: Storage['kind'];
  readonly rows: fc.Arbitrary<Row>;
  readonly sqlite: (...row: readonly SqlValue[]) => SqlValue;
  readonly postgres: (...columns: readonly Fragment[]) => Fragment;
}

const RUNS = 3000;

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -12n, max: 12n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 2n ** 53n + 1n),
);

const doubles = fc.oneof(
  fc.double(),
  fc.double({ min: -20, max: 20 }),
  fc.integer({ min: -9, max: 9 }),
  fc.integer({ min: -9, max: 9 }).map((number) => number / 2),
  fc.constantFrom(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -0,
    0,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    Number.MIN_VALUE,
    -Number.MIN_VALUE,
    2.2250738585072014e-308,
    0.49999999999999994,
    4503599627370495.5,
    2 ** 53 + 2,
  ),
);

const finiteDecimals = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), fc.integer({ min: 0, max: 38 }))
    .map(([digits, scale]) => unscale(digits, scale)),
  fc
    .tuple(fc.bigInt({ min: -30n, max: 30n }), fc.integer({ min: 0, max: 2 }))
    .map(([digits, scale]) => unscale(digits, scale)),
);

const decimals = fc.oneof(
  { arbitrary: finiteDecimals, weight: 9 },
  { arbitrary: fc.constantFrom('INF', '-INF', 'NaN'), weight: 1 },
);

/** Text without U+0000 and without characters newer than the Unicode version of the ICU library. */
const texts = fc.oneof(
  fc
    .array(fc.constantFrom(...'aAzZ ßẞİıσςΣΑéÉÅåŁ\t\u00a0\ufeff\u3000%_\\\'"😀𝒜ﬁǆ漢'), {
      maxLength: 12,
    })
    .map((characters) => characters.join('')),
  fc.string({ maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
);

const positions = fc.oneof(fc.bigInt({ min: -14n, max: 14n }), integers);

const days = fc.oneof(
  fc.integer({ min: 0, max: 3_652_058 }),
  fc.constantFrom(0, 1, 3_652_058, 3_652_057),
);
const dates = days.map((day) => dateOfDay(day) ?? '');

const timestamps = fc
  .tuple(
    dates,
    fc.integer({ min: 0, max: 86_399 }),
    fc.constantFrom(0, 3, 7, 9, 12),
    fc.nat(999_999),
  )
  .map(([date, clock, digits, fraction]) => {
    const time = new Date(clock * 1000).toISOString().slice(11, 19);
    const tail = String(fraction).padEnd(12, '7').slice(0, digits);
    return `${date}T${time}${tail === '' ? '' : `.${tail}`}Z`;
  });

const spans = fc.oneof(
  integers,
  fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
  fc.bigInt({ min: -9n, max: 9n }).map((count) => count * 86_400_000_000_000n),
  fc.bigInt({ min: -999n, max: 999n }).map((count) => count * 60_000_000_000n),
);

const storageOf = (kind: Storage['kind']): Storage => {
  if (kind === 'scaled') return { kind, scale: 2 };
  if (kind === 'temporal') return { kind, digits: 3, zone: true };
  if (kind === 'geo') return { kind, family: 'geography' };
  return { kind };
};

const operand = (kind: Storage['kind'], column: Fragment): Compiled => ({
  sql: column,
  storage: storageOf(kind),
  nullable: true,
});

/** A canonical function of one kind of arguments. */
function canonical(name: keyof typeof POSTGRES_FUNCTIONS, of: readonly Storage['kind'][]) {
  return (...columns: readonly Fragment[]): Fragment =>
    POSTGRES_FUNCTIONS[name](...columns.map((one, at) => operand(of[at] ?? 'text', one))).sql;
}

const registered =
  (name: string, ...first: readonly SqlValue[]) =>
  (...row: readonly SqlValue[]): SqlValue =>
    SQLITE_FUNCTIONS[name]?.(...first, ...row) ?? null;

const pairs = <Item>(items: fc.Arbitrary<Item>) => fc.tuple(items, items);

const FLOATING_NAMES = {
  add: 'add',
  sub: 'subtract',
  mul: 'multiply',
  div: 'divide',
  mod: 'modulo',
} as const;

const floating = (operator: keyof typeof FLOATING_NAMES): Calculation => ({
  of: ['floating', 'floating'],
  to: 'floating',
  rows: pairs(doubles),
  sqlite: registered(`docket_${FLOATING_NAMES[operator]}_floating`),
  postgres: (left, right) =>
    POSTGRES_VALUES.floating(operator, left as Fragment, right as Fragment),
});

type DecimalOperator = Parameters<typeof POSTGRES_VALUES.decimal>[0];

const decimal = (operator: DecimalOperator): Calculation => ({
  of: ['decimal', 'decimal'],
  to: 'decimal',
  rows: pairs(decimals),
  sqlite: registered('docket_decimal', operator),
  postgres: (left, right) => POSTGRES_VALUES.decimal(operator, left as Fragment, right as Fragment),
});

const rounded = (
  name: 'round' | 'floor' | 'ceiling',
  kind: 'decimal' | 'floating',
): Calculation => ({
  of: [kind],
  to: kind,
  rows: fc.tuple(kind === 'decimal' ? decimals : doubles),
  sqlite:
    kind === 'decimal'
      ? registered('docket_decimal_round', name)
      : registered(`docket_${name}_floating`),
  postgres: canonical(name, [kind]),
});

const onText = (name: 'tolower' | 'toupper' | 'trim', sqlite: string): Calculation => ({
  of: ['text'],
  to: 'text',
  rows: fc.tuple(texts),
  sqlite: registered(sqlite),
  postgres: canonical(name, ['text']),
});

const search = (
  name: 'contains' | 'startswith' | 'endswith',
  sqlite: (content: string, part: string) => boolean,
): Calculation => ({
  of: ['text', 'text'],
  to: 'boolean',
  rows: fc.oneof(
    pairs(texts),
    fc
      .tuple(texts, fc.nat(8), fc.nat(8))
      .map(([text, from, to]): [string, string] => [text, [...text].slice(from, to + 1).join('')]),
  ),
  sqlite: (content, part) => (sqlite(String(content), String(part)) ? 1n : 0n),
  postgres: canonical(name, ['text', 'text']),
});

const duration = (
  operator: 'mul' | 'div' | 'divby',
  kind: 'decimal' | 'floating',
): Calculation => ({
  of: ['duration', kind],
  to: 'duration',
  rows: fc.tuple(spans, kind === 'decimal' ? decimals : doubles),
  sqlite: (span, by) => registered('docket_stretch', operator)(span ?? null, sqliteDouble(by)),
  postgres: (span, by) => POSTGRES_VALUES.scaleDuration(operator, span as Fragment, by as Fragment),
});

function sqliteDouble(content: SqlValue | undefined): SqlValue {
  return Number.isNaN(content) ? 'NaN' : (content ?? null);
}

const moved = (digits: number | undefined, backwards: boolean): Calculation => ({
  of: [digits === undefined ? 'text' : 'temporal', 'duration'],
  to: 'text',
  rows: fc.tuple(digits === undefined ? dates : timestamps, spans),
  sqlite: (start, span) =>
    registered('docket_move')(
      start ?? null,
      backwards && span === -(2n ** 63n)
        ? 2 ** 63
        : ((backwards ? -BigInt(String(span)) : span) ?? null),
      BigInt(digits ?? -1),
    ),
  postgres: (start, span) =>
    POSTGRES_VALUES.shiftTime(start as Fragment, span as Fragment, digits, backwards),
});

const CALCULATIONS: Readonly<Record<string, Calculation>> = {
  'add doubles': floating('add'),
  'sub doubles': floating('sub'),
  'mul doubles': floating('mul'),
  'div doubles': floating('div'),
  'mod doubles': floating('mod'),
  'round doubles': rounded('round', 'floating'),
  'floor doubles': rounded('floor', 'floating'),
  'ceiling doubles': rounded('ceiling', 'floating'),
  'add decimals': decimal('add'),
  'sub decimals': decimal('sub'),
  'mul decimals': decimal('mul'),
  'div decimals': decimal('div'),
  'divby decimals': decimal('divby'),
  'mod decimals': decimal('mod'),
  'round decimals': rounded('round', 'decimal'),
  'floor decimals': rounded('floor', 'decimal'),
  'ceiling decimals': rounded('ceiling', 'decimal'),
  'order of decimals': {
    of: ['decimal', 'decimal'],
    to: 'boolean',
    rows: pairs(decimals),
    sqlite: (left, right) => {
      const [first, second] = [left, right].map((one) =>
        registered('docket_decimal_order')(one ?? null),
      );
      return String(first) < String(second) ? 1n : 0n;
    },
    postgres: (left, right) =>
      sql`(${POSTGRES_VALUES.decimalOrder(left as Fragment)} < ${POSTGRES_VALUES.decimalOrder(right as Fragment)})`,
  },
  'scale decimals': {
    of: ['decimal'],
    to: 'scaled',
    rows: fc.tuple(finiteDecimals),
    sqlite: (content) => registered('docket_scale')(content ?? null, 3n),
    postgres: (content) => POSTGRES_VALUES.scale(content as Fragment, 3),
  },
  'unscale integers': {
    of: ['scaled'],
    to: 'decimal',
    rows: fc.tuple(integers),
    sqlite: (content) => registered('docket_unscale')(content ?? null, 4n),
    postgres: (content) => POSTGRES_VALUES.unscale(content as Fragment, 4),
  },
  'div integers': {
    of: ['integer', 'integer'],
    to: 'integer',
    rows: pairs(integers),
    sqlite: registered('docket_divide'),
    postgres: (left, right) =>
      POSTGRES_VALUES.divideInteger('div', left as Fragment, right as Fragment),
  },
  'mod integers': {
    of: ['integer', 'integer'],
    to: 'integer',
    rows: pairs(integers),
    sqlite: registered('docket_modulo'),
    postgres: (left, right) =>
      POSTGRES_VALUES.divideInteger('mod', left as Fragment, right as Fragment),
  },
  'add integers': {
    of: ['integer', 'integer'],
    to: 'integer',
    rows: pairs(integers),
    sqlite: (left, right) => {
      const sum = BigInt(String(left)) + BigInt(String(right));
      return registered('docket_integer')(sum);
    },
    postgres: (left, right) =>
      POSTGRES_VALUES.checked(sql`(${left as Fragment} + ${right as Fragment})`),
  },
  tolower: onText('tolower', 'docket_lower'),
  toupper: onText('toupper', 'docket_upper'),
  trim: onText('trim', 'docket_trim'),
  contains: search('contains', (content, part) => content.includes(part)),
  startswith: search('startswith', (content, part) => content.startsWith(part)),
  endswith: search('endswith', (content, part) => content.endsWith(part)),
  length: {
    of: ['text'],
    to: 'integer',
    rows: fc.tuple(texts),
    sqlite: (content) => BigInt([...String(content)].length),
    postgres: canonical('length', ['text']),
  },
  indexof: {
    of: ['text', 'text'],
    to: 'integer',
    rows: pairs(texts),
    sqlite: (content, part) => {
      const [all, wanted] = [String(content), String(part)];
      const at = all.indexOf(wanted);
      return BigInt(at < 0 ? at : [...all.slice(0, at)].length);
    },
    postgres: canonical('indexof', ['text', 'text']),
  },
  'substring from': {
    of: ['text', 'integer'],
    to: 'text',
    rows: fc.tuple(texts, positions),
    sqlite: registered('docket_substring'),
    postgres: canonical('substring', ['text', 'integer']),
  },
  'substring of a length': {
    of: ['text', 'integer', 'integer'],
    to: 'text',
    rows: fc.tuple(texts, positions, positions),
    sqlite: registered('docket_substring'),
    postgres: canonical('substring', ['text', 'integer', 'integer']),
  },
  'add to a date': moved(undefined, false),
  'sub from a date': moved(undefined, true),
  'add to a timestamp, 3 digits': moved(3, false),
  'sub from a timestamp, 7 digits': moved(7, true),
  'add to a timestamp, 12 digits': moved(12, false),
  'difference of timestamps': {
    of: ['temporal', 'temporal'],
    to: 'duration',
    rows: pairs(timestamps),
    sqlite: registered('docket_between'),
    postgres: (end, start) => POSTGRES_VALUES.timeDifference(end as Fragment, start as Fragment),
  },
  'difference of close timestamps': {
    of: ['temporal', 'temporal'],
    to: 'duration',
    rows: pairs(timestamps).map(([end, start]): [string, string] => [
      `2290${end.slice(4)}`.replace('02-29', '02-28'),
      `1998${start.slice(4)}`.replace('02-29', '02-28'),
    ]),
    sqlite: registered('docket_between'),
    postgres: (end, start) => POSTGRES_VALUES.timeDifference(end as Fragment, start as Fragment),
  },
  'mul a duration and a decimal': duration('mul', 'decimal'),
  'div a duration by a decimal': duration('div', 'decimal'),
  'divby a duration by a decimal': duration('divby', 'decimal'),
  'mul a duration and a double': duration('mul', 'floating'),
  'div a duration by a double': duration('div', 'floating'),
  'doubles of decimals': {
    of: ['decimal'],
    to: 'floating',
    rows: fc.tuple(
      fc.oneof(
        finiteDecimals,
        fc.constantFrom(
          `1${'0'.repeat(399)}`,
          `-1${'0'.repeat(309)}`,
          `0.${'0'.repeat(330)}1`,
          `-0.${'0'.repeat(320)}25`,
        ),
      ),
    ),
    sqlite: (content) => Number(content),
    postgres: (content) => POSTGRES_VALUES.double(content as Fragment),
  },
  'doubles of integers': {
    of: ['integer'],
    to: 'floating',
    rows: fc.tuple(integers),
    sqlite: (content) => Number(content),
    postgres: (content) => POSTGRES_VALUES.double(content as Fragment),
  },
};

const columnsOf = (of: readonly unknown[]) => of.map((_, at) => word(`c${at}`));

/** The expression over rows in arrays: `SELECT … FROM unnest($1::text[], …)`. */
async function calculate({ of, postgres }: Calculation, rows: readonly Row[]): Promise<unknown[]> {
  const names = columnsOf(of).map((one) => toStatement(one, () => '').text);
  const { text } = toStatement(postgres(...columnsOf(of)), () => '');
  const arrays = of.map((kind, at) => `$${at + 1}::${SQL_TYPES[kind]}[]`);
  const statement = `SELECT (${text})::text AS result FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS t(${[...names, 'n'].join(', ')}) ORDER BY n`;
  const values = of.map((_, at) => rows.map((row) => written(row[at])));
  const result = await client.query({ text: statement, values });
  return result.rows.map((row) => row.result);
}

function written(content: bigint | number | string | boolean | undefined): string {
  return Object.is(content, -0) ? '-0' : String(content);
}

/** The result as text; undefined with the code of the fault. */
function expected({ sqlite }: Calculation, row: Row): { text?: string | null; code?: string } {
  try {
    const result = sqlite(...row);
    return { text: result === null ? null : written(result as bigint) };
  } catch (error) {
    if (error instanceof Fault) return { code: error.code };
    throw error;
  }
}

/** Text of PostgreSQL in the form of JavaScript. */
function comparable(result: unknown, to: Storage['kind']): string {
  if (to === 'floating') return written(Number(result));
  if (to === 'boolean') return result === 'true' ? '1' : '0';
  return String(result);
}

const CODES: Readonly<Record<string, string>> = {
  '22003': 'sql.overflow',
  '22012': 'sql.division-by-zero',
};

async function faultOf(calculation: Calculation, row: Row): Promise<string> {
  try {
    return `no fault, but ${await calculate(calculation, [row])}`;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.code === 'DOCKT' ? error.message : (CODES[error.code ?? ''] ?? error.message);
  }
}

describe('PostgreSQL calculates like SQLite', () => {
  it.each(Object.entries(CALCULATIONS))('%s', async (_, calculation) => {
    const rows = fc.sample(calculation.rows, RUNS);
    const results = rows.map((row) => ({ row, ...expected(calculation, row) }));
    const found = results.filter(({ code }) => code === undefined);
    const actual = await calculate(
      calculation,
      found.map(({ row }) => row),
    );
    const texts = actual.map((one) => comparable(one, calculation.to));
    expect(texts.map((text, at) => [...(found[at]?.row ?? []).map(written), text])).toEqual(
      found.map(({ row, text }) => [...row.map(written), text]),
    );
    for (const { row, code } of results.filter((one) => one.code !== undefined).slice(0, 60)) {
      expect([row, await faultOf(calculation, row)]).toEqual([row, code]);
    }
  });

  it.each(Object.entries(CALCULATIONS))('%s of null is null', async (_, { of, postgres }) => {
    for (const missing of of.keys()) {
      const columns = of.map((kind, at) =>
        at === missing ? word(`null_${kind}`) : word(`one_${kind}`),
      );
      const { text } = toStatement(postgres(...columns), () => '');
      const kinds = [...new Set(of)];
      const nulls = kinds.map((kind) => `NULL::${SQL_TYPES[kind]} AS null_${kind}`);
      const ones = kinds.map(
        (kind) =>
          `'${kind === 'temporal' ? '2020-01-01T00:00:00Z' : kind === 'text' ? '2020-01-01' : '1'}'::${SQL_TYPES[kind]} AS one_${kind}`,
      );
      const { rows } = await client.query(
        `SELECT (${text}) AS result FROM (SELECT ${[...nulls, ...ones].join(', ')}) t`,
      );
      expect(rows).toEqual([{ result: null }]);
    }
  });
});

/** The aggregates of groups of values, as a dialect writes them. */
const AGGREGATES: readonly (readonly [
  'sum' | 'min' | 'max',
  Storage['kind'],
  fc.Arbitrary<Row[0] | boolean>,
])[] = [
  ...(['sum', 'min', 'max'] as const).flatMap((method) => [
    [method, 'decimal', decimals] as const,
    // Of 0 and -0, which JSON does not distinguish, either may be the maximum.
    [method, 'floating', doubles.map((double) => double + 0)] as const,
    [method, 'scaled', fc.bigInt({ min: -(2n ** 55n), max: 2n ** 55n })] as const,
  ]),
  ['min', 'text', texts],
  ['max', 'text', texts],
  ['min', 'boolean', fc.boolean()],
  ['max', 'boolean', fc.boolean()],
];

describe('PostgreSQL aggregates like SQLite', () => {
  const sqlite = openInMemory();
  sqlite.exec('CREATE TABLE groups (k INTEGER, c)');
  afterAll(() => sqlite.close());

  it.each(AGGREGATES)('%s of %s', async (method, kind, values) => {
    const groups = fc.sample(fc.array(fc.option(values, { freq: 9 }), { maxLength: 9 }), 300);
    const rows = groups.flatMap((group, at) => group.map((content) => ({ key: at, content })));
    const aggregate = (dialect: ValueDialect) =>
      toStatement(dialect.aggregate(method, operand(kind, word('c'))), () => '').text;
    sqlite.exec('DELETE FROM groups');
    const insert = sqlite.prepare('INSERT INTO groups VALUES (?, ?)');
    for (const { key, content } of rows) insert.run([BigInt(key), toSqlite(content)]);
    const expected = sqlite
      .prepare(`SELECT ${aggregate(SQLITE.values)} FROM groups GROUP BY k ORDER BY k`)
      .all([]);
    const text = `SELECT (${aggregate(POSTGRES_VALUES)})::text AS result FROM unnest($1::integer[], $2::${SQL_TYPES[kind]}[]) t(k, c) GROUP BY k ORDER BY k`;
    const found = await client.query(text, [
      rows.map(({ key }) => key),
      rows.map(({ content }) => (content === null ? null : written(content))),
    ]);
    expect(
      found.rows.map(({ result }) => (result === null ? null : comparable(result, kind))),
    ).toEqual(expected.map(([result]) => (result == null ? null : written(result as number))));
  });
});

describe('placeholders have the type of their value', () => {
  it.each<[Parameter, string]>([
    [{ kind: 'value', value: 5n }, '$1::bigint'],
    [{ kind: 'value', value: 0.5 }, '$1::double precision'],
    [{ kind: 'value', value: 'a' }, '$1::text'],
    [{ kind: 'value', value: true }, '$1::boolean'],
    [{ kind: 'value', value: new Uint8Array() }, '$1::bytea'],
    [{ kind: 'value', value: null }, '$1'],
    [{ kind: 'input', slot: 0, storage: 'scaled' }, '$1::bigint'],
    [{ kind: 'input', slot: 0, storage: 'temporal' }, '$1::text'],
    [{ kind: 'context', name: 'me' }, '$1::bigint'],
    [{ kind: 'context', name: 'now' }, '$1::text'],
    [{ kind: 'register', name: 'row', field: 'version' }, '$1::bigint'],
    [{ kind: 'local', name: 'argument' }, '$1'],
  ])('%o is %s', (parameter, placeholder) => {
    expect(postgresPlaceholder(1, parameter)).toBe(placeholder);
  });
});
