// This file serves /metrics on a port of its own, so that monitoring needs no account, and clients of the service cannot reach it. On other
// addresses than those of the machine itself, it requires a token.
import { hash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsEndpoint {
  readonly host: string;
  readonly port: number;
  /** What requests must send as `Authorization: Bearer`. */
  readonly token?: string | undefined;
}

export interface MetricsListener {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Milliseconds in which a request must be complete. */
const REQUEST_LIMIT = 5000;

/** Listens; port 0 selects a free port. Rejects if the port is in use. */
export async function listenForMetrics(
  { host, port, token }: MetricsEndpoint,
  text: () => Promise<string>,
): Promise<MetricsListener> {
  const server = createServer((request, response) => void answer(request, response, token, text));
  server.requestTimeout = REQUEST_LIMIT;
  server.headersTimeout = REQUEST_LIMIT;
  server.maxConnections = 20;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string | undefined,
  text: () => Promise<string>,
): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== '/metrics') return end(response, 404, 'The metrics are at /metrics.\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return end(response, 405, 'Use GET.\n');
  }
  if (token !== undefined && !isBearer(request.headers.authorization, token)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    return end(response, 401, 'Send the token of metrics.token as Authorization: Bearer.\n');
  }
  try {
    const body = await text();
    response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
    end(response, 200, body);
  } catch {
    end(response, 503, 'The processes of the service have not reported their metrics in time.\n');
  }
}

function end(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  response.end(body);
}

/** Digests have the same length, which the comparison needs. */
function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}
