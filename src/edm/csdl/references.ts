// This file keeps the vocabularies of a CSDL document in order: which of them its terms come from, under which alias, and the
// `$Reference` that says so.

import type { Json, ModelDefinition } from '../model.ts';
import { isJsonObject, type JsonInput, type JsonObject } from '../value/lossless-json.ts';
import {
  findVocabulary,
  STANDARD_VOCABULARIES,
  type Vocabulary,
  vocabularyAddress,
} from './vocabularies.ts';

/** The prefix that stands for a standard vocabulary in a document with references of its own. */
export function aliasesOf(definition: ModelDefinition): ReadonlyMap<string, string> {
  const included = includesOf(definition);
  return new Map(
    STANDARD_VOCABULARIES.flatMap(({ namespace, alias }) => {
      const given = included.get(namespace);
      return given === undefined || given === alias ? [] : [[alias, given]];
    }),
  );
}

/** Namespaces that the references of the document include, with their aliases (or themselves). */
function includesOf(definition: ModelDefinition): ReadonlyMap<string, string> {
  const included = new Map<string, string>();
  for (const reference of Object.values(definition.remainder?.references ?? {})) {
    const includes = isJsonObject(reference) ? reference.$Include : undefined;
    for (const include of Array.isArray(includes) ? includes : []) {
      const { $Namespace: namespace, $Alias: alias }: JsonObject = include;
      if (typeof namespace !== 'string') continue;
      included.set(namespace, typeof alias === 'string' ? alias : namespace);
    }
  }
  return included;
}

/** `$Reference`: what the definition brings along, and the standard vocabularies whose terms stand in the schemas. */
export function writeReferences(definition: ModelDefinition, schemas: JsonObject): JsonObject {
  const included = includesOf(definition);
  const used = new Set([...termPrefixes(schemas)]);
  const missing = STANDARD_VOCABULARIES.filter(
    ({ namespace, alias }) => used.has(alias) && !included.has(namespace),
  );
  const added = missing.map(
    (vocabulary) => [vocabularyAddress(vocabulary, 'json'), referenceTo(vocabulary)] as const,
  );
  return { ...definition.remainder?.references, ...Object.fromEntries(added) };
}

/** Whether writeReferences would write the same reference by itself where it is needed. */
export function isDerivedReference(address: string, reference: Json): boolean {
  const vocabulary = STANDARD_VOCABULARIES.find(
    (candidate) => vocabularyAddress(candidate, 'json') === address,
  );
  return (
    vocabulary !== undefined &&
    JSON.stringify(reference) === JSON.stringify(referenceTo(vocabulary))
  );
}

function referenceTo({ namespace, alias }: Vocabulary) {
  return { $Include: [{ $Namespace: namespace, $Alias: alias }] };
}

/** Aliases before the dot of every term in the document, terms within values included. */
function termPrefixes(value: JsonInput): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(termPrefixes);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...[...name.matchAll(/@([^@#]+)\./g)].map((match) => match[1] ?? ''),
    ...termPrefixes(inner),
  ]);
}

/** The schemas with the prefixes of standard terms replaced by those that the document's own references give them. */
export function renameTerms(
  document: JsonObject,
  aliases: ReadonlyMap<string, string>,
): JsonObject {
  return aliases.size === 0 ? document : renameIn(document);

  function renameIn(value: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [rename(name), renameValue(inner)]),
    );
  }
  function renameValue(value: JsonInput): JsonInput {
    if (Array.isArray(value)) return value.map(renameValue);
    return isJsonObject(value) ? renameIn(value) : value;
  }
  function rename(name: string): string {
    return name.replace(/@([^@#]+)\./g, (whole, prefix: string) => {
      const given = findVocabulary(prefix) === undefined ? undefined : aliases.get(prefix);
      return given === undefined ? whole : `@${given}.`;
    });
  }
}
