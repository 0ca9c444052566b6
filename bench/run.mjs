// This file measures the service on a large installation: it makes one once (bench/data), serves it, asks every question of workloads.mjs
// several times, and prints a table of medians, with a plain scan of the same rows by SQLite beside the searches.
//     npm run bench [-- --requests 200000] [--rounds 5] [--json]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { searches, workloads } from './workloads.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const data = fileURLToPath(new URL('./data', import.meta.url));
const docket = fileURLToPath(new URL('../bin/docket', import.meta.url));
const PASSWORD = 'measured again and again';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});

function makeInstallation() {
  if (existsSync(`${data}/docket.db`)) return;
  const environment = { ...process.env, DOCKET_ADMIN_PASSWORD: PASSWORD };
  const made = spawnSync(
    process.execPath,
    [docket, 'demo', '--data', data, '--requests', flags.requests, '--admin', 'bench'],
    { stdio: ['ignore', 'inherit', 'inherit'], env: environment, cwd: root },
  );
  if (made.status !== 0) throw new Error('the installation could not be made');
}

/** The service in a process of its own, and its address. */
async function startService() {
  const child = spawn(
    process.execPath,
    [docket, 'serve', '--data', data, '--port', '0', '--log-level', 'warn'],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: root },
  );
  const address = await new Promise((resolve, reject) => {
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
      const found = /serves (http:\S+)\/odata/.exec(told);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return { child, address };
}

async function logIn(address) {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'bench',
    password: PASSWORD,
  });
  const answer = await fetch(`${address}/token`, { method: 'POST', body });
  return (await answer.json()).access_token;
}

/** The key of a request in the middle. */
async function anyKey(address, token) {
  const answer = await fetch(`${address}/odata/ServiceRequests?$select=Uid&$top=1&$skip=1000`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return String((await answer.json()).value[0].Uid);
}

/** Milliseconds of one request after the other; the answers are read whole. */
async function time(address, token, path, times) {
  const taken = [];
  for (let index = 0; index < times; index++) {
    const start = performance.now();
    const answer = await fetch(`${address}/odata/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    taken.push(performance.now() - start);
  }
  return taken;
}

/** Milliseconds that SQLite takes to look through all rows for the same text. */
function timeScan(database, { scan, parameter }, times) {
  const statement = database.prepare(scan).raw(true);
  const taken = [];
  for (let index = 0; index < times; index++) {
    const start = performance.now();
    statement.all(parameter);
    taken.push(performance.now() - start);
  }
  return taken;
}

function quantile(taken, part) {
  const sorted = [...taken].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function table(headings, rows) {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    cells
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ');
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

makeInstallation();
const { child, address } = await startService();
const database = new Database(`${data}/docket.db`, { readonly: true });
try {
  const token = await logIn(address);
  const uid = await anyKey(address, token);
  const rounds = Number(flags.rounds);
  const results = [];
  for (const workload of workloads.map((one) => ({
    ...one,
    path: one.path.replace('{uid}', uid),
  }))) {
    await time(address, token, workload.path, 3);
    const taken = [];
    for (let round = 0; round < rounds; round++)
      taken.push(...(await time(address, token, workload.path, workload.times ?? 40)));
    results.push({
      name: workload.name,
      path: workload.path,
      p50: quantile(taken, 0.5),
      p99: quantile(taken, 0.99),
    });
  }
  for (const search of searches) {
    await time(address, token, search.path, 3);
    const taken = [];
    const scans = [];
    for (let round = 0; round < rounds; round++) {
      taken.push(...(await time(address, token, search.path, 10)));
      scans.push(...timeScan(database, search, 2));
    }
    const [p50, scan] = [quantile(taken, 0.5), quantile(scans, 0.5)];
    results.push({
      name: search.name,
      path: search.path,
      p50,
      p99: quantile(taken, 0.99),
      scan,
      ratio: scan / p50,
    });
  }
  if (flags.json) console.log(JSON.stringify(results, null, 2));
  else {
    const number = (value) => (value === undefined ? '' : value.toFixed(2));
    console.log(
      table(
        ['workload', 'request', 'p50 ms', 'p99 ms', 'scan ms', 'scan/p50'],
        results.map((row) => [
          row.name,
          row.path,
          number(row.p50),
          number(row.p99),
          number(row.scan),
          number(row.ratio),
        ]),
      ),
    );
  }
} finally {
  database.close();
  child.kill('SIGTERM');
}
