// The entry point of generated clients: sets, entities, operations, batches and uploads.
import {
  isCollection,
  itemOf,
  literal,
  type MembersInfo,
  memberOf,
  relationOf,
  type TypeWithFields,
} from './filter.ts';
import {
  type EntityTypeInfo,
  keyOf,
  Query,
  queryString,
  type Row,
  type Shape,
  type Source,
  type TargetOf,
} from './query.ts';
import {
  type ClientOptions,
  DocketError,
  type ErrorDetail,
  httpTransport,
  jsonText,
  type OutgoingRequest,
  type Transport,
} from './transport.ts';

/** An entity set or singleton of the model. */
export interface EntitySet<S extends Shape> {
  readonly path: string;
  readonly type: TypeWithFields<S['fields']>;
  readonly shape?: S;
}

export interface Singleton<S extends Shape> extends EntitySet<S> {
  readonly isSingleton: true;
}

/** A function or action. `B` is the type that it is bound to, or nothing. The last three members exist for the compiler only. */
export interface Operation<B extends string, P, R> {
  readonly kind: 'function' | 'action';
  readonly name: string;
  /** The types of the parameters. */
  readonly parameters: MembersInfo;
  /** list: a collection; object: an entity or a complex value; value: in a member `value`. */
  readonly result: 'none' | 'list' | 'object' | 'value';
  readonly binding?: B;
  readonly input?: P;
  readonly output?: R;
}

export type NoParameters = { readonly [name: string]: never };

/** Parameters that are all optional may be omitted. */
type Arguments<P> = NoParameters extends P ? [parameters?: P] : [parameters: P];

export interface WriteOptions {
  /** Rejects the request with 412 if the record has another ETag: `record['@odata.etag']`. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface BatchOptions {
  /** All requests succeed, or none changes anything. */
  readonly atomic?: boolean;
  /** Runs the requests after one that fails as well. */
  readonly continueOnError?: boolean;
}

/** A client of one service. */
export class DocketClient {
  readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  collection<S extends Shape>(set: EntitySet<S>): EntityCollection<S> {
    return new EntityCollection({ transport: this.transport, path: set.path }, set.type);
  }

  single<S extends Shape>(set: Singleton<S>): EntityHandle<S> {
    return new EntityHandle({ transport: this.transport, path: set.path }, set.type);
  }

  /** Calls a function or action that is not bound to an entity. */
  async call<P, R>(operation: Operation<'', P, R>, ...[parameters]: Arguments<P>): Promise<R> {
    const source = { transport: this.transport, path: '' };
    return await callOperation(source, operation, parameters);
  }

  /**
   * Sends several requests as one. The function calls methods of its client without awaiting them and returns their promises.
   * Throws: DocketError of the first request that fails.
   */
  async batch<T extends readonly unknown[]>(
    requests: (client: DocketClient) => readonly [...{ [Index in keyof T]: Promise<T[Index]> }],
    options: BatchOptions = {},
  ): Promise<T> {
    const queue: QueuedRequest[] = [];
    let isOpen = true;
    const send = (request: OutgoingRequest) =>
      new Promise<Response>((resolve, reject) => {
        if (!isOpen)
          reject(new TypeError('The batch has been sent. Read a single page with page().'));
        else queue.push({ request, resolve, reject });
      });
    const results = requests(new DocketClient({ send }));
    isOpen = false;
    await sendBatch(this.transport, queue, options);
    return valuesOf(await Promise.allSettled(results)) as unknown as T;
  }
}

export function createClient(options: ClientOptions): DocketClient {
  return new DocketClient(httpTransport(options));
}

/** A collection of entities: a query, and the requests that need no query. */
export class EntityCollection<S extends Shape> extends Query<S> {
  /** One entity of the collection. */
  key(key: S['key']): EntityHandle<S> {
    const predicate = keyPredicate(this.type, key);
    const path = this.source.path + predicate;
    return new EntityHandle({ ...this.source, path }, this.type, predicate);
  }

  /** The entities of a derived type. */
  as<D extends Shape>(type: EntityTypeInfo<D>): EntityCollection<D> {
    return new EntityCollection({ ...this.source, path: `${this.source.path}/${type.name}` }, type);
  }

  /** Creates an entity and returns it. Throws: DocketError. */
  async create(
    entity: S['create'],
    options: Pick<WriteOptions, 'signal'> = {},
  ): Promise<Row<S['entity'], unknown>> {
    const { transport, path } = this.source;
    const { signal } = options;
    const headers = { Prefer: 'return=representation' };
    const response = await transport.send({
      method: 'POST',
      url: path,
      json: entity,
      headers,
      signal,
    });
    return (await response.json()) as Row<S['entity'], unknown>;
  }

  /** Calls a function or action that is bound to the collection. */
  async call<P, R>(
    operation: Operation<`Collection(${S['is']})`, P, R>,
    ...[parameters]: Arguments<P>
  ): Promise<R> {
    return await callOperation(this.source, operation, parameters);
  }
}

/** The collection or entity that a relation leads to. */
export type RelationTarget<Relation> = Relation extends { readonly kind: 'many' }
  ? EntityCollection<TargetOf<Relation>>
  : EntityHandle<TargetOf<Relation>>;

/** The URL of one entity. Nothing is read before a method is called. */
export class EntityHandle<S extends Shape> {
  readonly source: Source;
  readonly type: EntityTypeInfo<S>;
  readonly #predicate: string;

  constructor(source: Source, type: EntityTypeInfo<S>, predicate = '') {
    this.source = source;
    this.type = type;
    this.#predicate = predicate;
  }

  /** `Persons(72)`, for `@odata.bind` and `@odata.id`. */
  get reference(): string {
    return this.source.path;
  }

  /** Reads the entity. The query selects and expands. Throws: DocketError. */
  async get(): Promise<Row<S['entity'], unknown>>;
  async get<P, X>(query: (entity: Query<S>) => Query<S, P, X>): Promise<Row<P, X>>;
  async get(
    query: (entity: Query<S>) => Query<S, unknown, unknown> = (all) => all,
  ): Promise<unknown> {
    const parameters = query(new Query<S>(this.source, this.type)).parameters;
    const response = await this.#send('GET', queryString(parameters));
    return await response.json();
  }

  /** Changes the given properties and returns the entity. Throws: DocketError, with status 412 if `ifMatch` is outdated. */
  async update(
    changes: S['update'],
    options: WriteOptions = {},
  ): Promise<Row<S['entity'], unknown>> {
    const response = await this.#send('PATCH', '', { ...options, json: changes });
    return (await response.json()) as Row<S['entity'], unknown>;
  }

  async delete(options: WriteOptions = {}): Promise<void> {
    await this.#send('DELETE', '', options);
  }

  /** Follows a relation: `Caller`, `Assignment/AssigneePerson`. */
  relation<N extends keyof S['relations'] & string>(name: N): RelationTarget<S['relations'][N]> {
    const { type, isMany } = relationOf(this.type, name);
    const source = { ...this.source, path: `${this.source.path}/${name}` };
    const target = isMany ? new EntityCollection(source, type) : new EntityHandle(source, type);
    return target as RelationTarget<S['relations'][N]>;
  }

  /** Relates another entity: replaces that of a single relation, or adds to a collection. */
  async link<N extends keyof S['relations'] & string>(
    name: N,
    target: EntityHandle<TargetOf<S['relations'][N]>>,
  ): Promise<void> {
    const { isMany } = relationOf(this.type, name);
    const json = { '@odata.id': target.reference };
    await this.#send(isMany ? 'POST' : 'PUT', `/${name}/$ref`, { json });
  }

  /** Removes the entity from a collection, or empties a single relation. */
  async unlink<N extends keyof S['relations'] & string>(
    name: N,
    ...[target]: S['relations'][N] extends { readonly kind: 'many' }
      ? [target: EntityHandle<TargetOf<S['relations'][N]>>]
      : []
  ): Promise<void> {
    await this.#send('DELETE', `/${name}${target?.predicate ?? ''}/$ref`);
  }

  /** `(72)`. Throws: TypeError, if the entity was not addressed by its key. */
  get predicate(): string {
    if (this.#predicate === '') throw new TypeError(`${this.reference} has no key in its URL.`);
    return this.#predicate;
  }

  /** Calls a function or action that is bound to the entity. */
  async call<P, R>(operation: Operation<S['is'], P, R>, ...[parameters]: Arguments<P>): Promise<R> {
    return await callOperation(this.source, operation, parameters);
  }

  /** The content of a media entity. */
  async download(): Promise<Response> {
    return await this.#send('GET', '/$value', { accept: '*/*' });
  }

  async #send(
    method: string,
    suffix: string,
    options: WriteOptions & { readonly json?: unknown; readonly accept?: string } = {},
  ): Promise<Response> {
    const { ifMatch, signal, json, accept } = options;
    const { transport, path } = this.source;
    const headers: { [name: string]: string } = accept === undefined ? {} : { Accept: accept };
    if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
    if (method === 'PATCH') Object.assign(headers, { Prefer: 'return=representation' });
    return await transport.send({ method, url: path + suffix, headers, json, signal });
  }
}

/** `(72)` or `(Wing='A',Number=2)`; the members of an alternate key are properties. */
function keyPredicate(type: EntityTypeInfo<Shape>, key: unknown): string {
  const parts = keyOf(type);
  const isNamed = typeof key === 'object' && key !== null;
  const named = isNamed
    ? Object.entries(key)
    : Object.keys(parts).map((name) => [name, key] as const);
  const texts = named.map(([name, value]) => {
    const member = parts[name] ?? memberOf(type, name);
    if (member === undefined) throw new TypeError(`${type.name} has no key ${name}.`);
    const text = encodeURIComponent(literal(value, itemOf(member)));
    return isNamed ? `${name}=${text}` : text;
  });
  return `(${texts.join(',')})`;
}

// ---- functions and actions ------------------------------------------------------------------------------------------

async function callOperation<B extends string, P, R>(
  { transport, path }: Source,
  operation: Operation<B, P, R>,
  parameters: P | undefined,
): Promise<R> {
  const url = path === '' ? operation.name : `${path}/${operation.name}`;
  const request =
    operation.kind === 'action'
      ? { method: 'POST', url, json: parameters ?? {} }
      : { method: 'GET', url: url + functionCall(operation.parameters, parameters ?? {}) };
  const response = await transport.send(request);
  if (operation.result === 'none' || response.status === 204) return null as R;
  const body = (await response.json()) as OperationResult;
  if (operation.result === 'object') return body as R;
  return (operation.result === 'value' ? body.value : await allPages(transport, body)) as R;
}

interface OperationResult {
  readonly value: unknown;
  readonly '@odata.nextLink'?: string;
}

async function allPages(transport: Transport, first: OperationResult): Promise<unknown> {
  const all = [first.value].flat();
  let link = first['@odata.nextLink'];
  while (link !== undefined) {
    const response = await transport.send({ method: 'GET', url: link });
    const page = (await response.json()) as OperationResult;
    all.push(...[page.value].flat());
    link = page['@odata.nextLink'];
  }
  return all;
}

/** `(least=@least)?@least=5`: aliases allow values of all types. */
function functionCall(types: MembersInfo, parameters: object): string {
  const sent = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const values = sent.map(
    ([name, value]) => [`@${name}`, parameterText(types, name, value)] as const,
  );
  return `(${sent.map(([name]) => `${name}=@${name}`).join(',')})${queryString(values)}`;
}

function parameterText(types: MembersInfo, name: string, value: unknown): string {
  const type = types[name];
  if (type === undefined) throw new TypeError(`There is no parameter ${name}.`);
  const isJson = isCollection(type) || (typeof type === 'object' && 'members' in type);
  return isJson || type === '' ? jsonText(value) : literal(value, type);
}

// ---- batches --------------------------------------------------------------------------------------------------------

interface QueuedRequest {
  readonly request: OutgoingRequest;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchResponse {
  readonly id: string;
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

/** The values of all promises. Throws: the first error, if possible one that is not the consequence of another. */
function valuesOf(results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  const errors = results.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  const isCause = (error: unknown) => !(error instanceof DocketError && error.status === 424);
  if (errors.length > 0) throw errors.find(isCause) ?? errors[0];
  return results.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
}

/** Sends the requests and settles their promises. */
async function sendBatch(
  transport: Transport,
  queue: readonly QueuedRequest[],
  options: BatchOptions,
): Promise<void> {
  try {
    const requests = batchItems(queue, options);
    const headers: { [name: string]: string } =
      options.continueOnError === true ? { Prefer: 'continue-on-error' } : {};
    const response = await transport.send({
      method: 'POST',
      url: '$batch',
      json: { requests },
      headers,
    });
    const { responses } = (await response.json()) as {
      readonly responses: readonly BatchResponse[];
    };
    for (const [index, one] of queue.entries())
      settle(
        one,
        responses.find(({ id }) => id === String(index)),
      );
  } catch (error) {
    for (const { reject } of queue) reject(error);
  }
}

/** Reads are not part of an atomicity group, whose requests must be consecutive. They follow it, so that they see what was written. */
function batchItems(
  queue: readonly QueuedRequest[],
  { atomic = false }: BatchOptions,
): readonly object[] {
  const items = queue.map(({ request }, index) => ({
    isGrouped: atomic && request.method !== 'GET',
    item: batchItem(request, index),
  }));
  const others = items.flatMap(({ isGrouped, item }) => (isGrouped ? [] : [item]));
  const group = items.flatMap(({ isGrouped, item }) =>
    isGrouped ? [{ ...item, atomicityGroup: 'all' }] : [],
  );
  return [...group, ...others];
}

function batchItem(request: OutgoingRequest, index: number): object {
  if (request.body !== undefined)
    throw new TypeError('A batch cannot contain uploads or long queries. Send them by themselves.');
  const { method, url, headers, json } = request;
  const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
  return {
    id: String(index),
    method,
    url,
    headers: { ...type, ...headers },
    ...(json === undefined ? {} : { body: json }),
  };
}

function settle({ resolve, reject }: QueuedRequest, response: BatchResponse | undefined): void {
  if (response === undefined) reject(notExecuted());
  else if (response.status >= 400) reject(new DocketError(response.status, errorIn(response.body)));
  else resolve(responseOfPart(response));
}

function notExecuted(): DocketError {
  const message = 'The request was not executed, because another request of the batch failed.';
  return new DocketError(424, { code: 'client.not-executed', message });
}

function errorIn(body: unknown): Partial<ErrorDetail> {
  return (body as { readonly error?: Partial<ErrorDetail> } | undefined)?.error ?? {};
}

function responseOfPart({ status, headers = {}, body }: BatchResponse): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(body === undefined ? null : text, { status, headers });
}

// ---- uploads --------------------------------------------------------------------------------------------------------

export interface UploadOptions {
  /** Unique among the files of the record; the file name by default. */
  readonly name?: string;
  readonly fileName: string;
  /** What happens if there is a file of that name; by default the service returns 409. */
  readonly conflict?: 'replace' | 'rename' | 'none';
  /** Called repeatedly while the file is sent. */
  readonly onProgress?: (progress: { readonly sent: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
}

/** Uploads a file to a collection of attachments. Throws: DocketError. */
export async function upload<S extends Shape & { readonly media: true }>(
  files: EntityCollection<S>,
  content: Blob,
  { name, fileName, conflict, onProgress, signal }: UploadOptions,
): Promise<Row<S['entity'], unknown>> {
  const body = new FormData();
  body.append(name ?? fileName, content, fileName);
  const total = content.size;
  const response = await files.source.transport.send({
    method: 'POST',
    url: files.source.path,
    body,
    headers: conflict === undefined ? {} : { Prefer: `conflict-resolution=${conflict}` },
    signal,
    // The body also contains the headers of the file.
    onProgress: onProgress && ((sent) => onProgress({ sent: Math.min(sent, total), total })),
  });
  return (await response.json()) as Row<S['entity'], unknown>;
}
