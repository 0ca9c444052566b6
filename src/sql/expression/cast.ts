// This file compiles cast and isof. The database converts what it can in plain SQL; everything else goes through one function that
// parses the text of the value as a literal of the new type. A failed conversion is null.
// OData 4.01 URL Conventions, "cast", "isof".
import type { Expression, ExpressionOf, RowExpression, ValueType } from '../../bind/bound.ts';
import type { StructuredType } from '../../edm/model.ts';
import { isAssignable } from '../../edm/model.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { column, type Fragment, integer, list, sql, text } from '../fragment.ts';
import { fromRow, identityOf, isCertain, sourceOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { TYPE_COLUMN } from '../schema/layout.ts';
import { BOOLEAN, DECIMAL, storageOf, TEXT } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import {
  enumNames,
  enumNumber,
  fromUntyped,
  isNullAsWritten,
  NULL_VALUE,
  toStorage,
  typeText,
} from './convert-storage.ts';
import { timeText } from './json-value.ts';
import { isFlattened, presence } from './property.ts';

type Cast = ExpressionOf<'cast'>;
type PrimitiveType = ValueType & { readonly kind: 'primitive' };

export function compileCast(scope: Scope, { operand, type }: Cast): Compiled {
  const from = operand.type;
  const content = scope.value(scope, operand);
  const to = storageOf(type);
  if (isNullAsWritten(content)) return { ...NULL_VALUE, storage: to };
  if (from.kind === 'untyped' && !from.collection) {
    return fromUntyped(
      scope.dialect,
      { value: scope.dialect.json.valueOf(content.sql), json: content.sql },
      type,
    );
  }
  if (from.kind === 'enum') return fromEnum(content, from, type);
  if (type.kind === 'enum' && from.kind === 'primitive') return toEnum(scope, content, from, type);
  if (from.kind !== 'primitive' || type.kind !== 'primitive' || type.collection) return content;
  return convert(scope, content, from, type);
}

function fromEnum(
  content: Compiled,
  from: ValueType & { readonly kind: 'enum' },
  type: ValueType,
): Compiled {
  const isText = type.kind === 'primitive' && type.name === 'Edm.String';
  return isText ? { ...content, sql: enumNames(content.sql, from.type), storage: TEXT } : content;
}

function toEnum(
  scope: Scope,
  content: Compiled,
  from: PrimitiveType,
  type: ValueType & { readonly kind: 'enum' },
): Compiled {
  if (from.name !== 'Edm.String') return content;
  return {
    ...content,
    sql: enumNumber(scope.dialect, content.sql, type.type),
    storage: storageOf(type),
  };
}

function convert(
  scope: Scope,
  content: Compiled,
  from: PrimitiveType,
  to: PrimitiveType,
): Compiled {
  const direct = convertDirectly(scope, content, from, to);
  if (direct !== undefined) return direct;
  const plain = plainContent(scope, content, from);
  const source = typeText(from.name, from.name === 'Edm.Decimal' ? {} : from.facets);
  const target = typeText(to.name, widestFacets(from, to));
  const storage = storageOf(to);
  return {
    sql: scope.dialect.values.convert(plain, source, target),
    storage: storage.kind === 'scaled' ? DECIMAL : storage,
    nullable: true,
  };
}

/** The value as a text, a number or the like that does not depend on its storage. */
function plainContent(scope: Scope, content: Compiled, from: PrimitiveType): Fragment {
  if (content.storage.kind === 'temporal') return timeText(content, from);
  return content.storage.kind === 'scaled'
    ? toStorage(scope.dialect, content, DECIMAL).sql
    : content.sql;
}

/** Defaults for missing facets: a decimal has any scale, a duration nanoseconds, a geo value any coordinate system. */
function widestFacets(from: PrimitiveType, { name, facets }: PrimitiveType): object {
  if (primitiveRow(from.name).class === 'geo') return { srid: 'variable', ...facets };
  if (name === 'Edm.Decimal') return { scale: 'floating', ...facets };
  return name === 'Edm.Duration' ? { precision: 9, ...facets } : facets;
}

/** A conversion in plain SQL; undefined if the conversion function is needed. */
function convertDirectly(
  scope: Scope,
  content: Compiled,
  from: PrimitiveType,
  to: PrimitiveType,
): Compiled | undefined {
  const [source, target] = [primitiveRow(from.name), primitiveRow(to.name)];
  const isWhole = source.class === 'integer';
  if (target.class === 'floating' && to.name === 'Edm.Double') {
    if (isWhole || content.storage.kind === 'scaled' || source.class === 'floating') {
      return toStorage(scope.dialect, content, storageOf(to));
    }
    return undefined;
  }
  if (target.class === 'decimal' && to.facets.precision === undefined) {
    const isExact = isWhole || source.class === 'decimal';
    return isExact && typeof to.facets.scale !== 'number'
      ? toStorage(scope.dialect, content, DECIMAL)
      : undefined;
  }
  if (target.class === 'string' && to.facets.maxLength === undefined && isWhole) {
    return { ...content, sql: sql`CAST(${content.sql} AS text)`, storage: TEXT };
  }
  if (isWhole && target.class === 'integer') return nullIfOutOfBounds(content, target.bounds);
  if (source.class === 'point' && target.class === 'point') {
    return toStorage(scope.dialect, content, storageOf(to));
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

/** isof: whether a row or complex value is of a type or of a type derived from it; false for null. */
export function compileInstance(scope: Scope, expression: ExpressionOf<'instance'>): Compiled {
  const { operand, of } = expression;
  const condition =
    operand.kind === 'row' ? rowIsOf(scope, operand.row, of) : valueIsOf(scope, operand, of);
  return { sql: condition, storage: BOOLEAN, nullable: false };
}

function rowIsOf(scope: Scope, row: RowExpression, of: StructuredType): Fragment {
  const { model } = scope.layout;
  const { literal } = scope.dialect;
  const source = sourceOf(row);
  const { type } = source;
  const isCovered = isAssignable(model, type, of);
  if (isCovered) {
    return isCertain(scope, row) ? literal.true : sql`${identityOf(scope, row)} IS NOT NULL`;
  }
  if (!useOf(scope.layout, source).columns.has(TYPE_COLUMN)) return literal.false;
  const names = typeNames(scope, of);
  const found = fromRow(scope, row, ({ alias }) => column(alias, TYPE_COLUMN));
  const isOf = sql`${found} IN (${names})`;
  return isCertain(scope, row) ? isOf : sql`(${isOf} IS TRUE)`;
}

/** The names of the type and its derived types, as stored in `$type`. */
function typeNames(scope: Scope, of: StructuredType): Fragment {
  const types = [of, ...scope.layout.model.derived(of)];
  return list(types.map((one) => text(one.name)));
}

/** A document contains `@odata.type` only if its type is not the declared one. */
function valueIsOf(scope: Scope, operand: Expression, of: StructuredType): Fragment {
  const { model } = scope.layout;
  const declared = operand.type;
  if (isFlattened(scope, operand)) return presence(scope, operand);
  const content = scope.value(scope, operand).sql;
  if (declared.kind !== 'complex') return sql`${content} IS NOT NULL`;
  const storedType = scope.dialect.json.member(content, ['@odata.type']);
  const names = [of, ...model.derived(of)].map((one) => text(`#${one.name}`));
  const isStored = sql`${storedType} IN (${list(names)})`;
  const isDeclared = isAssignable(model, declared.type, of);
  if (!isDeclared) return sql`(${isStored} IS TRUE)`;
  return sql`(${content} IS NOT NULL AND (${storedType} IS NULL OR ${isStored}))`;
}
