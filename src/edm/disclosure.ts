// This file looks up what a model discloses of administrative entities. The disclosure applies to the target type, independent of
// the navigation that reaches it.
import { perObject } from '../base/memo.ts';
import { type Disclosure, type EntityType, entityType, isStructured, type Model } from './model.ts';

/** The disclosure of the type or its nearest ancestor; undefined if no navigation discloses it. */
export function disclosureOf(model: Model, type: EntityType): Disclosure | undefined {
  const own = disclosuresIn(model).get(type.name);
  if (own !== undefined || type.base === undefined) return own;
  return disclosureOf(model, entityType(model, type.base));
}

const disclosuresIn = perObject(
  ({ definition: { types } }: Model): ReadonlyMap<string, Disclosure> => {
    const members = types.filter(isStructured).flatMap((type) => type.members);
    return new Map(
      members.flatMap((member) =>
        member.kind === 'navigation' && member.discloses !== undefined
          ? [[member.target, member.discloses] as const]
          : [],
      ),
    );
  },
);
