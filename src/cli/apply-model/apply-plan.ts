// This file applies a planned model: it waits until services have handed over the database, migrates it after a backup, and stores the model as
// the version in force with an entry of the audit trail, in the same transaction.
import { applyModelRoles } from '../../auth/model-roles.ts';
import { addInitialMail } from '../../mail/out/initial-mail.ts';
import type { Work } from '../../store/database.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import { removeSetting } from '../../store/installation-settings.ts';
import { migrateDatabase } from '../../store/model/migrate.ts';
import { addModel } from '../../store/model/stored-models.ts';
import { storeProgramVersion } from '../database-version.ts';
import { COMMAND_NAME } from '../in-process-client.ts';
import { cancelHandover, endHandover, withHandover } from '../model-handover.ts';
import { FORMER_MODEL_SETTING, newModel } from '../stored-model.ts';
import { MODULE_TABLES } from '../wire.ts';
import { type ModelAuthor, storeModelEntry } from './model-entry.ts';
import type { ModelPlan } from './plan-model.ts';

export interface ApplyOptions {
  /** Whether steps may lose data. */
  readonly mayLose: boolean;
  /** Who applies the model; by default the user of the operating system. */
  readonly author?: string;
  /** The account in the audit trail; by default that of commands. */
  readonly entryOf?: ModelAuthor;
  /** Prints that services have to complete their requests first. */
  readonly say: (line: string) => void;
  /** More work in the transaction that applies the model. */
  readonly finish?: (applied: AppliedModel) => Work<void>;
}

export interface AppliedModel {
  /** The version that the model is stored as. */
  readonly version: number;
  /** The path of the copy made before, if there is one. */
  readonly backup: string | undefined;
}

/** Throws: store.migration-loses, store.keys-unfit, store.items-repeated, store.migration-broken, store.model-changed, store.in-use. */
export async function applyPlan(
  database: InstallationDatabase,
  plan: ModelPlan,
  { mayLose, author, entryOf = COMMAND, say, finish = nothing }: ApplyOptions,
): Promise<AppliedModel> {
  const { definition, layout, renames, roles, mail, application, inForce = 0 } = plan;
  const version = inForce + 1;
  const options = {
    mayLose,
    renames,
    *finish(backup: string | undefined) {
      yield* endHandover();
      yield* applyModelRoles(layout, roles);
      yield* addInitialMail(layout, mail, Date.now());
      yield* storeModel(newModel(application.files, application.origin, author), inForce);
      yield* storeProgramVersion();
      yield* storeModelEntry(plan, entryOf);
      yield* finish({ version, backup });
    },
  };
  try {
    const ready = withHandover(database, say);
    return { version, backup: await migrateDatabase(ready, definition, MODULE_TABLES, options) };
  } catch (error) {
    await cancelHandover(database);
    throw error;
  }
}

const COMMAND: ModelAuthor = { account: COMMAND_NAME };

function* nothing(): Work<void> {}

/** Stores a version of the model, as part of a migration. */
export function* storeModel(...[model, expected]: Parameters<typeof addModel>): Work<void> {
  yield* addModel(model, expected);
  yield* removeSetting(FORMER_MODEL_SETTING);
}
