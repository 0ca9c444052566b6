// The command `docket restore`, the inverse of `docket backup`. It copies the backup next to the installation and checks the copy, so that
// errors up to this point change nothing. Existing files are renamed, not removed. The database is renamed last, so an interrupted
// restore can simply be repeated.

import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Finding, findings } from '../../attachments/check-files.ts';
import { counted } from '../../base/counted.ts';
import { Fault, unreachable } from '../../base/fault.ts';
import { syncPath } from '../../store/sync-path.ts';
import type { Config, Flags } from '../config/config.ts';
import type { Invocation } from '../invocation.ts';
import { shortList } from '../terminal.ts';
import { databaseAt, databaseFile, isComplete, openFiles } from '../wire.ts';
import { copyTree, DATABASE_COPY, FILES_COPY } from './backup.ts';
import { DEMO_ACCOUNT_FILE } from './installation.ts';

interface Paths {
  readonly source: string;
  readonly database: string;
  readonly files: string;
  readonly demoAccount: string;
}

/**
 * `docket restore DIR`. Errors leave the installation unchanged. Throws: cli.refused, cli.backup-damaged, store.in-use.
 */
export async function restore(
  { config, flags, terminal }: Invocation,
  directory: string,
): Promise<void> {
  if (config.database !== undefined)
    throw refused(
      'A backup of the embedded database cannot be restored to PostgreSQL. Restore it without the setting "database", and move it with "docket copy".',
    );
  const paths: Paths = {
    source: resolve(directory),
    database: databaseFile(config),
    files: config.files.local.directory,
    demoAccount: join(config.data, DEMO_ACCOUNT_FILE),
  };
  await requireBackup(paths, config);
  requireFreeTarget(paths, flags);
  const isNew = !existsSync(config.data);
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  try {
    const count = await copyBackup(paths);
    await checkCopy(paths, flags.quick !== true);
    if (existsSync(paths.database)) await databaseAt(paths.database).requireUnused();
    const kept = activateCopy(paths);
    terminal.print(`Restored the database and ${counted(count, 'file')} from ${paths.source}.`);
    if (kept.length > 0)
      terminal.print(
        `The previous installation is kept in ${kept.join(', ')}. Remove it when you no longer need it.`,
      );
    if (config.files.ftp !== undefined || config.files.s3 !== undefined)
      terminal.print(
        'Files on the FTP server or in object storage were not restored. Restore them separately.',
      );
  } catch (error) {
    await removeCopy(paths);
    if (isNew) rmSync(config.data, { recursive: true, force: true });
    throw error;
  }
}

function refused(reason: string): Fault {
  return new Fault('cli.refused', { reason });
}

function damaged({ source }: Paths, reason: string): Fault {
  return new Fault('cli.backup-damaged', { directory: source, reason });
}

async function requireBackup(paths: Paths, { data }: Config): Promise<void> {
  const { source } = paths;
  const copy = join(source, DATABASE_COPY);
  if (source === data)
    throw refused(`${source} is the installation itself. Specify the directory of a backup.`);
  if (statSync(copy, { throwIfNoEntry: false }) === undefined)
    throw refused(
      `${source} contains no ${DATABASE_COPY}. Specify a directory created by "docket backup".`,
    );
  accessSync(copy, constants.R_OK);
  const backup = databaseAt(copy);
  const damage =
    (await backup.damage()) ?? ((await isComplete(backup)) ? undefined : 'it is incomplete');
  if (damage !== undefined) throw damaged(paths, `${DATABASE_COPY}: ${damage}`);
}

/** Existing files are replaced only with --replace. */
function requireFreeTarget({ database, files }: Paths, { replace }: Flags): void {
  if (replace === true) return;
  const hasFiles = existsSync(files) && readdirSync(files).length > 0;
  const existing = existsSync(database) ? database : hasFiles ? files : undefined;
  if (existing !== undefined)
    throw refused(
      `${existing} already exists. Add --replace to restore anyway; the existing files are kept under another name.`,
    );
}

const copyOf = (path: string) => `${path}.restoring`;

async function copyBackup(paths: Paths): Promise<number> {
  const { source, database, files, demoAccount } = paths;
  await removeCopy(paths);
  await databaseAt(join(source, DATABASE_COPY)).copyTo(copyOf(database));
  mkdirSync(copyOf(files), { recursive: true, mode: 0o700 });
  const count = await copyTree(join(source, FILES_COPY), copyOf(files));
  const account = join(source, DEMO_ACCOUNT_FILE);
  if (existsSync(account)) copyFileSync(account, copyOf(demoAccount));
  return count;
}

async function removeCopy({ database, files, demoAccount }: Paths): Promise<void> {
  await databaseAt(copyOf(database)).remove();
  rmSync(copyOf(demoAccount), { force: true });
  rmSync(copyOf(files), { recursive: true, force: true });
}

/** Checks that every file referenced by a record exists with the right content. Throws: cli.backup-damaged. */
async function checkCopy(paths: Paths, isThorough: boolean): Promise<void> {
  const database = await databaseAt(copyOf(paths.database)).open();
  const stores = openFiles(copyOf(paths.files));
  const problems: string[] = [];
  try {
    const check = { database, stores, before: 0, thorough: isThorough, progress: () => undefined };
    for await (const finding of findings(check)) problems.push(...problemOf(finding));
  } finally {
    await stores.close();
    await database.close();
  }
  if (problems.length === 0) return;
  throw damaged(paths, shortList(problems));
}

/** Ignores files in other stores, which are not part of a backup. */
function problemOf(finding: Finding): readonly string[] {
  switch (finding.kind) {
    case 'missing':
      return [`the file ${finding.file.key} is missing`];
    case 'size':
      return [`the file ${finding.file.key} has the wrong size`];
    case 'digest':
      return [`the file ${finding.file.key} has the wrong content`];
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

/** Renames the existing files and then the copies. Returns the new names of the existing files. */
function activateCopy({ database, files, demoAccount }: Paths): readonly string[] {
  const timestamp = new Date().toISOString().replace(/[:.]/g, '-');
  const keptName = (path: string) => `${path}.before-restore-${timestamp}`;
  const kept: string[] = [];
  const keep = (path: string, name: string) => {
    if (!existsSync(path)) return;
    renameSync(path, name);
    kept.push(name);
  };
  const activate = (path: string) => {
    if (existsSync(copyOf(path))) renameSync(copyOf(path), path);
  };
  keep(files, keptName(files));
  activate(files);
  keep(demoAccount, keptName(demoAccount));
  activate(demoAccount);
  kept.push(...databaseAt(database).moveTo(keptName(database)));
  databaseAt(copyOf(database)).moveTo(database);
  for (const path of new Set([dirname(files), dirname(database)])) syncPath(path);
  return kept;
}
