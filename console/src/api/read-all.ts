// This file reads all pages of a collection.
import type { Entity } from '../model/entity.ts';
import { requestJson } from './client.ts';

/** Rows of a page: the service has most of the work with the first row. */
const PAGE = 5000;

/** A page of a collection. */
export interface Page {
  readonly value: readonly Entity[];
  readonly '@odata.nextLink'?: string;
}

export async function readAll(path: string, signal: AbortSignal): Promise<readonly Entity[]> {
  const rows: Entity[] = [];
  let link: string | undefined = path;
  while (link !== undefined) {
    const headers = { Prefer: `odata.maxpagesize=${PAGE}` };
    const page: Page = await requestJson<Page>(link, { signal, headers });
    rows.push(...page.value);
    link = page['@odata.nextLink'];
  }
  return rows;
}
