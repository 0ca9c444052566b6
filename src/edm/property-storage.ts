// This file says how the value of a property is kept: in columns of its own, or as one JSON document. Bodies are read and tables
// are made by the same rule.
import type { Model, StructuredType, TypeReference } from './model.ts';
import { structuredType } from './model.ts';

/**
 * Whether values of the type are kept as JSON: every collection, and single complex values that are open or abstract, that have
 * derived types, or in which values of one type lie inside each other. A coded value is its code alone, and any other complex
 * value is taken apart into its members.
 */
export function isDocument(model: Model, reference: TypeReference): boolean {
  if (reference.collection) return true;
  const type = model.types.get(reference.type);
  if (type?.kind !== 'complex' || type.coded !== undefined) return false;
  if (isOpen(model, type) || type.abstract === true || model.derived(type).length > 0) return true;
  return isRecursive(model, type, []);
}

/** Whether the type takes properties that it does not declare: it or a type that it derives from is open. */
export function isOpen(model: Model, type: StructuredType): boolean {
  if (type.open === true) return true;
  return type.base !== undefined && isOpen(model, structuredType(model, type.base));
}

function isRecursive(
  model: Model,
  type: StructuredType,
  around: readonly StructuredType[],
): boolean {
  if (around.includes(type)) return true;
  return [...model.members(type).values()].some((member) => {
    if (member.kind === 'navigation' || member.collection) return false;
    const inner = model.types.get(member.type);
    return inner?.kind === 'complex' && isRecursive(model, inner, [...around, type]);
  });
}
