// This file checks Core.OptimisticConcurrency: changes of entities in a set or singleton with the annotation need If-Match.
// OData 4.01 Protocol, "Header If-Match"; RFC 6585, "428 Precondition Required".
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { loadRecords } from '../../src/store/load/bulk-load.ts';
import { sendJsonBatch } from './batches.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const REQUIRED = { '@Core.OptimisticConcurrency': [] };
const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };

const { definition, mistakes } = readCsdl({
  $Version: '4.01',
  $EntityContainer: 'Shop.Desk',
  Shop: {
    Item: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64' },
      Name: { $Nullable: true },
      Maker: {
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Maker',
        $Nullable: true,
        $Partner: 'Items',
      },
    },
    Maker: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64' },
      Name: { $Nullable: true },
      Items: {
        $Kind: 'NavigationProperty',
        $Collection: true,
        $Type: 'Shop.Item',
        $Partner: 'Maker',
      },
    },
    Photo: {
      $Kind: 'EntityType',
      $HasStream: true,
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } },
    },
    Rename: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [{ $Name: 'item', $Type: 'Shop.Item' }, { $Name: 'Name' }],
        '@Docket.Effects': [{ Change: '$it', Values: [{ Member: 'Name', Expression: '@Name' }] }],
      },
    ],
    RenameMaker: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [{ $Name: 'maker', $Type: 'Shop.Maker' }, { $Name: 'Name' }],
        '@Docket.Effects': [
          { Change: '$it/Items', Values: [{ Member: 'Name', Expression: '@Name' }] },
        ],
      },
    ],
    Desk: {
      $Kind: 'EntityContainer',
      Items: {
        $Collection: true,
        $Type: 'Shop.Item',
        $NavigationPropertyBinding: { Maker: 'Makers' },
        ...REQUIRED,
      },
      Makers: {
        $Collection: true,
        $Type: 'Shop.Maker',
        $NavigationPropertyBinding: { Items: 'Items' },
      },
      Photos: { $Collection: true, $Type: 'Shop.Photo', ...REQUIRED },
      Favourite: { $Type: 'Shop.Maker', $Nullable: true, ...REQUIRED },
    },
  },
});

let shop: Desk;
let item: string;
let etag: string;
let count = 100;

beforeAll(async () => {
  expect(mistakes).toEqual([]);
  shop = await openForeignDesk(definition, { Makers: [{ Id: 1n }] });
});
afterAll(async () => await shop?.close());

beforeEach(async () => {
  const made = await shop.send('POST', '/Items', {
    body: { Id: ++count, Name: 'old', 'Maker@odata.bind': 'Makers(1)' },
  });
  expect(made.status, made.text).toBe(201);
  item = `/Items(${made.json.Id})`;
  etag = String(made.headers.etag);
});

const nameOf = async (path: string) => (await shop.get(path)).json?.Name;

const WRITES: readonly (readonly [string, string, string, unknown])[] = [
  ['PATCH of the entity', 'PATCH', '', { Name: 'new' }],
  ['PUT of the entity', 'PUT', '', { Name: 'new' }],
  ['PUT of a property', 'PUT', '/Name', { value: 'new' }],
  ['DELETE of a property', 'DELETE', '/Name', undefined],
  ['PUT of a relation', 'PUT', '/Maker/$ref', { '@odata.id': 'Makers(1)' }],
  ['DELETE of a relation', 'DELETE', '/Maker/$ref', undefined],
  ['an action', 'POST', '/Shop.Rename', { Name: 'new' }],
  ['DELETE of the entity', 'DELETE', '', undefined],
];

describe('In a set with Core.OptimisticConcurrency', () => {
  it.each(WRITES)('%s needs If-Match', async (_, method, path, body) => {
    const send = async (headers: Readonly<Record<string, string>>) =>
      await shop.send(method, `${item}${path}`, {
        headers,
        ...(body === undefined ? {} : { body }),
      });
    const missing = await send({});
    expect([missing.status, missing.json.error.code]).toEqual([428, 'write.etag-required']);
    expect(missing.json.error.message).toContain('Items requires an ETag');
    expect(await nameOf(item)).toBe('old');
    expect((await send({ 'if-match': 'W/"999"' })).status).toBe(412);
    const [batched] = (
      await sendJsonBatch(shop, [
        { id: '1', method: method as 'GET', url: `${item.slice(1)}${path}`, body } as never,
      ])
    ).answer.json.responses;
    expect(batched.status).toBe(428);
    const written = await send({ 'if-match': etag });
    expect(written.status, written.text).toBeLessThan(300);
  });

  it('If-Match: * accepts any state', async () => {
    const headers = { 'if-match': '*' };
    expect((await shop.send('PATCH', item, { headers, body: { Name: 'new' } })).status).toBe(204);
    expect(await nameOf(item)).toBe('new');
  });

  it('creating needs no ETag, by POST and by PUT of a new key; replacing does', async () => {
    const body = { Name: 'put' };
    const path = `/Items(${++count})`;
    expect((await shop.send('PUT', path, { body })).status).toBe(201);
    expect((await shop.send('PUT', path, { body: { Name: 'again' } })).status).toBe(428);
    expect(await nameOf(path)).toBe('put');
    expect((await shop.get('/Nothing')).status).toBe(404);
    expect((await shop.send('PATCH', '/Items(999999999)/Name', { body })).status).not.toBe(428);
  });

  it('changes of many entities need If-Match: *, or ETags in the body', async () => {
    const filter = `?$filter=Id eq ${item.replace(/\D/g, '')}`;
    const each = async (headers: Readonly<Record<string, string>>) =>
      await shop.send('PATCH', `/Items/$filter(@f)/$each?@f=Id eq ${item.replace(/\D/g, '')}`, {
        headers: { ...V401, ...headers },
        body: { Name: 'each' },
      });
    expect((await each({})).status).toBe(428);
    expect((await each({ 'if-match': '*' })).status).toBeLessThan(300);
    const removed = await shop.send('DELETE', `/Items/$filter(@f)/$each?@f=Id eq 0`, {
      headers: V401,
    });
    expect(removed.status).toBe(428);
    const current = (await shop.get(`/Items${filter}`)).json.value[0]['@odata.etag'];
    const delta = async (tags: object) =>
      await shop.send('PATCH', '/Items', {
        headers: V401,
        body: {
          '@context': '#$delta',
          value: [{ '@id': item.slice(1), Name: 'delta', ...tags }],
        },
      });
    expect((await delta({})).status).toBe(428);
    expect(await nameOf(item)).toBe('each');
    expect((await delta({ '@etag': current })).status).toBeLessThan(300);
    expect(await nameOf(item)).toBe('delta');
  });

  it('nested changes need the ETag of the nested entity', async () => {
    const nested = async (tags: object, headers = {}) =>
      await shop.send('PATCH', '/Makers(1)', {
        headers: { ...V401, ...headers },
        body: { 'Items@delta': [{ '@id': item.slice(1), Name: 'nested', ...tags }] },
      });
    expect((await nested({})).status).toBe(428);
    expect((await nested({ '@etag': etag })).status).toBeLessThan(300);
    expect((await nested({}, { 'if-match': '*' })).status).toBeLessThan(300);
  });

  it('effects of an action that is bound to another entity need none', async () => {
    const related = { headers: { 'if-match': '*' }, body: { '@odata.id': 'Makers(1)' } };
    expect((await shop.send('PUT', `${item}/Maker/$ref`, related)).status).toBe(204);
    const answer = await shop.send('POST', '/Makers(1)/Shop.RenameMaker', {
      body: { Name: 'by action' },
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await nameOf(item)).toBe('by action');
    const plain = await shop.send('PATCH', '/Items', { headers: V401, body: { value: [] } });
    expect(plain.status).not.toBe(500);
  });
});

describe('With Core.OptimisticConcurrency', () => {
  it('the content of a media entity needs If-Match, with its own ETag', async () => {
    const type = { 'content-type': 'text/plain' };
    const made = await shop.send('POST', '/Photos', { headers: type, body: Buffer.from('one') });
    expect(made.status, made.text).toBe(201);
    const path = `/Photos(${made.json.Id})/$value`;
    const put = async (headers: Readonly<Record<string, string>>) =>
      await shop.send('PUT', path, { headers: { ...type, ...headers }, body: Buffer.from('two') });
    expect((await put({})).status).toBe(428);
    expect((await shop.get(path)).text).toBe('one');
    const { headers } = await shop.get(path);
    expect((await put({ 'if-match': String(headers.etag) })).status).toBe(204);
    expect((await shop.send('DELETE', `/Photos(${made.json.Id})`)).status).toBe(428);
  });

  it('a singleton needs If-Match', async () => {
    const { database, layout } = shop.installation;
    const favourite = { set: 'Favourite', uid: 5, values: { Id: 5 } };
    await loadRecords(database, layout, [favourite], () => undefined);
    const { headers } = await shop.get('/Favourite');
    const put = async (more = {}) =>
      await shop.send('PATCH', '/Favourite', { headers: more, body: { Name: 'second' } });
    expect((await put()).status).toBe(428);
    expect((await put({ 'if-match': String(headers.etag) })).status).toBe(204);
    expect(await nameOf('/Favourite')).toBe('second');
  });

  it('sets without it accept changes without If-Match', async () => {
    expect((await shop.send('PATCH', '/Makers(1)', { body: { Name: 'free' } })).status).toBe(204);
  });

  it('$metadata publishes it as written', async () => {
    const { json } = await shop.get('/$metadata?$format=json');
    expect(json.Shop.Desk.Items['@Core.OptimisticConcurrency']).toEqual([]);
    expect(json.Shop.Desk.Makers['@Core.OptimisticConcurrency']).toBeUndefined();
  });
});
