// This file runs read scripts with statements written by hand: how rows become an outcome, and what is bound when.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadScript, Statement } from '../../src/sql/script.ts';
import type { Context, Database } from '../../src/store/database.ts';
import { runRead } from '../../src/store/run-read-script.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import type { Readers } from '../../src/store/sqlite/reader-pool.ts';

let directory: string;
let database: Database;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-run-'));
  database = openSqlite({ file: join(directory, 'test.db') });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const context: Context = {
  now: '2026-03-31T12:00:00.000Z',
  present: '2026-03-31T12:00:00.000Z',
  me: 7n,
  account: 'ada',
  accountKey: 8n,
  session: null,
  cause: null,
  root: 'http://localhost/odata/',
  request: 'r1',
  positions: null,
};

const statement = (text: string, ...parameters: Statement['parameters']): Statement => ({
  text,
  parameters,
  reads: [],
  writes: [],
});

const script = (own: Partial<ReadScript> & Pick<ReadScript, 'statement'>): ReadScript => ({
  kind: 'read',
  counted: false,
  keys: 0,
  scans: false,
  ...own,
});

describe('a read', () => {
  it('gives the text of each record and the values that the next page starts behind', async () => {
    const one = script({
      statement: statement(`SELECT '{"a":1}', 5, 'x' UNION ALL SELECT NULL, 6, NULL`),
      keys: 2,
    });
    expect(await runRead(one, database, context)).toEqual({
      kind: 'read',
      rows: [
        { json: '{"a":1}', keys: [5n, 'x'] },
        { json: null, keys: [6n, null] },
      ],
    });
  });

  it('writes no record of a row beyond the page', async () => {
    const one = script({
      statement: statement(`SELECT '1', 5 UNION ALL SELECT '2', 6`),
      keys: 1,
      shown: 1,
    });
    expect(await runRead(one, database, context)).toMatchObject({
      rows: [
        { json: '1', keys: [5n] },
        { json: null, keys: [6n] },
      ],
    });
  });

  it('gives the count beside the rows, and also without any row', async () => {
    const counted = (text: string) => script({ statement: statement(text), counted: true });
    expect(await runRead(counted(`SELECT '1', 250`), database, context)).toEqual({
      kind: 'read',
      rows: [{ json: '1', keys: [] }],
      count: 250n,
    });
    expect(await runRead(counted('SELECT NULL, 9007199254740993'), database, context)).toEqual({
      kind: 'read',
      rows: [],
      count: 9007199254740993n,
    });
  });

  it('binds values, and what only the running request knows', async () => {
    const bound = script({
      statement: statement(
        `SELECT concat(?, ' ', ?, ' ', ?)`,
        { kind: 'value', value: 3n },
        { kind: 'context', name: 'me' },
        { kind: 'context', name: 'root' },
      ),
    });
    expect(await runRead(bound, database, context)).toMatchObject({
      rows: [{ json: '3 7 http://localhost/odata/' }],
    });
  });

  it('asks for the parent only where nothing was found', async () => {
    const none = statement('SELECT 1 WHERE 0');
    const some = statement('SELECT 1');
    const run = (own: Statement, parent: Statement) =>
      runRead(script({ statement: own, parent }), database, context);
    expect(await run(none, none)).toEqual({ kind: 'read', rows: [], parentExists: false });
    expect(await run(none, some)).toEqual({ kind: 'read', rows: [], parentExists: true });
    expect(await run(some, statement('this is not asked'))).not.toHaveProperty('parentExists');
  });

  it('of a single record is answered at once, without a promise', () => {
    expect(
      runRead(script({ statement: statement('SELECT 1') }), database, context),
    ).not.toBeInstanceOf(Promise);
  });

  it('that may scan gives the same', async () => {
    const scanning = script({ statement: statement(`SELECT 'x'`), scans: true });
    expect(await runRead(scanning, database, context)).toEqual({
      kind: 'read',
      rows: [{ json: 'x', keys: [] }],
    });
  });

  it('several in a chain give one outcome each', async () => {
    const parts = ['a', 'b'].map((text) => script({ statement: statement(`SELECT '${text}'`) }));
    expect(await runRead({ kind: 'chain', parts }, database, context)).toMatchObject({
      kind: 'chain',
      parts: [{ rows: [{ json: 'a' }] }, { rows: [{ json: 'b' }] }],
    });
    expect(await runRead({ kind: 'empty' }, database, context)).toEqual({ kind: 'empty' });
  });
});

describe('a read that may scan many rows', () => {
  const scanned: string[] = [];
  const readers: Readers = {
    scan: async (text) => {
      scanned.push(text);
      return [];
    },
    load: () => ({ threads: 1, busy: 0, waiting: 0 }),
    close: async () => undefined,
  };

  it.each([
    ['if all indexes find many', 'SELECT 1, 1', 1],
    ['unless an index finds few', 'SELECT 1, NULL', 0],
    ['if none can tell', undefined, 1],
  ])('leaves the thread of the requests: %s', async (_, finding, expected) => {
    scanned.length = 0;
    const threaded = openSqlite({ file: join(directory, 'test.db'), readers });
    try {
      const one = script({
        statement: statement(`SELECT '1'`),
        scans: true,
        findsMany: finding === undefined ? undefined : statement(finding),
      });
      const outcome = await runRead(one, threaded, context);
      expect(scanned).toHaveLength(expected);
      expect(outcome).toMatchObject({ rows: expected === 0 ? [{ json: '1' }] : [] });
    } finally {
      await threaded.close();
    }
  });
});
