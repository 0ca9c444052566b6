// Compiles order items to sort keys, and sort keys to ORDER BY and LIMIT clauses. OData 4.01 URL Conventions, "System Query Option
// $orderby".
import type { LiteralExpression, OrderItem } from '../../bind/bound.ts';
import type { Page } from '../../plan/read-plan.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { toSortable, toStorage } from '../expression/convert-storage.ts';
import { storedLiteral } from '../expression/literal.ts';
import {
  EMPTY,
  type Fragment,
  input,
  integer,
  list,
  sql,
  toStatement,
  value,
} from '../fragment.ts';
import { DECIMAL, type Storage } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';

/** A sort key: an order item as SQL. */
export interface Key {
  /** Binds a canonical value for comparison with `sort`. */
  readonly bind: (at: LiteralExpression) => Fragment;
  /** The canonical value, for skip tokens, and its storage. */
  readonly value: Fragment;
  readonly storage: Storage;
  /** The value in a form that the database sorts correctly. */
  readonly sort: Compiled;
  readonly descending: boolean;
}

/** LIMIT for the rows up to the end of the page, with those that it skips. */
export function limitUntil(page: RowRange): Fragment {
  const offset = offsetOf(page);
  const limit = integer(page.limit);
  return offset === undefined ? sql` LIMIT ${limit}` : sql` LIMIT (${limit} + ${offset})`;
}

/** LIMIT and OFFSET. The limit is a constant in the text, not a parameter, because the query plan depends on it. */
export function limitTo(page: RowRange | undefined): Fragment {
  if (page === undefined) return EMPTY;
  const offset = offsetOf(page);
  const limit = sql` LIMIT ${integer(page.limit)}`;
  return offset === undefined ? limit : sql`${limit} OFFSET ${offset}`;
}

function offsetOf({ skip, skipParameter }: RowRange): Fragment | undefined {
  const isNone = skipParameter?.ask({ name: 'zero', of: (count) => count === 0n }) ?? skip === 0;
  if (isNone) return undefined;
  return skipParameter === undefined ? value(BigInt(skip)) : input(skipParameter, 'integer');
}

/** A range of ordered rows. */
export type RowRange = Pick<Page, 'limit' | 'skip' | 'skipParameter'>;

/** ORDER BY, or nothing without keys and `ties`, which are further items for rows with equal keys. */
export function orderBy(
  scope: Scope,
  keys: readonly Key[],
  ties: readonly Fragment[] = [],
): Fragment {
  if (keys.length + ties.length === 0) return EMPTY;
  const items = keys.map(({ sort, descending }) =>
    scope.dialect.values.order(withoutOrdinal(sort.sql), descending, sort.nullable),
  );
  return sql` ORDER BY ${list([...items, ...ties])}`;
}

const CONSTANT = /^[\s(+-]*(?:\d+|null|true|false|'(?:[^']|'')*')[\s)]*$/i;
/** SQLite replaces such an expression by 0 before it looks for ordinals. `BETWEEN 0 AND` is none. */
const AND_ZERO = /\bAND \(*0\b|(?<!\bBETWEEN )\b0\)* AND\b/;

/**
 * ORDER BY and GROUP BY take a bare integer, with or without parentheses, as the ordinal of a result column, and other bare constants
 * may be errors. A subquery prevents this.
 */
export function withoutOrdinal(content: Fragment): Fragment {
  const { text } = toStatement(content, () => '?');
  return CONSTANT.test(text) || AND_ZERO.test(text) ? sql`(SELECT ${content})` : content;
}

/** The sort key for a hidden column that holds the position of each row. */
export function positionKey(position: Fragment, storage: Storage): Key {
  return {
    value: position,
    storage,
    sort: { sql: position, storage, nullable: false },
    descending: false,
    bind: (at) => storedLiteral(at, storage),
  };
}

/** The sort key of an order item. */
export function keyOf(scope: Scope, { expression, descending }: OrderItem): Key {
  const compiled = scope.value(scope, expression);
  const { dialect } = scope;
  const { storage } = compiled;
  const canonical = storage.kind === 'scaled' ? toStorage(dialect, compiled, DECIMAL) : compiled;
  const bind = (at: LiteralExpression) => {
    const stored = storedLiteral(at, storage);
    return storage.kind === 'decimal' ? dialect.values.decimalOrder(stored) : stored;
  };
  const sort = toSortable(dialect, compiled);
  return { value: canonical.sql, storage: canonical.storage, sort, descending, bind };
}
