// How a navigation is stored: in a column of the row, in a column of its targets, or as pairs in a link table. A relation with
// partner navigations on both sides is stored once.
import { invariant } from '../../base/fault.ts';
import { memoized, perPair } from '../../base/memo.ts';
import {
  entityType,
  type Member,
  type Model,
  type Navigation,
  type Property,
  pathName,
  type StructuredType,
} from '../../edm/model.ts';
import { bindingPath, type Source, targetSource } from '../../edm/source.ts';
import type { TableUse } from './layout.ts';

/** A link table as seen from a navigation: `near` is the column of the row that the navigation starts from. */
export interface LinkUse {
  readonly table: string;
  readonly near: 'source' | 'target';
  readonly far: 'source' | 'target';
}

export type Relation =
  /** The row holds the identity of its target. */
  | { readonly kind: 'reference'; readonly path: readonly Member[] }
  /** The row is contained in its target; its `$parent` column holds the target's identity. */
  | { readonly kind: 'parent' }
  /** The targets are contained in the row. */
  | { readonly kind: 'children' }
  /** The targets hold the identity of the row, in the column of that navigation. */
  | { readonly kind: 'inverse'; readonly navigation: Navigation }
  | { readonly kind: 'links'; readonly links: readonly LinkUse[] };

/** A Layout, or one under construction. */
export interface Relations {
  readonly model: Model;
  readonly bySource: ReadonlyMap<string, Pick<TableUse, 'source' | 'table'>>;
}

/** A navigation with the source whose rows it starts from. */
export interface NavigationStart {
  readonly from: Source;
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}

export interface ResolvedNavigation {
  readonly relation: Relation;
  readonly target: Source;
}

/** The target of a navigation and how the relation is stored. Throws: InvariantError if a link table is missing. */
export function resolveNavigation(
  relations: Relations,
  start: NavigationStart,
): ResolvedNavigation {
  const { from, path, navigation } = start;
  const bySource = resolvedFrom(relations, navigation);
  const key = `${from.id} ${pathName(path)}`;
  return memoized(bySource, key, () => resolve(relations, start));
}

/** By source and path. */
const resolvedFrom = perPair(
  (_relations: Relations, _: Navigation) => new Map<string, ResolvedNavigation>(),
);

function resolve(relations: Relations, start: NavigationStart): ResolvedNavigation {
  const { from, path, navigation } = start;
  const target = targetOf(relations.model, start);
  const relation = relationOf(relations, start, target);
  invariant(
    relation.kind !== 'links' || relation.links.length > 0,
    `no link table for ${pathName([...path, navigation])} of ${from.id}`,
  );
  return { relation, target };
}

/** The sources of a union, or the source itself. */
export function membersOf(source: Source): readonly Source[] {
  return source.kind === 'union' ? (source.members ?? []) : [source];
}

function targetOf(model: Model, start: NavigationStart): Source {
  const { from, path, navigation } = start;
  const binding =
    path.length === 0 ? navigation.name : bindingPath(model, from.type, [...path, navigation]);
  return targetSource(model, from, ownerOf(model, start), navigation, binding);
}

/** The structured type that declares or inherits the navigation. */
function ownerOf(model: Model, { from, path, navigation }: NavigationStart): StructuredType {
  const last = path.at(-1);
  if (last !== undefined) {
    const type = model.types.get(last.type);
    invariant(type?.kind === 'complex', `${last.name} is not complex`);
    return [type, ...model.derived(type)].find((one) => hasMember(model, one, navigation)) ?? type;
  }
  const types = [from.type, ...model.derived(from.type)];
  return types.find((one) => hasMember(model, one, navigation)) ?? from.type;
}

function hasMember(model: Model, type: StructuredType, navigation: Navigation): boolean {
  return model.stored(type).get(navigation.name) === navigation;
}

function relationOf(relations: Relations, start: NavigationStart, target: Source): Relation {
  const { path, navigation } = start;
  const partner = partnerOf(relations.model, navigation);
  if (navigation.contained && navigation.inverse !== true) return { kind: 'children' };
  const isParent =
    partner?.contained === true && partner.inverse !== true && !navigation.collection;
  if (isParent) return { kind: 'parent' };
  const isStoredHere = !navigation.collection && navigation.inverse !== true;
  if (isStoredHere) return { kind: 'reference', path: [...path, navigation] };
  const isInverse = partner !== undefined && !partner.collection && path.length === 0;
  if (isInverse && canReach(relations.model, target, partner, start.from)) {
    return { kind: 'inverse', navigation: partner };
  }
  return { kind: 'links', links: linksOf(relations, start, target) };
}

/** The navigation in the opposite direction, whichever of the two declares the other as its partner. */
export function partnerOf(model: Model, navigation: Navigation): Navigation | undefined {
  const type = entityType(model, navigation.target);
  const candidates = [type, ...model.derived(type)].flatMap((one) => [
    ...model.stored(one).values(),
  ]);
  return candidates.find(
    (member): member is Navigation =>
      member.kind === 'navigation' &&
      (member.name === navigation.partner || declaresPartner(model, member, navigation)),
  );
}

function declaresPartner(model: Model, member: Navigation, navigation: Navigation): boolean {
  if (navigation.partner !== undefined || member.partner !== navigation.name) return false;
  return hasMember(model, entityType(model, member.target), navigation);
}

/** Whether the partner navigation of the target's rows can refer to rows of `from`. */
function canReach(model: Model, target: Source, partner: Navigation, from: Source): boolean {
  const ids = membersOf(from).map((source) => source.id);
  return membersOf(target).some((member) => {
    const back = targetOf(model, { from: member, path: [], navigation: partner });
    return membersOf(back).some((source) => ids.includes(source.id));
  });
}

/** The link tables of a navigation, one for each pair of tables that it connects. */
function linksOf(relations: Relations, start: NavigationStart, target: Source): readonly LinkUse[] {
  const partner = partnerOf(relations.model, start.navigation);
  const uses = membersOf(start.from).flatMap((from) =>
    membersOf(target).flatMap((to) => linksBetween(relations, { ...start, from }, to, partner)),
  );
  return [...new Map(uses.map((use) => [`${use.near} ${use.table}`, use])).values()];
}

function linksBetween(
  relations: Relations,
  start: NavigationStart,
  to: Source,
  partner: Navigation | undefined,
): readonly LinkUse[] {
  const { from, path, navigation } = start;
  const ownTable = `${tableName(relations, from)}.${pathName([...path, navigation])}`;
  const forward: LinkUse = { table: ownTable, near: 'source', far: 'target' };
  if (partner === undefined || !canReach(relations.model, to, partner, from)) return [forward];
  const partnerTable = `${tableName(relations, to)}.${partner.name}`;
  const backward: LinkUse = { table: partnerTable, near: 'target', far: 'source' };
  // A navigation that is its own partner is read in both directions. Otherwise partners share the table whose name sorts first.
  if (ownTable === partnerTable) return [forward, backward];
  return ownTable < partnerTable ? [forward] : [backward];
}

function tableName(relations: Relations, source: Source): string {
  const use = relations.bySource.get(source.id);
  invariant(use !== undefined, `no table for the source ${source.id}`);
  return use.table.name;
}
