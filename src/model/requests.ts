// This file holds what comes in at the service desk and what follows from it: service requests, e-mails, incidents, problems and
// changes, with the votes, links, times and subscriptions that belong to them.
import {
  boolean,
  code,
  collectionOf,
  complex,
  date,
  dateTime,
  duration,
  entitySet,
  entityType,
  int32,
  many,
  one,
  text,
} from '../edm/define.ts';
import type { EntitySet, Member, NamedType, Relating } from '../edm/model.ts';
import { defaultCode } from './code-list.ts';
import { numberedRecord, registration, runningNumber, uid } from './common.ts';
import type { Additions } from './custom-fields.ts';
import { approval, mainItem, serviceClock, subject, workCodes, workItem } from './work-item.ts';

/** The types of this file. */
export function requestTypes(additions: Additions): readonly NamedType[] {
  return [
    serviceRequest(additions),
    incident(additions),
    problem(additions),
    change(additions),
    emailServiceRequest,
    ...supplements,
  ];
}

/** The sets that the service document lists, by name. */
export const requestSets = {
  ServiceRequests: entitySet('ServiceRequests', 'ServiceRequest', { singular: 'ServiceRequest' }),
  Problems: entitySet('Problems', 'Problem', { singular: 'Problem' }),
  Changes: entitySet('Changes', 'Change', { singular: 'Change' }),
  Incidents: entitySet('Incidents', 'Incident', { singular: 'Incident' }),
  EmailServiceRequests: entitySet('EmailServiceRequests', 'EmailServiceRequest', {
    singular: 'EmailServiceRequest',
  }),
} as const satisfies Record<string, EntitySet>;

export const supplementSets: readonly EntitySet[] = [
  entitySet('RecordRelations', 'RecordRelation', { singular: 'RecordRelation', listed: false }),
  entitySet('ApproverVotes', 'ApproverVote', { singular: 'ApproverVote', listed: false }),
  entitySet('TimeEntries', 'TimeEntry', { singular: 'TimeEntry', listed: false }),
  entitySet('KnowledgeLinks', 'KnowledgeLink', { singular: 'KnowledgeLink', listed: false }),
  entitySet('Subscriptions', 'Subscription', { singular: 'Subscription', listed: false }),
];

function serviceRequest(additions: Additions): NamedType {
  return entityType(
    'ServiceRequest',
    [
      subject(),
      ...workCodes({
        status: [101, 'ServiceRequestStatus'],
        closure: [130, 'ServiceRequestClosure'],
        category: [140, 'ServiceRequestCategory'],
        impact: 3,
      }),
      code('Medium', 'Medium', { default: defaultCode(120, 7), description: 'How it came in' }),
      boolean('FrequentlyAskedQuestion'),
      code('OnHoldReason', 'HoldReason'),
      dateTime('OnHoldUntil'),
      int32('FeedbackRating', {
        description: 'From 1 (bad) to 5 (good)',
        annotations: { 'Validation.Minimum': 1, 'Validation.Maximum': 5 },
      }),
      text('FeedbackText', { searchable: true }),
      approval(),
      serviceClock(),
      one('Caller', 'Person', { description: 'Who reported it' }),
      one('CallerOrganization', 'Organization'),
      mainItem('ServiceRequests'),
      one('ServiceLevelAgreement', 'ServiceLevelAgreement', { computed: true }),
      one('EmailServiceRequest', 'EmailServiceRequest', {
        onDelete: 'set-null',
        description: 'The e-mail it came from',
      }),
      many('Workorders', 'Workorder', { partner: 'ServiceRequest' }),
      work('Incidents', 'Incident', 'ServiceRequests'),
      work('Problems', 'Problem', 'ServiceRequests'),
      work('Changes', 'Change', 'ServiceRequests'),
      ...additions('ServiceRequest'),
    ],
    { ...workItem, description: 'Something that somebody asks of the service desk' },
  );
}

function incident(additions: Additions): NamedType {
  return entityType(
    'Incident',
    [
      subject(),
      ...workCodes({
        status: [102, 'IncidentStatus'],
        closure: [131, 'IncidentClosure'],
        category: [222, 'IncidentCategory'],
      }),
      code('Severity', 'Severity'),
      code('Medium', 'Medium'),
      dateTime('DetectedAt'),
      dateTime('RestoredAt'),
      boolean('MajorIncident'),
      text('SourceEvent', {
        searchable: true,
        description: 'Message of the monitoring: text, application, message group',
      }),
      duration('DowntimeDuration'),
      serviceClock(),
      one('Caller', 'Person'),
      mainItem('Incidents'),
      one('Problem', 'Problem', {
        partner: 'Incidents',
        onDelete: 'set-null',
        description: 'The cause',
      }),
      many('Workorders', 'Workorder', { partner: 'Incident' }),
      work('ServiceRequests', 'ServiceRequest', 'Incidents'),
      work('Changes', 'Change', 'Incidents'),
      ...additions('Incident'),
    ],
    { ...workItem, description: 'A service that does not do what it should' },
  );
}

function problem(additions: Additions): NamedType {
  return entityType(
    'Problem',
    [
      subject(),
      ...workCodes({
        status: [103, 'ProblemStatus'],
        closure: [132, 'ProblemClosure'],
        category: [223, 'ProblemCategory'],
      }),
      boolean('KnownError'),
      text('RootCause', { searchable: true }),
      code('RootCauseCode', 'RootCauseCode'),
      dateTime('ReviewDate'),
      one('ProblemManager', 'Person'),
      mainItem('Problems'),
      many('Incidents', 'Incident', { partner: 'Problem' }),
      many('Workorders', 'Workorder', { partner: 'Problem' }),
      work('ServiceRequests', 'ServiceRequest', 'Problems'),
      work('Changes', 'Change', 'Problems'),
      ...additions('Problem'),
    ],
    { ...workItem, description: 'The cause of incidents, known or looked for' },
  );
}

function change(additions: Additions): NamedType {
  return entityType(
    'Change',
    [
      subject(),
      ...workCodes({
        status: [104, 'ChangeStatus'],
        closure: [133, 'ChangeClosure'],
        category: [141, 'ChangeCategory'],
      }),
      code('ChangeType', 'ChangeCategory', { description: 'Which course the change takes' }),
      text('Reason', { searchable: true }),
      text('ImplementationPlan'),
      text('BackoutPlan'),
      text('TestPlan'),
      code('Risk', 'Risk'),
      boolean('OutageExpected'),
      complex('ScheduledWindow', 'TimeWindow'),
      approval(),
      one('Manager', 'Person'),
      one('Project', 'Project', { partner: 'Changes', onDelete: 'set-null' }),
      mainItem('Changes'),
      many('Workorders', 'Workorder', { partner: 'Change' }),
      work('ServiceRequests', 'ServiceRequest', 'Changes'),
      work('Incidents', 'Incident', 'Changes'),
      work('Problems', 'Problem', 'Changes'),
      ...additions('Change'),
    ],
    { ...workItem, description: 'A planned change of services or items' },
  );
}

const emailServiceRequest = entityType(
  'EmailServiceRequest',
  [
    runningNumber(),
    text('Subject', { nullable: false, maxLength: 998, searchable: true }),
    text('Body', { searchable: true }),
    text('BodyHtml'),
    text('FromAddress', { maxLength: 320, indexed: true }),
    text('FromName', { maxLength: 255 }),
    collectionOf(text('ToAddresses', { maxLength: 320 })),
    collectionOf(text('CcAddresses', { maxLength: 320 })),
    text('MessageId', { maxLength: 255, unique: true }),
    text('InReplyTo', { maxLength: 255 }),
    dateTime('ReceivedAt', { indexed: true }),
    code('Status', 'EmailServiceRequestStatus', { indexed: true, default: defaultCode(212, 1) }),
    text('Language', { maxLength: 10 }),
    one('Sender', 'Person', { computed: true }),
    one('ServiceRequest', 'ServiceRequest', {
      onDelete: 'set-null',
      description: 'The request that was made of it, or that it was added to',
    }),
  ],
  { ...numberedRecord, description: 'An e-mail that came in at the service desk' },
);

const supplements: readonly NamedType[] = [
  supplement(
    'RecordRelation',
    'A typed relation between two pieces of work',
    [
      code('Type', 'RelationType'),
      text('Remark', { maxLength: 255 }),
      one('Source', 'WorkItem', { partner: 'Relations', onDelete: 'cascade' }),
      one('Target', 'WorkItem', { onDelete: 'cascade' }),
    ],
    { source: 'Source', target: 'Target', type: 'Type' },
  ),
  supplement('ApproverVote', 'What one approver says', [
    boolean('Approved', { description: 'Null as long as there is no vote' }),
    text('Reason', { maxLength: 255 }),
    dateTime('VotedAt'),
    workOf('ApproverVotes'),
    one('Person', 'Person'),
  ]),
  supplement('TimeEntry', 'Time spent on a piece of work', [
    code('Kind', 'TimeEntryKind', { default: defaultCode(233, 1) }),
    date('Date'),
    duration('TimeSpent'),
    text('Remark', { maxLength: 255 }),
    workOf('TimeEntries'),
    one('Person', 'Person'),
  ]),
  supplement('KnowledgeLink', 'A page worth knowing for a piece of work', [
    text('Title', { maxLength: 255, searchable: true }),
    text('Url', { maxLength: 2000 }),
    workOf('KnowledgeLinks'),
  ]),
  supplement('Subscription', 'A person who wants to hear of a piece of work', [
    boolean('ByEmail', { default: true }),
    workOf('Subscriptions'),
    one('Person', 'Person'),
  ]),
];

function supplement(
  name: string,
  description: string,
  members: readonly Member[],
  relates?: Relating,
): NamedType {
  return entityType(name, [uid(), registration(), ...members], {
    key: ['Uid'],
    ...(relates === undefined ? {} : { relates }),
    description,
  });
}

function workOf(partner: string): Member {
  return one('Record', 'WorkItem', { partner, onDelete: 'cascade' });
}

/** Pieces of work that belong together; when one goes, the others stay. */
function work(name: string, target: string, partner: string): Member {
  return many(name, target, { partner, onDelete: 'set-null' });
}
