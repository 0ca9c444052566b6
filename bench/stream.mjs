// This file measures live streams that wait: what a listener costs in memory, what all of them cost in processor time while nothing changes
// and while records change that they do not follow, and how long an event takes to reach all of those that follow it.
//     npm run bench:stream -- [--listeners 2000] [--seconds 20] [--events 20]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeInstallation, processorTime, startService, stop } from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    listeners: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '20' },
    events: { type: 'string', default: '20' },
  },
});
const LISTENERS = Number(flags.listeners);
const SECONDS = Number(flags.seconds);
/** Streams that are opened at the same time. */
const OPENING = 50;

const directory = mkdtempSync(join(tmpdir(), 'docket-bench-stream-'));
makeInstallation('100', directory);
const settings = { DOCKET_LIMITS_ACCOUNT_LISTENERS: '1000000' };
const service = await startService(settings, [], directory);
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** The resident memory of the service. Megabytes. */
function memory() {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** The share of one processor that the service uses for a time, while `work` runs. */
async function processorShare(seconds, work = async () => {}) {
  const [before, began] = [processorTime(service.child.pid), performance.now()];
  await Promise.all([work(), pause(seconds)]);
  return (processorTime(service.child.pid) - before) / (performance.now() - began);
}

/** Opens a stream, and counts the events that arrive on it. */
function listen(path, onEvent) {
  return new Promise((resolve, reject) => {
    const headers = { ...service.headers, accept: 'text/event-stream' };
    const call = request(
      `${service.address}/odata/${path}`,
      { headers, agent: false },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode} for ${path}`));
        response.setEncoding('utf8').on('data', (text) => {
          for (let at = text.indexOf('docket.'); at >= 0; at = text.indexOf('docket.', at + 1))
            onEvent();
        });
        response.once('data', () => resolve(call));
      },
    );
    call.on('error', reject);
    call.end();
  });
}

const send = async (method, path, body) => {
  const headers = { ...service.headers, 'content-type': 'application/json' };
  const url = `${service.address}/odata/${path}`;
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : await response.json();
};

try {
  const { Uid } = await send('POST', 'Persons', { LastName: 'Followed' });
  const { Uid: other } = await send('POST', 'ServiceRequests', { Description: 'Not followed' });
  await pause(3);
  const [idle, start] = [await processorShare(SECONDS / 2), memory()];
  let arrived = 0;
  const calls = [];
  while (calls.length < LISTENERS) {
    const count = Math.min(OPENING, LISTENERS - calls.length);
    const opened = Array.from({ length: count }, () =>
      listen(`Persons?$select=Uid,Jobtitle&$filter=Uid%20eq%20${Uid}`, () => {
        arrived += 1;
      }),
    );
    calls.push(...(await Promise.all(opened)));
  }
  await pause(3);
  const open = memory();
  const waiting = await processorShare(SECONDS);
  const others = await processorShare(SECONDS / 2, async () => {
    for (let index = 0; index < 10 * (SECONDS / 2); index++) {
      await send('PATCH', `ServiceRequests(${other})`, { Description: `change ${index}` });
      await pause(0.1);
    }
  });
  const times = [];
  for (let index = 1; index <= Number(flags.events); index++) {
    const began = performance.now();
    await send('PATCH', `Persons(${Uid})`, { Jobtitle: `title ${index}` });
    while (arrived < index * LISTENERS && performance.now() - began < 30_000) await pause(0.005);
    times.push(performance.now() - began);
  }
  times.sort((one, two) => one - two);
  const percent = (share) => `${(100 * share).toFixed(2)} %`;
  console.log(
    `listeners: ${LISTENERS}; events that arrived: ${arrived} of ${times.length * LISTENERS}`,
  );
  console.log(
    `memory: ${start.toFixed(0)} MB without listeners, ${open.toFixed(0)} MB with them: ${(((open - start) * 1024) / LISTENERS).toFixed(1)} KB each`,
  );
  console.log(
    `processor: ${percent(idle)} without listeners, ${percent(waiting)} with them, ${percent(others)} while 10 other records change per second`,
  );
  console.log(
    `an event for all of them: median ${times[times.length >> 1].toFixed(0)} ms, longest ${times.at(-1).toFixed(0)} ms`,
  );
  for (const call of calls) call.destroy();
} finally {
  await stop(service);
  rmSync(directory, { recursive: true });
}
