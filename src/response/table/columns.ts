// This file derives the columns of a table from the shape of its records: one for each single value, also within complex values and
// expanded single entities. A code has a column with its text and one with its value.

import { unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import { isCollection, typeOfReference } from '../../bind/expression/types.ts';
import { type Model, memberType, type Property, type StructuredType } from '../../edm/model.ts';
import type { Shape, ShapeMember, ValueMember } from '../../plan/read-plan.ts';

/** What the cells of a column contain. integer = Int64 and Decimal, written as strings. */
export type CellKind = 'text' | 'number' | 'decimal' | 'boolean' | 'date' | 'instant' | 'time';

export interface Column {
  /** The members from the record to the value. */
  readonly path: readonly string[];
  /** `Caller/LastName`. */
  readonly name: string;
  /** The heading in the language of the shape. */
  readonly label: string;
  readonly kind: CellKind;
}

/** Content of the records that fits into no cell. */
export interface Columns {
  readonly columns: readonly Column[];
  /** Paths of the collections and streams. */
  readonly others: readonly { readonly path: string; readonly isExpanded: boolean }[];
}

interface Walk {
  readonly model: Model;
  readonly language: string;
  readonly columns: Map<string, Column>;
  readonly others: Map<string, boolean>;
}

interface Place {
  readonly type: StructuredType | undefined;
  readonly path: readonly string[];
  readonly labels: readonly string[];
}

/** The columns of the records; members of the same name in several derived types share one. */
export function columnsOf(model: Model, shape: Shape): Columns {
  const { language } = shape.form;
  const walk: Walk = { model, language, columns: new Map(), others: new Map() };
  addShape(walk, shape, { type: undefined, path: [], labels: [] });
  return {
    columns: [...walk.columns.values()],
    others: [...walk.others].map(([path, isExpanded]) => ({ path, isExpanded })),
  };
}

function addShape(walk: Walk, { row, members }: Shape, place: Place): void {
  const type = row.kind === 'entity' ? row.type : undefined;
  for (const member of members) addMember(walk, member, { ...place, type });
}

function addMember(walk: Walk, member: ShapeMember, place: Place): void {
  switch (member.kind) {
    case 'shared':
      for (const one of member.members) addMember(walk, one, place);
      return;
    case 'value':
      addValue(walk, member, placeOf(walk, place, member.name, member.onType));
      return;
    case 'object': {
      const inner = placeOf(walk, place, member.name, member.onType);
      for (const one of member.members) addMember(walk, one, inner);
      return;
    }
    case 'one':
      addShape(walk, member.shape, placeOf(walk, place, member.name, member.onType));
      return;
    case 'count':
      addColumn(walk, placeOf(walk, place, member.name), 'number');
      return;
    case 'dynamic':
      for (const name of member.names ?? []) addColumn(walk, placeOf(walk, place, name), 'text');
      return;
    case 'many':
    case 'bytes':
      walk.others.set([...place.path, member.name].join('/'), true);
      return;
    case 'link':
    case 'etag':
    case 'type':
    case 'constant':
    case 'media':
    case 'list':
    case 'clock-inputs':
      return;
    default:
      unreachable(member);
  }
}

/** The place of a member, with its label in the language. */
function placeOf(
  { model, language }: Walk,
  { type, path, labels }: Place,
  name: string,
  onType = type,
): Place {
  const member = onType === undefined ? undefined : model.members(onType).get(name);
  const label = member?.labels?.[language] ?? name;
  return {
    type: memberType(model, member),
    path: [...path, name],
    labels: [...labels, label],
  };
}

function addValue(walk: Walk, member: ValueMember, place: Place): void {
  const { type } = member.value;
  if (type.kind !== 'complex' || type.collection || member.members === undefined) {
    addTyped(walk, type, place);
    return;
  }
  for (const one of member.members) addMember(walk, one, { ...place, type: type.type });
  if (type.codeList !== undefined) nameTextOfCode(walk, place);
}

function addTyped(walk: Walk, type: ValueType, place: Place): void {
  if (isCollection(type)) walk.others.set(place.path.join('/'), false);
  else if (type.kind === 'complex') addComplex(walk, type, place);
  else
    addColumn(walk, place, type.kind === 'primitive' ? (KINDS.get(type.name) ?? 'text') : 'text');
}

/** A complex value that is written as stored has the members of its type. */
function addComplex(walk: Walk, type: ValueType & { kind: 'complex' }, place: Place): void {
  const inner: Place = { ...place, type: type.type };
  for (const member of walk.model.members(type.type).values()) {
    if (member.kind === 'navigation' || member.type === 'Edm.Stream') continue;
    addTyped(walk, typeOfMember(walk, member), placeOf(walk, inner, member.name));
  }
  if (type.codeList !== undefined) nameTextOfCode(walk, place);
}

function typeOfMember({ model }: Walk, member: Property): ValueType {
  return typeOfReference(model, member) ?? { kind: 'untyped', collection: false };
}

/** The column with the text of a code has the name of the code. */
function nameTextOfCode({ columns }: Walk, { path, labels }: Place): void {
  const name = path.join('/');
  const text = columns.get(`${name}/Text`);
  if (text !== undefined)
    columns.set(`${name}/Text`, { ...text, name, label: labels.join(SEPARATOR) });
}

function addColumn({ columns }: Walk, { path, labels }: Place, kind: CellKind): void {
  const name = path.join('/');
  if (!columns.has(name)) columns.set(name, { path, name, label: labels.join(SEPARATOR), kind });
}

/** Between the labels of a path. */
const SEPARATOR = ' / ';

const KINDS: ReadonlyMap<string, CellKind> = new Map([
  ['Edm.Boolean', 'boolean'],
  ['Edm.Byte', 'number'],
  ['Edm.SByte', 'number'],
  ['Edm.Int16', 'number'],
  ['Edm.Int32', 'number'],
  ['Edm.Single', 'number'],
  ['Edm.Double', 'number'],
  ['Edm.Int64', 'decimal'],
  ['Edm.Decimal', 'decimal'],
  ['Edm.Date', 'date'],
  ['Edm.DateTimeOffset', 'instant'],
  ['Edm.TimeOfDay', 'time'],
]);
