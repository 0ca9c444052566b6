// This file compares the OpenAPI description of a model that has nothing to do with service desks with what the service does: streams,
// writes that create what they address, results that may be missing, the names of files, and null as a parameter.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containedOne, functionImport, singleton, stream } from '../define.ts';
import {
  contained,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int32,
  int64,
  one,
  parameter,
  returning,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const DOCUMENT = 'http://desk.example/openapi.json';
const key = { nullable: false } as const;

const definition = defineModel({
  namespaces: [{ name: 'Shop' }],
  types: [
    entityType(
      'Item',
      [
        int32('Id', key),
        text('Name'),
        stream('Photo'),
        one('Parent', 'Item'),
        containedOne('Detail', 'Detail'),
        contained('Files', 'File'),
      ],
      { key: ['Id'] },
    ),
    entityType('Detail', [int32('Id', key), text('Name')], { key: ['Id'] }),
    entityType('File', [int64('Id', { ...key, generated: { by: 'key' } }), text('Title')], {
      key: ['Id'],
      hasStream: true,
    }),
    entityType('Picture', [text('Name', key), text('Title')], { key: ['Name'], hasStream: true }),
    entityType('Order', [int64('Id', { ...key, generated: { by: 'key' } }), text('Name')], {
      key: ['Id'],
    }),
    entityType(
      'Ticket',
      [int64('Id', { ...key, generated: { by: 'key' }, computed: false }), text('Name')],
      { key: ['Id'] },
    ),
  ],
  sets: [
    entitySet('Items', 'Item', { bindings: { Parent: 'Items' } }),
    entitySet('Fixed', 'Item', { insertable: false, bindings: { Parent: 'Items' } }),
    entitySet('Pictures', 'Picture'),
    entitySet('Orders', 'Order'),
    entitySet('Tickets', 'Ticket'),
    singleton('Main', 'Detail'),
    singleton('Spare', 'Detail', { nullable: true }),
  ],
  operations: [
    functionOf('Twice', [parameter(int32('Number'))], {
      returns: returning('Edm.Int32', { nullable: true }),
      expression: '@Number mul 2',
    }),
    functionOf('Loud', [parameter(text('Text'))], {
      returns: returning('Edm.String', { nullable: true }),
      expression: 'toupper(@Text)',
    }),
  ],
  imports: [functionImport('Twice', 'Twice'), functionImport('Loud', 'Loud')],
});

let shop: Desk;
// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the description
let description: any;
beforeAll(async () => {
  shop = await openForeignDesk(definition, { Items: [{ Id: 1n }], Fixed: [{ Id: 1n }] });
  description = (await shop.get(DOCUMENT)).json;
});
afterAll(async () => await shop?.close());

/** The statuses that the description lists. */
const listed = (path: string, method: string): readonly string[] =>
  Object.keys(description.paths[path]?.[method]?.responses ?? {});

const headersOf = (path: string, method: string): readonly string[] =>
  (description.paths[path][method].parameters ?? [])
    .map(({ $ref = '' }) => description.components.parameters[$ref.split('/').at(-1) ?? ''])
    .filter((one: { in: string }) => one.in === 'header')
    .map(({ name }: { name: string }) => name);

const BYTES = { headers: { 'content-type': 'image/png' }, body: Buffer.from('x') };

describe('The OpenAPI description of another model', () => {
  it('is valid', async () => {
    const source = JSON.stringify(description);
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each([
    ['GET', 'Items({Id})/Photo', 'Items(1)/Photo', undefined, 204],
    ['PUT', 'Items({Id})/Photo', 'Items(1)/Photo', BYTES, 204],
    ['GET', 'Items({Id})/Photo', 'Items(1)/Photo', undefined, 200],
    ['DELETE', 'Items({Id})/Photo', 'Items(1)/Photo', undefined, 204],
    ['GET', 'Items({Id})/Parent', 'Items(1)/Parent', undefined, 204],
    ['GET', 'Items({Id})/Parent/$ref', 'Items(1)/Parent/$ref', undefined, 204],
    ['GET', 'Items({Id})/Detail', 'Items(1)/Detail', undefined, 204],
    ['PATCH', 'Items({Id})/Detail', 'Items(1)/Detail', { body: { Id: 1 } }, 201],
    ['PATCH', 'Items({Id})/Detail', 'Items(1)/Detail', { body: { Name: 'a' } }, 204],
    ['PATCH', 'Items({Id})', 'Items(2)', { body: { Name: 'a' } }, 201],
    ['PUT', "Pictures('{Name}')/$value", "Pictures('a')/$value", BYTES, 201],
    ['PUT', "Pictures('{Name}')/$value", "Pictures('a')/$value", BYTES, 204],
    ['GET', 'Spare', 'Spare', undefined, 204],
    ['PATCH', 'Spare', 'Spare', { body: { Id: 1 } }, 201],
    ['PATCH', 'Main', 'Main', { body: { Id: 1 } }, 201],
    ['GET', 'Twice(Number={Number})', 'Twice(Number=null)', undefined, 204],
    ['GET', "Loud(Text='{Text}')", 'Loud(Text=null)', undefined, 204],
  ])('lists what %s %s returns for %s', async (method, template, path, message, status) => {
    const answer = await shop.send(method, `/${path}`, message);
    expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
    expect(listed(`/${template}`, method.toLowerCase())).toContain(String(status));
  });

  it.each([
    ['PATCH', 'Fixed({Id})', 'Fixed(9)', { body: { Name: 'a' } }, 404],
    ['PATCH', 'Orders({Id})', 'Orders(9)', { body: { Name: 'a' } }, 404],
    ['PATCH', "Pictures('{Name}')", "Pictures('b')", { body: { Title: 'a' } }, 400],
    ['PUT', 'Items({Id})/Files({Id_1})/$value', 'Items(1)/Files(9)/$value', BYTES, 404],
  ])(
    'lists no creation by %s %s, which is rejected',
    async (method, template, path, message, status) => {
      const answer = await shop.send(method, `/${path}`, message);
      expect(answer.status).toBe(status);
      const responses = listed(`/${template}`, method.toLowerCase());
      expect([responses.includes('204'), responses.includes('201')]).toEqual([true, false]);
    },
  );

  it('lists the header Slug where it names the new entity', async () => {
    expect(headersOf('/Pictures', 'post')).toContain('Slug');
    expect(headersOf('/Items({Id})/Files', 'post')).not.toContain('Slug');
    const headers = { 'content-type': 'image/png', slug: 'caf%C3%A9' };
    const { status, json } = await shop.send('POST', '/Pictures', { ...BYTES, headers });
    expect([status, json.Name]).toEqual([201, 'café']);
  });

  it('permits null as a parameter of a function', () => {
    const parameterOf = (path: string) => description.paths[path].parameters[0];
    expect(parameterOf('/Twice(Number={Number})').schema.type).toEqual(['integer', 'null']);
    expect(parameterOf("/Loud(Text='{Text}')")).toMatchObject({
      description: 'For null, write Text=null without quotation marks',
      schema: { type: 'string' },
    });
  });

  it('offers no key that the service sets for new entities', async () => {
    const { properties } = description.components.schemas['Shop.Ticket-create'];
    expect(Object.keys(properties)).toEqual(['Name']);
    const answer = await shop.send('POST', '/Tickets', { body: { Id: 7, Name: 'a' } });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Id']);
  });

  it('offers the key where a change creates an entity whose URL contains none', () => {
    const bodyOf = (path: string) => description.paths[path].patch.requestBody;
    const variants = ['create', 'update'].map((variant) => ({
      $ref: `#/components/schemas/Shop.Detail-${variant}`,
    }));
    for (const path of ['/Main', '/Items({Id})/Detail'])
      expect(bodyOf(path).content['application/json'].schema).toEqual({ anyOf: variants });
    expect(description.components.schemas['Shop.Detail-create'].required).toEqual(['Id']);
    expect(bodyOf('/Items({Id})')).toEqual({ $ref: '#/components/requestBodies/update-Shop.Item' });
  });
});
