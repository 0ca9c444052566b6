// This file keeps the members of whole properties for later plans. They depend only on the model, the rights, the row variable and the
// format, not on what else a request selects.

import type { Rights } from '../../access/policy.ts';
import { memoized, perPair } from '../../base/memo.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { Model, Property } from '../../edm/model.ts';
import type { ShapeMember, SharedMembers } from '../read-plan.ts';
import { permissionAnnotation } from './effective-rights.ts';
import type { ShapeScope } from './shape-scope.ts';

/** The members of a row by property; `'all'` are those of every property of the type. */
export type SharedByProperty = Map<Property | 'all', SharedMembers>;

/** The shared members of a row variable in the format of the scope. */
export function sharedMembersOf(scope: ShapeScope, row: EntityRow): SharedByProperty {
  const { model, rights } = scope.guard;
  return memoized(keptFor(model, rights), keyOf(scope, row), () => new Map(), LIMIT);
}

export function sharedMembers(members: readonly ShapeMember[]): SharedMembers {
  return { kind: 'shared', members };
}

/** Combinations of row variable and format for each set of rights. Clients choose them, so their number has a limit. */
const LIMIT = 100;

const keptFor = perPair((_model: Model, _: Rights) => new Map<string, SharedByProperty>());

function keyOf(scope: ShapeScope, { id, source, type }: EntityRow): string {
  const { language, prefix, metadata, ieee754Compatible, exponentialDecimals } = scope.form;
  const notesPermissions = permissionAnnotation(scope, '', {}).length > 0;
  return [
    id,
    source.id,
    type.name,
    language,
    prefix,
    metadata,
    ieee754Compatible,
    exponentialDecimals,
    notesPermissions,
    scope.prefer.omitValues,
  ].join(' ');
}
