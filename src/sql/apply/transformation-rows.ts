// This file defines a stage: the rows between two transformations of $apply, as FROM and conditions that have not been closed into a
// sub-select yet. Every stage is read under the alias of its row variable, so that closing it changes nothing for expressions.
import { invariant } from '../../base/fault.ts';
import { isColumnName } from '../../bind/apply/derived-columns.ts';
import type {
  Computed,
  DerivedColumn,
  Expression,
  RowVariable,
  Tells,
  ValueType,
} from '../../bind/bound.ts';
import { typeOfReference } from '../../bind/expression/types.ts';
import type { Member, Property } from '../../edm/model.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { NOTHING, toStorage } from '../expression/convert-storage.ts';
import { presence } from '../expression/property.ts';
import { column, EMPTY, type Fragment, join, list, name, sql, where } from '../fragment.ts';
import { type Key, orderBy } from '../read/order-by.ts';
import type { Origin } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { DECIMAL, INTEGER, storageOf } from '../schema/value-storage.ts';
import { aliasOf, binding, type Scope } from '../scope.ts';

export interface Stage extends Origin {
  readonly row: RowVariable;
  /** What compute has added to entities, to be put in where it is used. */
  readonly computed: readonly Computed[];
  /** The order that skip, top and the answer keep to. */
  readonly keys: readonly Key[];
  /** Inside a groupby: what the groups are made by. Order and cuts are those of each group then. */
  readonly partition: readonly Fragment[];
  /** Inside a join: every group there is, for aggregates of none. */
  readonly groups?: Fragment;
  /** How many hidden columns have been added to the rows: each has a name of its own. */
  readonly marks: number;
}

/** The rows that a chain begins with. */
export function firstStage(origin: Origin, row: RowVariable): Stage {
  return { ...origin, row, computed: [], keys: [], partition: [], marks: 0 };
}

/** `SELECT t1.* FROM … WHERE …`. */
export function closed(stage: Stage, more: Fragment = EMPTY): Fragment {
  const { from, conditions, scope, row } = stage;
  return sql`SELECT ${aliasOf(scope, row)}.*${more} FROM ${from}${where(conditions)}`;
}

/** The same rows as a sub-select under the same alias, with what stands behind WHERE. */
export function enclosed(stage: Stage, behind: Fragment = EMPTY): Stage {
  return fromRows(stage, sql`${closed(stage)}${behind}`);
}

/** The stage with other rows, which have the same columns. */
export function fromRows(stage: Stage, rows: Fragment): Stage {
  return { ...stage, from: sql`(${rows}) ${aliasOf(stage.scope, stage.row)}`, conditions: [] };
}

/** Rows with other columns, under another variable. */
export function nextStage(scope: Scope, row: RowVariable, rows: Fragment): Stage {
  const inside = binding(scope, row);
  const from = sql`(${rows}) ${aliasOf(inside, row)}`;
  return firstStage({ from, conditions: [], scope: inside }, row);
}

/** The stage with its rows in a hidden column more; what is made of it is told the column's name. */
export function marked(stage: Stage): { readonly stage: Stage; readonly mark: Fragment } {
  const marks = stage.marks + 1;
  return { stage: { ...stage, marks }, mark: name(`$n${marks}`) };
}

/** `, … AS "$k1"`: what the stage's rows are ordered by, as hidden columns of the rows that are made of them. */
export function keyColumns({ keys }: Stage): Fragment {
  const named = keys.map(({ sort }, index) => sql`, ${sort.sql} AS ${name(`$k${index + 1}`)}`);
  return join(named, '');
}

/** Rows that were made one by one of those of the stage before, with its hidden columns, in its order. */
export function inOrderOf(before: Stage, stage: Stage): Stage {
  const alias = aliasOf(stage.scope, stage.row);
  const keys = before.keys.map((key, index) => {
    const content = sql`${alias}.${name(`$k${index + 1}`)}`;
    return { ...key, value: content, sort: { ...key.sort, sql: content } };
  });
  return { ...stage, keys };
}

/** ORDER BY of the stage's order. */
function orderOf(stage: Stage): Fragment {
  return orderBy(stage.scope, stage.keys);
}

/** The same, made total: by the identity of entities, by all columns of derived rows. */
export function totalOrderOf(stage: Stage): Fragment {
  const { scope, row } = stage;
  const alias = aliasOf(scope, row);
  const identity = identityOfStage(stage);
  const ties = [
    ...(identity === undefined ? [] : [identity.sql]),
    ...(row.kind === 'derived' ? [...row.columns.keys()].map((one) => column(alias, one)) : []),
  ];
  const order = orderOf(stage);
  if (ties.length === 0) return order;
  return stage.keys.length === 0 ? sql` ORDER BY ${list(ties)}` : sql`${order}, ${list(ties)}`;
}

/** `SELECT …` of the columns that a derived row has, each made by its name. */
export function selectColumns(
  columns: readonly DerivedColumn[],
  make: (column: DerivedColumn) => Fragment,
): Fragment {
  return list(columns.map((one) => sql`${make(one)} AS ${name(one.name)}`));
}

/** The columns of a derived row; InvariantError for other rows. */
export function columnsOf(row: RowVariable): readonly DerivedColumn[] {
  invariant(row.kind === 'derived', 'only derived rows have columns by name');
  return [...row.columns.values()];
}

/** A value of the stage's rows by the name that a later row has for it; null where they have none. */
export function columnByName(stage: Stage, wanted: DerivedColumn): Fragment {
  const { row, scope } = stage;
  const { tells } = wanted;
  if (row.kind === 'derived' && row.columns.has(wanted.name)) {
    return column(aliasOf(scope, row), wanted.name);
  }
  if (tells !== undefined) return told(stage, tells, wanted);
  const expression = row.kind === 'entity' ? valueByName(stage, row, wanted) : undefined;
  return expression === undefined
    ? sql`NULL`
    : inColumn(scope, scope.value(scope, expression), wanted);
}

/** What the stage's rows have not told so far holds in all of them or in none; only whether complex values are null differs. */
function told(stage: Stage, { what, of }: Tells, wanted: DerivedColumn): Fragment {
  const { row, scope } = stage;
  if (row.kind === 'derived') return isColumnName(row, of) ? sql`1` : sql`0`;
  if (row.kind !== 'entity') return sql`0`;
  const expression = valueByName(stage, row, { ...wanted, name: of });
  if (expression === undefined) return sql`0`;
  if (what === 'defined') return sql`1`;
  return expression.kind === 'property' ? presence(scope, expression) : sql`1`;
}

type EntityRow = RowVariable & { readonly kind: 'entity' };

function valueByName(stage: Stage, row: EntityRow, wanted: DerivedColumn): Expression | undefined {
  const computed = stage.computed.find(({ name: of }) => of === wanted.name);
  return computed?.expression ?? propertyByName(stage.scope, row, wanted);
}

/** The value in the storage of its column. */
export function inColumn(scope: Scope, content: Compiled, { type }: DerivedColumn): Fragment {
  const storage = storageOf(type);
  const plain = toStorage(scope.dialect, content, storage);
  if (plain.storage.kind === storage.kind) return plain.sql;
  // A decimal of any length in a column of scaled numbers.
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

/** The identity of the stage's rows, where they are entities. */
export function identityOfStage({ row, scope }: Stage): Compiled | undefined {
  if (row.kind !== 'entity') return undefined;
  const { table } = useOf(scope.layout, row.source);
  return {
    ...NOTHING,
    sql: column(aliasOf(scope, row), table.identity),
    storage: INTEGER,
    nullable: false,
  };
}
