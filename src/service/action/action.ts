// This file carries out actions as the model declares them: each effect is a request of its own, made of what expressions give and done
// in the transaction of the call, with the rights of who asks. Rights, validation, history and change log are those of any write.
// OData Protocol 4.01, "Actions"; "Update Members of a Collection".
import { Fault, invariant, unreachable } from '../../base/fault.ts';
import type { Acting } from '../../bind/model/action-effect.ts';
import { relativePath } from '../../bind/path/entity-url.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import type { Effect, EffectValues, EntityType } from '../../edm/model.ts';
import type { Answer } from '../../response/response.ts';
import type { Call } from '../service.ts';
import { answerAction, type Called } from './action-result.ts';
import { writeActionBody } from './effect-body.ts';
import { type ActionReader, addressesOf, evaluate, type Given } from './read-effect-values.ts';

/** What carrying out needs: how the call reads, and how it writes in its transaction. */
export interface ActionSetting extends ActionReader {
  readonly write: (call: Call) => Answer;
}

export type BoundInvoke = BoundWrite & { readonly kind: 'invoke' };

/**
 * Does what the action says, for everything that it is bound to, and answers with what it gives back.
 * Faults: not-built for an action without effects, bind.unavailable, write.refused, write.too-many, and those of writes.
 */
export function carryOut(invoke: BoundInvoke, setting: ActionSetting): Answer {
  const { engine, name } = invoke.operation;
  const effects = engine === undefined ? invoke.operation.effects : [];
  if (effects === undefined) throw new Fault('not-built', { feature: `the action ${name}` });
  const calls = startsOf(invoke, setting).map((acting) => {
    requireAvailable(setting, acting);
    const start: Called = { acting, made: new Map() };
    return effects.reduce((called, effect) => take(setting, called, effect), start);
  });
  return answerAction(setting, invoke, calls);
}

/** What is known at first: once for each entity that the action is called for. */
function startsOf(invoke: BoundInvoke, setting: ActionSetting): readonly Acting[] {
  const { operation, address, parameters, rows, members, collection } = invoke;
  const entities = entitiesOf(invoke, setting);
  const acting: Acting = { operation, address, parameters, entities };
  const one = rows ?? members;
  if (one !== undefined) {
    const type = one.row.type.name;
    const found = addressesOf(setting, {
      rows: one,
      address: address.slice(0, -1),
      many: rows === undefined,
    });
    return found.map((it) => ({ ...acting, it: `${it}/${type}` }));
  }
  return [collection === undefined ? acting : { ...acting, it: pathBefore(setting.call) }];
}

/** The address that the name of the action stands behind. */
function pathBefore({ path }: Call): string {
  return path.replace(/\/+$/, '').replace(/\/[^/]*$/, '');
}

/** The addresses of entities that parameters name; several stand under `Keepers[0]`, `Keepers[1]`. */
function entitiesOf(
  { references }: BoundInvoke,
  { call }: ActionSetting,
): ReadonlyMap<string, readonly string[]> {
  const entities = new Map<string, readonly string[]>();
  const { root, contentIds = new Map() } = call;
  for (const [key, { text }] of references) {
    const name = key.replace(/\[\d+\]$/, '');
    const path = relativePath({ root, contentIds }, text);
    invariant('relative' in path, 'a reference has been read before');
    entities.set(name, [...(entities.get(name) ?? []), path.relative]);
  }
  return entities;
}

function requireAvailable(setting: ActionSetting, acting: Acting): void {
  const { available, name } = acting.operation;
  if (available === undefined || isTrue(evaluate(setting, acting, available))) return;
  throw new Fault('bind.unavailable', { name });
}

function isTrue(given: Given): boolean {
  return given.kind === 'value' && given.json === 'true';
}

// ---- effects --------------------------------------------------------------------------------------------------------

function take(setting: ActionSetting, called: Called, effect: Effect): Called {
  const { acting } = called;
  switch (effect.kind) {
    case 'require': {
      const { condition, message } = effect;
      if (isTrue(evaluate(setting, acting, condition))) return called;
      throw new Fault('write.refused', { message });
    }
    case 'change': {
      const { addresses, type } = entitiesAt(setting, acting, effect.rows);
      for (const address of addresses)
        send(setting, 'PATCH', address, bodyOf(setting, acting, effect.values, { type }));
      return called;
    }
    case 'create':
      return create(setting, called, effect);
    case 'delete': {
      const { addresses } = entitiesAt(setting, acting, effect.rows);
      for (const address of addresses) send(setting, 'DELETE', address);
      return called;
    }
    default:
      return unreachable(effect);
  }
}

type Entities = Given & { readonly kind: 'entities' };

function entitiesAt(setting: ActionSetting, acting: Acting, text: string): Entities {
  const given = evaluate(setting, acting, text);
  invariant(given.kind === 'entities', `${text} leads to no entities`);
  return given;
}

/** Makes an entity. What it is called stands for it from now on. */
function create(
  setting: ActionSetting,
  { acting, made }: Called,
  effect: Effect & { readonly kind: 'create' },
): Called {
  const { type, values, as } = effect;
  const into = collectionAt(setting, acting, effect.in);
  const named = type === undefined ? into.type : setting.service.model.types.get(type);
  invariant(named?.kind === 'entity', `${type} is no entity type`);
  const body = bodyOf(setting, acting, values, {
    type: named,
    ...(type === undefined ? {} : { name: type }),
  });
  const { Location: location } = send(setting, 'POST', into.address, body).headers;
  // What the account may make but not see has no address, and is null to what comes after.
  if (location === undefined) return { acting, made };
  const path = relativePath({ root: setting.call.root, contentIds: new Map() }, location);
  invariant('relative' in path, `${location} is not of this service`);
  const entities =
    as === undefined ? acting.entities : new Map([...acting.entities, [as, [path.relative]]]);
  return { acting: { ...acting, entities }, made: new Map([...made, [path.relative, location]]) };
}

interface CollectionAddress {
  readonly address: string;
  readonly type: EntityType | undefined;
}

/** `$root/Animals`, `$it` of an action bound to a collection, or a collection navigation behind one entity, `$it/Notes`. */
function collectionAt(setting: ActionSetting, acting: Acting, text: string): CollectionAddress {
  const { type, many } = entitiesAt(setting, acting, text);
  invariant(many, `${text} is no collection`);
  if (text === '$it') return { address: acting.it ?? '', type };
  const [, owner = '', name = ''] = /^(.*)\/([^/]+)$/s.exec(text) ?? [];
  if (owner === '$root') return { address: name, type };
  const [address] = entitiesAt(setting, acting, owner).addresses;
  if (address === undefined)
    throw new Fault('write.refused', { message: `There is nothing at ${owner} to add to.` });
  return { address: `${address}/${name}`, type };
}

function bodyOf(
  setting: ActionSetting,
  acting: Acting,
  values: EffectValues,
  subject: { readonly type: EntityType | undefined; readonly name?: string },
): string {
  const given = Object.entries(values).map(
    ([path, text]) => [path, evaluate(setting, acting, text)] as const,
  );
  return writeActionBody(setting.service.model, subject, given);
}

/** A request of its own within the transaction. */
function send(setting: ActionSetting, method: string, path: string, body?: string): Answer {
  const { id, address, root } = setting.call;
  const headers = { 'content-type': 'application/json', prefer: 'return=minimal' };
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return setting.write({ id, address, root, method, path, query: '', headers, body: bytes });
}
