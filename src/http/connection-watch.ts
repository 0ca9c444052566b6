// This file ends connections that Node's own timers keep: those whose client does not read its answer, or only a little now and then, and
// those that get empty lines in place of a next request. Node renews its timers for each of these.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { BodyTimes } from './body-stream.ts';
import { type ConnectionLimits, cutOff, type Turns } from './connection-limits.ts';

/** Milliseconds between two looks at all connections. */
const INTERVAL = 1000;

/** What is known of an answer that the client has not taken yet. Times on the clock of `performance.now()`. */
export interface Unread {
  readonly start: number;
  /** Bytes that the client had taken at the start, and at the last look. */
  readonly takenBefore: number;
  taken: number;
  /** When it last took something. */
  changed: number;
}

export interface Watching {
  readonly limits: ConnectionLimits;
  /** Answers must be taken as quickly as files must come. */
  readonly times: BodyTimes;
  readonly turns: Turns;
}

/** Watches the connections of a server until it closes. */
export function watchConnections(server: Server, watching: Watching): void {
  const connections = new Map<Socket, Unread | undefined>();
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(event, (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, before] of connections) {
      const unread = lookAt(socket, before, now);
      if (unread !== before) connections.set(socket, unread);
      if (isTooLate(unread, now, watching) || isTooLongFree(socket, now, watching)) cutOff(socket);
    }
  };
  const { silence, keepAlive } = watching.limits;
  server.once('listening', () => {
    const clock = setInterval(look, Math.min(INTERVAL, silence / 10, keepAlive / 10)).unref();
    server.once('close', () => clearInterval(clock));
  });
}

function lookAt(socket: Socket, before: Unread | undefined, now: number): Unread | undefined {
  const waiting = waitingBytes(socket);
  if (waiting === 0) return undefined;
  const taken = socket.bytesWritten - waiting;
  if (before === undefined) return { start: now, takenBefore: taken, taken, changed: now };
  if (before.taken !== taken) {
    before.taken = taken;
    before.changed = now;
  }
  return before;
}

/** Bytes that the system has not taken over, since the client does not read. Node's own timer looks at the same number. */
function waitingBytes(socket: Socket): number {
  const { _handle } = socket as {
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  };
  return _handle?.writeQueueSize ?? socket.writableLength;
}

/** Whether the client has taken nothing for too long, or too little since the time in which it may be slow. */
export function isTooLate(
  unread: Unread | undefined,
  now: number,
  { limits, times }: Pick<Watching, 'limits' | 'times'>,
): boolean {
  if (unread === undefined) return false;
  const late = now - unread.start - times.limit;
  const isSlow = late > 0 && unread.taken - unread.takenBefore < (late / 1000) * times.pace;
  return isSlow || now - unread.changed >= limits.silence;
}

/** Headers that have begun to come have their own limit. */
function isTooLongFree(socket: Socket, now: number, { turns, limits }: Watching): boolean {
  const since = turns.freeSince(socket);
  return since !== undefined && now - since >= limits.keepAlive + limits.headers;
}
