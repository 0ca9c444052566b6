// This file holds the command `serve`. Ctrl-C drains: what is under way is finished, what comes afterwards is refused, and the exit code
// is 0.
import { startSweep } from '../../attachments/remove-orphans.ts';
import { makeBrake } from '../../auth/login-throttle.ts';
import { startRetention } from '../../changes/retention.ts';
import { addressList } from '../../http/address-ranges.ts';
import { createApp } from '../../http/app.ts';
import { BODY_TIMES } from '../../http/body-stream.ts';
import { CONNECTION_LIMITS } from '../../http/connection-limits.ts';
import { type Listening, listen } from '../../http/server.ts';
import type { Place } from '../../service/deferred/job-table.ts';
import { performer } from '../../service/handle.ts';
import { startTidying } from '../../store/maintenance.ts';
import type { Config, Flags } from '../config/config.ts';
import { setOf } from '../config/runtime-settings.ts';
import { lentBrake } from '../shared-login-throttle.ts';
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
import { abandoned, isWorker, leaveCrew, placeOfWorker, startWorkers } from '../workers.ts';

/** One process serves the installation. */
const ALONE: Place = { number: 0, of: 1 };

/** `docket serve`. */
export async function serve(config: Config, flags: Flags, terminal: Terminal): Promise<number> {
  const { load } = flags;
  if (typeof load === 'string' && !hasInstallation(config)) {
    const { loadForeign } = await import('../foreign-model.ts');
    await loadForeign(config, load, terminal);
  }
  if (isWorker()) return await serveAsWorker(config);
  const listening =
    config.workers > 1 ? await startCrew(config, terminal) : await startListening(config);
  const stopped = stopSignal();
  terminal.print(`Docket serves ${addressOf(config, listening)}/odata`);
  if (!listening.isEnabled)
    terminal.say(`It is not enabled: until "docket enable --data ${config.data}" it answers 503.`);
  return await untilStopped(stopped, listening, terminal);
}

/** Serves on until it is told to stop. */
export async function untilStopped(
  stopped: Promise<void>,
  { stop }: Pick<Listening, 'stop'>,
  terminal: Terminal,
): Promise<number> {
  await stopped;
  terminal.say('Stopping: requests under way are finished.');
  await stop();
  return 0;
}

/** What serves, and whether an administrator has let it answer. */
type Serving = Pick<Listening, 'port' | 'stop'> & { readonly isEnabled: boolean };

/** What stands against serving is found here, where it can be told once. */
async function startCrew(config: Config, { say }: Terminal): Promise<Serving> {
  const { database, world } = await openInstallation(config);
  const isEnabled = isEnabledIn(database);
  await database.close();
  readPair(config);
  // Workers read the certificate again themselves.
  if (config.tls !== undefined) process.on('SIGHUP', () => undefined);
  return { ...(await startWorkers(config.workers, makeBrake(world), say)), isEnabled };
}

async function serveAsWorker(config: Config): Promise<number> {
  try {
    const listening = await startListening(config, placeOfWorker());
    await Promise.race([stopSignal(), abandoned()]);
    await listening.stop();
    return 0;
  } finally {
    leaveCrew();
  }
}

/** Opens the installation and listens. Faults: those of openInstallation. */
export async function startListening(config: Config, place = ALONE): Promise<Serving> {
  const pair = readPair(config);
  const installation = await openInstallation(config);
  const brake = isWorker() ? lentBrake() : makeBrake(installation.world);
  const wired = wireService(installation, { place, brake });
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
  const endWatch = watchPair(config, pair, app, service.see);
  const { database } = installation;
  const endCare = place.number > 0 ? [] : startCare(installation, wired);
  const close = async () => {
    endWatch();
    await Promise.all(endCare.map((end) => end()));
    await service.jobs.close();
    await service.sessions.close();
    await stores.close();
    await database.close();
  };
  const where = { host: config.host, port: config.port };
  const listening = await listen(app, where, service.see, close).catch(async (error) => {
    await close();
    throw error;
  });
  service.jobs.resume(service, performer(service));
  return { ...listening, isEnabled: isEnabledIn(database) };
}

/** How long clients may take, and how many there may be. */
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

/** Looks after old changes and stray files until each is ended. */
function startCare(
  { config, database, world }: Installation,
  { service, stores, current }: WiredService,
): readonly (() => Promise<void>)[] {
  const { see } = service;
  const { strayHours } = config.files;
  const endTidying = startTidying(database, see);
  return [
    startRetention({ database, world, see, days: () => current().changeDays }),
    startSweep({ database, stores, world, see, strayHours }),
    async () => endTidying(),
  ];
}

/** `http://127.0.0.1:5181`. */
export function addressOf(config: Config, { port }: Pick<Listening, 'port'>): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/** Kept at the first SIGINT or SIGTERM; a second SIGINT ends the process at once. */
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
