// This file defines a stage: the rows between two transformations of $apply, as FROM and conditions that are not yet a sub-select.
// A stage keeps the alias of its row variable when it becomes a sub-select, so expressions remain valid.
import { invariant } from '../../base/fault.ts';
import { isColumnName } from '../../bind/apply/derived-columns.ts';
import type {
  Computed,
  DerivedColumn,
  Expression,
  Indicator,
  RowVariable,
  ValueType,
} from '../../bind/bound.ts';
import { typeOfReference } from '../../bind/expression/types.ts';
import type { Member, Property } from '../../edm/model.ts';
import { derivedColumn, derivedColumns } from '../derived-column.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { NULL_VALUE, nullIn, toStorage } from '../expression/convert-storage.ts';
import { presence } from '../expression/property.ts';
import { column, EMPTY, type Fragment, join, name, sql, where } from '../fragment.ts';
import { type Key, orderBy } from '../read/order-by.ts';
import type { Origin } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { DECIMAL, INTEGER, storageOf } from '../schema/value-storage.ts';
import { aliasOf, bindRows, type Scope } from '../scope.ts';

export interface Stage extends Origin {
  readonly row: RowVariable;
  /** Expressions that compute has added to entities; they are substituted where they are used. */
  readonly computed: readonly Computed[];
  /** The order for skip, top and the response. */
  readonly keys: readonly Key[];
  /** Within groupby: the keys of the groups. Order, skip and top then apply per group. */
  readonly partition: readonly Fragment[];
  /** All groups, including those without rows; undefined if every group has rows. */
  readonly groups?: Fragment | undefined;
  /** Number of hidden columns added so far, for unique names. */
  readonly hiddenColumns: number;
}

/** The rows that a chain of transformations starts with. */
export function firstStage(origin: Origin, row: RowVariable): Stage {
  return { ...origin, row, computed: [], keys: [], partition: [], hiddenColumns: 0 };
}

/** `SELECT t1.* FROM … WHERE …`, with `more` columns. */
export function selectAll(stage: Stage, more: Fragment = EMPTY): Fragment {
  const { from, conditions, scope, row } = stage;
  return sql`SELECT ${aliasOf(scope, row)}.*${more} FROM ${from}${where(conditions)}`;
}

/** The same rows as a sub-select with the given ORDER BY and LIMIT. */
export function asSubselect(stage: Stage, orderAndLimit: Fragment): Stage {
  return fromRows(stage, sql`${selectAll(stage)}${orderAndLimit}`);
}

/** The stage with other rows that have the same columns. */
export function fromRows(stage: Stage, rows: Fragment): Stage {
  const from = sql`(${rows}) ${aliasOf(stage.scope, stage.row)}`;
  return { ...stage, from, conditions: [], stored: undefined };
}

/** A stage of rows with other columns, under another variable. */
export function nextStage(scope: Scope, row: RowVariable, rows: Fragment): Stage {
  const inside = bindRows(scope, row);
  const from = sql`(${rows}) ${aliasOf(inside, row)}`;
  return firstStage({ from, conditions: [], scope: inside }, row);
}

/** The stage with one more hidden column, and the name of that column. */
export function withHiddenColumn(stage: Stage): {
  readonly stage: Stage;
  readonly hidden: Fragment;
} {
  const hiddenColumns = stage.hiddenColumns + 1;
  return { stage: { ...stage, hiddenColumns }, hidden: name(`$n${hiddenColumns}`) };
}

/** `, … AS "$k1"`: the order values of a stage, as hidden columns for withOrderOf. */
export function keyColumns({ keys }: Stage): Fragment {
  const named = keys.map(({ sort }, index) => sql`, ${sort.sql} AS ${name(`$k${index + 1}`)}`);
  return join(named, '');
}

/** The stage in the order of the previous one, whose keyColumns its rows contain. */
export function withOrderOf(previous: Stage, stage: Stage): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const keys = previous.keys.map((key, index) => {
    const content = sql`${alias}.${name(`$k${index + 1}`)}`;
    return { ...key, value: content, sort: { ...key.sort, sql: content } };
  });
  return { ...stage, keys };
}

/** ORDER BY with a total order: ties are ordered by the identity of entities, or by all columns of derived rows. */
export function totalOrderOf(stage: Stage): Fragment {
  const { scope, row } = stage;
  const identity = identityOfStage(stage);
  const columns = row.kind === 'derived' ? orderOfColumns(stage, columnsOf(row)) : [];
  const ties = [...(identity === undefined ? [] : [identity.sql]), ...columns];
  return orderBy(scope, stage.keys, ties);
}

/** Items of ORDER BY for columns of a derived row, whatever they contain. */
export function orderOfColumns(
  { scope, row }: Pick<Stage, 'scope' | 'row'>,
  columns: readonly DerivedColumn[],
): readonly Fragment[] {
  invariant(row.kind === 'derived', 'only derived rows have columns by name');
  return columns.map((one) =>
    scope.dialect.values.order(derivedColumn(scope, row, one.name), false, true),
  );
}

/** The select list of a derived row. */
export function selectColumns(
  row: RowVariable,
  make: (column: DerivedColumn) => Fragment,
): Fragment {
  return derivedColumns(columnsOf(row).map(make));
}

/** The columns of a derived row. */
export function columnsOf(row: RowVariable): readonly DerivedColumn[] {
  invariant(row.kind === 'derived', 'only derived rows have columns by name');
  return [...row.columns.values()];
}

/** The value for a column of a later row; null if the stage's rows have no such value. */
export function columnByName(stage: Stage, wanted: DerivedColumn): Fragment {
  const { row, scope } = stage;
  const { indicates } = wanted;
  const known = row.kind === 'derived' ? row.columns.get(wanted.name) : undefined;
  if (row.kind === 'derived' && known !== undefined) {
    const storage = storageOf(known.type);
    const own = { sql: derivedColumn(scope, row, wanted.name), storage, nullable: true };
    // Branches of concat may differ in the type of a column.
    return toColumn(scope, own, wanted);
  }
  if (indicates !== undefined) return describeColumn(stage, indicates, wanted);
  const expression = row.kind === 'entity' ? valueByName(stage, row, wanted) : undefined;
  return expression === undefined
    ? nullIn(storageOf(wanted.type))
    : toColumn(scope, scope.value(scope, expression), wanted);
}

/** The flag for a column: true or false for all rows of the stage, except that complex values may be null in some. */
function describeColumn(stage: Stage, { what, of }: Indicator, wanted: DerivedColumn): Fragment {
  const { row, scope } = stage;
  const { literal } = scope.dialect;
  if (row.kind === 'derived') return isColumnName(row, of) ? literal.true : literal.false;
  if (row.kind !== 'entity') return literal.false;
  const expression = valueByName(stage, row, { ...wanted, name: of });
  if (expression === undefined) return literal.false;
  if (what === 'defined') return literal.true;
  return expression.kind === 'property' ? presence(scope, expression) : literal.true;
}

type EntityRow = RowVariable & { readonly kind: 'entity' };

function valueByName(stage: Stage, row: EntityRow, wanted: DerivedColumn): Expression | undefined {
  const computed = stage.computed.find(({ name: alias }) => alias === wanted.name);
  return computed?.expression ?? propertyByName(stage.scope, row, wanted);
}

/** The value in the storage of its column. */
export function toColumn(scope: Scope, content: Compiled, { type }: DerivedColumn): Fragment {
  const storage = storageOf(type);
  const plain = toStorage(scope.dialect, content, storage);
  if (plain.storage.kind === storage.kind) return plain.sql;
  // The column has scaled numbers, but the value is a decimal of any length.
  if (storage.kind === 'scaled' && plain.storage.kind === 'decimal') {
    return scope.dialect.values.scale(toStorage(scope.dialect, plain, DECIMAL).sql, storage.scale);
  }
  return plain.sql;
}

function propertyByName(
  scope: Scope,
  row: EntityRow,
  { name: path }: DerivedColumn,
): Expression | undefined {
  const { model } = scope.layout;
  const steps: Property[] = [];
  let members: ReadonlyMap<string, Member> = model.members(row.type);
  let type: ValueType = { kind: 'null' };
  for (const step of path.split('/')) {
    const member = members.get(step);
    if (member?.kind !== 'property') return undefined;
    steps.push(member);
    type = typeOfReference(model, member);
    members = type.kind === 'complex' ? model.members(type.type) : new Map();
  }
  return { kind: 'property', row: { kind: 'variable', row }, path: steps, type };
}

/** The identity of the stage's rows; undefined unless they are entities. */
export function identityOfStage({ row, scope }: Stage): Compiled | undefined {
  if (row.kind !== 'entity') return undefined;
  const { table } = useOf(scope.layout, row.source);
  return {
    ...NULL_VALUE,
    sql: column(aliasOf(scope, row), table.identity),
    storage: INTEGER,
    nullable: false,
  };
}
