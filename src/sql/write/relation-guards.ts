// Compiles the guards of relations: no cycles, no entity related to itself, no duplicates. The guards run after the changes of the
// same write, in its transaction, and check what is stored.
import { InvariantError, invariant } from '../../base/fault.ts';
import type { Navigation } from '../../edm/model.ts';
import type { Register } from '../../plan/write-plan.ts';
import { constantText, every, type Fragment, join, name, sql, tableName } from '../fragment.ts';
import {
  columnName,
  type Layout,
  PARENT_COLUMN,
  type TableUse,
  tableOf,
} from '../schema/layout.ts';
import { resolveNavigation } from '../schema/relation-storage.ts';
import { identityOf, require, rowIs, type StepOf, type WriteScope } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

type Acyclic = StepOf<'acyclic'>;
type Apart = StepOf<'apart'>;
type Once = StepOf<'once'>;

/**
 * Requires that the new relation does not complete a cycle through its start row. Each row is visited once, so the search ends even if
 * there are older cycles elsewhere.
 * `WITH RECURSIVE up(id) AS (SELECT … UNION SELECT …) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM up WHERE id = ?)`.
 */
export function compileAcyclic(step: Acyclic, scope: WriteScope): ScriptStep {
  const { start, navigation, first } = firstEdge(step, scope.layout);
  const edges = edgesOf(scope.layout, navigation);
  const begin = sql`SELECT e.above FROM (${edges}) e WHERE e.node = ${identityOf(start)}${first}`;
  const next = sql`SELECT e.above FROM up JOIN (${edges}) e ON e.node = up.id`;
  const cycle = sql`SELECT 1 FROM up WHERE id = ${identityOf(start)}`;
  return require(sql`WITH RECURSIVE up(id) AS (${begin} UNION ${next}) SELECT 1 WHERE NOT EXISTS (${cycle})`, step.fault, scope);
}

/** The start of the search: the row that holds the reference, and the navigation to follow from there. */
function firstEdge({ row, navigation, to }: Acyclic, layout: Layout) {
  const { relation } = resolveNavigation(layout, { from: row.source, path: [], navigation });
  switch (relation.kind) {
    case 'reference':
      return { start: row, navigation, first: only(to) };
    case 'inverse':
      return { start: to, navigation: relation.navigation, first: only(row) };
    case 'links':
      return { start: row, navigation, first: only(to) };
    default:
      throw new InvariantError(`${navigation.name} is a containment and cannot be linked`);
  }
}

/** Restricts the first edge to the relation that the write has created, if it still exists. */
function only(row: Register): Fragment {
  return sql` AND e.above = ${identityOf(row)}`;
}

/** Pairs of identities, `node` and `above`, from all tables whose rows have the navigation. */
function edgesOf(layout: Layout, navigation: Navigation): Fragment {
  const found = [...layout.bySource.values()].flatMap((use) => edgesIn(layout, use, navigation));
  const tables = [...new Map(found.map((edges) => [constantText(edges), edges])).values()];
  invariant(tables.length > 0, `no table stores ${navigation.name}`);
  return join(tables, ' UNION ALL ');
}

function edgesIn(layout: Layout, use: TableUse, navigation: Navigation): readonly Fragment[] {
  if (!hasNavigation(layout, use, navigation)) return [];
  const { relation } = resolveNavigation(layout, { from: use.source, path: [], navigation });
  const { table, source } = use;
  if (relation.kind === 'links') {
    return relation.links.map((link) => pairs(link.table, link.near, link.far));
  }
  invariant(relation.kind === 'reference', `${navigation.name} is not a column of ${source.id}`);
  return [pairs(table.name, table.identity, columnName(use, [navigation]))];
}

function pairs(table: string, node: string, above: string): Fragment {
  return sql`SELECT ${name(node)} AS node, ${name(above)} AS above FROM ${tableName(table)}`;
}

/**
 * Requires that the two ends differ.
 * `SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM "RecordRelations" WHERE "Uid" = ? AND "Source" = "Target")`.
 */
export function compileApart(step: Apart, scope: WriteScope): readonly ScriptStep[] {
  const { row, source, target, fault } = step;
  const use = tableOf(scope.layout, row.source);
  if (!hasNavigation(scope.layout, use, target)) return [];
  const [near, far] = endsOf(use, source, target);
  const same = sql`SELECT 1 FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)} AND ${near} = ${far}`;
  return [require(sql`SELECT 1 WHERE NOT EXISTS (${same})`, fault, scope)];
}

/** Requires that no other row has the same ends and the same type (both may have none). Rows without both ends are ignored. */
export function compileOnce(step: Once, scope: WriteScope): readonly ScriptStep[] {
  const { row, source, target, by, fault } = step;
  const use = tableOf(scope.layout, row.source);
  if (!hasNavigation(scope.layout, use, target)) return [];
  const table = tableName(use.table.name);
  const sameEnds = endsOf(use, source, target).map((end) => sql`other.${end} = this.${end}`);
  const sameType = by === undefined ? [] : [sameOrNull(name(columnName(use, [by])))];
  const isOther = sql`other.${name(use.table.identity)} <> this.${name(use.table.identity)}`;
  const isThis = sql`this.${rowIs(use, row)}`;
  const found = sql`SELECT 1 FROM ${table} this JOIN ${table} other ON ${every([...sameEnds, ...sameType, isOther])} WHERE ${isThis}`;
  return [require(sql`SELECT 1 WHERE NOT EXISTS (${found})`, fault, scope)];
}

function sameOrNull(column: Fragment): Fragment {
  return sql`(other.${column} = this.${column} OR (other.${column} IS NULL AND this.${column} IS NULL))`;
}

/** The columns of the two entities that the row relates. */
function endsOf(
  use: TableUse,
  source: Navigation | undefined,
  target: Navigation,
): readonly [Fragment, Fragment] {
  const near = source === undefined ? PARENT_COLUMN : columnName(use, [source]);
  return [name(near), name(columnName(use, [target]))];
}

/** Whether rows of the table can have the navigation. */
function hasNavigation(
  { model }: Layout,
  { source: { type } }: TableUse,
  navigation: Navigation,
): boolean {
  const types = [type, ...model.derived(type)];
  return types.some((one) => model.stored(one).get(navigation.name) === navigation);
}
