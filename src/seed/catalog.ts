// This file describes the model in records of the sets Entities, Attributes, CodeLists and Codes, from which clients build forms and
// menus. The records depend only on the definition.
import {
  type CodeList,
  type EntitySet,
  type EntityType,
  entityType,
  type Model,
  type Property,
  simpleName,
  type Texts,
} from '../edm/model.ts';
import type { SeedRecord } from './demo-plan.ts';

/** First keys, in ranges that demo records and codes do not use. */
const FIRST = { Entities: 800_001, CodeLists: 810_001, Attributes: 820_001 } as const;

/** The keys of records in Entities by entity name: `ServiceRequest`. */
export function entityKeys(model: Model): Readonly<Record<string, number>> {
  return Object.fromEntries(
    describedSets(model).map((set, index) => [simpleName(set.type), FIRST.Entities + index]),
  );
}

/** The records, referenced ones first. A model without the set Entities has none. */
export function* catalogRecords(model: Model): Generator<SeedRecord> {
  if (!model.sets.has('Entities')) return;
  const keys = entityKeys(model);
  for (const set of describedSets(model)) yield entityRecord(model, set, keys);
  const lists = [...model.codeLists.values()];
  for (const [index, list] of lists.entries()) yield listRecord(list, FIRST.CodeLists + index);
  for (const [index, list] of lists.entries()) yield* codeRecords(list, FIRST.CodeLists + index);
  yield* attributeRecords(model, keys);
}

/** The sets that users write to, which excludes those of the engine and of this catalog. */
function describedSets(model: Model): readonly EntitySet[] {
  return model.definition.sets.filter(
    (set) => set.administrative !== true && set.insertable !== false,
  );
}

function entityRecord(
  model: Model,
  set: EntitySet,
  keys: Readonly<Record<string, number>>,
): SeedRecord {
  const type = entityType(model, set.type);
  const name = simpleName(type.name);
  const members = model.members(type);
  const values = {
    Name: name,
    EntitySet: set.name,
    Label: textsJson(type.labels),
    HasWorkflow: members.has('Status'),
    HasAttachments: members.has('Attachments'),
  };
  return { set: 'Entities', uid: keys[name] ?? 0, values };
}

function listRecord(list: CodeList, uid: number): SeedRecord {
  const values = { Name: list.name, Ordered: list.ordered, Hierarchical: list.hierarchical };
  return { set: 'CodeLists', uid, values };
}

/** The Uid of a code is its Value. */
function* codeRecords(list: CodeList, uid: number): Generator<SeedRecord> {
  for (const [index, code] of list.codes.entries()) {
    const values = {
      Texts: textsJson(code.texts),
      Ordering: index + 1,
      Disabled: code.disabled === true,
      Meaning: code.meaning ?? null,
      List: uid,
      Parent: code.parent === undefined ? null : Number(code.parent),
    };
    yield { set: 'Codes', uid: Number(code.value), values };
  }
}

function* attributeRecords(
  model: Model,
  keys: Readonly<Record<string, number>>,
): Generator<SeedRecord> {
  const lists = new Map(
    [...model.codeLists.keys()].map((name, index) => [name, FIRST.CodeLists + index]),
  );
  let uid: number = FIRST.Attributes;
  for (const set of describedSets(model)) {
    const type = entityType(model, set.type);
    for (const property of propertiesOf(model, type)) {
      const list = property.codeList === undefined ? null : (lists.get(property.codeList) ?? null);
      const values = attributeValues(property, list, keys[simpleName(type.name)] ?? null);
      yield { set: 'Attributes', uid: uid++, values };
    }
  }
}

function propertiesOf(model: Model, type: EntityType): readonly Property[] {
  return [...model.members(type).values()].filter((member) => member.kind === 'property');
}

function attributeValues(
  property: Property,
  list: number | null,
  entity: number | null,
): SeedRecord['values'] {
  return {
    Name: property.name,
    Label: textsJson(property.labels),
    EdmType: property.collection ? `Collection(${property.type})` : property.type,
    MaxLength: property.facets.maxLength ?? null,
    Required:
      !property.nullable && property.defaultValue === undefined && property.generated === undefined,
    IsCustom: property.custom === true,
    Searchable: property.searchable === true,
    CodeList: list,
    Entity: entity,
  };
}

function textsJson(texts: Texts = {}): string {
  return JSON.stringify(Object.entries(texts).map(([Language, Text]) => ({ Language, Text })));
}
