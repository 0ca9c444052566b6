// The commands `docket model apply`, `diff`, `list`, `rollback` and `export`. They read the model in force from the database, where each
// applied model is a version.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { makeModel } from '../../edm/model.ts';
import { printDifferences } from '../../edm/versions/model-diff.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import { makeLayout } from '../../sql/schema/model-layout.ts';
import { inverted, renamesOf } from '../../sql/schema/renames.ts';
import type { InstallationDatabase } from '../../store/installation-database.ts';
import { type RenameStage, requireNoLoss } from '../../store/model/migrate.ts';
import {
  currentModel,
  modelOfVersion,
  modelVersions,
  type StoredModel,
} from '../../store/model/stored-models.ts';
import { applyPlan } from '../apply-model/apply-plan.ts';
import {
  type Application,
  differencesOf,
  type ModelPlan,
  planModel,
} from '../apply-model/plan-model.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { type Columns, type Invocation, printList } from '../invocation.ts';
import { readModel } from '../model-file.ts';
import { readModelFiles } from '../model-source.ts';
import { filesOf, withReader } from '../stored-model.ts';
import { databaseOf, hasInstallation, notInstalled } from '../wire.ts';
import { describeBackup, printSteps, reportMissingBackup } from './migrate.ts';

/**
 * `docket model apply FILE`. With `--plan` it only shows the differences and steps; steps that lose data require `--allow-loss`.
 * Throws: store.not-installed, store.migration-loses, store.migration-broken, store.model-changed, store.in-use, cli.model, cli.file.
 */
export async function applyModel(invocation: Invocation, file: string): Promise<void> {
  const database = await installedDatabase(invocation.config);
  const path = resolve(file);
  await apply(invocation, database, { files: readModelFiles(path), origin: path });
}

/** `docket model rollback [VERSION]`: applies an earlier version again, by default the previous one. Throws as `applyModel`, cli.unknown. */
export async function rollBackModel(invocation: Invocation, version = ''): Promise<void> {
  const database = await installedDatabase(invocation.config);
  const [model, undone] = await withReader(database, async (reader) => {
    const current = (await currentModel(reader))?.version ?? 0;
    if (version === '' && current < 2)
      throw new Fault('cli.refused', { reason: 'There is no earlier version of the model.' });
    const stored = await storedVersion(reader, version === '' ? String(current - 1) : version);
    return [stored, await renamesSince(reader, stored.version, current)];
  });
  await apply(invocation, database, {
    files: filesOf(model),
    origin: `version ${model.version}`,
    undone,
  });
}

/** The renames after a version, the newest first. Versions that this version of Docket rejects are skipped. */
async function renamesSince(
  reader: Reader,
  version: number,
  current: number,
): Promise<readonly RenameStage[]> {
  const all: RenameStage[] = [];
  let later = await layoutOf(reader, current);
  for (let number = current - 1; number >= version; number -= 1) {
    const earlier = await layoutOf(reader, number);
    const renames = later === undefined ? [] : inverted(renamesOf(later));
    if (renames.length > 0) all.push({ renames, layout: earlier });
    later = earlier;
  }
  return all;
}

/** The layout of a version; undefined if it is not stored, or this version of Docket rejects it. */
async function layoutOf(reader: Reader, version: number): Promise<Layout | undefined> {
  const stored = await modelOfVersion(reader, version);
  if (stored === undefined) return undefined;
  try {
    return makeLayout(makeModel(readModel(filesOf(stored)).definition));
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

async function apply(
  invocation: Invocation,
  database: InstallationDatabase,
  application: Application,
): Promise<void> {
  const { config, flags, terminal } = invocation;
  const plan = await planModel(config, database, application);
  const { differences, steps } = plan;
  const isJson = flags.json === true;
  if (!isJson) printPlan(plan, terminal, flags.allowLoss === true);
  let { inForce } = plan;
  try {
    inForce = await carryOut(invocation, database, plan);
  } finally {
    if (isJson) terminal.print(JSON.stringify({ inForce, differences, steps }, null, 2));
  }
}

/** Applies the plan, unless --plan is set or there is nothing to do. Returns the version that is in force then. */
async function carryOut(
  { flags, terminal }: Invocation,
  database: InstallationDatabase,
  plan: ModelPlan,
): Promise<number | undefined> {
  const { inForce, isSame, steps } = plan;
  const mayLose = flags.allowLoss === true;
  const report = flags.json === true ? terminal.say : terminal.print;
  if (isSame) report(`This model is in force already, as version ${inForce}.`);
  if (flags.plan === true && !isSame) reportMissingBackup(database, report);
  if (flags.plan === true || isSame) return inForce;
  // Services need not be interrupted for a migration that cannot run.
  if (!mayLose) requireNoLoss(steps);
  const { version, backup } = await applyPlan(database, plan, { mayLose, say: terminal.say });
  report(`Version ${version} of the model is in force.${describeBackup(backup)}`);
  return version;
}

function printPlan(
  { differences, steps }: Pick<ModelPlan, 'differences' | 'steps'>,
  terminal: Invocation['terminal'],
  mayLose: boolean,
): void {
  if (differences.length > 0) terminal.print(printDifferences(differences));
  printSteps(steps, terminal, mayLose);
}

/**
 * `docket model diff [FILE|VERSION]`: what applying the file or going back to the version would change; by default the configured file.
 * Throws: store.not-installed, store.migration-due, cli.unknown, cli.model, cli.file, a ConfigError.
 */
export async function diffModel(
  { config, flags, terminal }: Invocation,
  other = '',
): Promise<void> {
  const database = await installedDatabase(config);
  const name = other === '' ? config.model : other;
  if (name === undefined)
    throw new ConfigError(
      'Name a model file or a version to compare with, such as "docket model diff 1".',
    );
  const [current, files] = await withReader(database, async (reader) => [
    await modelInForceOf(reader),
    isVersion(name) ? filesOf(await storedVersion(reader, name)) : readModelFiles(name),
  ]);
  const differences = differencesOf(filesOf(current), files);
  if (flags.json === true) terminal.print(JSON.stringify(differences, null, 2));
  else
    terminal.print(
      differences.length > 0
        ? printDifferences(differences)
        : `No differences to version ${current.version}, which is in force.`,
    );
}

/** `docket model list`. */
export async function listModels(invocation: Invocation): Promise<void> {
  const database = await installedDatabase(invocation.config);
  const versions = await withReader(database, async (reader) => await modelVersions(reader));
  printList(invocation, versions.toReversed(), MODEL_COLUMNS);
}

const MODEL_COLUMNS: Columns<Omit<StoredModel, 'files'>> = [
  ['Version', ({ version }) => String(version)],
  ['Applied', ({ applied }) => applied],
  ['Author', ({ author }) => author],
  ['From', ({ origin }) => origin || 'built-in'],
  ['Docket', ({ docket }) => docket],
  ['SHA-256', ({ checksum }) => checksum.slice(0, 12)],
];

/** `docket model export [VERSION]`: writes the files as they were applied. Throws: cli.unknown, and cli.refused if a file exists. */
export async function exportModel(
  { config, flags, terminal }: Invocation,
  version = '',
): Promise<void> {
  const database = await installedDatabase(config);
  const model = await withReader(database, async (reader) =>
    version === '' ? await modelInForceOf(reader) : await storedVersion(reader, version),
  );
  if (model.files.length === 0)
    throw new Fault('cli.refused', {
      reason: `Version ${model.version} is the built-in model without additions. It has no files.`,
    });
  const directory = resolve(typeof flags.out === 'string' ? flags.out : `model-${model.version}`);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new Fault('cli.refused', {
      reason: `The directory ${directory} is not empty. Name a new one with --out.`,
    });
  mkdirSync(directory, { recursive: true });
  for (const { name, text } of model.files) writeFileSync(join(directory, name), text);
  terminal.print(
    `Wrote ${counted(model.files.length, 'file')} of version ${model.version} to ${directory}.`,
  );
}

type Reader = Parameters<typeof currentModel>[0];

async function installedDatabase(config: Config): Promise<InstallationDatabase> {
  if (!(await hasInstallation(config))) throw notInstalled(config);
  return await databaseOf(config);
}

/** Throws: store.migration-due. */
async function modelInForceOf(reader: Reader): Promise<StoredModel> {
  const model = await currentModel(reader);
  if (model === undefined) throw new Fault('store.migration-due');
  return model;
}

function isVersion(name: string): boolean {
  return /^\d{1,9}$/.test(name);
}

/** Throws: cli.unknown. */
async function storedVersion(reader: Reader, name: string): Promise<StoredModel> {
  const isStored = isVersion(name) && (await currentModel(reader)) !== undefined;
  const model = isStored ? await modelOfVersion(reader, Number(name)) : undefined;
  const hint = ' "docket model list" lists the versions.';
  if (model === undefined)
    throw new Fault('cli.unknown', { thing: 'version of the model', name, hint });
  return model;
}
