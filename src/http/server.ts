// This file starts listening, and shuts down gracefully: load balancers may notice it first, requests in progress are completed, new ones
// are rejected, and then the database is closed.

import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { counted } from '../base/counted.ts';
import { invariant } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { App } from './app.ts';
import { closeInlet } from './inlet.ts';

/** Milliseconds that requests in progress may take during shutdown, and between two checks for them. */
const DRAIN_LIMIT = 20_000;
const DRAIN_INTERVAL = 20;
/** Connections that the system holds until they are accepted. Node's default of 511 is too small for many clients that connect at the same time. */
const BACKLOG = 4096;

interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** Seconds between the request to stop and the shutdown, for load balancers to notice it. */
  readonly drainSeconds?: number;
  /** An application that stands by, and whose port is taken over. */
  readonly previous?: Previous | undefined;
}

interface Previous {
  readonly app: App;
  readonly port: number;
}

/** How an application ends that serves requests. */
export interface Ending {
  /** Completes the requests in progress and closes the service. From then on, requests return 503 until `stop`. */
  readonly standBy: () => Promise<void>;
  /** Shuts down; a second call waits for the first. */
  readonly stop: () => Promise<void>;
}

export interface Listening extends Ending {
  readonly port: number;
}

/** Listens on host and port; port 0 selects a free port. Rejects if the port is in use. */
export async function listen(
  app: App,
  where: Endpoint,
  observe: Observe,
  close: () => Promise<void>,
): Promise<Listening> {
  const { previous, drainSeconds } = where;
  const port =
    previous === undefined ? await openPort(app, where, observe) : await takeOver(app, previous);
  return { port, ...endingOf(app, observe, close, drainSeconds) };
}

/** Returns the port. */
async function openPort(app: App, { host, port }: Endpoint, observe: Observe): Promise<number> {
  const address = await app.server.listen({ host, port, backlog: BACKLOG });
  const isEncrypted = app.server.server instanceof TlsServer;
  observe({
    kind: 'listening',
    address: isEncrypted ? address.replace(/^http:/, 'https:') : address,
  });
  const bound = app.server.server.address();
  invariant(bound !== null && typeof bound === 'object', 'a TCP port was expected');
  const { port: boundPort } = bound satisfies AddressInfo;
  return boundPort;
}

/** Takes over the connections. Requests that the other application has not completed are aborted, since its service is closed. */
async function takeOver(app: App, { app: previous, port }: Previous): Promise<number> {
  await app.server.ready();
  if (previous.pending() > 0)
    for (const server of previous.inlet().servers) server.closeAllConnections();
  app.replace(previous);
  return port;
}

/** @param close closes the service, after the last request */
export function endingOf(
  app: App,
  observe: Observe,
  close: () => Promise<void>,
  drainSeconds = 0,
): Ending {
  let stopping: Promise<void> | undefined;
  let isClosed = false;
  const closeService = async () => {
    if (!isClosed) await close();
    isClosed = true;
  };
  return {
    standBy: async () => {
      await drain(app, 'replacing', observe);
      await closeService();
    },
    stop: async () => {
      const seconds = isClosed ? 0 : drainSeconds;
      stopping ??= leave(app, seconds, observe).then(() => stop(app, observe, closeService));
      await stopping;
    },
  };
}

/** Serves requests until load balancers know that the process is not ready any more. */
async function leave(app: App, seconds: number, observe: Observe): Promise<void> {
  if (seconds === 0) return;
  observe({ kind: 'stopping', reason: `/readyz returns 503 for ${seconds} seconds` });
  app.leave();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

async function stop(app: App, observe: Observe, close: () => Promise<void>): Promise<void> {
  await drain(app, 'draining', observe);
  await closeInlet(app.inlet());
  await app.server.close();
  await close();
  observe({ kind: 'stopped' });
}

/** Completes the requests in progress; new ones get 503. Connections stay open for an application that takes them over. */
async function drain(
  app: App,
  phase: Parameters<App['drain']>[0],
  observe: Observe,
): Promise<void> {
  observe({ kind: 'stopping', reason: `${counted(app.pending(), 'request')} in progress` });
  app.drain(phase);
  if (phase === 'draining') for (const server of app.inlet().servers) server.closeIdleConnections();
  const deadline = performance.now() + DRAIN_LIMIT;
  while (app.pending() > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, DRAIN_INTERVAL));
}
