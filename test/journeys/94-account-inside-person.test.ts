// This file sends accounts inside persons, and expects that both refer to each other, whatever request creates the account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';

const V401 = { 'OData-Version': '4.01' };

let desk: Desk;
let role: string;
beforeAll(async () => {
  desk = await openDesk();
  const { json, text } = await desk.send('POST', '/Roles', { body: { Name: 'insider' } });
  expect(json?.Uid, text).toBeDefined();
  role = `Roles(${json.Uid})`;
});
afterAll(async () => await desk?.close());

function expectDone({ status, text }: DeskAnswer, expected = 204): void {
  expect(status, text).toBe(expected);
}

async function person(body: object = {}): Promise<string> {
  const answer = await desk.send('POST', '/Persons', { body: { LastName: 'Curl', ...body } });
  expectDone(answer, 201);
  return `/Persons(${answer.json.Uid})`;
}

/** Both ends of the relation, and the number of roles. */
async function linked(loginName: string) {
  const query = `$filter=LoginName eq '${loginName}'&$expand=Person,Roles`;
  const { json, text } = await desk.get(`/Accounts?${query}`);
  expect(json?.value, text).toHaveLength(1);
  const [{ Person, Roles }] = json.value;
  const path = Person === null ? undefined : `/Persons(${Person.Uid})`;
  const back = path === undefined ? undefined : await desk.get(`${path}/Account`);
  return { path, back: back?.json?.LoginName, roles: Roles.length };
}

describe.each([
  ['without roles', 0],
  ['with a role', 1],
])('An account %s that is sent inside a person', (_, roles) => {
  const account = (LoginName: string) => ({
    LoginName: `${LoginName}${roles}`,
    ...(roles === 0 ? {} : { 'Roles@odata.bind': [role] }),
  });

  async function expectLinked(name: string, path?: string): Promise<void> {
    const found = await linked(`${name}${roles}`);
    expect(found).toEqual({ path: path ?? expect.any(String), back: `${name}${roles}`, roles });
  }

  it('belongs to a new person', async () => {
    await expectLinked('new', await person({ Account: account('new') }));
  });

  it('belongs to a person that is changed', async () => {
    const path = await person();
    const body = { Account: account('changed') };
    expectDone(await desk.send('PATCH', path, { headers: V401, body }));
    await expectLinked('changed', path);
  });

  it('belongs to the person of the URL', async () => {
    const path = await person();
    const answer = await desk.send('PUT', `${path}/Account`, { body: account('put') });
    expectDone(answer, 201);
    await expectLinked('put', path);
  });

  it('belongs to a person that is nested itself', async () => {
    const Manager = { LastName: 'Above', Account: account('above') };
    await person({ Manager });
    await expectLinked('above');
  });

  it('belongs to an imported person', async () => {
    const body = `${JSON.stringify({ LastName: 'Line', Account: account('line') })}\n`;
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const answer = await desk.send('POST', '/Persons/Docket.System.Import', { headers, body });
    expectDone(answer, 200);
    await expectLinked('line');
  });
});

describe('An account that is sent inside a person with an account', () => {
  it('changes the one that the person has', async () => {
    const path = await person({ Account: { LoginName: 'former' } });
    const body = { Account: { LoginName: 'latter' } };
    expectDone(await desk.send('PATCH', path, { headers: V401, body }));
    expect(await linked('latter')).toMatchObject({ path, back: 'latter' });
    const former = await desk.get("/Accounts?$filter=LoginName eq 'former'");
    expect(former.json.value).toEqual([]);
  });

  it('replaces its values by PUT, and keeps the person', async () => {
    const path = await person({ Account: { LoginName: 'named' } });
    const body = { LoginName: 'renamed', Name: 'Given' };
    expectDone(await desk.send('PUT', `${path}/Account`, { body }));
    expect(await linked('renamed')).toMatchObject({ path, back: 'renamed' });
  });
});
