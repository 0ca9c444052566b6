// This file holds the command `status`: what an installation is and holds, and whether a service answers at its address.
import { statSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { amountKept } from '../../attachments/file-rows.ts';
import { invariant } from '../../base/fault.ts';
import { SESSION_TYPE, systemSet } from '../../edm/administration-sets.ts';
import { SQLITE } from '../../sql/dialect/sqlite.ts';
import { planMigration } from '../../store/migrate.ts';
import type { Config, Flags } from '../config/config.ts';
import { administer, type Desk } from '../in-process-client.ts';
import { readModel } from '../model-file.ts';
import { type Terminal, table } from '../terminal.ts';
import { packageVersion } from '../version.ts';
import {
  databaseFile,
  ENGINE_TABLES,
  hasInstallation,
  isEnabledIn,
  notInstalled,
} from '../wire.ts';
import { addressOf } from './serve.ts';

/** Milliseconds for which the service may take its time to answer. */
const PATIENCE = 2000;
const KIBI = 1024;
const MEBI = 1_048_576;

/**
 * `docket status`. Exit code 1 where the installation cannot be served before a migration. Faults store.not-installed, those of the
 * model file.
 */
export async function showStatus(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  if (!hasInstallation(config)) throw notInstalled(config);
  const { definition } = readModel(config);
  const file = databaseFile(config);
  const form = { dialect: SQLITE, engine: ENGINE_TABLES };
  const steps = (await planMigration(file, definition, form)).length;
  const status: Status = {
    version: packageVersion(),
    data: config.data,
    model: config.model ?? null,
    databaseBytes: statSync(file).size,
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
  /** Steps that a migration would take; 0 where the database has the form of the model. */
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
  let contents: Contents | undefined;
  await administer(config, async (desk) => {
    const { database, model } = desk.installation;
    const { files, bytes } = amountKept(database);
    contents = {
      enabled: isEnabledIn(database),
      accounts: await countOf(desk, 'Accounts'),
      blockedAccounts: await countOf(desk, 'Accounts', 'Blocked eq true'),
      roles: await countOf(desk, 'Roles'),
      sessions: await countOf(desk, systemSet(model, SESSION_TYPE)?.name ?? SESSION_TYPE),
      files,
      fileBytes: bytes,
    };
    return 0;
  });
  invariant(contents !== undefined, 'the work was done');
  return contents;
}

async function countOf(desk: Desk, set: string, filter = ''): Promise<number> {
  const narrowed = filter === '' ? '' : `&$filter=${encodeURIComponent(filter)}`;
  const page = await desk.send('GET', `${set}?$count=true&$top=0${narrowed}`);
  return Number(page['@odata.count']);
}

/** Whether a service answers where the configuration has it listen. */
async function serviceAt(config: Config): Promise<Status['service']> {
  const address = addressOf(config, config);
  // Who listens everywhere is reached at home.
  const near = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host;
  const url = `${addressOf({ ...config, host: near }, config)}/healthz`;
  const answers = await new Promise<boolean>((resolve) => {
    const ask = config.tls === undefined ? requestPlain : requestSecure;
    // The certificate is for the name that clients use, not for this address; nothing is sent but the question.
    const asked = ask(url, { timeout: PATIENCE, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.headers['x-request-id'] !== undefined);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
  return { address, answers };
}

function rowsOf(status: Status): readonly (readonly string[])[] {
  const { service, contents, migrationSteps } = status;
  const due = `${migrationSteps === 1 ? '1 step' : `${migrationSteps} steps`} due: "docket migrate --plan" shows them`;
  return [
    ['version', status.version],
    ['data', status.data],
    ['model', status.model ?? 'built-in'],
    ['database', sizeText(status.databaseBytes)],
    ['migration', migrationSteps === 0 ? 'none due' : due],
    ['service', `${service.answers ? 'answers' : 'does not answer'} at ${service.address}`],
    ...(contents === undefined ? [] : rowsOfContents(contents)),
  ];
}

function rowsOfContents(contents: Contents): readonly (readonly string[])[] {
  const { accounts, blockedAccounts, files, fileBytes } = contents;
  return [
    ['enabled', contents.enabled ? 'yes' : 'no: requests are answered with 503'],
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
