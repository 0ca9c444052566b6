// This file defines a data model as plain data, in the terms of OData CSDL 4.01, and the look-ups that other rooms use.
// It is long because all parts of a model refer to one another.
// A ModelDefinition is what somebody writes (builders of define.ts, or CSDL JSON); makeModel indexes it into a Model.
import { invariant } from '../base/fault.ts';

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
 * Annotations that have no field of their own here, by qualified term (`Core.Description`, `Core.Description#x`).
 * A name that begins with `$` stands for that member of the CSDL object (`$OnDelete@Core.Description`).
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

/** What any named thing can say about itself to people. */
export interface Described {
  readonly labels?: Texts;
  readonly description?: string;
  readonly annotations?: Annotations;
}

export interface Property extends TypeReference, Described {
  readonly kind: 'property';
  readonly name: string;
  readonly defaultValue?: Json;
  /** Set by the server; ignored in bodies (Core.Computed). */
  readonly computed?: boolean;
  /** Settable at creation only (Core.Immutable). */
  readonly immutable?: boolean;
  /** The code list that a coded complex value takes its Value and Text from. */
  readonly codeList?: string;
  /** A property that the installation added; its coded values are always written with their type annotation. */
  readonly custom?: boolean;
  /** Part of $search (and of the text index). */
  readonly searchable?: boolean;
  /** No two entities of a set have the same value. */
  readonly unique?: boolean;
  /** Filtered or sorted by often: gets an index of its own. */
  readonly indexed?: boolean;
  /** In an entity of the history: what of a change it holds. */
  readonly changePart?: 'property' | 'before' | 'after';
  /** In an entity of the history: the code that entries of changes have, as opposed to notes. */
  readonly changeCode?: number;
  /** In a media entity: what of its file it holds. A name is unique among the files of one owner. */
  readonly filePart?: FilePart;
  /** What the server puts in: see Generated. */
  readonly generated?: Generated;
}

/** name = by which files are told apart; file-name = that the client's file had; type = media type; size = bytes; sha256 = in hexadecimal. */
export type FilePart = 'name' | 'file-name' | 'type' | 'size' | 'sha256';

/**
 * How a computed value comes about:
 * key = the next Uid of the installation; sequence = the next number of the set; created, modified = the time of the deed;
 * creator, modifier = the account's name; expression = an OData common expression over the entity, stored when it is written;
 * initial = the expression's value where the body leaves the property out (the property itself stays writable).
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
  /** The navigation of the target type that leads back; the two are one relation. */
  readonly partner?: string;
  /** The relation is stored on the partner's side, though both sides are single. */
  readonly inverse?: boolean;
  readonly computed?: boolean;
  /** Settable at creation only. */
  readonly immutable?: boolean;
  readonly constraints?: readonly ReferentialConstraint[];
  /** What a deletion of the target does to the owner; default `restrict`: it is refused. */
  readonly onDelete?: 'cascade' | 'set-null' | 'restrict';
  readonly ordered?: boolean;
  /** Nobody comes back to where they started by it, however far they follow it: parents, containers, predecessors. Holds for its partner too. */
  readonly acyclic?: boolean;
  /** What it shows of an administrative entity to those who may read the entity that it starts from: see Disclosure. */
  readonly discloses?: Disclosure;
  /** In an entity of the history: it leads to the account that made the change. */
  readonly changePart?: 'account';
  /** In a media entity: it leads to the account that brought the file. */
  readonly filePart?: 'account';
}

/** What accounts without the administrator role read of an administrative entity, such as an account of its person. */
export interface Disclosure {
  /** Properties that all of them read. */
  readonly members: readonly string[];
  /** A condition over the administrative entity, as an OData common expression: where it is true, all properties are read. */
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
  /** A coded value: only the value is stored, the text belongs to the code list and the reader's language. */
  readonly coded?: { readonly value: string; readonly text: string };
}

/** One key property: its path, and its alias where the path is longer than a name. */
export interface KeyPart {
  readonly path: string;
  readonly alias?: string;
}

/**
 * Names of the members of an entity that says how two others are related: single navigations to the two, and the property that says in
 * what way. Without a source it is the entity that contains it. The two are never the same entity, and no two entities of a set relate
 * the same two in the same way.
 */
export interface Relating {
  readonly source?: string;
  readonly target: string;
  readonly type?: string;
}

export interface EntityType extends StructuredDefinition {
  readonly kind: 'entity';
  readonly key?: readonly KeyPart[];
  /** Further keys by which an entity can be addressed (Core.AlternateKeys). */
  readonly alternateKeys?: readonly (readonly KeyPart[])[];
  /** A media entity: the stream is read and written by `/$value`. */
  readonly hasStream?: boolean;
  readonly relates?: Relating;
  /**
   * A condition over the entity, as an OData common expression: entities for which it is true are written by the service. No client
   * creates, changes or deletes them, or what they contain; they are deleted with the entity that contains them.
   */
  readonly recorded?: string;
}

export interface EnumMember extends Described {
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
  /** The code list that a coded value is taken from. */
  readonly codeList?: string;
}

export interface ReturnType extends TypeReference, Described {}

export interface Operation extends Described {
  readonly kind: 'function' | 'action';
  readonly name: QualifiedName;
  readonly bound: boolean;
  readonly composable?: boolean;
  /** The binding parameter comes first. */
  readonly parameters: readonly Parameter[];
  readonly returns?: ReturnType;
  readonly entitySetPath?: string;
  /**
   * What comes back: an OData common expression or path over `$it`, `$root/…` and the parameters as aliases (`@name`; `@me` is the
   * key of the asking account's person). That of an action is asked once its effects are there, and may name what they have made.
   */
  readonly expression?: string;
  /** What an action does, in order; an action without them is not carried out. */
  readonly effects?: readonly Effect[];
  /** A condition over `$it`, without parameters: where it does not hold, the action is not offered and not carried out. */
  readonly available?: string;
  /**
   * What the engine itself does: it gives back the rights of who asks to what the function is bound to, or gives the account that asks
   * another password.
   */
  readonly engine?: 'effective-rights' | 'own-password';
}

/**
 * One thing that an action does, with the rights of who asks. Expressions are as in functions; `values` are expressions by member or
 * path of the entity (`Status/Value`, `Caller`). All effects of a call happen or none.
 */
export type Effect =
  /** Where the condition is not true, the action is refused with the message. */
  | { readonly kind: 'require'; readonly condition: string; readonly message: string }
  /** Changes the one entity or all entities that `rows` leads to. */
  | { readonly kind: 'change'; readonly rows: string; readonly values: EffectValues }
  /** Makes an entity in the collection `in`: `$root/Set`, a path to a collection navigation, or `$it`. `as` names it for what comes after. */
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
  /** Further name by which one entity of the set can be addressed: `ServiceRequest(5)`. */
  readonly singular?: string;
  /** Of a singleton: there may be no entity. */
  readonly nullable?: boolean;
  /** Shown in the service document. */
  readonly listed: boolean;
  /** Navigation path (`Caller`, `Assignment/AssigneePerson`) to the name of the set or singleton it leads to. */
  readonly bindings: Readonly<Record<string, string>>;
  readonly insertable?: boolean;
  readonly updatable?: boolean;
  readonly deletable?: boolean;
  /** Reserved to administrators: part of the engine, not of the records. */
  readonly administrative?: boolean;
  /** Of an administrative set: roles may give the right to read it. */
  readonly grantable?: boolean;
}

export interface OperationImport extends Described {
  readonly kind: 'function-import' | 'action-import';
  readonly name: string;
  readonly operation: QualifiedName;
  readonly set?: string;
  readonly listed: boolean;
  /** System query options that this import passes over unread. */
  readonly ignoredOptions?: readonly string[];
}

/** A value of a code list. */
export interface Code {
  readonly value: bigint;
  readonly texts: Texts;
  /** Symbol that outlives renaming: `RESOLVED`. */
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

/** What a CSDL document says that the service has no use for; it is kept for those who read the description. */
export interface Remainder {
  /** `$Reference` as it was written. */
  readonly references?: JsonObject;
  /** By namespace: terms, annotations of schemas other than the first, annotations with external targets. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
}

/** How records are made from templates: names and paths of the model. */
export interface Templates {
  /** The navigation by which a new record names its template. */
  readonly navigation: string;
  /** The contained collection of a template with an entity for each value. */
  readonly values: string;
  /** In such an entity: the path of the property, and the value as text. */
  readonly property: string;
  readonly value: string;
  /** Path from the template to the name of the type that is made from it; where it is null, from all that fit. */
  readonly type?: string;
  /** Path from the template to whether it is no longer used. */
  readonly blocked?: string;
}

/** A whole model, as it is written. The first namespace is the default one; what is said about the model is said about it. */
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
  /** The set whose entities stand for the people behind the accounts. */
  readonly people?: string;
  /** The contained collection that receives a line for every changed tracked property. */
  readonly history?: string;
  /** How records are made from templates, where they are. */
  readonly templates?: Templates;
  readonly containerAnnotations?: Annotations;
  readonly remainder?: Remainder;
}

/** A model with its indexes. Types know their inherited members; everything is found by name. */
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
  /** Types that derive from the given one, directly or not, in the order of declaration. */
  readonly derived: (type: StructuredType) => readonly StructuredType[];
  /** The key of the type, inherited or its own. */
  readonly key: (type: EntityType) => readonly KeyPart[];
}

/** Indexes a definition. It must have passed lint.ts; a dangling name is an InvariantError when it is looked up. */
export function makeModel(definition: ModelDefinition): Model {
  const types = new Map(definition.types.map((type) => [type.name, type]));
  const members = new Map<QualifiedName, ReadonlyMap<string, Member>>();
  const derived = new Map<QualifiedName, readonly StructuredType[]>();
  const structured = definition.types.filter(isStructured);
  for (const type of structured) {
    members.set(type.name, collectMembers(type, types));
    derived.set(
      type.name,
      structured.filter((other) => other !== type && lineage(other, types).includes(type)),
    );
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
    derived: (type) => derived.get(type.name) ?? [],
    key: (type) => inheritedKey(type, types),
  };
}

export function isStructured(type: NamedType): type is StructuredType {
  return type.kind === 'complex' || type.kind === 'entity';
}

/** The structured type of that name; InvariantError when there is none. */
export function structuredType(model: Model, name: QualifiedName): StructuredType {
  const type = model.types.get(name);
  invariant(type !== undefined && isStructured(type), `no structured type ${name}`);
  return type;
}

/** The entity type of that name; InvariantError when there is none. */
export function entityType(model: Model, name: QualifiedName): EntityType {
  const type = model.types.get(name);
  invariant(type?.kind === 'entity', `no entity type ${name}`);
  return type;
}

/** The set or singleton of that name; InvariantError when there is none. */
export function entitySet(model: Model, name: string): EntitySet {
  const set = model.sets.get(name);
  invariant(set !== undefined, `no entity set ${name}`);
  return set;
}

/** Whether values of the first type can stand where the second is asked for. */
export function isAssignable(model: Model, type: StructuredType, to: StructuredType): boolean {
  return type === to || model.derived(to).includes(type);
}

/** `Name` of `Namespace.Name`. */
export function simpleName(name: QualifiedName): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function lineage(
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
