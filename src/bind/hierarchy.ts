// This file binds ancestors, descendants and traverse: walks through a tree that a single navigation from each node to its parent
// makes of the entities of a set. OData Data Aggregation 4.0, "Hierarchical Transformations".
import { Fault } from '../base/fault.ts';
import type { Navigation } from '../edm/model.ts';
import { isAssignable } from '../edm/model.ts';
import type * as Tree from '../request/tree.ts';
import type { Rows, RowVariable, Transformation } from './bound.ts';
import { hierarchyHint, recursiveHierarchy } from './hierarchy-terms.ts';
import { bindOrder } from './ordering.ts';
import { type Frame, placeOf, reachVariable, subjectOf, whereOf } from './scope.ts';
import { show } from './show.ts';

type Walking = Tree.Transformation & { readonly kind: 'ancestors' | 'descendants' | 'traverse' };
type Hierarchy = Omit<Transformation & { readonly kind: 'hierarchy' }, 'input' | 'output'>;

/** Faults: bind.unknown-hierarchy, not-built where the rows are no nodes themselves, and those of paths. */
export function bindHierarchy(
  frame: Frame,
  row: RowVariable,
  tree: Walking,
  bindStart: (start: Tree.Apply) => readonly Transformation[],
): Hierarchy {
  const { nodes, parent } = findHierarchy(frame, row, tree.hierarchy);
  const start = tree.start === undefined ? [] : bindStart(tree.start);
  const base = { kind: 'hierarchy', walk: tree.kind, parent, nodes, start } as const;
  if (tree.kind === 'traverse') {
    const subject = subjectOf(reachVariable(nodes.row));
    const orderby = bindOrder({ ...frame, current: subject, this: subject }, tree.orderby);
    return { ...base, keepStart: false, order: tree.order, orderby };
  }
  const { distance, keepStart } = tree;
  return { ...base, keepStart, orderby: [], ...(distance === undefined ? {} : { distance }) };
}

interface Found {
  readonly nodes: Rows;
  readonly parent: Navigation;
}

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
  if (!isNode || show(property) !== hierarchy.node) {
    const feature = 'a walk through a hierarchy by rows that are no nodes of it themselves';
    throw new Fault('not-built', { feature }, whereOf(frame, property.at));
  }
  return { nodes: reached.rows, parent: hierarchy.parent };
}
