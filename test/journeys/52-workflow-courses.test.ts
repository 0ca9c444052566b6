// This file takes one record of each kind through its whole course, from the first status to the last, where workflows are enforced: with
// rejected and given approvals, waits, and reopening.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk } from './desk.ts';
import { COURSES, type Course, joinWorker, setModes, type Values } from './workflow-table.ts';

type Client = Pick<Desk, 'send'>;

let desk: Desk;
let worker: Client;
let voter: Client;
let group: string;
beforeAll(async () => {
  // The reopening of requests is allowed for ten days, and the table finishes work at the end of March 2026.
  desk = await openDesk({ world: fixedWorld(7, Date.parse('2026-04-01T09:00:00Z')) });
  worker = await joinWorker(desk);
  const EntityAccess = [
    { Entity: 'WorkItem', Read: true },
    { Entity: 'Person', Read: true },
    { Entity: 'ApproverVote', Read: true, Change: true },
  ];
  await created('Roles', { Name: 'voter', EntityAccess });
  const person = await created('Persons', { LastName: 'Ada', Name: 'Ada' });
  voter = await desk.join({ loginName: 'ada', roles: ['voter'], person });
  const Members = [{ '@odata.id': `Persons(${person})` }];
  group = `Workgroups(${await created('Workgroups', { Name: 'Board', Members })})`;
  await setModes(desk, 'enforce');
});
afterAll(async () => await desk?.close());

async function created(set: string, body: Values, client: Client = desk): Promise<number> {
  const { status, json, text } = await client.send('POST', `/${set}`, { body });
  expect(status, text).toBe(201);
  return json.Uid;
}

const statusOf = async (path: string): Promise<string> => (await desk.get(path)).json.Status.Text;

/** The approval that a round needs, which replaces that of the table. */
const approval = (more: Values = {}) => ({
  Approval: { NrOfApproversRequired: 1, Workgroup: { '@odata.id': group }, ...more },
});

async function change(path: string, body: Values): Promise<void> {
  const { status, text } = await worker.send('PATCH', path, { body });
  expect(status, `${JSON.stringify(body)}: ${text}`).toBe(204);
}

async function vote(path: string, Approved: boolean): Promise<void> {
  const { json } = await desk.get(`${path}/ApproverVotes?$filter=IsOpen`);
  const [{ Uid }] = json.value;
  const { status, text } = await voter.send('PATCH', `/ApproverVotes(${Uid})`, {
    body: { Approved },
  });
  expect(status, text).toBe(204);
}

/** `yes > Approved` is a vote and the status that follows from it, `ask` asks for the approval of a work order; others are statuses. */
async function take(path: string, course: string, step: string): Promise<void> {
  const { needs = {}, besides = {} }: Partial<Course> = COURSES[course] ?? {};
  if (step === 'ask') return await change(path, approval({ Status: { Text: 'Waiting' } }));
  const [answer = '', after = step] = step.split(' > ');
  if (answer === 'yes' || answer === 'no') await vote(path, answer === 'yes');
  else {
    const asked = step === 'Awaiting approval' ? approval() : {};
    const reason = besides[`${await statusOf(path)} > ${step}`] ?? {};
    await change(path, { ...needs[step], ...asked, ...reason, Status: { Text: step } });
  }
  expect(await statusOf(path)).toBe(after);
}

const NORMAL = ['Assessment', 'Awaiting approval', 'no > Rejected', 'Assessment'];
const APPROVED = ['Awaiting approval', 'yes > Approved', 'Scheduled', 'Implementation'];

it.each<readonly [string, readonly string[]]>([
  [
    'service requests',
    [
      ...['Assigned', 'Awaiting approval', 'yes > Assigned', 'In progress', 'Waiting for caller'],
      ...['In progress', 'Waiting for supplier', 'In progress', 'Resolved', 'In progress'],
      ...['Resolved', 'Closed', 'In progress', 'Resolved', 'Closed'],
    ],
  ],
  ['service requests', ['Awaiting approval', 'no > Rejected']],
  [
    'incidents',
    [
      ...['Assigned', 'In progress', 'On hold', 'In progress', 'Restored', 'In progress'],
      ...['Restored', 'Closed', 'In progress', 'On hold', 'Restored', 'Closed'],
    ],
  ],
  ['problems', ['Under investigation', 'Root cause known', 'Known error', 'Resolved', 'Closed']],
  ['normal changes', [...NORMAL, ...APPROVED, 'Backed out', 'Review', 'Closed']],
  ['standard changes', ['Scheduled', 'Implementation', 'Closed']],
  ['emergency changes', ['Awaiting approval', 'yes > Implementation', 'Review', 'Closed']],
  [
    'work orders',
    [
      ...['Assigned', 'Refused', 'Registered', 'Assigned', 'ask', 'yes > Assigned', 'Accepted'],
      ...['In progress', 'On hold', 'In progress', 'Completed', 'Closed'],
    ],
  ],
  ['projects', ['Approved', 'In execution', 'Suspended', 'In execution', 'Completed', 'Closed']],
  ['e-mail requests', ['Converted']],
])('%s: %j', async (course, steps) => {
  const { set = '', create = {} } = COURSES[course] ?? {};
  const { ActualFinish: _, ...body } = create;
  const path = `/${set}(${await created(set, body, worker)})`;
  for (const step of steps) await take(path, course, step);
  const { json } = await desk.get(
    `${path}/HistoryLines?$filter=${encodeURIComponent("Attribute eq 'Status'")}&$orderby=Uid`,
  );
  const statuses = steps.filter((step) => step !== 'ask').map((step) => step.split(' > ').at(-1));
  // A vote about a work order leaves the status as it is.
  const recorded = statuses.filter((status, index) => status !== statuses[index - 1]);
  expect(json.value.map(({ NewValue }: { NewValue: string }) => NewValue)).toEqual(recorded);
});
