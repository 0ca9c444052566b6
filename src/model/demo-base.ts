// This file makes the demo records that stand still: calendars and schedules, service levels, locations, organisations, roles and
// what every record has in common.
import { ACCESS_ACTIONS, type RoleDefinition } from '../edm/account-sets.ts';
import type { DemoPlan, SeedRecord } from './demo-plan.ts';
import { keyAt } from './demo-plan.ts';
import {
  DAY,
  dateText,
  HOUR_OF_NANOSECONDS,
  MINUTE_OF_NANOSECONDS,
  pointText,
} from './demo-time.ts';
import { suiteRoles } from './roles.ts';

export type Values = SeedRecord['values'];

export const LOGIN_NAMES = [
  'demo',
  ...['anna', 'pieter', 'sanne', 'olivia', 'james', 'juergen', 'zoe', 'francois'],
  ...['eleni', 'dmitri', 'planner', 'auditor', 'former', 'integration'],
] as const;

/** Who made a record and when, as columns. */
export function registered(plan: DemoPlan, index: number): Values {
  const created = plan.start + (index % 400) * DAY;
  const account = LOGIN_NAMES[index % LOGIN_NAMES.length] ?? 'demo';
  return {
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(Math.min(plan.options.now, created + 3 * DAY)),
    'Registration/CreatedBy': account,
    'Registration/ModifiedBy': 'demo',
  };
}

/** What records have besides. */
export function recordValues(plan: DemoPlan, index: number, folder: number | null): Values {
  return { Folder: folder, Blocked: false, ExternalReferences: '[]', ...registered(plan, index) };
}

type Row = readonly (string | number | boolean | null)[];

/** Records of one set from a table of rows with named columns. */
function* tableRecords(
  plan: DemoPlan,
  set: 'Locations' | 'Organizations',
  names: readonly string[],
  rows: readonly Row[],
): Generator<SeedRecord> {
  const range = plan.ranges[set];
  for (const [index, row] of rows.entries()) {
    const values = Object.fromEntries(names.map((name, column) => [name, row[column] ?? null]));
    yield {
      set,
      uid: keyAt(range, index),
      values: { ...values, ...recordValues(plan, index, 190001) },
    };
  }
}

const HOLIDAYS = [
  ['01-01', "New Year's Day"],
  ['04-27', "King's Day"],
  ['05-01', 'Labour Day'],
  ['12-25', 'Christmas Day'],
  ['12-26', 'Boxing Day'],
  ['12-31', "New Year's Eve"],
] as const;

export function* calendarRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options } = plan;
  const uid = ranges.Calendars.first;
  yield {
    set: 'Calendars',
    uid,
    values: { Name: 'Public holidays', ...recordValues(plan, 0, 190001) },
  };
  const year = Number(dateText(options.now).slice(0, 4));
  const days = [year - 1, year].flatMap((one) =>
    HOLIDAYS.map(([day, name]) => ({ date: `${one}-${day}`, name })),
  );
  for (const [index, { date, name }] of days.entries()) {
    const key = keyAt(ranges['Calendars/Holidays'], index);
    yield { set: 'Calendars/Holidays', uid: key, parent: uid, values: { Date: date, Name: name } };
  }
}

/** Name, first and last weekday, from, to; null for the whole day. */
const SCHEDULES = [
  ['24×7', 7, '00:00:00', null],
  ['Mon-Fri 08-18', 5, '08:00:00', '18:00:00'],
  ['Mon-Fri 09-17', 5, '09:00:00', '17:00:00'],
] as const;

export function* scheduleRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges } = plan;
  let window = 0;
  for (const [index, [name]] of SCHEDULES.entries()) {
    yield {
      set: 'Schedules',
      uid: keyAt(ranges.Schedules, index),
      values: { Name: name, TimeZone: 'Europe/Amsterdam', ...recordValues(plan, index, 190001) },
    };
  }
  for (const [index, [, days, from, to]] of SCHEDULES.entries()) {
    for (let weekday = 1; weekday <= days; weekday++) {
      yield {
        set: 'Schedules/Windows',
        uid: keyAt(ranges['Schedules/Windows'], window++),
        parent: keyAt(ranges.Schedules, index),
        values: { Weekday: weekday, From: from, To: to },
      };
    }
  }
}

/** Name, minutes to the response and hours to the resolution by priority from 1. */
const LEVELS = [
  ['Gold', [15, 30, 120, 480, 1440], [4, 8, 24, 72, 240]],
  ['Silver', [30, 60, 240, 480, 1200], [8, 10, 30, 50, 200]],
  ['Bronze', [60, 120, 480, 960], [8, 16, 40, 80]],
] as const;

export function* levelRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges } = plan;
  for (const [index, [name]] of LEVELS.entries()) {
    yield {
      set: 'ServiceLevels',
      uid: keyAt(ranges.ServiceLevels, index),
      values: {
        Name: name,
        Description: `${name}: ${SCHEDULES[index]?.[0] ?? ''}`,
        IsDefault: name === 'Silver',
        Schedule: keyAt(ranges.Schedules, index),
        ...recordValues(plan, index, 190001),
      },
    };
  }
  let setting = 0;
  for (const [index, [, responses, resolutions]] of LEVELS.entries()) {
    for (const [priority, minutes] of responses.entries()) {
      yield {
        set: 'ServiceLevels/PriorityImpactSettings',
        uid: keyAt(ranges['ServiceLevels/PriorityImpactSettings'], setting++),
        parent: keyAt(ranges.ServiceLevels, index),
        values: {
          Impact: 111001 + priority,
          Priority: 110001 + priority,
          ResponseDuration: minutes * MINUTE_OF_NANOSECONDS,
          ResolveDuration: (resolutions[priority] ?? 0) * HOUR_OF_NANOSECONDS,
        },
      };
    }
  }
}

/** Index of the parent, or null. */
const LOCATIONS: readonly (readonly [string, string, number, number | null])[] = [
  ['NL', 'Netherlands', 205001, null],
  ['NL-UTR', 'Utrecht', 205002, 0],
  ['NL-UTR-S1', 'Campus "De Uithof"', 205003, 1],
  ['NL-UTR-S1-A', 'Building A', 205004, 2],
  ['NL-UTR-S1-A2', 'Second floor', 205005, 3],
  ['NL-UTR-S1-A2-14', 'Room 2.14', 205006, 4],
  ['DE', 'Deutschland', 205001, null],
  ['DE-K', 'Köln', 205002, 6],
  ['DE-K-S1', 'Gelände Süd', 205003, 7],
  ['FR', 'France', 205001, null],
  ['FR-LYS', 'Lyon', 205002, 9],
  ['JP-TYO', '東京', 205002, null],
];

export function* locationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const range = plan.ranges.Locations;
  const zones = ['Europe/Amsterdam', 'Europe/Berlin', 'Europe/Paris', 'Asia/Tokyo'];
  const rows = LOCATIONS.map(([searchcode, name, type, parent], index): Row => {
    const hasAddress = type > 205002;
    const zone = zones[index < 6 ? 0 : index < 9 ? 1 : index < 11 ? 2 : 3] ?? null;
    const address = hasAddress
      ? [`Main street ${index}`, `${1000 + index} AB`, 'Utrecht', null, name.slice(0, 2)]
      : [null, null, null, null, null];
    const above = parent === null ? null : keyAt(range, parent);
    return [searchcode, name, type, zone, null, above, ...address];
  });
  const address = ['Street', 'PostalCode', 'City', 'Region', 'Country'].map(
    (name) => `Address/${name}`,
  );
  const names = ['Searchcode', 'Name', 'Type', 'TimeZone', 'Phone', 'ParentLocation', ...address];
  yield* tableRecords(plan, 'Locations', names, rows);
}

/** Four organisations, one of them with five parts. */
const ORGANIZATIONS: readonly (readonly [string, string, string | null, number, number | null])[] =
  [
    ['HILL', 'Hillside', 'Hospital & Care', 206001, null],
    ['HILL-FIN', 'Hillside Finance', null, 206001, 0],
    ['HILL-HR', 'Hillside Human Resources', null, 206001, 0],
    ['HILL-IT', 'Hillside IT', null, 206001, 0],
    ['HILL-IT-OPS', 'Hillside IT Operations', null, 206001, 3],
    ['HILL-IT-DEV', 'Hillside IT Development', null, 206001, 3],
    ['OBRIEN', "O'Brien & Sons", 'Office supplies', 206003, null],
    ['MUELLER', 'Müller Büromaschinen GmbH', null, 206003, null],
    ['YAMADA', '山田電機', 'Yamada Denki', 206002, null],
  ];

export function* organizationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const range = plan.ranges.Organizations;
  const names = [
    'Searchcode',
    'Name1',
    'Name2',
    'Category',
    'ParentOrganization',
    'Status',
    'Email',
  ];
  const others = [
    'Phone',
    'Website',
    'VatNumber',
    'Address/Street',
    'Address/City',
    'Address/Country',
  ];
  const rows = ORGANIZATIONS.map(([searchcode, name1, name2, category, parent]): Row => {
    const domain = `${searchcode.toLowerCase()}.example`;
    const above = parent === null ? null : keyAt(range, parent);
    const own = [searchcode, name1, name2, category, above, 227001, `info@${domain}`];
    return [...own, null, `https://www.${domain}/`, null, 'Hill road 1', 'Utrecht', 'Netherlands'];
  });
  yield* tableRecords(plan, 'Organizations', [...names, ...others], rows);
}

/** The shipped roles, each with what it says. */
export function* roleRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges } = plan;
  for (const [index, { name, description, updatesAll }] of suiteRoles.entries()) {
    yield {
      set: 'Roles',
      uid: keyAt(ranges.Roles, index),
      values: {
        Name: name,
        Description: description ?? null,
        UpdateAllAllowed: updatesAll === true,
        ...registered(plan, index),
      },
    };
  }
  let uid = ranges['Roles/EntityAccess'].first;
  for (const [index, role] of suiteRoles.entries()) {
    for (const record of accessRecords(role, keyAt(ranges.Roles, index), () => uid++)) yield record;
  }
}

/** What a role says: entity access first. */
function* accessRecords(
  { entities, attributes = [] }: RoleDefinition,
  parent: number,
  next: () => number,
): Generator<SeedRecord> {
  for (const { entity, actions, filter } of entities) {
    const given = ACCESS_ACTIONS.map((action) => [action, actions.includes(action)] as const);
    const values = { Entity: entity, ...Object.fromEntries(given), Filter: filter ?? null };
    yield { set: 'Roles/EntityAccess', uid: next(), parent, values };
  }
  for (const { entity, attribute, read, modify } of attributes) {
    const values = { Entity: entity, Attribute: attribute, Read: read, Modify: modify };
    yield { set: 'Roles/AttributeAccess', uid: next(), parent, values };
  }
}
