// This file decides how many demo records of each kind there are and which keys they get, so that a record can refer to others
// without anybody having to remember them.
import type { RoleDefinition } from '../edm/account-sets.ts';
import { Chance } from './demo-random.ts';
import { type DemoVocabulary, longText, veryLongText } from './vocabulary.ts';

/** How much there is, and when. */
export interface DemoExtent {
  /** How many service requests; everything else follows from it. */
  readonly requests: number;
  readonly seed: number;
  /** The time at which the data ends, in milliseconds since 1970. */
  readonly now: number;
}

/** What the model of the records brings. */
export interface DemoSource {
  readonly vocabulary: DemoVocabulary;
  readonly roles: readonly RoleDefinition[];
}

export interface DemoOptions extends DemoExtent, DemoSource {
  /** The first key to give; default 1. */
  readonly firstUid?: number;
  /** Keys of the rows of Entities by name; where absent, templates name no entity. */
  readonly entities?: Readonly<Record<string, number>>;
}

export interface SeedRecord {
  /** An entity set, or a set and a containment: `ServiceRequests/HistoryLines`. */
  readonly set: string;
  readonly uid: number;
  /** Key of the record that contains this one. */
  readonly parent?: number;
  /**
   * By column path: `Description`, `Registration/DateCreated`, `Assignment/AssigneePerson`. Codes are their values, references
   * the keys of their targets, points in time ISO text in UTC with milliseconds, durations nanoseconds, decimals and collections
   * (JSON) text. All records of a set name the same paths.
   */
  readonly values: Readonly<Record<string, string | number | boolean | null>>;
}

/** One link of a collection navigation that is stored as pairs. */
export interface SeedLink {
  readonly set: string;
  readonly navigation: string;
  readonly source: number;
  readonly target: number;
}

/** Keys that follow each other. */
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

/** Sets and containments in the order in which their records come: what is referred to comes first. */
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

/** Values of codes are keys of the set Codes; the demo records leave that room to them. */
const CODE_VALUES = { first: 100_000, end: 1_000_000 };

/** Their number follows from the rights of roles: their keys come last, so that other records keep theirs when rights change. */
const LAST: ReadonlySet<DemoSet> = new Set(['Roles/EntityAccess']);

/** From this many requests on there are relatively more people and work orders, as in a large installation. */
const LARGE = 10_000;

const DAYS = 548;

/** The plan for the options: sizes, keys, and the eighteen months that the records cover. */
export function planDemo(options: DemoOptions): DemoPlan {
  const sizes = demoSizes(options);
  const ranges: Partial<Record<DemoSet, Range>> = {};
  let next = options.firstUid ?? 1;
  for (const set of [...DEMO_SETS.filter((one) => !LAST.has(one)), ...LAST]) {
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

/** How many records of each set and containment there are. */
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

/** Sets whose records the vocabulary lists one by one. */
function listedSizes(words: DemoVocabulary) {
  return {
    // Those of two years.
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

/** Chance for one set: what happens in it does not depend on the others. */
export function chanceFor({ options }: DemoPlan, set: DemoSet | 'links'): Chance {
  return new Chance(
    options.seed * 1009 + DEMO_SETS.length + [...DEMO_SETS, 'links'].indexOf(set) * 7919,
  );
}

/** The key of the record with that index in its range; indexes beyond the end begin again. */
export function keyAt(range: Range, index: number): number {
  return range.first + (index % range.count);
}

/** The key of any record of the range. */
export function anyKey(chance: Chance, range: Range): number {
  return range.first + chance.below(range.count);
}

/** The log-in name of the account with that index; indexes beyond the end begin again. */
export function loginAt({ words }: DemoPlan, index: number): string {
  return words.accounts[index % words.accounts.length]?.login ?? words.accounts[0].login;
}
