// This file checks models whose names one of the databases cannot distinguish: SQLite ignores the case of ASCII letters, PostgreSQL what
// follows the 63rd byte. The names that pass are stored in both.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { missingServer } from '../postgres/binaries.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { docketHere } from './run-docket.ts';

const folder = mkdtempSync(join(tmpdir(), 'docket-names-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = { $Nullable: true };
const SUB = { $Kind: 'EntityType', $BaseType: 'N.Thing' };
const PART = { $Kind: 'ComplexType', Inner: TEXT, inner: TEXT };

let made = 0;

/** A model file of a set Things with these members, and with other types and sets. */
function modelFile(members: object, types: object = {}, sets: object = {}): string {
  const Thing = { $Kind: 'EntityType', $Key: ['ID'], ID: { $Type: 'Edm.Int64' }, ...members };
  const Things = { $Collection: true, $Type: 'N.Thing' };
  const C = { $Kind: 'EntityContainer', Things, ...sets };
  const file = join(folder, `model-${made++}.json`);
  const model = { $Version: '4.01', $EntityContainer: 'N.C', N: { Thing, ...types, C } };
  writeFileSync(file, JSON.stringify(model));
  return file;
}

const long = (end: string) => 'N'.repeat(63) + end;
const things = { $Kind: 'NavigationProperty', $Type: 'N.Thing', $Collection: true };
const set = { $Collection: true, $Type: 'N.Thing' };

describe('names that a database reserves or cannot distinguish', () => {
  it.each([
    [
      'members',
      modelFile({ name: TEXT, Name: TEXT }),
      '$.N.Thing.Name',
      'name and Name differ only',
    ],
    [
      'long members',
      modelFile({ [long('1')]: TEXT, [long('2')]: TEXT }),
      `$.N.Thing.${long('2')}`,
      'first 63 bytes',
    ],
    [
      'members of derived types',
      modelFile({}, { A: { ...SUB, name: TEXT }, B: { ...SUB, Name: TEXT } }),
      '$.N.B.Name',
      'name and Name differ only',
    ],
    [
      'members of a complex value',
      modelFile({ Part: { $Type: 'N.Part' } }, { Part: PART }),
      '$.N.Thing.Part',
      'Part/Inner and Part/inner',
    ],
    [
      'relations',
      modelFile({ others: things, Others: things }),
      '$.N.Thing.others',
      'Things.Others and Things.others',
    ],
    ['sets', modelFile({}, {}, { things: set }), '$.N.C.things', 'Things and things differ only'],
    [
      'long sets',
      modelFile({}, {}, { [long('1')]: set, [long('2')]: set }),
      `$.N.C.${long('2')}`,
      'first 63 bytes',
    ],
    [
      'an own table',
      modelFile({}, {}, { docket_setting: set }),
      '$.N.C.docket_setting',
      'is reserved',
    ],
    ['a table of SQLite', modelFile({}, {}, { SQLite_x: set }), '$.N.C.SQLite_x', 'is reserved'],
    [
      'a table of PostgreSQL',
      modelFile({}, {}, { pg_class: set }),
      '$.N.C.pg_class',
      'is reserved',
    ],
    ['a column of PostgreSQL', modelFile({ xmin: TEXT }), '$.N.Thing.xmin', 'is reserved'],
  ])('%s', (_, file, path, message) => {
    const { mistakes } = checkModelFile(file);
    const found = mistakes.filter((one) => one.path.endsWith(path));
    expect(found).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
    expect(found[0]).not.toHaveProperty('warning');
  });
});

describe('names that both can', () => {
  const file = modelFile(
    {
      [`${'N'.repeat(60)}1`]: TEXT,
      [`${'N'.repeat(60)}2`]: TEXT,
      ä: TEXT,
      Ä: TEXT,
      [long('alone')]: TEXT,
      rowid: TEXT,
      oid: TEXT,
      rank: TEXT,
      xMin: TEXT,
      docket_a: TEXT,
      List: { $Type: 'N.Part', $Collection: true },
    },
    { Part: PART },
  );

  it.each(['SQLite', 'PostgreSQL'])('are stored in %s', async (kind) => {
    expect(checkModelFile(file).mistakes.filter(({ warning }) => warning !== true)).toEqual([]);
    if (kind === 'PostgreSQL' && missingServer !== undefined) return;
    const url = kind === 'PostgreSQL' ? await postgresUrl() : undefined;
    const data = mkdtempSync(join(folder, 'data-'));
    const environment = {
      DOCKET_ADMIN_PASSWORD: 'correct horse battery',
      ...(url === undefined ? {} : { DOCKET_DATABASE: url }),
    };
    const run = await docketHere(
      ['init', '--data', data, '--model', file, '--admin', 'root'],
      environment,
    );
    expect(run).toMatchObject({ code: 0 });
    if (url !== undefined) await dropDatabase(url);
  });
});
