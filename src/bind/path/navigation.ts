import type { Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { entityType, pathName } from '../../edm/model.ts';
import { nextRoute, type Reached, type Route } from '../../edm/restrictions.ts';
import {
  bindingPath,
  containmentSource,
  type Source,
  targetSource,
  typeSource,
} from '../../edm/source.ts';
import type { RowExpression, Rows } from '../bound.ts';
import { entityIn, variableIn } from '../expression/constructors.ts';
import { type Frame, faultAt, newEntityRow, type Resolved, type Session } from '../scope.ts';

/** The owner of a navigation or property: a row, the path of complex values inside it, and the type that has the member. */
export interface MemberOwner {
  readonly row: RowExpression;
  readonly path: readonly Property[];
  readonly type: StructuredType;
}

/** The target row or rows of the navigation. Following a single-valued navigation twice from one row yields the same row. */
export function navigate(session: Session, owner: MemberOwner, navigation: Navigation): Resolved {
  return navigation.collection
    ? { kind: 'rows', rows: navigatedRows(session, owner, navigation) }
    : followOne(session, owner, navigation);
}

/** The target rows of the navigation as a collection, even if it is single-valued. */
export function navigatedRows(session: Session, owner: MemberOwner, navigation: Navigation): Rows {
  const { model } = session.scope;
  const from = entityIn(owner.row);
  const source = navigationSource(model, from?.source, owner, navigation);
  const route = navigationRoute(from, owner, navigation);
  return {
    row: newEntityRow(session, source, entityType(model, navigation.target), route),
    origin: { kind: 'navigated', from: owner.row, path: owner.path, navigation },
    where: [],
  };
}

/** The source of the navigation's target rows. `from` is the source of the row that has the navigation, if it has one. */
export function navigationSource(
  model: Model,
  from: Source | undefined,
  owner: Pick<MemberOwner, 'path' | 'type'>,
  navigation: Navigation,
): Source {
  if (from !== undefined) {
    const path = bindingPath(model, from.type, [...owner.path, navigation]);
    return targetSource(model, from, owner.type, navigation, path);
  }
  return navigation.contained && navigation.inverse !== true
    ? containmentSource(model, owner.type, navigation)
    : typeSource(model, navigation.target);
}

/** The route by the navigation from entities; undefined if no set restricts it. */
export function navigationRoute(
  from: Reached | undefined,
  { path }: Pick<MemberOwner, 'path'>,
  navigation: Navigation,
): Route | undefined {
  return from && nextRoute(from, pathName([...path, navigation]));
}

function followOne(session: Session, owner: MemberOwner, navigation: Navigation): Resolved {
  const key = [
    `${owner.row.kind === 'addressed' ? 'one of ' : ''}${variableIn(owner.row).id}`,
    ...owner.path.map((property) => property.name),
    owner.type.name,
    navigation.name,
  ].join('/');
  const known = session.follows.get(key);
  const row = known ?? makeFollow(session, owner, navigation);
  if (known === undefined) session.follows.set(key, row);
  return { kind: 'row', row, type: entityType(session.scope.model, navigation.target), guards: [] };
}

function makeFollow(session: Session, owner: MemberOwner, navigation: Navigation): RowExpression {
  const { model } = session.scope;
  const from = entityIn(owner.row);
  const source = navigationSource(model, from?.source, owner, navigation);
  const route = navigationRoute(from, owner, navigation);
  const target = newEntityRow(session, source, entityType(model, navigation.target), route);
  return { kind: 'follow', from: owner.row, path: owner.path, navigation, target };
}

/** The maximum number of navigations in one path. Each is a nested lookup. */
const MAX_NAVIGATIONS = 20;

/** Throws: bind.path-depth if the path to the row already has the maximum number of navigations. */
export function checkPathDepth(frame: Frame, row: RowExpression, at: number): void {
  let depth = 0;
  for (let step = row; step.kind === 'follow'; step = step.from) depth += 1;
  if (depth < MAX_NAVIGATIONS) return;
  throw faultAt(frame, at, 'bind.path-depth', { limit: MAX_NAVIGATIONS });
}
