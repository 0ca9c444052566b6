// The command `docket copy`: copies an installation from one database to another, such as from the embedded database to PostgreSQL.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { withoutPassword } from '../../base/without-password.ts';
import { makeModel } from '../../edm/model.ts';
import { makeLayout } from '../../sql/schema/model-layout.ts';
import type { Database } from '../../store/database.ts';
import { isFull } from '../../store/driver-faults.ts';
import type { DatabaseProblem, InstallationDatabase } from '../../store/installation-database.ts';
import { COPY_SETTING } from '../../store/load/copied-tables.ts';
import {
  type CopiedRows,
  type Copy,
  copiedRows,
  copyDatabase,
  prepareCopy,
} from '../../store/load/copy-database.ts';
import { ENGINE_SETTING, requireCurrent } from '../../store/model-tables.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { databaseUrl } from '../config/database-url.ts';
import { isUrl } from '../config/text-keys.ts';
import type { Invocation } from '../invocation.ts';
import { modelInForce } from '../stored-model.ts';
import { describeDatabaseProblem } from '../system-errors.ts';
import { type Progress, type Terminal, table } from '../terminal.ts';
import { databaseOf, isComplete, MODULE_TABLES } from '../wire.ts';

/** Digits of a digest in the table; --json has all of them. */
const SHOWN_DIGITS = 12;

/**
 * `docket copy --from PLACE --to PLACE`. A place is a data directory or the URL of a PostgreSQL database. An interrupted copy continues.
 * Throws: store.migration-due, store.in-use, store.copy-differs, store.other-copy, cli.refused if there is no source, the target holds
 * something else or a database cannot be used, and a ConfigError if a place is not valid.
 */
export async function copy({ config, flags, terminal }: Invocation): Promise<void> {
  const source = await placeNamed(config, '--from', String(flags.from));
  const target = await placeNamed(config, '--to', String(flags.to));
  await using(source, requireComplete);
  await using(target, requireEmpty);
  const from = await using(source, async ({ database }) => await database.open());
  try {
    const layout = makeLayout(makeModel((await modelInForce(from)).definition));
    await requireCurrent(from, layout, source.database.dialect, MODULE_TABLES);
    const to = await using(target, openTarget);
    try {
      const { dialect } = target.database;
      const parts = { from, source: source.database.place, to, dialect, layout };
      const rows = await copyRows({ ...parts, more: MODULE_TABLES }, terminal).catch((error) => {
        throw isFull(error) ? refused(target, 'disk', error) : error;
      });
      report(rows, { json: flags.json === true, place: target.name }, terminal);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** A database that the command names. */
interface Place {
  readonly option: '--from' | '--to';
  /** The data directory, or the URL without its password. */
  readonly name: string;
  /** Undefined for a URL. */
  readonly directory: string | undefined;
  readonly database: InstallationDatabase;
}

/** The database in a data directory or at a URL. Throws a ConfigError if a URL is not one of PostgreSQL. */
async function placeNamed(config: Config, option: Place['option'], text: string): Promise<Place> {
  const isNamedByUrl = isUrl(text);
  const [issue] = isNamedByUrl ? (databaseUrl.safeParse(text).error?.issues ?? []) : [];
  if (issue !== undefined) throw new ConfigError(`${option}: ${issue.message}.`);
  const directory = isNamedByUrl ? undefined : resolve(text);
  const database = await databaseOf({
    ...config,
    data: directory ?? config.data,
    database: isNamedByUrl ? text : undefined,
  });
  return { option, name: withoutPassword(text), directory, database };
}

/** Runs the work on a database, whose problems are described as those of the configured database are. Throws: cli.refused, and what the work throws. */
async function using<Result>(
  place: Place,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(place);
  } catch (error) {
    const problem = place.database.problemOf(error);
    throw problem === undefined ? error : refused(place, problem, error);
  }
}

function refused({ database, option }: Place, problem: DatabaseProblem, error: unknown): Fault {
  const reason = describeDatabaseProblem(problem, database.place, error, option);
  return new Fault('cli.refused', { reason });
}

async function requireComplete({ database, name, option }: Place): Promise<void> {
  if (!((await database.exists()) && (await isComplete(database))))
    throw new Fault('cli.refused', {
      reason: `There is no installation in ${name}. Specify the directory or URL of one with ${option}.`,
    });
  await database.requireUnused();
}

/** Only a copy that was interrupted may be there. */
async function requireEmpty({ database, directory, name }: Place): Promise<void> {
  if (!(await database.exists())) {
    if (directory !== undefined && existsSync(directory)) requireEmptyDirectory(directory, name);
    if (directory === undefined && (await database.hasForeignTables()))
      throw new Fault('cli.refused', {
        reason: `The schema of ${name} contains tables of another program. Specify an empty database, or an empty schema with ?options=-c%20search_path%3Dschema.`,
      });
    return;
  }
  const isCopy = (await database.setting(COPY_SETTING)) !== undefined;
  if (isCopy || (await database.setting(ENGINE_SETTING)) === undefined)
    return await database.requireUnused();
  throw new Fault('cli.refused', {
    reason: `${name} holds an installation already. Specify an empty database or a new directory.`,
  });
}

function requireEmptyDirectory(directory: string, name: string): void {
  if (readdirSync(directory).length === 0) return;
  throw new Fault('cli.refused', {
    reason: `The directory ${name} is not empty. Specify a new directory.`,
  });
}

async function openTarget({ database, directory }: Place): Promise<Database> {
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  return await database.open('loading');
}

async function copyRows(
  parts: Omit<Copy, 'progress'>,
  terminal: Terminal,
): Promise<readonly CopiedRows[]> {
  await prepareCopy(parts);
  const total = await copiedRows(parts.from, parts);
  let copied = await copiedRows(parts.to, parts);
  let compared = 0;
  const copying = terminal.progress('Copying rows', total);
  let indexing: Progress | undefined;
  let comparing: Progress | undefined;
  const rows = await copyDatabase({
    ...parts,
    progress: {
      copied: (more) => {
        copied += more;
        copying.update(copied);
      },
      indexing: (done, steps) => {
        if (indexing === undefined) copying.finish(`${counted(total, 'row')}`);
        indexing ??= terminal.progress('Creating indexes', steps);
        indexing.update(done);
      },
      compared: (more) => {
        comparing ??= startComparing(indexing, total, terminal);
        compared += more;
        comparing.update(compared);
      },
    },
  });
  comparing?.finish(`${counted(compared, 'row is', 'rows are')} the same`);
  return rows;
}

function startComparing(
  indexing: Progress | undefined,
  total: number,
  terminal: Terminal,
): Progress {
  indexing?.finish('done');
  return terminal.progress('Comparing rows', total);
}

function report(
  rows: readonly CopiedRows[],
  { json, place }: { readonly json: boolean; readonly place: string },
  { print }: Terminal,
): void {
  if (json) {
    print(JSON.stringify(rows, null, 2));
    return;
  }
  const filled = rows.filter((one) => one.rows > 0);
  print(
    table(
      ['Table', 'Rows', 'SHA-256'],
      filled.map((one) => [one.table, String(one.rows), one.digest.slice(0, SHOWN_DIGITS)]),
    ),
  );
  print(`Copied the database to ${place}. Attachment files stay where they are.`);
}
