// This file compiles `any` over related rows to a lookup of the rows that have a match, where few related rows match:
//     Workorders/any(w:w/ID eq 77)     t1."Uid" IN (SELECT t2."ServiceRequest" FROM "Workorders" t2 WHERE t2."ID" = ? AND …)
// EXISTS would test each row of the outer set. It is better where many related rows match, since a page is full after a few tests.

import type { Expression, RowExpression, Rows } from '../../bind/bound.ts';
import {
  column,
  type Fragment,
  join,
  name,
  sql,
  tableName,
  toStatement,
  where,
} from '../fragment.ts';
import { identityOf, sourceOf } from '../read/row-source.ts';
import { isSelective } from '../read/scan-estimate.ts';
import { fromSource, identityColumn, useOf } from '../read/union-source.ts';
import { columnName, PARENT_COLUMN } from '../schema/layout.ts';
import { type Relation, resolveNavigation } from '../schema/relation-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { isFound, type Lookup } from './lookup.ts';

/** Looks up the rows of which one related row meets the predicate; undefined if EXISTS is better or the rows depend on others. */
export function semiJoin(scope: Scope, rows: Rows, predicate: Expression): Lookup | undefined {
  const { origin, row } = rows;
  if (origin.kind !== 'navigated' || isElement(origin.from) || !isPlain(scope)) return undefined;
  const from = sourceOf(origin.from);
  if (row.source.kind === 'union' || from.kind === 'union') return undefined;
  if (!isSelective(scope.layout, rows, predicate)) return undefined;
  const inside = bindRows(scope, row);
  const conditions = [...rows.where, predicate].map((part) => scope.condition(inside, part));
  if (conditions.some((condition) => dependsOn(scope, condition))) return undefined;
  const { relation } = resolveNavigation(scope.layout, { ...origin, from });
  const owners = ownersOf(inside, rows, relation, conditions);
  return owners === undefined
    ? undefined
    : { column: identityOf(scope, origin.from), matches: owners };
}

function isElement(row: RowExpression): boolean {
  return row.kind === 'variable' && row.row.kind === 'element';
}

/** Whether row variables are aliases only. */
function isPlain({ subject, these, unboundAlias }: Scope): boolean {
  return subject === undefined && these === undefined && unboundAlias === undefined;
}

/** Whether the condition refers to a row of an enclosing FROM clause. */
function dependsOn(scope: Scope, condition: Fragment): boolean {
  const { text } = toStatement(condition, scope.dialect.placeholder);
  const aliases = [...scope.bound].map((id) => aliasOf(scope, { id }));
  return aliases.some((alias) => text.includes(toStatement(alias, scope.dialect.placeholder).text));
}

/** The identities, never null, of the rows that the matching ones are related to. */
function ownersOf(
  inside: Scope,
  { row }: Rows,
  relation: Relation,
  conditions: readonly Fragment[],
): Fragment | undefined {
  const alias = aliasOf(inside, row);
  const from = fromSource(inside.layout, row.source, alias);
  switch (relation.kind) {
    case 'children':
      return sql`SELECT ${column(alias, PARENT_COLUMN)} FROM ${from}${where(conditions)}`;
    case 'inverse': {
      const owner = column(
        alias,
        columnName(useOf(inside.layout, row.source), [relation.navigation]),
      );
      return sql`SELECT ${owner} FROM ${from}${where([...conditions, sql`${owner} IS NOT NULL`])}`;
    }
    case 'links': {
      const matches = sql`SELECT ${identityColumn(inside, row)} FROM ${from}${where(conditions)}`;
      const owners = relation.links.map(
        ({ table, near, far }) =>
          sql`SELECT ${name(near)} FROM ${tableName(table)} WHERE ${name(far)} IN (${matches})`,
      );
      return join(owners, ' UNION ALL ');
    }
    default:
      return undefined;
  }
}

/** Never null, also if the row that the collection belongs to does not exist. */
export function isFoundBy(scope: Scope, { origin }: Rows, lookup: Lookup): Fragment {
  const isCertain = origin.kind === 'navigated' && origin.from.kind === 'variable';
  const found = isFound(scope, lookup);
  return isCertain ? found : sql`(${lookup.column} IS NOT NULL AND ${found})`;
}
