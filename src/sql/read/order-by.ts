// This file compiles order items: the value that a row is ordered by, in a form whose order is right, and ORDER BY and LIMIT made
// of them. OData 4.01 URL Conventions, "System Query Option $orderby".
import type { LiteralPlace, OrderItem, ValueType } from '../../bind/bound.ts';
import { isInteger } from '../../bind/expression/types.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Page } from '../../plan/read-plan.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { toSortable, toStorage } from '../expression/convert-storage.ts';
import { EMPTY, type Fragment, integer, list, sql, value } from '../fragment.ts';
import { DECIMAL, type Storage, storedValue } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';

/** An order item as SQL. */
export interface Key {
  /** Binds a canonical value in the form of `sort`. */
  readonly bind: (at: Value, place?: LiteralPlace) => Fragment;
  /** The canonical value, for skip tokens. */
  readonly value: Fragment;
  /** The value in a form whose order is right. */
  readonly sort: Compiled;
  readonly descending: boolean;
}

/** Numbers stand in the text, not in parameters: how many rows are wanted decides which way to the rows is the best. */
export function limitTo(page: Cut | undefined): Fragment {
  if (page === undefined) return EMPTY;
  const { skip, skipPlace } = page;
  const limit = sql` LIMIT ${integer(page.limit)}`;
  if (skip === 0) return limit;
  const offset = skipPlace === undefined ? integer(skip) : value(BigInt(skip), skipPlace);
  return sql`${limit} OFFSET ${offset}`;
}

/** A part of rows that are in an order. */
export interface Cut extends Pick<Page, 'limit' | 'skip'> {
  /** Where the request says how many rows are left out: that number is a parameter, since it has no influence on the way to the rows. */
  readonly skipPlace?: LiteralPlace;
}

export function orderBy(scope: Scope, keys: readonly Key[]): Fragment {
  if (keys.length === 0) return EMPTY;
  const items = keys.map(({ sort, descending }) =>
    scope.dialect.values.order(unnumbered(sort.sql), descending, sort.nullable),
  );
  return sql` ORDER BY ${list(items)}`;
}

/** A whole number that stands alone in ORDER BY, in parentheses or not, would name a column of the answer: SQL, "order by clause". */
function unnumbered(content: Fragment): Fragment {
  const isNumeral =
    content.texts.length === 1 && /^[\s(+-]*\d+[\s)]*$/.test(content.texts[0] ?? '');
  return isNumeral ? sql`(SELECT ${content})` : content;
}

/** A place among other rows, which a hidden column holds, as what they are ordered by. */
export function placeKey(place: Fragment, storage: Storage): Key {
  return {
    value: place,
    sort: { sql: place, storage, nullable: false },
    descending: false,
    bind: (at) => value(storedValue(storage, at)),
  };
}

export function keyOf(scope: Scope, { expression, descending }: OrderItem): Key {
  const compiled = scope.value(scope, expression);
  const { dialect } = scope;
  const { storage } = compiled;
  const canonical = storage.kind === 'scaled' ? toStorage(dialect, compiled, DECIMAL) : compiled;
  const isExact = isReadExactly(expression.type);
  const bind = (at: Value, place?: LiteralPlace) => {
    const content = storedValue(storage, at);
    const stored = value(content, isExact && content === at ? place : undefined);
    return storage.kind === 'decimal' ? dialect.values.decimalOrder(stored) : stored;
  };
  return { value: canonical.sql, sort: toSortable(dialect, compiled), descending, bind };
}

/** Types of which every value that a token can have is one, however it is spelt: another request may have another one in its place. */
function isReadExactly(type: ValueType): boolean {
  if (type.kind !== 'primitive') return false;
  return isInteger(type) || type.name === 'Edm.String' || type.name === 'Edm.DateTimeOffset';
}
