// This file describes the model as records of the sets Entities and Attributes, from which clients build forms and menus. The
// description depends only on the definition, and leaves out what an extension hides.

import type { Property } from './model.ts';
import {
  type EntitySet,
  type EntityType,
  entityType,
  type Model,
  simpleName,
  type Texts,
} from './model.ts';

/** The sets of the catalog. */
export const ENTITY_SET = 'Entities';
export const ATTRIBUTE_SET = 'Attributes';
/** The set of codes, which describes the model and can be written to nevertheless. */
const CODE_SET = 'Codes';

type Values = Readonly<Record<string, string | number | boolean | null>>;

/** An entity type that users write to. */
export interface DescribedEntity {
  readonly type: EntityType;
  /** The values of its record by column, without references. */
  readonly values: Values & { readonly Name: string; readonly EntitySet: string };
  readonly attributes: readonly DescribedAttribute[];
}

/** A property of an entity type. */
export interface DescribedAttribute {
  readonly property: Property;
  readonly values: Values & { readonly Name: string };
}

const ENTITY_MEMBERS = ['Name', 'EntitySet', 'Label', 'HasWorkflow', 'HasAttachments'];
const ATTRIBUTE_MEMBERS = ['Name', 'Label', 'EdmType', 'MaxLength', 'Required', 'IsCustom'];

/** Whether the model has the sets of the catalog, with the members of the built-in ones. */
export function hasCatalog(model: Model): boolean {
  return (
    hasMembers(model, ENTITY_SET, ENTITY_MEMBERS) &&
    hasMembers(model, ATTRIBUTE_SET, [...ATTRIBUTE_MEMBERS, 'Searchable', 'CodeList', 'Entity'])
  );
}

function hasMembers(model: Model, set: string, names: readonly string[]): boolean {
  const type = model.storedSets.get(set)?.type;
  if (type === undefined) return false;
  const members = model.stored(entityType(model, type));
  return names.every((name) => members.has(name));
}

/** The entity types of the sets that users write to, which excludes the sets of the engine and of the catalog. */
export function describeEntities(model: Model): readonly DescribedEntity[] {
  return [...model.sets.values()].filter(isDescribed).map((set) => describeEntity(model, set));
}

function isDescribed({ name, administrative, insertable }: EntitySet): boolean {
  return administrative !== true && insertable !== false && name !== CODE_SET;
}

function describeEntity(model: Model, set: EntitySet): DescribedEntity {
  const type = entityType(model, set.type);
  const members = model.members(type);
  const properties = [...members.values()].filter((member) => member.kind === 'property');
  return {
    type,
    values: {
      Name: simpleName(type.name),
      EntitySet: set.name,
      Label: textsJson(type.labels),
      HasWorkflow: members.has('Status'),
      HasAttachments: members.has('Attachments'),
    },
    attributes: properties.map((property) => ({ property, values: attributeValues(property) })),
  };
}

function attributeValues(property: Property): DescribedAttribute['values'] {
  return {
    Name: property.name,
    Label: textsJson(property.labels),
    EdmType: property.collection ? `Collection(${property.type})` : property.type,
    MaxLength: property.facets.maxLength ?? null,
    Required:
      !property.nullable && property.defaultValue === undefined && property.generated === undefined,
    IsCustom: property.custom === true,
    Searchable: property.searchable === true,
  };
}

/** Texts by language as a collection of translations. */
export function textsJson(texts: Texts = {}): string {
  return JSON.stringify(Object.entries(texts).map(([Language, Text]) => ({ Language, Text })));
}
