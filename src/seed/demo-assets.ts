// This file generates demo records of services, service level agreements, maintenance contracts, configuration items with their
// relations, and templates.
import { recordValues } from './demo-base.ts';
import {
  type DemoPlan,
  keyAt,
  listedRecords,
  randomKey,
  recordsOf,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { DAY, HOUR_OF_NANOSECONDS, pointText } from './demo-time.ts';

export function serviceRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, words } = plan;
  return listedRecords(plan, 'Services', words.services, (name, index) => ({
    ID: index + 1,
    Name: name,
    Searchcode: name.toUpperCase(),
    Description: index % 4 === 3 ? null : `Everything that has to do with ${name.toLowerCase()}.`,
    Status: index === 16 ? 207001 : 207003,
    Category: 208001 + (index % 4),
    Criticality: 216001 + (index % 4),
    ServiceOwner: keyAt(ranges.Persons, index),
    Provider: keyAt(ranges.Organizations, 3),
    ParentService: index === 2 || index === 4 ? ranges.Services.first : null,
    SupportWorkgroup: keyAt(ranges.Workgroups, index),
    DefaultServiceLevel: keyAt(ranges.ServiceLevels, 1),
    ...recordValues(plan, index, 190001),
  }));
}

export function agreementRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, start, words } = plan;
  return recordsOf(plan, 'ServiceLevelAgreements', (index) => ({
    ID: index + 1,
    Name: `${words.services[index] ?? ''} ${words.serviceLevels[index % words.serviceLevels.length]?.name ?? ''}`,
    Status: index === 8 ? 219004 : 219002,
    ActualStart: pointText(start - 30 * DAY),
    ActualFinish: index === 8 ? pointText(start + 100 * DAY) : null,
    Priority: index === 4 ? null : index + 1,
    Service: keyAt(ranges.Services, index),
    ServiceLevel: keyAt(ranges.ServiceLevels, index),
    Provider: keyAt(ranges.Organizations, 3),
    ...recordValues(plan, index, 190001),
    Blocked: index === 7,
  }));
}

export function contractRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, start, options, words } = plan;
  return recordsOf(plan, 'MaintenanceContracts', (index) => {
    const end = index % 5 === 4 ? null : options.now + (index * 60 - 120) * DAY;
    return {
      ID: index + 1,
      Name: `Maintenance of ${words.products[index % words.products.length] ?? ''}`,
      ContractNumber: `MC-${String(2001 + index)}`,
      Type: 209001 + (index % 4),
      Status: end !== null && end < options.now ? 210004 : 210002,
      StartDate: pointText(start - index * 30 * DAY),
      EndDate: end === null ? null : pointText(end),
      NoticePeriod: index % 3 === 2 ? null : 90 * 24 * HOUR_OF_NANOSECONDS,
      AutoRenew: index % 2 === 0,
      'Price/Amount': index === 6 ? null : `${1250 * (index + 1)}.50`,
      'Price/Currency': index === 6 ? null : 'EUR',
      BillingPeriod: 211001 + (index % 4),
      ResponseTime: 4 * HOUR_OF_NANOSECONDS,
      RepairTime: index === 3 ? null : 48 * HOUR_OF_NANOSECONDS,
      Supplier: keyAt(ranges.Organizations, 6 + (index % 2)),
      Contact: keyAt(ranges.Persons, index + 3),
      Owner: keyAt(ranges.Persons, index),
      Schedule: keyAt(ranges.Schedules, 1 + (index % 2)),
      ...recordValues(plan, index, 190001),
    };
  });
}

const CATEGORIES = [
  142011, 142012, 142013, 142014, 142015, 142016, 142021, 142023, 142003, 142004,
] as const;

export function itemRecords(plan: DemoPlan): Generator<SeedRecord> {
  return recordsOf(plan, 'ConfigurationItems', (index, random) => itemValues(plan, random, index));
}

function itemValues(plan: DemoPlan, random: Random, index: number): Values {
  const { ranges, start, words } = plan;
  const { ConfigurationItems: range } = ranges;
  const purchased = start - random.below(900) * DAY;
  const hasAddress = random.happens(60);
  const host = `${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  return {
    ID: index + 1,
    Searchcode: `CI-${String(index + 1).padStart(6, '0')}`,
    Name1: random.pick(words.products),
    Name2: random.happens(30) ? `"${random.pick(words.things)}"` : null,
    IPAddress: hasAddress
      ? `10.${host}`
      : index % 50 === 49
        ? `2001:db8::${index.toString(16)}`
        : null,
    MacAddress: hasAddress ? `02:00:00:${hex(index >> 16)}:${hex(index >> 8)}:${hex(index)}` : null,
    HostName: hasAddress ? `host-${index + 1}.hillside.example` : null,
    SerialNumber: `SN${(index * 7919 + 104_729).toString(36).toUpperCase()}`,
    OrderNr: random.happens(50) ? `PO-${4000 + (index >> 3)}` : null,
    Remark: index % 25 === 24 ? "Sticker on the back says 'do not touch'." : null,
    Status: 160001 + (random.happens(80) ? 2 : random.below(6)),
    Category: random.pick(CATEGORIES),
    Brand: random.happens(85) ? 217001 + random.below(6) : null,
    Criticality: 216001 + random.below(4),
    'Price/Amount':
      index % 10 === 9 ? null : `${100 + random.below(4000)}.${10 + random.below(90)}`,
    'Price/Currency': index % 10 === 9 ? null : random.happens(90) ? 'EUR' : 'JPY',
    PurchaseDate: pointText(purchased),
    WarrantyDate: pointText(purchased + 1095 * DAY),
    InstallDate: random.happens(80) ? pointText(purchased + 14 * DAY) : null,
    EndOfLife: null,
    MaxInstallations: index % 12 === 11 ? 25 : null,
    Location: index % 11 === 10 ? null : keyAt(ranges.Locations, index),
    Owner: random.happens(75) ? randomKey(random, ranges.Persons) : null,
    OwnerOrganization: keyAt(ranges.Organizations, index % 6),
    Administrator: keyAt(ranges.Persons, index % 10),
    Supplier: keyAt(ranges.Organizations, 6 + (index % 2)),
    MaintenanceContract: index % 4 === 0 ? keyAt(ranges.MaintenanceContracts, index) : null,
    ParentItem: index > 0 && index % 6 === 5 ? range.first + Math.floor(index / 6) : null,
    ...recordValues(plan, index, 190001 + (index % 3)),
  };
}

function hex(value: number): string {
  return (value & 255).toString(16).padStart(2, '0');
}

export function itemRelationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ConfigurationItems: items } = plan.ranges;
  const fromAt = (index: number) => 1 + (index % (items.count - 1));
  return recordsOf(
    plan,
    'ConfigurationItems/ItemRelations',
    (index, random) => ({
      // An item that is reached again gets other relation types, so that no relation is duplicated.
      RelationType: 229001 + (index < items.count - 1 ? random.below(3) : 3 + random.below(2)),
      Direction: 230001 + random.below(3),
      Target: items.first + random.below(fromAt(index)),
    }),
    (index) => items.first + fromAt(index),
  );
}

/** What records made from templates are for, by their types. */
const PURPOSES = [
  ['ServiceRequest', 'help'],
  ['Change', 'replacement'],
  ['Incident', 'failure'],
  ['Workorder', 'installation'],
  ['Problem', 'repeated failure'],
] as const;

export function* templateRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options, words } = plan;
  const purposeAt = (index: number) => PURPOSES[index % PURPOSES.length] ?? PURPOSES[0];
  const nameAt = (index: number) =>
    `${words.things[index % words.things.length] ?? ''}: ${purposeAt(index)[1]}`;
  yield* recordsOf(plan, 'Templates', (index) => {
    const [entity] = purposeAt(index);
    return {
      Name: nameAt(index),
      Description: index % 3 === 2 ? null : 'Fills in what is usual',
      Category: 232001 + (index % 4),
      Entity: options.entities?.[entity] ?? null,
      ...recordValues(plan, index, 190001),
      Blocked: index === 29,
    };
  });
  const templateAt = (index: number) => index >> 1;
  yield* recordsOf(
    plan,
    'Templates/Values',
    (index) => ({
      AttributeName: index % 2 === 0 ? 'Description' : 'Impact',
      Value: index % 2 === 0 ? nameAt(templateAt(index)) : '111004',
      AggregationAttribute: null,
    }),
    (index) => ranges.Templates.first + templateAt(index),
  );
}
