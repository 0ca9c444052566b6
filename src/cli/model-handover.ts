// This file hands the database over from running services to a program that applies another model, and back. The program announces
// itself in a setting and waits until it has the database alone. Services notice the setting, complete their requests, close the
// database, and start again with the new model once the program is done. An announcement is repeated while the program waits, so
// that services do not wait for a program that has been killed.
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import { HANDOVER_SETTING } from '../service/models/stored-application.ts';
import { startJob } from '../store/background-job.ts';
import type { Database, Work } from '../store/database.ts';
import type { InstallationDatabase, Migration } from '../store/installation-database.ts';
import { currentSetting, removeSetting, storeSetting } from '../store/installation-settings.ts';
import { kept } from '../store/work.ts';

/** How long an announcement is valid, and between two announcements. Milliseconds. */
const VALID = 10_000;
const REPEAT = 1000;
/** How long services may take to close the database; requests in progress may take 20 seconds. Milliseconds. */
const PATIENCE = 60_000;
/** Between two attempts to have the database alone, and two checks of a service. Milliseconds. */
const INTERVAL = 300;

/** The database, which services hand over for a migration. `say` prints that services have to complete their requests first. */
export function withHandover(
  database: InstallationDatabase,
  say: (line: string) => void,
): InstallationDatabase {
  const openMigration = async (isAlone: boolean) =>
    isAlone ? await takeOver(database, say) : await database.openMigration(false);
  return { ...database, openMigration };
}

/** Ends a handover, as part of the migration. */
export function endHandover(): Work<void> {
  return removeSetting(HANDOVER_SETTING);
}

/** Ends a handover whose migration has failed, so that services continue immediately. */
export async function cancelHandover(database: InstallationDatabase): Promise<void> {
  if ((await database.setting(HANDOVER_SETTING)) === undefined) return;
  await writeTo(database, endHandover);
}

/** Throws: store.in-use, if a service does not hand over. */
async function takeOver(
  database: InstallationDatabase,
  say: (line: string) => void,
): Promise<Migration> {
  const end = Date.now() + PATIENCE;
  let announcedAt = 0;
  for (;;) {
    try {
      return await database.openMigration(true);
    } catch (error) {
      if (!isInUse(error) || Date.now() > end) throw error;
    }
    if (announcedAt === 0) say('Waiting until the service has completed its requests.');
    if (Date.now() - announcedAt > REPEAT) {
      announcedAt = Date.now();
      await announce(database);
    }
    await pause(INTERVAL);
  }
}

/** Another program that applies a model may have the database alone. */
async function announce(database: InstallationDatabase): Promise<void> {
  try {
    await writeTo(database, () => storeSetting(HANDOVER_SETTING, String(Date.now())));
  } catch (error) {
    if (!isMigrating(database, error)) throw error;
  }
}

/** Opens the database for one transaction. */
export async function writeTo(
  database: InstallationDatabase,
  work: () => Work<void>,
): Promise<void> {
  const opened = await database.open();
  try {
    await opened.write(() => kept(work()));
  } finally {
    await opened.close();
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Fault && error.code === 'store.in-use';
}

/** Whether the error shows that another program has the database alone. */
function isMigrating(database: InstallationDatabase, error: unknown): boolean {
  if (error instanceof Fault) return /^store\.(migrating|busy|other-version)$/.test(error.code);
  return database.problemOf(error) === 'locked';
}

function isAnnounced(setting: string | undefined): boolean {
  return setting !== undefined && Math.abs(Date.now() - Number(setting)) < VALID;
}

/** The announcement of a program that applies a model. */
export interface HandoverWatch {
  /** Resolves when the service has to hand the database over. */
  readonly announced: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Watches for announcements. */
export function watchForHandover(database: Database, observe: Observe): HandoverWatch {
  let resolveAnnounced: () => void = () => undefined;
  const announced = new Promise<void>((resolve) => {
    resolveAnnounced = resolve;
  });
  const stop = startJob('model', INTERVAL, observe, async () => {
    if (await mustHandOver(database)) resolveAnnounced();
  });
  return { announced, stop };
}

/** A database that cannot be reached is reported by the requests that need it. */
async function mustHandOver(database: Database): Promise<boolean> {
  try {
    return isAnnounced(await currentSetting(database, HANDOVER_SETTING));
  } catch (error) {
    return error instanceof Fault && error.code === 'store.other-version';
  }
}

/**
 * Opens what needs the database, and waits as long as a program applies a model. Returns undefined once `isStopping` returns true.
 * Throws what `open` throws otherwise.
 */
export async function afterHandover<Result>(
  database: InstallationDatabase,
  open: () => Promise<Result>,
  isStopping: () => boolean,
): Promise<Result | undefined> {
  while (!isStopping()) {
    try {
      if (!isAnnounced(await database.setting(HANDOVER_SETTING))) return await open();
    } catch (error) {
      if (!isMigrating(database, error)) throw error;
    }
    await pause(INTERVAL);
  }
  return undefined;
}

/** A service that another model can replace. */
interface Replaceable {
  /** The version of its model. */
  readonly version: number;
  /** Resolves when another model is to be applied. */
  readonly handover: Promise<void>;
  /** Completes the requests in progress and closes the database. From then on, requests return 503. */
  readonly standBy: () => Promise<void>;
}

/** How services are replaced. */
export interface Succession<One> {
  readonly database: InstallationDatabase;
  /** Resolves when no further service is wanted. */
  readonly stopped: Promise<void>;
  /** Starts the service that replaces another one. */
  readonly restart: (former: One) => Promise<One>;
  readonly say: (line: string) => void;
}

/** Replaces a service by one with each model that is applied, until it is stopped, and returns the last one. */
export async function followModels<One extends Replaceable>(
  first: One,
  { database, stopped, restart, say }: Succession<One>,
): Promise<One> {
  let serving = first;
  let isStopping = false;
  const stop = stopped.then(() => {
    isStopping = true;
  });
  for (;;) {
    await Promise.race([stop, serving.handover]);
    if (isStopping) return serving;
    const former = serving;
    say('Another model is being applied. Requests return 503 until it is in force.');
    await former.standBy();
    const open = async () => await restart(former);
    const next = await afterHandover(database, open, () => isStopping);
    if (next === undefined) return former;
    serving = next;
    say(`Serving version ${next.version} of the model.`);
  }
}
