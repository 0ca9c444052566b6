// Reads relations in a body: references to existing entities (`@odata.bind`, `{"@id":…}`), nested new entities (deep insert), and,
// in 4.01, changes of related entities together with their owner (deep update).
// OData Protocol 4.01, "Link to Related Entities When Creating an Entity", "Update Related Entities When Updating an Entity".

import { mayBeCleared } from '../../edm/dependents.ts';
import type { EntityType, Navigation } from '../../edm/model.ts';
import { entityType } from '../../edm/model.ts';
import { isOwning, isToContainer } from '../../edm/property-storage.ts';
import { allowsWrite, type Route } from '../../edm/restrictions.ts';
import type { Source } from '../../edm/source.ts';
import { isJsonObject, type JsonInput, showInput } from '../../edm/value/lossless-json.ts';
import { exampleOf } from '../path/entity-url.ts';
import { navigationRoute } from '../path/navigation.ts';
import type { InputChild, InputChildren, InputLink, Reference } from '../write/bound-write.ts';
import {
  isRestricted,
  pathText,
  relatedSource,
  type Structure,
  singlePartnerName,
} from './body-context.ts';
import {
  containedRemedy,
  itemPath,
  memberPath,
  noteInvalidValue,
  type Written,
} from './body-errors.ts';
import { isSameRow } from './body-keys.ts';
import { sortMembers } from './control-information.ts';
import { type EntityList, inlineReference, newEntity, readChange } from './delta-payload.ts';
import { setsKeyPart } from './referential-constraints.ts';

/** A navigation in a body, and its target. */
interface Relation {
  readonly structure: Structure;
  readonly navigation: Navigation;
  readonly source: Source;
  readonly route: Route | undefined;
  readonly type: EntityType;
}

/** Reads `"Caller": …`: a nested entity, a list of them, or null. */
export function readNavigation(
  structure: Structure,
  navigation: Navigation,
  input: JsonInput,
): void {
  const target = memberPath(structure.target, navigation.name);
  const relation = relationOf(structure, navigation, target, input === null);
  if (relation === undefined) return;
  if (input === null) {
    clear(relation);
    return;
  }
  const items = itemsOf(relation, { input, target });
  if (structure.place.mode === 'create') insert(relation, items, target);
  else if (structure.body.version === '4.0') linkOnly(relation, items, target);
  else update(relation, items, target);
}

/** Reads `"Caller@odata.bind": "Persons(7)"`. OData JSON 4.01, "Control Information: bind". */
export function readBind(
  structure: Structure,
  navigation: Navigation,
  { input, target }: Written,
): void {
  const relation = relationOf(structure, navigation, target, input === null);
  if (relation === undefined) return;
  if (input === null) {
    if (navigation.contained) rejectContained(relation, target);
    else clear(relation);
    return;
  }
  if (Array.isArray(input) !== navigation.collection) {
    const expected = navigation.collection ? 'a list of URLs' : 'one URL';
    noteInvalidValue(structure.body, slotOf(navigation), { input, target }, expected);
    return;
  }
  const texts: readonly JsonInput[] = Array.isArray(input) ? input : [input];
  const references = texts.flatMap((text, index) => {
    const place = navigation.collection ? itemPath(target, index) : target;
    const reference = structure.body.reference({ ...relation, text, target: place });
    return reference === undefined ? [] : [reference];
  });
  putLinks(relation, references, target);
}

/** Reads `"Workorders@delta": […]`. OData JSON 4.01, "Deep Update with Delta Payload". */
export function readDelta(
  structure: Structure,
  navigation: Navigation,
  { input, target }: Written,
): void {
  const relation = relationOf(structure, navigation, target, false);
  if (relation === undefined) return;
  const { body, place } = structure;
  if (place.mode === 'create' || body.version === '4.0' || !navigation.collection) {
    const why =
      place.mode === 'create'
        ? 'a new entity has no related entities to change'
        : 'it requires OData-Version: 4.01';
    body.mistakes.add(
      'write.delta',
      { name: navigation.name, why: navigation.collection ? why : 'it is single-valued' },
      target,
    );
    return;
  }
  if (!Array.isArray(input)) {
    noteInvalidValue(body, slotOf(navigation), { input, target }, 'a list of changes');
    return;
  }
  const list = listOf(relation);
  const entities = input.flatMap((item: JsonInput, index) =>
    readChange(list, { input: item, target: itemPath(target, index) }, true),
  );
  putChildren(relation, 'delta', entities, target);
}

/** Resolves a navigation; undefined if the body must not write it, with a mistake unless it is ignored. */
function relationOf(
  structure: Structure,
  navigation: Navigation,
  target: string,
  isNull: boolean,
): Relation | undefined {
  const { body, place } = structure;
  if (navigation.computed === true && !body.isService) return undefined;
  const isFixed =
    navigation.immutable === true ||
    isToContainer(body.model, navigation) ||
    setsKeyPart(body.model, structure.type, navigation);
  if (isFixed && place.mode !== 'create') {
    if (!isNull) body.mistakes.add('write.immutable', { name: navigation.name }, target);
    return undefined;
  }
  if (isRestricted(structure, navigation.name)) return undefined;
  const source = relatedSource(structure, navigation);
  const route = navigationRoute(place, structure, navigation);
  return { structure, navigation, source, route, type: entityType(body.model, navigation.target) };
}

/**
 * Removes the reference of a single-valued navigation, or deletes the entity that it contains. Null is ignored for collections and new
 * entities.
 */
function clear(relation: Relation): void {
  const { structure, navigation } = relation;
  const { body, place, path, draft, target } = structure;
  if (navigation.collection || place.mode === 'create') return;
  if (!isClearable(relation)) {
    const name = memberPath(target, navigation.name);
    body.mistakes.add('write.null', { name, type: navigation.target }, name);
    return;
  }
  if (isOwning(navigation)) putChildren(relation, 'full', [], target);
  else draft.links.push({ path, navigation, mode: 'clear', references: [] });
}

function isClearable(relation: Relation): boolean {
  const { structure, navigation } = relation;
  const { body, place, path } = structure;
  if (isPermanent(relation)) return false;
  return path.length === 0 ? mayBeCleared(body.model, place.type, navigation) : navigation.nullable;
}

/** Deep insert: new entities, mixed with references to existing ones. */
function insert(relation: Relation, items: readonly Written[], target: string): void {
  const { structure, navigation } = relation;
  const references: Reference[] = [];
  const entities: InputChild[] = [];
  const list = listOf(relation);
  for (const item of items) {
    const reference = inlineReference(list, item);
    if (reference === 'none') entities.push(...insertedEntity(list, item));
    else if (reference !== undefined) references.push(reference);
  }
  if (references.length > 0) putLinks(relation, references, target);
  if (entities.length === 0) return;
  if (isSupplied(structure, navigation)) {
    rejectSupplied(relation, target);
    return;
  }
  putChildren(relation, 'insert', entities, target);
}

/** A nested new entity. A new entity can refer to existing entities, but not change them. OData Protocol 4.01, "Create an Entity". */
function insertedEntity(list: EntityList, item: Written): readonly InputChild[] {
  const id = isJsonObject(item.input) ? sortMembers(item.input).controls.get('id') : undefined;
  if (id === undefined || id === null) return [{ kind: 'create', entity: newEntity(list, item) }];
  const reason =
    'It names an existing entity, which a new entity cannot change. Send "@odata.id" alone to refer to it, or leave it out to create an entity.';
  const parameters = { text: showInput(id), reason };
  list.body.mistakes.add('write.reference', parameters, memberPath(item.target, '@odata.id'));
  return [];
}

/** The nested entities; one for a single-valued navigation. Items that are not objects become mistakes. */
function itemsOf(relation: Relation, { input, target }: Written): readonly Written[] {
  const { collection } = relation.navigation;
  if (collection && !Array.isArray(input)) {
    rejectItem(relation, { input, target }, 'a list of objects');
    return [];
  }
  const items = Array.isArray(input)
    ? input.map((item: JsonInput, index) => ({ input: item, target: itemPath(target, index) }))
    : [{ input, target }];
  return (collection ? items : [{ input, target }]).filter((item) => {
    const isObject = isJsonObject(item.input);
    if (!isObject) rejectItem(relation, item, 'an object');
    return isObject;
  });
}

/** If the item is a URL or a key, the client meant a reference, so the message recommends `@odata.bind`. */
function rejectItem(
  { structure, navigation, source }: Relation,
  item: Written,
  what: string,
): void {
  const url = navigation.contained ? undefined : urlIn(source, item.input);
  const bound = navigation.collection ? `[${url}]` : url;
  const advice = `. Write "${navigation.name}@odata.bind": ${bound} to refer to an existing entity`;
  const slot = { ...slotOf(navigation), collection: what !== 'an object' };
  noteInvalidValue(structure.body, slot, item, url === undefined ? what : `${what}${advice}`);
}

/** The intended reference as JSON: the URL in the body, or a URL with the key. */
function urlIn(source: Source, input: JsonInput): string | undefined {
  if (typeof input === 'bigint') return `"${exampleOf(source, String(input))}"`;
  if (typeof input !== 'string') return undefined;
  return /\/|\(.+\)/.test(input) ? JSON.stringify(input) : `"${exampleOf(source)}"`;
}

function slotOf(navigation: Navigation) {
  return { name: navigation.name, type: navigation.target, collection: navigation.collection };
}

/** In 4.0, an update can refer to related entities but not contain them. OData Protocol 4.0, "Update an Entity". */
function linkOnly(relation: Relation, items: readonly Written[], target: string): void {
  const { structure, navigation } = relation;
  const [item] = items;
  if (item === undefined && !navigation.collection) return;
  const isReference = item !== undefined && !navigation.collection;
  const reference = isReference ? inlineReference(listOf(relation), item) : 'none';
  if (reference === 'none') {
    structure.body.mistakes.add('write.inline', { name: navigation.name }, target);
  } else if (reference !== undefined) putLinks(relation, [reference], target);
}

/** Deep update: the complete new list of related entities. */
function update(relation: Relation, items: readonly Written[], target: string): void {
  const list = listOf(relation);
  const entities = items.flatMap((item) => readChange(list, item, false));
  const [first] = entities;
  const { navigation } = relation;
  if (!navigation.collection && !isOwning(navigation) && first?.kind === 'link') {
    putLinks(relation, [first.reference], target);
    return;
  }
  if (isSupplied(relation.structure, relation.navigation)) {
    rejectSupplied(relation, target);
    return;
  }
  if (navigation.collection && isPermanent(relation))
    relation.structure.body.mistakes.add('write.full-list', { name: navigation.name }, target);
  else putChildren(relation, 'full', entities, target);
}

/** Whether entities that leave the relation would be deleted, which their set or the navigation does not allow. */
function isPermanent({ structure: { body }, navigation, source, route }: Relation): boolean {
  const isAllowed = body.isLoad || allowsWrite({ source, route }, 'deletable') !== false;
  return isOwning(navigation) && !isAllowed;
}

/** The navigation as a list of entities. */
function listOf({ structure, navigation, source, route, type }: Relation): EntityList {
  const { body, place, path } = structure;
  const partner = singlePartnerName(body.model, navigation);
  const related =
    place.rows === undefined
      ? undefined
      : ({ kind: 'related', from: place.rows, path, navigation } as const);
  return {
    body,
    name: navigation.name,
    source,
    route,
    type,
    single: !navigation.collection,
    mode: place.mode,
    candidates: navigation.contained ? related : { kind: 'source' },
    related,
    supplied: new Map(partner === undefined ? [] : [[partner, place.rows]]),
  };
}

function putLinks(relation: Relation, references: readonly Reference[], target: string): void {
  const { structure, navigation } = relation;
  const { path, draft, place } = structure;
  if (navigation.contained && references.length > 0) {
    rejectContained(relation, target);
    return;
  }
  if (isSupplied(structure, navigation)) {
    checkSupplied(relation, references, target);
    return;
  }
  if (isWritten(relation)) {
    rejectSecond(relation, target);
    return;
  }
  const mode = navigation.collection ? 'add' : 'set';
  if (references.length > 0 || place.mode !== 'create')
    draft.links.push({ path, navigation, mode, references });
}

function putChildren(
  relation: Relation,
  mode: InputChildren['mode'],
  entities: readonly InputChild[],
  target: string,
): void {
  const { structure, navigation, source } = relation;
  if (isWritten(relation, mode)) rejectSecond(relation, target);
  else structure.draft.children.push({ path: structure.path, navigation, source, mode, entities });
}

/**
 * Whether another member of the body writes the relation, and contradicts this one. Both can add to a collection; a full list excludes
 * all others.
 */
function isWritten({ structure, navigation }: Relation, mode?: InputChildren['mode']): boolean {
  const { draft, path } = structure;
  return [...draft.links, ...draft.children].some(
    (other: InputLink | InputChildren) =>
      other.navigation === navigation &&
      pathText(other.path, '') === pathText(path, '') &&
      (!navigation.collection || mode === 'full' || other.mode === 'full'),
  );
}

function rejectSecond({ structure, navigation }: Relation, target: string): void {
  structure.body.mistakes.add('write.twice', { name: navigation.name }, target);
}

function rejectContained({ structure, navigation }: Relation, target: string): void {
  const parameters = { name: navigation.name, remedy: containedRemedy(navigation) };
  structure.body.mistakes.add('write.contained', parameters, target);
}

function isSupplied({ place, path }: Structure, navigation: Navigation): boolean {
  return path.length === 0 && place.supplied.has(navigation.name);
}

/** A reference to the parent entity, or the entity of the URL, is redundant but allowed. Others contradict the position. */
function checkSupplied(relation: Relation, references: readonly Reference[], target: string): void {
  const { structure, navigation } = relation;
  structure.body.parameters?.reject();
  const rows = structure.place.supplied.get(navigation.name);
  const isSame = (reference: Reference) =>
    rows !== undefined && isSameRow(structure.body.model, reference.rows, rows);
  if (!references.every(isSame)) rejectSupplied(relation, target);
}

function rejectSupplied({ structure, navigation }: Relation, target: string): void {
  structure.body.mistakes.add('write.contradiction', { name: navigation.name }, target);
}
