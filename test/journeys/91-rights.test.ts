// This file walks through rights as administrators write them and accounts meet them: roles as records, conditions that are checked when
// they are written, and changes that count at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grant } from '../../src/auth/token-grants.ts';
import { openInstallation, wireService } from '../../src/cli/wire.ts';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { writeKnown } from '../../src/plan/read/known-records.ts';
import { handle } from '../../src/service/handle-request.ts';
import { importRecords } from '../../src/service/import.ts';
import type { Call } from '../../src/service/service.ts';
import { suiteRoles } from '../service-desk.ts';
import { type Desk, openDesk, PASSWORD } from './desk.ts';
import {
  BARE_REQUEST,
  CALLER,
  HISTORY_LINE,
  MEMBER,
  REQUEST,
  WORKGROUP,
  WORKORDER,
} from './records.ts';
import { openZoo } from './zoo.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
let caller: Asking;
let member: Asking;
beforeAll(async () => {
  desk = await openDesk();
  await importRecords(
    rolesDocument(suiteRoles.filter(({ name }) => name !== 'administrator')),
    desk.service,
  );
  caller = await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
  member = await desk.join({ loginName: 'member', roles: ['requester'], person: MEMBER });
});
afterAll(async () => await desk?.close());

async function makeRole(name: string, body: object): Promise<number> {
  const answer = await desk.send('POST', '/Roles', { body: { Name: name, ...body } });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return Number(answer.json.Uid);
}

function refusal(answer: {
  status: number;
  json: { error: { code: string; target?: string; message: string } };
}) {
  const { code, target, message } = answer.json.error;
  return { status: answer.status, code, target, message };
}

describe('a requester', () => {
  test('sees own requests and nothing of others', async () => {
    const list = await caller.get('/ServiceRequests?$count=true');
    expect([
      list.status,
      list.json['@odata.count'],
      list.json.value.map((one: { Uid: number }) => one.Uid),
    ]).toEqual([200, 1, [REQUEST]]);
    expect((await caller.get(`/ServiceRequests(${BARE_REQUEST})`)).status).toBe(404);
    expect((await member.get('/ServiceRequests/$count')).text).toBe('0');
    expect((await caller.get('/Incidents')).status).toBe(403);
    expect((await caller.get('/Roles')).status).toBe(403);
  });

  test('is given by $expand=* what it may read, and not refused for the rest', async () => {
    const { status, json } = await caller.get(`/ServiceRequests(${REQUEST})?$expand=*`);
    expect([status, json.Caller?.Uid, json.HistoryLines]).toEqual([200, CALLER, []]);
    expect(json).not.toHaveProperty('Workorders');
    const named = await caller.get(`/ServiceRequests(${REQUEST})?$expand=Workorders`);
    expect(named.status).toBe(403);
  });

  test('is shown itself, and no other person', async () => {
    expect((await caller.get('/Me')).json.Uid).toBe(CALLER);
    expect((await caller.get('/Persons/$count')).text).toBe('1');
    expect((await caller.get(`/Persons(${MEMBER})`)).status).toBe(404);
  });

  test('is not told who works on it, nor what is written for others than the caller', async () => {
    expect((await caller.get(`/ServiceRequests(${REQUEST})/HistoryLines`)).json.value).toEqual([]);
    expect(
      (await caller.get(`/ServiceRequests(${REQUEST})/HistoryLines(${HISTORY_LINE})`)).status,
    ).toBe(404);
    expect(
      (await caller.get(`/ServiceRequests(${REQUEST})/Assignment/AssigneePerson`)).status,
    ).toBe(204);
  });

  test('asks for itself only', async () => {
    const body = { Description: 'A new chair', 'Caller@odata.bind': `Persons(${CALLER})` };
    const made = await caller.send('POST', '/ServiceRequests', { body });
    expect([made.status, made.json.Description]).toEqual([201, 'A new chair']);
    const other = await member.send('POST', '/ServiceRequests', { body });
    expect(other.status).toBe(400);
    const nobodys = await caller.send('POST', '/ServiceRequests', {
      body: { Description: 'For nobody' },
    });
    expect(refusal(nobodys)).toMatchObject({ status: 403, code: 'access.write' });
    expect(nobodys.json.error.message).toMatch(
      /ServiceRequest\. It may create those for which Caller\/Uid eq \$me or Requestor\/Uid eq \$me is true\.$/,
    );
    const several = await caller.send('POST', '/ServiceRequests', {
      body: { ...body, Priority: { Value: 110001 }, Solution: 'x', Deadline: null },
    });
    expect(refusal(several)).toMatchObject({ status: 403, code: 'access.write-member' });
    const { details } = several.json.error;
    expect(details.map(({ target }: { target: string }) => target).sort()).toEqual([
      'Deadline',
      'Priority',
      'Solution',
    ]);
    const forbidden = await caller.send('POST', '/ServiceRequests', {
      body: { ...body, Priority: { Value: 110001 } },
    });
    expect(refusal(forbidden)).toMatchObject({
      status: 403,
      code: 'access.write-member',
      target: 'Priority',
    });
    expect((await caller.send('DELETE', `/ServiceRequests(${made.json.Uid})`)).status).toBe(403);
    await desk.send('DELETE', `/ServiceRequests(${made.json.Uid})`);
  });

  test('without a person sees what nobody called for neither', async () => {
    const ghost = await desk.join({ loginName: 'ghost', roles: ['requester'] });
    expect((await ghost.get('/ServiceRequests/$count')).text).toBe('0');
    expect((await ghost.get('/Persons/$count')).text).toBe('0');
  });
});

describe('a role', () => {
  test('is written and read as a record with what it allows', async () => {
    const uid = await makeRole('reader of work', {
      EntityAccess: [{ Entity: 'Workorder', Read: true, Filter: 'Status/Value eq 105004' }],
      AttributeAccess: [{ Entity: 'Workorder', Attribute: 'Solution', Read: false }],
    });
    const { json } = await desk.get(`/Roles(${uid})?$expand=EntityAccess,AttributeAccess`);
    expect(json).toMatchObject({
      Name: 'reader of work',
      EntityAccess: [
        { Entity: 'Workorder', Read: true, Change: false, Filter: 'Status/Value eq 105004' },
      ],
      AttributeAccess: [{ Attribute: 'Solution', Read: false, Modify: true }],
    });
    const reader = await desk.join({ loginName: 'reader', roles: ['reader of work'] });
    expect((await reader.get('/Workorders/$count')).text).toBe('1');
    expect((await reader.get(`/Workorders(${WORKORDER})`)).json.Solution).toBeUndefined();
    const filtered = await reader.get("/Workorders?$filter=Solution eq 'x'");
    expect(refusal(filtered)).toMatchObject({
      status: 403,
      code: 'access.member',
      target: 'Solution',
    });
  });

  test('a filter with now() is of the present, whatever instant is in a token', async () => {
    for (const [name, now] of [
      ['past', 'now()'],
      ['past too', '@now'],
    ] as const) {
      await makeRole(name, {
        EntityAccess: [
          { Entity: 'ServiceRequest', Read: true, Filter: `Registration/DateCreated lt ${now}` },
        ],
      });
      const reader = await desk.join({ loginName: `${name} reader`, roles: [name] });
      const first = await reader.get('/ServiceRequests?$select=Uid&$orderby=now() desc', {
        prefer: 'maxpagesize=1',
      });
      const link: string = first.json['@odata.nextLink'];
      expect(link).toMatch(/p1t\d+\./);
      expect((await reader.get(link.replace(/p1t\d+\./, 'p1t0.'))).json.value).toHaveLength(1);
    }
  });

  test('counts for those who work in the group that $me is a member of', async () => {
    await desk.send('POST', `/Workgroups(${WORKGROUP})/Members/$ref`, {
      body: { '@odata.id': `Persons(${MEMBER})` },
    });
    await makeRole('group', {
      EntityAccess: [
        {
          Entity: 'ServiceRequest',
          Read: true,
          Filter: 'Assignment/AssigneeWorkgroup/Members/any(m:m/Uid eq $me)',
        },
      ],
    });
    const worker = await desk.join({ loginName: 'worker', roles: ['group'], person: MEMBER });
    const { json } = await worker.get('/ServiceRequests?$select=Uid');
    expect(json.value.map((one: { Uid: number }) => one.Uid)).toEqual([REQUEST]);
  });

  test.each<readonly [string, object, object]>([
    [
      'an unknown property, with the nearest name',
      { Entity: 'ServiceRequest', Read: true, Filter: 'Descripton eq null' },
      {
        code: 'access.rule',
        target: 'Filter',
        message: expect.stringContaining('Did you mean "Description"?'),
      },
    ],
    [
      'a syntax error, with its position',
      { Entity: 'ServiceRequest', Read: true, Filter: 'Caller/Uid eq $me or' },
      { code: 'access.rule', target: 'Filter', message: expect.stringContaining('at position 20') },
    ],
    [
      'what is no condition',
      { Entity: 'ServiceRequest', Read: true, Filter: 'Description' },
      { code: 'access.rule', target: 'Filter' },
    ],
    [
      'an unknown entity type, with the nearest name',
      { Entity: 'ServiceRequests', Read: true },
      {
        code: 'access.rule-type',
        target: 'Entity',
        message: expect.stringContaining('"ServiceRequest"'),
      },
    ],
  ])('with %s is refused, and nothing of it is kept', async (_, access, expected) => {
    const made = await desk.send('POST', '/Roles', {
      body: { Name: 'wrong', EntityAccess: [access] },
    });
    expect(refusal(made)).toMatchObject({ status: 400, ...expected });
    expect((await desk.get("/Roles/$count?$filter=Name eq 'wrong'")).text).toBe('0');
  });

  test('is checked whichever way it is changed', async () => {
    const uid = await makeRole('to be broken', {
      EntityAccess: [{ Entity: 'Workorder', Read: true, Filter: 'Status/Value eq 105004' }],
      AttributeAccess: [{ Entity: 'Workorder', Attribute: 'Solution', Read: false }],
    });
    const { json } = await desk.get(`/Roles(${uid})/EntityAccess`);
    const access = `/Roles(${uid})/EntityAccess(${json.value[0].Uid})`;
    expect(refusal(await desk.send('PATCH', access, { body: { Filter: 'Nothing' } })).code).toBe(
      'access.rule',
    );
    expect(refusal(await desk.send('PATCH', access, { body: { Entity: 'Location' } })).code).toBe(
      'access.rule',
    );
    expect(
      refusal(await desk.send('PUT', `${access}/Filter`, { body: { value: 'Status' } })).code,
    ).toBe('access.rule');
    const added = await desk.send('POST', `/Roles(${uid})/AttributeAccess`, {
      body: { Entity: 'Person', Attribute: 'Emial' },
    });
    expect(refusal(added)).toMatchObject({
      code: 'access.rule-member',
      message: expect.stringContaining('"Email"'),
    });
    const deep = { EntityAccess: [{ Entity: 'Nope' }, { Entity: 'Neither' }] };
    const both = await desk.send('PATCH', `/Roles(${uid})`, {
      body: deep,
      headers: { 'OData-Version': '4.01' },
    });
    expect([both.status, both.json.error.details?.length]).toEqual([400, 2]);
    expect((await desk.get(access)).json.Filter).toBe('Status/Value eq 105004');
  });
});

test('the history does not tell what the record does not', async () => {
  const made = await desk.send('POST', '/Persons', {
    body: { LastName: 'Secret', Email: 'a@b.c' },
  });
  const person = `/Persons(${made.json.Uid})`;
  await desk.send('PATCH', person, { body: { Email: 'hidden@b.c', Phone: '123' } });
  await makeRole('discreet', {
    EntityAccess: [
      { Entity: 'Person', Read: true },
      { Entity: 'HistoryLine', Read: true },
    ],
    AttributeAccess: [{ Entity: 'Person', Attribute: 'Email', Read: false }],
  });
  const discreet = await desk.join({ loginName: 'discreet', roles: ['discreet'] });
  const about = async (asking: Asking) =>
    (await asking.get(`${person}/HistoryLines?$filter=Attribute ne null`)).json.value
      .map((line: { Attribute: string }) => line.Attribute)
      .filter((name: string) => name === 'Email' || name === 'Phone')
      .sort();
  expect(await about(desk)).toEqual(['Email', 'Phone']);
  expect(await about(discreet)).toEqual(['Phone']);
  await desk.send('DELETE', person);
});

test('who may not change a member may not have it changed from the other side', async () => {
  await makeRole('sideways', {
    EntityAccess: [
      { Entity: 'ServiceRequest', Read: true, Change: true },
      { Entity: 'Workorder', Read: true, Change: true },
    ],
    AttributeAccess: [{ Entity: 'Workorder', Attribute: 'ServiceRequest', Modify: false }],
  });
  const sideways = await desk.join({ loginName: 'sideways', roles: ['sideways'] });
  const reference = { '@odata.id': `Workorders(${WORKORDER})` };
  const path = `/ServiceRequests(${BARE_REQUEST})`;
  const added = await sideways.send('POST', `${path}/Workorders/$ref`, { body: reference });
  expect(refusal(added)).toMatchObject({
    status: 403,
    code: 'access.write-member',
    target: 'ServiceRequest',
  });
  const bound = await sideways.send('PATCH', path, {
    body: { 'Workorders@odata.bind': [`Workorders(${WORKORDER})`] },
  });
  expect(bound.status).toBe(403);
  expect((await desk.get(`/Workorders(${WORKORDER})/ServiceRequest`)).json.Uid).toBe(REQUEST);
});

test('a refused deletion does not tell how many records refer that cannot be seen', async () => {
  await makeRole('remover', { EntityAccess: [{ Entity: 'Person', Read: true, Delete: true }] });
  const remover = await desk.join({ loginName: 'remover', roles: ['remover'] });
  const refused = await remover.send('DELETE', `/Persons(${CALLER})`);
  expect(refusal(refused)).toMatchObject({ status: 409, code: 'write.referenced' });
  expect(refused.text).not.toContain('ServiceRequests');
  expect((await desk.send('DELETE', `/Persons(${CALLER})`)).text).toContain(
    'ServiceRequests/Caller',
  );
});

test('what is made out of sight is made, and not shown', async () => {
  await makeRole('letter box', {
    EntityAccess: [
      { Entity: 'KnowledgeLink', Create: true },
      { Entity: 'Location', Create: true },
      { Entity: 'Location', Read: true, Filter: "Name eq 'Seen'" },
    ],
  });
  const box = await desk.join({ loginName: 'box', roles: ['letter box'] });
  for (const [path, body] of [
    ['/KnowledgeLinks', { Title: 'Put in' }],
    ['/Locations', { Name: 'Hidden' }],
  ] as const) {
    const made = await box.send('POST', path, { body });
    expect([made.status, made.text, made.headers.location]).toEqual([204, '', undefined]);
    expect((await desk.get(`${path}/$count`)).text).toBe('1');
  }
  expect((await box.send('POST', '/Locations', { body: { Name: 'Seen' } })).status).toBe(201);
  expect((await box.get('/Locations/$count')).text).toBe('1');
});

test('a replacement needs the right to every property that it sets, said or not', async () => {
  await makeRole('careful', {
    EntityAccess: [{ Entity: 'Workorder', Read: true, Change: true }],
    AttributeAccess: [{ Entity: 'Workorder', Attribute: 'Solution', Modify: false }],
  });
  const careful = await desk.join({ loginName: 'careful', roles: ['careful'] });
  const body = { Description: 'Bring two fire extinguishers' };
  const put = await careful.send('PUT', `/Workorders(${WORKORDER})`, { body });
  expect(refusal(put)).toMatchObject({
    status: 403,
    code: 'access.write-member',
    target: 'Solution',
  });
  expect((await careful.send('PATCH', `/Workorders(${WORKORDER})`, { body })).status).toBe(204);
  const many = await careful.send('PATCH', '/Workorders/$each', { body });
  expect(refusal(many)).toMatchObject({ status: 403, code: 'access.write-many' });
});

describe('a property that may not be read', () => {
  let reader: Asking;
  beforeAll(async () => {
    await makeRole('narrow', {
      EntityAccess: [{ Entity: 'Workorder', Read: true }],
      AttributeAccess: [
        { Entity: 'Workorder', Attribute: 'Description', Read: false },
        { Entity: 'Workorder', Attribute: 'Assignment', Read: false },
        { Entity: 'Workorder', Attribute: 'ServiceRequest', Read: false },
      ],
    });
    await makeRole('wide where in progress', {
      EntityAccess: [{ Entity: 'Workorder', Read: true, Filter: 'Status/Value eq 105004' }],
      AttributeAccess: [{ Entity: 'Workorder', Attribute: 'ServiceRequest', Read: false }],
    });
    await desk.join({ loginName: 'narrow', roles: ['narrow'] });
    reader = await desk.join({ loginName: 'both', roles: ['narrow', 'wide where in progress'] });
  });

  test('is absent and marked, in some records where that depends on the record', async () => {
    const { json } = await reader.get(
      '/Workorders?$orderby=Uid&$select=Uid,Description,Assignment',
    );
    expect(json.value).toEqual([
      {
        '@odata.etag': expect.anything(),
        Uid: WORKORDER,
        Description: expect.stringContaining('Bring'),
        Assignment: expect.objectContaining({ Status: null }),
      },
      {
        '@odata.etag': expect.anything(),
        Uid: WORKORDER + 1,
        'Description@Core.Permissions': 'None',
        'Assignment@Core.Permissions': 'None',
      },
    ]);
    const narrow = await desk.join({ loginName: 'narrower', roles: ['narrow'] });
    const whole = (await narrow.get(`/Workorders(${WORKORDER})`)).json;
    expect(whole).toMatchObject({
      'Description@Core.Permissions': 'None',
      'Assignment@Core.Permissions': 'None',
    });
    expect(Object.keys(whole)).not.toContain('Description');
    const full = await narrow.get(`/Workorders(${WORKORDER})`, {
      accept: 'application/json;odata.metadata=full',
    });
    expect(Object.keys(full.json).filter((name) => name.startsWith('ServiceRequest@'))).toEqual([]);
  });

  test('is not marked for clients that do not want to be told', async () => {
    const path = `/Workorders(${WORKORDER + 1})`;
    const wish = async (patterns: string) =>
      await reader.get(path, { prefer: `odata.include-annotations="${patterns}"` });
    const [without, among] = [await wish('*,-Core.*'), await wish('Core.Permissions')];
    expect(Object.keys(without.json).filter((name) => name.includes('Core.'))).toEqual([]);
    expect(without.json).not.toHaveProperty('Description');
    expect(without.headers['preference-applied']).toContain('include-annotations="*,-Core.*"');
    expect(among.json).toMatchObject({ 'Description@Core.Permissions': 'None' });
  });

  test('does not help to find or order records', async () => {
    const found = await reader.get(
      "/Workorders?$filter=contains(Description,'printer')&$count=true",
    );
    expect(found.json['@odata.count']).toBe(0);
    const shown = await reader.get("/Workorders?$filter=contains(Description,'Bring')");
    expect(shown.json.value).toHaveLength(1);
    expect((await reader.get('/Workorders?$search=printer')).json.value).toEqual([]);
    expect((await reader.get('/Workorders?$expand=ServiceRequest')).status).toBe(403);
    expect((await reader.get(`/Workorders(${WORKORDER})/ServiceRequest`)).status).toBe(403);
  });
});

describe('EffectiveRights', () => {
  const rights = async (asking: Asking, path: string) => {
    const { status, json } = await asking.get(`${path}/EffectiveRights()`);
    const members = new Map(
      (json?.Members ?? []).map((one: { Name: string }) => [one.Name, one] as const),
    );
    return { status, json, members };
  };

  test('tells an administrator what can be done at all', async () => {
    const { status, json, members } = await rights(desk, `/ServiceRequests(${REQUEST})`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      '@odata.context': expect.stringMatching(/\$metadata#Docket.System.EffectiveRights$/),
      ...{ Read: true, Create: true, Change: true, Delete: true, Attach: true },
    });
    expect(members.get('Uid')).toEqual({ Name: 'Uid', Read: true, Change: false });
    expect(members.get('Description')).toEqual({ Name: 'Description', Read: true, Change: true });
    expect(members.get('Registration')).toMatchObject({ Change: false });
  });

  test('tells what the roles of the account come to for this record', async () => {
    const { json, members } = await rights(caller, `/ServiceRequests(${REQUEST})`);
    expect(json).toMatchObject({
      ...{ Read: true, Create: true, Change: false, Delete: false, Attach: true },
    });
    expect(members.get('Workaround')).toMatchObject({ Read: false, Change: false });
    expect(members.get('Workorders')).toMatchObject({ Read: false });
    expect((await rights(caller, `/ServiceRequests(${BARE_REQUEST})`)).status).toBe(404);
    expect((await rights(caller, `/Workorders(${WORKORDER})`)).status).toBe(403);
  });

  test('follows conditions, and is told of in $metadata', async () => {
    await makeRole('partly', {
      EntityAccess: [
        { Entity: 'Workorder', Read: true },
        { Entity: 'Workorder', Change: true, Filter: 'Status/Value eq 105004' },
      ],
      AttributeAccess: [{ Entity: 'Workorder', Attribute: 'Solution', Modify: false }],
    });
    const partly = await desk.join({ loginName: 'partly', roles: ['partly'] });
    const [open, other] = [
      await rights(partly, `/Workorders(${WORKORDER})`),
      await rights(partly, `/Workorders(${WORKORDER + 1})`),
    ];
    expect([open.json.Change, other.json.Change]).toEqual([true, false]);
    expect(open.members.get('Description')).toMatchObject({ Change: true });
    expect(open.members.get('Solution')).toMatchObject({ Read: true, Change: false });
    expect(other.members.get('Description')).toMatchObject({ Change: false });
    const metadata = await desk.get('/$metadata');
    expect(metadata.text).toContain('<Function Name="EffectiveRights" IsBound="true">');
    expect(metadata.text).toContain('<ComplexType Name="MemberRights">');
  });
});

test('what spans all sets shows those that may be read', async () => {
  const { status, json } = await caller.get('/$all', { prefer: 'maxpagesize=1000' });
  expect(status).toBe(200);
  const contexts = json.value.map((one: Record<string, unknown>) =>
    String(one['@odata.context']).replace(/^.*#|\/\$entity$/g, ''),
  );
  const readable = ['ServiceRequests', 'Persons', 'Organizations', 'CodeLists', 'Codes'];
  expect(new Set(contexts)).toEqual(new Set(readable));
});

describe('what changes', () => {
  test('in a role counts with the next request', async () => {
    const uid = await makeRole('changing', { EntityAccess: [] });
    const asking = await desk.join({ loginName: 'changing', roles: ['changing'] });
    expect((await asking.get('/Workorders')).status).toBe(403);
    const body = { Entity: 'Workorder', Read: true };
    const made = await desk.send('POST', `/Roles(${uid})/EntityAccess`, { body });
    expect((await asking.get('/Workorders/$count')).text).toBe('2');
    const access = `/Roles(${uid})/EntityAccess(${made.json.Uid})`;
    await desk.send('PATCH', access, { body: { Filter: 'Status/Value eq 105001' } });
    expect((await asking.get('/Workorders/$count')).text).toBe('1');
    await desk.send('DELETE', access);
    expect((await asking.get('/Workorders')).status).toBe(403);
  });

  test('in the roles of an account counts with the next request', async () => {
    await makeRole('given', { EntityAccess: [{ Entity: 'Workorder', Read: true }] });
    const asking = await desk.join({ loginName: 'given', roles: [] });
    expect((await asking.get('/Workorders')).status).toBe(403);
    const { json } = await desk.get("/Accounts?$filter=LoginName eq 'given'");
    const account = `/Accounts(${json.value[0].Uid})`;
    const role = (await desk.get("/Roles?$filter=Name eq 'given'")).json.value[0].Uid;
    await desk.send('POST', `${account}/Roles/$ref`, { body: { '@odata.id': `Roles(${role})` } });
    expect((await asking.get('/Workorders')).status).toBe(200);
    await desk.send('DELETE', `${account}/Roles(${role})/$ref`);
    expect((await asking.get('/Workorders')).status).toBe(403);
    await desk.send('PATCH', account, { body: { Blocked: true } });
    expect((await asking.get('/Workorders')).status).toBe(401);
  });

  test('reaches other processes on the same installation a moment later', async () => {
    const uid = await makeRole('distant', { EntityAccess: [] });
    await desk.join({ loginName: 'distant', roles: ['distant'] });
    const installation = await openInstallation(desk.installation.config);
    const { service, grants } = await wireService(installation);
    const granted = await grant(LOG_IN, { address: '127.0.0.1' }, grants);
    const token = granted.kind === 'token' ? granted.accessToken : '';
    const count = async () => await handle(workorders(token), service);
    expect((await count()).status).toBe(403);
    await desk.send('POST', `/Roles(${uid})/EntityAccess`, {
      body: { Entity: 'Workorder', Read: true },
    });
    while ((await count()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 25));
    await installation.database.close();
  });
});

const LOG_IN = new Map([
  ['grant_type', 'password'],
  ['username', 'distant'],
  ['password', PASSWORD],
]);

function workorders(token: string): Call {
  return {
    id: 'x',
    method: 'GET',
    path: 'Workorders/$count',
    query: '',
    headers: { authorization: `Bearer ${token}` },
    body: undefined,
    address: '127.0.0.1',
    root: desk.root,
  };
}

describe('changes that are tracked', () => {
  const asked = { prefer: 'odata.track-changes' };
  const made = async (set: string, body: object): Promise<number> =>
    (await desk.send('POST', `/${set}`, { body })).json.Uid;
  const patched = async (path: string, body: object) =>
    expect((await desk.send('PATCH', path, { body })).status).toBe(204);

  test('are told to a requester of own requests only, and what is no longer its own is removed', async () => {
    const requested = { 'Caller@odata.bind': `Persons(${CALLER})` };
    const own = await made('ServiceRequests', { Description: 'Own', ...requested });
    const first = await caller.get('/ServiceRequests?$select=Description', asked);
    expect(first.headers['preference-applied']).toBe('odata.track-changes');
    let link: string = first.json['@odata.deltaLink'];
    const next = async () => {
      const { status, json } = await caller.get(link);
      expect(status).toBe(200);
      link = json['@odata.deltaLink'];
      return json.value.map((item: { Description?: string }) => item.Description ?? item);
    };
    expect(await next()).toEqual([]);

    const other = await made('ServiceRequests', { Description: 'Of another' });
    await patched(`/ServiceRequests(${other})`, { Description: 'Of another, changed' });
    expect(await next()).toEqual([]);

    await patched(`/ServiceRequests(${own})`, { Description: 'Own, changed' });
    await patched(`/ServiceRequests(${other})`, { 'Caller@odata.bind': `Persons(${CALLER})` });
    expect(await next()).toEqual(['Own, changed', 'Of another, changed']);

    await patched(`/ServiceRequests(${own})`, { 'Caller@odata.bind': `Persons(${MEMBER})` });
    await patched(`/ServiceRequests(${own})`, { Description: 'Of the member' });
    expect((await desk.send('DELETE', `/ServiceRequests(${other})`)).status).toBe(204);
    const counted = await caller.get(link.replace('/ServiceRequests?', '/ServiceRequests/$count?'));
    expect(counted.text).toBe('2');
    const removed = [own, other].map((uid) => ({
      '@odata.context': `${desk.root}$metadata#ServiceRequests/$deletedEntity`,
      id: `ServiceRequests(${uid})`,
      reason: 'changed',
    }));
    expect(await next()).toEqual(removed);
    expect(await next()).toEqual([]);
  });

  test('come in pages, removals first, and each page continues from what the one before has told', async () => {
    const requested = { 'Caller@odata.bind': `Persons(${MEMBER})` };
    const uids: number[] = [];
    for (const Description of ['one', 'two', 'three'])
      uids.push(await made('ServiceRequests', { Description, ...requested }));
    const first = await member.get('/ServiceRequests?$select=Uid&$top=1', asked);
    const link: string = first.json['@odata.deltaLink'];
    const [one, two, three] = uids;
    for (const uid of [one, two])
      await patched(`/ServiceRequests(${uid})`, { 'Caller@odata.bind': `Persons(${CALLER})` });
    await patched(`/ServiceRequests(${three})`, { Description: 'changed' });
    const added = await made('ServiceRequests', { Description: 'four', ...requested });
    const told: string[] = [];
    const sizes: number[] = [];
    let answer = await member.get(link, { prefer: 'maxpagesize=1' });
    for (;;) {
      sizes.push(answer.json.value.length);
      for (const item of answer.json.value) told.push(item.id ?? String(item.Uid));
      if (answer.json['@odata.nextLink'] === undefined) break;
      answer = await member.get(answer.json['@odata.nextLink']);
    }
    expect(sizes).toEqual([1, 1, 1, 1]);
    expect(told.slice(0, 2).sort()).toEqual([one, two].map((uid) => `ServiceRequests(${uid})`));
    expect(told.slice(2)).toEqual([String(three), String(added)]);
    expect((await member.get(answer.json['@odata.deltaLink'])).json.value).toEqual([]);
    for (const uid of [...uids, added]) await desk.send('DELETE', `/ServiceRequests(${uid})`);
  });

  test('tell nothing of records that somebody writes into a delta link', async () => {
    const { json } = await caller.get('/ServiceRequests?$select=Uid', asked);
    const [start = ''] = json['@odata.deltaLink'].split(/\.k[\w-]+$/);
    const unknown = ['ServiceRequests(987654)', `ServiceRequests(${BARE_REQUEST})`];
    const forged = `${start}.k${writeKnown(unknown)}`;
    const { value } = (await caller.get(forged)).json;
    const removed = value.filter((item: object) => 'reason' in item);
    expect(removed.map((item: { id: string }) => item.id).sort()).toEqual([...unknown].sort());
    for (const item of removed) expect(item.reason).toBe('changed');
    const invalid = [0, 0, 3, 97, 0, 98];
    for (const known of ['Ag', Buffer.from(invalid).toString('base64url')]) {
      const damaged = await caller.get(`${start}.k${known}`);
      expect(refusal(damaged)).toMatchObject({ status: 400, code: 'plan.deltatoken' });
    }
    const whole = await caller.get(start);
    expect(refusal(whole)).toMatchObject({ status: 410, code: 'plan.delta-gone' });
    expect((await desk.get(forged)).status).toBe(410);
  });

  test('are told to who sees all of a set, without what is hidden of it', async () => {
    await makeRole('follower', {
      EntityAccess: [{ Entity: 'Location', Read: true }],
      AttributeAccess: [{ Entity: 'Location', Attribute: 'Phone', Read: false }],
    });
    const follower = await desk.join({ loginName: 'follower', roles: ['follower'] });
    const link = (await follower.get('/Locations', asked)).json['@odata.deltaLink'];
    const body = { Name: 'Attic', Phone: 'a secret number' };
    const made = await desk.send('POST', '/Locations', { body });
    const told = await follower.get(link);
    expect(told.json.value).toEqual([
      expect.objectContaining({ Uid: made.json.Uid, Name: 'Attic' }),
    ]);
    expect(told.text).not.toContain('a secret number');
    expect((await caller.get(link)).status).not.toBe(200);
  });
});

test('a foreign model has roles of its own, conditions and EffectiveRights among them', async () => {
  const zoo = await openZoo();
  try {
    expect((await zoo.get('/Roles')).json.value).toEqual([
      expect.objectContaining({ Name: 'administrator' }),
    ]);
    const guide = {
      Name: 'guide',
      EntityAccess: [
        { Entity: 'Odd.Zoo.Animal', Read: true, Filter: 'Tame' },
        { Entity: 'Keeper', Read: true, Change: true, Filter: "Country eq 'NL'" },
      ],
      AttributeAccess: [{ Entity: 'Keeper', Attribute: 'Email', Read: false }],
    };
    expect((await zoo.send('POST', '/Roles', { body: guide })).status).toBe(201);
    const wrong = { Name: 'wrong', EntityAccess: [{ Entity: 'Keepr', Read: true }] };
    expect(refusal(await zoo.send('POST', '/Roles', { body: wrong })).message).toContain(
      '"Keeper"',
    );
    const asking = await zoo.join({ loginName: 'guide', roles: ['guide'] });
    const [all, tame] = [
      await zoo.get('/Animals/$count?$filter=Tame'),
      await asking.get('/Animals/$count'),
    ];
    expect(tame.text).toBe(all.text);
    const { json } = await asking.get('/Keepers?$count=true');
    expect(json['@odata.count']).toBe(2);
    expect(json.value[0]).toMatchObject({ Name: 'Ann', 'Email@Core.Permissions': 'None' });
    const rights = (await asking.get(`/Keepers(${json.value[0].Id})/EffectiveRights()`)).json;
    expect(rights).toMatchObject({ Read: true, Change: true, Delete: false });
    expect((await asking.get('/Enclosures')).status).toBe(403);
  } finally {
    await zoo.close();
  }
});
