// This file does the reads and writes of the contract with a client that a generator of others has made of the metadata. Making it takes
// some seconds of a processor.
import { FetchClient } from '@odata2ts/http-client-fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { type GeneratedClient, generateClient } from './generated-client.ts';
import { makeReachable, type Reachable } from './listening.ts';
import { CALLER, HISTORY_LINE, MEMBER, REQUEST, WORKGROUP } from './records.ts';

let desk: Desk;
let reachable: Reachable;
let generated: GeneratedClient;
// biome-ignore lint/suspicious/noExplicitAny: what it has follows from the metadata
let service: any;
beforeAll(async () => {
  desk = await openDesk();
  // It keeps the process busy for so long that connections opened before would be closed.
  generated = generateClient((await desk.get('/$metadata')).text);
  reachable = await makeReachable(desk);
  const headers = { authorization: `Bearer ${reachable.token}` };
  service = new generated.service(
    new FetchClient({ headers, cache: 'no-store' }),
    `${reachable.origin}/odata`,
  );
}, 120_000);
afterAll(async () => {
  generated?.remove();
  await reachable?.stop();
  await desk?.close();
});

/** What the builders of queries offer. */
// biome-ignore lint/suspicious/noExplicitAny: they follow from the metadata
type Build = (builder: any, q: any) => unknown;

const minimal = { headers: { prefer: 'return=minimal' } };
const representation = { headers: { prefer: 'return=representation' } };

async function made(body: object = {}): Promise<number> {
  const { status, data } = await service
    .ServiceRequests()
    .create({ Description: 'By a generated client', ...body });
  expect(status).toBe(201);
  return data.Uid;
}

describe('Reading', () => {
  it('has a member for each set, and Me', async () => {
    const { data } = await service.Me();
    expect(data.Uid).toBe(CALLER);
    for (const set of ['Problems', 'Changes', 'Incidents', 'Workorders', 'Persons', 'Templates'])
      expect(Array.isArray((await service[set]().query()).data.value), set).toBe(true);
  });

  it('reads a collection with all options', async () => {
    const build: Build = (builder, q) =>
      builder
        .select('Uid', 'Description', 'Status')
        .filter(q.Status.props.Value.eq(101009), q.Description.startsWith('Request'))
        .expanding('Caller', ((inner) => inner.select('Name')) satisfies Build)
        .orderBy(q.Uid.desc())
        .skip(1)
        .top(3)
        .count();
    const { data } = await service.ServiceRequests().query(build);
    expect(data.value).toHaveLength(3);
    expect(data['@odata.count']).toBeGreaterThanOrEqual(300);
    expect(data.value[0]).toMatchObject({ Caller: null, Status: { Value: 101009 } });
  });

  it('reads one record, with what it is related to', async () => {
    const build: Build = (builder) => builder.expand('Caller', 'Workorders', 'HistoryLines');
    const { data } = await service.ServiceRequests(REQUEST).query(build);
    expect(data).toMatchObject({ Uid: REQUEST, Caller: { Uid: CALLER } });
    expect(data.Workorders).toHaveLength(2);
    expect(data.HistoryLines).toMatchObject([{ Uid: HISTORY_LINE }]);
  });

  it('navigates', async () => {
    const request = service.ServiceRequests(REQUEST);
    expect((await request.Caller().query()).data).toMatchObject({ Uid: CALLER });
    expect((await request.Caller().Organization().query()).data).toMatchObject({
      Name1: 'Hillside',
    });
    expect((await request.Workorders().query()).data.value).toHaveLength(2);
    expect((await request.HistoryLines(HISTORY_LINE).query()).data.Uid).toBe(HISTORY_LINE);
    expect((await request.Assignment().AssigneePerson().query()).data.Uid).toBe(MEMBER);
    expect((await request.Status().query()).data).toMatchObject({ Value: 101003 });
  });

  it('is told what is wrong', async () => {
    await expect(service.ServiceRequests(1).query()).rejects.toMatchObject({ status: 404 });
  });
});

describe('Writing', () => {
  it('creates with codes, relations and related records', async () => {
    const uid = await made({
      Status: { Value: 101003 },
      'Caller@odata.bind': `/Persons(${CALLER})`,
      Assignment: { 'AssigneeWorkgroup@odata.bind': `/Workgroups(${WORKGROUP})` },
      Workorders: [{ Description: 'Inside' }],
    });
    const build: Build = (builder) => builder.expand('Caller', 'Workorders');
    const { data } = await service.ServiceRequests(uid).query(build);
    expect(data).toMatchObject({
      Status: { Value: 101003 },
      Caller: { Uid: CALLER },
      Workorders: [{ Description: 'Inside' }],
    });
  });

  it('creates inside of others', async () => {
    const request = service.ServiceRequests(await made());
    const { data } = await request.Workorders().create({ Description: 'Later' });
    expect((await service.Workorders(data.Uid).query()).data.Description).toBe('Later');
    await request.HistoryLines().create({ Subject: 'A note' });
    expect((await request.HistoryLines().query()).data.value).toMatchObject([
      { Subject: 'A note' },
    ]);
  });

  it('creates without an answer where it prefers so', async () => {
    const body = { Description: 'By a generated client' };
    const { status, headers } = await service.ServiceRequests().create(body, minimal);
    expect([status, headers['preference-applied']]).toEqual([204, 'return=minimal']);
    expect(headers.location).toMatch(/ServiceRequests\(\d+\)$/);
  });

  it('changes and replaces', async () => {
    const request = service.ServiceRequests(await made());
    expect((await request.patch({ Solution: 'None' })).status).toBe(204);
    const shown = await request.patch({ Solution: 'Some' }, representation);
    expect([shown.status, shown.data.Solution]).toEqual([200, 'Some']);
    await request.update({ Description: 'Replaced' });
    expect((await request.query()).data).toMatchObject({ Description: 'Replaced', Solution: null });
    await request.Status().patch({ Value: 101003 });
    expect((await request.query()).data.Status.Value).toBe(101003);
  });

  it('deletes', async () => {
    const request = service.ServiceRequests(await made());
    expect((await request.delete()).status).toBe(204);
    await expect(request.delete()).rejects.toMatchObject({ status: 404 });
  });

  it('is told all mistakes of a body', async () => {
    const body = { Description: 'x', Status: { Value: 1 } };
    await expect(service.ServiceRequests().create(body)).rejects.toMatchObject({ status: 400 });
  });
});
