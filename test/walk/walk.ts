// This file walks: it opens a service desk whose records are known by heart, asks everything of the matrix in the name of each account, and
// reports every answer that shows more than the truth allows.
import type { Principal } from '../../src/access/principal.ts';
import { createAccount } from '../../src/auth/accounts.ts';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import type { Answer } from '../../src/response/response.ts';
import { performer } from '../../src/service/handle-request.ts';
import { importRecords } from '../../src/service/import.ts';
import type { Call, Perform, Service } from '../../src/service/service.ts';
import { type Desk, openDesk, principalNamed } from '../journeys/desk.ts';
import { asRecords, type Row, storePairs, textsIn, walkRows } from './data.ts';
import { type Ask, type Ground, type Step, walkSteps } from './requests.ts';
import { ACCOUNTS, lineage, ROLES, Truth, type World } from './truth.ts';

interface Leak {
  readonly account: string;
  readonly way: string;
  readonly request: string;
  readonly what: string;
}

export interface Walk {
  readonly desk: Desk;
  readonly rows: readonly Row[];
  readonly grounds: ReadonlyMap<string, Ground>;
  /** What is asked in the name of each account. Kept, because many walks ask the same. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  readonly principals: ReadonlyMap<string, Principal>;
}

/** The desk with its records, roles and accounts. */
export async function openWalk(): Promise<Walk> {
  const probe = await openDesk({ records: [] });
  const stored = walkRows(probe.installation.layout);
  await probe.close();
  const desk = await openDesk({
    records: asRecords(stored),
    settings: { limits: { pageSize: 250 } },
  });
  await removeOwnCodes(desk);
  await storePairs(desk, stored);
  await importRecords(rolesDocument(ROLES.map(({ definition }) => definition)), desk.service);
  const persons = stored.filter(({ place }) => place === 'Persons').map(({ uid }) => uid);
  const principals = await makeAccounts(desk, persons);
  const rows = [...stored, ...accountRows(principals)];
  const admin = await principalNamed(desk.service, 'admin');
  const perform = performer(desk.service);
  const linked = await readLinks(desk.service, rows, (call) => perform(call, admin));
  const { model } = desk.installation;
  const isA = lineage(model);
  const grounds = new Map<string, Ground>(
    Object.entries(ACCOUNTS).map(([name, { person }]) => {
      const me = persons[person] ?? 0;
      const groups = new Set(linked.get(`Persons(${me})/Workgroups`) ?? []);
      const world: World = { rows, isA, me, groups };
      return [name, { model, rows, linked, truth: new Truth(name, world, model) }];
    }),
  );
  const steps = new Map([...grounds].map(([name, ground]) => [name, [...walkSteps(ground)]]));
  return { desk, rows, grounds, steps, principals: new Map([...principals, ['admin', admin]]) };
}

/** Removes the records of the model's code lists, which the installation has besides those of the walk. */
async function removeOwnCodes({ installation: { database, layout } }: Desk): Promise<void> {
  for (const set of ['Codes', 'CodeLists']) {
    const { table } = layout.bySource.get(set) ?? {};
    await database.define([`DELETE FROM "${table?.name}" WHERE "${table?.identity}" < 2000000`]);
  }
}

/** The accounts that ask, as records that are read by way of their persons. */
function accountRows(principals: ReadonlyMap<string, Principal>): readonly Row[] {
  return [...principals.values()].map(({ account, loginName }) => ({
    uid: Number(account),
    place: 'Accounts',
    type: 'Account',
    values: { LoginName: loginName },
  }));
}

async function makeAccounts(
  desk: Desk,
  persons: readonly number[],
): Promise<ReadonlyMap<string, Principal>> {
  const { auth, layout } = desk.installation;
  const principals = new Map<string, Principal>();
  for (const [loginName, { roles, person }] of Object.entries(ACCOUNTS)) {
    await createAccount(auth, layout, {
      loginName,
      displayName: loginName,
      roles,
      person: BigInt(persons[person] ?? 0),
    });
    principals.set(loginName, await principalNamed(desk.service, loginName));
  }
  return principals;
}

/** Where every navigation leads, as somebody sees it who may see everything. */
async function readLinks(
  service: Service,
  rows: readonly Row[],
  perform: (call: Call) => Promise<Answer>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const linked = new Map<string, readonly number[]>();
  for (const set of service.model.sets.values()) {
    if (!rows.some(({ place }) => place === set.name)) continue;
    const type = service.model.types.get(set.type);
    if (type?.kind !== 'entity') continue;
    for (const member of service.model.members(type).values()) {
      if (member.kind !== 'navigation') continue;
      const url = `${set.name}?$select=Uid&$expand=${member.name}($select=Uid)`;
      const { body } = await perform(callOf({ way: '', method: 'GET', url }));
      for (const row of JSON.parse(String(body)).value) {
        const targets = [row[member.name] ?? []].flat();
        linked.set(
          `${set.name}(${row.Uid})/${member.name}`,
          targets.map((target: { Uid: number }) => target.Uid),
        );
      }
    }
  }
  return linked;
}

/** How far a walk has come. */
export interface Report {
  asked: number;
  readonly leaks: Leak[];
  readonly failures: string[];
  readonly statuses: Map<number, number>;
}

export interface WalkOptions {
  /** By what requests are answered; the service as it is where it is left out. */
  readonly perform?: Perform;
  /** Only these requests. */
  readonly chosen?: (step: Step, account: string) => boolean;
  /** Stops after so many leaks. */
  readonly enough?: number;
  /** Of what is asked in many ways alike, a part. */
  readonly sampled?: boolean;
}

/** Asks, and compares. */
export async function walk(
  { desk, rows, grounds, steps, principals }: Walk,
  { perform = performer(desk.service), chosen, enough, sampled = false }: WalkOptions,
): Promise<Report> {
  const report: Report = { asked: 0, leaks: [], failures: [], statuses: new Map() };
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  for (const [account, ground] of grounds) {
    const principal = principals.get(account);
    if (principal === undefined) continue;
    const send = async (ask: Ask) => await perform(callOf(ask), principal);
    let index = 0;
    for (const step of steps.get(account) ?? []) {
      index += 1;
      if (sampled && isLeftOut(step, account, index)) continue;
      if (chosen?.(step, account) === false) continue;
      const found = await look(step, send, { ground, byUid }, report);
      const request = `${step.method} ${step.url}`;
      report.leaks.push(...found.map((what) => ({ account, way: step.way, request, what })));
      if (report.leaks.length >= (enough ?? Number.POSITIVE_INFINITY)) return report;
    }
  }
  return report;
}

/** Accounts that see nearly everything or nothing at all. */
const PLAIN = new Set(['agent', 'integration', 'auditor', 'roleless', 'neighbour', 'colleague']);

/** The less an account sees, the more is asked in its name. */
function isLeftOut({ way, ofNavigation }: Step, account: string, index: number): boolean {
  const share = account === 'requester' ? 1 : PLAIN.has(account) ? 10 : 3;
  return (index + way.length) % (ofNavigation === true ? share * 8 : share) !== 0;
}

interface Known {
  readonly ground: Ground;
  readonly byUid: ReadonlyMap<number, Row>;
}

async function look(
  step: Step,
  send: (ask: Ask) => Promise<Answer>,
  known: Known,
  report: Report,
): Promise<readonly string[]> {
  const { expected } = step;
  const answer = read(step, await send(step));
  report.asked += 1;
  report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1);
  if (answer.status >= 500 && answer.status !== 501)
    report.failures.push(
      `${answer.status} ${step.method} ${step.url} ${answer.text.slice(0, 200)}`,
    );
  const leaks = [...shownIn(step, answer, known), ...numbersIn(step, answer)];
  if (expected.refused === true && answer.status < 400 && answer.status !== 304)
    leaks.push(`is answered by ${answer.status}`);
  if (expected.like !== undefined) {
    const other = read(expected.like, await send(expected.like));
    report.asked += 1;
    const [one, two] = [answer, other].map(({ status, code }) => `${status} ${code}`);
    if (one !== two) leaks.push(`is answered by ${one}, what is not there by ${two}`);
  }
  return leaks;
}

// ---- what an answer shows -------------------------------------------------------------------------------------------

interface Shown {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
  readonly code: string;
}

/** Of a batch, its one part. */
function read(ask: Ask, { status, headers, body }: Answer): Shown {
  const content = body === undefined ? '' : Buffer.from(body).toString('utf8');
  const type = headers['Content-Type'] ?? headers['content-type'] ?? '';
  const json: unknown =
    content !== '' && type.startsWith('application/json') ? JSON.parse(content) : undefined;
  if (ask.url !== '$batch' || status !== 200) {
    const told = `${content}\n${JSON.stringify(headers)}`;
    return { status, text: told, json, code: codeOf(json) };
  }
  const part = partOf(json);
  return {
    status: Number(part?.status ?? 0),
    text: content,
    json: part?.body,
    code: codeOf(part?.body),
  };
}

function partOf(json: unknown): { status?: unknown; body?: unknown } | undefined {
  const responses = memberOf(json, 'responses');
  const first: unknown = Array.isArray(responses) ? responses[0] : undefined;
  return typeof first === 'object' && first !== null ? first : undefined;
}

function codeOf(json: unknown): string {
  return String(memberOf(memberOf(json, 'error'), 'code') ?? '');
}

function memberOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null
    ? Object.getOwnPropertyDescriptor(json, name)?.value
    : undefined;
}

function shownIn(step: Step, { status, text, json }: Shown, { ground, byUid }: Known): string[] {
  const { truth } = ground;
  const leaks: string[] = [];
  const said = JSON.stringify([step.url, step.body ?? '']);
  for (const [uid, member] of textsIn(text)) {
    if (said.includes(`T${uid}q${member}`)) continue;
    const row = byUid.get(uid);
    if (row === undefined || !truth.reads(row, member)) leaks.push(`shows ${member} of ${uid}`);
  }
  if (status >= 400) return leaks;
  for (const key of text.matchAll(/[A-Za-z]\((\d{7})\)/g)) {
    const row = byUid.get(Number(key[1]));
    if (row !== undefined && !truth.sees(row)) leaks.push(`shows the key ${row.uid}`);
  }
  for (const { uid, names } of recordsIn(json)) {
    const row = byUid.get(uid);
    // What a request makes is in its own answer, and nowhere else.
    if (row === undefined && status === 201) continue;
    if (row === undefined || !truth.sees(row)) leaks.push(`shows the record ${uid}`);
    else
      for (const name of names)
        if (!truth.reads(row, name) && isMember(ground, row, name))
          leaks.push(`shows the member ${name} of ${uid}`);
  }
  return leaks;
}

function isMember({ model }: Ground, row: Row, name: string): boolean {
  const type = model.types.get(`Service.Web.OData.Model.${row.type}`);
  return type?.kind === 'entity' && model.members(type).has(name);
}

function* recordsIn(
  json: unknown,
): Generator<{ readonly uid: number; readonly names: readonly string[] }> {
  if (Array.isArray(json)) for (const item of json) yield* recordsIn(item);
  else if (typeof json === 'object' && json !== null) {
    const names = Object.keys(json).filter((name) => !/[@#]/.test(name));
    const uid = memberOf(json, 'Uid');
    if (typeof uid === 'number') yield { uid, names };
    for (const name of names) yield* recordsIn(memberOf(json, name));
  }
}

function numbersIn({ expected }: Step, { status, json, text }: Shown): string[] {
  if (status !== 200) return [];
  const leaks: string[] = [];
  const uids = new Set([...topRecords(json)]);
  const { uids: exact, within, count, atMost } = expected;
  const beyond = [...uids].filter((uid) => within !== undefined && !within.has(uid));
  if (beyond.length > 0) leaks.push(`finds ${beyond.join(', ')}`);
  if (exact !== undefined && !isSame(exact, uids))
    leaks.push(
      `finds ${[...uids].join(', ') || 'nothing'} instead of ${[...exact].join(', ') || 'nothing'}`,
    );
  const number = numberIn(json, text);
  if (count !== undefined && number !== undefined && number !== count)
    leaks.push(`counts ${number} instead of ${count}`);
  const value = memberOf(json, 'value');
  const length = Array.isArray(value) ? value.length : 0;
  if (atMost !== undefined && length > Math.max(atMost, 1) && topRecords(json).next().done === true)
    leaks.push(`gives ${length} rows where ${atMost} can be`);
  return leaks;
}

function* topRecords(json: unknown): Generator<number> {
  const value = memberOf(json, 'value');
  const items: readonly unknown[] = Array.isArray(value) ? value : [json];
  for (const item of items) {
    const uid = memberOf(item, 'Uid');
    if (typeof uid === 'number') yield uid;
  }
}

/** `@odata.count`, the alias N of an aggregation, or a plain number. */
function numberIn(json: unknown, text: string): number | undefined {
  const count = memberOf(json, '@odata.count');
  if (typeof count === 'number') return count;
  const value = memberOf(json, 'value');
  const n = Array.isArray(value) ? memberOf(value[0], 'N') : undefined;
  if (typeof n === 'number') return n;
  const plain = /^\uFEFF?(\d+)\n/.exec(text)?.[1];
  return json === undefined && plain !== undefined ? Number(plain) : undefined;
}

function isSame(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && [...left].every((one) => right.has(one));
}

// ---- calls ----------------------------------------------------------------------------------------------------------

let calls = 0;

export function callOf({ method, url, headers = {}, body }: Ask): Call {
  const [path = '', query = ''] = splitOnce(url, '?');
  calls += 1;
  const isJson = body !== undefined && typeof body !== 'string';
  return {
    id: `walk-${calls}`,
    method,
    path: encodeURI(path).replaceAll('@', '%40'),
    query: encodeURI(query).replaceAll('#', '%23'),
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
    body:
      body === undefined ? undefined : Buffer.from(isJson ? JSON.stringify(body) : String(body)),
    address: '127.0.0.1',
    root: 'http://desk.example/odata/',
  };
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
