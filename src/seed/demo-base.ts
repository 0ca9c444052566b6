// This file generates demo master data: calendars, schedules, service levels, locations, organizations and roles, and the values that
// all records have in common.
import { ACCESS_ACTIONS, type RoleDefinition } from '../edm/account-sets.ts';
import { type DemoPlan, keyAt, loginAt, type Range, type SeedRecord } from './demo-plan.ts';
import {
  DAY,
  dateText,
  HOUR_OF_NANOSECONDS,
  MINUTE_OF_NANOSECONDS,
  pointText,
} from './demo-time.ts';

export type Values = SeedRecord['values'];

/** The account and time of the creation and last change of a record. */
export function registrationValues(plan: DemoPlan, index: number): Values {
  const created = plan.start + (index % 400) * DAY;
  return {
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(Math.min(plan.options.now, created + 3 * DAY)),
    'Registration/CreatedBy': loginAt(plan, index),
    'Registration/ModifiedBy': 'demo',
  };
}

/** Values that nearly all records have. */
export function recordValues(plan: DemoPlan, index: number, folder: number | null): Values {
  return {
    Folder: folder,
    Blocked: false,
    ExternalReferences: '[]',
    ...registrationValues(plan, index),
  };
}

type Row = readonly (string | number | boolean | null)[];

/** The records of a set from a table with named columns. */
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

export function* calendarRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options, words } = plan;
  const uid = ranges.Calendars.first;
  yield {
    set: 'Calendars',
    uid,
    values: { Name: 'Public holidays', ...recordValues(plan, 0, 190001) },
  };
  const year = Number(dateText(options.now).slice(0, 4));
  const days = [year - 1, year].flatMap((each) =>
    words.holidays.map(({ day, name }) => ({ date: `${each}-${day}`, name })),
  );
  for (const [index, { date, name }] of days.entries()) {
    const key = keyAt(ranges['Calendars/Holidays'], index);
    yield { set: 'Calendars/Holidays', uid: key, parent: uid, values: { Date: date, Name: name } };
  }
}

export function* scheduleRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, words } = plan;
  let window = 0;
  for (const [index, { name }] of words.schedules.entries()) {
    yield {
      set: 'Schedules',
      uid: keyAt(ranges.Schedules, index),
      values: { Name: name, TimeZone: 'Europe/Amsterdam', ...recordValues(plan, index, 190001) },
    };
  }
  for (const [index, { days, from, to = null }] of words.schedules.entries()) {
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

export function* serviceLevelRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, words } = plan;
  for (const [index, { name }] of words.serviceLevels.entries()) {
    yield {
      set: 'ServiceLevels',
      uid: keyAt(ranges.ServiceLevels, index),
      values: {
        Name: name,
        Description: `${name}: ${words.schedules[index]?.name ?? ''}`,
        IsDefault: name === 'Silver',
        Schedule: keyAt(ranges.Schedules, index),
        ...recordValues(plan, index, 190001),
      },
    };
  }
  let setting = 0;
  for (const [index, { responseMinutes, resolutionHours }] of words.serviceLevels.entries()) {
    for (const [priority, minutes] of responseMinutes.entries()) {
      yield {
        set: 'ServiceLevels/PriorityImpactSettings',
        uid: keyAt(ranges['ServiceLevels/PriorityImpactSettings'], setting++),
        parent: keyAt(ranges.ServiceLevels, index),
        values: {
          Impact: 111001 + priority,
          Priority: 110001 + priority,
          ResponseDuration: minutes * MINUTE_OF_NANOSECONDS,
          ResolveDuration: (resolutionHours[priority] ?? 0) * HOUR_OF_NANOSECONDS,
        },
      };
    }
  }
}

export function* locationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const range = plan.ranges.Locations;
  const rows = plan.words.locations.map(({ code, name, type, timeZone, parent }, index): Row => {
    const hasAddress = type > 205002;
    const address = hasAddress
      ? [`Main street ${index}`, `${1000 + index} AB`, 'Utrecht', null, name.slice(0, 2)]
      : [null, null, null, null, null];
    const parentKey = keyOf(range, plan.words.locations, parent);
    return [code, name, type, timeZone, null, parentKey, ...address];
  });
  const address = ['Street', 'PostalCode', 'City', 'Region', 'Country'].map(
    (name) => `Address/${name}`,
  );
  const names = ['Searchcode', 'Name', 'Type', 'TimeZone', 'Phone', 'ParentLocation', ...address];
  yield* tableRecords(plan, 'Locations', names, rows);
}

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
  const rows = plan.words.organizations.map((organization): Row => {
    const { code, name, secondName = null, category, parent } = organization;
    const domain = `${code.toLowerCase()}.example`;
    const parentKey = keyOf(range, plan.words.organizations, parent);
    const first = [code, name, secondName, category, parentKey, 227001, `info@${domain}`];
    return [
      ...first,
      null,
      `https://www.${domain}/`,
      null,
      'Hill road 1',
      'Utrecht',
      'Netherlands',
    ];
  });
  yield* tableRecords(plan, 'Organizations', [...names, ...others], rows);
}

/** The key of the place with that code; null without one. */
function keyOf(
  range: Range,
  places: readonly { readonly code: string }[],
  code: string | undefined,
): number | null {
  const index = places.findIndex((place) => place.code === code);
  return index < 0 ? null : keyAt(range, index);
}

/** The roles of the model and their rights. */
export function* roleRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options } = plan;
  for (const [index, { name, description, updatesAll }] of options.roles.entries()) {
    yield {
      set: 'Roles',
      uid: keyAt(ranges.Roles, index),
      values: {
        Name: name,
        Description: description ?? null,
        UpdateAllAllowed: updatesAll === true,
        ...registrationValues(plan, index),
      },
    };
  }
  let uid = ranges['Roles/EntityAccess'].first;
  for (const [index, role] of options.roles.entries()) {
    for (const record of accessRecords(role, keyAt(ranges.Roles, index), () => uid++)) yield record;
  }
}

/** The rights of a role, EntityAccess first. */
function* accessRecords(
  { entities, attributes = [] }: RoleDefinition,
  parent: number,
  next: () => number,
): Generator<SeedRecord> {
  for (const { entity, actions, filter } of entities) {
    const rights = ACCESS_ACTIONS.map((action) => [action, actions.includes(action)] as const);
    const values = { Entity: entity, ...Object.fromEntries(rights), Filter: filter ?? null };
    yield { set: 'Roles/EntityAccess', uid: next(), parent, values };
  }
  for (const { entity, attribute, read, modify } of attributes) {
    const values = { Entity: entity, Attribute: attribute, Read: read, Modify: modify };
    yield { set: 'Roles/AttributeAccess', uid: next(), parent, values };
  }
}
