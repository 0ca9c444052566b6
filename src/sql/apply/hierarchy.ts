// This file compiles the hierarchy transformations: ancestors, descendants, and traverse in preorder or postorder. A navigation from
// each node to its parent defines the hierarchy; nodes in a cycle are visited once.
// OData Data Aggregation 4.0, "Transformations ancestors and descendants", "Transformation traverse".
import { invariant } from '../../base/fault.ts';
import type { NodeTree, Transformation } from '../../bind/bound.ts';
import { toComparable } from '../expression/convert-storage.ts';
import { column, EMPTY, type Fragment, integer, some, sql, where } from '../fragment.ts';
import { keyOf, orderBy, positionKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { columnName } from '../schema/layout.ts';
import { TEXT } from '../schema/value-storage.ts';
import { aliasOf } from '../scope.ts';
import {
  firstStage,
  fromRows,
  identityOfStage,
  type Stage,
  withHiddenColumn,
} from './transformation-rows.ts';

type Hierarchy = Transformation & { readonly kind: 'hierarchy' };

/** Limit of depth for traverse: its paths would grow forever in a cycle. */
const MAX_DEPTH = 100;

type ApplyAll = (stage: Stage, apply: readonly Transformation[]) => Stage;

/** The rows of the stage that the transformation selects, starting from its start rows. */
export function walkHierarchy(stage: Stage, walk: Hierarchy, applyAll: ApplyAll): Stage {
  const nodes = nodesOf(stage, walk.tree, applyAll);
  if (walk.walk === 'traverse') return traverse(stage, walk, nodes);
  const start = applyAll(stage, walk.start);
  const starts = sql`SELECT ${nodes.keyOf(start)} FROM ${start.from}${where(start.conditions)}`;
  const reachable = nodes.keys(reachableFrom(walk, nodes.ids(starts)));
  const key = nodes.keyOf(stage);
  // The nested statements share one definition of the nodes.
  const withNodes = sql`WITH nodes AS (${nodes.rows}) `;
  const conditions = [
    sql`${key} IN (${withNodes}${reachable})`,
    ...(walk.keepStart ? [sql`${key} IN (${starts})`] : []),
  ];
  return { ...stage, conditions: [...stage.conditions, some(conditions)] };
}

/** The nodes of a hierarchy, and how rows belong to them: by their own identity, or by a value that identifies a node. */
interface Nodes {
  readonly stage: Stage;
  /** `SELECT … AS id, … AS parent, … AS v`. */
  readonly rows: Fragment;
  /** The key of the node that the rows of a stage belong to. */
  readonly keyOf: (stage: Stage) => Fragment;
  /** Identities of the nodes with these keys. */
  readonly ids: (keys: Fragment) => Fragment;
  /** Keys of the nodes with these identities. */
  readonly keys: (ids: Fragment) => Fragment;
  /** The value that identifies a node. */
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
        ? sql`SELECT id FROM (${ids}) q`
        : sql`SELECT v FROM nodes WHERE id IN (${ids})`,
    identifier,
    isRelated: related !== undefined,
  };
}

function identityOf(stage: Stage): Fragment {
  const identity = identityOfStage(stage);
  invariant(identity !== undefined, 'a hierarchy consists of entities');
  return identity.sql;
}

/** Without a distance, UNION visits each node once, which ends cycles. With a distance, the steps are counted. */
function reachableFrom(walk: Hierarchy, starts: Fragment): Fragment {
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

/** Joins each row with its node and all ancestors of the node, whose identities are `alias.x`. */
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
    all: sql`SELECT id FROM (${nodes.rows}) q`,
  };
}

/** Orders rows by the path to their node, which consists of positions among siblings. */
function traverse(stage: Stage, walk: Hierarchy, nodes: Nodes): Stage {
  const { scope, row } = stage;
  const pathQuery = pathsFrom(walk, nodes);
  const identity = nodes.keyOf(stage);
  const path = walk.order === 'postorder' ? sql`way || '~'` : sql`way`;
  const alias = aliasOf(scope, row);
  const { stage: next, hidden } = withHiddenColumn(stage);
  const rows = sql`SELECT ${alias}.*, w."$way" AS ${hidden} FROM ${stage.from} JOIN (${pathQuery(path)}) w ON w.id = ${identity}${where(stage.conditions)}`;
  return {
    ...fromRows(next, rows),
    keys: [positionKey(sql`${alias}.${hidden}`, TEXT), ...stage.keys],
  };
}

function pathsFrom(walk: Hierarchy, { stage, identifier }: Nodes): (path: Fragment) => Fragment {
  const { scope, row } = stage;
  const use = useOf(scope.layout, walk.tree.nodes.row.source);
  const alias = aliasOf(scope, row);
  const parent = column(alias, columnName(use, [walk.tree.parent]));
  const identity = column(alias, use.table.identity);
  const keys = [...walk.orderby.map((item) => keyOf(scope, item)), ...stage.keys];
  const siblings = keys.length === 0 ? sql` ORDER BY ${identity}` : orderBy(scope, keys);
  const number = sql`row_number() OVER (PARTITION BY ${parent}${siblings})`;
  // Seven digits, with leading zeros.
  const position = sql`substr(CAST(10000000 + ${number} AS text), 2)`;
  const nodes = sql`SELECT ${identity} AS id, ${parent} AS parent, ${identifier} AS v, ${position} AS place FROM ${stage.from}${where(stage.conditions)}`;
  const isRoot = sql`n.parent IS NULL OR n.parent NOT IN (SELECT id FROM nodes)`;
  const first = sql`SELECT n.id, n.place, 1 FROM nodes n WHERE ${isRoot}`;
  const next = sql`SELECT n.id, h.way || '.' || n.place, h.steps + 1 FROM h JOIN nodes n ON n.parent = h.id WHERE h.steps < ${integer(MAX_DEPTH)}`;
  return (path) =>
    sql`WITH RECURSIVE nodes AS (${nodes}), h(id, way, steps) AS (${first} UNION ALL ${next}) SELECT n.v AS id, min(${path}) AS "$way" FROM h JOIN nodes n ON n.id = h.id GROUP BY h.id, n.v`;
}
