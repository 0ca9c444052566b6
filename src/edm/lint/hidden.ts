// This file checks which members and sets may be hidden: the service must be able to store entities without them, and nothing that is
// visible may point to them.
import { type EntityType, type Member, type Model, memberAt, type Navigation } from '../model.ts';
import { elementPath, type Mistake, mistake, mistakeIf } from '../model-error.ts';

/** Returns all mistakes about `Docket.Hidden`. Expressions that use what is hidden are mistakes of their own. */
export function lintHidden(model: Model): readonly Mistake[] {
  return [
    ...model.definition.types.flatMap((type) => {
      if (type.kind === 'entity')
        return type.members.flatMap((member) =>
          member.hidden === true
            ? lintMember(model, type, member)
            : lintPartner(model, type, member),
        );
      return type.kind === 'complex'
        ? type.members
            .filter(({ hidden }) => hidden === true)
            .map(({ name }) => inComplex(type.name, name))
        : [];
    }),
    ...lintSets(model),
  ];
}

function inComplex(type: string, name: string): Mistake {
  return mistake(
    elementPath(type, name, '@Docket.Hidden'),
    'Members of complex types cannot be hidden, because their values are read and written as a whole.',
    'Hide the properties of this type instead.',
  );
}

function lintMember(model: Model, type: EntityType, member: Member): readonly Mistake[] {
  const path = elementPath(type.name, member.name, '@Docket.Hidden');
  const rules: readonly (readonly [boolean, string, string])[] = [
    [isInKey(model, type, member), `${member.name} is part of a key.`, 'Remove @Docket.Hidden.'],
    [
      isWritten(type, member),
      `The service needs ${member.name}.`,
      'Remove @Docket.Hidden, or withhold the right to read it in the roles.',
    ],
    [
      isRequired(member),
      `${member.name} is required, but requests cannot set it.`,
      'Add a $DefaultValue for new entities.',
    ],
  ];
  return rules.flatMap(([isWrong, message, remedy]) =>
    mistakeIf(isWrong, () => mistake(path, message, remedy)),
  );
}

function isInKey(model: Model, type: EntityType, { name }: Member): boolean {
  const keys = [type, ...model.derived(type)].flatMap((one) => [
    ...model.key(one),
    ...(one.alternateKeys ?? []).flat(),
  ]);
  return keys.some(({ path }) => path.split('/', 1)[0] === name);
}

/** Members that rules of the service name. */
function isWritten({ relates }: EntityType, member: Member): boolean {
  const { changePart, filePart } = member;
  const isEnd = Object.values(relates ?? {}).includes(member.name);
  return changePart !== undefined || filePart !== undefined || isEnd || isContained(member);
}

function isContained(member: Member): boolean {
  return member.kind === 'navigation' && member.contained;
}

function isRequired(member: Member): boolean {
  if (member.collection || member.nullable) return false;
  return member.kind === 'navigation'
    ? true
    : member.defaultValue === undefined && member.generated === undefined;
}

/** A visible navigation needs a visible partner. */
function lintPartner(model: Model, type: EntityType, member: Member): readonly Mistake[] {
  const partner = member.kind === 'navigation' ? partnerOf(model, member) : undefined;
  return mistakeIf(partner?.hidden === true, () =>
    mistake(
      elementPath(type.name, member.name, '$Partner'),
      `The partner ${partner?.name} is hidden.`,
      'Hide both directions of the relation.',
    ),
  );
}

function partnerOf(model: Model, { target, partner }: Navigation): Member | undefined {
  const type = model.types.get(target);
  if (type?.kind !== 'entity' || partner === undefined) return undefined;
  return memberAt(model, type, partner);
}

/** Visible navigations and imports must not refer to a hidden set. */
function lintSets(model: Model): readonly Mistake[] {
  const { sets, imports, container, people } = model.definition;
  const hidden = new Set(sets.filter((set) => set.hidden === true).map(({ name }) => name));
  if (hidden.size === 0) return [];
  const visible = sets.filter(({ name }) => !hidden.has(name));
  return [
    ...mistakeIf(people !== undefined && hidden.has(people), () =>
      mistake(
        elementPath(container, people ?? '', '@Docket.Hidden'),
        'The set contains the people who own accounts.',
        'Remove @Docket.Hidden.',
      ),
    ),
    ...visible.flatMap((set) =>
      Object.entries(set.bindings).flatMap(([path, target]) => {
        const type = model.types.get(set.type);
        const member = type?.kind === 'entity' ? memberAt(model, type, path) : undefined;
        return mistakeIf(hidden.has(target) && member?.hidden !== true, () =>
          mistake(
            elementPath(container, target, '@Docket.Hidden'),
            `${set.name}/${path} refers to the entities of the hidden set ${target}.`,
            'Hide that navigation property, too.',
          ),
        );
      }),
    ),
    ...imports
      .filter(({ set }) => set !== undefined && hidden.has(set))
      .map(({ name, set = '' }) =>
        mistake(
          elementPath(container, set, '@Docket.Hidden'),
          `${name} returns entities of the hidden set ${set}.`,
          'Remove @Docket.Hidden.',
        ),
      ),
  ];
}
