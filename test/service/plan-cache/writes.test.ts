// This file sends writes of the same templates with other values to a service that caches plans, and to one that plans each of them from
// scratch, on another database with the same content. Responses and all stored rows must be the same.

import { afterEach, expect, test } from 'vitest';
import type { Desk } from '../../journeys/desk.ts';
import { sampleSize } from '../../sample-size.ts';
import {
  cachedWrites,
  type Difference,
  describeRequest,
  difference,
  isSame,
  Party,
} from './compare.ts';
import { DESK_ACCOUNTS, openVariedDesk } from './desk.ts';
import { DESK_WRITES } from './desk-writes.ts';
import { Random } from './random.ts';
import { type Asked, ask, mixed, type Template } from './template.ts';
import { openVariedZoo, ZOO_ACCOUNTS } from './zoo.ts';
import { ZOO_WRITES } from './zoo-writes.ts';

/** Requests of each template. PLANS=200 SEED=7 searches longer, with other values, and reports what it has seen. */
const TIMES = Number(process.env.PLANS ?? sampleSize(4, 20));
const SEED = Number(process.env.SEED ?? 1);
/** Requests after which the rows are compared. */
const INTERVAL = 250;
/** Differences after which the comparison ends. */
const ENOUGH = 10;
/** Links of earlier responses that are followed again after writes. */
const LINKS = 20;

interface Pair {
  readonly desks: readonly [Desk, Desk];
  readonly cached: Party;
  readonly alone: Party;
}

let opened: readonly Desk[] = [];
afterEach(async () => {
  for (const desk of opened) await desk.close();
});

async function openPair(open: () => ReturnType<typeof openVariedZoo>): Promise<Pair> {
  const [first, second] = [await open(), await open()];
  opened = [first.desk, second.desk];
  return {
    desks: [first.desk, second.desk],
    cached: new Party(first.desk.service, first.principals),
    alone: new Party(second.desk.service, second.principals),
  };
}

/** All rows of all tables, but those of the full-text index. */
async function rowsOf({ installation: { database } }: Desk): Promise<readonly string[]> {
  const tables = await database.read(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite%' AND name <> 'docket_model'
      AND name NOT IN (SELECT s.name FROM sqlite_schema v JOIN sqlite_schema s ON s.name LIKE v.name || '@_%' ESCAPE '@' WHERE v.sql LIKE 'CREATE VIRTUAL%')
      ORDER BY name`,
    [],
  );
  const all: string[] = [];
  for (const [name] of tables) {
    const rows = await database.read(`SELECT * FROM "${name}"`, []);
    all.push(...rows.map((row) => `${name} ${JSON.stringify(row, plainCell)}`).sort());
  }
  return all;
}

const plainCell = (_: string, cell: unknown) => (typeof cell === 'bigint' ? `${cell}n` : cell);

/** Rows that only one of the two has. */
async function differentRows([first, second]: readonly [Desk, Desk]): Promise<readonly string[]> {
  const [left, right] = [new Set(await rowsOf(first)), new Set(await rowsOf(second))];
  const only = (of: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...of].filter((row) => !other.has(row)).slice(0, 5);
  return [...only(left, right).map((row) => `cached: ${row}`), ...only(right, left)];
}

interface Seen {
  readonly differences: Difference[];
  readonly statuses: Map<string, number>;
  asked: number;
}

async function compareWrites(
  { desks, cached, alone }: Pair,
  templates: readonly Template[],
  accounts: readonly string[],
  random: Random,
): Promise<Seen> {
  const seen: Seen = { differences: [], statuses: new Map(), asked: 0 };
  const links: Asked[] = [];
  const recent: Asked[] = [];
  const send = async (asked: Asked): Promise<void> => {
    const [left, right] = [await cached.ask(asked), await alone.askAlone(asked)];
    seen.asked++;
    const status = `${asked.method} ${right.status}`;
    seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
    random.etag = right.headers.ETag ?? random.etag;
    if (!isSame(left, right)) seen.differences.push(difference([asked], left, right));
    const link = /"@(?:odata\.)?(?:next|delta)Link":"[^"]*?\/odata\/([^"]*)"/.exec(
      right.body ?? '',
    );
    if (link?.[1] !== undefined && asked.method === 'GET') links.push({ ...asked, url: link[1] });
    if (links.length > LINKS) links.shift();
    if (right.status < 300 && asked.method !== 'GET') recent.push(asked);
  };
  for (const { template, number, account } of mixed(templates, accounts, random, TIMES)) {
    await send(ask(template, number, account, random));
    if (links.length > 0 && random.has(0.05)) await send(random.pick(links));
    if (seen.differences.length === ENOUGH) break;
    if (seen.asked % INTERVAL !== 0) continue;
    if (!isSame(await differentRows(desks), [])) break;
    recent.length = 0;
  }
  const rows = await differentRows(desks);
  expect(seen.differences).toEqual([]);
  expect(rows, rows.length === 0 ? '' : recent.map(describeRequest).join('\n')).toEqual([]);
  return seen;
}

function check(name: string, { asked, statuses }: Seen, { cached, alone }: Pair): void {
  if (process.env.PLANS !== undefined)
    console.log(name, asked, Object.fromEntries(statuses), 'cached', cachedWrites(cached));
  expect(cachedWrites(alone)).toBe(0);
  expect([...cached.failures, ...alone.failures]).toEqual([]);
  expect(cachedWrites(cached)).toBeGreaterThan(asked / 20);
}

test('writes to the service desk', { timeout: 300_000 }, async () => {
  const pair = await openPair(async () => await openVariedDesk(16));
  const seen = await compareWrites(pair, DESK_WRITES, DESK_ACCOUNTS, new Random(SEED));
  check('desk', seen, pair);
});

test('writes to the zoo', { timeout: 300_000 }, async () => {
  const pair = await openPair(openVariedZoo);
  const seen = await compareWrites(pair, ZOO_WRITES, ZOO_ACCOUNTS, new Random(SEED + 1));
  check('zoo', seen, pair);
});
