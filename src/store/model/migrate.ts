// This file migrates an installation's tables to its current model. It copies the database first, then runs all steps and stores the
// new layout in one transaction, so that a failed migration has no effect.
import { counted } from '../../base/counted.ts';
import { Fault, unreachable } from '../../base/fault.ts';
import { type ModelDefinition, makeModel } from '../../edm/model.ts';
import type { Dialect } from '../../sql/dialect/dialect.ts';
import { quoted } from '../../sql/fragment.ts';
import { createIndex, LAYOUT_SETTING } from '../../sql/schema/ddl.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import {
  effectiveAdjustments,
  type IndexAdjustments,
  withAdjustedIndexes,
} from '../../sql/schema/index-adjustments.ts';
import {
  type Layout,
  memberText,
  memberTexts,
  type StoredLayout,
} from '../../sql/schema/layout.ts';
import {
  type Loss,
  type MigrationStep,
  planMigration as stepsBetween,
} from '../../sql/schema/migration.ts';
import { makeLayout, storedLayout } from '../../sql/schema/model-layout.ts';
import { planRenames, rowsBeforeRenames } from '../../sql/schema/rename-steps.ts';
import { type Rename, renamesOf } from '../../sql/schema/renames.ts';
import { applyModelCodes, countChangedCodes } from '../codes/model-codes.ts';
import type { Work } from '../database.ts';
import type { InstallationDatabase, Migration } from '../installation-database.ts';
import { storeSetting } from '../installation-settings.ts';
import {
  ENGINE_SETTING,
  engineTables,
  installedLayout,
  isEngineRecorded,
} from '../model-tables.ts';
import { describeLongValue } from '../tuning/long-values.ts';
import { readAdjustments, storeAdjustments } from '../tuning/stored-adjustments.ts';
import { runQueries } from '../work.ts';
import { repeatedIn, unfitIn } from './conflicting-values.ts';
import { droppedDynamic } from './declared-members.ts';
import { applyModelCatalog, hasNewCatalog } from './model-catalog.ts';
import { outdateClocks, tablesWithoutSchedules } from './outdate-clocks.ts';
import { describeRecomputed, outdatedValues, recomputeValues } from './recompute-values.ts';

/** Maximum number of losses that a message lists. */
const LISTED_LOSSES = 5;

/** What a step removes, and in how many rows. */
export interface CountedLoss extends Pick<Loss, 'kind' | 'table' | 'column' | 'successors'> {
  readonly rows: number;
}

/** A migration step and the data of existing records that it loses. */
export interface PlannedStep extends Omit<MigrationStep, 'losses' | 'unique' | 'unfit'> {
  readonly loses: boolean;
  readonly losses: readonly CountedLoss[];
  /** Items and values that the step makes unique, but records share; absent if there are none. */
  readonly repeated?: readonly string[];
  /** Values that identify records, but do not fit the new type; absent if there are none. */
  readonly unfit?: readonly string[];
}

/**
 * The steps that migrateDatabase would run. Throws: store.not-installed.
 * @param more the tables of other modules
 */
export async function planMigration(
  database: InstallationDatabase,
  definition: ModelDefinition,
  more: readonly EngineTable[],
  renames?: readonly RenameStage[],
): Promise<readonly PlannedStep[]> {
  const migration = await database.openMigration(false);
  try {
    const layout = makeLayout(makeModel(definition));
    const engine = engineTables(database.dialect, more);
    const wanted = { layout, dialect: database.dialect, engine, renames };
    return await plannedSteps(migration, await stepsFor(migration, wanted));
  } finally {
    await migration.close();
  }
}

function renameHint(column: string, successors: readonly string[]): string {
  const former = column.split('/').at(-1);
  const names = successors.map((name) => `"${name}"`).join(' or ');
  return names === ''
    ? ''
    : ` (if it is now ${names}, add "@Docket.RenamedFrom": "${former}" to that)`;
}

async function plannedSteps(
  migration: Migration,
  { steps, rows, dialect }: Pick<Planned, 'steps' | 'rows' | 'dialect'>,
): Promise<readonly PlannedStep[]> {
  const planned: PlannedStep[] = [];
  for (const step of steps) {
    const losses = await countLosses(migration, step, rows);
    const existing = { rows, dialect, limit: LISTED_LOSSES };
    const repeated = await repeatedIn(migration, step.unique, existing);
    const unfit = await unfitIn(migration, step.unfit, existing);
    const { text, sql } = step;
    planned.push({
      text,
      loses: losses.length > 0,
      losses,
      sql,
      ...(repeated.length === 0 ? {} : { repeated }),
      ...(unfit.length === 0 ? {} : { unfit }),
    });
  }
  return planned;
}

/** Throws: store.keys-unfit, store.items-repeated. */
export function requireIdentities(steps: readonly PlannedStep[]): void {
  const unfit = steps.flatMap((step) => step.unfit ?? []);
  if (unfit.length > 0) throw new Fault('store.keys-unfit', { values: unfit.join('; ') });
  const items = steps.flatMap(({ repeated = [] }) => repeated);
  if (items.length > 0) throw new Fault('store.items-repeated', { items: items.join('; ') });
}

/** Throws: store.migration-loses. */
export function requireNoLoss(steps: readonly PlannedStep[]): void {
  const losses = steps.flatMap((step) => step.losses);
  if (losses.length === 0) return;
  const listed = losses.slice(0, LISTED_LOSSES).map(describeLoss).join(', ');
  const more = losses.length > LISTED_LOSSES ? ` and ${losses.length - LISTED_LOSSES} more` : '';
  throw new Fault('store.migration-loses', { losses: `${listed}${more}` });
}

/** Describes a loss: `the value of "RoomNumber" in 12 rows of "ServiceRequests"`. */
export function describeLoss({
  kind,
  table,
  column = '',
  successors = [],
  rows,
}: CountedLoss): string {
  const count = counted(rows, 'row');
  switch (kind) {
    case 'rows':
      return `${count} of "${table}"`;
    case 'links':
      return `${counted(rows, 'link')} of "${table}"`;
    case 'values':
      return `the value of ${memberTexts([column])} in ${count} of "${table}"${renameHint(column, successors)}`;
    case 'digits':
      return `digits of ${memberTexts([column])} in ${count} of "${table}"`;
    default:
      return unreachable(kind);
  }
}

/** Renames to make together. */
export interface RenameStage {
  readonly renames: readonly Rename[];
  /** The layout that has the new names; by default that of the migration. Names that it does not have are not given. */
  readonly layout?: Layout | undefined;
}

export interface MigrationOptions {
  /** Whether steps may lose data. */
  readonly mayLose?: boolean;
  /** Renames to make first, in turn; by default those that the model states. */
  readonly renames?: readonly RenameStage[] | undefined;
  /** Work after the steps, in the same transaction, with the path of the copy made before. */
  readonly finish?: (copy: string | undefined) => Work<void>;
}

/**
 * Migrates the database and returns the path of the copy made before, if there is one.
 * Throws: store.not-installed, store.in-use, store.migration-broken, store.too-long, store.keys-unfit, store.items-repeated, and unless `mayLose`
 * store.migration-loses.
 */
export async function migrateDatabase(
  database: InstallationDatabase,
  definition: ModelDefinition,
  more: readonly EngineTable[],
  options: MigrationOptions = {},
): Promise<string | undefined> {
  const layout = makeLayout(makeModel(definition));
  const { mayLose = false, finish = nothing, renames = [{ renames: renamesOf(layout) }] } = options;
  const migration = await database.openMigration(true);
  try {
    const engine = engineTables(database.dialect, more);
    const wanted = { layout, dialect: database.dialect, engine, renames };
    const plan = await stepsFor(migration, wanted);
    const { steps, adjustments, outdated, recomputed } = plan;
    const planned = await plannedSteps(migration, plan);
    requireIdentities(planned);
    if (!mayLose) requireNoLoss(planned);
    const copy = await migration.copy();
    const run = migration.run(
      steps,
      storeState(layout, engine, {
        adjustments,
        *finish() {
          yield* finish(copy);
          yield* recomputeValues(recomputed, wanted);
          yield* outdateClocks(outdated, wanted);
        },
        renames: renames.flatMap((stage) => stage.renames),
      }),
    );
    await Promise.resolve(run).catch(async (error: unknown) => {
      const tables = { database: migration, layout, dialect: database.dialect };
      throw await describeLongValue(error, tables, ({ isUnique }) =>
        isUnique
          ? ', or remove Docket.Unique from the model'
          : ', or remove the index from the model',
      );
    });
    return copy;
  } finally {
    await migration.close();
  }
}

function* nothing(): Work<void> {}

function* storeState(
  layout: Layout,
  engine: readonly string[],
  {
    adjustments,
    finish,
    renames,
  }: {
    readonly adjustments: IndexAdjustments;
    readonly finish: () => Work<void>;
    readonly renames: readonly Rename[];
  },
): Work<void> {
  yield* finish();
  yield* applyModelCodes(layout);
  yield* applyModelCatalog(layout, renames);
  yield* storeSetting(LAYOUT_SETTING, JSON.stringify(storedLayout(layout)));
  yield* storeSetting(ENGINE_SETTING, JSON.stringify(engine));
  yield* storeAdjustments(adjustments);
}

async function countLosses(
  migration: Migration,
  { losses }: MigrationStep,
  rowsOf: Planned['rows'],
): Promise<readonly CountedLoss[]> {
  const counted: CountedLoss[] = [];
  for (const { condition, kept = 0, ...loss } of losses) {
    const from = rowsOf.get(loss.table) ?? quoted(loss.table);
    const where = condition === undefined ? '' : ` WHERE ${condition}`;
    const [row] = await migration.read(`SELECT count(*) FROM ${from}${where}`, []);
    const rows = Number(row?.[0]) - kept;
    if (rows > 0) counted.push({ ...loss, rows });
  }
  return counted;
}

/** The target of a migration. */
interface Wanted {
  readonly layout: Layout;
  readonly dialect: Dialect;
  readonly engine: readonly string[];
  readonly renames?: readonly RenameStage[] | undefined;
}

/** The renames that are due, and the layout after them. */
async function renamingSteps(
  migration: Migration,
  installed: StoredLayout,
  { layout, dialect, renames }: Required<Omit<Wanted, 'engine'>>,
) {
  const all: MigrationStep[] = [];
  let current = installed;
  for (const stage of renames ?? []) {
    const target = stage.layout ?? layout;
    const {
      steps,
      valueSteps,
      layout: next,
    } = planRenames(current, target, stage.renames, dialect);
    all.push(...steps);
    for (const { isNeeded, ...step } of valueSteps)
      if (current !== installed || (await migration.read(isNeeded, [])).length > 0) all.push(step);
    current = next;
  }
  return { steps: all, layout: current };
}

async function stepsFor(
  migration: Migration,
  { layout, dialect, engine, renames = [{ renames: renamesOf(layout) }] }: Wanted,
): Promise<Planned> {
  const installed = await installedLayout(migration);
  const before = await readAdjustments(migration);
  const adjustments = effectiveAdjustments(layout, before);
  const current = withAdjustedIndexes(installed, before);
  const renamed = await renamingSteps(migration, current, { layout, dialect, renames });
  const wanted = withAdjustedIndexes(layout, adjustments);
  const rows = rowsBeforeRenames(
    current,
    renamed.layout,
    renames.flatMap((stage) => stage.renames),
  );
  const stages = { installed: current, renamed: renamed.layout, layout, rows, dialect };
  const steps = [
    ...renamed.steps,
    ...stepsBetween(renamed.layout, wanted, dialect),
    ...(await droppedDynamic(migration, stages)),
  ];
  const ownSteps = await migration.engineSteps(engine);
  const isSame = JSON.stringify(installed) === JSON.stringify(storedLayout(layout));
  const codes = await runQueries(countChangedCodes(layout), migration);
  const isNewCatalog = await runQueries(hasNewCatalog(layout), migration);
  const outdated = tablesWithoutSchedules(renamed.layout, layout);
  const recomputed = outdatedValues(renamed.layout, layout);
  const isDescribed = steps.length + recomputed.length > 0;
  const orderStep =
    isDescribed || isSame ? [] : [describe('Record the new order and types of members.')];
  // Installations older than the setting have current tables, but no record of their definition.
  const isKnown = await isEngineRecorded(migration, engine);
  const all = [
    ...ownSteps,
    ...(ownSteps.length > 0 || isKnown
      ? []
      : [describe("Record the definition of the engine's tables.")]),
    ...(await migration.repairSteps(installed)),
    ...(await missingIndexes(migration, current, dialect)),
    ...steps,
    ...lostIndexes(before, adjustments),
    ...orderStep,
    ...(codes === 0 ? [] : [describe(`Apply ${counted(codes, 'changed code')} of the model.`)]),
    ...(isNewCatalog ? [describe('Update the records of Entities and Attributes.')] : []),
    ...recomputed.map((one) => describe(describeRecomputed(one, layout))),
    ...outdated.map(({ table }) =>
      describe(`Calculate the remaining time of open rows of "${table}" in the background.`),
    ),
  ];
  return { steps: all, adjustments, rows, dialect, outdated, recomputed };
}

interface Planned {
  readonly steps: readonly MigrationStep[];
  /** The rows that losses are counted in before the steps run, by the name of the table after renames. */
  readonly rows: ReadonlyMap<string, string>;
  readonly dialect: Dialect;
  /** The adjustments of indexes that remain in force. */
  readonly adjustments: IndexAdjustments;
  /** The tables whose clocks are to be calculated again. */
  readonly outdated: ReturnType<typeof tablesWithoutSchedules>;
  /** The values to be computed again. */
  readonly recomputed: ReturnType<typeof outdatedValues>;
}

/** Builds indexes that do not exist, since a command was interrupted or somebody dropped them. */
async function missingIndexes(
  migration: Migration,
  { tables }: StoredLayout,
  dialect: Dialect,
): Promise<readonly MigrationStep[]> {
  const existing = await migration.completeIndexes();
  const { objectName } = dialect.schema;
  return tables.flatMap((table) =>
    table.indexes
      .filter((index) => !existing.has(objectName(index.name)))
      .map((index) => ({
        text: `Build the missing index on ${index.columns.map(memberText).join(', ')} of "${table.name}".`,
        losses: [],
        sql: [
          `DROP INDEX IF EXISTS ${quoted(objectName(index.name))}`,
          createIndex(table, index, dialect),
        ],
      })),
  );
}

/** Steps without statements: an index is dropped with its columns. */
function lostIndexes(before: IndexAdjustments, after: IndexAdjustments): readonly MigrationStep[] {
  return before.added
    .filter((index) => !after.added.includes(index))
    .map(({ table, columns }) =>
      describe(
        `Drop the index on ${columns.join(', ')} of "${table}", which this installation has added and whose members the model no longer has.`,
      ),
    );
}

/** A step without statements: its effect is part of every migration. */
function describe(text: string): MigrationStep {
  return { text, losses: [], sql: [] };
}
