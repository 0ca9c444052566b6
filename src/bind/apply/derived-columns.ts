// Rows between the transformations of $apply, and the named columns of derived rows. The columns of an entity are its properties, so
// that it can be combined with derived rows. OData Data Aggregation 4.0, "Transformations".
import type { EntityType, Model, StructuredType } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type {
  Computed,
  DerivedColumn,
  Expression,
  Indicator,
  NestedRows,
  Rows,
  RowVariable,
  Transformation,
  ValueType,
} from '../bound.ts';
import { comparison, entityValue, joinConditions, variable } from '../expression/constructors.ts';
import { BOOLEAN, structureOf, typeOfReference } from '../expression/types.ts';
import type { DerivedRow, Frame, Session } from '../scope.ts';

/** Creates a row variable with the columns. If several have the same name, the first one wins. */
function derivedRow(session: Session, columns: readonly DerivedColumn[]): DerivedRow {
  const byName = new Map<string, DerivedColumn>();
  for (const column of columns) {
    if (!byName.has(column.name)) byName.set(column.name, column);
  }
  return { kind: 'derived', id: session.rowId(), columns: byName };
}

/** The columns of a row. An entity has one column per property path, except streams. */
export function columnsOfRow(model: Model, row: RowVariable): readonly DerivedColumn[] {
  if (row.kind === 'derived') return [...row.columns.values()];
  return row.kind === 'entity' ? columnsOfType(model, row.type, '') : [];
}

/** The columns of a value: one, or for a complex value one per property and an indicator. */
export function columnsOfValue(
  model: Model,
  name: string,
  type: ValueType,
): readonly DerivedColumn[] {
  const isOne = type.kind === 'complex' && !type.collection;
  if (!isOne) return [{ name, type }];
  return [indicatorColumn('object', name), ...columnsOfType(model, type.type, `${name}/`)];
}

export function computedColumns(computed: readonly Computed[]): readonly DerivedColumn[] {
  return computed.map(({ name, expression }) => ({ name, type: expression.type }));
}

/** Prefixes all columns with `name/`. */
export function prefixColumns(
  name: string,
  columns: readonly DerivedColumn[],
): readonly DerivedColumn[] {
  return columns.map((column) => {
    const { indicates } = column;
    const moved = { ...column, name: `${name}/${column.name}` };
    return indicates === undefined
      ? moved
      : { ...moved, indicates: { ...indicates, of: `${name}/${indicates.of}` } };
  });
}

/** Identifiers cannot contain these characters, so indicator columns never clash with others. */
const SIGNS = { defined: '!', object: '?' } as const satisfies Record<Indicator['what'], string>;

/** The name of the indicator column for the member at the path. */
export function indicatorName(what: Indicator['what'], of: string): string {
  return `${of}${SIGNS[what]}`;
}

export function indicatorColumn(what: Indicator['what'], of: string): DerivedColumn {
  return { name: indicatorName(what, of), type: BOOLEAN, indicates: { what, of } };
}

/** The indicator of the member as an expression; undefined if it holds in all rows. */
export function indicatorValue(
  row: DerivedRow,
  what: Indicator['what'],
  of: string,
): Expression | undefined {
  const name = indicatorName(what, of);
  return row.columns.has(name) ? { kind: 'column', row, name, type: BOOLEAN } : undefined;
}

/** An expression that is true if the row has any member below the path; undefined if every row has one. */
export function isAnyDefined(row: DerivedRow, path: string): Expression | undefined {
  const below = visibleNames(row).filter((name) => name.startsWith(`${path}/`));
  const operands = below.flatMap((name) => indicatorValue(row, 'defined', name) ?? []);
  return operands.length < below.length ? undefined : joinConditions('or', operands);
}

/** The names of the columns that clients see, which excludes indicators. */
export function visibleNames(row: DerivedRow): readonly string[] {
  return [...row.columns.values()]
    .filter(({ indicates }) => indicates === undefined)
    .map(({ name }) => name);
}

/** Whether a column, or an object that consists of several columns, has the name. */
export function isColumnName(row: DerivedRow, name: string): boolean {
  return row.columns.has(name) || visibleNames(row).some((known) => known.startsWith(`${name}/`));
}

/** Whether a property or column of the row has the name. */
export function isTakenName(model: Model, row: RowVariable, name: string): boolean {
  if (row.kind === 'derived') return isColumnName(row, name);
  const type = row.kind === 'entity' ? row.type : structureOf(row.type);
  return type !== undefined && model.members(type).has(name);
}

/** The entity that the column refers to; undefined for columns with values. */
export function rowsOfColumn(
  row: DerivedRow,
  { name, type, target }: DerivedColumn,
): Rows | undefined {
  if (target === undefined) return undefined;
  const column: Expression = { kind: 'column', row, name, type };
  const same = comparison('eq', entityValue(variable(target), target.type), column, type);
  return { row: target, origin: { kind: 'source' }, where: [same] };
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

/** The rows between two transformations. */
export interface Stage {
  readonly row: RowVariable;
  /** The entity type of the original rows. Aliases must not equal the names of its members. */
  readonly type: EntityType | undefined;
  /** Properties that compute added to entities; in derived rows they are columns. */
  readonly computed: readonly Computed[];
  /** Rows that nest and addnested added. */
  readonly nested?: readonly NestedRows[] | undefined;
}

/** The rows after a sequence of transformations. */
export interface AppliedRows extends Stage {
  readonly apply: readonly Transformation[];
}

export interface Step {
  readonly stage: Stage;
  readonly transformations: readonly Transformation[];
}

/** The syntax tree of one kind of transformation. */
export type Of<Kind extends Tree.Transformation['kind']> = Tree.Transformation & {
  readonly kind: Kind;
};

export type WithoutRows<One> = One extends unknown ? Omit<One, 'input' | 'output'> : never;

/** A step whose output rows have the same variable as its input. */
export function keepRows(stage: Stage, transformation: WithoutRows<Transformation>): Step {
  const { row } = stage;
  const placed = { ...transformation, input: row, output: row } as Transformation;
  return { stage, transformations: [placed] };
}

/** A step that produces new rows with the columns. */
export function deriveRows(
  frame: Frame,
  { row, type }: Stage,
  transformation: WithoutRows<Transformation>,
  columns: readonly DerivedColumn[],
): Step {
  const output = derivedRow(frame.session, columns);
  const placed = { ...transformation, input: row, output } as Transformation;
  return { stage: { row: output, type, computed: [] }, transformations: [placed] };
}

/** Names that aliases must not use. OData Data Aggregation 4.0, "Keyword as". */
export function declaredNames(frame: Frame, { type }: Stage): ReadonlySet<string> {
  return new Set(type === undefined ? [] : frame.model.members(type).keys());
}
