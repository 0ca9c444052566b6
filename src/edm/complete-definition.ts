// This file completes a definition: it qualifies names without a namespace and derives navigation bindings that are unambiguous.
import type {
  Effect,
  EntitySet,
  Member,
  Model,
  ModelDefinition,
  NamedType,
  Navigation,
  Operation,
  QualifiedName,
  StructuredType,
} from './model.ts';

/** Qualifies every type and operation name without a dot with the first namespace. */
export function qualifyDefinition(definition: ModelDefinition): ModelDefinition {
  const namespace = definition.namespaces[0]?.name ?? '';
  const full = (name: string): QualifiedName =>
    name.includes('.') ? name : `${namespace}.${name}`;
  return {
    ...definition,
    container: full(definition.container),
    types: definition.types.map((type) => qualifyType(type, full)),
    sets: definition.sets.map((set) => ({ ...set, type: full(set.type) })),
    operations: definition.operations.map((operation) => qualifyOperation(operation, full)),
    imports: definition.imports.map((item) => ({ ...item, operation: full(item.operation) })),
  };
}

/** Adds a binding for each unbound navigation that has exactly one possible target set. */
export function deriveBindings(definition: ModelDefinition): ModelDefinition {
  const hierarchy = hierarchyOf(definition);
  const targets = targetSets(definition, hierarchy);
  return {
    ...definition,
    sets: definition.sets.map((set) => {
      const derived = pathsFrom(hierarchy, set).flatMap(({ path, navigation }) => {
        const target = targets(navigation.target);
        return target === undefined ? [] : [[path, target] as const];
      });
      return { ...set, bindings: { ...Object.fromEntries(derived), ...set.bindings } };
    }),
  };
}

export interface NavigationPath {
  /** The path as in a binding: `Caller`, `Assignment/AssigneePerson`, `Attachments/CreatedBy`, `Model.Derived/Caller`. */
  readonly path: string;
  readonly navigation: Navigation;
}

/**
 * The non-contained navigations of a set, which need a binding, including those in complex properties, contained entities and
 * derived types. A type that contains itself is visited once.
 * OData CSDL 4.01, "Navigation Property Path Binding".
 */
export function navigationPaths(
  definition: ModelDefinition,
  set: EntitySet,
): readonly NavigationPath[] {
  return pathsFrom(hierarchyOf(definition), set);
}

function pathsFrom(hierarchy: Hierarchy, set: EntitySet): readonly NavigationPath[] {
  const start = hierarchy.types.get(set.type);
  return start === undefined ? [] : walkType({ ...hierarchy, visited: [] }, start, '');
}

/**
 * The navigations, contained ones included, that a URL can append to an entity of the type: its own and those of its single complex
 * values. Navigations of derived types, which need a cast, are excluded.
 */
export function typedNavigations(model: Model, type: StructuredType): readonly NavigationPath[] {
  return collectNavigations(model, type, '', []);
}

function collectNavigations(
  model: Model,
  type: StructuredType,
  prefix: string,
  enclosing: readonly StructuredType[],
): readonly NavigationPath[] {
  if (enclosing.includes(type)) return [];
  return [...model.members(type).values()].flatMap((member) => {
    const path = `${prefix}${member.name}`;
    if (member.kind === 'navigation') return [{ path, navigation: member }];
    const inner = member.collection ? undefined : model.types.get(member.type);
    return inner?.kind === 'complex'
      ? collectNavigations(model, inner, `${path}/`, [...enclosing, type])
      : [];
  });
}

/** Structured types by name, with their ancestors and descendants. */
interface Hierarchy {
  readonly types: ReadonlyMap<QualifiedName, StructuredType>;
  /** Root first, the type itself last. */
  readonly lineages: ReadonlyMap<StructuredType, readonly StructuredType[]>;
  readonly derived: ReadonlyMap<StructuredType, readonly StructuredType[]>;
}

function hierarchyOf(definition: ModelDefinition): Hierarchy {
  const types = structuredTypes(definition);
  const lineages = new Map([...types.values()].map((type) => [type, lineage(types, type)]));
  const derived = new Map<StructuredType, StructuredType[]>();
  for (const [type, ancestors] of lineages) {
    for (const ancestor of ancestors) {
      if (ancestor === type) continue;
      const others = derived.get(ancestor);
      if (others === undefined) derived.set(ancestor, [type]);
      else others.push(type);
    }
  }
  return { types, lineages, derived };
}

interface Walk extends Hierarchy {
  readonly visited: readonly StructuredType[];
}

function walkType(walk: Walk, type: StructuredType, prefix: string): readonly NavigationPath[] {
  if (walk.visited.includes(type)) return [];
  const next = { ...walk, visited: [...walk.visited, type] };
  const own = (walk.lineages.get(type) ?? []).flatMap((ancestor) =>
    walkMembers(next, ancestor, prefix),
  );
  return [
    ...own,
    ...(walk.derived.get(type) ?? []).flatMap((other) =>
      walkMembers(next, other, `${prefix}${other.name}/`),
    ),
  ];
}

function walkMembers(walk: Walk, type: StructuredType, prefix: string): readonly NavigationPath[] {
  return type.members.flatMap((member) => walkMember(walk, member, prefix));
}

function walkMember(walk: Walk, member: Member, prefix: string): readonly NavigationPath[] {
  const path = `${prefix}${member.name}`;
  if (member.kind === 'navigation' && !member.contained) return [{ path, navigation: member }];
  const next = walk.types.get(member.kind === 'navigation' ? member.target : member.type);
  return next === undefined ? [] : walkType(walk, next, `${path}/`);
}

/** Finds the only set that can hold entities of a type: the set of that type, else of its nearest ancestor. */
function targetSets(
  definition: ModelDefinition,
  { types, lineages }: Hierarchy,
): (type: QualifiedName) => string | undefined {
  const sets = definition.sets.filter((set) => set.kind === 'set');
  return (name) => {
    const type = types.get(name);
    for (const ancestor of type === undefined ? [] : (lineages.get(type) ?? []).toReversed()) {
      const candidates = sets.filter((set) => set.type === ancestor.name);
      if (candidates.length > 0) return candidates.length === 1 ? candidates[0]?.name : undefined;
    }
    return undefined;
  };
}

function structuredTypes(definition: ModelDefinition): ReadonlyMap<QualifiedName, StructuredType> {
  return new Map(
    definition.types.flatMap((type) =>
      type.kind === 'entity' || type.kind === 'complex' ? [[type.name, type]] : [],
    ),
  );
}

/** The type and its ancestors, root first. */
function lineage(
  types: ReadonlyMap<QualifiedName, StructuredType>,
  type: StructuredType,
): readonly StructuredType[] {
  const chain: StructuredType[] = [];
  let current: StructuredType | undefined = type;
  while (current !== undefined && !chain.includes(current)) {
    chain.unshift(current);
    current = current.base === undefined ? undefined : types.get(current.base);
  }
  return chain;
}

type Qualify = (name: string) => QualifiedName;

function qualifyType(type: NamedType, full: Qualify): NamedType {
  if (type.kind === 'enum' || type.kind === 'definition') {
    return { ...type, name: full(type.name), underlying: full(type.underlying) };
  }
  const base = type.base === undefined ? {} : { base: full(type.base) };
  const members = type.members.map((member) => qualifyMember(member, full));
  return { ...type, ...base, name: full(type.name), members };
}

function qualifyMember(member: Member, full: Qualify): Member {
  return member.kind === 'navigation'
    ? { ...member, target: full(member.target) }
    : { ...member, type: full(member.type) };
}

function qualifyOperation(operation: Operation, full: Qualify): Operation {
  const { returns, effects } = operation;
  return {
    ...operation,
    ...(effects === undefined ? {} : { effects: effects.map((item) => qualifyEffect(item, full)) }),
    name: full(operation.name),
    parameters: operation.parameters.map((item) => ({ ...item, type: full(item.type) })),
    ...(returns === undefined ? {} : { returns: { ...returns, type: full(returns.type) } }),
  };
}

function qualifyEffect(effect: Effect, full: Qualify): Effect {
  return effect.kind === 'create' && effect.type !== undefined
    ? { ...effect, type: full(effect.type) }
    : effect;
}
