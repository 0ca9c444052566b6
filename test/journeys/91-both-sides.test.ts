// This file withholds one side of a relation by a role and looks for it on the other: by every way to read a relation, in either
// direction, and by the properties that depend on it. What is withheld of a record shows in no other place either.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { makeModel } from '../../src/edm/model.ts';
import { equivalentMembers } from '../../src/edm/partners.ts';
import {
  complex,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int64,
  many,
  one,
  text,
} from '../define-model.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { CALLER, MEMBER, REQUEST, WORKGROUP } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  const body = { '@odata.id': `Persons(${MEMBER})` };
  await desk.send('PUT', `/Persons(${CALLER})/Manager/$ref`, { body });
  await desk.send('POST', `/Workgroups(${WORKGROUP})/Members/$ref`, { body });
});
afterAll(async () => await desk?.close());

let roles = 0;

/** An account whose one role reads all records but for what is withheld. */
async function withheld(...attributes: readonly string[]): Promise<Asking> {
  roles += 1;
  const role = `reader ${roles}`;
  const entities = ['Record', 'HistoryLine'].map((Entity) => ({
    Entity,
    Read: true,
    Change: true,
  }));
  const answer = await desk.send('POST', '/Roles', {
    body: {
      Name: role,
      EntityAccess: entities,
      AttributeAccess: attributes.map((path) => {
        const [Entity, Attribute] = path.split('/');
        return { Entity, Attribute, Read: false };
      }),
    },
  });
  expect(answer.status, answer.text).toBe(201);
  return await desk.join({ loginName: role, roles: [role], person: CALLER });
}

/** Every way to read one side: a single relation, or a collection. */
function waysTo(name: string, isCollection: boolean, [from, key]: readonly [number, string]) {
  const person = `/Persons(${from})`;
  const inside = isCollection ? `${name}/any(x:x/Uid gt 0)` : `${name}/Uid gt 0`;
  const value = isCollection ? `${name}/$count` : `${name}/Uid`;
  return [
    `${person}/${name}`,
    `/Persons(Searchcode='${key}')/${name}`,
    `${person}/${name}/$ref`,
    `${person}?$expand=${name}`,
    `${person}?$expand=${name}/$ref`,
    `/Persons?$expand=${name}($select=Uid)`,
    `/$entity/Service.Web.OData.Model.Person?$id=Persons(${from})&$expand=${name}`,
    `/Persons?$filter=${inside}`,
    `/Persons?$filter=not (${inside})`,
    `/Persons?$orderby=${value}`,
    `/Persons?$orderby=${value} desc&$top=1`,
    `/Persons?$compute=${value} as X&$select=X`,
    `/Persons?$apply=groupby((${name}/Uid))`,
    `/Persons?$apply=filter(${inside})`,
    `/Persons?$apply=aggregate(${name}/Uid with max as M)`,
    `/Persons/$filter(${inside})`,
    `/Persons/$count?$filter=${inside}`,
    `/Workgroups?$filter=Members/any(m:m/${inside})`,
    `/ServiceRequests(${REQUEST})?$expand=Caller($expand=${name})`,
    `/ServiceRequests(${REQUEST})/Caller/${name}`,
    `/ServiceRequests?$filter=Caller/${inside}`,
    `/$crossjoin(Persons,Workgroups)?$filter=Persons/${inside}`,
    `/Persons?$filter=$root${person}/${inside}`,
    ...(isCollection
      ? [
          `${person}/${name}/$count`,
          `${person}/${name}(${CALLER})`,
          `${person}?$expand=${name}/$count`,
          `/Persons?$filter=${name}/$count gt 0`,
          `/Persons?$apply=aggregate(${name}/$count as N)`,
        ]
      : [`/Persons?$filter=${name} ne null`, `/Persons?$filter=${name} eq null`]),
  ];
}

describe.each([
  ['Person/Manager', 'the single one'],
  ['Person/DirectReports', 'the collection'],
])('A role that withholds %s, %s of two sides', (attribute) => {
  it('withholds both of them: 403 by every way', async () => {
    const reader = await withheld(attribute);
    const searchcode = async (uid: number) =>
      (await desk.get(`/Persons(${uid})`)).json.Searchcode as string;
    const ways = [
      ...waysTo('Manager', false, [CALLER, await searchcode(CALLER)]),
      ...waysTo('DirectReports', true, [MEMBER, await searchcode(MEMBER)]),
    ];
    for (const path of ways) {
      const { status, text: shown } = await reader.get(path);
      expect([path, status, shown]).toEqual([path, 403, expect.stringContaining('access.member')]);
      expect((await desk.get(path)).status, path).toBe(200);
    }
  });

  it('shows nothing of them where everything is asked for, and says so', async () => {
    const reader = await withheld(attribute);
    for (const uid of [CALLER, MEMBER]) {
      for (const accept of ['application/json', 'application/json;odata.metadata=full']) {
        const { json } = await reader.get(`/Persons(${uid})?$expand=*`, { accept });
        expect(json.Uid).toBe(uid);
        expect(Object.keys(json).join()).not.toMatch(/Manager|DirectReports/);
      }
      const { json } = await reader.get(`/Persons(${uid})/EffectiveRights()`);
      for (const Name of ['Manager', 'DirectReports'])
        expect(json.Members).toContainEqual({ Name, Read: false, Change: expect.anything() });
    }
    const lines = await desk.get(`/Persons(${CALLER})/HistoryLines?$filter=Attribute eq 'Manager'`);
    expect(lines.json.value.length).toBeGreaterThan(0);
    expect((await reader.get(`/Persons(${CALLER})/HistoryLines`)).text).not.toContain('Manager');
  });
});

it('Another role can give both sides again: rights add up', async () => {
  await withheld('Person/Manager');
  const withholding = `reader ${roles}`;
  await withheld();
  const both = await desk.join({
    loginName: 'both',
    roles: [withholding, `reader ${roles}`],
    person: CALLER,
  });
  expect((await both.get(`/Persons(${CALLER})/Manager`)).json.Uid).toBe(MEMBER);
  expect((await both.get(`/Persons(${MEMBER})/DirectReports`)).json.value).toHaveLength(1);
});

it('A relation between two types is withheld from the other type, and nothing else of it is', async () => {
  const reader = await withheld('Workorder/ServiceRequest');
  const path = `/ServiceRequests(${REQUEST})`;
  expect((await reader.get(`${path}/Workorders`)).status).toBe(403);
  expect((await reader.get('/ServiceRequests?$filter=Workorders/any()')).status).toBe(403);
  expect((await reader.get('/Workorders?$filter=ServiceRequest ne null')).status).toBe(403);
  expect((await reader.get(`${path}/Caller`)).status).toBe(200);
  expect((await reader.get('/Workorders')).status).toBe(200);
});

describe('A property that is withheld', () => {
  it('is not told by searches, next links, ETags, references or alternate keys', async () => {
    const reader = await withheld('Person/LastName', 'Person/Searchcode', 'Person/Name');
    const found = async (path: string) => await reader.get(path);
    expect((await found('/Persons?$search=Neil')).json.value).toEqual([]);
    expect((await found("/Persons(Searchcode='ONEIL')")).status).toBeGreaterThanOrEqual(403);
    expect((await found("/$entity?$id=Persons(Searchcode='ONEIL')")).status).toBeGreaterThan(399);
    for (const member of ['LastName', 'Name', 'Searchcode']) {
      expect((await found(`/Persons?$orderby=${member}&$top=1`)).status).toBe(403);
      expect((await found(`/Persons/$ref?$orderby=${member}`)).status).toBe(403);
      expect((await found(`/ServiceRequests?$filter=Caller/${member} eq 'x'`)).status).toBe(403);
    }
    const first = await reader.get('/Persons?$expand=Workgroups', { prefer: 'maxpagesize=1' });
    expect(first.text).not.toMatch(/O'Neil|ONEIL|山田/);
    const tracked = await reader.get('/Persons?$select=Uid,FirstName', {
      prefer: 'odata.track-changes',
    });
    expect(tracked.text).not.toMatch(/O'Neil|ONEIL|山田/);
  });
});

describe('In a model of one’s own', () => {
  const key = () => int64('Id', { nullable: false });
  const definition = defineModel({
    namespaces: [{ name: 'Shop' }],
    types: [
      complexType('Delivery', [one('Carrier', 'Firm'), text('Street')]),
      entityType('Firm', [key(), text('Name'), many('Orders', 'Order', { partner: 'Buyer' })], {
        key: ['Id'],
      }),
      entityType(
        'Order',
        [
          key(),
          int64('BuyerId'),
          one('Buyer', 'Firm', {
            partner: 'Orders',
            constraints: [{ property: 'BuyerId', referenced: 'Id' }],
          }),
          complex('Delivery', 'Delivery'),
        ],
        { key: ['Id'] },
      ),
    ],
    sets: [entitySet('Firms', 'Firm'), entitySet('Orders', 'Order')],
  });

  test.each([
    ['Order', 'Buyer', ['Firm/Orders', 'Order/Buyer', 'Order/BuyerId']],
    ['Order', 'BuyerId', ['Firm/Orders', 'Order/Buyer', 'Order/BuyerId']],
    ['Firm', 'Orders', ['Firm/Orders', 'Order/Buyer', 'Order/BuyerId']],
    ['Firm', 'Name', ['Firm/Name']],
    ['Order', 'Delivery', ['Order/Delivery']],
  ])('withholding %s/%s withholds %j', (type, name, expected) => {
    const model = makeModel(definition);
    const owner = model.types.get(`Shop.${type}`);
    if (owner?.kind !== 'entity') throw new Error(`no ${type}`);
    const found = equivalentMembers(model, { type: owner, name }).map(
      (member) => `${member.type.name.replace('Shop.', '')}/${member.name}`,
    );
    expect(found.sort()).toEqual(expected);
  });

  it('the property that depends on a withheld relation is withheld too', async () => {
    const document = {
      Firms: [{ Id: 1, Name: 'Buyer' }],
      Orders: [{ Id: 7, 'Buyer@odata.bind': 'Firms(1)', BuyerId: 1 }],
      Roles: [
        {
          Name: 'clerk',
          EntityAccess: ['Firm', 'Order'].map((Entity) => ({ Entity, Read: true })),
          AttributeAccess: [{ Entity: 'Order', Attribute: 'Buyer', Read: false }],
        },
      ],
    };
    const shop = await openForeignDesk(definition, document);
    try {
      expect((await shop.get('/Orders(7)')).json.BuyerId).toBe(1);
      const clerk = await shop.join({ loginName: 'clerk', roles: ['clerk'] });
      expect((await clerk.get('/Orders(7)')).json).not.toHaveProperty('BuyerId');
      for (const path of [
        '/Orders(7)/Buyer',
        '/Orders(7)/BuyerId',
        '/Firms(1)/Orders',
        '/Firms?$expand=Orders',
        '/Orders?$filter=BuyerId eq 1',
        '/Orders?$filter=Buyer/Id eq 1',
        '/Firms?$filter=Orders/any(o:o/Id eq 7)',
      ])
        expect([path, (await clerk.get(path)).status]).toEqual([path, 403]);
    } finally {
      await shop.close();
    }
  });
});
