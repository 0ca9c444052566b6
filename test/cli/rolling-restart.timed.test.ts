// This file tests a rolling restart: two processes serve one PostgreSQL database behind a load balancer that follows /readyz. Each is
// stopped and started again in turn while clients read and write, and no request fails.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { makeProgram, type Program } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const CHECK_INTERVAL = 100;

let program: Program;
let url: string;
const environment = () => ({
  DOCKET_DATABASE: url,
  DOCKET_ADMIN_PASSWORD: PASSWORD,
  DOCKET_DRAIN_SECONDS: '1',
  DOCKET_LOG_LEVEL: 'warn',
});

interface Node {
  readonly port: number;
  readonly process: ChildProcess;
  isReady: boolean;
}

const nodes = new Set<Node>();
let balancer: Server;
let origin: string;

async function startNode(): Promise<Node> {
  const child = program.launch(['serve', '--port', '0', '--data', 'data'], environment());
  let said = '';
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said += chunk;
        const found = /serves http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    child.once('exit', () => reject(new Error(said)));
  });
  const node = { port, process: child, isReady: false };
  nodes.add(node);
  return node;
}

/** Stops a node as a process supervisor does. Returns its exit code. */
async function stopNode(node: Node): Promise<unknown> {
  const exit = once(node.process, 'exit');
  node.process.kill('SIGTERM');
  const [code] = await exit;
  nodes.delete(node);
  return code;
}

/** Forwards requests to the ready nodes in turn, over connections that stay open. */
async function startBalancer(): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  balancer = createServer((received, response) => {
    const ready = [...nodes].filter((node) => node.isReady);
    const node = ready[turn++ % ready.length];
    if (node === undefined) return response.writeHead(502).end('no node is ready');
    const { method, url: path, headers } = received;
    const sent = request({ agent, host: '127.0.0.1', port: node.port, method, path, headers });
    sent.on('response', (answer) => {
      const { connection, ...others } = answer.headers;
      answer.pipe(response.writeHead(answer.statusCode ?? 502, others));
    });
    sent.on('error', (error) => response.writeHead(502).end(error.message));
    return received.pipe(sent);
  });
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  origin = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}

/** Asks a node whether it is ready. */
async function check(node: Node): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${node.port}/readyz`).catch(() => undefined);
  node.isReady = response?.status === 200;
  await response?.text();
}

const bothReady = () =>
  vi.waitFor(() => expect([...nodes].filter((node) => node.isReady)).toHaveLength(2), 20_000);
let checks: NodeJS.Timeout;

beforeAll(async () => {
  url = await postgresUrl();
  program = makeProgram();
  const { code, err } = await program.docket(
    ['demo', '--requests', '20', '--data', 'data'],
    environment(),
  );
  expect([code, err]).toEqual([0, expect.anything()]);
  await startBalancer();
  await Promise.all([startNode(), startNode()]);
  checks = setInterval(() => void Promise.all([...nodes].map(check)), CHECK_INTERVAL);
  await bothReady();
}, 120_000);

afterAll(async () => {
  clearInterval(checks);
  for (const { process } of nodes) process.kill('SIGKILL');
  balancer.close();
  await dropDatabase(url);
  program.remove();
});

it('a rolling restart of two nodes fails no request', { timeout: 120_000 }, async () => {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const login = await fetch(`${origin}/token`, { method: 'POST', body });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  const failures: unknown[] = [];
  let [reads, writes, isDone] = [0, 0, false];
  const client = async (send: (n: number) => Promise<Response>) => {
    for (let n = 0; !isDone; n++) {
      try {
        const response = await send(n);
        const text = await response.text();
        if (!response.ok) failures.push(`${response.status} ${text}`);
      } catch (error) {
        failures.push(error instanceof Error ? (error.cause ?? error) : error);
      }
    }
  };
  const read = async () => {
    reads++;
    return await fetch(`${origin}/odata/ServiceRequests?$top=5`, { headers });
  };
  const write = async (n: number) => {
    writes++;
    return await fetch(`${origin}/odata/Persons`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ Name: `Person ${n}` }),
    });
  };
  const clients = [read, read, read, read, write, write].map(client);

  for (const node of [...nodes]) {
    expect(await stopNode(node)).toBe(0);
    await startNode();
    await bothReady();
  }
  isDone = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(reads).toBeGreaterThan(100);
  expect(writes).toBeGreaterThan(20);
});
