// Turns If-Match, If-None-Match and ETags in bodies into guards. An ETag is weak and contains the version of its row, so it
// changes with every update of the entity. Writes ignore which representation it was sent with. RFC 9110, "If-Match",
// "If-None-Match"; OData Protocol 4.01, "Header If-Match"; Core.OptimisticConcurrency of the standard vocabularies.

import type { EntitySet } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { versionPart } from '../../request/headers/entity-tags.ts';
import type { EntityTags, Negotiated } from '../../request/tree.ts';
import type { PlannedFault, Register, Steps, WriteStep } from '../write-plan.ts';
import type { Writer } from './write-scope.ts';
import { plannedFault } from './write-scope.ts';

/** Guards for the conditional headers of a request. */
export function matchHeaders({ parameters }: Writer, row: Register, negotiated: Negotiated): Steps {
  const { ifMatch, ifNoneMatch } = negotiated;
  const version = parameters?.ofVersion();
  const guard: WriteStep | undefined =
    version === undefined
      ? ifMatch && match(row, ifMatch, false, CHANGED)
      : { kind: 'match', row, versions: [], version, negated: false, fault: CHANGED };
  return [
    ...(guard === undefined ? [] : [guard]),
    ...(ifNoneMatch === undefined ? [] : [match(row, ifNoneMatch, true, EXISTS)]),
  ];
}

/**
 * The guard that rejects a change of an existing row without an ETag, if Core.OptimisticConcurrency of its set requires one.
 * @param tags the ETags that the request contains for the row
 */
export function requireTag(
  { waivesTags }: Writer,
  row: Register,
  tags: EntityTags | string | undefined,
): Steps {
  const set = setWithTags(row.source);
  if (set === undefined || tags !== undefined || waivesTags) return [];
  return [rejection(row, plannedFault('write.etag-required', { set: set.name }, 'If-Match'))];
}

/**
 * Adds the guard that rejects changes of many rows without `If-Match: *`, if they need ETags: such a request cannot contain them.
 */
export function requireTags(writer: Writer, source: Source, { ifMatch }: Negotiated): void {
  if (setWithTags(source) !== undefined)
    writer.before(...requireTag(writer, writer.register(source), ifMatch));
}

/** The set of the source that requires ETags. */
function setWithTags({ set, members = [] }: Source): EntitySet | undefined {
  return [set, ...members.map((member) => member.set)].find(needsTags);
}

function needsTags(set: EntitySet | undefined): boolean {
  const value = set?.annotations?.['Core.OptimisticConcurrency'];
  return value !== undefined && value !== null && value !== false;
}

/**
 * Adds the guard for a write to a collection, which runs before any change. The collection always exists, so `*` matches, but it
 * has no ETag that another tag could match.
 */
export function matchCollection(writer: Writer, source: Source, { ifMatch }: Negotiated): void {
  if (ifMatch?.kind !== 'list') return;
  writer.before(rejection(writer.register(source), WITHOUT_ETAG));
}

/** The guard for ETags in a body, such as `W/"7"`. */
export function matchTags(row: Register, tags: readonly string[], target: string): WriteStep {
  const written = tags.map((tag) => ({
    weak: true,
    value: /^(?:W\/)?"(.*)"$/.exec(tag)?.[1] ?? '',
  }));
  return match(row, { kind: 'list', tags: written }, false, { ...CHANGED, place: { target } });
}

export const CHANGED = plannedFault('write.changed', {}, 'If-Match');
const WITHOUT_ETAG = plannedFault('write.no-etag', {}, 'If-Match');
export const EXISTS = plannedFault('write.exists', {}, 'If-None-Match');

/** A guard that always fails. */
export function rejection(row: Register, fault: PlannedFault): WriteStep {
  return { kind: 'match', row, versions: [], negated: false, fault };
}

function match(row: Register, tags: EntityTags, negated: boolean, fault: PlannedFault): WriteStep {
  const versions = tags.kind === 'any' ? 'any' : tags.tags.flatMap(({ value }) => versionOf(value));
  return { kind: 'match', row, versions, negated, fault };
}

/** The version in If-Match if that is its only entity tag. */
export function versionIn({ ifMatch }: Negotiated): bigint | undefined {
  if (ifMatch?.kind !== 'list' || ifMatch.tags.length !== 1) return undefined;
  return versionOf(ifMatch.tags[0]?.value ?? '')[0];
}

/** A tag that is not a version matches nothing. */
function versionOf(tag: string): readonly bigint[] {
  const version = versionPart(tag);
  return /^\d{1,18}$/.test(version) ? [BigInt(version)] : [];
}
