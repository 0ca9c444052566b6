// This file reads If-Match and If-None-Match, and knows the two forms of entity tag that the service writes. RFC 9110, "Conditional
// Requests". `W/"7"` is an entity in its version 7. `W/"7.dGhl"` is one representation of it: the part after the dot is a digest of that
// representation. Writes compare versions; a read returns 304 only for the tag of the representation. docs/decisions/etags.md has the reasons.

import type { EntityTag, EntityTags } from '../tree.ts';
import { invalidHeader, splitHeader } from './media-types.ts';

/** The preconditions of a request. */
export interface Conditions {
  readonly ifMatch: EntityTags | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
}

/** Fault request.header where one of the two headers is malformed. */
export function readConditions(headers: Readonly<Record<string, string | undefined>>): Conditions {
  return {
    ifMatch: readEntityTags('If-Match', headers['if-match']),
    ifNoneMatch: readEntityTags('If-None-Match', headers['if-none-match']),
  };
}

/** `*` or a list of entity tags. */
function readEntityTags(header: string, value: string | undefined): EntityTags | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === '*') return { kind: 'any' };
  const tags = splitHeader(value, ',').map(readEntityTag);
  const read = tags.filter((tag) => tag !== undefined);
  if (read.length === 0 || read.length < tags.length) {
    throw invalidHeader(header, value, 'write * or entity tags in double quotes, such as W/"1"');
  }
  return { kind: 'list', tags: read };
}

function readEntityTag(text: string): EntityTag | undefined {
  const match = /^(W\/)?"([^"]*)"$/.exec(text);
  return match === null ? undefined : { weak: match[1] !== undefined, value: match[2] ?? '' };
}

/** The tag of one representation of the entity that `etag` identifies. */
export function representationTag(etag: string, digest: string): string {
  return `${etag.slice(0, -1)}.${digest}"`;
}

/**
 * Whether one of the tags is of this representation: the weak comparison of RFC 9110, "Comparison". The version of an entity does not
 * tell which of its representations a client has.
 */
export function matchesRepresentation(tags: EntityTags, etag: string): boolean {
  if (tags.kind === 'any') return true;
  const value = opaqueTag(etag);
  return !/^\d+$/.test(value) && tags.tags.some((tag) => tag.value === value);
}

/** Whether one of the tags is of the same version of the entity, whichever representation it is of. */
export function matchesVersion(tags: EntityTags, etag: string): boolean {
  const version = versionPart(opaqueTag(etag));
  return tags.kind === 'any' || tags.tags.some((tag) => versionPart(tag.value) === version);
}

/** `7` of `7` and of `7.dGhl`; other values as they are. */
export function versionPart(value: string): string {
  return REPRESENTATION.exec(value)?.[1] ?? value;
}

const REPRESENTATION = /^(\d+)\.[\w-]+$/;

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '').slice(1, -1);
}
