// This program has a worker of a cluster close its server before it looks at a connection that it has been given, as workers do that continue
// with another model. It prints how each client fared: `answered`, `closed` or `hung`.
//     node forgotten-connections.mjs MODULE MILLISECONDS WORKERS
import cluster from 'node:cluster';
import http from 'node:http';
import net from 'node:net';

const [, , module, milliseconds, workers] = process.argv;

/** Milliseconds in which the primary process hands the connections over. */
const BLOCKED = 1000;

function serve() {
  const server = http.createServer((_, response) => response.end('here'));
  server.listen(Number(process.env.FORGOTTEN_PORT), '127.0.0.1');
  process.on('message', () =>
    process.send('blocked', () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED);
      server.close();
    }),
  );
}

async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function clientOf(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'),
    );
    const timer = setTimeout(() => resolve('hung'), 10_000);
    let hasAnswered = false;
    socket.on('data', () => {
      hasAnswered = true;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(hasAnswered ? 'answered' : 'closed');
    });
  });
}

async function startWorkers(port, close) {
  const started = Array.from({ length: Number(workers) }, async () => {
    const worker = cluster.fork({ FORGOTTEN_PORT: port });
    close(worker, Number(milliseconds));
    await new Promise((resolve) => worker.once('listening', resolve));
    return worker;
  });
  return await Promise.all(started);
}

async function connect() {
  const { closeForgottenConnections } = await import(module);
  const port = await freePort();
  const [first, ...others] = await startWorkers(port, closeForgottenConnections);
  first.send('block');
  await new Promise((resolve) => first.once('message', resolve));
  // Workers take turns, so that each of them is given one of the connections.
  const clients = await Promise.all([first, ...others].map(() => clientOf(port)));
  process.stdout.write(JSON.stringify(clients));
  for (const worker of [first, ...others]) worker.process.kill();
  process.exit();
}

if (cluster.isPrimary) await connect();
else serve();
