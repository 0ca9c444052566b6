// This file defines sources, where the rows of a model are stored: every entity set, singleton and containment is one, and every
// navigation leads from one source to another. sql/schema/model-layout.ts maps each source to a table.
import { perObject, perPair } from '../base/memo.ts';
import type {
  EntitySet,
  EntityType,
  KeyPart,
  Member,
  Model,
  Navigation,
  QualifiedName,
  StructuredType,
} from './model.ts';
import {
  areRelated,
  entitySet,
  entityType,
  isStructured,
  memberAt,
  memberType,
  structuredType,
} from './model.ts';

/** A collection of entities of one type and its derived types. */
export interface Source {
  /** The set's name, or `Declaring.Type/Navigation` for a containment, or `*Type` for a union. */
  readonly id: string;
  readonly kind: 'set' | 'containment' | 'union';
  readonly type: EntityType;
  readonly set?: EntitySet;
  /** For a containment: the navigation, as declared on `owner`. */
  readonly navigation?: Navigation;
  readonly owner?: StructuredType;
  /** For a union: the sources of its rows, because entities of the type are in several sets. */
  readonly members?: readonly Source[];
}

/** The source of an entity set or singleton. */
export function setSource(model: Model, name: string): Source {
  const set = entitySet(model, name);
  return { id: name, kind: 'set', type: entityType(model, set.type), set };
}

/** The source of a containment. All types that inherit the navigation share it. */
export function containmentSource(
  model: Model,
  owner: StructuredType,
  navigation: Navigation,
): Source {
  const declaring = declaringType(model, owner, navigation.name);
  const type = entityType(model, navigation.target);
  return {
    id: `${declaring.name}/${navigation.name}`,
    kind: 'containment',
    type,
    navigation,
    owner: declaring,
  };
}

/** The set whose entities can be of the type, or a union if there are several. */
export function typeSource(model: Model, name: QualifiedName): Source {
  return sourceOfType(model, entityType(model, name));
}

const sourceOfType = perPair((model: Model, type: EntityType): Source => {
  const members = [...model.storedSets.values()]
    .filter((set) => areRelated(model, entityType(model, set.type), type))
    .map((set) => setSource(model, set.name));
  const [only] = members;
  return members.length === 1 && only !== undefined
    ? only
    : { id: `*${type.name}`, kind: 'union', type, members };
});

/**
 * The source that a navigation points to.
 * @param from the source of the rows that have the navigation
 * @param owner the type that declares or inherits the navigation: the type of the rows or of a complex value in them
 * @param path the path from the row to the navigation, inclusive: `Assignment/AssigneePerson`
 */
export function targetSource(
  model: Model,
  from: Source,
  owner: StructuredType,
  navigation: Navigation,
  path: string,
): Source {
  if (navigation.contained && navigation.inverse !== true)
    return containmentSource(model, owner, navigation);
  const bound = from.set?.bindings[path];
  return bound !== undefined && model.storedSets.has(bound)
    ? setSource(model, bound)
    : typeSource(model, navigation.target);
}

/**
 * `Assignment/AssigneePerson`, `Model.Derived/Caller`: a path of members with the casts to the derived types that declare them.
 * OData CSDL 4.01, "Navigation Property Path Binding".
 */
export function bindingPath(model: Model, start: StructuredType, path: readonly Member[]): string {
  const steps: string[] = [];
  let type: StructuredType | undefined = start;
  for (const member of path) {
    const cast = type && castBefore(model, type, member);
    steps.push(...(cast === undefined ? [] : [cast.name]), member.name);
    const next = member.kind === 'property' ? model.types.get(member.type) : undefined;
    type = next !== undefined && isStructured(next) ? next : undefined;
  }
  return steps.join('/');
}

/** The derived type that declares the member, if the type itself does not have it. */
export function castBefore(
  model: Model,
  type: StructuredType,
  member: Member,
): StructuredType | undefined {
  if (model.stored(type).get(member.name) === member) return undefined;
  return model.derived(type).find(({ members }) => members.includes(member));
}

/** Every set, singleton and containment of the model, without duplicates. */
export const allSources = perObject((model: Model): readonly Source[] => {
  const found = new Map<string, Source>();
  for (const name of model.storedSets.keys())
    addWithContainments(model, setSource(model, name), found);
  return [...found.values()];
});

function addWithContainments(model: Model, source: Source, found: Map<string, Source>): void {
  if (found.has(source.id)) return;
  found.set(source.id, source);
  for (const type of [source.type, ...model.derived(source.type)]) {
    for (const member of model.stored(type).values()) {
      if (member.kind !== 'navigation' || !member.contained || member.inverse === true) continue;
      addWithContainments(model, containmentSource(model, type, member), found);
    }
  }
}

/** The type or its ancestor that declares the member. */
export function declaringType(model: Model, owner: StructuredType, name: string): StructuredType {
  let current = owner;
  while (!current.members.some((member) => member.name === name) && current.base !== undefined) {
    current = structuredType(model, current.base);
  }
  return current;
}

/** The entity type to which the navigation property at a path refers. */
export function targetAt(model: Model, type: StructuredType, path: string): EntityType | undefined {
  const member = memberAt(model, type, path);
  const target = member?.kind === 'navigation' ? memberType(model, member) : undefined;
  return target?.kind === 'entity' ? target : undefined;
}

/** The alternate keys of a type, inherited ones first. OData Vocabularies 4.0, "Core.AlternateKeys". */
export function alternateKeys(model: Model, type: EntityType): readonly (readonly KeyPart[])[] {
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  const inherited = base?.kind === 'entity' ? alternateKeys(model, base) : [];
  return [...inherited, ...(type.alternateKeys ?? [])];
}
