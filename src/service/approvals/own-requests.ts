// This file lets the service send requests of its own within the transaction of the request that caused them, with the rights of the service.
import type { Principal } from '../../access/principal.ts';
import { invariant } from '../../base/fault.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import {
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import type { Answer } from '../../response/response.ts';
import type { Context, Work } from '../../store/database.ts';
import { type EntityReader, readEntities } from '../read-entities.ts';
import { ruleReader } from '../schedules/read-schedule.ts';
import type { Call, Service } from '../service.ts';

/** Entities of one answer at most. */
const MOST = 1000;

/** Members that only the service sets can be set. */
export const KEPT = { isLoad: true, isService: true } as const;

export interface FollowSetting {
  readonly service: Service;
  readonly context: Context;
  readonly call: Pick<Call, 'id' | 'address' | 'root'>;
  readonly write: (call: Call, principal: Principal) => Work<Answer>;
}

export class OwnRequests {
  readonly #setting: FollowSetting;
  readonly #principal: Principal;
  readonly #reader: EntityReader;

  /** @param principal the account that history names */
  constructor(setting: FollowSetting, principal: Principal) {
    this.#setting = setting;
    this.#principal = principal;
    this.#reader = ruleReader(setting.service, setting.context);
  }

  /** The entities at a path. */
  read(path: string, query: string): Work<readonly JsonObject[]> {
    return readEntities(this.#reader, path, encodeURI(query), MOST);
  }

  /** Sends a write with the values. The history states the cause of the change. */
  *send(
    method: string,
    path: string,
    values: Values,
    more: Pick<Call, 'isLoad' | 'isService' | 'cause'> = {},
  ): Work<void> {
    const { id, address, root } = this.#setting.call;
    const headers = { 'content-type': 'application/json', prefer: 'return=minimal' };
    const body = Buffer.from(printJson(nested(values)));
    const call = { id, address, root, method, path, query: '', headers, body, ...more };
    yield* this.#setting.write({ ...call, waivesTags: true }, this.#principal);
  }
}

/** Values by the paths of members. */
export type Values = Readonly<Record<string, JsonInput | undefined>>;

/** The body with the values, without those whose path or value is undefined. */
function nested(values: Values): JsonObject {
  const body: Record<string, JsonInput> = {};
  for (const [path, value] of Object.entries(values)) {
    if (path === '' || value === undefined) continue;
    const [first = '', ...rest] = path.split('/');
    const known = body[first];
    const inner = { [rest.join('/')]: value };
    const before = isJsonObject(known) ? known : {};
    body[first] = rest.length === 0 ? value : { ...before, ...nested(inner) };
  }
  return body;
}

/** The set with the entities of the type. */
export function setOf(model: Model, { name }: EntityType): string {
  const set = [...model.storedSets.values()].find(({ type }) => type === name);
  invariant(set !== undefined, `there is no set of ${name}`);
  return set.name;
}

export function valueAt(entity: JsonObject, path: string): JsonInput {
  return path
    .split('/')
    .reduce<JsonInput>(
      (value, name) => (isJsonObject(value) ? (value[name] ?? null) : null),
      entity,
    );
}

export function integerAt(entity: JsonObject, path: string): bigint | undefined {
  const value = valueAt(entity, path);
  return typeof value === 'bigint' ? value : undefined;
}
