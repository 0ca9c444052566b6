// This file runs the actions that the model declares. Each effect is a request of its own, built from the values of expressions and run
// in the transaction of the call with the rights of the requester. Validation, history and change log apply as in any write.
// OData Protocol 4.01, "Actions"; "Update Members of a Collection".
import { Fault, invariant, unreachable } from '../../base/fault.ts';
import type { ActionContext } from '../../bind/model/action-effect.ts';
import { knownPath } from '../../bind/path/entity-url.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import type { Effect, EffectValues, EntityType } from '../../edm/model.ts';
import type { Answer } from '../../response/response.ts';
import type { Work } from '../../store/database.ts';
import type { Call } from '../service.ts';
import { type ActionCall, answerAction } from './action-result.ts';
import { type BodySubject, writeActionBody } from './effect-body.ts';
import {
  type ActionReader,
  addressesOf,
  type EffectValue,
  evaluate,
  typeOfCollection,
} from './evaluate-expression.ts';

/** Reads of an action, plus writes in its transaction. */
export interface ActionSetting extends ActionReader {
  readonly write: (call: Call) => Work<Answer>;
}

export type BoundInvoke = BoundWrite & { readonly kind: 'invoke' };

/**
 * Runs the action for every entity that it is bound to and renders its result.
 * Throws: not-built for an action without effects, bind.unavailable, write.refused, write.too-many, and the faults of writes.
 */
export function* runAction(invoke: BoundInvoke, setting: ActionSetting): Work<Answer> {
  const { engine, name, recalculates } = invoke.operation;
  const isOwn = engine !== undefined || recalculates === true;
  const effects = isOwn ? [] : invoke.operation.effects;
  if (effects === undefined) throw new Fault('not-built', { feature: `the action ${name}` });
  const calls: ActionCall[] = [];
  for (const acting of yield* initialStates(invoke, setting)) {
    yield* requireAvailable(setting, acting);
    let state: ActionCall = { acting, created: new Map() };
    if (recalculates === true) yield* setting.write(recalculationOf(setting, acting));
    for (const effect of effects) state = yield* runEffect(setting, state, effect);
    calls.push(state);
  }
  return yield* answerAction(setting, invoke, calls);
}

/** The initial state for each entity that the action is called on. */
export function* initialStates(
  invoke: BoundInvoke,
  setting: ActionSetting,
): Work<readonly ActionContext[]> {
  const { operation, address, parameters, rows, members, collection } = invoke;
  const entities = entitiesOf(invoke, setting);
  const acting: ActionContext = { operation, address, parameters, entities };
  const target = rows ?? members;
  if (target !== undefined) {
    const type = target.row.type.name;
    const paths = yield* addressesOf(setting, {
      rows: target,
      address: address.slice(0, -1),
      many: rows === undefined,
    });
    return paths.map((path) => ({ ...acting, it: `${path}/${type}` }));
  }
  return [collection === undefined ? acting : { ...acting, it: pathBefore(setting.call) }];
}

/** The path without the name of the action. */
function pathBefore({ path }: Call): string {
  return path.replace(/\/+$/, '').replace(/\/[^/]*$/, '');
}

/** The paths of entities in parameters. Collections have keys such as `Keepers[0]`, `Keepers[1]`. */
function entitiesOf(
  { references }: BoundInvoke,
  { call }: ActionSetting,
): ReadonlyMap<string, readonly string[]> {
  const entities = new Map<string, readonly string[]>();
  for (const [key, { text }] of references) {
    const name = key.replace(/\[\d+\]$/, '');
    const path = knownPath(call.root, text, call.contentIds);
    entities.set(name, [...(entities.get(name) ?? []), path]);
  }
  return entities;
}

/** A change of the entity without values, which calculates its clocks. */
function recalculationOf({ call }: ActionSetting, { it = '' }: ActionContext): Call {
  const { id, address, root, cause } = call;
  return {
    id,
    address,
    root,
    method: 'PATCH',
    path: it,
    query: '',
    headers: { 'content-type': 'application/json', prefer: 'return=minimal' },
    body: Buffer.from('{}'),
    waivesTags: true,
    cause,
    recalculates: true,
  };
}

function* requireAvailable(setting: ActionSetting, acting: ActionContext): Work<void> {
  const { available, name } = acting.operation;
  if (available === undefined || isTrue(yield* evaluate(setting, acting, available))) return;
  throw new Fault('bind.unavailable', { name });
}

function isTrue(value: EffectValue): boolean {
  return value.kind === 'value' && value.json === 'true';
}

// ---- effects --------------------------------------------------------------------------------------------------------

function* runEffect(setting: ActionSetting, state: ActionCall, effect: Effect): Work<ActionCall> {
  const { acting } = state;
  switch (effect.kind) {
    case 'require': {
      const { condition, message } = effect;
      if (isTrue(yield* evaluate(setting, acting, condition))) return state;
      throw new Fault('write.refused', { message });
    }
    case 'change': {
      for (const [address, body] of yield* changesOf(setting, acting, effect))
        yield* send(setting, 'PATCH', address, body);
      return state;
    }
    case 'create':
      return yield* create(setting, state, effect);
    case 'delete': {
      const { addresses } = yield* entitiesAt(setting, acting, effect.rows);
      for (const address of addresses) yield* send(setting, 'DELETE', address);
      return state;
    }
    default:
      return unreachable(effect);
  }
}

/** The entities to change with their bodies. All bodies are written before the first change. */
function* changesOf(
  setting: ActionSetting,
  acting: ActionContext,
  { rows, values }: Effect & { readonly kind: 'change' },
): Work<readonly (readonly [string, string])[]> {
  const { addresses, type } = yield* entitiesAt(setting, acting, rows);
  if (!Object.values(values).some((text) => text.includes('$this'))) {
    const body = yield* bodyOf(setting, acting, values, { type });
    return addresses.map((address) => [address, body]);
  }
  const changes: (readonly [string, string])[] = [];
  for (const address of addresses) {
    const own = { ...acting, this: type === undefined ? address : `${address}/${type.name}` };
    changes.push([address, yield* bodyOf(setting, own, values, { type })]);
  }
  return changes;
}

type Entities = EffectValue & { readonly kind: 'entities' };

function* entitiesAt(setting: ActionSetting, acting: ActionContext, text: string): Work<Entities> {
  const value = yield* evaluate(setting, acting, text);
  invariant(value.kind === 'entities', `${text} must be a path to entities`);
  return value;
}

/** Creates an entity. Later effects refer to it by the name in `as`. */
function* create(
  setting: ActionSetting,
  { acting, created }: ActionCall,
  effect: Effect & { readonly kind: 'create' },
): Work<ActionCall> {
  const { type, values, as } = effect;
  const into = yield* collectionAt(setting, acting, effect.in);
  const entityType = type === undefined ? into.type : setting.service.model.types.get(type);
  invariant(entityType?.kind === 'entity', `${type} is not an entity type`);
  const body = yield* bodyOf(setting, acting, values, { type: entityType, name: type });
  const { headers } = yield* send(setting, 'POST', into.address, body);
  const { Location: location } = headers;
  // An entity that the account may create but not see has no URL. Later effects see it as null.
  if (location === undefined) return { acting, created };
  const path = knownPath(setting.call.root, location);
  const entities = as === undefined ? acting.entities : new Map([...acting.entities, [as, [path]]]);
  return { acting: { ...acting, entities }, created: new Map([...created, [path, location]]) };
}

/**
 * Resolves `$root/Animals`, `$it` of an action bound to a collection, or a collection navigation of one entity, `$it/Notes`. Its entities are
 * not read: there may be any number of them.
 */
function* collectionAt(
  setting: ActionSetting,
  acting: ActionContext,
  text: string,
): Work<{ readonly address: string; readonly type: EntityType }> {
  const type = typeOfCollection(setting, acting, text);
  if (text === '$it') return { address: acting.it ?? '', type };
  const [, owner = '', name = ''] = /^(.*)\/([^/]+)$/s.exec(text) ?? [];
  if (owner === '$root') return { address: name, type };
  const { addresses } = yield* entitiesAt(setting, acting, owner);
  const [address] = addresses;
  if (address === undefined)
    throw new Fault('write.refused', { message: `${owner} has no entity to add to.` });
  return { address: `${address}/${name}`, type };
}

function* bodyOf(
  setting: ActionSetting,
  acting: ActionContext,
  values: EffectValues,
  subject: BodySubject,
): Work<string> {
  const evaluated: (readonly [string, EffectValue])[] = [];
  for (const [path, text] of Object.entries(values))
    evaluated.push([path, yield* evaluate(setting, acting, text)]);
  return writeActionBody(setting.service.model, subject, evaluated);
}

/** Sends a separate request within the transaction. */
export function send(
  setting: ActionSetting,
  method: string,
  path: string,
  body?: string,
  more: Pick<Call, 'transition'> = {},
): Work<Answer> {
  const { id, address, root, cause } = setting.call;
  const headers = { 'content-type': 'application/json', prefer: 'return=minimal' };
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const waivesTags = true;
  return setting.write({
    id,
    address,
    root,
    method,
    path,
    query: '',
    headers,
    body: bytes,
    waivesTags,
    cause,
    ...more,
  });
}
