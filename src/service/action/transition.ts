// This file implements the action Transition: it changes the state of an entity, with other members and a comment, by ordinary requests in
// the transaction of the call. What the workflow permits is checked where every write is.
import { rightsTo } from '../../access/policy.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { codesByText } from '../../bind/codes.ts';
import type { ActionContext } from '../../bind/model/action-effect.ts';
import { isJsonObject, type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import type { WorkflowTransition } from '../../edm/workflow/declaration.ts';
import { TRANSITION_PARAMETERS } from '../../edm/workflow/operations.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import { isGranted } from '../../plan/workflow/transition-check.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { readJson } from '../json-body.ts';
import { answerAction } from './action-result.ts';
import { evaluate } from './evaluate-expression.ts';
import { type ActionSetting, type BoundInvoke, initialStates, send } from './run-action.ts';

/** Whether the operation is Transition. */
export function isTransition({ operation }: BoundInvoke): boolean {
  return operation.engine === 'transition';
}

type Values = JsonInput & object;

/** What a call asks for. */
interface Wanted {
  readonly workflow: TypeWorkflow;
  /** The next state, and the member of a body that sets it. */
  readonly to: bigint;
  readonly state: Values;
  readonly values: Values;
  /** The request that stores the comment. */
  readonly comment: { readonly path: string; readonly values: Values } | undefined;
}

/** Changes the state of every entity that the action is bound to. Throws: workflow.parameter, and the faults of writes. */
export function* takeTransition(invoke: BoundInvoke, setting: ActionSetting): Work<Answer> {
  const wanted = readCall(invoke, setting);
  const calls = (yield* initialStates(invoke, setting)).map((acting) => ({
    acting,
    created: new Map<string, string>(),
  }));
  for (const { acting } of calls) yield* changeState(setting, acting, wanted);
  return yield* answerAction(setting, invoke, calls);
}

function readCall(invoke: BoundInvoke, setting: ActionSetting): Wanted {
  const workflow = workflowOf(invoke, setting);
  const values = valuesOf(invoke, workflow);
  const comment = commentOf(invoke, workflow);
  return { workflow, ...stateOf(invoke, workflow, setting), values, comment };
}

/** The comment follows the change, since a role may add notes only as long as it sees the entity. */
function* changeState(
  setting: ActionSetting,
  acting: ActionContext,
  { comment, ...wanted }: Wanted,
): Work<void> {
  const { it } = acting;
  invariant(it !== undefined, 'a transition is bound to an entity');
  const granted = yield* grantedMembers(setting, acting, wanted);
  const { own, others } = parted(wanted.values, granted ?? new Set(Object.keys(wanted.values)));
  const taken = { isCommented: comment !== undefined, isGranted: granted !== undefined };
  if (Object.keys(others).length > 0) yield* send(setting, 'PATCH', it, printJson(others));
  const body = printJson({ ...own, ...wanted.state });
  yield* send(setting, 'PATCH', it, body, { transition: taken });
  if (comment === undefined) return;
  const shown = granted === undefined ? {} : wanted.workflow.declared.grantedComments;
  const note = printJson({ ...comment.values, ...shown });
  yield* send(setting, 'POST', `${it}/${comment.path}`, note);
}

/** Values of members that a granted transition may set, and others. */
function parted(values: Values, granted: ReadonlySet<string>) {
  const members = Object.entries(values);
  const isOwn = ([name]: readonly [string, JsonInput]) => granted.has(name.replace(/@.*/, ''));
  return {
    own: Object.fromEntries(members.filter(isOwn)),
    others: Object.fromEntries(members.filter((member) => !isOwn(member))),
  };
}

// ---- grants ---------------------------------------------------------------------------------------------------------

/**
 * The members that the account may set with a transition that is granted to one of its roles; undefined if there is none, or if the
 * account may change the state anyway. The state before is read with the rights of the account.
 */
function* grantedMembers(
  setting: ActionSetting,
  acting: ActionContext,
  { workflow, to }: Pick<Wanted, 'workflow' | 'to'>,
): Work<ReadonlySet<string> | undefined> {
  const { rights } = setting.setting;
  const candidates = workflow.declared.transitions.filter(
    (one) => isGranted(one, rights) && workflow.values.get(one.to) === to,
  );
  if (candidates.length === 0 || mayChangeAll(setting, workflow)) return undefined;
  const state = yield* evaluate(setting, acting, `$it/${workflow.path}`);
  if (state.kind !== 'value' || state.json === 'null') return undefined;
  const before = workflow.states.get(BigInt(state.json))?.symbol ?? '';
  const taken = candidates.filter(({ from }) => from.length === 0 || from.includes(before));
  return taken.length === 0
    ? undefined
    : new Set(taken.flatMap((one) => offeredMembers(workflow, one)));
}

function mayChangeAll({ setting }: ActionSetting, { type, property }: TypeWorkflow): boolean {
  const { actions, writing } = rightsTo(setting.rights, type);
  const reaches = [actions.change, writing.get(property.name)];
  return setting.rights.everything || reaches.every((reach) => (reach?.kind ?? 'all') === 'all');
}

/** The members of the entity itself that the transition requires, and those that forms of the next state offer. */
function offeredMembers({ declared }: TypeWorkflow, { require, to }: WorkflowTransition) {
  const { members = [] } = declared.states.find(({ symbol }) => symbol === to) ?? {};
  const offered = members.flatMap(({ member, flag }) => (flag === 'hidden' ? [] : [member]));
  return [...require, ...offered].filter((path) => !path.includes('/'));
}

// ---- parameters -----------------------------------------------------------------------------------------------------

function workflowOf({ rows, members }: BoundInvoke, { service }: ActionSetting): TypeWorkflow {
  const type = (rows ?? members)?.row.type.name ?? '';
  const workflow = service.workflows().get(type);
  invariant(workflow !== undefined, `${type} has no workflow`);
  return workflow;
}

/** The next state of the call: a code by its value, text or symbol. Throws: workflow.parameter. */
function stateOf(
  invoke: BoundInvoke,
  { property, values, list }: TypeWorkflow,
  { service }: ActionSetting,
): Pick<Wanted, 'to' | 'state'> {
  const listing = service.codes.get(list.name);
  invariant(listing !== undefined, `the code list ${list.name} exists`);
  const given = parameter(invoke, 'to');
  const to = typeof given === 'string' ? values.get(given) : codeOf(given);
  const [code, ...others] =
    typeof given === 'string' && to === undefined ? codesByText(listing, given) : [];
  const value = to ?? code?.value;
  if (value === undefined || others.length > 0 || !listing.byValue.has(value))
    throw invalid(TRANSITION_PARAMETERS.to, unknownState(given, [...values.keys()]));
  return { to: value, state: { [property.name]: { Value: value } } };
}

function codeOf(given: JsonInput | undefined): bigint | undefined {
  return typeof given === 'bigint' ? given : undefined;
}

function unknownState(given: JsonInput | undefined, symbols: readonly string[]): string {
  const shown = printJson(given ?? null).slice(0, 100);
  const nearest = typeof given === 'string' ? nearestName(given.slice(0, 100), symbols) : undefined;
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${shown} is no state. Write the symbol, the text or the value of one: ${symbols.join(', ')}${hint}`;
}

function valuesOf(invoke: BoundInvoke, { property }: TypeWorkflow): Values {
  const values = parameter(invoke, 'values') ?? {};
  const { values: name } = TRANSITION_PARAMETERS;
  if (!isJsonObject(values)) throw invalid(name, 'it must be an object of members');
  if (property.name in values)
    throw invalid(name, `it contains ${property.name}, which ${TRANSITION_PARAMETERS.to} sets`);
  return values;
}

/** The request that stores the comment. */
function commentOf(invoke: BoundInvoke, { declared, type }: TypeWorkflow) {
  const { comment: name } = TRANSITION_PARAMETERS;
  const comment = invoke.parameters.get(name) ?? undefined;
  if (comment === undefined) return undefined;
  const [path, member] = declared.comments?.split('/') ?? [];
  if (path === undefined || member === undefined)
    throw invalid(name, `the workflow of ${type.name} keeps no comments`);
  return { path, values: { [member]: String(comment) } };
}

/** An untyped parameter is JSON text. */
function parameter({ parameters }: BoundInvoke, name: 'to' | 'values'): JsonInput | undefined {
  const text = parameters.get(TRANSITION_PARAMETERS[name]) ?? undefined;
  return text === undefined ? undefined : readJson(Buffer.from(String(text)));
}

function invalid(name: string, reason: string): Fault {
  return new Fault('workflow.parameter', { name, reason }, { target: name });
}
