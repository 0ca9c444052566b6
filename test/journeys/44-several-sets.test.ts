// This file writes through navigations to an abstract type, whose entities are kept in several sets: what is addressed there is changed
// in the set that it turns out to be in.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

let desk: Desk;
let incident = 0;
let relation = '';
let source = '';
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => {
  await desk.close();
});
beforeEach(async () => {
  incident = (await desk.send('POST', '/Incidents', { body: { Description: 'one' } })).json.Uid;
  const body = { 'Source@odata.bind': `Incidents(${incident})` };
  relation = `/RecordRelations(${(await desk.send('POST', '/RecordRelations', { body })).json.Uid})`;
  source = `${relation}/Source`;
});

const NS = 'Service.Web.OData.Model';
const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };
const stored = async () => (await desk.get(`/Incidents(${incident})`)).json;

describe('The one that is related', () => {
  it('is changed by PATCH, with its history and its ETag', async () => {
    const headers = { prefer: 'return=representation', 'if-match': 'W/"1"' };
    const answer = await desk.send('PATCH', source, { body: { Information: 'new' }, headers });
    expect([answer.status, answer.headers.etag]).toEqual([200, 'W/"2"']);
    expect(answer.json).toMatchObject({ Uid: incident, Information: 'new' });
    expect(await stored()).toMatchObject({ Information: 'new', '@odata.etag': 'W/"2"' });
    const stale = await desk.send('PATCH', source, { body: { Information: 'x' }, headers });
    expect([stale.status, (await stored()).Information]).toEqual([412, 'new']);
  });

  it('is changed in the members of its own type behind a cast', async () => {
    const body = { Description: 'two', MajorIncident: true };
    expect((await desk.send('PATCH', `${source}/${NS}.Incident`, { body })).status).toBe(204);
    expect(await stored()).toMatchObject(body);
    const other = await desk.send('PATCH', `${source}/${NS}.Problem`, {
      body: { Description: 'x' },
    });
    expect([other.status, (await stored()).Description]).toEqual([404, 'two']);
  });

  it('is changed by property, item and reference', async () => {
    for (const [method, path, body] of [
      ['PUT', '/Information', { value: 'by property' }],
      ['POST', '/ExternalReferences', { System: 'S', Id: '1' }],
      ['PUT', '/Requestor/$ref', { '@odata.id': `Persons(${desk.me})` }],
    ] as const)
      expect((await desk.send(method, `${source}${path}`, { body })).status).toBe(204);
    const { json } = await desk.get(`/Incidents(${incident})?$expand=Requestor($select=Uid)`);
    expect(json).toMatchObject({ Information: 'by property', Requestor: { Uid: desk.me } });
    expect(json.ExternalReferences).toMatchObject([{ System: 'S', Id: '1' }]);
    expect((await desk.send('DELETE', `${source}/Requestor/$ref`)).status).toBe(204);
    expect((await desk.send('DELETE', `${source}/Requestor/$ref`)).status).toBe(404);
  });

  it('gets new entities that refer back to it', async () => {
    const made = await desk.send('POST', `${source}/TimeEntries`, { body: { Remark: 'r' } });
    expect(made.status).toBe(201);
    const { json } = await desk.get(`/Incidents(${incident})/TimeEntries?$select=Uid`);
    expect(json.value).toMatchObject([{ Uid: made.json.Uid }]);
  });

  it('is deleted by DELETE', async () => {
    expect((await desk.send('DELETE', source)).status).toBe(204);
    expect((await desk.get(`/Incidents(${incident})`)).status).toBe(404);
  });

  it('is replaced only as what it is', async () => {
    const vague = await desk.send('PUT', source, { body: { Information: 'x' } });
    expect([vague.status, vague.json.error.details[0]]).toMatchObject([
      400,
      { code: 'write.type', target: '@odata.type' },
    ]);
    expect((await stored()).Information).toBe(null);
    const body = { '@odata.type': `#${NS}.Incident`, Description: 'whole' };
    expect((await desk.send('PUT', source, { body })).status).toBe(204);
    expect((await stored()).Description).toBe('whole');
  });
});

describe('Together with its owner', () => {
  const change = async (body: unknown) =>
    await desk.send('PATCH', relation, { body: { Source: body }, headers: V401 });

  it('is changed in the set that it is in', async () => {
    expect((await change({ '@type': `#${NS}.Incident`, Description: 'deep' })).status).toBe(204);
    expect((await stored()).Description).toBe('deep');
    const wrong = await change({ '@type': `#${NS}.Problem`, Description: 'x' });
    expect([wrong.status, wrong.json.error.code]).toEqual([400, 'write.not-of-type']);
    expect((await stored()).Description).toBe('deep');
  });

  it('is made in the set of its type where nothing is there, and refused without a type', async () => {
    await desk.send('DELETE', `${source}/$ref`);
    const vague = await change({ Information: 'x' });
    expect([vague.status, vague.json.error]).toMatchObject([
      400,
      { code: 'write.homeless', target: 'Source' },
    ]);
    expect((await change({ '@type': `#${NS}.Change`, Description: 'made' })).status).toBe(204);
    const { json } = await desk.get(`${source}/${NS}.Change?$select=Uid,Description`);
    expect((await desk.get(`/Changes(${json.Uid})`)).json.Description).toBe('made');
  });
});
