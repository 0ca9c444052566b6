// This file moves annotations with external targets to what they are about, so that it makes no difference to a reader where a
// document says something. What has no such place stays: targets in other documents, overloads, results, paths through types.
// OData CSDL JSON 4.01, "Annotations with External Targeting".
import { isJsonObject, type JsonInput, type JsonObject } from '../value/lossless-json.ts';

/** The document with its `$Annotations` moved as far as possible. A term that its target already has stays where it is. */
export function inlineAnnotations(document: JsonObject): JsonObject {
  const aliases = aliasesOf(document);
  let result = document;
  for (const [namespace, schema] of schemasOf(document)) {
    const { $Annotations: targets } = schema;
    if (!isJsonObject(targets)) continue;
    const left: Record<string, JsonInput> = {};
    for (const [target, annotations] of Object.entries(targets)) {
      const path = pathTo(result, aliases, target);
      const moved = path === undefined ? undefined : addAnnotations(result, path, annotations);
      if (moved === undefined) left[target] = annotations;
      else result = moved;
    }
    result = withTargets(result, namespace, left);
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

/** Names of members from the document down to the target, with a prefix for members of enumerations, which are no objects. */
interface TargetPath {
  readonly names: readonly string[];
  readonly prefix: string;
}

function pathTo(
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
  const place = valueAt(document, names);
  if (place === undefined || !isJsonObject(annotations)) return undefined;
  const added = Object.entries(annotations).map(([term, value]) => [prefix + term, value] as const);
  const isFree = added.every(([term]) => term.includes('@') && !Object.hasOwn(place, term));
  return isFree
    ? replaceAt(document, names, { ...place, ...Object.fromEntries(added) })
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
  const left = Object.keys(targets).length === 0 ? {} : { $Annotations: targets };
  return { ...document, [namespace]: { ...schema, ...left } };
}
