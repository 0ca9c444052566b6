// This file answers requests later: a request with Prefer: respond-async is kept, the client is told where its answer will be found, and
// the request is done afterwards, also when the process ends before: the next one at the same place does it. That it is not done twice is
// the business of repeat.ts: its deed is stored under the key of the job in its own transaction, and doing it again finds that.
// Source: OData 4.01 Protocol, "Asynchronous Requests", "Status Monitor Resource"; RFC 7240, "The respond-async Preference".
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { readPreferences } from '../request/prefer.ts';
import type { Answer } from '../response/answer.ts';
import { renderError } from '../response/error.ts';
import {
  addJob,
  finishJob,
  type Job,
  jobId,
  jobKey,
  type Place,
  readJob,
  unfinishedJobs,
} from './job-table.ts';
import { doOnce, repeatOf } from './repeat.ts';
import type { Call, LaterRequests, Perform, Service } from './service.ts';

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
        addJob(transaction, { id, call }, principal, service.world.now());
        return acceptance(monitorAddress(call, id), call);
      });
      return { result: { answer: result, isNew: added }, keep: true };
    });
    if (!isNew) return answer;
    const done = this.#start(id, service, async () => await perform(own(call, id), principal));
    const { wait } = readPreferences(call.headers.prefer);
    if (wait === undefined || wait === 0) return answer;
    return (await within(done, Math.min(wait, LONGEST_WAIT) * 1000)) ?? answer;
  }

  /** Does what an earlier process at this place has left undone. */
  resume(service: Service, perform: Perform): void {
    for (const id of unfinishedJobs(service.database, this.#place)) {
      void this.#start(id, service, async () => {
        const job = readJob(service.database, id);
        if (job === undefined) return undefined;
        const principal = await principalOf(service, job);
        return principal instanceof Fault
          ? renderError(principal)
          : await perform(own(job.call, id), principal);
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
  async #start(
    id: string,
    service: Service,
    work: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
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

  async #run(
    id: string,
    service: Service,
    work: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    try {
      const answer = await this.#persist(work);
      // A service that is being stopped refuses its deeds: such a request is done by the next process.
      if (answer === undefined || (this.#isClosed && answer.status >= 500)) return undefined;
      const now = service.world.now();
      const times = { now, until: now + service.limits.asyncHours * HOUR };
      await this.#persist(async () => {
        await service.database.write((transaction) => ({
          result: finishJob(transaction, id, answer, times),
          keep: true,
        }));
        return undefined;
      });
      return answer;
    } catch (error) {
      if (!(error instanceof Fault)) service.see({ kind: 'failure', id, error });
      return undefined;
    }
  }

  /** Tries again where the service was too busy: nobody is there who would. */
  async #persist(work: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    for (let attempts = 1; ; attempts++) {
      const isLast = attempts === ATTEMPTS || this.#isClosed;
      try {
        const answer = await work();
        if (answer?.status !== 503 || isLast) return answer;
      } catch (error) {
        if (isLast || !(error instanceof Fault) || error.status !== 503) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN * 1000));
    }
  }
}

/** Who asked, with the rights of now. The account may have been blocked meanwhile, or its name given to another one. */
async function principalOf(
  service: Service,
  { account, loginName }: Job,
): Promise<Principal | Fault> {
  try {
    const principal = await service.sessions.principalNamed(loginName);
    return principal.account === account ? principal : new Fault('auth.token-invalid');
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
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
      'Preference-Applied': 'respond-async',
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
