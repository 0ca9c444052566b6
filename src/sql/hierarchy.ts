// This file compiles walks through trees: ancestors, descendants, and traverse in preorder or postorder. A tree is made by a single
// navigation from each node to its parent; nodes that lead to themselves in a circle are visited once.
// OData Data Aggregation 4.0, "Transformations ancestors and descendants", "Transformation traverse".
import { invariant } from '../base/fault.ts';
import type { Transformation } from '../bind/bound.ts';
import { column, EMPTY, type Fragment, integer, sql, where } from './fragment.ts';
import { columnName } from './layout.ts';
import { keyOf, orderBy, placeKey } from './order.ts';
import { originOf } from './origin.ts';
import { aliasOf } from './scope.ts';
import { fromRows, identityOfStage, marked, type Stage } from './stage.ts';
import { TEXT } from './storage.ts';
import { useOf } from './union.ts';

type Hierarchy = Transformation & { readonly kind: 'hierarchy' };

/** Nodes deeper than this are not looked for: a limit against circles where the way itself is the order. */
const DEEPEST = 100;

/** The rows of the stage that the walk reaches from the rows of `start`. */
export function walkHierarchy(stage: Stage, walk: Hierarchy, start: Stage): Stage {
  if (walk.walk === 'traverse') return traverse(stage, walk, start);
  const identity = identityOf(stage);
  const reached = sql`${identity} IN (${reachedFrom(walk, start, stage)})`;
  const isStart = sql`${identity} IN (${identitiesOf(start)})`;
  const condition = walk.keepStart ? sql`(${reached} OR ${isStart})` : reached;
  return { ...stage, conditions: [...stage.conditions, condition] };
}

function identityOf(stage: Stage): Fragment {
  const identity = identityOfStage(stage);
  invariant(identity !== undefined, 'a hierarchy is made of entities');
  return identity.sql;
}

function identitiesOf(stage: Stage): Fragment {
  return sql`SELECT ${identityOf(stage)} FROM ${stage.from}${where(stage.conditions)}`;
}

/** Every node with its parent: `n(id, parent)`. */
function nodesOf(walk: Hierarchy, stage: Stage): Fragment {
  const origin = originOf(stage.scope, walk.nodes);
  const use = useOf(stage.scope.layout, walk.nodes.row.source);
  const alias = aliasOf(origin.scope, walk.nodes.row);
  const parent = column(alias, columnName(use, [walk.parent]));
  const identity = column(alias, use.table.identity);
  return sql`SELECT ${identity} AS id, ${parent} AS parent FROM ${origin.from}${where(origin.conditions)}`;
}

/** Without a distance a node is visited once, so that circles end; with one the number of steps is counted. */
function reachedFrom(walk: Hierarchy, start: Stage, stage: Stage): Fragment {
  const isUp = walk.walk === 'ancestors';
  const to = isUp ? sql`n.parent` : sql`n.id`;
  const from = isUp ? sql`n.id` : sql`n.parent`;
  const { distance } = walk;
  const counts = distance !== undefined;
  const first = sql`SELECT ${to}${counts ? sql`, 1` : EMPTY} FROM nodes n WHERE ${from} IN (${identitiesOf(start)})`;
  const limit = counts ? sql` WHERE h.steps < ${integer(distance)}` : EMPTY;
  const next = sql`SELECT ${to}${counts ? sql`, h.steps + 1` : EMPTY} FROM h JOIN nodes n ON ${from} = h.id${limit}`;
  const columns = counts ? sql`id, steps` : sql`id`;
  return sql`WITH RECURSIVE nodes AS (${nodesOf(walk, stage)}), h(${columns}) AS (${first} UNION ${next}) SELECT id FROM h WHERE id IS NOT NULL`;
}

/** Rows in the order of the tree: the way to each node, as the places among its siblings, is what they are ordered by. */
function traverse(stage: Stage, walk: Hierarchy, start: Stage): Stage {
  const { scope, row } = stage;
  const ways = waysFrom(walk, stage, start);
  const identity = identityOf(stage);
  const way = walk.order === 'postorder' ? sql`way || '~'` : sql`way`;
  const alias = aliasOf(scope, row);
  const { stage: next, mark } = marked(stage);
  const rows = sql`SELECT ${alias}.*, w."$way" AS ${mark} FROM ${stage.from} JOIN (${ways(way)}) w ON w.id = ${identity}${where(stage.conditions)}`;
  return { ...fromRows(next, rows), keys: [placeKey(sql`${alias}.${mark}`, TEXT), ...stage.keys] };
}

function waysFrom(walk: Hierarchy, stage: Stage, start: Stage): (mark: Fragment) => Fragment {
  const origin = originOf(stage.scope, walk.nodes);
  const { scope } = origin;
  const use = useOf(scope.layout, walk.nodes.row.source);
  const alias = aliasOf(scope, walk.nodes.row);
  const parent = column(alias, columnName(use, [walk.parent]));
  const identity = column(alias, use.table.identity);
  const keys = walk.orderby.map((item) => keyOf(scope, item));
  const siblings = keys.length === 0 ? sql` ORDER BY ${identity}` : orderBy(scope, keys);
  const place = sql`substr('000000' || row_number() OVER (PARTITION BY ${parent}${siblings}), -7)`;
  const nodes = sql`SELECT ${identity} AS id, ${parent} AS parent, ${place} AS place FROM ${origin.from}${where(origin.conditions)}`;
  const isRoot =
    walk.start.length === 0
      ? sql`n.parent IS NULL OR n.parent NOT IN (SELECT id FROM nodes)`
      : sql`n.id IN (${identitiesOf(start)})`;
  const first = sql`SELECT n.id, n.place, 1 FROM nodes n WHERE ${isRoot}`;
  const next = sql`SELECT n.id, h.way || '.' || n.place, h.steps + 1 FROM h JOIN nodes n ON n.parent = h.id WHERE h.steps < ${integer(DEEPEST)}`;
  return (mark) =>
    sql`WITH RECURSIVE nodes AS (${nodes}), h(id, way, steps) AS (${first} UNION ALL ${next}) SELECT id, min(${mark}) AS "$way" FROM h GROUP BY id`;
}
