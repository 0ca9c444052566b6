// This file sends many requests of all kinds (mixed.mjs) to a service on a copy of the installation, and looks at its memory after each tenth
// of them: what is kept of requests must have a bound. It is a part of more.mjs.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { mixedRequests } from './mixed.mjs';
import { copyInstallation, memory, startLoader, startService, stop } from './servers.mjs';

const TENTHS = 10;
/** What is remembered is as much as it may be after the first tenths; from then on it may grow by so many megabytes in a million requests. */
const FILLED = 3;
const ALLOWED = 16;
const MEGABYTE = 2 ** 20;

/** Megabytes that are used after what is not needed has been collected. */
export async function heapOf({ child }, file) {
  rmSync(file, { force: true });
  child.kill('SIGUSR2');
  while (!existsSync(file)) await wait(50);
  await wait(50);
  const { heapUsed, external } = JSON.parse(readFileSync(file, 'utf8'));
  return (heapUsed + external) / MEGABYTE;
}

/** Slope of a line through the points, in y for each x. */
function slope(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const above = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return above / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
}

/** @param keys of requests all over the set, read by whoever asks */
export async function growth({ requests, someKeys, progress }) {
  const copy = copyInstallation();
  const file = `${copy.directory}/heap.json`;
  const preload = new URL('./heap.mjs', import.meta.url).href;
  const environment = {
    NODE_OPTIONS: `--import ${preload}`,
    HEAP_FILE: file,
    // Answers are kept up to a bound, which is to be reached soon.
    DOCKET_LIMITS_ANSWER_MEGABYTES: '4',
  };
  const service = await startService(environment, ['--log-level', 'error'], copy.directory);
  const loader = startLoader();
  try {
    const mixed = mixedRequests(20_000, await someKeys(service));
    const points = [];
    const statuses = {};
    const part = Math.ceil(requests / TENTHS);
    for (let tenth = 1; tenth <= TENTHS; tenth++) {
      progress.show(`growth: ${tenth * 10} % of ${requests} requests`);
      const order = { url: service.address, headers: service.headers, requests: mixed };
      const seen = await loader.load({ ...order, connections: 10, answers: part });
      for (const [status, count] of Object.entries(seen.statuses))
        statuses[status] = (statuses[status] ?? 0) + count;
      const heap = await heapOf(service, file);
      points.push([(tenth * part) / 1e6, heap]);
      progress.end();
      console.log(
        `growth: ${tenth * part} requests (${seen.rate.toFixed(0)}/s): heap ${heap.toFixed(1)} MB, process ${memory(service.child.pid).toFixed(0)} MB`,
      );
    }
    const rise = slope(points.slice(FILLED));
    const verdict = rise <= ALLOWED ? 'bounded' : 'it grows';
    console.log(
      `growth: answered ${JSON.stringify(statuses)}; from ${FILLED * 10} % on the heap rises by ${rise.toFixed(1)} MB in a million requests: ${verdict}`,
    );
  } finally {
    await stop(service);
    await stop(loader);
    copy.remove();
  }
}
