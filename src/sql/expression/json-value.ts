// This file writes single values in SQL as JSON text, as raw text and as key literals of URLs, in the forms of
// edm/value/primitives.ts. OData JSON 4.01, "Primitive Value"; OData 4.01 URL Conventions, "Canonical URL".
import { unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import { hasAnyPrecision } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, sql, text } from '../fragment.ts';
import { DECIMAL } from '../schema/value-storage.ts';
import { enumNames, toStorage } from './convert-storage.ts';

export interface JsonForm {
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
}

/** The JSON text of a value. It is `null` for null and never an SQL null, so that it can be concatenated. */
export function jsonOf(
  dialect: Dialect,
  content: Compiled,
  type: ValueType,
  form: JsonForm,
): Fragment {
  if (type.kind === 'enum' && content.storage.kind === 'integer') {
    return orJsonNull(content, quoted(enumNames(content.sql, type.type)));
  }
  const asText = form.ieee754Compatible && isWide(type);
  switch (content.storage.kind) {
    case 'boolean':
      return orJsonNull(content, sql`CASE WHEN ${content.sql} THEN 'true' ELSE 'false' END`);
    case 'integer':
      return orJsonNull(content, asText ? quoted(content.sql) : dialect.json.integer(content.sql));
    case 'floating':
      return orJsonNull(content, dialect.json.floating(content.sql, isSingle(type)));
    case 'scaled':
    case 'decimal':
      return orJsonNull(content, decimal(dialect, content, asText));
    case 'text':
      return type.kind === 'primitive' && type.name === 'Edm.String'
        ? dialect.json.quote(content.sql)
        : orJsonNull(content, quoted(content.sql));
    case 'temporal':
      return orJsonNull(content, quoted(timeText(content, type)));
    case 'duration':
      return orJsonNull(content, quoted(dialect.json.duration(content.sql)));
    case 'binary':
      return orJsonNull(content, quoted(dialect.json.binary(content.sql)));
    case 'geo':
    case 'json':
      return content.nullable ? sql`coalesce(${content.sql}, 'null')` : content.sql;
    default:
      return unreachable(content.storage);
  }
}

/** Whether the type has numbers that not every JSON parser can represent exactly. */
export function isWide(type: ValueType): boolean {
  return type.kind === 'primitive' && (type.name === 'Edm.Int64' || type.name === 'Edm.Decimal');
}

export function isSingle(type: ValueType): boolean {
  return type.kind === 'primitive' && type.name === 'Edm.Single';
}

function quoted(content: Fragment): Fragment {
  return sql`('"' || ${content} || '"')`;
}

/** Adds `null` for null to the JSON text of a value. */
function orJsonNull(content: Compiled, json: Fragment): Fragment {
  if (!content.nullable) return json;
  if (content.storage.kind === 'boolean') {
    // The condition is written once, because it may be a search in other tables.
    return sql`(CASE ${content.sql} WHEN TRUE THEN 'true' WHEN FALSE THEN 'false' ELSE 'null' END)`;
  }
  return sql`coalesce(${json}, 'null')`;
}

function decimal(dialect: Dialect, content: Compiled, asText: boolean): Fragment {
  const digits = toStorage(dialect, content, DECIMAL).sql;
  if (asText) return quoted(digits);
  // JSON has no INF, -INF and NaN, so they are strings. Scaled numbers never have these values.
  if (content.storage.kind === 'scaled') return digits;
  return sql`(CASE WHEN ${digits} IN ('INF', '-INF', 'NaN') THEN '"' || ${digits} || '"' ELSE ${digits} END)`;
}

/** The text of a value as `/$value` returns it; null for null. */
export function rawOf(dialect: Dialect, content: Compiled, type: ValueType): Fragment {
  if (type.kind === 'enum') return enumNames(content.sql, type.type);
  switch (content.storage.kind) {
    case 'boolean':
      return sql`CASE ${content.sql} WHEN TRUE THEN 'true' WHEN FALSE THEN 'false' END`;
    case 'integer':
      return sql`CAST(${content.sql} AS text)`;
    case 'floating':
      return sql`trim(${dialect.json.floating(content.sql, isSingle(type))}, '"')`;
    case 'scaled':
      return toStorage(dialect, content, DECIMAL).sql;
    case 'duration':
      return dialect.json.duration(content.sql);
    case 'binary':
      return dialect.json.binary(content.sql);
    case 'temporal':
      return timeText(content, type);
    default:
      return content.sql;
  }
}

/** A point in time or time of day as clients see it: in types of any precision, without zeros at the end of the fraction. */
export function timeText({ sql: stored, storage }: Compiled, type: ValueType): Fragment {
  const isAny = type.kind === 'primitive' && hasAnyPrecision(type.facets);
  if (!isAny || storage.kind !== 'temporal' || storage.digits === 0) return stored;
  return storage.zone
    ? sql`(rtrim(rtrim(rtrim(${stored}, 'Z'), '0'), '.') || 'Z')`
    : sql`rtrim(rtrim(${stored}, '0'), '.')`;
}

/** The value as a percent-encoded key literal of a URL. */
export function keyOf(dialect: Dialect, content: Compiled, type: ValueType): Fragment {
  if (type.kind === 'enum') {
    return sql`(${text(`${type.type.name}'`)} || ${enumNames(content.sql, type.type)} || ${text("'")})`;
  }
  const raw = rawOf(dialect, content, type);
  if (type.kind !== 'primitive') return raw;
  switch (type.name) {
    case 'Edm.String':
      return dialect.json.urlText(raw);
    case 'Edm.Duration':
      return sql`(${text("duration'")} || ${raw} || ${text("'")})`;
    case 'Edm.DateTimeOffset':
    case 'Edm.TimeOfDay':
      return sql`replace(${raw}, ':', '%3A')`;
    default:
      return raw;
  }
}
