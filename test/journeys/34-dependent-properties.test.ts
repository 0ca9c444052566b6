// This file changes relations by their dependent properties, and dependent properties by their relations: they are one fact, so both agree
// after every kind of request. OData CSDL 4.01, "Referential Constraint".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { importRecords } from '../../src/service/import.ts';
import {
  contained,
  defineModel,
  entitySet,
  entityType,
  int32,
  many,
  one,
  property,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const key = { nullable: false } as const;
const generated = { nullable: false, generated: { by: 'key' } } as const;
const constrained = (...pairs: readonly (readonly [string, string])[]) => ({
  constraints: pairs.map(([name, referenced]) => ({ property: name, referenced })),
});

const definition = defineModel({
  namespaces: [{ name: 'Shop' }],
  types: [
    entityType(
      'Category',
      [int32('Id', key), text('Name'), many('Products', 'Product', { partner: 'Category' })],
      {
        key: ['Id'],
      },
    ),
    entityType(
      'Product',
      [
        int32('Id', key),
        text('Name'),
        int32('CategoryId'),
        int32('MainId'),
        one('Category', 'Category', {
          partner: 'Products',
          onDelete: 'set-null',
          ...constrained(['CategoryId', 'Id']),
        }),
        one('Main', 'Product', { partner: 'Variants', ...constrained(['MainId', 'Id']) }),
        many('Variants', 'Product', { partner: 'Main' }),
      ],
      { key: ['Id'] },
    ),
    entityType('Site', [text('Country', key), int32('Number', key), text('Name')], {
      key: ['Country', 'Number'],
    }),
    entityType(
      'Order',
      [
        property('Id', 'Edm.Guid', generated),
        text('Country'),
        int32('Number'),
        one('Site', 'Site', constrained(['Country', 'Country'], ['Number', 'Number'])),
        many('Lines', 'Line', { partner: 'Order' }),
        contained('Notes', 'Note', { partner: 'Order' }),
      ],
      { key: ['Id'] },
    ),
    entityType(
      'Line',
      [
        property('OrderId', 'Edm.Guid', key),
        int32('Number', key),
        int32('ProductId', key),
        one('Order', 'Order', { partner: 'Lines', ...constrained(['OrderId', 'Id']) }),
        one('Product', 'Product', constrained(['ProductId', 'Id'])),
      ],
      { key: ['OrderId', 'Number'] },
    ),
    entityType(
      'Note',
      [
        int32('Id', key),
        property('OrderId', 'Edm.Guid'),
        one('Order', 'Order', { partner: 'Notes', ...constrained(['OrderId', 'Id']) }),
      ],
      { key: ['Id'] },
    ),
  ],
  sets: [
    entitySet('Products', 'Product'),
    entitySet('Categories', 'Category'),
    entitySet('Sites', 'Site'),
    entitySet('Lines', 'Line'),
    entitySet('Orders', 'Order'),
  ],
});

let shop: Desk;
beforeAll(async () => {
  shop = await openForeignDesk(definition, {
    Products: [
      { Id: 2n, Name: 'Red pen', CategoryId: 1n, MainId: 1n },
      { Id: 1n, Name: 'Pen', CategoryId: 1n },
      { Id: 3n, Name: 'Loose' },
    ],
    Categories: [
      { Id: 1n, Name: 'Office' },
      { Id: 2n, Name: 'Garden' },
    ],
    Sites: [
      { Country: 'NL', Number: 1n, Name: 'Delft' },
      { Country: 'BE', Number: 1n, Name: 'Gent' },
    ],
  });
});
afterAll(async () => await shop?.close());

const send = async (method: string, path: string, body?: unknown) =>
  await shop.send(method, path, body === undefined ? {} : { body });

/** The category of a product by its property, its navigation, and filters over both. */
async function categoryOf(id: number) {
  const { json } = await shop.get(`/Products(${id})?$expand=Category($select=Id)`);
  const related: number | undefined = json.Category?.Id;
  const counts = await Promise.all(
    ['CategoryId', 'Category/Id'].map(
      async (path) =>
        (await shop.get(`/Products/$count?$filter=Id eq ${id} and ${path} eq ${related ?? 'null'}`))
          .text,
    ),
  );
  expect(counts).toEqual(['1', '1']);
  expect(json.CategoryId).toBe(related ?? null);
  return json.CategoryId;
}

let next = 10;
async function newProduct(body: object): Promise<number> {
  next += 1;
  const { status, text: answer } = await send('POST', '/Products', { Id: next, ...body });
  expect([status, status === 201 ? '' : answer]).toEqual([201, '']);
  return next;
}

describe('A dependent property sets the relation', () => {
  it('in a load, whatever the order of the records', async () => {
    expect(await categoryOf(1)).toBe(1);
    expect(await categoryOf(3)).toBe(null);
    expect((await shop.get('/Products(1)/Variants?$select=Id')).json.value).toHaveLength(1);
  });

  it('in a load, also in a cycle, and of a record to itself', async () => {
    const cycle = [
      { Id: 4801n, MainId: 4802n },
      { Id: 4802n, MainId: 4801n, CategoryId: 2n },
      { Id: 4803n, MainId: 4803n },
    ];
    expect(await importRecords({ Products: cycle }, shop.service)).toBe(3);
    const { json } = await shop.get('/Products?$filter=Id gt 4800&$expand=Main&$orderby=Id');
    const mains = json.value.map(({ MainId, Main }: { MainId: number; Main: { Id: number } }) => [
      MainId,
      Main.Id,
    ]);
    expect(mains).toEqual([
      [4802, 4802],
      [4801, 4801],
      [4803, 4803],
    ]);
    const missing = importRecords({ Products: [{ Id: 4804n, MainId: 4899n }] }, shop.service);
    await expect(missing).rejects.toMatchObject({
      details: [{ code: 'write.no-principal', target: 'Products[0]/MainId' }],
    });
  });

  it('with POST, PATCH, PUT and a single value', async () => {
    const id = await newProduct({ CategoryId: 2 });
    expect(await categoryOf(id)).toBe(2);
    expect((await send('PATCH', `/Products(${id})`, { CategoryId: 1 })).status).toBe(204);
    expect(await categoryOf(id)).toBe(1);
    expect((await send('PUT', `/Products(${id})/CategoryId`, { value: 2 })).status).toBe(204);
    expect(await categoryOf(id)).toBe(2);
    expect((await send('PATCH', `/Products(${id})`, { CategoryId: null })).status).toBe(204);
    expect(await categoryOf(id)).toBe(null);
    expect((await send('PUT', `/Products(${id})`, { Name: 'x', CategoryId: 1 })).status).toBe(204);
    expect(await categoryOf(id)).toBe(1);
    expect((await send('DELETE', `/Products(${id})/CategoryId`)).status).toBe(204);
    expect(await categoryOf(id)).toBe(null);
  });

  it('only if it refers to an entity', async () => {
    for (const [method, path, body] of [
      ['POST', '/Products', { Id: 900, CategoryId: 77 }],
      ['PATCH', '/Products(3)', { CategoryId: 77 }],
      ['PUT', '/Products(3)/CategoryId', { value: 77 }],
    ] as const) {
      const { status, json } = await send(method, path, body);
      expect([status, json.error.code, json.error.target]).toEqual([
        409,
        'write.no-principal',
        'CategoryId',
      ]);
    }
    expect((await shop.get('/Products(900)')).status).toBe(404);
    expect(await categoryOf(3)).toBe(null);
  });

  it('together with the others of the relation', async () => {
    const order = await send('POST', '/Orders', { Country: 'NL', Number: 1 });
    const path = `/Orders(${order.json.Id})`;
    const name = async () => (await shop.get(`${path}?$expand=Site`)).json.Site?.Name ?? null;
    expect([order.status, await name()]).toEqual([201, 'Delft']);
    expect((await send('PATCH', path, { Country: 'BE' })).status).toBe(204);
    expect(await name()).toBe('Gent');
    expect((await send('PATCH', path, { Number: 4 })).status).toBe(409);
    expect((await send('PATCH', path, { Number: null })).status).toBe(204);
    expect(await name()).toBe(null);
    const site = { '@odata.id': "Sites(Country='NL',Number=1)" };
    expect((await send('PUT', `${path}/Site/$ref`, site)).status).toBe(204);
    expect((await shop.get(path)).json).toMatchObject({ Country: 'NL', Number: 1 });
  });

  it('unless it contradicts a relation in the same body', async () => {
    const body = { CategoryId: 1, 'Category@odata.bind': 'Categories(2)' };
    expect((await send('PATCH', '/Products(3)', body)).status).toBe(400);
    const same = { CategoryId: 2, 'Category@odata.bind': 'Categories(2)' };
    expect(await categoryOf(await newProduct(same))).toBe(2);
    const other = await send('POST', '/Categories(1)/Products', { Id: 901, CategoryId: 2 });
    expect([other.status, (await shop.get('/Products(901)')).status]).toEqual([400, 404]);
  });
});

describe('A relation sets its dependent properties', () => {
  it('by bind and nested entities', async () => {
    const id = await newProduct({ 'Category@odata.bind': 'Categories(1)' });
    expect(await categoryOf(id)).toBe(1);
    await send('PATCH', `/Products(${id})`, { Category: { '@odata.id': 'Categories(2)' } });
    expect(await categoryOf(id)).toBe(2);
    await send('PATCH', `/Products(${id})`, { Category: null });
    expect(await categoryOf(id)).toBe(null);
    const nested = await newProduct({ Category: { Id: 31, Name: 'New' } });
    expect(await categoryOf(nested)).toBe(31);
    const below = { Id: 32, Products: [{ Id: 801 }, { '@odata.id': `Products(${id})` }] };
    expect((await send('POST', '/Categories', below)).status).toBe(201);
    expect([await categoryOf(801), await categoryOf(id)]).toEqual([32, 32]);
  });

  it('by $ref from either end', async () => {
    const id = await newProduct({});
    const product = { '@odata.id': `Products(${id})` };
    const paths = { own: `/Products(${id})/Category/$ref`, other: '/Categories(2)/Products/$ref' };
    expect((await send('PUT', paths.own, { '@odata.id': 'Categories(1)' })).status).toBe(204);
    expect(await categoryOf(id)).toBe(1);
    expect((await send('DELETE', paths.own)).status).toBe(204);
    expect(await categoryOf(id)).toBe(null);
    expect((await send('POST', paths.other, product)).status).toBe(204);
    expect(await categoryOf(id)).toBe(2);
    expect((await send('DELETE', `/Categories(2)/Products(${id})/$ref`)).status).toBe(204);
    expect(await categoryOf(id)).toBe(null);
    expect((await send('PUT', paths.other, { value: [product] })).status).toBe(204);
    expect(await categoryOf(id)).toBe(2);
    expect((await send('PUT', paths.other, { value: [] })).status).toBe(204);
    expect(await categoryOf(id)).toBe(null);
  });

  it('by the deletion of the other entity', async () => {
    await send('POST', '/Categories', { Id: 40 });
    const id = await newProduct({ CategoryId: 40 });
    const { headers } = await shop.get(`/Products(${id})`);
    expect((await send('DELETE', '/Categories(40)')).status).toBe(204);
    expect(await categoryOf(id)).toBe(null);
    expect((await shop.get(`/Products(${id})`)).headers.etag).not.toBe(headers.etag);
  });

  it('that are parts of a key', async () => {
    const lines = [
      { Number: 1, ProductId: 1 },
      { Number: 2, 'Product@odata.bind': 'Products(2)' },
      { Number: 3, Product: { Id: 850, Name: 'Nested' } },
    ];
    const order = await send('POST', '/Orders?$expand=Lines', { Lines: lines });
    const { Id } = order.json;
    expect([
      order.status,
      order.json.Lines.map((line: Record<string, unknown>) => [line.OrderId, line.ProductId]),
    ]).toEqual([
      201,
      [
        [Id, 1],
        [Id, 2],
        [Id, 850],
      ],
    ]);
    const flat = await send('POST', '/Lines', { OrderId: Id, Number: 4, ProductId: 1 });
    expect(flat.status).toBe(201);
    expect((await shop.get(`/Lines(OrderId=${Id},Number=4)/Order`)).json.Id).toBe(Id);
    const stranger = { OrderId: '00000000-0000-7000-8000-000000000000', Number: 1, ProductId: 1 };
    expect((await send('POST', '/Lines', stranger)).status).toBe(409);
    expect((await send('PUT', `/Lines(OrderId=${Id},Number=5)`, { ProductId: 2 })).status).toBe(
      201,
    );
    expect((await shop.get(`/Orders(${Id})/Lines/$count`)).text).toBe('5');
    const nested = { Number: 9, ProductId: 1, Order: { Country: 'NL', Number: 1 } };
    const turned = await send('POST', '/Lines?$expand=Order', nested);
    expect([turned.status, turned.json.OrderId]).toEqual([201, turned.json.Order.Id]);
  });

  it('that cannot be null, so that it cannot be removed', async () => {
    const { json } = await send('POST', '/Orders', { Lines: [{ Number: 1, ProductId: 1 }] });
    const line = `/Lines(OrderId=${json.Id},Number=1)`;
    expect((await send('PATCH', line, { Product: null })).status).toBe(400);
    expect((await send('DELETE', `${line}/Product/$ref`)).status).toBe(400);
    expect((await send('PATCH', line, { ProductId: 2 })).status).toBe(204);
    expect((await shop.get(`${line}/Product`)).json.Id).toBe(2);
  });

  it('or by deletions, which the check of the model reports', () => {
    const types = [
      entityType('A', [int32('Id', key)], { key: ['Id'] }),
      entityType(
        'B',
        [
          int32('Id', key),
          int32('AId', key),
          one('A', 'A', { onDelete: 'set-null', ...constrained(['AId', 'Id']) }),
        ],
        { key: ['Id'] },
      ),
    ];
    const mistakes = lintModel(defineModel({ namespaces: [{ name: 'S' }], types }));
    expect(mistakes.map(({ message }) => message)).toContain(
      'The dependent properties of the navigation cannot be null.',
    );
  });

  it('in contained entities', async () => {
    const { json } = await send('POST', '/Orders?$expand=Notes', { Notes: [{ Id: 1 }] });
    expect(json.Notes[0].OrderId).toBe(json.Id);
    const note = await send('POST', `/Orders(${json.Id})/Notes`, { Id: 2 });
    expect([note.status, note.json.OrderId]).toEqual([201, json.Id]);
  });
});
