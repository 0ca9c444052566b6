// This file manages the vocabulary references of a CSDL document: the vocabularies that its terms come from, their aliases, and
// `$Reference`.
import type { Json, ModelDefinition } from '../model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';
import {
  findVocabulary,
  PUBLISHED_VOCABULARIES,
  type Vocabulary,
  vocabularyAddress,
} from './vocabularies.ts';

/** The alias of each standard vocabulary that the document's own references rename. */
export function aliasesOf(definition: ModelDefinition): ReadonlyMap<string, string> {
  const included = new Map(includesIn(definition.remainder?.references));
  return new Map(
    PUBLISHED_VOCABULARIES.flatMap(({ namespace, alias }) => {
      const renamed = included.get(namespace);
      return renamed === undefined || renamed === alias ? [] : [[alias, renamed]];
    }),
  );
}

/** The namespaces that `$Reference` includes, with their aliases or themselves. */
export function includesIn(references: JsonInput = {}): readonly (readonly [string, string])[] {
  const all = isJsonObject(references) ? Object.values(references) : [];
  return all.flatMap((reference) => {
    const includes = isJsonObject(reference) ? reference.$Include : undefined;
    return (isJsonArray(includes) ? includes : []).flatMap((include) => {
      if (!isJsonObject(include) || typeof include.$Namespace !== 'string') return [];
      const { $Namespace: namespace, $Alias: alias } = include;
      return [[namespace, typeof alias === 'string' ? alias : namespace] as const];
    });
  });
}

/** Writes `$Reference`: the references of the definition and the standard vocabularies whose terms are used, given their prefixes. */
export function writeReferences(
  definition: ModelDefinition,
  used: ReadonlySet<string>,
): JsonObject {
  const included = new Map(includesIn(definition.remainder?.references));
  const missing = PUBLISHED_VOCABULARIES.filter(
    ({ namespace, alias }) => used.has(alias) && !included.has(namespace),
  );
  const added = missing.map(
    (vocabulary) => [vocabularyAddress(vocabulary, 'json'), referenceTo(vocabulary)] as const,
  );
  return { ...definition.remainder?.references, ...Object.fromEntries(added) };
}

/** Whether the reference equals one that writeReferences generates when needed. */
export function isDerivedReference(address: string, reference: Json): boolean {
  const vocabulary = PUBLISHED_VOCABULARIES.find(
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

/** The prefixes of all terms in the document, including terms in nested values. */
export function termPrefixes(document: JsonObject): ReadonlySet<string> {
  const prefixes = new Set<string>();
  const names = new Set<string>();
  collect(document);
  return prefixes;

  function collect(value: JsonInput): void {
    if (Array.isArray(value)) for (const item of value) collect(item);
    if (!isJsonObject(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      // Most names occur in many places.
      if (!names.has(name)) addPrefixes(name);
      collect(inner);
    }
  }
  function addPrefixes(name: string): void {
    names.add(name);
    for (const [, prefix = ''] of name.matchAll(/@([^@#]+)\./g)) prefixes.add(prefix);
  }
}

/** Replaces the prefixes of standard terms with the aliases from the document's own references. */
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
      const renamed = findVocabulary(prefix) === undefined ? undefined : aliases.get(prefix);
      return renamed === undefined ? whole : `@${renamed}.`;
    });
  }
}
