// This file reads the records of the files of a load one after another. NDJSON and CSV are read line by line, JSON documents as a whole.
import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import { setSource } from '../../edm/source.ts';
import { isJsonArray, isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { describeColumns, recordOf, type Vocabulary } from '../../service/import/columns.ts';
import {
  type ImportItem,
  type ImportPlace,
  itemsOf,
  type MistakeList,
  mistakeAt,
} from '../../service/import.ts';
import { readJson } from '../../service/json-body.ts';
import { readBytes } from '../config/read-file.ts';
import { rowsOf } from './csv-rows.ts';
import { linesOf } from './lines.ts';
import type { LoadFile } from './load-files.ts';

/** Maximum size of a JSON document, which is read as a whole. Bytes. */
const DOCUMENT_LIMIT = 268_435_456;

/** The records of the files. Mistakes are added to the list, and reading goes on after them. Throws: cli.file. */
export function* readItems(
  files: readonly LoadFile[],
  vocabulary: Vocabulary,
  mistakes: MistakeList,
): Generator<ImportItem> {
  for (const file of files) {
    if (file.format === 'json') yield* documentItems(file, vocabulary.model, mistakes);
    else yield* onlyOne(file, vocabulary, mistakes);
  }
}

/** The records of a file of lines. A singleton has one record. */
function* onlyOne(
  file: LoadFile,
  vocabulary: Vocabulary,
  mistakes: MistakeList,
): Generator<ImportItem> {
  const isSingleton = vocabulary.model.sets.get(file.set)?.kind === 'singleton';
  const items =
    file.format === 'csv' ? csvItems(file, vocabulary, mistakes) : ndjsonItems(file, mistakes);
  let count = 0;
  for (const item of items) {
    count += 1;
    if (!isSingleton || count === 1) yield item;
    else reject(item.place, `${file.set} is a singleton, which has one record`, mistakes);
  }
}

function* documentItems(
  { path, name }: LoadFile,
  model: Model,
  mistakes: MistakeList,
): Generator<ImportItem> {
  const place = { file: name };
  if (statSync(path).size > DOCUMENT_LIMIT) {
    const reason = `a JSON document has at most ${DOCUMENT_LIMIT.toLocaleString('en')} bytes; use NDJSON or CSV`;
    mistakes.add(mistakeAt(place, 'service.import-file', { reason }));
    return;
  }
  const bytes = readBytes(path);
  const document = parsed(bytes, place, mistakes);
  if (document === undefined) return;
  const set = name.slice(0, name.lastIndexOf('.'));
  const named = isJsonArray(document) && model.sets.has(set) ? { [set]: document } : document;
  yield* itemsOf(named, model, place, mistakes);
}

function* ndjsonItems({ path, name, set }: LoadFile, mistakes: MistakeList): Generator<ImportItem> {
  for (const { number, bytes, problem } of linesOf(path)) {
    const place = { file: name, line: number, set };
    if (problem !== undefined) reject(place, problem, mistakes);
    else if (!isBlank(bytes)) {
      const body = parsed(bytes, place, mistakes);
      if (body === undefined) continue;
      if (isJsonObject(body)) yield { place, set, body };
      else reject(place, 'each line must contain an object', mistakes);
    }
  }
}

function* csvItems(
  { path, name, set }: LoadFile,
  vocabulary: Vocabulary,
  mistakes: MistakeList,
): Generator<ImportItem> {
  const rows = rowsOf(linesOf(path), { file: name, set }, mistakes);
  const { value: header, done } = rows.next();
  if (done === true || header === undefined) {
    if (statSync(path).size === 0) reject({ file: name, set }, 'it has no header', mistakes);
    return;
  }
  const source = setSource(vocabulary.model, set);
  const headings = header.map(({ text }) => text);
  const { columns, mistakes: invalid } = describeColumns(vocabulary, source, headings);
  const related = columns.flatMap((column) =>
    column.kind === 'related'
      ? [{ name: column.path.join('/'), reason: `It is in another record. ${column.remedy}` }]
      : [],
  );
  const wrong = [...invalid, ...related];
  const line = header[0]?.line ?? 1;
  for (const { name: column, reason } of wrong)
    mistakes.add(
      mistakeAt({ file: name, line, set }, 'service.import-column', { name: column, reason }),
    );
  if (wrong.length > 0) return;
  for (const row of rows) {
    const place = { file: name, line: row[0]?.line ?? 0, set };
    if (row.length === header.length) yield { place, set, body: recordOf(columns, row) };
    else reject(place, `it has ${row.length} cells, and the header ${header.length}`, mistakes);
  }
}

function reject(place: ImportPlace, reason: string, mistakes: MistakeList): void {
  mistakes.add(mistakeAt(place, 'service.import-record', { reason }));
}

/** The value of JSON text; undefined after a mistake. */
function parsed(
  bytes: Uint8Array,
  place: ImportPlace,
  mistakes: MistakeList,
): JsonInput | undefined {
  try {
    return readJson(bytes);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const what = place.line === undefined ? 'The file' : 'The record';
    const text = error.message.replace(/^The body/, what);
    mistakes.add({ ...place, code: error.code, message: withLine(text, bytes, place) });
    return undefined;
  }
}

/** Names the line of a position in a document of several lines. */
function withLine(message: string, bytes: Uint8Array, { line }: ImportPlace): string {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  if (position === undefined || line !== undefined) return message;
  const before = Buffer.from(bytes).toString('utf8').slice(0, Number(position));
  return message.replace(` at position ${position}`, ` in line ${before.split('\n').length}`);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}
