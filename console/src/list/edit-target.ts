// This file finds the member that an editing command is about.

import type { SetRights } from '../app/rights.ts';
import { isFixed } from '../model/changeable.ts';
import type { Entity } from '../model/entity.ts';
import { type Column, columnAt, memberPaths } from '../model/layout.ts';
import { isWithin } from '../model/member-path.ts';
import type { Member, Model, StructuredType } from '../model/model.ts';
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

/** What can be edited in a list. */
export interface Editing {
  readonly model: Model;
  readonly type: StructuredType;
  readonly rights: Pick<SetRights, 'Update' | 'Unchangeable'>;
}

/** The column that a command edits; undefined if it edits none, or one that the account cannot change. */
export function editableFor(
  editing: Editing,
  command: GridCommand['kind'],
  focused: Column | undefined,
): Column | undefined {
  const { model, type } = editing;
  if (command === 'edit')
    return focused !== undefined && isEditable(editing, focused) ? focused : undefined;
  const name = NAMES[command];
  if (name === undefined) return undefined;
  const found = memberPaths(model, type)
    .filter((path) => name.test(path.split('/').at(-1) ?? ''))
    .flatMap((path) => columnAt(model, type, path) ?? [])
    .filter((column) => isEditable(editing, column));
  // A status of the entity itself comes before one of a part of it.
  const depth = ({ path }: Column) => path.split('/').length;
  return found.sort((one, other) => depth(one) - depth(other))[0];
}

/** Whether the account can edit the values of a column in a list. */
export function isEditable({ model, type, rights }: Editing, column: Column): boolean {
  const { Update, Unchangeable = [] } = rights;
  if (!Update || isWithin(column.path, Unchangeable) || isFixed(type, column)) return false;
  return hasInput(model, column.member);
}

/** Whether a list can edit a value: texts of one line, numbers, times, codes, and related entities with one key property. */
function hasInput(model: Model, member: Member): boolean {
  if (member.collection) return false;
  if (member.kind === 'code' || member.kind === 'enumeration') return true;
  if (member.kind === 'navigation') return model.types.get(member.type)?.key.length === 1;
  return member.kind === 'primitive' && !/^Edm\.(?:Binary|Stream|Geo)/.test(member.type);
}
