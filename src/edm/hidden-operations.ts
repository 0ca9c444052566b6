// This file knows which operations nobody can call, because an extension hides every set of the entities that they are bound to.
import type { Model, Operation } from './model.ts';

/** Whether the operation is bound to entities of hidden sets alone. */
export function isOutOfReach({ storedSets }: Model, { bound, parameters }: Operation): boolean {
  const [binding] = parameters;
  if (!bound || binding === undefined) return false;
  const sets = [...storedSets.values()].filter(({ type }) => type === binding.type);
  return sets.length > 0 && sets.every(({ hidden }) => hidden === true);
}
