// This file puts the node that rolluprecursive has grouped by into the rows of the result: its properties where the rows are nodes
// themselves, its identifier where nothing else relates them. OData Data Aggregation 4.0, "Grouping with rolluprecursive".
import { Fault, invariant } from '../../base/fault.ts';
import type { Model, Property } from '../../edm/model.ts';
import type { Computed, DerivedColumn, Expression, Grouping, Rows, ValueType } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { typeOfReference } from '../expression/types.ts';
import type { Frame } from '../scope.ts';
import { columnsOfRow, rowsOfColumn } from './derived-columns.ts';
import { isThere, OWN_NODE } from './groupby.ts';
import { deriving, type Of, type Step } from './transformation-rows.ts';

/** The properties of the node that rows were grouped by, in its place; or its identifier, where no navigation leads to it. */
export function withNode(
  frame: Frame,
  { stage, made }: Step,
  grouping: Grouping,
  tree: Of<'groupby'>,
): Step {
  const { row } = stage;
  const node = row.kind === 'derived' ? row.columns.get(OWN_NODE) : undefined;
  const rows = row.kind === 'derived' && node !== undefined ? rowsOfColumn(row, node) : undefined;
  if (rows === undefined) return { stage, made };
  const { model } = frame.session.scope;
  const identifier = identifierOf(grouping, tree);
  const own = identifier === undefined ? columnsOfRow(model, rows.row) : [identifier.column];
  const computed = own.map(({ name, tells }): Computed => {
    const value = propertyOf(model, rows, identifier?.path ?? tells?.of ?? name);
    return { name, expression: tells === undefined ? value : isThere(value) };
  });
  const others = columnsOfRow(model, row).filter(({ name }) => name !== OWN_NODE);
  const clash = others.find((column) => own.some(({ name }) => name === column.name));
  if (clash !== undefined) {
    const fault = { name: clash.name, place: 'in groupby' };
    throw new Fault('bind.name-taken', fault, { target: frame.part.target });
  }
  const step = deriving(frame, stage, { kind: 'compute', computed }, [...own, ...others]);
  return { stage: step.stage, made: [...made, ...step.made] };
}

/** The identifier of the node under the path by which rows are related to it. */
function identifierOf(
  { tree }: Grouping,
  { elements }: Of<'groupby'>,
): { readonly path: string; readonly column: DerivedColumn } | undefined {
  const element = elements.find((one) => one.kind === 'rolluprecursive');
  const identifier = tree?.related?.identifier;
  if (element === undefined || identifier?.kind !== 'property') return undefined;
  const path = identifier.path.map(({ name }) => name).join('/');
  return { path, column: { name: show(element.hierarchy.property), type: identifier.type } };
}

/** A property of one row, by the names of its path. */
function propertyOf(model: Model, rows: Rows, path: string): Expression {
  const steps: Property[] = [];
  let type: ValueType = { kind: 'entity', type: rows.row.type, collection: false };
  for (const name of path.split('/')) {
    const owner: ValueType = type;
    const isOwner = owner.kind === 'entity' || owner.kind === 'complex';
    const member = isOwner ? model.members(owner.type).get(name) : undefined;
    invariant(member?.kind === 'property', `${path} is a path of properties`);
    steps.push(member);
    type = typeOfReference(model, member);
  }
  return { kind: 'property', row: { kind: 'addressed', rows }, path: steps, type };
}
