// This file compiles comparisons with OData's null rules: eq and ne are never null, the others are false if a side is null.
// It writes a plain `column = ?` wherever that is equivalent, so that indexes apply.
//     Uid eq 5         t1."Uid" = ?
//     Name ne 'x'      t1."Name" IS NOT ?
//     Status/Text eq 'New'      t1."Status" IN (SELECT "value" FROM "docket_code_text" WHERE …)
// OData 4.01 URL Conventions, "Logical Operators", "Comparison Operators".
import { invariant } from '../../base/fault.ts';
import type { ComparisonOperator, Expression, ExpressionOf } from '../../bind/bound.ts';
import { constant, isNull } from '../../bind/expression/literal.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import {
  every,
  type Fragment,
  isParameter,
  list,
  parametersOf,
  some,
  sql,
  tableName,
  text,
  value,
  word,
} from '../fragment.ts';
import { sourceOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { columnName } from '../schema/layout.ts';
import { type Storage, sameStorage } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { toComparable } from './convert-storage.ts';
import { compileLiteral, fitNumber, isNaNLiteral, type LiteralExpression } from './literal.ts';
import { codeOfText, isFlattened, presence } from './property.ts';

type Comparison = ExpressionOf<'compare'>;

/** A condition. Where it is null, it counts as false. */
interface Condition {
  readonly sql: Fragment;
  readonly nullable: boolean;
}

const SIGNS = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;
const MIRRORED = { eq: 'eq', ne: 'ne', gt: 'lt', ge: 'le', lt: 'gt', le: 'ge' } as const;

/** With `strict` the result is false instead of null. */
export function compileComparison(scope: Scope, expression: Comparison, strict: boolean): Fragment {
  const condition = compare(scope, expression);
  return strict && condition.nullable ? sql`(${condition.sql} IS TRUE)` : condition.sql;
}

function compare(scope: Scope, expression: Comparison): Condition {
  const { operator, left, right } = expression;
  if (isNull(right)) return compareNull(scope, operator, left);
  if (isNull(left)) return compareNull(scope, operator, right);
  if (isLiteral(left) && (!isLiteral(right) || isNaNLiteral(left))) {
    return compareLiteral(scope, MIRRORED[operator], right, left);
  }
  if (isLiteral(right)) return compareLiteral(scope, operator, left, right);
  return compareValues(scope, operator, [scope.value(scope, left), scope.value(scope, right)]);
}

function isLiteral(expression: Expression): expression is LiteralExpression {
  return expression.kind === 'literal';
}

function never({ dialect }: Scope): Condition {
  return { sql: dialect.literal.false, nullable: false };
}

function always({ dialect }: Scope): Condition {
  return { sql: dialect.literal.true, nullable: false };
}

function compareNull(scope: Scope, operator: ComparisonOperator, side: Expression): Condition {
  if (operator !== 'eq' && operator !== 'ne') return never(scope);
  if (isFlattened(scope, side)) {
    const isPresent = presence(scope, side);
    return { sql: operator === 'eq' ? sql`(NOT ${isPresent})` : isPresent, nullable: false };
  }
  const { sql: content, nullable } = scope.value(scope, side);
  if (!nullable) return operator === 'eq' ? never(scope) : always(scope);
  const is = operator === 'eq' ? sql`IS NULL` : sql`IS NOT NULL`;
  return { sql: sql`${content} ${is}`, nullable: false };
}

function compareLiteral(
  scope: Scope,
  operator: ComparisonOperator,
  side: Expression,
  literal: LiteralExpression,
): Condition {
  if (isNaNLiteral(literal)) return operator === 'ne' ? always(scope) : never(scope);
  const code = operator === 'eq' || operator === 'ne' ? codeOfText(scope, side) : undefined;
  if (code !== undefined) return compareCodeText(scope, operator === 'eq', code, [literal]);
  const widened = withoutWidening(scope, side);
  const fitted = isWhole(widened) ? fitNumber(literal, widened.storage) : undefined;
  if (fitted === undefined) {
    const sides = [scope.value(scope, side), compileLiteral(literal)] as const;
    return compareValues(scope, operator, sides);
  }
  const bound: Compiled = { sql: fitted.sql, storage: widened.storage, nullable: false };
  if (fitted.exact) return compareValues(scope, operator, [widened, bound]);
  return compareBetween(scope, operator, [widened, bound]);
}

function isWhole({ storage }: Compiled): boolean {
  return storage.kind === 'integer' || storage.kind === 'scaled';
}

/** The number before it was widened to a decimal: integers compare faster. */
function withoutWidening(scope: Scope, side: Expression): Compiled {
  const isWidened =
    side.kind === 'cast' && side.type.kind === 'primitive' && side.type.name === 'Edm.Decimal';
  const inner = isWidened ? scope.value(scope, side.operand) : undefined;
  return inner !== undefined && isWhole(inner) ? inner : scope.value(scope, side);
}

/** Compares with a literal that lies between the second side and the next value that the first can have. */
function compareBetween(
  scope: Scope,
  operator: ComparisonOperator,
  sides: readonly [Compiled, Compiled],
): Condition {
  if (operator === 'eq') return never(scope);
  if (operator === 'ne') return always(scope);
  return compareValues(scope, operator === 'lt' || operator === 'le' ? 'le' : 'gt', sides);
}

function compareValues(
  scope: Scope,
  operator: ComparisonOperator,
  sides: readonly [Compiled, Compiled],
): Condition {
  const { dialect } = scope;
  const [left, right] = toComparable(dialect, ...sides);
  const nan = nanOf(dialect, left, sides);
  const nullable = left.nullable || right.nullable;
  if (operator === 'ne' && (nullable || nan !== undefined)) {
    const different = dialect.values.notSame(left.sql, right.sql);
    const isNan = nan === undefined ? [] : [dialect.values.same(left.sql, nan)];
    return { sql: some([different, ...isNan]), nullable: false };
  }
  if (operator === 'eq' && left.nullable && right.nullable) {
    const same = dialect.values.same(left.sql, right.sql);
    const isNumber = nan === undefined ? [] : [dialect.values.notSame(left.sql, nan)];
    return { sql: every([same, ...isNumber]), nullable: false };
  }
  const plain = sql`${left.sql} ${word(SIGNS[operator])} ${right.sql}`;
  if (nan === undefined) return { sql: plain, nullable };
  const numbers = sidesThatMayBeNan(operator, left, right).map(
    (side) => sql`${side.sql} <> ${nan}`,
  );
  return { sql: every([plain, ...numbers]), nullable };
}

/** NaN in the form in which the sides are compared; undefined if neither can be NaN. NaN equals nothing, not even itself. */
function nanOf(
  dialect: Dialect,
  { storage }: Compiled,
  sides: readonly [Compiled, Compiled],
): Fragment | undefined {
  if (storage.kind === 'floating') return dialect.literal.nan;
  const isDecimal = sides.some((side) => side.storage.kind === 'decimal');
  return isDecimal && storage.kind === 'text'
    ? dialect.values.decimalOrder(text('NaN'))
    : undefined;
}

/** The sides that must be checked for NaN: the database sorts it after all numbers. */
function sidesThatMayBeNan(
  operator: ComparisonOperator,
  left: Compiled,
  right: Compiled,
): readonly Compiled[] {
  if (operator === 'ne') return [];
  const greater = operator === 'gt' || operator === 'ge' ? [left] : [right];
  const sides = operator === 'eq' ? [left] : greater;
  return sides.filter((side) => !isParameter(side.sql));
}

/** Looks the texts up once and compares the column of the code, which an index can serve. */
function compareCodeText(
  scope: Scope,
  isEqual: boolean,
  code: Compiled,
  texts: readonly LiteralExpression[],
): Condition {
  const wanted = list(texts.map((one) => compileLiteral(one).sql));
  const codes = sql`SELECT "value" FROM ${tableName('docket_code_text')} WHERE "language" = ${value(scope.language)} AND "text" IN (${wanted})`;
  if (isEqual) return { sql: sql`${code.sql} IN (${codes})`, nullable: code.nullable };
  const different = sql`${code.sql} NOT IN (${codes})`;
  if (!code.nullable) return { sql: different, nullable: false };
  return { sql: sql`(${code.sql} IS NULL OR ${different})`, nullable: false };
}

type Membership = ExpressionOf<'in'>;

/** Lists longer than this are bound as one JSON array. */
const LONGEST_LIST = 500;

/** `left in (…)`; `strict` as in compileComparison. */
export function compileIn(scope: Scope, expression: Membership, strict: boolean): Fragment {
  const condition = compareList(scope, expression);
  return strict && condition.nullable ? sql`(${condition.sql} IS TRUE)` : condition.sql;
}

function compareList(scope: Scope, { left, list: items }: Membership): Condition {
  const isLong = items.length > LONGEST_LIST;
  const literals = items
    .filter(isLiteral)
    .filter((item) => !isNull(item))
    .map((item) => (isLong ? constant(item.type, item.value) : item));
  const code = codeOfText(scope, left);
  if (literals.length !== items.length) return compareEach(scope, left, items);
  if (code !== undefined && items.length <= LONGEST_LIST) {
    return compareCodeText(scope, true, code, literals);
  }
  const side = withoutWidening(scope, left);
  const fitted = isWhole(side) ? fitNumbers(literals, side) : plainItems(literals, side);
  if (fitted === undefined) return compareEach(scope, left, items);
  if (fitted.length === 0) return never(scope);
  const content =
    fitted.length > LONGEST_LIST
      ? isInArray(scope, left, side, fitted)
      : sql`${side.sql} IN (${list(fitted)})`;
  return { sql: content, nullable: side.nullable };
}

/** The rows of many keys are looked up; other columns are tested in each row. */
function isInArray(
  scope: Scope,
  left: Expression,
  side: Compiled,
  fitted: readonly Fragment[],
): Fragment {
  const array = asJsonArray(scope, fitted, side.storage);
  if (isIdentity(scope, left)) return sql`${side.sql} IN ${array}`;
  return scope.dialect.isOneOfMany(side.sql, array);
}

function isIdentity({ layout }: Scope, left: Expression): boolean {
  if (left.kind !== 'property') return false;
  const use = useOf(layout, sourceOf(left.row));
  return columnName(use, left.path) === use.table.identity;
}

function fitNumbers(
  literals: readonly LiteralExpression[],
  side: Compiled,
): readonly Fragment[] | undefined {
  const fitted = literals.map((literal) => fitNumber(literal, side.storage));
  if (fitted.includes(undefined)) return undefined;
  return fitted.flatMap((item) => (item?.exact === true ? [item.sql] : []));
}

/** The literals as they are if they share the storage of the left side; undefined for decimals and doubles because of NaN and INF. */
function plainItems(
  literals: readonly LiteralExpression[],
  side: Compiled,
): readonly Fragment[] | undefined {
  if (side.storage.kind === 'decimal' || side.storage.kind === 'floating') return undefined;
  const items = literals.map((literal) => compileLiteral(literal));
  return items.every((item) => sameStorage(item.storage, side.storage))
    ? items.map((item) => item.sql)
    : undefined;
}

function asJsonArray(scope: Scope, fitted: readonly Fragment[], storage: Storage): Fragment {
  const items = fitted.flatMap(parametersOf).map((one) => {
    invariant(one.kind === 'value', 'the items of a long list are values');
    return typeof one.value === 'string' ? JSON.stringify(one.value) : String(one.value);
  });
  return scope.dialect.values.unpack(value(`[${items.join(',')}]`), storage);
}

function compareEach(scope: Scope, left: Expression, items: readonly Expression[]): Condition {
  const operands = items.map((right) => {
    const type = left.type;
    return { kind: 'compare', operator: 'eq', left, right, operandType: type, type } as const;
  });
  const [only] = operands;
  const { type } = left;
  const combined: Expression =
    operands.length === 1 && only !== undefined ? only : { kind: 'or', operands, type };
  return { sql: scope.condition(scope, combined), nullable: true };
}
