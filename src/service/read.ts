// This file answers reads: prepare -> run -> render. Preconditions are evaluated on the
// rendered response.

import type { Principal } from '../access/principal.ts';
import { perObject } from '../base/memo.ts';
import { MEGABYTE } from '../base/sizes.ts';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import type { ReadOutcome } from '../plan/outcome.ts';
import type { ResponsePlan } from '../plan/read-plan.ts';
import { type Conditions, readConditions } from '../request/headers/entity-tags.ts';
import { conditional } from '../response/conditional.ts';
import { render } from '../response/render.ts';
import type { Answer } from '../response/response.ts';
import type { Context } from '../store/database.ts';
import { runRead } from '../store/run-read-script.ts';
import type { RepeatedRead } from './cache/repeated-reads.ts';
import { AnswerCache } from './cache/response-cache.ts';
import { withDeadlines } from './clocks/resulting-deadlines.ts';
import { wantsPlan, withPlan } from './explain-plan.ts';
import { answerExport } from './export/export.ts';
import { answerDownload, type DownloadFile } from './files/download.ts';
import { withInlineFiles } from './files/inline-streams.ts';
import { type PreparedRead, prepareRead } from './read-plans.ts';
import { isVolatile, runPrepared } from './run-prepared.ts';
import type { Call, Service } from './service.ts';
import { contextOf, type RequestTrace, siteOf } from './stage-inputs.ts';

/**
 * Answers a read, synchronously unless it scans many records or reads files. Throws: the faults of all stages.
 * @param repeated what an earlier read has shown about the call
 */
export function answerRead(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
  repeated?: RepeatedRead,
): MaybePromise<Answer> {
  const plainCall = withoutPreconditions(call);
  const prepared = prepareRead(plainCall, service, principal, trace, repeated);
  const context = contextOf(call, service, principal);
  const conditions = plainCall === call ? undefined : readConditions(call.headers);
  if (prepared.tree.negotiated.format.kind === 'export')
    return answerExport({ call, service, principal, trace }, prepared);
  if (isStream(prepared.plan))
    return answerStream(prepared, call, service, context, conditions ?? UNCONDITIONAL);
  const showsFiles = prepared.plan.kind === 'read' && prepared.plan.showsFiles === true;
  const explains = wantsPlan(prepared.tree.negotiated, principal);
  const answer =
    showsFiles || explains || showsDeadlines(prepared)
      ? runAndRender(prepared, plainCall, service, context, trace)
      : answerFromCache(prepared, plainCall, service, context, trace);
  const explained = explains
    ? andThen(answer, (response) =>
        withPlan(response, prepared, plainCall, service, trace.stages.run),
      )
    : answer;
  const checked =
    conditions === undefined
      ? explained
      : andThen(explained, (response) => conditional(response, current(prepared, conditions)));
  return showsFiles
    ? andThen(checked, (response) => withInlineFiles(response, service.vault))
    : checked;
}

/**
 * Removes If-Match and If-None-Match, so that one cached response serves requests with any entity tags. Returns the call itself if it
 * has neither.
 */
function withoutPreconditions(call: Call): Call {
  const { headers } = call;
  if (headers['if-match'] === undefined && headers['if-none-match'] === undefined) return call;
  return { ...call, headers: { ...headers, 'if-match': undefined, 'if-none-match': undefined } };
}

/** Deadlines after transitions change with time. */
function showsDeadlines({ plan }: PreparedRead): boolean {
  return plan.kind === 'read' && plan.showsDeadlines !== undefined;
}

/** Elapsed and remaining time change without another ETag, so that a client never has the present values. */
function current(prepared: PreparedRead, conditions: Conditions): Conditions {
  return isVolatile(prepared) || showsDeadlines(prepared)
    ? { ...conditions, ifNoneMatch: undefined }
    : conditions;
}

const UNCONDITIONAL: Conditions = { ifMatch: undefined, ifNoneMatch: undefined };

function answerFromCache(
  prepared: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  trace: RequestTrace,
): MaybePromise<Answer> {
  const answers = answersOf(service);
  const place = answers.placeOf(prepared, call, context, service.database.tableVersionOf);
  if (place === undefined) return runAndRender(prepared, call, service, context, trace);
  const cached = answers.find(place);
  trace.responseCached = cached !== undefined;
  if (cached !== undefined) return cached;
  const answer = runAndRender(prepared, call, service, context, trace);
  return andThen(answer, (response) => answers.keep(place, response));
}

function runAndRender(
  prepared: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  trace: RequestTrace,
): MaybePromise<Answer> {
  const { tree, plan } = prepared;
  const type = plan.kind === 'read' ? plan.showsDeadlines : undefined;
  const running = runPrepared(prepared, call, service, context, trace);
  const finished =
    type === undefined
      ? running
      : andThen(running, (outcome) => withDeadlines(outcome, type, service, context));
  return andThen(finished, (outcome) => {
    const { elapsed } = service.world;
    const start = elapsed();
    const answer = render(outcome, plan, tree, siteOf(call, service, 'representation'));
    trace.stages.render = elapsed() - start;
    return answer;
  });
}

function isStream(plan: ResponsePlan): boolean {
  return plan.kind === 'read' && plan.output.kind === 'stream';
}

/** Answers with the bytes of a file, which are not cached. */
async function answerStream(
  { tree, plan, script, values }: PreparedRead,
  call: Call,
  service: Service,
  context: Context,
  conditions: Conditions,
): Promise<Answer> {
  const outcome = await runRead(script, service.database, context, values);
  const file = outcome.kind === 'read' ? readDownloadFile(outcome) : undefined;
  return file === undefined
    ? render(outcome, plan, tree, siteOf(call, service, 'representation'))
    : await answerDownload({ call, tree, vault: service.vault, file, conditions });
}

/** The metadata of the file; undefined if the stream is empty. */
function readDownloadFile({ rows }: ReadOutcome): DownloadFile | undefined {
  const json = rows[0]?.json ?? null;
  return json === null ? undefined : JSON.parse(json);
}

const answersOf = perObject(
  ({ limits }: Service): AnswerCache => new AnswerCache(limits.answerMegabytes * MEGABYTE),
);
