// The command `docket copy`: copies an installation from one database to another, such as from the embedded database to PostgreSQL.
import { mkdirSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { withoutPassword } from '../../base/without-password.ts';
import { makeModel } from '../../edm/model.ts';
import { makeLayout } from '../../sql/schema/model-layout.ts';
import { COPY_SETTING } from '../../store/copied-tables.ts';
import {
  type CopiedRows,
  type Copy,
  copiedRows,
  copyDatabase,
  prepareCopy,
} from '../../store/copy-database.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import { ENGINE_SETTING, requireCurrent } from '../../store/model-tables.ts';
import type { Config } from '../config/config.ts';
import type { Invocation } from '../invocation.ts';
import { modelInForce } from '../stored-model.ts';
import { type Progress, type Terminal, table } from '../terminal.ts';
import { databaseOf, isComplete, MODULE_TABLES } from '../wire.ts';

/** Digits of a digest in the table; --json has all of them. */
const SHOWN_DIGITS = 12;

/**
 * `docket copy --from PLACE --to PLACE`. A place is a data directory or the URL of a PostgreSQL database. An interrupted copy continues.
 * Throws: store.not-installed, store.migration-due, store.in-use, store.copy-differs, and cli.refused if the target holds an installation.
 */
export async function copy({ config, flags, terminal }: Invocation): Promise<void> {
  const source = await databaseAt(config, String(flags.from));
  const target = await databaseAt(config, String(flags.to));
  await requireComplete(source, withoutPassword(String(flags.from)));
  await requireEmpty(target, withoutPassword(String(flags.to)));
  const from = await source.open();
  try {
    const layout = makeLayout(makeModel((await modelInForce(from)).definition));
    await requireCurrent(from, layout, source.dialect, MODULE_TABLES);
    if (!isUrl(String(flags.to))) mkdirSync(String(flags.to), { recursive: true, mode: 0o700 });
    const to = await target.open('loading');
    try {
      const { dialect } = target;
      const rows = await copyRows({ from, to, dialect, layout, more: MODULE_TABLES }, terminal);
      report(rows, { json: flags.json === true, place: String(flags.to) }, terminal);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** The database in a data directory or at a URL. */
async function databaseAt(config: Config, place: string): Promise<InstallationDatabase> {
  return await databaseOf({
    ...config,
    data: isUrl(place) ? config.data : place,
    database: isUrl(place) ? place : undefined,
  });
}

function isUrl(place: string): boolean {
  return /^postgres(ql)?:/.test(place);
}

async function requireComplete(source: InstallationDatabase, place: string): Promise<void> {
  if (!((await source.exists()) && (await isComplete(source))))
    throw new Fault('store.not-installed', { place });
  await source.requireUnused();
}

/** Only a copy that was interrupted may be there. */
async function requireEmpty(target: InstallationDatabase, place: string): Promise<void> {
  if (!(await target.exists())) return;
  const isCopy = (await target.setting(COPY_SETTING)) !== undefined;
  if (isCopy || (await target.setting(ENGINE_SETTING)) === undefined)
    return await target.requireUnused();
  throw new Fault('cli.refused', {
    reason: `${withoutPassword(place)} holds an installation already. Specify an empty database or a new directory.`,
  });
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
        if (indexing === undefined) copying.finish(`${total.toLocaleString('en')} rows`);
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
  comparing?.finish(`${compared.toLocaleString('en')} rows are the same`);
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
  print(`Copied the database to ${withoutPassword(place)}. Attachment files stay where they are.`);
}
