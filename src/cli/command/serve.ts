// The command `docket serve`. Ctrl-C shuts down gracefully: requests in progress finish, new ones are rejected, and the exit code is 0.
import { startSweep } from '../../attachments/remove-orphans.ts';
import { hasRole } from '../../auth/anonymous.ts';
import { createLoginThrottle } from '../../auth/login-throttle.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Observe } from '../../base/observation.ts';
import { startRetention } from '../../changes/retention.ts';
import { addressList } from '../../http/address-ranges.ts';
import { type App, createApp } from '../../http/app.ts';
import { BODY_TIMES } from '../../http/body-stream.ts';
import { CONNECTION_LIMITS } from '../../http/connection-limits.ts';
import type { MetricsListener } from '../../http/metrics-listener.ts';
import { type Listening, listen } from '../../http/server.ts';
import type { KeyPair } from '../../http/tls.ts';
import type { IncomingMailSettings } from '../../mail/in/start-incoming-mail.ts';
import { sentMail } from '../../mail/out/sent-mail.ts';
import { failureLimit, startOutgoingMail } from '../../mail/out/start-mail.ts';
import { makeLogger } from '../../observe/logger.ts';
import type { WorkerSlot } from '../../service/deferred/job-table.ts';
import { startDueActions } from '../../service/due/perform-due.ts';
import { performer } from '../../service/handle-request.ts';
import type { Service } from '../../service/service.ts';
import { startJob } from '../../store/background-job.ts';
import { startMaintenance } from '../../store/maintenance.ts';
import type { Config } from '../config/config.ts';
import { setOf } from '../config/runtime-settings.ts';
import type { Invocation } from '../invocation.ts';
import { afterHandover, watchForHandover } from '../model-handover.ts';
import { claimSlot, startAdoption, whileScheduling } from '../scheduled-work.ts';
import { openMetrics, serveWorkerMetrics } from '../service-metrics.ts';
import { primaryLoginThrottle } from '../shared-login-throttle.ts';
import { reportDifference } from '../stored-model.ts';
import type { Terminal } from '../terminal.ts';
import { readPair, watchPair } from '../tls-certificate.ts';
import {
  databaseOf,
  hasInstallation,
  type Installation,
  isEnabledIn,
  openInstallation,
  type WiredService,
  wireService,
} from '../wire.ts';
import {
  disconnectFromPrimary,
  isWorker,
  primaryGone,
  startWorkers,
  type WorkerPool,
  workerPlace,
} from '../workers.ts';

/** Milliseconds between two moments at which slow statements are stored. */
const STORE_INTERVAL = 5000;

/** The place of the only process. */
const ALONE: WorkerSlot = { number: 0, of: 1 };

/** `docket serve`. */
export async function serve({ config, flags, terminal }: Invocation): Promise<void> {
  const { load } = flags;
  if (typeof load === 'string' && !(await hasInstallation(config))) {
    const { createFromRecords } = await import('../foreign-model.ts');
    await createFromRecords(config, load, terminal);
  }
  if (isWorker()) return await serveAsWorker(config, terminal);
  if (config.workers === 1)
    return await serveAlone(config, terminal, (started) => greet(config, started, terminal));
  const pool = await startWorkerPool(config, terminal);
  const monitoring = await serveWorkerMetrics(config, makeLogger(config.logLevel));
  const stopped = stopSignal();
  greet(config, pool, terminal);
  await stopped;
  terminal.say(STOPPING);
  await pool.stop();
  await monitoring?.close();
}

const STOPPING = 'Stopping after the requests in progress have finished.';

function greet(config: Config, { port, isEnabled }: Started, terminal: Terminal): void {
  terminal.print(`Docket serves ${serviceUrl(config, { port })}`);
  if (!isEnabled)
    terminal.say(
      `The service is disabled and returns 503. Enable it with "docket enable --data ${config.data}".`,
    );
}

/** Serves until the stop signal, and then shuts down gracefully. */
export async function serveAlone(
  config: Config,
  terminal: Terminal,
  greet: (started: Started) => void,
): Promise<void> {
  const serving = await startListening(config);
  const stopped = stopSignal();
  greet(serving);
  const last = await serveUntil(stopped, { ...config, port: serving.port }, serving, terminal);
  terminal.say(STOPPING);
  await last.stop();
}

/** Serves, with each model that is applied meanwhile, and returns the service to stop. */
async function serveUntil(
  stopped: Promise<void>,
  config: Config,
  first: Serving,
  terminal: Terminal,
): Promise<Serving> {
  let serving = first;
  let isStopping = false;
  const stop = stopped.then(() => {
    isStopping = true;
  });
  for (;;) {
    await Promise.race([stop, serving.handover]);
    if (isStopping) return serving;
    const former = serving;
    terminal.say('Another model is being applied. Requests return 503 until it is in force.');
    await former.standBy();
    const next = await afterHandover(
      await databaseOf(config),
      async () => await startListening(config, former.place, () => former.stop()),
      () => isStopping,
    );
    if (next === undefined) return former;
    serving = next;
    terminal.say(`Serving version ${next.version} of the model.`);
  }
}

/** A service that listens, and whether it is enabled. */
export type Started = Pick<Listening, 'port'> & { readonly isEnabled: boolean };

interface Serving extends Started, Listening {
  readonly place: WorkerSlot;
  /** The version of its model. */
  readonly version: number;
  /** The port of /metrics, if this process serves them. */
  readonly metricsPort: number | undefined;
  /** Resolves when another model is to be applied. */
  readonly handover: Promise<void>;
}

/** Opens the installation and the certificate first, so that problems are reported once and not by each worker. */
async function startWorkerPool(config: Config, { say }: Terminal): Promise<Started & WorkerPool> {
  const { database, world } = await openInstallation(config);
  const isEnabled = await isEnabledIn(database);
  await database.close();
  readPair(config);
  // Workers handle SIGHUP themselves; here it must only not end the process.
  if (config.tls !== undefined) process.on('SIGHUP', () => undefined);
  return { ...(await startWorkers(config, createLoginThrottle(world), say)), isEnabled };
}

async function serveAsWorker(config: Config, terminal: Terminal): Promise<void> {
  try {
    const stopped = Promise.race([stopSignal(), primaryGone()]);
    let isStopping = false;
    stopped.then(() => {
      isStopping = true;
    });
    const start = async () => await startListening(config, workerPlace());
    const serving = await afterHandover(await databaseOf(config), start, () => isStopping);
    if (serving === undefined) return;
    const last = await serveUntil(stopped, config, serving, terminal);
    await last.stop();
  } finally {
    disconnectFromPrimary();
  }
}

/**
 * Opens the installation and listens. Throws what openInstallation throws, and: cli.file, cli.tls.
 * @param beforeListening called when everything is ready
 */
export async function startListening(
  config: Config,
  place = ALONE,
  beforeListening: () => Promise<void> = async () => undefined,
): Promise<Serving> {
  const pair = readPair(config);
  const installation = await openInstallation(config);
  const slot = config.database === undefined ? place : await claimSlot(installation.database);
  const throttle = isWorker() ? primaryLoginThrottle() : createLoginThrottle(installation.world);
  const metrics = await openMetrics(config, isWorker());
  const wired = await wireService(installation, { place: slot, throttle, count: metrics?.observe });
  const { service, stores } = wired;
  const app = appOf(config, wired, pair);
  metrics?.measure({ wired, app });
  const stopWatching = watchPair(config, pair, app, service.observe);
  await reportDatabase(config, service.observe);
  const { database, version } = installation;
  if (version !== undefined) reportDifference(config, version, service.observe);
  await reportAnonymousRole(config, service);
  database.reportTo((reason) => service.observe({ kind: 'database warning', reason }));
  const stopTasks = scheduleTasks(installation, wired, slot);
  const stopFollowing = wired.followChanges();
  const watch = watchForHandover(database, service.observe);
  const stopStoring = startJob('slow statements', STORE_INTERVAL, service.observe, () =>
    wired.storeSlowStatements(),
  );
  let monitoring: MetricsListener | undefined;
  const close = async () => {
    stopWatching();
    const steps = [
      async () => await monitoring?.close(),
      watch.stop,
      stopTasks,
      stopFollowing,
      stopStoring,
      wired.storeSlowStatements,
      () => service.jobs.close(),
      () => service.sessions.close(),
      () => stores.close(),
      () => database.close(),
    ];
    // The process also ends while the database cannot be reached.
    for (const step of steps)
      await step().catch((error) => service.observe({ kind: 'failure', id: 'shutdown', error }));
  };
  const { host, port, drainSeconds } = config;
  const endpoint = { host, port, drainSeconds };
  await beforeListening();
  const start = async () => {
    monitoring = await metrics?.listen(service.observe);
    return await listen(app, endpoint, service.observe, close);
  };
  const listening = await start().catch(async (error) => {
    await close();
    throw error;
  });
  await service.jobs.resume(service, performer(service));
  const isEnabled = await isEnabledIn(database);
  return {
    ...listening,
    isEnabled,
    place,
    version: version?.version ?? 0,
    metricsPort: monitoring?.port,
    handover: watch.announced,
  };
}

function appOf(
  config: Config,
  { service, grants, console, current }: WiredService,
  pair?: KeyPair,
): App {
  return createApp({
    service,
    grants,
    console,
    proxies: { trusted: addressList(current().trustedProxies) },
    location: config,
    apiReference: config.apiReference,
    corsOrigins: setOf(() => current().corsOrigins),
    needsEncryption: !config.allowInsecureTokens,
    ...connectionSettings(current()),
    ...(pair === undefined ? {} : { pair }),
  });
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
  if (config.database === undefined) return slot.number > 0 ? async () => undefined : start();
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
  { config, database, world }: Installation,
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
    startOutgoingMail(service, { ...mail, limits: current().limits }, { caughtUp }),
    startIncoming(service, { ...mail, limits: current().limits }),
  ];
  return async () => {
    stopCompaction();
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Starts incoming mail, whose packages take memory, if it is configured. */
function startIncoming(
  service: Service,
  settings: IncomingMailSettings & Parameters<typeof failureLimit>[0],
): () => Promise<void> {
  if (settings.imap === undefined && settings.listen === undefined) return async () => undefined;
  const started = import('../../mail/in/start-incoming-mail.ts').then(({ startIncomingMail }) =>
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

/** `http://127.0.0.1:5181`. */
export function addressOf(config: Config, { port }: Pick<Listening, 'port'>): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/** The service root on this machine: `http://127.0.0.1:5181/odata`. */
export function serviceUrl(config: Config, listening: Pick<Listening, 'port'>): string {
  const { basePath } = config;
  return `${addressOf(config, listening)}${basePath === '/' ? '' : basePath}`;
}

/** Resolves at the first SIGINT or SIGTERM. A second SIGINT ends the process immediately. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once('SIGINT', () => process.exit(130));
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}
