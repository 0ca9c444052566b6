// This file is the baseline on PostgreSQL: a server written by hand for W1 to W4, W3f and W7 of workloads.mjs and nothing else, with the driver
// of the service. Reads are named statements on a pool of 10; their columns are written as JSON here, those of related collections by
// string_agg. Requests that write share a transaction of as many as in the service, which adds the same rows: records, changes, the
// versions of tables and the mark of the commit. It knows no tokens, takes no lock and checks nothing.
//     node bench/postgres-floor.mjs <url> <root>      root = the service root in the responses

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { CLOCKS } from './floor-clocks.mjs';
import { kinds, REQUEST } from './floor-sql.mjs';
import { FILTERED, FILTERED_FREQUENT, STATUSES } from './workloads.mjs';

const [url, root] = process.argv.slice(2);
/** Every value arrives as text. */
const types = { getTypeParser: () => (value) => value };
const pool = new pg.Pool({ connectionString: url, max: 10, types });
const writer = new pg.Client({ connectionString: url, types, pipeline: true });
await writer.connect();
for (const client of [pool, writer]) client.on('error', () => undefined);

const codes = new Map(
  (await pool.query(`SELECT value, json FROM docket_code_text WHERE language = 'en'`)).rows.map(
    ({ value, json }) => [value, json],
  ),
);

const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function duration(value) {
  const seconds = Number(value) / 1e9;
  if (seconds === 0) return '"PT0S"';
  const part = (amount, letter) => (amount === 0 ? '' : `${amount}${letter}`);
  const hours = part(Math.floor(seconds / 3600) % 24, 'H');
  const time = `${hours}${part(Math.floor(seconds / 60) % 60, 'M')}${part(Number((seconds % 60).toFixed(9)), 'S')}`;
  return `"P${part(Math.floor(seconds / 86400), 'D')}${time === '' ? '' : 'T'}${time}"`;
}

const quote = (value) => (ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`);
const orNull = (write) => (value) => (value === null ? 'null' : write(value));

/** How a value of each kind is written. */
const write = new Map([
  [kinds.quoted, orNull((value) => `"${value}"`)],
  [kinds.code, orNull((value) => `{${codes.get(value)}}`)],
  [kinds.boolean, orNull((value) => (value === 't' ? 'true' : 'false'))],
  [kinds.number, orNull((value) => value)],
  [kinds.text, orNull(quote)],
  [kinds.json, orNull((value) => value)],
  [kinds.duration, orNull(duration)],
  [
    kinds.dynamicCode,
    orNull((value) => `{"@odata.type":"#Service.Web.OData.Model.Code",${codes.get(value)}}`),
  ],
]);

/** The constant texts of a record, with the column and the function between them. */
function stepsOf(shape, prefix = '') {
  const steps = [];
  Object.entries(shape).forEach(([name, kind], index) => {
    const head = `${index === 0 ? '' : ','}"${name}":`;
    if (typeof kind === 'function')
      steps.push({ head, column: prefix + name, write: write.get(kind) });
    else {
      const [first, ...others] = stepsOf(kind, `${prefix}${name}/`);
      steps.push({ ...first, head: `${head}{${first.head}` }, ...others, { head: '}' });
    }
  });
  return steps;
}

const steps = stepsOf(REQUEST);
const valueSteps = steps.filter(({ column }) => column !== undefined);
const columns = ['$version', ...valueSteps.map(({ column }) => column)]
  .map((name) => `r."${name}"`)
  .join(', ');
const WIDTH = valueSteps.length + 1;
const DEADLINE = valueSteps.findIndex(({ column }) => column === 'Deadline') + 1;

/** The members of a record without its last brace. */
function recordOf(row) {
  let text = `{"@odata.etag":"W/\\"${row[0]}\\"",`;
  let index = 1;
  for (const { head, write } of steps)
    text += write === undefined ? head : head + write(row[index++]);
  return text;
}

const small = (record, name) =>
  `concat('{"@odata.etag":"W/\\"', ${record}."$version", '\\"","Uid":', ${record}."Uid", ',"${name}":', coalesce(to_json(${record}."${name}")::text, 'null'), '}')`;

const byStatus = (
  status,
) => `SELECT ${columns} FROM "ServiceRequests" r WHERE r."Status" = ${status} AND r."Priority" = 110002
    ORDER BY r."Deadline" NULLS FIRST, r."Uid" LIMIT 20`;

const statements = {
  one: `SELECT ${columns} FROM "ServiceRequests" r WHERE r."Uid" = $1::bigint`,
  first: `SELECT ${columns} FROM "ServiceRequests" r ORDER BY r."Uid" LIMIT 20`,
  rare: byStatus(STATUSES.rare),
  frequent: byStatus(STATUSES.frequent),
  expanded: `SELECT ${columns}, p."$version", p."Uid", p."Name",
    (SELECT string_agg(${small('w', 'Description')}, ',' ORDER BY w."Uid") FROM "Workorders" w WHERE w."ServiceRequest" = r."Uid")
    FROM "ServiceRequests" r LEFT JOIN "Persons" p ON p."Uid" = r."Caller" ORDER BY r."Uid" LIMIT 20`,
};

async function run(name, values = []) {
  const { rows } = await pool.query({ name, text: statements[name], values, rowMode: 'array' });
  return rows;
}

const context = (fragment) => `{"@odata.context":"${root}$metadata#${fragment}",`;
const REQUEST_HEAD = context('ServiceRequests/$entity');

async function oneRecord(path) {
  const [row] = await run('one', [path.slice(16, -1)]);
  return `${REQUEST_HEAD}${recordOf(row).slice(1)}}`;
}

/** A page, by the function that writes a record and the one that names the key of the next page. */
function paged(name, fragment, path, recordText, keyOf) {
  const head = `${context(fragment)}"value":[`;
  return async () => {
    const rows = await run(name);
    const key = Buffer.from(keyOf(rows.at(-1))).toString('hex');
    const next = `],"@odata.nextLink":"${root}${path}$skiptoken=1.00000000..${key}"}`;
    return head + rows.map(recordText).join(',') + next;
  };
}

const whole = (row) => `${recordOf(row)}}`;
const withRelated = (row) => {
  const [version, uid, name, workorders] = row.slice(WIDTH);
  const caller =
    uid === null
      ? 'null'
      : `{"@odata.etag":"W/\\"${version}\\"","Uid":${uid},"Name":${name === null ? 'null' : quote(name)}}`;
  return `${recordOf(row)},"Caller":${caller},"Workorders":[${workorders ?? ''}]}`;
};

const EXPAND =
  'ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid,Description)';
const EXPANDED = 'ServiceRequests(Caller(Uid,Name),Workorders(Uid,Description))';
const byUid = (row) => `[${row[1]}]`;
const byDeadline = (row) => `["${row[DEADLINE]}",${row[1]}]`;
const routes = new Map([
  ['ServiceRequests', paged('first', 'ServiceRequests', 'ServiceRequests?', whole, byUid)],
  [FILTERED, paged('rare', 'ServiceRequests', `${FILTERED}&`, whole, byDeadline)],
  [
    FILTERED_FREQUENT,
    paged('frequent', 'ServiceRequests', `${FILTERED_FREQUENT}&`, whole, byDeadline),
  ],
  [EXPAND, paged('expanded', EXPANDED, `${EXPAND}&`, withRelated, byUid)],
]);

// ---- writing --------------------------------------------------------------------------------------------------------

const GROUP_LIMIT = 32;
/** Milliseconds for which a group waits for those that will probably follow, as in the service. */
const LONGEST_WAIT = 2;
const ACCOUNT = 'bench';
const SEQUENCES = ['identity', 'ServiceRequests.ID'];
const insert = `INSERT INTO "ServiceRequests" AS r ("Uid", "Registration/DateCreated", "Registration/DateModified",
  "Registration/CreatedBy", "Registration/ModifiedBy", "ExternalReferences", "ID", "Information", "Priority", "Description", "Status",
  "Impact", "Medium", "Caller", "ClockRecord", "DeadlineIsManual", "PriorityIsManual")
  VALUES ($1, $2, $2, '${ACCOUNT}', '${ACCOUNT}', '[]', $3, $4, $5, $6, $7, 111003, 120007, $8, '${CLOCKS}', false, true)
  RETURNING ${columns}`;
const note = `INSERT INTO docket_change (at, account, request, deed, source, identity)
  VALUES ($1, '${ACCOUNT}', $2, 'create', 'ServiceRequests', $3)`;
const allocate = `UPDATE docket_sequence SET next = next + $1::bigint WHERE name IN ('${SEQUENCES.join("', '")}')
  RETURNING name, next - $1::bigint`;
const raise = `INSERT INTO docket_sequence AS s (name, next)
  VALUES ('changes of ServiceRequests', 1), ('changes of any table', 1)
  ON CONFLICT (name) DO UPDATE SET next = s.next + 1 RETURNING name, next`;
const mark = `INSERT INTO docket_sequence AS s (name, next) VALUES ('commits of ${randomUUID()}', $1)
  ON CONFLICT (name) DO UPDATE SET next = excluded.next`;

const waiting = [];
let isWriting = false;
/** Requests that will probably be there: those of the last group, and those that waited after it. */
let expected = 1;
let beginNow = () => undefined;
let requests = 0;

const send = (name, text, values) => writer.query({ name, text, values, rowMode: 'array' });

function gathered() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT);
    beginNow = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function runGroup() {
  isWriting = true;
  while (waiting.length > 0) {
    await new Promise((resolve) => setImmediate(resolve));
    if (waiting.length < expected) await gathered();
    const group = waiting.splice(0, GROUP_LIMIT);
    const begun = writer.query('BEGIN');
    const { rows } = await send('allocate', allocate, [group.length]);
    await begun;
    const first = new Map(rows.map(([name, next]) => [name, Number(next)]));
    const sent = group.map(({ body }, index) => create(body, index, first));
    const raised = send('raise', raise, []);
    const marked = send('mark', mark, [Date.now()]);
    const committed = writer.query('COMMIT');
    const results = await Promise.all(sent);
    await Promise.all([raised, marked, committed]);
    group.forEach(({ respond }, index) => {
      respond(results[index]);
    });
    expected = Math.min(group.length + waiting.length, GROUP_LIMIT);
  }
  isWriting = false;
}

async function create(body, index, first) {
  const [uid, id] = SEQUENCES.map((name) => first.get(name) + index);
  const now = new Date().toISOString();
  const { Information: information, Description: description, Priority, Status } = body;
  const caller = body['Caller@odata.bind'].slice(8, -1);
  const values = [uid, now, id, information, Priority.Value, description, Status.Value, caller];
  const inserted = send('insert', insert, values);
  const noted = send('note', note, [now, `floor-${(requests++).toString(36)}`, uid]);
  const { rows } = await inserted;
  await noted;
  return { uid, text: `${REQUEST_HEAD}${recordOf(rows[0]).slice(1)}}` };
}

// ---- HTTP -----------------------------------------------------------------------------------------------------------

const HEADERS = {
  'OData-Version': '4.0',
  'Content-Type': 'application/json; odata.metadata=minimal',
  'Content-Language': 'en',
};

function respondWith(response, status, text, more = {}) {
  const length = { 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, { ...HEADERS, ...length, ...more }).end(text);
}

async function answer(request, response) {
  const path = request.url.slice(7);
  const text = await (routes.get(path)?.() ?? oneRecord(path));
  respondWith(response, 200, text);
}

function receive(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const respond = ({ uid, text }) =>
      respondWith(response, 201, text, {
        ETag: 'W/"1"',
        Location: `${root}ServiceRequests(${uid})`,
      });
    waiting.push({ body, respond });
    if (!isWriting) void runGroup();
    else if (waiting.length >= expected) beginNow();
  });
}

const server = createServer((request, response) => {
  if (request.method === 'GET') void answer(request, response);
  else receive(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(`floor http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit());
