// This file answers a call of an action: with nothing, with what the model says that it gives back, or, behind `/$each`, with the list
// of what each call has given back. OData Protocol 4.01, "Invoking an Action".
import { Fault } from '../../base/fault.ts';
import { collectionOf, isCollection } from '../../bind/expression/types.ts';
import { type Acting, bindActionResult } from '../../bind/model/action-effect.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import type { OutcomeRow } from '../../plan/outcome.ts';
import { valueContext } from '../../plan/read/context-url.ts';
import type { EvaluationPlan, Plan } from '../../plan/read-plan.ts';
import { appliedPreference } from '../../request/headers/prefer.ts';
import { headersOf } from '../../response/headers.ts';
import { render } from '../../response/render.ts';
import type { Answer } from '../../response/response.ts';
import { siteOf } from '../stage-inputs.ts';
import {
  type ActionReader,
  evaluate,
  type ReadResult,
  readHere,
  scopeOfAction,
} from './read-effect-values.ts';

/** One call so far: what is known, and the absolute addresses of what was made, by relative address. */
export interface Called {
  readonly acting: Acting;
  readonly made: ReadonlyMap<string, string>;
}

/** The answer: 204, 200, or 201 where what is given back has been made by the call. */
export function answerAction(
  reader: ActionReader,
  { operation, members }: BoundWrite & { readonly kind: 'invoke' },
  calls: readonly Called[],
): Answer {
  const { expression } = operation;
  if (operation.returns === undefined || expression === undefined) return nothing(reader);
  if (members !== undefined) return answerEach(reader, expression, calls);
  const [called] = calls;
  if (called === undefined) return nothing(reader);
  const result = readResult(reader, called.acting, expression);
  const answer = renderHere(reader, result);
  const location = answer.status === 200 ? madeAt(reader, called, expression) : undefined;
  if (location === undefined) return withApplied(reader, answer);
  const headers = { ...answer.headers, Location: location };
  return withApplied(reader, { ...answer, status: 201, headers });
}

function nothing(reader: ActionReader): Answer {
  const headers = headersOf(reader.tree.wishes, {});
  return withApplied(reader, { status: 204, headers, body: undefined });
}

function withApplied({ tree }: ActionReader, answer: Answer): Answer {
  if (!tree.wishes.prefer.dryRun) return answer;
  const before = answer.headers['Preference-Applied'];
  const dryRun = appliedPreference(tree.wishes.prefer, 'dry-run');
  const applied = before === undefined ? dryRun : `${before}, ${dryRun}`;
  return { ...answer, headers: { ...answer.headers, 'Preference-Applied': applied } };
}

function readResult(reader: ActionReader, acting: Acting, expression: string): ReadResult {
  const { options, wishes } = reader.tree;
  const prefer = { ...wishes.prefer, maxpagesize: undefined, trackChanges: false };
  const bound = bindActionResult(scopeOfAction(reader), acting, expression, options);
  return readHere(reader, bound, { options, wishes: { ...wishes, prefer } });
}

function renderHere({ call, tree, service }: ActionReader, { plan, outcome }: ReadResult): Answer {
  return render(outcome, plan, tree, siteOf(call, service, 'entity'));
}

/** The address of what is given back, where the call has made it. */
function madeAt(
  reader: ActionReader,
  { acting, made }: Called,
  expression: string,
): string | undefined {
  if (made.size === 0) return undefined;
  const given = evaluate(reader, acting, expression);
  return given.kind === 'entities' && !given.many ? made.get(given.addresses[0] ?? '') : undefined;
}

// ---- behind $each ---------------------------------------------------------------------------------------------------

/** A list of the results, in the order of the calls. Faults: not-built where each of them is a list. */
function answerEach(reader: ActionReader, expression: string, calls: readonly Called[]): Answer {
  const results = calls.map(({ acting }) => readResult(reader, acting, expression));
  const rows = results.flatMap(({ outcome }) => outcome.rows);
  const [first] = results;
  if (first === undefined) return nothing(reader);
  return withApplied(reader, renderHere(reader, listOf(first.plan, rows)));
}

function listOf(plan: Plan, rows: readonly OutcomeRow[]): ReadResult {
  if (plan.kind === 'read' && plan.output.kind === 'entity') {
    const { shape } = plan.output;
    const context = plan.context.replace(/\/\$entity$/, '');
    const outcome = { kind: 'read', rows: rows.filter(({ json }) => json !== null) } as const;
    return { plan: { ...plan, output: { kind: 'entities', shape }, context }, outcome };
  }
  const single = singleValue(plan);
  if (single === undefined)
    throw new Fault('not-built', { feature: 'lists of lists behind $each' });
  const json = `[${rows.map((row) => row.json ?? 'null').join(',')}]`;
  return { plan: single, outcome: { kind: 'read', rows: [{ json, keys: [] }] } };
}

/** The plan of a list of such values; undefined where each of them is a list itself. */
function singleValue(plan: Plan): EvaluationPlan | undefined {
  const found =
    plan.kind === 'evaluate'
      ? plan
      : plan.kind === 'read' && plan.output.kind === 'property'
        ? plan.output
        : undefined;
  if (found === undefined) return undefined;
  const { member, form } = found;
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
