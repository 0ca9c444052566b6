// This file runs read scripts and returns their results. Reads of single records complete synchronously; statements that may scan
// many records run in the reader threads.
import { invariant, unreachable } from '../base/fault.ts';
import type {
  ChainOutcome,
  ChangedRow,
  DeltaOutcome,
  Outcome,
  ReadOutcome,
} from '../plan/outcome.ts';
import type { DeltaScript, ReadScript, Script } from '../sql/script.ts';
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
): Outcome | Promise<Outcome> {
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
): ReadOutcome | Promise<ReadOutcome> {
  const { text } = script.statement;
  const values = bindParameters(script.statement, context, inputs);
  const finish = (rows: readonly Row[]) =>
    withParent(outcomeOf(script, rows), script, database, context, inputs);
  return script.scans
    ? database.scan(text, values).then(finish)
    : finish(database.read(text, values));
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
  const rows = await database.scan(statement.text, bindParameters(statement, context, inputs));
  const [newest, oldest, count] = rows[0] ?? [];
  invariant(typeof newest === 'bigint' && typeof oldest === 'bigint', 'changes have no numbers');
  return {
    kind: 'delta',
    rows: rows.flatMap(changedRow),
    ...(typeof count === 'bigint' ? { count } : {}),
    oldest,
    newest,
  };
}

function changedRow([, , , identity, json, address, deleted]: Row): readonly ChangedRow[] {
  if (typeof identity !== 'bigint') return [];
  const isDeleted = deleted === 1n;
  return [{ identity, json: textOf(json ?? null), address: textOf(address ?? null), isDeleted }];
}

/** Converts rows to an outcome. Where a count or a change number is selected, one row without a record means "no rows". */
export function outcomeOf(script: ReadScript, rows: readonly Row[]): ReadOutcome {
  const first = script.counted ? 2 : 1;
  const isTracked = script.tracked === true;
  const found = script.counted || isTracked ? rows.filter((row) => row[0] !== null) : rows;
  const [counted] = rows;
  const lastChange = isTracked ? counted?.[first + script.keys] : undefined;
  return {
    kind: 'read',
    rows: found.map((row) => ({
      json: textOf(row[0] ?? null),
      keys: script.keys === 0 ? [] : row.slice(first, first + script.keys).map(keyOf),
    })),
    ...(script.counted && typeof counted?.[1] === 'bigint' ? { count: counted[1] } : {}),
    ...(typeof lastChange === 'bigint' ? { lastChange } : {}),
  };
}

function withParent(
  outcome: ReadOutcome,
  script: ReadScript,
  database: Database,
  context: Context,
  inputs: Inputs,
): ReadOutcome {
  // A count of 0 does not show whether the parent is empty or missing.
  const hasFound = outcome.rows.some((row) => row.json !== '0');
  if (script.parent === undefined || hasFound) return outcome;
  const found = database.read(script.parent.text, bindParameters(script.parent, context, inputs));
  return { ...outcome, parentExists: found.length > 0 };
}

function textOf(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}

function keyOf(cell: Cell): Exclude<Cell, Uint8Array> {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('base64url') : cell;
}
