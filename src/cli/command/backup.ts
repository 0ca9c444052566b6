// The command `docket backup`: copies an installation while the service is running. Files are copied before the database and again after
// it. Files never change, and unreferenced ones are removed only after a while, so every file that a copied record refers to existed at
// one of the two times.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, mkdir, open, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import { writeSetting } from '../../store/installation-settings.ts';
import type { Config } from '../config/config.ts';
import type { Invocation } from '../invocation.ts';
import { describeDatabaseProblem } from '../system-errors.ts';
import { databaseOf, hasInstallation, notInstalled, processWorld } from '../wire.ts';
import { DEMO_ACCOUNT_FILE, demoPasswordFile } from './installation.ts';

/** The contents of a backup, besides the account file of a demo installation. */
export const DATABASE_COPY = 'docket.db';
export const FILES_COPY = 'files';

/** `docket backup DIRECTORY`. Throws: store.no-copy, store.not-installed, and cli.refused if the directory is not empty or its disk is full. */
export async function backUp({ config, terminal }: Invocation, directory: string): Promise<void> {
  if (config.database !== undefined) throw new Fault('store.no-copy');
  if (!(await hasInstallation(config))) throw notInstalled(config);
  const target = resolve(directory);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Fault('cli.refused', {
      reason: `The directory ${target} is not empty. Specify a new directory.`,
    });
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const copied = await copyInstallation(config, target);
  await recordBackup(config).catch(async (error) => {
    const { problemOf, place } = await databaseOf(config);
    const problem = problemOf(error);
    if (problem === undefined && !(error instanceof Fault)) throw error;
    const reason =
      problem === undefined ? error.message : describeDatabaseProblem(problem, place, error);
    terminal.say(
      `The copy is complete, but its time could not be stored in the installation. ${reason}`,
    );
  });
  terminal.print(`Copied the database and ${counted(copied, 'file')} to ${target}.`);
  if (config.files.ftp !== undefined || config.files.s3 !== undefined)
    terminal.print(
      'Files on the FTP server or in object storage are not included. Back them up separately.',
    );
}

/** Copies to an empty directory, which is empty again if that fails. Returns the number of files. Throws: cli.refused if the disk is full. */
async function copyInstallation(config: Config, target: string): Promise<number> {
  const source = await databaseOf(config);
  const copy = join(target, DATABASE_COPY);
  const files = { from: config.files.local.directory, to: join(target, FILES_COPY) };
  try {
    const copied = await copyTree(files.from, files.to);
    await source.copyTo(copy);
    const account = demoPasswordFile(config);
    if (existsSync(account)) await copyFile(account, join(target, DEMO_ACCOUNT_FILE));
    return copied + (await copyTree(files.from, files.to));
  } catch (error) {
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true });
    if (source.problemOf(error) !== 'disk') throw error;
    throw new Fault('cli.refused', { reason: describeDatabaseProblem('disk', copy, error) });
  }
}

/** The setting with the time of the latest backup. */
const SETTING = 'last-backup';

/** Records the time in the installation, not in the copy, so that a restored installation does not count as its own backup. */
async function recordBackup(config: Config): Promise<void> {
  const database = await (await databaseOf(config)).open();
  try {
    await writeSetting(database, SETTING, new Date(processWorld.now()).toISOString());
  } finally {
    await database.close();
  }
}

/** When `docket backup` has last copied the installation, in ISO 8601; undefined if it never has. */
export async function lastBackup(
  database: Pick<InstallationDatabase, 'setting'>,
): Promise<string | undefined> {
  return await database.setting(SETTING);
}

/** Copies the files that the target lacks. Returns their number. */
export async function copyTree(from: string, to: string): Promise<number> {
  if (!existsSync(from)) return 0;
  await mkdir(to, { recursive: true, mode: 0o700 });
  const existing = new Set(await readdir(to));
  let copied = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copied += await copyTree(source, target);
    else if (entry.isFile() && !existing.has(entry.name)) copied += await copyOne(source, target);
  }
  return copied;
}

/** Copies a file, unless it has been removed in the meantime. Returns the number of copied files. */
async function copyOne(source: string, target: string): Promise<number> {
  try {
    await copyFile(source, target);
  } catch (error) {
    if (!existsSync(source)) return 0;
    throw error;
  }
  const handle = await open(target, 'r');
  await handle.sync();
  await handle.close();
  return 1;
}
