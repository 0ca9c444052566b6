// This file brings up a whole service inside the test's process: a database in a temporary directory, a clock that stands still until it
// is told to go on, randomness that follows from a seed, and clients that ask without a port.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import type { AttachmentStores } from '../src/attachments/store.ts';
import { createAccount } from '../src/auth/accounts.ts';
import { authDatabase } from '../src/auth/database.ts';
import { hashPassword } from '../src/auth/password.ts';
import { storePassword } from '../src/auth/stored-passwords.ts';
import type { World } from '../src/base/world.ts';
import { type Config, readConfig } from '../src/cli/config/config.ts';
import {
  databaseOf,
  ENABLED_SETTING,
  type Installation,
  MODULE_TABLES,
  openStores,
  wireService,
} from '../src/cli/wire.ts';
import { ADMINISTRATOR_ROLE, withSystem } from '../src/edm/account-sets.ts';
import { type Model, type ModelDefinition, makeModel } from '../src/edm/model.ts';
import { addressList } from '../src/http/address-ranges.ts';
import { type App, createApp } from '../src/http/app.ts';
import { ConsoleFiles } from '../src/http/console/console-files.ts';
import type { Service } from '../src/service/service.ts';
import { makeLayout } from '../src/sql/schema/model-layout.ts';
import { writeSetting } from '../src/store/installation-settings.ts';
import {
  continueSequences,
  type LoadLink,
  type LoadRecord,
  loadLinks,
  loadRecords,
} from '../src/store/load/bulk-load.ts';
import { createTables, finishTables } from '../src/store/model-tables.ts';
import { databaseSettings, removeDatabase } from './database.ts';

/** The moment at which the clock of a test stands. */
export const NOW = Date.UTC(2026, 2, 31, 12);
export const ADMIN = 'admin';
export const PASSWORD = 'correct horse battery';

export interface FixedWorld extends World {
  /** Lets the clock go on. Milliseconds. */
  readonly advance: (milliseconds: number) => void;
}

/** A clock that moves only when it is told to, and bytes that follow from the seed. */
export function fixedWorld(seed = 1, start = NOW): FixedWorld {
  let passed = 0;
  let state = seed >>> 0 || 1;
  const byte = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) & 0xff;
  };
  return {
    now: () => start + passed,
    elapsed: () => passed,
    randomBytes: (count) => Uint8Array.from({ length: count }, byte),
    advance: (milliseconds) => {
      passed += milliseconds;
    },
  };
}

interface TestAccount {
  readonly name: string;
  readonly roles: readonly string[];
  readonly person?: bigint;
}

export interface ServiceOptions {
  /** Where files are kept, in place of a directory beside the database. */
  readonly stores?: AttachmentStores;
  readonly model: ModelDefinition;
  readonly records?: Iterable<LoadRecord>;
  readonly links?: Iterable<LoadLink>;
  /** Besides the administrator. */
  readonly accounts?: readonly TestAccount[];
  /** Key of the administrator's person. */
  readonly person?: bigint;
  /** A directory with a built console, in place of that of Docket. */
  readonly consoleFiles?: string;
  /** Settings as on the command line. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly world?: FixedWorld;
  readonly enabled?: boolean;
}

interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; reading it is an error where it is none. */
  readonly json: ReturnType<typeof JSON.parse>;
}

type TestHeaders = Readonly<Record<string, string>>;

interface Client {
  /** The access token. */
  readonly token: string;
  readonly get: (url: string, headers?: TestHeaders) => Promise<TestAnswer>;
  /** `body` is sent as JSON unless it is text or bytes. */
  readonly send: (
    method: string,
    url: string,
    body?: unknown,
    headers?: TestHeaders,
  ) => Promise<TestAnswer>;
}

export interface TestService {
  readonly service: Service;
  readonly app: App;
  readonly model: Model;
  readonly world: FixedWorld;
  readonly directory: string;
  /** `http://localhost/odata/`, as clients see it. */
  readonly root: string;
  /** The administrator's client. */
  readonly client: Client;
  /** Somebody who has no token. */
  readonly stranger: Client;
  /** A client that has logged in under the name. */
  readonly as: (name: string) => Promise<Client>;
  readonly close: () => Promise<void>;
}

/** Brings up a service. All accounts have the password PASSWORD. */
export async function startService(options: ServiceOptions): Promise<TestService> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-test-'));
  const settings = { data: directory, ...(await databaseSettings()), logLevel: 'silent' };
  const config = readConfig({ ...settings, ...options.flags }, {});
  const world = options.world ?? fixedWorld();
  const installation = await makeInstallation(config, options, world);
  await fill(installation, options);
  const { service, grants, console } = await wireService(installation);
  const files = options.consoleFiles && new ConsoleFiles(options.consoleFiles);
  const app = createApp({
    service,
    grants,
    console: console && files ? { ...console, files } : console,
    proxies: { trusted: addressList(config.trustedProxies) },
    location: config,
    apiReference: config.apiReference,
    corsOrigins: new Set(config.corsOrigins),
  });
  await app.server.ready();
  const as = async (name: string) => makeClient(app, await logIn(app, name));
  return {
    service,
    app,
    model: installation.model,
    world,
    directory,
    root: 'http://localhost/odata/',
    client: options.enabled === false ? makeClient(app, '') : await as(ADMIN),
    stranger: makeClient(app, ''),
    as,
    close: async () => {
      await app.server.close();
      await service.jobs.close();
      await service.sessions.close();
      await installation.stores.close();
      await installation.database.close();
      await removeDatabase(config);
      rmSync(directory, { recursive: true });
    },
  };
}

async function makeInstallation(
  config: Config,
  options: ServiceOptions,
  world: World,
): Promise<Installation> {
  const model = makeModel(withSystem(options.model));
  const layout = makeLayout(model);
  const { dialect, open } = await databaseOf(config);
  const database = await open();
  await createTables(database, layout, dialect, MODULE_TABLES);
  const auth = authDatabase(database);
  const stores = options.stores ?? (await openStores(config));
  return {
    config,
    model,
    modelLayout: layout,
    layout,
    isForeign: true,
    version: undefined,
    dialect,
    database,
    stores,
    auth,
    world,
  };
}

async function fill(installation: Installation, options: ServiceOptions): Promise<void> {
  const { database, dialect, layout, auth, world } = installation;
  await loadRecords(database, layout, options.records ?? [], () => undefined);
  await loadLinks(database, layout, options.links ?? [], () => undefined);
  await finishTables(database, layout, dialect);
  await continueSequences(database, layout);
  const hash = await hashPassword(PASSWORD);
  const admin = {
    name: ADMIN,
    roles: [ADMINISTRATOR_ROLE],
    ...(options.person === undefined ? {} : { person: options.person }),
  };
  for (const { name, roles, person } of [admin, ...(options.accounts ?? [])]) {
    const account = { loginName: name, displayName: name, roles, person };
    await storePassword(auth, await createAccount(auth, layout, account), hash, world.now());
  }
  await writeSetting(database, ENABLED_SETTING, String(options.enabled ?? true));
}

async function logIn(app: App, name: string): Promise<string> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'password',
      username: name,
      password: PASSWORD,
    }).toString(),
  });
  const body: unknown = JSON.parse(answer.body);
  const token = typeof body === 'object' && body !== null && 'access_token' in body;
  if (!token) throw new Error(`${name} could not log in: ${answer.body}`);
  return String(body.access_token);
}

function makeClient(app: App, token: string): Client {
  const send: Client['send'] = async (method, url, body, headers) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const request: InjectOptions = {
      method: method as NonNullable<InjectOptions['method']>,
      url: url.replace(/^http:\/\/localhost(?=\/)/, ''),
      headers: {
        host: 'localhost',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(isRaw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: payloadOf(body) }),
    };
    return answerOf(await app.server.inject(request));
  };
  return { token, send, get: (url, headers) => send('GET', url, undefined, headers) };
}

function payloadOf(body: unknown): string | Buffer {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body);
}

function answerOf(response: {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
}): TestAnswer {
  const headers = Object.entries(response.headers).map(
    ([name, value]) => [name, value === undefined ? undefined : String(value)] as const,
  );
  return {
    status: response.statusCode,
    headers: Object.fromEntries(headers),
    text: response.body,
    get json() {
      return JSON.parse(response.body);
    },
  };
}
