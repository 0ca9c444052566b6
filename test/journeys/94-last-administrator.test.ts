// This file tries every way to be left without an administrator; none leads there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelDefinition } from '../../src/edm/model.ts';
import { binding } from '../define.ts';
import {
  actionImport,
  actionOf,
  boolean,
  defineModel,
  entitySet,
  entityType,
  int64,
  many,
  one,
  text,
} from '../define-model.ts';
import { type Desk, type DeskAnswer, openDesk, openForeignDesk } from './desk.ts';
import { openZoo } from './zoo.ts';

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };
const V401_JSON = { ...V401, 'content-type': 'application/json' };

/** What a way is taken against: an account, the role that makes administrators, and who is not to lose anything. */
interface Aim {
  readonly place: Pick<Desk, 'send' | 'get'>;
  readonly account: number;
  readonly name: string;
  readonly role: number;
  /** Names of the accounts that are aimed at by conditions. */
  readonly filter: string;
}

type Way = readonly [what: string, go: (aim: Aim) => Promise<DeskAnswer>];

const filtered = (set: string, filter: string) =>
  `/${set}/$filter(@f)/$each?@f=${encodeURIComponent(filter)}`;

async function batched({ place }: Aim, request: Record<string, unknown>): Promise<DeskAnswer> {
  const requests = [{ id: '1', headers: V401_JSON, ...request }];
  const answer = await place.send('POST', '/$batch', { headers: V401, body: { requests } });
  const [first] = answer.json.responses;
  return { ...answer, status: first.status, json: first.body };
}

/** Ways that take one account away. */
const ACCOUNT_WAYS: readonly Way[] = [
  ['DELETE of it', ({ place, account }) => place.send('DELETE', `/Accounts(${account})`)],
  [
    'DELETE by another name',
    ({ place, name }) => place.send('DELETE', `/Accounts(LoginName='${name}')`),
  ],
  [
    'DELETE, answered later',
    async ({ place, account }) => {
      const headers = { prefer: 'respond-async,wait=20' };
      return await place.send('DELETE', `/Accounts(${account})`, { headers });
    },
  ],
  [
    'PATCH that blocks it',
    ({ place, account }) =>
      place.send('PATCH', `/Accounts(${account})`, { body: { Blocked: true } }),
  ],
  [
    'PUT that blocks it',
    ({ place, account, name }) =>
      place.send('PUT', `/Accounts(${account})`, { body: { LoginName: name, Blocked: true } }),
  ],
  [
    'PUT of the one property',
    ({ place, account }) =>
      place.send('PUT', `/Accounts(${account})/Blocked`, { body: { value: true } }),
  ],
  [
    'PATCH of its roles to none',
    ({ place, account }) =>
      place.send('PATCH', `/Accounts(${account})`, { headers: V401, body: { Roles: [] } }),
  ],
  [
    'PATCH with a delta of its roles',
    ({ place, account, role }) =>
      place.send('PATCH', `/Accounts(${account})`, {
        headers: V401,
        body: {
          'Roles@delta': [{ '@removed': { reason: 'changed' }, '@id': `Roles(${role})` }],
        },
      }),
  ],
  [
    'DELETE of the reference',
    ({ place, account, role }) => place.send('DELETE', `/Accounts(${account})/Roles(${role})/$ref`),
  ],
  [
    'DELETE of the reference by $id',
    ({ place, account, role }) =>
      place.send('DELETE', `/Accounts(${account})/Roles/$ref?$id=Roles(${role})`),
  ],
  [
    'DELETE of the reference from the other side',
    ({ place, account, role }) => place.send('DELETE', `/Roles(${role})/Accounts(${account})/$ref`),
  ],
  [
    'PUT of the references',
    ({ place, account }) =>
      place.send('PUT', `/Accounts(${account})/Roles/$ref`, { headers: V401, body: { value: [] } }),
  ],
  [
    'PATCH of the role with a delta of its accounts',
    ({ place, account, role }) =>
      place.send('PATCH', `/Roles(${role})`, {
        headers: V401,
        body: {
          'Accounts@delta': [{ '@removed': { reason: 'changed' }, '@id': `Accounts(${account})` }],
        },
      }),
  ],
  [
    'a deep update through the role',
    ({ place, account, role }) =>
      place.send('PATCH', `/Roles(${role})`, {
        headers: V401,
        body: {
          'Accounts@delta': [{ '@id': `Accounts(${account})`, Uid: account, Blocked: true }],
        },
      }),
  ],
  [
    'a delta of the set',
    ({ place, account }) =>
      place.send('PATCH', '/Accounts', {
        headers: V401,
        body: {
          '@context': '#$delta',
          value: [{ '@removed': { reason: 'deleted' }, '@id': `Accounts(${account})` }],
        },
      }),
  ],
  [
    'PATCH of $filter(…)/$each',
    ({ place, filter }) =>
      place.send('PATCH', filtered('Accounts', filter), {
        headers: V401,
        body: { Blocked: true },
      }),
  ],
  [
    'DELETE of $filter(…)/$each',
    ({ place, filter }) => place.send('DELETE', filtered('Accounts', filter), { headers: V401 }),
  ],
  [
    'DELETE in a batch',
    (aim) => batched(aim, { method: 'delete', url: `Accounts(${aim.account})` }),
  ],
  [
    'PATCH in a change set',
    (aim) =>
      batched(aim, {
        method: 'patch',
        url: `Accounts(${aim.account})`,
        atomicityGroup: 'g',
        body: { Blocked: true },
      }),
  ],
];

/** Ways that take the role away, and so every administrator. */
const ROLE_WAYS: readonly Way[] = [
  ['DELETE of the role', ({ place, role }) => place.send('DELETE', `/Roles(${role})`)],
  [
    'another name of the role',
    ({ place, role }) => place.send('PATCH', `/Roles(${role})`, { body: { Name: 'boss' } }),
  ],
  [
    'PUT of the role under another name',
    ({ place, role }) => place.send('PUT', `/Roles(${role})`, { body: { Name: 'boss' } }),
  ],
  [
    'PATCH of its accounts to none',
    ({ place, role }) =>
      place.send('PATCH', `/Roles(${role})`, { headers: V401, body: { Accounts: [] } }),
  ],
  [
    'PUT of its references',
    ({ place, role }) =>
      place.send('PUT', `/Roles(${role})/Accounts/$ref`, { headers: V401, body: { value: [] } }),
  ],
  [
    'DELETE of all roles',
    ({ place }) => place.send('DELETE', filtered('Roles', "Name ne 'x'"), { headers: V401 }),
  ],
  [
    'PATCH of all accounts',
    ({ place }) =>
      place.send('PATCH', '/Accounts/$each', { headers: V401, body: { Blocked: true } }),
  ],
  [
    'DELETE of all accounts',
    ({ place }) => place.send('DELETE', '/Accounts/$each', { headers: V401 }),
  ],
  [
    'PUT of the set of accounts',
    ({ place }) =>
      place.send('PUT', '/Accounts', {
        headers: V401,
        body: { value: [{ LoginName: 'somebody else' }] },
      }),
  ],
  [
    'PUT of the set of roles',
    ({ place }) => place.send('PUT', '/Roles', { headers: V401, body: { value: [{ Name: 'x' }] } }),
  ],
];

/** Accounts that go with their people, and an action that blocks them. */
function officeDefinition(): ModelDefinition {
  const key = () => int64('Uid', { nullable: false, computed: true, generated: { by: 'key' } });
  return defineModel({
    namespaces: [{ name: 'Office' }],
    types: [
      entityType(
        'Account',
        [
          key(),
          text('LoginName', { nullable: false, unique: true, maxLength: 128 }),
          text('Name'),
          boolean('Blocked'),
          one('Person', 'Person', { nullable: true, onDelete: 'cascade' }),
          many('Roles', 'Role', { partner: 'Accounts' }),
        ],
        { key: ['Uid'], alternateKeys: [['LoginName']] },
      ),
      entityType(
        'Role',
        [
          key(),
          text('Name', { nullable: false, unique: true, maxLength: 128 }),
          many('Accounts', 'Account', { partner: 'Roles', onDelete: 'set-null' }),
        ],
        { key: ['Uid'] },
      ),
      entityType(
        'Person',
        [key(), text('Name'), one('Room', 'Room', { nullable: true, onDelete: 'cascade' })],
        { key: ['Uid'] },
      ),
      entityType('Room', [key(), text('Name')], { key: ['Uid'] }),
    ],
    sets: [
      entitySet('Accounts', 'Account', {
        singular: 'Account',
        administrative: true,
        listed: false,
      }),
      entitySet('Roles', 'Role', { singular: 'Role', administrative: true, listed: false }),
      entitySet('People', 'Person', { singular: 'Person' }),
      entitySet('Rooms', 'Room', { singular: 'Room' }),
    ],
    operations: [
      actionOf('Retire', [binding('Account')], {
        bound: true,
        effects: [{ kind: 'change', rows: '$it', values: { Blocked: 'true' } }],
      }),
      actionOf('CloseDown', [], { effects: [{ kind: 'delete', rows: '$root/Rooms' }] }),
    ],
    imports: [actionImport('CloseDown', 'CloseDown')],
  });
}

async function aimAt(place: Desk, name: string): Promise<Aim> {
  const accounts = await place.get(`/Accounts?$filter=LoginName eq '${name}'`);
  const roles = await place.get("/Roles?$filter=Name eq 'administrator'");
  const { Uid: account } = accounts.json.value[0];
  return {
    place,
    account,
    name,
    role: roles.json.value[0].Uid,
    filter: `LoginName eq '${name}'`,
  };
}

/** Names of those who can administrate. */
async function administrators(place: Desk): Promise<readonly string[]> {
  const { status, json } = await place.get(
    "/Accounts?$filter=Blocked ne true and Roles/any(r:r/Name eq 'administrator')&$orderby=LoginName",
  );
  expect(status).toBe(200);
  return json.value.map(({ LoginName }: { LoginName: string }) => LoginName);
}

function expectRefusal({ status, json }: DeskAnswer): void {
  expect([status, json?.error?.code]).toEqual([409, 'auth.last-administrator']);
  expect(json.error.message).toContain('Assign the role to another account');
}

async function block(place: Desk, name: string): Promise<void> {
  const { account } = await aimAt(place, name);
  const answer = await place.send('PATCH', `/Accounts(${account})`, { body: { Blocked: true } });
  expect(answer.status).toBeLessThan(300);
}

const OPENINGS = [
  ['the built-in model', async () => await openDesk()],
  ['a foreign model', openZoo],
] as const;

describe.each(OPENINGS)('The last administrator of %s', (_what, open) => {
  let place: Desk;
  beforeAll(async () => {
    place = await open();
    await block(place, 'nobody');
    const made = await place.send('POST', '/Accounts', { body: { LoginName: 'no password' } });
    const { role } = await aimAt(place, 'admin');
    const given = await place.send('POST', `/Accounts(${made.json.Uid})/Roles/$ref`, {
      body: { '@odata.id': `Roles(${role})` },
    });
    expect(given.status).toBe(204);
  });
  afterAll(async () => await place?.close());

  it.each([...ACCOUNT_WAYS, ...ROLE_WAYS])(
    'is not taken away by %s: 409, and nothing has changed',
    async (_way, go) => {
      const aim = await aimAt(place, 'admin');
      const before = await place.get('/Accounts?$expand=Roles&$orderby=Uid');
      expectRefusal(await go(aim));
      expect((await place.get('/Accounts?$expand=Roles&$orderby=Uid')).json).toEqual(before.json);
      expect(await administrators(place)).toEqual(['admin', 'no password']);
    },
  );

  it('may change in all other ways, and be given another password', async () => {
    const { account, role } = await aimAt(place, 'admin');
    const named = await place.send('PATCH', `/Accounts(${account})`, { body: { Name: 'Boss' } });
    expect(named.status).toBeLessThan(300);
    const described = await place.send('PATCH', `/Roles(${role})`, {
      body: { Description: 'May do everything' },
    });
    expect(described.status).toBeLessThan(300);
    const { account: other } = await aimAt(place, 'no password');
    expect((await place.send('DELETE', `/Accounts(${other})`)).status).toBe(204);
  });
});

describe.each(OPENINGS)('One of several administrators of %s', (_what, open) => {
  let place: Desk;
  beforeAll(async () => {
    place = await open();
    await block(place, 'nobody');
  });
  afterAll(async () => await place?.close());

  it.each(ACCOUNT_WAYS)('is taken away by %s', async (_way, go) => {
    await place.join({ loginName: 'second', roles: ['administrator'] });
    expect(await administrators(place)).toContain('second');
    const answer = await go(await aimAt(place, 'second'));
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await administrators(place)).not.toContain('second');
    const left = await place.get("/Accounts?$filter=LoginName eq 'second'");
    for (const { Uid } of left.json.value) await place.send('DELETE', `/Accounts(${Uid})`);
  });

  it('of the last two, each taking itself away at the same time, one is refused', async () => {
    const { account, role } = await aimAt(place, 'admin');
    const own = `/Accounts(${account})/Roles`;
    for (let round = 0; round < 8; round++) {
      const rival = await place.join({ loginName: `rival ${round}`, roles: ['administrator'] });
      const { account: other } = await aimAt(place, `rival ${round}`);
      expect(await administrators(place)).toEqual(['admin', `rival ${round}`]);
      const leave = [
        () => place.send('DELETE', `${own}(${role})/$ref`),
        () => rival.send('DELETE', `/Accounts(${other})`),
      ];
      const order = round % 2 === 0 ? leave : leave.toReversed();
      const answers = await Promise.all(order.map((go) => go()));
      const [refused, ...more] = answers.filter(({ status }) => status !== 204);
      expect(more).toEqual([]);
      if (refused !== undefined) expectRefusal(refused);
      const stays = (await rival.get('/$metadata')).status === 200;
      if (stays)
        await rival.send('POST', `${own}/$ref`, { body: { '@odata.id': `Roles(${role})` } });
      if (stays) await place.send('DELETE', `/Accounts(${other})`);
      expect([refused?.status, await administrators(place)]).toEqual([409, ['admin']]);
    }
  });
});

describe('A model in which accounts go with their people', () => {
  let place: Desk;
  beforeAll(async () => {
    place = await openForeignDesk(officeDefinition(), {
      People: [{ Name: 'Ada', Room: { Name: 'Office' } }],
    });
    await block(place, 'nobody');
    const { account } = await aimAt(place, 'admin');
    const [person] = (await place.get('/People')).json.value;
    const tied = await place.send('PATCH', `/Accounts(${account})`, {
      body: { 'Person@odata.bind': `People(${person.Uid})` },
    });
    expect(tied.status, tied.text).toBeLessThan(300);
  });
  afterAll(async () => await place?.close());

  it.each<Way>([
    [
      'DELETE of the person',
      async ({ place: desk }) => {
        const [person] = (await desk.get('/People')).json.value;
        return await desk.send('DELETE', `/People(${person.Uid})`);
      },
    ],
    [
      'DELETE of what the person goes with',
      async ({ place: desk }) => {
        const [room] = (await desk.get('/Rooms')).json.value;
        return await desk.send('DELETE', `/Rooms(${room.Uid})`);
      },
    ],
    [
      'an action on the account',
      ({ place: desk, account }) => desk.send('POST', `/Accounts(${account})/Office.Retire`),
    ],
    ['an action that deletes rooms', ({ place: desk }) => desk.send('POST', '/CloseDown')],
  ])('keeps the last one from %s', async (_way, go) => {
    expectRefusal(await go(await aimAt(place, 'admin')));
    expect(await administrators(place)).toEqual(['admin']);
  });
});
