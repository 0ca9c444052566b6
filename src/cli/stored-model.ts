// This file reads the model that is in force from the database, and describes models that are to be stored. Databases of earlier versions
// of Docket store only the path of the model file, from which their first migration takes the model.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Fault } from '../base/fault.ts';
import { perObject } from '../base/memo.ts';
import type { Observe } from '../base/observation.ts';
import type { ModelDefinition } from '../edm/model.ts';
import type { DatabaseReader } from '../store/database.ts';
import type { InstallationDatabase } from '../store/installation-database.ts';
import { readSetting } from '../store/installation-settings.ts';
import {
  checksumOf,
  currentModel,
  type ModelVersion,
  type NewModel,
  type StoredModel,
} from '../store/model/stored-models.ts';
import type { Config } from './config/config.ts';
import { configuredFiles, NO_ADDITIONS, readCheckedModel, readModel } from './model-file.ts';
import { type ModelFiles, readModelFiles } from './model-source.ts';
import { packageVersion } from './version.ts';

/** The setting in which earlier versions noted the path of the model file: empty for the built-in model. */
export const FORMER_MODEL_SETTING = 'model-file';

/** A model with its files. */
export interface InstalledModel {
  readonly definition: ModelDefinition;
  /** Whether the model replaces the built-in one instead of adding to it. */
  readonly isForeign: boolean;
  readonly files: ModelFiles;
  /** The stored version; undefined in a database of an earlier version of Docket. */
  readonly version: ModelVersion | undefined;
}

/** The model in force. Throws: store.migration-due (none is stored), cli.model. */
export async function modelInForce(database: DatabaseReader): Promise<InstalledModel> {
  const stored = await currentModel(database);
  if (stored === undefined) throw new Fault('store.migration-due');
  return installed(stored);
}

/** The model of a stored version. Throws: cli.model, if this version of Docket has not checked it before and rejects it. */
function installed(stored: StoredModel): InstalledModel {
  const files = filesOf(stored);
  const read = stored.docket === packageVersion() ? readCheckedModel : readModel;
  return { ...read(files), files, version: stored };
}

/** The files of a stored version. */
export const filesOf = perObject(({ version, files }: StoredModel): ModelFiles => {
  return { place: `of version ${version}`, files, mistakes: [], isStored: true };
});

/**
 * The model in force, or in a database of an earlier version of Docket, the model in the file that its tables were created from.
 * Throws: cli.model-unknown (the file is missing), cli.model, cli.file.
 */
export async function modelToMigrate(
  config: Config,
  database: InstallationDatabase,
): Promise<InstalledModel> {
  return await withReader(database, async (reader) => {
    const stored = await currentModel(reader);
    if (stored !== undefined) return installed(stored);
    const path = (await readSetting(reader, FORMER_MODEL_SETTING)) ?? config.model ?? '';
    if (path !== '' && !existsSync(path)) throw new Fault('cli.model-unknown', { file: path });
    const files = path === '' ? NO_ADDITIONS : readModelFiles(path);
    return { ...readModel(files), files, version: undefined };
  });
}

/** Reads with a connection that does not require current tables. */
export async function withReader<Result>(
  database: InstallationDatabase,
  work: (reader: DatabaseReader) => Promise<Result>,
): Promise<Result> {
  const reader = await database.openMigration(false);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

/** The model as a new version, applied now, by default by the user of the operating system. */
export function newModel(
  { place, files }: ModelFiles,
  origin = place,
  author = userName(),
): NewModel {
  const applied = new Date().toISOString();
  return { applied, author, docket: packageVersion(), origin, files };
}

/** Containers may run with a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The configured model file, if it is not the model in force. Throws: cli.file. */
export function differingFile(
  { model }: Pick<Config, 'model'>,
  { checksum }: Pick<ModelVersion, 'checksum'>,
): string | undefined {
  if (model === undefined) return undefined;
  return checksumOf(configuredFiles({ model }).files) === checksum ? undefined : model;
}

/** Reports a configured model file that is not the model in force, or that cannot be read. */
export function reportDifference(
  config: Pick<Config, 'model'>,
  version: ModelVersion,
  observe: Observe,
): void {
  try {
    const file = differingFile(config, version);
    if (file === undefined) return;
    const reason = `The file differs from version ${version.version}, which is in force. "docket model diff" shows how; "docket model apply" applies it.`;
    observe({ kind: 'model file', file, reason });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    observe({ kind: 'model file', file: config.model ?? '', reason: error.message });
  }
}
