// This file compiles the methods of aggregation over the rows of a group: in the database's own integers where they serve, exactly where
// values are decimals. Nulls do not count; of nothing but nulls the result is null.
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
export function whole(count: Fragment): Compiled {
  return { sql: count, storage: INTEGER, nullable: false };
}

/** An aggregate of a value over the rows of a group. */
export function fold(scope: Scope, method: Method, content: Compiled): Compiled {
  const { values } = scope.dialect;
  const of = content.sql;
  const result = (folded: Fragment, storage: Storage = content.storage): Compiled => ({
    sql: folded,
    storage,
    nullable: true,
  });
  switch (method) {
    case 'count':
      return whole(sql`count(*)`);
    case 'countdistinct':
      return whole(sql`count(DISTINCT ${of})`);
    case 'sum':
    case 'min':
    case 'max':
      return content.storage.kind === 'decimal'
        ? result(values.foldDecimals(method, of))
        : result(sql`${METHODS[method]}(${of})`);
    case 'average':
      return average(scope, content);
    default:
      return unreachable(method);
  }
}

const METHODS = { sum: sql`sum`, min: sql`min`, max: sql`max` } as const;

function average(scope: Scope, content: Compiled): Compiled {
  const { kind } = content.storage;
  const of = content.sql;
  if (kind === 'floating')
    return { sql: sql`avg(${of})`, storage: content.storage, nullable: true };
  if (kind === 'duration') {
    return { sql: sql`(sum(${of}) / count(${of}))`, storage: content.storage, nullable: true };
  }
  return quotient(scope, fold(scope, 'sum', content), whole(sql`count(${of})`));
}

/** A sum by a number of values. */
function quotient(scope: Scope, sum: Compiled, count: Compiled): Compiled {
  const { dialect } = scope;
  const [left, right] = [sum, count].map((one) => toStorage(dialect, one, DECIMAL).sql);
  const divided = dialect.values.decimal('div', left ?? sum.sql, right ?? count.sql);
  return { sql: divided, storage: DECIMAL, nullable: true };
}
