// This file generates the demo data: records of every set for evaluation, tests and benchmarks. The records depend only on the options
// and are generated one at a time, so that memory use does not grow with their number.
import type { Texts } from '../edm/model.ts';
import {
  agreementRecords,
  contractRecords,
  itemRecords,
  itemRelationRecords,
  serviceRecords,
  templateRecords,
} from './demo-assets.ts';
import {
  calendarRecords,
  locationRecords,
  organizationRecords,
  roleRecords,
  scheduleRecords,
  serviceLevelRecords,
} from './demo-base.ts';
import { linkRecords } from './demo-links.ts';
import { accountRecords, personRecords, workgroupRecords } from './demo-people.ts';
import {
  type DemoExtent,
  type DemoOptions,
  type DemoPlan,
  type DemoSource,
  demoSizes,
  planDemo,
  type SeedLink,
  type SeedRecord,
} from './demo-plan.ts';
import {
  attachmentRecords,
  demoFileText,
  emailRecords,
  historyRecords,
  requestRecords,
} from './demo-requests.ts';
import {
  changeRecords,
  incidentRecords,
  problemRecords,
  projectRecords,
  relationRecords,
  voteRecords,
  workorderRecords,
} from './demo-work.ts';

export type { DemoExtent, DemoOptions, SeedLink, SeedRecord };
export { demoFileText };

/** The generators of the sets, referenced sets first. */
const PARTS: readonly ((plan: DemoPlan) => Generator<SeedRecord>)[] = [
  calendarRecords,
  scheduleRecords,
  serviceLevelRecords,
  locationRecords,
  organizationRecords,
  personRecords,
  roleRecords,
  accountRecords,
  workgroupRecords,
  serviceRecords,
  agreementRecords,
  contractRecords,
  itemRecords,
  itemRelationRecords,
  templateRecords,
  projectRecords,
  problemRecords,
  changeRecords,
  voteRecords,
  incidentRecords,
  requestRecords,
  historyRecords,
  attachmentRecords,
  emailRecords,
  workorderRecords,
  relationRecords,
];

/**
 * Generates all records. A record comes after those that it refers to. Keys are unique across all sets and exclude the values of
 * codes. `demoFileText` returns the content of an attachment by its key.
 */
export function* demoRecords(options: DemoOptions): Generator<SeedRecord> {
  const plan = planDemo(options);
  for (const part of PARTS) yield* part(plan);
}

/** Generates only the attachments, in the same order. */
export function demoAttachments(options: DemoOptions): Generator<SeedRecord> {
  return attachmentRecords(planDemo(options));
}

/** Generates the links of many-to-many navigations, to be created after all records. */
export function demoLinks(options: DemoOptions): Generator<SeedLink> {
  return linkRecords(planDemo(options));
}

/** The number of records, including contained ones but not links. */
export function demoCount(options: Pick<DemoOptions, 'requests' | keyof DemoSource>): number {
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
