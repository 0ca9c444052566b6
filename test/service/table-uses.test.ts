// This file checks that statements carry the tables they read and write: for requests of all kinds, these are the tables that an
// independent search in the text of the statement finds.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Fragment, Placeholder } from '../../src/sql/fragment.ts';
import type { Statement } from '../../src/sql/script.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { MEMBER, REQUEST, WORKORDER } from '../journeys/records.ts';
import { openZoo } from '../journeys/zoo.ts';
import { openWalk, type Walk, walk } from '../walk/walk.ts';

/** The statements that have been compiled, by text. */
const compiled = vi.hoisted(() => new Map<string, Statement>());

vi.mock('../../src/sql/fragment.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/sql/fragment.ts')>();
  const toStatement = (fragment: Fragment, placeholder: Placeholder) => {
    const statement = original.toStatement(fragment, placeholder);
    compiled.set(statement.text, statement);
    return statement;
  };
  return { ...original, toStatement };
});

let ground: Walk;
let zoo: Desk;
beforeAll(async () => {
  ground = await openWalk();
  zoo = await openZoo();
}, 120_000);
afterAll(async () => {
  await ground?.desk.close();
  await zoo?.close();
});

/** Indexes of texts and of items count as part of the table that they index. */
function tableOf(quoted: string): string {
  return quoted.replaceAll('""', '"').replace(/\$(?:search|grams)$|\|[^|]*\|items$/, '');
}

const TARGET =
  /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?:"((?:[^"]|"")+)"|(\w+))/i;

function targetIn(text: string): string | undefined {
  const [, quoted, plain] = TARGET.exec(text) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? undefined : tableOf(name);
}

/** Skips string literals, since JSON in them contains double quotes. */
const NAMES = /'(?:[^']|'')*'|"((?:[^"]|"")+)"/g;

/** The quoted names in the text, each with whether it is somewhere where a table must be. Elsewhere it is a column or an alias. */
function namesIn(text: string): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>();
  for (const match of text.matchAll(NAMES)) {
    if (match[1] === undefined) continue;
    const isTable = /\b(?:FROM|JOIN)\s+$/.test(text.slice(0, match.index));
    const name = tableOf(match[1]);
    names.set(name, isTable || names.get(name) === true);
  }
  return names;
}

async function tablesIn({ installation: { database } }: Desk): Promise<readonly string[]> {
  const rows = await database.read("SELECT name FROM sqlite_schema WHERE type = 'table'", []);
  return rows.map(([name]) => String(name));
}

/** The engine's own tables are named without quotes or without a record, except those that responses and rights depend on. */
const RECORDED = new Set(['docket_file', 'docket_change', 'docket_auth_revision']);

function isRecorded(table: string): boolean {
  return !table.startsWith('docket_') || RECORDED.has(table);
}

/** What is wrong with the tables that a statement carries. */
function mistakesOf({ text, reads, writes }: Statement, tables: ReadonlySet<string>): string[] {
  const target = targetIn(text);
  const expected = target === undefined || !isRecorded(target) ? [] : [target];
  const names = namesIn(text);
  const found = [...names].filter(([name]) => tables.has(name));
  const missing =
    target === undefined
      ? found.filter(([name, isTable]) => isTable && !reads.includes(name) && isRecorded(name))
      : [];
  const unknown = reads.filter((name) => !tables.has(name) || !names.has(name));
  const recorded = writes.filter(isRecorded);
  return [
    ...(recorded.join() === expected.join() ? [] : [`writes ${recorded} not ${expected}: ${text}`]),
    ...missing.map(([name]) => `does not read ${name}: ${text}`),
    ...unknown.map((name) => `reads ${name}: ${text}`),
    ...(new Set(reads).size === reads.length ? [] : [`reads twice ${reads}: ${text}`]),
  ];
}

/** The mistakes in all statements so far. */
async function mistakes(): Promise<readonly string[]> {
  const tables = new Set([...(await tablesIn(ground.desk)), ...(await tablesIn(zoo))]);
  return [...compiled.values()].flatMap((statement) => mistakesOf(statement, tables)).slice(0, 5);
}

it('in requests of every kind to every set', async () => {
  const chosen = (_: unknown, account: string) => account === 'admin' || account === 'requester';
  await walk(ground, { sampled: true, chosen });
  expect(compiled.size).toBeGreaterThan(500);
  expect(await mistakes()).toEqual([]);
}, 180_000);

const READS = [
  'Animals?$expand=Keepers($expand=Boss),Mother,Enclosure($expand=Feedings),Notes,Passport,Chip',
  'Animals?$filter=Mother/Enclosure/Number eq 1 or Keepers/any(k:k/Name eq %27Bob%27)',
  "Animals?$filter=contains(Remark,'roars') and Mood/Text eq 'Calm'",
  "Animals?$filter=contains(Mother/Remark,'roars')&$orderby=Mother/Name",
  "Animals?$filter=contains(Remark,'roars')&$top=1",
  'Animals?$search=roars',
  'Animals?$search=roars NOT loudly',
  'Animals/$count?$filter=Care/Vet/Name ne null',
  'Animals/Odd.Zoo.Parrot?$expand=Eggs',
  'Animals(1)/Keepers/$ref',
  'Animals(1)/Care/Vet',
  'Animals(1)/Nicknames',
  'Animals?$apply=groupby((Mood/Text),aggregate($count as N))',
  'Animals?$apply=groupby((Enclosure/Name),aggregate(Weight with sum as W,Keepers/Id with countdistinct as K))',
  'Animals?$apply=concat(aggregate($count as N),filter(Tame)/topcount(2,Weight))',
  'Animals?$apply=join(Keepers as K)/groupby((K/Country))',
  'AllSpecies?$apply=descendants($root/AllSpecies,H,Id,filter(Latin eq %27Aves%27),keep start)',
  '$crossjoin(Animals,Keepers)?$filter=Animals/Number eq Keepers/Badge',
  'Keepers?$filter=Boss/Boss/Name eq null&$count=true',
  'Oddities?$filter=Colour eq %27red%27',
  'Samples?$select=Bytes,Exact&$orderby=Exact desc',
  'Enclosures?$expand=Feedings($orderby=Hour desc;$top=1;$count=true)',
];

it('in queries of all forms', async () => {
  const statuses = await Promise.all(
    READS.map(async (url) => (await zoo.get(`/${encodeURI(url).replaceAll('%25', '%')}`)).status),
  );
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(READS.length * 0.8);
  const tracked = await zoo.get('/Animals?$expand=Keepers', { prefer: 'odata.track-changes' });
  const link = tracked.json['@odata.deltaLink'];
  expect((await zoo.get(link)).status).toBe(200);
  expect(await mistakes()).toEqual([]);
  const delta = ['docket_change', 'Animals', 'Keepers'];
  const isDelta = ({ reads }: Statement) => delta.every((table) => reads.includes(table));
  expect([...compiled.values()].some(isDelta)).toBe(true);
}, 60_000);

it('in writes that change records, relations and files', async () => {
  const desk = await openDesk();
  const write = async (method: string, path: string, body?: unknown) =>
    (await desk.send(method, path, body === undefined ? {} : { body })).status;
  const request = `/ServiceRequests(${REQUEST})`;
  const work = [{ Description: 'bulb' }];
  const statuses = [
    await write('PATCH', request, { Description: 'lamp', Status: { Value: 101003 } }),
    await write('POST', '/ServiceRequests', { Description: 'lamp', Workorders: work }),
    await write('PUT', `${request}/Caller/$ref`, { '@odata.id': `Persons(${MEMBER})` }),
    await write('DELETE', `${request}/Caller/$ref`),
    await write('POST', `${request}/Attachments`, 'content'),
    await write('DELETE', `${request}/Workorders(${WORKORDER})/$ref`),
    await write('DELETE', `/Workorders(${WORKORDER})`),
  ];
  await desk.close();
  expect(statuses).toEqual([204, 201, 204, 204, 201, 204, 204]);
  expect(await mistakes()).toEqual([]);
  const written = new Set([...compiled.values()].flatMap(({ writes }) => writes));
  for (const table of ['ServiceRequests', 'Record/HistoryLines', 'docket_file', 'docket_change'])
    expect(written).toContain(table);
}, 60_000);
