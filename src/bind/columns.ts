// This file makes the rows that $apply derives: their columns by name, and those of an entity spread out so that it can stand beside
// derived rows. OData Data Aggregation 4.0, "Transformations".
import type { Model, StructuredType } from '../edm/model.ts';
import type { Computed, DerivedColumn, RowVariable, ValueType } from './bound.ts';
import type { DerivedRow, Session } from './scope.ts';
import { typeOfReference } from './types.ts';

/** A new row with the columns; of two with the same name the first one stays. */
export function derivedRow(session: Session, columns: readonly DerivedColumn[]): DerivedRow {
  const byName = new Map<string, DerivedColumn>();
  for (const column of columns) {
    if (!byName.has(column.name)) byName.set(column.name, column);
  }
  return { kind: 'derived', id: session.rowId(), columns: byName };
}

/** The columns of a row; of an entity its properties by their paths, streams left out. */
export function columnsOfRow(model: Model, row: RowVariable): readonly DerivedColumn[] {
  if (row.kind === 'derived') return [...row.columns.values()];
  return row.kind === 'entity' ? columnsOfType(model, row.type, '') : [];
}

/** The columns that a complex or simple value comes to. */
export function columnsOfValue(
  model: Model,
  name: string,
  type: ValueType,
): readonly DerivedColumn[] {
  const isOne = type.kind === 'complex' && !type.collection;
  return isOne ? columnsOfType(model, type.type, `${name}/`) : [{ name, type }];
}

export function computedColumns(computed: readonly Computed[]): readonly DerivedColumn[] {
  return computed.map(({ name, expression }) => ({ name, type: expression.type }));
}

/** The columns under another name before them. */
export function underName(
  name: string,
  columns: readonly DerivedColumn[],
): readonly DerivedColumn[] {
  return columns.map((column) => ({ ...column, name: `${name}/${column.name}` }));
}

function columnsOfType(
  model: Model,
  type: StructuredType,
  prefix: string,
): readonly DerivedColumn[] {
  return [...model.members(type).values()].flatMap((member): readonly DerivedColumn[] => {
    if (member.kind === 'navigation' || member.type === 'Edm.Stream') return [];
    return columnsOfValue(model, `${prefix}${member.name}`, typeOfReference(model, member));
  });
}
