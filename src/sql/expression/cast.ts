// This file compiles cast and isof. A failed conversion is null.
// OData 4.01 URL Conventions, "cast", "isof".
import type { Expression, ExpressionOf, RowExpression, ValueType } from '../../bind/bound.ts';
import type { PrimitiveType } from '../../bind/expression/types.ts';
import type { StructuredType } from '../../edm/model.ts';
import { isAssignable } from '../../edm/model.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { column, type Fragment, list, sql, text } from '../fragment.ts';
import { fromRow, identityOf, isCertain, sourceOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { TYPE_COLUMN } from '../schema/layout.ts';
import { BOOLEAN, storageOf, TEXT } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { convertPrimitive } from './convert-primitive.ts';
import {
  enumNames,
  enumNumber,
  fromUntyped,
  isNullAsWritten,
  NULL_VALUE,
} from './convert-storage.ts';
import { isFlattened, presence } from './property.ts';

type Cast = ExpressionOf<'cast'>;

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
  return convertPrimitive(scope.dialect, content, from, type);
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
