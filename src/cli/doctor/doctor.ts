// The command `docket doctor`: checks a machine and an installation, and suggests what to do. It changes nothing but the probe of file stores, which
// writes and removes a file.

import { existsSync } from 'node:fs';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { planMigration } from '../../store/model/migrate.ts';
import type { Config } from '../config/config.ts';
import type { Invocation } from '../invocation.ts';
import { differingFile, modelToMigrate } from '../stored-model.ts';
import { describeDatabaseProblem, reasonOf } from '../system-errors.ts';
import { table } from '../terminal.ts';
import {
  databaseOf,
  hasInstallation,
  type Installation,
  MODULE_TABLES,
  openInstallation,
  processWorld,
} from '../wire.ts';
import {
  checkBackup,
  checkClock,
  checkIndexes,
  checkQueues,
  checkSlowStatements,
  checkStore,
} from './check-installation.ts';
import { checkCertificate, checkDisk, checkNode, checkTimeZones } from './check-machine.ts';
import { checkSettings } from './check-settings.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** `docket doctor`. Returns exit code 1 if there is a problem. */
export async function examine({ config, flags, terminal }: Invocation): Promise<number> {
  const findings = [...machineFindings(config, flags), ...(await databaseFindings(config))];
  if (flags.json === true) terminal.print(JSON.stringify({ findings }, null, 2));
  else terminal.print(table(['Check', 'State', 'Found'], findings.flatMap(rowsOf)));
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}

function rowsOf({ check, state, explanation, remedy }: Finding): readonly (readonly string[])[] {
  return [[check, state, explanation], ...(remedy === undefined ? [] : [['', '', `-> ${remedy}`]])];
}

function machineFindings(config: Config, flags: Invocation['flags']): readonly Finding[] {
  const now = processWorld.now();
  const certificate = checkCertificate(config, now);
  return [
    checkNode(),
    checkTimeZones(now),
    ...(existsSync(config.data) ? [checkDisk(config)] : []),
    ...checkSettings(config, configurationFile(flags)),
    ...(certificate === undefined ? [] : [certificate]),
  ];
}

/** The configuration file that has been read. */
function configurationFile({ config }: Invocation['flags']): string | undefined {
  const name = typeof config === 'string' ? config : (process.env.DOCKET_CONFIG ?? 'docket.yaml');
  return existsSync(name) ? name : undefined;
}

/** Each check needs what those before it have found to work. */
async function databaseFindings(config: Config): Promise<readonly Finding[]> {
  const database = await databaseOf(config);
  const check = 'database';
  try {
    // Before anything is read, because a damaged file may look like none of this program.
    const damage = (await database.exists()) ? await database.damage() : undefined;
    if (damage !== undefined)
      return [problem(check, describeDatabaseProblem('damaged', database.place, damage), RESTORE)];
    if (!(await hasInstallation(config)))
      return [
        problem(
          check,
          `There is no installation at ${database.place}.`,
          'Correct --data or the setting "database", or create one with "docket init".',
        ),
      ];
    const { engine, warnings } = await database.describe();
    const found = [ok(check, `${database.place} is intact: ${engine}.`)];
    const advice = warnings.map((text) => warning(check, text, 'See docs/databases.md.'));
    return [...found, ...advice, ...(await modelFindings(config))];
  } catch (error) {
    const known = database.problemOf(error);
    const reason =
      known === undefined ? reasonOf(error) : describeDatabaseProblem(known, database.place, error);
    return [problem(check, reason, 'Solve this first; further checks need the database.')];
  }
}

const RESTORE =
  'Stop the service, keep a copy, and restore the latest backup with "docket restore".';

async function modelFindings(config: Config): Promise<readonly Finding[]> {
  const database = await databaseOf(config);
  const { definition, version } = await modelToMigrate(config, database);
  const steps = (await planMigration(database, definition, MODULE_TABLES)).length;
  const opened = await openedFindings(config);
  // A missing index is a step too, but the service runs without it.
  const missing = opened.filter(({ check, state }) => check === 'indexes' && state === 'problem');
  if (steps > missing.length)
    return [
      problem(
        'schema',
        `The tables do not match this version of Docket: ${counted(steps, 'step is', 'steps are')} required.`,
        'Stop the service, and run "docket migrate --plan" and "docket migrate".',
      ),
      ...opened,
    ];
  const file = version === undefined ? undefined : differingFile(config, version);
  const model = `Version ${version?.version ?? 0} of the model is in force, and the tables match it.`;
  return [
    ok('schema', model),
    ...(file === undefined
      ? []
      : [
          warning(
            'model',
            `${file} differs from the model in force.`,
            'See "docket model diff", then "docket model apply", or correct the setting "model".',
          ),
        ]),
    ...opened,
  ];
}

/** None before a migration. */
async function openedFindings(config: Config): Promise<readonly Finding[]> {
  const installation = await openCurrent(config);
  if (installation === undefined) return [];
  try {
    return [
      await attempt('clock', async () => [await checkClock(installation)]),
      await attempt('indexes', () => checkIndexes(installation)),
      await attempt('slow statements', async () => [await checkSlowStatements(installation)]),
      await attempt('backup', () => checkBackup(installation)),
      await attempt('queues', () => checkQueues(installation)),
      await storeFindings(installation),
    ].flat();
  } finally {
    await installation.stores.close();
    await installation.database.close();
  }
}

async function openCurrent(config: Config): Promise<Installation | undefined> {
  try {
    return await openInstallation(config);
  } catch (error) {
    if (error instanceof Fault && error.code === 'store.migration-due') return undefined;
    throw error;
  }
}

async function storeFindings(installation: Installation): Promise<readonly Finding[]> {
  const found = [];
  for (const store of installation.stores.all)
    found.push(await attempt(`files in ${store.name}`, () => checkStore(installation, store)));
  return found.flat();
}

/** A check that fails is a problem, and does not prevent the others. */
async function attempt(
  check: string,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [problem(check, `The check failed: ${reasonOf(error)}`, 'Solve this, and check again.')];
  }
}
