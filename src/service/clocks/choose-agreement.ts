// This file chooses the agreement of an entity: of those that are valid and match, the one that ranks first.
import type { Agreement, RulesInForce } from './read-rules.ts';

/** The keys that the entity has for each alternative of each group. */
export type EntityKeys = readonly (readonly (bigint | undefined)[])[];

/** A candidate with its rank, or with the reason for its exclusion: the time, or the number of the group that does not match. */
export interface Candidate {
  readonly agreement: Agreement;
  readonly rank: readonly number[] | undefined;
  readonly reason: 'not valid yet' | 'not valid any more' | number | undefined;
  /** What matched in each group. */
  readonly matches: readonly GroupMatch[];
}

/** The number of the alternative, which is that of no alternative for agreements that are for all, and the distance to it. */
type GroupMatch = readonly [number, number];

/** The agreement that ranks first at the instant; undefined if none matches. */
export function chooseAgreement(
  rules: RulesInForce,
  keys: EntityKeys,
  at: number,
): Agreement | undefined {
  return candidates(rules, keys, at).find(({ rank }) => rank !== undefined)?.agreement;
}

/** All agreements, those that match first, in their order. */
export function candidates(
  rules: RulesInForce,
  keys: EntityKeys,
  at: number,
): readonly Candidate[] {
  return rules.agreements
    .map((agreement) => candidateOf(agreement, rules, keys, at))
    .toSorted((one, other) => compareRanks(one.rank, other.rank));
}

function candidateOf(
  agreement: Agreement,
  { parents }: RulesInForce,
  keys: EntityKeys,
  at: number,
): Candidate {
  const exclude = (reason: NonNullable<Candidate['reason']>) =>
    ({ agreement, rank: undefined, reason, matches: [] }) as const;
  if (at < agreement.validFrom) return exclude('not valid yet');
  if (at >= agreement.validUntil) return exclude('not valid any more');
  const matches: GroupMatch[] = [];
  for (const [group, alternatives] of agreement.matches.entries()) {
    const found = rankInGroup(alternatives, keys[group] ?? [], parents[group] ?? []);
    if (found === undefined) return exclude(group);
    matches.push(found);
  }
  const rank = [...matches.flat(), agreement.order, Number(agreement.key)];
  return { agreement, rank, reason: undefined, matches };
}

/** The alternative that matches and the distance to it. An agreement that names nobody is for all, after those that do. */
function rankInGroup(
  alternatives: readonly ReadonlySet<bigint>[],
  keys: readonly (bigint | undefined)[],
  parents: readonly ReadonlyMap<bigint, bigint>[],
): GroupMatch | undefined {
  if (alternatives.every(({ size }) => size === 0)) return [alternatives.length, 0];
  for (const [index, named] of alternatives.entries()) {
    const distance = distanceTo(named, keys[index], parents[index] ?? new Map());
    if (distance !== undefined) return [index, distance];
  }
  return undefined;
}

/** A tree of organizations is less deep. */
const MAX_DISTANCE = 100;

/** The steps from the key to the nearest ancestor that is named. */
function distanceTo(
  named: ReadonlySet<bigint>,
  key: bigint | undefined,
  parents: ReadonlyMap<bigint, bigint>,
): number | undefined {
  let current = key;
  for (let distance = 0; current !== undefined && distance < MAX_DISTANCE; distance += 1) {
    if (named.has(current)) return distance;
    current = parents.get(current);
  }
  return undefined;
}

function compareRanks(
  one: readonly number[] | undefined,
  other: readonly number[] | undefined,
): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  const index = one.findIndex((value, at) => value !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) < (other[index] ?? 0) ? -1 : 1;
}
