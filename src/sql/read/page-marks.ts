// Compiles the conditions for the rows after the last row of the previous page, so that an index on the first order value can serve
// them. Null sorts before all other values. OData 4.01 Protocol, "Server-Driven Paging".
import type { LiteralExpression } from '../../bind/bound.ts';
import { isNull } from '../../bind/expression/literal.ts';
import type { LiteralDialect } from '../dialect/dialect.ts';
import { every, type Fragment, list, some, sql } from '../fragment.ts';
import type { Scope } from '../scope.ts';
import type { Key } from './order-by.ts';

/** A sort key and its value in the last row of the previous page. */
interface Mark {
  readonly key: Key;
  readonly at: LiteralExpression;
}

/** The rows after the marks, as disjoint conditions that an index can serve one by one. */
export function isAfter(
  scope: Scope,
  keys: readonly Key[],
  after: readonly LiteralExpression[],
): readonly Fragment[] {
  const marks = keys.flatMap((key, index) => {
    const at = after[index];
    return at === undefined ? [] : [{ key, at }];
  });
  return isUniform(marks) ? [isAfterRow(marks)] : isAfterFirst(marks, scope.dialect.literal);
}

/** Whether no value is null and all keys have one direction, so that rows of values can be compared. */
function isUniform([first, ...others]: readonly Mark[]): boolean {
  const isPlain = ({ key, at }: Mark) => !key.sort.nullable && !isNull(at);
  return (
    first !== undefined &&
    others.length > 0 &&
    isPlain(first) &&
    others.every((mark) => isPlain(mark) && mark.key.descending === first.key.descending)
  );
}

function isAfterRow(marks: readonly Mark[]): Fragment {
  const keys = list(marks.map(({ key }) => key.sort.sql));
  const values = list(marks.map(({ key, at }) => key.bind(at)));
  const isDescending = marks.some(({ key }) => key.descending);
  return isDescending ? sql`(${keys}) < (${values})` : sql`(${keys}) > (${values})`;
}

/** The rows whose first value is null are apart from the others if both follow. */
function isAfterFirst(marks: readonly Mark[], literal: LiteralDialect): readonly Fragment[] {
  const [first, ...others] = marks;
  if (first === undefined) return [literal.false];
  const { key, at } = first;
  if (!key.sort.nullable || key.descending === isNull(at)) return [isAfterMarks(marks, literal)];
  const isMissing = sql`${key.sort.sql} IS NULL`;
  if (!isNull(at)) {
    const values = { ...first, key: { ...key, sort: { ...key.sort, nullable: false } } };
    return [isAfterMarks([values, ...others], literal), isMissing];
  }
  const missing = others.length === 0 ? [] : [every([isMissing, isAfterMarks(others, literal)])];
  return [...missing, sql`${key.sort.sql} IS NOT NULL`];
}

/** `first >= ? AND (first > ? OR (first = ? AND second > ?))`: the range comes first so that an index can serve it. */
function isAfterMarks(marks: readonly Mark[], literal: LiteralDialect): Fragment {
  const [mark, ...others] = marks;
  if (mark === undefined) return literal.false;
  if (others.length === 0) return isBeyond(mark, literal);
  const rest = every([isEqual(mark), isAfterMarks(others, literal)]);
  const either = some([isBeyond(mark, literal), rest]);
  const range = rangeFrom(mark);
  return range === undefined ? either : every([range, either]);
}

/** In descending order nothing follows null, the lowest value. */
function isBeyond({ key, at }: Mark, literal: LiteralDialect): Fragment {
  const { sort, descending } = key;
  if (isNull(at)) return descending ? literal.false : sql`${sort.sql} IS NOT NULL`;
  if (!descending) return sql`${sort.sql} > ${key.bind(at)}`;
  const less = sql`${sort.sql} < ${key.bind(at)}`;
  return sort.nullable ? sql`(${less} OR ${sort.sql} IS NULL)` : less;
}

function isEqual({ key, at }: Mark): Fragment {
  return isNull(at) ? sql`${key.sort.sql} IS NULL` : sql`${key.sort.sql} = ${key.bind(at)}`;
}

function rangeFrom({ key, at }: Mark): Fragment | undefined {
  if (isNull(at)) return key.descending ? sql`${key.sort.sql} IS NULL` : undefined;
  if (!key.descending) return sql`${key.sort.sql} >= ${key.bind(at)}`;
  return key.sort.nullable ? undefined : sql`${key.sort.sql} <= ${key.bind(at)}`;
}
