// This file chooses the agreement of an entity: of those that are valid and match, the one that ranks first.
import type { Agreement, RulesInForce } from './read-rules.ts';

/** The keys that the entity has for each alternative of each group. */
export type EntityKeys = readonly (readonly (bigint | undefined)[])[];

/** A candidate with its rank, or with the reason for its exclusion. */
interface Candidate {
  readonly agreement: Agreement;
  readonly rank: readonly number[] | undefined;
  readonly reason: 'not valid yet' | 'not valid any more' | 'other' | undefined;
}

/** The agreement that ranks first at the instant; undefined if none matches. */
export function chooseAgreement(
  rules: RulesInForce,
  keys: EntityKeys,
  at: number,
): Agreement | undefined {
  return candidates(rules, keys, at).find(({ rank }) => rank !== undefined)?.agreement;
}

/** All agreements, those that match first, in their order. */
function candidates(rules: RulesInForce, keys: EntityKeys, at: number): readonly Candidate[] {
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
    ({ agreement, rank: undefined, reason }) as const;
  if (at < agreement.validFrom) return exclude('not valid yet');
  if (at >= agreement.validUntil) return exclude('not valid any more');
  const rank: number[] = [];
  for (const [group, alternatives] of agreement.matches.entries()) {
    const found = rankInGroup(alternatives, keys[group] ?? [], parents[group] ?? []);
    if (found === undefined) return exclude('other');
    rank.push(...found);
  }
  return { agreement, rank: [...rank, agreement.order, Number(agreement.key)], reason: undefined };
}

/** The alternative that matches and the distance to it. An agreement that names nobody is for all, after those that do. */
function rankInGroup(
  alternatives: readonly ReadonlySet<bigint>[],
  keys: readonly (bigint | undefined)[],
  parents: readonly ReadonlyMap<bigint, bigint>[],
): readonly [number, number] | undefined {
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
