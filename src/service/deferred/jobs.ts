// This file runs asynchronous requests. A request with Prefer: respond-async is stored, the client gets the URL of its status monitor,
// and the request runs in the background with the current rights of its account. If the process ends first, the next one in its slot
// runs the request; repeatable-requests.ts keeps it from running twice, using the job as key.
// Source: OData 4.01 Protocol, "Asynchronous Requests", "Status Monitor Resource"; RFC 7240, "The respond-async Preference".
import type { Principal } from '../../access/principal.ts';
import type { Owner } from '../../auth/auth-records.ts';
import { Fault } from '../../base/fault.ts';
import { appliedPreference, readPreferences } from '../../request/headers/parse-prefer.ts';
import { renderError } from '../../response/error.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { withinTime } from '../../store/time-limit.ts';
import { kept } from '../../store/work.ts';
import { acceptCallback } from '../callbacks/accept-callback.ts';
import { dropCallbackOf } from '../callbacks/callback-table.ts';
import { unchangedLink } from '../callbacks/delta-callbacks.ts';
import type { AsyncRequests, Call, Perform, Service } from '../service.ts';
import {
  addJob,
  DEFERRED,
  type Finished,
  finishJob,
  type Job,
  jobId,
  jobKey,
  MONITORS,
  readJob,
  releaseJob,
  slotOf,
  unfinishedJobs,
  WAITING,
  type WorkerSlot,
} from './job-table.ts';
import { acceptOnce, REPEATABLE, type Repeat, repeatOf } from './repeatable-requests.ts';
import { bothStamps, covers, NO_RIGHTS, stampOf } from './rights-stamp.ts';
import { countAll, deferredLimits, isCounted, type ResponseTable } from './stored-responses.ts';

/** Requests that run at the same time. */
const PARALLEL_REQUESTS = 4;
/** Maximum of Prefer: wait, and Retry-After of 202 responses. Seconds. */
const LONGEST_WAIT = 30;
const RETRY_AFTER = 1;
/** Milliseconds until 503 becomes the response to a request, which covers a restart of the database. */
const PATIENCE = 60_000;
const HOUR = 3_600_000;
const ONLY_SLOT: WorkerSlot = { number: 0, of: 1 };

interface QueuedJob {
  readonly id: string;
  readonly run: () => Promise<void>;
}

type Attempt = () => Promise<Finished | undefined>;

/** The asynchronous requests of this process. */
export class Jobs implements AsyncRequests {
  readonly #waiting: QueuedJob[] = [];
  readonly #running = new Map<string, Promise<void>>();
  readonly #place: WorkerSlot;
  #isClosed = false;

  /** @param place the slot of this process among the workers of the installation */
  constructor(place: WorkerSlot = ONLY_SLOT) {
    this.#place = place;
  }

  /**
   * Stores a request and returns 202 with the URL of its status monitor, or the final response if it is ready within the client's
   * `wait` preference. Throws: async.too-many, async.full, repeat.*, store.*.
   */
  async accept(
    call: Call,
    principal: Principal,
    service: Service,
    perform: Perform,
  ): Promise<Answer> {
    const id = jobId(this.#place, service.world.randomBytes(16));
    const repeat = repeatOf(call, principal, service);
    const { answer, isNew, hasCallback } = await service.database.write(() =>
      kept(storeOnce({ id, call }, repeat, principal, service)),
    );
    // The parts of a batch that ran before have responses of their own.
    if (answer === 'reserved') return await perform(call, principal);
    if (!isNew) return answer;
    const { account, session } = principal;
    const job: Job = { id, call, owner: { account, session } };
    const finishing = this.#start(id, service, async () => await runJob(job, service, perform));
    const wait = waitOf(call);
    if (wait === 0) return answer;
    const finished = await withinTime(finishing, Math.min(wait, LONGEST_WAIT) * 1000);
    if (hasCallback) await settleCallback(id, finished, service);
    if (finished === undefined) return answer;
    requireRights(finished, service, await service.sessions.current(principal));
    return finished.answer;
  }

  /** Runs the requests that a previous process in this slot has left unfinished. */
  async resume(service: Service, perform: Perform): Promise<void> {
    if (this.#place.number === 0) void countUncounted(service);
    const ids = await unfinishedJobs(service.database, this.#place);
    for (const id of ids) void this.#continue(id, service, perform);
  }

  async unfinishedSlots({ database }: Service): Promise<readonly number[]> {
    return [...new Set((await unfinishedJobs(database)).map(slotOf))];
  }

  async adopt(service: Service, perform: Perform, slot: number): Promise<void> {
    const place = { number: slot, of: Number.POSITIVE_INFINITY };
    const ids = await unfinishedJobs(service.database, place);
    await Promise.all(ids.map((id) => this.#continue(id, service, perform)));
  }

  async #continue(id: string, service: Service, perform: Perform): Promise<void> {
    await this.#start(id, service, async () => {
      const job = await readJob(service.database, id);
      return job === undefined ? undefined : await runJob(job, service, perform);
    });
  }

  /** Waits for running requests. The next process in this slot runs the rest. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    await Promise.all(this.#running.values());
  }

  /** Queues a request. Resolves to its response, or to undefined if this process will not produce one. */
  async #start(id: string, service: Service, work: Attempt): Promise<Finished | undefined> {
    return await new Promise((resolve) => {
      const run = async () => resolve(await this.#run(id, service, work));
      this.#waiting.push({ id, run });
      // Lets the 202 response go out first.
      setImmediate(() => this.#next());
    });
  }

  #next(): void {
    while (!this.#isClosed && this.#running.size < PARALLEL_REQUESTS) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const ended = next.run().finally(() => {
        this.#running.delete(next.id);
        this.#next();
      });
      this.#running.set(next.id, ended);
    }
  }

  async #run(id: string, service: Service, work: Attempt): Promise<Finished | undefined> {
    try {
      const finished = await this.#retryWhileBusy(work);
      // A stopping service rejects writes. The next process repeats such a request.
      if (finished === undefined || (this.#isClosed && finished.answer.status >= 500))
        return undefined;
      const now = service.world.now();
      const limits = deferredLimits(service.limits);
      const times = { now, until: now + service.limits.asyncHours * HOUR, limits };
      await this.#retryWhileBusy(async () => {
        await service.database.write(() => kept(finishJob(id, finished, times)));
        return undefined;
      });
      return finished;
    } catch (error) {
      if (!(error instanceof Fault)) service.observe({ kind: 'failure', id, error });
      return undefined;
    }
  }

  /**
   * Retries while the service is too busy, as no client does, and for as long as the database is away. Requests of a batch that have been
   * performed return their first response.
   */
  async #retryWhileBusy(work: Attempt): Promise<Finished | undefined> {
    const end = performance.now() + PATIENCE;
    for (;;) {
      try {
        const finished = await work();
        const isLast = this.#isClosed || performance.now() > end;
        const isDone = finished?.answer.status !== 503 && finished?.answer.isRetryable !== true;
        if (isDone || isLast) return finished;
      } catch (error) {
        if (this.#isClosed || !(error instanceof Fault) || error.status !== 503) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER * 1000));
    }
  }
}

/** Stores a request and returns the 202 response, or the stored response of an earlier attempt. */
function* storeOnce(
  { id, call }: Pick<Job, 'id' | 'call'>,
  repeat: Repeat | undefined,
  principal: Principal,
  service: Service,
): Work<{
  readonly answer: Answer | 'reserved';
  readonly isNew: boolean;
  readonly hasCallback: boolean;
}> {
  let isNew = false;
  let hasCallback = false;
  const answer = yield* acceptOnce(repeat, function* () {
    isNew = true;
    const limits = deferredLimits(service.limits);
    yield* addJob({ id, call }, principal, { now: service.world.now(), limits });
    const awaits = { kind: 'job', id, isHeld: waitOf(call) > 0 } as const;
    hasCallback = yield* acceptCallback(call, principal, service, awaits);
    return acceptance(call, id, hasCallback);
  });
  return { answer, isNew, hasCallback };
}

/** Seconds for which the client waits for the response itself. */
function waitOf({ headers }: Call): number {
  return readPreferences(headers.prefer).wait ?? 0;
}

/** A client that gets the response itself needs no callback. One that is referred to the monitor does, also if the request ends meanwhile. */
async function settleCallback(
  id: string,
  finished: Finished | undefined,
  { database, world }: Service,
): Promise<void> {
  await database.write(() =>
    kept(finished === undefined ? releaseJob(id, world.now()) : dropCallbackOf(id)),
  );
}

/** Counts responses stored by versions that did not count them. */
async function countUncounted({ database, observe }: Service): Promise<void> {
  try {
    const tables: ResponseTable[] = [];
    for (const table of [WAITING, DEFERRED, REPEATABLE])
      if (!(await isCounted(database, table))) tables.push(table);
    if (tables.length === 0) return;
    await database.write(function* () {
      for (const table of tables) yield* countAll(table);
      return { result: undefined, keep: true };
    });
  } catch (error) {
    observe({ kind: 'failure', id: 'stored responses', error });
  }
}

/** Runs a request with the current rights of its account, unless that is blocked or the session has ended. Throws: store.*. */
async function runJob(
  { id, call, owner }: Job,
  service: Service,
  perform: Perform,
): Promise<Finished> {
  const principal = await currentOwner(service, owner);
  if (principal === undefined)
    return { answer: renderError(new Fault('async.ended')), rights: NO_RIGHTS };
  const rights = stampOf(service, principal);
  const answer = await perform({ ...call, repeat: { key: jobKey(id), job: id } }, principal);
  // Rights may change while it runs; each part of a batch runs with the current ones.
  const later = (await currentOwner(service, owner)) ?? principal;
  const link = unchangedLink(call, answer)?.waiting;
  return { answer, rights: bothStamps(rights, stampOf(service, later)), link };
}

async function currentOwner(service: Service, owner: Owner): Promise<Principal | undefined> {
  try {
    return await service.sessions.current(owner);
  } catch (error) {
    if (error instanceof Fault && error.code === 'auth.token-invalid') return undefined;
    throw error;
  }
}

/** Throws: async.rights if the principal no longer has the rights that the response was created with. */
export function requireRights(
  { answer, rights }: Finished,
  service: Pick<Service, 'roles'>,
  principal: Principal,
): void {
  if (covers(stampOf(service, principal), rights)) return;
  throw new Fault('async.rights', { status: answer.status });
}

/** The 202 response with the URL of the status monitor. RFC 9110, "202 Accepted". */
export function acceptance({ headers, root }: Call, id: string, hasCallback = false): Answer {
  const version = Number(headers['odata-maxversion'] ?? '4.0') >= 4.01 ? '4.01' : '4.0';
  const preferences = readPreferences(headers.prefer);
  return {
    status: 202,
    headers: {
      'OData-Version': version,
      Location: `${root}${MONITORS}${id}`,
      'Retry-After': String(RETRY_AFTER),
      'Preference-Applied': ['respond-async', ...(hasCallback ? ['callback'] : [])]
        .map((name) => appliedPreference(preferences, name))
        .join(', '),
    },
    body: undefined,
  };
}
