// This file decides which columns a list shows, and how wide they are.
import {
  type Column,
  columnAt,
  type Importance,
  listColumns,
  memberPaths,
  titlePath,
} from '../model/layout.ts';
import { isWithin } from '../model/member-path.ts';
import type { Member, Model, StructuredType } from '../model/model.ts';
import { type ColumnChoice, readColumns } from './list-state.ts';

export interface ShownColumn extends Column {
  /** Pixels. */
  readonly width: number;
}

export interface Columns {
  readonly shown: readonly ShownColumn[];
  /** Paths that the type does not have, or that the account may not read. */
  readonly dropped: readonly string[];
}

/** Columns that nobody has chosen: `wide` shows all, `medium` leaves out those of low importance, and `small` has only the most important. */
export type Room = 'wide' | 'medium' | 'small' | 'cards';

const LEFT_OUT: Readonly<Record<Room, readonly Importance[]>> = {
  wide: [],
  medium: ['Low'],
  small: ['Low', 'Medium'],
  cards: [],
};

/** The columns of the model for which there is room. Cards show the first ones, so that the most important ones come first. */
function columnsFor(columns: readonly Column[], room: Room): readonly Column[] {
  const isShown = ({ importance }: Column) =>
    importance === undefined || !LEFT_OUT[room].includes(importance);
  const shown = columns.filter(isShown);
  if (room !== 'cards') return shown;
  const rank = ({ importance }: Column) => ['Medium', 'Low'].indexOf(importance ?? '');
  return [...shown].sort((one, other) => rank(one) - rank(other));
}

export interface ColumnRequest {
  readonly cols: string | undefined;
  readonly unreadable?: readonly string[];
  readonly room?: Room;
}

/** The columns of a list: those that are chosen, else those of the model. */
export function chooseColumns(
  model: Model,
  type: StructuredType,
  { cols, unreadable = [], room = 'wide' }: ColumnRequest,
): Columns {
  const hidden = new Set(unreadable);
  const isReadable = (path: string) => !hidden.has(path) && !hidden.has(path.split('/')[0] ?? '');
  const chosen: readonly ColumnChoice[] =
    readColumns(cols) ??
    columnsFor(listColumns(model, type), room)
      .filter(({ path }) => isReadable(path))
      .map(({ path }) => ({ path, width: undefined }));
  const title = titlePath(model, type);
  const dropped: string[] = [];
  const shown = chosen.flatMap(({ path, width }) => {
    const column = isReadable(path) ? columnAt(model, type, path) : undefined;
    if (column === undefined || !isShowable(column.member)) {
      dropped.push(path);
      return [];
    }
    return [{ ...column, width: width ?? usualWidth(column.member, path === title) }];
  });
  return { shown, dropped };
}

/** All members that can be columns. */
export function possibleColumns(
  model: Model,
  type: StructuredType,
  unreadable: readonly string[] = [],
): readonly Column[] {
  return memberPaths(model, type)
    .filter((path) => !isWithin(path, unreadable))
    .flatMap((path) => columnAt(model, type, path) ?? [])
    .filter(({ member }) => isShowable(member))
    .map(withDistinctLabel(type))
    .sort((one, other) => Number(one.member.computed) - Number(other.member.computed));
}

/** Names a part of a complex value with the name of the value where another column has the same name: "Approval: Status". */
const withDistinctLabel =
  (type: StructuredType) =>
  (column: Column, _: number, all: readonly Column[]): Column => {
    const outer = column.path.includes('/')
      ? type.members.get(column.path.split('/')[0] ?? '')
      : undefined;
    const isShared = all.some(({ path, label }) => path !== column.path && label === column.label);
    return outer !== undefined && isShared
      ? { ...column, label: `${outer.label}: ${column.label}` }
      : column;
  };

function isShowable(member: Member): boolean {
  if (member.kind === 'stream' || member.kind === 'complex') return false;
  if (member.kind === 'navigation') return !member.collection;
  return !/^Edm\.(?:Binary|Stream|Geo)/.test(member.type);
}

function usualWidth(member: Member, isTitle: boolean): number {
  if (isTitle) return 340;
  if (member.kind === 'code' || member.kind === 'enumeration' || member.words !== undefined)
    return 150;
  if (member.kind === 'navigation') return 180;
  switch (member.type) {
    case 'Edm.Boolean':
      return 100;
    case 'Edm.DateTimeOffset':
      return 180;
    case 'Edm.Date':
    case 'Edm.Duration':
      return 130;
    case 'Edm.String':
      return 200;
    default:
      return 110;
  }
}

/** Whether values are aligned at their end, as numbers are that people compare. 64-bit integers are mostly keys. */
export function isNumeric(member: Member): boolean {
  return (
    !member.collection && /^Edm\.(?:Decimal|Double|Single|S?Byte|Int16|Int32)$/.test(member.type)
  );
}

/** The path that sorts by a column: a code by its value, a related entity by its title. */
export function sortPath(model: Model, { path, member }: Column): string | undefined {
  if (member.collection) return undefined;
  const type = model.types.get(member.type);
  if (member.kind === 'code') return type?.coded && `${path}/${type.coded.value}`;
  if (member.kind !== 'navigation') return path;
  const title = type && titlePath(model, type);
  return title === undefined ? undefined : `${path}/${title}`;
}
