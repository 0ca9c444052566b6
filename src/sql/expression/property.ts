// This file compiles properties to where they are stored: a column, a member of a JSON document, the text of a code, or an item of
// a collection. layout.ts explains the paths of columns.
import { invariant } from '../../base/fault.ts';
import type {
  Expression,
  ExpressionOf,
  RowExpression,
  RowVariable,
  ValueType,
} from '../../bind/bound.ts';
import { codedParts, typeOfReference } from '../../bind/expression/types.ts';
import { type Property, pathName } from '../../edm/model.ts';
import { derivedColumn } from '../derived-column.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { column, every, type Fragment, sql, tableName, text } from '../fragment.ts';
import { fromRow, identityOf, isCertain, ownIdentity, sourceOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import {
  type Column,
  columnName,
  DYNAMIC_COLUMN,
  fileColumn,
  presenceColumn,
  streamColumn,
  type TableUse,
  VERSION_COLUMN,
} from '../schema/layout.ts';
import { INTEGER, storageOf, TEXT } from '../schema/value-storage.ts';
import { aliasOf, type Scope } from '../scope.ts';
import { columnValue } from './clock-time.ts';
import { fromJson, fromUntyped, type JsonPiece, NULL_VALUE } from './convert-storage.ts';

export type PropertyExpression = ExpressionOf<'property'>;

/** The value of a property. For a complex value that is stored in several columns, use complexText or presence. */
export function compileProperty(scope: Scope, expression: PropertyExpression): Compiled {
  const { row, path, type } = expression;
  if (row.kind === 'variable' && row.row.kind === 'element') {
    return elementProperty(scope, row.row.id, expression);
  }
  if (row.kind === 'variable' && row.row.kind === 'derived') {
    const content = derivedColumn(scope, row.row, pathName(path));
    return { sql: content, storage: storageOf(type), nullable: true };
  }
  const place = placeOf(useOf(scope.layout, sourceOf(row)), path);
  return atPlace(scope, expression, place);
}

/** Where a property of an entity is stored: its column, and the path inside the column. */
interface Place {
  readonly column: Column;
  readonly inside: readonly Property[];
  /** The property that the column holds. */
  readonly last: Property;
}

function placeOf(use: TableUse, path: readonly Property[]): Place {
  for (let length = path.length; length > 0; length--) {
    const found = use.columns.get(columnName(use, path.slice(0, length)));
    const last = path[length - 1];
    if (found !== undefined && last !== undefined) {
      return { column: found, inside: path.slice(length), last };
    }
  }
  const name = columnName(use, path);
  const last = path.at(-1);
  const file = use.columns.get(fileColumn(name)) ?? use.columns.get(presenceColumn(name));
  invariant(file !== undefined && last !== undefined, `no column for ${name} of ${use.source.id}`);
  return { column: file, inside: [], last };
}

function atPlace(scope: Scope, expression: PropertyExpression, place: Place): Compiled {
  const { row, type } = expression;
  const { table } = useOf(scope.layout, sourceOf(row));
  if (place.column.name === table.identity) {
    return { sql: identityOf(scope, row), storage: INTEGER, nullable: !isCertain(scope, row) };
  }
  const content = fromRow(scope, row, ({ alias, use }) =>
    columnValue(scope, use, { alias, row, column: place.column.name }),
  );
  const nullable = !place.column.notNull || !isCertain(scope, row);
  const stored: Compiled = { sql: content, storage: place.column.storage, nullable };
  const [next] = place.inside;
  if (next === undefined) return stored;
  const coded = codedParts(typeOfReference(scope.layout.model, place.last));
  if (coded !== undefined) return next.name === coded.text ? codeText(scope, stored) : stored;
  const { dialect } = scope;
  const names = place.inside.map((step) => step.name);
  return fromJson(dialect, pieceOf(scope, content, names), type);
}

/** The text of a code in the language of the response. */
function codeText(scope: Scope, code: Compiled): Compiled {
  const found = sql`(SELECT "text" FROM ${tableName('docket_code_text')} WHERE "language" = ${text(scope.language)} AND "value" = ${code.sql})`;
  return { sql: found, storage: TEXT, nullable: true };
}

/** If a property is the text of a code, the code itself: texts are then looked up once instead of per row. */
export function codeOfText(scope: Scope, expression: Expression): Compiled | undefined {
  if (expression.kind !== 'property') return undefined;
  const place = placeOfCode(scope, expression);
  return place === undefined ? undefined : atPlace(scope, expression, { ...place, inside: [] });
}

/** If a property of the row is the text of a code, the column of the code. */
export function codeColumn(
  scope: Scope,
  start: RowVariable,
  expression: PropertyExpression,
): string | undefined {
  const { row } = expression;
  const isOwn = row.kind === 'variable' && row.row.id === start.id;
  return isOwn ? placeOfCode(scope, expression)?.column.name : undefined;
}

function placeOfCode(scope: Scope, { row, path }: PropertyExpression): Place | undefined {
  const owner = path.at(-2);
  const coded =
    owner === undefined ? undefined : codedParts(typeOfReference(scope.layout.model, owner));
  const isText = coded !== undefined && path.at(-1)?.name === coded.text;
  const isStored = row.kind !== 'variable' || row.row.kind === 'entity';
  if (!isText || !isStored) return undefined;
  const place = placeOf(useOf(scope.layout, sourceOf(row)), path);
  return place.inside.length === 1 ? place : undefined;
}

function pieceOf(scope: Scope, document: Fragment, names: readonly string[]): JsonPiece {
  const { json } = scope.dialect;
  return { value: json.member(document, names), json: json.memberJson(document, names) };
}

function elementProperty(scope: Scope, id: number, expression: PropertyExpression): Compiled {
  const { path, type } = expression;
  const alias = aliasOf(scope, { id });
  const { json } = scope.dialect;
  const item = json.item(alias);
  if (path.length === 0) {
    return fromJson(scope.dialect, { value: item, json: json.itemJson(alias) }, type);
  }
  const coded = codedParts(type);
  const names = path.map((step) => step.name);
  const steps = coded === undefined ? names : [...names, coded.value];
  return fromJson(scope.dialect, pieceOf(scope, item, steps), type);
}

/** A dynamic property or a member of it: of an entity from its JSON column, of an open complex value from its document. */
export function compileDynamic(scope: Scope, expression: ExpressionOf<'dynamic'>): Compiled {
  const { row, path, name, inside = [], type } = expression;
  const document = documentOf(scope, row, path);
  return fromUntyped(scope.dialect, pieceOf(scope, document, [name, ...inside]), type);
}

/** The JSON object with the dynamic properties of a row or of an open complex value in it. */
export function documentOf(scope: Scope, row: RowExpression, path: readonly Property[]): Fragment {
  if (row.kind === 'variable' && row.row.kind === 'element') {
    const item = scope.dialect.json.item(aliasOf(scope, row.row));
    const names = path.map((step) => step.name);
    return names.length === 0 ? item : scope.dialect.json.memberJson(item, names);
  }
  const [first] = path;
  if (first === undefined) return fromRow(scope, row, ({ alias }) => column(alias, DYNAMIC_COLUMN));
  const type: ValueType = { kind: 'untyped', collection: false };
  return compileProperty(scope, { kind: 'property', row, path, type }).sql;
}

/** The condition that a complex value is not null. */
export function presence(scope: Scope, expression: PropertyExpression): Fragment {
  const { row, path } = expression;
  if (row.kind === 'variable' && row.row.kind !== 'entity') {
    return sql`${compileProperty(scope, expression).sql} IS NOT NULL`;
  }
  const { literal } = scope.dialect;
  const use = useOf(scope.layout, sourceOf(row));
  const own = columnName(use, path);
  if (use.columns.has(own)) return sql`${compileProperty(scope, expression).sql} IS NOT NULL`;
  const flags = presenceFlags(use, path);
  if (flags.length === 0) {
    return isCertain(scope, row)
      ? literal.true
      : sql`${fromRow(scope, row, ownIdentity)} IS NOT NULL`;
  }
  const set = flags.map((flag) => fromRow(scope, row, ({ alias }) => column(alias, flag)));
  return isCertain(scope, row) ? every(set) : sql`coalesce(${every(set)}, ${literal.false})`;
}

/** Presence columns of the value and of the values that contain it: all of them must be set. */
function presenceFlags(use: TableUse, path: readonly Property[]): readonly string[] {
  const paths = path.map((_, index) => columnName(use, path.slice(0, path.length - index)));
  return paths.map(presenceColumn).filter((flag) => use.columns.has(flag));
}

/** Whether a complex value has one column per member instead of one column. */
export function isFlattened(
  scope: Scope,
  expression: Expression,
): expression is PropertyExpression {
  if (expression.kind !== 'property' || expression.type.kind !== 'complex') return false;
  const { row, path } = expression;
  if (expression.type.collection || path.length === 0) return false;
  if (row.kind === 'variable' && row.row.kind !== 'entity') return false;
  const use = useOf(scope.layout, sourceOf(row));
  return !path.some((_, index) => use.columns.has(columnName(use, path.slice(0, index + 1))));
}

/** The version of a row, from which its ETag is made. */
export function versionOf(scope: Scope, row: RowExpression): Compiled {
  const version = fromRow(scope, row, ({ alias }) => column(alias, VERSION_COLUMN));
  return { sql: version, storage: INTEGER, nullable: !isCertain(scope, row) };
}

/** The identity in docket_file of a media stream (empty path) or of a stream property. */
export function fileOf(scope: Scope, row: RowExpression, path: readonly Property[]): Fragment {
  return fromRow(scope, row, ({ alias, use }) => column(alias, streamColumn(use, path)));
}

/** A column of a row made by $apply or $crossjoin. */
export function compileColumn(scope: Scope, { row, name, type }: ExpressionOf<'column'>): Compiled {
  if (!row.columns.has(name)) return { ...NULL_VALUE, storage: storageOf(type) };
  return { sql: derivedColumn(scope, row, name), storage: storageOf(type), nullable: true };
}
