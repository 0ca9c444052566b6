// Queries of generated clients: options, typed results, pages and delta links. A query is immutable; each method returns a new one.
import {
  type Condition,
  type Field,
  fieldsOf,
  memberOf,
  relationOf,
  type SortOrder,
  type TypeWithFields,
} from './filter.ts';
import type { Transport } from './transport.ts';

/** The types that belong to an entity type. They exist for the compiler only. */
export interface Shape {
  /** Qualified names of the type and its base types. */
  readonly is: string;
  readonly media: boolean;
  readonly entity: object;
  readonly fields: unknown;
  readonly relations: object;
  readonly key: unknown;
  readonly create: unknown;
  readonly update: unknown;
}

export interface EntityTypeInfo<S extends Shape> extends TypeWithFields<S['fields']> {
  readonly shape?: S;
}

/** Texts and numbers of codes that were added to a list later. Editors still suggest the known ones. */
export type OtherText = string & NonNullable<unknown>;
export type OtherNumber = number & NonNullable<unknown>;

/** A GeoJSON object. */
export interface GeoValue {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The shape of a set that does not take some of the bodies. */
export type Without<S extends Shape, Body extends 'create' | 'update'> = {
  readonly [Name in keyof Shape]: Name extends Body ? never : S[Name];
};

/** A relation to one entity. */
export interface One<S extends Shape> {
  readonly shape: S;
  readonly kind: 'one';
}

/** A relation to one entity or none. */
export interface OneOrNone<S extends Shape> {
  readonly shape: S;
  readonly kind: 'optional';
}

export interface Many<S extends Shape> {
  readonly shape: S;
  readonly kind: 'many';
}

/** The shape of the target of a relation. */
export type TargetOf<Relation> = Relation extends { readonly shape: infer S extends Shape }
  ? S
  : never;

export interface EntityAnnotations {
  readonly '@odata.etag'?: string;
  readonly '@odata.type'?: string;
  readonly '@odata.id'?: string;
  readonly '@odata.mediaReadLink'?: string;
  readonly '@odata.mediaContentType'?: string;
}

/** A record of a response: the selected properties and the expanded relations. */
export type Row<P, X> = P & X & EntityAnnotations;

type Related<Relation, R> = Relation extends { readonly kind: 'many' }
  ? R[]
  : Relation extends { readonly kind: 'optional' }
    ? R | null
    : R;

/** `Assignment/AssigneePerson` is a member of the complex value. */
type Nested<Path extends string, V> = Path extends `${infer First}/${infer Rest}`
  ? { [Name in First]: Nested<Rest, V> | null }
  : { [Name in Path]: V };

/** Adds the types of an expansion. */
export type Expanded<S extends Shape, N extends keyof S['relations'] & string, R> = Nested<
  N,
  Related<S['relations'][N], R>
>;

export interface Page<R> {
  readonly value: R[];
  /** The number of all records, if the query counts them. */
  readonly count: number | undefined;
  readonly nextLink: string | undefined;
}

interface QueryOptions {
  readonly filter?: string;
  readonly search?: string;
  readonly select?: readonly string[];
  readonly expand?: readonly string[];
  readonly orderby?: string;
  readonly top?: number;
  readonly skip?: number;
  readonly count?: true;
}

/** The URL of a collection. */
export interface Source {
  readonly transport: Transport;
  readonly path: string;
  readonly pageSize?: number;
}

/** Longer queries are sent as the body of a POST. */
const MAX_QUERY = 4000;

/** A query of a collection. Iterating over it reads all pages. */
export class Query<S extends Shape, P = S['entity'], X = unknown>
  implements AsyncIterable<Row<P, X>>
{
  readonly source: Source;
  readonly type: EntityTypeInfo<S>;
  readonly options: QueryOptions;

  constructor(source: Source, type: EntityTypeInfo<S>, options: QueryOptions = {}) {
    this.source = source;
    this.type = type;
    this.options = options;
  }

  #with<P2 = P, X2 = X>(options: QueryOptions): Query<S, P2, X2> {
    return new Query<S, P2, X2>(this.source, this.type, { ...this.options, ...options });
  }

  /** Adds a condition. */
  where(condition: (fields: S['fields']) => Condition): Query<S, P, X> {
    const { text } = condition(fieldsOf(this.type));
    const { filter } = this.options;
    return this.#with({ filter: filter === undefined ? text : `(${filter}) and (${text})` });
  }

  search(text: string): Query<S, P, X> {
    const words = text.split(/\s+/).filter((word) => word !== '');
    return this.#with({ search: words.map((word) => `"${word.replaceAll('"', '')}"`).join(' ') });
  }

  /** Restricts the properties of the result. With `expand`, the service returns the key as well. */
  select<N extends keyof S['entity'] & string>(
    ...names: readonly N[]
  ): Query<S, Pick<S['entity'], N>, X> {
    return this.#with({ select: names });
  }

  /** Adds related entities, with a query of their own. */
  expand<N extends keyof S['relations'] & string>(
    name: N,
  ): Query<S, P, X & Expanded<S, N, Row<TargetOf<S['relations'][N]>['entity'], unknown>>>;
  expand<N extends keyof S['relations'] & string, P2, X2>(
    name: N,
    query: (
      related: Query<TargetOf<S['relations'][N]>>,
    ) => Query<TargetOf<S['relations'][N]>, P2, X2>,
  ): Query<S, P, X & Expanded<S, N, Row<P2, X2>>>;
  expand(name: string, query?: (related: never) => Query<Shape, unknown, unknown>): unknown {
    const related = new Query<Shape>(this.source, relationOf(this.type, name).type);
    const { parameters } = query === undefined ? related : query(related as never);
    const inner = parameters.map(([key, value]) => `${key}=${value}`);
    const item = inner.length === 0 ? name : `${name}(${inner.join(';')})`;
    return this.#with({ expand: [...(this.options.expand ?? []), item] });
  }

  orderBy(
    order: (
      fields: S['fields'],
    ) => SortOrder | Field<never> | readonly (SortOrder | Field<never>)[],
  ): Query<S, P, X> {
    const orders = [order(fieldsOf(this.type))].flat() as readonly (SortOrder | Field<never>)[];
    const items = orders.map((one) => ('order' in one ? one : one.asc()).order);
    return this.#with({ orderby: items.join(',') });
  }

  /** The maximum number of records. */
  top(count: number): Query<S, P, X> {
    return this.#with({ top: count });
  }

  skip(count: number): Query<S, P, X> {
    return this.#with({ skip: count });
  }

  /** Makes pages contain the number of all records. */
  counted(): Query<S, P, X> {
    return this.#with({ count: true });
  }

  /** Requests pages of that size. */
  pageSize(records: number): Query<S, P, X> {
    return new Query<S, P, X>({ ...this.source, pageSize: records }, this.type, this.options);
  }

  /** The names and values of the query options, not encoded. */
  get parameters(): readonly (readonly [name: string, value: string])[] {
    const { select, expand, ...others } = this.options;
    const all = {
      ...others,
      // The service requires the key if both options are used.
      select: (expand === undefined ? select : select && withKey(this.type, select))?.join(','),
      expand: expand?.join(','),
    };
    return Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[`$${name}`, String(value)] as const],
    );
  }

  /** The first page, or the one at a next link. */
  async page(nextLink?: string): Promise<Page<Row<P, X>>> {
    const response = await this.#read(nextLink, {});
    return pageOf((await response.json()) as CollectionBody<Row<P, X>>);
  }

  async *pages(): AsyncGenerator<Page<Row<P, X>>, void, undefined> {
    let link: string | undefined;
    do {
      const page = await this.page(link);
      yield page;
      link = page.nextLink;
    } while (link !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row<P, X>, void, undefined> {
    for await (const { value } of this.pages()) yield* value;
  }

  async toArray(): Promise<Row<P, X>[]> {
    const all: Row<P, X>[] = [];
    for await (const row of this) all.push(row);
    return all;
  }

  async first(): Promise<Row<P, X> | undefined> {
    return (await this.top(1).page()).value[0];
  }

  /** The number of records that fulfil the conditions. */
  async count(): Promise<number> {
    const { filter, search } = this.options;
    const counting = new Query<S>(this.source, this.type, {
      ...(filter === undefined ? {} : { filter }),
      ...(search === undefined ? {} : { search }),
    });
    const url = `${this.source.path}/$count${queryString(counting.parameters)}`;
    const headers = { Accept: 'text/plain' };
    const response = await this.source.transport.send({ method: 'GET', url, headers });
    return Number(await response.text());
  }

  /** All records, or with the delta link of an earlier call, what has changed since. */
  changes(deltaLink?: string): ChangeFeed<Row<P, X>> {
    return new ChangeFeed(async (link) => {
      const response = await this.#read(link, { Prefer: 'odata.track-changes' });
      return (await response.json()) as CollectionBody<Row<P, X>>;
    }, deltaLink);
  }

  async #read(
    link: string | undefined,
    preferences: { readonly Prefer?: string },
  ): Promise<Response> {
    const { transport, path, pageSize } = this.source;
    const size = pageSize === undefined ? [] : [`odata.maxpagesize=${pageSize}`];
    const wanted =
      link === undefined && preferences.Prefer !== undefined ? [preferences.Prefer] : [];
    const prefer = [...size, ...wanted].join(', ');
    const headers: { [name: string]: string } = prefer === '' ? {} : { Prefer: prefer };
    if (link !== undefined) return await transport.send({ method: 'GET', url: link, headers });
    const query = queryString(this.parameters);
    if (query.length <= MAX_QUERY)
      return await transport.send({ method: 'GET', url: path + query, headers });
    headers['Content-Type'] = 'text/plain';
    const body = query.slice(1);
    return await transport.send({ method: 'POST', url: `${path}/$query`, headers, body });
  }
}

function withKey(type: TypeWithFields<unknown>, names: readonly string[]): readonly string[] {
  const key = Object.keys(keyOf(type)).filter((name) => memberOf(type, name) !== undefined);
  return [...new Set([...names, ...key])];
}

/** The types of the key of a type, which may be that of a base type. */
export function keyOf(type: TypeWithFields<unknown>): NonNullable<typeof type.key> {
  return type.key ?? (type.base === undefined ? {} : keyOf(type.base()));
}

export function queryString(parameters: readonly (readonly [string, string])[]): string {
  const parts = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

interface CollectionBody<R> {
  readonly value: (R & ChangeAnnotations)[];
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
  readonly '@odata.deltaLink'?: string;
}

function pageOf<R>(body: CollectionBody<R>): Page<R> {
  return {
    value: body.value,
    count: body['@odata.count'],
    nextLink: body['@odata.nextLink'],
  };
}

/** Annotations of the items of a delta response. */
interface ChangeAnnotations {
  readonly '@odata.context'?: string;
  readonly id?: string;
  readonly reason?: string;
  readonly source?: string;
  readonly relationship?: string;
  readonly target?: string;
}

export type TrackedChange<R> =
  /** A record that is new or has changed. */
  | { readonly kind: 'changed'; readonly entity: R }
  /** A record that was deleted, or no longer fulfils the conditions. `id` is its URL. */
  | { readonly kind: 'removed'; readonly id: string; readonly reason: string }
  | {
      readonly kind: 'linked' | 'unlinked';
      readonly source: string;
      readonly relationship: string;
      readonly target: string;
    };

/** The changes since a delta link. Iterate over all of them, and store `deltaLink` for the next time. */
export class ChangeFeed<R> implements AsyncIterable<TrackedChange<R>> {
  readonly #read: (link: string | undefined) => Promise<CollectionBody<R>>;
  readonly #start: string | undefined;
  #deltaLink: string | undefined;

  constructor(
    read: (link: string | undefined) => Promise<CollectionBody<R>>,
    start: string | undefined,
  ) {
    this.#read = read;
    this.#start = start;
  }

  /** Undefined until all changes have been read. */
  get deltaLink(): string | undefined {
    return this.#deltaLink;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrackedChange<R>, void, undefined> {
    this.#deltaLink = undefined;
    let link = this.#start;
    do {
      const body = await this.#read(link);
      for (const item of body.value) yield changeOf(item);
      link = body['@odata.nextLink'];
      this.#deltaLink = body['@odata.deltaLink'];
    } while (link !== undefined);
  }
}

function changeOf<R>(item: R & ChangeAnnotations): TrackedChange<R> {
  const { source = '', relationship = '', target = '', id = '', reason = '' } = item;
  const context = item['@odata.context'] ?? '';
  if (context.endsWith('/$deletedEntity')) return { kind: 'removed', id, reason };
  if (context.endsWith('/$link')) return { kind: 'linked', source, relationship, target };
  if (context.endsWith('/$deletedLink')) return { kind: 'unlinked', source, relationship, target };
  return { kind: 'changed', entity: item };
}
