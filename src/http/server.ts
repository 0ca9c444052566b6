// This file starts listening, and shuts down gracefully: requests in progress are completed, new ones are rejected, and then the
// database is closed.
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { invariant } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { App } from './app.ts';

/** Milliseconds that requests in progress may take during shutdown, and between two checks for them. */
const DRAIN_LIMIT = 20_000;
const DRAIN_INTERVAL = 20;

export interface Listening {
  readonly port: number;
  /** Shuts down; a second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/** Listens on host and port; port 0 selects a free port. Rejects if the port is in use. */
export async function listen(
  app: App,
  where: { readonly host: string; readonly port: number },
  observe: Observe,
  close: () => Promise<void>,
): Promise<Listening> {
  const address = await app.server.listen(where);
  const isEncrypted = app.server.server instanceof TlsServer;
  observe({
    kind: 'listening',
    address: isEncrypted ? address.replace(/^http:/, 'https:') : address,
  });
  const bound = app.server.server.address();
  invariant(bound !== null && typeof bound === 'object', 'a TCP port was expected');
  let stopping: Promise<void> | undefined;
  return {
    port: (bound satisfies AddressInfo).port,
    stop: async () => {
      stopping ??= stop(app, observe, close);
      await stopping;
    },
  };
}

async function stop(app: App, observe: Observe, close: () => Promise<void>): Promise<void> {
  observe({ kind: 'stopping', reason: `${app.pending()} requests in progress` });
  app.drain();
  app.server.server.closeIdleConnections();
  const deadline = performance.now() + DRAIN_LIMIT;
  while (app.pending() > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, DRAIN_INTERVAL));
  app.server.server.closeAllConnections();
  await app.server.close();
  await close();
  observe({ kind: 'stopped' });
}
