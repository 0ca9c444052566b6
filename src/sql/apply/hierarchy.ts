// This file compiles the hierarchy transformations: ancestors, descendants, and traverse in preorder or postorder. A navigation from
// each node to its parent defines the hierarchy; nodes in a cycle are visited once.
// OData Data Aggregation 4.0, "Transformations ancestors and descendants", "Transformation traverse".
import { invariant } from '../../base/fault.ts';
import type { NodeTree, Transformation } from '../../bind/bound.ts';
import { toComparable } from '../expression/convert-storage.ts';
import {
  column,
  EMPTY,
  every,
  type Fragment,
  integer,
  join,
  list,
  name,
  sql,
  where,
} from '../fragment.ts';
import { keyOf, orderBy, positionKey } from '../read/order-by.ts';
import { originOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { columnName } from '../schema/layout.ts';
import { TEXT } from '../schema/value-storage.ts';
import { aliasOf } from '../scope.ts';
import { groupName, namedKeys } from './chained-aggregate.ts';
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
  const groups = namedKeys(start.partition);
  const starts = sql`SELECT ${list([sql`${nodes.keyOf(start)} AS id`, ...groups])} FROM ${start.from}${where(start.conditions)}`;
  const { partition } = stage;
  const reachable = nodes.keys(reachableFrom(walk, nodes.ids(starts), partition));
  const kept = walk.keepStart ? sql` UNION ${starts}` : EMPTY;
  // The nested statements share one definition of the nodes.
  const found = sql`WITH nodes AS (${nodes.rows}) ${reachable}${kept}`;
  const condition = isFoundInGroup(stage, nodes.keyOf(stage), found);
  return { ...stage, conditions: [...stage.conditions, condition] };
}

/** Whether the key was found from the start rows of the same group. */
function isFoundInGroup({ scope, partition }: Stage, key: Fragment, found: Fragment): Fragment {
  if (partition.length === 0) return sql`${key} IN (${found})`;
  const same = partition.map((group, index) =>
    scope.dialect.values.same(sql`w.${groupName(index)}`, group),
  );
  return sql`EXISTS (SELECT 1 FROM (${found}) w WHERE ${every([sql`w.id = ${key}`, ...same])})`;
}

/** `, s."$g1"`: the group that a start row has passed on to what was found from it. */
function groupsAt(alias: string, partition: readonly Fragment[]): Fragment {
  return join(
    partition.map((_, index) => sql`, ${name(alias)}.${groupName(index)}`),
    '',
  );
}

/** The nodes of a hierarchy, and how rows belong to them: by their own identity, or by a value that identifies a node. */
interface Nodes {
  readonly stage: Stage;
  /** `SELECT … AS id, … AS parent, … AS v`. */
  readonly rows: Fragment;
  /** The key of the node that the rows of a stage belong to. */
  readonly keyOf: (stage: Stage) => Fragment;
  /** Identities of the nodes with these keys, with their groups. */
  readonly ids: (keys: Fragment) => Fragment;
  /** Keys of the nodes with these identities, with their groups. */
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
  const groups = groupsAt('q', stage.partition);
  return {
    stage: own,
    rows: sql`SELECT ${identity} AS id, ${parent} AS parent, ${identifier} AS v FROM ${own.from}${where(own.conditions)}`,
    keyOf: (of) => compare(of)?.[0].sql ?? identityOf(of),
    ids: (keys) =>
      related === undefined
        ? keys
        : sql`SELECT n.id${groups} FROM nodes n JOIN (${keys}) q ON q.id = n.v`,
    keys: (ids) =>
      related === undefined
        ? sql`SELECT q.id${groups} FROM (${ids}) q`
        : sql`SELECT n.v AS id${groups} FROM nodes n JOIN (${ids}) q ON q.id = n.id`,
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
function reachableFrom(
  walk: Hierarchy,
  starts: Fragment,
  partition: readonly Fragment[],
): Fragment {
  const isUp = walk.walk === 'ancestors';
  const to = isUp ? sql`n.parent` : sql`n.id`;
  const from = isUp ? sql`n.id` : sql`n.parent`;
  const { distance } = walk;
  const counts = distance !== undefined;
  const first = sql`SELECT ${to}${counts ? sql`, 1` : EMPTY}${groupsAt('s', partition)} FROM nodes n JOIN (${starts}) s ON ${from} = s.id`;
  const limit = counts ? sql` WHERE h.steps < ${integer(distance)}` : EMPTY;
  const next = sql`SELECT ${to}${counts ? sql`, h.steps + 1` : EMPTY}${groupsAt('h', partition)} FROM h JOIN nodes n ON ${from} = h.id${limit}`;
  const names = partition.map((_, index) => groupName(index));
  const columns = list([sql`id`, ...(counts ? [sql`steps`] : []), ...names]);
  return sql`WITH RECURSIVE h(${columns}) AS (${first} UNION ${next}) SELECT ${list([sql`id`, ...names])} FROM h WHERE id IS NOT NULL`;
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

function pathsFrom(
  walk: Hierarchy,
  { stage, identifier, rows }: Nodes,
): (path: Fragment) => Fragment {
  const { scope, row } = stage;
  const use = useOf(scope.layout, walk.tree.nodes.row.source);
  const alias = aliasOf(scope, row);
  const own = column(alias, columnName(use, [walk.tree.parent]));
  // Nodes whose parent is outside are roots, and siblings of the other roots.
  const parent = sql`CASE WHEN ${own} IN (SELECT id FROM (${rows}) q) THEN ${own} END`;
  const identity = column(alias, use.table.identity);
  const keys = [...walk.orderby.map((item) => keyOf(scope, item)), ...stage.keys];
  const siblings = keys.length === 0 ? sql` ORDER BY ${identity}` : orderBy(scope, keys);
  const number = sql`row_number() OVER (PARTITION BY ${parent}${siblings})`;
  // Seven digits, with leading zeros.
  const position = sql`substr(CAST(10000000 + ${number} AS text), 2)`;
  const nodes = sql`SELECT ${identity} AS id, ${parent} AS parent, ${identifier} AS v, ${position} AS place FROM ${stage.from}${where(stage.conditions)}`;
  const first = sql`SELECT n.id, n.place, 1 FROM nodes n WHERE n.parent IS NULL`;
  const next = sql`SELECT n.id, h.way || '.' || n.place, h.steps + 1 FROM h JOIN nodes n ON n.parent = h.id WHERE h.steps < ${integer(MAX_DEPTH)}`;
  return (path) =>
    sql`WITH RECURSIVE nodes AS (${nodes}), h(id, way, steps) AS (${first} UNION ALL ${next}) SELECT n.v AS id, min(${path}) AS "$way" FROM h JOIN nodes n ON n.id = h.id GROUP BY h.id, n.v`;
}
