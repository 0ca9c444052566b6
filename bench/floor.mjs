// This file is the floor of what is possible: a server written by hand for the requests of workloads.mjs and nothing else. It does what the
// contract demands of any server (floor-http.mjs, the key, 404 and the ETag of a record), and no more: each request is a statement
// prepared beforehand, over the same database file, whose JSON SQLite writes.
//     node bench/floor.mjs <database> <root>      root = the service root that stands in the answers
import { createServer } from 'node:http';
import { openDatabase } from './floor-database.mjs';
import { entityTag, JSON_TYPE, newId, send, tokenCheck, VARY } from './floor-http.mjs';
import { statements } from './floor-sql.mjs';
import { COUNTED, COUNTED_FREQUENT, FILTERED, FILTERED_FREQUENT, SEARCHES } from './workloads.mjs';

const [file, root, signatures = '{}'] = process.argv.slice(2);
const database = openDatabase(file);
const known = JSON.parse(signatures);
const prepared = Object.fromEntries(
  Object.entries(statements).map(([name, text]) => [name, database.prepare(text)]),
);

const context = (fragment) => `{"@odata.context":"${root}$metadata#${fragment}",`;
const REQUEST = context('ServiceRequests/$entity');
const PERSON = context('Persons/$entity');
const hex = (keys) => Buffer.from(keys).toString('hex');
const next = (path, keys) =>
  `],"@odata.nextLink":"${root}${path}$skiptoken=1.${known[path] ?? ''}..${hex(keys)}"}`;

const one = prepared.one.pluck();
const caller = prepared.caller.pluck();
const KEY = /^ServiceRequests\((-?\d{1,15})\)(\/Caller)?$/;

/** The record at a URL, with its ETag; undefined if there is none. */
function recordAt(url) {
  const [, key, toCaller] = KEY.exec(url) ?? [];
  if (key === undefined) return undefined;
  const record = (toCaller === undefined ? one : caller).get(Number(key));
  if (record === undefined) return undefined;
  const body = (toCaller === undefined ? REQUEST : PERSON) + record.slice(1);
  return { body, etag: entityTag(record, body) };
}

const paged = (statement, fragment, path) => {
  const head = `${context(fragment)}"value":`;
  const run = prepared[statement].raw();
  return () => {
    const [records, key] = run.get();
    return `${head}${records.slice(0, -1)}${next(path, `[${key}]`)}`;
  };
};
const whole = (statement, fragment) => {
  const head = `${context(fragment)}"value":`;
  const run = prepared[statement].pluck();
  return () => `${head}${run.get()}}`;
};
const filtered = (path, status, counts) => {
  const run = prepared[`filtered${status}`].raw();
  const count = prepared[`count${status}`].pluck();
  const head = context('ServiceRequests');
  return () => {
    const [records, deadline, key] = run.get();
    const counted = counts ? `"@odata.count":${count.get()},` : '';
    return `${head}${counted}"value":${records.slice(0, -1)}${next(path, `["${deadline}",${key}]`)}`;
  };
};
const behind = () => {
  const run = prepared.behind.raw();
  const head = `${context('ServiceRequests')}"value":`;
  return (url) => {
    const token = url.slice(url.lastIndexOf('.') + 1);
    const [records, key] = run.get(Number(Buffer.from(token, 'hex').toString().slice(1, -1)));
    return `${head}${records.slice(0, -1)}${next('ServiceRequests?', `[${key}]`)}`;
  };
};

const EXPANDED = 'ServiceRequests(Caller(Uid,Name),Workorders(Uid,Description))';
const EXPAND =
  'ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid,Description)';
const routes = new Map([
  ['ServiceRequests', paged('first', 'ServiceRequests', 'ServiceRequests?')],
  [FILTERED, filtered(`${FILTERED}&`, 'Rare', false)],
  [FILTERED_FREQUENT, filtered(`${FILTERED_FREQUENT}&`, 'Frequent', false)],
  [COUNTED, filtered(`${COUNTED}&`, 'Rare', true)],
  [COUNTED_FREQUENT, filtered(`${COUNTED_FREQUENT}&`, 'Frequent', true)],
  [EXPAND, paged('expanded', EXPANDED, `${EXPAND}&`)],
  ['ServiceRequests?$skip=99980', paged('deep', 'ServiceRequests', 'ServiceRequests?')],
  ['ServiceRequests?$top=250', whole('many', 'ServiceRequests')],
  [
    'ServiceRequests?$apply=groupby((Status/Text),aggregate($count%20as%20N))',
    whole('grouped', 'ServiceRequests(Status(Text),N)'),
  ],
  [SEARCHES.rare, whole('scanRare', 'ServiceRequests(Uid)')],
  [SEARCHES.words, whole('scanRare', 'ServiceRequests(Uid)')],
  [
    SEARCHES.frequent,
    paged('scanFrequent', 'ServiceRequests(Uid)', `${SEARCHES.frequent.replaceAll('%27', "'")}&`),
  ],
]);
const following = behind();

const BATCH_HEADERS = ['Content-Type', JSON_TYPE];
const HEADERS = [...BATCH_HEADERS, 'Content-Language', 'en'];

function answer(url, response) {
  const route = routes.get(url);
  if (route !== undefined) return send(response, 200, HEADERS, route());
  if (url.startsWith('ServiceRequests?$skiptoken'))
    return send(response, 200, HEADERS, following(url));
  const found = recordAt(url);
  if (found === undefined) return send(response, 404, []);
  return send(response, 200, [...HEADERS, 'ETag', found.etag], found.body);
}

/** JSON batches of reads by key. */
function batch(text) {
  const id = newId();
  const answers = JSON.parse(text).requests.map((request, index) => {
    const found = recordAt(request.url);
    if (found === undefined) return JSON.stringify({ id: request.id, status: 404 });
    const headers = {
      'odata-version': '4.0',
      vary: VARY,
      'content-type': JSON_TYPE,
      'content-language': 'en',
      etag: found.etag,
      'x-request-id': `${id}.${index + 1}`,
    };
    return `{"id":${JSON.stringify(request.id)},"status":200,"headers":${JSON.stringify(headers)},"body":${found.body}}`;
  });
  return `{"responses":[${answers.join(',')}]}`;
}

const isAllowed = tokenCheck(database);

const server = createServer((request, response) => {
  if (!isAllowed(request)) {
    send(response, 401, ['WWW-Authenticate', 'Bearer']);
    return;
  }
  if (request.method === 'GET') {
    answer(request.url.slice('/odata/'.length), response);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () =>
    send(response, 200, BATCH_HEADERS, batch(Buffer.concat(chunks).toString())),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`floor http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
