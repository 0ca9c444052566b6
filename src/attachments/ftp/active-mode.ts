// Active mode, in which the FTP server opens the data connections, for servers whose passive ports are unreachable. The client library
// needs a connected socket before it sends a command, but the server connects only afterwards. So the library gets one end of a loopback
// connection, and the other end is joined to the server's connection when it arrives.
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

/** Prepares a transfer in active mode. Throws an FTPError if the server rejects EPRT and PORT. */
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

/** The two ends of a loopback connection. Connections of other processes are closed. */
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

/** Joins the far end of the pair to the next connection from the FTP server's address. */
function joinNext(server: Server, far: Socket, from: string): void {
  far.on('error', () => far.destroy());
  far.on('close', () => server.close());
  server.on('connection', (socket) => {
    if (socket.remoteAddress !== from) {
      socket.destroy();
      return;
    }
    server.close();
    // An error on one side must become an error on the other, not a regular end of the stream.
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

/** The FTP client is the TLS client, even if the server opened the connection (RFC 4217, "Data Connection Behaviour"). */
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
