// This file checks what navigations disclose of administrative entities.
import { disclosureOf } from '../disclosure.ts';
import type { Disclosure, EntityType, Member, Model, Navigation } from '../model.ts';
import { type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';

/** Only entities that are reserved for administrators can be disclosed. */
export function lintDiscloses(
  model: Model,
  { discloses }: Navigation,
  target: EntityType,
  path: string,
): readonly Mistake[] {
  if (discloses === undefined) return [];
  const { through } = discloses;
  const sets = [...model.storedSets.values()].filter((set) => set.type === target.name);
  const isReserved = sets.length > 0 && sets.every((set) => set.administrative === true);
  const members = model.members(target);
  return [
    ...mistakeIf(!isReserved, () =>
      mistake(
        path,
        `The entities of ${target.name} are not reserved for administrators.`,
        'Use it on a navigation to the type of an administrative set.',
      ),
    ),
    ...discloses.members
      .filter((name) => members.get(name)?.kind !== 'property')
      .map((name) => missing(path, `the property ${target.name}/${name}`, name, members.keys())),
    ...mistakeIf(through !== undefined && !isSingleNavigation(members.get(through)), () =>
      mistake(
        path,
        `${target.name}/${through} is not a single-valued navigation property.`,
        'Write in "Through" the name of one, or remove it.',
      ),
    ),
    ...mistakeIf(!isSameDisclosure(disclosureOf(model, target), discloses), () =>
      mistake(
        path,
        `Another navigation discloses other parts of ${target.name}.`,
        'Write the same "Members" and "Whole" in all of them.',
      ),
    ),
  ];
}

const isSingleNavigation = (member: Member | undefined): boolean =>
  member?.kind === 'navigation' && !member.collection;

/** The parts that are disclosed belong to the type, whichever navigation reaches it. */
const isSameDisclosure = (one: Disclosure | undefined, other: Disclosure): boolean =>
  one?.whole === other.whole && String(one?.members) === String(other.members);
