// This file runs read scripts and returns their results. Reads of single records complete synchronously; statements that may scan
// many records run in the reader threads.
import { invariant, unreachable } from '../base/fault.ts';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import type {
  ChainOutcome,
  ChangedRow,
  DeltaOutcome,
  Outcome,
  ReadOutcome,
} from '../plan/outcome.ts';
import { resolveMarkers } from '../sql/dialect/postgres/deferred-rewrites.ts';
import { escapeUrl, recordWriter } from '../sql/read/write-record.ts';
import type { DeltaScript, ReadScript, Script, Statement } from '../sql/script.ts';
import {
  bindParameters,
  type Cell,
  type Context,
  type Database,
  type Inputs,
  type Row,
} from './database.ts';

/** Runs a read script. Throws: store.slow, store.busy, and the errors of its functions (overflow, division by zero). */
export function runRead(
  script: Script,
  database: Database,
  context: Context,
  inputs: Inputs = [],
): MaybePromise<Outcome> {
  switch (script.kind) {
    case 'empty':
      return { kind: 'empty' };
    case 'read':
      return readOne(script, database, context, inputs);
    case 'chain':
      return readChain(script.parts, database, context, inputs);
    case 'delta':
      return readDelta(script, database, context, inputs);
    default:
      return unreachable(script);
  }
}

function readOne(
  script: ReadScript,
  database: Database,
  context: Context,
  inputs: Inputs,
): MaybePromise<ReadOutcome> {
  const { statement, scans, findsMany } = script;
  const values = bindParameters(statement, context, inputs);
  const probe = findsMany && {
    statement: findsMany,
    values: bindParameters(findsMany, context, inputs),
  };
  const rows = scans ? database.scan(statement, values, probe) : database.read(statement, values);
  return andThen(rows, (found) =>
    withParent(outcomeOf(script, found, context), script, database, context, inputs),
  );
}

async function readChain(
  parts: readonly ReadScript[],
  database: Database,
  context: Context,
  inputs: Inputs,
): Promise<ChainOutcome> {
  const outcomes: ReadOutcome[] = [];
  for (const part of parts) outcomes.push(await readOne(part, database, context, inputs));
  return { kind: 'chain', parts: outcomes };
}

/** A delta may reach far back, so it always runs as a scan. */
async function readDelta(
  { statement }: DeltaScript,
  database: Database,
  context: Context,
  inputs: Inputs,
): Promise<DeltaOutcome> {
  const rows = await database.scan(statement, bindParameters(statement, context, inputs));
  const [newest, oldest, count] = rows[0] ?? [];
  invariant(typeof newest === 'bigint' && typeof oldest === 'bigint', 'changes have no numbers');
  return {
    kind: 'delta',
    rows: rows.flatMap((row) => changedRow(row, statement)),
    ...(typeof count === 'bigint' ? { count } : {}),
    oldest,
    newest,
  };
}

function changedRow(
  [, , , identity, json, address, deleted, created, change, at]: Row,
  statement: Statement,
): readonly ChangedRow[] {
  if (typeof identity !== 'bigint') return [];
  invariant(typeof change === 'bigint', 'a changed row has no change');
  return [
    {
      identity,
      json: jsonOf(json ?? null, statement),
      address: textOf(address ?? null),
      isDeleted: deleted === 1n,
      isCreated: created === 1n,
      change,
      at: String(at),
    },
  ];
}

/** Converts rows to an outcome. Where a count or a change number is selected, one row without a record means "no rows". */
export function outcomeOf(
  script: ReadScript,
  rows: readonly Row[],
  { root }: Pick<Context, 'root'>,
): ReadOutcome {
  if (!script.counted && script.tracked !== true)
    return { kind: 'read', rows: recordsIn(rows, script, root) };
  const found = rows.filter((row) => row[0] !== null);
  return { kind: 'read', rows: recordsIn(found, script, root), ...factsIn(rows[0] ?? [], script) };
}

/** The number of columns that come before the keys. */
function columnsBefore({ record, counted }: ReadScript): number {
  return (record?.columns ?? 1) + (counted ? 1 : 0);
}

function recordsIn(rows: readonly Row[], script: ReadScript, root: Cell): ReadOutcome['rows'] {
  const { keys, shown = rows.length } = script;
  const first = columnsBefore(script);
  const write = writerOf(script, root);
  return rows.map((row, index) => ({
    json: index < shown ? write(row) : null,
    keys: keys === 0 ? NO_KEYS : row.slice(first, first + keys).map(keyOf),
  }));
}

const NO_KEYS: readonly [] = [];

/** The count and the change number, which each row contains. */
function factsIn(
  row: Row,
  script: ReadScript,
): Pick<ReadOutcome, 'count' | 'lastChange' | 'known'> {
  const first = columnsBefore(script);
  const isTracked = script.tracked === true;
  const count = script.counted ? row[first - 1] : undefined;
  const [lastChange, known] = isTracked ? row.slice(first + script.keys) : [];
  return {
    ...(typeof count === 'bigint' ? { count } : {}),
    ...(typeof lastChange === 'bigint' ? { lastChange } : {}),
    ...(isTracked ? { known: JSON.parse(`[${textOf(known ?? null) ?? ''}]`) } : {}),
  };
}

/** The function that makes the text of a record from its row. */
function writerOf({ record, statement }: ReadScript, root: Cell): (row: Row) => string | null {
  if (record === undefined) return ([first = null]) => jsonOf(first, statement);
  const write = recordWriter(record);
  const url = escapeUrl(String(root));
  return statement.isDeferred === true
    ? (row) => resolveMarkers(write(row, url))
    : (row) => write(row, url);
}

function withParent(
  outcome: ReadOutcome,
  script: ReadScript,
  database: Database,
  context: Context,
  inputs: Inputs,
): MaybePromise<ReadOutcome> {
  // A count of 0 does not show whether the parent is empty or missing.
  const hasFound = outcome.rows.some((row) => row.json !== '0');
  if (script.parent === undefined || hasFound) return outcome;
  const values = bindParameters(script.parent, context, inputs);
  return andThen(database.read(script.parent, values), (found) => ({
    ...outcome,
    parentExists: found.length > 0,
  }));
}

/** The JSON text of a record, with the documents in it as the request wants them. */
function jsonOf(cell: Cell, { isDeferred }: Statement): string | null {
  const text = textOf(cell);
  return isDeferred === true && text !== null ? resolveMarkers(text) : text;
}

function textOf(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}

function keyOf(cell: Cell): Exclude<Cell, Uint8Array> {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('base64url') : cell;
}
