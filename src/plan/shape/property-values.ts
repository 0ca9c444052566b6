// Writes property values: which properties of a structured value, in which order, with which annotations, and the content of
// complex values and collections. It is long because these parts are mutually recursive. row-shape.ts writes the entities around
// them.
import { Fault } from '../../base/fault.ts';
import type {
  ElementQuery,
  Expansion,
  Expression,
  RowExpression,
  SelectedItem,
  Selection,
  ValueType,
} from '../../bind/bound.ts';
import { INT64, isCollection, typeOfReference } from '../../bind/expression/types.ts';
import { EVERYTHING } from '../../bind/query/option-scope.ts';
import type {
  ComplexType,
  EntityType,
  Model,
  Navigation,
  Property,
  StructuredType,
} from '../../edm/model.ts';
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
import { annotationMembers, selectedComputed, withoutNames } from './computed-values.ts';
import { withheld } from './effective-rights.ts';
import {
  annotation,
  constant,
  type Drafting,
  onlyOn,
  type Place,
  typeAnnotation,
} from './shape-scope.ts';

/** Writes the parts of a structured value that depend on its entity: links, expansions and streams. */
export interface Inside {
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
interface Chosen {
  readonly property: Property;
  readonly onType?: StructuredType;
  readonly selection: Selection;
  readonly query?: ElementQuery;
  /** Named in $select, not covered by `*`. */
  readonly named: boolean;
}

/**
 * The members for the properties of a structured value. Throws: access.member for a named property that is readable in no row.
 */
export function propertyMembers(
  drafting: Drafting,
  place: Place,
  type: StructuredType,
  selection: Selection,
  inside: Inside,
): readonly ShapeMember[] {
  const chosen = selection.all
    ? [...everyProperty(drafting.model, type, selection)]
    : chosenProperties(selection.items);
  const names = new Set(chosen.map(({ property }) => property.name));
  const carriers = carriersOf(inside.expansions, place.path.length).filter(
    (property) => !names.has(property.name),
  );
  const bare: Selection = { all: false, items: [] };
  return [
    ...chosen,
    ...carriers.map((property) => ({ property, selection: bare, named: false })),
  ].flatMap((one) => memberOf(drafting, place, one, inside));
}

/** Complex properties that are written only because they contain an expansion. */
function carriersOf(expansions: readonly Expansion[], depth: number): readonly Property[] {
  return [...new Set(expansions.flatMap((expansion) => expansion.path[depth] ?? []))];
}

/** All properties of the type, then those of derived types. */
function everyProperty(
  model: Model,
  type: StructuredType,
  { items }: Selection,
): readonly Chosen[] {
  const asked = new Map(chosenProperties(items).map((one) => [one.property, one]));
  const own = [...model.members(type).values()].flatMap((member) =>
    member.kind === 'property' ? [{ property: member }] : [],
  );
  const derived = model
    .derived(type)
    .flatMap((onType) =>
      onType.members.flatMap((member) =>
        member.kind === 'property' ? [{ property: member, onType }] : [],
      ),
    );
  return [...own, ...derived].map((found) => {
    const { query, selection } = asked.get(found.property) ?? {};
    const queried = query === undefined ? {} : { query };
    const computed = selection?.compute === undefined ? EVERYTHING : { ...selection, all: true };
    return { ...found, selection: computed, named: false, ...queried };
  });
}

/** The selected properties, each once; parts of one value are merged. */
function chosenProperties(items: readonly SelectedItem[]): readonly Chosen[] {
  const found = new Map<Property, Chosen>();
  for (const item of items) {
    if (item.kind !== 'property') continue;
    const { property, query } = item;
    const before = found.get(property);
    const selection = mergeSelections(before?.selection, item.selection ?? EVERYTHING);
    found.set(property, {
      property,
      selection,
      named: true,
      ...onlyOn(item),
      ...(query === undefined ? {} : { query }),
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
    ...(compute === undefined ? {} : { compute }),
  };
}

function memberOf(
  drafting: Drafting,
  place: Place,
  chosen: Chosen,
  inside: Inside,
): readonly ShapeMember[] {
  const { property, onType } = chosen;
  const here: Place = onType === undefined ? place : { ...place, onType };
  const readable = readability(drafting, here, chosen);
  if (readable === false) return withheld(drafting, property.name, onlyOn(here));
  if (property.type === 'Edm.Stream') return readable === true ? inside.stream(here, property) : [];
  const type = typeOfReference(drafting.model, property);
  const annotations =
    drafting.metadata === 'full' ? typeAnnotation(drafting, property.name, type, here) : [];
  const member = valueMember(drafting, here, chosen, inside);
  const { query } = chosen;
  const count =
    query?.count === true
      ? [countMember(annotation(drafting, property.name, 'count'), member.value, query)]
      : [];
  const members = [...annotations, ...count.map((one) => ({ ...one, ...onlyOn(here) }))];
  if (readable === true) return [...members, member];
  return [
    ...withheld(drafting, property.name, { ...onlyOn(here), when: isNot(readable) }),
    ...members,
    { ...member, when: readable },
  ];
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
function readability(drafting: Drafting, place: Place, { property, named }: Chosen): Condition {
  const type = entityTypeOf(place.row);
  if (type === undefined || place.path.length > 0) return true;
  const owner = place.onType?.kind === 'entity' ? place.onType : type;
  const readable = readableMember(drafting.guard, place.row, owner, property.name);
  if (readable === false && named) throw unreadableMember(owner, property.name);
  return readable;
}

function entityTypeOf(row: RowExpression): EntityType | undefined {
  if (row.kind === 'variable') return row.row.kind === 'entity' ? row.row.type : undefined;
  return row.kind === 'follow' ? row.target.type : row.rows.row.type;
}

function valueMember(
  drafting: Drafting,
  place: Place,
  chosen: Chosen,
  inside: Inside,
): ValueMember {
  const { property, selection, query } = chosen;
  const type = typeOfReference(drafting.model, property);
  const path = [...place.path, property];
  const value = secureProperty(drafting.guard, { kind: 'property', row: place.row, path, type });
  const omit = omission(drafting, property);
  return {
    kind: 'value',
    name: property.name,
    value,
    ...partsOf(drafting, { ...place, path }, { property, type, selection, query }, inside),
    ...(omit === undefined ? {} : { omit }),
    ...onlyOn(place),
  };
}

interface Valued {
  readonly property: Property;
  readonly type: ValueType;
  readonly selection: Selection;
  readonly query: ElementQuery | undefined;
}

type Parts = Pick<ValueMember, 'members' | 'items' | 'besides'>;

/** The content of a value: the members of a complex value, or the selected items of a collection. */
export function partsOf(drafting: Drafting, place: Place, valued: Valued, inside: Inside): Parts {
  const { type, query } = valued;
  if (isCollection(type)) return itemParts(drafting, valued, inside);
  if (type.kind !== 'complex') return query === undefined ? {} : { items: itemsOf(query) };
  return complexParts(drafting, place, valued, inside);
}

/** The content of a complex property that $compute renames: all of it, without expansions. */
export function computedParts(
  drafting: Drafting,
  { row, path, type }: Expression & { readonly kind: 'property' },
): Parts {
  const property = path.at(-1);
  if (property === undefined) return {};
  const valued = { property, type, selection: EVERYTHING, query: undefined };
  return partsOf(drafting, { row, path }, valued, NOTHING_INSIDE);
}

const NOTHING_INSIDE: Inside = { expansions: [], navigation: () => [], stream: () => [] };

/**
 * A collection is written as stored, unless the request selects parts of its items, or the output of an item differs from the
 * stored value: the text of a code.
 */
function itemParts(
  drafting: Drafting,
  { property, type, selection, query }: Valued,
  inside: Inside,
): Parts {
  const isWhole = isPlain(selection) && !holdsCode(drafting.model, type, []);
  if (type.kind !== 'complex' || isWhole) {
    return query === undefined ? {} : { items: itemsOf(query) };
  }
  const row = query?.row ?? drafting.newElement(type);
  const place: Place = { row: { kind: 'variable', row }, path: [] };
  const item = { property, type: row.type, selection, query: undefined };
  const items = query === undefined ? { row, order: [] } : itemsOf(query);
  return { items, ...complexParts(drafting, place, item, inside) };
}

function itemsOf(query: ElementQuery): NonNullable<ValueMember['items']> {
  const { row, filter, orderby, skip, top } = query;
  return {
    row,
    order: orderby,
    ...(filter === undefined ? {} : { filter }),
    ...(skip === undefined ? {} : { skip }),
    ...(top === undefined ? {} : { top }),
  };
}

/** Whether values of the type contain a code. */
function holdsCode(model: Model, type: ValueType, around: readonly StructuredType[]): boolean {
  if (type.kind !== 'complex') return false;
  if (type.type.coded !== undefined) return true;
  if (around.includes(type.type)) return false;
  return [...model.members(type.type).values()].some(
    (member) =>
      member.kind === 'property' &&
      holdsCode(model, typeOfReference(model, member), [...around, type.type]),
  );
}

/** The members of a single complex value; none if it is written as stored, perhaps with additional members. */
function complexParts(
  drafting: Drafting,
  place: Place,
  { property, type, selection }: Valued,
  inside: Inside,
): Parts {
  if (type.kind !== 'complex') return {};
  const deeper = expansionsBelow(inside.expansions, place.path);
  const { compute = [] } = selection;
  const computed = selectedComputed(drafting, { compute, selection }, computedParts);
  const added = [...computed, ...annotationMembers(drafting, selection)];
  const isKept = isDocument(drafting.model, { ...property, collection: false });
  if (isKept && selection.all && deeper.length === 0) {
    return added.length === 0 ? {} : { besides: added };
  }
  const hasVariants = drafting.model.derived(type.type).length > 0;
  if (isKept && selection.all && hasVariants) {
    throw new Fault('not-built', { feature: `$expand inside ${property.name}` });
  }
  const members = [
    ...complexType(drafting, property, type.type),
    ...propertyMembers(drafting, place, type.type, selection, { ...inside, expansions: deeper }),
    ...dynamicMembers(drafting.model, place, type.type, withoutNames(selection, compute)),
    ...added,
    ...complexNavigations(drafting, place, type.type, selection, { ...inside, expansions: deeper }),
  ];
  return { members };
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
  drafting: Drafting,
  property: Property,
  type: ComplexType,
): readonly ShapeMember[] {
  const isCustom = property.custom === true && type.coded !== undefined;
  const isWritten = drafting.metadata === 'full' || (isCustom && drafting.metadata === 'minimal');
  return isWritten ? [constant(annotation(drafting, '', 'type'), `"#${type.name}"`)] : [];
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
  const names = selection.items.flatMap((item) => (item.kind === 'named' ? [item.name] : []));
  return names.length === 0 ? [] : [{ kind: 'dynamic', row, path, names }];
}

function complexNavigations(
  drafting: Drafting,
  place: Place,
  type: ComplexType,
  selection: Selection,
  inside: Inside,
): readonly ShapeMember[] {
  if (type.coded !== undefined) return [];
  const selected = new Set(
    selection.items.flatMap((item) => (item.kind === 'navigation' ? [item.navigation] : [])),
  );
  const here = inside.expansions.filter(({ path }) => path.length === place.path.length);
  return [...drafting.model.members(type).values()].flatMap((member) => {
    if (member.kind !== 'navigation') return [];
    const expansion = here.find(({ navigation }) => navigation === member);
    const isLinked = (selection.all && drafting.metadata === 'full') || selected.has(member);
    return expansion !== undefined || isLinked ? inside.navigation(place, member, expansion) : [];
  });
}

/** The values to omit. OData 4.01 Protocol, "Preference omit-values". */
function omission(drafting: Drafting, property: Property): ValueMember['omit'] {
  const { omitValues } = drafting.prefer;
  if (omitValues === undefined || property.collection) return undefined;
  if (omitValues === 'nulls') return property.nullable ? 'null' : undefined;
  if (property.defaultValue === undefined || property.defaultValue === null) {
    return property.nullable ? 'null' : undefined;
  }
  const value = defaultOf(drafting.model, property);
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
