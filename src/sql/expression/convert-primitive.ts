// This file compiles conversions between primitive types. The database converts what it can in plain SQL; everything else goes through
// one function that parses the text of the value as a literal of the new type. A failed conversion is null.
// OData 4.01 URL Conventions, "cast".
import type { PrimitiveType } from '../../bind/expression/types.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { type Fragment, integer, sql } from '../fragment.ts';
import { DECIMAL, storageOf, TEXT } from '../schema/value-storage.ts';
import { toStorage, typeText } from './convert-storage.ts';
import { timeText } from './json-value.ts';

/** The value in the new type; null if it has no such value. Decimals become decimal text. */
export function convertPrimitive(
  dialect: Dialect,
  content: Compiled,
  from: PrimitiveType,
  to: PrimitiveType,
): Compiled {
  const direct = convertDirectly(dialect, content, from, to);
  if (direct !== undefined) return direct;
  const plain = plainContent(dialect, content, from);
  const source = typeText(from.name, from.name === 'Edm.Decimal' ? {} : from.facets);
  const target = typeText(to.name, widestFacets(from, to));
  const storage = storageOf(to);
  return {
    sql: dialect.values.convert(plain, source, target),
    storage: storage.kind === 'scaled' ? DECIMAL : storage,
    nullable: true,
  };
}

/** The value as a text, a number or the like that does not depend on its storage. */
function plainContent(dialect: Dialect, content: Compiled, from: PrimitiveType): Fragment {
  if (content.storage.kind === 'temporal') return timeText(content, from);
  return content.storage.kind === 'scaled' ? toStorage(dialect, content, DECIMAL).sql : content.sql;
}

/** Defaults for missing facets: a decimal has any scale, a duration nanoseconds, a geo value any coordinate system. */
function widestFacets(from: PrimitiveType, { name, facets }: PrimitiveType): object {
  if (primitiveRow(from.name).class === 'geo') return { srid: 'variable', ...facets };
  if (name === 'Edm.Decimal') return { scale: 'floating', ...facets };
  return name === 'Edm.Duration' ? { precision: 9, ...facets } : facets;
}

/** A conversion in plain SQL; undefined if the conversion function is needed. */
function convertDirectly(
  dialect: Dialect,
  content: Compiled,
  from: PrimitiveType,
  to: PrimitiveType,
): Compiled | undefined {
  const [source, target] = [primitiveRow(from.name), primitiveRow(to.name)];
  const isWhole = source.class === 'integer';
  if (target.class === 'floating' && to.name === 'Edm.Double') {
    if (isWhole || content.storage.kind === 'scaled' || source.class === 'floating') {
      return toStorage(dialect, content, storageOf(to));
    }
    return undefined;
  }
  if (target.class === 'decimal' && to.facets.precision === undefined) {
    const isExact = isWhole || source.class === 'decimal';
    return isExact && typeof to.facets.scale !== 'number'
      ? toStorage(dialect, content, DECIMAL)
      : undefined;
  }
  if (target.class === 'string' && to.facets.maxLength === undefined && isWhole) {
    return { ...content, sql: sql`CAST(${content.sql} AS text)`, storage: TEXT };
  }
  if (isWhole && target.class === 'integer') return nullIfOutOfBounds(content, target.bounds);
  if (source.class === 'point' && target.class === 'point') {
    return toStorage(dialect, content, storageOf(to));
  }
  return from.name === to.name && Object.keys(to.facets).length === 0 ? content : undefined;
}

function nullIfOutOfBounds(
  content: Compiled,
  bounds: { readonly least: bigint; readonly greatest: bigint } | undefined,
): Compiled {
  if (bounds === undefined) return content;
  const { least, greatest } = bounds;
  if (greatest === 2n ** 63n - 1n) return content;
  const fits = sql`${content.sql} BETWEEN ${integer(least)} AND ${integer(greatest)}`;
  return { ...content, sql: sql`(CASE WHEN ${fits} THEN ${content.sql} END)`, nullable: true };
}
