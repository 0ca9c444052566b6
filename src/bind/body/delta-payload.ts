// This file reads lists of entities that are there already or shall be: the full list of a deep update, and lists of changes with
// removals (`Nav@delta`, a delta payload sent by PATCH). Each item is to be linked, changed, created or removed.
// OData JSON 4.01, "Delta Payload", "Deleted Entity"; OData Protocol 4.01, "Update a Collection of Entities".

import type { EntityType } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import type { RowOrigin, Rows } from '../bound.ts';
import type { EntityInput, InputChild, Reference } from '../write/bound-write.ts';
import type { Body, Deed } from './body-context.ts';
import { within } from './body-errors.ts';
import { isServerKeyed, readKey, rowsByKey } from './body-keys.ts';
import { type SortedObject, sortMembers } from './control-information.ts';
import { noValue, type Written } from './value-context.ts';

/** The list whose items are read. */
export interface EntityList {
  readonly body: Body;
  /** As messages call it: the navigation or set. */
  readonly name: string;
  readonly source: Source;
  readonly type: EntityType;
  /** One entity instead of a list. */
  readonly single: boolean;
  readonly deed: Deed;
  /** Where entities are looked for by key; undefined where none can be there yet. */
  readonly keyed: RowOrigin | undefined;
  /** Where the one entity of a single navigation is. */
  readonly related: RowOrigin | undefined;
  /** Navigations of the items that follow from the list. */
  readonly supplied: ReadonlyMap<string, Rows | undefined>;
}

/** One item of a list: nothing where a mistake was noted. `isDelta`: removals may stand in it. */
export function readChange(
  list: EntityList,
  written: Written,
  isDelta: boolean,
): readonly InputChild[] {
  const { input, target } = written;
  if (!isJsonObject(input)) {
    const slot = { name: list.name, type: list.type.name, collection: false };
    noValue(list.body, slot, written, 'an object');
    return [];
  }
  const sorted = sortMembers(input);
  if (isLinkChange(sorted))
    return refuse(list, 'relations are changed by lists inside their entity', target);
  if (isRemoval(sorted)) return readRemoval(list, sorted, written, isDelta);
  const reference = inlineReference(list, written);
  if (reference !== 'none') return reference === undefined ? [] : [{ kind: 'link', reference }];
  const named = nameEntity(list, sorted, written);
  if (named === undefined) return [];
  if (named === 'new') return [{ kind: 'create', entity: newEntity(list, written) }];
  const entity = changedEntity(list, named.reference.rows, { input, target });
  return [{ kind: 'change', ...named, entity }];
}

/** `{"@id": "Persons(7)"}`, with nothing else in it that counts; 'none' where the object is no reference. */
export function inlineReference(
  list: Pick<EntityList, 'body' | 'source' | 'type'>,
  { input, target }: Written,
): Reference | undefined | 'none' {
  if (!isJsonObject(input)) return 'none';
  const sorted = sortMembers(input);
  const text = sorted.controls.get('id');
  const isBare = sorted.members.size === 0 && sorted.memberControls.size === 0;
  if (text === undefined || text === null || !isBare) return 'none';
  const { body, source, type } = list;
  return body.reference({ source, type, text, target: within(target, '@odata.id') });
}

/** An entity that is made as an item of the list. */
export function newEntity(list: EntityList, { input, target }: Written): EntityInput {
  const { body, source, type, supplied } = list;
  return body.entity(body, { source, type, deed: 'create', target, supplied }, input);
}

function changedEntity(list: EntityList, rows: Rows, { input, target }: Written): EntityInput {
  const { body, source, type, deed, supplied } = list;
  return body.entity(body, { source, type, deed, target, rows, supplied }, input);
}

interface Named {
  readonly reference: Reference;
  readonly absent: 'create' | 'refuse';
}

/** Which entity an object speaks of: by `@id`, by its key, or, of a single navigation, the one there is. */
function nameEntity(
  list: EntityList,
  sorted: SortedObject,
  { input, target }: Written,
): Named | 'new' | undefined {
  const { body, source, type } = list;
  const id = sorted.controls.get('id');
  if (id !== undefined && id !== null) {
    const asked = { source, type, text: id, target: within(target, '@odata.id') };
    const reference = body.reference(asked);
    return reference === undefined ? undefined : { reference, absent: 'refuse' };
  }
  const before = body.mistakes.count;
  body.lifting?.spoil();
  const key = readKey(body, type, input, target);
  if (body.mistakes.count > before) return undefined;
  if (key !== undefined) {
    const origin = list.keyed;
    if (origin === undefined) return 'new';
    const rows = rowsByKey({ rowId: body.rowId(), model: body.model, source, type, origin }, key);
    const absent = isServerKeyed(body.model, type) ? 'refuse' : 'create';
    return { reference: { rows, text: key.join(','), target }, absent };
  }
  if (!list.single || list.related === undefined) return 'new';
  const row = { kind: 'entity', id: body.rowId(), source, type } as const;
  const rows = { row, origin: list.related, where: [] };
  return { reference: { rows, text: list.name, target }, absent: 'create' };
}

// ---- removals -------------------------------------------------------------------------------------------------------

/** `@removed` of 4.01, or the context of a deleted entity of 4.0. */
function isRemoval({ controls }: SortedObject): boolean {
  return controls.has('removed') || contextEnds(controls, '/$deletedEntity');
}

function isLinkChange({ controls }: SortedObject): boolean {
  return contextEnds(controls, '/$link') || contextEnds(controls, '/$deletedLink');
}

function contextEnds(controls: SortedObject['controls'], end: string): boolean {
  const context = controls.get('context');
  return typeof context === 'string' && context.endsWith(end);
}

/** `{"@removed": {"reason": "deleted"}, "@id": …}`. */
function readRemoval(
  list: EntityList,
  sorted: SortedObject,
  written: Written,
  isDelta: boolean,
): readonly InputChild[] {
  const place = within(written.target, '@odata.removed');
  if (!isDelta) return refuse(list, 'items are removed in a list of changes', place);
  const reason = readReason(list, sorted, place);
  const named = nameEntity(list, withPlainId(sorted), written);
  if (named === 'new') {
    list.body.mistakes.add('write.unnamed', { type: list.type.name }, written.target);
    return [];
  }
  if (named === undefined || reason === undefined) return [];
  const isDeleted = reason === 'deleted' || list.related?.kind !== 'related';
  if (isDeleted && list.source.set?.deletable === false)
    return refuse(list, 'its entities cannot be deleted', place);
  return [{ kind: 'remove', reference: named.reference, reason }];
}

/** In 4.0 the URL of a deleted entity is its member `id`. */
function withPlainId(sorted: SortedObject): SortedObject {
  const id = sorted.members.get('id');
  if (id === undefined || sorted.controls.has('removed')) return sorted;
  return { ...sorted, controls: new Map([...sorted.controls, ['id', id]]) };
}

function readReason(
  list: EntityList,
  sorted: SortedObject,
  place: string,
): 'deleted' | 'changed' | undefined {
  const removed = sorted.controls.get('removed');
  const inner = isJsonObject(removed) ? Object.entries(removed) : [...sorted.members];
  const reason = new Map<string, JsonInput>(inner).get('reason') ?? 'changed';
  if (reason === 'deleted' || reason === 'changed') return reason;
  const slot = { name: 'reason', type: 'Edm.String', collection: false };
  return noValue(
    list.body,
    slot,
    { input: reason, target: `${place}/reason` },
    '"deleted" or "changed"',
  );
}

function refuse({ body, name }: EntityList, why: string, target: string): readonly InputChild[] {
  body.mistakes.add('write.delta', { name, why }, target);
  return [];
}
