// Reads the full list of entities of a deep update, and delta payloads (`Nav@delta`, or PATCH to a collection), which can contain
// removals. Each item links, changes, creates or removes an entity.
// OData JSON 4.01, "Delta Payload", "Deleted Entity"; OData Protocol 4.01, "Update a Collection of Entities".
import { type EntityType, pathName } from '../../edm/model.ts';
import { isOwning } from '../../edm/property-storage.ts';
import { allowsWrite, type Route } from '../../edm/restrictions.ts';
import type { Source } from '../../edm/source.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import type { RowOrigin, Rows } from '../bound.ts';
import { comparison, entityValue, variable } from '../expression/constructors.ts';
import { itemReferenceOf } from '../path/item-reference.ts';
import type { EntityInput, InputChild, Reference } from '../write/bound-write.ts';
import type { Body, WriteMode } from './body-context.ts';
import { memberPath, noteInvalidValue, type Written } from './body-errors.ts';
import { isSameRow, isServerKeyed, readKey, rowsByKey, withReference } from './body-keys.ts';
import { noteRepeated, type SortedObject, sortMembers } from './control-information.ts';

/** A list of entities in a body. */
export interface EntityList {
  readonly body: Body;
  /** The name of the navigation or set, for messages. */
  readonly name: string;
  readonly source: Source;
  readonly route?: Route | undefined;
  readonly type: EntityType;
  /** The navigation is single-valued. */
  readonly single: boolean;
  readonly mode: WriteMode;
  /** The rows among which keys and ids are looked up; undefined if no entity can exist yet. */
  readonly candidates: RowOrigin | undefined;
  /** The existing related entities. */
  readonly related: RowOrigin | undefined;
  /** Navigations of the items that the list determines. */
  readonly supplied: ReadonlyMap<string, Rows | undefined>;
}

/** Reads one item; returns nothing after a mistake. `isDelta`: removals are allowed. */
export function readChange(
  list: EntityList,
  written: Written,
  isDelta: boolean,
): readonly InputChild[] {
  const { input, target } = written;
  if (!isJsonObject(input)) {
    const slot = { name: list.name, type: list.type.name, collection: false };
    noteInvalidValue(list.body, slot, written, 'an object');
    return [];
  }
  const sorted = sortMembers(input);
  if (isLinkChange(sorted))
    return reject(list, 'only a list inside their entity can change relations', target);
  if (isRemoval(sorted)) return readRemoval(list, sorted, written, isDelta);
  const reference = inlineReference(list, written);
  if (reference !== 'none') return reference === undefined ? [] : [{ kind: 'link', reference }];
  const named = nameEntity(list, sorted, written);
  if (named === undefined) return [];
  if (named === 'new') return [{ kind: 'create', entity: newEntity(list, written) }];
  if (allowsWrite(list, 'updatable') === false && !list.body.isLoad)
    return reject(list, 'its entities cannot be changed', target);
  const entity = changedEntity(list, named.reference.rows, { input, target });
  return [{ kind: 'change', ...named, entity }];
}

/** The reference `{"@id": "Persons(7)"}`; 'none' if the object has other members. */
export function inlineReference(
  list: EntityList,
  { input, target }: Written,
): Reference | undefined | 'none' {
  if (!isJsonObject(input)) return 'none';
  const sorted = sortMembers(input);
  const text = sorted.controls.get('id');
  const isBare = sorted.members.size === 0 && sorted.memberControls.size === 0;
  if (text === undefined || text === null || !isBare) return 'none';
  noteRepeated(list.body.mistakes, sorted, target);
  return readId(list, text, target);
}

/** The entity with the id; one of the candidates, since an entity contains its own items and no others, whichever URL names them. */
function readId(list: EntityList, text: JsonInput, place: string): Reference | undefined {
  const { body, source, type, candidates } = list;
  const target = memberPath(place, '@odata.id');
  const reference = body.reference({ source, type, text, target });
  if (reference === undefined || candidates?.kind !== 'related') return reference;
  if (isBelowOwner(body, reference.rows, candidates)) return reference;
  const row = { kind: 'entity', id: body.rowId(), source, type } as const;
  const named = { kind: 'addressed', rows: reference.rows } as const;
  const isNamed = comparison('eq', entityValue(variable(row), type), entityValue(named, type));
  return { ...reference, rows: { row, origin: candidates, where: [isNamed] } };
}

/** Whether the URL of the entity contains that of its owner. Other URLs can name it, too, which only the database knows. */
function isBelowOwner(
  { model, parameters }: Body,
  { origin }: Rows,
  { from, path, navigation }: RowOrigin & { readonly kind: 'related' },
): boolean {
  if (origin.kind !== 'related' || origin.navigation !== navigation) return false;
  // Other requests with the same plan can have the key of another owner.
  parameters?.reject();
  return pathName(origin.path) === pathName(path) && isSameRow(model, origin.from, from);
}

/** Reads an item as a new entity. */
export function newEntity(list: EntityList, { input, target }: Written): EntityInput {
  const { body, source, route, type, supplied } = list;
  return body.entity(body, { source, route, type, mode: 'create', target, supplied }, input);
}

function changedEntity(list: EntityList, rows: Rows, { input, target }: Written): EntityInput {
  const { body, source, route, type, mode, supplied } = list;
  const complete = withReference(body, rows, mode, { input, target });
  return body.entity(body, { source, route, type, mode, target, rows, supplied }, complete);
}

interface NamedEntity {
  readonly reference: Reference;
  readonly absent: 'create' | 'refuse';
}

/** The entity that an object refers to: by `@id`, by its key, or the current one of a single-valued navigation. */
function nameEntity(
  list: EntityList,
  sorted: SortedObject,
  { input, target }: Written,
): NamedEntity | 'new' | undefined {
  const { body, source, type } = list;
  const id = sorted.controls.get('id');
  if (id !== undefined && id !== null) {
    const reference = readId(list, id, target);
    if (reference === undefined) return undefined;
    const isItem = itemReferenceOf(body.model, reference.rows) !== undefined;
    return { reference, absent: isItem ? 'create' : 'refuse' };
  }
  const before = body.mistakes.count;
  body.parameters?.reject();
  const key = readKey(body, type, input, target);
  if (body.mistakes.count > before) return undefined;
  if (key !== undefined) {
    const origin = list.candidates;
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

/** Whether the object is a deleted entity: `@removed` in 4.01, a context URL in 4.0. */
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

/** Reads `{"@removed": {"reason": "deleted"}, "@id": …}`. */
function readRemoval(
  list: EntityList,
  sorted: SortedObject,
  written: Written,
  isDelta: boolean,
): readonly InputChild[] {
  const place = memberPath(written.target, '@odata.removed');
  if (!isDelta) return reject(list, 'only a delta payload can remove items', place);
  const reason = readReason(list, sorted, place);
  const related = { ...list, candidates: list.related };
  const named = nameEntity(related, withPlainId(sorted), written);
  if (named === 'new') {
    list.body.mistakes.add('write.unnamed', { type: list.type.name }, written.target);
    return [];
  }
  if (named === undefined || reason === undefined) return [];
  const { related: origin } = list;
  const isUnlinked = origin?.kind === 'related' && !isOwning(origin.navigation);
  const isDeleted = reason === 'deleted' || !isUnlinked;
  if (isDeleted && allowsWrite(list, 'deletable') === false)
    return reject(list, 'its entities cannot be deleted', place);
  return [{ kind: 'remove', reference: named.reference, reason }];
}

/** In 4.0, the member `id` is the URL of a deleted entity. */
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
  return noteInvalidValue(
    list.body,
    slot,
    { input: reason, target: `${place}/reason` },
    '"deleted" or "changed"',
  );
}

function reject({ body, name }: EntityList, why: string, target: string): readonly InputChild[] {
  body.mistakes.add('write.delta', { name, why }, target);
  return [];
}
