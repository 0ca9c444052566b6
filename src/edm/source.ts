// This file says where the rows of a model live: every entity set, singleton and containment is a source, and every navigation
// leads from one source to another. Storage (sql/schema/model-layout.ts) gives each source a table; paths and queries speak of sources only.
import type {
  EntitySet,
  EntityType,
  Model,
  Navigation,
  QualifiedName,
  StructuredType,
} from './model.ts';
import { entitySet, entityType, isAssignable, structuredType } from './model.ts';

/** A place where entities of one type (and its derived types) are kept. */
export interface Source {
  /** The set's name, or `Declaring.Type/Navigation` for a containment, or `*Type` for a union. */
  readonly id: string;
  readonly kind: 'set' | 'containment' | 'union';
  readonly type: EntityType;
  readonly set?: EntitySet;
  /** Of a containment: the navigation, as declared on `owner`. */
  readonly navigation?: Navigation;
  readonly owner?: StructuredType;
  /** Of a union: the sources of its rows, where one type is spread over several sets. */
  readonly members?: readonly Source[];
}

/** The source of an entity set or singleton. */
export function setSource(model: Model, name: string): Source {
  const set = entitySet(model, name);
  return { id: name, kind: 'set', type: entityType(model, set.type), set };
}

/** The source of a containment, whoever inherits it: one for all owners. */
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

/** All sets whose entities can be of the type, as one source: several of them make a union. */
export function typeSource(model: Model, name: QualifiedName): Source {
  const type = entityType(model, name);
  const members = [...model.sets.values()]
    .filter(
      (set) =>
        isAssignable(model, entityType(model, set.type), type) ||
        isAssignable(model, type, entityType(model, set.type)),
    )
    .map((set) => setSource(model, set.name));
  const [only] = members;
  return members.length === 1 && only !== undefined
    ? only
    : { id: `*${name}`, kind: 'union', type, members };
}

/**
 * Where a navigation leads.
 * @param from the source of the rows it starts from
 * @param owner the type that has the navigation: the rows' type, or that of a complex value in them
 * @param path names from the row to the navigation, itself included: `Assignment/AssigneePerson`
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
  return bound !== undefined && model.sets.has(bound)
    ? setSource(model, bound)
    : typeSource(model, navigation.target);
}

/** Every set, singleton and containment of the model, each once. */
export function allSources(model: Model): readonly Source[] {
  const found = new Map<string, Source>();
  for (const name of model.sets.keys()) addWithContainments(model, setSource(model, name), found);
  return [...found.values()];
}

function addWithContainments(model: Model, source: Source, found: Map<string, Source>): void {
  if (found.has(source.id)) return;
  found.set(source.id, source);
  for (const type of [source.type, ...model.derived(source.type)]) {
    for (const member of model.members(type).values()) {
      if (member.kind !== 'navigation' || !member.contained || member.inverse === true) continue;
      addWithContainments(model, containmentSource(model, type, member), found);
    }
  }
}

/** The type, or the one above it, that declares the member. */
export function declaringType(model: Model, owner: StructuredType, name: string): StructuredType {
  let current = owner;
  while (!current.members.some((member) => member.name === name) && current.base !== undefined) {
    current = structuredType(model, current.base);
  }
  return current;
}
