// This file measures what one request alone does not show, on the installation of run.mjs: answers that are given again, two workers,
// single reads beside scans without end, 1 to 2,000 connections, connections that wait, a whole export, memory over many requests of all
// kinds, an installation ten times as large, and 200 clients that scan it. The last two also run on PostgreSQL, with databases that they
// create and keep on the server at a URL.
//     npm run bench:more [-- --rounds 5] [--seconds 2] [--requests 1000000] [--size 2000000] [--database postgres://user@host/postgres]
//         [--only answers,workers,scans,concurrency,idle,export,growth,sizes,overload]
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { concurrency } from './concurrency.mjs';
import { growth } from './growth.mjs';
import { overload } from './overload.mjs';
import { makeProgress } from './progress.mjs';
import {
  makeInstallation,
  memory,
  processorTime,
  processorTimes,
  STANDARD_SIZE,
  startFloor,
  startLoader,
  startService,
  stop,
} from './servers.mjs';
import { sizes } from './sizes.mjs';
import { COUNTED } from './workloads.mjs';
import { wrkLoader } from './wrk.mjs';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string' },
    database: { type: 'string' },
    size: { type: 'string', default: '2000000' },
    requests: { type: 'string', default: '1000000' },
  },
});
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
const GROUPED = 'ServiceRequests?$apply=groupby((Status/Text),aggregate($count%20as%20N))';
const SCAN = "ServiceRequests/$count?$filter=endswith(tolower(concat(Description,'x')),'zzx')";

const get = (path) => [{ method: 'GET', path: `/odata/${path}` }];

function median(numbers) {
  return [...numbers].sort((left, right) => left - right)[numbers.length >> 1];
}

async function ask(server, path, how = {}) {
  const answer = await fetch(`${server.address}/odata/${path}`, {
    ...how,
    headers: { ...server.headers, ...how.headers },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function measure(loader, server, requests, connections = 10) {
  const { address: url, headers } = server;
  const before = processorTime(server.child.pid);
  const seen = await loader.load({ url, headers, requests, connections, seconds });
  const used = processorTime(server.child.pid) - before;
  return { ...seen, cpu: (used / Math.max(1, seen.answered)) * 1000 };
}

async function someKeys(server) {
  const path = 'ServiceRequests?$select=Uid&$top=250&$skip=50000&$filter=Caller/Uid%20ne%20null';
  const { value } = await ask(server, path);
  return value.map(({ Uid }) => Uid);
}

/** Repeated answers beside the floor, and answers each of which comes after a write. */
async function answers(loader) {
  const kept = await startService();
  const fresh = await startService({ DOCKET_LIMITS_ANSWER_MEGABYTES: '0' });
  const floor = await startFloor(kept, {});
  for (const [name, path] of [
    ['W10', GROUPED],
    ['W3c', COUNTED],
  ]) {
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      progress.show(`answers: ${name}, round ${round + 1} of ${rounds}`);
      const ours = await measure(loader, kept, get(path));
      const theirs = await measure(loader, floor, get(path));
      pairs.push({ rate: ours.rate / theirs.rate, cpu: theirs.cpu / ours.cpu });
    }
    console.log(
      `answers: ${name} given again: ${median(pairs.map(({ rate }) => rate)).toFixed(1)} times the floor (by CPU ${median(pairs.map(({ cpu }) => cpu)).toFixed(1)})`,
    );
  }
  const [key] = await someKeys(kept);
  const after = async (server, path, count) => {
    let taken = 0;
    for (let time = 0; time < count; time++) {
      const body = JSON.stringify({ Workaround: `bench ${Math.random()}` });
      const headers = { 'content-type': 'application/json', prefer: 'return=minimal' };
      await ask(server, `ServiceRequests(${key})`, { method: 'PATCH', body, headers });
      const start = performance.now();
      await ask(server, path);
      taken += performance.now() - start;
    }
    return taken / count;
  };
  for (const [name, path] of [
    ['W10', GROUPED],
    ['W2', 'ServiceRequests'],
  ]) {
    const ratios = [];
    for (let round = 0; round < rounds; round++)
      ratios.push((await after(kept, path, 20)) / (await after(fresh, path, 20)));
    console.log(
      `answers: ${name} behind a write each: ${median(ratios).toFixed(2)} of the time without the cache`,
    );
  }
  for (const server of [kept, fresh, floor]) await stop(server);
}

/**
 * One worker and two, loaded by wrk where it is installed, else by a process that takes as little as it can: on two processors it competes
 * with them. `each` is the processor time of a request in each process of the service, the one that hands on connections first.
 */
async function workers() {
  const wrk = wrkLoader();
  const light = wrk ?? startLoader();
  const one = await startService({ DOCKET_LIMITS_ANSWER_MEGABYTES: '0' });
  const two = await startService({ DOCKET_LIMITS_ANSWER_MEGABYTES: '0' }, ['--workers', '2']);
  const keys = await someKeys(one);
  const measured = async (server, requests) => {
    const before = processorTimes(server.child.pid);
    const seen = await measure(light, server, requests, 32);
    const used = processorTimes(server.child.pid).map((time, index) => time - before[index]);
    return { ...seen, each: used.map((time) => (time * 1000) / seen.answered) };
  };
  for (const [name, requests] of [
    ['W1', keys.flatMap((key) => get(`ServiceRequests(${key})`))],
    ['W2', get('ServiceRequests')],
  ]) {
    for (const server of [one, two]) await measured(server, requests);
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      progress.show(`workers: ${name}, round ${round + 1} of ${rounds}`);
      pairs.push({ alone: await measured(one, requests), both: await measured(two, requests) });
    }
    const middle = (of) => median(pairs.map(of));
    const rates = [middle(({ alone }) => alone.rate), middle(({ both }) => both.rate)];
    const cpu = [middle(({ alone }) => alone.cpu), middle(({ both }) => both.cpu)];
    const loading = middle(({ both }) => both.loaderCpu);
    const possible = (2 * cpu[0]) / (cpu[1] + loading);
    const { each } = pairs.at(-1).both;
    const text = (numbers) => numbers.map((number) => number.toFixed(0)).join(' and ');
    progress.end();
    console.log(
      `workers: ${name}: two serve ${middle(({ alone, both }) => both.rate / alone.rate).toFixed(2)} times what one serves (${text(rates)}/s); processor time of a request ${text(cpu)} µs, of loading it ${loading.toFixed(0)} µs, so that two free processors allow ${possible.toFixed(2)}; by process ${each.map((number) => number.toFixed(0)).join(' + ')} µs`,
    );
  }
  progress.done('workers');
  for (const server of [one, two, ...(wrk === undefined ? [light] : [])]) await stop(server);
}

/** Single reads, quiet and while four clients scan without end, in turn. */
async function scans() {
  const light = startLoader();
  const service = await startService({ DOCKET_LIMITS_ANSWER_MEGABYTES: '0' });
  const keys = await someKeys(service);
  const requests = keys.flatMap((key) => get(`ServiceRequests(${key})`));
  await measure(light, service, requests);
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    progress.show(`scans: round ${round + 1} of ${rounds}`);
    const quiet = await measure(light, service, requests);
    const state = { isOver: false, count: 0 };
    const scanning = Array.from({ length: 4 }, async () => {
      while (!state.isOver) {
        await ask(service, SCAN);
        state.count++;
      }
    });
    const beside = await measure(light, service, requests);
    state.isOver = true;
    await Promise.all(scanning);
    pairs.push({ quiet, beside, count: state.count });
  }
  const middle = (of) => median(pairs.map(of));
  progress.end();
  console.log(
    `scans: W1 quiet ${middle(({ quiet }) => quiet.rate).toFixed(0)}/s, p99 ${middle(({ quiet }) => quiet.p99).toFixed(2)} ms; beside 4 clients that scan (${middle(({ count }) => count)} scans a round) ${middle(({ beside }) => beside.rate).toFixed(0)}/s, p99 ${middle(({ beside }) => beside.p99).toFixed(2)} ms: ${middle(({ beside, quiet }) => beside.p99 / quiet.p99).toFixed(1)} times`,
  );
  progress.done('scans');
  for (const server of [service, light]) await stop(server);
}

async function idle() {
  const service = await startService();
  const { port } = new URL(service.address);
  const before = memory(service.child.pid);
  const sockets = [];
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    });
  for (let count = 0; count < 9900; count += 100)
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, open))));
  console.log(
    `idle: ${sockets.length} connections: ${memory(service.child.pid).toFixed(0)} MB, ${before.toFixed(0)} MB before`,
  );
  for (const socket of sockets) socket.destroy();
  await stop(service);
}

async function wholeExport() {
  const service = await startService();
  let path = 'ServiceRequests';
  let count = 0;
  const seen = [];
  const began = performance.now();
  while (path !== undefined) {
    const page = await ask(service, path, { headers: { prefer: 'maxpagesize=250' } });
    count += page.value.length;
    if (seen.length * 40_000 < count) seen.push(memory(service.child.pid));
    path = page['@odata.nextLink']?.split('/odata/')[1];
  }
  console.log(
    `export: ${count} records in ${((performance.now() - began) / 1000).toFixed(1)} s; memory ${seen.map((one) => one.toFixed(0)).join(', ')} MB`,
  );
  await stop(service);
}

const { database } = flags;
const ON_POSTGRES = ['sizes', 'overload'];
const ON_SQLITE = ['answers', 'workers', 'scans', 'concurrency', 'idle', 'export', 'growth'];
const chosen = flags.only?.split(',') ?? (database === undefined ? ON_SQLITE : ON_POSTGRES);
const others = chosen.filter((name) => !ON_POSTGRES.includes(name));
if (database !== undefined && others.length > 0)
  throw new Error(`${others} cannot run on PostgreSQL; --database allows ${ON_POSTGRES}`);
const progress = makeProgress(chosen.length);
if (others.length > 0) makeInstallation(STANDARD_SIZE);
const parts = {
  answers,
  workers,
  scans,
  concurrency: (loader) => concurrency({ loader, rounds, seconds, median, someKeys, progress }),
  idle,
  export: wholeExport,
  growth: () => growth({ requests: Number(flags.requests), someKeys, progress }),
  sizes: () => sizes({ requests: flags.size, database, rounds, median, progress }),
  overload: () => overload({ requests: flags.size, database, seconds, median, progress }),
};
const loader = startLoader();
try {
  for (const name of chosen) await parts[name](loader);
} finally {
  await stop(loader);
}
