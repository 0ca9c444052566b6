// This file plans the change of an installation to another model, for commands and for the service: the differences to the model in force,
// and the steps of the migration with what they lose. It changes nothing.
import { planModelRoles, type RoleVersions } from '../../auth/model-roles.ts';
import { Fault } from '../../base/fault.ts';
import type { RoleDefinition } from '../../edm/account-sets.ts';
import { type ModelDefinition, makeModel } from '../../edm/model.ts';
import { type Difference, diffModels } from '../../edm/versions/model-diff.ts';
import { type InitialMail, planInitialMail } from '../../mail/out/initial-mail.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import { makeLayout } from '../../sql/schema/model-layout.ts';
import { renamesOf } from '../../sql/schema/renames.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import { type PlannedStep, planMigration, type RenameStage } from '../../store/model/migrate.ts';
import { checksumOf, currentModel, type StoredModel } from '../../store/model/stored-models.ts';
import { runQueries } from '../../store/work.ts';
import type { Config } from '../config/config.ts';
import { requireSettingsFor } from '../config/model-settings.ts';
import { requireNoNewerVersion } from '../database-version.ts';
import { readModel, readModelMail, readModelRoles } from '../model-file.ts';
import type { ModelFiles } from '../model-source.ts';
import { filesOf, withReader } from '../stored-model.ts';
import { MODULE_TABLES } from '../wire.ts';

/** A model to apply. */
export interface Application {
  readonly files: ModelFiles;
  /** Where it comes from: `/srv/model`, `version 2`. */
  readonly origin: string;
  /** Renames to undo, the newest first. */
  readonly undone?: readonly RenameStage[];
}

export interface ModelPlan {
  readonly application: Application;
  readonly definition: ModelDefinition;
  readonly layout: Layout;
  readonly renames: readonly RenameStage[];
  readonly roles: RoleVersions;
  readonly mail: InitialMail;
  /** The version in force; undefined in a database of an earlier version of Docket. */
  readonly inForce: number | undefined;
  /** Whether the model is in force already. */
  readonly isSame: boolean;
  readonly differences: readonly Difference[];
  readonly steps: readonly PlannedStep[];
}

/** Throws: store.not-installed, store.newer-version, cli.model, a ConfigError if the model does not permit the settings. */
export async function planModel(
  config: Config,
  database: InstallationDatabase,
  application: Application,
): Promise<ModelPlan> {
  const { files, undone = [] } = application;
  await requireNoNewerVersion(database);
  const { definition } = readModel(files);
  const layout = makeLayout(makeModel(definition));
  const renames = [...undone, { renames: renamesOf(layout) }];
  requireSettingsFor(config, definition);
  const current = await withReader(database, async (reader) => await currentModel(reader));
  const roles = {
    applied: current === undefined ? [] : knownRoles(filesOf(current)),
    wanted: readModelRoles(files),
    renames: renames.flatMap((stage) => stage.renames),
  };
  const migration = await planMigration(database, definition, MODULE_TABLES, renames);
  const mail = readModelMail(files);
  return {
    application,
    definition,
    layout,
    renames,
    roles,
    mail,
    inForce: current?.version,
    isSame: current?.checksum === checksumOf(files.files) && migration.length === 0,
    differences: current === undefined ? [] : knownDifferences(current, files),
    steps: [
      ...migration,
      ...(await roleSteps(database, layout, roles)),
      ...(await mailSteps(database, mail)),
    ],
  };
}

async function roleSteps(
  database: InstallationDatabase,
  layout: Layout,
  roles: RoleVersions,
): Promise<readonly PlannedStep[]> {
  const steps = await withReader(
    database,
    async (reader) => await runQueries(planModelRoles(layout, roles), reader),
  );
  return steps.map(({ text }) => ({ text, loses: false, losses: [], sql: [] }));
}

/** The step that adds rules and templates of mail, if there are new ones. */
export async function mailSteps(
  database: InstallationDatabase,
  mail: InitialMail,
): Promise<readonly PlannedStep[]> {
  const added = await withReader(
    database,
    async (reader) => await runQueries(planInitialMail(mail), reader),
  );
  const text = `Add to outgoing mail, unless the names are in use: ${added.join(', ')}.`;
  return added.length === 0 ? [] : [{ text, loses: false, losses: [], sql: [] }];
}

/** The roles of a stored version; none if this version of Docket rejects it. */
function knownRoles(files: ModelFiles): readonly RoleDefinition[] {
  try {
    return readModelRoles(files);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** None if this version of Docket rejects the model in force, so that a corrected one can be applied. */
function knownDifferences(current: StoredModel, files: ModelFiles): readonly Difference[] {
  try {
    return differencesOf(filesOf(current), files);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** Throws: cli.model, if either model cannot be used. */
export function differencesOf(before: ModelFiles, after: ModelFiles): readonly Difference[] {
  const [old, next] = [before, after].map((files) => ({
    definition: readModel(files).definition,
    roles: readModelRoles(files),
  }));
  return old === undefined || next === undefined ? [] : diffModels(old, next);
}
