// This file generates demo records of persons, with names in several scripts, their accounts, and workgroups.
import { recordValues, registrationValues } from './demo-base.ts';
import {
  type DemoPlan,
  keyAt,
  listedRecords,
  perPlan,
  recordsOf,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { DAY, pointText } from './demo-time.ts';
import type { DemoVocabulary } from './vocabulary.ts';

export function personRecords(plan: DemoPlan): Generator<SeedRecord> {
  return recordsOf(plan, 'Persons', (index, random) => personValues(plan, random, index));
}

/** The key of a person's organization, which depends only on the key of the person. */
export function organizationOf(plan: DemoPlan, person: number): number {
  return keyAt(plan.ranges.Organizations, person - plan.ranges.Persons.first);
}

/** Whether the category of the person raises the priority. */
export function isVip({ ranges }: DemoPlan, person: number): boolean {
  return person === ranges.Persons.first + 1;
}

/** The address of the person with that index. Some have none. */
export function emailOf(index: number): string | null {
  return index % 23 === 19 ? null : `Person.${index + 1}@Hillside.Example`;
}

function personValues(plan: DemoPlan, random: Random, index: number): Values {
  const { ranges, options, words } = plan;
  const { Persons: range } = ranges;
  const uid = range.first + index;
  const { first, last, name, language } = personName(words, random, index);
  const email = emailOf(index);
  const isBlocked = index % 15 === 7;
  return {
    FirstName: first,
    LastName: last,
    MiddleName: index % 9 === 4 ? 'van' : null,
    Name: name,
    Initials: first === null ? null : `${first.slice(0, 1)}.`,
    Title: index % 17 === 3 ? 'Dr.' : null,
    Searchcode: `${name.toUpperCase().slice(0, 100)} ${uid}`,
    Gender: index % 5 === 4 ? null : 214001 + random.below(4),
    Jobtitle: random.happens(90) ? random.pick(words.jobTitles) : null,
    Email: email,
    EmailLowerCase: email === null ? null : email.toLowerCase(),
    Phone: `+31 30 555 ${String(index % 10_000).padStart(4, '0')}`,
    MobilePhone: random.happens(40) ? `+31 6 ${10_000_000 + random.below(89_999_999)}` : null,
    Birthdate: random.happens(70) ? pointText(-(index % 7000) * DAY) : null,
    Category: isVip(plan, uid) ? 151005 : 151001 + random.below(4),
    Status: isBlocked ? 150003 : random.happens(95) ? 150001 : 150002,
    Language: language,
    TimeZone: index % 4 === 0 ? 'Europe/Amsterdam' : null,
    EmployeeNumber: `E${String(index + 1).padStart(6, '0')}`,
    OutOfOfficeUntil: index % 31 === 30 ? pointText(options.now + 5 * DAY) : null,
    Organization: organizationOf(plan, uid),
    Location: index % 13 === 12 ? null : keyAt(ranges.Locations, index),
    Manager: index < 5 ? null : range.first + Math.floor(index / 8),
    Deputy: index > 0 && index % 5 === 0 ? uid - 1 : null,
    ...recordValues(plan, index, index % 19 === 18 ? 190004 : 190001 + (index % 3)),
    Blocked: isBlocked ? true : index % 3 === 0 ? null : false,
  };
}

/** The names of all persons. Records show them where they refer to persons. */
export const personNames = perPlan((plan) =>
  [...personRecords(plan)].map(({ values }) => String(values.Name)),
);

function personName({ names }: DemoVocabulary, random: Random, index: number) {
  const list = random.happens(70) ? (names[index % 4] ?? names[0]) : random.pick(names);
  const first = index % 40 === 11 ? null : random.pick(list.given);
  const last =
    index % 60 === 59
      ? `${random.pick(list.family)}-`.repeat(5).slice(0, 79)
      : random.pick(list.family);
  const name = first === null ? last : `${last}, ${first}`;
  return { first, last, name, language: list.language };
}

export function accountRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, words } = plan;
  return listedRecords(plan, 'Accounts', words.accounts, ({ login }, index) => {
    const isIntegration = login === 'integration';
    return {
      LoginName: login,
      Name: `${login.slice(0, 1).toUpperCase()}${login.slice(1)}`,
      Blocked: login === 'former',
      Language: ['en', 'nl', 'de', 'fr'][index % 4] ?? 'en',
      Type: isIntegration ? 204003 : 204001 + (index % 2),
      LastLogin: index % 3 === 0 ? null : pointText(plan.options.now - index * DAY),
      Person: isIntegration ? null : keyAt(ranges.Persons, index),
      ...registrationValues(plan, index),
    };
  });
}

export function workgroupRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, words } = plan;
  return listedRecords(plan, 'Workgroups', words.workgroups, (name, index) => ({
    Name: name,
    Searchcode: name.toUpperCase(),
    Status: 220001,
    Email: `${name.toLowerCase().replaceAll(' ', '.')}@hillside.example`,
    Autoassign: 213001 + (index % 3),
    Manager: keyAt(ranges.Persons, index + 1),
    Organization: keyAt(ranges.Organizations, 3),
    ParentWorkgroup: index > 1 && index < 6 ? keyAt(ranges.Workgroups, 1) : null,
    ...recordValues(plan, index, 190001),
  }));
}
