// This file generates demo master data: calendars, schedules, service levels, locations, organizations and roles, and the values that
// all records have in common.
import { accessValues, roleValues } from '../edm/account-sets.ts';
import {
  type DemoPlan,
  keyAt,
  listedRecords,
  loginAt,
  type Range,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import { DAY, HOUR_OF_NANOSECONDS, MINUTE_OF_NANOSECONDS, pointText } from './demo-time.ts';

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

export function* calendarRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options, words } = plan;
  const uid = ranges.Calendars.first;
  yield {
    set: 'Calendars',
    uid,
    values: { Name: 'Public holidays', ...recordValues(plan, 0, 190001) },
  };
  const year = Number(pointText(options.now).slice(0, 4));
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
  yield* listedRecords(plan, 'Schedules', words.schedules, ({ name }, index) => ({
    Name: name,
    TimeZone: 'Europe/Amsterdam',
    ...recordValues(plan, index, 190001),
  }));
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
  yield* listedRecords(plan, 'ServiceLevels', words.serviceLevels, ({ name }, index) => ({
    Name: name,
    Description: `${name}: ${words.schedules[index]?.name ?? ''}`,
    IsDefault: name === 'Silver',
    Schedule: keyAt(ranges.Schedules, index),
    ...recordValues(plan, index, 190001),
  }));
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

export function locationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { locations } = plan.words;
  return listedRecords(plan, 'Locations', locations, (location, index) => {
    const { code, name, type, timeZone, parent } = location;
    const hasAddress = type > 205002;
    return {
      Searchcode: code,
      Name: name,
      Type: type,
      TimeZone: timeZone,
      Phone: null,
      ParentLocation: keyOf(plan.ranges.Locations, locations, parent),
      'Address/Street': hasAddress ? `Main street ${index}` : null,
      'Address/PostalCode': hasAddress ? `${1000 + index} AB` : null,
      'Address/City': hasAddress ? 'Utrecht' : null,
      'Address/Region': null,
      'Address/Country': hasAddress ? name.slice(0, 2) : null,
      ...recordValues(plan, index, 190001),
    };
  });
}

export function organizationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { organizations } = plan.words;
  return listedRecords(plan, 'Organizations', organizations, (organization, index) => {
    const { code, name, secondName = null, category, parent } = organization;
    const domain = `${code.toLowerCase()}.example`;
    return {
      Searchcode: code,
      Name1: name,
      Name2: secondName,
      Category: category,
      ParentOrganization: keyOf(plan.ranges.Organizations, organizations, parent),
      Status: 227001,
      Email: `info@${domain}`,
      Phone: null,
      Website: `https://www.${domain}/`,
      VatNumber: null,
      'Address/Street': 'Hill road 1',
      'Address/City': 'Utrecht',
      'Address/Country': 'Netherlands',
      ...recordValues(plan, index, 190001),
    };
  });
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
  yield* listedRecords(plan, 'Roles', options.roles, (role, index) => ({
    ...roleValues(role),
    ...registrationValues(plan, index),
  }));
  let uid = ranges['Roles/EntityAccess'].first;
  for (const [index, role] of options.roles.entries())
    for (const { collection, values } of accessValues(role))
      yield { set: `Roles/${collection}`, uid: uid++, parent: keyAt(ranges.Roles, index), values };
}
