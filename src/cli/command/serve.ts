// The command `docket serve`. Ctrl-C shuts down gracefully: requests in progress finish, new ones are rejected, and the exit code is 0.
import { createLoginThrottle } from '../../auth/login-throttle.ts';
import { type Listening, listen } from '../../http/server.ts';
import { makeLogger } from '../../observe/logger.ts';
import type { WorkerSlot } from '../../service/deferred/job-table.ts';
import type { Config } from '../config/config.ts';
import type { Invocation } from '../invocation.ts';
import { afterHandover, followModels } from '../model-handover.ts';
import { addressOf, type RunningService, runService } from '../running-service.ts';
import { serveWorkerMetrics } from '../service-metrics.ts';
import { primaryLoginThrottle } from '../shared-login-throttle.ts';
import { ignoreFailedOutput, type Terminal } from '../terminal.ts';
import { readPair, watchPair } from '../tls-certificate.ts';
import { databaseOf, hasInstallation, isEnabledIn, openInstallation } from '../wire.ts';
import {
  disconnectFromPrimary,
  isWorker,
  primaryGone,
  startWorkers,
  type WorkerPool,
  workerPlace,
} from '../workers.ts';
import { commandLine } from './options.ts';

/** `docket serve`. */
export async function serve(invocation: Invocation): Promise<void> {
  const { config, flags, terminal } = invocation;
  const { load } = flags;
  if (typeof load === 'string' && !(await hasInstallation(config))) {
    const { createFromRecords } = await import('../foreign-model.ts');
    await createFromRecords(config, load, terminal);
  }
  if (isWorker()) return await serveAsWorker(config, terminal);
  if (config.workers === 1)
    return await serveAlone(config, terminal, (started) => greet(started, invocation));
  const pool = await startWorkerPool(config, terminal);
  const monitoring = await serveWorkerMetrics(config, makeLogger(config.logLevel));
  const stopped = stopSignal();
  ignoreFailedOutput();
  greet(pool, invocation);
  await stopped;
  terminal.say(STOPPING);
  await pool.stop();
  await monitoring?.close();
}

const STOPPING = 'Stopping after the requests in progress have finished.';

function greet({ port, isEnabled }: Started, { config, flags, terminal }: Invocation): void {
  terminal.print(`Docket serves ${serviceUrl(config, { port })}`);
  if (!isEnabled)
    terminal.say(
      `The service is disabled and returns 503. Enable it with "${commandLine('enable', flags)}".`,
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
  ignoreFailedOutput();
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
  { say }: Terminal,
): Promise<Serving> {
  const restart = (previous: Serving) => startListening(config, previous.place, previous);
  return await followModels(first, { database: await databaseOf(config), stopped, restart, say });
}

/** A service that listens, and whether it is enabled. */
export type Started = Pick<Listening, 'port'> & { readonly isEnabled: boolean };

type Serving = Started &
  Listening &
  Pick<RunningService, 'app' | 'place' | 'version' | 'handover'> & {
    /** The port of /metrics, if this process serves them. */
    readonly metricsPort: number | undefined;
  };

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
 * Runs the installation and listens. Throws what runService throws, and: cli.file, cli.tls.
 * @param previous a service that stands by, whose port and connections this one takes over
 */
export async function startListening(
  config: Config,
  place?: WorkerSlot,
  previous?: Serving,
): Promise<Serving> {
  const pair = readPair(config);
  const part = isWorker() ? { isWorker: true, throttle: primaryLoginThrottle() } : {};
  const running = await runService(config, { ...part, place, pair });
  const { app, observe } = running;
  const stopWatching = watchPair(config, pair, app, observe);
  const close = async () => {
    stopWatching();
    await running.close();
  };
  const { host, port, drainSeconds } = config;
  const endpoint = { host, port, drainSeconds, previous };
  const start = async () => {
    const metricsPort = await running.listenForMetrics();
    return { metricsPort, ...(await listen(app, endpoint, observe, close)) };
  };
  const listening = await start().catch(async (error) => {
    await close();
    throw error;
  });
  return { ...running, ...listening, isEnabled: await running.resume() };
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
