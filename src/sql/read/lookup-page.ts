// Compiles a page of rows that are found through other rows or words, where the database may estimate their number wrongly:
//     ServiceRequests?$filter=Assignment/AssigneeWorkgroup/Name eq 'x'
//     WITH f AS MATERIALIZED (SELECT x.* FROM (SELECT t2."Uid" FROM "Workgroups" …) m(id) CROSS JOIN LATERAL (SELECT … FROM
//       "ServiceRequests" t1 WHERE t1."Assignment/AssigneeWorkgroup" = m.id OFFSET 0) x LIMIT 2001)
// If there are few such rows, they are sorted. If there are many, all rows are read in the order of the page until it is full. Reading
// in order would take minutes where none of millions of rows matches, and sorting would where most of them do.
import { invariant } from '../../base/fault.ts';
import type { Expression, Rows } from '../../bind/bound.ts';
import type { RowSelection } from '../../plan/read-plan.ts';
import { hasCandidates } from '../expression/function-call.ts';
import type { Lookup } from '../expression/lookup.ts';
import { navigationLookup } from '../expression/navigation-lookup.ts';
import { semiJoin } from '../expression/semi-join.ts';
import { searchLookup } from '../expression/text-search.ts';
import { column, constantText, type Fragment, integer, sql, where } from '../fragment.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { hasKeyedMatch, partsOf } from './scan-estimate.ts';
import { fromSource, identityColumn, useOf } from './union-source.ts';

/** The most rows that are sorted. */
const FEW_ROWS = 2000;

/** Rows that a lookup finds if they also meet the other conditions. */
export interface FoundRows {
  readonly lookup: Lookup;
  readonly others: readonly Fragment[];
  /** All conditions, to be tested row by row. */
  readonly inOrder: readonly Fragment[];
}

/** The lookup among the conditions of the rows; undefined if there is none, or if the database chooses well without help. */
export function foundRows(scope: Scope, selecting: RowSelection): FoundRows | undefined {
  const { rows, filter, page, these } = selecting;
  if (scope.dialect.forEach === undefined || page === undefined || these !== undefined)
    return undefined;
  if (rows.origin.kind !== 'source' || rows.row.source.kind === 'union') return undefined;
  const inside = bindRows(scope, rows.row);
  const parts = [...rows.where, ...partsOf(filter)];
  if (parts.some((part) => hasKeyedMatch(scope.layout, part))) return undefined;
  for (const part of parts) {
    const lookup = lookupOf(inside, part) ?? textLookup(inside, rows, part);
    if (lookup === undefined || !isIndexed(inside, rows, lookup)) continue;
    const others = parts.filter((one) => one !== part).map((one) => scope.condition(inside, one));
    const test = scope.condition({ ...inside, indexedCall: part }, part);
    return { lookup, others, inOrder: [test, ...others] };
  }
  return undefined;
}

function lookupOf(scope: Scope, part: Expression): Lookup | undefined {
  if (part.kind === 'search') return searchLookup(scope, part.row, part.search);
  if (part.kind === 'any' && part.collection.kind === 'rows' && part.predicate !== undefined)
    return semiJoin(scope, part.collection.rows, part.predicate);
  return navigationLookup(scope, part, (inside) => scope.condition(inside, part));
}

/** The rows that contain a text. The database takes the test and the search for candidates as independent, and expects few rows. */
function textLookup(scope: Scope, { row }: Rows, part: Expression): Lookup | undefined {
  if (part.kind !== 'call' || !hasCandidates(scope, part)) return undefined;
  const identity = identityColumn(scope, row);
  const from = fromSource(scope.layout, row.source, aliasOf(scope, row));
  const matches = sql`SELECT ${identity} FROM ${from}${where([scope.condition(scope, part)])}`;
  return { column: identity, matches };
}

/** Whether an index finds the rows of one match: otherwise each would read all rows. */
function isIndexed(scope: Scope, { row }: Rows, lookup: Lookup): boolean {
  const { table } = useOf(scope.layout, row.source);
  const indexed = [table.identity, ...table.indexes.map(({ columns: [first = ''] }) => first)];
  const own = indexed.map((one) => constantText(column(aliasOf(scope, row), one)));
  return own.includes(constantText(lookup.column));
}

/** Whether there are too many rows to sort, as a condition inside the page. */
export const HAS_MANY = sql`((SELECT count(*) FROM f) > ${integer(FEW_ROWS)})`;

/** The parts of a page. */
interface PageRows {
  readonly from: Fragment;
  /** The conditions for rows after the previous page. */
  readonly marks: readonly Fragment[];
  /** The identity `i` and the sort values. */
  readonly columns: Fragment;
  /** ORDER BY columns of `p`, with LIMIT. */
  readonly order: Fragment;
  /** The page by reading all rows in order, with HAS_MANY among its conditions. */
  readonly inOrder: Fragment;
}

/** The rows of the page, in no particular order. */
export function lookupPage(
  { dialect: { forEach } }: Scope,
  { lookup: { column: own, matches }, others }: FoundRows,
  { from, marks, columns, order, inOrder }: PageRows,
): Fragment {
  invariant(forEach !== undefined, 'the dialect joins rows for each row');
  const conditions = where([sql`${own} = m.id`, ...others, ...marks]);
  const each = forEach(sql`SELECT ${columns} FROM ${from}${conditions}`, sql`x`);
  const found = sql`SELECT x.* FROM (${matches}) m(id)${each} LIMIT ${integer(FEW_ROWS + 1)}`;
  // Several matches may find the same row.
  const few = sql`SELECT DISTINCT * FROM f p WHERE NOT ${HAS_MANY}${order}`;
  return sql`WITH f AS MATERIALIZED (${found}) SELECT * FROM (${few}) few UNION ALL SELECT * FROM (${inOrder}) many`;
}
