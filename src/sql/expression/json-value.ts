// This file writes single values as JSON text, as raw text and as key literals of URLs, in SQL. The forms are those of
// edm/value/primitives.ts. OData JSON 4.01, "Primitive Value"; OData 4.01 URL Conventions, "Canonical URL".
import { unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, sql, text } from '../fragment.ts';
import { DECIMAL } from '../schema/value-storage.ts';
import { enumNames, toStorage } from './convert-storage.ts';

export interface JsonForm {
  readonly ieee754Compatible: boolean;
  readonly exponentialDecimals: boolean;
}

/** The JSON text of a value, `null` for null. Pieces of it are not null, so that it can stand in concat. */
export function jsonOf(
  dialect: Dialect,
  content: Compiled,
  type: ValueType,
  form: JsonForm,
): Fragment {
  if (type.kind === 'enum' && content.storage.kind === 'integer') {
    return orNull(content, quoted(enumNames(content.sql, type.type)));
  }
  const asText = form.ieee754Compatible && isWide(type);
  switch (content.storage.kind) {
    case 'boolean':
      return orNull(content, sql`CASE WHEN ${content.sql} THEN 'true' ELSE 'false' END`);
    case 'integer':
      return asText ? orNull(content, quoted(content.sql)) : orNull(content, content.sql);
    case 'floating':
      return orNull(content, floating(dialect, content.sql));
    case 'scaled':
    case 'decimal':
      return orNull(content, decimal(dialect, content, asText));
    case 'text':
      return type.kind === 'primitive' && type.name === 'Edm.String'
        ? dialect.json.quote(content.sql)
        : orNull(content, quoted(content.sql));
    case 'temporal':
      return orNull(content, quoted(content.sql));
    case 'duration':
      return orNull(content, quoted(dialect.json.duration(content.sql)));
    case 'binary':
      return orNull(content, quoted(dialect.json.binary(content.sql)));
    case 'geo':
    case 'json':
      return content.nullable ? sql`coalesce(${content.sql}, 'null')` : content.sql;
    default:
      return unreachable(content.storage);
  }
}

/** Numbers that not every reader can hold exactly. */
export function isWide(type: ValueType): boolean {
  return type.kind === 'primitive' && (type.name === 'Edm.Int64' || type.name === 'Edm.Decimal');
}

function quoted(content: Fragment): Fragment {
  return sql`('"' || ${content} || '"')`;
}

/** A text made of the value is null where the value is. */
function orNull(content: Compiled, written: Fragment): Fragment {
  if (!content.nullable) return written;
  if (content.storage.kind === 'boolean') {
    return sql`(CASE WHEN ${content.sql} IS NULL THEN 'null' WHEN ${content.sql} THEN 'true' ELSE 'false' END)`;
  }
  return sql`coalesce(${written}, 'null')`;
}

/** INF, -INF and NaN are strings. */
function floating(dialect: Dialect, content: Fragment): Fragment {
  return dialect.json.floating(content);
}

function decimal(dialect: Dialect, content: Compiled, asText: boolean): Fragment {
  const written = toStorage(dialect, content, DECIMAL).sql;
  if (asText) return quoted(written);
  // INF, -INF and NaN are no numbers of JSON; whole and scaled numbers never are one of them.
  if (content.storage.kind === 'scaled') return written;
  return sql`(CASE WHEN ${written} IN ('INF', '-INF', 'NaN') THEN '"' || ${written} || '"' ELSE ${written} END)`;
}

/** The text of a value as it stands in an answer of `/$value`; null for null. */
export function rawOf(dialect: Dialect, content: Compiled, type: ValueType): Fragment {
  if (type.kind === 'enum') return enumNames(content.sql, type.type);
  switch (content.storage.kind) {
    case 'boolean':
      return sql`CASE WHEN ${content.sql} IS NULL THEN NULL WHEN ${content.sql} THEN 'true' ELSE 'false' END`;
    case 'integer':
      return sql`CAST(${content.sql} AS text)`;
    case 'floating':
      return sql`trim(${dialect.json.floating(content.sql)}, '"')`;
    case 'scaled':
      return toStorage(dialect, content, DECIMAL).sql;
    case 'duration':
      return dialect.json.duration(content.sql);
    case 'binary':
      return dialect.json.binary(content.sql);
    default:
      return content.sql;
  }
}

/** The value as a literal in a URL, percent-encoded. */
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
