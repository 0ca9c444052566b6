// Writes the rows that $apply produces. Columns named by paths (`Status/Text`) become nested objects, and values without a
// declared type are annotated. OData Data Aggregation 4.0, "Representation of Aggregated Instances".

import { indicatorValue, isAnyDefined, rowsOfColumn } from '../../bind/apply/derived-columns.ts';
import type { DerivedColumn, Expression, Query, Rows } from '../../bind/bound.ts';
import type { Shape, ShapeMember } from '../read-plan.ts';
import { selectedComputed } from './property-values.ts';
import { annotation, constant, type ShapeScope, typeAnnotation } from './shape-scope.ts';

export type DerivedRow = Query['row'] & { readonly kind: 'derived' };

/** Inputs for the shape of derived rows. `whole` writes an entire entity in a column, which row-shape.ts implements. */
export interface DerivedScope {
  readonly scope: ShapeScope;
  /** Rows derived from entities are transient entities without an id; rows derived from combinations are not entities. */
  readonly isTransient: boolean;
  readonly whole: (name: string, rows: Rows) => ShapeMember & { readonly kind: 'one' };
}

export function derivedShape(derived: DerivedScope, row: DerivedRow, query: Query): Shape {
  const { scope } = derived;
  const columns = selectedColumns(row, query);
  return {
    row,
    form: scope.form,
    members: [
      ...(derived.isTransient ? transientId(scope) : []),
      ...groupMembers(derived, row, groupColumns(columns)),
      ...selectedComputed(scope, query),
    ],
  };
}

/** Derived rows are transient entities: they have no id. OData JSON Format 4.01, "Control Information: id". */
function transientId(scope: ShapeScope): readonly ShapeMember[] {
  const isWritten = scope.version === '4.0' && scope.metadata !== 'none';
  return isWritten ? [constant(annotation(scope, '', 'id'), 'null')] : [];
}

/** The selected columns, in the order of the row. */
export function selectedColumns(
  row: DerivedRow,
  { selection, nested = [] }: Query,
): readonly DerivedColumn[] {
  const columns = [...row.columns.values()].filter(
    ({ indicates, name }) => indicates === undefined && !nested.some((one) => one.name === name),
  );
  if (selection.all) return columns;
  const names = selection.items.flatMap((item) => {
    if (item.kind === 'named') return [item.name];
    return item.kind === 'property' ? [item.property.name] : [];
  });
  return columns.filter((column) =>
    names.some((name) => column.name === name || column.name.startsWith(`${name}/`)),
  );
}

/** Columns grouped by path segment; `column` is set if its name ends at this group. */
export interface ColumnGroup {
  readonly column?: DerivedColumn;
  readonly groups: ReadonlyMap<string, ColumnGroup>;
}

interface GrowingGroup {
  column?: DerivedColumn;
  readonly groups: Map<string, GrowingGroup>;
}

/** `Status/Text`, `Status/Value` and `N` as a tree. */
export function groupColumns(columns: readonly DerivedColumn[]): ColumnGroup {
  const root: GrowingGroup = { groups: new Map() };
  for (const column of columns) {
    let group = root;
    for (const step of column.name.split('/')) {
      const inner = group.groups.get(step) ?? { groups: new Map() };
      group.groups.set(step, inner);
      group = inner;
    }
    group.column = column;
  }
  return root;
}

function groupMembers(
  derived: DerivedScope,
  row: DerivedRow,
  { groups }: ColumnGroup,
  path = '',
): readonly ShapeMember[] {
  return [...groups].flatMap(([name, group]): readonly ShapeMember[] => {
    const { column } = group;
    if (column !== undefined) return columnMembers(derived, row, name, column);
    const prefix = `${path}${name}`;
    const members = groupMembers(derived, row, group, `${prefix}/`);
    const notNull = indicatorValue(row, 'object', prefix);
    const when = isAnyDefined(row, prefix);
    const object: ShapeMember = { kind: 'object', name, members, notNull, when };
    return [object];
  });
}

function columnMembers(
  derived: DerivedScope,
  row: DerivedRow,
  name: string,
  column: DerivedColumn,
): readonly ShapeMember[] {
  const { scope } = derived;
  const when = indicatorValue(row, 'defined', column.name);
  const rows = rowsOfColumn(row, column);
  if (rows !== undefined) return [{ ...derived.whole(name, rows), when }];
  const { type } = column;
  const value: Expression = { kind: 'column', row, name: column.name, type };
  const isDeclared = column.name.includes('/') || type.kind === 'complex';
  const isAnnotated = scope.metadata === 'full' || (scope.metadata === 'minimal' && !isDeclared);
  const annotations = isAnnotated ? typeAnnotation(scope, name, type) : [];
  return [
    ...annotations.map((one) => (one.kind === 'constant' ? { ...one, when } : one)),
    { kind: 'value', name, value, when },
  ];
}
