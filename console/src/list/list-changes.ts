// This file compares the rows that a list shows with what the service has now.
import type { Entity } from '../model/entity.ts';
import type { Page, RowWindow } from './row-window.ts';

export interface ListChanges {
  /** Rows at the top of the list that are not loaded yet. */
  readonly added: number;
  /** Rows with another version than the one that is shown. */
  readonly changed: number;
}

export const NO_CHANGES: ListChanges = { added: 0, changed: 0 };

const etagOf = (row: Entity | undefined): unknown => row?.['@odata.etag'];

/** What is new on the first page, and what has changed on the pages that were read again. */
export function changesBetween(window: RowWindow, fresh: readonly Page[]): ListChanges {
  const shown = new Map<string, Entity | undefined>();
  for (const page of window)
    for (const [index, key] of page.keys.entries()) shown.set(key, page.rows?.[index]);
  const changed = new Set<string>();
  const added = new Set<string>();
  for (const page of fresh) {
    for (const [index, key] of page.keys.entries()) {
      if (!shown.has(key)) {
        if (page.start === 0) added.add(key);
      } else if (isOther(shown.get(key), page.rows?.[index])) changed.add(key);
    }
  }
  return { added: added.size, changed: changed.size };
}

/** Entities without ETags, such as those of another service, are compared by their values. */
function isOther(shown: Entity | undefined, fresh: Entity | undefined): boolean {
  if (shown === undefined || fresh === undefined) return false;
  if (etagOf(shown) !== undefined) return etagOf(shown) !== etagOf(fresh);
  return JSON.stringify(shown) !== JSON.stringify(fresh);
}
