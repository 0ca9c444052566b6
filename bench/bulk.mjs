// This file measures how many records are made per second by each way in which a client can send many at once: batches in both formats,
// with the new records in the answer or without, a deep insert, and a list of changes. Every round is told, since the first ones are
// slower: shapes of writes are learnt, and the compiler warms up. The processor time of one record, taken in the later half of the rounds,
// does not depend on what else the machine does.
//     npm run bench:bulk [-- --records 1000] [--rounds 8] [--json]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { processorTime } from './servers.mjs';

const docket = fileURLToPath(new URL('../bin/docket', import.meta.url));
const PASSWORD = 'measured again and again';

const { values: flags } = parseArgs({
  options: {
    records: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});
const MANY = Number(flags.records);
const rounds = Number(flags.rounds);

const json = { 'content-type': 'application/json' };
const minimal = { prefer: 'return=minimal' };

function bodies(people) {
  return Array.from({ length: MANY }, (_, index) => ({
    Description: `Printer number ${index} is on fire`,
    Information: 'Smoke since nine.\nSecond line.',
    Status: { Value: 101003 },
    Priority: { Value: 110001 },
    Impact: { Value: 111002 },
    Deadline: '2026-03-30T14:30:00.000Z',
    'Caller@odata.bind': `Persons(${people[index % people.length]})`,
  }));
}

function jsonBatch(people, headers) {
  const requests = bodies(people).map((body, index) => ({
    id: String(index),
    atomicityGroup: 'all',
    method: 'POST',
    url: 'ServiceRequests',
    headers: { ...json, ...headers },
    body,
  }));
  return { path: '$batch', headers: json, body: JSON.stringify({ requests }) };
}

function multipartBatch(people, headers) {
  const lines = Object.entries({ ...json, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const parts = bodies(people).map((body, index) =>
    [
      '--set',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      `Content-ID: ${index}`,
      '',
      'POST ServiceRequests HTTP/1.1',
      ...lines,
      '',
      JSON.stringify(body),
      '',
    ].join('\r\n'),
  );
  const head = '--batch\r\nContent-Type: multipart/mixed; boundary=set\r\n\r\n';
  return {
    path: '$batch',
    headers: { 'content-type': 'multipart/mixed; boundary=batch' },
    body: `${head}${parts.join('')}--set--\r\n--batch--\r\n`,
  };
}

const orders = () => Array.from({ length: MANY }, (_, index) => ({ Description: `Work ${index}` }));

const ways = {
  'JSON batch, one group': (people) => jsonBatch(people, minimal),
  'JSON batch, records in the answer': (people) => jsonBatch(people, {}),
  'multipart change set': (people) => multipartBatch(people, minimal),
  'multipart, records in the answer': (people) => multipartBatch(people, {}),
  'deep insert': () => ({
    path: 'ServiceRequests',
    headers: { ...json, ...minimal },
    body: JSON.stringify({ Description: 'All at once', Workorders: orders() }),
  }),
  'list of changes': () => ({
    method: 'PATCH',
    path: 'Workorders',
    headers: { ...json, 'odata-version': '4.01', 'odata-maxversion': '4.01' },
    body: JSON.stringify({ '@context': '#$delta', value: orders() }),
  }),
};

const directory = mkdtempSync(join(tmpdir(), 'docket-bulk-'));
const data = join(directory, 'data');
const made = spawnSync(
  process.execPath,
  [docket, 'demo', '--data', data, '--requests', '5000', '--admin', 'bench'],
  { stdio: 'ignore', env: { ...process.env, DOCKET_ADMIN_PASSWORD: PASSWORD } },
);
if (made.status !== 0) throw new Error('the installation could not be made');
const child = spawn(
  process.execPath,
  [docket, 'serve', '--data', data, '--port', '0', '--log-level', 'warn'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const address = await new Promise((resolve, reject) => {
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
      const found = /serves (http:\S+)\/odata/.exec(told);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  const form = { grant_type: 'password', username: 'bench', password: PASSWORD };
  const login = await fetch(`${address}/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const authorization = `Bearer ${(await login.json()).access_token}`;
  const ask = async ({ method = 'POST', path, headers, body }) => {
    const answer = await fetch(`${address}/odata/${path}`, {
      method,
      headers: { authorization, ...headers },
      body,
    });
    const text = await answer.text();
    if (!answer.ok || /"status":[45]|HTTP\/1.1 [45]/.test(text))
      throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text;
  };
  const page = await ask({ method: 'GET', path: 'Persons?$select=Uid&$top=50', headers: {} });
  const people = JSON.parse(page).value.map(({ Uid }) => Uid);
  const results = [];
  for (const [name, make] of Object.entries(ways)) {
    const rates = [];
    let used = 0;
    for (let round = 0; round < rounds; round++) {
      const order = make(people);
      const [start, before] = [performance.now(), processorTime(child.pid)];
      await ask(order);
      rates.push(Math.round((MANY / (performance.now() - start)) * 1000));
      if (round >= rounds / 2) used += processorTime(child.pid) - before;
    }
    const sorted = [...rates].sort((left, right) => left - right);
    const cpu = Math.round((used * 1000) / MANY / Math.floor(rounds / 2));
    results.push({ name, median: sorted[sorted.length >> 1], best: sorted.at(-1), cpu, rates });
  }
  if (flags.json) console.log(JSON.stringify(results, null, 2));
  else {
    console.log(
      '| records made at once by | median/s | best/s | CPU µs each | rounds |\n|---|---|---|---|---|',
    );
    for (const { name, median, best, cpu, rates } of results)
      console.log(`| ${name} | ${median} | ${best} | ${cpu} | ${rates.join(' ')} |`);
  }
} finally {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  rmSync(directory, { recursive: true, force: true });
}
