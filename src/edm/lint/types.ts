// This file checks the types of a model: base types, enumerations and type definitions. keys.ts checks their keys, members.ts their members.
// OData CSDL 4.01, "Entity Type", "Complex Type", "Enumeration Type", "Type Definition".
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type ComplexType,
  type EntityType,
  type EnumType,
  isStructured,
  lineage,
  type Member,
  type Model,
  type NamedType,
  type QualifiedName,
  type StructuredType,
  type TypeDefinition,
} from '../model.ts';
import {
  elementPath,
  type Mistake,
  missing,
  mistake,
  mistakeIf,
  requireKnown,
} from '../model-error.ts';
import { isPrimitive, PRIMITIVES, primitiveRow } from '../value/primitives.ts';
import { lintApproval } from './approval.ts';
import { lintAssignment } from './assignment.ts';
import { lintClocks } from './clocks.ts';
import { lintIndexes } from './indexes.ts';
import { lintKeys } from './keys.ts';
import { lintMail } from './mail.ts';
import { lintNavigation, lintProperty, namesOf, requireProperty } from './members.ts';
import { lintSchedule } from './schedules.ts';
import { lintOtherRules, lintUnusedRules, lintValueRules } from './validation.ts';
import { lintWorkflow } from './workflow.ts';

export function lintTypes(model: Model): readonly Mistake[] {
  return model.definition.types.flatMap((type) => lintType(model, type));
}

function lintType(model: Model, type: NamedType): readonly Mistake[] {
  switch (type.kind) {
    case 'entity':
      return [
        ...lintStructured(model, type),
        ...lintKeys(model, type),
        ...lintRelates(model, type),
        ...lintRecipient(model, type),
        ...lintMail(model, type),
        ...lintDisplayName(model, type),
        ...lintIndexes(model, type),
        ...lintWorkflow(model, type),
        ...lintSchedule(model, type),
        ...lintApproval(model, type),
        ...lintAssignment(model, type),
        ...lintClocks(model, type),
      ];
    case 'complex':
      return [...lintStructured(model, type), ...lintCoded(type), ...lintRecursion(model, type)];
    case 'enum':
      return [
        ...lintEnum(type),
        ...lintUnusedRules(type, 'enumerations', (member) => elementPath(type.name, member)),
      ];
    case 'definition':
      return lintTypeDefinition(model, type);
  }
}

function lintStructured(model: Model, type: StructuredType): readonly Mistake[] {
  const base = lintBase(model, type);
  if (base.length > 0) return base;
  return [
    ...lintInherited(model, type),
    ...lintOtherRules(type, (member) => elementPath(type.name, member)),
    ...type.members.flatMap((member) =>
      member.kind === 'property'
        ? lintProperty(model, type, member)
        : lintNavigation(model, type, member),
    ),
  ];
}

function lintBase(model: Model, type: StructuredType): readonly Mistake[] {
  if (type.base === undefined) return [];
  const path = elementPath(type.name, '$BaseType');
  const base = model.types.get(type.base);
  const candidates = namesOf(model, (other) => other.kind === type.kind);
  if (base === undefined) return [missing(path, `the type ${type.base}`, type.base, candidates)];
  if (base.kind !== type.kind) {
    const remedy = `Use a type of the same kind.${didYouMean(type.base, candidates)}`;
    return [mistake(path, `${type.base} and ${type.name} have different kinds.`, remedy)];
  }
  return mistakeIf(isCircular(model, type), () =>
    mistake(
      path,
      `${type.name} is derived from itself.`,
      'Remove $BaseType from one of the types.',
    ),
  );
}

/** A cycle among the ancestors is reported for them. */
function isCircular(model: Model, type: StructuredType): boolean {
  return lineage(type, model.types).at(-1)?.base === type.name;
}

/** Members must not have the name of an inherited one. */
function lintInherited(model: Model, type: StructuredType): readonly Mistake[] {
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  if (base === undefined || !isStructured(base)) return [];
  const inherited = model.members(base);
  return type.members
    .filter(({ name }) => inherited.has(name))
    .map(({ name }) =>
      mistake(
        elementPath(type.name, name),
        `${type.name} already inherits ${name} from ${base.name}.`,
        'Remove or rename it.',
      ),
    );
}

function lintRecipient(model: Model, type: EntityType): readonly Mistake[] {
  if (type.recipient === undefined) return [];
  const path = elementPath(type.name, '@Docket.Recipient');
  const { members: collection, ...texts } = type.recipient;
  const members = [...model.members(type).values()];
  const isText = (one: Member) =>
    one.kind === 'property' && one.type === 'Edm.String' && !one.collection;
  const isRecipients = (one: Member) => one.kind === 'navigation' && one.collection;
  const requireMember = (kind: string, name: string, isFitting: (one: Member) => boolean) => {
    const names = members.filter(isFitting).map((one) => one.name);
    return names.includes(name) ? [] : [missing(path, `${kind} ${type.name}/${name}`, name, names)];
  };
  return [
    ...Object.values(texts).flatMap((name) =>
      requireMember('a property of the type Edm.String', name, isText),
    ),
    ...(collection === undefined
      ? []
      : requireMember('a collection navigation', collection, isRecipients)),
  ];
}

/** The name of an entity must be stored with it. */
function lintDisplayName(model: Model, type: EntityType): readonly Mistake[] {
  const { displayName } = type;
  if (displayName === undefined) return [];
  const path = elementPath(type.name, '@Docket.DisplayName');
  const members = model.members(type);
  const member = members.get(displayName);
  if (member?.kind !== 'property')
    return [missing(path, `the property ${type.name}/${displayName}`, displayName, members.keys())];
  const isText = isSimple(model, member) && !/^Edm\.(Stream|Untyped|Geo)/.test(member.type);
  return mistakeIf(!isText, () =>
    mistake(
      path,
      `${displayName} does not hold a simple value.`,
      'Use a property of a primitive or coded type.',
    ),
  );
}

/** Both ends must be stored in the entity itself. */
function lintRelates(model: Model, type: EntityType): readonly Mistake[] {
  if (type.relates === undefined) return [];
  const path = elementPath(type.name, '@Docket.Relates');
  const { source, target, type: relationType } = type.relates;
  const members = model.members(type);
  const ends = source === undefined ? [target] : [source, target];
  const isInSet = [...model.storedSets.values()].some((set) => set.type === type.name);
  return [
    ...ends
      .filter((end) => !isStoredReference(members.get(end)))
      .map((end) => {
        const names = [...members.values()].filter(isStoredReference).map(({ name }) => name);
        return missing(path, `a single navigation ${type.name}/${end}`, end, names);
      }),
    ...(relationType === undefined ? [] : requireProperty(model, type, relationType, path)),
    ...mistakeIf(relationType !== undefined && !isSimple(model, members.get(relationType)), () =>
      mistake(
        path,
        `${relationType} does not hold a simple value.`,
        'Use a property of a primitive or coded type.',
      ),
    ),
    ...mistakeIf(source === undefined && isInSet, () =>
      mistake(path, 'Entities of a set have no container that could be the source.', 'Add Source.'),
    ),
  ];
}

/** A missing property counts as simple, because it is already reported. */
function isSimple(model: Model, member: Member | undefined): boolean {
  if (member?.kind !== 'property') return true;
  const type = model.types.get(member.type);
  return !member.collection && (type?.kind !== 'complex' || type.coded !== undefined);
}

function isStoredReference(member: Member | undefined): boolean {
  if (member?.kind !== 'navigation') return false;
  return !member.collection && !member.contained && member.inverse !== true;
}

function lintCoded({ coded, members, name }: ComplexType): readonly Mistake[] {
  if (coded === undefined) return [];
  return [coded.value, coded.text]
    .filter((part) => !members.some((member) => member.kind === 'property' && member.name === part))
    .map((part) =>
      missing(
        elementPath(name, '@Docket.Coded'),
        `the property ${name}/${part}`,
        part,
        members.map((member) => member.name),
      ),
    );
}

/** A complex value must not contain a value of its own type. */
function lintRecursion(model: Model, type: ComplexType): readonly Mistake[] {
  const visited = new Set<QualifiedName>();
  const contains = (current: StructuredType): boolean =>
    [...model.members(current).values()].some((member) => {
      const inner =
        member.kind === 'property' && !member.collection ? model.types.get(member.type) : undefined;
      if (inner?.kind !== 'complex') return false;
      if (inner === type) return true;
      if (visited.has(inner.name)) return false;
      visited.add(inner.name);
      return contains(inner);
    });
  return mistakeIf(contains(type), () =>
    mistake(
      elementPath(type.name),
      `${type.name} contains a value of its own type.`,
      'Use a collection or a navigation.',
    ),
  );
}

function lintEnum(type: EnumType): readonly Mistake[] {
  const row = isPrimitive(type.underlying) ? primitiveRow(type.underlying) : undefined;
  const path = elementPath(type.name, '$UnderlyingType');
  const { bounds } = row ?? {};
  if (bounds === undefined) {
    const remedy = 'Use Edm.Byte, Edm.SByte, Edm.Int16, Edm.Int32 or Edm.Int64.';
    return [mistake(path, `${type.underlying} cannot be the type of an enumeration.`, remedy)];
  }
  const outOfRange = type.members.filter(
    ({ value }) => value < bounds.least || value > bounds.greatest,
  );
  return [
    ...mistakeIf(type.members.length === 0, () =>
      mistake(elementPath(type.name), `${type.name} has no members.`, 'Add one.'),
    ),
    ...outOfRange.map((member) =>
      mistake(
        elementPath(type.name, member.name),
        `${member.value} is not a value of ${type.underlying}.`,
        `Use an integer from ${bounds.least} to ${bounds.greatest}.`,
      ),
    ),
  ];
}

function lintTypeDefinition(model: Model, type: TypeDefinition): readonly Mistake[] {
  const path = (member: string) => elementPath(type.name, member);
  const { underlying, facets, annotations } = type;
  const element = { type: underlying, facets, annotations, collection: false };
  return [
    ...requireKnown(
      path('$UnderlyingType'),
      'the primitive type',
      underlying,
      Object.keys(PRIMITIVES),
    ),
    ...lintValueRules(model, element, path),
  ];
}
