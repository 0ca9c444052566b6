// This file compares two sizes of the installation on SQLite or PostgreSQL: p50 of statements whose results have the same size, one client
// at a time. The larger installation is created once, which takes a while and 13 GB (PostgreSQL: 20 GB). It is a part of more.mjs.
import { keptInstallation, STANDARD_SIZE, startService, stop } from './servers.mjs';
import { COUNTED, COUNTED_FREQUENT, FILTERED, FILTERED_FREQUENT, SEARCHES } from './workloads.mjs';

const STATEMENTS = {
  'first page': 'ServiceRequests',
  '250 records': 'ServiceRequests?$top=250',
  'two expands': 'ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid)',
  'two codes in order, rare': FILTERED,
  'two codes in order, frequent': FILTERED_FREQUENT,
  'the same with $count, rare': COUNTED,
  'the same with $count, frequent': COUNTED_FREQUENT,
  'one code in order, frequent':
    'ServiceRequests?$filter=Status/Value%20eq%20101009&$orderby=Deadline',
  '$count of a code': 'ServiceRequests/$count?$filter=Impact/Value%20eq%20111001',
  'group by a code': 'ServiceRequests?$apply=groupby((Impact/Text),aggregate($count%20as%20N))',
  'in order of creation': 'ServiceRequests?$orderby=Registration/DateCreated&$select=Uid',
  'newest first': 'ServiceRequests?$orderby=Registration/DateModified%20desc&$select=Uid',
  'any of a related number': 'ServiceRequests?$filter=Workorders/any(w:w/ID%20eq%2077)&$select=Uid',
  'any of a line of history':
    'ServiceRequests?$filter=HistoryLines/any(h:h/Uid%20eq%20230000)&$select=Uid',
  'any two relations away':
    "ServiceRequests?$filter=Caller/Workgroups/any(g:g/Name%20eq%20'x')&$select=Uid",
  'in order of a related name': 'ServiceRequests?$orderby=Caller/Name&$select=Uid',
  'two relations away':
    "ServiceRequests?$filter=Caller/Organization/Name1%20eq%20'nothing'&$select=Uid",
  'deep $skip': 'ServiceRequests?$skip=99980&$select=Uid',
  'contains, rare word': SEARCHES.rare,
  'contains, frequent word': SEARCHES.frequent,
  '$search, rare word': SEARCHES.words,
  'contains, two letters': "ServiceRequests?$filter=contains(Description,'q%23')&$select=Uid",
};
const FOREIGN_CHANGES = 30_000;
const CHANGES_PER_REQUEST = 1000;

async function ask(server, path, how = {}) {
  const headers = { ...server.headers, ...how.headers };
  const answer = await fetch(`${server.address}/odata/${path}`, { ...how, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function timeOf(server, path) {
  const began = performance.now();
  await ask(server, path);
  return performance.now() - began;
}

/** Milliseconds on each server, in turns. */
async function timesOf(servers, paths, rounds) {
  const times = servers.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [index, server] of servers.entries()) {
      const time = await timeOf(server, paths[index]);
      // The first is cold.
      if (round > 0) times[index].push(time);
    }
  return times;
}

/** The delta link of one request after many changes of workorders, on which the link does not depend. */
async function oldDeltaLink(server) {
  const first = await ask(server, 'ServiceRequests?$select=Uid&$top=1');
  const tracked = `ServiceRequests?$select=Uid&$filter=Uid%20eq%20${first.value[0].Uid}`;
  const page = await ask(server, tracked, { headers: { prefer: 'odata.track-changes' } });
  await changeWorkorders(server);
  return page['@odata.deltaLink'].split('/odata/')[1];
}

async function changeWorkorders(server) {
  const [from] = (await ask(server, 'Workorders?$select=Uid&$top=1')).value;
  const after = `Workorders?$select=Uid&$skip=${CHANGES_PER_REQUEST - 1}&$top=1`;
  const [to] = (await ask(server, after)).value;
  const path = `Workorders/$filter(Uid%20ge%20${from.Uid}%20and%20Uid%20le%20${to.Uid})/$each`;
  const headers = { 'content-type': 'application/json', prefer: 'return=minimal' };
  const start = Math.floor(Math.random() * 1e6);
  for (let number = 0; number * CHANGES_PER_REQUEST < FOREIGN_CHANGES; number++) {
    const body = JSON.stringify({ LaborTime: `PT${start + number}S` });
    await ask(server, path, { method: 'PATCH', headers, body });
  }
}

/**
 * @param requests of the larger installation
 * @param database URL of a PostgreSQL server; undefined for SQLite
 */
export async function sizes({ requests, database, rounds, median, progress }) {
  const settings = { DOCKET_LIMITS_ANSWER_MEGABYTES: '0', DOCKET_LIMITS_STATEMENT_SECONDS: '120' };
  // Both are made before one is served: making the larger one can take longer than a token is valid.
  const installations = [];
  for (const size of [STANDARD_SIZE, requests]) {
    progress.show(`sizes: making the installation of ${size} requests`);
    installations.push(await keptInstallation(size, database));
  }
  const servers = [];
  const compare = async (name, paths) => {
    progress.show(`sizes: ${name}`);
    const p50 = (await timesOf(servers, paths, 4 * rounds)).map(median);
    progress.end();
    console.log(
      `sizes: ${name}: p50 ${p50.map((time) => time.toFixed(2)).join(' and ')} ms, ${(p50[1] / p50[0]).toFixed(1)} times`,
    );
  };
  try {
    for (const { directory, environment } of installations)
      servers.push(await startService({ ...settings, ...environment }, [], directory));
    for (const [name, path] of Object.entries(STATEMENTS)) await compare(name, [path, path]);
    progress.show(`sizes: ${FOREIGN_CHANGES} changes`);
    await compare('old delta link', await Promise.all(servers.map(oldDeltaLink)));
  } finally {
    for (const server of servers) await stop(server);
  }
}
