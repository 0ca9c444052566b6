// This file asks what other accounts may do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteRoles } from '../service-desk.ts';
import { type Desk, openDesk, PASSWORD, postToken } from './desk.ts';
import { BARE_REQUEST, CALLER, HISTORY_LINE, MEMBER, REQUEST, WORKORDER } from './records.ts';
import { openZoo } from './zoo.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
let caller: Asking;
beforeAll(async () => {
  desk = await openDesk();
  await importRecords(
    rolesDocument(suiteRoles.filter(({ name }) => name !== 'administrator')),
    desk.service,
  );
  const role = {
    Name: 'partly',
    EntityAccess: [
      { Entity: 'Workorder', Read: true },
      { Entity: 'Workorder', Change: true, Filter: 'Status/Value eq 105004' },
    ],
    AttributeAccess: [{ Entity: 'Workorder', Attribute: 'Solution', Modify: false }],
  };
  expect((await desk.send('POST', '/Roles', { body: role })).status).toBe(201);
  caller = await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
  for (const [loginName, roles, person] of [
    ['member', ['requester'], MEMBER],
    ['partly', ['partly'], undefined],
    ['agent', ['agent'], undefined],
    ["o'neil", ['auditor'], undefined],
    ['without', [], undefined],
  ] as const)
    await desk.join({ loginName, roles, ...(person === undefined ? {} : { person }) });
});
afterAll(async () => await desk?.close());

/** Addresses, with the own one of the entity where it is another. */
const PLACES: readonly (readonly [string, string?])[] = [
  [`/ServiceRequests(${REQUEST})`],
  [`/ServiceRequest(${REQUEST})`],
  [`/ServiceRequests(${BARE_REQUEST})`],
  [`/ServiceRequests(${REQUEST})/Caller`, `/Persons(${CALLER})`],
  [`/ServiceRequests(${REQUEST})/HistoryLines(${HISTORY_LINE})`],
  [`/Workorders(${WORKORDER})`],
  [`/Workorders(${WORKORDER + 1})`],
  [`/Workorders(${WORKORDER})/ServiceRequest`, `/ServiceRequests(${REQUEST})`],
  [`/Persons(${CALLER})`],
];

/** Everything false: what an account may do with what it cannot see. */
function nothing(of: { readonly Members: readonly { readonly Name: string }[] }) {
  return {
    '@odata.context': expect.stringMatching(/\$metadata#Docket.System.EffectiveRights$/),
    ...{ Read: false, Create: false, Change: false, Delete: false, Attach: false },
    Members: of.Members.map(({ Name }) => ({ Name, Read: false, Change: false })),
  };
}

describe('EffectiveRights of another account', () => {
  it.each(['caller', 'member', 'partly', 'agent', "o'neil", 'without', 'admin'])(
    'tells of %s what that account is told itself, and of what it cannot see that nothing is allowed',
    async (name) => {
      const fields = { grant_type: 'password', username: name, password: PASSWORD };
      const log = await postToken(desk, fields);
      const own = { authorization: `Bearer ${log.json.access_token}` };
      const text = encodeURIComponent(`'${name.replaceAll("'", "''")}'`);
      for (const [place, itself = place] of PLACES) {
        const all = await desk.get(`${place}/EffectiveRights()`);
        expect([place, all.status]).toEqual([place, 200]);
        const self = await desk.as('anonymous').get(`${itself}/EffectiveRights()`, own);
        const told = await desk.get(`${place}/EffectiveRights(Account=${text})`);
        expect([place, told.status]).toEqual([place, 200]);
        if (self.status === 200) expect(told.json).toEqual(self.json);
        else expect([403, 404]).toContain(self.status);
        if (self.status !== 200) expect(told.json).toEqual(nothing(all.json));
      }
    },
  );

  it('takes the name as an alias, as an option, qualified, in any case, and in a batch', async () => {
    const place = `/Workorders(${WORKORDER})`;
    const { json } = await desk.get(`${place}/EffectiveRights(Account='partly')`);
    expect(json).toMatchObject({ Read: true, Change: true, Delete: false });
    for (const way of [
      "EffectiveRights(Account=@a)?@a='partly'",
      "EffectiveRights?Account='partly'",
      "Service.Web.OData.Model.EffectiveRights(Account='partly')",
      "EffectiveRights(Account='PARTLY')",
      'Effective%52ights(%41ccount=%27partly%27)',
    ])
      expect([way, (await desk.get(`${place}/${way}`)).json]).toEqual([way, json]);
    const url = `Workorders(${WORKORDER})/EffectiveRights(Account='partly')`;
    const batch = await desk.send('POST', '/$batch', {
      body: { requests: [{ id: '1', method: 'get', url }] },
    });
    expect(batch.json.responses[0]).toMatchObject({ status: 200, body: json });
  });

  it('is about the entity that is addressed, also where the address would lead elsewhere for the other', async () => {
    const { json } = await desk.get(`/Persons(${CALLER})/EffectiveRights(Account='member')`);
    const mine = await desk.get("/Me/EffectiveRights(Account='member')");
    expect([mine.status, mine.json]).toEqual([200, json]);
  });

  it('follows changes of roles at once, and blocked accounts may do nothing', async () => {
    const place = `/Workorders(${WORKORDER + 1})/EffectiveRights(Account='partly')`;
    expect((await desk.get(place)).json).toMatchObject({ Read: true, Change: false });
    const { json: roles } = await desk.get("/Roles?$filter=Name eq 'partly'");
    const more = await desk.send('POST', `/Roles(${roles.value[0].Uid})/EntityAccess`, {
      body: { Entity: 'Workorder', Change: true },
    });
    expect(more.status).toBe(201);
    expect((await desk.get(place)).json).toMatchObject({ Read: true, Change: true });
    const { json: found } = await desk.get("/Accounts?$filter=LoginName eq 'partly'");
    const account = `/Accounts(${found.value[0].Uid})`;
    await desk.send('PATCH', account, { body: { Blocked: true } });
    const all = await desk.get(`/Workorders(${WORKORDER + 1})/EffectiveRights()`);
    expect((await desk.get(place)).json).toEqual(nothing(all.json));
    await desk.send('PATCH', account, { body: { Blocked: false } });
    expect((await desk.get(place)).json).toMatchObject({ Read: true });
  });

  it('is for administrators; everybody may ask about the own account', async () => {
    const place = `/ServiceRequests(${REQUEST})/EffectiveRights`;
    for (const name of ['member', 'admin', 'nobody such']) {
      const answer = await caller.get(`${place}(Account='${name}')`);
      expect([answer.status, answer.json.error.code]).toEqual([403, 'access.rights-of']);
    }
    const own = await caller.get(`${place}(Account='Caller')`);
    expect([own.status, own.json]).toEqual([200, (await caller.get(`${place}()`)).json]);
  });

  it.each([
    ["/ServiceRequests(1)/EffectiveRights(Account='nobody such')", 404, 'auth.account-unknown'],
    ["/ServiceRequests(987654)/EffectiveRights(Account='caller')", 404, 'response.not-found'],
    ['/ServiceRequests(1)/EffectiveRights(Account=1)', 400, 'bind.argument'],
    ["/ServiceRequests(1)/EffectiveRights(Acount='caller')", 400, 'bind.unknown-parameter'],
    [
      "/ServiceRequests(1)/EffectiveRights(Account='caller')?$top=1",
      400,
      'request.misplaced-option',
    ],
    ["/$entity?$id=ServiceRequests(1)/EffectiveRights(Account='caller')", 404, 'bind.unknown-id'],
    ['/ServiceRequests(1)/EffectiveRights(Account=Description)', 400, 'request.syntax'],
    ["/ServiceRequests(1)/EffectiveRights(Account=@a)?@a=tolower('x')", 400, 'bind.argument'],
    ['/ServiceRequests(1)/EffectiveRights(Account=null)', 400, 'bind.argument'],
    [
      "/ServiceRequests(1)/EffectiveRights(Account='caller')/Read",
      400,
      'request.misplaced-segment',
    ],
  ])('%s: %i', async (path, status, code) => {
    const answer = await desk.get(path.replace('(1)', `(${REQUEST})`));
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('error')]);
    expect(answer.json.error.code).toBe(code);
  });

  it('names the function and the parameter that is wrong', async () => {
    const answer = await desk.get(`/ServiceRequests(${REQUEST})/EffectiveRights(Account=null)`);
    expect(answer.json.error.message).toMatch(
      /^The function EffectiveRights cannot be called with \(null\) .* of an account for Account, such as 'ada'\.$/,
    );
  });

  it('is told in the metadata', async () => {
    const { text } = await desk.get('/$metadata');
    expect(text).toContain('<Parameter Name="Account" Type="Edm.String" Nullable="false"');
  });

  it('serves a foreign model', async () => {
    const zoo = await openZoo();
    try {
      const role = {
        Name: 'guide',
        EntityAccess: [{ Entity: 'Keeper', Read: true, Change: true, Filter: "Country eq 'NL'" }],
      };
      expect((await zoo.send('POST', '/Roles', { body: role })).status).toBe(201);
      await zoo.join({ loginName: 'guide', roles: ['guide'] });
      const { json } = await zoo.get('/Keepers?$select=Id,Country');
      for (const { Id, Country } of json.value) {
        const told = await zoo.get(`/Keepers(${Id})/EffectiveRights(Account='guide')`);
        const isOpen = Country === 'NL';
        expect([told.status, told.json.Read, told.json.Change]).toEqual([200, isOpen, isOpen]);
      }
    } finally {
      await zoo.close();
    }
  });
});
