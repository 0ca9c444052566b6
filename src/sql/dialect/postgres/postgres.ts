// This file assembles the dialect of PostgreSQL 14 and later.
import { unreachable } from '../../../base/fault.ts';
import { sql } from '../../fragment.ts';
import { SQL_TYPES } from '../../schema/value-storage.ts';
import type { ContextName, Parameter } from '../../script.ts';
import type { Dialect } from '../dialect.ts';
import { POSTGRES_FUNCTIONS } from './functions.ts';
import { POSTGRES_JSON } from './json.ts';
import { postgresPattern } from './pattern.ts';
import { POSTGRES_SCHEMA } from './schema.ts';
import { POSTGRES_TEXT } from './text-index.ts';
import { POSTGRES_LITERAL, POSTGRES_VALUES } from './values.ts';

/** Text sorts by code point, whatever the collation of the database. */
const TEXT_COLUMN = 'TEXT COLLATE "C"';

export const POSTGRES: Dialect = {
  name: 'postgres',
  returnsInserted: true,
  numbersKeys: false,
  unindexed: (content) => content,
  placeholder: postgresPlaceholder,
  hiddenPlaceholder,
  columnTypes: {
    boolean: 'BOOLEAN',
    integer: 'BIGINT',
    floating: 'DOUBLE PRECISION',
    decimal: TEXT_COLUMN,
    text: TEXT_COLUMN,
    duration: 'BIGINT',
    binary: 'BYTEA',
    geo: TEXT_COLUMN,
    json: TEXT_COLUMN,
    scaled: 'BIGINT',
    temporal: TEXT_COLUMN,
  },
  literal: POSTGRES_LITERAL,
  schema: POSTGRES_SCHEMA,
  values: POSTGRES_VALUES,
  functions: POSTGRES_FUNCTIONS,
  json: POSTGRES_JSON,
  text: POSTGRES_TEXT,
  // The planner joins the rows of IN (SELECT …), and may read the whole table in its order, comparing each row with the query's.
  isAmong: (content, query) => sql`${content} = ANY (ARRAY(${query}))`,
  // The planner would join the values, comparing each with each row of a page.
  isOneOfMany: (content, unpacked) => sql`((${content} IN ${unpacked}) IS TRUE)`,
  hasRows: (query) => sql`((${query} LIMIT 1) IS NOT NULL)`,
  // OFFSET 0 keeps the planner from reading all rows for a hash join.
  forEach: (rows, alias) => sql` CROSS JOIN LATERAL (${rows} OFFSET 0) ${alias}`,
  pattern: postgresPattern,
};

postgresPlaceholder.isNumbered = true;
hiddenPlaceholder.isNumbered = true;

/**
 * `(SELECT $1::bigint)`. PostgreSQL plans a prepared statement in each execution as long as plans for the given values seem cheaper than
 * one for any values. A value in a subselect is unknown to it in both cases.
 */
function hiddenPlaceholder(index: number, parameter: Parameter): string {
  return `(SELECT ${postgresPlaceholder(index, parameter)})`;
}

/** `$1::bigint`: the cast prevents different types for the same value. Without a known type there is no cast. */
export function postgresPlaceholder(index: number, parameter: Parameter): string {
  const type = typeOf(parameter);
  return type === undefined ? `$${index}` : `$${index}::${type}`;
}

/** Values of the request that are keys; others are texts. */
const KEYS: ReadonlySet<string> = new Set<ContextName>(['me', 'accountKey', 'session']);

function typeOf(parameter: Parameter): string | undefined {
  switch (parameter.kind) {
    case 'value':
      return parameter.storage ? SQL_TYPES[parameter.storage] : typeOfValue(parameter.value);
    case 'input':
      return SQL_TYPES[parameter.storage];
    case 'context':
      return KEYS.has(parameter.name) ? 'bigint' : 'text';
    case 'register':
      return 'bigint';
    case 'local':
      return parameter.storage && SQL_TYPES[parameter.storage];
    default:
      return unreachable(parameter);
  }
}

function typeOfValue(
  content: (Parameter & { readonly kind: 'value' })['value'],
): string | undefined {
  if (content === null) return undefined;
  switch (typeof content) {
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'bigint';
    case 'number':
      return 'double precision';
    case 'string':
      return 'text';
    default:
      return 'bytea';
  }
}
