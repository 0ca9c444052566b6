// Converts the names of an uploaded file to members of its media entity, as if they were in the body. The model marks these members
// (filePart).
import type { EntityType, FilePart, Model, Property } from '../../edm/model.ts';
import type { JsonInput, JsonObject } from '../../edm/value/lossless-json.ts';
import { isPrimitive, primitiveRow } from '../../edm/value/primitives.ts';
import { isServerKeyed, keyProperties } from './body-keys.ts';

/** The metadata of an uploaded file, from headers. */
export interface UploadedFile {
  /** The name that identifies the file. */
  readonly name?: string;
  /** The original file name. */
  readonly fileName?: string;
  /** Other members of its entity. */
  readonly members?: JsonObject;
}

/** The property of the type that has the part; undefined if there is none. */
export function filePartOf(model: Model, type: EntityType, part: FilePart): Property | undefined {
  for (const member of model.members(type).values())
    if (member.kind === 'property' && member.filePart === part) return member;
  return undefined;
}

/**
 * The members of a media entity that an uploaded file sets. If the type has no property for the name but the client sets the key, and the
 * key is one property, the name becomes the key, like "Slug" (RFC 5023, "The Slug Header").
 */
export function uploadedFileMembers(
  model: Model,
  type: EntityType,
  sent: UploadedFile = {},
): JsonObject {
  const { name, fileName, members = {} } = sent;
  const nameProperty = filePartOf(model, type, 'name') ?? namedKey(model, type);
  const fileProperty = filePartOf(model, type, 'file-name');
  return {
    ...(nameProperty === undefined || name === undefined
      ? {}
      : { [nameProperty.name]: jsonOf(nameProperty, name) }),
    ...(fileProperty === undefined || fileName === undefined
      ? {}
      : { [fileProperty.name]: fileName }),
    ...members,
  };
}

/** The only key property, if the client sets it. */
function namedKey(model: Model, type: EntityType): Property | undefined {
  if (isServerKeyed(model, type)) return undefined;
  const [only, ...more] = keyProperties(model, type);
  return more.length === 0 && only?.path.length === 1 ? only.property : undefined;
}

/** The name as the JSON value of a property; a number as text has a wrong type, which is reported. */
function jsonOf({ type }: Property, name: string): JsonInput {
  const isInteger = isPrimitive(type) && primitiveRow(type).class === 'integer';
  return isInteger && /^-?\d{1,19}$/.test(name) ? BigInt(name) : name;
}
