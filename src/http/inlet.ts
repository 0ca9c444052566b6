// This file passes the requests of open connections to the application that answers them, which another one can replace, without
// closing the connections or the ports. Its functions hold no reference to a replaced application, so that its memory is released.
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionLimits, limitConnections, serverOptions } from './connection-limits.ts';
import { type WatchSettings, watchConnections } from './connection-watch.ts';
import { type KeyPair, makeServer, renewPair } from './tls.ts';

/** The application that answers the requests of connections. */
export interface Answering {
  readonly listener: RequestListener;
  /** Answers a request that Node could not parse. */
  readonly rejectMalformed: (error: unknown, socket: Socket) => void;
  readonly watched: WatchSettings;
}

/** The servers of a port: one for each address that its host name has. */
export interface Inlet {
  readonly servers: Server[];
  current: Answering;
}

/** How the servers of an inlet are made. */
interface ServerSettings {
  readonly pair: KeyPair | undefined;
  readonly limits: ConnectionLimits;
  readonly urlLength: number;
}

/** Adds a server that does not listen yet. Throws if certificate and key do not match. */
export function addServer(inlet: Inlet, { pair, limits, urlLength }: ServerSettings): Server {
  const server = makeServer(pair, serverOptions(limits, urlLength), (request, response) =>
    inlet.current.listener(request, response),
  );
  limitConnections(server, limits, (socket) => inlet.current.watched.queues.isAnswering(socket));
  watchConnections(server, () => inlet.current.watched);
  inlet.servers.push(server);
  return server;
}

/** Answers malformed requests, instead of the listeners that a server has. */
export function answerMalformed(inlet: Inlet, server: Server): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (error, socket) =>
    inlet.current.rejectMalformed(error, socket as Socket),
  );
}

/** Uses another pair for new connections. Throws if certificate and key do not match. */
export function renewServers({ servers }: Inlet, pair: KeyPair): void {
  for (const server of servers) renewPair(server, pair);
}

/** Closes the port and all connections. */
export async function closeInlet({ servers }: Inlet): Promise<void> {
  for (const server of servers) {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}
