// This file knows the records before and after one in the list that people came from, and the one that the list returns to.

/** By set: the keys of the rows that a list has loaded, in their order. */
const lists = new Map<string, readonly string[]>();

/** Called by a list when its rows change. */
export function rememberList(set: string, keys: readonly string[]): void {
  lists.set(set, keys);
}

/** By set: the key of the record that was opened last. */
const opened = new Map<string, string>();

/** Called by the page of a record. */
export function rememberOpened(set: string, key: string): void {
  opened.set(set, key);
}

export const lastOpened = (set: string): string | undefined => opened.get(set);

export function neighbours(set: string, key: string) {
  const keys = lists.get(set) ?? [];
  const index = keys.indexOf(key);
  return index < 0
    ? { previous: undefined, next: undefined }
    : { previous: keys[index - 1], next: keys[index + 1] };
}
