// Writes property values: which properties of a structured value, in which order, with which annotations, the content of complex
// values and collections, and values that are not stored, added by $compute or annotations. It is long because these parts are
// mutually recursive. row-shape.ts writes the entities around them.

import { Fault } from '../../base/fault.ts';
import { memoized, perPair } from '../../base/memo.ts';
import type {
  Computed,
  ElementQuery,
  Expansion,
  Expression,
  SelectedItem,
  Selection,
  ValueType,
} from '../../bind/bound.ts';
import {
  entityIn,
  instanceOf,
  isOfTheMoment,
  joinConditions,
} from '../../bind/expression/constructors.ts';
import { INT64, isCollection, typeOfReference } from '../../bind/expression/types.ts';
import { EVERYTHING, namedItems, selectsName } from '../../bind/query/option-scope.ts';
import type { ComplexType, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { isDocument, isOpen } from '../../edm/property-storage.ts';
import { isPrimitive, parseJson } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { ShapeMember, ValueMember } from '../read-plan.ts';
import { secureProperty } from '../rights/read-rights.ts';
import {
  type Condition,
  isNot,
  readableMember,
  unreadableMember,
} from '../rights/row-conditions.ts';
import { permissionAnnotation } from './effective-rights.ts';
import {
  annotation,
  constant,
  declaredMembers,
  type Place,
  type ShapeScope,
  typeAnnotation,
} from './shape-scope.ts';
import { type SharedByProperty, sharedMembers, sharedMembersOf } from './shared-members.ts';

/** Writes the parts of a structured value that depend on its entity: links, expansions and streams. */
export interface Content {
  /** Expansions of navigation properties in this value or below. */
  readonly expansions: readonly Expansion[];
  /** Members for a navigation property: links, or its expanded target. */
  readonly navigation: (
    place: Place,
    navigation: Navigation,
    expansion: Expansion | undefined,
  ) => readonly ShapeMember[];
  /** Members for a stream property. */
  readonly stream: (place: Place, property: Property) => readonly ShapeMember[];
}

/** A property to write, and which parts of its value. */
interface SelectedProperty {
  readonly property: Property;
  readonly onType?: StructuredType | undefined;
  readonly selection: Selection;
  readonly query?: ElementQuery | undefined;
  /** Named in $select, not covered by `*`. */
  readonly named: boolean;
}

/** The members for the properties of a structured value. Throws: access.member for a named property that is readable in no row. */
export function propertyMembers(
  scope: ShapeScope,
  place: Place,
  type: StructuredType,
  selection: Selection,
  content: Content,
): readonly ShapeMember[] {
  const shared = sharedAt(scope, place);
  const parents = expandedParentsOf(content.expansions, place.path.length);
  const write = (one: SelectedProperty) => memberOf(scope, place, one, content);
  const share = (key: Property | 'all', selected: readonly SelectedProperty[]) =>
    shared === undefined
      ? selected.flatMap(write)
      : [memoized(shared, key, () => sharedMembers(selected.flatMap(write)))];
  if (selection.all) {
    const selected = everyProperty(scope, place, type, selection);
    const isShared = selected.every((one) => isWhole(one, parents));
    return isShared ? share('all', selected) : selected.flatMap(write);
  }
  const selected = selectedProperties(selection.items);
  return [...selected, ...unselected(parents, selected)].flatMap((one) =>
    isWhole(one, parents) && one.onType === undefined ? share(one.property, [one]) : write(one),
  );
}

/** The members shared with other plans, for the row of a shape. With full metadata, members may contain the URL of the row. */
function sharedAt(scope: ShapeScope, { row, path }: Place): SharedByProperty | undefined {
  const isRow = row.kind === 'variable' && row.row.kind === 'entity' && path.length === 0;
  return isRow && scope.metadata !== 'full' ? sharedMembersOf(scope, row.row) : undefined;
}

/** Whether the members of the property do not depend on the request or the URL of the row. */
function isWhole(
  { property, selection, query }: SelectedProperty,
  expandedParents: readonly Property[],
): boolean {
  const isPlain = selection === EVERYTHING && query === undefined;
  return isPlain && property.type !== 'Edm.Stream' && !expandedParents.includes(property);
}

/** Complex properties that are not selected, and written only because they contain an expansion. */
function unselected(
  parents: readonly Property[],
  selected: readonly SelectedProperty[],
): readonly SelectedProperty[] {
  const names = new Set(selected.map(({ property }) => property.name));
  const selection: Selection = { all: false, items: [] };
  return parents
    .filter(({ name }) => !names.has(name))
    .map((property) => ({ property, selection, named: false }));
}

/** Complex properties that contain an expansion. */
function expandedParentsOf(expansions: readonly Expansion[], depth: number): readonly Property[] {
  return [...new Set(expansions.flatMap((expansion) => expansion.path[depth] ?? []))];
}

/** All properties of the type, then those of derived types; elapsed and remaining time only if the request names them. */
function everyProperty(
  { model }: ShapeScope,
  place: Place,
  type: StructuredType,
  { items }: Selection,
): readonly SelectedProperty[] {
  const every = propertiesOf(model, type);
  const requested = new Map(selectedProperties(items).map((one) => [one.property, one]));
  const shown = every.filter(
    ({ property }) =>
      requested.has(property) ||
      !isOfTheMoment(model, { ...place, path: [...place.path, property] }),
  );
  if (items.length === 0) return shown;
  return shown.map((found) => {
    const { query, selection } = requested.get(found.property) ?? {};
    const isPlainPart = selection?.compute === undefined && (selection?.items ?? []).length === 0;
    return {
      ...found,
      selection: isPlainPart ? EVERYTHING : { ...EVERYTHING, ...selection, all: true },
      query,
    };
  });
}

const propertiesOf = perPair((model: Model, type: StructuredType): readonly SelectedProperty[] =>
  declaredMembers(model, type).flatMap(({ member, onType }) =>
    member.kind === 'property'
      ? [{ property: member, onType, selection: EVERYTHING, named: false }]
      : [],
  ),
);

/** The selected properties, each once; parts of one value are merged. */
function selectedProperties(items: readonly SelectedItem[]): readonly SelectedProperty[] {
  const found = new Map<Property, SelectedProperty>();
  for (const item of items) {
    if (item.kind !== 'property') continue;
    const { property, query } = item;
    const before = found.get(property);
    const selection = mergeSelections(before?.selection, item.selection ?? EVERYTHING);
    found.set(property, {
      property,
      selection,
      named: true,
      onType: item.onType,
      query,
    });
  }
  return [...found.values()];
}

function mergeSelections(before: Selection | undefined, added: Selection): Selection {
  if (before === undefined) return added;
  const compute = before.compute ?? added.compute;
  return {
    all: before.all || added.all,
    items: [...before.items, ...added.items],
    compute,
  };
}

function memberOf(
  scope: ShapeScope,
  place: Place,
  selected: SelectedProperty,
  content: Content,
): readonly ShapeMember[] {
  const { property, onType } = selected;
  if (onType?.kind === 'complex') {
    const plain = { ...selected, onType: undefined };
    return onlyOf(scope, place, onType, memberOf(scope, place, plain, content));
  }
  const here: Place = onType === undefined ? place : { ...place, onType };
  const readable = readability(scope, here, selected);
  if (readable === false) return permissionAnnotation(scope, property.name, here);
  if (property.type === 'Edm.Stream')
    return readable === true ? content.stream(here, property) : [];
  const type = typeOfReference(scope.model, property);
  const annotations =
    scope.metadata === 'full' ? typeAnnotation(scope, property.name, type, here) : [];
  const member = valueMember(scope, here, selected, content);
  const { query } = selected;
  const count =
    query?.count === true
      ? [countMember(annotation(scope, property.name, 'count'), member.value, query)]
      : [];
  const members = [...annotations, ...count.map((one) => ({ ...one, onType: here.onType }))];
  if (readable === true) return [...members, member];
  return [
    ...permissionAnnotation(scope, property.name, { onType: here.onType, when: isNot(readable) }),
    ...members,
    { ...member, when: readable },
  ];
}

/** Limits members of a complex value to values of the type. */
function onlyOf(
  scope: ShapeScope,
  { row, path }: Place,
  type: ComplexType,
  members: readonly ShapeMember[],
): readonly ShapeMember[] {
  const declared = path.at(-1);
  const valueType =
    declared === undefined ? elementType(row) : typeOfReference(scope.model, declared);
  if (valueType === undefined) return members;
  const isOfType = instanceOf({ kind: 'property', row, path, type: valueType }, type);
  return members.map((member) => {
    if (!mayBeLimited(member)) return member;
    const { when } = member;
    return {
      ...member,
      when: when === undefined ? isOfType : joinConditions('and', [isOfType, when]),
    };
  });
}

function elementType(row: Place['row']): ValueType | undefined {
  return row.kind === 'variable' && row.row.kind === 'element' ? row.row.type : undefined;
}

type Limited = ShapeMember & {
  readonly kind: 'value' | 'link' | 'constant' | 'one' | 'many' | 'count';
};

function mayBeLimited(member: ShapeMember): member is Limited {
  return ['value', 'link', 'constant', 'one', 'many', 'count'].includes(member.kind);
}

/** The number of items that match the filter, regardless of paging. */
export function countMember(
  name: string,
  of: Expression,
  { row, filter }: Pick<ElementQuery, 'row' | 'filter'>,
): ValueMember {
  const where = filter === undefined ? [] : [filter];
  const collection = { kind: 'elements', of, row, where } as const;
  return { kind: 'value', name, value: { kind: 'count', collection, type: INT64 } };
}

/** The condition under which the property is readable. Throws: access.member for a named property that is readable in no row. */
function readability(
  scope: ShapeScope,
  place: Place,
  { property, named }: SelectedProperty,
): Condition {
  const type = entityIn(place.row)?.type;
  if (type === undefined || place.path.length > 0) return true;
  const owner = place.onType?.kind === 'entity' ? place.onType : type;
  const readable = readableMember(scope.guard, place.row, owner, property.name);
  if (readable === false && named) throw unreadableMember(owner, property.name);
  return readable;
}

function valueMember(
  scope: ShapeScope,
  place: Place,
  selected: SelectedProperty,
  content: Content,
): ValueMember {
  const { property, selection, query } = selected;
  const type = typeOfReference(scope.model, property);
  const path = [...place.path, property];
  const value = secureProperty(scope.guard, { kind: 'property', row: place.row, path, type });
  const omit = omittedValue(scope, property);
  return {
    kind: 'value',
    name: property.name,
    value,
    ...partsOf(scope, { ...place, path }, { property, type, selection, query }, content),
    omit,
    onType: place.onType,
  };
}

interface ValueInput {
  readonly property: Property;
  readonly type: ValueType;
  readonly selection: Selection;
  readonly query: ElementQuery | undefined;
}

type Parts = Pick<ValueMember, 'members' | 'items' | 'besides'>;

/** The content of a value: the members of a complex value, or the selected items of a collection. */
export function partsOf(
  scope: ShapeScope,
  place: Place,
  input: ValueInput,
  content: Content,
): Parts {
  const { type, query } = input;
  if (isCollection(type)) return itemParts(scope, input, content);
  if (type.kind !== 'complex') return query === undefined ? {} : { items: itemsOf(query) };
  return complexParts(scope, place, input, content);
}

/** The content of a complex property that $compute renames: all of it, without expansions. */
function computedParts(
  scope: ShapeScope,
  { row, path, type }: Expression & { readonly kind: 'property' },
): Parts {
  const property = path.at(-1);
  if (property === undefined) return {};
  const input = { property, type, selection: EVERYTHING, query: undefined };
  return partsOf(scope, { row, path }, input, NO_CONTENT);
}

const NO_CONTENT: Content = { expansions: [], navigation: () => [], stream: () => [] };

/**
 * A collection is written as stored, unless the request selects parts of its items, or the output of an item differs from the
 * stored value: the text of a code.
 */
function itemParts(
  scope: ShapeScope,
  { property, type, selection, query }: ValueInput,
  content: Content,
): Parts {
  const isWhole = isPlain(selection) && !holdsCode(scope.model, type, []);
  if (type.kind !== 'complex' || isWhole) {
    return query === undefined ? {} : { items: itemsOf(query) };
  }
  const row = query?.row ?? scope.newElement(type);
  const place: Place = { row: { kind: 'variable', row }, path: [] };
  const item = { property, type: row.type, selection, query: undefined };
  const items = query === undefined ? { row, order: [] } : itemsOf(query);
  return { items, ...complexParts(scope, place, item, { ...content, expansions: [] }) };
}

/** The items of a collection of values that a query selects. */
export function itemsOf(query: ElementQuery): NonNullable<ValueMember['items']> {
  const { row, filter, orderby, skip, top } = query;
  return {
    row,
    order: orderby,
    filter,
    skip,
    top,
  };
}

/** Whether values of the type contain a code. */
function holdsCode(model: Model, type: ValueType, outerTypes: readonly StructuredType[]): boolean {
  if (type.kind !== 'complex') return false;
  if (type.type.coded !== undefined) return true;
  if (outerTypes.includes(type.type)) return false;
  return [...model.members(type.type).values()].some(
    (member) =>
      member.kind === 'property' &&
      holdsCode(model, typeOfReference(model, member), [...outerTypes, type.type]),
  );
}

/** The members of a single complex value; none if it is written as stored, perhaps with additional members. */
function complexParts(
  scope: ShapeScope,
  place: Place,
  { property, type, selection }: ValueInput,
  content: Content,
): Parts {
  if (type.kind !== 'complex') return {};
  const expansions = expansionsBelow(content.expansions, place.path);
  const { compute = [] } = selection;
  const computed = selectedComputed(scope, { compute, selection });
  const added = [...computed, ...annotationMembers(scope, selection)];
  const inner = { ...content, expansions };
  const navigations = complexNavigations(scope, place, type.type, selection, inner);
  if (isDocument(scope.model, { ...property, collection: false }) && selection.all) {
    const besides = [...extendedMembers(scope, place, type.type, inner), ...added, ...navigations];
    return besides.length === 0 ? {} : { besides };
  }
  const members = [
    ...complexType(scope, property, type.type),
    ...propertyMembers(scope, place, type.type, selection, inner),
    ...dynamicMembers(scope.model, place, type.type, withoutNames(selection, compute)),
    ...added,
    ...navigations,
  ];
  return { members };
}

/** The members of a stored value that contain expansions, and members of other types with the same names. */
function extendedMembers(
  scope: ShapeScope,
  place: Place,
  type: ComplexType,
  content: Content,
): readonly ShapeMember[] {
  const parents = expandedParentsOf(content.expansions, place.path.length);
  const names = new Set(parents.map(({ name }) => name));
  return propertiesOf(scope.model, type)
    .filter(({ property }) => names.has(property.name))
    .flatMap((one) => memberOf(scope, place, one, content));
}

/** Whether the selection is the stored value without additions. */
function isPlain({ all, items, compute = [] }: Selection): boolean {
  return all && compute.length === 0 && !items.some(({ kind }) => kind === 'annotation');
}

function expansionsBelow(
  expansions: readonly Expansion[],
  path: readonly Property[],
): readonly Expansion[] {
  return expansions.filter((expansion) =>
    path.every((property, index) => expansion.path[index] === property),
  );
}

/** Custom codes always carry their type, as clients of the contract expect. */
function complexType(
  scope: ShapeScope,
  property: Property,
  type: ComplexType,
): readonly ShapeMember[] {
  const isCustom = property.custom === true && type.coded !== undefined;
  const isWritten = scope.metadata === 'full' || (isCustom && scope.metadata === 'minimal');
  return isWritten ? [constant(annotation(scope, '', 'type'), `"#${type.name}"`)] : [];
}

/** The dynamic properties of an open value: all, or the selected ones. */
export function dynamicMembers(
  model: Model,
  place: Place,
  type: StructuredType,
  selection: Selection,
): readonly ShapeMember[] {
  const { row, path } = place;
  const types = [type, ...model.derived(type)];
  if (!types.some((other) => isOpen(model, other))) return [];
  if (selection.all) return [{ kind: 'dynamic', row, path }];
  const names = namedItems(selection);
  return names.length === 0 ? [] : [{ kind: 'dynamic', row, path, names }];
}

function complexNavigations(
  scope: ShapeScope,
  place: Place,
  type: ComplexType,
  selection: Selection,
  content: Content,
): readonly ShapeMember[] {
  if (type.coded !== undefined) return [];
  const selected = new Set(
    selection.items.flatMap((item) => (item.kind === 'navigation' ? [item.navigation] : [])),
  );
  const here = content.expansions.filter(({ path }) => path.length === place.path.length);
  return declaredMembers(scope.model, type).flatMap(({ member, onType }) => {
    if (member.kind !== 'navigation') return [];
    const expansion = here.find(({ navigation }) => navigation === member);
    const isLinked = (selection.all && scope.metadata === 'full') || selected.has(member);
    if (expansion === undefined && !isLinked) return [];
    const members = content.navigation(place, member, expansion);
    const named = scope.model.derived(type).find((one) => one === expansion?.onType) ?? onType;
    return named?.kind === 'complex' ? onlyOf(scope, place, named, members) : members;
  });
}

/** The values to omit. OData 4.01 Protocol, "Preference omit-values". */
function omittedValue(scope: ShapeScope, property: Property): ValueMember['omit'] {
  const { omitValues } = scope.prefer;
  if (omitValues === undefined || property.collection) return undefined;
  if (omitValues === 'nulls') return property.nullable ? 'null' : undefined;
  if (property.defaultValue === undefined || property.defaultValue === null) {
    return property.nullable ? 'null' : undefined;
  }
  const value = defaultOf(scope.model, property);
  return value === undefined ? undefined : { value };
}

/** The default value, or undefined if the type is neither primitive nor an enumeration. */
function defaultOf(
  model: Model,
  { type, facets, defaultValue = null }: Property,
): Value | undefined {
  const named = model.types.get(type);
  if (named?.kind === 'enum') {
    return named.members.find((member) => member.name === defaultValue)?.value;
  }
  if (!isPrimitive(type)) return undefined;
  const reading = parseJson(type, facets, defaultValue);
  return reading.kind === 'value' ? reading.value : undefined;
}

/** The values added by $compute, and the selection. */
export interface ComputedSelection {
  readonly compute: readonly Computed[];
  readonly selection: Selection;
}

/** The members for selected computed values. */
export function selectedComputed(
  scope: ShapeScope,
  { compute, selection }: ComputedSelection,
): readonly ShapeMember[] {
  return compute
    .filter(({ name }) => selectsName(selection, name))
    .flatMap((computed) => computedMembers(scope, computed));
}

/** The selection without the given names, so that they are not looked up as dynamic properties. */
export function withoutNames(
  { all, items }: Selection,
  excluded: readonly { readonly name: string }[],
): Selection {
  const names = new Set(excluded.map(({ name }) => name));
  return { all, items: items.filter((item) => item.kind !== 'named' || !names.has(item.name)) };
}

/** A computed value, with its type annotation if needed. */
export function computedMembers(
  scope: ShapeScope,
  { name, expression: definition }: Computed,
): readonly ShapeMember[] {
  const { type } = definition;
  const annotations = scope.metadata === 'none' ? [] : typeAnnotation(scope, name, type);
  const property = type.kind === 'complex' ? propertyIn(definition) : undefined;
  if (property !== undefined) {
    return [
      ...annotations,
      { kind: 'value', name, value: definition, ...computedParts(scope, property) },
    ];
  }
  const value: Expression = { kind: 'computed', name, definition, type };
  return [...annotations, { kind: 'value', name, value }];
}

/** The property that a value comes from, also if it is restricted to rows in which it is readable. */
function propertyIn(value: Expression): (Expression & { readonly kind: 'property' }) | undefined {
  if (value.kind === 'property') return value;
  if (value.kind !== 'case' || value.branches.length !== 1) return undefined;
  const [only] = value.branches;
  return only?.then.kind === 'property' ? only.then : undefined;
}

/** Annotations of the model named in $select. Throws: request.not-acceptable, as Atom cannot represent all of their values. */
export function annotationMembers(
  { isXml }: ShapeScope,
  { items }: Selection,
): readonly ShapeMember[] {
  return items.flatMap((item): readonly ShapeMember[] => {
    if (item.kind !== 'annotation' || item.json === undefined) return [];
    if (isXml) {
      const supported = `XML cannot represent ${item.name}; request application/json`;
      throw new Fault('request.not-acceptable', { accept: 'application/xml', supported });
    }
    return [constant(item.name, item.json)];
  });
}
