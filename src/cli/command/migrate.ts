// The command `docket migrate`: updates the tables of the engine and of the built-in model after an update of Docket.
import { counted } from '../../base/counted.ts';
import { makeModel } from '../../edm/model.ts';
import { addInitialMail } from '../../mail/out/initial-mail.ts';
import { makeLayout } from '../../sql/schema/model-layout.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import {
  describeLoss,
  migrateDatabase,
  type PlannedStep,
  planMigration,
} from '../../store/model/migrate.ts';
import { storeModel } from '../apply-model/apply-plan.ts';
import { mailSteps } from '../apply-model/plan-model.ts';
import { requireNoNewerVersion, storeProgramVersion } from '../database-version.ts';
import type { Invocation } from '../invocation.ts';
import { readModelMail } from '../model-file.ts';
import { modelToMigrate, newModel } from '../stored-model.ts';
import type { Terminal } from '../terminal.ts';
import { databaseOf, hasInstallation, MODULE_TABLES, notInstalled } from '../wire.ts';

/**
 * `docket migrate`. With `--plan` it only shows the steps; steps that lose data require `--allow-loss`. A database of an earlier version
 * of Docket gets the model from the file that it was created with.
 * Throws: store.not-installed, store.newer-version, store.keys-unfit, store.items-repeated, store.migration-loses, store.migration-broken, store.in-use, cli.model-unknown, cli.model, cli.file.
 */
export async function migrate({ config, flags, terminal }: Invocation): Promise<void> {
  if (!(await hasInstallation(config))) throw notInstalled(config);
  const database = await databaseOf(config);
  await requireNoNewerVersion(database);
  const { definition, files, version } = await modelToMigrate(config, database);
  const mail = readModelMail(files);
  const steps = [
    ...(await planMigration(database, definition, MODULE_TABLES)),
    ...(await mailSteps(database, mail)),
  ];
  const isJson = flags.json === true;
  // With --json, only JSON may go to standard output.
  const report = isJson ? terminal.say : terminal.print;
  if (isJson) terminal.print(JSON.stringify(steps, null, 2));
  else printSteps(steps, terminal, flags.allowLoss === true);
  if (steps.length === 0) report('The database is up to date.');
  if (flags.plan === true && steps.length > 0) reportMissingBackup(database, report);
  if (flags.plan === true || steps.length === 0) return;
  const backup = await migrateDatabase(database, definition, MODULE_TABLES, {
    mayLose: flags.allowLoss === true,
    finish: function* () {
      if (version === undefined) yield* storeModel(newModel(files), 0);
      yield* addInitialMail(makeLayout(makeModel(definition)), mail, Date.now());
      yield* storeProgramVersion();
    },
  });
  report(`Migration completed.${describeBackup(backup)}`);
}

/** Reports before a migration that it makes no backup. */
export function reportMissingBackup(
  { copiesBeforeMigration }: Pick<InstallationDatabase, 'copiesBeforeMigration'>,
  report: (line: string) => void,
): void {
  if (!copiesBeforeMigration)
    report(`Docket makes no backup of this database. Run pg_dump first (${DUMPS}).`);
}

const DUMPS = '"Dumps" in docs/databases.md';

export function describeBackup(backup: string | undefined): string {
  return backup === undefined
    ? ` Docket has made no backup: dumps of pg_dump are the backups of this database (${DUMPS}).`
    : ` A backup of the previous database is in ${backup}.`;
}

export function printSteps(
  steps: readonly PlannedStep[],
  terminal: Terminal,
  mayLose: boolean,
): void {
  for (const [index, { text, losses, repeated = [], unfit = [] }] of steps.entries()) {
    terminal.print(`${index + 1}. ${text}`);
    for (const loss of losses) terminal.print(`   loses ${describeLoss(loss)}`);
    for (const item of repeated) terminal.print(`   fails: ${item} must occur once`);
    for (const value of unfit) terminal.print(`   fails: ${value} does not fit the new type`);
  }
  const losing = steps.filter(({ loses }) => loses).length;
  if (losing === 0) return;
  const remedy = mayLose ? '' : ' Add --allow-loss to run the migration anyway.';
  terminal.print(`${counted(losing, 'step loses', 'steps lose')} data.${remedy}`);
}
