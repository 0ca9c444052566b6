// This file holds the roles that an installation of the suite begins with. They are records like others: administrators change them,
// take them away and make their own. What the words of a role mean is said in edm/account-sets.ts.
import type { EntityAccess, RoleDefinition } from '../edm/account-sets.ts';
import { codeNumber } from './code-list.ts';

type Action = EntityAccess['actions'][number];

/** What the model says of itself; forms and menus are made of it. */
const CONFIGURATION = ['Entity', 'Attribute', 'CodeList', 'CodeEntry', 'Transition'];
/** What stands inside of records, besides their history and files. */
const PARTS = ['TemplateValue', 'Holiday', 'ScheduleWindow', 'PriorityImpactSetting'];
const SUPPLEMENTS = ['RecordRelation', 'TimeEntry', 'KnowledgeLink', 'Subscription'];
const MASTER_DATA = ['Person', 'Organization', 'Location', 'ConfigurationItem'];

const PUBLIC = `Visibility/Value eq ${codeNumber(203, 2)}`;
const OWN_REQUEST = 'Caller/Uid eq $me or Requestor/Uid eq $me';
const TO_APPROVE = 'ApproverVotes/any(v:v/Person/Uid eq $me)';

const administrator: RoleDefinition = {
  name: 'administrator',
  description: 'May do everything, whatever is written here',
  updatesAll: true,
  entities: [],
};

const agent: RoleDefinition = {
  name: 'agent',
  description: 'Registers work and solves it',
  entities: [
    ...may(['Read'], 'Record', ...CONFIGURATION, ...PARTS, 'ItemRelation', 'ApproverVote'),
    ...may(['Read', 'Create', 'Change', 'Attach'], 'WorkItem', 'EmailServiceRequest'),
    ...may(['Read', 'Create', 'Change', 'Attach'], ...MASTER_DATA),
    ...may(['Read', 'Create', 'Change', 'Delete'], ...SUPPLEMENTS),
    ...may(['Read', 'Create', 'Attach'], 'HistoryLine'),
    ...may(['Read'], 'Attachment'),
    { entity: 'HistoryLine', actions: ['Change'], filter: 'CreatedBy/LoginName eq $account' },
  ],
  attributes: [{ entity: 'Person', attribute: 'Birthdate', read: false, modify: false }],
};

const approver: RoleDefinition = {
  name: 'approver',
  description: 'Sees what is to be approved, and votes',
  entities: [
    ...may(['Read'], ...CONFIGURATION, ...MASTER_DATA, 'Workgroup', 'Service'),
    ...may(['Read'], 'HistoryLine', 'Attachment', 'ApproverVote'),
    { entity: 'WorkItem', actions: ['Read'], filter: TO_APPROVE },
    { entity: 'ApproverVote', actions: ['Change'], filter: 'Person/Uid eq $me' },
  ],
  attributes: [
    { entity: 'Person', attribute: 'Birthdate', read: false, modify: false },
    { entity: 'ApproverVote', attribute: 'Record', read: true, modify: false },
    { entity: 'ApproverVote', attribute: 'Person', read: true, modify: false },
  ],
};

const requester: RoleDefinition = {
  name: 'requester',
  description: 'Asks for something and sees what becomes of it',
  entities: [
    ...may(['Read'], ...CONFIGURATION, 'Service', 'Attachment'),
    { entity: 'ServiceRequest', actions: ['Read', 'Create', 'Attach'], filter: OWN_REQUEST },
    { entity: 'HistoryLine', actions: ['Read', 'Create', 'Attach'], filter: PUBLIC },
    { entity: 'Person', actions: ['Read'], filter: 'Uid eq $me' },
    { entity: 'Organization', actions: ['Read'], filter: 'Persons/any(p:p/Uid eq $me)' },
    { entity: 'Location', actions: ['Read'], filter: 'Persons/any(p:p/Uid eq $me)' },
  ],
  attributes: [
    ...['Workaround', 'SourceID', 'Classification', 'Relations', 'TimeEntries'].map((attribute) =>
      withheld('ServiceRequest', attribute),
    ),
    ...['Status', 'ClosureCode', 'Priority', 'Deadline', 'Assignment', 'Approval', 'Solution'].map(
      (attribute) => fixed('ServiceRequest', attribute),
    ),
  ],
};

const integration: RoleDefinition = {
  name: 'integration',
  description: 'Another system that sends and fetches work',
  updatesAll: true,
  entities: [
    ...may(['Read'], 'Record', ...CONFIGURATION, ...PARTS, 'ItemRelation', 'ApproverVote'),
    ...may(['Read', 'Create', 'Change', 'Attach'], 'WorkItem', ...MASTER_DATA),
    ...may(['Read', 'Create', 'Change'], ...SUPPLEMENTS, 'HistoryLine'),
    ...may(['Read'], 'Attachment'),
  ],
  attributes: [{ entity: 'Person', attribute: 'Birthdate', read: false, modify: false }],
};

const auditor: RoleDefinition = {
  name: 'auditor',
  description: 'Sees everything and changes nothing',
  entities: [
    ...may(['Read'], 'Record', ...CONFIGURATION, ...PARTS, ...SUPPLEMENTS),
    ...may(['Read'], 'ItemRelation', 'ApproverVote', 'HistoryLine', 'Attachment', 'AuditEntry'),
  ],
};

/** In the order in which they are shown. */
export const suiteRoles: readonly RoleDefinition[] = [
  administrator,
  agent,
  approver,
  requester,
  integration,
  auditor,
];

function may(actions: readonly Action[], ...entities: readonly string[]): readonly EntityAccess[] {
  return entities.map((entity) => ({ entity, actions }));
}

function withheld(entity: string, attribute: string) {
  return { entity, attribute, read: false, modify: false };
}

/** Is seen, but given by others. */
function fixed(entity: string, attribute: string) {
  return { entity, attribute, read: true, modify: false };
}

/** How many records the roles hold besides themselves. */
export const suiteAccessCount = suiteRoles.reduce(
  (sum, { entities, attributes = [] }) => sum + entities.length + attributes.length,
  0,
);
