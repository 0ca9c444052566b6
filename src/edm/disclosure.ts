// This file looks up what a model discloses of administrative entities. A type is disclosed as a whole: whichever navigation leads to its
// entities, what is shown of them is the same.
import { type Disclosure, type EntityType, entityType, isStructured, type Model } from './model.ts';

/** Of entities of the type, or of the type that it derives from; undefined where no navigation discloses any. */
export function disclosureOf(model: Model, type: EntityType): Disclosure | undefined {
  const own = disclosuresIn(model).get(type.name);
  if (own !== undefined || type.base === undefined) return own;
  return disclosureOf(model, entityType(model, type.base));
}

const known = new WeakMap<Model, ReadonlyMap<string, Disclosure>>();

function disclosuresIn(model: Model): ReadonlyMap<string, Disclosure> {
  const found = known.get(model) ?? findDisclosures(model);
  known.set(model, found);
  return found;
}

function findDisclosures({ definition: { types } }: Model): ReadonlyMap<string, Disclosure> {
  const members = types.filter(isStructured).flatMap((type) => type.members);
  return new Map(
    members.flatMap((member) =>
      member.kind === 'navigation' && member.discloses !== undefined
        ? [[member.target, member.discloses] as const]
        : [],
    ),
  );
}
