// This file is the selection of a list: some keys, or all rows that match the filter except some. It is a rule, so that selecting all of a
// million rows costs nothing, and rows that are not loaded belong to it.

export type Selection =
  | { readonly kind: 'keys'; readonly keys: ReadonlySet<string> }
  | { readonly kind: 'all'; readonly except: ReadonlySet<string> };

export const NOTHING_SELECTED: Selection = { kind: 'keys', keys: new Set() };
export const EVERYTHING_SELECTED: Selection = { kind: 'all', except: new Set() };

/** Most keys that a selection of single rows may have. */
export const MOST_KEYS = 250;

export function isSelected(selection: Selection, key: string): boolean {
  return selection.kind === 'keys' ? selection.keys.has(key) : !selection.except.has(key);
}

/** The number of selected rows; undefined while the number of all rows is unknown. */
export function selectedCount(selection: Selection, total: number | undefined): number | undefined {
  if (selection.kind === 'keys') return selection.keys.size;
  return total === undefined ? undefined : Math.max(0, total - selection.except.size);
}

export function isEmptySelection(selection: Selection): boolean {
  return selection.kind === 'keys' && selection.keys.size === 0;
}

/** The selection with some rows added or removed. */
export function withRows(
  selection: Selection,
  keys: readonly string[],
  selected: boolean,
): Selection {
  const isListed = selected === (selection.kind === 'keys');
  const set = new Set(selection.kind === 'keys' ? selection.keys : selection.except);
  for (const key of keys) {
    if (isListed) set.add(key);
    else set.delete(key);
  }
  return selection.kind === 'keys' ? { kind: 'keys', keys: set } : { kind: 'all', except: set };
}

export function toggled(selection: Selection, key: string): Selection {
  return withRows(selection, [key], !isSelected(selection, key));
}

/** Why a row that is still selected could not be changed together with others. */
export function failureOf(
  { selection, failures }: { selection: Selection; failures: ReadonlyMap<string, string> },
  key: string | undefined,
): string | undefined {
  return key !== undefined && isSelected(selection, key) ? failures.get(key) : undefined;
}
