// This file stores the versions of the model. The newest one is in force. The source is empty for the bare built-in model, which comes
// with the program and is not stored.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { andThen, type MaybePromise } from '../../base/value-or-promise.ts';
import { ARGUMENT, sql, tableName } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { DatabaseReader, Row, Work } from '../database.ts';
import { change, firstRow } from '../work.ts';

const TABLE = 'docket_model';

/** `docket`: the version of the program that applied the model; `origin`: its file, or the version that it restores. */
export const MODEL_TABLE: EngineTable = {
  name: TABLE,
  columns: `version integer NOT NULL PRIMARY KEY, applied text NOT NULL, author text NOT NULL, checksum text NOT NULL,
    docket text NOT NULL, origin text NOT NULL, source text NOT NULL`,
};

/** A file of a model. */
export interface ModelFile {
  readonly name: string;
  readonly text: string;
}

/** When and by whom a version was applied. */
export interface ModelVersion {
  readonly version: number;
  /** ISO 8601. */
  readonly applied: string;
  readonly author: string;
  readonly checksum: string;
  readonly docket: string;
  /** `/srv/model`, `version 2`, or empty for the bare built-in model. */
  readonly origin: string;
}

export interface StoredModel extends ModelVersion {
  readonly files: readonly ModelFile[];
}

/** A version that is not stored yet. */
export type NewModel = Omit<StoredModel, 'version' | 'checksum'>;

/** Identifies the contents of a model. The name of a file that is alone does not matter. */
export function checksumOf(files: readonly ModelFile[]): string {
  const parts = files.map(({ name, text }) => (files.length === 1 ? [text] : [name, text]));
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

const COLUMNS = sql`"version", "applied", "author", "checksum", "docket", "origin"`;
const FROM = sql`FROM ${tableName(TABLE)}`;
const LIST = sql`SELECT ${COLUMNS} ${FROM} ORDER BY "version"`;
const CURRENT = sql`SELECT ${COLUMNS}, "source" ${FROM} ORDER BY "version" DESC LIMIT 1`;
const ONE = sql`SELECT ${COLUMNS}, "source" ${FROM} WHERE "version" = ${ARGUMENT}`;
const NEWEST = sql`SELECT max("version") ${FROM}`;
const INSERT = sql`INSERT INTO ${tableName(TABLE)} (${COLUMNS}, "source") VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;
const REMOVE_ALL = sql`DELETE ${FROM}`;

/** The versions, oldest first; none in a database of an earlier version of Docket. */
export function modelVersions({
  read,
  hasTable,
}: DatabaseReader): MaybePromise<readonly ModelVersion[]> {
  const rows = andThen(hasTable(TABLE), (exists) => (exists ? read(LIST, []) : []));
  return andThen(rows, (found) => found.map(versionOf));
}

/** The model in force; undefined in a database of an earlier version of Docket. */
export function currentModel({
  read,
  hasTable,
}: DatabaseReader): MaybePromise<StoredModel | undefined> {
  const rows = andThen(hasTable(TABLE), (exists) => (exists ? read(CURRENT, []) : []));
  return andThen(rows, ([row]) => (row === undefined ? undefined : modelOf(row)));
}

/** The model of a version; undefined if there is none. */
export function modelOfVersion(
  { read }: DatabaseReader,
  version: number,
): MaybePromise<StoredModel | undefined> {
  return andThen(read(ONE, [BigInt(version)]), ([row]) =>
    row === undefined ? undefined : modelOf(row),
  );
}

/**
 * Stores the next version. Throws: store.model-changed, if another version than the expected one is in force.
 * @param expected the version in force; 0 if there is none
 */
export function* addModel(model: NewModel, expected: number): Work<void> {
  const newest = Number((yield* firstRow(NEWEST, []))?.[0] ?? 0);
  if (newest !== expected) throw new Fault('store.model-changed', { version: newest });
  yield* insertModel(model, newest + 1);
}

/** Stores the first version of an installation, and removes that of an interrupted load. */
export function* storeFirstModel(model: NewModel): Work<void> {
  yield change(REMOVE_ALL, []);
  yield* insertModel(model, 1);
}

function* insertModel(model: NewModel, version: number): Work<void> {
  const { applied, author, docket, origin, files } = model;
  const source = JSON.stringify({ files });
  const values = [BigInt(version), applied, author, checksumOf(files), docket, origin, source];
  yield change(INSERT, values);
}

function versionOf(row: Row): ModelVersion {
  const [version, applied, author, checksum, docket, origin] = row;
  return {
    version: Number(version),
    applied: String(applied),
    author: String(author),
    checksum: String(checksum),
    docket: String(docket),
    origin: String(origin),
  };
}

function modelOf(row: Row): StoredModel {
  const { files } = JSON.parse(String(row[6])) as Pick<StoredModel, 'files'>;
  return { ...versionOf(row), files };
}
