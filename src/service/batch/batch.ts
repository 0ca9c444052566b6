// This file answers POST $batch: it reads the batch in its format, runs its requests with run-batch.ts, and writes the responses in the
// format that Accept requests.
// Source: OData 4.01 Protocol, "Batch Requests"; OData 4.01 JSON Format, "Batch Requests and Responses".
import { Fault, notAllowed } from '../../base/fault.ts';
import { appliedPreference } from '../../request/headers/parse-prefer.ts';
import { ROW_OPTIONS } from '../../request/options/option-names.ts';
import type { Negotiated, Options, Tree } from '../../request/tree.ts';
import { contentType, headersOf } from '../../response/headers.ts';
import type { Answer } from '../../response/response.ts';
import { kept } from '../../store/work.ts';
import { repeatOf, reserveKey } from '../deferred/repeatable-requests.ts';
import { readJson } from '../json-body.ts';
import type { Call } from '../service.ts';
import type { AnsweredItem, BatchItem, SubrequestHandler } from './batch-request.ts';
import { readJsonBatch, writeJsonBatch } from './json-format.ts';
import { boundaryOf, readMultipart, writeMultipart } from './multipart-format.ts';
import { BatchRun } from './run-batch.ts';

/** Whether the call is for the batch endpoint. */
export function isBatch({ path }: Call): boolean {
  return /^(?:\$|%24)batch\/?$/.test(path);
}

/**
 * Answers a batch. Errors of its requests are in their responses. Throws errors of the batch as a whole: request.method,
 * request.media-type, request.body, request.misplaced-option, request.header, batch.too-many, repeat.*.
 */
export async function answerBatch(
  call: Call,
  tree: Tree,
  handler: SubrequestHandler,
): Promise<Answer> {
  const { service, principal } = handler;
  const { negotiated } = tree;
  checkRequest(tree);
  const isJson = negotiated.contentType?.name === 'application/json';
  const items = readItems(call, negotiated, isJson);
  checkNumber(items, service.limits.batchRequests);
  const repeat = repeatOf(call, principal, service);
  if (repeat !== undefined && call.repeat === undefined) {
    const stored = await service.database.write(() => kept(reserveKey(repeat)));
    if (stored !== undefined) return stored;
  }
  const { continueOnError: continues = false, dryRun } = negotiated.prefer;
  const run = new BatchRun({ call, handler, continues, dryRun, repeat }, items);
  const answered = await run.perform(items);
  const answer = writeItems(answered, negotiated, isJson, () => service.world.randomBytes(18));
  return answered.some(isUnavailable) ? { ...answer, isRetryable: true } : answer;
}

/** Whether a request could not be performed for now. */
function isUnavailable(item: AnsweredItem): boolean {
  const answers = item.kind === 'answer' ? [item.answer] : item.answers;
  return answers.some(({ status }) => status === 503);
}

/** Rejects methods and query options that a batch as a whole cannot have. */
function checkRequest({ method, options }: Tree): void {
  if (method !== 'POST') throw notAllowed(method, ['POST']);
  const misplaced = OPTIONS_OF_PARTS.find((name) => options[name] !== undefined);
  if (misplaced !== undefined)
    throw new Fault(
      'request.misplaced-option',
      { name: `$${misplaced}`, place: 'with $batch', instead: 'add it to the URLs of the parts' },
      { target: `$${misplaced}` },
    );
}

const OPTIONS_OF_PARTS: readonly (keyof Options & string)[] = [
  ...ROW_OPTIONS,
  'skiptoken',
  'deltatoken',
  'id',
  'index',
];

function readItems(
  call: Call,
  { contentType: type }: Negotiated,
  isJson: boolean,
): readonly BatchItem[] {
  if (!isJson && type?.name !== 'multipart/mixed')
    throw new Fault(
      'request.media-type',
      {
        type: type?.name ?? 'none',
        supported: 'multipart/mixed with a boundary, or application/json',
      },
      { target: 'Content-Type' },
    );
  const { body } = call;
  if (body === undefined) throw new Fault('request.body', { reason: 'it is empty' });
  if (!isJson) return readMultipart(body, boundaryOf(call.headers['content-type'] ?? ''));
  return readJsonBatch(readJson(body));
}

function checkNumber(items: readonly BatchItem[], limit: number): void {
  const count = items.reduce(
    (sum, item) => sum + (item.kind === 'group' ? Math.max(item.requests.length, 1) : 1),
    0,
  );
  if (count > limit) throw new Fault('batch.too-many', { count, limit });
}

function writeItems(
  items: readonly AnsweredItem[],
  negotiated: Negotiated,
  isJson: boolean,
  random: () => Uint8Array,
): Answer {
  const { format, version, prefer } = negotiated;
  const { continueOnError, dryRun } = prefer;
  const applied = [
    ...(continueOnError === undefined
      ? []
      : [appliedPreference(prefer, 'continue-on-error', continueOnError)]),
    ...(dryRun ? [appliedPreference(prefer, 'dry-run')] : []),
  ];
  if (format.kind !== 'multipart')
    return {
      status: 200,
      headers: headersOf(negotiated, { type: contentType(format, version), applied }),
      body: writeJsonBatch(isJson ? items : items.map(withGroupId)),
    };
  const boundary = `batch_${Buffer.from(random()).toString('hex')}`;
  return {
    status: 200,
    headers: headersOf(negotiated, { type: `multipart/mixed; boundary=${boundary}`, applied }),
    body: writeMultipart(isJson ? items.flatMap(ungrouped) : items, boundary),
  };
}

/** Requests of a JSON batch have ids, so their responses need no change set. */
function ungrouped(item: AnsweredItem): readonly AnsweredItem[] {
  return item.kind === 'answer'
    ? [item]
    : item.answers.map((answer) => ({ kind: 'answer', answer }));
}

/** Change sets have no id, but atomicity groups in JSON need one. */
function withGroupId(item: AnsweredItem, index: number): AnsweredItem {
  return item.kind === 'group' ? { ...item, id: `changeset-${index + 1}` } : item;
}
