// The composition root: the only file that chooses implementations of the database, the stores of files and the model. All other modules
// receive their dependencies. It is long because every dependency is wired here.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLocalStore } from '../attachments/local/store.ts';
import { withFailureReports } from '../attachments/report-failures.ts';
import {
  type AttachmentStore,
  type AttachmentStores,
  combineStores,
} from '../attachments/store.ts';
import { Vault } from '../attachments/vault.ts';
import { accountQuery } from '../auth/accounts.ts';
import { Administration } from '../auth/administration-rules.ts';
import { AuditTrail } from '../auth/audit.ts';
import { AUTH_TABLES, tableRecords } from '../auth/auth-store.ts';
import { type AuthDatabase, authDatabase, readNow } from '../auth/database.ts';
import { createLoginThrottle, type LoginThrottle } from '../auth/login-throttle.ts';
import { Roles, rightsRevision } from '../auth/policy-reader.ts';
import { startUpkeep } from '../auth/remove-expired.ts';
import { StoredSettings } from '../auth/runtime-settings.ts';
import { Sessions } from '../auth/session.ts';
import type { Grants } from '../auth/token-grants.ts';
import { confirmPassword } from '../auth/token-grants.ts';
import { Fault, invariant } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { codeBook } from '../bind/codes.ts';
import { type Model, makeModel } from '../edm/model.ts';
import { makeLogger } from '../observe/logger.ts';
import { OPTION_NAMES } from '../request/options/option-names.ts';
import type { IgnoredOptions } from '../request/parse.ts';
import { JOB_TABLE, type WorkerSlot } from '../service/deferred/job-table.ts';
import { Jobs } from '../service/deferred/jobs.ts';
import { REPEAT_TABLE } from '../service/deferred/repeatable-requests.ts';
import { STORED_RESPONSES_TABLE } from '../service/deferred/stored-responses.ts';
import { makeDocuments } from '../service/documents.ts';
import type { Service } from '../service/service.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import { LAYOUT_SETTING } from '../sql/schema/ddl.ts';
import type { EngineTable } from '../sql/schema/engine-table.ts';
import type { Layout } from '../sql/schema/layout.ts';
import { makeLayout } from '../sql/schema/model-layout.ts';
import { readCodeTexts } from '../store/code-texts.ts';
import type { Database } from '../store/database.ts';
import type { InstallationDatabase } from '../store/installation-database.ts';
import { readSetting } from '../store/installation-settings.ts';
import { createTables, isInstalled, requireCurrent } from '../store/model-tables.ts';
import { sqliteInstallation } from '../store/sqlite/installation.ts';
import type { Config } from './config/config.ts';
import { readText } from './config/read-file.ts';
import {
  adjustableSettings,
  adjustConfig,
  requireInstalledLanguage,
  setOf,
} from './config/runtime-settings.ts';
import { readModel } from './model-file.ts';
import { withRightsRefresh } from './refresh-rights.ts';
import { requireWholeModel } from './stored-model-path.ts';
import { packageVersion } from './version.ts';

/** The stored setting that enables the service. */
export const ENABLED_SETTING = 'enabled';

/** Tables that belong to modules other than store/. */
export const MODULE_TABLES: readonly EngineTable[] = [
  ...AUTH_TABLES,
  REPEAT_TABLE,
  JOB_TABLE,
  STORED_RESPONSES_TABLE,
];

/** How long the enabled setting is cached. Milliseconds. */
const ENABLED_INTERVAL = 500;

/** An installation: its model, and the database in its directory. */
export interface Installation {
  readonly config: Config;
  readonly model: Model;
  /** Whether the model replaces the built-in one instead of adding to it. */
  readonly isForeign: boolean;
  readonly layout: Layout;
  readonly dialect: Dialect;
  readonly database: Database;
  /** The configured stores of files, which connect at their first use. */
  readonly stores: AttachmentStores;
  readonly auth: AuthDatabase;
  readonly world: World;
}

export const processWorld: World = {
  now: Date.now,
  elapsed: () => performance.now(),
  randomBytes: (count) => randomBytes(count),
};

export function databaseFile(config: Config): string {
  return join(config.data, 'docket.db');
}

/** The database of the installation. */
export function databaseOf(config: Config): InstallationDatabase {
  const timeLimit = config.limits.statementSeconds * 1000;
  return sqliteInstallation(databaseFile(config), { threads: config.readers, timeLimit });
}

/** The database in a file, such as a backup. */
export function databaseAt(file: string): InstallationDatabase {
  return sqliteInstallation(file);
}

/** Whether the data directory holds an installation. One whose creation was interrupted does not count. */
export function hasInstallation(config: Config): boolean {
  const database = databaseOf(config);
  return database.exists() && isComplete(database);
}

/** The error store.not-installed with the data directory. */
export function notInstalled({ data }: Config): Fault {
  return new Fault('store.not-installed', { place: data });
}

/** Whether the creation of a database was completed. The layout is stored last. */
export function isComplete(database: InstallationDatabase): boolean {
  return database.setting(LAYOUT_SETTING) !== undefined;
}

/** Creates the directory and the tables. Throws: cli.exists, cli.model, cli.file. */
export async function createInstallation(config: Config): Promise<Installation> {
  if (hasInstallation(config)) throw new Fault('cli.exists', { data: config.data });
  const modelParts = readModelParts(config);
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  databaseOf(config).remove();
  const installation = await openParts(config, modelParts);
  createTables(installation.database, installation.layout, installation.dialect, MODULE_TABLES);
  return installation;
}

/** Opens an installation. Throws: store.not-installed, store.migration-due, cli.model-lacks, cli.model, cli.file. */
export async function openInstallation(config: Config): Promise<Installation> {
  if (!databaseOf(config).exists()) throw notInstalled(config);
  const installation = await openParts(config);
  try {
    if (!isInstalled(installation.database)) throw notInstalled(config);
    requireWholeModel(installation.database, installation.layout, config);
    requireCurrent(installation.database, installation.layout, installation.dialect, MODULE_TABLES);
    return installation;
  } catch (error) {
    await installation.database.close();
    throw error;
  }
}

/** The model and its layout. Throws: cli.model, cli.file, and a ConfigError if the model lacks the configured language. */
function readModelParts(config: Config): Pick<Installation, 'model' | 'isForeign' | 'layout'> {
  const { definition, isForeign } = readModel(config);
  requireInstalledLanguage(config, definition.languages);
  const model = makeModel(definition);
  return { model, isForeign, layout: makeLayout(model) };
}

async function openParts(
  config: Config,
  modelParts = readModelParts(config),
): Promise<Installation> {
  const stores = await openStores(config);
  const { dialect, open } = databaseOf(config);
  const database = open();
  return {
    ...modelParts,
    config,
    dialect,
    database,
    stores,
    auth: authDatabase(database),
    world: processWorld,
  };
}

/** Opens the files of a backup. */
export function openFiles(directory: string): AttachmentStores {
  const store = openLocalStore({ directory });
  return combineStores(store, [store]);
}

/** The stores with settings; the local one always has some. The code of the others is loaded on demand. Throws: cli.file. */
export async function openStores({ files }: Config): Promise<AttachmentStores> {
  const { local, ftp, s3 } = files;
  const stores = [
    openLocalStore(local),
    ...(ftp === undefined ? [] : [await openFtp(ftp)]),
    ...(s3 === undefined ? [] : [(await import('../attachments/s3/store.ts')).openS3Store(s3)]),
  ];
  const target = stores.find((store) => store.name === files.store);
  invariant(target !== undefined, `the store ${files.store} has no settings`);
  return combineStores(target, stores);
}

/** Adds the default port of the protocol and reads the CA file. Throws: cli.file. */
async function openFtp(ftp: NonNullable<Config['files']['ftp']>): Promise<AttachmentStore> {
  const { openFtpStore } = await import('../attachments/ftp/store.ts');
  const port = ftp.port ?? (ftp.tls === 'implicit' ? 990 : 21);
  const authorities = ftp.ca === undefined ? undefined : readText(ftp.ca);
  return openFtpStore({ ...ftp, port, authorities }, processWorld);
}

export interface WiredService {
  readonly service: Service;
  readonly grants: Grants;
  /** The stores of files, which report their failures to the log and the audit trail. */
  readonly stores: AttachmentStores;
  /** The configuration with the current values of runtime settings. */
  readonly current: () => Config;
  /** Names of the settings that administrators can change. */
  readonly settingNames: readonly string[];
  /** Updates the records of the set Settings. */
  readonly storeSettings: () => Promise<void>;
}

export interface Wiring {
  /** Disables logging, for commands that own standard output. */
  readonly isQuiet?: boolean;
  /** The number of this process among the workers. */
  readonly place?: WorkerSlot;
  /** The throttle to use; by default one of this process alone. */
  readonly throttle?: LoginThrottle;
}

export function wireService(installation: Installation, wiring: Wiring = {}): WiredService {
  const { isQuiet = false, place, throttle = createLoginThrottle(installation.world) } = wiring;
  const { auth, world } = installation;
  const layout = { ...installation.layout, codeTexts: readCodeTexts(installation.database) };
  let level = installation.config.logLevel;
  const log = makeLogger(() => (isQuiet ? 'silent' : level));
  const settings = wireSettings(installation, log, (config) => {
    level = config.logLevel;
  });
  const config = settings.current;
  const accounts = accountQuery(layout);
  const audit = new AuditTrail({ database: auth, accounts, world, observe: log });
  const observe: Observe = (observation) => {
    log(observation);
    audit.observe(observation);
  };
  const stores = withFailureReports(installation.stores, observe, world);
  const records = tableRecords(auth, accounts, rightsRevision(layout));
  const roles = new Roles({ database: auth, layout, limits: config.limits, observe });
  const auditDays = () => settings.current.auditDays;
  const endUpkeep = startUpkeep({ database: auth, records, world, observe: log, auditDays });
  const bound = config.tokenBinding === 'address';
  const sessions = wireSessions({ records, world, bound }, settings, roles, async () => {
    await endUpkeep();
    await audit.close();
  });
  const database = withRightsRefresh(installation, sessions, settings);
  const anonymous = setOf(() => settings.current.anonymous);
  const grants = { records, world, throttle, bound };
  const service: Service = {
    ...constantParts(installation, config),
    layout,
    database,
    vault: new Vault({ stores, limits: config.files.limits, world, observe }),
    sessions,
    jobs: new Jobs(place),
    roles,
    administration: new Administration({ layout, world, roles, settings }),
    confirmPassword: async (principal, attempt) =>
      await confirmPassword(principal, attempt, grants),
    get anonymous() {
      return anonymous();
    },
    observe,
  };
  return {
    service,
    stores,
    grants,
    current: () => settings.current,
    settingNames: settings.names,
    storeSettings: async () => await settings.load(),
  };
}

/** The parts of a service that never change after the start. */
function constantParts(
  { model, isForeign, dialect, database, world }: Installation,
  config: Config,
) {
  return {
    model,
    rules: config.rules ?? (isForeign ? 'odata' : 'service'),
    dialect,
    codes: codeBook(model.codeLists.values()),
    documents: makeDocuments(model, packageVersion(), config.files.limits),
    limits: serviceLimits(config),
    languages: languageOrder(model, config.language),
    unread: unreadOptions(model),
    isEnabled: enabledSwitch(database, world),
    world,
  } satisfies Partial<Service>;
}

/** Sessions that follow the current settings. */
function wireSessions(
  parts: Pick<Grants, 'records' | 'world' | 'bound'>,
  settings: StoredSettings<Config>,
  roles: Roles,
  atEnd: () => Promise<void>,
): Sessions {
  return new Sessions({
    ...parts,
    idleTimeout: () => settings.current.idleMinutes * 60_000,
    slots: () => {
      const { maximumUsers, accountSessions, reservedSessions } = settings.current;
      return { total: maximumUsers, account: accountSessions, reserved: reservedSessions };
    },
    reload: async () => {
      await roles.load();
      await settings.load();
    },
    atEnd,
  });
}

function serviceLimits({ limits }: Config): Service['limits'] {
  return {
    ...limits,
    urlLength: limits.urlBytes,
    queryLength: limits.bodyBytes,
    nodes: limits.expressionNodes,
    depth: limits.expressionDepth,
  };
}

/** The runtime settings, which override the configuration. */
function wireSettings(
  { config, database, auth, model }: Installation,
  observe: Observe,
  apply: (config: Config) => void,
): StoredSettings<Config> {
  return new StoredSettings({
    database: auth,
    readNow: (statement) => readNow(database, statement),
    definitions: adjustableSettings(config, model.definition.languages),
    merge: (values) => {
      const adjusted = adjustConfig(config, values);
      apply(adjusted);
      return adjusted;
    },
    observe,
  });
}

/** The query options that some operation imports ignore. */
function unreadOptions(model: Model): IgnoredOptions {
  const imports = [...model.imports.values()].filter((item) => item.ignoredOptions !== undefined);
  return new Map(
    imports.map((item) => [
      item.name,
      new Set(OPTION_NAMES.filter((option) => item.ignoredOptions?.includes(`$${option}`))),
    ]),
  );
}

/** The languages of the model, the configured one first. */
function languageOrder({ definition: { languages } }: Model, first: string | undefined) {
  if (first === undefined) return languages;
  return [first, ...languages.filter((language) => language !== first)];
}

/** Whether an administrator has enabled the service. */
export function isEnabledIn(database: Database): boolean {
  return readSetting(database, ENABLED_SETTING) === 'true';
}

/** Reads the setting again after a while, so that `docket enable` affects a running service. */
function enabledSwitch(database: Database, world: World): () => boolean {
  let isEnabled = false;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = world.elapsed();
    if (now - readAt < ENABLED_INTERVAL) return isEnabled;
    readAt = now;
    isEnabled = isEnabledIn(database);
    return isEnabled;
  };
}
