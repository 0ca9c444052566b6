// This file is the floor of what is possible for requests that write: a server written by hand for the writing requests of workloads.mjs
// and nothing else. It commits the same rows as the service does (record, text indexes, line of history, row of the change log,
// numbers of sequences) by prepared statements. Requests that wait share a transaction and its sync at synchronous=FULL, with the numbers
// of sequences read and written once in each, and wait up to 2 ms for those that follow the last ones, as in the service. It does what the
// contract demands of any server: floor-http.mjs, and the checks of names, types and codes. For a token it checks the password by the same
// hash, and stores nothing.
//     node bench/floor-writes.mjs <database> <root>      root = the service root that stands in the answers

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { verify } from '@node-rs/argon2';
import { CLOCKS } from './floor-clocks.mjs';
import { openDatabase } from './floor-database.mjs';
import { JSON_TYPE, newId, send, tokenCheck } from './floor-http.mjs';
import { statements } from './floor-sql.mjs';

const [file, root] = process.argv.slice(2);
const LOGIN_NAME = 'bench';
const database = openDatabase(file);
const prepare = (text) => database.prepare(text);

const begin = prepare('BEGIN IMMEDIATE');
const commit = prepare('COMMIT');
const readNext = prepare('SELECT next FROM docket_sequence WHERE name = ?').pluck();
const storeNext = prepare('UPDATE docket_sequence SET next = ? WHERE name = ?');
const raiseVersion = prepare(
  'INSERT INTO docket_sequence (name, next) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET next = next + 1',
);
const noteChange = prepare(
  `INSERT INTO docket_change (at, account, request, deed, source, identity) VALUES (?, '${LOGIN_NAME}', ?, ?, 'ServiceRequests', ?)`,
);
const account = prepare('SELECT "Uid" FROM "Accounts" WHERE "LoginName" = ?')
  .pluck()
  .get(LOGIN_NAME);
const hash = prepare('SELECT hash FROM docket_credential WHERE account = ?').pluck();

const insert =
  prepare(`INSERT INTO "ServiceRequests" ("Uid", "Registration/DateCreated", "Registration/DateModified",
  "Registration/CreatedBy", "Registration/ModifiedBy", "ExternalReferences", "ID", "Information", "Priority", "Description", "Status",
  "Impact", "Medium", "Caller", "ClockRecord", "DeadlineIsManual", "PriorityIsManual")
  VALUES (?, ?, ?, '${LOGIN_NAME}', '${LOGIN_NAME}', '[]', ?, ?, ?, ?, ?, 111003, 120007, ?, '${CLOCKS}', 0, 1)`);
const [insertWords, insertGrams] = ['search', 'grams'].map((index) =>
  prepare(`INSERT INTO "ServiceRequests$${index}" (rowid, c1, c4) VALUES (?, ?, ?)`),
);
const one = prepare(statements.one).pluck();

const before = prepare('SELECT "Workaround" FROM "ServiceRequests" WHERE "Uid" = ?').raw();
const update =
  prepare(`UPDATE "ServiceRequests" SET "Workaround" = ?, "$version" = "$version" + 1, "Registration/DateModified" = ?,
  "Registration/ModifiedBy" = '${LOGIN_NAME}' WHERE "Uid" = ? RETURNING "$version"`).pluck();
/** Triggers index the texts of the rows that are noted here. It is called after each change, as the triggers in the documentation of FTS5 do. */
const indexChanged = prepare('DELETE FROM "ServiceRequests$changed"');
const insertLine =
  prepare(`INSERT INTO "Record/HistoryLines" ("Uid", "$parent", "Kind", "Attribute", "OldValue", "NewValue", "CreatedAt",
  "CreatedBy", "Subject", "Visibility") VALUES (?, ?, 202001, 'Workaround', ?, ?, ?, ?, ?, 203001)`);

/** Maximum of requests in one transaction, as in the service. */
const GROUP_LIMIT = 256;
/** Milliseconds for which a group waits for more requests at most, as in the service. */
const LONGEST_WAIT = 2;

/** The next number of each sequence in the open transaction, and the sets that it has changed. */
const sequences = new Map();
const touched = new Set();

function draw(name) {
  const next = sequences.get(name) ?? readNext.get(name);
  sequences.set(name, next + 1);
  return next;
}

const waiting = [];
/** Requests that will probably be there: those of the last group, and those that waited after it. */
let expected = 1;
let timer;

/** Does the work in a transaction with other requests that wait, and then sends the response. */
function write(work, respond) {
  waiting.push({ work, respond });
  if (waiting.length === 1) setImmediate(gather);
  else if (timer !== undefined && waiting.length >= expected) runGroup();
}

function gather() {
  if (waiting.length >= expected) runGroup();
  else timer = setTimeout(runGroup, LONGEST_WAIT);
}

function runGroup() {
  clearTimeout(timer);
  timer = undefined;
  const group = waiting.slice(0, GROUP_LIMIT);
  begin.run();
  const results = group.map(({ work }) => work());
  for (const [name, next] of sequences) storeNext.run(next, name);
  for (const name of touched) raiseVersion.run(name);
  commit.run();
  sequences.clear();
  touched.clear();
  waiting.splice(0, group.length);
  group.forEach(({ respond }, index) => {
    respond(results[index]);
  });
  expected = Math.min(group.length + waiting.length, GROUP_LIMIT);
  if (waiting.length > 0) setImmediate(gather);
}

const isText = (value) => typeof value === 'string' && value.length <= 4000;
const isCode = (values) => (code) => values.has(code?.Value) && Object.keys(code).length === 1;
const codesOf = (column) =>
  new Set(prepare(`SELECT DISTINCT "${column}" FROM "ServiceRequests"`).pluck().all());

/** The members that a body may have, with the check of their values. The database checks that the caller exists. */
const MEMBERS = {
  Description: isText,
  Information: isText,
  Workaround: isText,
  Status: isCode(codesOf('Status')),
  Priority: isCode(codesOf('Priority')),
  'Caller@odata.bind': (value) => /^Persons\(\d{1,15}\)$/.test(value),
};

function isValid(body) {
  for (const name in body) if (MEMBERS[name]?.(body[name]) !== true) return false;
  return true;
}

function create(body) {
  const caller = Number(body['Caller@odata.bind'].slice(8, -1));
  const now = new Date().toISOString();
  return () => {
    const uid = draw('identity');
    const id = draw('ServiceRequests.ID');
    const { Information: information, Description: description } = body;
    const [priority, status] = [body.Priority.Value, body.Status.Value];
    const values = [uid, now, now, id, information, priority, description, status, caller];
    insert.run(...values);
    insertWords.run(uid, information, description);
    insertGrams.run(uid, information, description);
    noteChange.run(now, newId(), 'create', uid);
    touched.add('changes of ServiceRequests');
    return { uid, text: one.get(uid) };
  };
}

function change(uid, { Workaround: text }) {
  const now = new Date().toISOString();
  return () => {
    const [was] = before.get(uid);
    const version = update.get(text, now, uid);
    indexChanged.run();
    noteChange.run(now, newId(), 'update', uid);
    const line = draw('identity');
    const subject = `Workaround: ${was ?? '–'} → ${text}`;
    insertLine.run(line, uid, was, text, now, account, subject);
    touched.add('changes of ServiceRequests').add('changes of Record/HistoryLines');
    return version;
  };
}

const CONTEXT = `{"@odata.context":"${root}$metadata#ServiceRequests/$entity",`;
const JSON_HEADERS = ['Content-Type', JSON_TYPE, 'Content-Language', 'en'];

const sendVersion = (response, version) => send(response, 204, ['ETag', `W/"${version}"`]);

function sendRecord(response, { uid, text }) {
  const place = ['ETag', 'W/"1"', 'Location', `${root}ServiceRequests(${uid})`];
  send(response, 201, [...JSON_HEADERS, ...place], CONTEXT + text.slice(1));
}

async function sendToken(response, text) {
  const fields = new URLSearchParams(text);
  const matches = await verify(hash.get(account), fields.get('password'));
  const [access, refresh] = [randomBytes(32), randomBytes(32)];
  const body = JSON.stringify({
    access_token: access.toString('base64url'),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: refresh.toString('base64url'),
  });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  response.writeHead(matches ? 200 : 400, headers).end(body);
}

const isAllowed = tokenCheck(database);

async function answer(request, response, text) {
  const { method, url } = request;
  if (url === '/token') return await sendToken(response, text);
  if (!isAllowed(request)) return send(response, 401, ['WWW-Authenticate', 'Bearer']);
  const body = JSON.parse(text);
  if (!isValid(body)) return send(response, 400, []);
  if (method === 'POST') write(create(body), (record) => sendRecord(response, record));
  else write(change(Number(url.slice(23, -1)), body), (version) => sendVersion(response, version));
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
});
server.listen(0, '127.0.0.1', () => console.log(`floor http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
