// This file reduces the path of a request to its route: the names that the model defines, without keys and other values of clients. Routes
// are for logs, metrics and traces, which must neither contain what users enter nor grow with it.
import { perObject } from '../base/memo.ts';
import { type Model, simpleName } from '../edm/model.ts';
import { decodedIfPossible } from '../request/decode.ts';

/** Segments of a route; a `*` replaces the others. */
const MOST = 6;

/** A name, and what follows in parentheses. */
const SEGMENT = /^([\w.$]+)(\(.*\))?$/s;

const SYSTEM_SEGMENTS = [
  '$all',
  '$batch',
  '$count',
  '$crossjoin',
  '$each',
  '$entity',
  '$filter',
  '$metadata',
  '$ping',
  '$query',
  '$ref',
  '$value',
];

/** `ServiceRequests(12)/Caller/ada` is `ServiceRequests(*)/Caller/*`. */
export function routeOf(path: string, model: Model): string {
  const known = namesIn(model);
  const segments = path.replace(/\/+$/, '').split('/');
  const shown = segments.slice(0, MOST).map((segment) => routeSegment(segment, known));
  return segments.length > MOST ? `${shown.join('/')}/*` : shown.join('/');
}

function routeSegment(segment: string, known: ReadonlySet<string>): string {
  const [, name = '', values] = SEGMENT.exec(decodedIfPossible(segment)) ?? [];
  if (segment === '') return '';
  if (!known.has(name)) return '*';
  return values === undefined || values === '()' ? `${name}${values ?? ''}` : `${name}(*)`;
}

const namesIn = perObject((model: Model): ReadonlySet<string> => {
  const { types, operations, imports } = model.definition;
  const structured = types.filter((type) => type.kind === 'entity' || type.kind === 'complex');
  return new Set([
    ...SYSTEM_SEGMENTS,
    ...model.sets.keys(),
    ...model.singulars.keys(),
    ...imports.map(({ name }) => name),
    ...[...types, ...operations].flatMap(({ name }) => [name, simpleName(name)]),
    ...structured.flatMap((type) => [...model.members(type).keys()]),
  ]);
});
