// This file compares the service with the floor at 1 to 2,000 connections that each send one request after another: single reads, and mixed
// reads. It is a part of more.mjs.
import { processorTime, startFloor, startService, stop } from './servers.mjs';
import { requestsOf, workloads } from './workloads.mjs';

const CONNECTIONS = [1, 10, 100, 500, 2000];
const CHOSEN = ['W1', 'W15'];

async function measure(loader, server, requests, connections, seconds) {
  const before = processorTime(server.child.pid);
  const order = { url: server.address, headers: server.headers, requests, connections, seconds };
  const seen = await loader.load(order);
  return { ...seen, cpu: ((processorTime(server.child.pid) - before) / seen.answered) * 1000 };
}

/** @param keys of requests all over the set */
export async function concurrency({ loader, rounds, seconds, median, someKeys, progress }) {
  const service = await startService({ DOCKET_LIMITS_ANSWER_MEGABYTES: '0' });
  const floor = await startFloor(service, {});
  try {
    const keys = await someKeys(service);
    for (const workload of workloads.filter(({ id }) => CHOSEN.includes(id))) {
      const requests = requestsOf(workload, { keys });
      for (const server of [service, floor]) await measure(loader, server, requests, 10, seconds);
      for (const connections of CONNECTIONS) {
        progress.show(`concurrency: ${workload.id}, ${connections} connections`);
        const pairs = [];
        for (let round = 0; round < rounds; round++) {
          const ours = await measure(loader, service, requests, connections, seconds);
          const theirs = await measure(loader, floor, requests, connections, seconds);
          pairs.push({ ours, theirs });
        }
        const middle = (of) => median(pairs.map(of));
        const failed = pairs.reduce((sum, { ours }) => sum + ours.failed, 0);
        progress.end();
        console.log(
          `concurrency: ${workload.id}, ${connections} connections: ${middle(({ ours }) => ours.rate).toFixed(0)}/s, ${middle(({ ours, theirs }) => ours.rate / theirs.rate).toFixed(2)} of the floor (by CPU ${middle(({ ours, theirs }) => theirs.cpu / ours.cpu).toFixed(2)}), p50 ${middle(({ ours }) => ours.p50).toFixed(2)} ms, p99 ${middle(({ ours }) => ours.p99).toFixed(1)} ms, failed ${failed}`,
        );
      }
    }
  } finally {
    for (const server of [service, floor]) await stop(server);
  }
}
