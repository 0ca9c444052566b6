// This file takes a path over a navigation property: to the one row or to the rows that it leads to. Which source these are kept
// in is said by the bindings of the set that the path started from.
import { Fault } from '../../base/fault.ts';
import type { Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { entityType, isStructured } from '../../edm/model.ts';
import { containmentSource, type Source, targetSource, typeSource } from '../../edm/source.ts';
import type { RowExpression, Rows } from '../bound.ts';
import {
  type Frame,
  newEntityRow,
  placeOf,
  type Reached,
  type Session,
  whereOf,
} from '../scope.ts';

/** Where a navigation is taken: a row, the complex values walked through since, and the type that has the navigation. */
export interface Holder {
  readonly row: RowExpression;
  readonly path: readonly Property[];
  readonly type: StructuredType;
}

/** The row or rows behind the navigation. The same single navigation from the same row is always the same row. */
export function navigate(session: Session, holder: Holder, navigation: Navigation): Reached {
  return navigation.collection
    ? { kind: 'rows', rows: navigatedRows(session, holder, navigation) }
    : followOne(session, holder, navigation);
}

/** The rows behind the navigation as a collection of their own, single ones too. */
export function navigatedRows(session: Session, holder: Holder, navigation: Navigation): Rows {
  const { model } = session.scope;
  const source = sourceBehind(model, rowSource(holder.row), holder, navigation);
  return {
    row: newEntityRow(session, source, entityType(model, navigation.target)),
    origin: { kind: 'navigated', from: holder.row, path: holder.path, navigation },
    where: [],
  };
}

/** The source that the navigation leads to, from rows of the given source (or from rows that are kept nowhere). */
export function sourceBehind(
  model: Model,
  from: Source | undefined,
  holder: Pick<Holder, 'path' | 'type'>,
  navigation: Navigation,
): Source {
  if (from !== undefined) {
    const path = bindingPath(model, from.type, holder.path, navigation);
    return targetSource(model, from, holder.type, navigation, path);
  }
  return navigation.contained && navigation.inverse !== true
    ? containmentSource(model, holder.type, navigation)
    : typeSource(model, navigation.target);
}

/** The source of the row, where it has one. */
export function rowSource(row: RowExpression): Source | undefined {
  switch (row.kind) {
    case 'variable':
      return row.row.kind === 'entity' ? row.row.source : undefined;
    case 'follow':
      return row.target.source;
    case 'addressed':
      return row.rows.row.source;
  }
}

function followOne(session: Session, holder: Holder, navigation: Navigation): Reached {
  const key = [
    `${holder.row.kind === 'addressed' ? 'one of ' : ''}${rowKey(holder.row)}`,
    ...holder.path.map((property) => property.name),
    holder.type.name,
    navigation.name,
  ].join('/');
  const known = session.follows.get(key);
  const row = known ?? makeFollow(session, holder, navigation);
  if (known === undefined) session.follows.set(key, row);
  return { kind: 'row', row, type: entityType(session.scope.model, navigation.target), guards: [] };
}

function makeFollow(session: Session, holder: Holder, navigation: Navigation): RowExpression {
  const { model } = session.scope;
  const source = sourceBehind(model, rowSource(holder.row), holder, navigation);
  const target = newEntityRow(session, source, entityType(model, navigation.target));
  return { kind: 'follow', from: holder.row, path: holder.path, navigation, target };
}

/** Relations that one path may lead over: each is a look-up inside the one before it. */
const LONGEST_PATH = 20;

/** Faults: bind.path-depth where the row is as many relations away as a path may lead over. */
export function refuseDeeper(frame: Frame, row: RowExpression, at: number): void {
  let depth = 0;
  for (let before = row; before.kind === 'follow'; before = before.from) depth += 1;
  if (depth < LONGEST_PATH) return;
  const parameters = { limit: LONGEST_PATH, place: placeOf(frame, at) };
  throw new Fault('bind.path-depth', parameters, whereOf(frame, at));
}

/** The number of the row's variable. */
export function rowKey(row: RowExpression): number {
  switch (row.kind) {
    case 'variable':
      return row.row.id;
    case 'follow':
      return row.target.id;
    case 'addressed':
      return row.rows.row.id;
  }
}

/** As bindings are written: `Assignment/AssigneePerson`, `Model.Derived/Caller`. OData CSDL 4.01, "Navigation Property Path Binding". */
function bindingPath(
  model: Model,
  start: StructuredType,
  path: readonly Property[],
  navigation: Navigation,
): string {
  const steps: string[] = [];
  let type: StructuredType | undefined = start;
  for (const member of [...path, navigation]) {
    steps.push(`${castBefore(model, type, member.name)}${member.name}`);
    const next = member.kind === 'property' ? model.types.get(member.type) : undefined;
    type = next !== undefined && isStructured(next) ? next : undefined;
  }
  return steps.join('/');
}

/** The derived type that declares the member, as a step of its own, where the type does not have it. */
function castBefore(model: Model, type: StructuredType | undefined, name: string): string {
  if (type === undefined || model.members(type).has(name)) return '';
  const declaring = model
    .derived(type)
    .find((derived) => derived.members.some((member) => member.name === name));
  return declaring === undefined ? '' : `${declaring.name}/`;
}
