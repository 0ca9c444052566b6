// This file parses If-Match and If-None-Match and compares entity tags. RFC 9110, "Conditional Requests". `W/"7"` identifies version 7
// of an entity. `W/"7.dGhl"` identifies one representation of that version; the part after the dot is its digest. Writes compare
// versions; a read returns 304 only for the tag of its representation. See docs/decisions/etags.md.

import type { EntityTag, EntityTags } from '../tree.ts';
import { invalidHeader, splitHeader } from './media-types.ts';

/** The preconditions of a request. */
export interface Conditions {
  readonly ifMatch: EntityTags | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
}

/** Parses the two headers. Throws: request.header. */
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

/** Returns the tag of a representation with the given digest of the entity version that `etag` identifies. */
export function representationTag(etag: string, digest: string): string {
  return `${etag.slice(0, -1)}.${digest}"`;
}

/**
 * Whether one of the tags identifies this representation, by the weak comparison of RFC 9110, "Comparison". A bare version never
 * matches, because it does not identify the representation that the client has.
 */
export function matchesRepresentation(tags: EntityTags, etag: string): boolean {
  if (tags.kind === 'any') return true;
  const value = opaqueTag(etag);
  return !/^\d+$/.test(value) && tags.tags.some((tag) => tag.value === value);
}

/** Whether one of the tags identifies the same version of the entity, in any representation. */
export function matchesVersion(tags: EntityTags, etag: string): boolean {
  const version = versionPart(opaqueTag(etag));
  return tags.kind === 'any' || tags.tags.some((tag) => versionPart(tag.value) === version);
}

/** Returns `7` for `7` and for `7.dGhl`; other values unchanged. */
export function versionPart(value: string): string {
  return REPRESENTATION.exec(value)?.[1] ?? value;
}

const REPRESENTATION = /^(\d+)\.[\w-]+$/;

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '').slice(1, -1);
}
