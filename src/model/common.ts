// This file holds what all records of the suite share: the complex types, the abstract Record, and the lines and files that a
// record contains. What work has in common besides is in work-item.ts.
import {
  boolean,
  code,
  collectionOf,
  complex,
  complexType,
  contained,
  dateTime,
  decimal,
  duration,
  entityType,
  int32,
  int64,
  one,
  text,
} from '../edm/define.ts';
import type { NamedType, Property } from '../edm/model.ts';
import { codeNumber, defaultCode } from './code-list.ts';

/** The key of every entity: one numbering for the whole installation. */
export function uid(): Property {
  return int64('Uid', {
    nullable: false,
    generated: { by: 'key' },
    description: 'Key, given by the server; unique in the whole installation',
  });
}

/** Who made and changed the entity, and when. */
export function registration(): Property {
  return complex('Registration', 'Registration', {
    nullable: false,
    computed: true,
    description: 'Who made and changed it, and when; kept by the server',
  });
}

/** The running number by which people speak of a record. */
export function runningNumber(): Property {
  return int64('ID', {
    nullable: false,
    unique: true,
    generated: { by: 'sequence' },
    description: 'Running number in its set, given by the server',
  });
}

/** A name that must be given at creation. */
export function requiredName(name: string, maxLength = 128): Property {
  return text(name, { nullable: false, maxLength, searchable: true, indexed: true });
}

/** The options of an entity type that is addressed by Uid and, like all work, by ID. */
export const numberedRecord = { base: 'Record', alternateKeys: [['ID']] } as const;

export const sharedComplexTypes: readonly NamedType[] = [
  complexType(
    'Code',
    [
      text('Text', { maxLength: 255, description: "The code in the reader's language" }),
      int64('Value', { description: 'The identifier of the code' }),
    ],
    {
      coded: { value: 'Value', text: 'Text' },
      description: 'A value of a code list; it can be set by Value, by Text, or by both',
    },
  ),
  complexType(
    'Registration',
    [
      dateTime('DateCreated', { generated: { by: 'created' } }),
      dateTime('DateModified', { generated: { by: 'modified' }, indexed: true }),
      text('CreatedBy', {
        maxLength: 128,
        generated: { by: 'creator' },
        description: 'Name of the account',
      }),
      text('ModifiedBy', {
        maxLength: 128,
        generated: { by: 'modifier' },
        description: 'Name of the account',
      }),
    ],
    { description: 'Who made and changed an entity, and when' },
  ),
  complexType('Money', [
    decimal('Amount', { precision: 12, scale: 2 }),
    text('Currency', { maxLength: 3, description: 'ISO 4217 code' }),
  ]),
  complexType('Address', [
    text('Street', { maxLength: 128 }),
    text('PostalCode', { maxLength: 20 }),
    text('City', { maxLength: 80 }),
    text('Region', { maxLength: 80 }),
    text('Country', { maxLength: 80 }),
  ]),
  complexType(
    'ExternalReference',
    [
      text('System', { maxLength: 50, description: 'Name of the other system' }),
      text('Id', { maxLength: 200, description: 'Identifier in the other system' }),
      text('Url', { maxLength: 2000 }),
      dateTime('LastSync'),
    ],
    { description: 'The same thing in another system' },
  ),
  complexType('TimeWindow', [dateTime('Start'), dateTime('End')], {
    description: 'A period with its beginning and end',
  }),
  complexType(
    'Translation',
    [
      text('Language', { nullable: false, maxLength: 10 }),
      text('Text', { nullable: false, maxLength: 255 }),
    ],
    { description: 'A text in one language' },
  ),
];

export const workComplexTypes: readonly NamedType[] = [
  complexType(
    'Assignment',
    [
      one('AssigneeWorkgroup', 'Workgroup', { description: 'The group that does the work' }),
      one('AssigneePerson', 'Person', { description: 'The person who does the work' }),
      code('Status', 'AssignmentStatus'),
      code('Priority', 'Priority'),
      dateTime('AssignedAt', { computed: true }),
      text('ReferenceNumber', { maxLength: 80, description: 'Number given by who does the work' }),
      one('AssignedBy', 'Person', { computed: true }),
    ],
    { description: 'Who does the work' },
  ),
  complexType(
    'Approval',
    [
      code('Status', 'ApprovalStatus'),
      text('Description', { maxLength: 80 }),
      dateTime('Deadline'),
      int32('NrOfApprovers', { computed: true }),
      int32('NrOfApproversRequired'),
      int32('NrOfApproversApproved', { computed: true }),
      one('Workgroup', 'Workgroup', { description: 'The group whose members may vote' }),
    ],
    { description: 'How far the approval is' },
  ),
  complexType(
    'SlaClock',
    [
      code('State', 'SlaClockState'),
      dateTime('ResponseDeadline'),
      dateTime('ResolveDeadline'),
      dateTime('RespondedAt'),
      dateTime('ResolvedAt'),
      duration('PausedTotal', { description: 'Time in which the clock stood still' }),
      duration('Elapsed', { description: 'Service time that has passed' }),
      duration('Remaining', { description: 'Service time that is left' }),
      one('ServiceLevel', 'ServiceLevel', { computed: true }),
    ],
    { description: 'What was promised and how much of it is left; kept by the server' },
  ),
];

/** System change, e-mail in and out, approval, time. */
const RECORDED_KINDS = [1, 4, 5, 6, 7].map((ordinal) => codeNumber(202, ordinal));

export const recordTypes: readonly NamedType[] = [
  entityType(
    'Record',
    [
      uid(),
      registration(),
      code('Folder', 'Folder', {
        description: 'Where the record is kept; rights can depend on it',
      }),
      collectionOf(complex('ExternalReferences', 'ExternalReference')),
      boolean('Blocked', { description: 'No longer to be used' }),
      contained('Attachments', 'Attachment', { description: 'Files' }),
      contained('HistoryLines', 'HistoryLine', {
        description: 'Notes, messages and what was changed',
      }),
    ],
    { key: ['Uid'], abstract: true, description: 'What all records have' },
  ),
  entityType(
    'HistoryLine',
    [
      uid(),
      text('Subject', { maxLength: 255 }),
      code('Kind', 'HistoryKind', { default: defaultCode(202, 2), changeCode: codeNumber(202, 1) }),
      text('Information', { searchable: true }),
      text('Attribute', {
        maxLength: 255,
        computed: true,
        changePart: 'property',
        description: 'Path of the property that was changed',
      }),
      text('OldValue', { computed: true, changePart: 'before' }),
      text('NewValue', { computed: true, changePart: 'after' }),
      dateTime('CreatedAt', { generated: { by: 'created' } }),
      one('CreatedBy', 'Account', {
        computed: true,
        onDelete: 'set-null',
        changePart: 'account',
      }),
      code('Visibility', 'Visibility', {
        default: defaultCode(203, 1),
        changeCode: codeNumber(203, 1),
      }),
      duration('TimeSpent'),
      contained('Attachments', 'Attachment', { description: 'Files' }),
    ],
    {
      key: ['Uid'],
      recorded: `Kind/Value in (${RECORDED_KINDS.join(',')})`,
      description: 'A note, a message or a change in the history of a record',
    },
  ),
  entityType(
    'Attachment',
    [
      uid(),
      text('Name', {
        maxLength: 1024,
        filePart: 'name',
        description: 'Unique among the files of its record',
      }),
      text('FileName', {
        maxLength: 1024,
        filePart: 'file-name',
        description: 'Name that the file had',
      }),
      dateTime('DateCreated', { generated: { by: 'created' } }),
      text('MediaType', { maxLength: 255, computed: true, filePart: 'type' }),
      int64('Size', { computed: true, filePart: 'size', description: 'Bytes' }),
      text('Sha256', {
        maxLength: 64,
        computed: true,
        filePart: 'sha256',
        description: 'SHA-256 in hexadecimal',
      }),
      one('CreatedBy', 'Account', { computed: true, onDelete: 'set-null', filePart: 'account' }),
    ],
    { key: ['Uid'], alternateKeys: [['Name']], hasStream: true, description: 'A file' },
  ),
];
