// This file plans the number of demo records in each set and their keys, so that a record can refer to others without looking them up.
import type { RoleDefinition } from '../edm/account-sets.ts';
import { Random } from './demo-random.ts';
import { DEMO_SETS, type DemoSet, demoSizes } from './demo-sizes.ts';
import { type DemoVocabulary, longText, veryLongText } from './vocabulary.ts';

/** The size and period of the demo data. */
export interface DemoExtent {
  /** The number of service requests, which determines the size of all other sets. */
  readonly requests: number;
  readonly seed: number;
  /** The end of the period, in milliseconds since 1970. */
  readonly now: number;
}

/** The texts of the model that demo records contain, in the first language of the installation. */
export interface DemoTerms {
  /** By the value of the code. */
  readonly codes: Readonly<Record<number, string>>;
  /** Labels of members: `Changes/Approval/Status`. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The parts of a model that demo records are made from. */
interface DemoSource {
  readonly vocabulary: DemoVocabulary;
  readonly terms: DemoTerms;
  readonly roles: readonly RoleDefinition[];
}

export interface DemoOptions extends DemoExtent, DemoSource {
  /** The first key; default 1. */
  readonly firstUid?: number;
  /** The keys of records in Entities by name. Without it, templates refer to no entity. */
  readonly entities?: Readonly<Record<string, number>>;
  /** Without it, records have no values of clocks. */
  readonly clocks?: DemoClocks;
}

export interface SeedRecord {
  /** An entity set, or a set and a containment: `ServiceRequests/HistoryLines`. */
  readonly set: string;
  readonly uid: number;
  /** The key of the containing record. */
  readonly parent?: number;
  /**
   * By column path: `Description`, `Registration/DateCreated`, `Assignment/AssigneePerson`. Codes are values, references are keys,
   * points in time are ISO text in UTC with milliseconds, durations are nanoseconds, decimals are text and collections are JSON text.
   * All records of a set have the same paths.
   */
  readonly values: Values;
}

export type Values = Readonly<Record<string, string | number | bigint | boolean | null>>;

/** What clocks depend on from a time on. Milliseconds since 1970. */
export interface ClockMoment {
  readonly at: number;
  readonly status: number;
  /** Whether an agent has written to the caller. */
  readonly isAnswered: boolean;
}

/** A record with clocks. */
export interface ClockCase {
  readonly set: 'ServiceRequests' | 'Incidents';
  readonly values: Values;
  /** The paths of the values that were set by hand. */
  readonly byHand: readonly string[];
  /** When the clocks started. */
  readonly start: number;
  /** The priority for levels that have none for the impact. */
  readonly otherwise: number | null;
  readonly isVip: boolean;
  /** The keys by which an agreement is chosen. */
  readonly matched: readonly (number | null)[];
  /** From the creation on. */
  readonly moments: readonly ClockMoment[];
}

/** A mark that a clock has reached since the creation. */
export interface ReachedMark {
  /** The member that shows the highest mark. */
  readonly path: string;
  readonly percent: number;
  readonly at: number;
}

/** What the service would have calculated. */
export interface FollowedClocks {
  readonly values: Values;
  /** In the order of their times. */
  readonly marks: readonly ReachedMark[];
}

export type DemoClocks = (clockCase: ClockCase) => FollowedClocks;

/** A link of a many-to-many navigation. */
export interface SeedLink {
  readonly set: string;
  readonly navigation: string;
  readonly source: number;
  readonly target: number;
}

/** Consecutive keys. */
export interface Range {
  readonly first: number;
  readonly count: number;
}

export interface DemoPlan {
  readonly options: DemoOptions;
  readonly words: DemoVocabulary;
  readonly longText: string;
  readonly veryLongText: string;
  /** The time of the oldest request. */
  readonly start: number;
  readonly ranges: Readonly<Record<DemoSet, Range>>;
  /** The key after those of the ranges, for lines about marks, whose number only clocks determine. */
  readonly firstMark: number;
}

/** The range of code values, which are the keys of the set Codes. Demo records do not use it. */
const CODE_VALUES = { first: 100_000, end: 1_000_000 };

/** Sets whose size depends on the rights of roles. Their keys come last, so that a change does not shift the keys of other records. */
const LAST: ReadonlySet<DemoSet> = new Set(['Roles/EntityAccess']);

const DAYS = 548;

/** Plans sizes, keys and the period of eighteen months that the records cover. */
export function planDemo(options: DemoOptions): DemoPlan {
  const sizes = demoSizes(options);
  const ranges: Partial<Record<DemoSet, Range>> = {};
  let next = options.firstUid ?? 1;
  for (const set of [...DEMO_SETS.filter((name) => !LAST.has(name)), ...LAST]) {
    const count = sizes[set];
    const first = besideCodes(next, count);
    ranges[set] = { first, count };
    next = first + count;
  }
  const start = options.now - DAYS * 24 * 3_600_000;
  const { vocabulary: words } = options;
  const texts = { words, longText: longText(words), veryLongText: veryLongText(words) };
  const firstMark = besideCodes(next, MOST_MARKS * (sizes.ServiceRequests + sizes.Incidents));
  return { options, start, ...texts, ranges: ranges as Record<DemoSet, Range>, firstMark };
}

/** Three marks of each of two clocks. */
const MOST_MARKS = 6;

/** The first of so many keys, which must not be values of codes. */
function besideCodes(next: number, count: number): number {
  const overlaps = next < CODE_VALUES.end && next + count > CODE_VALUES.first;
  return overlaps ? CODE_VALUES.end : next;
}

/**
 * The records of a set or containment: one for each key of its range.
 * @param parentAt the key of the containing record
 */
export function* recordsOf(
  plan: DemoPlan,
  set: DemoSet,
  valuesAt: (index: number, random: Random) => Values,
  parentAt?: (index: number) => number,
): Generator<SeedRecord> {
  const { first, count } = plan.ranges[set];
  const random = randomFor(plan, set);
  for (let index = 0; index < count; index++) {
    const uid = first + index;
    const values = valuesAt(index, random);
    yield parentAt === undefined
      ? { set, uid, values }
      : { set, uid, parent: parentAt(index), values };
  }
}

/** The records of a set that the items of a list describe. */
export function* listedRecords<Item>(
  { ranges }: DemoPlan,
  set: DemoSet,
  items: readonly Item[],
  valuesOf: (item: Item, index: number) => Values,
): Generator<SeedRecord> {
  for (const [index, item] of items.entries())
    yield { set, uid: keyAt(ranges[set], index), values: valuesOf(item, index) };
}

/** Computes something once for each plan. */
export function perPlan<Result>(compute: (plan: DemoPlan) => Result): (plan: DemoPlan) => Result {
  const known = new WeakMap<DemoPlan, Result>();
  return (plan) => {
    const found = known.get(plan) ?? compute(plan);
    known.set(plan, found);
    return found;
  };
}

/** A constant, so that sets that are added at the end leave the records of others as they are. */
const STREAMS = 31;

/** The random numbers for a set, independent of other sets. */
export function randomFor({ options }: DemoPlan, set: DemoSet | 'links'): Random {
  return new Random(options.seed * 1009 + STREAMS + [...DEMO_SETS, 'links'].indexOf(set) * 7919);
}

/** The key of the record with that index; larger indexes wrap around. */
export function keyAt(range: Range, index: number): number {
  return range.first + (index % range.count);
}

/** The key of a random record of the range. */
export function randomKey(random: Random, range: Range): number {
  return range.first + random.below(range.count);
}

/** The login name of the account with that index; larger indexes wrap around. */
export function loginAt({ words }: DemoPlan, index: number): string {
  return words.accounts[index % words.accounts.length]?.login ?? words.accounts[0].login;
}
