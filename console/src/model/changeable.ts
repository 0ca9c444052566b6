// This file decides which members of an entity nobody can change, for forms and lists.
import type { Column } from './layout.ts';
import type { Member, StructuredType } from './model.ts';

type Place = Pick<Column, 'path' | 'member'>;

/** The member that a path starts with, which is a complex value if the path has two parts. */
const outerMember = (type: StructuredType, path: string): Member | undefined =>
  type.members.get(path.split('/')[0] ?? path);

/** Whether the service computes a member, or the complex value that it belongs to. */
export const isComputed = (type: StructuredType, { path, member }: Place): boolean =>
  member.computed || outerMember(type, path)?.computed === true;

/** Whether a member can be given only when the entity is created, if at all. */
export const isFixed = (type: StructuredType, place: Place): boolean =>
  isComputed(type, place) ||
  place.member.immutable ||
  outerMember(type, place.path)?.immutable === true ||
  type.key.some((key) => key.path === place.path);
