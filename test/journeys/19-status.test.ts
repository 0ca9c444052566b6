// This file walks through the status codes of the standard, one request for each outcome. OData 4.01 Protocol, "Response Status Codes".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type Message, openDesk } from './desk.ts';
import { BARE_REQUEST, CALLER, MEMBER, ORGANIZATION, REQUEST } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ settings: { limits: { bodyBytes: 100_000 } } });
});
afterAll(async () => await desk?.close());

const one = `/ServiceRequests(${REQUEST})`;
const bare = `/ServiceRequests(${BARE_REQUEST})`;
const person = { '@odata.id': `Persons(${CALLER})` };

type Outcome = readonly [status: number, what: string, method: string, path: string, Message?];

const outcomes: readonly Outcome[] = [
  [200, 'a record', 'GET', one],
  [200, 'an empty collection', 'GET', '/Persons?$filter=false'],
  [
    200,
    'a change with its record',
    'PATCH',
    one,
    { body: { Solution: 'x' }, headers: { prefer: 'return=representation' } },
  ],
  [201, 'a creation', 'POST', '/ServiceRequests', { body: { Description: 'new' } }],
  [
    202,
    'a request that is put off',
    'GET',
    '/Persons',
    { headers: { prefer: 'respond-async,wait=0' } },
  ],
  [204, 'a value that is null', 'GET', `${bare}/Solution`],
  [204, 'a relation to nothing', 'GET', `${bare}/Caller`],
  [204, 'a change without a word of it', 'PATCH', one, { body: { Solution: 'y' } }],
  [204, 'a link', 'PUT', `${bare}/Caller/$ref`, { body: person }],
  [204, 'a link less', 'DELETE', `${bare}/Caller/$ref`],
  [304, 'a record that is known', 'GET', '/Persons(32)', { headers: { 'if-none-match': '*' } }],
  [400, 'a literal that is none', 'GET', "/Persons?$filter=Uid eq '"],
  [400, 'an option that is none', 'GET', '/Persons?$fliter=true'],
  [400, 'a value of another type', 'PATCH', one, { body: { Deadline: 5 } }],
  [400, 'a key in a new record', 'POST', '/Persons', { body: { LastName: 'x', Uid: 1 } }],
  [400, 'a division by zero', 'GET', '/Persons?$filter=Uid div 0 eq 1'],
  [404, 'a set that is none', 'GET', '/Persns'],
  [404, 'a segment that is none', 'GET', `${one}/Callr`],
  [404, 'a record that is none', 'GET', '/Persons(999999)'],
  [404, 'a schema that is none', 'GET', '/$metadata?$schemaversion=x'],
  [405, 'a method that is not for it', 'DELETE', '/Persons'],
  [406, 'a format that is not given', 'GET', '/Persons', { headers: { accept: 'image/png' } }],
  [409, 'a record that others refer to', 'DELETE', `/Organizations(${ORGANIZATION})`],
  [
    412,
    'an ETag of yesterday',
    'PATCH',
    one,
    { body: { Solution: 'z' }, headers: { 'if-match': 'W/"0"' } },
  ],
  [
    413,
    'a body that is too large',
    'POST',
    '/Persons',
    { body: { LastName: 'x'.repeat(200_000) } },
  ],
  [414, 'a URL that is too long', 'GET', `/Persons?$filter=Name eq '${'x'.repeat(17_000)}'`],
  [
    415,
    'a body in another language',
    'POST',
    '/Persons',
    { body: '<a/>', headers: { 'content-type': 'text/xml' } },
  ],
  [501, 'what is known and not built', 'GET', '/Persons?$at=2026-01-01'],
];

describe('Each outcome has the status code that the standard gives it', () => {
  for (const [status, what, method, path, message] of outcomes) {
    it(`${status}: ${what}`, async () => {
      const answer = await desk.send(method, encodeURI(path), message);
      expect(answer.status, answer.text).toBe(status);
      if (status >= 400) expect(answer.text).toMatch(/"message":|<m:message>/);
      if (status === 405) expect(answer.headers.allow).toContain('GET');
      if (status === 202) expect(answer.headers.location).toBeDefined();
    });
  }

  it('401 without a token, 403 without the right, 424 for what depends on a refusal', async () => {
    expect((await desk.as('anonymous').get('/Persons')).status).toBe(401);
    const outsider = await desk.join({ loginName: 'outsider', roles: [] });
    expect((await outsider.get('/Persons')).status).toBe(403);
    const requests = [
      { id: 'a', method: 'get', url: 'Persons(999999)' },
      { id: 'b', method: 'get', url: `Persons(${MEMBER})`, dependsOn: ['a'] },
    ];
    const batch = await desk.send('POST', '/$batch', {
      body: { requests },
      headers: { prefer: 'continue-on-error' },
    });
    const statuses = batch.json.responses.map((each: { status: number }) => each.status);
    expect([batch.status, statuses]).toEqual([200, [404, 424]]);
  });
});

it('the address of the service has no version in it', async () => {
  const root = await desk.get('/');
  expect(root.json['@odata.context']).toBe(`${desk.root}$metadata`);
  expect(new URL(desk.root).pathname).toBe('/odata/');
  expect((await desk.get('/v2/Persons')).status).toBe(404);
});
