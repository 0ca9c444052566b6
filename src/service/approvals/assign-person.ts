// This file gives an entity to a person of its group (`Docket.Assigned`): by turns, or to the one with the least open work. Writing
// transactions run one after another, so that each choice sees those before it.
import { servicePrincipal } from '../../access/principal.ts';
import { invariant } from '../../base/fault.ts';
import { keyName } from '../../edm/clocks/clock-members.ts';
import { type EntityType, type Model, memberAt } from '../../edm/model.ts';
import { targetAt } from '../../edm/source.ts';
import { isJsonObject, type JsonObject } from '../../edm/value/lossless-json.ts';
import type { AssignmentRules } from '../../edm/workflow/assignment-rules.ts';
import { assigningType } from '../../edm/workflow/assignments.ts';
import { displayNameOf } from '../../edm/workflow/history-members.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import type { Work } from '../../store/database.ts';
import type { FollowedChange } from '../../store/script-state.ts';
import {
  type FollowSetting,
  integerAt,
  KEPT,
  OwnRequests,
  setOf,
  valueAt,
} from './own-requests.ts';

/** The account with which assignments are recorded. */
const ASSIGNMENT = servicePrincipal('docket assignment');

/** Throws: the faults of the change. */
export function* assignPerson(change: FollowedChange, setting: FollowSetting): Work<void> {
  const { model } = setting.service;
  const type = model.types.get(change.type);
  const owner = type?.kind === 'entity' ? assigningType(model, type) : undefined;
  invariant(type?.kind === 'entity' && owner?.assigned !== undefined, `${change.type} is assigned`);
  yield* new Assignment(type, owner, owner.assigned, setting).assign(change.key);
}

class Assignment {
  readonly #type: EntityType;
  readonly #owner: EntityType;
  readonly #rules: AssignmentRules;
  readonly #model: Model;
  readonly #requests: OwnRequests;
  readonly #workflow: TypeWorkflow | undefined;

  /** @param owner the type that declares the rules */
  constructor(type: EntityType, owner: EntityType, rules: AssignmentRules, setting: FollowSetting) {
    this.#type = type;
    this.#owner = owner;
    this.#rules = rules;
    this.#model = setting.service.model;
    this.#requests = new OwnRequests(setting, ASSIGNMENT);
    this.#workflow = setting.service.workflows().get(type.name);
  }

  *assign(key: bigint): Work<void> {
    const entity = yield* this.#entity(key);
    const group = entity && this.#groupOf(entity);
    if (group === undefined) return;
    const members = yield* this.#members(group.key);
    const isByLoad = group.method === this.#rules.leastLoad;
    const inTurn = rotated(members, group.last);
    const person = isByLoad ? yield* this.#leastLoaded(inTurn) : inTurn[0];
    const cause = this.#nameOf(group.entity);
    if (person === undefined) return yield* this.#addNote(key, cause);
    const { person: path, last } = this.#rules;
    const chosen = { '@odata.id': `${setOf(this.#model, this.#personType)}(${person})` };
    yield* this.#requests.send('PATCH', this.#pathOf(key), { [path]: chosen }, { cause });
    const groupPath = `${setOf(this.#model, this.#groupType)}(${group.key})`;
    yield* this.#requests.send('PATCH', groupPath, { [last]: chosen }, { ...KEPT, cause });
  }

  /** The entity, if it is open work without a person. */
  *#entity(key: bigint): Work<JsonObject | undefined> {
    const { group, person, last, open = 'true' } = this.#rules;
    const filter = `${this.#keyOf(this.#type)} eq ${key} and ${person} eq null and (${open})`;
    const query = `$filter=${filter}&$expand=${group}($expand=${last})`;
    const [entity] = yield* this.#requests.read(setOf(this.#model, this.#type), query);
    return entity !== undefined && this.#isOpen(entity) ? entity : undefined;
  }

  /** Whether the state is open. What a state sets when it is entered, such as the time of the end, is not there yet. */
  #isOpen(entity: JsonObject): boolean {
    const state = this.#workflow && integerAt(entity, this.#workflow.path);
    const { category = 'open' } = this.#workflow?.states.get(state ?? -1n) ?? {};
    return category === 'open';
  }

  /** The group, if the service chooses the person. */
  #groupOf(entity: JsonObject) {
    const { group, last, roundRobin, leastLoad } = this.#rules;
    const owner = valueAt(entity, group);
    const key = integerAt(entity, `${group}/${this.#keyOf(this.#groupType)}`);
    const method = this.#methodIn(entity);
    const isKnown = method !== undefined && [roundRobin, leastLoad].includes(method);
    if (key === undefined || !isKnown || !isJsonObject(owner)) return undefined;
    const personKey = this.#keyOf(this.#personType);
    return { key, entity: owner, method, last: integerAt(entity, `${group}/${last}/${personKey}`) };
  }

  /** The group as causes in the history show it: `Workgroup: Helpdesk`. */
  #nameOf(group: JsonObject): string {
    const type = this.#groupType;
    const [language = ''] = this.#model.definition.languages;
    const label = type.labels?.[language] ?? type.name.slice(type.name.lastIndexOf('.') + 1);
    const name = valueAt(group, displayNameOf(this.#model, type) ?? '');
    return `${label}: ${name ?? integerAt(group, this.#keyOf(type))}`;
  }

  /** The symbol of the method that the group has. */
  #methodIn(entity: JsonObject): string | undefined {
    const { group, method } = this.#rules;
    const property = memberAt(this.#model, this.#groupType, method);
    if (property?.kind !== 'property') return undefined;
    const coded = this.#model.types.get(property.type);
    const inner = coded?.kind === 'complex' ? coded.coded?.value : undefined;
    const path = inner === undefined ? method : `${method}/${inner}`;
    const value = integerAt(entity, `${group}/${path}`);
    const codes = this.#model.codeLists.get(property.codeList ?? '')?.codes ?? [];
    return codes.find((code) => code.value === value)?.meaning;
  }

  /** The keys of those who can take work now, in ascending order. */
  *#members(group: bigint): Work<readonly bigint[]> {
    const { members, where = 'true' } = this.#rules;
    const key = this.#keyOf(this.#personType);
    const path = `${setOf(this.#model, this.#groupType)}(${group})/${members}`;
    const rows = yield* this.#requests.read(
      path,
      `$filter=${where}&$select=${key}&$orderby=${key}`,
    );
    return rows.flatMap((row) => integerAt(row, key) ?? []);
  }

  /** Of those with the least open work, the one whose turn it is. */
  *#leastLoaded(members: readonly bigint[]): Work<bigint | undefined> {
    if (members.length === 0) return undefined;
    const loads = yield* this.#loads(members);
    const least = Math.min(...members.map((member) => loads.get(member) ?? 0));
    return members.find((member) => (loads.get(member) ?? 0) === least);
  }

  /** How much open work the members have, in all sets with these rules. */
  *#loads(members: readonly bigint[]): Work<ReadonlyMap<bigint, number>> {
    const { person, open = 'true' } = this.#rules;
    const key = `${person}/${this.#keyOf(this.#personType)}`;
    const own = `${key} in (${members.join(',')}) and (${open})`;
    const loads = new Map<bigint, number>();
    for (const set of this.#sets()) {
      const query = `$apply=filter(${own})/groupby((${key}),aggregate($count as Count))`;
      for (const row of yield* this.#requests.read(set, query)) {
        const member = integerAt(row, key);
        const count = Number(integerAt(row, 'Count') ?? 0n);
        if (member !== undefined) loads.set(member, (loads.get(member) ?? 0) + count);
      }
    }
    return loads;
  }

  #sets(): readonly string[] {
    const types = [this.#owner, ...this.#model.derived(this.#owner)].map(({ name }) => name);
    return [...this.#model.storedSets.values()].flatMap(({ name, type }) =>
      types.includes(type) ? [name] : [],
    );
  }

  /** States why nobody was assigned. */
  *#addNote(key: bigint, cause: string): Work<void> {
    const { note } = this.#rules;
    if (note === undefined) return;
    const [collection = '', member = ''] = note.member.split('/');
    const path = `${this.#pathOf(key)}/${collection}`;
    yield* this.#requests.send('POST', path, { [member]: note.text }, { ...KEPT, cause });
  }

  #pathOf(key: bigint): string {
    return `${setOf(this.#model, this.#type)}(${key})`;
  }

  #keyOf(type: EntityType): string {
    return keyName(this.#model, type);
  }

  get #groupType(): EntityType {
    return targetOf(this.#model, this.#type, this.#rules.group);
  }

  get #personType(): EntityType {
    return targetOf(this.#model, this.#type, this.#rules.person);
  }
}

function targetOf(model: Model, type: EntityType, path: string): EntityType {
  const target = targetAt(model, type, path);
  invariant(target !== undefined, `${path} must be a navigation`);
  return target;
}

/** The members in the order of their turns: those after the last one first. */
function rotated(members: readonly bigint[], last: bigint | undefined): readonly bigint[] {
  if (last === undefined) return members;
  return [...members.filter((one) => one > last), ...members.filter((one) => one <= last)];
}
