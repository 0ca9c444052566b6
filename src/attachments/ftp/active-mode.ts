// This file lets an FTP server open the connections for data ("active mode"), for servers whose passive ports cannot be reached. The
// client library sends over a socket that is connected before the command is sent, which the server's is not yet: so the library gets
// one end of a connection within this machine, whose other end is joined to the server's connection when that comes.
// Sources: RFC 959, "Data Connection Management", "DATA PORT (PORT)"; RFC 2428 "FTP Extensions for IPv6 and NATs", "The EPRT Command".
import { once } from 'node:events';
import {
  type AddressInfo,
  connect as connectSocket,
  createServer,
  type Server,
  type Socket,
} from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { type FTPContext, FTPError, type FTPResponse } from 'basic-ftp';

/** Prepares a transfer for which the server opens the connection. Raises what the server answers to EPRT and PORT. */
export async function enterActiveMode(ftp: FTPContext): Promise<FTPResponse> {
  const { localAddress, remoteAddress } = ftp.socket;
  if (localAddress === undefined || remoteAddress === undefined)
    throw new Error('the control connection is closed');
  const server = await listenAt(localAddress);
  try {
    const { near, far } = await makePair();
    joinNext(server, far, remoteAddress);
    near.once('close', () => server.close());
    const answer = await announce(ftp, localAddress, portOf(server));
    ftp.dataSocket = ftp.socket instanceof TLSSocket ? secured(ftp, near, ftp.socket) : near;
    return answer;
  } catch (error) {
    server.close();
    throw error;
  }
}

async function listenAt(host: string): Promise<Server> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, host);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** Two ends of one connection within this machine; a stranger who connects first is sent away. */
async function makePair(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = await listenAt('127.0.0.1');
  try {
    const near = connectSocket(portOf(server), '127.0.0.1');
    const [connected] = await Promise.all([
      new Promise<Socket>((resolve) => {
        server.on('connection', (socket) => {
          if (socket.remotePort === (near.address() as AddressInfo).port) resolve(socket);
          else socket.destroy();
        });
      }),
      once(near, 'connect'),
    ]);
    return { near, far: connected };
  } finally {
    server.close();
  }
}

/** Joins the pair's far end to the next connection that comes from the server's machine. */
function joinNext(server: Server, far: Socket, from: string): void {
  far.on('error', () => far.destroy());
  far.on('close', () => server.close());
  server.on('connection', (socket) => {
    if (socket.remoteAddress !== from) {
      socket.destroy();
      return;
    }
    server.close();
    // What breaks on one side breaks on the other: an end in good order must not be made of it.
    socket.on('error', () => far.resetAndDestroy());
    far.on('close', () => socket.destroy());
    far.pipe(socket).pipe(far);
    socket.resume();
    far.resume();
  });
}

async function announce(ftp: FTPContext, host: string, port: number): Promise<FTPResponse> {
  const isVersion6 = host.includes(':') && !host.startsWith('::ffff:');
  const address = host.replace(/^::ffff:/, '');
  try {
    return await ftp.request(`EPRT |${isVersion6 ? 2 : 1}|${address}|${port}|`);
  } catch (error) {
    if (isVersion6 || !(error instanceof FTPError)) throw error;
    const numbers = [...address.split('.'), port >> 8, port & 255];
    return await ftp.request(`PORT ${numbers.join(',')}`);
  }
}

/** The client is the client of TLS too, whoever opened the connection (RFC 4217, "Data Connection Behaviour"). */
function secured(ftp: FTPContext, near: Socket, control: TLSSocket): TLSSocket {
  const session = ftp.tlsSessionStore ?? control.getSession();
  const socket = connectTls({
    ...ftp.tlsOptions,
    socket: near,
    ...(session === undefined ? {} : { session }),
  });
  socket.on('session', (fresh) => {
    ftp.tlsSessionStore = fresh;
  });
  return socket;
}
