// This file takes transitions that follow a related entity (`On` in `Docket.Workflow`): its state, such as that of the last work order, or its
// addition, such as that of a note. A transition that is not possible is left to people: it must not reject the change that it follows.
import { servicePrincipal } from '../../access/principal.ts';
import { invariant } from '../../base/fault.ts';
import { keyName } from '../../edm/clocks/clock-members.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import { targetAt } from '../../edm/source.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../edm/value/lossless-json.ts';
import type { WorkflowTransition } from '../../edm/workflow/declaration.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import type { Work } from '../../store/database.ts';
import type { FollowedChange } from '../../store/script-state.ts';
import { type FollowSetting, integerAt, OwnRequests, setOf, valueAt } from './own-requests.ts';

/** The account with which history records the transitions. */
const WORKFLOW = servicePrincipal('docket workflow');

/** Throws: the faults of the changes, other than those of the workflow. */
export function* followPart(change: FollowedChange, setting: FollowSetting): Work<void> {
  const { service } = setting;
  const workflow = service.workflows().get(change.type);
  invariant(workflow !== undefined, `${change.type} has a workflow`);
  const part = partType(workflow, change, service.model);
  if (change.event === 'part' && !hasEnded(change, service.workflows().get(part.name))) return;
  const requests = new OwnRequests(setting, WORKFLOW);
  for (const transition of followingTransitions(workflow, change)) {
    const condition = partCondition(service.model, part, transition, change.key);
    for (const path of yield* wholes(service.model, workflow, condition, requests)) {
      const question = `${path}/${allowedTransitions(service.model)}()`;
      if (yield* isAllowed(transition, question, requests))
        yield* requests.send(
          'PATCH',
          path,
          { [workflow.path]: workflow.values.get(transition.to) },
          { cause: `${transition.symbol}: ${transition.on}(${change.key})` },
        );
    }
  }
}

function followingTransitions(
  { declared }: TypeWorkflow,
  { event, collection }: FollowedChange,
): readonly WorkflowTransition[] {
  return declared.transitions.filter(
    ({ on, added }) => on === collection && (added !== undefined) === (event === 'added'),
  );
}

function partType(
  { type }: TypeWorkflow,
  { collection = '' }: FollowedChange,
  model: Model,
): EntityType {
  const target = targetAt(model, type, collection);
  invariant(target !== undefined, `${collection} is a collection of entities`);
  return target;
}

/** Whether the state was open, and is no longer. */
function hasEnded({ before, after }: FollowedChange, workflow: TypeWorkflow | undefined): boolean {
  const isOpen = (state: bigint | null) =>
    state !== null && workflow?.states.get(state)?.category === 'open';
  return isOpen(before) && !isOpen(after);
}

/** The condition that an entity has the part in the collection. */
function partCondition(
  model: Model,
  part: EntityType,
  { on, added = 'p:true' }: WorkflowTransition,
  key: bigint,
): string {
  const [variable = '', ...body] = added.split(':');
  const isPart = `${variable}/${keyName(model, part)} eq ${key}`;
  return `${on}/any(${variable}:${isPart} and (${body.join(':')}))`;
}

/** The paths of the entities for which the condition is true. */
function* wholes(
  model: Model,
  { type }: TypeWorkflow,
  condition: string,
  requests: OwnRequests,
): Work<readonly string[]> {
  const set = setOf(model, type);
  const key = keyName(model, type);
  const found = yield* requests.read(set, `$filter=${condition}&$select=${key}`);
  return found.map((entity) => `${set}(${integerAt(entity, key)})`);
}

/** The qualified name of the function. */
function allowedTransitions({ definition }: Model): string {
  const found = definition.operations.find(({ engine }) => engine === 'allowed-transitions');
  invariant(found !== undefined, 'a model with workflows has the function');
  return found.name;
}

/** @param path that of AllowedTransitions */
function* isAllowed(
  { symbol }: WorkflowTransition,
  path: string,
  requests: OwnRequests,
): Work<boolean> {
  const [result] = yield* requests.read(path, '');
  return transitionsIn(result).some(
    (one) => valueAt(one, 'Symbol') === symbol && valueAt(one, 'Allowed') === true,
  );
}

function transitionsIn(result: JsonObject | undefined): readonly JsonObject[] {
  const transitions = result && valueAt(result, 'Transitions');
  return transitions !== undefined && isJsonArray(transitions)
    ? transitions.filter(isJsonObject)
    : [];
}
