// This file does the reads and writes of the contract with o.js, a client that others wrote, as it comes from its registry.
import { o } from 'o.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { type Desk, openDesk } from './desk.ts';
import { makeReachable, type Reachable } from './listening.ts';
import { CALLER, HISTORY_LINE, MEMBER, RECORDS, REQUEST, WORKGROUP, WORKORDER } from './records.ts';

let desk: Desk;
let reachable: Reachable;
let root = '';
beforeAll(async () => {
  desk = await openDesk();
  reachable = await makeReachable(desk);
  root = `${reachable.origin}/odata/`;
});
afterAll(async () => {
  await reachable.stop();
  await desk.close();
});

type Client = ReturnType<typeof o>;

function client(
  headers: Readonly<Record<string, string>> = {},
  { useChangset = false }: { readonly useChangset?: boolean } = {},
): Client {
  const own = { authorization: `Bearer ${reachable.token}`, 'content-type': 'application/json' };
  return o(root, {
    headers: new Headers({ ...own, ...headers }),
    batch: { endpoint: '$batch', headers: new Headers(own), useChangset, useRelativeURLs: false },
  });
}

const reference = (path: string) => ({ '@odata.id': `${root}${path}` });

/** Description of a new request, and its key. */
async function made(body: object = {}): Promise<number> {
  const record = await client()
    .post('ServiceRequests', { Description: 'By o.js', ...body })
    .query();
  return record.Uid;
}

describe('Discovery and Me', () => {
  it('reads the service document, the metadata and $ping', async () => {
    const sets = await client().get('').query();
    expect(sets).toContainEqual(expect.objectContaining({ name: 'Persons', kind: 'EntitySet' }));
    const metadata = (await client().get('$metadata').fetch()) as Response;
    expect(await metadata.text()).toContain('<EntityType Name="ServiceRequest"');
    const ping = (await client().get('$ping').fetch()) as Response;
    expect([ping.status, await ping.text()]).toEqual([200, '']);
  });

  it('reads Me, with $select and $expand', async () => {
    expect(await client().get('Me').query()).toMatchObject({ Uid: CALLER });
    const query = { $select: 'Uid,Name', $expand: 'Account($select=Name)' };
    expect(await client().get('Me').query(query)).toMatchObject({ Uid: CALLER });
  });
});

describe('Reading', () => {
  it('reads a collection with all options', async () => {
    const query = {
      $top: 3,
      $skip: 1,
      $count: true,
      $filter: 'Status/Value eq 101009',
      $orderby: 'Uid desc',
      $select: 'Uid,Description',
      $expand: 'Caller($select=Name)',
    };
    const records = await client().get('ServiceRequests').query(query);
    expect(records).toHaveLength(3);
    expect(Object.keys(records[0])).toEqual(
      expect.arrayContaining(['Uid', 'Description', 'Caller']),
    );
    const answer = (await client().get('ServiceRequests').fetch(query)) as Response;
    const { '@odata.count': count } = (await answer.json()) as { '@odata.count': number };
    expect(count).toBeGreaterThanOrEqual(300);
  });

  it('reads one record, as it is and with relations', async () => {
    const path = `ServiceRequests(${REQUEST})`;
    expect(await client().get(path).query()).toMatchObject({ Uid: REQUEST });
    const query = { $expand: 'Caller($expand=Organization),Workorders,HistoryLines' };
    const record = await client().get(path).query(query);
    expect(record.Caller.Organization.Name1).toBe('Hillside');
    expect(record.Workorders).toHaveLength(2);
  });

  it('navigates', async () => {
    const path = `ServiceRequests(${REQUEST})`;
    expect(await client().get(`${path}/Caller`).query()).toMatchObject({ Uid: CALLER });
    expect(await client().get(`${path}/Workorders`).query()).toHaveLength(2);
    expect(await client().get(`${path}/Caller/Organization`).query()).toMatchObject({
      Name1: 'Hillside',
    });
    expect(await client().get(`${path}/HistoryLines(${HISTORY_LINE})`).query()).toMatchObject({
      Uid: HISTORY_LINE,
    });
    expect(await client().get(`${path}/Assignment/AssigneePerson`).query()).toMatchObject({
      Uid: MEMBER,
    });
    expect(await client().get('ServiceRequests/$count').query()).toBeGreaterThan(300);
  });

  it('is told what is wrong', async () => {
    const failing = client().get('ServiceRequests(1)').query();
    await expect(failing).rejects.toMatchObject({ status: 404 });
  });
});

describe('Writing', () => {
  it('creates with codes, relations and related records', async () => {
    const uid = await made({
      Status: { Value: 101003 },
      Priority: { Value: 110001 },
      'Caller@odata.bind': `/Persons(${CALLER})`,
      Workorders: [{ Description: 'Inside' }],
    });
    const record = await client()
      .get(`ServiceRequests(${uid})`)
      .query({ $expand: 'Caller,Workorders' });
    expect(record).toMatchObject({ Status: { Value: 101003 }, Caller: { Uid: CALLER } });
    expect(record.Workorders).toMatchObject([{ Description: 'Inside' }]);
  });

  it('creates with Prefer: return=minimal', async () => {
    const answer = (await client({ prefer: 'return=minimal' })
      .post('ServiceRequests', { Description: 'By o.js' })
      .fetch()) as Response;
    expect(answer.status).toBe(204);
    expect(answer.headers.get('preference-applied')).toBe('return=minimal');
    const location = answer.headers.get('location') ?? '';
    expect(await client().get(location.slice(root.length)).query()).toMatchObject({
      Description: 'By o.js',
    });
  });

  it('changes, with and without an answer', async () => {
    const path = `ServiceRequests(${await made()})`;
    const answer = (await client().patch(path, { Solution: 'None' }).query()) as Response;
    expect(answer.status).toBe(204);
    const record = await client({ prefer: 'return=representation' })
      .patch(path, { Solution: 'Some' })
      .query();
    expect(record).toMatchObject({ Solution: 'Some', Description: 'By o.js' });
    await client().put(path, { Description: 'Replaced' }).query();
    expect(await client().get(path).query()).toMatchObject({
      Description: 'Replaced',
      Solution: null,
    });
  });

  it('deletes', async () => {
    const path = `ServiceRequests(${await made()})`;
    expect(await client().delete(path).query()).toMatchObject({ status: 204 });
    await expect(client().delete(path).query()).rejects.toMatchObject({ status: 404 });
  });

  it('relates and lets go', async () => {
    const path = `ServiceRequests(${await made()})`;
    const caller = `${path}/Caller/$ref`;
    expect(
      await client()
        .put(caller, reference(`Persons(${MEMBER})`))
        .query(),
    ).toMatchObject({
      status: 204,
    });
    expect(await client().get(`${path}/Caller`).query()).toMatchObject({ Uid: MEMBER });
    await client().delete(caller).query();
    expect(((await client().get(`${path}/Caller`).fetch()) as Response).status).toBe(204);
    const members = `Workgroups(${WORKGROUP})/Members`;
    await client()
      .post(`${members}/$ref`, reference(`Persons(${CALLER})`))
      .query();
    expect(await client().get(members).query()).toMatchObject([{ Uid: CALLER }]);
    await client().delete(`${members}(${CALLER})/$ref`).query();
    expect(await client().get(members).query()).toEqual([]);
    const nested = `${path}/Assignment/AssigneeWorkgroup`;
    const group = reference(`Workgroups(${WORKGROUP})`);
    const shown = await client({ prefer: 'return=representation' })
      .put(`${nested}/$ref`, group)
      .query();
    expect(shown).toMatchObject({ Description: 'By o.js' });
    expect(await client().get(nested).query()).toMatchObject({ Uid: WORKGROUP });
    await client().delete(`${nested}/$ref`).query();
  });

  it('lists templates and creates from one', async () => {
    const records = [...RECORDS, ...catalogRecords(suiteModel())];
    const other = await openDesk({ records });
    const [usual, usualRoot] = [reachable, root];
    reachable = await makeReachable(other);
    root = `${reachable.origin}/odata/`;
    await useTemplate();
    await reachable.stop();
    await other.close();
    [reachable, root] = [usual, usualRoot];
  });

  async function useTemplate(): Promise<void> {
    const type = (await client().get('Entities').query({ $filter: "Name eq 'ServiceRequest'" }))[0];
    const template = await client()
      .post('Templates', {
        Name: 'Usual',
        'Entity@odata.bind': `Entities(${type.Uid})`,
        Values: [{ AttributeName: 'Solution', Value: 'Restart it' }],
      })
      .query();
    const query = { $filter: "Entity/Name eq 'ServiceRequest'" };
    expect(await client().get('Templates').query(query)).toMatchObject([{ Name: 'Usual' }]);
    const record = await client()
      .post('ServiceRequests', {
        Description: 'From a template',
        'Template@odata.bind': `/Templates(${template.Uid})`,
      })
      .query();
    expect(record).toMatchObject({ Solution: 'Restart it', Description: 'From a template' });
  }
});

describe('Attachments', () => {
  it('are uploaded, listed, read, shown with their record and deleted', async () => {
    const own = `ServiceRequests(${await made()})`;
    // The client writes every object as JSON, forms too: bytes go as they are.
    const file = await client({
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename="log.txt"',
    })
      .post(`${own}/Attachments`, 'What went wrong')
      .query();
    expect(file).toMatchObject({ Name: 'log.txt', FileName: 'log.txt' });
    const address = `${own}/Attachments(${file.Uid})`;
    expect(await client().get(`${own}/Attachments`).query()).toMatchObject([{ Name: 'log.txt' }]);
    const bytes = (await client().get(`${address}/$value`).fetch()) as Response;
    expect([await bytes.text(), bytes.headers.get('content-type')]).toEqual([
      'What went wrong',
      expect.stringContaining('text/plain'),
    ]);
    const record = await client().get(own).query({ $expand: 'Attachments' });
    expect(record.Attachments[0]['@odata.mediaReadLink']).toContain(`Attachments(${file.Uid})`);
    await client().delete(address).query();
    expect(await client().get(`${own}/Attachments`).query()).toEqual([]);
  });
});

describe('Batches', () => {
  it('ask for several things at once', async () => {
    const answers = await client()
      .get(`Persons(${CALLER})`)
      .get('Workorders')
      .post('ServiceRequests', { Description: 'In a batch' })
      .batch();
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([200, 200, 201]);
    expect(answers[0].body).toMatchObject({ Uid: CALLER });
    expect(answers[2].body).toMatchObject({ Description: 'In a batch' });
  });

  it('change several things at once, by a change set', async () => {
    const uid = await made();
    const answers = await client({}, { useChangset: true })
      .post('ServiceRequests', { Description: 'In a set' })
      .patch(`ServiceRequests(${uid})`, { Solution: 'In a set' })
      .delete(`Workorders(${WORKORDER + 1})`)
      .batch();
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([201, 204, 204]);
    expect(answers[0].body).toMatchObject({ Description: 'In a set' });
  });
});
