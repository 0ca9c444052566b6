// This file records how far a load has come, in the transactions that store its records and indexes, so that an interrupted load can be
// resumed. The positions are settings of the installation, which are removed when the load is complete.
import type { Database, Work } from '../database.ts';
import { readSetting, removeSetting, storeSetting } from '../installation-settings.ts';
import { kept } from '../work.ts';

/** The setting with the source of the load: a text that is different for different records or tables. */
export const LOAD_SETTING = 'load';

/** Parts of a load with a position each: the number of records stored, or of steps run. */
const PARTS = ['catalog', 'masters', 'master links', 'records', 'links', 'indexes'] as const;

export type LoadPart = (typeof PARTS)[number];

/** The position of a part; 0 if it has not been started. */
export async function loadPosition(database: Database, part: LoadPart): Promise<number> {
  return Number((await readSetting(database, settingOf(part))) ?? 0);
}

/** Records the position of a part, as part of other work. */
export function* storePosition(part: LoadPart, position: number): Work<void> {
  yield* storeSetting(settingOf(part), String(position));
}

/** The same as DDL statements run, as text. */
export function positionStatements(part: LoadPart, position: number): readonly string[] {
  const name = settingOf(part);
  return [
    `DELETE FROM "docket_setting" WHERE "name" = '${name}'`,
    `INSERT INTO "docket_setting" ("name", "value") VALUES ('${name}', '${position}')`,
  ];
}

/** Removes the source and the positions. */
export async function endLoad(database: Database): Promise<void> {
  await database.write(() => kept(removePositions()));
}

function* removePositions(): Work<void> {
  yield* removeSetting(LOAD_SETTING);
  for (const part of PARTS) yield* removePosition(part);
}

export function* removePosition(part: LoadPart): Work<void> {
  yield* removeSetting(settingOf(part));
}

function settingOf(part: LoadPart): string {
  return `${LOAD_SETTING}.${part}`;
}
