// This file compiles the conditions that a query finds a value or has rows, in a form that PostgreSQL plans in time.

import { type Fragment, sql } from '../fragment.ts';
import type { Scope } from '../scope.ts';

/** The rows whose column has one of the identities that a query finds. */
export interface Lookup {
  /** Refers to other rows, or identifies the row itself. */
  readonly column: Fragment;
  /** Selects the identities. */
  readonly matches: Fragment;
}

/** PostgreSQL's planner joins the rows of lookups: 300 of them took it 30 seconds and a gigabyte. */
const MOST_JOINED = 12;

/** Whether the planner may join the rows of one more lookup. */
function mayJoin({ lookups }: Scope): boolean {
  lookups.count += 1;
  return lookups.count <= MOST_JOINED;
}

export function isFound(scope: Scope, { column: content, matches }: Lookup): Fragment {
  return mayJoin(scope) ? sql`${content} IN (${matches})` : scope.dialect.isAmong(content, matches);
}

/** Whether a query has rows. */
export function exists(scope: Scope, query: Fragment): Fragment {
  return mayJoin(scope) ? sql`EXISTS (${query})` : scope.dialect.hasRows(query);
}
