// This program listens with two workers that close their servers and open them again without pause, and connects until the primary process
// has closed a connection that no worker took. It prints how many such connections were closed, and how many were left without a response.
//     node forgotten-connections.mjs MODULE MILLISECONDS
import cluster from 'node:cluster';
import http from 'node:http';
import net from 'node:net';

const [, , module, milliseconds] = process.argv;
const after = Number(milliseconds);
const port = Number(process.env.FORGOTTEN_PORT);

function openAndClose() {
  const server = http.createServer((_, response) => response.end('here'));
  server.on('error', () => setTimeout(openAndClose, 5));
  server.on('close', () => setTimeout(openAndClose, 5));
  server.listen(port, '127.0.0.1', () => setTimeout(() => server.close(), 60 + Math.random() * 10));
}

async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port: free } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

/** How a connection ends: by a response or a reset, by a late end without a response, or not at all. */
function endOf(free) {
  return new Promise((resolve) => {
    const began = performance.now();
    const socket = net.connect(free, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'),
    );
    const timer = setTimeout(() => resolve('hung'), after * 10);
    let hasAnswered = false;
    socket.on('data', () => {
      hasAnswered = true;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      const isLate = performance.now() - began >= after;
      resolve(isLate && !hasAnswered ? 'closed' : 'usual');
    });
  });
}

async function connect() {
  const { closeForgottenConnections } = await import(module);
  const free = await freePort();
  for (let number = 0; number < 2; number++)
    closeForgottenConnections(cluster.fork({ FORGOTTEN_PORT: free }), after);
  const seen = { usual: 0, closed: 0, hung: 0 };
  const end = performance.now() + 40_000;
  const clients = Array.from({ length: 30 }, async () => {
    while (seen.closed === 0 && seen.hung === 0 && performance.now() < end) {
      seen[await endOf(free)] += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });
  await Promise.all(clients);
  process.stdout.write(JSON.stringify(seen));
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill();
  process.exit();
}

if (cluster.isPrimary) await connect();
else openAndClose();
