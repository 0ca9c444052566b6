// This file checks Core.SchemaVersion and $schemaversion. OData 4.01 Protocol, "System Query Option $schemaversion".
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { sendJsonBatch } from './batches.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const { definition } = readCsdl({
  $Version: '4.01',
  $EntityContainer: 'Shop.Desk',
  Shop: {
    '@Core.SchemaVersion': '2.1',
    Item: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } },
    Desk: { $Kind: 'EntityContainer', Items: { $Collection: true, $Type: 'Shop.Item' } },
  },
  'Shop.Common': { '@Org.OData.Core.V1.SchemaVersion': '7', Size: { $Kind: 'EnumType', S: 0 } },
});

let shop: Desk;
beforeAll(async () => {
  const Items = Array.from({ length: 25 }, (_, index) => ({ Id: BigInt(index + 1) }));
  shop = await openForeignDesk(definition, { Items });
});
afterAll(async () => await shop?.close());

it.each(['2.1', '7', '*'])('$schemaversion=%s is accepted by any request', async (version) => {
  for (const path of ['/', '/$metadata', '/Items', '/Items(1)', '/Items/$count'])
    expect((await shop.get(`${path}?$schemaversion=${version}`)).status, path).toBe(200);
  const body = { Id: 1000 + version.length };
  const made = await shop.send('POST', `/Items?$schemaversion=${version}`, { body });
  expect(made.status).toBe(201);
  const path = `/Items(${made.json.Id})?schemaversion=${version}`;
  expect((await shop.send('DELETE', path, { headers: { 'odata-version': '4.01' } })).status).toBe(
    204,
  );
});

it.each(['2.0', '2.10', '1', 'x'])('$schemaversion=%s returns 404', async (version) => {
  for (const path of ['/', '/$metadata', '/Items', '/Items(1)']) {
    const { status, json } = await shop.get(`${path}?$schemaversion=${version}`);
    expect([status, json.error.code]).toEqual([404, 'request.schema-version']);
    expect(json.error.message).toContain('2.1, 7 or *');
  }
  const { statuses } = await sendJsonBatch(shop, [
    { id: '1', method: 'GET', url: `Items?$schemaversion=${version}` },
  ]);
  expect(statuses).toEqual({ 1: 404 });
});

it('is published, and stays in next and delta links', async () => {
  const xml = (await shop.get('/$metadata?$schemaversion=2.1')).text;
  expect(xml).toContain('<Annotation Term="Core.SchemaVersion" String="2.1"/>');
  const first = await shop.get('/Items?$schemaversion=2.1', { prefer: 'track-changes' });
  const next = first.json['@odata.nextLink'];
  expect(next).toContain('schemaversion=2.1');
  const last = await shop.get(next);
  expect(last.json['@odata.deltaLink']).toContain('schemaversion=2.1');
  expect((await shop.get(last.json['@odata.deltaLink'])).status).toBe(200);
});
