// Chooses the types, sets and operations of a generated client: those of the whole model, or those that some sets consist of.
import {
  type EntitySet,
  hasStream,
  isStructured,
  lineage,
  type Member,
  type Model,
  type NamedType,
  type Navigation,
  type Operation,
  type QualifiedName,
  type StructuredType,
  type TypeReference,
} from '../model.ts';
import { isPrimitive } from '../value/primitives.ts';
import { type ChooseName, nameChooser } from './names.ts';

/** What a generated client contains. */
export interface ClientScope {
  readonly model: Model;
  readonly sets: readonly EntitySet[];
  readonly types: readonly NamedType[];
  /** The names of types in TypeScript. */
  readonly typeNames: ReadonlyMap<QualifiedName, string>;
  /** The names of code lists in TypeScript, chosen at their first use. */
  readonly codeNames: Map<string, string>;
  readonly choose: ChooseName;
}

/** Suffixes of the declarations that belong to a type. */
const SUFFIXES = ['', 'Fields', 'Links', 'Shape', 'Create', 'Update', 'Input', 'Info', 'Flag'];

/** @param names the sets; all of them if empty */
export function clientScope(model: Model, names: readonly string[], runtime: string): ClientScope {
  const sets = [...model.sets.values()].filter(
    ({ name }) => names.length === 0 || names.includes(name),
  );
  const found = reachableTypes(model, sets, names.length === 0);
  const types = model.definition.types.filter((type) => found.has(type.name));
  const choose = nameChooser(runtime);
  const typeNames = new Map(
    types.map(({ name }) => [name, choose(name.slice(name.lastIndexOf('.') + 1), SUFFIXES)]),
  );
  return { model, sets, types, typeNames, codeNames: new Map(), choose };
}

/** The types of the sets, and those that these consist of. Other related entities are included if the client has all sets. */
function reachableTypes(
  model: Model,
  sets: readonly EntitySet[],
  isWhole: boolean,
): ReadonlySet<QualifiedName> {
  const found = new Set<QualifiedName>();
  const open = sets.map(({ type }) => type);
  if (isWhole) open.push(...model.definition.operations.flatMap(typesOfOperation));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const type = model.types.get(name);
    if (type === undefined || found.has(name)) continue;
    found.add(name);
    if (!isStructured(type)) continue;
    const members = [...model.members(type).values()];
    open.push(...model.derived(type).map((one) => one.name));
    open.push(...members.flatMap((one) => typesOfMember(one, isWhole)));
  }
  // Base types come without the other types that are derived from them.
  const bases = [...found].flatMap((name) => basesOf(model, name));
  return new Set([...found, ...bases]);
}

function basesOf({ types }: Model, name: QualifiedName): readonly QualifiedName[] {
  const type = types.get(name);
  return type !== undefined && isStructured(type)
    ? lineage(type, types).map((one) => one.name)
    : [];
}

function typesOfMember(member: Member, isWhole: boolean): readonly QualifiedName[] {
  if (member.kind === 'property') return [member.type];
  return isWhole || member.contained ? [member.target] : [];
}

function typesOfOperation({ parameters, returns }: Operation): readonly QualifiedName[] {
  return [...parameters, ...(returns === undefined ? [] : [returns])].map(({ type }) => type);
}

/** Whether the client has all types of an operation. */
export function hasOperation({ typeNames }: ClientScope, operation: Operation): boolean {
  return typesOfOperation(operation).every((type) => isPrimitive(type) || typeNames.has(type));
}

/** The name of a type in TypeScript. */
export function typeName({ typeNames }: ClientScope, name: QualifiedName): string {
  return typeNames.get(name) ?? 'unknown';
}

/** The name of a code list in TypeScript. */
export function codeName({ codeNames, choose }: ClientScope, list: string): string {
  const name = codeNames.get(list) ?? choose(list, ['', 'Text', 'Value']);
  codeNames.set(list, name);
  return name;
}

/** The visible members that a type adds to its base type. Streams are read by URLs of their own. */
export function ownMembers(scope: ClientScope, type: StructuredType): readonly Member[] {
  const inherited = type.base === undefined ? undefined : scope.model.types.get(type.base);
  const known =
    inherited !== undefined && isStructured(inherited)
      ? scope.model.members(inherited)
      : new Map<string, Member>();
  return clientMembers(scope, type).filter(({ name }) => !known.has(name));
}

/** The visible members of a type, without streams, and without relations to types that the client does not have. */
export function clientMembers(scope: ClientScope, type: StructuredType): readonly Member[] {
  return [...scope.model.members(type).values()].filter((member) =>
    member.kind === 'property' ? member.type !== 'Edm.Stream' : scope.typeNames.has(member.target),
  );
}

/** The navigations of a type and of its complex properties, by path. */
export function ownRelations(
  scope: ClientScope,
  type: StructuredType,
): readonly (readonly [path: string, navigation: Navigation])[] {
  return ownMembers(scope, type).flatMap((member) => relationsOf(scope, member, []));
}

function relationsOf(
  scope: ClientScope,
  member: Member,
  enclosing: readonly NamedType[],
): readonly (readonly [string, Navigation])[] {
  if (member.kind === 'navigation') return [[member.name, member]];
  const type = member.collection ? undefined : scope.model.types.get(member.type);
  if (type?.kind !== 'complex' || enclosing.includes(type)) return [];
  const inner = clientMembers(scope, type).flatMap((one) =>
    relationsOf(scope, one, [...enclosing, type]),
  );
  return inner.map(([path, navigation]) => [`${member.name}/${path}`, navigation] as const);
}

/** Whether entities of the type are media entities. */
export function isMediaType(model: Model, type: StructuredType): boolean {
  return type.kind === 'entity' && hasStream(model, type);
}

/** `T[]`, `T | null` or `T`. */
export function multiplied(item: string, { collection, nullable }: TypeReference): string {
  if (collection) return /[ |&]/.test(item) ? `(${item})[]` : `${item}[]`;
  return nullable ? `${item} | null` : item;
}
