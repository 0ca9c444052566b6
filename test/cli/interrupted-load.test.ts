// This file interrupts the creation of an installation and repeats it: with the same records it is resumed, with others it starts again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../../src/cli/config/config.ts';
import {
  createInstallation,
  databaseOf,
  hasInstallation,
  openInstallation,
} from '../../src/cli/wire.ts';
import { readSetting, writeSetting } from '../../src/store/installation-settings.ts';
import { COPY_SETTING } from '../../src/store/load/copied-tables.ts';
import { endLoad } from '../../src/store/load/load-position.ts';
import { finishTables } from '../../src/store/model-tables.ts';

const MARK = 'mark';

let directory: string;
let config: Config;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'docket-interrupted-'));
  config = readConfig({ data: join(directory, 'data') }, {});
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Creates an installation, stores a mark in it, and ends. Returns the mark that it found. */
async function create(source?: string): Promise<string | undefined> {
  const { database } = await createInstallation(config, source);
  const found = await readSetting(database, MARK);
  await writeSetting(database, MARK, 'stored');
  await database.close();
  return found;
}

describe('an interrupted creation', () => {
  it('is resumed with the same records', async () => {
    expect(await create('a thousand records')).toBeUndefined();
    expect(await create('a thousand records')).toBe('stored');
  });

  it.each([
    ['other records', 'a thousand records', 'two thousand records'],
    ['records that cannot be resumed', 'a thousand records', undefined],
    ['records, after a creation that cannot be resumed', undefined, 'a thousand records'],
  ])('starts again with %s', async (_name, first, second) => {
    await create(first);
    expect(await create(second)).toBeUndefined();
  });

  it('does not replace an incomplete copy', async () => {
    const { database } = await createInstallation(config);
    await writeSetting(database, COPY_SETTING, '{"table":0}');
    await writeSetting(database, MARK, 'copied');
    await database.close();
    for (const source of ['records', undefined])
      await expect(create(source)).rejects.toMatchObject({ code: 'store.other-copy' });
    expect(await (await databaseOf(config)).setting(MARK)).toBe('copied');
  });

  it('is not an installation before its end', async () => {
    const { database, layout, dialect } = await createInstallation(config, 'records');
    await finishTables(database, layout, dialect);
    await database.close();
    expect(await hasInstallation(config)).toBe(false);
    await expect(openInstallation(config)).rejects.toMatchObject({ code: 'store.not-installed' });

    const resumed = await createInstallation(config, 'records');
    await endLoad(resumed.database);
    await resumed.database.close();
    expect(await hasInstallation(config)).toBe(true);
    await expect(create('records')).rejects.toMatchObject({ code: 'cli.exists' });
  });
});
