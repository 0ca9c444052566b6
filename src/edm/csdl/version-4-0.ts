// This file reduces a CSDL JSON document to what CSDL 4.0 can express, for clients that know no newer version. Docket never reads such a
// document: the service is the same in both versions.
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';
import { mapMembers, mapSchemas } from './flat-types.ts';

/**
 * The document without what CSDL 4.01 has added: floating scale, defaults of complex values and collections, singletons that may be null,
 * and Edm.Untyped. Untyped properties are dynamic ones in 4.0, so that their types are open.
 */
export function toVersion40(document: JsonObject): JsonObject {
  const left = new Set<string>();
  const typed = mapSchemas(withoutNewFacets(document) as JsonObject, (element, name) => {
    if (!isJsonArray(element)) return isJsonObject(element) ? withoutUntyped(element) : element;
    const overloads = element.filter((one) => !takesUntyped(one));
    if (overloads.length > 0) return overloads;
    left.add(name);
    return undefined;
  });
  return mapSchemas(typed, (element) =>
    isJsonObject(element) && element.$Kind === 'EntityContainer'
      ? mapMembers(element, (child) => containerChild(child, left))
      : element,
  );
}

function withoutNewFacets(value: JsonInput): JsonInput {
  if (isJsonArray(value)) return value.map(withoutNewFacets);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, one]) => {
    if (name === '$DefaultValue' && (isJsonArray(one) || isJsonObject(one))) return [];
    const isFloating = name === '$Scale' && one === 'floating';
    return [[name, isFloating ? 'variable' : withoutNewFacets(one)] as const];
  });
  return Object.fromEntries(members);
}

function withoutUntyped(element: JsonObject): JsonObject {
  if (element.$Kind !== 'EntityType' && element.$Kind !== 'ComplexType') return element;
  const kept = mapMembers(element, (member) => (isUntyped(member) ? undefined : member));
  const isOpen = Object.keys(kept).length < Object.keys(element).length;
  return isOpen ? { ...kept, $OpenType: true } : element;
}

function takesUntyped(operation: JsonInput): boolean {
  if (!isJsonObject(operation)) return false;
  const { $Parameter, $ReturnType } = operation;
  return isUntyped($ReturnType) || (isJsonArray($Parameter) && $Parameter.some(isUntyped));
}

function isUntyped(holder: JsonInput | undefined): boolean {
  return isJsonObject(holder) && holder.$Type === 'Edm.Untyped';
}

/** A child of the container; undefined for imports of operations that are left out. */
function containerChild(child: JsonInput, left: ReadonlySet<string>): JsonInput | undefined {
  if (!isJsonObject(child)) return child;
  if (left.has(String(child.$Function ?? child.$Action))) return undefined;
  const { $Nullable: _, ...others } = child;
  return others;
}
