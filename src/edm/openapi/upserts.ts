// This file decides which requests create the entity that they address if it does not exist, so that their description has the response 201,
// whether the header Slug names a new entity, and whether a file replaces one of the same name.
// OData 4.01 Protocol, "Upsert an Entity"; RFC 5023, "The Slug Header".
import { type EntityType, type Model, memberAt } from '../model.ts';
import { isServerGenerated } from '../property-storage.ts';
import type { Capabilities, ResourcePath } from './restrictions.ts';

/** An entity that a path identifies. */
interface Addressed extends ResourcePath {
  readonly model: Model;
  readonly type: EntityType;
  /** By an item that identifies it. */
  readonly isReferred?: boolean;
}

/**
 * Whether a change creates the entity: if clients set the key, which is in the URL, or if the URL needs none, as that of a singleton.
 * @param content whether the request contains the content of a media entity rather than JSON
 */
export function mayCreate(
  resource: Addressed,
  capabilities: Capabilities,
  content: 'json' | 'media',
): boolean {
  const { model, type, route } = resource;
  if (type.abstract === true || !capabilities.allows('insert', resource)) return false;
  if ((type.hasStream === true) !== (content === 'media')) return false;
  const navigation = route.at(-1)?.navigation;
  if (navigation?.contained === false || navigation?.computed === true) return false;
  if (resource.isReferred === true) return true;
  const isSingle = isAlone(resource);
  // Media have no key in their body.
  return isSingle ? content === 'json' || isServerKeyed(model, type) : !isServerKeyed(model, type);
}

/** Whether the URL needs no key, so that the body of a request which creates the entity contains it. */
export function isAlone({ set, route }: ResourcePath): boolean {
  const navigation = route.at(-1)?.navigation;
  return navigation === undefined ? set.kind === 'singleton' : !navigation.collection;
}

/** Whether no two files of an entity have the same name. */
export function hasUniqueFileName(model: Model, type: EntityType): boolean {
  return [...model.members(type).values()].some(
    (member) => member.kind === 'property' && member.filePart === 'name',
  );
}

/** Whether a new media entity has a name that a header can contain, or a key that clients set instead. */
export function takesSlug(model: Model, type: EntityType): boolean {
  const isNamed = [...model.members(type).values()].some(
    (member) =>
      member.kind === 'property' && (member.filePart === 'name' || member.filePart === 'file-name'),
  );
  return isNamed || (model.key(type).length === 1 && !isServerKeyed(model, type));
}

/** Whether only the service sets a part of the key. */
function isServerKeyed(model: Model, type: EntityType): boolean {
  const members = model.key(type).map(({ path }) => memberAt(model, type, path));
  return members.some((member) => member?.kind === 'property' && isServerGenerated(member));
}
