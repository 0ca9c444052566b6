// This file is the model as screens use it: types with all members, inherited ones included, their labels in one language, and annotations.

import type { Words } from '../i18n/words.ts';

export type Annotations = Readonly<Record<string, unknown>>;

export type MemberKind =
  | 'primitive'
  | 'enumeration'
  /** A value of a code list: a complex value with text and value. */
  | 'code'
  | 'complex'
  | 'stream'
  | 'navigation';

export interface Member {
  readonly name: string;
  readonly kind: MemberKind;
  readonly label: string;
  readonly help: string | undefined;
  /** Qualified name, such as `Edm.Int64` or `Shop.Item`; for type definitions the underlying type. */
  readonly type: string;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly maxLength: number | undefined;
  readonly precision: number | undefined;
  readonly scale: number | undefined;
  readonly defaultValue: unknown;
  /** The service calculates the value. */
  readonly computed: boolean;
  /** The value can be given when an entity is created, and never changes. */
  readonly immutable: boolean;
  /** Of navigation properties: the entities belong to this one. */
  readonly contained: boolean;
  readonly partner: string | undefined;
  /** The name of the code list, where the metadata names it. */
  readonly codeList: string | undefined;
  /** The texts of the few words that the value can be. */
  readonly words: Words | undefined;
  /** Terms with their qualifiers, without `@`: `UI.MultiLineText`. */
  readonly annotations: Annotations;
}

/** A nullable member that no type of the model declares, such as a field of a dialog. */
export function undeclaredMember(name: string, type: string, parts: Partial<Member> = {}): Member {
  return {
    ...{ name, kind: 'primitive', label: name, help: undefined, type, collection: false },
    ...{ nullable: true, maxLength: undefined, precision: undefined, scale: undefined },
    ...{ defaultValue: undefined, computed: false, immutable: false, contained: false },
    ...{ partner: undefined, codeList: undefined, words: undefined, annotations: {} },
    ...parts,
  };
}

export interface StructuredType {
  readonly kind: 'entity' | 'complex';
  /** Qualified name. */
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly base: string | undefined;
  readonly abstract: boolean;
  readonly open: boolean;
  /** Of media entities: the content is a stream. */
  readonly hasStream: boolean;
  /** Paths of the key properties, in order. */
  readonly key: readonly KeyPart[];
  /** Of code types: the names of the properties with value and text. */
  readonly coded: Coded | undefined;
  /** Of this type and its base types, in their order. */
  readonly members: ReadonlyMap<string, Member>;
  readonly annotations: Annotations;
}

export interface KeyPart {
  readonly path: string;
  /** The name in key predicates. */
  readonly alias: string;
}

export interface Coded {
  readonly value: string;
  readonly text: string;
}

export interface EnumType {
  readonly name: string;
  readonly label: string;
  readonly flags: boolean;
  readonly members: readonly { readonly name: string; readonly label: string }[];
}

export interface EntitySet {
  readonly name: string;
  readonly kind: 'set' | 'singleton';
  readonly label: string;
  readonly help: string | undefined;
  /** Qualified name. */
  readonly type: string;
  /** From the path of a navigation property (`Assignment/AssigneePerson`) to the name of the set that contains its targets. */
  readonly bindings: ReadonlyMap<string, string>;
  readonly annotations: Annotations;
}

/** Whether the service reports changes of the set (Org.OData.Capabilities.V1, "ChangeTracking"). */
export function isTracked({ annotations }: EntitySet): boolean {
  return Object.entries(annotations).some(
    ([term, value]) =>
      term.endsWith('Capabilities.ChangeTracking') &&
      (value as { Supported?: unknown }).Supported === true,
  );
}

export interface OperationParameter {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly optional: boolean;
  readonly codeList: string | undefined;
}

export interface Operation {
  readonly kind: 'action' | 'function';
  /** Qualified name. */
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  /** The type that the operation is bound to, and whether to a collection of it. */
  readonly bound: { readonly type: string; readonly collection: boolean } | undefined;
  /** Without the binding parameter. */
  readonly parameters: readonly OperationParameter[];
  readonly returnType: string | undefined;
  readonly returnsCollection: boolean;
  readonly annotations: Annotations;
}

export interface Model {
  /** The language of labels. */
  readonly language: string;
  readonly types: ReadonlyMap<string, StructuredType>;
  readonly enums: ReadonlyMap<string, EnumType>;
  readonly sets: ReadonlyMap<string, EntitySet>;
  readonly operations: readonly Operation[];
  /** Names of function and action imports with the qualified names of their operations. */
  readonly imports: ReadonlyMap<string, string>;
}

/** The type of a set. */
export function typeOfSet(model: Model, set: EntitySet): StructuredType {
  return typeNamed(model, set.type);
}

export function typeNamed(model: Model, name: string): StructuredType {
  const type = model.types.get(name);
  if (type === undefined) throw new Error(`The model has no type ${name}.`);
  return type;
}

/** The member at a path (`Assignment/AssigneePerson`), following complex values and navigation; undefined if there is none. */
export function memberAt(model: Model, type: StructuredType, path: string): Member | undefined {
  const [name = '', ...rest] = path.split('/');
  const member = type.members.get(name);
  if (member === undefined || rest.length === 0) return member;
  const next = model.types.get(member.type);
  return next === undefined ? undefined : memberAt(model, next, rest.join('/'));
}

/** Whether a type is another one or derives from it. */
function isA(model: Model, type: string, ancestor: string): boolean {
  if (type === ancestor) return true;
  const base = model.types.get(type)?.base;
  return base !== undefined && isA(model, base, ancestor);
}

/** The types that entities of a type may have: itself and those that derive from it, without abstract ones. */
export function concreteTypes(model: Model, name: string): readonly StructuredType[] {
  return [...model.types.values()].filter((type) => !type.abstract && isA(model, type.name, name));
}

/** The operations that are bound to entities of a type, or to collections of them. */
export function operationsOf(
  model: Model,
  type: StructuredType,
  collection: boolean,
): readonly Operation[] {
  return model.operations.filter(
    ({ bound }) =>
      bound !== undefined && bound.collection === collection && isA(model, type.name, bound.type),
  );
}
