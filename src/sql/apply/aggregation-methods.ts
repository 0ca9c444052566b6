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
      return average(scope, content, {
        sumOf: (part) => values.aggregate('sum', { ...content, sql: part }),
        count: sql`count(${operand})`,
      });
    default:
      return unreachable(method);
  }
}

/**
 * Aggregates over the rows of merged groups. `inEach` makes an aggregate of every group to be merged a column. Undefined if the result
 * is not certain to be the same: sums of doubles depend on their order. Decimals of any length take longer.
 */
export function mergedAggregate(
  scope: Scope,
  { method, expression }: Aggregation,
  inEach: (part: Fragment) => Fragment,
): Compiled | undefined {
  const { values } = scope.dialect;
  const total = (count: Fragment) => values.aggregate('sum', countOf(inEach(count)));
  if (expression === undefined) return countOf(total(sql`count(*)`));
  const content = withType(scope.value(scope, expression));
  const { kind } = content.storage;
  if (method === 'countdistinct' || kind === 'floating' || kind === 'decimal') return undefined;
  const merge = (one: 'sum' | 'min' | 'max', part: Fragment) =>
    values.aggregate(one, { ...content, sql: inEach(part) });
  // PostgreSQL checks only the sum of all, since that of a group may exceed 64 bits where the other does not.
  const sumOf = (part: Fragment) => merge('sum', sql`sum(${part})`);
  switch (method) {
    case 'average':
      return average(scope, content, { sumOf, count: total(sql`count(${content.sql})`) });
    case 'count':
      return countOf(sql`coalesce(${sumOf(content.sql)}, 0)`);
    case 'sum':
      return { ...content, sql: sumOf(content.sql), nullable: true };
    default:
      return { ...content, sql: merge(method, values.aggregate(method, content)), nullable: true };
  }
}

/** A database with typed aggregates cannot choose one for a null without a type. */
function withType(content: Compiled): Compiled {
  const isNull = isNullAsWritten(content);
  return isNull ? { ...content, sql: nullOf(content.storage.kind) } : content;
}

/** What an average consists of: the sum of a part of each value, and the number of values. */
interface Totals {
  readonly sumOf: (part: Fragment) => Fragment;
  readonly count: Fragment;
}

function average(scope: Scope, content: Compiled, totals: Totals): Compiled {
  const { storage } = content;
  if (storage.kind === 'duration')
    return { sql: meanDuration(content.sql, totals), storage, nullable: true };
  const sum = totals.sumOf(content.sql);
  if (storage.kind === 'floating') {
    const divided = scope.dialect.values.floating('div', sum, totals.count);
    return { sql: divided, storage, nullable: true };
  }
  return quotient(scope, { sql: sum, storage, nullable: true }, countOf(totals.count));
}

const SECOND = integer(1_000_000_000);

/**
 * The average of durations in nanoseconds, whose sum may be out of range: whole seconds and the rest have sums of their own, and what remains of
 * the seconds is added to the rest. Without values the sums are null, and so is the average.
 */
function meanDuration(content: Fragment, { sumOf, count }: Totals): Fragment {
  const seconds = sumOf(sql`(${content} / ${SECOND})`);
  const rest = sumOf(sql`(${content} % ${SECOND})`);
  return sql`(${seconds} / ${count} * ${SECOND} + (${seconds} % ${count} * ${SECOND} + ${rest}) / ${count})`;
}

/** A sum divided by a number of values, as a decimal. */
function quotient(scope: Scope, sum: Compiled, count: Compiled): Compiled {
  const { dialect } = scope;
  const [left, right] = [sum, count].map((one) => toStorage(dialect, one, DECIMAL).sql);
  const divided = dialect.values.decimal('div', left ?? sum.sql, right ?? count.sql);
  return { sql: divided, storage: DECIMAL, nullable: true };
}
