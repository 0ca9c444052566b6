// This file plans the number of demo records in each set and their keys, so that a record can refer to others without looking them up.
import type { RoleDefinition } from '../edm/account-sets.ts';
import { Random } from './demo-random.ts';
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
  /** Labels of the members of service requests by their path. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The parts of a model that demo records are made from. */
export interface DemoSource {
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

/** Returns the values that the service would have calculated. */
export type DemoClocks = (clockCase: ClockCase) => Values;

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
}

/** Sets and containments in the order of their records: referenced sets come first. */
const DEMO_SETS = [
  'Calendars',
  'Calendars/Holidays',
  'Schedules',
  'Schedules/Windows',
  'ServiceLevels',
  'ServiceLevels/PriorityImpactSettings',
  'Locations',
  'Organizations',
  'Persons',
  'Roles',
  'Roles/EntityAccess',
  'Accounts',
  'Workgroups',
  'Services',
  'ServiceLevelAgreements',
  'MaintenanceContracts',
  'ConfigurationItems',
  'ConfigurationItems/ItemRelations',
  'Templates',
  'Templates/Values',
  'Projects',
  'Problems',
  'Changes',
  'ApproverVotes',
  'Incidents',
  'ServiceRequests',
  'ServiceRequests/HistoryLines',
  'ServiceRequests/Attachments',
  'EmailServiceRequests',
  'Workorders',
  'RecordRelations',
] as const;

export type DemoSet = (typeof DEMO_SETS)[number];

export const LINES_PER_REQUEST = 4;

/** The range of code values, which are the keys of the set Codes. Demo records do not use it. */
const CODE_VALUES = { first: 100_000, end: 1_000_000 };

/** Sets whose size depends on the rights of roles. Their keys come last, so that a change does not shift the keys of other records. */
const LAST: ReadonlySet<DemoSet> = new Set(['Roles/EntityAccess']);

/** From this number of requests, there are relatively more persons and work orders, as in a large installation. */
const LARGE = 10_000;

const DAYS = 548;

/** Plans sizes, keys and the period of eighteen months that the records cover. */
export function planDemo(options: DemoOptions): DemoPlan {
  const sizes = demoSizes(options);
  const ranges: Partial<Record<DemoSet, Range>> = {};
  let next = options.firstUid ?? 1;
  for (const set of [...DEMO_SETS.filter((name) => !LAST.has(name)), ...LAST]) {
    const count = sizes[set];
    const overlaps = next < CODE_VALUES.end && next + count > CODE_VALUES.first;
    const first = overlaps ? CODE_VALUES.end : next;
    ranges[set] = { first, count };
    next = first + count;
  }
  const start = options.now - DAYS * 24 * 3_600_000;
  const { vocabulary: words } = options;
  const texts = { words, longText: longText(words), veryLongText: veryLongText(words) };
  return { options, start, ...texts, ranges: ranges as Record<DemoSet, Range> };
}

/** The number of records in each set and containment. */
export function demoSizes({
  requests,
  vocabulary,
  roles,
}: Pick<DemoOptions, 'requests' | keyof DemoSource>): Readonly<Record<DemoSet, number>> {
  const isLarge = requests >= LARGE;
  const scaled = (countAt1500: number) => Math.max(1, Math.round((countAt1500 * requests) / 1500));
  const items = scaled(300);
  const changes = scaled(140);
  return {
    ...FIXED_SIZES,
    ...listedSizes(vocabulary),
    Roles: roles.length,
    'Roles/EntityAccess': sumOf(
      roles,
      ({ entities, attributes = [] }) => entities.length + attributes.length,
    ),
    Persons: isLarge ? Math.round(requests / 10) : Math.max(20, scaled(120)),
    ConfigurationItems: items,
    'ConfigurationItems/ItemRelations': items < 4 ? 0 : Math.round(items * 1.4),
    Problems: scaled(60),
    Changes: changes,
    ApproverVotes: changes,
    Incidents: scaled(350),
    ServiceRequests: requests,
    'ServiceRequests/HistoryLines': requests * LINES_PER_REQUEST,
    'ServiceRequests/Attachments': Math.min(requests, isLarge ? 400 : scaled(400)),
    EmailServiceRequests: scaled(90),
    Workorders: isLarge ? Math.round(requests * 1.5) : scaled(700),
    RecordRelations: scaled(60),
  };
}

const FIXED_SIZES = {
  Calendars: 1,
  ServiceLevelAgreements: 9,
  MaintenanceContracts: 12,
  Templates: 30,
  'Templates/Values': 60,
  Projects: 8,
} as const;

/** The sizes of the sets whose records the vocabulary lists. */
function listedSizes(words: DemoVocabulary) {
  return {
    // Two years.
    'Calendars/Holidays': 2 * words.holidays.length,
    Schedules: words.schedules.length,
    'Schedules/Windows': sumOf(words.schedules, ({ days }) => days),
    ServiceLevels: words.serviceLevels.length,
    'ServiceLevels/PriorityImpactSettings': sumOf(
      words.serviceLevels,
      ({ responseMinutes }) => responseMinutes.length,
    ),
    Locations: words.locations.length,
    Organizations: words.organizations.length,
    Accounts: words.accounts.length,
    Workgroups: words.workgroups.length,
    Services: words.services.length,
  };
}

function sumOf<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
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

/** The random numbers for a set, independent of other sets. */
export function randomFor({ options }: DemoPlan, set: DemoSet | 'links'): Random {
  return new Random(
    options.seed * 1009 + DEMO_SETS.length + [...DEMO_SETS, 'links'].indexOf(set) * 7919,
  );
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
