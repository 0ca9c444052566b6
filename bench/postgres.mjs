// This file measures the service on PostgreSQL against the baseline (postgres-floor.mjs), in alternating rounds. It starts a server of its
// own, or uses the one at TEST_DATABASE_URL, whose processor time it does not know; it creates a demo installation in a new database.
//     npm run bench:postgres [-- --requests 20000] [--rounds 5] [--seconds 2] [--connections 10] [--only W1,W2] [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeProgress } from './progress.mjs';
import {
  blockPostgresLevels,
  createBenchDatabase,
  makePostgresInstallation,
  processorTime,
  startLoader,
  startPostgres,
  startPostgresFloor,
  startService,
  stop,
} from './servers.mjs';
import { warmUp } from './warm-up.mjs';
import { requestsOf, workloads, writingWorkloads } from './workloads.mjs';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '10' },
    only: { type: 'string', default: 'W1,W2,W3,W4,W7' },
    json: { type: 'boolean', default: false },
  },
});
const READ_GOAL = 0.8;
const WRITE_GOAL = 0.7;

async function ask(server, { path, ...how }) {
  const headers = { ...server.headers, ...how.headers };
  const response = await fetch(`${server.address}${path}`, { ...how, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return { status: response.status, body: JSON.parse(text) };
}

async function someUids(server, set, filter) {
  const { body } = await ask(server, { path: `/odata/${set}?$select=Uid&$top=250${filter}` });
  return body.value.map(({ Uid }) => Uid);
}

/** Keys and moments differ in every record that is created. */
const OWN = new Set(['Uid', 'ID', 'DateCreated', 'DateModified']);

/** A response without control information, and without what differs in each new record. */
function comparable({ status, body }, isNew) {
  return JSON.stringify({ status, body }, (name, value) =>
    name.includes('@odata.') || (isNew && OWN.has(name)) ? undefined : value,
  );
}

async function requireSameRecords({ service, floor }, { workload, requests: [request] }) {
  const isNew = request.method === 'POST';
  const expected = comparable(await ask(service, request), isNew);
  const given = comparable(await ask(floor, request), isNew);
  if (expected === given) return;
  const at = [...given].findIndex((letter, index) => letter !== expected[index]);
  const part = (text) => text.slice(Math.max(0, at - 100), at + 100);
  throw new Error(
    `${workload.id}: the baseline returns …${part(given)}… instead of …${part(expected)}…`,
  );
}

const TABLES = ['ServiceRequests', 'Record/HistoryLines', 'docket_change', 'docket_sequence'];
const SEQUENCES = ['identity', 'ServiceRequests.ID', 'changes of ServiceRequests'];

/** Throws where a request to service and baseline adds different numbers of rows, or raises numbers by other amounts. */
async function requireSameRows(client, { service, floor }, { workload, requests: [request] }) {
  const rows = TABLES.map((table) => `(SELECT count(*) FROM "${table}")`);
  const numbers = [...SEQUENCES, 'changes of any table'].map(
    (name) => `(SELECT next FROM docket_sequence WHERE name = '${name}')`,
  );
  const counts = [...rows, ...numbers];
  const count = async () =>
    (await client.query({ text: `SELECT ${counts.join(', ')}`, rowMode: 'array' })).rows[0];
  const addedBy = async (server) => {
    const before = await count();
    await ask(server, request);
    return String((await count()).map((after, index) => after - before[index]));
  };
  // The first write of each adds the row of its commit marks.
  for (const server of [service, floor]) await ask(server, request);
  const [ours, theirs] = [await addedBy(service), await addedBy(floor)];
  if (ours !== theirs)
    throw new Error(`${workload.id}: ${TABLES}, ${SEQUENCES}: ${theirs} instead of ${ours}`);
}

/** Microseconds of processor time of node and of the database for each request. */
async function measure({ loader, database }, server, { requests }) {
  const times = () => [server, database].map(({ child }) => child && processorTime(child.pid));
  const before = times();
  const seen = await loader.load({
    url: server.address,
    headers: server.headers,
    requests,
    connections: Number(flags.connections),
    seconds: Number(flags.seconds),
  });
  const [node, stored] = times().map((used, index) =>
    used === undefined ? undefined : ((used - before[index]) / seen.answered) * 1000,
  );
  if (seen.failed > 0) throw new Error(`${requests[0].path}: ${seen.failed} requests failed`);
  const { rate, p50, answered } = seen;
  return { answered, rate, p50, node, database: stored, cpu: node + (stored ?? 0) };
}

function median(numbers) {
  const known = numbers.filter((one) => one !== undefined).sort((left, right) => left - right);
  return known[known.length >> 1];
}

const medians = (rounds) =>
  Object.fromEntries(
    Object.keys(rounds[0]).map((field) => [field, median(rounds.map((round) => round[field]))]),
  );

async function measureBoth(tools, { service, floor }, order) {
  const { id, name } = order.workload;
  const rounds = { service: [], floor: [] };
  progress.show(`${id} ${name}: warming up`);
  for (const server of [service, floor])
    await warmUp(async () => (await measure(tools, server, order)).answered);
  for (let round = 0; round < Number(flags.rounds); round++) {
    progress.show(`${id} ${name}: round ${round + 1} of ${flags.rounds}`);
    rounds.service.push(await measure(tools, service, order));
    rounds.floor.push(await measure(tools, floor, order));
  }
  const ratio = (field) =>
    median(rounds.service.map((ours, index) => rounds.floor[index][field] / ours[field]));
  progress.done(`${id} ${name}`);
  return {
    id,
    name,
    goal: order.requests[0].method === 'GET' ? READ_GOAL : WRITE_GOAL,
    ratio: 1 / ratio('rate'),
    cpuRatio: ratio('cpu'),
    databaseRatio: tools.database.child && ratio('database'),
    service: medians(rounds.service),
    floor: medians(rounds.floor),
  };
}

const number = (value, digits) => (value === undefined ? '' : value.toFixed(digits));

function print(results) {
  const headings = [
    'workload',
    'Docket/s',
    'baseline/s',
    'ratio',
    'by CPU',
    'by database CPU',
    'goal',
    'p50 ms',
    'baseline p50 ms',
    'CPU µs, node + database',
    'baseline CPU µs',
  ];
  const used = ({ node, database }) => `${number(node, 0)} + ${number(database, 0)}`;
  const rows = results.map(({ id, name, goal, ratio, cpuRatio, databaseRatio, service, floor }) => [
    `${id} ${name}`,
    number(service.rate, 0),
    number(floor.rate, 0),
    number(ratio, 2),
    number(cpuRatio, 2),
    number(databaseRatio, 2),
    number(goal, 2),
    number(service.p50, 2),
    number(floor.p50, 2),
    used(service),
    used(floor),
  ]);
  const cells = [headings, headings.map(() => '---'), ...rows];
  console.log(cells.map((row) => `| ${row.join(' | ')} |`).join('\n'));
}

async function measureAll(tools, client, servers, chosen) {
  const { service } = servers;
  const keys = await someUids(service, 'ServiceRequests', '&$filter=Caller/Uid%20ne%20null');
  const people = await someUids(service, 'Persons', '');
  const orders = chosen.map((workload) => ({
    workload,
    requests: requestsOf(workload, { keys, people }),
  }));
  const results = [];
  for (const order of orders) {
    await requireSameRecords(servers, order);
    if (order.requests[0].method !== 'GET') await requireSameRows(client, servers, order);
    results.push(await measureBoth(tools, servers, order));
  }
  return results;
}

const wanted = flags.only.split(',');
const chosen = [...workloads, ...writingWorkloads].filter(({ id }) => wanted.includes(id));
const progress = makeProgress(chosen.length);
const given = process.env.TEST_DATABASE_URL;
const database = given ? { url: given } : await startPostgres();
const { url, remove } = await createBenchDatabase(database.url);
const directory = mkdtempSync(join(tmpdir(), 'docket-bench-'));
const client = new pg.Client({ connectionString: url });
const loader = startLoader();
const running = [loader];
try {
  progress.show('creating the installation');
  makePostgresInstallation(flags.requests, directory, url);
  await blockPostgresLevels(url);
  await client.connect();
  await client.query('VACUUM ANALYZE');
  const settings = { DOCKET_DATABASE: url, DOCKET_LIMITS_ANSWER_MEGABYTES: '0' };
  const service = await startService(settings, [], directory);
  running.push(service);
  const floor = await startPostgresFloor(service, url);
  running.push(floor);
  const results = await measureAll({ loader, database }, client, { service, floor }, chosen);
  progress.end();
  if (flags.json) console.log(JSON.stringify(results, null, 2));
  else print(results);
} finally {
  for (const server of running) await stop(server);
  await client.end();
  rmSync(directory, { recursive: true, force: true });
  await remove();
  if (database.child) await stop(database);
}
