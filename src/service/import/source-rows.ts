// This file reads the rows of a file by its media type. Rows that cannot be read are errors, and the others are read nevertheless.
import { Fault } from '../../base/fault.ts';
import { isJsonObject } from '../../edm/value/lossless-json.ts';
import { XLSX } from '../../request/headers/export-formats.ts';
import { LONGEST_TEXT } from '../../response/table/sheet.ts';
import { readJson } from '../json-body.ts';
import { describeColumns } from './columns.ts';
import { readCsvSource, type TableSource } from './csv-source.ts';
import { pathOfHeading } from './headings.ts';
import type { ImportRequest } from './import-request.ts';
import { errorsOf, type ImportError } from './import-result.ts';
import type { ImportRow } from './import-row.ts';
import { jsonRow } from './json-row.ts';
import { recordQuery, relatedQueries } from './record-query.ts';
import { readSentFile } from './sent-file.ts';
import type { RecordForm } from './stored-record.ts';
import { type ImportCell, tableRow } from './table-row.ts';
import { readWorkbookSource } from './xlsx/workbook-source.ts';

export interface SourceRows {
  readonly rows: readonly ImportRow[];
  /** Errors of rows that cannot be read. */
  readonly errors: readonly ImportError[];
}

type ReadFormat = (bytes: Uint8Array, request: ImportRequest) => SourceRows | Promise<SourceRows>;

const FORMATS: ReadonlyMap<string, ReadFormat> = new Map<string, ReadFormat>([
  ['text/csv', (bytes, request) => csvRows(bytes, request, undefined)],
  ['text/tab-separated-values', (bytes, request) => csvRows(bytes, request, '\t')],
  [XLSX, workbookRows],
  ['application/x-ndjson', jsonRows],
  ['application/jsonl', jsonRows],
]);

/** Throws: request.media-type, file.form, import.file, import.rows, and service.import with the errors of the headings. */
export async function readRows(request: ImportRequest): Promise<SourceRows> {
  const { type, bytes } = await readSentFile(request);
  const read = FORMATS.get(type);
  if (read !== undefined) return await read(bytes, request);
  const supported = [...FORMATS.keys(), 'multipart/form-data with such a file'].join(', ');
  const parameters = { type: type === '' ? 'none' : type, supported };
  throw new Fault('request.media-type', parameters, { target: 'Content-Type' });
}

/** Throws: import.rows. */
function requireFewRows(count: number, { service }: ImportRequest): void {
  const limit = service.limits.importRows;
  if (count > limit) throw new Fault('import.rows', { limit });
}

// ---- tables ---------------------------------------------------------------------------------------------------------

function csvRows(
  bytes: Uint8Array,
  request: ImportRequest,
  separator: string | undefined,
): SourceRows {
  const source = readCsvSource(bytes, separator, request.keepsFormulas);
  return tableRows(source, request, undefined);
}

async function workbookRows(bytes: Uint8Array, request: ImportRequest): Promise<SourceRows> {
  const { importRows } = request.service.limits;
  return tableRows(await readWorkbookSource(bytes, importRows + 1), request, LONGEST_TEXT);
}

function tableRows(
  { rows, problems }: TableSource,
  request: ImportRequest,
  longestText: number | undefined,
): SourceRows {
  const { service, source } = request;
  const [header, ...records] = rows;
  if (header === undefined) throw new Fault('import.file', { reason: 'it has no headings' });
  requireFewRows(records.length, request);
  const { headings, indexes, columns } = tableHead(header.cells, request);
  const paths = columns.map(({ path }) => path);
  const query = recordQuery(service.model, source.type, paths);
  const relatedForms = new Map(
    [...relatedQueries(service.model, columns)].map(([name, inner]) => [name, formOf(inner)]),
  );
  const table = { columns, headings, form: formOf(query), relatedForms, longestText };
  const errors = problems.map(({ number, reason }) => rowError(number, reason));
  const unread = new Set(problems.map(({ number }) => number));
  const found = records.flatMap(({ number, cells }) => {
    if (unread.has(number)) return [];
    const unnamed = cells.findIndex(
      ({ text }, index) => text !== '' && isBlank(header.cells[index]?.text),
    );
    if (unnamed >= 0) {
      errors.push(rowError(number, `the cell ${unnamed + 1} has no heading`));
      return [];
    }
    return [tableRow(table, number, pick(cells, indexes))];
  });
  return { rows: found, errors };
}

function formOf(query: string): RecordForm {
  return { accept: 'text/csv', query };
}

function isBlank(heading = ''): boolean {
  return heading.trim() === '';
}

const EMPTY: ImportCell = { text: '', raw: '' };

function pick(cells: readonly ImportCell[], indexes: readonly number[]): readonly ImportCell[] {
  return indexes.map((index) => cells[index] ?? EMPTY);
}

function rowError(row: number, reason: string): ImportError {
  const { code, message } = new Fault('import.row', { reason });
  return { row, code, message };
}

/** The columns of the headings that are not omitted. Throws: service.import with all errors. */
function tableHead(cells: readonly ImportCell[], request: ImportRequest) {
  const { service, source, tree, mapping, headings: kind } = request;
  const { model } = service;
  const language = languageOf(tree.negotiated.languages, service.languages);
  const texts = cells.map(({ text }) => text.trim());
  const unknown = [...mapping.keys()].filter((name) => !texts.includes(name));
  const mistakes = unknown.map((name) => ({ name, reason: 'The file has no such column.' }));
  const indexes: number[] = [];
  const paths: string[] = [];
  texts.forEach((text, index) => {
    if (isBlank(text)) return;
    const options = { mapping, headings: kind, language };
    const heading = pathOfHeading(model, source.type, text, options);
    if ('reason' in heading) mistakes.push({ name: text, reason: heading.reason });
    else if (heading.path !== undefined) {
      indexes.push(index);
      paths.push(heading.path);
    }
  });
  const { columns, mistakes: others } = describeColumns(service, source, paths);
  const all = [...mistakes, ...others];
  if (all.length > 0) throw headingFault(all);
  return { headings: indexes.map((index) => texts[index] ?? ''), indexes, columns };
}

function languageOf(accepted: readonly string[], installed: readonly string[]): string {
  const found = accepted
    .map((tag) => tag.toLowerCase().split('-')[0])
    .find((tag) => tag !== undefined && installed.includes(tag));
  return found ?? installed[0] ?? 'en';
}

function headingFault(mistakes: readonly { readonly name: string; readonly reason: string }[]) {
  const details = mistakes.map(({ name, reason }) => {
    const { code, message } = new Fault('import.column', { name, reason });
    return { code, message, target: name };
  });
  const parameters = { stored: 'Nothing was imported.', count: details.length, shown: '' };
  return new Fault('service.import', parameters, { details });
}

// ---- JSON lines -----------------------------------------------------------------------------------------------------

const LINE_FEED = 10;

function jsonRows(bytes: Uint8Array, request: ImportRequest): SourceRows {
  const rows: ImportRow[] = [];
  const errors: ImportError[] = [];
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed;
    const line = bytes.subarray(start, end);
    start = end + 1;
    number += 1;
    if (line.every((byte) => byte === 32 || byte === 9 || byte === 13)) continue;
    const row = jsonLine(line, number, request);
    if ('code' in row) errors.push(row);
    else rows.push(row);
    requireFewRows(rows.length + errors.length, request);
  }
  return { rows, errors };
}

function jsonLine(
  line: Uint8Array,
  number: number,
  { service, source }: ImportRequest,
): ImportRow | ImportError {
  try {
    const body = readJson(line);
    if (isJsonObject(body)) return jsonRow(service.model, source.type, number, body);
    return rowError(number, 'each line must contain an object');
  } catch (error) {
    const [found] = errorsOf(error, { number, placeOf: () => ({}) });
    if (found === undefined) throw error;
    return { ...found, message: found.message.replace(/^The body/, 'The line') };
  }
}
