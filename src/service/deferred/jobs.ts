// This file answers requests later: a request with Prefer: respond-async is kept, the client is told where its answer will be found, and
// the request is done afterwards, also when the process ends before: the next one at the same place does it. That it is not done twice is
// the business of repeatable-requests.ts: its deed is stored under the key of the job in its own transaction, and doing it again finds that. A request
// runs with the rights that its account has at that moment.
// Source: OData 4.01 Protocol, "Asynchronous Requests", "Status Monitor Resource"; RFC 7240, "The respond-async Preference".
import type { Principal } from '../../access/principal.ts';
import type { Owner } from '../../auth/auth-records.ts';
import { Fault } from '../../base/fault.ts';
import { appliedPreference, readPreferences } from '../../request/headers/prefer.ts';
import { renderError } from '../../response/error.ts';
import type { Answer } from '../../response/response.ts';
import type { Call, LaterRequests, Perform, Service } from '../service.ts';
import {
  addJob,
  DEFERRED,
  type Finished,
  finishJob,
  type Job,
  jobId,
  jobKey,
  type Place,
  readJob,
  unfinishedJobs,
  WAITING,
} from './job-table.ts';
import { doOnce, REPEATABLE, repeatOf } from './repeatable-requests.ts';
import { bothStamps, covers, NO_RIGHTS, stampOf } from './rights-stamp.ts';
import { countAll, deferredLimits, isCounted } from './stored-responses.ts';

/** Requests that are done at the same time; others wait. */
const AT_ONCE = 4;
/** Seconds that a client may have itself kept waiting (Prefer: wait), and after which it is told to ask again. */
const LONGEST_WAIT = 30;
const ASK_AGAIN = 1;
/** Tries of a request while the service is too busy. */
const ATTEMPTS = 5;
const HOUR = 3_600_000;
const ALONE: Place = { number: 0, of: 1 };

interface Waiting {
  readonly id: string;
  readonly run: () => Promise<void>;
}

type Work = () => Promise<Finished | undefined>;

/** The requests that this process is doing, or will do. */
export class Jobs implements LaterRequests {
  readonly #waiting: Waiting[] = [];
  readonly #running = new Map<string, Promise<void>>();
  readonly #place: Place;
  #isClosed = false;

  /** @param place of this process among those that serve the installation */
  constructor(place: Place = ALONE) {
    this.#place = place;
  }

  /**
   * Keeps a request and answers 202 with the address of its status monitor, or with the answer where that comes within the time that
   * the client is ready to wait. Faults async.too-many, repeat.*, store.*.
   */
  async accept(
    call: Call,
    principal: Principal,
    service: Service,
    perform: Perform,
  ): Promise<Answer> {
    const id = jobId(this.#place, service.world.randomBytes(16));
    const repeat = repeatOf(call, principal, service);
    const { answer, isNew } = await service.database.write((transaction) => {
      let added = false;
      const result = doOnce(repeat, transaction, () => {
        added = true;
        const limits = deferredLimits(service.limits);
        addJob(transaction, { id, call }, principal, { now: service.world.now(), limits });
        return acceptance(monitorAddress(call, id), call);
      });
      return { result: { answer: result, isNew: added }, keep: true };
    });
    if (!isNew) return answer;
    const { account, session } = principal;
    const job: Job = { id, call, owner: { account, session } };
    const done = this.#start(id, service, async () => await runJob(job, service, perform));
    const { wait } = readPreferences(call.headers.prefer);
    if (wait === undefined || wait === 0) return answer;
    const finished = await within(done, Math.min(wait, LONGEST_WAIT) * 1000);
    if (finished === undefined) return answer;
    requireRights(finished, service, await service.sessions.current(principal));
    return finished.answer;
  }

  /** Does what an earlier process at this place has left undone. */
  resume(service: Service, perform: Perform): void {
    if (this.#place.number === 0) void countStored(service);
    for (const id of unfinishedJobs(service.database, this.#place)) {
      void this.#start(id, service, async () => {
        const job = readJob(service.database, id);
        return job === undefined ? undefined : await runJob(job, service, perform);
      });
    }
  }

  /** Starts nothing more and waits for what is running; the rest is done by the next process at this place. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    await Promise.all(this.#running.values());
  }

  /** Kept with the answer, or with undefined where there will be none from this process. */
  async #start(id: string, service: Service, work: Work): Promise<Finished | undefined> {
    return await new Promise((resolve) => {
      const run = async () => resolve(await this.#run(id, service, work));
      this.#waiting.push({ id, run });
      // The answer that the request was accepted goes out first.
      setImmediate(() => this.#next());
    });
  }

  #next(): void {
    while (!this.#isClosed && this.#running.size < AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const ended = next.run().finally(() => {
        this.#running.delete(next.id);
        this.#next();
      });
      this.#running.set(next.id, ended);
    }
  }

  async #run(id: string, service: Service, work: Work): Promise<Finished | undefined> {
    try {
      const finished = await this.#persist(work);
      // A service that is being stopped refuses its deeds: such a request is done by the next process.
      if (finished === undefined || (this.#isClosed && finished.answer.status >= 500))
        return undefined;
      const now = service.world.now();
      const limits = deferredLimits(service.limits);
      const times = { now, until: now + service.limits.asyncHours * HOUR, limits };
      await this.#persist(async () => {
        await service.database.write((transaction) => ({
          result: finishJob(transaction, id, finished, times),
          keep: true,
        }));
        return undefined;
      });
      return finished;
    } catch (error) {
      if (!(error instanceof Fault)) service.see({ kind: 'failure', id, error });
      return undefined;
    }
  }

  /** Tries again where the service was too busy: nobody is there who would. */
  async #persist(work: Work): Promise<Finished | undefined> {
    for (let attempts = 1; ; attempts++) {
      const isLast = attempts === ATTEMPTS || this.#isClosed;
      try {
        const finished = await work();
        if (finished?.answer.status !== 503 || isLast) return finished;
      } catch (error) {
        if (isLast || !(error instanceof Fault) || error.status !== 503) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN * 1000));
    }
  }
}

/** Counts the responses that a former version has stored. */
async function countStored({ database, see }: Service): Promise<void> {
  const tables = [WAITING, DEFERRED, REPEATABLE].filter((table) => !isCounted(database, table));
  if (tables.length === 0) return;
  try {
    await database.write((transaction) => {
      for (const table of tables) countAll(transaction, table);
      return { result: undefined, keep: true };
    });
  } catch (error) {
    see({ kind: 'failure', id: 'stored responses', error });
  }
}

/** Runs a request with the rights of now, and not at all where its account is blocked or its session has ended. Faults store.*. */
async function runJob(
  { id, call, owner }: Job,
  service: Service,
  perform: Perform,
): Promise<Finished> {
  const principal = await ownerNow(service, owner);
  if (principal === undefined)
    return { answer: renderError(new Fault('async.ended')), rights: NO_RIGHTS };
  const rights = stampOf(service, principal);
  const answer = await perform(own(call, id), principal);
  // Rights may have changed while it ran; parts of a batch were done with those of their moment.
  const later = (await ownerNow(service, owner)) ?? principal;
  return { answer, rights: bothStamps(rights, stampOf(service, later)) };
}

async function ownerNow(service: Service, owner: Owner): Promise<Principal | undefined> {
  try {
    return await service.sessions.current(owner);
  } catch (error) {
    if (error instanceof Fault && error.code === 'auth.token-invalid') return undefined;
    throw error;
  }
}

/** Fault async.rights (403) where the principal no longer has the rights that the answer was made with. */
export function requireRights(
  { answer, rights }: Finished,
  service: Pick<Service, 'roles'>,
  principal: Principal,
): void {
  if (covers(stampOf(service, principal), rights)) return;
  throw new Fault('async.rights', { status: answer.status });
}

/** Path of status monitors below the service root. */
export const MONITORS = '$async/';

export function monitorAddress({ root }: Call, id: string): string {
  return `${root}${MONITORS}${id}`;
}

/** 202: the request is being done. RFC 9110, "202 Accepted". */
export function acceptance(location: string, call: Call): Answer {
  const version = Number(call.headers['odata-maxversion'] ?? '4.0') >= 4.01 ? '4.01' : '4.0';
  return {
    status: 202,
    headers: {
      'OData-Version': version,
      Location: location,
      'Retry-After': String(ASK_AGAIN),
      'Preference-Applied': appliedPreference(
        readPreferences(call.headers.prefer),
        'respond-async',
      ),
    },
    body: undefined,
  };
}

/** The request as the service itself does it. */
function own(call: Call, id: string): Call {
  return { ...call, repeat: { key: jobKey(id), job: id } };
}

async function within<Result>(
  work: Promise<Result>,
  milliseconds: number,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
