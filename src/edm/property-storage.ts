// This file decides whether a property is stored in columns of its own or as a JSON document. Reading bodies and creating tables
// follow the same rule.
import type { ComplexType, Model, StructuredType, TypeReference } from './model.ts';
import { structuredType } from './model.ts';

/**
 * Whether values of the type are stored as JSON: collections, and complex values whose type is open, abstract, recursive or has
 * derived types. A coded value is stored as its code, and other complex values are flattened into one column per member.
 */
export function isDocument(model: Model, reference: TypeReference): boolean {
  if (reference.collection) return true;
  const type = model.types.get(reference.type);
  if (type?.kind !== 'complex' || type.coded !== undefined) return false;
  if (isOpen(model, type) || type.abstract === true || model.derived(type).length > 0) return true;
  return isRecursive(model, type, []);
}

/** The type of a complex property whose members are stored in columns of their own; undefined for all others. */
export function flattenedType(model: Model, property: TypeReference): ComplexType | undefined {
  const type = model.types.get(property.type);
  const isComplex = type?.kind === 'complex' && type.coded === undefined;
  return isComplex && !isDocument(model, property) ? type : undefined;
}

/** Whether the type or one of its ancestors is open, so that it accepts undeclared properties. */
export function isOpen(model: Model, type: StructuredType): boolean {
  if (type.open === true) return true;
  return type.base !== undefined && isOpen(model, structuredType(model, type.base));
}

function isRecursive(
  model: Model,
  type: StructuredType,
  enclosing: readonly StructuredType[],
): boolean {
  if (enclosing.includes(type)) return true;
  return [...model.members(type).values()].some((member) => {
    if (member.kind === 'navigation' || member.collection) return false;
    const inner = model.types.get(member.type);
    return inner?.kind === 'complex' && isRecursive(model, inner, [...enclosing, type]);
  });
}
