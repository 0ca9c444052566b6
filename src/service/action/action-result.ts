// This file renders the response to an action call: no content, the declared result or, after `/$each`, the list of the results of all
// calls. OData Protocol 4.01, "Invoking an Action".
import { Fault, invariant } from '../../base/fault.ts';
import { collectionOf, isCollection, typeOfReference } from '../../bind/expression/types.ts';
import { type ActionContext, bindActionResult } from '../../bind/model/action-effect.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import type { OutcomeRow } from '../../plan/outcome.ts';
import { valueContext } from '../../plan/read/context-url.ts';
import type { EvaluationPlan, Plan } from '../../plan/read-plan.ts';
import { appliedPreference } from '../../request/headers/parse-prefer.ts';
import { headersOf } from '../../response/headers.ts';
import { render } from '../../response/render.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { siteOf } from '../stage-inputs.ts';
import {
  type ActionReader,
  evaluate,
  type ReadResult,
  readAll,
  scopeOfAction,
} from './evaluate-expression.ts';

/** State of one call: the values known so far, and the absolute URLs of created entities by relative URL. */
export interface ActionCall {
  readonly acting: ActionContext;
  readonly created: ReadonlyMap<string, string>;
}

/** Renders 204, 200, or 201 if the result was created by the call. */
export function* answerAction(
  reader: ActionReader,
  { operation, members }: BoundWrite & { readonly kind: 'invoke' },
  calls: readonly ActionCall[],
): Work<Answer> {
  const { expression } = operation;
  if (operation.returns === undefined || expression === undefined) return noContent(reader);
  if (members !== undefined) return yield* answerEach(reader, expression, calls);
  const [call] = calls;
  if (call === undefined) return noContent(reader);
  const result = yield* readResult(reader, call.acting, expression);
  const answer = renderResult(reader, result);
  const location = answer.status === 200 ? yield* locationOf(reader, call, expression) : undefined;
  if (location === undefined) return withPreferenceApplied(reader, answer);
  const headers = { ...answer.headers, Location: location };
  return withPreferenceApplied(reader, { ...answer, status: 201, headers });
}

/** Renders results that the engine has calculated. @param values JSON text for each call */
export function* answerValues(
  reader: ActionReader,
  { operation, members }: BoundWrite & { readonly kind: 'invoke' },
  values: readonly string[],
): Work<Answer> {
  const { returns } = operation;
  invariant(returns !== undefined, `${operation.name} has a result`);
  const type = typeOfReference(reader.service.model, returns);
  const { options, negotiated } = reader.tree;
  const results: ReadResult[] = [];
  for (const text of values) {
    const value = { kind: 'json', type, text } as const;
    const bound = { kind: 'evaluate', operation, value, nullable: false, raw: false } as const;
    results.push(yield* readAll(reader, bound, { options, negotiated }));
  }
  const [first] = results;
  if (members !== undefined || first === undefined) return listResults(reader, results);
  return withPreferenceApplied(reader, renderResult(reader, first));
}

function noContent(reader: ActionReader): Answer {
  const headers = headersOf(reader.tree.negotiated, {});
  return withPreferenceApplied(reader, { status: 204, headers, body: undefined });
}

function withPreferenceApplied({ tree }: ActionReader, answer: Answer): Answer {
  if (!tree.negotiated.prefer.dryRun) return answer;
  const before = answer.headers['Preference-Applied'];
  const dryRun = appliedPreference(tree.negotiated.prefer, 'dry-run');
  const applied = before === undefined ? dryRun : `${before}, ${dryRun}`;
  return { ...answer, headers: { ...answer.headers, 'Preference-Applied': applied } };
}

function readResult(
  reader: ActionReader,
  acting: ActionContext,
  expression: string,
): Work<ReadResult> {
  const { options, negotiated } = reader.tree;
  const prefer = { ...negotiated.prefer, maxpagesize: undefined, trackChanges: false };
  const bound = bindActionResult(scopeOfAction(reader), acting, expression, options);
  return readAll(reader, bound, { options, negotiated: { ...negotiated, prefer } });
}

function renderResult(
  { call, tree, service }: ActionReader,
  { plan, outcome }: ReadResult,
): Answer {
  return render(outcome, plan, tree, siteOf(call, service, 'entity'));
}

/** The URL of the result if the call has created it. */
function* locationOf(
  reader: ActionReader,
  { acting, created }: ActionCall,
  expression: string,
): Work<string | undefined> {
  if (created.size === 0) return undefined;
  const value = yield* evaluate(reader, acting, expression);
  return value.kind === 'entities' && !value.many
    ? created.get(value.addresses[0] ?? '')
    : undefined;
}

// ---- /$each ---------------------------------------------------------------------------------------------------------

/** Renders the results in the order of the calls. Throws: not-built if each of them is a list. */
function* answerEach(
  reader: ActionReader,
  expression: string,
  calls: readonly ActionCall[],
): Work<Answer> {
  const results: ReadResult[] = [];
  for (const { acting } of calls) results.push(yield* readResult(reader, acting, expression));
  return listResults(reader, results);
}

function listResults(reader: ActionReader, results: readonly ReadResult[]): Answer {
  const rows = results.flatMap(({ outcome }) => outcome.rows);
  const [first] = results;
  if (first === undefined) return noContent(reader);
  return withPreferenceApplied(reader, renderResult(reader, listOf(first.plan, rows)));
}

function listOf(plan: Plan, rows: readonly OutcomeRow[]): ReadResult {
  if (plan.kind === 'read' && plan.output.kind === 'entity') {
    const { shape } = plan.output;
    const context = plan.context.replace(/\/\$entity$/, '');
    const outcome = { kind: 'read', rows: rows.filter(({ json }) => json !== null) } as const;
    return { plan: { ...plan, output: { kind: 'entities', shape }, context }, outcome };
  }
  const list = valueListPlan(plan);
  if (list === undefined) throw new Fault('not-built', { feature: 'lists of lists after $each' });
  const json = `[${rows.map((row) => row.json ?? 'null').join(',')}]`;
  return { plan: list, outcome: { kind: 'read', rows: [{ json, keys: [] }] } };
}

/** The plan of a list of the plan's values; undefined if each value is a list itself. */
function valueListPlan(plan: Plan): EvaluationPlan | undefined {
  const evaluation =
    plan.kind === 'evaluate'
      ? plan
      : plan.kind === 'read' && plan.output.kind === 'property'
        ? plan.output
        : undefined;
  if (evaluation === undefined) return undefined;
  const { member, form } = evaluation;
  const { value } = member;
  if (isCollection(value.type)) return undefined;
  const type = collectionOf(value.type);
  const list = { ...member, value: { ...value, type } };
  const context = valueContext(type);
  return {
    kind: 'evaluate',
    member: list,
    form,
    raw: false,
    nullable: false,
    context,
    applied: [],
  };
}
