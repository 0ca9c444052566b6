// The composition root: the only file that chooses implementations of the database, the stores of files and the model. All other modules
// receive their dependencies. It is long because every dependency is wired here.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLocalStore } from '../attachments/local/store.ts';
import { withFailureReports } from '../attachments/report-failures.ts';
import {
  type AttachmentStore,
  type AttachmentStores,
  combineStores,
} from '../attachments/store.ts';
import { Vault } from '../attachments/vault.ts';
import { accountQuery, machineQuery } from '../auth/accounts.ts';
import { Administration } from '../auth/administration-rules.ts';
import { anonymousCallers } from '../auth/anonymous.ts';
import { AuditTrail } from '../auth/audit.ts';
import { AUTH_TABLES, tableRecords } from '../auth/auth-store.ts';
import { type AuthDatabase, authDatabase } from '../auth/database.ts';
import { createLoginThrottle, type LoginThrottle } from '../auth/login-throttle.ts';
import { Roles, rightsRevision } from '../auth/policy-reader.ts';
import { startUpkeep } from '../auth/remove-expired.ts';
import { StoredSettings } from '../auth/runtime-settings.ts';
import { SECOND_FACTOR_TABLES } from '../auth/second-factor/stored-factor.ts';
import { type SessionSettings, Sessions } from '../auth/session.ts';
import type { Grants } from '../auth/token-grants.ts';
import { confirmCode, confirmPassword } from '../auth/token-grants.ts';
import { USAGE_TABLE } from '../auth/usage/stored-usage.ts';
import { Fault, invariant } from '../base/fault.ts';
import { perPair } from '../base/memo.ts';
import { type Observe, toAll } from '../base/observation.ts';
import { PACKAGE_ROOT } from '../base/package-root.ts';
import { MEGABYTE } from '../base/sizes.ts';
import type { Spans } from '../base/spans.ts';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import { databasePlace } from '../base/without-password.ts';
import type { World } from '../base/world.ts';
import { ruleCheck } from '../bind/model/policy-condition.ts';
import { withClockActions } from '../edm/clocks/business-time.ts';
import { type Model, makeModel } from '../edm/model.ts';
import type { ConsoleSettings } from '../http/app-settings.ts';
import { ConsoleFiles } from '../http/console/console-files.ts';
import { RECEIVED_MESSAGE_TABLE } from '../mail/in/received-messages.ts';
import { MailRuleCheck } from '../mail/out/check-rules.ts';
import { answerPreview, isPreview } from '../mail/out/preview.ts';
import { makeLogger } from '../observe/logger.ts';
import { OPTION_NAMES } from '../request/options/option-names.ts';
import type { IgnoredOptions } from '../request/parse.ts';
import { CALLBACK_TABLE } from '../service/callbacks/callback-table.ts';
import { checkQuery } from '../service/console/check-query.ts';
import { ConsoleRecordCheck } from '../service/console/console-records.ts';
import { JOB_TABLE, type WorkerSlot } from '../service/deferred/job-table.ts';
import { Jobs } from '../service/deferred/jobs.ts';
import { REPEAT_TABLE } from '../service/deferred/repeatable-requests.ts';
import { STORED_RESPONSES_TABLE } from '../service/deferred/stored-responses.ts';
import { makeDocuments } from '../service/documents.ts';
import { hasClock } from '../service/due/business-clock.ts';
import { openClock } from '../service/due/pass-time.ts';
import { reportSlow } from '../service/explain-plan.ts';
import type { Service } from '../service/service.ts';
import { loadTimeZones, type TimeZones } from '../service/time-zones.ts';
import { WEBHOOK_TABLE } from '../service/webhooks/webhook-state.ts';
import { InstalledWorkflows } from '../service/workflows/installed-workflows.ts';
import { removeOldAdvice } from '../service/write/workflow-advice.ts';
import { compiler } from '../sql/check-expression.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import { LAYOUT_SETTING } from '../sql/schema/ddl.ts';
import type { EngineTable } from '../sql/schema/engine-table.ts';
import { adjustLayout } from '../sql/schema/index-adjustments.ts';
import type { Layout } from '../sql/schema/layout.ts';
import { makeLayout, storedLayout } from '../sql/schema/model-layout.ts';
import type { QueueLimits } from '../store/admission-queue.ts';
import { startJob } from '../store/background-job.ts';
import { type CodeCatalog, InstalledCodes } from '../store/codes/code-catalog.ts';
import { CodeRules } from '../store/codes/code-rules.ts';
import type { Database, Work } from '../store/database.ts';
import type { InstallationDatabase } from '../store/installation-database.ts';
import { currentSetting, readSetting, writeSetting } from '../store/installation-settings.ts';
import { removeIncomplete } from '../store/load/copy-database.ts';
import { LOAD_SETTING } from '../store/load/load-position.ts';
import { storeFirstModel } from '../store/model/stored-models.ts';
import { createTables, isInstalled, requireCurrent } from '../store/model-tables.ts';
import { sqliteInstallation } from '../store/sqlite/installation.ts';
import { SlowStatements } from '../store/tuning/collect-slow-statements.ts';
import { withStatementReports } from '../store/tuning/report-statements.ts';
import { SLOW_STATEMENT_TABLE, storeSlowStatements } from '../store/tuning/slow-statements.ts';
import { InstallationIndexes, readAdjustments } from '../store/tuning/stored-adjustments.ts';
import { kept } from '../store/work.ts';
import { serviceModels } from './apply-model/service-models.ts';
import type { Config } from './config/config.ts';
import { requireSettingsFor } from './config/model-settings.ts';
import { readText } from './config/read-file.ts';
import { adjustableSettings, adjustConfig, computedOf, setOf } from './config/runtime-settings.ts';
import { workflowModes } from './config/workflow-modes.ts';
import { storeProgramVersion } from './database-version.ts';
import { openIssuers } from './issued-accounts.ts';
import { configuredFiles, readModel } from './model-file.ts';
import { withRightsRefresh } from './refresh-rights.ts';
import { type InstalledModel, modelInForce, newModel } from './stored-model.ts';
import { packageVersion } from './version.ts';
import { webhookCheck, webhookUrlCheck } from './webhook-check.ts';

/** The stored setting that enables the service. */
export const ENABLED_SETTING = 'enabled';

/** Tables that belong to modules other than store/. */
export const MODULE_TABLES: readonly EngineTable[] = [
  ...AUTH_TABLES,
  ...SECOND_FACTOR_TABLES,
  REPEAT_TABLE,
  JOB_TABLE,
  STORED_RESPONSES_TABLE,
  SLOW_STATEMENT_TABLE,
  USAGE_TABLE,
  RECEIVED_MESSAGE_TABLE,
  WEBHOOK_TABLE,
  CALLBACK_TABLE,
];

/** Milliseconds between two reads of the clock of the installation, which all processes must agree on within a second. */
const CLOCK_INTERVAL = 500;

/** Milliseconds between two reads of the indexes of the installation. */
const INDEX_INTERVAL = 1000;

/** How long the enabled setting is cached. Milliseconds. */
const ENABLED_INTERVAL = 500;

/** An installation: its model, and the database in its directory. */
export interface Installation extends Pick<InstalledModel, 'isForeign' | 'version'> {
  readonly config: Config;
  readonly model: Model;
  /** The layout that follows from the model, and the same with the indexes of the installation. */
  readonly modelLayout: Layout;
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

/** The database of the installation. The code of PostgreSQL is loaded on demand. */
export async function databaseOf(config: Config): Promise<InstallationDatabase> {
  const { database: url, readReplicas, readers, limits } = config;
  const queue = queueOf(config, 'waitingScans');
  const scans = { queue, resultSize: limits.resultMegabytes * MEGABYTE };
  if (url !== undefined) {
    const { postgresInstallation } = await import('../store/postgres/installation.ts');
    return postgresInstallation({
      url,
      readReplicas,
      poolSize: limits.databaseConnections,
      statementSeconds: limits.statementSeconds,
      lockSeconds: limits.lockSeconds,
      readQueue: queueOf(config, 'waitingReads'),
      ...scans,
    });
  }
  const timeLimit = limits.statementSeconds * 1000;
  return sqliteInstallation(databaseFile(config), { threads: readers, timeLimit, ...scans });
}

/** The limits of waiting queries. */
function queueOf({ limits }: Config, length: 'waitingScans' | 'waitingReads'): QueueLimits {
  return {
    length: limits[length],
    wait: Math.min(limits.scanWaitSeconds, limits.statementSeconds) * 1000,
    settings: { length: `limits.${length}`, wait: 'limits.scanWaitSeconds' },
  };
}

/** The database in a file, such as a backup. */
export function databaseAt(file: string): InstallationDatabase {
  return sqliteInstallation(file);
}

/** Whether the data directory holds an installation. One whose creation was interrupted does not count. */
export async function hasInstallation(config: Config): Promise<boolean> {
  const database = await databaseOf(config);
  return (await database.exists()) && (await isComplete(database));
}

/** The error store.not-installed with the data directory or the database. */
export function notInstalled(config: Pick<Config, 'data' | 'database'>): Fault {
  return new Fault('store.not-installed', { place: placeOf(config) });
}

/** Where the installation is, for messages. */
export function placeOf({ data, database }: Pick<Config, 'data' | 'database'>): string {
  return database === undefined ? data : databasePlace(database);
}

/** Whether the creation of a database was completed. The layout is stored last, or the source of a load removed. */
export async function isComplete(
  database: Pick<InstallationDatabase, 'setting'>,
): Promise<boolean> {
  return (
    (await database.setting(LAYOUT_SETTING)) !== undefined &&
    (await database.setting(LOAD_SETTING)) === undefined
  );
}

/**
 * Creates the directory and the tables. A load from the same source that was interrupted is opened instead, and other incomplete
 * installations are removed. Throws: cli.exists, cli.model, cli.file, store.other-copy.
 * @param source identifies the records that will be loaded; without it the load cannot be resumed
 */
export async function createInstallation(config: Config, source?: string): Promise<Installation> {
  if (await hasInstallation(config)) throw new Fault('cli.exists', { data: placeOf(config) });
  const files = configuredFiles(config);
  const modelParts = partsOf(config, { ...readModel(files), version: undefined });
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const load = source === undefined ? undefined : loadOf(source, modelParts.layout);
  const stored = await databaseOf(config);
  const isResumed = load !== undefined && (await isLoading(stored, load));
  if (!isResumed) await removeIncomplete(stored);
  const opened = await openParts(config);
  const installation = { ...opened, ...modelParts };
  const { database, layout, dialect } = installation;
  if (!isResumed) {
    await createTables(database, layout, dialect, MODULE_TABLES);
    if (load !== undefined) await writeSetting(database, LOAD_SETTING, load);
  }
  await database.write(() => kept(storeFirst(newModel(files))));
  return installation;
}

function* storeFirst(model: Parameters<typeof storeFirstModel>[0]): Work<void> {
  yield* storeFirstModel(model);
  yield* storeProgramVersion();
}

/** Whether an interrupted load from the same source is there. */
async function isLoading(database: InstallationDatabase, load: string): Promise<boolean> {
  return (await database.exists()) && (await database.setting(LOAD_SETTING)) === load;
}

/** Identifies the records and the tables of a load. Another version may generate other records. */
function loadOf(source: string, layout: Layout): string {
  const parts = [packageVersion(), source, storedLayout(layout)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Opens an installation with the model in force. Throws: store.not-installed, store.migration-due, cli.model. */
export async function openInstallation(config: Config): Promise<Installation> {
  if (!(await (await databaseOf(config)).exists())) throw notInstalled(config);
  const opened = await openParts(config);
  const { database, dialect } = opened;
  try {
    const setting = async (name: string) => await readSetting(database, name);
    if (!((await isInstalled(database)) && (await isComplete({ setting }))))
      throw notInstalled(config);
    const inForce = await modelInForce(database);
    const modelParts = partsOf(config, (await hasClock(database)) ? withClock(inForce) : inForce);
    await database.keepLayout();
    await requireCurrent(database, modelParts.layout, dialect, MODULE_TABLES);
    const layout = adjustLayout(modelParts.layout, await readAdjustments(database));
    return { ...opened, ...modelParts, layout };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The model of an installation whose clock can be moved. */
function withClock(installed: InstalledModel): InstalledModel {
  return { ...installed, definition: withClockActions(installed.definition) };
}

type ModelParts = Pick<Installation, 'model' | 'isForeign' | 'modelLayout' | 'layout' | 'version'>;

/** A model and its layout. Throws a ConfigError if the model lacks the configured language, or basePath hides a part of it. */
function partsOf(
  config: Config,
  { definition, isForeign, version }: Pick<InstalledModel, 'definition' | 'isForeign' | 'version'>,
): ModelParts {
  requireSettingsFor(config, definition);
  const unpublishedEngine = isForeign && !config.systemMetadata;
  const model = makeModel(unpublishedEngine ? { ...definition, unpublishedEngine } : definition);
  const modelLayout = makeLayout(model);
  return { model, isForeign, modelLayout, layout: modelLayout, version };
}

async function openParts(config: Config): Promise<Omit<Installation, keyof ModelParts>> {
  const stores = await openStores(config);
  const { dialect, open } = await databaseOf(config);
  const database = await open();
  const auth = authDatabase(database);
  return { config, dialect, database, stores, auth, world: processWorld };
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
  /** Undefined if the console is turned off. */
  readonly console: ConsoleSettings | undefined;
  /** The configuration with the current values of runtime settings. */
  readonly current: () => Config;
  /** Names of the settings that administrators can change. */
  readonly settingNames: readonly string[];
  /** Starts to remove what has expired. Returns the function that stops this. */
  readonly startUpkeep: () => () => Promise<void>;
  /** Starts to follow changes of the indexes by commands, and of the clock by other processes. Returns the function that stops this. */
  readonly followChanges: () => () => Promise<void>;
  /** Stores the slow statements since the last call, and reports them. */
  readonly storeSlowStatements: () => Promise<void>;
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
  /** Where the log is written; by default standard output. */
  readonly logTo?: Parameters<typeof makeLogger>[1];
  /** Counts what happens, statements included. */
  readonly count?: Observe | undefined;
  /** Follows what happens. */
  readonly watch?: Observe;
}

/** The layout of statements, another object after each change of indexes or codes. */
const layoutWith = perPair((layout: Layout, { texts, revision }: CodeCatalog) => ({
  ...layout,
  codeTexts: texts,
  codeRevision: revision,
}));

export async function wireService(
  installation: Installation,
  wiring: Wiring = {},
): Promise<WiredService> {
  const { place, count, throttle = createLoginThrottle(installation.world) } = wiring;
  const { auth, world } = installation;
  const indexes = new InstallationIndexes(installation.modelLayout);
  await indexes.load(installation.database);
  const { layout } = indexes;
  const codes = await InstalledCodes.read(installation.database, layout);
  const { log, settings } = await wireLog(installation, wiring);
  const config = settings.current;
  const accounts = accountQuery(layout);
  const audit = new AuditTrail({ database: auth, accounts, world, observe: log });
  const observe = toAll([log, (event) => audit.observe(event), count, wiring.watch]);
  const stores = withFailureReports(installation.stores, observe, world);
  const records = tableRecords(auth, accounts, rightsRevision(layout), machineQuery(layout));
  const roles = new Roles({ database: auth, layout, limits: serviceLimits(config), observe });
  const grants = { records, world, throttle, bound: config.tokenBinding === 'address' };
  const parts = { ...grants, observe, atEnd: () => audit.close() };
  const loaded = { roles, codes, workflows: wireWorkflows(installation, settings, codes, observe) };
  const { tokens, signIn } = await openIssuers(config, parts, () => service);
  const sessions = await wireSessions({ ...parts, issuers: tokens }, settings, loaded);
  const reports = { observe: count, spans: await spansOf(config), elapsed: world.elapsed };
  const { database, commits } = withRightsRefresh(installation, sessions, settings);
  const anonymous = setOf(() => settings.current.anonymous);
  const administrated = { ...loaded, settings, service: () => service };
  const service: Service = {
    ...(await constantParts(installation, config)),
    isEnabled: await enabledSwitch(installation),
    get layout() {
      return layoutWith(indexes.layout, codes.catalog);
    },
    get codes() {
      return codes.catalog.book;
    },
    readCodes: () => readCodes(codes, indexes),
    database: withStatementReports(database, reports),
    commits,
    vault: new Vault({ stores, limits: config.files.limits, world, observe }),
    sessions,
    jobs: new Jobs(place),
    roles,
    administration: makeAdministration(installation, config, administrated),
    confirmPassword: (principal, attempt) => confirmPassword(principal, attempt, grants),
    confirmCode: (principal, code) => confirmCode(principal, code, grants),
    get anonymous() {
      return anonymous();
    },
    ...changingParts(settings),
    workflows: () => loaded.workflows.current,
    observe,
    spans: reports.spans,
  };
  const upkeep = { database: auth, world, records, observe: log, removeOthers: removeOldAdvice };
  return {
    service,
    stores,
    grants,
    console: config.console ? consoleSettings(settings, signIn) : undefined,
    current: () => settings.current,
    settingNames: settings.names,
    startUpkeep: () => startUpkeep({ ...upkeep, auditDays: () => settings.current.auditDays }),
    followChanges: () => followChanges(service, indexes),
    storeSlowStatements: async () => await storeSlow(service, installation),
    storeSettings: async () => await settings.load(),
  };
}

/** The log, and the settings, which change its level. */
async function wireLog(
  installation: Installation,
  { isQuiet = false, logTo }: Pick<Wiring, 'isQuiet' | 'logTo'>,
) {
  let level = installation.config.logLevel;
  const log = makeLogger(() => (isQuiet ? 'silent' : level), logTo);
  const settings = await wireSettings(installation, log, (config) => {
    level = config.logLevel;
  });
  return { log, settings };
}

/** The code of OpenTelemetry is loaded on demand. */
async function spansOf({ tracing }: Pick<Config, 'tracing'>): Promise<Spans | undefined> {
  if (!tracing) return undefined;
  return (await import('../observe/tracing.ts')).makeSpans(packageVersion());
}

function followChanges(
  { database, clock, observe }: Service,
  indexes: InstallationIndexes,
): () => Promise<void> {
  const stops = [
    startJob('indexes', INDEX_INTERVAL, observe, async () => await indexes.load(database)),
    ...(clock === undefined ? [] : [startJob('clock', CLOCK_INTERVAL, observe, clock.load)]),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** The codes as a transaction sees them, and the layout with their texts. */
function* readCodes(
  codes: Pick<InstalledCodes, 'read'>,
  indexes: Pick<InstallationIndexes, 'layout'>,
): ReturnType<Service['readCodes']> {
  const catalog = yield* codes.read();
  return { codes: catalog.book, layout: layoutWith(indexes.layout, catalog) };
}

async function storeSlow(service: Service, { database, world }: Installation): Promise<void> {
  const slow = service.slowStatements.take();
  await storeSlowStatements(database, slow, world.now());
  await reportSlow(slow, service);
}

/** The parts of a service that never change after the start. */
/** Time zones are loaded for models with schedules only, since that takes about 20 milliseconds. */
async function timeZonesFor({ definition }: Model): Promise<TimeZones> {
  const isNeeded = definition.types.some((type) => type.kind === 'entity' && type.schedule);
  if (isNeeded) return await loadTimeZones();
  return (name) => {
    throw new Error(`The model has no schedules for the time zone ${name}.`);
  };
}

function rulesIn({ rules }: Config, isForeign: boolean): Service['rules'] {
  return rules ?? (isForeign ? 'odata' : 'service');
}

async function constantParts(installation: Installation, config: Config) {
  const { model, isForeign, dialect, world } = installation;
  const clock = await openClock(installation);
  return {
    businessTime: clock?.now ?? world.now,
    clock,
    model,
    timeZones: await timeZonesFor(model),
    rules: rulesIn(config, isForeign),
    dialect,
    documents: makeDocuments(model, packageVersion(), config.files.limits, config.basePath),
    flatMetadata: config.flatMetadata,
    limits: serviceLimits(config),
    models: serviceModels(config),
    slowStatements: new SlowStatements(config.limits.slowMilliseconds),
    languages: languageOrder(model, config.language),
    unread: unreadOptions(model),
    world,
    mail: {
      isPreview,
      preview: (call, service, principal) =>
        answerPreview(service, config.mail.smtp?.recipientRole, call, principal),
    },
    callbacks: {
      urlMistake: webhookUrlCheck(config.webhooks),
      limit: config.webhooks.callbacks,
    },
    secretOverlap: config.webhooks.overlapHours * 3_600_000,
  } satisfies Partial<Service>;
}

function makeAdministration(
  { layout, world, isForeign }: Installation,
  config: Config,
  { codes, workflows, service, ...parts }: Administrated,
): Administration {
  const listOf = (code: bigint) =>
    codes.catalog.lists.find((list) => list.codes.some(({ value }) => value === code))?.name;
  const scope = { model: layout.model, rules: 'odata', limits: serviceLimits(config) } as const;
  const check = ruleCheck(scope);
  const mail = new MailRuleCheck(layout, check);
  const checkStored = (set: string, query: string) =>
    checkQuery(
      { set, query },
      { ...scope, rules: rulesIn(config, isForeign), codes: codes.catalog.book },
    );
  const console = new ConsoleRecordCheck(layout, checkStored);
  const webhooks = webhookCheck({ layout, world, config, checkQuery: checkStored, service });
  return new Administration({
    layout,
    world,
    ...parts,
    temporaryPasswords: () => parts.settings.current.temporaryPasswords,
    codes: new CodeRules(layout, listOf),
    checks: [mail, workflows, console, webhooks],
  });
}

/** What administration depends on. The service is available when the first request arrives. */
interface Administrated extends Loaded {
  readonly settings: StoredSettings<Config>;
  readonly service: () => Service;
}

/** What each process loads again after a change. */
interface Loaded {
  readonly roles: Roles;
  readonly codes: InstalledCodes;
  readonly workflows: InstalledWorkflows;
}

/** Sessions that follow the current settings. */
function wireSessions(
  parts: Pick<SessionSettings, 'records' | 'world' | 'bound' | 'throttle' | 'atEnd' | 'issuers'>,
  settings: StoredSettings<Config>,
  { roles, codes, workflows }: Loaded,
): Sessions {
  return new Sessions({
    ...parts,
    anonymousPrincipal: anonymousCallers(settings.current.anonymousRole, roles),
    reload: async () => {
      for (const part of [roles, settings, codes, workflows]) await part.load();
    },
    basicKeys: () => settings.current.basicKeys,
    idleTimeout: () => settings.current.idleMinutes * 60_000,
    slots: () => {
      const { maximumUsers, accountSessions, reservedSessions } = settings.current;
      return { total: maximumUsers, account: accountSessions, reserved: reservedSessions };
    },
  });
}

function serviceLimits({ limits }: Config): Service['limits'] {
  return {
    ...limits,
    urlLength: limits.urlBytes,
    queryLength: limits.queryBytes,
    nodes: limits.expressionNodes,
    depth: limits.expressionDepth,
  };
}

/** The runtime settings, which override the configuration. */
async function wireSettings(
  { config, auth, model }: Installation,
  observe: Observe,
  apply: (config: Config) => void,
): Promise<StoredSettings<Config>> {
  return await StoredSettings.read({
    database: auth,
    definitions: adjustableSettings(config, model.definition),
    merge: (values) => {
      const adjusted = adjustConfig(config, values);
      apply(adjusted);
      return adjusted;
    },
    observe,
  });
}

/** Where the build puts the console. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL('console/dist', PACKAGE_ROOT));

function consoleSettings(
  settings: StoredSettings<Config>,
  signIn: ConsoleSettings['signIn'],
): ConsoleSettings {
  const files = new ConsoleFiles(CONSOLE_DIRECTORY);
  const idleMinutes = () => settings.current.idleMinutes;
  return { files, version: packageVersion(), idleMinutes, signIn };
}

/** The parts of the service that follow runtime settings. */
function changingParts(settings: StoredSettings<Config>) {
  return {
    odataClients: () => settings.current.odataClients,
    hasTiming: () => settings.current.serverTiming,
    noteMinutes: () => settings.current.noteMinutes,
  } satisfies Partial<Service>;
}

function wireWorkflows(
  { database, layout }: Installation,
  settings: StoredSettings<Config>,
  codes: InstalledCodes,
  observe: Observe,
): InstalledWorkflows {
  const modes = computedOf(
    () => settings.current.workflows,
    (items) => workflowModes(layout.model.definition, items),
  );
  const parts = { database, layout, modes, compile: compiler(layout), observe };
  return new InstalledWorkflows({ ...parts, codeLists: () => codes.catalog.lists });
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
export function isEnabledIn(database: Database): MaybePromise<boolean> {
  return andThen(currentSetting(database, ENABLED_SETTING), (setting) => setting === 'true');
}

/** Reads the setting again after a while, so that `docket enable` affects a running service. */
async function enabledSwitch({
  database,
  world,
}: Pick<Installation, 'database' | 'world'>): Promise<() => boolean> {
  let isEnabled = await isEnabledIn(database);
  let readAt = world.elapsed();
  return () => {
    const now = world.elapsed();
    if (now - readAt < ENABLED_INTERVAL) return isEnabled;
    readAt = now;
    const reading = andThen(isEnabledIn(database), (current) => {
      isEnabled = current;
    });
    // A request that needs the database reports that it cannot be reached.
    if (reading instanceof Promise) reading.catch(() => undefined);
    return isEnabled;
  };
}
