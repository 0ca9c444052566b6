// The command `docket serve`. Ctrl-C shuts down gracefully: requests in progress finish, new ones are rejected, and the exit code is 0.
import { startSweep } from '../../attachments/remove-orphans.ts';
import { createLoginThrottle } from '../../auth/login-throttle.ts';
import { startRetention } from '../../changes/retention.ts';
import { addressList } from '../../http/address-ranges.ts';
import { createApp } from '../../http/app.ts';
import { BODY_TIMES } from '../../http/body-stream.ts';
import { CONNECTION_LIMITS } from '../../http/connection-limits.ts';
import { type Listening, listen } from '../../http/server.ts';
import type { WorkerSlot } from '../../service/deferred/job-table.ts';
import { performer } from '../../service/handle-request.ts';
import { startMaintenance } from '../../store/maintenance.ts';
import type { Config } from '../config/config.ts';
import { setOf } from '../config/runtime-settings.ts';
import type { Invocation } from '../invocation.ts';
import { primaryLoginThrottle } from '../shared-login-throttle.ts';
import type { Terminal } from '../terminal.ts';
import { readPair, watchPair } from '../tls-certificate.ts';
import {
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
  workerPlace,
} from '../workers.ts';

/** The place of the only process. */
const ALONE: WorkerSlot = { number: 0, of: 1 };

/** `docket serve`. */
export async function serve({ config, flags, terminal }: Invocation): Promise<void> {
  const { load } = flags;
  if (typeof load === 'string' && !hasInstallation(config)) {
    const { createFromRecords } = await import('../foreign-model.ts');
    await createFromRecords(config, load, terminal);
  }
  if (isWorker()) return await serveAsWorker(config);
  const listening =
    config.workers > 1 ? await startWorkerPool(config, terminal) : await startListening(config);
  const stopped = stopSignal();
  terminal.print(`Docket serves ${addressOf(config, listening)}/odata`);
  if (!listening.isEnabled)
    terminal.say(
      `The service is disabled and returns 503. Enable it with "docket enable --data ${config.data}".`,
    );
  await untilStopped(stopped, listening, terminal);
}

/** Serves until the stop signal, and then shuts down gracefully. */
export async function untilStopped(
  stopped: Promise<void>,
  { stop }: Pick<Listening, 'stop'>,
  terminal: Terminal,
): Promise<void> {
  await stopped;
  terminal.say('Stopping after the requests in progress have finished.');
  await stop();
}

/** A running service, and whether it is enabled. */
type Serving = Pick<Listening, 'port' | 'stop'> & { readonly isEnabled: boolean };

/** Opens the installation and the certificate first, so that problems are reported once and not by each worker. */
async function startWorkerPool(config: Config, { say }: Terminal): Promise<Serving> {
  const { database, world } = await openInstallation(config);
  const isEnabled = isEnabledIn(database);
  await database.close();
  readPair(config);
  // Workers handle SIGHUP themselves; here it must only not end the process.
  if (config.tls !== undefined) process.on('SIGHUP', () => undefined);
  return { ...(await startWorkers(config.workers, createLoginThrottle(world), say)), isEnabled };
}

async function serveAsWorker(config: Config): Promise<void> {
  try {
    const listening = await startListening(config, workerPlace());
    await Promise.race([stopSignal(), primaryGone()]);
    await listening.stop();
  } finally {
    disconnectFromPrimary();
  }
}

/** Opens the installation and listens. Throws what openInstallation throws, and: cli.file, cli.tls. */
export async function startListening(config: Config, place = ALONE): Promise<Serving> {
  const pair = readPair(config);
  const installation = await openInstallation(config);
  const throttle = isWorker() ? primaryLoginThrottle() : createLoginThrottle(installation.world);
  const wired = wireService(installation, { place, throttle });
  const { service, grants, stores, current } = wired;
  const app = createApp({
    service,
    grants,
    proxies: { trusted: addressList(current().trustedProxies) },
    corsOrigins: setOf(() => current().corsOrigins),
    needsEncryption: !config.allowInsecureTokens,
    ...connectionSettings(current()),
    ...(pair === undefined ? {} : { pair }),
  });
  const stopWatching = watchPair(config, pair, app, service.observe);
  const { database } = installation;
  const stopMaintenance = place.number > 0 ? [] : startBackgroundTasks(installation, wired);
  const close = async () => {
    stopWatching();
    await Promise.all(stopMaintenance.map((stop) => stop()));
    await service.jobs.close();
    await service.sessions.close();
    await stores.close();
    await database.close();
  };
  const endpoint = { host: config.host, port: config.port };
  const listening = await listen(app, endpoint, service.observe, close).catch(async (error) => {
    await close();
    throw error;
  });
  service.jobs.resume(service, performer(service));
  return { ...listening, isEnabled: isEnabledIn(database) };
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

/** Starts the background jobs of the installation. Returns functions that stop them. */
function startBackgroundTasks(
  { config, database, world }: Installation,
  { service, stores, current }: WiredService,
): readonly (() => Promise<void>)[] {
  const { observe } = service;
  const { strayHours } = config.files;
  const stopCompaction = startMaintenance(database, observe);
  return [
    startRetention({ database, world, observe, days: () => current().changeDays }),
    startSweep({ database, stores, world, observe, strayHours }),
    async () => stopCompaction(),
  ];
}

/** `http://127.0.0.1:5181`. */
export function addressOf(config: Config, { port }: Pick<Listening, 'port'>): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
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
