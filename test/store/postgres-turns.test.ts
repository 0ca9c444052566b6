// This file tests that writes which share a transaction on PostgreSQL overlap, and that their results are nevertheless those of one
// after another.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { ARGUMENT, sql, tableName } from '../../src/sql/fragment.ts';
import type { Statement } from '../../src/sql/script.ts';
import type { Database, SingleOperation, Work } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/database.ts';
import { allocate, change, kept, pipeline, query } from '../../src/store/work.ts';
import { postgresUrl } from '../postgres.ts';
import { type FaultyProxy, startProxy } from './postgres-proxy.ts';

const TABLES = [
  'CREATE TABLE "docket_sequence" ("name" text COLLATE "C" PRIMARY KEY, "next" bigint NOT NULL)',
  'CREATE TABLE "People" ("Key" bigint PRIMARY KEY, "Name" text UNIQUE)',
  'CREATE TABLE "Pets" ("Key" bigint PRIMARY KEY, "Owner" bigint)',
];
const COUNT = sql`SELECT count(*) FROM ${tableName('People')}`;
const FIND = sql`SELECT "Name" FROM ${tableName('People')} WHERE "Key" = ${ARGUMENT}`;
const RENAME = sql`UPDATE ${tableName('People')} SET "Name" = ${ARGUMENT} WHERE "Key" = ${ARGUMENT}`;
const ADD = sql`INSERT INTO ${tableName('People')} VALUES (${ARGUMENT}, ${ARGUMENT})`;
const ADD_PET = sql`INSERT INTO ${tableName('Pets')} VALUES (${ARGUMENT}, ${ARGUMENT})`;
const PETS = sql`SELECT count(*) FROM ${tableName('Pets')}`;

let proxy: FaultyProxy;
let database: Database;

beforeEach(async () => {
  proxy = await startProxy(await postgresUrl());
  database = await openPostgres({
    url: proxy.url,
    poolSize: 2,
    statementSeconds: 10,
    lockSeconds: 10,
    queue: { length: 100, wait: 2000, settings: { length: 'a', wait: 'b' } },
  });
  await database.define(TABLES);
});
afterEach(async () => {
  await database.close();
  await proxy.close();
});

const run = <Result>(work: () => Work<Result>) => database.write(() => kept(work()));
const addPerson = (key: bigint, name: string): SingleOperation =>
  change(ADD, [key, name], `People[${key}]`);

function* addPersonAlone(key: bigint): Work<void> {
  yield addPerson(key, `person ${key}`);
}

/** Milliseconds that work takes if each round trip takes 60. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  proxy.delay = 60;
  const start = performance.now();
  await work();
  proxy.delay = 0;
  return performance.now() - start;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof Fault ? `${error.code} ${error.target ?? ''}`.trim() : String(error);
}

/** A create: a guard, a number, and the changes together with a query. */
function* addPet(owner: bigint): Work<[bigint, unknown]> {
  const { rows } = yield query(FIND, [owner]);
  if (rows.length === 0) throw new Fault('write.too-many', { count: 0, limit: 0 });
  const { first } = yield allocate('pets', 1n);
  const reply = yield pipeline([change(ADD_PET, [first, owner]), query(PETS, [])], true);
  return [first, reply.replies[1]?.rows[0]?.[0]];
}

describe('a group of creates', () => {
  const addPets = (count: number) =>
    Promise.all(Array.from({ length: count }, () => run(() => addPet(1n))));

  it('takes as many round trips as one', async () => {
    await run(function* () {
      yield addPerson(1n, 'a');
    });
    await addPets(10);
    const one = await timeOf(() => addPets(1));
    // Ten would need ten times as many if they did not share them.
    expect(await timeOf(() => addPets(10))).toBeLessThan(2 * one);
  });

  it('has the results of one after another', async () => {
    await run(function* () {
      yield addPerson(1n, 'a');
    });
    const expected = Array.from({ length: 20 }, (_, index) => BigInt(index + 1));
    expect(await addPets(20)).toEqual(expected.map((number) => [number, number]));
  });

  it('undoes only the one whose guard fails', async () => {
    await run(function* () {
      yield addPerson(1n, 'a');
    });
    const failing = codeOf(run(() => addPet(2n)));
    const all = [run(() => addPet(1n)), failing, run(() => addPet(1n))];
    expect(await Promise.all(all)).toEqual([[1n, 1n], 'write.too-many', [2n, 2n]]);
  });
});

describe('numbers that are reserved at BEGIN', () => {
  const SET_NEXT = sql`UPDATE ${tableName('docket_sequence')} SET "next" = ${ARGUMENT} WHERE "name" = 'pets'`;
  const draw = (count: bigint) =>
    run(function* () {
      return (yield allocate('pets', count)).first;
    });

  it('are returned by those who do not need them', async () => {
    expect(await draw(1n)).toBe(1n);
    await Promise.all([run(() => addPersonAlone(1n)), run(() => addPersonAlone(2n))]);
    expect(await Promise.all([draw(1n), draw(2n)])).toEqual([2n, 3n]);
    expect(await draw(1n)).toBe(5n);
  });

  it('are not returned after a unit has set the next number', async () => {
    expect(await draw(1n)).toBe(1n);
    await run(function* () {
      yield change(SET_NEXT, [3n]);
    });
    expect(await draw(1n)).toBe(3n);
  });

  it('are enough or continued', async () => {
    expect(await draw(1n)).toBe(1n);
    expect(await Promise.all([draw(3n), draw(1n), draw(2n)])).toEqual([2n, 5n, 6n]);
    expect(await draw(1n)).toBe(8n);
  });
});

describe('a unit that has begun before its turn', () => {
  it.each(['first', 'later'])('sees what earlier ones have changed (%s group)', async (group) => {
    let starts = 0;
    const increment = () =>
      run(function* () {
        starts++;
        const count = (yield query(PETS, [])).rows[0]?.[0] as bigint;
        const { first } = yield allocate('pets', 1n);
        yield pipeline([change(ADD_PET, [first, count])], true);
        return count;
      });
    const counts = () => Promise.all([increment(), increment(), increment()]);
    if (group === 'later') await counts();
    const start = group === 'later' ? 3n : 0n;
    starts = 0;
    expect(await counts()).toEqual([start, start + 1n, start + 2n]);
    // Only those start again that could not know.
    expect(starts).toBe(group === 'later' ? 3 : 5);
  });

  it('starts again if it has failed because of what it has read', async () => {
    await run(function* () {
      yield addPerson(2n, 'b');
    });
    // Units read ahead what the last transaction has not written.
    await run(() => addPet(2n));
    const adding = run(function* () {
      yield query(PETS, []);
      yield addPerson(1n, 'a');
    });
    const renaming = run(function* () {
      const { rows } = yield query(FIND, [1n]);
      if (rows.length === 0) throw new Fault('write.too-many', { count: 0, limit: 0 });
      yield change(RENAME, ['renamed', 1n]);
    });
    await Promise.all([adding, renaming]);
    expect(await database.read('SELECT "Name" FROM "People" ORDER BY "Key"', [])).toEqual([
      ['renamed'],
      ['b'],
    ]);
  });
});

it('no unit reads what is undone', async () => {
  await run(() => addPersonAlone(1n));
  const failing = run(function* (): Work<void> {
    yield addPerson(2n, 'b');
    throw new Fault('write.too-many', { count: 0, limit: 0 });
  });
  const seen: unknown[] = [];
  const reading = run(function* () {
    const { rows } = yield query(COUNT, []);
    seen.push(rows[0]?.[0]);
  });
  await Promise.all([codeOf(failing), reading]);
  expect(seen).toEqual([1n]);
});

describe('units that read and write single rows', () => {
  const READ: Statement = {
    text: 'SELECT "Owner" FROM "Pets" WHERE "Key" = $1::bigint',
    parameters: [],
    reads: ['Pets'],
    writes: [],
    row: { table: 'Pets', parameter: 0 },
  };
  const WRITE: Statement = {
    text: 'UPDATE "Pets" SET "Owner" = $1::bigint WHERE "Key" = $2::bigint',
    parameters: [],
    reads: [],
    writes: ['Pets'],
    row: { table: 'Pets', parameter: 1 },
  };
  const RAISE_ALL = sql`UPDATE ${tableName('Pets')} SET "Owner" = "Owner" + 1`;
  const KEYS = Array.from({ length: 10 }, (_, index) => BigInt(index + 1));

  beforeEach(async () => {
    for (const key of KEYS)
      await run(function* () {
        yield change(ADD_PET, [key, 0n]);
      });
    // Units read ahead what the last transaction has not written.
    await run(() => addPersonAlone(1n));
  });

  const raise = (key: bigint) =>
    run(function* () {
      const { rows } = yield query(READ, [key]);
      yield pipeline([change(WRITE, [(rows[0]?.[0] as bigint) + 1n, key])], true);
    });
  const raiseAll = () =>
    run(function* () {
      yield pipeline([change(RAISE_ALL, [])], true);
    });
  const owners = async () =>
    (await database.read('SELECT "Owner" FROM "Pets" ORDER BY "Key"', [])).flat();

  it('take as many round trips as one', async () => {
    await Promise.all(KEYS.map(raise));
    const one = await timeOf(() => raise(1n));
    expect(await timeOf(() => Promise.all(KEYS.map(raise)))).toBeLessThan(2 * one);
  });

  it('lose no change although a turn begins while a reply is on its way', async () => {
    await Promise.all([raise(1n), raise(1n)]);
    expect((await owners())[0]).toBe(2n);
  });

  it('lose no change of the same row, or of all rows', { timeout: 60_000 }, async () => {
    const one = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(1n, 2n, 3n) },
      { weight: 1, arbitrary: fc.constant('all' as const) },
    );
    const expected = KEYS.map(() => 0n);
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 2, maxLength: 12 }), async (units) => {
        await Promise.all(units.map((unit) => (unit === 'all' ? raiseAll() : raise(unit))));
        for (const unit of units)
          KEYS.forEach((key, index) => {
            if (unit === 'all' || unit === key) expected[index] = (expected[index] ?? 0n) + 1n;
          });
        expect(await owners()).toEqual(expected);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

describe('a last operation', () => {
  const adding = (key: bigint, name: string) =>
    run(function* () {
      yield pipeline([addPerson(key, name), query(COUNT, [])], true);
    });

  it('that fails is undone without the others', async () => {
    await adding(1n, 'a');
    const all = [adding(2n, 'b'), codeOf(adding(3n, 'a')), adding(4n, 'd')];
    expect(await Promise.all(all)).toEqual([undefined, 'store.unique People[3]/Name', undefined]);
    expect(await database.read(COUNT, [])).toEqual([[3n]]);
  });

  it.each([2, 7, 12])(
    'that fails as number %i of many is undone without the others',
    async (failing) => {
      await adding(100n, 'taken');
      const numbers = Array.from({ length: 14 }, (_, index) => index + 1);
      const nameOf = (number: number) => (number === failing ? 'taken' : `person ${number}`);
      const results = numbers.map((number) => codeOf(adding(BigInt(number), nameOf(number))));
      const expected = numbers.map((number) =>
        number === failing ? `store.unique People[${number}]/Name` : 'undefined',
      );
      expect(await Promise.all(results)).toEqual(expected);
      expect(await database.read(COUNT, [])).toEqual([[14n]]);
    },
  );

  it('may fail before statements that the server does not know yet', async () => {
    await adding(1n, 'a');
    const text = sql`INSERT INTO ${tableName('People')} SELECT ${ARGUMENT}::bigint, 'new'`;
    const addNew = (key: bigint) =>
      run(function* () {
        yield query(PETS, []);
        yield pipeline([change(text, [key]), query(COUNT, [])], true);
      });
    const all = [codeOf(adding(2n, 'a')), addNew(3n), codeOf(addNew(4n))];
    expect(await Promise.all(all)).toEqual([
      'store.unique People[2]/Name',
      undefined,
      'store.unique Name',
    ]);
  });

  it('that has an unexpected reply is undone without the others', async () => {
    const strict = run(function* () {
      const { replies } = yield pipeline([addPerson(1n, 'a'), query(COUNT, [])], true);
      throw new Fault('write.too-many', { count: replies.length, limit: 0 });
    });
    await Promise.all([codeOf(strict), adding(2n, 'b'), adding(3n, 'c')]);
    expect(await database.read(COUNT, [])).toEqual([[2n]]);
  });

  it('may be followed by others after an error', async () => {
    await adding(1n, 'a');
    const patient = run(function* () {
      try {
        yield pipeline([addPerson(2n, 'a')], true);
      } catch {
        yield pipeline([addPerson(2n, 'b')], true);
      }
    });
    await Promise.all([patient, adding(3n, 'c')]);
    expect(await database.read(COUNT, [])).toEqual([[3n]]);
  });
});

it('a lock that is not granted in time is the error of the group', async () => {
  const slow = await openPostgres({
    url: proxy.url,
    poolSize: 2,
    statementSeconds: 10,
    lockSeconds: 0.3,
    queue: { length: 100, wait: 2000, settings: { length: 'a', wait: 'b' } },
  });
  const holding = codeOf(
    run(function* () {
      yield addPerson(1n, 'a');
      yield query('SELECT pg_sleep(30)', []);
    }),
  );
  const holders =
    "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(30)' AND state = 'active' AND pid <> pg_backend_pid()";
  const count = async () => (await database.read(`SELECT count(*) ${holders}`, []))[0]?.[0];
  await expect.poll(count).toBe(1n);
  const waiting = slow.write(() =>
    kept(
      (function* () {
        yield addPerson(2n, 'b');
      })(),
    ),
  );
  expect(await codeOf(waiting)).toBe('store.locked');
  await database.read(`SELECT pg_cancel_backend(pid) ${holders}`, []);
  expect(await holding).toBe('store.slow');
  await slow.close();
});
