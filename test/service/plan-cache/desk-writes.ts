// This file lists templates of writes to the service desk, and of reads that show what was written.
import {
  anyOf,
  arrayOf,
  codeOf,
  flag,
  linkTo,
  type Members,
  moments,
  mostly,
  numbers,
  objectOf,
  partOf,
  plain,
  preferences,
  someText,
  spans,
  type Value,
  variantsOf,
} from './bodies.ts';
import { between, either, oneOf, plainText, Random, smallNumber, text } from './random.ts';
import { batchOf, get, type Template, type Url, url } from './template.ts';

const random = new Random(7);

/** Keys of requests: those of the records, those that the writes create, and none. */
const key = either(
  oneOf(1001, 1002, 4000, 4001, 4002, 4003, 4030, 4040),
  oneOf(1001, 1002, 4001, 4030, 7, 127, 128, 99999),
);
const requests = [
  '1001',
  '1002',
  '4000',
  '4001',
  '4002',
  'ID=2001',
  'Uid=1001',
  '7',
  "'x'",
  '9223372036854775808',
];
const persons = ['31', '32', '32', '31', '32', 'Uid=31', '1001', '7'];
const groups = ['21', '21', '21', '21', '11', '7'];

const status = codeOf(
  [101001n, 'Registered'],
  [101003n, 'In progress'],
  [101009n, 'Closed'],
  [101004n, 'Waiting for caller'],
);
const priority = codeOf([110001n, 'Critical'], [110002n, 'High'], [110004n, 'Low']);
const impact = codeOf([111001n, 'Whole organisation'], [111003n, 'Several people']);
const workStatus = codeOf([105001n, 'Registered'], [105004n, 'In progress'], [105007n, 'Closed']);

const assignment = partOf(
  {
    'AssigneeWorkgroup@odata.bind': linkTo('Workgroups', groups),
    'AssigneePerson@odata.bind': linkTo('Persons', persons),
    ReferenceNumber: someText,
  },
  0.7,
);
const external = partOf({ System: plain, Id: someText, Url: plain, LastSync: moments }, 0.8);

const requestMembers: Members = {
  Information: someText,
  Solution: someText,
  Workaround: plain,
  SourceID: someText,
  Status: status,
  Priority: priority,
  Impact: impact,
  ServicecallCode1: codeOf([500001n, 'x'], [500002n, 'y']),
  Deadline: moments,
  PlanStart: moments,
  PlanDuration: spans,
  Blocked: flag,
  FeedbackRating: numbers,
  FrequentlyAskedQuestion: flag,
  OnHoldUntil: moments,
  'Caller@odata.bind': linkTo('Persons', persons),
  'Requestor@odata.bind': linkTo('Person', persons),
  Assignment: mostly(assignment),
  ExternalReferences: arrayOf(external, 3),
  Approval: objectOf({ Description: someText, NrOfApproversRequired: numbers }),
  Registration: objectOf({ CreatedBy: plain }),
  '@odata.etag': anyOf('W/"1"', 'W/"2"', 'x', null),
  Uid: numbers,
};
const description: Members = { Description: someText };
const workorder: Members = {
  Description: plain,
  Status: workStatus,
  'ServiceRequest@odata.bind': linkTo('ServiceRequests', requests),
};

function write(
  method: string,
  made: Url,
  bodies: readonly Value[],
  headers: readonly Template['headers'][] = preferences,
): readonly Template[] {
  return bodies.map((body) => {
    const own = random.pick(headers);
    return { method, url: made, body, ...(own === undefined ? {} : { headers: own }) };
  });
}

const changes: readonly Template[] = [
  ...write('PATCH', url`ServiceRequests(${key})`, variantsOf(requestMembers, {}, random, 40)),
  ...write(
    'PATCH',
    url`ServiceRequests(${key})`,
    variantsOf(requestMembers, description, random, 12),
  ),
  ...write(
    'PATCH',
    url`ServiceRequests(ID=${between(2000, 2010)})`,
    variantsOf(requestMembers, {}, random, 4),
  ),
  ...write(
    'PATCH',
    url`ServiceRequest(${key})?$select=Uid,Status,Description`,
    variantsOf(requestMembers, {}, random, 6),
  ),
  ...write(
    'PATCH',
    url`ServiceRequests(${key})?$expand=Caller($select=Name)&$select=Uid`,
    variantsOf(requestMembers, {}, random, 3),
  ),
  ...write('PUT', url`ServiceRequests(${key})`, variantsOf(requestMembers, description, random, 8)),
  ...write('PATCH', url`ServiceRequests(${key})`, [
    objectOf({ Description: plain, Unknown: someText }),
    objectOf({ Description: plain, 'Template@odata.bind': linkTo('Templates', ['1', '5']) }),
  ]),
  ...write('PATCH', url`Workorders(${oneOf(2001, 2002, 9)})`, variantsOf(workorder, {}, random, 4)),
  ...write(
    'PATCH',
    url`Persons(${oneOf(31, 32, 7)})`,
    variantsOf(
      {
        FirstName: someText,
        Email: someText,
        Birthdate: moments,
        Blocked: flag,
        Searchcode: plain,
        Language: someText,
      },
      {},
      random,
      6,
    ),
  ),
  ...write(
    'PATCH',
    url`ServiceRequests(${key})/Caller`,
    variantsOf({ LastName: plain, Jobtitle: someText }, {}, random, 2),
  ),
  ...write('PATCH', url`ServiceRequests(${key})/Assignment`, [assignment]),
  ...write('PUT', url`ServiceRequests(${key})/Description`, [objectOf({ value: someText })]),
  ...write('PUT', url`ServiceRequests(${key})/Status`, [status]),
  {
    method: 'PUT',
    url: url`ServiceRequests(${key})/Information/$value`,
    headers: () => ({ 'content-type': 'text/plain' }),
    body: plain,
  },
  { method: 'DELETE', url: url`ServiceRequests(${key})/Solution` },
  ...write(
    'PATCH',
    url`ServiceRequests/$filter(@f)/$each?@f=ID eq ${between(2000, 2010)} and contains(Description,${plainText})`,
    variantsOf({ Workaround: plain, Priority: priority }, {}, random, 2),
  ),
  ...write(
    'PATCH',
    url`ServiceRequests(${key})`,
    [objectOf({ Workorders: arrayOf(objectOf({ Description: plain }), 2) })],
    [() => ({ 'odata-maxversion': '4.01' })],
  ),
];

const creations: readonly Template[] = [
  ...write('POST', url`ServiceRequests`, variantsOf(requestMembers, description, random, 24)),
  ...write(
    'POST',
    url`ServiceRequests`,
    variantsOf(
      {
        ...requestMembers,
        Workorders: arrayOf(objectOf({ Description: plain, Status: workStatus }), 3),
        'Workorders@odata.bind': arrayOf(linkTo('Workorders', ['2001', '2002', '9']), 2),
      },
      { Description: plain },
      random,
      10,
    ),
  ),
  ...write(
    'POST',
    url`ServiceRequests?$select=Uid,ID,Description`,
    variantsOf(requestMembers, { Description: plain }, random, 4),
  ),
  ...write('POST', url`Workorders`, variantsOf(workorder, { Description: plain }, random, 3)),
  ...write('POST', url`ServiceRequests(${key})/Workorders`, [
    objectOf({ Description: plain, Status: workStatus }),
  ]),
  ...write('POST', url`ServiceRequests(${key})/HistoryLines`, [
    objectOf({ Subject: someText, Information: plain }),
    objectOf({
      Subject: plain,
      Kind: codeOf(
        [202002n, 'Note internal'],
        [202003n, 'Note public'],
        [202001n, 'System change'],
      ),
      TimeSpent: spans,
    }),
  ]),
  ...write('POST', url`Persons`, [
    objectOf({ LastName: plain, Email: someText }),
    objectOf({ Name: someText, Birthdate: moments, Searchcode: plain }),
  ]),
  ...write('POST', url`Organizations`, [
    objectOf({ Name1: plain, Address: partOf({ City: someText, Street: plain }, 0.6) }),
  ]),
];

const links: readonly Template[] = [
  ...write('PUT', url`ServiceRequests(${key})/Caller/$ref`, [
    objectOf({ '@odata.id': linkTo('Persons', persons) }),
  ]),
  ...write('POST', url`Workgroups(${oneOf(21, 7)})/Members/$ref`, [
    objectOf({ '@odata.id': linkTo('Persons', persons) }),
  ]),
  ...write('PUT', url`ServiceRequests(${key})/Assignment/AssigneePerson/$ref`, [
    objectOf({ '@odata.id': linkTo('Persons', persons) }),
  ]),
  { method: 'DELETE', url: url`ServiceRequests(${key})/Caller/$ref` },
  { method: 'DELETE', url: url`Workgroups(${oneOf(21, 7)})/Members(${oneOf(31, 32, 7)})/$ref` },
  {
    method: 'DELETE',
    url: url`Workgroups(${oneOf(21, 7)})/Members/$ref?$id=Persons(${oneOf(31, 32, 7)})`,
  },
  { method: 'DELETE', url: url`ServiceRequests(${oneOf(4004, 4005, 4072, 4073, 7)})` },
  {
    method: 'DELETE',
    url: url`ServiceRequests(${oneOf(4006, 4007, 4074)})`,
    headers: (own) => ({ 'if-match': own.pick([own.etag, '*', 'W/"1"']) }),
  },
];

const patchOf = (members: Members): Template => ({
  method: 'PATCH',
  url: url`ServiceRequests(${key})`,
  headers: () => ({ 'content-type': 'application/json' }),
  body: objectOf(members),
});
const batches: readonly Template[] = [
  batchOf(
    patchOf({ Workaround: plain }),
    patchOf({ Description: plain, Status: status }),
    get(url`ServiceRequests(${key})?$select=Uid,Description,Workaround`),
  ),
  batchOf(patchOf({ Priority: priority }), patchOf({ Priority: priority })),
];

/** Reads between the writes: what they show has changed. */
const reads: readonly Template[] = [
  get(url`ServiceRequests(${key})`),
  get(
    url`ServiceRequests?$filter=ID ge ${between(2000, 2100)}&$select=Uid,Description,Workaround&$top=3`,
  ),
  get(url`ServiceRequests?$filter=contains(Description,${text})&$select=Uid`),
  get(url`ServiceRequests?$select=Uid,Description&$filter=ID gt ${smallNumber}`, () => ({
    prefer: 'odata.track-changes, maxpagesize=200',
  })),
  get(url`Persons?$filter=Email eq ${text}&$select=Uid,Email`),
  get(url`ServiceRequests(${key})/HistoryLines?$select=Subject,OldValue,NewValue`),
];

export const DESK_WRITES: readonly Template[] = [changes, creations, links, batches, reads].flat();
