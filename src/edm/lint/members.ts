// This file checks the members of types: types, facets, code lists and generated values of properties; targets, partners and
// constraints of navigations.
// OData CSDL 4.01, "Structural Property", "Navigation Property".
import { didYouMean } from '../../base/nearest-name.ts';
import { mayBeCleared } from '../dependents.ts';
import {
  areRelated,
  type EntityType,
  type Facets,
  isStructured,
  type Member,
  type Model,
  memberAt,
  type NamedType,
  type Navigation,
  type Property,
  type StructuredType,
} from '../model.ts';
import {
  elementPath,
  type Mistake,
  missing,
  mistake,
  mistakeIf,
  requireKnown,
  warning,
} from '../model-error.ts';
import { isDocument, membersInside } from '../property-storage.ts';
import {
  isPrimitive,
  PRIMITIVES,
  type PrimitiveClass,
  parseJson,
  primitiveRow,
  resolvePrimitive,
} from '../value/primitives.ts';
import { lintChangeCode } from './change-code.ts';
import { lintDiscloses } from './disclosures.ts';
import { lintComputedDefault, lintGenerated } from './generated.ts';
import { lintItemKey } from './item-keys.ts';
import { lintOtherRules, lintValueRules } from './validation.ts';

export function lintProperty(
  model: Model,
  owner: StructuredType,
  property: Property,
): readonly Mistake[] {
  const path = (member: string) => elementPath(owner.name, property.name, member);
  const type = model.types.get(property.type);
  const isKnown = isPrimitive(property.type) || (type !== undefined && type.kind !== 'entity');
  if (!isKnown) return [unknownPropertyType(model, property, path('$Type'))];
  return [
    ...lintFacets(model, property, path),
    ...lintDefault(model, property, path('$DefaultValue')),
    ...lintCodeList(model, property, path('@Docket.CodeList')),
    ...lintChangeCode(model, property, path('@Docket.ChangeCode')),
    ...lintGenerated(property, path('@Docket.Generated')),
    ...lintComputedDefault(model, property, path('@Core.ComputedDefaultValue')),
    ...lintValueRules(model, property, path),
    ...lintInnerRelation(model, property, path('$Type')),
    ...lintItemKey(model, owner, property),
  ];
}

/** A complex value that is stored as a whole has columns for its references only if their paths are known and the value is single. */
function lintInnerRelation(model: Model, property: Property, path: string): readonly Mistake[] {
  const type = model.types.get(property.type);
  if (type?.kind !== 'complex' || !isDocument(model, property)) return [];
  const inside = membersInside(model, type);
  const isRecursive = inside.some(
    (member) => member.kind === 'property' && member.type === type.name,
  );
  const reason = property.collection
    ? `${property.name} is a collection`
    : isRecursive
      ? `${property.name} can contain itself`
      : undefined;
  const found = inside.find(
    (member) => member.kind === 'navigation' && (reason !== undefined || member.contained),
  );
  if (found === undefined) return [];
  const owner = model.definition.types.find(
    (other) => isStructured(other) && other.members.includes(found),
  );
  const name = `${owner?.name ?? type.name}/${found.name}`;
  const message = `The navigation property ${name} is not supported here, since ${reason ?? 'it contains its target'}.`;
  return [mistake(path, message, 'Put the navigation property on an entity type.')];
}

function unknownPropertyType(model: Model, property: Property, path: string): Mistake {
  if (model.types.get(property.type)?.kind === 'entity') {
    const remedy = 'Make it a NavigationProperty or use a complex type.';
    return mistake(path, `${property.type} is an entity type.`, remedy);
  }
  const candidates = [
    ...Object.keys(PRIMITIVES),
    ...namesOf(model, ({ kind }) => kind !== 'entity'),
  ];
  return missing(path, `the type ${property.type}`, property.type, candidates);
}

function lintFacets(
  model: Model,
  property: Property,
  path: (member: string) => string,
): readonly Mistake[] {
  const { maxLength, precision, scale } = property.facets;
  const primitive = resolvePrimitive(model, property);
  const applicable: readonly (keyof Facets)[] =
    primitive === undefined ? [] : primitiveRow(primitive.type).facets;
  const unused = Object.keys(property.facets).filter(
    (facet) => !applicable.some((name) => name === facet),
  );
  return [
    ...unused.map((facet) => {
      const name =
        facet === 'srid' ? '$SRID' : `$${facet.charAt(0).toUpperCase()}${facet.slice(1)}`;
      return warning(path(name), `${name} does not apply to ${property.type}.`, 'Remove it.');
    }),
    ...mistakeIf(maxLength !== undefined && maxLength < 1, () =>
      mistake(path('$MaxLength'), '$MaxLength is less than 1.', 'Use 1 or more.'),
    ),
    ...mistakeIf(typeof scale === 'number' && precision !== undefined && scale > precision, () =>
      mistake(path('$Scale'), 'The scale exceeds the precision.', `Use at most ${precision}.`),
    ),
    ...mistakeIf(
      precision !== undefined && precision > 12 && primitive?.type !== 'Edm.Decimal',
      () =>
        mistake(path('$Precision'), 'A time has at most 12 fraction digits.', 'Use 12 or less.'),
    ),
  ];
}

function lintDefault(model: Model, property: Property, path: string): readonly Mistake[] {
  const { defaultValue } = property;
  const primitive = resolvePrimitive(model, property);
  if (defaultValue === null && !property.nullable) {
    const message = 'The default is null, but the property is not nullable.';
    return [mistake(path, message, 'Remove the default, or add "$Nullable": true.')];
  }
  if (defaultValue === undefined || primitive === undefined || property.collection) return [];
  const reading = parseJson(primitive.type, primitive.facets, defaultValue);
  if (reading.kind === 'value') return [];
  const message = `The default is not a value of ${property.type}: ${reading.expected}.`;
  return [mistake(path, message, 'Correct or remove the default.')];
}

function lintCodeList(model: Model, property: Property, path: string): readonly Mistake[] {
  const { codeList, type } = property;
  const complex = model.types.get(type);
  const isCoded = complex?.kind === 'complex' && complex.coded !== undefined;
  if (codeList === undefined) return [];
  return [
    ...requireKnown(path, 'the code list', codeList, model.codeLists.keys()),
    ...mistakeIf(!isCoded, () =>
      mistake(path, `${type} is not a coded type.`, 'Use a complex type with @Docket.Coded.'),
    ),
  ];
}

export function lintNavigation(
  model: Model,
  owner: StructuredType,
  navigation: Navigation,
): readonly Mistake[] {
  const path = (member: string) => elementPath(owner.name, navigation.name, member);
  const target = model.types.get(navigation.target);
  if (target?.kind !== 'entity') {
    const entities = namesOf(model, ({ kind }) => kind === 'entity');
    return [
      missing(path('$Type'), `the entity type ${navigation.target}`, navigation.target, entities),
    ];
  }
  return [
    ...lintPartner(model, owner, navigation, target),
    ...lintConstraints(model, owner, navigation, target),
    ...mistakeIf(
      navigation.acyclic === true && !mayBeAcyclic(model, owner, navigation, target),
      () =>
        mistake(
          path('@Docket.Acyclic'),
          `The navigation does not relate ${owner.name} to itself in one direction.`,
          'Use it on a navigation from an entity type to itself that neither contains its target nor is its own partner.',
        ),
    ),
    ...lintDiscloses(model, navigation, target, path('@Docket.Discloses')),
    ...lintOtherRules(navigation, path),
    ...mistakeIf(
      navigation.onDelete === 'set-null' && !navigation.nullable && !navigation.collection,
      () =>
        mistake(
          path('@Docket.OnDelete'),
          'The navigation is not nullable.',
          'Use cascade or restrict.',
        ),
    ),
    ...mistakeIf(
      navigation.onDelete === 'set-null' && hasRequiredDependents(model, owner, navigation),
      () =>
        mistake(
          path('@Docket.OnDelete'),
          'The dependent properties of the navigation cannot be null.',
          'Use cascade or restrict, or add $Nullable to a dependent property.',
        ),
    ),
    ...mistakeIf(
      navigation.inverse === true && (navigation.collection || navigation.partner === undefined),
      () =>
        mistake(
          path('@Docket.Inverse'),
          'Only a single navigation with a partner can be stored on the other side.',
          'Remove it or add $Partner.',
        ),
    ),
  ];
}

function hasRequiredDependents(
  model: Model,
  owner: StructuredType,
  navigation: Navigation,
): boolean {
  if (owner.kind !== 'entity' || navigation.constraints === undefined) return false;
  return navigation.nullable && !mayBeCleared(model, owner, navigation);
}

/** Containment is acyclic anyway, and a navigation that is its own partner cannot be. */
function mayBeAcyclic(
  model: Model,
  owner: StructuredType,
  { name, contained, partner }: Navigation,
  target: EntityType,
): boolean {
  const inverse = partner === undefined ? undefined : memberAt(model, target, partner);
  const isOwned = inverse?.kind === 'navigation' && inverse.contained;
  const isDirected = !contained && !isOwned && partner !== name;
  return owner.kind === 'entity' && isDirected && areRelated(model, owner, target);
}

function lintPartner(
  model: Model,
  owner: StructuredType,
  navigation: Navigation,
  target: EntityType,
): readonly Mistake[] {
  const { partner: name } = navigation;
  if (name === undefined) return [];
  const path = elementPath(owner.name, navigation.name, '$Partner');
  const partner = memberAt(model, target, name);
  const candidates = () => navigationsBack(model, target, owner);
  if (partner?.kind !== 'navigation')
    return [missing(path, `a navigation ${target.name}/${name}`, name, candidates())];
  const type = model.types.get(partner.target);
  const isInverse = type !== undefined && isStructured(type) && areRelated(model, type, owner);
  return [
    ...mistakeIf(!isInverse && owner.kind !== 'complex', () =>
      mistake(
        path,
        `${target.name}/${partner.name} refers to ${partner.target}, not to ${owner.name}.`,
        `Use a navigation to ${owner.name}.${didYouMean(name, candidates())}`,
      ),
    ),
    ...lintPair(navigation, partner, { path, partnerName: `${target.name}/${partner.name}` }),
    ...lintContainedPartner(model, navigation, target, path),
  ];
}

/** The partner of a containment is the container, which entities of a set do not have. */
function lintContainedPartner(
  model: Model,
  { contained, inverse }: Navigation,
  target: EntityType,
  path: string,
): readonly Mistake[] {
  if (!contained || inverse === true) return [];
  const set = [...model.storedSets.values()].find((one) => {
    const type = model.types.get(one.type);
    return type?.kind === 'entity' && areRelated(model, type, target);
  });
  return set === undefined
    ? []
    : [
        mistake(
          path,
          `The set ${set.name} has entities of ${target.name} that are not contained.`,
          'Remove $Partner or $ContainsTarget, or the set.',
        ),
      ];
}

/** Contradictions between two partners. */
function lintPair(
  navigation: Navigation,
  partner: Navigation,
  { path, partnerName }: { readonly path: string; readonly partnerName: string },
): readonly Mistake[] {
  const isMutual =
    partner.partner === undefined || partner.partner.split('/').at(-1) === navigation.name;
  return [
    ...mistakeIf(!isMutual, () =>
      mistake(
        path,
        `The partner of ${partnerName} is ${partner.partner}.`,
        'Make each the $Partner of the other.',
      ),
    ),
    ...mistakeIf(navigation.inverse === true && partner.inverse === true, () =>
      mistake(
        path,
        'Both sides have @Docket.Inverse, so neither stores the relation.',
        'Remove @Docket.Inverse from one of them.',
      ),
    ),
    ...mistakeIf(navigation.contained && partner.contained, () =>
      mistake(path, 'Both sides contain each other.', 'Remove $ContainsTarget from one of them.'),
    ),
  ];
}

function navigationsBack(model: Model, from: EntityType, to: StructuredType): readonly string[] {
  return [...model.members(from).values()]
    .filter((member) => member.kind === 'navigation' && member.target === to.name)
    .map(({ name }) => name);
}

function lintConstraints(
  model: Model,
  owner: StructuredType,
  navigation: Navigation,
  target: EntityType,
): readonly Mistake[] {
  const path = elementPath(owner.name, navigation.name, '$ReferentialConstraint');
  return (navigation.constraints ?? []).flatMap(({ property, referenced }) => [
    ...mistakeIf(owner.kind === 'complex', () =>
      warning(
        path,
        'The constraint is not enforced, since the relation is part of a complex value.',
        'Put the relation and its dependent properties on an entity type.',
      ),
    ),
    ...requireProperty(model, owner, property, path),
    ...requireProperty(model, target, referenced, path),
    ...lintDependent(
      model,
      memberAt(model, owner, property),
      memberAt(model, target, referenced),
      path,
    ),
  ]);
}

const NUMBERS: readonly PrimitiveClass[] = ['integer', 'floating', 'decimal'];

/** The service compares a dependent property with the one that it refers to. */
function lintDependent(
  model: Model,
  dependent: Member | undefined,
  principal: Member | undefined,
  path: string,
): readonly Mistake[] {
  if (dependent?.kind !== 'property' || principal?.kind !== 'property') return [];
  const [own, other] = [resolvePrimitive(model, dependent), resolvePrimitive(model, principal)];
  if (own === undefined || other === undefined || own.type === other.type) return [];
  const isNumber = ({ type }: typeof own) => NUMBERS.includes(primitiveRow(type).class);
  return mistakeIf(!isNumber(own) || !isNumber(other), () =>
    mistake(
      path,
      `${dependent.name} has the type ${own.type}, but ${principal.name} has ${other.type}.`,
      `Use ${other.type} for ${dependent.name}.`,
    ),
  );
}

/** A mistake if the type does not have the property. `name` may be a path. */
export function requireProperty(
  model: Model,
  type: StructuredType,
  name: string,
  path: string,
): readonly Mistake[] {
  if (memberAt(model, type, name)?.kind === 'property') return [];
  return [missing(path, `the property ${type.name}/${name}`, name, model.members(type).keys())];
}

/** Names of the types that match, as candidates for messages. */
export function namesOf(model: Model, matches: (type: NamedType) => boolean): readonly string[] {
  return model.definition.types.filter(matches).map(({ name }) => name);
}
