// This file performs the rows of an import: each creates or updates a record by a write of the account, with all checks of writes.
import { Fault, type FaultDetail, toDetail } from '../../base/fault.ts';
import { Mistakes } from '../../bind/body/body-errors.ts';
import { type JsonObject, printJson } from '../../edm/value/lossless-json.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { kept } from '../../store/work.ts';
import { doOnce, repeatOf, reserveKey } from '../deferred/repeatable-requests.ts';
import { type Staging, writeWithFiles } from '../files/uploads.ts';
import type { Call, Service } from '../service.ts';
import { newTrace } from '../stage-inputs.ts';
import { prepareWrite } from '../write/prepare-write.ts';
import { writeInTransaction } from '../write/write.ts';
import type { ImportRequest } from './import-request.ts';
import { answerResult, errorsOf, type RowOutcome } from './import-result.ts';
import type { ImportRow } from './import-row.ts';
import { isTextKey, keyLiteral } from './record-keys.ts';
import { readStored, type StoredRecord } from './stored-record.ts';

interface Run {
  readonly request: ImportRequest;
  readonly rows: readonly PlannedRow[];
  /** Outcomes of rows that cannot be read. */
  readonly others: readonly RowOutcome[];
}

/** A row and the record that it updates. */
interface PlannedRow {
  readonly row: ImportRow;
  /** The key predicate: `(Uid=12)`; undefined if the row has no key. */
  readonly identity: string | undefined;
  /** The number of an earlier row with the same key. */
  readonly duplicateOf: number | undefined;
}

/** Performs the rows, all or none unless the client prefers to continue on errors. */
export async function performRows(
  request: ImportRequest,
  rows: readonly ImportRow[],
  others: readonly RowOutcome[],
): Promise<Answer> {
  const run: Run = { request, rows: plannedRows(request, rows), others };
  const { dryRun, continueOnError } = request.tree.negotiated.prefer;
  return continueOnError === true && !dryRun
    ? await performSeparately(run)
    : await performTogether(run, dryRun);
}

function plannedRows(request: ImportRequest, rows: readonly ImportRow[]): readonly PlannedRow[] {
  const numbers = new Map<string, number>();
  return rows.map((row) => {
    const identity = request.mode === 'insert' ? undefined : identityOf(request, row);
    const duplicateOf = identity === undefined ? undefined : numbers.get(identity);
    if (identity !== undefined && duplicateOf === undefined) numbers.set(identity, row.number);
    return { row, identity, duplicateOf };
  });
}

/** The key predicate of the record that a row updates. Further ways to identify records belong here. */
function identityOf({ service, source, key }: ImportRequest, row: ImportRow): string | undefined {
  const parts = key.parts.map(({ path, alias }) => {
    const text = row.textAt(path);
    const isText = isTextKey(service.model, source.type, path);
    return text === undefined ? undefined : `${alias ?? path}=${keyLiteral(text, isText)}`;
  });
  return parts.includes(undefined) ? undefined : `(${parts.join(',')})`;
}

// ---- all or none ----------------------------------------------------------------------------------------------------

async function performTogether(run: Run, dryRun: boolean): Promise<Answer> {
  const { request } = run;
  const { call, principal, service } = request;
  const repeat = repeatOf(call, principal, service);
  return await writeWithFiles(service, function* (staging) {
    const result = yield* doOnce(repeat, () => performAll(run, staging));
    return { result, keep: !dryRun && result.status < 400 };
  });
}

function* performAll({ request, rows, others }: Run, staging: Staging): Work<Answer> {
  const outcomes: RowOutcome[] = [...others];
  let ofTarget: Fault | undefined;
  let { service } = request;
  for (const planned of rows) {
    try {
      const { outcome, next } = yield* performRow(planned, request, service, staging);
      service = next;
      outcomes.push(outcome);
    } catch (error) {
      if (concernsTarget(error)) ofTarget ??= error;
      outcomes.push(errorsOf(error, planned.row));
    }
  }
  requireTarget(outcomes, ofTarget);
  const { continueOnError } = request.tree.negotiated.prefer;
  return answerResult(request, outcomes, continueOnError === true);
}

/** An import none of whose rows can be written because of its target has the error of the target. Throws: import.target, or the fault. */
function requireTarget(outcomes: readonly RowOutcome[], fault: Fault | undefined): void {
  const isSameForAll = outcomes.every(
    (outcome) => typeof outcome !== 'string' && outcome.every(({ code }) => code === fault?.code),
  );
  if (fault === undefined || !isSameForAll) return;
  throw fault.code === 'request.method' ? new Fault('import.target') : fault;
}

/** Whether the account may not write, or the collection does not exist or has no such writes, whatever the row contains. */
function concernsTarget(error: unknown): error is Fault {
  if (!(error instanceof Fault) || error.code === 'import.no-record') return false;
  return TARGET_STATUSES.includes(error.status);
}

const TARGET_STATUSES: readonly number[] = [401, 403, 404, 405];

// ---- row by row -----------------------------------------------------------------------------------------------------

/** Rows that wait for the writer at the same time, which groups them into transactions. */
const PARALLEL_ROWS = 64;

async function performSeparately(run: Run): Promise<Answer> {
  const { request, rows, others } = run;
  const { call, principal, service } = request;
  const repeat = repeatOf(call, principal, service);
  const stored = repeat && (await service.database.write(() => kept(reserveKey(repeat))));
  if (stored !== undefined) return stored;
  const outcomes: RowOutcome[] = [...others];
  const faults: Fault[] = [];
  for (let start = 0; start < rows.length; start += PARALLEL_ROWS) {
    const part = rows.slice(start, start + PARALLEL_ROWS).map(async (planned) => {
      try {
        return await performAlone(planned, request);
      } catch (error) {
        if (concernsTarget(error)) faults.push(error);
        return errorsOf(error, planned.row);
      }
    });
    await Promise.allSettled(part);
    outcomes.push(...(await Promise.all(part)));
  }
  requireTarget(outcomes, faults[0]);
  return answerResult(request, outcomes, true);
}

/** Performs one row as a transaction, once if the import is repeatable, with the rights that the account has then. */
async function performAlone(planned: PlannedRow, started: ImportRequest): Promise<RowOutcome> {
  const { service } = started;
  const principal = await service.sessions.current(started.principal);
  const request: ImportRequest = { ...started, principal };
  const repeat = repeatOf(callOfRow(planned, request), principal, service);
  const { body } = await writeWithFiles(service, function* (staging) {
    const result = yield* doOnce(repeat, function* (): Work<Answer> {
      const { outcome } = yield* performRow(planned, request, service, staging);
      return { status: 200, headers: {}, body: JSON.stringify(outcome) };
    });
    return { result, keep: true };
  });
  // A stored outcome comes back as bytes.
  return JSON.parse(Buffer.from(body ?? '').toString('utf8')) as RowOutcome;
}

/** The identity of a row of a repeatable import. */
function callOfRow({ row }: PlannedRow, { call, principal, service }: ImportRequest): Call {
  const repeat = repeatOf({ ...call, body: undefined }, principal, service);
  if (repeat === undefined) return call;
  const { key, job } = repeat;
  return { ...call, body: undefined, repeat: { key: `${key}\n${row.number}`, job } };
}

// ---- one row --------------------------------------------------------------------------------------------------------

interface PerformedRow {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** The service for the next row. */
  readonly next: Service;
}

/** Throws: import.duplicate, import.no-key, import.no-record, and the faults of writes. */
function* performRow(
  { row, identity, duplicateOf }: PlannedRow,
  request: ImportRequest,
  service: Service,
  staging: Staging,
): Work<PerformedRow> {
  const { mode, key } = request;
  const names = key.parts.map(({ path }) => path).join(' and ');
  if (duplicateOf !== undefined)
    throw new Fault('import.duplicate', { key: String(identity), row: duplicateOf }, at(request));
  if (mode === 'update' && identity === undefined)
    throw new Fault('import.no-key', { key: names }, at(request));
  if (identity === undefined) return yield* create(row, request, service, staging);
  const stored = yield* findStored(request, service, identity, row);
  if (stored === undefined) {
    if (mode === 'upsert' && !key.isGenerated) return yield* create(row, request, service, staging);
    const hint = mode === 'upsert' ? ` Leave ${names} empty to create a record.` : '';
    throw new Fault('import.no-record', { key: decodeURIComponent(identity), hint }, at(request));
  }
  const changes = row.changesOf(stored);
  const call = writeOf(request, row, { method: 'PATCH', identity, body: changes });
  yield* requireTrue({ row, stored, call }, service, request);
  if (Object.keys(changes).length === 0) return { outcome: 'unchanged', next: service };
  const { next } = yield* writeInTransaction(call, service, request.principal, staging);
  return { outcome: 'updated', next };
}

/** Throws: import.row for a key that is none of the type, and the faults of rights. */
function* findStored(
  request: ImportRequest,
  service: Service,
  identity: string,
  { form }: ImportRow,
): Work<StoredRecord | undefined> {
  try {
    return yield* readStored(request, service, `${request.path}${identity}`, form);
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 400) throw error;
    const reason = `${decodeURIComponent(identity)} is no key of such a record`;
    throw new Fault('import.row', { reason }, at(request));
  }
}

function at({ key }: ImportRequest) {
  return { target: key.parts[0]?.path ?? '' };
}

function* create(
  row: ImportRow,
  request: ImportRequest,
  service: Service,
  staging: Staging,
): Work<PerformedRow> {
  const call = writeOf(request, row, { method: 'POST', identity: '', body: row.record() });
  yield* requireTrue({ row, stored: undefined, call }, service, request);
  const { next } = yield* writeInTransaction(call, service, request.principal, staging);
  return { outcome: 'created', next };
}

interface CheckedRow {
  readonly row: ImportRow;
  readonly stored: StoredRecord | undefined;
  /** The write of the row. */
  readonly call: Call;
}

/** Requires that the row states of related records what is stored. Throws: write.body, and the faults of rights. */
function* requireTrue(checked: CheckedRow, service: Service, request: ImportRequest): Work<void> {
  const { row, stored, call } = checked;
  const related = yield* readRelated(checked, service, request);
  yield* requireNone(row.mistakesOf(stored, related), call, service, request);
}

/** The related records that the account can read. Throws: the faults of the write for an address that is none, and those of rights. */
function* readRelated(
  { row, stored, call }: CheckedRow,
  service: Service,
  request: ImportRequest,
): Work<ReadonlyMap<string, StoredRecord>> {
  const found = new Map<string, StoredRecord>();
  for (const { navigation, address, form } of row.relatedReads(stored)) {
    try {
      const record = yield* readStored(request, service, address, form);
      if (record !== undefined) found.set(navigation, record);
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 400) throw error;
      yield* prepareWrite(call, service, { principal: request.principal, trace: newTrace() });
      throw error;
    }
  }
  return found;
}

/** Throws: write.body with the mistakes of the row, if it has any, and those of its write, which is only prepared. */
function* requireNone(
  details: readonly FaultDetail[],
  call: Call,
  service: Service,
  { principal }: ImportRequest,
): Work<void> {
  if (details.length === 0) return;
  const mistakes = new Mistakes();
  for (const detail of details) mistakes.note(detail);
  try {
    yield* prepareWrite(call, service, { principal, trace: newTrace() });
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 400) throw error;
    const others = error.details.length === 0 ? [toDetail(error)] : error.details;
    for (const detail of others) mistakes.note(detail);
  }
  mistakes.raise();
}

interface RowWrite {
  readonly method: 'POST' | 'PATCH';
  readonly identity: string;
  readonly body: JsonObject;
}

/** The write of a row. Without an ETag in the file, it replaces whatever is stored. */
function writeOf(
  { call, path, tree }: ImportRequest,
  { number, etag = '*' }: ImportRow,
  { method, identity, body }: RowWrite,
): Call {
  return {
    // Staged files are found by it.
    id: `${call.id}.${number}`,
    method,
    path: `${path}${identity}`,
    query: '',
    headers: {
      'content-type': 'application/json',
      prefer: 'return=minimal',
      'accept-language': call.headers['accept-language'],
      'odata-version': '4.01',
      'odata-maxversion': '4.01',
      ...(method === 'PATCH' ? { 'if-match': etag } : {}),
    },
    body: Buffer.from(printJson(body)),
    address: call.address,
    root: call.root,
    isDryRun: call.isDryRun === true || tree.negotiated.prefer.dryRun,
  };
}
