// This file decides which process of an installation does what only one may do: scheduled work, and on PostgreSQL the asynchronous requests
// of processes that have ended. Processes agree by claims, as do several services within one process.
import type { Observe } from '../base/observation.ts';
import type { WorkerSlot } from '../service/deferred/job-table.ts';
import type { Perform, Service } from '../service/service.ts';
import { startJob } from '../store/background-job.ts';
import type { Claim, Database } from '../store/database.ts';
import type { ClaimHolder, InstallationDatabase } from '../store/installation-database.ts';

/** Milliseconds between attempts to take over the scheduled work, and between searches for requests of ended processes. */
const ATTEMPT_INTERVAL = 1000;
const ADOPTION_INTERVAL = 10_000;
const SCHEDULED_WORK = 'scheduled work';

const slotName = (number: number) => `process ${number}`;

/** Numbers of processes that are looked for. */
const LISTED_SLOTS = 1000;

/** A process that serves the installation, and whether it does the scheduled work. */
export interface ServingProcess extends Omit<ClaimHolder, 'name'> {
  readonly doesScheduledWork: boolean;
}

/** The processes on all machines; undefined where only this machine can serve the installation. */
export async function servingProcesses({
  claimHolders,
}: Pick<InstallationDatabase, 'claimHolders'>): Promise<readonly ServingProcess[] | undefined> {
  const slots = Array.from({ length: LISTED_SLOTS }, (_, number) => slotName(number));
  const holders = await claimHolders([...slots, SCHEDULED_WORK]);
  const scheduler = holders?.find(({ name }) => name === SCHEDULED_WORK);
  return holders
    ?.filter((holder) => holder !== scheduler)
    .map(({ name: _, ...holder }) => {
      const doesScheduledWork =
        holder.process === scheduler?.process && holder.connectedSince === scheduler.connectedSince;
      return { ...holder, doesScheduledWork };
    });
}

/** Claims the first free number for this process. Requests of other numbers are adopted one by one, never all. */
export async function claimSlot(database: Pick<Database, 'claim'>): Promise<WorkerSlot> {
  for (let number = 0; ; number++) {
    const name = slotName(number);
    // A lost number is claimed again: until then another process may adopt its requests, which never take effect twice.
    const claimAgain = () => {
      const retry = () => setTimeout(claimAgain, ATTEMPT_INTERVAL).unref();
      database.claim(name, claimAgain).then((claim) => claim ?? retry(), retry);
    };
    if ((await database.claim(name, claimAgain)) !== undefined)
      return { number, of: Number.POSITIVE_INFINITY };
  }
}

/**
 * Runs tasks while this process is the one that does the scheduled work.
 * @param start starts the tasks and returns the function that stops them
 * @returns the function that stops this
 */
export function whileScheduling(
  database: Pick<Database, 'claim'>,
  start: () => () => Promise<void>,
): () => Promise<void> {
  let held: { readonly claim: Claim; readonly stop: () => Promise<void> } | undefined;
  let isClosed = false;
  let attempt: Promise<void> = Promise.resolve();
  const lose = () => {
    void held?.stop();
    held = undefined;
  };
  const tryNow = async () => {
    const claim = await database.claim(SCHEDULED_WORK, lose);
    if (claim === undefined) return;
    if (isClosed) await claim.release();
    else held = { claim, stop: start() };
  };
  const next = () => {
    if (held === undefined) attempt = attempt.then(tryNow).catch(() => undefined);
  };
  next();
  const timer = setInterval(next, ATTEMPT_INTERVAL).unref();
  return async () => {
    isClosed = true;
    clearInterval(timer);
    await attempt;
    await held?.stop();
    await held?.claim.release();
  };
}

/** Runs the unfinished requests of processes that have ended, now and at intervals. Returns the function that stops this. */
export function startAdoption(
  service: Service,
  perform: Perform,
  own: WorkerSlot,
  observe: Observe,
): () => Promise<void> {
  const { database, jobs } = service;
  return startJob('adopted requests', ADOPTION_INTERVAL, observe, async () => {
    for (const number of await jobs.unfinishedSlots(service)) {
      if (number === own.number) continue;
      const claim = await database.claim(slotName(number), () => undefined);
      if (claim === undefined) continue;
      await jobs.adopt(service, perform, number);
      await claim.release();
    }
  });
}
