// This file generates the demo data: records of every set for evaluation, tests and benchmarks. The records depend only on the options
// and are generated one at a time, so that memory use does not grow with their number.
import type { Texts } from '../edm/model.ts';
import * as assets from './demo-assets.ts';
import * as base from './demo-base.ts';
import { changeRecords } from './demo-changes.ts';
import { otherMailRecords } from './demo-emails.ts';
import { requestRecords } from './demo-history.ts';
import { agreementLinks, otherLinks } from './demo-links.ts';
import * as people from './demo-people.ts';
import {
  type DemoOptions,
  type DemoPlan,
  planDemo,
  type SeedLink,
  type SeedRecord,
} from './demo-plan.ts';
import { incidentRecords, problemRecords } from './demo-problems.ts';
import { projectRecords, relationRecords } from './demo-projects.ts';
import { attachmentRecords } from './demo-requests.ts';
import { type DemoScale, demoSizes } from './demo-sizes.ts';
import { workorderRecords } from './demo-workorders.ts';

type Part = (plan: DemoPlan) => Generator<SeedRecord>;

/** The generators of the sets that clocks depend on, referenced sets first. */
const MASTER_PARTS: readonly Part[] = [
  base.calendarRecords,
  base.scheduleRecords,
  base.serviceLevelRecords,
  base.locationRecords,
  base.organizationRecords,
  people.personRecords,
  base.roleRecords,
  people.accountRecords,
  people.workgroupRecords,
  assets.serviceRecords,
  assets.agreementRecords,
];

/** The generators of the other sets, referenced sets first. */
const WORK_PARTS: readonly Part[] = [
  assets.contractRecords,
  assets.itemRecords,
  assets.itemRelationRecords,
  assets.templateRecords,
  projectRecords,
  problemRecords,
  changeRecords,
  incidentRecords,
  requestRecords,
  attachmentRecords,
  otherMailRecords,
  workorderRecords,
  relationRecords,
];

/**
 * Generates all records. A record comes after those that it refers to. Keys are unique across all sets and exclude the values of
 * codes.
 */
export function* demoRecords(options: DemoOptions): Generator<SeedRecord> {
  yield* masterRecords(options);
  yield* workRecords(options);
}

/** Generates the records that clocks depend on: people, organizations, services and agreements. */
export function masterRecords(options: DemoOptions): Generator<SeedRecord> {
  return recordsOfParts(MASTER_PARTS, options);
}

/**
 * Generates the other records.
 * @param onMark called for each line about a mark, before it is generated
 */
export function* workRecords(
  options: DemoOptions,
  onMark: () => void = () => undefined,
): Generator<SeedRecord> {
  const { firstMark } = planDemo(options);
  for (const record of recordsOfParts(WORK_PARTS, options)) {
    if (record.uid >= firstMark) onMark();
    yield record;
  }
}

function* recordsOfParts(parts: readonly Part[], options: DemoOptions): Generator<SeedRecord> {
  const plan = planDemo(options);
  for (const part of parts) yield* part(plan);
}

/** Generates only the attachments, in the same order. */
export function demoAttachments(options: DemoOptions): Generator<SeedRecord> {
  return attachmentRecords(planDemo(options));
}

/** Generates the links of many-to-many navigations, to be created after all records. */
export function* demoLinks(options: DemoOptions): Generator<SeedLink> {
  yield* masterLinks(options);
  yield* workLinks(options);
}

/** Generates the links that clocks depend on. */
export function masterLinks(options: DemoOptions): Generator<SeedLink> {
  return agreementLinks(planDemo(options));
}

/** Generates the other links. */
export function workLinks(options: DemoOptions): Generator<SeedLink> {
  return otherLinks(planDemo(options));
}

/** The number of records, including contained ones but neither links nor lines about marks, which depend on clocks. */
export function demoCount(options: DemoScale): number {
  return Object.values(demoSizes(options)).reduce((sum, size) => sum + size, 0);
}

/** A change to a code after records have used it. */
interface CodeChange {
  readonly value: number;
  readonly texts?: Texts;
  readonly disabled?: boolean;
}

/** Codes to rename or disable after the demo records are created. Existing records keep them. */
export const demoCodeChanges: readonly CodeChange[] = [
  { value: 120008, disabled: true },
  { value: 500004, disabled: true },
  {
    value: 120004,
    texts: { en: 'Service counter', nl: 'Servicebalie', de: 'Servicetheke', fr: 'Comptoir' },
  },
];
