// Derives from the model how stored JSON documents (complex collections, polymorphic and open values) are rewritten to the requested
// format. rewrite-document.ts applies the rules. Most requests use the stored format.
// OData JSON Format 4.01, "Control Information: type", "IEEE754Compatible".
import type { ValueType } from '../../bind/bound.ts';
import { typeNote, typeOfReference } from '../../bind/expression/types.ts';
import type { ComplexType, Model } from '../../edm/model.ts';
import { isOpen } from '../../edm/property-storage.ts';
import type { ValueForm } from '../../plan/read-plan.ts';
import type { DocumentRules, MemberRule, ValueRule } from '../dialect/rewrite-document.ts';
import { isWide } from '../expression/json-value.ts';

/** The rules for values of the type; undefined if the stored format is the requested one. */
export function documentRules(
  model: Model,
  type: ValueType,
  form: ValueForm,
): DocumentRules | undefined {
  const { ieee754Compatible: strings, metadata, prefix } = form;
  const isStored = !strings && metadata === 'minimal' && prefix === '@odata.';
  const of = ruleOf(type);
  if (isStored || of === 'plain') return undefined;
  if (of === 'wide' && !strings) return undefined;
  const types = reachableTypes(model, type);
  const hasTypeNames = of === 'any' || types.some((one) => mayNameType(model, one));
  if (!strings && metadata !== 'full' && !hasTypeNames) return undefined;
  const members = Object.fromEntries(types.map((one) => [one.name, memberRules(model, one)]));
  return { of, strings, metadata, prefix, members };
}

/** Whether stored values of the type may contain type annotations. */
function mayNameType(model: Model, type: ComplexType): boolean {
  return isOpen(model, type) || model.derived(type).length > 0;
}

function ruleOf(type: ValueType): ValueRule {
  if (type.kind === 'untyped') return 'any';
  if (type.kind === 'complex') return type.type.name;
  return isWide(type) ? 'wide' : 'plain';
}

function memberRules(model: Model, type: ComplexType): Readonly<Record<string, MemberRule>> {
  const properties = [...model.members(type).values()].filter(({ kind }) => kind === 'property');
  return Object.fromEntries(
    properties.flatMap((property) => {
      if (property.kind !== 'property') return [];
      const declared = typeOfReference(model, property);
      return [[property.name, { of: ruleOf(declared), note: typeNote(declared) }]];
    }),
  );
}

/** The complex types that a value of the type can contain. Open and untyped values can contain all types of the model. */
function reachableTypes(model: Model, start: ValueType): readonly ComplexType[] {
  const all = [...model.types.values()].filter((one) => one.kind === 'complex');
  const found = new Set<ComplexType>();
  const visit = (type: ValueType): void => {
    if (type.kind === 'untyped') for (const one of all) found.add(one);
    if (type.kind !== 'complex' || found.has(type.type)) return;
    found.add(type.type);
    if (isOpen(model, type.type)) visit({ kind: 'untyped', collection: false });
    for (const derived of model.derived(type.type)) {
      if (derived.kind === 'complex') visit({ kind: 'complex', type: derived, collection: false });
    }
    for (const member of model.members(type.type).values()) {
      if (member.kind === 'property') visit(typeOfReference(model, member));
    }
  };
  visit(start);
  return [...found];
}
