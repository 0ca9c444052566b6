// This file holds what the service desk looks after and what it has promised: configuration items, services, maintenance contracts,
// service level agreements, and the levels, schedules and calendars by which time is counted.
import {
  boolean,
  code,
  complex,
  contained,
  date,
  dateTime,
  duration,
  entitySet,
  entityType,
  int32,
  many,
  one,
  text,
  timeOfDay,
} from '../edm/define.ts';
import type { EntitySet, Member, NamedType } from '../edm/model.ts';
import { defaultCode } from './code-list.ts';
import { numberedRecord, requiredName, runningNumber, uid } from './common.ts';
import type { Additions } from './custom-fields.ts';

/** The types of this file. */
export function assetTypes(additions: Additions): readonly NamedType[] {
  return [
    configurationItem(additions),
    itemRelation,
    service(additions),
    maintenanceContract(additions),
    serviceLevelAgreement,
    ...timeTypes,
  ];
}

/** The sets that the service document lists among the fifteen, by name. */
export const assetSets = {
  ConfigurationItems: entitySet('ConfigurationItems', 'ConfigurationItem', {
    singular: 'ConfigurationItem',
  }),
  Services: entitySet('Services', 'Service', { singular: 'Service' }),
  MaintenanceContracts: entitySet('MaintenanceContracts', 'MaintenanceContract', {
    singular: 'MaintenanceContract',
  }),
  ServiceLevelAgreements: entitySet('ServiceLevelAgreements', 'ServiceLevelAgreement', {
    singular: 'ServiceLevelAgreement',
  }),
} as const satisfies Record<string, EntitySet>;

/** The sets that the service document lists after the fifteen. */
export const timeSets: readonly EntitySet[] = [
  entitySet('ServiceLevels', 'ServiceLevel', { singular: 'ServiceLevel' }),
  entitySet('Schedules', 'Schedule', { singular: 'Schedule' }),
  entitySet('Calendars', 'Calendar', { singular: 'Calendar' }),
];

const itemProperties: readonly Member[] = [
  runningNumber(),
  text('Searchcode', {
    maxLength: 128,
    unique: true,
    searchable: true,
    description: 'Short unique name',
  }),
  requiredName('Name1'),
  text('Name2', { maxLength: 128, searchable: true }),
  text('IPAddress', { maxLength: 45, indexed: true, description: 'IPv4 or IPv6 address' }),
  text('MacAddress', { maxLength: 23 }),
  text('HostName', { maxLength: 253, indexed: true }),
  text('SerialNumber', { maxLength: 80, indexed: true }),
  text('OrderNr', { maxLength: 80 }),
  text('Remark', { searchable: true }),
  code('Status', 'ConfigurationItemStatus', { indexed: true, default: defaultCode(160, 1) }),
  code('Category', 'ConfigurationItemCategory'),
  code('Brand', 'Brand'),
  code('Criticality', 'Criticality'),
  complex('Price', 'Money'),
  dateTime('PurchaseDate'),
  dateTime('WarrantyDate'),
  dateTime('InstallDate'),
  dateTime('EndOfLife'),
  int32('MaxInstallations', { description: 'How often a licence may be used' }),
];

const itemRelations: readonly Member[] = [
  one('Location', 'Location', { partner: 'ConfigurationItems' }),
  one('Owner', 'Person', { partner: 'OwnedItems' }),
  one('OwnerOrganization', 'Organization'),
  one('Administrator', 'Person'),
  one('Supplier', 'Organization'),
  one('MaintenanceContract', 'MaintenanceContract', { description: 'The main contract' }),
  many('MaintenanceContracts', 'MaintenanceContract', {
    partner: 'ConfigurationItems',
    onDelete: 'set-null',
  }),
  one('ParentItem', 'ConfigurationItem', { partner: 'ChildItems', acyclic: true }),
  many('ChildItems', 'ConfigurationItem', { partner: 'ParentItem' }),
  many('Users', 'Person'),
  many('Services', 'Service', { partner: 'ConfigurationItems' }),
  contained('ItemRelations', 'ItemRelation', {
    description: 'What it depends on and is connected to',
  }),
  many('ServiceRequests', 'ServiceRequest', { partner: 'ConfigurationItem' }),
  many('Incidents', 'Incident', { partner: 'ConfigurationItem' }),
  many('Problems', 'Problem', { partner: 'ConfigurationItem' }),
  many('Changes', 'Change', { partner: 'ConfigurationItem' }),
];

function configurationItem(additions: Additions): NamedType {
  return entityType(
    'ConfigurationItem',
    [...itemProperties, ...itemRelations, ...additions('ConfigurationItem')],
    {
      base: 'Record',
      alternateKeys: [['ID'], ['Searchcode']],
      description: 'A thing that services are made of: a device, a program, a document',
    },
  );
}

const itemRelation = entityType(
  'ItemRelation',
  [
    uid(),
    code('RelationType', 'ItemRelationType'),
    code('Direction', 'RelationDirection', { default: defaultCode(230, 1) }),
    one('Target', 'ConfigurationItem'),
  ],
  {
    key: ['Uid'],
    relates: { target: 'Target', type: 'RelationType' },
    description: 'How one item is related to another',
  },
);

function service(additions: Additions): NamedType {
  return entityType(
    'Service',
    [
      runningNumber(),
      requiredName('Name'),
      text('Searchcode', { maxLength: 128, indexed: true }),
      text('Description', { searchable: true }),
      code('Status', 'ServiceStatus', { indexed: true, default: defaultCode(207, 1) }),
      code('Category', 'ServiceCategory'),
      code('Criticality', 'Criticality'),
      one('ServiceOwner', 'Person'),
      one('Provider', 'Organization'),
      one('ParentService', 'Service', { partner: 'ChildServices', acyclic: true }),
      many('ChildServices', 'Service', { partner: 'ParentService' }),
      many('ConfigurationItems', 'ConfigurationItem', { partner: 'Services' }),
      many('ServiceLevelAgreements', 'ServiceLevelAgreement', { partner: 'Service' }),
      one('SupportWorkgroup', 'Workgroup'),
      one('DefaultServiceLevel', 'ServiceLevel'),
      ...additions('Service'),
    ],
    { ...numberedRecord, description: 'Something that is provided to others' },
  );
}

function maintenanceContract(additions: Additions): NamedType {
  return entityType(
    'MaintenanceContract',
    [
      runningNumber(),
      requiredName('Name'),
      text('ContractNumber', { maxLength: 80, unique: true }),
      code('Type', 'ContractType'),
      code('Status', 'ContractStatus', { indexed: true, default: defaultCode(210, 1) }),
      dateTime('StartDate'),
      dateTime('EndDate', { indexed: true }),
      duration('NoticePeriod'),
      boolean('AutoRenew'),
      complex('Price', 'Money'),
      code('BillingPeriod', 'BillingPeriod'),
      duration('ResponseTime'),
      duration('RepairTime'),
      one('Supplier', 'Organization', { partner: 'MaintenanceContracts' }),
      one('Contact', 'Person'),
      one('Owner', 'Person'),
      many('ConfigurationItems', 'ConfigurationItem', { partner: 'MaintenanceContracts' }),
      many('Services', 'Service'),
      one('Schedule', 'Schedule', { description: 'When the supplier can be called' }),
      ...additions('MaintenanceContract'),
    ],
    { ...numberedRecord, description: 'What a supplier has promised' },
  );
}

const serviceLevelAgreement = entityType(
  'ServiceLevelAgreement',
  [
    runningNumber(),
    requiredName('Name'),
    code('Status', 'ServiceLevelAgreementStatus', {
      indexed: true,
      default: defaultCode(219, 1),
    }),
    dateTime('ActualStart', { description: 'Valid from' }),
    dateTime('ActualFinish', { description: 'Valid until, not included' }),
    int32('Priority', { description: 'Which one counts when several match: the lowest' }),
    one('Service', 'Service', { partner: 'ServiceLevelAgreements' }),
    one('ServiceLevel', 'ServiceLevel'),
    one('Provider', 'Organization'),
    many('ReceiverOrganizations', 'Organization', { partner: 'ServiceLevelAgreements' }),
    many('ReceiverPersons', 'Person'),
  ],
  { ...numberedRecord, description: 'Which level of a service was promised to whom' },
);

const timeTypes: readonly NamedType[] = [
  entityType(
    'ServiceLevel',
    [
      requiredName('Name'),
      text('Description', { searchable: true }),
      boolean('IsDefault', { description: 'Counts where no agreement does' }),
      one('Schedule', 'Schedule'),
      contained('PriorityImpactSettings', 'PriorityImpactSetting'),
    ],
    { base: 'Record', description: 'How soon something is responded to and resolved' },
  ),
  entityType(
    'PriorityImpactSetting',
    [
      uid(),
      code('Impact', 'Impact'),
      code('Priority', 'Priority', { description: 'The priority that work of that impact gets' }),
      duration('ResponseDuration', { description: 'Service time until the response' }),
      duration('ResolveDuration', { description: 'Service time until it is resolved' }),
    ],
    { key: ['Uid'], description: 'Priority and times for one impact' },
  ),
  entityType(
    'Schedule',
    [
      requiredName('Name'),
      text('TimeZone', { maxLength: 64, description: 'Name in the IANA time zone database' }),
      contained('Windows', 'ScheduleWindow'),
      many('Calendars', 'Calendar', { description: 'Days off' }),
    ],
    { base: 'Record', description: 'When service time passes' },
  ),
  entityType(
    'ScheduleWindow',
    [
      uid(),
      int32('Weekday', {
        description: '1 (Monday) to 7 (Sunday)',
        annotations: { 'Validation.Minimum': 1, 'Validation.Maximum': 7 },
      }),
      timeOfDay('From'),
      timeOfDay('To', { description: 'Not included; null for the end of the day' }),
    ],
    { key: ['Uid'], description: 'A part of a weekday in which service time passes' },
  ),
  entityType('Calendar', [requiredName('Name'), contained('Holidays', 'Holiday')], {
    base: 'Record',
    description: 'Days on which no service time passes',
  }),
  entityType('Holiday', [uid(), date('Date'), text('Name', { maxLength: 128 })], {
    key: ['Uid'],
    description: 'A day off',
  }),
];
