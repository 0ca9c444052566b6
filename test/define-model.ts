// This file provides builders for the models of tests. defineModel qualifies names without a dot with the first namespace and derives
// bindings. src/edm/model.ts documents the definitions; src/edm/lint/lint.ts checks them.

import { definedMembers } from '../src/edm/defined-members.ts';
import type {
  ComplexType,
  Effect,
  EntitySet,
  EntityType,
  Facets,
  Json,
  KeyPart,
  Member,
  ModelDefinition,
  NamedType,
  Navigation,
  Operation,
  OperationImport,
  Parameter,
  Property,
  QualifiedName,
  TypeReference,
} from '../src/edm/model.ts';
import { deriveBindings } from '../src/edm/navigation-bindings.ts';

/**
 * Options of a property. Properties are nullable by default, items of a collection are not. Generated values other than `initial` are
 * computed by default.
 */
export interface PropertyOptions
  extends Facets,
    Omit<Property, 'kind' | 'name' | 'defaultValue' | keyof TypeReference> {
  readonly nullable?: boolean;
  readonly default?: Json;
}

export interface NavigationOptions
  extends Omit<Navigation, 'kind' | 'name' | 'target' | 'collection' | 'nullable' | 'contained'> {
  /** Default: true for a single navigation, false for a collection. */
  readonly nullable?: boolean;
}

type ComplexOptions = Omit<ComplexType, 'kind' | 'name' | 'members'>;

interface EntityOptions
  extends Omit<EntityType, 'kind' | 'name' | 'members' | 'key' | 'alternateKeys'> {
  /** Paths of the key properties, or parts with an alias. */
  readonly key?: readonly (string | KeyPart)[];
  readonly alternateKeys?: readonly (readonly (string | KeyPart)[])[];
}

/** Sets are listed by default. Only ambiguous bindings are needed: defineModel adds those that have one possible target. */
export type SetOptions = Partial<Omit<EntitySet, 'kind' | 'name' | 'type'>>;

/** The first parameter of a bound operation is the binding parameter. */
type OperationOptions = Partial<Omit<Operation, 'kind' | 'name' | 'parameters' | 'engine'>>;

export type ImportOptions = Partial<Omit<OperationImport, 'kind' | 'name' | 'operation'>>;

/** A property of any type. The builders below call it with a fixed type. */
export function property(name: string, type: string, options: PropertyOptions = {}): Property {
  const { default: defaultValue, nullable = true, ...rest } = options;
  const { maxLength, precision, anyPrecision, scale, unicode, srid, ...unlimited } = rest;
  const { generated, computed, ...others } = unlimited;
  const isComputed = computed ?? (generated !== undefined && generated.by !== 'initial');
  return {
    kind: 'property',
    name,
    type,
    collection: false,
    nullable,
    facets: definedMembers({ maxLength, precision, anyPrecision, scale, unicode, srid }),
    ...definedMembers({ defaultValue, generated }),
    ...(isComputed ? { computed: true } : {}),
    ...others,
  };
}

export function text(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.String', options);
}

export function boolean(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Boolean', options);
}

export function int32(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Int32', options);
}

export function int64(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Int64', options);
}

/** A point in time, in milliseconds unless a precision is set. */
export function dateTime(name: string, options: PropertyOptions = {}): Property {
  return property(name, 'Edm.DateTimeOffset', { precision: 3, ...options });
}

/** A property of a complex type. */
export function complex(name: string, type: string, options?: PropertyOptions): Property {
  return property(name, type, options);
}

/** The property as a collection. */
export function collectionOf(item: Property, nullableItems = false): Property {
  return { ...item, collection: true, nullable: nullableItems };
}

/** A navigation to at most one entity, or to exactly one with `nullable: false`. */
export function one(name: string, target: string, options: NavigationOptions = {}): Navigation {
  return navigation(name, target, { nullable: true, ...options });
}

/** A navigation to any number of entities. */
export function many(name: string, target: string, options: NavigationOptions = {}): Navigation {
  return { ...navigation(name, target, options), collection: true };
}

/** A collection of entities that are deleted with their owner. */
export function contained(
  name: string,
  target: string,
  options: NavigationOptions = {},
): Navigation {
  return { ...navigation(name, target, options), collection: true, contained: true };
}

export function complexType(
  name: string,
  members: readonly Member[],
  options: ComplexOptions = {},
): ComplexType {
  return { kind: 'complex', name, members, ...options };
}

export function entityType(
  name: string,
  members: readonly Member[],
  options: EntityOptions = {},
): EntityType {
  const { key, alternateKeys, ...rest } = options;
  return {
    kind: 'entity',
    name,
    members,
    ...rest,
    ...definedMembers({
      key: key?.map(keyPart),
      alternateKeys: alternateKeys?.map((parts) => parts.map(keyPart)),
    }),
  };
}

export function entitySet(name: string, type: string, options: SetOptions = {}): EntitySet {
  const { listed = true, bindings = {}, ...rest } = options;
  return { kind: 'set', name, type, listed, bindings, ...rest };
}

/** The return type of an operation, not nullable by default. */
export function returning(
  type: string,
  options: Facets & { readonly nullable?: boolean; readonly collection?: boolean } = {},
): TypeReference {
  const { nullable = false, collection = false, ...facets } = options;
  return { type, collection, nullable, facets };
}

/** A parameter of an operation, made from a property: `parameter(text('Reason'))`. */
export function parameter(
  value: Property,
  options: { readonly optional?: boolean } = {},
): Parameter {
  const { name, type, collection, nullable, facets } = value;
  const { labels, description, annotations, codeList } = value;
  const described = definedMembers({ labels, description, annotations, codeList });
  return { name, type, collection, nullable, facets, ...described, ...options };
}

export function actionOf(
  name: string,
  parameters: readonly Parameter[],
  options: OperationOptions = {},
): Operation {
  return { kind: 'action', name, bound: false, parameters, ...options };
}

export function functionOf(
  name: string,
  parameters: readonly Parameter[],
  options: OperationOptions & { readonly returns: TypeReference },
): Operation {
  return { kind: 'function', name, bound: false, parameters, ...options };
}

export function actionImport(
  name: string,
  operation: string,
  options: ImportOptions = {},
): OperationImport {
  return { kind: 'action-import', name, operation, listed: false, ...options };
}

/** The parts of a model; the container is named `Container` by default. */
export type ModelParts = Pick<ModelDefinition, 'namespaces'> & Partial<ModelDefinition>;

/** Builds a definition: qualifies names without a dot with the first namespace, and binds each navigation that has only one possible target set. */
export function defineModel(parts: ModelParts): ModelDefinition {
  return deriveBindings(
    qualifyDefinition({
      container: 'Container',
      types: [],
      sets: [],
      operations: [],
      imports: [],
      codeLists: [],
      languages: ['en'],
      ...parts,
    }),
  );
}

function navigation(name: string, target: string, options: NavigationOptions): Navigation {
  return {
    kind: 'navigation',
    name,
    target,
    collection: false,
    nullable: false,
    contained: false,
    ...options,
  };
}

function keyPart(part: string | KeyPart): KeyPart {
  return typeof part === 'string' ? { path: part } : part;
}

/** Qualifies every type and operation name without a dot with the first namespace. */
function qualifyDefinition(definition: ModelDefinition): ModelDefinition {
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
