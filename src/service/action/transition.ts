// This file implements the action Transition: it changes the state of an entity, with other members and a comment, by ordinary requests in
// the transaction of the call. What the workflow permits is checked where every write is.
import { rightsTo } from '../../access/policy.ts';
import { Fault, faultDetail, invariant } from '../../base/fault.ts';
import type { ActionContext } from '../../bind/model/action-effect.ts';
import type { TransitionInput } from '../../bind/write/bound-write.ts';
import { simpleName } from '../../edm/model.ts';
import { type JsonInput, type JsonObject, printJson } from '../../edm/value/lossless-json.ts';
import type { WorkflowTransition } from '../../edm/workflow/declaration.ts';
import { TRANSITION_PARAMETERS } from '../../edm/workflow/operations.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import { isGranted } from '../../plan/workflow/transition-check.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import type { Call } from '../service.ts';
import { answerAction } from './action-result.ts';
import { evaluate } from './evaluate-expression.ts';
import { type ActionSetting, type BoundInvoke, initialStates, send } from './run-action.ts';

/** Whether the operation is Transition. */
export function isTransition({ operation }: BoundInvoke): boolean {
  return operation.engine === 'transition';
}

/** What a call asks for. */
interface Wanted extends TransitionInput {
  readonly workflow: TypeWorkflow;
}

/** Changes the state of every entity that the action is bound to. Throws: workflow.member, and the faults of writes. */
export function* takeTransition(invoke: BoundInvoke, setting: ActionSetting): Work<Answer> {
  const { transition } = invoke;
  invariant(transition !== undefined, 'a call without mistakes has a transition');
  const wanted = { ...transition, workflow: workflowOf(invoke, setting) };
  const calls = (yield* initialStates(invoke, setting)).map((acting) => ({
    acting,
    created: new Map<string, string>(),
  }));
  for (const { acting } of calls) yield* changeState(setting, acting, wanted);
  return yield* answerAction(setting, invoke, calls);
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
  const call = { setting, it, values: wanted.values };
  const state = { [wanted.workflow.property.name]: { Value: wanted.to } };
  if (Object.keys(others).length > 0) yield* changeOthers(call, others, wanted);
  yield* change(call, { ...own, ...state }, { transition: taken });
  if (comment === undefined) return;
  const shown = granted === undefined ? {} : wanted.workflow.declared.grantedComments;
  const note = printJson({ ...comment.values, ...shown });
  yield* send(setting, 'POST', `${it}/${comment.path}`, note);
}

/**
 * Changes members that the granted transition does not cover, with the rights of the account. Throws: workflow.member if they do not
 * permit it.
 */
function* changeOthers(
  call: Change,
  others: JsonObject,
  wanted: Pick<Wanted, 'workflow' | 'to'>,
): Work<void> {
  try {
    yield* change(call, others);
  } catch (error) {
    const isDenied = error instanceof Fault && error.code === 'access.write';
    throw isDenied ? deniedMembers(others, wanted) : error;
  }
}

/** One fault for all members that the granted transition does not cover. */
function deniedMembers(
  others: JsonObject,
  { workflow, to }: Pick<Wanted, 'workflow' | 'to'>,
): Fault {
  const state = workflow.states.get(to)?.symbol ?? String(to);
  const type = simpleName(workflow.type.name);
  const members = new Set(
    Object.keys(others)
      .map(nameOf)
      .filter((name) => name !== ''),
  );
  const denied = [...members].map((member) => ({
    parameters: { to: state, member, type },
    target: `${TRANSITION_PARAMETERS.values}/${member}`,
  }));
  const [first, ...more] = denied;
  invariant(first !== undefined, 'a member is denied');
  const all = denied.map((one) => faultDetail('workflow.member', one.parameters, one.target));
  const details = more.length === 0 ? [] : all;
  return new Fault('workflow.member', first.parameters, { target: first.target, details });
}

/** Changes members of the entity. Errors name those of the call by their place in it: `Values/Solution`. */
function* change(
  { setting, it, values }: Change,
  body: JsonObject,
  more: Pick<Call, 'transition'> = {},
): Work<void> {
  try {
    yield* send(setting, 'PATCH', it, printJson(body), more);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const names = new Set(Object.keys(values).map(nameOf));
    throw error.moved((target) =>
      names.has(nameOf(target)) ? `${TRANSITION_PARAMETERS.values}/${target}` : target,
    );
  }
}

interface Change {
  readonly setting: ActionSetting;
  readonly it: string;
  /** The members of the call. */
  readonly values: JsonObject;
}

/** The first name of a path: `Caller` of `Caller@odata.bind`. */
function nameOf(path: string): string {
  return path.replace(/[/@[].*$/s, '');
}

/** Values of members that a granted transition may set, and others. Control information such as `@odata.type` belongs to both. */
function parted(values: JsonObject, granted: ReadonlySet<string>) {
  const members = Object.entries(values);
  const isControl = ([name]: readonly [string, JsonInput]) => name.startsWith('@');
  const isOwn = ([name]: readonly [string, JsonInput]) => granted.has(name.replace(/@.*/, ''));
  const isOther = (member: readonly [string, JsonInput]) => !isControl(member) && !isOwn(member);
  const others = members.filter((member) => isControl(member) || isOther(member));
  return {
    own: Object.fromEntries(members.filter((member) => !isOther(member))),
    others: members.some(isOther) ? Object.fromEntries(others) : {},
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

function workflowOf({ rows, members }: BoundInvoke, { service }: ActionSetting): TypeWorkflow {
  const type = (rows ?? members)?.row.type.name ?? '';
  const workflow = service.workflows().get(type);
  invariant(workflow !== undefined, `${type} has no workflow`);
  return workflow;
}
