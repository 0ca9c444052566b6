// This file takes transitions that follow the state of a related entity (`On` in `Docket.Workflow`), such as that of a change after its last
// work order. A transition that is not possible is left to people: it must not reject the change that it follows.
import { invariant } from '../../base/fault.ts';
import { keyName } from '../../edm/clocks/clock-members.ts';
import { type Model, memberAt } from '../../edm/model.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../../edm/value/lossless-json.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import type { Work } from '../../store/database.ts';
import type { FollowedChange } from '../../store/script-state.ts';
import {
  type FollowSetting,
  integerAt,
  OwnRequests,
  ownPrincipal,
  setOf,
  valueAt,
} from './own-requests.ts';

/** The account with which history records the transitions. */
const WORKFLOW = ownPrincipal('docket workflow');

/** Throws: the faults of the changes, other than those of the workflow. */
export function* followPart(change: FollowedChange, setting: FollowSetting): Work<void> {
  const { collection = '', type } = change;
  const workflow = setting.service.workflows().get(type);
  invariant(workflow !== undefined, `${type} has a workflow`);
  if (!hasEnded(change, partWorkflow(workflow, collection, setting))) return;
  const requests = new OwnRequests(setting, WORKFLOW);
  for (const path of yield* wholes(workflow, collection, change.key, setting, requests)) {
    const result = `${path}/${allowedTransitions(setting.service.model)}()`;
    const next = yield* allowedNext(workflow, collection, result, requests);
    if (next !== undefined) yield* requests.send('PATCH', path, { [workflow.path]: next });
  }
}

function partWorkflow(
  { type }: TypeWorkflow,
  collection: string,
  { service }: FollowSetting,
): TypeWorkflow {
  const member = memberAt(service.model, type, collection);
  const target = member?.kind === 'navigation' ? member.target : '';
  const workflow = service.workflows().get(target);
  invariant(workflow !== undefined, `${target} has a workflow`);
  return workflow;
}

/** Whether the state was open, and is no longer. */
function hasEnded({ before, after }: FollowedChange, { states }: TypeWorkflow): boolean {
  const isOpen = (state: bigint | null) => state !== null && states.get(state)?.category === 'open';
  return isOpen(before) && !isOpen(after);
}

/** The paths of the entities with the part in the collection. */
function* wholes(
  { type }: TypeWorkflow,
  collection: string,
  part: bigint,
  { service: { model } }: FollowSetting,
  requests: OwnRequests,
): Work<readonly string[]> {
  const member = memberAt(model, type, collection);
  const target = member?.kind === 'navigation' ? model.types.get(member.target) : undefined;
  invariant(target?.kind === 'entity', `${collection} is a collection of entities`);
  const set = setOf(model, type);
  const key = keyName(model, type);
  const isPart = `${collection}/any(p:p/${keyName(model, target)} eq ${part})`;
  const found = yield* requests.read(set, `$filter=${isPart}&$select=${key}`);
  return found.flatMap((entity) => `${set}(${integerAt(entity, key)})`);
}

/** The qualified name of the function. */
function allowedTransitions({ definition }: Model): string {
  const found = definition.operations.find(({ engine }) => engine === 'allowed-transitions');
  invariant(found !== undefined, 'a model with workflows has the function');
  return found.name;
}

/** The next state of the first transition that follows the collection and is possible now. @param path that of AllowedTransitions */
function* allowedNext(
  { declared, values }: TypeWorkflow,
  collection: string,
  path: string,
  requests: OwnRequests,
): Work<bigint | undefined> {
  const [result] = yield* requests.read(path, '');
  const allowed = transitionsIn(result).flatMap((one) =>
    valueAt(one, 'Allowed') === true ? [valueAt(one, 'Symbol')] : [],
  );
  const taken = declared.transitions.find(
    ({ on, symbol }) => on === collection && allowed.includes(symbol),
  );
  return taken && values.get(taken.to);
}

function transitionsIn(result: JsonObject | undefined): readonly JsonObject[] {
  const transitions = result && valueAt(result, 'Transitions');
  return transitions !== undefined && isJsonArray(transitions)
    ? transitions.filter(isJsonObject)
    : [];
}
