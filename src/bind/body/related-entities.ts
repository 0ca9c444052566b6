// This file reads what a body says of relations: references to entities that there are (`@odata.bind`, `{"@id":…}`), new entities
// inside the new one (deep insert), and, in 4.01, changes of related entities along with their owner (deep update).
// OData Protocol 4.01, "Link to Related Entities When Creating an Entity", "Update Related Entities When Updating an Entity".

import type { EntityType, Navigation } from '../../edm/model.ts';
import { entityType } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { exampleOf } from '../path/entity-url.ts';
import type { InputChild, InputChildren, InputLink, Reference } from '../write/bound-write.ts';
import { destinationOf, pathText, type Structure, wayBack } from './body-context.ts';
import { itemAt, within } from './body-errors.ts';
import { isSameRow } from './body-keys.ts';
import { type EntityList, inlineReference, newEntity, readChange } from './delta-payload.ts';
import { givesKey } from './referential-constraints.ts';
import { noValue, type Written } from './value-context.ts';

/** A navigation that a body speaks of, and where it leads. */
interface Relation {
  readonly structure: Structure;
  readonly navigation: Navigation;
  readonly source: Source;
  readonly type: EntityType;
}

/** `"Caller": …`: an inline entity, a list of them, or null. */
export function readNavigation(
  structure: Structure,
  navigation: Navigation,
  input: JsonInput,
): void {
  const target = within(structure.target, navigation.name);
  const relation = relationOf(structure, navigation, target, input === null);
  if (relation === undefined) return;
  if (input === null) {
    clear(relation);
    return;
  }
  const items = itemsOf(relation, { input, target });
  if (structure.place.deed === 'create') insert(relation, items, target);
  else if (structure.body.version === '4.0') referOnly(relation, items, target);
  else update(relation, items, target);
}

/** `"Caller@odata.bind": "Persons(7)"`. OData JSON 4.01, "Control Information: bind". */
export function readBind(
  structure: Structure,
  navigation: Navigation,
  { input, target }: Written,
): void {
  const relation = relationOf(structure, navigation, target, input === null);
  if (relation === undefined) return;
  if (input === null) {
    clear(relation);
    return;
  }
  if (Array.isArray(input) !== navigation.collection) {
    const expected = navigation.collection ? 'a list of URLs' : 'one URL';
    noValue(structure.body, slotOf(navigation), { input, target }, expected);
    return;
  }
  const texts: readonly JsonInput[] = Array.isArray(input) ? input : [input];
  const references = texts.flatMap((text, index) => {
    const place = navigation.collection ? itemAt(target, index) : target;
    const reference = structure.body.reference({ ...relation, text, target: place });
    return reference === undefined ? [] : [reference];
  });
  putLinks(relation, references, target);
}

/** `"Workorders@delta": […]`. OData JSON 4.01, "Deep Update with Delta Payload". */
export function readDelta(
  structure: Structure,
  navigation: Navigation,
  { input, target }: Written,
): void {
  const relation = relationOf(structure, navigation, target, false);
  if (relation === undefined) return;
  const { body, place } = structure;
  if (place.deed === 'create' || body.version === '4.0' || !navigation.collection) {
    const why =
      place.deed === 'create'
        ? 'a new entity has nothing to change'
        : 'it needs OData-Version: 4.01';
    body.mistakes.add(
      'write.delta',
      { name: navigation.name, why: navigation.collection ? why : 'it leads to one entity only' },
      target,
    );
    return;
  }
  if (!Array.isArray(input)) {
    noValue(body, slotOf(navigation), { input, target }, 'a list of changes');
    return;
  }
  const list = listOf(relation);
  const entities = input.flatMap((item: JsonInput, index) =>
    readChange(list, { input: item, target: itemAt(target, index) }, true),
  );
  putChildren(relation, 'delta', entities);
}

/** What a navigation is about, or undefined where nothing can be said of it here. */
function relationOf(
  structure: Structure,
  navigation: Navigation,
  target: string,
  isNull: boolean,
): Relation | undefined {
  const { body, place, document } = structure;
  if (navigation.computed === true) return undefined;
  if (document) {
    if (!isNull) body.mistakes.add('write.inner-relation', { name: navigation.name }, target);
    return undefined;
  }
  const isSettled =
    navigation.immutable === true || givesKey(body.model, structure.type, navigation);
  if (isSettled && place.deed !== 'create') {
    if (!isNull) body.mistakes.add('write.immutable', { name: navigation.name }, target);
    return undefined;
  }
  const source = destinationOf(structure, navigation);
  return { structure, navigation, source, type: entityType(body.model, navigation.target) };
}

/** Null on a collection says nothing, nor does null on a new entity. */
function clear({ structure, navigation }: Relation): void {
  const { body, place, path, draft, target } = structure;
  if (navigation.collection || place.deed === 'create') return;
  if (!navigation.nullable) {
    const name = within(target, navigation.name);
    body.mistakes.add('write.null', { name, type: navigation.target }, name);
    return;
  }
  draft.links.push({ path, navigation, mode: 'clear', references: [] });
}

/** Deep insert: new entities, and references to others between them. */
function insert(relation: Relation, items: readonly Written[], target: string): void {
  const { structure, navigation } = relation;
  const references: Reference[] = [];
  const entities: InputChild[] = [];
  const list = listOf(relation);
  for (const item of items) {
    const reference = inlineReference(list, item);
    if (reference === 'none') entities.push({ kind: 'create', entity: newEntity(list, item) });
    else if (reference !== undefined) references.push(reference);
  }
  if (references.length > 0) putLinks(relation, references, target);
  if (entities.length === 0) return;
  if (isSupplied(structure, navigation)) {
    refuseSupplied(relation, target);
    return;
  }
  putChildren(relation, 'insert', entities);
}

/** The entities that are written inline: one for a single navigation. What is no object is noted as a mistake and left out. */
function itemsOf(relation: Relation, { input, target }: Written): readonly Written[] {
  const { collection } = relation.navigation;
  if (collection && !Array.isArray(input)) {
    refuseItem(relation, { input, target }, 'a list of objects');
    return [];
  }
  const items = Array.isArray(input)
    ? input.map((item: JsonInput, index) => ({ input: item, target: itemAt(target, index) }))
    : [{ input, target }];
  return (collection ? items : [{ input, target }]).filter((item) => {
    const isObject = isJsonObject(item.input);
    if (!isObject) refuseItem(relation, item, 'an object');
    return isObject;
  });
}

/** A URL or a key in the place of an entity is a reference, and these have a name of their own. */
function refuseItem(
  { structure, navigation, source }: Relation,
  item: Written,
  what: string,
): void {
  const url = navigation.contained ? undefined : urlIn(source, item.input);
  const bound = navigation.collection ? `[${url}]` : url;
  const advice = `. Write "${navigation.name}@odata.bind": ${bound} to refer to an existing entity`;
  const slot = { ...slotOf(navigation), collection: what !== 'an object' };
  noValue(structure.body, slot, item, url === undefined ? what : `${what}${advice}`);
}

/** The reference that was probably meant, as JSON: a URL as it was written, or one made of a key. */
function urlIn(source: Source, input: JsonInput): string | undefined {
  if (typeof input === 'bigint') return `"${exampleOf(source, String(input))}"`;
  if (typeof input !== 'string') return undefined;
  return /\/|\(.+\)/.test(input) ? JSON.stringify(input) : `"${exampleOf(source)}"`;
}

function slotOf(navigation: Navigation) {
  return { name: navigation.name, type: navigation.target, collection: navigation.collection };
}

/** In a 4.0 body an entity that is changed can refer to others but not hold them. OData Protocol 4.0, "Update an Entity". */
function referOnly(relation: Relation, items: readonly Written[], target: string): void {
  const { structure, navigation } = relation;
  const [item] = items;
  if (item === undefined && !navigation.collection) return;
  const isReference = item !== undefined && !navigation.collection;
  const reference = isReference ? inlineReference(listOf(relation), item) : 'none';
  if (reference === 'none') {
    structure.body.mistakes.add('write.inline', { name: navigation.name }, target);
  } else if (reference !== undefined) putLinks(relation, [reference], target);
}

/** Deep update: the related entities as they shall be, all of them. */
function update(relation: Relation, items: readonly Written[], target: string): void {
  const list = listOf(relation);
  const entities = items.flatMap((item) => readChange(list, item, false));
  const [first] = entities;
  if (!relation.navigation.collection && first?.kind === 'link') {
    putLinks(relation, [first.reference], target);
    return;
  }
  if (isSupplied(relation.structure, relation.navigation)) {
    refuseSupplied(relation, target);
    return;
  }
  putChildren(relation, 'full', entities);
}

/** The navigation as a list whose items are read. */
function listOf({ structure, navigation, source, type }: Relation): EntityList {
  const { body, place, path } = structure;
  const back = wayBack(body.model, navigation);
  const related =
    place.rows === undefined
      ? undefined
      : ({ kind: 'related', from: place.rows, path, navigation } as const);
  return {
    body,
    name: navigation.name,
    source,
    type,
    single: !navigation.collection,
    deed: place.deed,
    keyed: navigation.contained ? related : { kind: 'source' },
    related,
    supplied: new Map(back === undefined ? [] : [[back, place.rows]]),
  };
}

function putLinks(relation: Relation, references: readonly Reference[], target: string): void {
  const { structure, navigation } = relation;
  const { path, draft, place } = structure;
  if (navigation.contained && references.length > 0) {
    structure.body.mistakes.add('write.contained', { name: navigation.name }, target);
    return;
  }
  if (isSupplied(structure, navigation)) {
    checkSupplied(relation, references, target);
    return;
  }
  const isTwice = [...draft.links, ...draft.children].some(
    (other: InputLink | InputChildren) =>
      other.navigation === navigation &&
      !navigation.collection &&
      pathText(other.path, '') === pathText(path, ''),
  );
  if (isTwice) {
    structure.body.mistakes.add('write.twice', { name: navigation.name }, target);
    return;
  }
  const mode = navigation.collection ? 'add' : 'set';
  if (references.length > 0 || place.deed !== 'create')
    draft.links.push({ path, navigation, mode, references });
}

function putChildren(
  { structure, navigation, source }: Relation,
  mode: InputChildren['mode'],
  entities: readonly InputChild[],
): void {
  structure.draft.children.push({ path: structure.path, navigation, source, mode, entities });
}

function isSupplied({ place, path }: Structure, navigation: Navigation): boolean {
  return path.length === 0 && place.supplied.has(navigation.name);
}

/** The entity around this one, or the one of the URL, may be named once more, but no other. */
function checkSupplied(relation: Relation, references: readonly Reference[], target: string): void {
  const { structure, navigation } = relation;
  structure.body.lifting?.spoil();
  const rows = structure.place.supplied.get(navigation.name);
  const isSame = (reference: Reference) =>
    rows !== undefined && isSameRow(structure.body.model, reference.rows, rows);
  if (!references.every(isSame)) refuseSupplied(relation, target);
}

function refuseSupplied({ structure, navigation }: Relation, target: string): void {
  structure.body.mistakes.add('write.contradiction', { name: navigation.name }, target);
}
