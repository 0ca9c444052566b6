// This file measures what a second node adds while the database has processor time left. Each node may use a fifth of a processor, by control
// groups of Linux (version 1 or 2, as root), so that two processors suffice for the nodes, PostgreSQL and the load. In alternating rounds, the
// same number of connections loads one node, and both.
//     npm run bench:nodes -- [--requests 20000] [--rounds 7] [--seconds 4] [--connections 16] [--percent 20] [--only W1,W2,W4,W7] [--json]
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeProgress } from './progress.mjs';
import {
  createBenchDatabase,
  makePostgresInstallation,
  processorTime,
  startLoader,
  startPostgres,
  startService,
  stop,
} from './servers.mjs';
import { warmUp } from './warm-up.mjs';
import { requestsOf, workloads, writingWorkloads } from './workloads.mjs';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '16' },
    percent: { type: 'string', default: '20' },
    only: { type: 'string', default: 'W1,W2,W4,W7' },
    json: { type: 'boolean', default: false },
  },
});
const PERIOD_US = 100_000;

/** Limits the processor time of a process; the function returned removes the group once the process has ended. */
function limitProcessor({ pid }) {
  const version1 = '/sys/fs/cgroup/cpu';
  const isVersion1 = existsSync(`${version1}/cpu.cfs_quota_us`);
  const group = `${isVersion1 ? version1 : '/sys/fs/cgroup'}/docket-bench-${pid}`;
  const quota = String(Number(flags.percent) * (PERIOD_US / 100));
  mkdirSync(group);
  if (isVersion1) writeFileSync(`${group}/cpu.cfs_quota_us`, quota);
  else writeFileSync(`${group}/cpu.max`, `${quota} ${PERIOD_US}`);
  writeFileSync(`${group}/cgroup.procs`, String(pid));
  return () => rmdirSync(group);
}

async function uidsOf(node, set, filter = '') {
  const address = `${node.address}/odata/${set}?$select=Uid&$top=250${filter}`;
  const response = await fetch(address, { headers: node.headers });
  return (await response.json()).value.map(({ Uid }) => Uid);
}

/** Requests per second of the nodes together, and the share of a processor that the database used. */
async function measure(nodes, requests) {
  const seconds = Number(flags.seconds);
  const before = processorTime(database.child.pid);
  const loads = nodes.map(({ address: url, headers }, index) =>
    loaders[index].load({
      url,
      headers,
      requests,
      connections: Number(flags.connections) / nodes.length,
      seconds,
    }),
  );
  const seen = await Promise.all(loads);
  const failed = seen.reduce((all, one) => all + one.failed, 0);
  if (failed > 0) throw new Error(`${requests[0].path}: ${failed} requests failed`);
  const used = (processorTime(database.child.pid) - before) / 1000 / seconds;
  const sum = (of) => seen.reduce((all, one) => all + of(one), 0);
  return { answered: sum((one) => one.answered), rate: sum((one) => one.rate), database: used };
}

const median = (numbers) => numbers.sort((left, right) => left - right)[numbers.length >> 1];

async function compare({ id, name }, requests) {
  const rounds = [];
  progress.show(`${id} ${name}: warming up`);
  for (const node of nodes) await warmUp(async () => (await measure([node], requests)).answered);
  for (let round = 0; round < Number(flags.rounds); round++) {
    progress.show(`${id} ${name}: round ${round + 1}`);
    const one = await measure(nodes.slice(0, 1), requests);
    const both = await measure(nodes, requests);
    rounds.push({ one, both });
  }
  progress.done(`${id} ${name}`);
  const middle = (of) => median(rounds.map(of));
  return {
    id,
    name,
    one: middle(({ one }) => one.rate),
    both: middle(({ both }) => both.rate),
    gain: middle(({ one, both }) => both.rate / one.rate - 1),
    database: middle(({ both }) => both.database),
  };
}

function print(results) {
  const rows = results.map(({ id, name, one, both, gain, database: used }) => [
    `${id} ${name}`,
    one.toFixed(0),
    both.toFixed(0),
    `+${(gain * 100).toFixed(0)} %`,
    `${(used * 100).toFixed(0)} %`,
  ]);
  const headings = ['workload', 'one node/s', 'two nodes/s', 'gain', 'database, of a processor'];
  const cells = [headings, headings.map(() => '---'), ...rows];
  console.log(cells.map((row) => `| ${row.join(' | ')} |`).join('\n'));
}

const wanted = flags.only.split(',');
const chosen = [...workloads, ...writingWorkloads].filter(({ id }) => wanted.includes(id));
const progress = makeProgress(chosen.length);
const database = await startPostgres();
const { url, remove } = await createBenchDatabase(database.url);
const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'docket-bench-')));
const loaders = [startLoader(), startLoader()];
const nodes = [];
const removals = [];
try {
  progress.show('creating the installation');
  makePostgresInstallation(flags.requests, directories[0], url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
  const settings = { DOCKET_DATABASE: url, DOCKET_LIMITS_ANSWER_MEGABYTES: '0' };
  for (const directory of directories) nodes.push(await startService(settings, [], directory));
  const keys = await uidsOf(nodes[0], 'ServiceRequests', '&$filter=Caller/Uid%20ne%20null');
  const people = await uidsOf(nodes[0], 'Persons');
  for (const { child } of nodes) removals.push(limitProcessor(child));
  const results = [];
  for (const workload of chosen)
    results.push(await compare(workload, requestsOf(workload, { keys, people })));
  progress.end();
  if (flags.json) console.log(JSON.stringify(results, null, 2));
  else print(results);
} finally {
  for (const server of [...loaders, ...nodes]) await stop(server);
  for (const removeGroup of removals) removeGroup();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  await remove();
  await stop(database);
}
