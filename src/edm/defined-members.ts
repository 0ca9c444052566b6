// This file omits absent members of objects, because definitions distinguish an undefined member from an absent one.

/** The members of the object that are not undefined. */
export function definedMembers<Shape extends object>(
  shape: Shape,
): { [Name in keyof Shape]?: Exclude<Shape[Name], undefined> } {
  const entries = Object.entries(shape).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Shape]?: Exclude<Shape[Name], undefined> };
}
