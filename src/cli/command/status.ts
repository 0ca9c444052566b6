// The command `docket status`: the state and contents of an installation, and whether the service responds at its address.
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { amountKept } from '../../attachments/file-rows.ts';
import { SESSION_TYPE } from '../../edm/administration-sets.ts';
import { planMigration } from '../../store/migrate.ts';
import type { Config } from '../config/config.ts';
import { type ServiceClient, withService } from '../in-process-client.ts';
import type { Invocation } from '../invocation.ts';
import { readModel } from '../model-file.ts';
import { table } from '../terminal.ts';
import { packageVersion } from '../version.ts';
import { databaseOf, hasInstallation, isEnabledIn, MODULE_TABLES, notInstalled } from '../wire.ts';
import { addressOf } from './serve.ts';

/** Milliseconds to wait for a response of the service. */
const TIMEOUT = 2000;
const KIBI = 1024;
const MEBI = 1_048_576;

/**
 * `docket status`. Returns exit code 1 if a migration is required. Throws: store.not-installed, cli.model, cli.file.
 */
export async function showStatus({ config, flags, terminal }: Invocation): Promise<number> {
  if (!hasInstallation(config)) throw notInstalled(config);
  const { definition } = readModel(config);
  const database = databaseOf(config);
  const steps = (await planMigration(database, definition, MODULE_TABLES)).length;
  const status: Status = {
    version: packageVersion(),
    data: config.data,
    model: config.model ?? null,
    databaseBytes: database.sizeInBytes(),
    migrationSteps: steps,
    service: await serviceAt(config),
    ...(steps === 0 ? { contents: await contentsOf(config) } : {}),
  };
  if (flags.json === true) terminal.print(JSON.stringify(status, null, 2));
  else terminal.print(table(['What', 'State'], rowsOf(status)));
  return steps === 0 ? 0 : 1;
}

interface Status {
  readonly version: string;
  readonly data: string;
  /** Null for the built-in model. */
  readonly model: string | null;
  readonly databaseBytes: number;
  /** Steps of the required migration; 0 if the database is up to date. */
  readonly migrationSteps: number;
  readonly service: { readonly address: string; readonly answers: boolean };
  /** Absent before a migration. */
  readonly contents?: Contents;
}

interface Contents {
  readonly enabled: boolean;
  readonly accounts: number;
  readonly blockedAccounts: number;
  readonly roles: number;
  readonly sessions: number;
  readonly files: number;
  readonly fileBytes: number;
}

async function contentsOf(config: Config): Promise<Contents> {
  return await withService({ config }, async (client) => {
    const { database } = client.installation;
    const { files, bytes } = amountKept(database);
    return {
      enabled: isEnabledIn(database),
      accounts: await countOf(client, 'Accounts'),
      blockedAccounts: await countOf(client, 'Accounts', 'Blocked eq true'),
      roles: await countOf(client, 'Roles'),
      sessions: await countOf(client, client.setOf(SESSION_TYPE)),
      files,
      fileBytes: bytes,
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
  const due = `${migrationSteps === 1 ? '1 step' : `${migrationSteps} steps`} required: see "docket migrate --plan"`;
  return [
    ['version', status.version],
    ['data', status.data],
    ['model', status.model ?? 'built-in'],
    ['database', sizeText(status.databaseBytes)],
    ['migration', migrationSteps === 0 ? 'not required' : due],
    ['service', `${service.answers ? 'responds' : 'does not respond'} at ${service.address}`],
    ...(contents === undefined ? [] : rowsOfContents(contents)),
  ];
}

function rowsOfContents(contents: Contents): readonly (readonly string[])[] {
  const { accounts, blockedAccounts, files, fileBytes } = contents;
  return [
    ['enabled', contents.enabled ? 'yes' : 'no: requests return 503'],
    ['accounts', blockedAccounts === 0 ? `${accounts}` : `${accounts}, ${blockedAccounts} blocked`],
    ['roles', `${contents.roles}`],
    ['sessions', `${contents.sessions}`],
    ['files', `${files}, ${sizeText(fileBytes)}`],
  ];
}

/** `12.3 MiB`, `4.0 KiB`. */
function sizeText(bytes: number): string {
  const isLarge = bytes >= MEBI;
  return `${(bytes / (isLarge ? MEBI : KIBI)).toFixed(1)} ${isLarge ? 'MiB' : 'KiB'}`;
}
