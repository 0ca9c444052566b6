// Adds the node of rolluprecursive to the result: its properties if the input rows are nodes themselves, its identifier if the rows
// contain only that. OData Data Aggregation 4.0, "Grouping with rolluprecursive".
import { Fault, invariant } from '../../base/fault.ts';
import { type Model, pathName, propertyPath } from '../../edm/model.ts';
import type { Computed, DerivedColumn, Expression, Grouping, Rows } from '../bound.ts';
import { isNotNull } from '../expression/constructors.ts';
import { show } from '../expression/excerpt.ts';
import { typeOfReference } from '../expression/types.ts';
import type { Frame } from '../scope.ts';
import { columnsOfRow, rowsOfColumn } from './derived-columns.ts';
import { OWN_NODE } from './groupby.ts';
import { deriveRows, type Of, type Step } from './transformation-rows.ts';

/** Replaces the node column by the properties of the node, or by its identifier. Throws: bind.name-taken. */
export function withNode(
  frame: Frame,
  { stage, transformations }: Step,
  grouping: Grouping,
  tree: Of<'groupby'>,
): Step {
  const { row } = stage;
  const node = row.kind === 'derived' ? row.columns.get(OWN_NODE) : undefined;
  const rows = row.kind === 'derived' && node !== undefined ? rowsOfColumn(row, node) : undefined;
  if (rows === undefined) return { stage, transformations };
  const { model } = frame;
  const identifier = identifierOf(grouping, tree);
  const own = identifier === undefined ? columnsOfRow(model, rows.row) : [identifier.column];
  const computed = own.map(({ name, indicates }): Computed => {
    const value = propertyOf(model, rows, identifier?.path ?? indicates?.of ?? name);
    return { name, expression: indicates === undefined ? value : isNotNull(value) };
  });
  const others = columnsOfRow(model, row).filter(({ name }) => name !== OWN_NODE);
  const clash = others.find((column) => own.some(({ name }) => name === column.name));
  if (clash !== undefined) {
    const params = { name: clash.name, place: 'in groupby' };
    throw new Fault('bind.name-taken', params, { target: frame.part.target });
  }
  const step = deriveRows(frame, stage, { kind: 'compute', computed }, [...own, ...others]);
  return { stage: step.stage, transformations: [...transformations, ...step.transformations] };
}

/** The identifier of the node, in a column named after the property by which rows refer to it. */
function identifierOf(
  { tree }: Grouping,
  { elements }: Of<'groupby'>,
): { readonly path: string; readonly column: DerivedColumn } | undefined {
  const element = elements.find((one) => one.kind === 'rolluprecursive');
  const identifier = tree?.related?.identifier;
  if (element === undefined || identifier?.kind !== 'property') return undefined;
  const path = pathName(identifier.path);
  return { path, column: { name: show(element.hierarchy.property), type: identifier.type } };
}

/** The property at a path of a row, as an expression. */
function propertyOf(model: Model, rows: Rows, path: string): Expression {
  const steps = propertyPath(model, rows.row.type, path) ?? [];
  const last = steps.at(-1);
  invariant(last !== undefined, `${path} is a path of properties`);
  const type = typeOfReference(model, last);
  return { kind: 'property', row: { kind: 'addressed', rows }, path: steps, type };
}
