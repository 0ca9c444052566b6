// This file holds the commands that serve: `start` for the first acquaintance, `serve` for everything after it. Ctrl-C drains: what is
// under way is finished, what comes afterwards is refused, and the exit code is 0.
import { startSweep } from '../attachments/sweep.ts';
import { startRetention } from '../changes/retention.ts';
import { createApp } from '../http/app.ts';
import { type Listening, listen } from '../http/server.ts';
import { performer } from '../service/handle.ts';
import { readPair, watchPair } from './certificate.ts';
import type { Config } from './config.ts';
import { loadForeign } from './foreign.ts';
import {
  DEMO_NOW,
  keepDemoAccount,
  makeDemo,
  makeUpPassword,
  readDemoAccount,
} from './installation.ts';
import type { Terminal } from './terminal.ts';
import {
  hasInstallation,
  type Installation,
  openInstallation,
  setOf,
  type WiredService,
  wireService,
} from './wire.ts';
import {
  abandoned,
  type Crew,
  type Duty,
  dutyOfWorker,
  isWorker,
  leaveCrew,
  sharedBrake,
  startWorkers,
} from './workers.ts';

type Flags = Readonly<Record<string, unknown>>;

const DEMO_ADMINISTRATOR = 'admin';

/** `docket serve`. */
export async function serve(config: Config, flags: Flags, terminal: Terminal): Promise<number> {
  const { load } = flags;
  if (typeof load === 'string' && !hasInstallation(config))
    await loadForeign(config, load, terminal);
  if (isWorker()) return await serveAsWorker(config);
  const listening = config.workers > 1 ? await startCrew(config) : await startListening(config);
  terminal.print(`Docket serves ${addressOf(config, listening)}/odata`);
  await stopSignal();
  terminal.say('Stopping: requests under way are finished.');
  await listening.stop();
  return 0;
}

/** What stands against serving is found here, where it can be told: workers say nothing. */
async function startCrew(config: Config): Promise<Crew> {
  const { database } = await openInstallation(config);
  await database.close();
  readPair(config);
  // Workers read the certificate again themselves.
  if (config.tls !== undefined) process.on('SIGHUP', () => undefined);
  return await startWorkers(config.workers);
}

async function serveAsWorker(config: Config): Promise<number> {
  const listening = await startListening(config, dutyOfWorker());
  await Promise.race([stopSignal(), abandoned()]);
  await listening.stop();
  leaveCrew();
  return 0;
}

/** `docket start`: makes the demo installation where there is none, serves it, and says how to ask it something. */
export async function start(config: Config, flags: Flags, terminal: Terminal): Promise<number> {
  if (!hasInstallation(config)) {
    const account = { name: DEMO_ADMINISTRATOR, password: makeUpPassword() };
    terminal.say(`Making a demo installation in ${config.data}.`);
    await makeDemo(
      config,
      { requests: Number(flags.requests ?? 1500), seed: 1, now: DEMO_NOW },
      account,
      terminal,
    );
    keepDemoAccount(config, account);
  }
  const listening = await startListening(config);
  const address = addressOf(config, listening);
  const account = readDemoAccount(config);
  terminal.print(`Docket serves ${address}/odata`);
  if (account !== undefined) {
    terminal.print(`Demo account: ${account.name}, password ${account.password}`);
    terminal.print('Try it:');
    terminal.print(`  ${curlLine(address, account.name, account.password)}`);
  }
  await stopSignal();
  terminal.say('Stopping: requests under way are finished.');
  await listening.stop();
  return 0;
}

/** A line to paste: a token, then a query with it. */
function curlLine(address: string, name: string, password: string): string {
  const form = `-d grant_type=password -d username=${name} -d password=${password}`;
  const token = `$(curl -s ${address}/token ${form} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return `curl -s -H "Authorization: Bearer ${token}" "${address}/odata/ServiceRequests?\\$top=3&\\$select=Uid,Description,Status"`;
}

async function startListening(config: Config, duty: Duty = 'all'): Promise<Listening> {
  const pair = readPair(config);
  const installation = await openInstallation(config);
  const wired = wireService(installation);
  const { service, grants, stores, current } = wired;
  const app = createApp({
    service,
    grants: isWorker() ? { ...grants, brake: sharedBrake(grants.brake) } : grants,
    proxies: { trusted: new Set(current().trustedProxies) },
    corsOrigins: setOf(() => current().corsOrigins),
    needsEncryption: !config.allowInsecureTokens,
    ...(pair === undefined ? {} : { pair }),
  });
  const endWatch = watchPair(config, pair, app, service.see);
  const { database } = installation;
  const endCare = duty === 'none' ? [] : startCare(installation, wired);
  const close = async () => {
    endWatch();
    await Promise.all(endCare.map((end) => end()));
    await service.jobs.close();
    await service.sessions.close();
    await stores.close();
    await database.close();
  };
  const listening = await listen(app, { host: config.host, port: config.port }, service.see, close);
  if (duty === 'all') service.jobs.resume(service, performer(service));
  return listening;
}

/** Looks after old changes and stray files until each is ended. */
function startCare(
  { config, database, world }: Installation,
  { service, stores, current }: WiredService,
): readonly (() => Promise<void>)[] {
  const { see } = service;
  const { strayHours } = config.files;
  return [
    startRetention({ database, world, see, days: () => current().changeDays }),
    startSweep({ database, stores, world, see, strayHours }),
  ];
}

function addressOf(config: Config, { port }: Pick<Listening, 'port'>): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/** Kept at the first SIGINT or SIGTERM; a second SIGINT ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once('SIGINT', () => process.exit(130));
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}
