// This file implements the action Transition: it changes the state of an entity, with other members and a comment, by ordinary requests in
// the transaction of the call. What the workflow permits is checked where every write is.
import { Fault, invariant } from '../../base/fault.ts';
import { isJsonObject, type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import { TRANSITION_PARAMETERS } from '../../edm/workflow/operations.ts';
import { type TypeWorkflow, workflowsOf } from '../../edm/workflow/workflow.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import { readJson } from '../json-body.ts';
import { answerAction } from './action-result.ts';
import { type ActionSetting, type BoundInvoke, initialStates, send } from './run-action.ts';

/** Whether the operation is Transition. */
export function isTransition({ operation }: BoundInvoke): boolean {
  return operation.engine === 'transition';
}

/** Changes the state of every entity that the action is bound to. Throws: workflow.parameter, and the faults of writes. */
export function* takeTransition(invoke: BoundInvoke, setting: ActionSetting): Work<Answer> {
  const workflow = workflowOf(invoke, setting);
  const body = printJson({ ...valuesOf(invoke, workflow), ...stateOf(invoke, workflow) });
  const comment = commentOf(invoke, workflow);
  const calls = (yield* initialStates(invoke, setting)).map((acting) => ({
    acting,
    created: new Map<string, string>(),
  }));
  for (const { acting } of calls) {
    invariant(acting.it !== undefined, 'a transition is bound to an entity');
    yield* send(setting, 'PATCH', acting.it, body);
    if (comment !== undefined)
      yield* send(setting, 'POST', `${acting.it}/${comment.path}`, comment.body);
  }
  return yield* answerAction(setting, invoke, calls);
}

function workflowOf({ rows, members }: BoundInvoke, { service }: ActionSetting): TypeWorkflow {
  const type = (rows ?? members)?.row.type.name ?? '';
  const workflow = workflowsOf(service.model).get(type);
  invariant(workflow !== undefined, `${type} has no workflow`);
  return workflow;
}

/** `{"Status":{"Value":101008}}` of a value or symbol; other texts are left to the code list. */
function stateOf(invoke: BoundInvoke, { property, values }: TypeWorkflow): JsonInput & object {
  const to = parameter(invoke, 'to');
  const value = typeof to === 'string' ? values.get(to) : undefined;
  const text = typeof to === 'string' ? { Text: to } : { Value: to ?? null };
  return { [property.name]: value === undefined ? text : { Value: value } };
}

function valuesOf(invoke: BoundInvoke, { property }: TypeWorkflow): JsonInput & object {
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
  return { path, body: JSON.stringify({ [member]: String(comment) }) };
}

/** An untyped parameter is JSON text. */
function parameter({ parameters }: BoundInvoke, name: 'to' | 'values'): JsonInput | undefined {
  const text = parameters.get(TRANSITION_PARAMETERS[name]) ?? undefined;
  return text === undefined ? undefined : readJson(Buffer.from(String(text)));
}

function invalid(name: string, reason: string): Fault {
  return new Fault('workflow.parameter', { name, reason }, { target: name });
}
