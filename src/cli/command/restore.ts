// This file holds the command `restore`, the inverse of `backup`. The backup is copied beside the installation and checked there, so that
// whatever fails until then has changed nothing; what was there before is renamed, not removed. The database is renamed last: a
// restore that was broken off is run again.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Finding, findings } from '../../attachments/check-files.ts';
import { Fault, unreachable } from '../../base/fault.ts';
import { requireUnused } from '../../store/migrate.ts';
import { copyDatabase, damageOf, isDamage, syncPath } from '../../store/sqlite/backup.ts';
import type { Config, Flags } from '../config/config.ts';
import type { Terminal } from '../terminal.ts';
import { databaseFile, isCompleteDatabase, openCopy } from '../wire.ts';
import { copyTree, DATABASE_COPY, FILES_COPY } from './backup.ts';
import { DEMO_ACCOUNT_FILE } from './installation.ts';

/** What the files of a database in WAL are called besides. SQLite, "Write-Ahead Logging". */
const SUFFIXES = ['', '-wal', '-shm'];
/** Damaged files that a message names. */
const NAMED = 3;

/** The places of a restore. */
interface Places {
  readonly source: string;
  readonly database: string;
  readonly files: string;
  readonly demoAccount: string;
}

/**
 * `docket restore DIR`. Faults cli.refused, cli.backup-damaged, store.in-use; after each of them the installation is as it was.
 */
export async function restore(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  directory: string,
): Promise<number> {
  const places: Places = {
    source: resolve(directory),
    database: databaseFile(config),
    files: config.files.local.directory,
    demoAccount: join(config.data, DEMO_ACCOUNT_FILE),
  };
  requireBackup(places, config);
  requirePlace(places, flags);
  const isNew = !existsSync(config.data);
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  try {
    const count = await copyBeside(places);
    await checkCopy(places, flags.quick !== true);
    if (existsSync(places.database)) requireNotInUse(places.database);
    const kept = putInPlace(places);
    terminal.print(`Restored the database and ${count} files of ${places.source}.`);
    if (kept.length > 0)
      terminal.print(
        `What was there before is kept: ${kept.join(', ')}. Remove it once it is not needed.`,
      );
    if (config.files.ftp !== undefined || config.files.s3 !== undefined)
      terminal.print(
        'Files on the FTP server or in object storage are as they are: restore them there.',
      );
    return 0;
  } catch (error) {
    removeCopy(places);
    if (isNew) rmSync(config.data, { recursive: true, force: true });
    throw error;
  }
}

function refused(reason: string): Fault {
  return new Fault('cli.refused', { reason });
}

function damaged({ source }: Places, reason: string): Fault {
  return new Fault('cli.backup-damaged', { directory: source, reason });
}

function requireBackup(places: Places, { data }: Config): void {
  const { source } = places;
  const copy = join(source, DATABASE_COPY);
  if (source === data) throw refused(`${source} is the installation itself; name a backup of it.`);
  if (!existsSync(copy))
    throw refused(
      `${source} holds no ${DATABASE_COPY}; name a directory that "docket backup" made.`,
    );
  const damage = damageOf(copy) ?? (isCompleteDatabase(copy) ? undefined : 'it is not complete');
  if (damage !== undefined) throw damaged(places, `${DATABASE_COPY}: ${damage}`);
}

/** Nothing is overwritten unless that is asked for. */
function requirePlace({ database, files }: Places, { replace }: Flags): void {
  if (replace === true) return;
  const hasFiles = existsSync(files) && readdirSync(files).length > 0;
  const taken = existsSync(database) ? database : hasFiles ? files : undefined;
  if (taken !== undefined)
    throw refused(
      `There is ${taken} already. Add --replace to put the backup in its place; what is there now is kept beside it.`,
    );
}

/** A database that is to be replaced may be damaged, but not in use. */
function requireNotInUse(database: string): void {
  try {
    requireUnused(database);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

const beside = (path: string) => `${path}.restoring`;

async function copyBeside(places: Places): Promise<number> {
  const { source, database, files, demoAccount } = places;
  removeCopy(places);
  copyDatabase(join(source, DATABASE_COPY), beside(database));
  mkdirSync(beside(files), { recursive: true, mode: 0o700 });
  const count = await copyTree(join(source, FILES_COPY), beside(files));
  const account = join(source, DEMO_ACCOUNT_FILE);
  if (existsSync(account)) copyFileSync(account, beside(demoAccount));
  return count;
}

function removeCopy({ database, files, demoAccount }: Places): void {
  for (const suffix of SUFFIXES) rmSync(`${beside(database)}${suffix}`, { force: true });
  rmSync(beside(demoAccount), { force: true });
  rmSync(beside(files), { recursive: true, force: true });
}

/** Every file that a record points to is there with its bytes. Fault cli.backup-damaged. */
async function checkCopy(places: Places, isThorough: boolean): Promise<void> {
  const { database, stores } = openCopy(beside(places.database), beside(places.files));
  const found: string[] = [];
  try {
    const check = {
      database,
      stores,
      before: 0,
      thorough: isThorough,
      progress: () => undefined,
    };
    for await (const finding of findings(check)) found.push(...problemOf(finding));
  } finally {
    await stores.close();
    await database.close();
  }
  if (found.length === 0) return;
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  throw damaged(places, `${found.slice(0, NAMED).join(', ')}${more}`);
}

/** Files in other stores are not part of a backup. */
function problemOf(finding: Finding): readonly string[] {
  switch (finding.kind) {
    case 'missing':
      return [`the file ${finding.file.key} is missing`];
    case 'size':
      return [`the file ${finding.file.key} has another size`];
    case 'digest':
      return [`the file ${finding.file.key} has other bytes`];
    case 'unlisted':
      return [`its files cannot be listed: ${finding.reason}`];
    case 'unknown':
      return finding.file.store === 'local'
        ? [`the file ${finding.file.key}: ${finding.reason}`]
        : [];
    case 'stray':
      return [];
    default:
      return unreachable(finding);
  }
}

/** Renames what is there, and the copies to its names. Returns what the former files are called now. */
function putInPlace({ database, files, demoAccount }: Places): readonly string[] {
  const moment = new Date().toISOString().replace(/[:.]/g, '-');
  const former = (path: string) => `${path}.before-restore-${moment}`;
  const kept: string[] = [];
  const keep = (path: string, name: string) => {
    if (!existsSync(path)) return;
    renameSync(path, name);
    kept.push(name);
  };
  const place = (path: string) => {
    if (existsSync(beside(path))) renameSync(beside(path), path);
  };
  keep(files, former(files));
  place(files);
  keep(demoAccount, former(demoAccount));
  place(demoAccount);
  for (const suffix of SUFFIXES) keep(`${database}${suffix}`, `${former(database)}${suffix}`);
  place(database);
  for (const suffix of SUFFIXES.slice(1)) rmSync(`${beside(database)}${suffix}`, { force: true });
  for (const path of new Set([dirname(files), dirname(database)])) syncPath(path);
  return kept;
}
