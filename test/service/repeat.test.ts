// This file tests how long answers are kept, and that they are kept together with their deeds or not at all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMINISTRATORS_ONLY } from '../../src/access/policy.ts';
import { Fault } from '../../src/base/fault.ts';
import type { Answer } from '../../src/response/response.ts';
import { JOB_TABLE } from '../../src/service/deferred/job-table.ts';
import {
  doOnce,
  REPEAT_TABLE,
  REPEATABLE,
  type Repeat,
  repeatOf,
} from '../../src/service/deferred/repeatable-requests.ts';
import {
  countAll,
  isCounted,
  STORED_RESPONSES_TABLE,
} from '../../src/service/deferred/stored-responses.ts';
import type { Call } from '../../src/service/service.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { engineTableDdl } from '../../src/sql/schema/ddl.ts';
import type { Work } from '../../src/store/database.ts';
import { openSqlite, type SqliteDatabase } from '../../src/store/sqlite/database.ts';
import { change, kept as keptWork } from '../../src/store/work.ts';
import { fixedWorld } from '../world.ts';
import { writeAll } from '../write-all.ts';

const HOUR = 3_600_000;

let directory: string;
let database: SqliteDatabase;
const world = fixedWorld();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-repeat-'));
  database = openSqlite({ file: join(directory, 'test.db') });
  database.define([
    ...[REPEAT_TABLE, JOB_TABLE, STORED_RESPONSES_TABLE].flatMap((table) =>
      engineTableDdl(table, SQLITE),
    ),
    'CREATE TABLE deed (id INTEGER PRIMARY KEY, name TEXT UNIQUE)',
  ]);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const PRINCIPAL = {
  account: 1n,
  loginName: 'a',
  person: undefined,
  roles: [],
  administrator: false,
};

const LIMITS = {
  repeatHours: 24,
  accountRepeatEntries: 1000,
  accountRepeatMegabytes: 64,
  repeatEntries: 1000,
  repeatMegabytes: 64,
};

function askFor(
  headers: Call['headers'],
  more: Partial<Call> = {},
  limits: Partial<typeof LIMITS> = {},
): Repeat | undefined {
  const call: Call = {
    id: 'x',
    method: 'POST',
    path: 'Set',
    query: '',
    headers,
    body: undefined,
    address: '',
    root: 'http://h/odata/',
    ...more,
  };
  return repeatOf(call, PRINCIPAL, {
    world,
    roles: { policy: ADMINISTRATORS_ONLY },
    limits: { ...LIMITS, ...limits },
  });
}

const keyed = (key: string) => askFor({ 'idempotency-key': key });

async function perform(repeat: Repeat | undefined, name: string, answer: Partial<Answer> = {}) {
  const work = function* (): Work<Answer> {
    yield change('INSERT INTO deed (name) VALUES (?)', [name]);
    return { status: 201, headers: { ETag: '"1"' }, body: `made ${name}`, ...answer };
  };
  return await database.write(() => keptWork(doOnce(repeat, work)));
}

const deeds = () => database.read('SELECT name FROM deed ORDER BY id', []).map((row) => row[0]);
const kept = () => database.read('SELECT key FROM docket_repeat', []).length;

describe('The answer of a deed', () => {
  it('comes back as it was: status, headers, text, bytes, nothing', async () => {
    for (const body of ['Zoë 健', new Uint8Array([0, 255]), undefined]) {
      const key = `body ${String(body)}`.replaceAll(' ', '-').slice(0, 5) + kept();
      const first = await perform(keyed(key), key, { status: 200, body });
      const second = await perform(keyed(key), `${key} again`);
      const bytes = (answer: Answer) =>
        answer.body === undefined ? undefined : Buffer.from(answer.body);
      expect(second.status).toBe(first.status);
      expect(second.headers).toEqual(first.headers);
      expect(bytes(second)).toEqual(bytes(first));
    }
    expect(deeds()).toHaveLength(3);
  });

  it('is not kept where the deed fails, at whichever point', async () => {
    await perform(undefined, 'taken');
    await expect(perform(keyed('a'), 'taken')).rejects.toMatchObject({ code: 'store.unique' });
    await expect(
      database.write(function* () {
        yield* doOnce(keyed('b'), function* () {
          yield change('INSERT INTO deed (name) VALUES (?)', ['later']);
          return { status: 201, headers: {}, body: undefined };
        });
        throw new Fault('store.full');
      }),
    ).rejects.toMatchObject({ code: 'store.full' });
    expect([deeds(), kept()]).toEqual([['taken'], 0]);
  });

  it('is kept for the hours of the setting, then it goes with one of the next writes', async () => {
    await perform(keyed('old'), 'first');
    world.advance(23 * HOUR);
    await perform(keyed('old'), 'second');
    expect(deeds()).toEqual(['first']);
    world.advance(2 * HOUR);
    await perform(keyed('new'), 'third');
    expect([deeds(), kept()]).toEqual([['first', 'third'], 1]);
  });

  it('is kept for as long as a first-sent time is believed, even from a clock that is ahead', async () => {
    const sent = new Date(Math.floor((world.now() + HOUR / 2) / 1000) * 1000).toUTCString();
    const headers = { 'repeatability-request-id': 'ahead', 'repeatability-first-sent': sent };
    await perform(askFor(headers), 'first');
    world.advance(24 * HOUR + HOUR / 4);
    await perform(keyed('other'), 'between');
    await perform(askFor(headers), 'second');
    expect(deeds()).toEqual(['first', 'between']);
    world.advance(HOUR);
    expect(() => askFor(headers)).toThrow('Repeatability-First-Sent');
  });
});

describe('Limits', () => {
  const limited = (key: string, limits: Partial<typeof LIMITS>) =>
    askFor({ 'idempotency-key': key }, {}, limits);

  it('keep the megabytes of one account: the oldest answers go', async () => {
    const body = 'x'.repeat(400_000);
    for (const key of ['a', 'b', 'c', 'd'])
      await perform(limited(key, { accountRepeatMegabytes: 1 }), key, { body });
    expect(kept()).toBe(2);
    await perform(limited('d', { accountRepeatMegabytes: 1 }), 'd again');
    expect(deeds()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuse an answer that is too large by itself, and nothing is done', async () => {
    await perform(keyed('small'), 'small');
    const large = limited('large', { repeatMegabytes: 1 });
    await expect(
      perform(large, 'large', { body: new Uint8Array(1_100_000) }),
    ).rejects.toMatchObject({ code: 'repeat.too-large' });
    expect([deeds(), kept()]).toEqual([['small'], 1]);
  });

  it('count what a former version has stored', async () => {
    for (const key of ['a', 'b', 'c']) await perform(keyed(key), key);
    const counts = () => database.read('SELECT * FROM docket_stored_response ORDER BY account', []);
    const before = counts();
    await writeAll(database, change('DELETE FROM docket_stored_response', []));
    const recount = async () => await database.write(() => keptWork(countAll(REPEATABLE)));
    expect(await isCounted(database, REPEATABLE)).toBe(false);
    await recount();
    await recount();
    expect(await isCounted(database, REPEATABLE)).toBe(true);
    expect(counts()).toEqual(before);
  });

  it('go on counting when answers expire', async () => {
    await perform(keyed('old'), 'first');
    world.advance(25 * HOUR);
    await perform(keyed('new'), 'second');
    const [entries] = database.read(
      'SELECT entries FROM docket_stored_response WHERE account = 0',
      [],
    );
    expect([kept(), entries]).toEqual([1, [1n]]);
  });
});

describe('What makes a request the same', () => {
  it.each([
    ['method', { method: 'PUT' }],
    ['path', { path: 'Set(1)' }],
    ['query', { query: '$select=Uid' }],
    ['body', { body: Buffer.from('{}') }],
  ])('its %s', (_what, more) => {
    const headers = { 'idempotency-key': 'k' };
    expect(askFor(headers)?.fingerprint).not.toBe(askFor(headers, more)?.fingerprint);
    expect(askFor(headers, more)?.fingerprint).toBe(askFor(headers, more)?.fingerprint);
  });

  it('reads and queries in bodies have no key', () => {
    const headers = { 'idempotency-key': 'k' };
    expect(askFor(headers, { method: 'GET' })).toBeUndefined();
    expect(askFor(headers, { path: 'Set/$query' })).toBeUndefined();
    expect(askFor(headers)).toBeDefined();
  });

  it('a key of the service itself takes the place of the client’s', () => {
    const own = askFor({ 'idempotency-key': 'k' }, { repeat: { key: 'job/1', job: '1' } });
    expect([own?.key, own?.until]).toEqual(['job/1', undefined]);
  });
});
