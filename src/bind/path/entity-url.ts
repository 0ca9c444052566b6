// This file parses the URLs of entities of this service in request bodies and `$id`: `Persons(7)`, `/Persons(7)`, `/odata/Persons(7)`,
// absolute URLs and singular aliases. URLs are never fetched.
// OData Protocol 4.01, "Entity References"; OData JSON 4.01, "Entity Reference".
import { Fault, invariant } from '../../base/fault.ts';
import { isAssignable, type Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { showInput } from '../../edm/value/lossless-json.ts';
import type { RequestedReference } from '../body/body-context.ts';
import type { ValueScope } from '../body/body-errors.ts';
import type { Rows } from '../bound.ts';
import { narrowRows } from '../expression/collection.ts';
import { entityValue, instanceOf, variable } from '../expression/constructors.ts';
import type { Reference } from '../write/bound-write.ts';
import type { Place } from './position.ts';

/** The context for parsing entity URLs. */
export interface ReferenceScope extends ValueScope {
  /** The public URL of the service root, ending with a slash: `http://host:5181/odata/`. */
  readonly root: string;
  /** URLs of entities created earlier in the same batch, by Content-ID. */
  readonly contentIds: ReadonlyMap<string, string>;
  /** Resolves a percent-encoded path relative to the root; `target` is the member of the body that contains it. Throws a Fault. */
  readonly walk: (path: string, target: string) => Place;
}

/** The entity that a URL names. Reports an error in `mistakes` and returns undefined for invalid URLs; existence is checked later. */
export function readReference(
  scope: ReferenceScope,
  request: RequestedReference,
): Reference | undefined {
  const { text, target } = request;
  if (typeof text !== 'string') {
    return addMistake(scope, request, `Write a URL such as "${exampleOf(request.source)}".`);
  }
  const path = relativePath(scope, text);
  if ('reason' in path) return addMistake(scope, request, path.reason);
  try {
    const result = entityRows(scope.model, request, scope.walk(path.relative, target));
    return 'reason' in result
      ? addMistake(scope, request, result.reason)
      : { rows: result.rows, text, target };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return addMistake(scope, request, fault.message);
  }
}

function addMistake(
  scope: ValueScope,
  { text, target }: RequestedReference,
  reason: string,
): undefined {
  scope.mistakes.add('write.reference', { text: showInput(text), reason }, target);
  return undefined;
}

/** The relative path of a URL that is known to be valid, such as one that the service has created. */
export function knownPath(
  root: string,
  url: string,
  contentIds: ReferenceScope['contentIds'] = new Map(),
): string {
  const path = relativePath({ root, contentIds }, url);
  invariant('relative' in path, `${url} is not a URL of this service`);
  return path.relative;
}

type RelativePath = { readonly relative: string } | { readonly reason: string };

/** The path relative to the service root, or the reason why the URL is invalid. */
export function relativePath(
  scope: Pick<ReferenceScope, 'root' | 'contentIds'>,
  url: string,
): RelativePath {
  const text = resolveContentId(scope, url.trim());
  if (/[?#]/.test(text)) return { reason: 'Remove the query and the fragment.' };
  const [, scheme, host = '', rest = ''] = /^([a-z][a-z\d+.-]*):\/\/([^/]*)(.*)$/i.exec(text) ?? [];
  if (scheme === undefined) {
    return /^[a-z][a-z\d+.-]*:/i.test(text)
      ? { reason: `It is not a URL of this service, ${scope.root}.` }
      : relativeToRoot(scope.root, text);
  }
  const root = rootParts(scope.root);
  if (root.host.toLowerCase() !== withoutPort(scheme, host).toLowerCase()) {
    return { reason: `The host ${host.slice(0, 100)} is not this service, ${scope.root}.` };
  }
  if (!rest.startsWith(root.path)) return { reason: `It does not start with ${scope.root}.` };
  return checkedPath(rest.slice(root.path.length));
}

/** `$1`, `$1/Caller`: refers to an entity created earlier in the batch. */
function resolveContentId(
  { contentIds }: Pick<ReferenceScope, 'contentIds'>,
  text: string,
): string {
  const [, id, rest = ''] = /^\/?\$([^/]+)(\/.*)?$/.exec(text) ?? [];
  const url = id === undefined ? undefined : contentIds.get(id);
  return url === undefined ? text : `${url}${rest}`;
}

/** A leading slash means the service root, with or without the path of the root. */
function relativeToRoot(root: string, text: string): RelativePath {
  const { path } = rootParts(root);
  if (path.length > 1 && text.startsWith(path)) return checkedPath(text.slice(path.length));
  return checkedPath(text.replace(/^(?:\.{0,2}\/)+/, ''));
}

function checkedPath(path: string): RelativePath {
  const relative = path.replace(/\/$/, '');
  if (relative === '') return { reason: 'It does not name an entity.' };
  return relative.length > 2000 ? { reason: 'It is too long.' } : { relative };
}

function rootParts(root: string): { readonly host: string; readonly path: string } {
  const [, scheme = '', host = '', path = '/'] = /^([^:]+):\/\/([^/]*)(.*)$/.exec(root) ?? [];
  return { host: withoutPort(scheme, host), path };
}

/** Removes the default port. */
function withoutPort(scheme: string, host: string): string {
  return host.replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '');
}

/** The rows of a path to a single entity of the required type and source, or the reason why it is something else. */
function entityRows(
  model: Model,
  { source, type }: RequestedReference,
  place: Place,
): { readonly rows: Rows } | { readonly reason: string } {
  const isEntity = place.kind === 'position' && !place.many && place.value === undefined;
  if (!isEntity || place.mark !== undefined) return { reason: 'It does not name a single entity.' };
  const { rows } = place;
  const { row } = rows;
  if (isAssignable(model, row.type, type)) return inSource(rows, source);
  if (!isAssignable(model, type, row.type)) {
    return { reason: `It names a ${row.type.name}, but a ${type.name} is required.` };
  }
  const instance = instanceOf(entityValue(variable(row), row.type), type);
  return inSource(narrowRows(rows, instance), source);
}

function inSource(
  rows: Rows,
  source: Source,
): { readonly rows: Rows } | { readonly reason: string } {
  const expected = source.kind === 'union' ? (source.members ?? []) : [source];
  const actual = rows.row.source;
  const candidates = actual.kind === 'union' ? (actual.members ?? []) : [actual];
  const fits =
    expected.length === 0 || candidates.some((one) => expected.some(({ id }) => id === one.id));
  if (fits) return { rows };
  return {
    reason: `It names an entity of ${actual.id}, but one of ${expected.map(({ id }) => id).join(' or ')} is required.`,
  };
}

/** An example URL of an entity of the source, for messages: `Persons(1)`. */
export function exampleOf(source: Source, key = '1'): string {
  const [name = 'Set'] = (source.members ?? [source]).map(({ set, id }) => set?.name ?? id);
  return `${name}(${key})`;
}
