// This file merges code lists of an extension into those of the model that it extends: lists match by name, codes by value, and texts
// by language.
import type { Code, CodeList } from '../model.ts';

/** The lists in order, those of the same name merged into the first of them. Nothing is removed. */
export function mergeCodeLists(lists: readonly CodeList[]): readonly CodeList[] {
  const merged = new Map<string, CodeList>();
  for (const list of lists) {
    const known = merged.get(list.name);
    merged.set(list.name, known === undefined ? list : mergeList(known, list));
  }
  return [...merged.values()];
}

function mergeList(known: CodeList, added: CodeList): CodeList {
  return {
    ...known,
    ...added,
    ...(known.labels === undefined ? {} : { labels: { ...known.labels, ...added.labels } }),
    ordered: known.ordered || added.ordered,
    hierarchical: known.hierarchical || added.hierarchical,
    codes: mergeCodes(known.codes, added.codes),
  };
}

function mergeCodes(known: readonly Code[], added: readonly Code[]): readonly Code[] {
  const merged = new Map(known.map((code) => [code.value, code]));
  const own = new Set(added.map(({ value }) => value));
  // Values that the extension repeats stay, so that lint reports them.
  if (own.size < added.length) return [...known.filter(({ value }) => !own.has(value)), ...added];
  for (const code of added) {
    const old = merged.get(code.value);
    merged.set(code.value, { ...old, ...code, texts: { ...old?.texts, ...code.texts } });
  }
  return [...merged.values()];
}
