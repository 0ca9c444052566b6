// This file runs the requests of a batch in order. Requests outside of groups run separately; a group runs in one transaction. It records
// the results of requests by id, for later requests that refer to them.
// Source: OData 4.01 Protocol, "Batch Requests"; OData 4.01 JSON Format, "Processing a Batch Request".
import type { Principal } from '../../access/principal.ts';
import { chunksOf } from '../../attachments/byte-streams.ts';
import type { IncomingFile } from '../../attachments/upload-headers.ts';
import { Fault, unreachable } from '../../base/fault.ts';
import { andThen, type MaybePromise } from '../../base/value-or-promise.ts';
import { errorFormFor, negotiateHeaders } from '../../request/headers/headers.ts';
import { readPreferences } from '../../request/headers/parse-prefer.ts';
import { type ErrorForm, renderError } from '../../response/error.ts';
import type { Answer } from '../../response/response.ts';
import type { Work, WorkResult } from '../../store/database.ts';
import { type Repeat, withRepeatabilityResult } from '../deferred/repeatable-requests.ts';
import { inMemory } from '../files/download.ts';
import {
  hasFileBody,
  mayTakeFile,
  readFile,
  type Staging,
  writeWithFiles,
} from '../files/uploads.ts';
import type { Call } from '../service.ts';
import type {
  AnsweredItem,
  BatchAnswer,
  BatchItem,
  BatchRequest,
  SubrequestHandler,
} from './batch-request.ts';
import { headersOfPart, inheritedFrom } from './part-headers.ts';
import { copyResults, newResults, type Results, recordResult } from './request-results.ts';
import { addressOfPart } from './request-url.ts';

/** Maximum size of all responses of a batch, which are held in memory until the last one is complete. Bytes. */
const RESPONSE_LIMIT = 134_217_728;
/** Time after which a batch yields to other requests. Milliseconds. */
const TURN = 5;

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface BatchSetting {
  /** The batch itself. */
  readonly call: Call;
  readonly handler: SubrequestHandler;
  /** Whether to continue after a failed request. */
  readonly continues: boolean;
  /** Whether no request stores anything. */
  readonly dryRun: boolean;
  /** Set if the batch, and therefore each of its parts, is repeatable. */
  readonly repeat: Repeat | undefined;
}

interface CompletedGroup {
  readonly answers: readonly BatchAnswer[];
  readonly results: Results;
}

/** Runs one batch. */
export class BatchRun {
  readonly #setting: BatchSetting;
  /** Headers of requests that have none of their own. */
  readonly #inherited: Call['headers'];
  #results: Results;
  #started = 0;
  #bytes = 0;
  /** Whether the remaining requests are skipped. */
  #isOver = false;

  constructor(setting: BatchSetting, items: readonly BatchItem[]) {
    this.#setting = setting;
    this.#inherited = inheritedFrom(setting);
    const ids = new Set<string>();
    for (const item of items)
      for (const { id } of requestsOf(item)) if (id !== undefined) ids.add(id);
    this.#results = newResults(ids);
  }

  /** Answers the items in order, up to the first failure unless the batch continues on errors. */
  async perform(items: readonly BatchItem[]): Promise<readonly AnsweredItem[]> {
    const answered: AnsweredItem[] = [];
    let rest = items;
    while (rest.length > 0 && !this.#isOver) {
      const pending = this.#answerSynchronously(rest, answered);
      if (pending !== undefined) this.#add(answered, await pending);
      rest = items.slice(answered.length);
      if (pending === undefined && rest.length > 0)
        await new Promise((resolve) => setImmediate(resolve));
    }
    return answered;
  }

  /** Answers items until the turn ends or one is asynchronous, and returns the promise of that one. */
  #answerSynchronously(
    items: readonly BatchItem[],
    answered: AnsweredItem[],
  ): Promise<AnsweredItem> | undefined {
    const { world, database } = this.#setting.handler.service;
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
    return this.#bytes > RESPONSE_LIMIT;
  }

  #answerItem(item: BatchItem): MaybePromise<AnsweredItem> {
    switch (item.kind) {
      case 'malformed':
        return this.#rejectedItem(item.id, item.fault, undefined);
      case 'request':
        return this.#answerRequest(item.request);
      case 'group':
        return this.#answerGroup(item);
      default:
        return unreachable(item);
    }
  }

  #answerRequest(request: BatchRequest): MaybePromise<AnsweredItem> {
    const number = this.#started++;
    const call = attempt(() => this.#callOf(request, number, this.#results));
    if (call instanceof Fault) return this.#rejectedItem(request.id, call, request);
    const complete = andThen(this.#setting.handler.answer(call), (answer) =>
      answer.source === undefined ? answer : this.#inMemory(call, answer),
    );
    return andThen(complete, (answer) => {
      recordResult(this.#results, request.id, call, answer);
      return { kind: 'answer', answer: toPart(request.id, call, answer) };
    });
  }

  async #inMemory(call: Call, answer: Answer): Promise<Answer> {
    try {
      return await inMemory(answer, RESPONSE_LIMIT - this.#bytes);
    } catch (error) {
      return renderError(error, errorFormFor(call.headers, call.query));
    }
  }

  #rejectedItem(
    id: string | undefined,
    error: unknown,
    request: BatchRequest | undefined,
  ): AnsweredItem {
    if (id !== undefined) this.#results.failed.add(id);
    return { kind: 'answer', answer: this.#errorPart(id, error, request) };
  }

  // ---- groups -------------------------------------------------------------------------------------------------------

  async #answerGroup(group: BatchItem & { readonly kind: 'group' }): Promise<AnsweredItem> {
    const { handler } = this.#setting;
    const first = this.#started;
    this.#started += group.requests.length;
    let index = 0;
    try {
      const files = await this.#filesOf(group.requests);
      const principal = await handler.current();
      const prepared = { requests: group.requests, files, first, principal };
      const { answers, results } = await writeWithFiles(handler.service, (staging) =>
        this.#performGroup(prepared, staging, (current) => {
          index = current;
        }),
      );
      this.#results = results;
      return { kind: 'group', id: group.id, answers, failure: undefined };
    } catch (error) {
      return this.#failedGroup(group, index, error);
    }
  }

  /** Performs the requests of a group. Calls `onStart` with the index of each request. Throws: the fault of the first that fails. */
  *#performGroup(
    { requests, files, first, principal }: Group,
    staging: Staging,
    onStart: (index: number) => void,
  ): Work<WorkResult<CompletedGroup>> {
    const results = copyResults(this.#results);
    const answers: BatchAnswer[] = [];
    let keep = true;
    let { service } = this.#setting.handler;
    checkIds(requests);
    // One dry run has the whole group rolled back.
    const isDryRun = requests.some(({ headers }) => readPreferences(headers.get('prefer')).dryRun);
    for (const [index, request] of requests.entries()) {
      onStart(index);
      const incoming = files.get(request);
      const plain = { ...this.#callOf(request, first + index, results), isDryRun };
      const call = incoming === undefined ? plain : withFile(plain, incoming, this.#setting);
      if (READING.has(call.method)) throw new Fault('batch.read-in-group', { method: call.method });
      const written = yield* this.#setting.handler.write(call, service, principal, staging);
      service = written.next;
      keep &&= written.keep;
      recordResult(results, request.id, call, written.result);
      answers.push(toPart(request.id, call, withRepeatabilityResult(call, written.result)));
    }
    return { result: { answers, results }, keep };
  }

  /** Reads the headers of bodies that may be files. Whether they are is known once the entities in their URLs exist. */
  async #filesOf(
    requests: readonly BatchRequest[],
  ): Promise<ReadonlyMap<BatchRequest, IncomingFile>> {
    const { model } = this.#setting.handler.service;
    const files = new Map<BatchRequest, IncomingFile>();
    for (const request of requests) {
      const { body, headers, url } = request;
      const mayBeFile = body !== undefined && mayTakeFile(model, url.replace(/\?.*$/, ''));
      if (mayBeFile)
        files.set(request, await readFile(chunksOf(body), Object.fromEntries(headers)));
    }
    return files;
  }

  /** The group was rolled back: the failed request reports its error, the others that they depend on it. */
  #failedGroup(
    { id: group, requests }: BatchItem & { readonly kind: 'group' },
    index: number,
    error: unknown,
  ): AnsweredItem {
    const failed = requests[index];
    const failure = this.#errorPart(failed?.id, error, failed);
    const name = failed?.id === undefined ? '' : ` (${failed.id})`;
    const reason = error instanceof Fault ? error.message : 'the service has failed.';
    const answers = requests.map((request) =>
      request === failed
        ? failure
        : this.#errorPart(request.id, new Fault('batch.group', { request: name, reason }), request),
    );
    for (const id of [group, ...requests.map((request) => request.id)])
      if (id !== undefined) this.#results.failed.add(id);
    return { kind: 'group', id: group, answers, failure };
  }

  // ---- one request --------------------------------------------------------------------------------------------------

  /** Converts a request to a call. Throws: batch.* for URLs, references and dependencies. */
  #callOf(request: BatchRequest, number: number, results: Results): Call {
    const { call, repeat } = this.#setting;
    const failed = request.dependsOn.find((id) => results.failed.has(id));
    if (request.condition !== undefined) throw new Fault('batch.condition');
    if (failed !== undefined) throw new Fault('batch.dependency', { id: failed });
    const { method, body, url } = request;
    const headers =
      request.headers.size === 0 ? this.#inherited : headersOfPart(request, this.#setting, results);
    const { path, query } = addressOfPart(url, headers.host, call.root, results);
    const part: Call = {
      id: `${call.id}.${number + 1}`,
      method,
      path,
      query,
      headers,
      body,
      address: call.address,
      root: call.root,
      contentIds: results.urls,
    };
    const isOwn = 'repeatability-request-id' in headers || 'idempotency-key' in headers;
    const isRepeatable = repeat !== undefined && (repeat.job !== undefined || !isOwn);
    return isRepeatable ? { ...part, repeat: repeatOfPart(repeat, number) } : part;
  }

  #errorPart(
    id: string | undefined,
    error: unknown,
    request: BatchRequest | undefined,
  ): BatchAnswer {
    const { call, handler } = this.#setting;
    if (!(error instanceof Fault)) handler.service.observe({ kind: 'failure', id: call.id, error });
    const negotiated = request === undefined ? undefined : negotiate(request, call);
    const { status, headers, body } = renderError(error, negotiated);
    return { id, status, headers, requestId: call.id, body };
  }

  #tooLarge(item: BatchItem): AnsweredItem {
    const fault = new Fault('batch.too-large', { limit: RESPONSE_LIMIT });
    const [first] = requestsOf(item);
    return this.#rejectedItem(first?.id, fault, first);
  }
}

interface Group {
  readonly requests: readonly BatchRequest[];
  readonly files: ReadonlyMap<BatchRequest, IncomingFile>;
  /** With its rights at the start of the group. */
  readonly principal: Principal;
  /** Number of the first request in the batch. */
  readonly first: number;
}

function withFile(call: Call, incoming: IncomingFile, { handler }: BatchSetting): Call {
  return hasFileBody(call, handler.service) ? { ...call, incoming } : call;
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
  const ids = new Set<string>();
  for (const { id } of requests) {
    if (id !== undefined && ids.has(id)) throw new Fault('batch.same-id', { id });
    if (id !== undefined) ids.add(id);
  }
}

/** The key of a part of a repeatable batch: that of the batch, and the number of the part. */
function repeatOfPart({ key, job }: Repeat, number: number): NonNullable<Call['repeat']> {
  return { key: `${key}\n${number}`, job };
}

/** The version and format for errors of a part; undefined if its headers are invalid. */
function negotiate({ headers }: BatchRequest, batch: Call): ErrorForm | undefined {
  const own = Object.fromEntries([...headers].filter(([name]) => name.startsWith('accept')));
  const version = headers.get('odata-maxversion') ?? batch.headers['odata-maxversion'];
  const negotiated = attempt(() =>
    negotiateHeaders({ ...own, 'odata-maxversion': version }, undefined, undefined),
  );
  return negotiated instanceof Fault ? undefined : negotiated;
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
