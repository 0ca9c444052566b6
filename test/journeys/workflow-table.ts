// This file is the table of the service contract: which status may follow which, and what it needs. It is written by hand from the contract,
// not from the model. It also prepares desks for journeys through it.
import type { Desk } from './desk.ts';

/** What a request sends for a status that is entered, besides the status. */
export type Values = Readonly<Record<string, unknown>>;

export interface Course {
  /** The entity set, and the values with which records are created. */
  readonly set: string;
  readonly create: Values;
  readonly statuses: readonly string[];
  /** `From, From > To`; `!` follows a transition that only the service takes. */
  readonly transitions: readonly string[];
  /** What entering a status needs, by its text. */
  readonly needs: Readonly<Record<string, Values>>;
  /** What single transitions need besides, by `From > To`. */
  readonly besides?: Readonly<Record<string, Values>>;
}

const FINISHED = '2026-03-30T12:00:00Z';
const bind = (set: string, key: number) => ({ '@odata.id': `${set}(${key})` });

/** The reason for reopening is a line of the history. */
const NOTE = { 'HistoryLines@delta': [{ Information: 'It is broken again' }] };

const REQUEST: Course = {
  set: 'ServiceRequests',
  create: { Description: 'Walk', ActualFinish: FINISHED },
  statuses: [
    'Registered',
    'Assigned',
    'In progress',
    'Waiting for caller',
    'Waiting for supplier',
    'Awaiting approval',
    'Rejected',
    'Resolved',
    'Closed',
    'Cancelled',
  ],
  transitions: [
    'Registered > Assigned',
    'Registered, Assigned > Awaiting approval',
    'Awaiting approval > Registered !',
    'Awaiting approval > Assigned !',
    'Awaiting approval > Rejected !',
    'Registered, Assigned > In progress',
    'In progress > Waiting for caller',
    'In progress > Waiting for supplier',
    'Waiting for caller, Waiting for supplier > In progress',
    'Assigned, In progress, Waiting for caller, Waiting for supplier > Resolved',
    'Resolved > Closed',
    'Resolved, Closed > In progress',
    'Registered, Assigned, In progress, Waiting for caller, Waiting for supplier, Awaiting approval > Cancelled',
  ],
  needs: {
    Assigned: { Assignment: { AssigneeWorkgroup: bind('Workgroups', 21) } },
    'Awaiting approval': {
      Approval: { NrOfApproversRequired: 1, Workgroup: bind('Workgroups', 21) },
    },
    'In progress': { Assignment: { AssigneePerson: bind('Persons', 32) } },
    'Waiting for caller': { OnHoldReason: { Text: 'Information from caller' } },
    'Waiting for supplier': { OnHoldReason: { Text: 'Supplier' } },
    Resolved: { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } },
    Cancelled: { ClosureCode: { Text: 'Duplicate' } },
  },
  besides: { 'Resolved > In progress': NOTE, 'Closed > In progress': NOTE },
};

const INCIDENT: Course = {
  set: 'Incidents',
  create: { Description: 'Walk', ActualFinish: FINISHED },
  statuses: ['Registered', 'Assigned', 'In progress', 'On hold', 'Restored', 'Closed', 'Cancelled'],
  transitions: [
    'Registered > Assigned',
    'Assigned > In progress',
    'In progress > On hold',
    'On hold > In progress',
    'Registered, In progress, On hold > Restored',
    'Restored > Closed',
    'Restored, Closed > In progress',
    'Registered, Assigned, In progress, On hold > Cancelled',
  ],
  needs: {
    Restored: {
      RestoredAt: FINISHED,
      Solution: 'Replaced it',
      ClosureCode: { Text: 'Replaced' },
    },
    Cancelled: { ClosureCode: { Text: 'False alarm' } },
  },
};

const PROBLEM: Course = {
  set: 'Problems',
  create: { Description: 'Walk' },
  statuses: [
    'Registered',
    'Under investigation',
    'Root cause known',
    'Known error',
    'Change pending',
    'Resolved',
    'Closed',
    'Cancelled',
  ],
  transitions: [
    'Registered > Under investigation',
    'Under investigation > Root cause known',
    'Root cause known > Known error',
    'Root cause known > Change pending',
    'Known error, Change pending > Resolved',
    'Resolved, Under investigation > Closed',
  ],
  needs: {
    'Known error': { RootCause: 'A leak', Workaround: 'A bucket' },
    Resolved: { Solution: 'Sealed it' },
    Closed: { ClosureCode: { Text: 'Cause not found' }, ReviewDate: '2020-01-01T00:00:00Z' },
  },
};

const CHANGE = {
  set: 'Changes',
  statuses: [
    'Registered',
    'Assessment',
    'Awaiting approval',
    'Approved',
    'Scheduled',
    'Implementation',
    'Review',
    'Closed',
    'Rejected',
    'Cancelled',
    'Backed out',
  ],
  needs: {
    'Awaiting approval': { Approval: { NrOfApproversRequired: 1 } },
    Scheduled: { ScheduledWindow: { Start: '2026-04-04T20:00:00Z', End: '2026-04-04T22:00:00Z' } },
  },
};

const CANCELLED =
  'Registered, Assessment, Awaiting approval, Approved, Scheduled, Rejected > Cancelled';

const NORMAL_TRANSITIONS = [
  'Registered > Assessment',
  'Assessment > Awaiting approval',
  'Awaiting approval > Approved !',
  'Awaiting approval > Rejected !',
  'Rejected > Assessment',
  'Approved > Scheduled',
  'Scheduled > Implementation',
  'Implementation > Review',
  'Implementation > Backed out',
  'Backed out > Review',
  'Review > Closed',
  CANCELLED,
];

const change = (ChangeType: string | null, transitions: readonly string[]): Course => ({
  ...CHANGE,
  create: {
    Description: 'Walk',
    ChangeType: ChangeType === null ? null : { Text: ChangeType },
  },
  transitions,
});

const WORKORDER: Course = {
  set: 'Workorders',
  create: { Description: 'Walk' },
  statuses: [
    'Registered',
    'Assigned',
    'Accepted',
    'In progress',
    'On hold',
    'Completed',
    'Closed',
    'Refused',
    'Cancelled',
  ],
  transitions: [
    'Registered > Assigned',
    'Assigned > Accepted',
    'Assigned > Refused',
    'Refused > Registered',
    'Accepted > In progress',
    'In progress > On hold',
    'On hold > In progress',
    'In progress, On hold > Completed',
    'Completed > Closed',
  ],
  needs: {},
};

const PROJECT: Course = {
  set: 'Projects',
  create: { Name: 'Walk' },
  statuses: [
    'Proposed',
    'Approved',
    'In execution',
    'Suspended',
    'Completed',
    'Closed',
    'Cancelled',
  ],
  transitions: [
    'Proposed > Approved',
    'Approved > In execution',
    'In execution > Suspended',
    'Suspended > In execution',
    'In execution, Suspended > Completed',
    'Completed > Closed',
    'Proposed, Approved, In execution, Suspended > Cancelled',
  ],
  needs: {},
};

const EMAIL: Course = {
  set: 'EmailServiceRequests',
  create: { Subject: 'Walk' },
  statuses: ['New', 'Converted', 'Linked', 'Rejected', 'Error'],
  transitions: ['New > Converted', 'New > Linked', 'New > Rejected', 'Error > New'],
  needs: {},
};

/** The courses by name. */
export const COURSES: Readonly<Record<string, Course>> = {
  'service requests': REQUEST,
  incidents: INCIDENT,
  problems: PROBLEM,
  'normal changes': change('Normal', NORMAL_TRANSITIONS),
  'changes without a type': change(null, NORMAL_TRANSITIONS),
  'standard changes': change('Standard', [
    'Registered > Scheduled',
    'Scheduled > Implementation',
    'Implementation > Closed',
    CANCELLED,
  ]),
  'emergency changes': change('Emergency', [
    'Registered > Awaiting approval',
    'Awaiting approval > Implementation !',
    'Awaiting approval > Rejected !',
    'Implementation > Review',
    'Implementation > Backed out',
    'Backed out > Review',
    'Review > Closed',
    CANCELLED,
  ]),
  'work orders': WORKORDER,
  projects: PROJECT,
  'e-mail requests': EMAIL,
};

/** Who may take each transition: by `From > To`. */
export function permitted({ transitions }: Course): ReadonlyMap<string, 'everybody' | 'service'> {
  return new Map(
    transitions.flatMap((line) => {
      const [from = '', to = ''] = line.replace(' !', '').split(' > ');
      const taker = line.endsWith('!') ? 'service' : 'everybody';
      return from.split(', ').map((one) => [`${one} > ${to}`, taker] as const);
    }),
  );
}

/** An account that may read, create and change every record, and is no administrator. */
export async function joinWorker(desk: Desk, role = 'worker'): ReturnType<Desk['join']> {
  const rights = { Read: true, Create: true, Change: true };
  const access = ['Record', 'HistoryLine'].map((Entity) => ({ Entity, ...rights }));
  const body = { Name: role, EntityAccess: access };
  const { status, text } = await desk.send('POST', '/Roles', { body });
  if (status !== 201) throw new Error(text);
  return await desk.join({ loginName: role, roles: [role] });
}

/** Sets the modes of workflows in the installation. */
export async function setModes(desk: Desk, ...modes: readonly string[]): Promise<void> {
  const body = { Value: JSON.stringify(modes) };
  const { status, text } = await desk.send('PATCH', "/Settings('workflows')", { body });
  if (status !== 204) throw new Error(text);
}
