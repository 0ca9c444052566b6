// This file is a proxy between a driver and PostgreSQL that cuts connections, as a failing network does.
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** What happens to the bytes that a client sends: they are forwarded, the connection is cut before or after that, or they are lost. */
type Verdict = 'forward' | 'cut-before' | 'cut-after' | 'lose';

export interface FaultyProxy {
  readonly url: string;
  /** Decides about the bytes of clients; null forwards all. */
  judge: ((bytes: Buffer) => Verdict) | null;
  /** Milliseconds after which the bytes of clients are forwarded. */
  delay: number;
  /** Cuts all connections, and rejects new ones while `isDown`. */
  readonly cut: () => void;
  isDown: boolean;
  /** Forwards nothing more on the connections that are open, without closing them. */
  readonly silence: () => void;
  readonly close: () => Promise<void>;
}

/** Milliseconds for the server to act on what was forwarded before the connection is cut. */
const TO_ACT = 50;

/** @param listenPort 0 for a free one */
export async function startProxy(target: string, listenPort = 0): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const silences: (() => void)[] = [];
  const server = createServer((client) => {
    if (proxy.isDown) {
      client.destroy();
      return;
    }
    const upstream = dial(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let isMuted = false;
    let isSilent = false;
    silences.push(() => {
      isSilent = true;
      isMuted = true;
    });
    upstream.on('data', (bytes) => isMuted || client.write(bytes));
    client.on('data', (bytes) => {
      if (isSilent) return;
      const verdict = proxy.judge?.(bytes) ?? 'forward';
      if (verdict === 'lose') return;
      if (verdict !== 'forward') isMuted = true;
      if (verdict !== 'cut-before') forward(upstream, bytes);
      if (verdict !== 'forward') setTimeout(() => client.destroy(), TO_ACT);
    });
  });
  const forward = (upstream: Socket, bytes: Buffer) => {
    if (proxy.delay === 0) upstream.write(bytes);
    else setTimeout(() => upstream.write(bytes), proxy.delay);
  };
  await new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const proxy: FaultyProxy = {
    url: url.href,
    judge: null,
    delay: 0,
    isDown: false,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    silence: () => {
      for (const silence of silences.splice(0)) silence();
    },
    close: () => {
      proxy.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
