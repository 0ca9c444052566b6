// This file compiles aggregation methods over the rows of a group. Numbers use the aggregates of the database, decimals are exact.
// Nulls are ignored; without other values the result is null.
// OData Data Aggregation 4.0, "Keyword with".
import { unreachable } from '../../base/fault.ts';
import type { Aggregation } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { toStorage } from '../expression/convert-storage.ts';
import { type Fragment, sql } from '../fragment.ts';
import { DECIMAL, INTEGER, type Storage } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';

export type Method = Aggregation['method'];

/** A number of rows or values. */
export function countOf(count: Fragment): Compiled {
  return { sql: count, storage: INTEGER, nullable: false };
}

/** Aggregates a value over the rows of a group. */
export function aggregateValues(scope: Scope, method: Method, content: Compiled): Compiled {
  const { values } = scope.dialect;
  const operand = content.sql;
  const result = (aggregated: Fragment, storage: Storage = content.storage): Compiled => ({
    sql: aggregated,
    storage,
    nullable: true,
  });
  switch (method) {
    case 'count':
      return countOf(sql`count(*)`);
    case 'countdistinct':
      return countOf(sql`count(DISTINCT ${operand})`);
    case 'sum':
    case 'min':
    case 'max':
      return content.storage.kind === 'decimal'
        ? result(values.foldDecimals(method, operand))
        : result(sql`${METHODS[method]}(${operand})`);
    case 'average':
      return average(scope, content);
    default:
      return unreachable(method);
  }
}

const METHODS = { sum: sql`sum`, min: sql`min`, max: sql`max` } as const;

function average(scope: Scope, content: Compiled): Compiled {
  const { kind } = content.storage;
  const operand = content.sql;
  if (kind === 'floating')
    return { sql: sql`avg(${operand})`, storage: content.storage, nullable: true };
  if (kind === 'duration') {
    return {
      sql: sql`(sum(${operand}) / count(${operand}))`,
      storage: content.storage,
      nullable: true,
    };
  }
  return quotient(scope, aggregateValues(scope, 'sum', content), countOf(sql`count(${operand})`));
}

/** A sum divided by a number of values, as a decimal. */
function quotient(scope: Scope, sum: Compiled, count: Compiled): Compiled {
  const { dialect } = scope;
  const [left, right] = [sum, count].map((one) => toStorage(dialect, one, DECIMAL).sql);
  const divided = dialect.values.decimal('div', left ?? sum.sql, right ?? count.sql);
  return { sql: divided, storage: DECIMAL, nullable: true };
}
