// This file lets 200 clients scan the larger installation without end, and reads single records beside them: which scans are answered, which
// are rejected, and whether connections are lost. It is a part of more.mjs.
import { keptInstallation, startService, stop } from './servers.mjs';

const CLIENTS = 200;
const SCAN = "ServiceRequests/$count?$filter=contains(Description,'q%23')";

/** What a request returned, after how many milliseconds. */
async function observe(server, path) {
  const began = performance.now();
  try {
    const answer = await fetch(`${server.address}/odata/${path}`, { headers: server.headers });
    await answer.text();
    const isHinted = answer.status !== 503 || answer.headers.has('retry-after');
    return { kind: isHinted ? `${answer.status}` : '503 without Retry-After', began };
  } catch (error) {
    return { kind: error.cause?.code ?? error.message, began };
  }
}

/** Sends one request after another until the time is over. */
async function keepAsking(server, path, seen, until) {
  while (performance.now() < until) {
    const { kind, began } = await observe(server, path);
    const times = seen.get(kind) ?? [];
    times.push(performance.now() - began);
    seen.set(kind, times);
  }
}

/** @param seconds of a round, of which there are ten */
export async function overload({ requests, database, seconds, median, progress }) {
  progress.show(`overload: making the installation of ${requests} requests`);
  const { directory, environment } = await keptInstallation(requests, database);
  const settings = { ...environment, DOCKET_LIMITS_ANSWER_MEGABYTES: '0' };
  const service = await startService(settings, [], directory);
  try {
    const first = await fetch(
      `${service.address}/odata/ServiceRequests?$select=Uid&$top=1`,
      service,
    );
    const [{ Uid }] = (await first.json()).value;
    progress.show(`overload: ${CLIENTS} clients`);
    const [scans, reads] = [new Map(), new Map()];
    const until = performance.now() + 10_000 * seconds;
    const clients = Array.from({ length: CLIENTS }, () => keepAsking(service, SCAN, scans, until));
    await Promise.all([...clients, keepAsking(service, `ServiceRequests(${Uid})`, reads, until)]);
    progress.end();
    for (const [name, seen] of Object.entries({ scans, 'single reads': reads }))
      for (const [kind, times] of seen)
        console.log(
          `overload: ${name}: ${times.length} times ${kind}, p50 ${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
        );
  } finally {
    await stop(service);
  }
}
