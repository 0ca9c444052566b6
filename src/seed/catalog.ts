// This file makes the catalog of a new installation: records of the sets Entities, Attributes, CodeLists and Codes with keys of their own.
// store/model/model-catalog.ts updates Entities and Attributes, and store/codes the others, when the model changes.
import { describeEntities, hasCatalog, textsJson } from '../edm/catalog.ts';
import type { CodeList, Model } from '../edm/model.ts';
import type { SeedRecord } from './demo-plan.ts';

/** First keys, in ranges that demo records and codes do not use. */
const FIRST = { Entities: 800_001, CodeLists: 810_001, Attributes: 820_001 } as const;

/** The keys of records in Entities by entity name: `ServiceRequest`. */
export function entityKeys(model: Model): Readonly<Record<string, number>> {
  return Object.fromEntries(
    describeEntities(model).map(({ values }, index) => [values.Name, FIRST.Entities + index]),
  );
}

/** The records, referenced ones first. A model without the set Entities has none. */
export function* catalogRecords(model: Model): Generator<SeedRecord> {
  if (!hasCatalog(model)) return;
  const entities = describeEntities(model);
  for (const [index, { values }] of entities.entries())
    yield { set: 'Entities', uid: FIRST.Entities + index, values };
  const lists = [...model.codeLists.values()];
  for (const [index, list] of lists.entries()) yield listRecord(list, FIRST.CodeLists + index);
  for (const [index, list] of lists.entries()) yield* codeRecords(list, FIRST.CodeLists + index);
  yield* attributeRecords(model);
}

function listRecord(list: CodeList, uid: number): SeedRecord {
  const values = { Name: list.name, Ordered: list.ordered, Hierarchical: list.hierarchical };
  return { set: 'CodeLists', uid, values };
}

/** The Uid of a code of the model is its Value. */
function* codeRecords(list: CodeList, uid: number): Generator<SeedRecord> {
  for (const [index, code] of list.codes.entries()) {
    const values = {
      Value: Number(code.value),
      Texts: textsJson(code.texts),
      Ordering: index + 1,
      Disabled: code.disabled === true,
      Meaning: code.meaning ?? null,
      Criticality: code.criticality ?? null,
      Icon: code.icon ?? null,
      List: uid,
      Parent: code.parent === undefined ? null : Number(code.parent),
    };
    yield { set: 'Codes', uid: Number(code.value), values };
  }
}

function* attributeRecords(model: Model): Generator<SeedRecord> {
  const lists = new Map(
    [...model.codeLists.keys()].map((name, index) => [name, FIRST.CodeLists + index]),
  );
  let uid: number = FIRST.Attributes;
  for (const [index, { attributes }] of describeEntities(model).entries())
    for (const { property, values } of attributes) {
      const CodeList = lists.get(property.codeList ?? '') ?? null;
      const references = { CodeList, Entity: FIRST.Entities + index };
      yield { set: 'Attributes', uid: uid++, values: { ...values, ...references } };
    }
}
