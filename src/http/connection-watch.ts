// This file closes connections that Node's own timers keep open: those whose clients read their responses too slowly, and those that
// send only empty lines instead of the next request.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { BodyTimes } from './body-stream.ts';
import {
  type ConnectionLimits,
  cutOff,
  type Received,
  type RequestQueues,
} from './connection-limits.ts';

/** Milliseconds between two checks of all connections. */
const INTERVAL = 1000;

/** Progress of output that the client has not read completely. Times by `performance.now()`. */
export interface PendingOutput {
  readonly start: number;
  /** Bytes that the client had read at the start, and at the last check. */
  readonly readBefore: number;
  read: number;
  /** When the client last read something. */
  changed: number;
}

export interface WatchSettings {
  readonly limits: ConnectionLimits;
  /** Clients must read responses at least as fast as they must send files. */
  readonly times: BodyTimes;
  readonly queues: Pick<RequestQueues<Received>, 'idleSince' | 'isAnswering'>;
}

/**
 * Watches the connections of a server until it closes.
 * @param settingsNow the settings of the application that answers the requests
 */
export function watchConnections(server: Server, settingsNow: () => WatchSettings): void {
  const connections = new Map<Socket, PendingOutput | undefined>();
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(event, (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  const check = () => {
    const now = performance.now();
    const settings = settingsNow();
    for (const [socket, before] of connections) {
      const output = measureOutput(socket, before, now);
      if (output !== before) connections.set(socket, output);
      if (isTooLate(output, now, settings) || isIdleTooLong(socket, now, settings)) cutOff(socket);
    }
  };
  const { silence, keepAlive } = settingsNow().limits;
  server.once('listening', () => {
    const clock = setInterval(check, Math.min(INTERVAL, silence / 10, keepAlive / 10)).unref();
    server.once('close', () => clearInterval(clock));
  });
}

function measureOutput(
  socket: Socket,
  before: PendingOutput | undefined,
  now: number,
): PendingOutput | undefined {
  const waiting = waitingBytes(socket);
  if (waiting === 0) return undefined;
  const read = socket.bytesWritten - waiting;
  if (before === undefined) return { start: now, readBefore: read, read, changed: now };
  if (before.read !== read) {
    before.read = read;
    before.changed = now;
  }
  return before;
}

/** Returns the bytes that the operating system has not accepted yet. Node's own timer uses the same number. */
function waitingBytes(socket: Socket): number {
  const { _handle } = socket as {
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  };
  return _handle?.writeQueueSize ?? socket.writableLength;
}

/** Whether the client has read nothing for too long, or has read too slowly after the grace period. */
export function isTooLate(
  output: PendingOutput | undefined,
  now: number,
  { limits, times }: Pick<WatchSettings, 'limits' | 'times'>,
): boolean {
  if (output === undefined) return false;
  const late = now - output.start - times.limit;
  const isSlow = late > 0 && output.read - output.readBefore < (late / 1000) * times.pace;
  return isSlow || now - output.changed >= limits.silence;
}

/** Adds the time limit of headers, because headers may already be arriving. */
function isIdleTooLong(socket: Socket, now: number, { queues, limits }: WatchSettings): boolean {
  const since = queues.idleSince(socket);
  return since !== undefined && now - since >= limits.keepAlive + limits.headers;
}
