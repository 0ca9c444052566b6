// This file holds the builders with which the engine writes down its own types and sets (accounts, roles, administration), so that they
// read like a list. Names without a dot belong to the first namespace; defineModel qualifies them and adds the bindings that follow from
// the model itself. What the definitions mean is said in model.ts, whether they are right in lint.ts.
import { deriveBindings, qualifyDefinition } from './complete-definition.ts';
import type {
  CodeList,
  ComplexType,
  Described,
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
  Relating,
  Templates,
  TypeReference,
} from './model.ts';

/**
 * What a builder of a property takes besides its name. A property is nullable unless told otherwise, items of a collection are not.
 * Generated values other than `initial` are computed without saying so.
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

interface StructureOptions extends Described {
  readonly base?: string;
  readonly abstract?: boolean;
  readonly open?: boolean;
}

interface ComplexOptions extends StructureOptions {
  readonly coded?: { readonly value: string; readonly text: string };
}

interface EntityOptions extends StructureOptions {
  /** Paths of the key properties, or parts with an alias. */
  readonly key?: readonly (string | KeyPart)[];
  readonly alternateKeys?: readonly (readonly (string | KeyPart)[])[];
  readonly hasStream?: boolean;
  readonly relates?: Relating;
  readonly recorded?: string;
}

export interface SetOptions extends Described {
  readonly singular?: string;
  /** Of a singleton: there may be no entity. */
  readonly nullable?: boolean;
  /** Shown in the service document; default true. */
  readonly listed?: boolean;
  /** Only those that the model leaves open: defineModel adds the ones with one possible set. */
  readonly bindings?: Readonly<Record<string, string>>;
  readonly insertable?: boolean;
  readonly updatable?: boolean;
  readonly deletable?: boolean;
  readonly administrative?: boolean;
  readonly grantable?: boolean;
}

interface OperationOptions extends Described {
  /** The first parameter is the binding parameter. */
  readonly bound?: boolean;
  readonly composable?: boolean;
  readonly returns?: TypeReference;
  readonly entitySetPath?: string;
  readonly expression?: string;
  readonly effects?: readonly Effect[];
  readonly available?: string;
}

export interface ImportOptions extends Described {
  readonly set?: string;
  readonly listed?: boolean;
  readonly ignoredOptions?: readonly string[];
}

/** A property of any type; the builders below are this one with the type filled in. */
export function property(name: string, type: string, options: PropertyOptions = {}): Property {
  const { default: defaultValue, nullable = true, ...rest } = options;
  const { maxLength, precision, scale, unicode, srid, generated, computed, ...told } = rest;
  const isComputed = computed ?? (generated !== undefined && generated.by !== 'initial');
  return {
    kind: 'property',
    name,
    type,
    collection: false,
    nullable,
    facets: given({ maxLength, precision, scale, unicode, srid }),
    ...given({ defaultValue, generated }),
    ...(isComputed ? { computed: true } : {}),
    ...told,
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

/** A point in time; milliseconds unless a precision is given. */
export function dateTime(name: string, options: PropertyOptions = {}): Property {
  return property(name, 'Edm.DateTimeOffset', { precision: 3, ...options });
}

/** A property of a complex type. */
export function complex(name: string, type: string, options?: PropertyOptions): Property {
  return property(name, type, options);
}

/** The same property holding many values; the items are not nullable unless `nullableItems` is true. */
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

/** A collection of entities that live and die with their owner. */
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
    ...(key === undefined ? {} : { key: key.map(keyPart) }),
    ...(alternateKeys === undefined
      ? {}
      : { alternateKeys: alternateKeys.map((parts) => parts.map(keyPart)) }),
  };
}

export function entitySet(name: string, type: string, options: SetOptions = {}): EntitySet {
  const { listed = true, bindings = {}, ...rest } = options;
  return { kind: 'set', name, type, listed, bindings, ...rest };
}

/** A type as it stands in `returns`; facets and nullability as for a property, not nullable unless told otherwise. */
export function returning(
  type: string,
  options: Facets & { readonly nullable?: boolean; readonly collection?: boolean } = {},
): TypeReference {
  const { nullable = false, collection = false, ...facets } = options;
  return { type, collection, nullable, facets };
}

/** A parameter of an operation, made of any builder above: `parameter(text('Reason'))`. */
export function parameter(
  value: Property,
  options: { readonly optional?: boolean } = {},
): Parameter {
  const { name, type, collection, nullable, facets } = value;
  const { labels, description, annotations, codeList } = value;
  const described = given({ labels, description, annotations, codeList });
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

export interface ModelParts extends Described {
  /** Namespaces of the model, the default one first. */
  readonly namespaces: ModelDefinition['namespaces'];
  /** Name of the entity container; default `Container`. */
  readonly container?: string;
  readonly types?: readonly NamedType[];
  readonly sets?: readonly EntitySet[];
  readonly operations?: readonly Operation[];
  readonly imports?: readonly OperationImport[];
  readonly codeLists?: readonly CodeList[];
  readonly languages?: readonly string[];
  readonly people?: string;
  readonly history?: string;
  readonly templates?: Templates;
}

/**
 * The definition made of its parts: names without a dot are qualified with the first namespace, and each navigation that
 * only one set can be the target of gets its binding.
 */
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

/** Without the members that are undefined: an absent member and an undefined one are not the same to a definition. */
function given<Shape extends object>(
  shape: Shape,
): {
  [Name in keyof Shape]?: Exclude<Shape[Name], undefined>;
} {
  const entries = Object.entries(shape).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Shape]?: Exclude<Shape[Name], undefined> };
}
