// This file logs events as lines of JSON. Values are JSON-encoded, so clients cannot forge log lines, and names sent by clients
// are truncated. Successful requests are logged at level debug only.
import { type DestinationStream, type Logger, pino } from 'pino';
import { Fault } from '../base/fault.ts';
import type { Observation, Observe, RequestObservation } from '../base/observation.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Requests that take longer than this many milliseconds are logged at level warn. */
const SLOW = 1000;
const NAME_LIMIT = 100;

/**
 * Returns a listener that logs events of at least the given level.
 * @param level a function is called for each event, so that the level can change at run time
 * @param destination defaults to standard output
 */
export function makeLogger(
  level: LogLevel | (() => LogLevel),
  destination?: DestinationStream,
): Observe {
  const currentLevel = typeof level === 'function' ? level : () => level;
  const options = {
    level: currentLevel(),
    base: null,
    timestamp: isoTime,
    formatters: { level: levelName },
  };
  const logger = pino(options, destination ?? logDestination(STANDARD_OUTPUT));
  let known = options.level;
  return (event) => {
    const current = currentLevel();
    if (known !== current) logger.level = current;
    known = current;
    write(logger, event);
  };
}

const STANDARD_OUTPUT = 1;
/** Characters that wait while a log cannot be written. */
const WAITING = 1_048_576;

/** Writes to an open file. While that fails, as on a full disk, lines wait and later ones are dropped: the service goes on. */
export function logDestination(fd: number): DestinationStream {
  const stream = pino.destination({ dest: fd, sync: true, maxLength: WAITING });
  stream.on('error', () => {});
  return stream;
}

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

function levelName(label: string): { readonly level: string } {
  return { level: label };
}

function write(logger: Logger, event: Observation): void {
  switch (event.kind) {
    case 'request':
      writeRequest(logger, event);
      break;
    case 'statement':
      break;
    case 'failure':
      // The message of a fault is sufficient; other errors are logged with their stack.
      if (event.error instanceof Fault)
        logger.error({ id: event.id, fault: event.error.code }, event.error.message);
      else logger.error({ id: event.id, err: asError(event.error) }, 'request failed');
      break;
    case 'token':
      writeToken(logger, event);
      break;
    case 'session ended':
      logger.info({ id: event.id, account: cut(event.account) }, event.kind);
      break;
    case 'bad connection':
      logger.info({ status: event.status, reason: cut(event.reason) }, event.kind);
      break;
    case 'store of files fails':
      logger.warn({ store: event.store, fault: event.fault, reason: event.reason }, event.kind);
      break;
    case 'database warning':
      logger.warn({ reason: event.reason }, event.kind);
      break;
    case 'model file':
      logger.warn({ file: event.file, reason: event.reason }, event.kind);
      break;
    case 'webhook disabled':
      logger.warn({ subscription: event.subscription, reason: event.reason }, event.kind);
      break;
    case 'incoming mail':
      logger.warn({ message: cut(event.message), reason: event.reason }, event.kind);
      break;
    case 'setting':
      logger.warn({ name: event.name, reason: event.reason }, event.kind);
      break;
    case 'slow statement': {
      const { kind, ...rest } = event;
      logger.warn(rest, kind);
      break;
    }
    case 'certificate':
      logger.info({ file: event.file }, 'certificate read');
      break;
    default: {
      const { kind, ...rest } = event;
      logger.info(rest, kind);
    }
  }
}

/** Omits the name of a failed login, because users sometimes type their password there. */
function writeToken(logger: Logger, event: Observation & { readonly kind: 'token' }): void {
  const { id, address, outcome, reason } = event;
  const name = outcome === 'token' ? { name: cut(event.name) } : {};
  logger.info({ id, address, ...name, outcome, reason }, 'token request');
}

function writeRequest(logger: Logger, event: RequestObservation): void {
  const level = levelOf(event);
  if (!logger.isLevelEnabled(level)) return;
  const { kind, id, method, status, fault, account, address, trace, milliseconds, stages } = event;
  const rounded = Object.fromEntries(
    Object.entries(stages).map(([stage, time]) => [stage, round(time)]),
  );
  const path = event.route();
  const ms = round(milliseconds);
  logger[level](
    { id, method, path, status, fault, account, address, trace, ms, stages: rounded },
    kind,
  );
}

function levelOf(event: RequestObservation): 'debug' | 'info' | 'warn' {
  if (event.status >= 500 || event.milliseconds > SLOW) return 'warn';
  return event.status >= 400 ? 'info' : 'debug';
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
