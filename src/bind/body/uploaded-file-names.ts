// This file says what a file that comes with a request tells of its media entity: the members that hold its names, as if they had stood
// in a body. Which members these are is said by the model (filePart).

import type { EntityType, FilePart, Model, Property } from '../../edm/model.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import { isServerKeyed, keyProperties } from './body-keys.ts';

/** What is said of a file beside its bytes, in headers. */
export interface SentFile {
  /** By which it is to be told apart from others. */
  readonly name?: string;
  /** That it has where it comes from. */
  readonly fileName?: string;
  /** Other members of its entity. */
  readonly members?: JsonObject;
}

/** The member of the type that holds the part; undefined where none does. */
export function filePartOf(model: Model, type: EntityType, part: FilePart): Property | undefined {
  for (const member of model.members(type).values())
    if (member.kind === 'property' && member.filePart === part) return member;
  return undefined;
}

/**
 * The members of a media entity that a sent file gives. Where no member is for names but the client gives the key, the name is the
 * key, as "Slug" suggests one (RFC 5023, "The Slug Header").
 */
export function sentMembers(model: Model, type: EntityType, sent: SentFile = {}): JsonObject {
  const { name, fileName, members = {} } = sent;
  const named = filePartOf(model, type, 'name') ?? lonelyKey(model, type);
  const titled = filePartOf(model, type, 'file-name');
  return {
    ...(named === undefined || name === undefined ? {} : { [named.name]: name }),
    ...(titled === undefined || fileName === undefined ? {} : { [titled.name]: fileName }),
    ...members,
  };
}

/** The one key property that the client gives, where it is a text or a GUID. */
function lonelyKey(model: Model, type: EntityType): Property | undefined {
  if (isServerKeyed(model, type)) return undefined;
  const [only, ...more] = keyProperties(model, type);
  const property = only?.path.at(-1);
  const isText = property?.type === 'Edm.String' || property?.type === 'Edm.Guid';
  return more.length === 0 && isText ? property : undefined;
}
