// This file holds the few records that journeys read: small enough to know by heart, with nulls, several scripts and deep relations.
import type { SeedRecord } from '../../src/seed/demo-plan.ts';

const created = '2026-03-27T16:30:00.000Z';
const registration = {
  'Registration/DateCreated': created,
  'Registration/DateModified': created,
  'Registration/CreatedBy': 'admin',
  'Registration/ModifiedBy': 'admin',
};

function record(
  set: string,
  uid: number,
  values: SeedRecord['values'],
  parent?: number,
): SeedRecord {
  if (parent !== undefined) return { set, uid, parent, values };
  return { set, uid, values: { ...registration, ...values } };
}

export const ORGANIZATION = 11;
export const WORKGROUP = 21;
export const CALLER = 31;
export const MEMBER = 32;
export const REQUEST = 1001;
export const BARE_REQUEST = 1002;
export const WORKORDER = 2001;
export const HISTORY_LINE = 3001;
/** Requests 4000 to 4299 fill pages. */
export const FIRST_OF_MANY = 4000;
export const MANY = 300;

export const RECORDS: readonly SeedRecord[] = [
  record('Organizations', ORGANIZATION, { Name1: 'Hillside', Searchcode: 'HILL' }),
  record('Workgroups', WORKGROUP, { Name: 'First line', Searchcode: 'FIRST' }),
  record('Persons', CALLER, {
    FirstName: 'Zoë',
    LastName: "O'Neil",
    Name: "O'Neil, Zoë",
    Email: 'Zoe@Example.org',
    EmailLowerCase: 'zoe@example.org',
    Searchcode: 'ONEIL',
    Status: 150001,
    Organization: ORGANIZATION,
  }),
  record('Persons', MEMBER, {
    FirstName: '健',
    LastName: '山田',
    Name: '山田, 健',
    Searchcode: 'YAMADA',
    Blocked: false,
  }),
  record('ServiceRequests', REQUEST, {
    ID: 1001,
    Description: 'Printer "Laser 4" is on fire',
    Information: 'Smoke since 9:00.\nSecond line.',
    Status: 101003,
    Priority: 110001,
    Impact: 111002,
    Medium: 120001,
    ServicecallCode1: 500001,
    Deadline: '2026-03-30T14:30:00.000Z',
    Caller: CALLER,
    'Assignment/AssigneeWorkgroup': WORKGROUP,
    'Assignment/AssigneePerson': MEMBER,
  }),
  record('ServiceRequests', BARE_REQUEST, {
    ID: 1002,
    Description: 'Nothing else is known',
    Status: 101001,
  }),
  record('Workorders', WORKORDER, {
    ID: 1,
    Description: 'Bring a fire extinguisher',
    Status: 105004,
    ServiceRequest: REQUEST,
  }),
  record('Workorders', WORKORDER + 1, {
    ID: 2,
    Description: 'Order a new printer',
    Status: 105001,
    ServiceRequest: REQUEST,
  }),
  record(
    'ServiceRequests/HistoryLines',
    HISTORY_LINE,
    { Subject: 'Called back', Information: 'No answer' },
    REQUEST,
  ),
  ...Array.from({ length: MANY }, (_, index) =>
    record('ServiceRequests', FIRST_OF_MANY + index, {
      ID: 2000 + index,
      Description: `Request ${index}`,
      Status: 101009,
      Priority: 110001 + (index % 5),
    }),
  ),
];
