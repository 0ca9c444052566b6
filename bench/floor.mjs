// This file is the floor of what is possible: a server written by hand for the requests of workloads.mjs and nothing else. It knows no
// tokens and parses nothing; every request is a statement prepared beforehand, over the same database file, whose JSON SQLite writes.
//     node bench/floor.mjs <database> <root>      root = the service root that stands in the answers
import { createServer } from 'node:http';
import { openDatabase } from './floor-database.mjs';
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
const oneRecord = (url) => REQUEST + one.get(Number(url.slice(23, -1))).slice(1);
const callerRecord = (url) => PERSON + caller.get(Number(url.slice(23, -8))).slice(1);

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

function answer(url) {
  const route = routes.get(url.slice(7));
  if (route !== undefined) return route();
  if (url.endsWith('/Caller')) return callerRecord(url);
  if (url.startsWith('$skiptoken', 23)) return following(url);
  return oneRecord(url);
}

const HEADERS = {
  'OData-Version': '4.0',
  'Content-Type': 'application/json; odata.metadata=minimal',
  'Content-Language': 'en',
};

function send(response, text) {
  response.writeHead(200, { ...HEADERS, 'Content-Length': Buffer.byteLength(text) }).end(text);
}

/** JSON batches of reads by key. */
function batch(text) {
  const answers = JSON.parse(text).requests.map(
    ({ id, url }) =>
      `{"id":"${id}","status":200,"headers":{"odata-version":"4.0","content-type":"application/json; odata.metadata=minimal","etag":"W/\\"1\\""},"body":${oneRecord(`/odata/${url}`)}}`,
  );
  return `{"responses":[${answers.join(',')}]}`;
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    send(response, answer(request.url));
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => send(response, batch(Buffer.concat(chunks).toString())));
});
server.listen(0, '127.0.0.1', () => console.log(`floor http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
