import { isAssignable } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { NodeTree, Rows, RowVariable, Transformation } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { bindOperand, type Operand } from '../expression/promotion.ts';
import { commonType, typeName } from '../expression/types.ts';
import { bindOrder } from '../query/order-and-compute.ts';
import { type Frame, faultAt, notBuilt, resolvedVariable, subjectOf } from '../scope.ts';
import { pathTree } from './groupby.ts';
import { hierarchyHint, recursiveHierarchy } from './hierarchy-annotations.ts';

type HierarchyTree = Tree.Transformation & {
  readonly kind: 'ancestors' | 'descendants' | 'traverse';
};
type Hierarchy = Omit<Transformation & { readonly kind: 'hierarchy' }, 'input' | 'output'>;

/** Functions that bind the transformations in the parameters, for input rows and for nodes. */
export interface InnerBinders {
  readonly rows: (apply: Tree.Apply) => readonly Transformation[];
  readonly nodes: (nodes: Rows, apply: Tree.Apply) => readonly Transformation[];
}

/** Throws: bind.unknown-hierarchy, not-built for traverse of entities that are not nodes, and the errors of paths. */
export function bindHierarchy(
  frame: Frame,
  row: RowVariable,
  tree: HierarchyTree,
  binders: InnerBinders,
): Hierarchy {
  const found = findHierarchy(frame, row, tree.hierarchy);
  const base = { kind: 'hierarchy', walk: tree.kind } as const;
  if (tree.kind === 'traverse') {
    if (found.related !== undefined && row.kind === 'entity') {
      const feature = 'traverse of entities that are not nodes of the hierarchy';
      throw notBuilt(frame, feature, tree.at);
    }
    const subject = subjectOf(resolvedVariable(found.nodes.row));
    const orderby = bindOrder({ ...frame, current: subject, this: subject }, tree.orderby);
    const start = tree.start === undefined ? [] : binders.nodes(found.nodes, tree.start);
    const nodeTree = { ...found, start };
    return { ...base, tree: nodeTree, start: [], keepStart: false, order: tree.order, orderby };
  }
  const { distance, keepStart } = tree;
  const start = tree.start === undefined ? [] : binders.rows(tree.start);
  return { ...base, tree: { ...found, start: [] }, start, distance, keepStart, orderby: [] };
}

/** Binds the nodes that rolluprecursive groups by. Throws: as bindHierarchy. */
export function bindNodeTree(
  frame: Frame,
  row: RowVariable,
  element: Tree.GroupElement & { readonly kind: 'rolluprecursive' },
  binders: Pick<InnerBinders, 'nodes'>,
): NodeTree {
  const found = findHierarchy(frame, row, element.hierarchy);
  const start = element.apply === undefined ? [] : binders.nodes(found.nodes, element.apply);
  return { ...found, start };
}

type HierarchyNodes = Omit<NodeTree, 'start'>;

function findHierarchy(
  frame: Frame,
  row: RowVariable,
  tree: Tree.HierarchyReference,
): HierarchyNodes {
  const { model } = frame;
  const { at, qualifier, property } = tree;
  const resolved = frame.session.resolve(frame, tree.nodes);
  if (resolved.kind !== 'rows') {
    throw faultAt(frame, at, 'bind.operand', {
      operator: 'a hierarchy',
      types: show(tree.nodes),
      hint: ' Name a collection of entities, such as $root/Set.',
    });
  }
  const { type } = resolved.rows.row;
  const hierarchy = recursiveHierarchy(model, type, qualifier);
  if (hierarchy === undefined) {
    const hint = hierarchyHint(model, type, 'RecursiveHierarchy', qualifier);
    throw faultAt(frame, at, 'bind.unknown-hierarchy', { name: qualifier, hint });
  }
  const isNode =
    row.kind === 'entity' &&
    isAssignable(model, row.type, type) &&
    row.source.id === resolved.rows.row.source.id;
  const found = { nodes: resolved.rows, parent: hierarchy.parent };
  if (isNode && show(property) === hierarchy.node) return found;
  const node = { ...frame, current: subjectOf(resolvedVariable(resolved.rows.row)) };
  const value = bindOperand(frame, property);
  const identifier = bindOperand(node, pathTree(hierarchy.node, property.at));
  return { ...found, related: sameTypes(frame, value, identifier) };
}

/** Throws: bind.operand if the value cannot be compared with the identifier of a node. */
function sameTypes(
  frame: Frame,
  value: Operand,
  identifier: Operand,
): NodeTree['related'] & object {
  const type = commonType(frame.model, value.value.type, identifier.value.type);
  const isSingle = type?.kind === 'primitive' && !type.collection;
  if (isSingle) return { value: value.value, identifier: identifier.value };
  throw faultAt(frame, value.tree.at, 'bind.operand', {
    operator: 'a hierarchy',
    types: `${show(value.tree)} of type ${typeName(value.value.type)}`,
    hint: ` ${show(identifier.tree)} of type ${typeName(identifier.value.type)} identifies its nodes.`,
  });
}
