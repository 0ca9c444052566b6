// This file takes transitions that a workflow grants to roles which may not change the status, and those that require a comment.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { CALLER, MEMBER, RECORDS } from './records.ts';

const SOLVED = { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } };
const WITHDRAWN = { ClosureCode: { Text: 'Withdrawn by caller' } };

type User = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
let caller: User;
let other: User;
let agent: User;
beforeAll(async () => {
  const records = [...RECORDS, ...catalogRecords(suiteModel())];
  desk = await openDesk({ world: fixedWorld(11), records });
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  caller = await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
  other = await desk.join({ loginName: 'other', roles: ['requester'], person: MEMBER });
  agent = await desk.join({ loginName: 'agent', roles: ['agent'] });
});
afterAll(async () => await desk?.close());

/** A request of the caller with the status, which an agent has set. */
async function request(...statuses: readonly string[]): Promise<string> {
  const body = { Description: 'Printer', Caller: { '@odata.id': `Persons(${CALLER})` } };
  const { json, text } = await agent.send('POST', '/ServiceRequests', { body });
  expect(json?.Uid, text).toBeDefined();
  const path = `/ServiceRequests(${json.Uid})`;
  for (const To of statuses) {
    const Values = { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };
    const answer = await take(agent, path, {
      To,
      Values: To === 'RESOLVED' ? SOLVED : Values,
      Comment: 'By an agent',
    });
    expect(answer.status, answer.text).toBe(204);
  }
  return path;
}

async function take(user: User, path: string, body: object): Promise<DeskAnswer> {
  return await user.send('POST', `${path}/Transition`, { body });
}

const statusOf = async (path: string) => (await agent.get(path)).json.Status.Text;

function errorOf({ status, json, text }: DeskAnswer) {
  expect(json?.error, text).toBeDefined();
  return [status, json.error.code];
}

const detailsOf = ({ json }: DeskAnswer): readonly string[] =>
  (json.error.details ?? []).map(({ code }: { code: string }) => code);

describe('a transition that is granted to the role of the caller', () => {
  it('cancels a request of its own, with what the next status requires', async () => {
    const path = await request('ASSIGNED');
    const answer = await take(caller, path, { To: 'CANCELLED', Values: WITHDRAWN });
    expect(answer.status, answer.text).toBe(204);
    expect((await agent.get(path)).json).toMatchObject({
      Status: { Text: 'Cancelled' },
      ClosureCode: { Text: 'Withdrawn by caller' },
      Registration: { ModifiedBy: 'caller' },
    });
  });

  it('reopens a request of its own with a comment, which the caller can read', async () => {
    const path = await request('IN_PROGRESS', 'RESOLVED');
    const Comment = 'It is broken again';
    const answer = await take(caller, path, { To: 'IN_PROGRESS', Comment });
    expect(answer.status, answer.text).toBe(204);
    expect(await statusOf(path)).toBe('In progress');
    const lines = await caller.get(`${path}/HistoryLines?$filter=Information eq '${Comment}'`);
    expect(lines.json.value).toHaveLength(1);
  });

  it('closes a request of its own with a rating, which forms of the status offer', async () => {
    const path = await request('IN_PROGRESS', 'RESOLVED');
    const Values = { FeedbackRating: 5, FeedbackText: 'Quick' };
    const answer = await take(caller, path, { To: 'Closed', Values });
    expect(answer.status, answer.text).toBe(204);
    expect((await agent.get(path)).json).toMatchObject({
      Status: { Text: 'Closed' },
      FeedbackRating: 5,
      FeedbackText: 'Quick',
    });
  });

  it('is checked in every mode', async () => {
    const path = await request('ASSIGNED');
    const answer = await take(caller, path, { To: 'CANCELLED' });
    expect(errorOf(answer)).toEqual([409, 'workflow.transition']);
    expect(detailsOf(answer)).toContain('workflow.required');
    expect(await statusOf(path)).toBe('Assigned');
  });

  it('does not permit a PATCH with the same body afterwards', async () => {
    const cancelled = await request('ASSIGNED');
    const Values = { ClosureCode: { Value: 130008 } };
    expect((await take(caller, cancelled, { To: 101010, Values })).status).toBe(204);
    const body = { ...Values, Status: { Value: 101010 } };
    const answer = await caller.send('PATCH', await request('ASSIGNED'), { body });
    expect(errorOf(answer)[0]).toBe(403);
  });

  it('grants nothing else', async () => {
    const path = await request('ASSIGNED');
    const before = (await agent.get(path)).json;
    for (const Values of [
      { ...WITHDRAWN, Priority: { Text: 'Critical' } },
      { ...WITHDRAWN, Solution: 'Mine' },
      { ...WITHDRAWN, Description: 'Other' },
      { ...WITHDRAWN, Assignment: { AssigneePerson: { '@odata.id': `Persons(${CALLER})` } } },
    ])
      expect(errorOf(await take(caller, path, { To: 'CANCELLED', Values }))[0]).toBe(403);
    for (const To of ['IN_PROGRESS', 'RESOLVED'])
      expect(errorOf(await take(caller, path, { To }))[0]).toBe(403);
    for (const body of [{ Status: { Text: 'Cancelled' }, ...WITHDRAWN }, WITHDRAWN])
      expect(errorOf(await caller.send('PATCH', path, { body }))[0]).toBe(403);
    expect((await agent.get(path)).json).toEqual(before);
  });

  it('names members that it does not let the account change, and works without them', async () => {
    const path = await request('IN_PROGRESS', 'RESOLVED');
    const Values = { FeedbackRating: 5, Solution: 'x' };
    const { status, json } = await take(caller, path, { To: 'CLOSED', Values });
    expect([status, json.error]).toEqual([
      403,
      {
        code: 'workflow.member',
        message:
          'The transition to CLOSED does not let the account change Solution of this ServiceRequest. Leave Solution out.',
        target: 'Values/Solution',
      },
    ]);
    const bound = { 'Caller@odata.bind': `Persons(${MEMBER})` };
    const type = { '@odata.type': '#Service.Web.OData.Model.ServiceRequest' };
    const several = await take(caller, path, {
      To: 'CLOSED',
      Values: { ...type, ...Values, ...bound },
    });
    expect(errorOf(several)).toEqual([403, 'workflow.member']);
    expect(several.json.error.details).toMatchObject([
      { code: 'workflow.member', target: 'Values/Solution' },
      { code: 'workflow.member', target: 'Values/Caller' },
    ]);
    const rated = await take(caller, path, {
      To: 'CLOSED',
      Values: { ...type, FeedbackRating: 5 },
    });
    expect(rated.status, rated.text).toBe(204);
  });

  it('does not concern requests of others, whose status stays as it is', async () => {
    const path = await request('ASSIGNED');
    const answer = await take(other, path, { To: 'CANCELLED', Values: WITHDRAWN });
    expect(errorOf(answer)[0]).toBe(404);
    expect(await statusOf(path)).toBe('Assigned');
  });

  it('is among the allowed transitions as soon as nothing is missing', async () => {
    const path = await request('IN_PROGRESS', 'RESOLVED');
    const { json } = await caller.get(`${path}/AllowedTransitions()`);
    const found = json.Transitions.map(
      (one: { Symbol: string; Allowed: boolean; Comment: boolean }) => [
        one.Symbol,
        one.Allowed,
        one.Comment,
      ],
    );
    expect(found).toEqual([
      ['close', true, false],
      ['reopen', true, true],
    ]);
  });

  it('is told from others by the permission, whatever is missing, and names what forms offer', async () => {
    const path = await request('IN_PROGRESS');
    const permitted = async (user: User) => {
      const { json } = await user.get(`${path}/AllowedTransitions()`);
      return json.Transitions.flatMap((one: { Symbol: string; Permitted: boolean }) =>
        one.Permitted ? [one.Symbol] : [],
      );
    };
    expect(await permitted(caller)).toEqual(['cancel']);
    expect(await permitted(agent)).toEqual(
      expect.arrayContaining(['wait-for-caller', 'resolve', 'cancel']),
    );
    const resolved = await request('IN_PROGRESS', 'RESOLVED');
    const { json } = await caller.get(`${resolved}/AllowedTransitions()`);
    expect(json.Transitions).toMatchObject([
      { Symbol: 'close', Permitted: true, Prompt: ['FeedbackRating', 'FeedbackText'] },
      { Symbol: 'reopen', Permitted: true, Prompt: [] },
    ]);
  });

  it('leaves an agent the right to change the status in any way', async () => {
    const path = await request();
    const answer = await take(agent, path, { To: 'CANCELLED' });
    expect(answer.status, answer.text).toBe(204);
  });
});

describe('a transition that requires a comment', () => {
  beforeAll(async () => {
    const body = { Value: '["ServiceRequest=enforce"]' };
    expect((await desk.send('PATCH', "/Settings('workflows')", { body })).status).toBe(204);
  });
  afterAll(async () => await desk.send('DELETE', "/Settings('workflows')"));

  const REOPENED = { Status: { Text: 'In progress' } };

  it('is rejected without one', async () => {
    const path = await request('IN_PROGRESS', 'RESOLVED');
    for (const answer of [
      await take(agent, path, { To: 'IN_PROGRESS' }),
      await agent.send('PATCH', path, { body: REOPENED }),
    ]) {
      expect(errorOf(answer)).toEqual([409, 'workflow.transition']);
      expect(detailsOf(answer)).toEqual(['workflow.comment', 'workflow.next']);
    }
    expect(await statusOf(path)).toBe('Resolved');
  });

  it('accepts the comment of Transition, or a note in the same request', async () => {
    const first = await request('IN_PROGRESS', 'RESOLVED');
    const taken = await take(agent, first, { To: 'IN_PROGRESS', Comment: 'Again' });
    expect(taken.status, taken.text).toBe(204);
    const second = await request('IN_PROGRESS', 'RESOLVED');
    const body = {
      '@odata.context': '$metadata#ServiceRequests/$entity/$delta',
      ...REOPENED,
      'HistoryLines@odata.delta': [{ Information: 'Again' }],
    };
    const patched = await agent.send('PATCH', second, { body });
    expect(patched.status, patched.text).toBe(204);
  });
});

describe('the state of a call', () => {
  it.each([
    ['IN_PROGRES', '(did you mean IN_PROGRESS?).'],
    [999, '999 is no state'],
    [{ Text: 'Closed' }, 'is no state'],
    ['', 'REGISTERED, ASSIGNED'],
  ])('%j is rejected at its parameter', async (To, text) => {
    const answer = await take(agent, await request(), { To });
    expect(errorOf(answer)).toEqual([400, 'write.body']);
    expect(detailsOf(answer)).toEqual(['workflow.parameter']);
    expect(answer.json.error.target).toBe('To');
    expect(answer.json.error.message).toContain(text);
  });
});

it('a requester uses templates that are for everybody', async () => {
  const body = {
    Name: 'Leak',
    Entity: { '@odata.id': `Entities(${entityKeys(suiteModel()).ServiceRequest})` },
    Values: [{ AttributeName: 'Information', Value: 'Which floor?' }],
  };
  const { json, text } = await desk.send('POST', '/Templates', { body });
  expect(json.Uid, text).toBeDefined();
  const made = {
    Description: 'Water',
    Caller: { '@odata.id': `Persons(${CALLER})` },
    'Template@odata.bind': `Templates(${json.Uid})`,
  };
  const answer = await caller.send('POST', '/ServiceRequests', { body: made });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.json.Information).toBe('Which floor?');
});
