// This file finds the due actions of a model, and writes the requests that find their entities and perform them.
import { type Due, type EntitySet, lineage, type Model, type Operation } from '../../edm/model.ts';
import { LOCAL_ROOT, type Send } from '../internal-requests.ts';

/** An action that the service performs for entities of a set. */
export interface DueAction extends Due {
  /** Qualified name. */
  readonly name: string;
  readonly set: string;
  /** The set, with a cast if its type is a base type of that of the action. */
  readonly collection: string;
  readonly cast: string;
}

/** An entity for which an action is due. */
export interface DueEntity {
  /** Relative to the service root: `MaintenanceContracts(12)`. */
  readonly address: string;
  readonly tag: string;
  /** When the action was due: `2026-11-23T10:00:00Z`. */
  readonly due: string;
}

/** The due actions of a model, one for each set that can have such entities. */
export function dueActions(model: Model): readonly DueAction[] {
  return model.definition.operations.flatMap((operation) =>
    [...model.sets.values()].flatMap((set) => dueIn(model, operation, set) ?? []),
  );
}

function dueIn(
  model: Model,
  { name, due, parameters }: Operation,
  set: EntitySet,
): DueAction | undefined {
  const type = parameters[0]?.type;
  if (due === undefined || type === undefined) return undefined;
  const isOf = (derived: string, base: string) => {
    const found = model.types.get(derived);
    return found?.kind === 'entity' && lineage(found, model.types).some((one) => one.name === base);
  };
  if (isOf(set.type, type)) return { ...due, name, set: set.name, collection: set.name, cast: '' };
  if (!isOf(type, set.type)) return undefined;
  return { ...due, name, set: set.name, collection: `${set.name}/${type}`, cast: `/${type}` };
}

/**
 * The entities for which the action is due, those that have waited longest first.
 * @param now milliseconds since 1970
 * @throws Error with the message of the response
 */
export async function findDue(
  send: Send,
  action: DueAction,
  now: number,
  limit: number,
): Promise<readonly DueEntity[]> {
  const { collection, at } = action;
  const query = `${filterOf(action, now)}&$orderby=${at}&$top=${limit}&$select=${at}`;
  const accept = 'application/json;odata.metadata=full';
  const { status, body } = await send('GET', `${collection}?${query}`, undefined, {
    accept,
    prefer: `maxpagesize=${limit}`,
  });
  if (status !== 200) throw new Error(messageOf(body));
  return (body.value as readonly JsonRow[]).map((row) => ({
    address: String(row['@odata.id']).replace(LOCAL_ROOT, ''),
    tag: String(row['@odata.etag']),
    due: String(valueAt(row, at)),
  }));
}

function filterOf({ where, at }: DueAction, now: number): string {
  return `$filter=${encodeURIComponent(`(${where}) and ${at} le ${new Date(now).toISOString()}`)}`;
}

/** The number of entities for which an action is due. @throws Error with the message of the response */
export async function countDue(
  send: Send,
  actions: readonly DueAction[],
  now: number,
): Promise<number> {
  let sum = 0;
  for (const action of actions) {
    const query = `${filterOf(action, now)}&$count=true&$top=0`;
    const { status, body } = await send('GET', `${action.collection}?${query}`);
    if (status !== 200) throw new Error(messageOf(body));
    sum += Number(body['@odata.count']);
  }
  return sum;
}

type JsonRow = Readonly<Record<string, unknown>>;

function valueAt(row: JsonRow, path: string): unknown {
  return path.split('/').reduce<unknown>((value, name) => Reflect.get(Object(value), name), row);
}

/** The entity has changed since it was read, or the action has been performed, or has failed with a message. */
export type DueOutcome =
  | { readonly kind: 'outdated' | 'done' }
  | { readonly kind: 'failed'; readonly message: string };

/** Performs the action, unless the entity has changed since it was read. Its cause is the time that has come. */
export async function performDue(
  send: Send,
  { name, cast, at }: DueAction,
  { address, tag, due }: DueEntity,
): Promise<DueOutcome> {
  const cause = `${name.slice(name.lastIndexOf('.') + 1)}: ${at} ${due}`;
  const path = `${address}${cast}/${name}`;
  const { status, body } = await send('POST', path, {}, { 'if-match': tag }, cause);
  if (status < 400) return { kind: 'done' };
  if (status === 404 || status === 412) return { kind: 'outdated' };
  return { kind: 'failed', message: messageOf(body) };
}

function messageOf({ error }: JsonRow): string {
  return String(
    Reflect.get(Object(error), 'message') ?? 'The service responded without a message.',
  );
}
