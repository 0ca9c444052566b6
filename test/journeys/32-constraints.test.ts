// This file makes records whose keys or values are given by relations. OData CSDL 4.01, "Referential Constraint".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineModel, entitySet, entityType, int32, many, one, text } from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const key = { nullable: false } as const;
const definition = defineModel({
  namespaces: [{ name: 'Shop' }],
  types: [
    entityType('Order', [int32('Id', key), many('Items', 'Item', { partner: 'Order' })], {
      key: ['Id'],
    }),
    entityType(
      'Item',
      [
        int32('OrderId', key),
        int32('Number', key),
        text('Title'),
        {
          ...one('Order', 'Order', { partner: 'Items', nullable: false }),
          constraints: [{ property: 'OrderId', referenced: 'Id' }],
        },
      ],
      { key: ['OrderId', 'Number'] },
    ),
  ],
  sets: [entitySet('Orders', 'Order'), entitySet('Items', 'Item')],
  languages: ['en'],
});

let shop: Desk;
beforeAll(async () => {
  shop = await openForeignDesk(definition, {
    Orders: [{ Id: 1n }, { Id: 2n }],
    Items: [
      { OrderId: 1n, Number: 1n, Title: 'Pen', 'Order@odata.bind': 'Orders(1)' },
      { OrderId: 1n, Number: 2n, Title: 'Ink', 'Order@odata.bind': 'Orders(1)' },
      { OrderId: 2n, Number: 1n, Title: 'Nib', 'Order@odata.bind': 'Orders(2)' },
    ],
  });
});
afterAll(async () => await shop?.close());

describe('The parts of a key that a relation gives', () => {
  it.each([
    ['/Orders(1)/Items(2)', 'Ink'],
    ['/Orders(1)/Items(Number=2)', 'Ink'],
    ['/Orders(1)/Items/2', 'Ink'],
    ['/Orders(2)/Items(1)', 'Nib'],
    ['/Orders(1)/Items(OrderId=1,Number=1)', 'Pen'],
    ['/Items(OrderId=2,Number=1)', 'Nib'],
  ])('GET %s', async (path, title) => {
    const { status, json } = await shop.get(path);
    expect([status, json.Title]).toEqual([200, title]);
    expect((await shop.get(`${path}/Title/$value`)).text).toBe(title);
  });

  it.each([
    ['/Orders(1)/Items(OrderId=2,Number=1)', 404],
    ['/Orders(2)/Items(2)', 404],
    ['/Orders(3)/Items(1)', 404],
    ['/Items(1)', 400],
    ['/Items(Number=1)', 400],
    ['/Orders(1)/Items(OrderId=1)', 400],
  ])('GET %s gives %i', async (path, status) => {
    expect((await shop.get(path)).status).toBe(status);
  });

  it('may be left out of the addresses of changes', async () => {
    const change = await shop.send('PATCH', '/Orders(1)/Items(2)', {
      body: { Title: 'Black ink' },
    });
    expect(change.status).toBe(204);
    expect((await shop.get('/Items(OrderId=1,Number=2)')).json.Title).toBe('Black ink');
    expect((await shop.send('DELETE', '/Orders(1)/Items(2)')).status).toBe(204);
    expect((await shop.get('/Items(OrderId=1,Number=2)')).status).toBe(404);
  });

  it('come from the relation when an entity is made', async () => {
    const body = { Number: 7, Title: 'Pad' };
    const below = await shop.send('POST', '/Orders(2)/Items', { body });
    expect([below.status, below.json.OrderId]).toEqual([201, 2]);
    const bound = { Number: 8, Title: 'Box', 'Order@odata.bind': 'Orders(2)' };
    const beside = await shop.send('POST', '/Items', { body: bound });
    expect([beside.status, beside.json.OrderId]).toEqual([201, 2]);
  });

  it('cannot contradict the relation', async () => {
    const below = await shop.send('POST', '/Orders(2)/Items', { body: { OrderId: 1, Number: 9 } });
    expect([below.status, JSON.stringify(below.json)]).toEqual([
      400,
      expect.stringContaining('OrderId'),
    ]);
    const body = { OrderId: 1, Number: 9, 'Order@odata.bind': 'Orders(2)' };
    expect((await shop.send('POST', '/Items', { body })).status).toBe(400);
  });

  it('cannot come from another entity later', async () => {
    const other = { '@odata.id': 'Orders(1)' };
    const moved = await shop.send('PUT', '/Items(OrderId=2,Number=1)/Order/$ref', { body: other });
    expect(moved.status).toBe(400);
    const added = await shop.send('POST', '/Orders(1)/Items/$ref', {
      body: { '@odata.id': 'Items(OrderId=2,Number=1)' },
    });
    expect(added.status).toBe(400);
    const body = { 'Order@odata.bind': 'Orders(1)' };
    expect((await shop.send('PATCH', '/Items(OrderId=2,Number=1)', { body })).status).toBe(400);
    const taken = { 'Items@odata.bind': ['Items(OrderId=2,Number=1)'] };
    expect((await shop.send('PATCH', '/Orders(1)', { body: taken })).status).toBe(400);
    expect((await shop.get('/Items(OrderId=2,Number=1)/Order')).json.Id).toBe(2);
  });

  it('are checked in a deep insert', async () => {
    const order = (Id: number, OrderId: number) => ({ Id, Items: [{ OrderId, Number: 1 }] });
    expect((await shop.send('POST', '/Orders', { body: order(5, 6) })).status).toBe(400);
    expect((await shop.get('/Orders(5)')).status).toBe(404);
    expect((await shop.send('POST', '/Orders', { body: order(5, 5) })).status).toBe(201);
    expect((await shop.get('/Orders(5)/Items(1)')).status).toBe(200);
  });
});
