// Compiles the row sets and expressions of write plans, in which the row being written is identified by its register.
import type { Expression, Rows } from '../../bind/bound.ts';
import { isNumeric } from '../../bind/expression/types.ts';
import type { EntityType } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Register } from '../../plan/write-plan.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { toStorage } from '../expression/convert-storage.ts';
import { makeScope } from '../expression/expression.ts';
import {
  column,
  constantText,
  type Fragment,
  list,
  name,
  sql,
  tableName,
  text,
  timesNamed,
  toStatement,
  where,
  word,
} from '../fragment.ts';
import { finish } from '../read/read.ts';
import { identityOf as identityOfRow, originOf, selectFrom } from '../read/row-source.ts';
import { fromSource, identityColumn, useOf } from '../read/union-source.ts';
import { keepsValues } from '../schema/column-type.ts';
import { convertStored } from '../schema/convert-column.ts';
import {
  type Column,
  type Layout,
  type TableUse,
  TYPE_COLUMN,
  tableOf,
  VERSION_COLUMN,
} from '../schema/layout.ts';
import { INTEGER, SQL_TYPES, type Storage, sameStorage } from '../schema/value-storage.ts';
import { aliasOf, type Scope } from '../scope.ts';
import type { Parameter, Statement } from '../script.ts';
import { identityOf, ofStored, statement, type WriteScope } from './steps.ts';

/** A query for identity and version of every row, ordered by identity. Throws: not-built. */
export function identityQuery(rows: Rows, { layout, dialect }: WriteScope): Statement {
  const scope = makeScope(layout, dialect);
  const origin = originOf(scope, rows);
  const alias = aliasOf(origin.scope, rows.row);
  const identity = identityColumn(origin.scope, rows.row);
  const selected = sql`${identity}, ${column(alias, VERSION_COLUMN)}`;
  const fragment = sql`${selectFrom(origin, selected)} ORDER BY ${identity}`;
  const compiled = ofStored(finish(scope, fragment));
  const { table } = useOf(layout, rows.row.source);
  const key = keyIn(origin.conditions, identity);
  if (key === undefined || timesNamed(fragment, table.name) !== 1) return compiled;
  return { ...compiled, row: { table: table.name, parameter: compiled.parameters.indexOf(key) } };
}

/** The value that a condition requires of the identity. */
function keyIn(conditions: readonly Fragment[], identity: Fragment): Parameter | undefined {
  const equality = `${constantText(identity)} = `;
  for (const condition of conditions) {
    const { text, parameters } = toStatement(condition, () => '');
    if (text === equality && parameters.length === 1) return parameters[0];
  }
  return undefined;
}

/** A query that returns a row if the expression is true for the row of the register. */
export function conditionOn(
  row: Register,
  expression: Expression,
  { layout, dialect }: WriteScope,
): Fragment {
  const scope = writingScope(layout, dialect);
  const condition = scope.condition(scope, expression);
  return sql`SELECT 1 ${fromRegister(layout, row)} AND ${condition}`;
}

/** A query for the expression's value for the row of the register, as the column stores it. */
export function valueOn(
  row: Register,
  expression: Expression,
  target: Column,
  { layout, dialect }: WriteScope,
): Fragment {
  const content = storedIn(target, expression, writingScope(layout, dialect));
  return sql`SELECT ${content} ${fromRegister(layout, row)}`;
}

/** The value of an expression in the type of the column. A number that the type cannot hold is null, and one with more digits is rounded. */
function storedIn({ type, storage }: Column, expression: Expression, scope: Scope): Fragment {
  const { dialect } = scope;
  const compiled = scope.value(scope, expression);
  const plain = toStorage(dialect, compiled, storage);
  const from = expression.type;
  if (type?.kind !== 'primitive' || from.kind !== 'primitive') return plain.sql;
  const isKept = sameStorage(plain.storage, storage) && keepsValues(from, type);
  if (isKept || !isNumeric(from) || !isNumeric(type)) return plain.sql;
  return convertStored(compiled, from, type, dialect).sql;
}

/** A query for the version of the row of the register, and for the values of expressions. */
export function versionAndIntegers(
  row: Register,
  expressions: readonly Expression[],
  { layout, dialect }: WriteScope,
): Fragment {
  const scope = writingScope(layout, dialect);
  const values = expressions.map(
    (expression) => toStorage(dialect, scope.value(scope, expression), INTEGER).sql,
  );
  const version = column(WRITTEN, VERSION_COLUMN);
  return sql`SELECT ${list([version, ...values])} ${fromRegister(layout, row)}`;
}

/** A query for what `select` compiles over the row of the register. */
export function selectOn(
  row: Register,
  { layout, dialect }: WriteScope,
  select: (scope: Scope) => Fragment,
): Fragment {
  return sql`SELECT ${select(writingScope(layout, dialect))} ${fromRegister(layout, row)}`;
}

/** Columns and expressions of a row, as one row of values. */
export interface RowValues {
  readonly first: Fragment;
  readonly columns: readonly Column[];
  readonly expressions: readonly {
    readonly expression: Expression;
    readonly storage: Storage;
  }[];
}

/** A query for values of the row of the register. */
export function rowValues(row: Register, values: RowValues, scope: WriteScope): Fragment {
  const inside = writingScope(scope.layout, scope.dialect);
  return sql`${selectValues(values, inside)} ${fromRegister(scope.layout, row)}`;
}

/** A query for values of a row that is about to be inserted with these contents by column. */
export function newRowValues(
  use: TableUse,
  contents: ReadonlyMap<string, Fragment>,
  values: RowValues,
  scope: WriteScope,
): Fragment {
  const inside = { ...writingScope(scope.layout, scope.dialect), isNew: true };
  const selected = selectValues(values, inside);
  const statementText = statement(selected, scope).text;
  // Each column that is not read would cost time with every run.
  const read = use.table.columns.filter(({ name: title }) =>
    statementText.includes(constantText(column(WRITTEN, title)) ?? ''),
  );
  if (read.length === 0) return selected;
  const columns = read.map(({ name: title, storage }) => {
    const content = contents.get(title) ?? word('NULL');
    return sql`CAST(${content} AS ${word(SQL_TYPES[storage.kind])}) AS ${name(title)}`;
  });
  return sql`${selected} FROM (SELECT ${list(columns)}) AS ${WRITTEN}`;
}

function selectValues({ first, columns, expressions }: RowValues, scope: Scope): Fragment {
  const values = [
    first,
    ...columns.map((one) => column(WRITTEN, one.name)),
    ...expressions.map(
      ({ expression, storage }) =>
        toStorage(scope.dialect, scope.value(scope, expression), storage).sql,
    ),
  ];
  return sql`SELECT ${list(values)}`;
}

/** A column with the values of an expression over rows of a type. */
interface ComputedColumn {
  readonly source: Source;
  readonly type: EntityType;
  readonly column: Column;
  readonly expression: Expression;
}

/** An update that computes the values of a column in all rows of the type. */
export function computeAll(
  { source, type, column: computed, expression }: ComputedColumn,
  { layout, dialect }: WriteScope,
): Fragment {
  const { table } = tableOf(layout, source);
  const content = storedIn(computed, expression, writingScope(layout, dialect));
  const own = column(tableName(table.name), table.identity);
  const same = sql`${column(WRITTEN, table.identity)} = ${own}`;
  const value = sql`(SELECT ${content} FROM ${fromSource(layout, source, WRITTEN)} WHERE ${same})`;
  const condition = type === source.type ? [] : [isOfType(layout, type)];
  return sql`UPDATE ${tableName(table.name)} SET ${name(computed.name)} = ${value}${where(condition)}`;
}

/** The condition for rows of a derived type. Types with the same base can share a column. */
export function isOfType({ model }: Layout, type: EntityType): Fragment {
  const types = [type, ...model.derived(type)].map((one) => text(one.name));
  return sql`${name(TYPE_COLUMN)} IN (${list(types)})`;
}

/** The identity of the row that the values of the written row determine; without a written row, constants do. */
export function referenceTo(
  row: Register | undefined,
  rows: Rows,
  { layout, dialect }: WriteScope,
): Fragment {
  const scope = writingScope(layout, dialect);
  const identity = identityOfRow(scope, { kind: 'addressed', rows });
  return row === undefined ? identity : sql`(SELECT ${identity} ${fromRegister(layout, row)})`;
}

const WRITTEN = name('written');

/** A scope in which every unbound variable is the row being written. */
function writingScope(layout: Layout, dialect: Dialect): Scope {
  return { ...makeScope(layout, dialect), unboundAlias: WRITTEN };
}

function fromRegister(layout: Layout, row: Register): Fragment {
  const { table } = useOf(layout, row.source);
  return sql`FROM ${fromSource(layout, row.source, WRITTEN)} WHERE ${column(WRITTEN, table.identity)} = ${identityOf(row)}`;
}
