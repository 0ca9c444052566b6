// This file turns rows of a table into records and changes. A cell that an export of the stored record would contain as well changes
// nothing, so that an exported file can be edited and imported again.
import { type FaultDetail, faultDetail } from '../../base/fault.ts';
import { escapeText } from '../../base/xml.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { readJson } from '../json-body.ts';
import {
  addressIn,
  bindPath,
  type CellText,
  type Column,
  itemsIn,
  navigationsOf,
  place,
  recordOf,
} from './columns.ts';
import type { CellPlace, ImportRow, RelatedRead } from './import-row.ts';
import type { RecordForm, StoredCell, StoredRecord } from './stored-record.ts';

export interface ImportCell extends CellText {
  /** The text as it is in the file, before an apostrophe is removed that protects from formulas. */
  readonly raw: string;
}

export interface ImportTable {
  readonly columns: readonly Column[];
  /** The headings in the file, by the index of their column. */
  readonly headings: readonly string[];
  readonly form: RecordForm;
  /** What to read of related records that the table describes, by their navigation. */
  readonly relatedForms: ReadonlyMap<string, RecordForm>;
  /** Characters after which exports cut texts; undefined if they do not. */
  readonly longestText: number | undefined;
}

export function tableRow(
  table: ImportTable,
  number: number,
  cells: readonly ImportCell[],
): ImportRow {
  const row: Row = { table, cells };
  const textAt = (path: string) => {
    const index = table.columns.findIndex((one) => one.path.join('/') === path);
    const text = cells[index]?.text;
    return text === '' ? undefined : text;
  };
  return {
    number,
    textAt,
    etag: textAt('@odata.etag'),
    form: table.form,
    record: () => recordOf(table.columns, cells),
    changesOf: (stored) => changesOf(row, stored),
    relatedReads: (stored) => relatedReads(row, stored),
    mistakesOf: (stored, related) => relatedMistakes(row, stored, related),
    placeOf: (target) => placeOf(row, target),
  };
}

interface Row {
  readonly table: ImportTable;
  readonly cells: readonly ImportCell[];
}

const EMPTY: ImportCell = { text: '', raw: '' };

function cellAt({ cells }: Row, index: number): ImportCell {
  return cells[index] ?? EMPTY;
}

function isEmpty({ text, isQuoted }: ImportCell): boolean {
  return text === '' && isQuoted !== true;
}

function changesOf(row: Row, stored: StoredRecord): Record<string, JsonInput> {
  const { columns } = row.table;
  const changed = changedIn(row, stored);
  const changes: Record<string, JsonInput> = {};
  columns.forEach((column, index) => {
    if (column.kind !== 'value' || column.isComputed === true || isAnnotation(column)) return;
    const cell = cellAt(row, index);
    if (changed(index)) place(changes, column.path, isEmpty(cell) ? null : column.read(cell.text));
  });
  for (const [collection, item] of itemsIn(columns, row.cells)) {
    const items = changedItems(row.table, stored, collection, item);
    if (items !== undefined) changes[collection] = items;
  }
  for (const navigation of relatedAgain(columns, changed))
    place(changes, bindPath(navigation), addressIn(columns, row.cells, navigation) ?? null);
  const type = columns.findIndex(({ path: [name] }) => name === '@odata.type');
  const { text } = cellAt(row, type);
  return Object.keys(changes).length === 0 || text === ''
    ? changes
    : { '@odata.type': text, ...changes };
}

type Changed = (index: number) => boolean;

/** Whether the cell of a column differs from that of the stored record. */
function changedIn(row: Row, stored: StoredRecord): Changed {
  const { columns, longestText } = row.table;
  const known = stored.cells();
  return (index) => {
    const name = columns[index]?.path.join('/') ?? '';
    return !isSame(cellAt(row, index), known.get(name), longestText);
  };
}

/** The navigations that refer to another entity in the row than in the stored record. */
function relatedAgain(columns: readonly Column[], changed: Changed): readonly string[] {
  return navigationsOf(columns).filter((navigation) =>
    columns.some(
      (column, index) =>
        column.kind === 'key' && column.navigation === navigation && changed(index),
    ),
  );
}

/** The records that the row relates, unlike the stored record, and describes by cells that this does not have. */
function relatedReads(row: Row, stored: StoredRecord | undefined): readonly RelatedRead[] {
  const { columns, relatedForms } = row.table;
  const navigations = new Set(
    statedAnew(row, stored).flatMap(({ column, isNew }) => (isNew ? [column.navigation] : [])),
  );
  return [...navigations].flatMap((navigation) => {
    const address = addressIn(columns, row.cells, navigation);
    const form = relatedForms.get(navigation);
    return address === undefined || form === undefined ? [] : [{ navigation, address, form }];
  });
}

/**
 * Properties of related records that the row would change, or of which it knows nothing else. The write itself rejects an address
 * without a record.
 */
function relatedMistakes(
  row: Row,
  stored: StoredRecord | undefined,
  related: ReadonlyMap<string, StoredRecord>,
): readonly FaultDetail[] {
  const { columns, longestText } = row.table;
  return statedAnew(row, stored).flatMap(({ column, index, isNew }) => {
    const { navigation, path } = column;
    if (!isNew || addressIn(columns, row.cells, navigation) === undefined)
      return [relatedMistake(column)];
    const record = related.get(navigation);
    const name = path.slice(navigation.split('/').length).join('/');
    const isTrue =
      record === undefined || isSame(cellAt(row, index), record.cells().get(name), longestText);
    return isTrue ? [] : [relatedMistake(column, AS_STORED)];
  });
}

interface RelatedCell {
  readonly column: Column & { kind: 'related' };
  readonly index: number;
  /** Whether the stored record, if there is one, does not relate the same entity. */
  readonly isNew: boolean;
}

/** The cells about related records that the stored record does not have. Nothing is stated of an entity by an empty cell beside its key. */
function statedAnew(row: Row, stored: StoredRecord | undefined): readonly RelatedCell[] {
  const { columns } = row.table;
  if (!columns.some(({ kind }) => kind === 'related')) return [];
  const changed = stored === undefined ? () => true : changedIn(row, stored);
  const again = stored === undefined ? undefined : relatedAgain(columns, changed);
  return columns.flatMap((column, index) => {
    if (column.kind !== 'related' || !changed(index)) return [];
    const isNew = again === undefined || again.includes(column.navigation);
    return isNew && isEmpty(cellAt(row, index)) ? [] : [{ column, index, isNew }];
  });
}

/** The stored items of the collection with that of the row; undefined if it is among them. */
function changedItems(
  { columns }: ImportTable,
  { json }: StoredRecord,
  collection: string,
  item: JsonObject,
): readonly JsonInput[] | undefined {
  const record = readJson(Buffer.from(json));
  const stored = isJsonObject(record) ? record[collection] : undefined;
  const items = isJsonArray(stored) ? stored : [];
  const column = columns.find((one) => one.kind === 'item' && one.path[0] === collection);
  const keys = column?.kind === 'item' ? column.keys : [];
  const known = items.find(
    (one): one is JsonObject => isJsonObject(one) && keys.every((key) => one[key] === item[key]),
  );
  const next = { ...known, ...item };
  if (known === undefined) return [...items, next];
  if (printJson(next) === printJson(known)) return undefined;
  return items.map((one) => (one === known ? next : one));
}

function isAnnotation({ path: [name = ''] }: Column): boolean {
  return name === '@odata.etag' || name === '@odata.type';
}

/** What to do about a cell beside the key of the related record. */
const AS_STORED = 'State the value that is stored there, or leave the cell empty.';

function relatedMistake(
  { path, navigation, remedy: other }: Column & { kind: 'related' },
  remedy: string = other,
): FaultDetail {
  const name = path.join('/');
  return faultDetail('import.related', { name, navigation, remedy }, name);
}

// ---- comparison -----------------------------------------------------------------------------------------------------

/** Whether an export of the stored value has the cell. */
function isSame(
  cell: ImportCell,
  stored: StoredCell | undefined,
  longestText: number | undefined,
): boolean {
  if (stored === undefined) return false;
  const { cell: value, kind } = stored;
  if (value === null || value === '') return cell.text === '';
  const text = String(value);
  if (cell.text === text || cell.raw === text) return true;
  switch (kind) {
    case 'text':
      if (withLineFeeds(cell.text) === withLineFeeds(text)) return true;
      return longestText !== undefined && isCut(cell.text, text, longestText);
    case 'boolean':
      return cell.text.toLowerCase() === text;
    case 'number':
    case 'decimal':
      return isSameNumber(cell.text, text);
    case 'date':
      return cell.text === `${text}T00:00:00.000Z`;
    case 'instant':
      return Date.parse(cell.text) === Date.parse(text);
    case 'time':
      return plainTime(cell.text) === plainTime(text);
  }
}

function isCut(text: string, stored: string, longestText: number): boolean {
  const shown = stored.length > longestText ? `${stored.slice(0, longestText - 1)}…` : stored;
  // Characters that XML cannot contain are replaced.
  return escapeText(text) === escapeText(shown);
}

/** Programs that save a table may write other line ends. */
function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether the numbers are equal. Spreadsheets keep 15 digits; those with more must have the same digits. */
function isSameNumber(text: string, stored: string): boolean {
  if (text === '' || Number(text) !== Number(stored)) return false;
  return stored.replace(/^-?[0.]*|\.|-|[eE].*$/g, '').length <= DIGITS;
}

const DIGITS = 15;

function plainTime(text: string): string {
  return text
    .replace(/^1899-12-3\dT(.+)Z$/, '$1')
    .replace(/^(\d\d:\d\d)$/, '$1:00')
    .replace(/\.0+$/, '');
}

// ---- places of errors -----------------------------------------------------------------------------------------------

/** The column of a property: the one with its path, or else the first with a part of it. */
function placeOf(row: Row, target: string | undefined): CellPlace {
  if (target === undefined) return {};
  const { columns, headings } = row.table;
  const name = target.replace(/@odata\.bind$/, '');
  const paths = columns.map(({ path }) => path.join('/').replace(/@odata\.bind$/, ''));
  const exact = paths.indexOf(name);
  const index =
    exact >= 0
      ? exact
      : paths.findIndex((path) => path.startsWith(`${name}/`) || name.startsWith(`${path}/`));
  return index < 0 ? {} : { column: headings[index], value: cellAt(row, index).raw };
}
