// This file migrates an installation's tables to its current model. It copies the database first, then runs all steps and stores the
// new layout in one transaction, so that a failed migration has no effect.
import { Fault, unreachable } from '../base/fault.ts';
import { type ModelDefinition, makeModel } from '../edm/model.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import { LAYOUT_SETTING } from '../sql/schema/ddl.ts';
import type { EngineTable } from '../sql/schema/engine-table.ts';
import type { Layout } from '../sql/schema/layout.ts';
import {
  type Loss,
  type MigrationStep,
  planMigration as stepsBetween,
} from '../sql/schema/migration.ts';
import { makeLayout, storedLayout } from '../sql/schema/model-layout.ts';
import { addCodeTexts, missingCodes } from './code-texts.ts';
import type { Work } from './database.ts';
import type { InstallationDatabase, Migration } from './installation-database.ts';
import { storeSetting } from './installation-settings.ts';
import { ENGINE_SETTING, engineTables, installedLayout, isEngineRecorded } from './model-tables.ts';
import { runQueries } from './work.ts';

/** Maximum number of losses that a message lists. */
const LISTED_LOSSES = 5;

/** What a step removes, and in how many rows. */
export interface CountedLoss extends Pick<Loss, 'kind' | 'table' | 'column'> {
  readonly rows: number;
}

/** A migration step and the data of existing records that it loses. */
export interface PlannedStep extends Omit<MigrationStep, 'losses'> {
  readonly loses: boolean;
  readonly losses: readonly CountedLoss[];
}

/**
 * The steps that migrateDatabase would run. Throws: store.not-installed.
 * @param more the tables of other modules
 */
export async function planMigration(
  database: InstallationDatabase,
  definition: ModelDefinition,
  more: readonly EngineTable[],
): Promise<readonly PlannedStep[]> {
  const migration = database.openMigration(false);
  try {
    const layout = makeLayout(makeModel(definition));
    const engine = engineTables(database.dialect, more);
    return stepsFor(migration, layout, database.dialect, engine).map((step) => {
      const losses = countLosses(migration, step);
      return { text: step.text, loses: losses.length > 0, losses, sql: step.sql };
    });
  } finally {
    migration.close();
  }
}

/** Describes a loss: `the value of "RoomNumber" in 12 rows of "ServiceRequests"`. */
export function describeLoss({ kind, table, column, rows }: CountedLoss): string {
  const count = rows === 1 ? '1 row' : `${rows} rows`;
  switch (kind) {
    case 'rows':
      return `${count} of "${table}"`;
    case 'links':
      return `${rows === 1 ? '1 link' : `${rows} links`} of "${table}"`;
    case 'values':
      return `the value of "${column}" in ${count} of "${table}"`;
    case 'digits':
      return `digits of "${column}" in ${count} of "${table}"`;
    default:
      return unreachable(kind);
  }
}

/**
 * Migrates the database and returns the path of the copy made before.
 * Throws: store.not-installed, store.in-use, store.migration-broken, store.migration-loses unless `mayLose`.
 */
export async function migrateDatabase(
  database: InstallationDatabase,
  definition: ModelDefinition,
  more: readonly EngineTable[],
  mayLose = false,
): Promise<string> {
  const layout = makeLayout(makeModel(definition));
  const migration = database.openMigration(true);
  try {
    const engine = engineTables(database.dialect, more);
    const steps = stepsFor(migration, layout, database.dialect, engine);
    if (!mayLose) requireNoLoss(steps.flatMap((step) => countLosses(migration, step)));
    const copy = migration.copy();
    migration.run(steps, storeState(layout, engine));
    return copy;
  } finally {
    migration.close();
  }
}

function* storeState(layout: Layout, engine: readonly string[]): Work<void> {
  yield* addCodeTexts(layout.model);
  yield* storeSetting(LAYOUT_SETTING, JSON.stringify(storedLayout(layout)));
  yield* storeSetting(ENGINE_SETTING, JSON.stringify(engine));
}

function countLosses(migration: Migration, { losses }: MigrationStep): readonly CountedLoss[] {
  return losses.flatMap(({ count, ...loss }) => {
    const rows = Number(migration.read(count, [])[0]?.[0]);
    return rows === 0 ? [] : [{ ...loss, rows }];
  });
}

function requireNoLoss(losses: readonly CountedLoss[]): void {
  if (losses.length === 0) return;
  const listed = losses.slice(0, LISTED_LOSSES).map(describeLoss).join(', ');
  const more = losses.length > LISTED_LOSSES ? ` and ${losses.length - LISTED_LOSSES} more` : '';
  throw new Fault('store.migration-loses', { losses: `${listed}${more}` });
}

function stepsFor(
  migration: Migration,
  layout: Layout,
  dialect: Dialect,
  engine: readonly string[],
): readonly MigrationStep[] {
  const installed = installedLayout(migration);
  const steps = stepsBetween(installed, layout, dialect);
  const ownSteps = migration.engineSteps(engine);
  const isSame = JSON.stringify(installed) === JSON.stringify(storedLayout(layout));
  const codes = new Set(
    runQueries(missingCodes(layout.model), migration).map(({ code }) => code.value),
  ).size;
  const orderStep =
    steps.length > 0 || isSame ? [] : [describe('Record the new order of members.')];
  // Installations older than the setting have current tables, but no record of their definition.
  const isKnown = isEngineRecorded(migration, engine);
  return [
    ...ownSteps,
    ...(ownSteps.length > 0 || isKnown
      ? []
      : [describe("Record the definition of the engine's tables.")]),
    ...migration.repairSteps(installed),
    ...steps,
    ...orderStep,
    ...(codes === 0 ? [] : [describe(`Add the texts of ${codes} codes.`)]),
  ];
}

/** A step without statements: its effect is part of every migration. */
function describe(text: string): MigrationStep {
  return { text, losses: [], sql: [] };
}
