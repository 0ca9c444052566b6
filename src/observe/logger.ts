// This file writes what is seen as lines of JSON. Values are data there, so that nobody can forge a line; names that clients send are
// cut. Requests that went well are of interest only when one looks for something: they are told at level debug.
import { type DestinationStream, type Logger, pino } from 'pino';
import { Fault, unreachable } from '../base/fault.ts';
import type { RequestSeen, See, Seen } from '../base/observation.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A request that takes longer is told at level warn. Milliseconds. */
const SLOW = 1000;
const NAME_LIMIT = 100;

/** A listener that writes lines of at least that level, to standard output unless told otherwise. */
export function makeLogger(
  level: LogLevel | (() => LogLevel),
  destination?: DestinationStream,
): See {
  const wanted = typeof level === 'function' ? level : () => level;
  const options = {
    level: wanted(),
    base: null,
    timestamp: isoTime,
    formatters: { level: levelName },
  };
  const logger = destination === undefined ? pino(options) : pino(options, destination);
  return (seen) => {
    const now = wanted();
    if (logger.level !== now) logger.level = now;
    write(logger, seen);
  };
}

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

function levelName(label: string): { readonly level: string } {
  return { level: label };
}

function write(logger: Logger, seen: Seen): void {
  switch (seen.kind) {
    case 'request':
      writeRequest(logger, seen);
      break;
    case 'failure':
      // A fault says what is wrong and what to do; of a mistake of ours the lines of the program are wanted too.
      if (seen.error instanceof Fault)
        logger.error({ id: seen.id, fault: seen.error.code }, seen.error.message);
      else logger.error({ id: seen.id, err: asError(seen.error) }, 'request failed');
      break;
    case 'token':
      writeToken(logger, seen);
      break;
    case 'refused': {
      const { kind, ...rest } = seen;
      logger.info(rest, kind);
      break;
    }
    case 'session ended':
      logger.info({ id: seen.id, account: cut(seen.account) }, seen.kind);
      break;
    case 'bad connection':
      logger.info({ status: seen.status, reason: cut(seen.reason) }, seen.kind);
      break;
    case 'store of files fails':
      logger.warn({ store: seen.store, fault: seen.fault, reason: seen.reason }, seen.kind);
      break;
    case 'certificate':
      logger.info({ file: seen.file }, 'certificate read');
      break;
    case 'listening':
      logger.info({ address: seen.address }, seen.kind);
      break;
    case 'stopping':
      logger.info({ reason: seen.reason }, seen.kind);
      break;
    case 'stopped':
      logger.info(seen.kind);
      break;
    default:
      unreachable(seen);
  }
}

/** What somebody who was refused has typed for a name can be a password. */
function writeToken(logger: Logger, seen: Seen & { readonly kind: 'token' }): void {
  const { id, address, outcome } = seen;
  const name = outcome === 'token' ? { name: cut(seen.name) } : {};
  logger.info({ id, address, ...name, outcome }, 'token asked for');
}

function writeRequest(logger: Logger, seen: RequestSeen): void {
  const level = levelOf(seen);
  if (!logger.isLevelEnabled(level)) return;
  const { kind, path, milliseconds, stages, ...rest } = seen;
  const rounded = Object.fromEntries(
    Object.entries(stages).map(([stage, time]) => [stage, round(time)]),
  );
  logger[level](
    { ...rest, path: path.slice(0, 500), ms: round(milliseconds), stages: rounded },
    kind,
  );
}

function levelOf(seen: RequestSeen): 'debug' | 'info' | 'warn' {
  if (seen.status >= 500 || seen.milliseconds > SLOW) return 'warn';
  return seen.status >= 400 ? 'info' : 'debug';
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

function cut(text: string): string {
  return text.slice(0, NAME_LIMIT);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
