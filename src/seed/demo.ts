// This file is the door to the demo data: records of every set for tests, measurements and for trying the service out. They follow
// from the options alone and come one at a time, so that any number of them takes no memory.
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
  levelRecords,
  locationRecords,
  organizationRecords,
  roleRecords,
  scheduleRecords,
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
  historyRecords,
  mailRecords,
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

/** Generators of the sets, in the order in which what is referred to comes first. */
const PARTS: readonly ((plan: DemoPlan) => Generator<SeedRecord>)[] = [
  calendarRecords,
  scheduleRecords,
  levelRecords,
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
  mailRecords,
  workorderRecords,
  relationRecords,
];

/**
 * All records; no record comes before one that it refers to. Keys are unique over all sets and leave out the values of codes.
 * The file of an attachment is `demoFileText` of its key.
 */
export function* demoRecords(options: DemoOptions): Generator<SeedRecord> {
  const plan = planDemo(options);
  for (const part of PARTS) yield* part(plan);
}

/** The attachments alone, in the order in which they come among all records. */
export function demoAttachments(options: DemoOptions): Generator<SeedRecord> {
  return attachmentRecords(planDemo(options));
}

/** The links of collections that are kept as pairs, to be made when all records are there. */
export function demoLinks(options: DemoOptions): Generator<SeedLink> {
  return linkRecords(planDemo(options));
}

/** How many records there are, containments included, links not. */
export function demoCount(options: Pick<DemoOptions, 'requests' | keyof DemoSource>): number {
  return Object.values(demoSizes(options)).reduce((sum, size) => sum + size, 0);
}

/** A code that the installation has changed after records had come to use it. */
interface CodeChange {
  readonly value: number;
  readonly texts?: Texts;
  readonly disabled?: boolean;
}

/** Codes to be renamed or disabled once the demo records are there: what has them keeps them. */
export const demoCodeChanges: readonly CodeChange[] = [
  { value: 120008, disabled: true },
  { value: 500004, disabled: true },
  {
    value: 120004,
    texts: { en: 'Service counter', nl: 'Servicebalie', de: 'Servicetheke', fr: 'Comptoir' },
  },
];
