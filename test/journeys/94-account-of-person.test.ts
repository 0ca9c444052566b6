// This file reads accounts by way of their persons, as every shipped role: one's own account whole, of all others the name alone, where
// the person may be read. What else they hold shows in no answer, and no condition, order or group tells it either.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteRoles } from '../service-desk.ts';
import { sendJsonBatch } from './batches.ts';
import { type Desk, openDesk } from './desk.ts';
import { CALLER, MEMBER, REQUEST, WORKGROUP } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

const ROLES = suiteRoles.map(({ name }) => name).filter((name) => name !== 'administrator');
/** Those that read other persons than their own. */
const SEEING = ROLES.filter((name) => name !== 'requester');

let desk: Desk;
/** Accounts by role; the person of each. */
const accounts = new Map<string, { readonly asking: Asking; readonly person: number }>();
/** The account of CALLER: another's, for all of them. */
let other: { readonly Uid: number; readonly LoginName: string };
beforeAll(async () => {
  desk = await openDesk();
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  for (const role of ROLES) {
    const { json } = await desk.send('POST', '/Persons', { body: { LastName: `The ${role}` } });
    const asking = await desk.join({ loginName: role, roles: [role], person: json.Uid });
    accounts.set(role, { asking, person: json.Uid });
  }
  await desk.send('POST', `/Workgroups(${WORKGROUP})/Members/$ref`, {
    body: { '@odata.id': `Persons(${CALLER})` },
  });
  other = (await desk.get(`/Persons(${CALLER})/Account`)).json;
  // Nothing in what is asked or answered has these texts by chance.
  for (let version = 0; version < 20; version++)
    await desk.send('PATCH', `/Accounts(${other.Uid})`, { body: { Language: `x${version}` } });
  const change = { Language: 'xq', LoginName: 'zz-secret', Name: 'Shown name' };
  const changed = await desk.send('PATCH', `/Accounts(${other.Uid})`, { body: change });
  expect(changed.status, changed.text).toBe(204);
  other = { ...other, ...change };
});
afterAll(async () => await desk?.close());

function of(role: string) {
  const account = accounts.get(role);
  if (account === undefined) throw new Error(`no ${role}`);
  return account;
}

describe.each(ROLES)('The role %s', (role) => {
  it('expands its own account of Me, whole and in part', async () => {
    const { asking, person } = of(role);
    const part = await asking.get('/Me?$expand=Account($select=Name)');
    expect(part.status, part.text).toBe(200);
    expect(part.json).toMatchObject({ Uid: person, Account: { Name: role } });
    expect(part.json.Account).not.toHaveProperty('LoginName');
    const whole = await asking.get(`/Persons(${person})?$expand=Account`);
    const known = await desk.get(`/Persons(${person})?$expand=Account`);
    expect(whole.json.Account).toEqual(known.json.Account);
    expect(whole.json.Account).toMatchObject({ LoginName: role, Name: role });
    expect((await asking.get('/Me/Account')).json).toMatchObject({ LoginName: role });
    expect((await asking.get('/Me/Account/LoginName')).json.value).toBe(role);
    expect((await asking.get('/Me?$expand=*')).json.Account).toMatchObject({ LoginName: role });
    const full = { accept: 'application/json;odata.metadata=full' };
    expect((await asking.get('/Me?$expand=Account', full)).status).toBe(200);
    const found = await asking.get(`/Persons?$filter=Account/LoginName eq '${role}'&$select=Uid`);
    expect(found.json.value).toMatchObject([{ Uid: person }]);
    const rights = (await asking.get('/Me/Account/EffectiveRights()')).json;
    expect([rights.Read, rights.Change, rights.Delete]).toEqual([true, false, false]);
    expect(rights.Members).toContainEqual({ Name: 'LoginName', Read: true, Change: false });
  });

  it('gets no further from it, and changes nothing of it', async () => {
    const { asking, person } = of(role);
    const closed = [
      '/Accounts',
      `/Accounts(${other.Uid})`,
      `/Accounts(LoginName='${other.LoginName}')`,
      '/Accounts/$count',
      `/$entity?$id=Accounts(${other.Uid})`,
      '/$crossjoin(Persons,Accounts)',
      `/Persons?$filter=$root/Accounts(${other.Uid})/Name ne null`,
      '/Me/Account/Roles',
      '/Me/Account/Person',
      '/Me?$expand=Account($expand=Roles)',
      '/Me?$expand=Account($expand=Person)',
      '/Me/Account/$ref',
      '/Me?$expand=Account/$ref',
      `/Persons?$filter=Account/Roles/any(r:r/Name eq '${role}')`,
      `/Persons?$filter=Account/Person/Uid eq ${person}`,
      `/Persons?$apply=groupby((Account/Roles/Name))`,
    ];
    for (const path of closed) {
      const answer = await asking.get(path);
      expect([path, answer.status]).toEqual([path, 403]);
    }
    const own = `/Persons(${person})/Account`;
    const changes: readonly (readonly [string, string, unknown])[] = [
      ['PATCH', own, { Name: 'Me' }],
      ['PUT', `${own}/Name`, { value: 'Me' }],
      ['DELETE', own, undefined],
      ['DELETE', `${own}/Language`, undefined],
      ['PATCH', `/Persons(${person})`, { Account: { Name: 'Me' } }],
    ];
    const before = (await desk.get(own)).text;
    for (const [method, path, body] of changes) {
      const answer = await asking.send(method, path, {
        headers: { 'odata-version': '4.01' },
        ...(body === undefined ? {} : { body }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    expect((await desk.get(own)).text).toBe(before);
  });
});

it('A requester, who reads no other person, reads no other account', async () => {
  const { asking, person } = of('requester');
  for (const path of [
    `/Persons(${CALLER})/Account`,
    `/Persons(${CALLER})/Account/Name`,
    `/Persons(${CALLER})?$expand=Account`,
  ])
    expect((await asking.get(path)).status).toBe(404);
  const all = await asking.get('/Persons?$expand=Account&$filter=Account/Name ne null');
  expect(all.json.value.map(({ Uid }: { Uid: number }) => Uid)).toEqual([person]);
  const groups = await asking.get('/Persons?$apply=groupby((Account/Name))');
  expect(groups.text).not.toContain(other.LoginName);
  expect(groups.json.value).toHaveLength(1);
});

describe.each(SEEING)('Of the account of another person the role %s', (role) => {
  /** Login name and language, key and version of the account. */
  const secret = () => new RegExp(`zz-secret|"xq"|\\b${other.Uid}\\b|W/[^\\d]{1,6}2\\d\\b`);

  it('sees the name and nothing else, however it reads it', async () => {
    const { asking } = of(role);
    const person = `/Persons(${CALLER})`;
    const whole = await asking.get(`${person}?$select=Uid&$expand=Account`);
    expect(whole.status, whole.text).toBe(200);
    const { Account } = whole.json;
    const shown = Object.keys(Account).filter((name) => !name.includes('@'));
    expect([shown, Account.Name]).toEqual([['Name'], 'Shown name']);
    expect((await asking.get(`${person}/Account/Name`)).json.value).toBe('Shown name');
    expect((await asking.get(`${person}/Account/Name/$value`)).text).toBe('Shown name');
    const one = await asking.get(`${person}/Account`);
    expect([one.status, one.headers.etag]).toEqual([200, undefined]);
    for (const path of ['LoginName', 'Uid', 'Blocked', 'Registration', 'LastLogin']) {
      const answer = await asking.get(`${person}/Account/${path}`);
      expect([path, answer.status, answer.headers.etag]).toEqual([path, 204, undefined]);
    }
    const expanded = '$select=Uid&$expand=Account';
    const paths = [
      `${person}/Account`,
      `${person}?${expanded}`,
      `${person}?${expanded}($select=Uid,LoginName,Name,Blocked,Language)`,
      `${person}?$expand=*`,
      `/Persons?${expanded}`,
      `/ServiceRequests(${REQUEST})?$select=Uid&$expand=Caller($select=Uid;$expand=Account)`,
      `/ServiceRequests(${REQUEST})/Caller/Account`,
      `/Workgroups(${WORKGROUP})?$select=Uid&$expand=Members($select=Uid;$expand=Account)`,
      `${person}/Account?$compute=LoginName as L,Uid as U&$select=Name,L,U`,
      `${person}?$select=Uid,L&$compute=Account/LoginName as L`,
      `/Persons?${expanded}($compute=concat(LoginName,'x') as L;$select=L)`,
      `${person}/Account/EffectiveRights()`,
    ];
    const formats = [
      {},
      { accept: 'application/json;odata.metadata=full' },
      { accept: 'application/json;odata.metadata=none' },
      { accept: 'application/xml' },
      { 'odata-maxversion': '4.01' },
    ];
    for (const path of paths) {
      for (const headers of formats) {
        const answer = await asking.get(path, headers);
        if (role !== 'approver' && !path.endsWith('EffectiveRights()'))
          expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
        expect(answer.text, path).not.toMatch(secret());
      }
    }
    const part = { id: '1', method: 'GET', url: `${person.slice(1)}?$expand=Account` };
    const batch = await sendJsonBatch(asking, [part]);
    expect(JSON.stringify(batch.of('1').body)).not.toMatch(secret());
  });

  it('finds nothing out by filters, orders, groups, functions or conditions', async () => {
    const { asking, person } = of(role);
    const isOther = "Account/LoginName eq 'zz-secret'";
    const members = `/Workgroups?$filter=Members/any(m:m/${isOther})`;
    const empty = [
      `/Persons?$filter=${isOther}`,
      `/Persons?$filter=startswith(Account/LoginName,'zz')`,
      `/Persons?$filter=contains(tolower(Account/LoginName),'secret')`,
      `/Persons?$filter=Account/LoginName in ('zz-secret')`,
      `/Persons?$filter=Account/Uid eq ${other.Uid}`,
      `/Persons?$filter=Account/Language eq 'xq'`,
      `/Persons?$filter=length(Account/LoginName) eq 9`,
      `/Persons/$filter(${isOther})`,
      `/Persons?$apply=filter(${isOther})`,
      `/Persons?$apply=groupby((Account/LoginName,Uid))/filter(${isOther})`,
      members,
      `/ServiceRequests?$filter=Caller/${isOther}`,
      `/Persons?$filter=$root/Persons(${CALLER})/${isOther}`,
      `/Persons?$filter=${isOther}&$count=true`,
      `/Persons?$filter=case(${isOther}:true,true:false)`,
      `/Persons?$search=secret`,
    ];
    for (const path of empty) {
      const answer = await asking.get(path);
      expect([path, answer.status, answer.json?.value]).toEqual([path, 200, []]);
    }
    expect((await asking.get(`/Persons/$count?$filter=${isOther}`)).text).toBe('0');
    const shown = [
      '/Persons?$apply=groupby((Account/LoginName))',
      '/Persons?$apply=groupby((Account/Uid,Account/Language))',
      '/Persons?$apply=aggregate(Account/LoginName with max as M)',
      '/Persons?$apply=aggregate(Account/LoginName with min as M)',
      '/Persons?$apply=aggregate(Account/Uid with max as M)',
      '/Persons?$apply=compute(Account/LoginName as L)/groupby((L))',
      '/Persons?$apply=groupby((Account))',
      '/Persons?$apply=concat(groupby((Account/LoginName)),aggregate($count as N))',
      `/Persons?$apply=topcount(50,Account/LoginName)&$select=Uid`,
    ];
    for (const path of shown) {
      const answer = await asking.get(path);
      expect(answer.text, path).not.toMatch(secret());
      expect(answer.status, `${path} ${answer.text}`).toBeLessThan(500);
    }
    // Sorted by what is not shown, persons are in the order of their keys, in the same direction.
    const orderOf = async (path: string) =>
      (await asking.get(path)).json.value.map(({ Uid }: { Uid: number }) => Uid);
    const rest = `$select=Uid&$filter=Uid ne ${person}`;
    const sorted = await orderOf(`/Persons?${rest}&$orderby=Account/LoginName desc`);
    expect(sorted).toEqual([...sorted].sort((left, right) => right - left));
    expect(sorted).toContain(CALLER);
    const pages = await asking.get(`/Persons?${rest}&$orderby=Account/LoginName desc`, {
      prefer: 'maxpagesize=1',
    });
    const token = decodeURIComponent(String(pages.json['@odata.nextLink'] ?? ''));
    expect(token).not.toMatch(secret());
  });

  it('is told no ETag that would tell of changes, and no change of it', async () => {
    const { asking } = of(role);
    const path = `/Persons(${CALLER})/Account`;
    const before = await asking.get(path);
    await desk.send('PATCH', `/Accounts(${other.Uid})`, { body: { Language: 'qq' } });
    await desk.send('PATCH', `/Accounts(${other.Uid})`, { body: { Language: 'xq' } });
    expect((await asking.get(path)).text).toBe(before.text);
    const tracked = await asking.get('/Persons?$expand=Account', { prefer: 'odata.track-changes' });
    expect(tracked.headers['preference-applied'] ?? '').not.toContain('track-changes');
  });
});

it('Answers that are kept are given to nobody else: each account sees its own', async () => {
  const path = '/Persons?$select=Uid&$expand=Account($select=LoginName)&$top=250';
  const agent = of('agent');
  const second = await desk.join({ loginName: 'agent-2', roles: ['agent'], person: MEMBER });
  for (let round = 0; round < 3; round++) {
    for (const [asking, person, name] of [
      [agent.asking, agent.person, 'agent'],
      [second, MEMBER, 'agent-2'],
    ] as const) {
      const { json } = await asking.get(path);
      const named = json.value.filter(
        (one: { Account: { LoginName?: string } | null }) => one.Account?.LoginName !== undefined,
      );
      expect(named).toMatchObject([{ Uid: person, Account: { LoginName: name } }]);
    }
  }
});

it('An administrator reads and changes accounts as before', async () => {
  const whole = await desk.get(`/Persons(${CALLER})?$expand=Account`);
  expect(whole.json.Account).toMatchObject({ Uid: other.Uid, LoginName: 'zz-secret' });
  expect((await desk.get(`/Persons(${CALLER})/Account/$ref`)).json['@odata.id']).toBe(
    `${desk.root}Accounts(${other.Uid})`,
  );
  const named = await desk.send('PATCH', `/Persons(${CALLER})/Account`, {
    body: { Name: 'Shown name' },
  });
  expect(named.status).toBe(204);
});
