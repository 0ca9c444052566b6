// This file moves annotations with external targets into the target elements, so that readers find both in one place. Targets in other
// documents, overloads, return types and paths through types cannot be resolved and stay where they are.
// OData CSDL JSON 4.01, "Annotations with External Targeting".
import { isJsonObject, type JsonInput, type JsonObject } from '../value/lossless-json.ts';

/** Moves `$Annotations` into their targets where possible. Annotations of a target that already has one of the terms stay. */
export function inlineAnnotations(document: JsonObject): JsonObject {
  const aliases = aliasesOf(document);
  let result = document;
  for (const [namespace, schema] of schemasOf(document)) {
    const { $Annotations: targets } = schema;
    if (!isJsonObject(targets)) continue;
    const unresolved: Record<string, JsonInput> = {};
    for (const [target, annotations] of Object.entries(targets)) {
      const path = pathTo(result, aliases, target);
      const moved = path === undefined ? undefined : addAnnotations(result, path, annotations);
      if (moved === undefined) unresolved[target] = annotations;
      else result = moved;
    }
    result = withTargets(result, namespace, unresolved);
  }
  return result;
}

function schemasOf(document: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(document).flatMap(([name, schema]) =>
    !name.startsWith('$') && isJsonObject(schema) ? [[name, schema] as const] : [],
  );
}

function aliasesOf(document: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    schemasOf(document).flatMap(([namespace, { $Alias: alias }]) =>
      typeof alias === 'string' ? [[alias, namespace] as const] : [],
    ),
  );
}

/** The member names from the document to the target, and a prefix for enumeration members, which are not objects. */
export interface TargetPath {
  readonly names: readonly string[];
  readonly prefix: string;
}

/** The path of a target in the document; undefined if the document does not have it or the target has more than two parts. */
export function pathTo(
  document: JsonObject,
  aliases: ReadonlyMap<string, string>,
  target: string,
): TargetPath | undefined {
  const [element = '', member, ...rest] = target.split('/');
  const dot = element.lastIndexOf('.');
  const qualifier = element.slice(0, dot);
  const namespace = aliases.get(qualifier) ?? qualifier;
  const names = [namespace, element.slice(dot + 1)];
  const found = valueAt(document, names);
  if (found === undefined || rest.length > 0) return undefined;
  if (member === undefined) return { names, prefix: '' };
  if (!Object.hasOwn(found, member) || /[$@]/.test(member)) return undefined;
  if (isJsonObject(found[member])) return { names: [...names, member], prefix: '' };
  return found.$Kind === 'EnumType' ? { names, prefix: member } : undefined;
}

function valueAt(document: JsonObject, names: readonly string[]): JsonObject | undefined {
  let current: JsonInput | undefined = document;
  for (const name of names) {
    current = isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  }
  return isJsonObject(current) ? current : undefined;
}

function addAnnotations(
  document: JsonObject,
  { names, prefix }: TargetPath,
  annotations: JsonInput,
): JsonObject | undefined {
  const target = valueAt(document, names);
  if (target === undefined || !isJsonObject(annotations)) return undefined;
  const added = Object.entries(annotations).map(([term, value]) => [prefix + term, value] as const);
  const isFree = added.every(([term]) => term.includes('@') && !Object.hasOwn(target, term));
  return isFree
    ? replaceAt(document, names, { ...target, ...Object.fromEntries(added) })
    : undefined;
}

function replaceAt(object: JsonObject, names: readonly string[], value: JsonObject): JsonObject {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  const inner = object[name];
  return { ...object, [name]: replaceAt(isJsonObject(inner) ? inner : {}, rest, value) };
}

function withTargets(document: JsonObject, namespace: string, targets: JsonObject): JsonObject {
  const { $Annotations: _, ...schema } = valueAt(document, [namespace]) ?? {};
  const annotations = Object.keys(targets).length === 0 ? {} : { $Annotations: targets };
  return { ...document, [namespace]: { ...schema, ...annotations } };
}
