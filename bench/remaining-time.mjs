// This file measures pages in the order of remaining time, and filters by it, where a tenth of many requests have running clocks. It makes an
// installation of its own, and gives its requests clocks in the database.
//     node bench/remaining-time.mjs [--requests 200000] [--rounds 200] [--database postgres://user@host/postgres] [--keep DIRECTORY]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import pg from 'pg';
import {
  createBenchDatabase,
  makeInstallation,
  makePostgresInstallation,
  startService,
  stop,
} from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '200' },
    database: { type: 'string' },
    keep: { type: 'string' },
  },
});
const directory = flags.keep ?? mkdtempSync(join(tmpdir(), 'docket-bench-'));
const database =
  flags.database === undefined ? undefined : await createBenchDatabase(flags.database);
const environment = database === undefined ? {} : { DOCKET_DATABASE: database.url };
if (database === undefined) makeInstallation(flags.requests, directory);
else makePostgresInstallation(flags.requests, directory, database.url);

const start = () => startService(environment, ['--log-level', 'error'], directory);

/** Gives the requests clocks while no service runs. */
async function giveClocks() {
  if (database === undefined) {
    const connection = new Database(join(directory, 'docket.db'));
    const schedules = connection.prepare(MEASURED).safeIntegers().raw().all();
    for (const statement of clocks(schedules)) connection.exec(statement);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query({ text: MEASURED, rowMode: 'array' });
  for (const statement of [...clocks(rows), 'VACUUM ANALYZE']) await client.query(statement);
  await client.end();
}

async function ask({ address, headers }, method, path, body) {
  const answer = await fetch(`${address}/odata/${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

const HOUR = 3_600_000_000_000;
const [RUNNING, PAUSED, STOPPED] = [200001, 200002, 200003];

/** Schedules, each with the position at which the time of a new request is over. */
const MEASURED = `SELECT DISTINCT "Deadline#schedule", "Sla/Remaining" FROM "ServiceRequests" WHERE "Description" = 'Measured' AND "Deadline#schedule" > 1`;

/**
 * A tenth of the requests run by the schedules, with 30 hours less to 50 hours more than a new one; a fortieth is paused, and the others have
 * stopped with up to 40 hours left, a tenth of them late.
 */
function clocks(schedules) {
  const spread = '(("Uid" * 7919) % 1000)';
  const change = (schedule, position, state, condition) =>
    `UPDATE "ServiceRequests" SET "Deadline#schedule" = ${schedule}, "Sla/Remaining" = ${position}, "Sla/Resolution/State" = ${state} WHERE ${condition}`;
  const left = `(${spread} * 44 / 1000 - 4) * ${HOUR}`;
  return [
    change(1, left, STOPPED, '"Uid" % 10 <> 0 AND "Uid" % 40 <> 5'),
    change(0, left, PAUSED, '"Uid" % 40 = 5'),
    ...schedules.map(([id, position], index) =>
      change(
        id,
        `${position} + (${spread} * 80 / 1000 - 30) * ${HOUR}`,
        RUNNING,
        `"Uid" % 10 = 0 AND ("Uid" / 10) % ${schedules.length} = ${index}`,
      ),
    ),
  ];
}

const TIMES = '$select=Uid,Sla/Remaining';
const IS_RUNNING = `Sla/Resolution/State/Value eq ${RUNNING}`;
const QUERIES = {
  'first 50 by remaining time': `$orderby=Sla/Remaining&$filter=Sla/Remaining ne null`,
  'last 50': '$orderby=Sla/Remaining desc',
  'first 50 of the running ones': `$orderby=Sla/Remaining&$filter=${IS_RUNNING} and Sla/Remaining ne null`,
  'first 50 with less than an hour': `$orderby=Sla/Remaining&$filter=Sla/Remaining lt duration'PT1H'`,
  'running ones with less than an hour, by key': `$filter=${IS_RUNNING} and Sla/Remaining lt duration'PT1H'`,
  'any with less than an hour, by key': `$filter=Sla/Remaining lt duration'PT1H'`,
  'any with more than three days, by key': `$filter=Sla/Remaining gt duration'P3D'`,
};

async function measure(service, query) {
  const durations = [];
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    const began = performance.now();
    await ask(service, 'GET', `ServiceRequests?$top=50&${TIMES}&${encodeURI(query)}`);
    durations.push(performance.now() - began);
  }
  return durations.sort((one, other) => one - other);
}

let service = await start();
try {
  const { value: levels } = await ask(service, 'GET', 'ServiceLevels?$select=Uid,Name');
  for (const { Uid } of levels) {
    const name = { Name: `Measured ${Uid}` };
    const { Uid: made } = await ask(service, 'POST', 'Services', name);
    await ask(service, 'POST', 'ServiceLevelAgreements', {
      ...name,
      Status: { Value: 219002 },
      'ServiceLevel@odata.bind': `ServiceLevels(${Uid})`,
      'Service@odata.bind': `Services(${made})`,
    });
    await ask(service, 'POST', 'ServiceRequests', {
      Description: 'Measured',
      Impact: { Value: 111001 },
      'Service@odata.bind': `Services(${made})`,
    });
  }
  await stop(service);
  await giveClocks();
  service = await start();
  for (const [title, query] of Object.entries(QUERIES)) {
    await measure(service, query);
    const sorted = await measure(service, query);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
    const shown = [0.5, 0.95].map((part) => at(part).toFixed(2)).join(' / ');
    console.log(`${title.padEnd(46)} median / p95 ${shown} ms`);
  }
} finally {
  await stop(service);
  await database?.remove();
  if (flags.keep === undefined) rmSync(directory, { recursive: true, force: true });
}
