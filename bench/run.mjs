// This file measures the service against the floor (floor.mjs) on a large installation: it makes one once (bench/data), serves it, loads
// both alternately from a process of its own, and prints medians with the ratio Docket/floor. Requests that write go to a copy of the
// installation, which is taken away afterwards. W13, files, is measured by files.mjs.
//     npm run bench [-- --requests 200000] [--rounds 5] [--seconds 2] [--connections 10] [--only W1,W2] [--json] [--chart file.svg]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { drawChart } from './chart.mjs';
import { makeProgress } from './progress.mjs';
import {
  blockServiceLevels,
  copyInstallation,
  login,
  makeInstallation,
  memory,
  processorTime,
  startFloor,
  startLoader,
  startService,
  startWritingFloor,
  stop,
} from './servers.mjs';
import { warmUp } from './warm-up.mjs';
import { requestsOf, workloads, writingWorkloads } from './workloads.mjs';
import { requireSameRows } from './written.mjs';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '10' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    chart: { type: 'string' },
  },
});

/** The text of a response. */
const ask = async (server, request) => (await fetchFrom(server, request)).text;

async function fetchFrom(server, request) {
  const { path, ...how } = request;
  const answer = await fetch(`${server.address}${path}`, {
    ...how,
    // The load asks for no compression either.
    headers: { 'accept-encoding': 'identity', ...server.headers, ...how.headers },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return { text, headers: comparableHeaders(answer.headers) };
}

/** The headers of a response but those that differ from response to response or between connections. */
function comparableHeaders(headers) {
  const own = /^(?:connection|content-length|date|keep-alive|x-request-id)$/;
  return [...headers].filter(([name]) => !own.test(name));
}

/** Keys of requests all over the set. */
async function someKeys(server) {
  const keys = [];
  for (let skip = 0; skip < Number(flags.requests); skip += Number(flags.requests) / 4) {
    const path = `/odata/ServiceRequests?$select=Uid&$top=250&$skip=${skip}&$filter=Caller/Uid%20ne%20null`;
    const { value } = JSON.parse(await ask(server, { path }));
    keys.push(...value.map(({ Uid }) => Uid));
  }
  return keys;
}

/** What the service's next links begin with, by the address: the floor writes the same. */
async function readSignatures(server, orders) {
  const signatures = {};
  for (const { requests } of orders) {
    const text = requests[0].method === 'GET' ? await ask(server, requests[0]) : '';
    const found = /\/odata\/([^"]*)\$skiptoken=1\.(\w+)\.\.[^"]*"}$/.exec(text);
    if (found) signatures[found[1]] = found[2];
  }
  return signatures;
}

async function requireSameAnswers(service, floor, { workload, requests }) {
  const answer = async (server) => {
    const { text, headers } = await fetchFrom(server, requests[0]);
    // The body is first: its ETag is a digest of it.
    return withoutIds(text) + JSON.stringify(headers);
  };
  const expected = await answer(service);
  const given = await answer(floor);
  if (expected === given) return;
  const at = [...given].findIndex((letter, index) => letter !== expected[index]);
  const part = (text) => text.slice(Math.max(0, at - 100), at + 100);
  throw new Error(
    `${workload.id}: the floor answers …${part(given)}… instead of …${part(expected)}…`,
  );
}

/** The responses of a batch have ids of their own. */
const withoutIds = (text) => text.replaceAll(/"x-request-id":"[^"]*"/g, '');

async function measure(loader, server, { workload, requests }) {
  const before = processorTime(server.child.pid);
  const seen = await loader.load({
    url: server.address,
    headers: server.headers,
    requests,
    connections: workload.connections ?? Number(flags.connections),
    seconds: Number(flags.seconds),
  });
  const used = processorTime(server.child.pid);
  if (seen.answered === 0) throw new Error(`${requests[0].path}: no response was complete`);
  if (seen.failed > 0) throw new Error(`${requests[0].path}: ${seen.failed} requests failed`);
  return {
    ...seen,
    cpu: used === undefined ? undefined : ((used - before) / seen.answered) * 1000,
  };
}

function median(numbers) {
  const sorted = numbers.filter((one) => one !== undefined).sort((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

const of = (rounds, field) => median(rounds.map((round) => round[field]));

async function measureBoth(loader, { service, floor }, order) {
  const { workload, requests } = order;
  const rounds = { service: [], floor: [], ratio: [] };
  const name = `${workload.id} ${workload.name}`;
  progress.show(`${name}: warming up`);
  for (const server of [service, floor])
    await warmUp(async () => (await measure(loader, server, order)).answered);
  for (let round = 0; round < Number(flags.rounds); round++) {
    progress.show(`${name}: round ${round + 1} of ${flags.rounds}`);
    const [ours, theirs] = [
      await measure(loader, service, order),
      await measure(loader, floor, order),
    ];
    rounds.service.push(ours);
    rounds.floor.push(theirs);
    rounds.ratio.push(ours.rate / theirs.rate);
  }
  progress.done(`${name}: ${number(median(rounds.ratio), 2)} of the floor`);
  return {
    id: workload.id,
    name: workload.name,
    request:
      requests[0].method === 'GET' ? requests[0].path : `${requests[0].method} ${requests[0].path}`,
    rate: of(rounds.service, 'rate'),
    floor: of(rounds.floor, 'rate'),
    ratio: median(rounds.ratio),
    cpuRatio: of(rounds.floor, 'cpu') / of(rounds.service, 'cpu'),
    goal: workload.goal,
    p50: of(rounds.service, 'p50'),
    p99: of(rounds.service, 'p99'),
    cpu: of(rounds.service, 'cpu'),
    floorCpu: of(rounds.floor, 'cpu'),
  };
}

function table(headings, rows) {
  const cells = [headings, headings.map(() => '---'), ...rows];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const number = (value, digits) => (value === undefined ? '' : value.toFixed(digits));

function print(results, facts) {
  const headings = [
    'workload',
    'Docket/s',
    'floor/s',
    'ratio',
    'by CPU',
    'goal',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'floor CPU µs',
  ];
  const rows = results.map((row) => [
    `${row.id} ${row.name}`,
    number(row.rate, 0),
    number(row.floor, 0),
    number(row.ratio, 2),
    number(row.cpuRatio, 2),
    number(row.goal, 2),
    number(row.p50, 2),
    number(row.p99, 2),
    number(row.cpu, 0),
    number(row.floorCpu, 0),
  ]);
  console.log(table(headings, rows));
  if (facts.started === undefined) return;
  console.log(
    `\nstart-up to the first answer ${number(facts.started, 0)} ms; memory afterwards: Docket ${number(facts.memory, 0)} MB, floor ${number(facts.floorMemory, 0)} MB`,
  );
}

/** W1 and its like: over the installation itself. */
async function measureReads(loader, chosen) {
  // What is measured is the way to an answer, not the memory of answers: that is measured by more.mjs.
  // Slow scans are to be measured, not rejected.
  const settings = { DOCKET_LIMITS_ANSWER_MEGABYTES: '0', DOCKET_LIMITS_SCAN_WAIT_SECONDS: '600' };
  const service = await startService(settings);
  const servers = [service];
  try {
    const keys = await someKeys(service);
    const next = /"@odata.nextLink":"[^"]*\/odata\/([^"]*)"/.exec(
      await ask(service, { path: '/odata/ServiceRequests?$skip=99980' }),
    )?.[1];
    const orders = chosen.map((workload) => ({
      workload,
      requests: requestsOf(workload, { keys, next }),
    }));
    const signatures = await readSignatures(service, orders);
    const floor = await startFloor(service, signatures);
    servers.push(floor);
    for (const order of orders) await requireSameAnswers(service, floor, order);
    const results = [];
    for (const order of orders) results.push(await measureBoth(loader, { service, floor }, order));
    const facts = {
      started: service.started,
      memory: memory(service.child.pid),
      floorMemory: memory(floor.child.pid),
    };
    return { results, facts };
  } finally {
    for (const server of servers) await stop(server);
  }
}

/** What requests that write name: keys of requests, and of persons. */
async function readNames(service) {
  const callers = await ask(service, { path: '/odata/Persons?$select=Uid&$top=250' });
  const people = JSON.parse(callers).value.map(({ Uid }) => Uid);
  return { keys: await someKeys(service), people, login };
}

/** W7 and its like: over a copy. */
async function measureWrites(loader, chosen) {
  progress.show('copying the installation');
  const copy = copyInstallation();
  blockServiceLevels(copy.directory);
  const servers = [];
  try {
    const service = await startService({}, [], copy.directory);
    servers.push(service);
    const names = await readNames(service);
    const floor = await startWritingFloor(service, copy.directory);
    servers.push(floor);
    const orders = chosen.map((workload) => ({ workload, requests: requestsOf(workload, names) }));
    for (const order of orders)
      await requireSameRows(`${copy.directory}/docket.db`, { service, floor }, order, fetchFrom);
    const results = [];
    for (const order of orders) results.push(await measureBoth(loader, { service, floor }, order));
    return results;
  } finally {
    for (const server of servers) await stop(server);
    copy.remove();
  }
}

/** W7s: the floor is the service itself, over a copy in which no service level is in force. */
async function measureServiceLevels(loader, workload) {
  progress.show('copying the installation twice');
  const copies = [copyInstallation(), copyInstallation('copy-without-levels')];
  blockServiceLevels(copies[1].directory);
  const servers = [];
  try {
    for (const { directory } of copies) servers.push(await startService({}, [], directory));
    const [service, floor] = servers;
    const order = { workload, requests: requestsOf(workload, await readNames(service)) };
    await requireDeadlines(order, { service, floor });
    return await measureBoth(loader, { service, floor }, order);
  } finally {
    for (const server of servers) await stop(server);
    for (const copy of copies) copy.remove();
  }
}

/** With service levels a new request has a deadline, without them it has none. */
async function requireDeadlines({ workload, requests }, { service, floor }) {
  const deadline = async (server) => JSON.parse(await ask(server, requests[0])).Deadline;
  const [ours, theirs] = [await deadline(service), await deadline(floor)];
  if (ours === null || theirs !== null)
    throw new Error(`${workload.id}: the deadlines are ${ours} and, without levels, ${theirs}`);
}

const isChosen = ({ id }) => flags.only === undefined || flags.only.split(',').includes(id);
const chosen = {
  reads: workloads.filter(isChosen),
  writes: writingWorkloads.filter(({ id }) => id !== 'W7s').filter(isChosen),
  levels: writingWorkloads.filter(({ id }) => id === 'W7s').filter(isChosen),
};
const progress = makeProgress(Object.values(chosen).flat().length);
progress.show('making the installation, or bringing it to the present form');
makeInstallation(flags.requests);
const loader = startLoader();
try {
  const { results, facts } =
    chosen.reads.length === 0
      ? { results: [], facts: {} }
      : await measureReads(loader, chosen.reads);
  if (chosen.writes.length > 0) results.push(...(await measureWrites(loader, chosen.writes)));
  for (const workload of chosen.levels) results.push(await measureServiceLevels(loader, workload));
  progress.end();
  if (flags.json) console.log(JSON.stringify({ results, ...facts }, null, 2));
  else print(results, facts);
  if (flags.chart !== undefined) writeFileSync(flags.chart, drawChart(results));
} finally {
  await stop(loader);
}
