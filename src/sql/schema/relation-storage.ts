// This file says how a navigation is stored: as a column of the row, as a column of its targets, or as pairs in a link table.
// A relation that two navigations describe from both sides (partners) is stored once.
import { invariant } from '../../base/fault.ts';
import type { Member, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { entityType } from '../../edm/model.ts';
import { type Source, targetSource } from '../../edm/source.ts';
import type { TableUse } from './layout.ts';

/** Where the two ends of a link are: `near` is the column of the row that the navigation starts from. */
export interface LinkUse {
  readonly table: string;
  readonly near: 'source' | 'target';
  readonly far: 'source' | 'target';
}

export type Relation =
  /** The row holds the identity of its target. */
  | { readonly kind: 'reference'; readonly path: readonly Member[] }
  /** The row is contained in its target, whose identity is its `$parent`. */
  | { readonly kind: 'parent' }
  /** The targets are contained in the row. */
  | { readonly kind: 'children' }
  /** The targets hold the identity of the row under that navigation. */
  | { readonly kind: 'inverse'; readonly navigation: Navigation }
  | { readonly kind: 'links'; readonly links: readonly LinkUse[] };

/** What relations are read from: a Layout, or one that is being made. */
export interface Relations {
  readonly model: Model;
  readonly bySource: ReadonlyMap<string, Pick<TableUse, 'source' | 'table'>>;
}

/** A navigation as it leaves the rows of a source. */
export interface Departure {
  readonly from: Source;
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}

export interface Arrival {
  readonly relation: Relation;
  readonly target: Source;
}

/** Where the navigation leads and how it is stored. */
export function arrivalOf(relations: Relations, departure: Departure): Arrival {
  const { from, path, navigation } = departure;
  const target = departureTarget(relations.model, departure);
  const relation = relationOf(relations, departure, target);
  invariant(
    relation.kind !== 'links' || relation.links.length > 0,
    `no link table for ${pathText(path, navigation)} of ${from.id}`,
  );
  return { relation, target };
}

/** `Assignment/AssigneePerson`. */
export function pathText(path: readonly Property[], navigation: Navigation): string {
  return [...path, navigation].map((step) => step.name).join('/');
}

/** The sources of a union, or the source itself. */
export function membersOf(source: Source): readonly Source[] {
  return source.kind === 'union' ? (source.members ?? []) : [source];
}

function departureTarget(model: Model, departure: Departure): Source {
  const { from, path, navigation } = departure;
  return targetSource(
    model,
    from,
    ownerOf(model, departure),
    navigation,
    pathText(path, navigation),
  );
}

/** The structured type that has the navigation. */
function ownerOf(model: Model, { from, path, navigation }: Departure): StructuredType {
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
  return model.members(type).get(navigation.name) === navigation;
}

function relationOf(relations: Relations, departure: Departure, target: Source): Relation {
  const { path, navigation } = departure;
  const partner = partnerOf(relations.model, navigation);
  if (navigation.contained && navigation.inverse !== true) return { kind: 'children' };
  const isParent =
    partner?.contained === true && partner.inverse !== true && !navigation.collection;
  if (isParent) return { kind: 'parent' };
  const isStoredHere = !navigation.collection && navigation.inverse !== true;
  if (isStoredHere) return { kind: 'reference', path: [...path, navigation] };
  const isInverse = partner !== undefined && !partner.collection && path.length === 0;
  if (isInverse && leadsBack(relations.model, target, partner, departure.from)) {
    return { kind: 'inverse', navigation: partner };
  }
  return { kind: 'links', links: linksOf(relations, departure, target) };
}

/** The navigation that leads back, whichever of the two names the other. */
function partnerOf(model: Model, navigation: Navigation): Navigation | undefined {
  const type = entityType(model, navigation.target);
  const candidates = [type, ...model.derived(type)].flatMap((one) => [
    ...model.members(one).values(),
  ]);
  return candidates.find(
    (member): member is Navigation =>
      member.kind === 'navigation' &&
      (member.name === navigation.partner || pointsBack(model, member, navigation)),
  );
}

function pointsBack(model: Model, member: Navigation, navigation: Navigation): boolean {
  if (navigation.partner !== undefined || member.partner !== navigation.name) return false;
  return hasMember(model, entityType(model, member.target), navigation);
}

/** Whether the partner, starting from the target's rows, can arrive at the rows of `from`. */
function leadsBack(model: Model, target: Source, partner: Navigation, from: Source): boolean {
  const sought = membersOf(from).map((source) => source.id);
  return membersOf(target).some((member) => {
    const back = departureTarget(model, { from: member, path: [], navigation: partner });
    return membersOf(back).some((source) => sought.includes(source.id));
  });
}

/** The link tables of a navigation, one for each pair of tables that it connects under one name. */
function linksOf(relations: Relations, departure: Departure, target: Source): readonly LinkUse[] {
  const partner = partnerOf(relations.model, departure.navigation);
  const uses = membersOf(departure.from).flatMap((from) =>
    membersOf(target).flatMap((to) => linksBetween(relations, { ...departure, from }, to, partner)),
  );
  return [...new Map(uses.map((use) => [`${use.near} ${use.table}`, use])).values()];
}

function linksBetween(
  relations: Relations,
  departure: Departure,
  to: Source,
  partner: Navigation | undefined,
): readonly LinkUse[] {
  const { from, path, navigation } = departure;
  const here = `${tableName(relations, from)}.${pathText(path, navigation)}`;
  const forward: LinkUse = { table: here, near: 'source', far: 'target' };
  if (partner === undefined || !leadsBack(relations.model, to, partner, from)) return [forward];
  const there = `${tableName(relations, to)}.${partner.name}`;
  const backward: LinkUse = { table: there, near: 'target', far: 'source' };
  // A navigation that is its own partner is read in both directions; of two names the first in text order is the table's.
  if (here === there) return [forward, backward];
  return here < there ? [forward] : [backward];
}

function tableName(relations: Relations, source: Source): string {
  const use = relations.bySource.get(source.id);
  invariant(use !== undefined, `no table for the source ${source.id}`);
  return use.table.name;
}
