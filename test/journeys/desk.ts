// This file opens a service desk for journeys: the real service on a real SQLite file, with a few records and accounts, asked over HTTP.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { InjectOptions } from 'fastify';
import type { Principal } from '../../src/access/principal.ts';
import { createAccount, type NewAccount } from '../../src/auth/accounts.ts';
import { storePassword } from '../../src/auth/stored-passwords.ts';
import type { World } from '../../src/base/world.ts';
import { DEMO_NOW } from '../../src/cli/command/installation.ts';
import { type Config, readConfig } from '../../src/cli/config/config.ts';
import { configuredFiles } from '../../src/cli/model-file.ts';
import {
  createInstallation,
  ENABLED_SETTING,
  type Installation,
  openInstallation,
  wireService,
} from '../../src/cli/wire.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import type { ModelDefinition } from '../../src/edm/model.ts';
import { type JsonInput, printJson } from '../../src/edm/value/lossless-json.ts';
import { addressList } from '../../src/http/address-ranges.ts';
import { type App, createApp } from '../../src/http/app.ts';
import type { DemoExtent } from '../../src/seed/demo-plan.ts';
import { CLOCK_SETTING } from '../../src/service/due/business-clock.ts';
import { performer } from '../../src/service/handle-request.ts';
import { importRecords } from '../../src/service/import.ts';
import type { Service } from '../../src/service/service.ts';
import { writeSetting } from '../../src/store/installation-settings.ts';
import { continueSequences, type LoadRecord, loadRecords } from '../../src/store/load/bulk-load.ts';
import { finishTables } from '../../src/store/model-tables.ts';
import { databaseSettings, digestOf, removeDatabase, usesPostgres } from '../database.ts';
import { copyFilled } from '../filled-directory.ts';
import { makeDemo } from '../make-demo.ts';
import { filledDatabase } from '../postgres.ts';
import { quickHash } from '../quick-hash.ts';
import { fixedWorld } from '../world.ts';
import { CALLER, RECORDS } from './records.ts';

export const PASSWORD = 'correct horse battery';

export interface DeskAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The body as JSON; undefined where there is none. Deliberately loose: journeys state what they expect of it. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly json: any;
}

export interface Message {
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
}

export interface Desk {
  /** `http://desk.example/odata/`. */
  readonly root: string;
  /** Key of the person behind the account that asks. */
  readonly me: number;
  readonly installation: Installation;
  readonly service: Service;
  readonly app: App;
  /** GET of a path below the root (`/Persons`), or of a whole address. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<DeskAnswer>;
  readonly send: (method: string, path: string, message?: Message) => Promise<DeskAnswer>;
  /** The same desk, asked by another account: admin, nobody (no person). */
  readonly as: (account: 'admin' | 'nobody' | 'anonymous') => Pick<Desk, 'get' | 'send'>;
  /** Another account: it is made, logs in, and asks. */
  readonly join: (
    account: Pick<NewAccount, 'loginName' | 'roles'> & { readonly person?: number },
  ) => Promise<Pick<Desk, 'get' | 'send'>>;
  /** Stops the service and serves the same installation again, with other settings where they are given; tokens stay valid. */
  readonly restart: (settings?: Partial<Config>) => Promise<Desk>;
  /** A second node that serves the same installation, on PostgreSQL; tokens are valid on both. */
  readonly another: () => Promise<Desk>;
  /** Stores and logs the slow statements, as the service does every few seconds. */
  readonly storeSlowStatements: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const ORIGIN = 'http://desk.example';

export interface DeskOptions {
  readonly records?: Iterable<LoadRecord>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly enabled?: boolean;
  /** Records of a document, stored as if they had been posted. */
  readonly document?: JsonInput;
  /** A clock and randomness other than those of the process. */
  readonly world?: World;
  /** Whether administrators can move business time. */
  readonly hasClock?: boolean;
  /** Receives the lines of the log. */
  readonly onLog?: (line: string) => void;
}

/** An account as it would ask now, without a session. */
export async function principalNamed(service: Service, loginName: string): Promise<Principal> {
  const principal = await service.sessions.accountNamed(loginName);
  if (principal === 'blocked') throw new Error(`${loginName} is blocked`);
  return principal;
}

/** A desk for a foreign model, as CSDL JSON describes it, with the records of a document. */
export async function openForeignDesk(
  definition: ModelDefinition,
  document: JsonInput,
  options: Omit<DeskOptions, 'records' | 'document'> = {},
): Promise<Desk> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-model-'));
  const model = join(directory, 'model.csdl.json');
  writeFileSync(model, printJson(toCsdl(definition, { complete: true })));
  const settings = { model, limits: { pageSize: 20 }, ...options.settings };
  return await openDesk({ ...options, settings, records: [], document });
}

export async function openDesk(options: DeskOptions = {}): Promise<Desk> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-desk-'));
  const config = readConfig(
    { data: join(directory, 'data'), logLevel: 'silent', ...options.settings },
    {},
  );
  const installed = await install(config, [...(options.records ?? RECORDS)]);
  const created = options.hasClock === true ? await withClock(installed) : installed;
  const installation = { ...created, world: options.world ?? created.world };
  await addAccounts(installation, options);
  if (options.document !== undefined) {
    const { service } = await wireService(installation);
    await importRecords(options.document, service);
  }
  const known = options.enabled === false ? new Map() : undefined;
  return await serve(installation, known, true, options.onLog);
}

/** A desk with the records of `docket demo`, whose clock stands at the end of the period that they cover. */
export async function openDemoDesk(extent: Pick<DemoExtent, 'requests' | 'seed'>): Promise<Desk> {
  const data = join(mkdtempSync(join(tmpdir(), 'docket-demo-')), 'data');
  const config = readConfig({ data, logLevel: 'silent', ...(await databaseSettings()) }, {});
  await makeDemo(config, extent);
  const installation = await openInstallation(config);
  return await serve({ ...installation, world: fixedWorld(extent.seed, DEMO_NOW) }, undefined);
}

/** The installation, opened again with a clock. */
async function withClock({ config, database, stores }: Installation): Promise<Installation> {
  await writeSetting(database, CLOCK_SETTING, '0');
  await stores.close();
  await database.close();
  return await openInstallation(config);
}

/** Makes an installation with the records. Desks with the same model and records are copies of one database. */
async function install(config: Config, records: readonly LoadRecord[]): Promise<Installation> {
  const key = digestOf([configuredFiles(config).files, records]);
  if (usesPostgres) {
    const database = await filledDatabase(
      key,
      async (url) => await fill({ ...config, database: url }, records),
    );
    mkdirSync(config.data, { recursive: true });
    return await openInstallation({ ...config, database });
  }
  const isInDirectory = config.database === undefined;
  if (isInDirectory)
    await copyFilled(key, config.data, async (data) => await fill({ ...config, data }, records));
  else await fill(config, records);
  return await openInstallation(config);
}

async function fill(config: Config, records: readonly LoadRecord[]): Promise<void> {
  const { database, stores, dialect, layout } = await createInstallation(config);
  await loadRecords(database, layout, records, () => undefined);
  await finishTables(database, layout, dialect);
  await continueSequences(database, layout);
  await stores.close();
  await database.close();
}

/** Serves an installation. Without tokens, the accounts log in first. An owner removes the installation when it is closed. */
async function serve(
  installation: Installation,
  known: ReadonlyMap<string, string> | undefined,
  isOwner = true,
  onLog?: DeskOptions['onLog'],
): Promise<Desk> {
  const { config, database } = installation;
  const { service, grants, console, current, storeSlowStatements } = await wireService(
    installation,
    onLog === undefined ? {} : { logTo: { write: onLog } },
  );
  const app = createApp({
    service,
    grants,
    proxies: { trusted: addressList(current().trustedProxies) },
    location: config,
    apiReference: config.apiReference,
    console,
    corsOrigins: () => new Set(current().corsOrigins),
  });
  await app.server.ready();
  await service.jobs.resume(service, performer(service));
  const tokens = known ?? (await logIn(app));
  const as = (account: string) => asking(app, tokens.get(account));
  const stop = async () => {
    await app.server.close();
    await service.jobs.close();
    await service.sessions.close();
    await installation.stores.close();
    await database.close();
  };
  return {
    root: `${ORIGIN}/odata/`,
    me: CALLER,
    installation,
    service,
    app,
    as,
    ...as('admin'),
    join: async ({ loginName, roles, person }) => {
      const { auth, layout, world } = installation;
      const uid = await createAccount(auth, layout, {
        loginName,
        displayName: loginName,
        roles,
        person: person === undefined ? undefined : BigInt(person),
      });
      await storePassword(auth, uid, await quickHash(PASSWORD), world.now());
      return asking(app, await logInAs(app, loginName));
    },
    restart: async (settings = {}) => {
      await stop();
      return await serve(await openInstallation({ ...config, ...settings }), tokens);
    },
    another: async () => {
      const { world } = installation;
      return await serve({ ...(await openInstallation(config)), world }, tokens, false);
    },
    storeSlowStatements,
    close: async () => {
      await stop();
      if (!isOwner) return;
      await removeDatabase(config);
      rmSync(dirname(config.data), { recursive: true, force: true });
    },
  };
}

async function addAccounts(
  { auth, database, layout, world }: Installation,
  { records, enabled }: DeskOptions,
): Promise<void> {
  const hash = await quickHash(PASSWORD);
  for (const [loginName, person] of [
    ['admin', BigInt(CALLER)],
    ['nobody', undefined],
  ] as const) {
    const known = records === undefined ? person : undefined;
    const uid = await createAccount(auth, layout, {
      loginName,
      displayName: `The ${loginName}`,
      roles: ['administrator'],
      person: known,
    });
    await storePassword(auth, uid, hash, world.now());
  }
  await writeSetting(database, ENABLED_SETTING, String(enabled ?? true));
}

async function logIn(app: App): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const name of ['admin', 'nobody']) tokens.set(name, await logInAs(app, name));
  return tokens;
}

async function logInAs(app: App, name: string): Promise<string> {
  const payload = new URLSearchParams({
    grant_type: 'password',
    username: name,
    password: PASSWORD,
  }).toString();
  const answer = await app.server.inject({
    method: 'POST',
    url: '/token',
    headers: { host: 'desk.example', 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  });
  return String(answer.json().access_token);
}

/** The answer of the token endpoint to a form. */
export async function postToken(place: Pick<Desk, 'as'>, fields: Readonly<Record<string, string>>) {
  return await place.as('anonymous').send('POST', '/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

function asking(app: App, token: string | undefined): Pick<Desk, 'get' | 'send'> {
  const send = async (
    method: string,
    path: string,
    { headers = {}, body }: Message = {},
  ): Promise<DeskAnswer> => {
    const url = path.startsWith('http')
      ? path.slice(ORIGIN.length)
      : path === '/token' || path.startsWith('/connect') || path.startsWith('/console')
        ? path
        : `/odata${path}`;
    const bearer: Record<string, string> =
      token === undefined ? {} : { authorization: `Bearer ${token}` };
    const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const type: Record<string, string> = isJson ? { 'content-type': 'application/json' } : {};
    const payload = isJson ? JSON.stringify(body) : body;
    const options = {
      method,
      url,
      headers: { host: 'desk.example', ...bearer, ...type, ...headers },
      ...(payload === undefined ? {} : { payload }),
    };
    const answer = await app.server.inject(options as InjectOptions);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.payload,
      bytes: answer.rawPayload,
      json: parseBody(answer.payload, answer.headers['content-type']),
    };
  };
  return { send, get: async (path, headers = {}) => await send('GET', path, { headers }) };
}

function parseBody(text: string, type: unknown): unknown {
  return text !== '' && String(type ?? '').startsWith('application/json')
    ? JSON.parse(text)
    : undefined;
}
