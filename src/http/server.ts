// This file listens, and stops in an orderly way: what is under way is finished, what comes afterwards is refused, then the database is
// closed.
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { invariant } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import type { App } from './app.ts';

/** Milliseconds that requests under way may still take after the stop was asked for, and between two looks at them. */
const DRAIN_LIMIT = 20_000;
const DRAIN_INTERVAL = 20;

/** A service that listens. */
export interface Listening {
  readonly port: number;
  /** Finishes what is under way and closes; a second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/** Listens at host and port; 0 takes a free port. Rejects when the port is taken. */
export async function listen(
  app: App,
  where: { readonly host: string; readonly port: number },
  see: See,
  close: () => Promise<void>,
): Promise<Listening> {
  const address = await app.server.listen(where);
  const isEncrypted = app.server.server instanceof TlsServer;
  see({ kind: 'listening', address: isEncrypted ? address.replace(/^http:/, 'https:') : address });
  const bound = app.server.server.address();
  invariant(bound !== null && typeof bound === 'object', 'a TCP port was expected');
  let stopping: Promise<void> | undefined;
  return {
    port: (bound satisfies AddressInfo).port,
    stop: async () => {
      stopping ??= stop(app, see, close);
      await stopping;
    },
  };
}

async function stop(app: App, see: See, close: () => Promise<void>): Promise<void> {
  see({ kind: 'stopping', reason: `${app.pending()} requests are under way` });
  app.drain();
  app.server.server.closeIdleConnections();
  const deadline = performance.now() + DRAIN_LIMIT;
  while (app.pending() > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, DRAIN_INTERVAL));
  app.server.server.closeAllConnections();
  await app.server.close();
  await close();
  see({ kind: 'stopped' });
}
