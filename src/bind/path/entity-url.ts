// This file reads the URLs by which bodies and `$id` name entities of this service, in all the forms that clients write:
// `Persons(7)`, `/Persons(7)`, `/odata/Persons(7)`, the absolute URL, the singular alias. A URL is read, never fetched.
// OData Protocol 4.01, "Entity References"; OData JSON 4.01, "Entity Reference".
import { Fault } from '../../base/fault.ts';
import { isAssignable, type Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { showInput } from '../../edm/value/lossless-json.ts';
import type { AskedReference } from '../body/body-context.ts';
import type { ValueScope } from '../body/value-context.ts';
import type { Rows } from '../bound.ts';
import { BOOLEAN } from '../expression/types.ts';
import type { Reference } from '../write/bound-write.ts';
import type { Place } from './position.ts';

/** How URLs are read. */
export interface ReferenceScope extends ValueScope {
  /** Of the service, as the client sees it, with a slash at its end: `http://host:5181/odata/`. */
  readonly root: string;
  /** URLs of entities that earlier parts of the same batch made, by their Content-ID. */
  readonly contentIds: ReadonlyMap<string, string>;
  /** Walks a percent-encoded path relative to the root, which stands at the target. Raises faults. */
  readonly walk: (path: string, target: string) => Place;
}

/** The entity that a URL names, or undefined and a mistake noted. Whether it is there only the database knows. */
export function readReference(scope: ReferenceScope, asked: AskedReference): Reference | undefined {
  const { text, target } = asked;
  if (typeof text !== 'string') {
    return refuse(scope, asked, `Write a URL such as "${exampleOf(asked.source)}".`);
  }
  const path = relativePath(scope, text);
  if ('reason' in path) return refuse(scope, asked, path.reason);
  try {
    const rows = entityRows(scope.model, asked, scope.walk(path.relative, target));
    return 'reason' in rows ? refuse(scope, asked, rows.reason) : { rows: rows.rows, text, target };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return refuse(scope, asked, fault.message);
  }
}

function refuse(scope: ValueScope, { text, target }: AskedReference, reason: string): undefined {
  scope.mistakes.add('write.reference', { text: showInput(text), reason }, target);
  return undefined;
}

type RelativePath = { readonly relative: string } | { readonly reason: string };

/** What stands behind the service root. */
export function relativePath(
  scope: Pick<ReferenceScope, 'root' | 'contentIds'>,
  written: string,
): RelativePath {
  const text = withContentId(scope, written.trim());
  if (/[?#]/.test(text)) return { reason: 'It must have no query and no fragment.' };
  const [, scheme, host = '', rest = ''] = /^([a-z][a-z\d+.-]*):\/\/([^/]*)(.*)$/i.exec(text) ?? [];
  if (scheme === undefined) {
    return /^[a-z][a-z\d+.-]*:/i.test(text)
      ? { reason: `It is no URL of this service, ${scope.root}.` }
      : behindRoot(scope.root, text);
  }
  const root = rootParts(scope.root);
  if (root.host.toLowerCase() !== withoutPort(scheme, host).toLowerCase()) {
    return { reason: `The host ${host.slice(0, 100)} is not this service, ${scope.root}.` };
  }
  if (!rest.startsWith(root.path)) return { reason: `It is not behind ${scope.root}.` };
  return named(rest.slice(root.path.length));
}

/** `$1`, `$1/Caller`: what an earlier part of the batch made. */
function withContentId({ contentIds }: Pick<ReferenceScope, 'contentIds'>, text: string): string {
  const [, id, rest = ''] = /^\/?\$([^/]+)(\/.*)?$/.exec(text) ?? [];
  const made = id === undefined ? undefined : contentIds.get(id);
  return made === undefined ? text : `${made}${rest}`;
}

/** A relative URL; a slash at its beginning stands for the service root, with or without the root's own path. */
function behindRoot(root: string, text: string): RelativePath {
  const { path } = rootParts(root);
  if (path.length > 1 && text.startsWith(path)) return named(text.slice(path.length));
  return named(text.replace(/^(?:\.{0,2}\/)+/, ''));
}

function named(path: string): RelativePath {
  const relative = path.replace(/\/$/, '');
  if (relative === '') return { reason: 'It names no entity.' };
  return relative.length > 2000 ? { reason: 'It is too long.' } : { relative };
}

function rootParts(root: string): { readonly host: string; readonly path: string } {
  const [, scheme = '', host = '', path = '/'] = /^([^:]+):\/\/([^/]*)(.*)$/.exec(root) ?? [];
  return { host: withoutPort(scheme, host), path };
}

/** The port that goes without saying is left out. */
function withoutPort(scheme: string, host: string): string {
  return host.replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '');
}

/** The rows of a path that leads to one entity which can stand where it is asked for. */
function entityRows(
  model: Model,
  { source, type }: AskedReference,
  place: Place,
): { readonly rows: Rows } | { readonly reason: string } {
  const isEntity = place.kind === 'position' && !place.many && place.value === undefined;
  if (!isEntity || place.mark !== undefined) return { reason: 'It does not name one entity.' };
  const { rows } = place;
  const { row } = rows;
  if (isAssignable(model, row.type, type)) return inSource(rows, source);
  if (!isAssignable(model, type, row.type)) {
    return { reason: `It names a ${row.type.name}, but a ${type.name} is needed.` };
  }
  const variable = { kind: 'variable', row } as const;
  const operand = {
    kind: 'row',
    row: variable,
    type: { kind: 'entity', type: row.type, collection: false },
  } as const;
  const instance = { kind: 'instance', operand, of: type, type: BOOLEAN } as const;
  return inSource({ ...rows, where: [...rows.where, instance] }, source);
}

function inSource(
  rows: Rows,
  source: Source,
): { readonly rows: Rows } | { readonly reason: string } {
  const members = source.kind === 'union' ? (source.members ?? []) : [source];
  const found = rows.row.source;
  const given = found.kind === 'union' ? (found.members ?? []) : [found];
  const fits = members.length === 0 || given.some((one) => members.some(({ id }) => id === one.id));
  if (fits) return { rows };
  return {
    reason: `It names an entity of ${found.id}, but one of ${members.map(({ id }) => id).join(' or ')} is needed.`,
  };
}

/** The URL of some entity of the source, for messages: `Persons(1)`. */
export function exampleOf(source: Source, key = '1'): string {
  const [name = 'Set'] = (source.members ?? [source]).map(({ set, id }) => set?.name ?? id);
  return `${name}(${key})`;
}
