// This file edits a schedule that open clocks use, and measures other requests meanwhile: how long they take, how late marks are, and
// whether all deadlines are right afterwards. It makes an installation of its own.
//     node bench/schedule-edits.mjs [--clocks 20000] [--seconds 5] [--database postgres://user@host/postgres]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createBenchDatabase,
  makeInstallation,
  makePostgresInstallation,
  startService,
  stop,
} from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    clocks: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    database: { type: 'string' },
  },
});
const clocks = Number(flags.clocks);
const directory = mkdtempSync(join(tmpdir(), 'docket-bench-'));
const database =
  flags.database === undefined ? undefined : await createBenchDatabase(flags.database);
const environment = database === undefined ? {} : { DOCKET_DATABASE: database.url };
if (database === undefined) makeInstallation('1000', directory);
else makePostgresInstallation('1000', directory, database.url);
const service = await startService(environment, ['--log-level', 'error'], directory);

async function ask(method, path, body) {
  const answer = await fetch(`${service.address}/odata/${path}`, {
    method,
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

const BATCH = 500;
const REQUEST = { Description: 'Measured', Impact: { Text: 'Department' } };

/** Requests with running clocks. */
async function createRequests() {
  for (let made = 0; made < clocks; made += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, clocks - made) }, (_, index) => ({
      id: String(index),
      method: 'POST',
      url: 'ServiceRequests',
      atomicityGroup: 'g',
      headers: { 'content-type': 'application/json', prefer: 'return=minimal' },
      body: REQUEST,
    }));
    const { responses } = await ask('POST', '$batch', { requests });
    const failed = responses.find(({ status }) => status >= 300);
    if (failed !== undefined) throw new Error(JSON.stringify(failed));
  }
}

const KINDS = {
  read: (key) => ask('GET', `ServiceRequests(${key})`),
  page: () => ask('GET', 'ServiceRequests?$top=50&$orderby=Deadline'),
  create: () => ask('POST', 'ServiceRequests', REQUEST),
};

/** Sends requests of all kinds in turn until `hasEnded`. @returns their durations in milliseconds, by kind */
async function measure(key, hasEnded) {
  const durations = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
  while (!hasEnded()) {
    for (const [kind, send] of Object.entries(KINDS)) {
      const began = performance.now();
      await send(key);
      durations[kind].push(performance.now() - began);
      await wait(5);
    }
  }
  return durations;
}

function report(title, durations) {
  const at = (sorted, part) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  for (const [kind, all] of Object.entries(durations)) {
    const sorted = [...all].sort((one, other) => one - other);
    const shown = [0.5, 0.95, 1].map((part) => at(sorted, part).toFixed(1)).join(' / ');
    console.log(
      `${title.padEnd(8)} ${kind.padEnd(7)} ${String(all.length).padStart(6)}  median / p95 / longest ${shown} ms`,
    );
  }
}

const MARKS = 30;
const BETWEEN_MARKS = 4000;

/** Requests with deadlines of their own, which are reached while the schedule is applied. @returns the requests */
async function createMarks() {
  const begin = Date.now();
  const created = [];
  for (let index = 1; index <= MARKS; index += 1) {
    const Deadline = new Date(begin + index * BETWEEN_MARKS).toISOString();
    created.push(await ask('POST', 'ServiceRequests', { Description: 'Marked', Deadline }));
  }
  return created;
}

/** How late the marks were that have been reached, in milliseconds. */
async function latenessOfMarks(created) {
  const lateness = [];
  for (const { Uid, Deadline } of created) {
    const filter = "Attribute eq 'Sla/Resolution/Mark' and NewValue eq '100'";
    const { value } = await ask(
      'GET',
      `ServiceRequests(${Uid})/HistoryLines?$filter=${encodeURIComponent(filter)}&$select=CreatedAt`,
    );
    for (const { CreatedAt } of value) lateness.push(Date.parse(CreatedAt) - Date.parse(Deadline));
  }
  return lateness.sort((one, other) => one - other);
}

/** The number of requests with the deadlines that the schedule had before. */
async function outdated(deadline) {
  return Number(
    await ask(
      'GET',
      `ServiceRequests/$count?$filter=${encodeURIComponent(`Description eq 'Measured' and Deadline lt ${deadline}`)}`,
    ),
  );
}

try {
  await createRequests();
  const newest = 'ServiceRequests?$top=1&$orderby=Uid%20desc&$select=Uid,Deadline';
  const {
    value: [{ Uid: key, Deadline }],
  } = await ask('GET', newest);
  const end = Date.now() + Number(flags.seconds) * 1000;
  report('before', await measure(key, () => Date.now() > end));
  const { Schedule: path, TimeZone: zone } = await ask('GET', `ServiceRequests(${key})/Explain()`);
  console.log(`deadline ${Deadline}, schedule in ${zone}`);
  const schedule = path.slice(path.indexOf('/odata/') + 7);
  const day = Deadline.slice(0, 10);
  // The day of the deadline becomes a holiday.
  let hasEnded = false;
  const measuring = measure(key, () => hasEnded);
  const began = performance.now();
  const {
    value: [calendar],
  } = await ask('GET', `${schedule}/Calendars?$top=1&$select=Uid`);
  const calendarPath =
    calendar === undefined
      ? `Calendars(${(await ask('POST', `${schedule}/Calendars`, { Name: 'Measured' })).Uid})`
      : `Calendars(${calendar.Uid})`;
  const marked = await createMarks();
  const edit = performance.now();
  await ask('POST', `${calendarPath}/Holidays`, { Date: day, Name: 'Measured' });
  console.log(`the edit took ${(performance.now() - edit).toFixed(0)} ms`);
  const limit = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
  while ((await outdated(limit)) > 0) await wait(500);
  console.log(
    `all deadlines have moved after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  hasEnded = true;
  report('during', await measuring);
  const late = await latenessOfMarks(marked);
  console.log(
    `${late.length} marks were late by ${late[late.length >> 1]} ms (median), ${late.at(-1)} ms at most`,
  );
  const { value: all } = await ask(
    'GET',
    `ServiceRequests?$filter=Description%20eq%20'Measured'&$select=Uid,Deadline&$top=200`,
  );
  let wrong = 0;
  for (const { Uid, Deadline: stored } of all) {
    const { Clocks } = await ask('GET', `ServiceRequests(${Uid})/Explain()`);
    if (Clocks.at(-1).Deadline !== stored) wrong += 1;
  }
  console.log(`${wrong} of ${all.length} stored deadlines differ from explained ones`);
  if (wrong > 0) process.exitCode = 1;
} finally {
  await stop(service);
  await database?.remove();
  rmSync(directory, { recursive: true, force: true });
}
