// This file derives the navigation bindings that are unambiguous, and lists the navigations that need one.
import {
  type EntitySet,
  isStructured,
  lineage,
  type Model,
  type ModelDefinition,
  makeModel,
  type Navigation,
  type QualifiedName,
  type StructuredType,
} from './model.ts';

/** Adds a binding for each unbound navigation that has exactly one possible target set. */
export function deriveBindings(definition: ModelDefinition): ModelDefinition {
  const model = makeModel(definition);
  return {
    ...definition,
    sets: definition.sets.map((set) => {
      const derived = navigationPaths(model, set).flatMap(({ path, navigation }) => {
        const target = targetSet(model, navigation.target);
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
export function navigationPaths(model: Model, set: EntitySet): readonly NavigationPath[] {
  return walkType({ model, visited: [] }, set.type, '');
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

interface Walk {
  readonly model: Model;
  readonly visited: readonly StructuredType[];
}

function walkType(
  { model, visited }: Walk,
  name: QualifiedName,
  prefix: string,
): readonly NavigationPath[] {
  const type = model.types.get(name);
  if (type === undefined || !isStructured(type) || visited.includes(type)) return [];
  const next = { model, visited: [...visited, type] };
  return [
    ...lineage(type, model.types)
      .toReversed()
      .flatMap((ancestor) => walkMembers(next, ancestor, prefix)),
    ...model.derived(type).flatMap((other) => walkMembers(next, other, `${prefix}${other.name}/`)),
  ];
}

function walkMembers(walk: Walk, type: StructuredType, prefix: string): readonly NavigationPath[] {
  return type.members.flatMap((member) => {
    const path = `${prefix}${member.name}`;
    if (member.kind === 'property') return walkType(walk, member.type, `${path}/`);
    if (member.contained) return walkType(walk, member.target, `${path}/`);
    return [{ path, navigation: member }];
  });
}

/** The only set that can hold entities of a type: the set of that type, else of its nearest ancestor. */
function targetSet(model: Model, name: QualifiedName): string | undefined {
  const type = model.types.get(name);
  if (type === undefined || !isStructured(type)) return undefined;
  for (const ancestor of lineage(type, model.types)) {
    const [first, ...others] = model.definition.sets.filter(
      (set) => set.kind === 'set' && set.type === ancestor.name,
    );
    if (first !== undefined) return others.length === 0 ? first.name : undefined;
  }
  return undefined;
}
