// This file defines data models as plain data, in the terms of OData CSDL 4.01, and lookups in them.
// It is long because all parts of a model refer to one another.
// A ModelDefinition comes from the builders in define.ts or from CSDL JSON. makeModel indexes it into a Model.
import { invariant } from '../base/fault.ts';
import { perObject } from '../base/memo.ts';

/** `Namespace.Name` of a type of the model, or `Edm.…` of a primitive type. */
export type QualifiedName = string;

/** Texts by language tag, `{ en: 'Status', nl: 'Status' }`. */
export type Texts = Readonly<Record<string, string>>;

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

/**
 * Annotations without a field of their own in the model, by qualified term (`Core.Description`, `Core.Description#x`).
 * A name that begins with `$` is a member of the CSDL object (`$OnDelete@Core.Description`).
 */
export type Annotations = Readonly<Record<string, Json>>;

export interface Facets {
  /** Characters of a string, bytes of a binary; absent = unlimited. */
  readonly maxLength?: number;
  /** Digits of a decimal; fractional digits of a point in time, a time of day or a duration. */
  readonly precision?: number;
  readonly scale?: number | 'variable' | 'floating';
  readonly unicode?: boolean;
  readonly srid?: number | 'variable';
}

export interface TypeReference {
  readonly type: QualifiedName;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly facets: Facets;
}

/** Labels, description and annotations, which every named element may have. */
export interface Described {
  readonly labels?: Texts;
  readonly description?: string;
  readonly annotations?: Annotations;
}

export interface Property extends TypeReference, Described {
  readonly kind: 'property';
  readonly name: string;
  readonly defaultValue?: Json;
  /** Set by the server and ignored in request bodies (Core.Computed). */
  readonly computed?: boolean;
  /** Settable at creation only (Core.Immutable). */
  readonly immutable?: boolean;
  /** The code list of a coded value. */
  readonly codeList?: string;
  /** Added by the installation. Its coded values are always written with a type annotation. */
  readonly custom?: boolean;
  /** Included in $search and in the full-text index. */
  readonly searchable?: boolean;
  /** Unique among the entities of a set. */
  readonly unique?: boolean;
  /** Often used in filters or sort orders, and therefore indexed. */
  readonly indexed?: boolean;
  /** In a history entity: the part of a change that the property holds. */
  readonly changePart?: 'property' | 'before' | 'after';
  /** In a history entity: the code that marks an entry as a change rather than a note. */
  readonly changeCode?: number;
  /** In a media entity: the part of the file that the property holds. */
  readonly filePart?: FilePart;
  readonly generated?: Generated;
}

/** name: unique among the files of one owner; file-name: on the client; type: media type; size: in bytes; sha256: in hexadecimal. */
export type FilePart = 'name' | 'file-name' | 'type' | 'size' | 'sha256';

/**
 * How the server generates the value:
 * key: the next Uid of the installation; sequence: the next number of the set; created, modified: the time of the transaction;
 * creator, modifier: the name of the account; expression: an OData common expression over the entity, evaluated on each write;
 * initial: the value of the expression if the request body omits the property, which stays writable.
 */
export type Generated =
  | { readonly by: 'key' | 'sequence' | 'created' | 'modified' | 'creator' | 'modifier' }
  | { readonly by: 'expression' | 'initial'; readonly expression: string };

export interface ReferentialConstraint {
  readonly property: string;
  readonly referenced: string;
}

export interface Navigation extends Described {
  readonly kind: 'navigation';
  readonly name: string;
  readonly target: QualifiedName;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly contained: boolean;
  /** The inverse navigation of the target type. */
  readonly partner?: string;
  /** The relation is stored on the partner's side, although both sides are single-valued. */
  readonly inverse?: boolean;
  readonly computed?: boolean;
  /** Settable at creation only. */
  readonly immutable?: boolean;
  readonly constraints?: readonly ReferentialConstraint[];
  /** What deleting the target does to the owner. The default `restrict` rejects the deletion. */
  readonly onDelete?: 'cascade' | 'set-null' | 'restrict';
  readonly ordered?: boolean;
  /** Following the navigation or its partner never forms a cycle: parents, containers, predecessors. */
  readonly acyclic?: boolean;
  /** What accounts that may read this entity see of an administrative target. */
  readonly discloses?: Disclosure;
  /** In a history entity: refers to the account that made the change. */
  readonly changePart?: 'account';
  /** In a media entity: refers to the account that uploaded the file. */
  readonly filePart?: 'account';
}

/** What accounts without the administrator role see of an administrative entity, for example of a person's account. */
export interface Disclosure {
  /** Properties that are always visible. */
  readonly members: readonly string[];
  /** An OData common expression over the administrative entity. Where it is true, all properties are visible. */
  readonly whole?: string;
}

export type Member = Property | Navigation;

interface StructuredDefinition extends Described {
  readonly name: QualifiedName;
  readonly base?: QualifiedName;
  readonly abstract?: boolean;
  readonly open?: boolean;
  readonly members: readonly Member[];
}

export interface ComplexType extends StructuredDefinition {
  readonly kind: 'complex';
  /** A coded value: only `value` is stored; `text` depends on the code list and the language of the request. */
  readonly coded?: { readonly value: string; readonly text: string };
}

/** A key property: its path, and an alias if the path has several segments. */
export interface KeyPart {
  readonly path: string;
  readonly alias?: string;
}

/**
 * The members of an entity that relates two other entities: single navigations to both, and the property that holds the kind of
 * relation. Without `source`, the source is the containing entity. Source and target must differ, and each combination of source,
 * target and kind occurs only once.
 */
export interface RelationMembers {
  readonly source?: string;
  readonly target: string;
  readonly type?: string;
}

export interface EntityType extends StructuredDefinition {
  readonly kind: 'entity';
  readonly key?: readonly KeyPart[];
  /** Core.AlternateKeys. */
  readonly alternateKeys?: readonly (readonly KeyPart[])[];
  /** A media entity; `/$value` reads and writes the stream. */
  readonly hasStream?: boolean;
  readonly relates?: RelationMembers;
  /**
   * An OData common expression over the entity. Where it is true, only the service writes the entity: clients cannot create, change
   * or delete it or its contained entities. It is deleted together with its container.
   */
  readonly recorded?: string;
}

interface EnumMember extends Described {
  readonly name: string;
  readonly value: bigint;
}

export interface EnumType extends Described {
  readonly kind: 'enum';
  readonly name: QualifiedName;
  readonly underlying: QualifiedName;
  readonly flags: boolean;
  readonly members: readonly EnumMember[];
}

export interface TypeDefinition extends Described {
  readonly kind: 'definition';
  readonly name: QualifiedName;
  readonly underlying: QualifiedName;
  readonly facets: Facets;
}

export type StructuredType = ComplexType | EntityType;
export type NamedType = StructuredType | EnumType | TypeDefinition;

export interface Parameter extends TypeReference, Described {
  readonly name: string;
  readonly optional?: boolean;
  /** The code list of a coded value. */
  readonly codeList?: string;
}

export interface ReturnType extends TypeReference, Described {}

export interface Operation extends Described {
  readonly kind: 'function' | 'action';
  readonly name: QualifiedName;
  readonly bound: boolean;
  readonly composable?: boolean;
  /** If bound, the binding parameter is the first. */
  readonly parameters: readonly Parameter[];
  readonly returns?: ReturnType;
  readonly entitySetPath?: string;
  /**
   * The result: an OData common expression or path over `$it`, `$root/…` and the parameters as aliases (`@name`; `@me` is the key of
   * the current account's person). For an action it is evaluated after the effects and may refer to the entities that they create.
   */
  readonly expression?: string;
  /** What an action does, in order. An action without effects is not implemented. */
  readonly effects?: readonly Effect[];
  /** A condition over `$it`, without parameters. Where it is false, the action is neither advertised nor executed. */
  readonly available?: string;
  /** Implemented by the engine: returns rights to the binding parameter, or changes the password of the current account. */
  readonly engine?: 'effective-rights' | 'own-password';
}

/**
 * One step of an action, executed with the rights of the current account. Expressions are as in functions; `values` are expressions
 * by member or path of the entity (`Status/Value`, `Caller`). The effects of a call are atomic.
 */
export type Effect =
  /** Rejects the action with the message if the condition is not true. */
  | { readonly kind: 'require'; readonly condition: string; readonly message: string }
  /** Changes the entity or entities that `rows` selects. */
  | { readonly kind: 'change'; readonly rows: string; readonly values: EffectValues }
  /** Creates an entity in the collection `in`: `$root/Set`, a path to a collection navigation, or `$it`. Later effects refer to it by `as`. */
  | {
      readonly kind: 'create';
      readonly in: string;
      readonly type?: QualifiedName;
      readonly values: EffectValues;
      readonly as?: string;
    }
  | { readonly kind: 'delete'; readonly rows: string };

export type EffectValues = Readonly<Record<string, string>>;

export interface EntitySet extends Described {
  readonly kind: 'set' | 'singleton';
  readonly name: string;
  readonly type: QualifiedName;
  /** Another name that addresses a single entity of the set: `ServiceRequest(5)`. */
  readonly singular?: string;
  /** For a singleton: the entity may be absent. */
  readonly nullable?: boolean;
  /** Shown in the service document. */
  readonly listed: boolean;
  /** The target set or singleton by navigation path (`Caller`, `Assignment/AssigneePerson`). */
  readonly bindings: Readonly<Record<string, string>>;
  readonly insertable?: boolean;
  readonly updatable?: boolean;
  readonly deletable?: boolean;
  /** Part of the engine and reserved for administrators. */
  readonly administrative?: boolean;
  /** For an administrative set: roles may grant the right to read it. */
  readonly grantable?: boolean;
}

export interface OperationImport extends Described {
  readonly kind: 'function-import' | 'action-import';
  readonly name: string;
  readonly operation: QualifiedName;
  readonly set?: string;
  readonly listed: boolean;
  /** System query options that this import ignores. */
  readonly ignoredOptions?: readonly string[];
}

/** A value of a code list. */
export interface Code {
  readonly value: bigint;
  readonly texts: Texts;
  /** A symbol that does not change when the code is renamed: `RESOLVED`. */
  readonly meaning?: string;
  readonly parent?: bigint;
  readonly disabled?: boolean;
}

export interface CodeList extends Described {
  readonly name: string;
  readonly ordered: boolean;
  readonly hierarchical: boolean;
  readonly codes: readonly Code[];
}

type JsonObject = { readonly [name: string]: Json };

/** Content of a CSDL document that the service does not use but preserves in its metadata. */
export interface Remainder {
  /** The original `$Reference`. */
  readonly references?: JsonObject;
  /** By namespace: terms, annotations of schemas other than the first, annotations with external targets. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
}

/** Where the model keeps the templates of new records: names and paths. */
export interface Templates {
  /** The navigation from a new record to its template. */
  readonly navigation: string;
  /** The contained collection of a template, with one entity per value. */
  readonly values: string;
  /** In such an entity: the path of the property to set, and the value as text. */
  readonly property: string;
  readonly value: string;
  /** The path from the template to the name of the type that it applies to; null means every type that fits. */
  readonly type?: string;
  /** The path from the template to the flag that retires it. */
  readonly blocked?: string;
}

/** A complete model as written. The first namespace is the default and carries the description of the model. */
export interface ModelDefinition extends Described {
  readonly namespaces: readonly { readonly name: string; readonly alias?: string }[];
  /** Qualified name of the entity container. */
  readonly container: QualifiedName;
  readonly types: readonly NamedType[];
  readonly sets: readonly EntitySet[];
  readonly operations: readonly Operation[];
  readonly imports: readonly OperationImport[];
  readonly codeLists: readonly CodeList[];
  /** Languages of the texts; the first is the default. */
  readonly languages: readonly string[];
  /** The set of the people who own accounts. */
  readonly people?: string;
  /** The contained collection that receives an entry for each changed property. */
  readonly history?: string;
  readonly templates?: Templates;
  readonly containerAnnotations?: Annotations;
  readonly remainder?: Remainder;
}

/** A model with indexes by name and resolved inheritance. */
export interface Model {
  readonly definition: ModelDefinition;
  readonly types: ReadonlyMap<QualifiedName, NamedType>;
  readonly sets: ReadonlyMap<string, EntitySet>;
  /** Sets by their singular names. */
  readonly singulars: ReadonlyMap<string, EntitySet>;
  readonly imports: ReadonlyMap<string, OperationImport>;
  /** Overloads by qualified name. */
  readonly operations: ReadonlyMap<QualifiedName, readonly Operation[]>;
  readonly codeLists: ReadonlyMap<string, CodeList>;
  /** All members of a structured type, inherited ones first. */
  readonly members: (type: StructuredType) => ReadonlyMap<string, Member>;
  /** All direct and indirect subtypes, in the order of declaration. They are of the same kind. */
  readonly derived: <Type extends StructuredType>(type: Type) => readonly Type[];
  /** The key of the type, inherited or its own. */
  readonly key: (type: EntityType) => readonly KeyPart[];
}

/** Indexes a definition that has passed lint.ts. Looking up a dangling name throws an InvariantError. */
export function makeModel(definition: ModelDefinition): Model {
  const types = new Map(definition.types.map((type) => [type.name, type]));
  const members = new Map<QualifiedName, ReadonlyMap<string, Member>>();
  const derived = new Map<QualifiedName, StructuredType[]>();
  for (const type of definition.types.filter(isStructured)) {
    members.set(type.name, collectMembers(type, types));
    for (const { name } of lineage(type, types).slice(1)) {
      derived.set(name, [...(derived.get(name) ?? []), type]);
    }
  }
  return {
    definition,
    types,
    sets: new Map(definition.sets.map((set) => [set.name, set])),
    singulars: new Map(
      definition.sets.flatMap((set) => (set.singular === undefined ? [] : [[set.singular, set]])),
    ),
    imports: new Map(definition.imports.map((item) => [item.name, item])),
    operations: groupOperations(definition.operations),
    codeLists: new Map(definition.codeLists.map((list) => [list.name, list])),
    members: (type) => members.get(type.name) ?? new Map(),
    derived: <Type extends StructuredType>(type: Type) =>
      (derived.get(type.name) ?? []) as readonly StructuredType[] as readonly Type[],
    key: perObject((type) => inheritedKey(type, types)),
  };
}

export function isStructured(type: NamedType): type is StructuredType {
  return type.kind === 'complex' || type.kind === 'entity';
}

/** The structured type with that name. Throws: InvariantError. */
export function structuredType(model: Model, name: QualifiedName): StructuredType {
  const type = model.types.get(name);
  invariant(type !== undefined && isStructured(type), `no structured type ${name}`);
  return type;
}

/** The entity type with that name. Throws: InvariantError. */
export function entityType(model: Model, name: QualifiedName): EntityType {
  const type = model.types.get(name);
  invariant(type?.kind === 'entity', `no entity type ${name}`);
  return type;
}

/** The set or singleton with that name. Throws: InvariantError. */
export function entitySet(model: Model, name: string): EntitySet {
  const set = model.sets.get(name);
  invariant(set !== undefined, `no entity set ${name}`);
  return set;
}

export function isPlainRecord(value: Json | undefined): value is Annotations {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the type or one of its base types has a media stream. */
export function hasStream(model: Model, { hasStream: own, base }: EntityType): boolean {
  return own === true || (base !== undefined && hasStream(model, entityType(model, base)));
}

/** Whether a value of `type` is also a value of `to`. */
export function isAssignable(model: Model, type: StructuredType, to: StructuredType): boolean {
  return type === to || model.derived(to).includes(type);
}

/** The properties on a path such as `Status/Value`, which starts at the type; undefined if it is not a path of properties. */
export function propertyPath(
  model: Model,
  type: StructuredType,
  path: string,
): readonly Property[] | undefined {
  const steps: Property[] = [];
  let owner: NamedType | undefined = type;
  for (const name of path.split('/')) {
    const member: Member | undefined =
      owner !== undefined && isStructured(owner) ? model.members(owner).get(name) : undefined;
    if (member?.kind !== 'property') return undefined;
    steps.push(member);
    owner = model.types.get(member.type);
  }
  return steps;
}

/** `Assignment/AssigneePerson`: the names on a path. */
export function pathName(path: readonly { readonly name: string }[]): string {
  return path.map(({ name }) => name).join('/');
}

/** Whether one of the types is, or is derived from, the other. */
export function areRelated(model: Model, one: StructuredType, other: StructuredType): boolean {
  return isAssignable(model, one, other) || isAssignable(model, other, one);
}

/** The member at a path of complex properties, single navigations and type casts. */
export function memberAt(model: Model, type: StructuredType, path: string): Member | undefined {
  const [first = '', ...rest] = path.split('/');
  const cast = model.types.get(first);
  if (cast !== undefined && isStructured(cast)) {
    return areRelated(model, cast, type) ? memberAt(model, cast, rest.join('/')) : undefined;
  }
  const member = model.members(type).get(first);
  if (member === undefined || rest.length === 0) return member;
  const next = model.types.get(member.kind === 'navigation' ? member.target : member.type);
  return next !== undefined && isStructured(next)
    ? memberAt(model, next, rest.join('/'))
    : undefined;
}

/** `Name` of `Namespace.Name`. */
export function simpleName(name: QualifiedName): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The type and its ancestors, the type itself first. Ends where a type occurs again. */
export function lineage(
  type: StructuredType,
  types: ReadonlyMap<QualifiedName, NamedType>,
): readonly StructuredType[] {
  const chain: StructuredType[] = [];
  let current: NamedType | undefined = type;
  while (current !== undefined && isStructured(current) && !chain.includes(current)) {
    chain.push(current);
    current = current.base === undefined ? undefined : types.get(current.base);
  }
  return chain;
}

function inheritedKey(
  type: EntityType,
  types: ReadonlyMap<QualifiedName, NamedType>,
): readonly KeyPart[] {
  for (const ancestor of lineage(type, types)) {
    if (ancestor.kind === 'entity' && (ancestor.key?.length ?? 0) > 0) return ancestor.key ?? [];
  }
  return [];
}

function collectMembers(
  type: StructuredType,
  types: ReadonlyMap<QualifiedName, NamedType>,
): ReadonlyMap<string, Member> {
  const chain = lineage(type, types).toReversed();
  return new Map(
    chain.flatMap((ancestor) => ancestor.members.map((member) => [member.name, member] as const)),
  );
}

function groupOperations(
  operations: readonly Operation[],
): ReadonlyMap<QualifiedName, readonly Operation[]> {
  const groups = new Map<QualifiedName, readonly Operation[]>();
  for (const operation of operations) {
    groups.set(operation.name, [...(groups.get(operation.name) ?? []), operation]);
  }
  return groups;
}
