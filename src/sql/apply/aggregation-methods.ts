// This file compiles aggregation methods over the rows of a group. Numbers use the aggregates of the database, decimals are exact.
// Nulls are ignored; without other values the result is null.
// OData Data Aggregation 4.0, "Keyword with".
import { unreachable } from '../../base/fault.ts';
import type { Aggregation } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { isNullAsWritten, toStorage } from '../expression/convert-storage.ts';
import { type Fragment, integer, nullOf, sql } from '../fragment.ts';
import { DECIMAL, INTEGER } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';

export type Method = Aggregation['method'];

/** A number of rows or values. */
export function countOf(count: Fragment): Compiled {
  return { sql: count, storage: INTEGER, nullable: false };
}

/** Aggregates a value over the rows of a group. */
export function aggregateValues(scope: Scope, method: Method, value: Compiled): Compiled {
  const { values } = scope.dialect;
  const content = withType(value);
  const operand = content.sql;
  switch (method) {
    case 'count':
      return countOf(sql`count(*)`);
    case 'countdistinct':
      return countOf(sql`count(DISTINCT ${operand})`);
    case 'sum':
    case 'min':
    case 'max':
      return { sql: values.aggregate(method, content), storage: content.storage, nullable: true };
    case 'average':
      return average(scope, content);
    default:
      return unreachable(method);
  }
}

/** A database with typed aggregates cannot choose one for a null without a type. */
function withType(content: Compiled): Compiled {
  const isNull = isNullAsWritten(content);
  return isNull ? { ...content, sql: nullOf(content.storage.kind) } : content;
}

function average(scope: Scope, content: Compiled): Compiled {
  const { storage } = content;
  const count = sql`count(${content.sql})`;
  if (storage.kind === 'duration')
    return { sql: meanDuration(scope, content, count), storage, nullable: true };
  const sum = aggregateValues(scope, 'sum', content);
  if (storage.kind === 'floating')
    return { sql: scope.dialect.values.floating('div', sum.sql, count), storage, nullable: true };
  return quotient(scope, sum, countOf(count));
}

const SECOND = integer(1_000_000_000);

/**
 * The average of durations in nanoseconds, whose sum may be out of range: whole seconds and the rest have sums of their own, and what remains of
 * the seconds is added to the rest. Without values the sums are null, and so is the average.
 */
function meanDuration(
  scope: Scope,
  { sql: content, storage }: Compiled,
  count: Fragment,
): Fragment {
  const sum = (part: Fragment) => scope.dialect.values.aggregate('sum', { sql: part, storage });
  const seconds = sum(sql`(${content} / ${SECOND})`);
  const rest = sum(sql`(${content} % ${SECOND})`);
  return sql`(${seconds} / ${count} * ${SECOND} + (${seconds} % ${count} * ${SECOND} + ${rest}) / ${count})`;
}

/** A sum divided by a number of values, as a decimal. */
function quotient(scope: Scope, sum: Compiled, count: Compiled): Compiled {
  const { dialect } = scope;
  const [left, right] = [sum, count].map((one) => toStorage(dialect, one, DECIMAL).sql);
  const divided = dialect.values.decimal('div', left ?? sum.sql, right ?? count.sql);
  return { sql: divided, storage: DECIMAL, nullable: true };
}
