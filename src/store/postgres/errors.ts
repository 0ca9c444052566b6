// This file translates PostgreSQL errors into faults where a client can act on them, and classifies errors that end a connection or can be
// retried. Source: PostgreSQL, "PostgreSQL Error Codes".
import { DatabaseError } from 'pg';
import { FAULTS, Fault, type FaultCode } from '../../base/fault.ts';
import { full, locked, TooLong, uniqueFault } from '../driver-faults.ts';

/** The limits that messages name, in seconds. */
export interface TimeLimits {
  readonly statementSeconds: number;
  readonly lockSeconds: number;
}

/** The connection is lost, or cannot be opened. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** A connection that was open is lost. */
export class ConnectionLost extends Disconnected {}

/** Whether a connection ended that was open, by itself or by the server. */
export function isLost(error: unknown): boolean {
  return error instanceof ConnectionLost || /^57P0[125]$/.test(sqlState(error) ?? '');
}

/** The SQLSTATE of an error that the server has reported. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** The server shuts down or has become read-only, or the connection is lost. */
export function isDisconnect(error: unknown): boolean {
  return error instanceof Disconnected || DISCONNECTS.test(sqlState(error) ?? '');
}

const DISCONNECTS = /^08|^57P0[1-5]$|^25006$|^25P03$|^53300$/;

/** Serialization failures and deadlocks: the transaction succeeds when it runs again. */
export function isRetryable(error: unknown): boolean {
  return /^40001$|^40P01$/.test(sqlState(error) ?? '');
}

/** Whether a constraint was violated. Deferred foreign keys fail only at COMMIT. */
export function isConstraint(error: unknown): boolean {
  return sqlState(error)?.startsWith('23') ?? false;
}

/** A prepared statement that the server does not know any more, or whose columns have changed. */
export function isStaleStatement(error: unknown): boolean {
  return sqlState(error) === '26000' || /cached plan must not change/.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** SQLSTATE of the errors that the engine's functions raise; the message is a fault code. */
const RAISED = 'DOCKT';

const CODES: Readonly<Record<string, FaultCode>> = {
  '23503': 'store.foreign-key',
  '22003': 'sql.overflow',
  '22012': 'sql.division-by-zero',
  '22021': 'store.text',
  '22P05': 'store.text',
  XX001: 'store.damaged',
  XX002: 'store.damaged',
  '54000': 'store.too-complex',
  '54001': 'store.too-complex',
  '54011': 'store.too-complex',
  '54023': 'store.too-complex',
};

/** The functions of the server that reject entries of B-tree indexes that do not fit in a third of a page. */
const INDEX_ROUTINES = new Set(['_bt_check_third_page', 'index_form_tuple_context']);

/** Whether a value does not fit into an index. */
export function isTooLong(error: unknown): boolean {
  return error instanceof DatabaseError && INDEX_ROUTINES.has(error.routine ?? '');
}

/** The error of a statement that builds an index. The server does not name the index in each case. */
export function translateIndexing(error: unknown, statement: string): unknown {
  const [, index] = / INDEX (?:CONCURRENTLY )?"((?:[^"]|"")+)"/.exec(statement) ?? [];
  if (!(error instanceof DatabaseError) || !isTooLong(error)) return error;
  return new TooLong(index?.replaceAll('""', '"') ?? error.constraint ?? '', undefined);
}

/** The fault for an error that a client can act on; other errors unchanged. `place` locates the values in the request. */
export function translate(error: unknown, limits: TimeLimits, place?: string): unknown {
  if (isDisconnect(error)) return unavailable();
  if (!(error instanceof DatabaseError)) return error;
  if (isTooLong(error)) return new TooLong(error.constraint ?? '', place);
  const code = CODES[error.code ?? ''];
  if (code !== undefined) return new Fault(code);
  switch (error.code) {
    case '23505':
      return uniqueFault(columnsIn(error), place);
    case '53100':
    case '58030':
      return full();
    case '55P03':
      return locked(limits.lockSeconds, 'limits.lockSeconds');
    case '57014':
      return new Fault('store.slow', { seconds: limits.statementSeconds });
    case RAISED:
      return isFaultCode(error.message) ? new Fault(error.message) : error;
    default:
      return isRetryable(error) ? locked(limits.lockSeconds, 'limits.lockSeconds') : error;
  }
}

function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(FAULTS, code);
}

function unavailable(): Fault {
  return new Fault('store.unavailable', {}, { headers: { 'Retry-After': '2' } });
}

/** Parses details such as `Key ("ContainedIn", "Name")=(7, a) already exists.`, in any language. */
function columnsIn({ detail, constraint }: DatabaseError): readonly string[] {
  const list = /\((.*?)\)=\(/.exec(detail ?? '')?.[1];
  if (list === undefined) return [constraint ?? ''];
  const names = list.match(/"(?:[^"]|"")*"|[^, ]+/g) ?? [];
  return names.map((name) => name.replace(/^"|"$/g, '').replaceAll('""', '"'));
}
