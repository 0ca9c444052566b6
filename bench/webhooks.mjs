// This file measures how many webhooks are delivered per second: single messages to one receiver, which verifies nothing and answers 204. The
// records are created while the subscription is paused; the time from its activation to the last delivery counts. The processor time of
// one delivery does not depend on what else the machine does.
//     npm run build && node bench/webhooks.mjs [--events 20000]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { processorTime } from './servers.mjs';

const docket = fileURLToPath(new URL('../bin/docket', import.meta.url));
const PASSWORD = 'measured again and again';
const BATCH = 500;

/** Counts messages in a thread of its own. */
function receive() {
  let [count, first, last] = [0, 0, 0];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      last = performance.now();
      if (count++ === 0) first = last;
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address().port));
  parentPort?.on('message', () => parentPort?.postMessage({ count, milliseconds: last - first }));
}

const next = (worker) => new Promise((resolve) => worker.once('message', resolve));

async function reported(worker) {
  const answer = next(worker);
  worker.postMessage('report');
  return await answer;
}

async function measure(events) {
  const directory = mkdtempSync(join(tmpdir(), 'docket-webhooks-'));
  const data = join(directory, 'data');
  const config = join(directory, 'docket.yaml');
  writeFileSync(config, 'webhooks: {allowedRanges: [127.0.0.1]}\nlogLevel: warn\n');
  const env = { ...process.env, DOCKET_ADMIN_PASSWORD: PASSWORD };
  const made = ['demo', '--data', data, '--requests', '5'];
  spawnSync(process.execPath, [docket, ...made], { env, stdio: 'inherit' });
  const args = ['serve', '--data', data, '--config', config, '--port', '0'];
  const service = spawn(process.execPath, [docket, ...args], { env });
  const worker = new Worker(fileURLToPath(import.meta.url));
  try {
    const port = await next(worker);
    const root = await new Promise((resolve) => {
      let text = '';
      service.stdout.on('data', (chunk) => {
        text += chunk;
        const found = /Docket serves (\S+)/.exec(text);
        if (found !== null) resolve(found[1]);
      });
    });
    return await deliver({ root, port, worker, events, pid: service.pid });
  } finally {
    service.kill();
    await worker.terminate();
    await new Promise((resolve) => service.once('close', resolve));
    rmSync(directory, { recursive: true });
  }
}

async function deliver({ root, port, worker, events, pid }) {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const login = await fetch(new URL('/token', root), { method: 'POST', body });
  const { access_token: token } = await login.json();
  const send = async (method, path, content) => {
    const response = await fetch(`${root}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(content),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text === '' ? undefined : JSON.parse(text);
  };
  const { Uid } = await send('POST', 'WebhookSubscriptions', {
    Url: `http://127.0.0.1:${port}/`,
    EntitySet: 'Persons',
    Select: 'LastName,Status',
    State: 'paused',
  });
  const subscription = `WebhookSubscriptions(${Uid})`;
  await send('POST', `${subscription}/Docket.System.RotateSecret`, {});
  for (let first = 0; first < events; first += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, events - first) }, (_, index) => ({
      id: String(index),
      atomicityGroup: 'all',
      method: 'POST',
      url: 'Persons',
      headers: { prefer: 'return=minimal' },
      body: { LastName: `Person ${first + index}` },
    }));
    await send('POST', '$batch', { requests });
  }
  const before = processorTime(pid);
  await send('PATCH', subscription, { State: 'active' });
  let report = { count: 0, milliseconds: 0 };
  while (report.count < events) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    report = await reported(worker);
  }
  const used = processorTime(pid) - before;
  return { ...report, used };
}

if (isMainThread) {
  const { values } = parseArgs({ options: { events: { type: 'string', default: '20000' } } });
  const { count, milliseconds, used } = await measure(Number(values.events));
  const rate = Math.round((count / milliseconds) * 1000);
  const each = ((used / count) * 1000).toFixed(0);
  console.log(`${count} deliveries in ${(milliseconds / 1000).toFixed(1)} s: ${rate} per second`);
  console.log(`processor time of the service: ${each} µs for each delivery`);
} else receive();
