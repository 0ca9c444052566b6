// This file creates singletons by PUT and PATCH, empties nullable ones, and loads them. OData Protocol 4.01, "Upsert an Entity"; OData CSDL
// 4.01, "Singleton".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importRecords } from '../../src/service/import.ts';
import { singleton } from '../define.ts';
import { defineModel, entitySet, entityType, int32, one, property, text } from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const key = { nullable: false } as const;
const definition = defineModel({
  namespaces: [{ name: 'Firm' }],
  types: [
    entityType(
      'Profile',
      [
        int32('Id', key),
        text('Name', key),
        text('Motto', { default: 'None' }),
        one('Boss', 'Person'),
      ],
      { key: ['Id'] },
    ),
    entityType(
      'Office',
      [property('Id', 'Edm.Guid', { ...key, generated: { by: 'key' } }), text('Name')],
      {
        key: ['Id'],
      },
    ),
    entityType('Person', [int32('Id', key), text('Name')], { key: ['Id'] }),
    entityType('Holding', [int32('Id', key), text('Name', key), one('Main', 'Branch')], {
      key: ['Id'],
    }),
    entityType(
      'Branch',
      [
        int32('Id', key),
        int32('HoldingId'),
        one('Holding', 'Holding', {
          constraints: [{ property: 'HoldingId', referenced: 'Id' }],
        }),
        one('Owner', 'Holding', { nullable: false }),
      ],
      { key: ['Id'] },
    ),
  ],
  sets: [
    singleton('Loaded', 'Profile'),
    singleton('Put', 'Profile', { nullable: true }),
    singleton('Patched', 'Profile'),
    singleton('Office', 'Office', { nullable: true }),
    singleton('Fixed', 'Profile', { insertable: false }),
    entitySet('Persons', 'Person'),
    entitySet('Branches', 'Branch'),
    singleton('Holding', 'Holding'),
  ],
});

let firm: Desk;
beforeAll(async () => {
  firm = await openForeignDesk(definition, {
    Persons: [{ Id: 1n, Name: 'Ada' }],
    Loaded: { Id: 7n, Name: 'Loaded', 'Boss@odata.bind': 'Persons(1)' },
  });
});
afterAll(async () => await firm?.close());

describe('A singleton', () => {
  it('can be loaded', async () => {
    const { json } = await firm.get('/Loaded?$expand=Boss');
    expect(json).toMatchObject({ Id: 7, Name: 'Loaded', Motto: 'None', Boss: { Name: 'Ada' } });
  });

  it('can be loaded after records that refer to it, and refer to them', async () => {
    const loaded = await importRecords(
      {
        Branches: [
          { Id: 1n, 'Owner@odata.bind': 'Holding' },
          { Id: 2n, HoldingId: 5n, Owner: { '@id': 'Holding' } },
        ],
        Holding: { Id: 5n, Name: 'Group', 'Main@odata.bind': 'Branches(2)' },
      },
      firm.service,
    );
    expect(loaded).toBe(3);
    const { json } = await firm.get('/Branches?$expand=Holding,Owner($expand=Main)&$orderby=Id');
    expect(json.value).toMatchObject([
      { Holding: null, Owner: { Id: 5, Main: { Id: 2 } } },
      { HoldingId: 5, Holding: { Id: 5 }, Owner: { Id: 5 } },
    ]);
  });

  it('is empty at first: 204 if it is nullable, otherwise 404', async () => {
    expect((await firm.get('/Put')).status).toBe(204);
    expect((await firm.get('/Patched')).status).toBe(404);
  });

  it('is created by PUT, and emptied by DELETE', async () => {
    const created = await firm.send('PUT', '/Put', { body: { Id: 3, Name: 'a' } });
    expect([created.status, created.json.Motto]).toEqual([201, 'None']);
    expect(created.headers.location).toBe('http://desk.example/odata/Put');
    const changed = await firm.send('PUT', '/Put', { body: { Name: 'b' } });
    expect([changed.status, (await firm.get('/Put')).json.Id]).toEqual([204, 3]);
    expect((await firm.send('DELETE', '/Put')).status).toBe(204);
    expect((await firm.get('/Put')).status).toBe(204);
  });

  it('is created by PATCH, if the body is complete', async () => {
    const short = await firm.send('PATCH', '/Patched', { body: { Name: 'a' } });
    expect([short.status, short.json.error.target]).toEqual([400, 'Id']);
    const body = { Id: 4, Name: 'a', Boss: { '@odata.id': 'Persons(1)' } };
    expect((await firm.send('PATCH', '/Patched', { body })).status).toBe(201);
    expect((await firm.get('/Patched/Boss/Name')).json.value).toBe('Ada');
    expect((await firm.send('PATCH', '/Patched', { body: { Motto: 'x' } })).status).toBe(204);
    expect((await firm.get('/Patched')).json).toMatchObject({ Id: 4, Name: 'a', Motto: 'x' });
    expect((await firm.send('DELETE', '/Patched')).status).toBe(405);
  });

  it('with a generated key needs none', async () => {
    const { status, json } = await firm.send('PATCH', '/Office', { body: { Name: 'Delft' } });
    expect([status, json.Name]).toEqual([201, 'Delft']);
    expect((await firm.get('/Office')).json.Id).toBe(json.Id);
  });

  it('is not created if the model forbids it, or if an ETag is required', async () => {
    const body = { Id: 5, Name: 'a' };
    expect((await firm.send('PUT', '/Fixed', { body })).status).toBe(404);
    const headers = { 'if-match': '*' };
    expect((await firm.send('PUT', '/Put', { body, headers })).status).toBe(412);
  });
});
