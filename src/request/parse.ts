// This file parses a request into its syntax tree. It is the entry point of the module.

import { Fault, notAllowed } from '../base/fault.ts';
import { Budget, type TreeLimits } from './cursor.ts';
import { type Headers, negotiateHeaders } from './headers/headers.ts';
import { type IgnoredNames, readOptions } from './options/query-options.ts';
import { missingId, readPath } from './path.ts';
import {
  METHODS,
  type Method,
  type Negotiated,
  type Options,
  type ResourcePath,
  type Tree,
} from './tree.ts';

export interface RawRequest {
  readonly method: string;
  /** Percent-encoded, relative to the service root, without leading slash. */
  readonly path: string;
  /** Percent-encoded, without the question mark; '' if there is none. */
  readonly query: string;
  readonly headers: Headers;
  /** Text of the body, needed only for POST …/$query. */
  readonly body?: string;
}

export interface RequestLimits extends TreeLimits {
  /** Characters of path and query together. */
  readonly urlLength: number;
  /** Bytes of the body of POST …/$query. */
  readonly queryLength: number;
}

export const DEFAULT_LIMITS: RequestLimits = {
  urlLength: 16_384,
  queryLength: 262_144,
  nodes: 2000,
  depth: 100,
};

/** Query options that are ignored for paths of a single segment, by the name of that segment. */
export type IgnoredOptions = ReadonlyMap<string, IgnoredNames>;

const IGNORE_NONE: IgnoredOptions = new Map();

/**
 * Parses a request. POST …/$query becomes the equivalent GET, with the body as a second query.
 * A trailing slash of the path is ignored on GET and HEAD.
 * Throws: request.*, not-built.
 * Source: OData 4.01 Protocol; OData 4.01 URL Conventions; OData 4.01 ABNF.
 */
export function parse(
  request: RawRequest,
  limits: RequestLimits,
  ignored: IgnoredOptions = IGNORE_NONE,
): Tree {
  const method = readMethod(request.method);
  if (request.path.length + request.query.length + 1 > limits.urlLength) {
    throw new Fault('request.url-too-long', { limit: limits.urlLength });
  }
  const budget = new Budget(limits);
  const { path, isQuery } = readPath(withoutSlash(request.path, method), budget);
  const queries = isQuery ? [request.query, readQueryBody(request, limits)] : [request.query];
  const options = readOptions(queries, budget, ignoredAt(path, ignored));
  checkEntityId(path, options);
  const negotiated = negotiateHeaders(request.headers, path.segments.at(-1)?.kind, options.format);
  if (isQuery) checkQueryRequest(method, negotiated);
  const { template } = budget;
  return { method: isQuery ? 'GET' : method, path, options, negotiated, template };
}

function readMethod(name: string): Method {
  const method = METHODS.find((known) => known === name);
  if (method !== undefined) return method;
  throw notAllowed(name.slice(0, 30), METHODS);
}

function withoutSlash(path: string, method: Method): string {
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function ignoredAt(path: ResourcePath, ignored: IgnoredOptions): IgnoredNames | undefined {
  const only = path.segments.length === 1 ? path.segments[0] : undefined;
  if (only?.kind !== 'name' || only.key !== undefined) return undefined;
  const isPlain = only.arguments === undefined || only.arguments.kind === 'empty';
  return isPlain ? ignored.get(only.name) : undefined;
}

/** odataRelativeUri = %s"$entity" "?" entityOptions, which must include $id */
function checkEntityId(path: ResourcePath, options: Options): void {
  if (path.segments[0]?.kind !== 'entity' || options.id !== undefined) return;
  throw missingId(path);
}

function readQueryBody(request: RawRequest, limits: RequestLimits): string {
  const body = request.body ?? '';
  if (Buffer.byteLength(body) > limits.queryLength) {
    throw new Fault('request.body-too-large', { limit: limits.queryLength });
  }
  return body.trimEnd();
}

/** Source: OData 4.01 URL Conventions, "Passing Query Options in the Request Body". */
function checkQueryRequest(method: Method, negotiated: Negotiated): void {
  if (method !== 'POST') throw notAllowed(method, ['POST']);
  if (negotiated.contentType?.name === 'text/plain') return;
  throw new Fault(
    'request.media-type',
    { type: negotiated.contentType?.name ?? 'nothing', supported: 'text/plain' },
    { target: 'Content-Type' },
  );
}
