// Compiles row sets to FROM and WHERE: the rows of a source, the targets of a navigation, and the single row that an expression
// follows. The alias of each row variable is `t` and its number. A navigation from one row is a lookup by identity, never a scan of
// the targets. Rights that the plan has attached to rows are applied wherever the rows are used.

import { invariant, unreachable } from '../../base/fault.ts';
import type { Expression, RowExpression, RowLimit, Rows, RowVariable } from '../../bind/bound.ts';
import type { Navigation, Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { compileLiteral } from '../expression/literal.ts';
import type { Lookup } from '../expression/lookup.ts';
import { aliasedRows, theseRows } from '../expression/these-variable.ts';
import {
  column,
  EMPTY,
  type Fragment,
  integer,
  join,
  name,
  parameter,
  sql,
  tableName,
  where,
} from '../fragment.ts';
import { columnName, PARENT_COLUMN, type TableUse } from '../schema/layout.ts';
import { type Relation, resolveNavigation } from '../schema/relation-storage.ts';
import { INTEGER } from '../schema/value-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';
import { keyOf, orderBy } from './order-by.ts';
import { fromSource, identityColumn, useOf } from './union-source.ts';

type EntityVariable = RowVariable & { readonly kind: 'entity' };

/** A FROM clause with its conditions. */
export interface Origin {
  readonly from: Fragment;
  readonly conditions: readonly Fragment[];
  /** The scope in which the rows' variable is bound. */
  readonly scope: Scope;
  /**
   * The table, if the rows of `from` have all its columns and no others than the hidden keys of groups. None of several tables: to find
   * rows of a union by their identities, a database reads all of it.
   */
  readonly stored?: Fragment | undefined;
}

/**
 * The parts of `FROM "Persons" t4 … WHERE …` for the rows.
 * @param joinsPairs whether a many-to-many relation is a join with its pairs, which PostgreSQL needs in EXISTS and in outer joins
 */
export function originOf(scope: Scope, rows: Rows, joinsPairs = false): Origin {
  const inside = bindRows(scope, rows.row);
  if (rows.origin.kind === 'these') return theseOrigin(scope, inside, rows);
  const from = fromSource(scope.layout, rows.row.source, aliasOf(inside, rows.row));
  const found =
    scope.subject?.row === rows.row.id
      ? { conditions: isSubject(inside, rows, scope.subject.register) }
      : related(scope, inside, rows, joinsPairs);
  const filters = rows.where.map((condition) => scope.condition(inside, condition));
  const conditions = [...found.conditions, ...filters];
  if (found.pairs !== undefined)
    return { from: sql`(${found.pairs} CROSS JOIN ${from})`, conditions, scope: inside };
  const stored = rows.row.source.kind === 'union' ? undefined : from;
  return { from, conditions, scope: inside, stored };
}

function theseOrigin(scope: Scope, inside: Scope, { row, origin, where: filters }: Rows): Origin {
  invariant(origin.kind === 'these', 'the origin must be $these');
  const { from, conditions } =
    origin.of === undefined
      ? theseRows(inside, row)
      : aliasedRows(inside, row, { rows: wholeRows(scope, origin.of, origin.limit), groups: [] });
  const own = filters.map((condition) => scope.condition(inside, condition));
  return { from, conditions: [...conditions, ...own], scope: inside };
}

/** `SELECT t1.* FROM … WHERE … ORDER BY … LIMIT … OFFSET …`. */
function wholeRows(scope: Scope, rows: Rows, limit: RowLimit | undefined): Fragment {
  const origin = originOf(scope, rows);
  const all = selectFrom(origin, sql`${aliasOf(origin.scope, rows.row)}.*`);
  if (limit === undefined) return all;
  const keys = limit.orderby.map((item) => keyOf(origin.scope, item));
  const order = orderBy(scope, keys, [identityColumn(origin.scope, rows.row)]);
  return sql`${all}${order} LIMIT ${numberOf(scope, limit.top, MOST_ROWS)} OFFSET ${numberOf(scope, limit.skip, 0n)}`;
}

const MOST_ROWS = 2n ** 63n - 1n;

/** The number, which LIMIT and OFFSET do not accept if it is null or negative. */
function numberOf(scope: Scope, expression: Expression | undefined, otherwise: bigint): Fragment {
  if (expression === undefined) return integer(otherwise);
  const { sql: number } = scope.value(scope, expression);
  return sql`(CASE WHEN ${number} >= 0 THEN ${number} ELSE ${integer(otherwise)} END)`;
}

/** Finds the row that a write has inserted or changed by its identity, regardless of how the request addressed it. */
function isSubject(inside: Scope, rows: Rows, register: string): readonly Fragment[] {
  const identity = parameter({ kind: 'register', name: register, field: 'identity' });
  return [sql`${identityColumn(inside, rows.row)} = ${identity}`];
}

/** Selects one value from each row. */
export function selectFrom(origin: Origin, selected: Fragment): Fragment {
  return sql`SELECT ${selected} FROM ${origin.from}${where(origin.conditions)}`;
}

/** A row of a table: its alias, and how the table is used. */
export interface Cell {
  readonly alias: Fragment;
  readonly use: TableUse;
}

function cellOf(scope: Scope, row: EntityVariable): Cell {
  return { alias: aliasOf(scope, row), use: useOf(scope.layout, row.source) };
}

/** The identity column of a row of a table. */
export function ownIdentity({ alias, use }: Cell): Fragment {
  return column(alias, use.table.identity);
}

/** A value of one row: directly if an alias is bound to the row, otherwise by a subquery. Null if there is no row. */
export function fromRow(
  scope: Scope,
  row: RowExpression,
  build: (cell: Cell) => Fragment,
): Fragment {
  switch (row.kind) {
    case 'variable': {
      invariant(row.row.kind === 'entity', 'a row of another kind has no table');
      return build(cellOf(scope, row.row));
    }
    case 'follow':
      return fromFollowed(scope, row, build);
    case 'addressed':
      return fromRows(scope, row.rows, build);
    default:
      return unreachable(row);
  }
}

/** Whether the row exists whenever the enclosing row does. */
export function isCertain(scope: Scope, row: RowExpression): boolean {
  return row.kind === 'variable' || (row.kind === 'follow' && isBoundFollow(scope, row));
}

/** The identity of a row. */
export function identityOf(scope: Scope, row: RowExpression): Fragment {
  const isPlainFollow = row.kind === 'follow' && row.visible === undefined;
  if (isPlainFollow && !isBoundFollow(scope, row)) {
    const { relation } = resolve(scope, row);
    // Foreign keys are enforced, so the reference is the identity.
    if (relation.kind === 'reference') return reference(scope, row);
    if (relation.kind === 'parent') return fromRow(scope, row.from, parentOf);
  }
  return fromRow(scope, row, ownIdentity);
}

/** The source of a row. */
export function sourceOf(row: RowExpression): Source {
  if (row.kind === 'follow') return row.target.source;
  if (row.kind === 'addressed') return row.rows.row.source;
  invariant(row.row.kind === 'entity', 'a row of another kind has no source');
  return row.row.source;
}

/** `parent."Uid" IN (SELECT …)`: whether the followed row meets a condition. Undefined unless the relation is stored as a reference. */
export function targetMatches(
  scope: Scope,
  row: RowExpression & { readonly kind: 'follow' },
  condition: (inside: Scope) => Fragment,
): Lookup | undefined {
  const { relation } = resolve(scope, row);
  if (relation.kind !== 'reference') return undefined;
  const inside = bindRows(scope, row.target);
  const conditions = [condition(inside), ...visibility(inside, row.visible)];
  const from = fromSource(scope.layout, row.target.source, aliasOf(inside, row.target));
  const targets = sql`SELECT ${identityColumn(inside, row.target)} FROM ${from}${where(conditions)}`;
  return { column: reference(scope, row), matches: targets };
}

function visibility(scope: Scope, visible: Expression | undefined): readonly Fragment[] {
  return visible === undefined ? [] : [scope.condition(scope, visible)];
}

type Follow = RowExpression & { readonly kind: 'follow' };

function resolve(scope: Scope, row: Follow): { readonly relation: Relation } {
  const { path, navigation } = row;
  if (row.from.kind === 'variable' && row.from.row.kind === 'element') {
    return { relation: { kind: 'reference', path: [...path, navigation] } };
  }
  return resolveNavigation(scope.layout, { from: sourceOf(row.from), path, navigation });
}

function isBoundFollow(scope: Scope, row: Follow): boolean {
  return scope.bound.has(row.target.id);
}

/** The column that holds the identity of the followed row. */
function reference(scope: Scope, { from, path, navigation }: Follow): Fragment {
  const members = [...path, navigation];
  if (from.kind === 'variable' && from.row.kind === 'element') {
    const item = scope.dialect.json.item(aliasOf(scope, from.row));
    const names = members.map((member) => member.name);
    return scope.dialect.json.typed(scope.dialect.json.member(item, names), INTEGER);
  }
  return fromRow(scope, from, ({ alias, use }) => column(alias, columnName(use, members)));
}

function parentOf({ alias }: Cell): Fragment {
  return column(alias, PARENT_COLUMN);
}

function fromFollowed(scope: Scope, row: Follow, build: (cell: Cell) => Fragment): Fragment {
  const inside = bindRows(scope, row.target);
  const cell = cellOf(inside, row.target);
  if (isBoundFollow(scope, row)) return build(cell);
  const from = fromSource(scope.layout, row.target.source, cell.alias);
  const { relation } = resolve(scope, row);
  const isTarget = targetCondition(relation, {
    target: cell,
    near: {
      identity: () => identityOf(scope, row.from),
      reference: () => reference(scope, row),
      parent: () => fromRow(scope, row.from, parentOf),
    },
  });
  const conditions = [isTarget, ...visibility(inside, row.visible)];
  // Several rows may refer to one, also where its type has a single-valued navigation for them.
  const first = relation.kind === 'inverse' ? sql` ORDER BY ${ownIdentity(cell)} LIMIT 1` : EMPTY;
  return sql`(SELECT ${build(cell)} FROM ${from}${where(conditions)}${first})`;
}

function fromRows(scope: Scope, rows: Rows, build: (cell: Cell) => Fragment): Fragment {
  const origin = originOf(scope, rows);
  return sql`(${selectFrom(origin, build(cellOf(origin.scope, rows.row)))} LIMIT 1)`;
}

/** Values of the row that a navigation starts from, each compiled only if needed. */
interface Near {
  readonly identity: () => Fragment;
  readonly reference: () => Fragment;
  readonly parent: () => Fragment;
}

interface NavigationEnds {
  readonly target: Cell;
  readonly near: Near;
}

/** The condition that a row is a target of the navigation. */
function targetCondition(relation: Relation, { target, near }: NavigationEnds): Fragment {
  const { alias, use } = target;
  const own = ownIdentity(target);
  switch (relation.kind) {
    case 'reference':
      return sql`${own} = ${near.reference()}`;
    case 'parent':
      return sql`${own} = ${near.parent()}`;
    case 'children':
      return sql`${column(alias, PARENT_COLUMN)} = ${near.identity()}`;
    case 'inverse':
      return sql`${column(alias, columnName(use, [relation.navigation]))} = ${near.identity()}`;
    case 'links': {
      const pairs = relation.links.map(
        (link) =>
          sql`SELECT ${name(link.far)} FROM ${tableName(link.table)} WHERE ${name(link.near)} = ${near.identity()}`,
      );
      return sql`${own} IN (${join(pairs, ' UNION ALL ')})`;
    }
    default:
      return unreachable(relation);
  }
}

/** The conditions that connect rows of a navigation with the row or rows that it starts from. */
interface Related {
  readonly conditions: readonly Fragment[];
  /** The pairs of a many-to-many relation, as an item of FROM. */
  readonly pairs?: Fragment;
}

function related(scope: Scope, inside: Scope, rows: Rows, joinsPairs: boolean): Related {
  const { origin } = rows;
  if (origin.kind === 'source' || origin.kind === 'these') return { conditions: [] };
  const target = cellOf(inside, rows.row);
  const near = origin.kind === 'related' ? nearRows(scope, origin) : nearRow(scope, origin, rows);
  const from = origin.kind === 'related' ? origin.from.row.source : navigatedSource(origin.from);
  const relation =
    from === undefined
      ? { kind: 'reference' as const, path: [...origin.path, origin.navigation] }
      : resolveNavigation(scope.layout, { from, path: origin.path, navigation: origin.navigation })
          .relation;
  if (joinsPairs && relation.kind === 'links')
    return joinedPairs(name(`l${rows.row.id}`), relation.links, { target, near });
  return { conditions: [targetCondition(relation, { target, near })] };
}

/** Joined, because PostgreSQL tests `IN` with the pairs of an outer row for every combination of that row and a target. */
function joinedPairs(
  alias: Fragment,
  links: (Relation & { readonly kind: 'links' })['links'],
  { target, near }: NavigationEnds,
): Related {
  const tables = links.map(
    (link) =>
      sql`SELECT ${name(link.near)} AS n, ${name(link.far)} AS f FROM ${tableName(link.table)}`,
  );
  // A navigation that is its own partner may find a pair in both directions.
  const isSymmetric = new Set(links.map(({ table }) => table)).size < links.length;
  return {
    pairs: sql`(${join(tables, isSymmetric ? ' UNION ' : ' UNION ALL ')}) ${alias}`,
    conditions: [sql`${alias}.n = ${near.identity()}`, sql`${ownIdentity(target)} = ${alias}.f`],
  };
}

/** Whether the rows are at most one, which a column of the row that the navigation starts from identifies. */
export function isReferenced(scope: Scope, rows: Rows): boolean {
  const kind = rows.row.source.kind === 'union' ? undefined : relationOf(scope, rows)?.kind;
  return kind === 'reference' || kind === 'parent';
}

/** Whether each of the rows is related to one row only: it is contained in that row, or refers to it. */
export function hasOneOwner(scope: Scope, rows: Rows): boolean {
  const kind = relationOf(scope, rows)?.kind;
  return kind === 'children' || kind === 'inverse';
}

/** How a navigation from a row of a query is stored. */
function relationOf({ layout }: Scope, { origin }: Rows): Relation | undefined {
  if (origin.kind !== 'navigated' || origin.from.kind !== 'variable') return undefined;
  const from = navigatedSource(origin.from);
  const { path, navigation } = origin;
  return from && resolveNavigation(layout, { from, path, navigation }).relation;
}

/** The source of the start row. Undefined for items of a collection, which hold references in their JSON. */
function navigatedSource(from: RowExpression): Source | undefined {
  const isElement = from.kind === 'variable' && from.row.kind === 'element';
  return isElement ? undefined : sourceOf(from);
}

interface Step {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}

function nearRows(scope: Scope, origin: Step & { readonly from: Rows }): Near {
  const { from, path, navigation } = origin;
  return {
    identity: () => knownIdentity(scope, from) ?? fromRows(scope, from, ownIdentity),
    reference: () =>
      fromRows(scope, from, ({ alias, use }) =>
        column(alias, columnName(use, [...path, navigation])),
      ),
    parent: () => fromRows(scope, from, parentOf),
  };
}

function nearRow(scope: Scope, origin: Step & { readonly from: RowExpression }, rows: Rows): Near {
  const { from, path, navigation } = origin;
  const follow: Follow = { kind: 'follow', from, path, navigation, target: rows.row };
  return {
    identity: () => identityOf(scope, from),
    reference: () => reference(scope, follow),
    parent: () => fromRow(scope, from, parentOf),
  };
}

/** The key literal if it is the only condition on the rows, which saves looking up the row. */
function knownIdentity(scope: Scope, rows: Rows): Fragment | undefined {
  const [only, ...others] = rows.where;
  if (rows.origin.kind !== 'source' || only?.kind !== 'compare' || others.length > 0) {
    return undefined;
  }
  const { left, right, operator } = only;
  const identity = useOf(scope.layout, rows.row.source).table.identity;
  const isKey =
    operator === 'eq' &&
    left.kind === 'property' &&
    left.row.kind === 'variable' &&
    left.row.row.id === rows.row.id &&
    left.path.length === 1 &&
    left.path[0]?.name === identity;
  return isKey && right.kind === 'literal' ? compileLiteral(right).sql : undefined;
}
