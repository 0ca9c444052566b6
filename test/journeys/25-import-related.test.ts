// This file imports rows that describe records which they relate: an import does not change these, so what a row states must be true.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';

let desk: Desk;
/** Reads persons without their titles, and creates and changes requests. */
let prober: Pick<Desk, 'get' | 'send'>;
let manager: number;
let person: number;
let other: number;

beforeAll(async () => {
  desk = await openDesk();
  manager = await newPerson({ LastName: 'Chief', Searchcode: 'CHIEF' });
  person = await newPerson({
    ...{ LastName: 'Right', Searchcode: 'RIGHT', Title: 'Dr', Jobtitle: 'Clerk' },
    'Manager@odata.bind': `Persons(${manager})`,
  });
  other = await newPerson({ LastName: 'Other', Jobtitle: 'Porter' });
  const all = { Read: true, Create: true, Change: true };
  const role = {
    Name: 'prober',
    EntityAccess: ['ServiceRequest', 'Person'].map((Entity) => ({ Entity, ...all })),
    AttributeAccess: [{ Entity: 'Person', Attribute: 'Title', Read: false }],
  };
  expect((await desk.send('POST', '/Roles', { body: role })).status).toBe(201);
  prober = await desk.join({ loginName: 'prober', roles: ['prober'] });
});
afterAll(async () => await desk?.close());

async function newPerson(body: Record<string, unknown>): Promise<number> {
  const { status, json, text } = await desk.send('POST', '/Persons', { body });
  expect(status, text).toBe(201);
  return json.Uid;
}

interface Upload {
  readonly query?: string;
  readonly prefer?: string;
  readonly by?: Pick<Desk, 'send'>;
}

async function upload(
  rows: readonly string[],
  { query = '', prefer, by = desk }: Upload = {},
): Promise<DeskAnswer> {
  const preference = prefer === undefined ? {} : { prefer };
  return await by.send('POST', `/ServiceRequests/Docket.System.Import${query}`, {
    headers: { 'content-type': 'text/csv', ...preference },
    body: rows.join('\r\n'),
  });
}

function mistakes({ status, text, json }: DeskAnswer): readonly string[] {
  expect(status, text).toBe(400);
  const { details } = json.error;
  return details.map((one: { code: string; target: string }) => `${one.target} ${one.code}`);
}

async function stored(description: string): Promise<number> {
  const filter = encodeURIComponent(`Description eq '${description}'`);
  return Number((await desk.get(`/ServiceRequests/$count?$filter=${filter}`)).text);
}

describe('a new row that relates a record', () => {
  it.each([
    ['Requestor/LastName', 'WRONG'],
    ['Requestor/Jobtitle', 'WRONG'],
    ['Requestor/Searchcode', 'WRONG'],
    ['Requestor/Manager/Uid', '31'],
    ['Requestor/Manager/LastName', 'WRONG'],
    ['Requestor/Account/LoginName', 'WRONG'],
  ])('must state of it what is stored: %s', async (column, value) => {
    const rows = [`Description,Requestor/Uid,${column}`, `contradicts,${person},${value}`];
    for (const query of ['', '?mode=upsert'])
      for (const prefer of [undefined, 'dry-run'])
        expect(mistakes(await upload(rows, { query, ...(prefer && { prefer }) }))).toEqual([
          `row 2: ${column} import.related`,
        ]);
    expect(await stored('contradicts')).toBe(0);
  });

  it('is told to state what is stored, or nothing', async () => {
    const rows = ['Description,Requestor/Uid,Requestor/LastName', `told,${person},WRONG`];
    expect((await upload(rows)).text).toContain(
      'Requestor/LastName is a property of the related record, which an import does not change. State the value that is stored there, or leave the cell empty.',
    );
  });

  it('is created if it does, or leaves the cells empty', async () => {
    const head =
      'Description,Requestor/Searchcode,Requestor/LastName,Requestor/Manager/Uid,Caller/Name';
    const rows = [head, `agrees,RIGHT,Right,${manager},`, 'agrees,RIGHT,,,'];
    const answer = await upload(rows);
    expect(answer.json).toMatchObject({ created: 2, failed: 0 });
    expect(await stored('agrees')).toBe(2);
  });

  it('is the only one that fails with Prefer: odata.continue-on-error', async () => {
    const rows = ['Description,Requestor/Uid,Requestor/LastName']
      .concat([`goes on,${person},WRONG`, `goes on,${person},Right`])
      .concat([`goes on,${other},Right`, `goes on,${other},Other`]);
    for (const prefer of ['dry-run, odata.continue-on-error', 'odata.continue-on-error']) {
      const { json } = await upload(rows, { prefer });
      expect(json).toMatchObject({ created: 2, failed: 2 });
      const where = json.errors.map(({ row, column, value }: Record<string, unknown>) => [
        ...[row, column, value],
      ]);
      expect(where).toEqual([
        [2, 'Requestor/LastName', 'WRONG'],
        [4, 'Requestor/LastName', 'Right'],
      ]);
    }
    expect(await stored('goes on')).toBe(2);
  });

  it('reports its other mistakes as well', async () => {
    const rows = ['Description,Impact,Requestor/Uid,Requestor/LastName', `x,Odd,${person},WRONG`];
    expect([...mistakes(await upload(rows))].sort()).toEqual([
      'row 2: Impact write.code',
      'row 2: Requestor/LastName import.related',
    ]);
  });

  it.each([['99999999'], ['abc']])(
    'has the mistake of the key if there is no such record: %s',
    async (key) => {
      const rows = ['Description,Requestor/Uid,Requestor/LastName', `x,${key},Right`];
      const [mistake, ...others] = mistakes(await upload(rows));
      expect(others).toEqual([]);
      expect(mistake).toMatch(/^row 2: Requestor\/Uid (?:write|bind|request)\./);
    },
  );

  it.each([['Dr'], ['WRONG']])(
    'does not disclose whether what the account may not read is %s',
    async (value) => {
      const rows = ['Description,Requestor/Uid,Requestor/Title', `probes,${person},${value}`];
      for (const prefer of [undefined, 'dry-run', 'odata.continue-on-error']) {
        const answer = await upload(rows, { by: prober, ...(prefer && { prefer }) });
        expect([answer.status, answer.json.error?.code]).toEqual([403, 'access.member']);
      }
      expect(await stored('probes')).toBe(0);
    },
  );
});

describe('a changed row that relates another record', () => {
  it('may state what is stored of it or of the previous one, and nothing else', async () => {
    await upload(['Description,Requestor/Uid', `moves,${person}`]);
    const { json } = await desk.get("/ServiceRequests?$filter=Description eq 'moves'");
    const key = json.value[0].Uid;
    const change = async (to: number | '', title: string) =>
      await upload(['Uid,Requestor/Uid,Requestor/Jobtitle', `${key},${to},${title}`], {
        query: '?mode=update',
      });
    expect(mistakes(await change(other, 'WRONG'))).toEqual([
      'row 2: Requestor/Jobtitle import.related',
    ]);
    for (const [to, title] of [
      [other, 'Clerk'],
      [person, 'Clerk'],
      [other, ''],
      ['', 'Porter'],
    ] as const)
      expect((await change(to, title)).json).toMatchObject({ updated: 1, failed: 0 });
    expect(mistakes(await change('', 'Porter'))).toEqual([
      'row 2: Requestor/Jobtitle import.related',
    ]);
  });
});
