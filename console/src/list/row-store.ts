// This file loads the rows of one list as they are needed: pages by next links, far places by `$skip`, the number of rows beside them.
import { request, requestJson } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Page as EntityPage } from '../api/read-all.ts';
import { type Entity, keyOf } from '../model/entity.ts';
import type { StructuredType } from '../model/model.ts';
import { changesBetween, type ListChanges, NO_CHANGES } from './list-changes.ts';
import {
  evicted,
  type Need,
  needFor,
  PAGE_SIZE,
  type Page,
  type RowWindow,
  withPage,
  withRow,
} from './row-window.ts';

export interface RowsState {
  readonly window: RowWindow;
  readonly count: number | undefined;
  readonly error: unknown;
  /** What has changed on the service since the rows were read. */
  readonly changes: ListChanges;
  /** Rows whose change is being saved. */
  readonly pending: ReadonlySet<string>;
}

export interface RowSource {
  readonly type: StructuredType;
  /** The path of the rows after `skip` rows. */
  readonly pathAfter: (skip: number) => string;
  readonly countPath: string;
}

/** Milliseconds for which scrolling has to rest before a far place is read. */
const REST = 80;
/** Rows beyond the visible ones that are read in advance. */
const AHEAD = 40;
const HEADERS = { Prefer: `odata.maxpagesize=${PAGE_SIZE}` };

export class RowStore {
  #state: RowsState = {
    window: [],
    count: undefined,
    error: undefined,
    changes: NO_CHANGES,
    pending: new Set(),
  };
  readonly #source: RowSource;
  readonly #listeners = new Set<() => void>();
  readonly #life = new AbortController();
  #visible = { first: 0, last: PAGE_SIZE / 2 };
  #loading: { readonly start: number; readonly stop: AbortController } | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(source: RowSource) {
    this.#source = source;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): RowsState => this.#state;

  #change(part: Partial<RowsState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }

  /** Starts with the first page and, beside it, the number of rows. */
  start(): void {
    void this.#readCount();
    this.#loadMissing();
  }

  /** Aborts what is being read. The store is of no use afterwards. */
  stop(): void {
    clearTimeout(this.#rest);
    this.#life.abort();
    this.#loading?.stop.abort();
  }

  /** Loads what is missing around the rows that are visible now. */
  show(first: number, last: number): void {
    if (first === this.#visible.first && last === this.#visible.last) return;
    this.#visible = { first, last };
    this.#loadMissing();
  }

  retry(): void {
    this.#change({ error: undefined });
    this.#loadMissing();
  }

  #loadMissing(): void {
    clearTimeout(this.#rest);
    if (this.#state.error !== undefined || this.#life.signal.aborted) return;
    const { first, last } = this.#visible;
    const need = needFor(this.#state.window, first, last + AHEAD);
    if (need === undefined || need.start === this.#loading?.start) return;
    if (need.kind === 'follow' || this.#state.window.length === 0) void this.#load(need);
    else this.#rest = setTimeout(() => void this.#load(need), REST);
  }

  async #load(need: Need): Promise<void> {
    this.#loading?.stop.abort();
    const stop = new AbortController();
    this.#loading = { start: need.start, stop };
    const link = need.kind === 'follow' ? need.link : this.#source.pathAfter(need.start);
    try {
      const page = await this.#readPage(link, need.start, stop.signal);
      if (this.#life.signal.aborted) return;
      const { first, last } = this.#visible;
      this.#change({ window: evicted(withPage(this.#state.window, page), first, last) });
    } catch (error) {
      if (!stop.signal.aborted && !this.#life.signal.aborted) this.#change({ error });
    }
    if (this.#loading?.stop !== stop) return;
    this.#loading = undefined;
    this.#loadMissing();
  }

  async #readPage(link: string, start: number, signal: AbortSignal): Promise<Page> {
    const body = await this.#read(signal, async () =>
      requestJson<EntityPage>(link, { headers: HEADERS, signal }),
    );
    return {
      start,
      link,
      keys: body.value.map((row) => keyOf(this.#source.type, row) ?? ''),
      rows: body.value,
      next: body['@odata.nextLink'],
    };
  }

  /** Reads with the retries of all reads. */
  async #read<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    return await queryClient.fetchQuery({
      queryKey: ['rows', crypto.randomUUID()],
      queryFn: async () => {
        signal.throwIfAborted();
        return await read();
      },
      gcTime: 0,
    });
  }

  async #readCount(): Promise<void> {
    const { signal } = this.#life;
    try {
      const response = await request(this.#source.countPath, {
        signal,
        headers: { Accept: 'text/plain' },
      });
      this.#change({ count: Number(await response.text()) });
    } catch {
      // The list works without the number; errors of the request itself are shown for the rows.
    }
  }

  /**
   * Looks for changes: reads the first page and the pages that are visible again, and compares them with what is shown. Rows stay where
   * they are.
   */
  async check(): Promise<void> {
    const { window } = this.#state;
    if (window.length === 0 || this.#loading !== undefined) return;
    const { first, last } = this.#visible;
    const isShown = (page: Page) => page.start <= last && page.start + page.keys.length > first;
    const pages = window.filter(
      (page) => page.rows !== undefined && (page.start === 0 || isShown(page)),
    );
    try {
      const fresh = await Promise.all(
        pages.map(async ({ link, start }) => this.#readPage(link, start, this.#life.signal)),
      );
      if (this.#state.window === window) this.#change({ changes: changesBetween(window, fresh) });
    } catch {
      // The next look will tell; a service out of reach is shown by the banner.
    }
  }

  /** Replaces a row, such as by what a write has returned. */
  replace(key: string, row: Entity): void {
    this.#change({ window: withRow(this.#state.window, key, row) });
  }

  setPending(key: string, isPending: boolean): void {
    const pending = new Set(this.#state.pending);
    if (isPending) pending.add(key);
    else pending.delete(key);
    this.#change({ pending });
  }
}
