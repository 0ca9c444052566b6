// This file finds sets and operations of the engine. Where a model uses one of their names itself, theirs has the prefix Docket.
import type { Model } from '../model/model.ts';

/** The set of an engine type; undefined where the model has none. */
export function setOfType({ sets }: Model, type: string): string | undefined {
  return [...sets.values()].find((set) => set.type === `Docket.System.${type}`)?.name;
}

/** The import of an engine operation. */
export function importOf({ imports }: Model, name: string): string {
  return [...imports].find(([, operation]) => operation === `Docket.System.${name}`)?.[0] ?? name;
}
