// This file holds people and where they belong: persons, workgroups, organisations and locations, the accounts and roles by which
// they come in, and Me, the person who asks.

import { attributeAccessMembers, entityAccessMembers, roleMembers } from '../edm/account-sets.ts';
import {
  boolean,
  code,
  complex,
  containedOne,
  dateTime,
  entitySet,
  entityType,
  functionImport,
  functionOf,
  many,
  one,
  returning,
  text,
} from '../edm/define.ts';
import type { EntitySet, Member, NamedType, Operation, OperationImport } from '../edm/model.ts';
import { defaultCode } from './code-list.ts';
import { registration, requiredName, uid } from './common.ts';
import type { Additions } from './custom-fields.ts';

/** The types of this file. */
export function peopleTypes(additions: Additions): readonly NamedType[] {
  return [
    person(additions),
    workgroup,
    organization(additions),
    location(additions),
    ...accountTypes,
  ];
}

/** The sets that the service document lists, by name. */
export const peopleSets = {
  Workgroups: entitySet('Workgroups', 'Workgroup', { singular: 'Workgroup' }),
  Persons: entitySet('Persons', 'Person', { singular: 'Person' }),
  Locations: entitySet('Locations', 'Location', { singular: 'Location' }),
  Organizations: entitySet('Organizations', 'Organization', { singular: 'Organization' }),
} as const satisfies Record<string, EntitySet>;

export const accountSets: readonly EntitySet[] = [
  entitySet('Accounts', 'Account', { singular: 'Account', administrative: true, listed: false }),
  entitySet('Roles', 'Role', { singular: 'Role', administrative: true, listed: false }),
];

export const peopleOperations: readonly Operation[] = [
  functionOf('Me', [], {
    returns: returning('Person', { nullable: true }),
    composable: true,
    expression: '$root/Persons(@me)',
    description: 'The person behind the account that asks',
  }),
];

export const peopleImports: readonly OperationImport[] = [
  functionImport('Me', 'Me', {
    set: 'Persons',
    ignoredOptions: ['$filter', '$orderby', '$top', '$skip'],
    description: 'The person behind the account that asks',
  }),
];

/** `Last, First`, or the last name alone; null where there is none. */
const displayName = "case(FirstName eq null:LastName,true:concat(concat(LastName,', '),FirstName))";

/** `LAST, FIRST 4711`: the key makes it unique. */
const personSearchcode = "concat(concat(substring(toupper(Name),0,100),' '),cast(Uid,Edm.String))";

function person(additions: Additions): NamedType {
  return entityType(
    'Person',
    [...personNames, ...personDetails, ...personRelations, ...additions('Person')],
    { base: 'Record', alternateKeys: [['Searchcode']], description: 'A person' },
  );
}

const personNames: readonly Member[] = [
  text('FirstName', { maxLength: 80, searchable: true }),
  text('LastName', { maxLength: 80, searchable: true, indexed: true }),
  text('MiddleName', { maxLength: 80 }),
  text('Name', {
    nullable: false,
    maxLength: 255,
    searchable: true,
    indexed: true,
    generated: { by: 'initial', expression: displayName },
    description: 'Display name; made of the last and first name where it is not given',
  }),
  text('Initials', { maxLength: 20 }),
  text('Title', { maxLength: 40 }),
  text('Searchcode', {
    maxLength: 128,
    unique: true,
    generated: { by: 'initial', expression: personSearchcode },
    description: 'Short unique name; made of the name where it is not given',
  }),
];

const personDetails: readonly Member[] = [
  code('Gender', 'Gender'),
  text('Jobtitle', { maxLength: 128, searchable: true }),
  text('Email', { maxLength: 320 }),
  text('EmailLowerCase', {
    maxLength: 320,
    indexed: true,
    generated: { by: 'expression', expression: 'tolower(Email)' },
    description: 'The e-mail address in lower case, to find a person by',
  }),
  text('Phone', { maxLength: 40 }),
  text('MobilePhone', { maxLength: 40 }),
  dateTime('Birthdate'),
  code('Category', 'PersonCategory'),
  code('Status', 'PersonStatus', { indexed: true, default: defaultCode(150, 1) }),
  text('Language', { maxLength: 10 }),
  text('TimeZone', { maxLength: 64, description: 'Name in the IANA time zone database' }),
  text('EmployeeNumber', { maxLength: 40, indexed: true }),
  dateTime('OutOfOfficeUntil'),
];

const personRelations: readonly Member[] = [
  one('Organization', 'Organization', { partner: 'Persons' }),
  one('Location', 'Location', { partner: 'Persons' }),
  one('Manager', 'Person', { partner: 'DirectReports' }),
  many('DirectReports', 'Person', { partner: 'Manager' }),
  one('Deputy', 'Person', { description: 'Who stands in' }),
  many('Workgroups', 'Workgroup', { partner: 'Members' }),
  many('OwnedItems', 'ConfigurationItem', { partner: 'Owner' }),
  containedOne('Account', 'Account', {
    inverse: true,
    partner: 'Person',
    discloses: { members: ['Name'], whole: 'LoginName eq @account' },
  }),
];

const workgroup = entityType(
  'Workgroup',
  [
    requiredName('Name'),
    text('Searchcode', { maxLength: 128, indexed: true }),
    code('Status', 'WorkgroupStatus', { indexed: true, default: defaultCode(220, 1) }),
    text('Email', { maxLength: 320 }),
    code('Autoassign', 'Autoassign', {
      default: defaultCode(213, 1),
      description: 'How new work finds a person',
    }),
    one('Manager', 'Person'),
    one('Organization', 'Organization'),
    one('ParentWorkgroup', 'Workgroup', { partner: 'ChildWorkgroups', acyclic: true }),
    many('ChildWorkgroups', 'Workgroup', { partner: 'ParentWorkgroup' }),
    many('Members', 'Person', { partner: 'Workgroups' }),
  ],
  { base: 'Record', description: 'People who do work together' },
);

function organization(additions: Additions): NamedType {
  return entityType(
    'Organization',
    [
      requiredName('Name1'),
      text('Name2', { maxLength: 128, searchable: true }),
      text('Searchcode', { maxLength: 128, indexed: true }),
      text('Email', { maxLength: 320 }),
      text('Phone', { maxLength: 40 }),
      text('Website', { maxLength: 255 }),
      text('VatNumber', { maxLength: 40 }),
      code('Category', 'OrganizationCategory'),
      code('Status', 'OrganizationStatus', { indexed: true, default: defaultCode(227, 1) }),
      complex('Address', 'Address'),
      one('Contact', 'Person'),
      one('ParentOrganization', 'Organization', { partner: 'ChildOrganizations', acyclic: true }),
      many('ChildOrganizations', 'Organization', { partner: 'ParentOrganization' }),
      many('Persons', 'Person', { partner: 'Organization' }),
      many('ServiceLevelAgreements', 'ServiceLevelAgreement', {
        partner: 'ReceiverOrganizations',
        onDelete: 'set-null',
      }),
      many('MaintenanceContracts', 'MaintenanceContract', { partner: 'Supplier' }),
      ...additions('Organization'),
    ],
    { base: 'Record', description: 'An organisation or a part of one' },
  );
}

function location(additions: Additions): NamedType {
  return entityType(
    'Location',
    [
      requiredName('Name'),
      text('Searchcode', { maxLength: 128, indexed: true }),
      code('Type', 'LocationType'),
      complex('Address', 'Address'),
      text('Phone', { maxLength: 40 }),
      text('TimeZone', { maxLength: 64, description: 'Name in the IANA time zone database' }),
      one('ParentLocation', 'Location', { partner: 'ChildLocations', acyclic: true }),
      many('ChildLocations', 'Location', { partner: 'ParentLocation' }),
      many('Persons', 'Person', { partner: 'Location' }),
      many('ConfigurationItems', 'ConfigurationItem', { partner: 'Location' }),
      ...additions('Location'),
    ],
    { base: 'Record', description: 'A place, from a country down to a room' },
  );
}

const accountTypes: readonly NamedType[] = [
  entityType(
    'Account',
    [
      uid(),
      registration(),
      text('LoginName', { nullable: false, maxLength: 128, unique: true }),
      text('Name', { maxLength: 128, description: 'Name that is shown' }),
      boolean('Blocked', { description: 'May not log in' }),
      text('Language', { maxLength: 10 }),
      code('Type', 'AccountType', { default: defaultCode(204, 1) }),
      dateTime('LastLogin', { computed: true }),
      one('Person', 'Person', { partner: 'Account' }),
      many('Roles', 'Role', { partner: 'Accounts' }),
    ],
    { key: ['Uid'], alternateKeys: [['LoginName']], description: 'Who may log in' },
  ),
  entityType(
    'Role',
    [
      uid(),
      registration(),
      { ...requiredName('Name'), unique: true },
      ...roleMembers,
      many('Accounts', 'Account', { partner: 'Roles', onDelete: 'set-null' }),
    ],
    { key: ['Uid'], description: 'What those who have it may do' },
  ),
  entityType('EntityAccess', [uid(), ...entityAccessMembers], {
    key: ['Uid'],
    description: 'What a role may do with one kind of entity, with all of them or some',
  }),
  entityType('AttributeAccess', [uid(), ...attributeAccessMembers], {
    key: ['Uid'],
    description: 'What a role may not see or change of one kind of entity',
  }),
];
