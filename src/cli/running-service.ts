// This file runs an installation: the service with its background jobs, without the connections of clients. Commands add a server that
// listens, and programs that embed Docket pass their requests on.
import { startSweep } from '../attachments/remove-orphans.ts';
import { hasRole } from '../auth/anonymous.ts';
import type { LoginThrottle } from '../auth/login-throttle.ts';
import { UsageCounter } from '../auth/usage/count-usage.ts';
import { removeUsage, storeUsage } from '../auth/usage/stored-usage.ts';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { type Observation, type Observe, toAll } from '../base/observation.ts';
import { startRetention } from '../changes/retention.ts';
import { addressList } from '../http/address-ranges.ts';
import { type App, createApp } from '../http/app.ts';
import { BODY_TIMES } from '../http/body-stream.ts';
import { CONNECTION_LIMITS } from '../http/connection-limits.ts';
import type { MetricsListener } from '../http/metrics-listener.ts';
import type { KeyPair } from '../http/tls.ts';
import type { IncomingMailSettings } from '../mail/in/start-incoming-mail.ts';
import { sentMail } from '../mail/out/sent-mail.ts';
import { failureLimit, startOutgoingMail } from '../mail/out/start-mail.ts';
import type { WorkerSlot } from '../service/deferred/job-table.ts';
import { startDueActions } from '../service/due/perform-due.ts';
import { performer } from '../service/handle-request.ts';
import type { Service } from '../service/service.ts';
import { startJob } from '../store/background-job.ts';
import { startMaintenance } from '../store/maintenance.ts';
import { startWebhooks } from '../webhooks/start-webhooks.ts';
import type { Config } from './config/config.ts';
import { setOf } from './config/runtime-settings.ts';
import { watchForHandover } from './model-handover.ts';
import { claimSlot, startAdoption, whileScheduling } from './scheduled-work.ts';
import { openMetrics } from './service-metrics.ts';
import { reportDifference } from './stored-model.ts';
import { packageVersion } from './version.ts';
import {
  databaseOf,
  type Installation,
  isEnabledIn,
  openInstallation,
  type WiredService,
  wireService,
} from './wire.ts';

/** Milliseconds between two moments at which slow statements are stored. */
const STORE_INTERVAL = 5000;
/** Milliseconds between two moments at which the usage is stored, and between removals of old days. */
const USAGE_INTERVAL = 60_000;
const USAGE_REMOVAL_INTERVAL = 3_600_000;
const DAY = 86_400_000;

/** The place of the only process. */
const ALONE: WorkerSlot = { number: 0, of: 1 };

/** How this process takes part in serving an installation. */
export interface Part {
  /** Its number among the workers; by default it is the only process. */
  readonly place?: WorkerSlot | undefined;
  /** Whether a primary process serves the metrics. */
  readonly isWorker?: boolean | undefined;
  /** By default one of this process alone. */
  readonly throttle?: LoginThrottle | undefined;
  /** Certificate and key, if the server uses HTTPS. */
  readonly pair?: KeyPair | undefined;
}

/** An installation that is in service as soon as requests are passed to `app`. */
export interface RunningService {
  readonly app: App;
  readonly observe: Observe;
  readonly place: WorkerSlot;
  /** The version of its model. */
  readonly version: number;
  /** Resolves when another model is to be applied. */
  readonly handover: Promise<void>;
  /** Serves /metrics on its port, if that is configured and no primary process does. Returns the port. */
  readonly listenForMetrics: () => Promise<number | undefined>;
  /** Continues asynchronous requests of earlier processes, once clients can connect. Returns whether the service is enabled. */
  readonly resume: () => Promise<boolean>;
  /** Stops the background jobs and closes the database. Failures are reported. */
  readonly close: () => Promise<void>;
}

/** Opens the installation and starts its background jobs. Throws what openInstallation throws. */
export async function runService(config: Config, part: Part = {}): Promise<RunningService> {
  const { place = ALONE, isWorker = false, throttle, pair } = part;
  const installation = await openInstallation(config);
  const { database, version } = installation;
  const slot = config.database === undefined ? place : await claimSlot(database);
  const metrics = await openMetrics(config, isWorker);
  const usage = config.usageDays === 0 ? undefined : new UsageCounter();
  const damage = watchForDamage();
  const wiring = {
    place: slot,
    count: metrics?.observe,
    watch: toAll([usage?.observe.bind(usage), damage.observe]),
  };
  const wired = await wireService(installation, { ...wiring, ...(throttle && { throttle }) });
  const { service } = wired;
  const app = appOf(config, wired, { pair, isDamaged: damage.isFound });
  metrics?.measure({ wired, app });
  await reportDatabase(config, service.observe);
  if (version !== undefined) reportDifference(config, version, service.observe);
  await reportAnonymousRole(config, service);
  database.reportTo((reason) => service.observe({ kind: 'database warning', reason }));
  const watch = watchForHandover(database, service.observe);
  let monitoring: MetricsListener | undefined;
  return {
    app,
    observe: service.observe,
    place,
    version: version?.version ?? 0,
    handover: watch.announced,
    listenForMetrics: async () => {
      monitoring = await metrics?.listen(service.observe);
      return monitoring?.port;
    },
    resume: async () => {
      await service.jobs.resume(service, performer(service));
      return await isEnabledIn(database);
    },
    close: closing(installation, wired, [
      async () => await monitoring?.close(),
      watch.stop,
      ...storingUsage(installation, service.observe, usage),
      scheduleTasks(installation, wired, slot),
    ]),
  };
}

/** Notices that requests or background jobs have met damage in the database. It has to be restored, so this ends with the process. */
function watchForDamage(): { readonly observe: Observe; readonly isFound: () => boolean } {
  let isFound = false;
  return {
    observe: (event) => {
      if (isDamage(event)) isFound = true;
    },
    isFound: () => isFound,
  };
}

function isDamage(event: Observation): boolean {
  if ('fault' in event && event.fault === DAMAGED) return true;
  return 'error' in event && event.error instanceof Fault && event.error.code === DAMAGED;
}

const DAMAGED = 'store.damaged';

function appOf(
  config: Config,
  wired: WiredService,
  { pair, isDamaged }: { readonly pair: KeyPair | undefined; readonly isDamaged: () => boolean },
): App {
  const { service, grants, current } = wired;
  return createApp({
    service,
    grants,
    isDamaged,
    proxies: { trusted: addressList(current().trustedProxies) },
    location: config,
    apiReference: config.apiReference,
    console: wired.console,
    corsOrigins: setOf(() => current().corsOrigins),
    needsEncryption: !config.allowInsecureTokens,
    ...connectionSettings(current()),
    ...(pair === undefined ? {} : { pair }),
  });
}

/** Returns the function that stops the tasks and closes the service. */
function closing(
  { database }: Installation,
  { service, stores, followChanges, storeSlowStatements }: WiredService,
  stops: readonly (() => Promise<void>)[],
): () => Promise<void> {
  const { observe } = service;
  const steps = [
    ...stops,
    followChanges(),
    startJob('slow statements', STORE_INTERVAL, observe, storeSlowStatements),
    storeSlowStatements,
    () => service.jobs.close(),
    () => service.sessions.close(),
    () => stores.close(),
    () => database.close(),
  ];
  return async () => {
    // The process also ends while the database cannot be reached.
    for (const step of steps)
      await step().catch((error) => observe({ kind: 'failure', id: 'shutdown', error }));
  };
}

/** Stores what is counted at intervals. Returns what stops this, and stores the rest. */
function storingUsage(
  { auth, world }: Installation,
  observe: Observe,
  usage: UsageCounter | undefined,
): readonly (() => Promise<void>)[] {
  if (usage === undefined) return [];
  const store = async () => await storeUsage(auth, usage.take(), world.now());
  return [startJob('usage', USAGE_INTERVAL, observe, store), store];
}

/** Reports the database in use, and what slows it down. */
async function reportDatabase(config: Config, observe: Observe): Promise<void> {
  const { place, describe } = await databaseOf(config);
  const { engine, warnings } = await describe();
  observe({ kind: 'database', place, engine });
  for (const reason of warnings) observe({ kind: 'database warning', reason });
}

/** Reports an anonymousRole that the installation does not have, with which requests without a token are rejected. */
async function reportAnonymousRole(
  { anonymousRole }: Config,
  { sessions, roles, observe }: Service,
): Promise<void> {
  if (anonymousRole === undefined) return;
  await sessions.refresh();
  if (hasRole(roles.policy, anonymousRole)) return;
  const names = roles.policy.roles.map(({ name }) => name);
  const reason = `There is no role "${anonymousRole}", so requests without a token are rejected.${didYouMean(anonymousRole, names)}`;
  observe({ kind: 'setting', name: 'anonymousRole', reason });
}

/** The time limits and the number of connections. */
function connectionSettings({ limits }: Config) {
  const { headerSeconds, bodySeconds, silenceSeconds, keepAliveSeconds, connections } = limits;
  return {
    bodyTimes: { ...BODY_TIMES, limit: bodySeconds * 1000 },
    connectionLimits: {
      ...CONNECTION_LIMITS,
      headers: headerSeconds * 1000,
      silence: silenceSeconds * 1000,
      keepAlive: keepAliveSeconds * 1000,
      most: connections,
    },
  };
}

/** Lets one process of the installation do the scheduled work. Returns the function that stops this process from doing it. */
function scheduleTasks(
  installation: Installation,
  wired: WiredService,
  slot: WorkerSlot,
): () => Promise<void> {
  const { config, database } = installation;
  const start = () => startBackgroundTasks(installation, wired);
  if (config.database === undefined)
    return slot.number > 0 ? async () => undefined : whileScheduling(database, start);
  const { service } = wired;
  return whileScheduling(database, () => {
    const stops = [start(), startAdoption(service, performer(service), slot, service.observe)];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  });
}

/** Starts the background jobs of the installation. Returns the function that stops them. */
function startBackgroundTasks(
  { config, database, auth, world }: Installation,
  { service, stores, current, startUpkeep }: WiredService,
): () => Promise<void> {
  const { observe } = service;
  const { strayHours } = config.files;
  const stopCompaction = startMaintenance(database, observe);
  const mail = { ...config.mail, ownAddresses: ownAddresses(config) };
  let stopDueActions = async () => {};
  const caughtUp = new Promise<void>((resolve) => {
    stopDueActions = startDueActions(service, resolve);
  });
  const stops = [
    startUpkeep(),
    startRetention({ database, world, observe, days: () => current().changeDays }),
    startSweep({ database, stores, world, observe, strayHours }),
    stopDueActions,
    startJob('old usage', USAGE_REMOVAL_INTERVAL, observe, async () => {
      // Today is the first of the days that are kept.
      await removeUsage(auth, world.now() - (config.usageDays - 1) * DAY);
    }),
    startOutgoingMail(service, { ...mail, limits: current().limits }, { caughtUp }),
    startIncoming(service, { ...mail, limits: current().limits }),
    startWebhooks(service, config.webhooks, { root: eventRoot(config), version: packageVersion() }),
  ];
  return async () => {
    stopCompaction();
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** The service root in events, which belong to no request. */
function eventRoot(config: Config): string {
  const { publicUrl, basePath } = config;
  const origin = publicUrl ?? addressOf(config, config);
  return `${origin.replace(/\/$/, '')}${basePath === '/' ? '' : basePath}/`;
}

/** `http://127.0.0.1:5181`. */
export function addressOf(config: Config, { port }: Pick<Config, 'port'>): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/** Starts incoming mail, whose packages take memory, if it is configured. */
function startIncoming(
  service: Service,
  settings: IncomingMailSettings & Parameters<typeof failureLimit>[0],
): () => Promise<void> {
  if (settings.imap === undefined && settings.listen === undefined) return async () => undefined;
  const started = import('../mail/in/start-incoming-mail.ts').then(({ startIncomingMail }) =>
    startIncomingMail(service, settings, sentMail(service, failureLimit(settings))),
  );
  return async () => (await started)();
}

/** The addresses that mail of this service is sent from and to. */
function ownAddresses({ mail: { ownAddresses: others, smtp, imap, listen } }: Config) {
  const sent = [smtp?.from ?? '', smtp?.bounceAddress ?? ''];
  const known = [...sent, imap?.user ?? '', ...(listen?.recipients ?? [])];
  return [...others, ...known].filter((one) => /.@/.test(one));
}
