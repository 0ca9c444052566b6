// This file binds ancestors, descendants and traverse: walks through a tree that a single navigation from each node to its parent
// makes of the entities of a set. OData Data Aggregation 4.0, "Hierarchical Transformations".
import { Fault } from '../../base/fault.ts';
import { isAssignable } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { NodeTree, Rows, RowVariable, Transformation } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { bindOperand, type Operand } from '../expression/promotion.ts';
import { commonType, typeName } from '../expression/types.ts';
import { bindOrder } from '../query/order-and-compute.ts';
import { type Frame, placeOf, reachVariable, subjectOf, whereOf } from '../scope.ts';
import { hierarchyHint, recursiveHierarchy } from './hierarchy-annotations.ts';

type Walking = Tree.Transformation & { readonly kind: 'ancestors' | 'descendants' | 'traverse' };
type Hierarchy = Omit<Transformation & { readonly kind: 'hierarchy' }, 'input' | 'output'>;

/** How the sequences inside are bound: those about the rows, and those about the nodes. */
export interface Choosing {
  readonly rows: (apply: Tree.Apply) => readonly Transformation[];
  readonly nodes: (nodes: Rows, apply: Tree.Apply) => readonly Transformation[];
}

/** Faults: bind.unknown-hierarchy, not-built for the order of rows that are no nodes themselves, and those of paths. */
export function bindHierarchy(
  frame: Frame,
  row: RowVariable,
  tree: Walking,
  choosing: Choosing,
): Hierarchy {
  const found = findHierarchy(frame, row, tree.hierarchy);
  const base = { kind: 'hierarchy', walk: tree.kind } as const;
  if (tree.kind === 'traverse') {
    if (found.related !== undefined && row.kind === 'entity') {
      const feature = 'traverse of entities that are no nodes of the hierarchy themselves';
      throw new Fault('not-built', { feature }, whereOf(frame, tree.at));
    }
    const subject = subjectOf(reachVariable(found.nodes.row));
    const orderby = bindOrder({ ...frame, current: subject, this: subject }, tree.orderby);
    const start = tree.start === undefined ? [] : choosing.nodes(found.nodes, tree.start);
    const nodeTree = { ...found, start };
    return { ...base, tree: nodeTree, start: [], keepStart: false, order: tree.order, orderby };
  }
  const { distance, keepStart } = tree;
  const start = tree.start === undefined ? [] : choosing.rows(tree.start);
  const walk = { ...base, tree: { ...found, start: [] }, start, keepStart, orderby: [] };
  return { ...walk, ...(distance === undefined ? {} : { distance }) };
}

/** The nodes that rolluprecursive groups by. Faults: those of bindHierarchy. */
export function bindNodeTree(
  frame: Frame,
  row: RowVariable,
  element: Tree.GroupElement & { readonly kind: 'rolluprecursive' },
  choosing: Pick<Choosing, 'nodes'>,
): NodeTree {
  const found = findHierarchy(frame, row, element.hierarchy);
  const start = element.apply === undefined ? [] : choosing.nodes(found.nodes, element.apply);
  return { ...found, start };
}

type Found = Omit<NodeTree, 'start'>;

function findHierarchy(frame: Frame, row: RowVariable, tree: Tree.HierarchyReference): Found {
  const { model } = frame.session.scope;
  const { at, qualifier, property } = tree;
  const reached = frame.session.reach(frame, tree.nodes);
  if (reached.kind !== 'rows') {
    throw new Fault(
      'bind.operand',
      {
        operator: 'a hierarchy',
        types: show(tree.nodes),
        place: placeOf(frame, at),
        hint: ' Name a collection of entities, such as $root/Set.',
      },
      whereOf(frame, at),
    );
  }
  const { type } = reached.rows.row;
  const hierarchy = recursiveHierarchy(model, type, qualifier);
  if (hierarchy === undefined) {
    const hint = hierarchyHint(model, type, 'RecursiveHierarchy', qualifier);
    throw new Fault(
      'bind.unknown-hierarchy',
      { name: qualifier, hint, place: placeOf(frame, at) },
      whereOf(frame, at),
    );
  }
  const isNode =
    row.kind === 'entity' &&
    isAssignable(model, row.type, type) &&
    row.source.id === reached.rows.row.source.id;
  const found = { nodes: reached.rows, parent: hierarchy.parent };
  if (isNode && show(property) === hierarchy.node) return found;
  const node = { ...frame, current: subjectOf(reachVariable(reached.rows.row)) };
  const value = bindOperand(frame, property);
  const identifier = bindOperand(node, pathOf(hierarchy.node, property.at));
  return { ...found, related: sameTypes(frame, value, identifier) };
}

/** Faults: bind.operand where the path leads to nothing that identifies a node. */
function sameTypes(
  frame: Frame,
  value: Operand,
  identifier: Operand,
): NodeTree['related'] & object {
  const { model } = frame.session.scope;
  const type = commonType(model, value.value.type, identifier.value.type);
  const isSingle = type?.kind === 'primitive' && !type.collection;
  if (isSingle) return { value: value.value, identifier: identifier.value };
  throw new Fault(
    'bind.operand',
    {
      operator: 'a hierarchy',
      types: `${show(value.tree)} of type ${typeName(value.value.type)}`,
      place: placeOf(frame, value.tree.at),
      hint: ` Its nodes are identified by ${show(identifier.tree)} of type ${typeName(identifier.value.type)}.`,
    },
    whereOf(frame, value.tree.at),
  );
}

function pathOf(path: string, at: number): Tree.PathExpression {
  const steps = path
    .split('/')
    .map((name) => ({ kind: 'name', at, name, arguments: undefined, key: undefined }) as const);
  return { kind: 'path', at, root: { kind: 'current' }, steps };
}
