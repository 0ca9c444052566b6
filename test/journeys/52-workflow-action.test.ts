// This file changes statuses by the action Transition.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedWorld } from '../world.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { MEMBER } from './records.ts';
import { joinWorker } from './workflow-table.ts';

const PERSON = { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };
const SOLVED = { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } };

let desk: Desk;
let worker: Pick<Desk, 'get' | 'send'>;
beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7), settings: { workflows: ['enforce'] } });
  worker = await joinWorker(desk);
});
afterAll(async () => await desk?.close());

async function request(): Promise<string> {
  const { json, text } = await worker.send('POST', '/ServiceRequests', {
    body: { Description: 'Printer' },
  });
  expect(json?.Uid, text).toBeDefined();
  return `/ServiceRequests(${json.Uid})`;
}

async function take(path: string, body: object, headers: Record<string, string> = {}) {
  return await worker.send('POST', `${path}/Transition`, { headers, body });
}

const statusOf = async (path: string) => (await worker.get(path)).json.Status.Text;

const errorOf = ({ status, json, text }: DeskAnswer) => {
  expect(json?.error, text).toBeDefined();
  return [status, json.error.code, json.error.target];
};

describe('Transition', () => {
  it.each([['IN_PROGRESS'], ['In progress'], ['In behandeling'], [101003], ['101003']])(
    'takes the next status %j',
    async (To) => {
      const path = await request();
      const answer = await take(path, { To, Values: PERSON });
      expect(answer.status, answer.text).toBe(204);
      expect(await statusOf(path)).toBe('In progress');
    },
  );

  it('can be called by its qualified name', async () => {
    const path = await request();
    const body = { To: 'IN_PROGRESS', Values: PERSON };
    const answer = await worker.send('POST', `${path}/Docket.System.Transition`, { body });
    expect(answer.status, answer.text).toBe(204);
  });

  it('changes other members, and stores a comment in the history', async () => {
    const path = await request();
    await take(path, { To: 'IN_PROGRESS', Values: PERSON });
    const Comment = 'Paper jam';
    expect((await take(path, { To: 'RESOLVED', Values: SOLVED, Comment })).status).toBe(204);
    const { json } = await worker.get(path);
    expect(json).toMatchObject({ Solution: SOLVED.Solution, Status: { Text: 'Resolved' } });
    const lines = await worker.get(`${path}/HistoryLines?$filter=Information eq 'Paper jam'`);
    expect(lines.json.value).toHaveLength(1);
    expect(lines.json.value[0].Kind.Text).toBe('Note internal');
  });

  it('is rejected as a PATCH is, and then changes nothing', async () => {
    const path = await request();
    await take(path, { To: 'IN_PROGRESS', Values: PERSON });
    const answer = await take(path, {
      To: 'RESOLVED',
      Values: { Information: 'More' },
      Comment: 'No',
    });
    expect(errorOf(answer)).toEqual([409, 'workflow.transition', 'Status']);
    const details = answer.json.error.details.map((one: { target?: string }) => one.target);
    expect(details).toEqual(['Solution', 'ClosureCode', 'Status']);
    expect((await worker.get(path)).json.Information).toBeNull();
    const notes = await worker.get(`${path}/HistoryLines/$count?$filter=Information eq 'No'`);
    expect(notes.text).toBe('0');
  });

  it('obeys If-Match and dry runs', async () => {
    const path = await request();
    const body = { To: 'IN_PROGRESS', Values: PERSON };
    expect((await take(path, body, { 'If-Match': 'W/"99"' })).status).toBe(412);
    const dry = await take(path, body, { Prefer: 'dry-run' });
    expect([dry.status, dry.headers['preference-applied']]).toEqual([204, 'dry-run']);
    expect(await statusOf(path)).toBe('Registered');
    const tag = String((await worker.get(path)).headers.etag);
    expect((await take(path, body, { 'If-Match': tag })).status).toBe(204);
  });

  it('runs for each of several records', async () => {
    const paths = [await request(), await request()];
    const keys = paths.map((path) => /\d+/.exec(path)?.[0]).join(',');
    const filter = encodeURIComponent(`Uid in (${keys})`);
    const answer = await desk.send(
      'POST',
      `/ServiceRequests/$filter(@f)/$each/Transition?@f=${filter}`,
      { headers: { 'OData-Version': '4.01' }, body: { To: 'IN_PROGRESS', Values: PERSON } },
    );
    expect(answer.status, answer.text).toBe(204);
    for (const path of paths) expect(await statusOf(path)).toBe('In progress');
  });

  it.each([
    ['no status', {}, [400, 'write.body', 'To']],
    ['an unknown status', { To: 'Lost' }, [400, 'write.body', 'To']],
    ['an unknown value', { To: 7 }, [400, 'write.body', 'To']],
    ['a value of another type', { To: true }, [400, 'write.body', 'To']],
    [
      'members that are no object',
      { To: 'IN_PROGRESS', Values: [1] },
      [400, 'write.body', 'Values'],
    ],
    [
      'the status among the members',
      { To: 'IN_PROGRESS', Values: { Status: null } },
      [400, 'write.body', 'Values'],
    ],
    [
      'an unknown member',
      { To: 'IN_PROGRESS', Values: { Solutions: 'x' } },
      [400, 'write.body', 'Values/Solutions'],
    ],
    ['an unknown parameter', { To: 'IN_PROGRESS', Note: 'x' }, [400, 'write.body', 'Note']],
  ])('rejects %s', async (_, body, expected) => {
    expect(errorOf(await take(await request(), body))).toEqual(expected);
  });

  it('reports all mistakes in one response, by their place in the body', async () => {
    const Values = {
      Foo: 1,
      Solution: 5,
      Priority: { Text: 'Hihg' },
      'Caller@odata.bind': 'Persons(1)',
      Assignment: { 'AssigneePerson@odata.bind': 'Nowhere(1)' },
    };
    const answer = await take(await request(), { To: 'NOPE', Values, Comment: 4 });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'write.body']);
    const details = answer.json.error.details.map((one: { code: string; target: string }) => [
      one.target,
      one.code,
    ]);
    expect(details).toEqual([
      ['Comment', 'write.value'],
      ['To', 'workflow.parameter'],
      ['Values/Foo', 'write.unknown-property'],
      ['Values/Solution', 'write.value'],
      ['Values/Priority/Text', 'write.code'],
      ['Values/Assignment/AssigneePerson@odata.bind', 'write.reference'],
      ['Values/Caller@odata.bind', 'write.missing-reference'],
    ]);
  });

  it('names members in other errors by their place in the body, too', async () => {
    const path = await request();
    const Values = { ...PERSON, 'Caller@odata.bind': 'Persons(1)' };
    const missing = await take(path, { To: 'IN_PROGRESS', Values });
    const target = 'Values/Caller@odata.bind';
    expect(errorOf(missing)).toEqual([400, 'write.missing-reference', target]);
  });

  it.each([
    ['$select', '$select=Nope'],
    ['$select', '$select=Uid'],
    ['$expand', '$expand=Bogus'],
    ['$orderby', '$orderby=Uid'],
    ['$filter', '$filter=Uid gt 0'],
  ])('rejects %s, since it has no result: %s', async (option, query) => {
    const path = await request();
    const body = { To: 'IN_PROGRESS', Values: PERSON };
    const answer = await worker.send('POST', `${path}/Transition?${query}`, { body });
    expect(errorOf(answer)).toEqual([400, 'request.misplaced-option', option]);
    expect(answer.json.error.message).toBe(
      `The query option ${option} cannot be used with Transition, which has no result; leave it out.`,
    );
    expect(await statusOf(path)).toBe('Registered');
  });

  it('exists for entities with a workflow only', async () => {
    const answer = await desk.send('POST', `/Persons(${MEMBER})/Transition`, { body: { To: 'X' } });
    expect(answer.status).toBe(404);
  });
});
