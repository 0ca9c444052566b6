// This file flattens a CSDL JSON document for clients that ignore base types: each type repeats what it inherits, and no type has a base
// type. Docket never reads such a document: casts and derived types remain part of the service.
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';

/** Structured types by qualified name. */
type Types = ReadonlyMap<string, JsonObject>;

/** The document without base types, and without abstract types that nothing refers to. */
export function flattenTypes(document: JsonObject): JsonObject {
  const types = structuredTypes(document);
  const flat = mapSchemas(document, (element) => flatElement(element, types));
  return withoutUnused(flat);
}

/** Replaces elements of schemas by their qualified name, or omits them. */
export function mapSchemas(
  document: JsonObject,
  change: (element: JsonInput, name: string) => JsonInput | undefined,
): JsonObject {
  return mapMembers(document, (schema, namespace) =>
    isJsonObject(schema)
      ? mapMembers(schema, (element, name) => change(element, `${namespace}.${name}`))
      : schema,
  );
}

/** Replaces members, and omits those for which `change` returns undefined. Control members and annotations remain as they are. */
export function mapMembers(
  object: JsonObject,
  change: (value: JsonInput, name: string) => JsonInput | undefined,
): JsonObject {
  const changed = Object.entries(object).flatMap(([name, value]) => {
    const result = /[$@]/.test(name) ? value : change(value, name);
    return result === undefined ? [] : [[name, result] as const];
  });
  return Object.fromEntries(changed);
}

function structuredTypes(document: JsonObject): Types {
  const elements = [...elementsOf(document)];
  return new Map(elements.flatMap(([name, one]) => (isType(one) ? [[name, one] as const] : [])));
}

function isType(element: JsonInput): element is JsonObject {
  return (
    isJsonObject(element) && (element.$Kind === 'EntityType' || element.$Kind === 'ComplexType')
  );
}

function flatElement(element: JsonInput, types: Types): JsonInput {
  if (isJsonArray(element)) return withDerivedOverloads(element.filter(isJsonObject), types);
  if (isType(element)) return flatType(element, types);
  if (!isJsonObject(element) || element.$Kind !== 'EntityContainer') return element;
  return mapMembers(element, withoutCasts);
}

/** The type with all that it inherits; its own members and annotations take precedence. */
function flatType(type: JsonObject, types: Types): JsonObject {
  const { $BaseType: base, ...own } = type;
  const parent = typeof base === 'string' ? types.get(base) : undefined;
  if (parent === undefined) return type;
  const { $Abstract: _, ...inherited } = flatType(parent, types);
  const repeated = Object.entries(inherited)
    .filter(([name]) => !DESCRIPTIONS.test(name))
    .map(([name, member]) => [name, withoutPartner(member)] as const);
  return { ...Object.fromEntries(repeated), ...own };
}

/** Labels of a type do not fit its derived types. */
const DESCRIPTIONS = /^@[\w.]*\.(?:Long)?Description(?:#|$)/;

/** The partner of an inherited navigation refers to the base type. */
function withoutPartner(member: JsonInput): JsonInput {
  if (!isJsonObject(member) || member.$Kind !== 'NavigationProperty') return member;
  const { $Partner: _, ...others } = member;
  return others;
}

/** Operations of a base type, repeated for each derived type without an overload of its own or of a closer base type. */
function withDerivedOverloads(
  overloads: readonly JsonObject[],
  types: Types,
): readonly JsonObject[] {
  const bound = new Set(overloads.map((overload) => keyOf(bindingOf(overload))));
  return overloads.flatMap((overload) => {
    const binding = bindingOf(overload);
    if (binding === undefined) return [overload];
    const closest = (name: string): string | undefined => {
      if (bound.has(keyOf({ ...binding, $Type: name }))) return name;
      const base = types.get(name)?.$BaseType;
      return typeof base === 'string' ? closest(base) : undefined;
    };
    const own = binding.$Type;
    const derived = [...types.keys()].filter((name) => name !== own && closest(name) === own);
    return [overload, ...derived.map((name) => withBinding(overload, name))];
  });
}

/** The binding parameter; undefined for unbound operations. */
function bindingOf({ $IsBound, $Parameter }: JsonObject): JsonObject | undefined {
  const first = isJsonArray($Parameter) ? $Parameter[0] : undefined;
  return $IsBound === true && isJsonObject(first) ? first : undefined;
}

/** Operations of one entity and of a collection are overloads of each other. */
function keyOf(binding: JsonObject | undefined): string {
  return `${String(binding?.$Type)} ${binding?.$Collection === true}`;
}

function withBinding(overload: JsonObject, type: string): JsonObject {
  const [first, ...others] = isJsonArray(overload.$Parameter) ? overload.$Parameter : [];
  const binding = isJsonObject(first) ? { ...first, $Type: type } : {};
  return { ...overload, $Parameter: [binding, ...others] };
}

/** The set or singleton without bindings of navigations that only derived types have. */
function withoutCasts(element: JsonInput): JsonInput {
  if (!isJsonObject(element) || !isJsonObject(element.$NavigationPropertyBinding)) return element;
  const bindings = Object.entries(element.$NavigationPropertyBinding);
  const direct = bindings.filter(([path]) => !path.includes('.'));
  return { ...element, $NavigationPropertyBinding: Object.fromEntries(direct) };
}

/** Omits unused abstract types. Omitting one may leave another without use. */
function withoutUnused(document: JsonObject): JsonObject {
  const used = new Set(
    [...elementsOf(document)].flatMap(([name, element]) =>
      namesIn(element).filter((reference) => reference !== name),
    ),
  );
  let hasChanged = false;
  const remaining = mapSchemas(document, (element, name) => {
    if (!isType(element) || element.$Abstract !== true || used.has(name)) return element;
    hasChanged = true;
    return undefined;
  });
  return hasChanged ? withoutUnused(remaining) : document;
}

function elementsOf(document: JsonObject): ReadonlyMap<string, JsonInput> {
  const elements = new Map<string, JsonInput>();
  mapSchemas(document, (element, name) => {
    elements.set(name, element);
    return element;
  });
  return elements;
}

/** The names in strings and paths of a value. */
function namesIn(value: JsonInput): readonly string[] {
  if (typeof value === 'string') return value.split('/');
  if (isJsonArray(value)) return value.flatMap(namesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(namesIn) : [];
}
