// The command `docket status`: the state and contents of an installation, and whether the service responds at its address.

import { existsSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { amountKept } from '../../attachments/file-rows.ts';
import { counted } from '../../base/counted.ts';
import { SESSION_TYPE } from '../../edm/administration-sets.ts';
import { planMigration } from '../../store/model/migrate.ts';
import type { ModelVersion } from '../../store/model/stored-models.ts';
import { readSlowStatements } from '../../store/tuning/slow-statements.ts';
import type { Config } from '../config/config.ts';
import { freeBytes } from '../doctor/check-machine.ts';
import { type ServiceClient, withService } from '../in-process-client.ts';
import type { Invocation } from '../invocation.ts';
import { addressOf } from '../running-service.ts';
import { countDueActions, type RunningState, readRunningState } from '../running-state.ts';
import { type ServingProcess, servingProcesses } from '../scheduled-work.ts';
import { differingFile, modelToMigrate } from '../stored-model.ts';
import { ageText, sizeText, table } from '../terminal.ts';
import { packageVersion } from '../version.ts';
import {
  databaseOf,
  hasInstallation,
  isEnabledIn,
  MODULE_TABLES,
  notInstalled,
  processWorld,
} from '../wire.ts';
import { lastBackup } from './backup.ts';

/** Milliseconds to wait for a response of the service. */
const TIMEOUT = 2000;

/**
 * `docket status`. Returns exit code 1 if a migration is required. Throws: store.not-installed, cli.model, cli.file.
 */
export async function showStatus({ config, flags, terminal }: Invocation): Promise<number> {
  if (!(await hasInstallation(config))) throw notInstalled(config);
  const database = await databaseOf(config);
  const { definition, version } = await modelToMigrate(config, database);
  const steps = (await planMigration(database, definition, MODULE_TABLES)).length;
  const { engine, warnings } = await database.describe();
  const status: Status = {
    version: packageVersion(),
    data: config.data,
    model: version ?? null,
    modelFile: version === undefined ? null : (differingFile(config, version) ?? null),
    database: database.place,
    engine,
    warnings,
    databaseBytes: await database.sizeInBytes(),
    freeBytes: existsSync(config.data) ? freeBytes(config.data) : null,
    lastBackup: (await lastBackup(database)) ?? null,
    migrationSteps: steps,
    service: await serviceAt(config),
    processes: (await servingProcesses(database)) ?? null,
    ...(steps === 0 ? { contents: await contentsOf(config) } : {}),
  };
  if (flags.json === true) terminal.print(JSON.stringify(status, null, 2));
  else terminal.print(table(['What', 'State'], rowsOf(status)));
  return steps === 0 ? 0 : 1;
}

interface Status {
  readonly version: string;
  readonly data: string;
  /** The model in force; null before the migration of a database of an earlier version of Docket. */
  readonly model: ModelVersion | null;
  /** The configured model file, if it differs from the model in force. */
  readonly modelFile: string | null;
  /** The path of the file, or the database and its server. */
  readonly database: string;
  /** The name of the database engine, with its version or its driver. */
  readonly engine: string;
  readonly warnings: readonly string[];
  readonly databaseBytes: number;
  /** Free space on the disk of `data`; null if that does not exist, as with PostgreSQL and files elsewhere. */
  readonly freeBytes: number | null;
  /** When `docket backup` has last copied the installation; null if never, and with PostgreSQL, which has its own backups. */
  readonly lastBackup: string | null;
  /** Steps of the required migration; 0 if the database is up to date. */
  readonly migrationSteps: number;
  readonly service: { readonly address: string; readonly answers: boolean };
  /** The processes that serve the installation, on all machines; null with SQLite. */
  readonly processes: readonly ServingProcess[] | null;
  /** Absent before a migration. */
  readonly contents?: Contents;
}

interface Contents {
  readonly enabled: boolean;
  readonly accounts: number;
  readonly blockedAccounts: number;
  readonly roles: number;
  readonly sessions: number;
  /** The setting maximumUsers. */
  readonly maximumUsers: number;
  readonly files: number;
  readonly fileBytes: number;
  /** Templates of slow statements. */
  readonly slowStatements: number;
  /** What waits for the service. Its sessions are those in use. */
  readonly running: RunningState & { readonly dueActions: number };
}

async function contentsOf(config: Config): Promise<Contents> {
  return await withService({ config }, async (client) => {
    const { database } = client.installation;
    const { files, bytes } = await amountKept(database);
    return {
      enabled: await isEnabledIn(database),
      accounts: await countOf(client, 'Accounts'),
      blockedAccounts: await countOf(client, 'Accounts', 'Blocked eq true'),
      roles: await countOf(client, 'Roles'),
      sessions: await countOf(client, client.setOf(SESSION_TYPE)),
      maximumUsers: client.current().maximumUsers,
      files,
      fileBytes: bytes,
      slowStatements: (await readSlowStatements(database)).length,
      running: {
        ...(await readRunningState(client.service, client.current().idleMinutes)),
        dueActions: await countDueActions(client.service),
      },
    };
  });
}

async function countOf(client: ServiceClient, set: string, filter = ''): Promise<number> {
  const narrowed = filter === '' ? '' : `&$filter=${encodeURIComponent(filter)}`;
  const page = await client.send('GET', `${set}?$count=true&$top=0${narrowed}`);
  return Number(page['@odata.count']);
}

/** Whether the service responds at the configured address. */
async function serviceAt(config: Config): Promise<Status['service']> {
  const address = addressOf(config, config);
  // A service that listens on all addresses is reached at the loopback address.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host;
  const url = `${addressOf({ ...config, host }, config)}/healthz`;
  const answers = await new Promise<boolean>((resolve) => {
    const send = config.tls === undefined ? requestPlain : requestSecure;
    // The certificate is issued for the public name, not for this address, and the request carries no secrets.
    const request = send(url, { timeout: TIMEOUT, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.headers['x-request-id'] !== undefined);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
    request.end();
  });
  return { address, answers };
}

function rowsOf(status: Status): readonly (readonly string[])[] {
  const { service, contents, migrationSteps } = status;
  const due = `${counted(migrationSteps, 'step')} required: see "docket migrate --plan"`;
  return [
    ['version', status.version],
    ['data', status.data],
    ...rowsOfModel(status),
    ['database', `${status.database}, ${sizeText(status.databaseBytes)}`],
    ['engine', status.engine],
    ...(status.freeBytes === null ? [] : [['disk', `${sizeText(status.freeBytes)} free`]]),
    ...status.warnings.map((warning) => ['warning', warning]),
    ['migration', migrationSteps === 0 ? 'not required' : due],
    ['backup', backupText(status)],
    ['service', `${service.answers ? 'responds' : 'does not respond'} at ${service.address}`],
    ...(status.processes ?? []).map((one) => ['process', processText(one)]),
    ...(contents === undefined ? [] : rowsOfContents(contents)),
  ];
}

/** Only PostgreSQL has processes on several machines, and backups of its own. */
function backupText({ lastBackup: time, processes }: Status): string {
  if (processes !== null) return 'not made by Docket: see "pg_dump" of PostgreSQL';
  return time === null
    ? 'never: see "docket backup"'
    : `${time}, ${ageText(processWorld.now() - Date.parse(time))} ago`;
}

function processText({
  process,
  address,
  connectedSince,
  silentSeconds,
  ...one
}: ServingProcess): string {
  const place = address === undefined ? process : `${process} at ${address}`;
  const work = one.doesScheduledWork ? ', does the scheduled work' : '';
  return `${place}, connected since ${connectedSince}, last heard of ${silentSeconds} s ago${work}`;
}

function rowsOfModel({ model, modelFile }: Status): readonly (readonly string[])[] {
  if (model === null) return [['model', 'not stored yet']];
  const { version, applied, author, origin } = model;
  const from = origin === '' ? 'built-in' : `from ${origin}`;
  const differs = `${modelFile} differs: see "docket model diff"`;
  return [
    ['model', `version ${version}, ${from}, applied ${applied} by ${author}`],
    ...(modelFile === null ? [] : [['model file', differs]]),
  ];
}

function rowsOfContents(contents: Contents): readonly (readonly string[])[] {
  const { accounts, blockedAccounts, files, fileBytes, slowStatements } = contents;
  return [
    ['enabled', contents.enabled ? 'yes' : 'no: requests return 503'],
    ['accounts', blockedAccounts === 0 ? `${accounts}` : `${accounts}, ${blockedAccounts} blocked`],
    ['roles', `${contents.roles}`],
    [
      'sessions',
      `${contents.sessions}, ${contents.running.sessions} in use of ${contents.maximumUsers} permitted`,
    ],
    ['files', `${files}, ${sizeText(fileBytes)}`],
    ...(slowStatements === 0
      ? []
      : [['slow statements', `${slowStatements}: see "docket index advise"`]]),
    ...rowsOfRunning(contents.running),
  ];
}

function rowsOfRunning(running: Contents['running']): readonly (readonly string[])[] {
  const { mailWaiting, mailOldestSeconds, deferredRequests, dueActions, failedActions } = running;
  const failed = failedActions === 0 ? '' : `, ${failedActions} failed: see the set FailedActions`;
  return [
    ['mail', waitingText(mailWaiting, mailOldestSeconds)],
    ['webhooks', webhooksText(running.subscriptions)],
    ['deliveries', deliveriesText(running)],
    ['asynchronous requests', `${deferredRequests} unfinished`],
    ['due actions', `${dueActions} due${failed}`],
  ];
}

function waitingText(number: number, oldestSeconds: number): string {
  if (number === 0) return '0 waiting';
  return `${number} waiting, the oldest for ${Math.max(1, Math.round(oldestSeconds / 60))} min`;
}

function webhooksText({ active, paused, disabled }: RunningState['subscriptions']): string {
  const reason = disabled === 0 ? '' : ': see Reason in the set WebhookSubscriptions';
  return `${active} active, ${paused} paused, ${disabled} disabled${reason}`;
}

function deliveriesText(running: RunningState): string {
  const { deliveriesWaiting, deliveriesOldestSeconds, deliveriesRetried } = running;
  const text = waitingText(deliveriesWaiting, deliveriesOldestSeconds);
  return deliveriesRetried === 0 ? text : `${text}, ${deliveriesRetried} not accepted yet`;
}
