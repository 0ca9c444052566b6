// This file names the columns of derived rows, which $apply and $crossjoin make. They are named by position, because a request may give
// them names that differ only in case, which SQLite does not distinguish, or only after 63 bytes, where PostgreSQL cuts names.
import { invariant } from '../base/fault.ts';
import { perObject } from '../base/memo.ts';
import type { RowVariable } from '../bind/bound.ts';
import { type Fragment, list, name, sql } from './fragment.ts';
import { aliasOf, type Scope } from './scope.ts';

type DerivedRow = RowVariable & { readonly kind: 'derived' };

/** The column at a position, which counts from 0: `"c1"`. */
export function columnAt(position: number): Fragment {
  return name(`c${position + 1}`);
}

/** `… AS "c1", … AS "c2"`: the select list of a row with these values. */
export function derivedColumns(values: readonly Fragment[]): Fragment {
  return list(values.map((value, position) => sql`${value} AS ${columnAt(position)}`));
}

const positionsIn = perObject(
  (columns: DerivedRow['columns']) =>
    new Map([...columns.keys()].map((column, position) => [column, position])),
);

/** `t3."c1"`: the column of the row with that name. */
export function derivedColumn(scope: Scope, row: DerivedRow, wanted: string): Fragment {
  const position = positionsIn(row.columns).get(wanted);
  invariant(position !== undefined, `a derived row has no column ${wanted}`);
  return sql`${aliasOf(scope, row)}.${columnAt(position)}`;
}
