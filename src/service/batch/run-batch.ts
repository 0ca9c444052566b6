// This file carries out the requests of a batch one after the other: those outside of groups each on their own, a group as one deed of
// the database, so that all of it is done or nothing. What a request has made is remembered under its id for those that refer to it.
// Source: OData 4.01 Protocol, "Batch Requests"; OData 4.01 JSON Format, "Processing a Batch Request".
import type { Principal } from '../../access/principal.ts';
import { piecesOf } from '../../attachments/byte-streams.ts';
import type { IncomingFile } from '../../attachments/upload-headers.ts';
import { Fault, unreachable } from '../../base/fault.ts';
import { type Ready, whenReady } from '../../base/value-or-promise.ts';
import { answerAskedFor, readWishes } from '../../request/headers/headers.ts';
import { renderError, type Spoken } from '../../response/error.ts';
import type { Answer } from '../../response/response.ts';
import type { WorkResult } from '../../store/database.ts';
import type { Corridor } from '../answer-request.ts';
import { announced, type Repeat } from '../deferred/repeatable-requests.ts';
import { inMemory } from '../files/download.ts';
import {
  mayTakeBytes,
  readFile,
  takesBytes,
  type Within,
  writeWithFiles,
} from '../files/uploads.ts';
import type { Call } from '../service.ts';
import type { AnsweredItem, BatchAnswer, BatchItem, BatchRequest } from './batch-request.ts';
import { addressOfPart, type Made, tagOfPart } from './request-url.ts';

/** Bytes that the answers of one batch may have together; they are held until the last one is there. */
const ANSWER_LIMIT = 134_217_728;
/** After so many milliseconds others get their turn. */
const TURN = 5;

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What a part takes from the batch where it says nothing itself. */
const INHERITED = ['accept-language', 'odata-maxversion', 'odata-version'] as const;
/** What says who asks, and where: that of the batch counts. */
const NOT_TAKEN: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

export interface BatchSetting {
  /** The batch itself. */
  readonly call: Call;
  readonly corridor: Corridor;
  /** Whether to go on after a request that failed. */
  readonly continues: boolean;
  /** The batch is repeatable, and so are its parts. */
  readonly repeat: Repeat | undefined;
}

/** What was made so far; a group works on a copy, since it may come to nothing. */
interface Ledger extends Made {
  readonly urls: Map<string, string>;
  readonly etags: Map<string, string>;
  readonly failed: Set<string>;
}

/** A group that came to an end. */
interface DoneGroup {
  readonly answers: readonly BatchAnswer[];
  readonly ledger: Ledger;
}

/** The course of one batch. */
export class BatchRun {
  readonly #setting: BatchSetting;
  /** Headers of requests that have none of their own. */
  readonly #inherited: Call['headers'];
  #ledger: Ledger;
  #started = 0;
  #bytes = 0;
  /** Whether the requests that are left are not done. */
  #isOver = false;

  constructor(setting: BatchSetting, items: readonly BatchItem[]) {
    this.#setting = setting;
    this.#inherited = inheritedFrom(setting.call);
    const ids = new Set<string>();
    for (const item of items)
      for (const { id } of requestsOf(item)) if (id !== undefined) ids.add(id);
    this.#ledger = { urls: new Map(), etags: new Map(), failed: new Set(), ids };
  }

  /** Answers in the order of the items, up to the first failure where the batch does not go on. */
  async perform(items: readonly BatchItem[]): Promise<readonly AnsweredItem[]> {
    const answered: AnsweredItem[] = [];
    let rest = items;
    while (rest.length > 0 && !this.#isOver) {
      const waited = this.#answerAtOnce(rest, answered);
      if (waited !== undefined) this.#add(answered, await waited);
      rest = items.slice(answered.length);
      if (waited === undefined && rest.length > 0) await new Promise((done) => setImmediate(done));
    }
    return answered;
  }

  /** Adds answers for which nothing has to be waited for, as long as it is not others' turn. Gives the first of the other ones. */
  #answerAtOnce(
    items: readonly BatchItem[],
    answered: AnsweredItem[],
  ): Promise<AnsweredItem> | undefined {
    const { world, database } = this.#setting.corridor.service;
    const end = world.elapsed() + TURN;
    const release = database.pinSnapshot();
    try {
      for (const item of items) {
        const next = this.#isFull() ? this.#tooLarge(item) : this.#answerItem(item);
        if (next instanceof Promise) return next;
        this.#add(answered, next);
        if (this.#isOver || world.elapsed() > end) break;
      }
    } finally {
      release();
    }
    return undefined;
  }

  #add(answered: AnsweredItem[], next: AnsweredItem): void {
    this.#isOver = this.#isFull() || (!this.#setting.continues && hasFailed(next));
    answered.push(next);
    this.#bytes += sizeOf(next);
  }

  #isFull(): boolean {
    return this.#bytes > ANSWER_LIMIT;
  }

  #answerItem(item: BatchItem): Ready<AnsweredItem> {
    switch (item.kind) {
      case 'malformed':
        return this.#refused(item.id, item.fault, undefined);
      case 'request':
        return this.#answerRequest(item.request);
      case 'group':
        return this.#answerGroup(item);
      default:
        return unreachable(item);
    }
  }

  #answerRequest(request: BatchRequest): Ready<AnsweredItem> {
    const number = this.#started++;
    const call = attempt(() => this.#callOf(request, number, this.#ledger));
    if (call instanceof Fault) return this.#refused(request.id, call, request);
    const held = whenReady(this.#setting.corridor.answer(call), (answer) =>
      answer.source === undefined ? answer : this.#inMemory(call, answer),
    );
    return whenReady(held, (answer) => {
      note(this.#ledger, request.id, call, answer);
      return { kind: 'answer', answer: toPart(request.id, call, answer) };
    });
  }

  /** Parts of a batch are written when all answers are there. */
  async #inMemory(call: Call, answer: Answer): Promise<Answer> {
    try {
      return await inMemory(answer, ANSWER_LIMIT - this.#bytes);
    } catch (error) {
      return renderError(error, answerAskedFor(call.headers, call.query));
    }
  }

  #refused(
    id: string | undefined,
    error: unknown,
    request: BatchRequest | undefined,
  ): AnsweredItem {
    if (id !== undefined) this.#ledger.failed.add(id);
    return { kind: 'answer', answer: this.#refusal(id, error, request) };
  }

  // ---- groups -------------------------------------------------------------------------------------------------------

  async #answerGroup(group: BatchItem & { readonly kind: 'group' }): Promise<AnsweredItem> {
    const { service } = this.#setting.corridor;
    const first = this.#started;
    this.#started += group.requests.length;
    let index = 0;
    try {
      const files = await this.#filesOf(group.requests);
      const principal = await this.#setting.corridor.current();
      const done = await writeWithFiles(service, (within) =>
        this.#performGroup({ requests: group.requests, files, first, principal }, within, (at) => {
          index = at;
        }),
      );
      this.#ledger = done.ledger;
      return { kind: 'group', id: group.id, answers: done.answers, failure: undefined };
    } catch (error) {
      return this.#failedGroup(group, index, error);
    }
  }

  /** The deed of a group. `reach` is told which request is being done. Faults: the first one that a request of it raises. */
  #performGroup(
    { requests, files, first, principal }: Group,
    within: Within,
    reach: (index: number) => void,
  ): WorkResult<DoneGroup> {
    const ledger = copyOf(this.#ledger);
    const answers: BatchAnswer[] = [];
    let keep = true;
    checkIds(requests);
    for (const [index, request] of requests.entries()) {
      reach(index);
      const incoming = files.get(request);
      const plain = this.#callOf(request, first + index, ledger);
      const call = incoming === undefined ? plain : withFile(plain, incoming, this.#setting);
      if (READING.has(call.method)) throw new Fault('batch.read-in-group', { method: call.method });
      const deed = this.#setting.corridor.write(call, principal, within);
      keep &&= deed.keep;
      note(ledger, request.id, call, deed.result);
      answers.push(toPart(request.id, call, announced(call, deed.result)));
    }
    return { result: { answers, ledger }, keep };
  }

  /** What bodies that may be files say of themselves: where their paths lead is known only when what they refer to is made. */
  async #filesOf(
    requests: readonly BatchRequest[],
  ): Promise<ReadonlyMap<BatchRequest, IncomingFile>> {
    const { model } = this.#setting.corridor.service;
    const files = new Map<BatchRequest, IncomingFile>();
    for (const request of requests) {
      const { body, headers, url } = request;
      const isFile = body !== undefined && mayTakeBytes(model, url.replace(/\?.*$/, ''));
      if (isFile) files.set(request, await readFile(piecesOf(body), Object.fromEntries(headers)));
    }
    return files;
  }

  /** Nothing of it was done: the request that failed tells why, the others that they depended on it. */
  #failedGroup(
    { id: group, requests }: BatchItem & { readonly kind: 'group' },
    index: number,
    error: unknown,
  ): AnsweredItem {
    const culprit = requests[index];
    const failure = this.#refusal(culprit?.id, error, culprit);
    const request = culprit?.id === undefined ? '' : ` (${culprit.id})`;
    const reason = error instanceof Fault ? error.message : 'the service has failed.';
    const answers = requests.map((one, at) =>
      at === index
        ? failure
        : this.#refusal(one.id, new Fault('batch.group', { request, reason }), one),
    );
    for (const id of [group, ...requests.map((one) => one.id)])
      if (id !== undefined) this.#ledger.failed.add(id);
    return { kind: 'group', id: group, answers, failure };
  }

  // ---- one request --------------------------------------------------------------------------------------------------

  /** The request as a call. Faults batch.* for URLs, references and dependencies. */
  #callOf(request: BatchRequest, number: number, ledger: Ledger): Call {
    const { call, repeat } = this.#setting;
    const failed = request.dependsOn.find((id) => ledger.failed.has(id));
    if (request.condition !== undefined) throw new Fault('batch.condition');
    if (failed !== undefined) throw new Fault('batch.dependency', { id: failed });
    const { method, body, url } = request;
    const headers =
      request.headers.size === 0 ? this.#inherited : headersOfPart(request, call, ledger);
    const { path, query } = addressOfPart(url, headers.host, call.root, ledger);
    const part: Call = {
      id: `${call.id}.${number + 1}`,
      method,
      path,
      query,
      headers,
      body,
      address: call.address,
      root: call.root,
      contentIds: ledger.urls,
    };
    const isOwn = 'repeatability-request-id' in headers || 'idempotency-key' in headers;
    const isRepeatable = repeat !== undefined && (repeat.job !== undefined || !isOwn);
    return isRepeatable ? { ...part, repeat: partOf(repeat, number) } : part;
  }

  #refusal(id: string | undefined, error: unknown, request: BatchRequest | undefined): BatchAnswer {
    const { call, corridor } = this.#setting;
    if (!(error instanceof Fault)) corridor.service.see({ kind: 'failure', id: call.id, error });
    const spoken = request === undefined ? undefined : spokenOf(request, call);
    const { status, headers, body } = renderError(error, spoken);
    return { id, status, headers, requestId: call.id, body };
  }

  #tooLarge(item: BatchItem): AnsweredItem {
    const fault = new Fault('batch.too-large', { limit: ANSWER_LIMIT });
    const [first] = requestsOf(item);
    return this.#refused(first?.id, fault, first);
  }
}

interface Group {
  readonly requests: readonly BatchRequest[];
  readonly files: ReadonlyMap<BatchRequest, IncomingFile>;
  /** With the rights of the moment at which the group begins. */
  readonly principal: Principal;
  /** Number of the first request in the batch. */
  readonly first: number;
}

function withFile(call: Call, incoming: IncomingFile, { corridor }: BatchSetting): Call {
  return takesBytes(call, corridor.service) ? { ...call, incoming } : call;
}

function attempt<Result>(work: () => Result): Result | Fault {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function requestsOf(item: BatchItem): readonly BatchRequest[] {
  if (item.kind === 'request') return [item.request];
  return item.kind === 'group' ? item.requests : [];
}

function checkIds(requests: readonly BatchRequest[]): void {
  const seen = new Set<string>();
  for (const { id } of requests) {
    if (id !== undefined && seen.has(id)) throw new Fault('batch.same-id', { id });
    if (id !== undefined) seen.add(id);
  }
}

function copyOf({ urls, etags, failed, ids }: Ledger): Ledger {
  return { urls: new Map(urls), etags: new Map(etags), failed: new Set(failed), ids };
}

/** Remembers what later requests may refer to: what was made, or else what the request was about. */
function note(ledger: Ledger, id: string | undefined, call: Call, answer: Answer): void {
  if (id === undefined) return;
  if (answer.status >= 400) {
    ledger.failed.add(id);
    return;
  }
  const { Location, ETag } = answer.headers;
  const made = Location ?? answer.headers['OData-EntityId'];
  ledger.urls.set(id, made ?? `${call.root}${call.path}`);
  if (ETag !== undefined) ledger.etags.set(id, ETag);
}

function inheritedFrom(batch: Call): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const name of INHERITED) {
    if (batch.headers[name] !== undefined) headers[name] = batch.headers[name];
  }
  return headers;
}

function headersOfPart(request: BatchRequest, batch: Call, made: Made): Call['headers'] {
  const headers = inheritedFrom(batch);
  for (const [name, value] of request.headers) if (!NOT_TAKEN.has(name)) headers[name] = value;
  for (const name of ['if-match', 'if-none-match'] as const) {
    if (name in headers) headers[name] = tagOfPart(name, headers[name], made);
  }
  return headers;
}

/** Each part of a repeatable batch has a key of its own, made of that of the batch and its place. */
function partOf({ key, job }: Repeat, number: number): NonNullable<Call['repeat']> {
  const name = `${key}\n${number}`;
  return job === undefined ? { key: name } : { key: name, job };
}

/** The form in which the part wants its answer, where its headers can be read. */
function spokenOf({ headers }: BatchRequest, batch: Call): Spoken | undefined {
  const own = Object.fromEntries([...headers].filter(([name]) => name.startsWith('accept')));
  const version = headers.get('odata-maxversion') ?? batch.headers['odata-maxversion'];
  const wishes = attempt(() =>
    readWishes({ ...own, 'odata-maxversion': version }, undefined, undefined),
  );
  return wishes instanceof Fault ? undefined : wishes;
}

function toPart(id: string | undefined, call: Call, answer: Answer): BatchAnswer {
  const { status, headers, body } = answer;
  return {
    id,
    status,
    headers,
    requestId: call.id,
    body: call.method === 'HEAD' ? undefined : body,
  };
}

function answersOf(item: AnsweredItem): readonly BatchAnswer[] {
  return item.kind === 'answer' ? [item.answer] : item.answers;
}

function hasFailed(item: AnsweredItem): boolean {
  return answersOf(item).some(({ status }) => status >= 400);
}

function sizeOf(item: AnsweredItem): number {
  return answersOf(item).reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
}
