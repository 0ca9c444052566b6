// This file compiles walks through trees: ancestors, descendants, and traverse in preorder or postorder. A tree is made by a single
// navigation from each node to its parent; nodes that lead to themselves in a circle are visited once.
// OData Data Aggregation 4.0, "Transformations ancestors and descendants", "Transformation traverse".
import { invariant } from '../../base/fault.ts';
import type { NodeTree, Transformation } from '../../bind/bound.ts';
import { toComparable } from '../expression/convert-storage.ts';
import { column, EMPTY, type Fragment, integer, some, sql, where } from '../fragment.ts';
import { keyOf, orderBy, placeKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { columnName } from '../schema/layout.ts';
import { TEXT } from '../schema/value-storage.ts';
import { aliasOf } from '../scope.ts';
import {
  firstStage,
  fromRows,
  identityOfStage,
  marked,
  type Stage,
} from './transformation-rows.ts';

type Hierarchy = Transformation & { readonly kind: 'hierarchy' };

/** Nodes deeper than this are not looked for: a limit against circles where the way itself is the order. */
const DEEPEST = 100;

type ApplyAll = (stage: Stage, apply: readonly Transformation[]) => Stage;

/** The rows of the stage that the walk reaches from the rows where it starts. */
export function walkHierarchy(stage: Stage, walk: Hierarchy, applyAll: ApplyAll): Stage {
  const nodes = nodesOf(stage, walk.tree, applyAll);
  if (walk.walk === 'traverse') return traverse(stage, walk, nodes);
  const start = applyAll(stage, walk.start);
  const starts = sql`SELECT ${nodes.keyOf(start)} FROM ${start.from}${where(start.conditions)}`;
  const reached = nodes.keys(reachedFrom(walk, nodes.ids(starts)));
  const key = nodes.keyOf(stage);
  // The statements stand in each other, so that the nodes are named once for all of them.
  const within = sql`WITH nodes AS (${nodes.rows}) `;
  const conditions = [
    sql`${key} IN (${within}${reached})`,
    ...(walk.keepStart ? [sql`${key} IN (${starts})`] : []),
  ];
  return { ...stage, conditions: [...stage.conditions, some(conditions)] };
}

/** The nodes of a tree, and how rows belong to them: by their own identity, or by a value that identifies a node. */
interface Nodes {
  readonly stage: Stage;
  /** `SELECT … AS id, … AS parent, … AS v`. */
  readonly rows: Fragment;
  /** What tells which node the rows of a stage belong to. */
  readonly keyOf: (stage: Stage) => Fragment;
  /** Identities of the nodes that have these keys. */
  readonly ids: (keys: Fragment) => Fragment;
  /** Keys of the nodes that have these identities. */
  readonly keys: (ids: Fragment) => Fragment;
  /** What identifies a node. */
  readonly identifier: Fragment;
  readonly isRelated: boolean;
}

function nodesOf(stage: Stage, tree: NodeTree, applyAll: ApplyAll): Nodes {
  const all = firstStage(originOf(stage.scope, tree.nodes), tree.nodes.row);
  const own = applyAll(all, tree.start);
  const use = useOf(own.scope.layout, tree.nodes.row.source);
  const alias = aliasOf(own.scope, tree.nodes.row);
  const parent = column(alias, columnName(use, [tree.parent]));
  const identity = column(alias, use.table.identity);
  const { related } = tree;
  const compare = (of: Stage) => {
    const pair =
      related &&
      ([
        of.scope.value(of.scope, related.value),
        own.scope.value(own.scope, related.identifier),
      ] as const);
    return pair && toComparable(of.scope.dialect, ...pair);
  };
  const identifier = compare(stage)?.[1].sql ?? identity;
  return {
    stage: own,
    rows: sql`SELECT ${identity} AS id, ${parent} AS parent, ${identifier} AS v FROM ${own.from}${where(own.conditions)}`,
    keyOf: (of) => compare(of)?.[0].sql ?? identityOf(of),
    ids: (keys) => (related === undefined ? keys : sql`SELECT id FROM nodes WHERE v IN (${keys})`),
    keys: (ids) =>
      related === undefined
        ? sql`SELECT id FROM (${ids})`
        : sql`SELECT v FROM nodes WHERE id IN (${ids})`,
    identifier,
    isRelated: related !== undefined,
  };
}

function identityOf(stage: Stage): Fragment {
  const identity = identityOfStage(stage);
  invariant(identity !== undefined, 'a hierarchy is made of entities');
  return identity.sql;
}

/** Without a distance a node is visited once, so that circles end; with one the number of steps is counted. */
function reachedFrom(walk: Hierarchy, starts: Fragment): Fragment {
  const isUp = walk.walk === 'ancestors';
  const to = isUp ? sql`n.parent` : sql`n.id`;
  const from = isUp ? sql`n.id` : sql`n.parent`;
  const { distance } = walk;
  const counts = distance !== undefined;
  const first = sql`SELECT ${to}${counts ? sql`, 1` : EMPTY} FROM nodes n WHERE ${from} IN (${starts})`;
  const limit = counts ? sql` WHERE h.steps < ${integer(distance)}` : EMPTY;
  const next = sql`SELECT ${to}${counts ? sql`, h.steps + 1` : EMPTY} FROM h JOIN nodes n ON ${from} = h.id${limit}`;
  const columns = counts ? sql`id, steps` : sql`id`;
  return sql`WITH RECURSIVE h(${columns}) AS (${first} UNION ${next}) SELECT id FROM h WHERE id IS NOT NULL`;
}

/** A join that puts beside each row its node and all nodes above it, whose identities are `alias.x`. */
export function joinNodes(
  stage: Stage,
  tree: NodeTree,
  alias: Fragment,
  applyAll: ApplyAll,
): { readonly join: Fragment; readonly all: Fragment } {
  const nodes = nodesOf(stage, tree, applyAll);
  const next = sql`SELECT c.x, n.id FROM c JOIN nodes n ON n.parent = c.d`;
  const below = sql`WITH RECURSIVE nodes AS (${nodes.rows}), c(x, d) AS (SELECT id, id FROM nodes UNION ${next}) SELECT c.x AS x, n.id AS d, n.v AS v FROM c JOIN nodes n ON n.id = c.d`;
  const same = sql`${alias}.${nodes.isRelated ? sql`v` : sql`d`} = ${nodes.keyOf(stage)}`;
  return {
    join: sql` JOIN (${below}) ${alias} ON ${same}`,
    all: sql`SELECT id FROM (${nodes.rows})`,
  };
}

/** Rows in the order of the tree: the way to each node, as the places among its siblings, is what they are ordered by. */
function traverse(stage: Stage, walk: Hierarchy, nodes: Nodes): Stage {
  const { scope, row } = stage;
  const ways = waysFrom(walk, nodes);
  const identity = nodes.keyOf(stage);
  const way = walk.order === 'postorder' ? sql`way || '~'` : sql`way`;
  const alias = aliasOf(scope, row);
  const { stage: next, mark } = marked(stage);
  const rows = sql`SELECT ${alias}.*, w."$way" AS ${mark} FROM ${stage.from} JOIN (${ways(way)}) w ON w.id = ${identity}${where(stage.conditions)}`;
  return { ...fromRows(next, rows), keys: [placeKey(sql`${alias}.${mark}`, TEXT), ...stage.keys] };
}

function waysFrom(walk: Hierarchy, { stage, identifier }: Nodes): (mark: Fragment) => Fragment {
  const { scope, row } = stage;
  const use = useOf(scope.layout, walk.tree.nodes.row.source);
  const alias = aliasOf(scope, row);
  const parent = column(alias, columnName(use, [walk.tree.parent]));
  const identity = column(alias, use.table.identity);
  const keys = [...walk.orderby.map((item) => keyOf(scope, item)), ...stage.keys];
  const siblings = keys.length === 0 ? sql` ORDER BY ${identity}` : orderBy(scope, keys);
  const place = sql`substr('000000' || row_number() OVER (PARTITION BY ${parent}${siblings}), -7)`;
  const nodes = sql`SELECT ${identity} AS id, ${parent} AS parent, ${identifier} AS v, ${place} AS place FROM ${stage.from}${where(stage.conditions)}`;
  const isRoot = sql`n.parent IS NULL OR n.parent NOT IN (SELECT id FROM nodes)`;
  const first = sql`SELECT n.id, n.place, 1 FROM nodes n WHERE ${isRoot}`;
  const next = sql`SELECT n.id, h.way || '.' || n.place, h.steps + 1 FROM h JOIN nodes n ON n.parent = h.id WHERE h.steps < ${integer(DEEPEST)}`;
  return (mark) =>
    sql`WITH RECURSIVE nodes AS (${nodes}), h(id, way, steps) AS (${first} UNION ALL ${next}) SELECT n.v AS id, min(${mark}) AS "$way" FROM h JOIN nodes n ON n.id = h.id GROUP BY h.id`;
}
