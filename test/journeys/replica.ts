// This file keeps a replica of a query's rows by following next links and delta links, as a client does that knows nothing of the
// service but the standard: records are put under their ids, what is removed is taken out.
import type { Desk, DeskAnswer } from './desk.ts';

type Asking = Pick<Desk, 'get'>;
type Version = '4.0' | '4.01';

export interface ReplicaOptions {
  readonly version?: Version;
  readonly pageSize?: number | undefined;
}

/** What one run along the links came to. */
export interface Told {
  /** Ids in the order in which they were told of, removed ones with a minus. */
  readonly ids: readonly string[];
  readonly pages: number;
}

export class Replica {
  readonly records = new Map<string, unknown>();
  readonly #desk: Asking;
  readonly #set: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #prefix: string;
  deltaLink = '';

  constructor(desk: Asking, query: string, { version = '4.0', pageSize }: ReplicaOptions = {}) {
    this.#desk = desk;
    this.#set = query.split('?')[0]?.slice(1) ?? '';
    this.#prefix = version === '4.0' ? '@odata.' : '@';
    this.deltaLink = query;
    this.#headers = headersFor(['track-changes'], { version, pageSize });
  }

  /** Reads everything at first, changes from then on. `between` runs after each page. */
  async follow(between: () => Promise<void> = async () => {}): Promise<Told> {
    const ids: string[] = [];
    let pages = 0;
    for (let link: string | undefined = this.deltaLink; link !== undefined; pages++) {
      const answer = await this.#desk.get(link, this.#headers);
      if (answer.status !== 200) throw new Error(`${answer.status} ${link}: ${answer.text}`);
      ids.push(...this.#take(answer));
      link = answer.json[`${this.#prefix}nextLink`];
      if (link === undefined) this.deltaLink = answer.json[`${this.#prefix}deltaLink`];
      await between();
    }
    return { ids, pages };
  }

  #take({ json }: DeskAnswer): string[] {
    return json.value.map((item: Readonly<Record<string, unknown>>) => {
      const removed = removedId(item);
      const id = removed ?? `${this.#set}(${item.Uid})`;
      if (removed === undefined) this.records.set(id, item);
      else this.records.delete(id);
      return removed === undefined ? id : `-${id}`;
    });
  }
}

/** The id of a record that is taken out, in the form of either version. */
function removedId(item: Readonly<Record<string, unknown>>): string | undefined {
  if ('@removed' in item) return String(item['@id']);
  const context = item['@odata.context'];
  return typeof context === 'string' && context.endsWith('/$deletedEntity')
    ? String(item.id)
    : undefined;
}

/** The page size counts for expanded collections as well, so that both sides must have the same. */
function headersFor(
  preferences: readonly string[],
  { version, pageSize }: ReplicaOptions,
): Readonly<Record<string, string>> {
  const size = pageSize === undefined ? [] : [`maxpagesize=${pageSize}`];
  return {
    prefer: [...preferences, ...size].join(','),
    ...(version === '4.01' ? { 'odata-maxversion': '4.01' } : {}),
  };
}

/** All rows of a query as they are now. */
export async function readAll(
  desk: Asking,
  query: string,
  { version = '4.0', pageSize }: ReplicaOptions = {},
): Promise<Map<string, unknown>> {
  const set = query.split('?')[0]?.slice(1) ?? '';
  const headers = headersFor([], { version, pageSize });
  const records = new Map<string, unknown>();
  for (let link: string | undefined = query; link !== undefined; ) {
    const answer: DeskAnswer = await desk.get(link, headers);
    if (answer.status !== 200) throw new Error(`${answer.status} ${link}: ${answer.text}`);
    for (const item of answer.json.value) records.set(`${set}(${item.Uid})`, item);
    link = answer.json[version === '4.0' ? '@odata.nextLink' : '@nextLink'];
  }
  return records;
}
