// This file applies versions of a model to an installation whose code lists have been edited: edits survive, and everything else follows
// the model.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withSystem } from '../../src/edm/account-sets.ts';
import { type Code, makeModel } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import type { Layout } from '../../src/sql/schema/layout.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { applyModelCodes, countChangedCodes } from '../../src/store/codes/model-codes.ts';
import { changeCodes, insertCode, readStoredCodes } from '../../src/store/codes/stored-codes.ts';
import type { Database } from '../../src/store/database.ts';
import { createTables, finishTables } from '../../src/store/model-tables.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { kept, runQueries } from '../../src/store/work.ts';
import { codeList } from '../define.ts';
import { defineModel } from '../define-model.ts';

let directory: string;
let database: Database;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'docket-codes-'));
  await open();
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

async function open(): Promise<void> {
  database = openSqlite({ file: join(directory, `${Math.random()}.db`) });
}

const layoutOf = (codes: readonly Code[], list = 'Colours'): Layout =>
  makeLayout(
    makeModel(
      withSystem(
        defineModel({
          namespaces: [{ name: 'Own' }],
          codeLists: [codeList(list, codes, { hierarchical: true })],
          languages: ['en', 'nl'],
        }),
      ),
    ),
  );

async function install(codes: readonly Code[], list?: string): Promise<void> {
  await createTables(database, layoutOf(codes, list), SQLITE, []);
  await finishTables(database, layoutOf(codes, list), SQLITE);
}

const apply = async (codes: readonly Code[], list?: string) =>
  await database.write(() => kept(applyModelCodes(layoutOf(codes, list))));

const pending = async (codes: readonly Code[]) =>
  await runQueries(countChangedCodes(layoutOf(codes)), database);

async function stored(codes: readonly Code[]) {
  const found = await runQueries(readStoredCodes(layoutOf(codes)), database);
  return (found?.codes ?? []).map(({ value, texts, disabled, parent }) => ({
    value,
    texts,
    disabled,
    parent,
  }));
}

const code = (value: number, en: string, more: Partial<Code> = {}): Code => ({
  value: BigInt(value),
  texts: { en },
  ...more,
});

const RED = code(1, 'Red');
const BLUE = code(2, 'Blue');

describe('A new version of the model', () => {
  it('changes what has not been edited', async () => {
    await install([RED, BLUE]);
    const next = [code(1, 'Crimson'), BLUE, code(3, 'Green', { parent: 1n })];
    expect(await pending(next)).toBe(2);
    await apply(next);
    expect(await stored(next)).toMatchObject([
      { texts: { en: 'Crimson' } },
      { texts: { en: 'Blue' } },
      { texts: { en: 'Green' }, parent: 1n },
    ]);
    expect(await pending(next)).toBe(0);
  });

  it('keeps edits of an administrator, and adds translations beside them', async () => {
    await install([RED, BLUE]);
    await changeCodes(database, layoutOf([RED]), [
      { value: 1, texts: { en: 'Scarlet' } },
      { value: 2, disabled: true },
    ]);
    await apply([code(1, 'Crimson', { texts: { en: 'Crimson', nl: 'Rood' } }), BLUE]);
    expect(await stored([RED])).toMatchObject([
      { texts: { en: 'Scarlet', nl: 'Rood' } },
      { disabled: true },
    ]);
  });

  it('does not restore a code that an administrator has deleted', async () => {
    await install([RED, BLUE]);
    const table = layoutOf([RED]).tables.find(({ columns }) =>
      columns.some(({ name }) => name === 'Texts'),
    );
    await database.define([`DELETE FROM "${table?.name}" WHERE "Value" = 2`]);
    await apply([RED, code(2, 'Navy')]);
    expect(await stored([RED])).toMatchObject([{ value: 1n }]);
  });

  it('disables a code that it no longer has, and enables it if it returns', async () => {
    await install([RED, BLUE]);
    await apply([RED]);
    expect(await stored([RED])).toMatchObject([{ disabled: false }, { disabled: true }]);
    expect(await pending([RED])).toBe(0);
    await apply([RED, BLUE]);
    expect(await stored([RED])).toMatchObject([{ disabled: false }, { disabled: false }]);
  });
});

describe('The list of a code', () => {
  it('follows a renamed list of the model', async () => {
    await install([RED], 'Colours');
    await apply([RED], 'Paints');
    const found = await runQueries(readStoredCodes(layoutOf([RED], 'Paints')), database);
    expect(found?.codes).toMatchObject([{ value: 1n, list: 'Paints' }]);
  });

  it('is not that of a code with the same value that an administrator has added', async () => {
    await install([RED], 'Colours');
    const own = { ...RED, value: 7n };
    await database.write(() => kept(addCode(own)));
    await expect(apply([RED, own], 'Paints')).rejects.toMatchObject({ code: 'codes.value' });
  });
});

function* addCode({ value, texts }: Code) {
  const layout = layoutOf([RED]);
  const lists = (yield* readStoredCodes(layout))?.lists;
  const identity = lists?.get('Colours')?.identity ?? 0n;
  yield* insertCode(layout, identity, value, { texts, ordering: null });
}

/** Codes of a list with parents among the earlier ones. */
const codesArbitrary = fc
  .uniqueArray(
    fc.record({
      value: fc.integer({ min: 1, max: 8 }),
      en: fc.constantFrom('a', 'b', 'c'),
      disabled: fc.boolean(),
      parent: fc.nat(7),
    }),
    { selector: ({ value }) => value, minLength: 1 },
  )
  .map((drafts) =>
    drafts.map(({ value, en, disabled, parent }, index): Code => {
      const owner = drafts[parent % (index + 1)];
      return {
        value: BigInt(value),
        texts: { en },
        disabled,
        ...(owner === undefined || parent % (index + 1) === index
          ? {}
          : { parent: BigInt(owner.value) }),
      };
    }),
  );

it('without edits, any sequence of versions ends with the codes of the last one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(codesArbitrary, { minLength: 2, maxLength: 4 }), async (versions) => {
      await database.close();
      await open();
      const [first = [], ...others] = versions;
      await install(first);
      for (const version of others) await apply(version);
      const last = versions.at(-1) ?? [];
      const found = await stored(last);
      const wanted = new Map(last.map((one) => [one.value, one]));
      for (const { value, texts, disabled, parent } of found) {
        const declared = wanted.get(value);
        if (declared === undefined) expect(disabled).toBe(true);
        else
          expect({ texts, disabled, parent }).toEqual({
            texts: declared.texts,
            disabled: declared.disabled,
            parent: declared.parent,
          });
      }
      expect(found.filter(({ value }) => wanted.has(value))).toHaveLength(last.length);
      expect(await pending(last)).toBe(0);
    }),
    { numRuns: 25 },
  );
}, 60_000);
