// This file finds the member that an editing command is about.

import type { Entity } from '../model/entity.ts';
import { type Column, columnAt, memberPaths } from '../model/layout.ts';
import { type Member, type Model, memberAt, type StructuredType } from '../model/model.ts';
import type { GridCommand } from './grid/grid-keys.ts';

/** A value of a row that is being edited. */
export interface EditTarget {
  readonly key: string;
  readonly row: Entity;
  readonly column: Column;
}

/** Names by which the letters for editing find their members, in any model. */
const NAMES: Partial<Record<GridCommand['kind'], RegExp>> = {
  status: /^(?:Status|State)$/,
  assignee: /^(?:AssigneePerson|Assignee|AssignedTo|Owner)$/,
  priority: /^Priority$/,
};

/** The column that a command edits; undefined if it edits none, or one that nobody may change. */
export function editableFor(
  model: Model,
  type: StructuredType,
  command: GridCommand['kind'],
  focused: Column | undefined,
): Column | undefined {
  if (command === 'edit')
    return focused !== undefined && isEditable(model, focused.member) ? focused : undefined;
  const name = NAMES[command];
  if (name === undefined) return undefined;
  const found = memberPaths(model, type).filter((one) => {
    const member = memberAt(model, type, one);
    return (
      name.test(one.split('/').at(-1) ?? '') && member !== undefined && isEditable(model, member)
    );
  });
  // A status of the entity itself comes before one of a part of it.
  const depth = (one: string) => one.split('/').length;
  const [path] = found.sort((one, other) => depth(one) - depth(other));
  return path === undefined ? undefined : columnAt(model, type, path);
}

/** Whether a single value can be edited in a list: texts of one line, numbers, times, codes, and related entities with one key property. */
export function isEditable(model: Model, member: Member): boolean {
  if (member.computed || member.immutable || member.collection) return false;
  if (member.kind === 'code' || member.kind === 'enumeration') return true;
  if (member.kind === 'navigation') return model.types.get(member.type)?.key.length === 1;
  return member.kind === 'primitive' && !/^Edm\.(?:Binary|Stream|Geo)/.test(member.type);
}
