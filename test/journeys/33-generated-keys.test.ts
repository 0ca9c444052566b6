// This file creates entities whose keys the service generates, of each type that a generated key can have.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lintModel } from '../../src/edm/lint/lint.ts';
import {
  contained,
  defineModel,
  entitySet,
  entityType,
  int64,
  property,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const key = { nullable: false, generated: { by: 'key' } } as const;
const INTEGERS = ['Int64', 'Int32', 'Int16', 'SByte', 'Byte'] as const;

const definition = defineModel({
  namespaces: [{ name: 'Ids' }],
  types: [
    ...INTEGERS.map((name) =>
      entityType(`By${name}`, [property('Id', `Edm.${name}`, key), text('Name')], { key: ['Id'] }),
    ),
    entityType(
      'ByGuid',
      [property('Id', 'Edm.Guid', key), text('Name'), contained('Parts', 'ByInt16')],
      { key: ['Id'] },
    ),
    entityType(
      'Numbered',
      [
        property('Id', 'Edm.Guid', { nullable: false }),
        int64('No', { generated: { by: 'sequence' } }),
      ],
      { key: ['Id'] },
    ),
  ],
  sets: [
    ...INTEGERS.map((name) => entitySet(name, `By${name}`)),
    entitySet('Guid', 'ByGuid'),
    entitySet('Numbered', 'Numbered'),
  ],
});

let ids: Desk;
beforeAll(async () => {
  ids = await openForeignDesk(definition, {});
});
afterAll(async () => await ids?.close());

describe('A generated key', () => {
  it.each(INTEGERS)('of type %s is a number', async (set) => {
    const first = await ids.send('POST', `/${set}`, { body: { Name: 'a' } });
    const second = await ids.send('POST', `/${set}`, { body: { Name: 'b' } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json.Id).toBeGreaterThan(first.json.Id);
    const { href = '' } = new URL(String(second.headers.location));
    expect((await ids.get(href)).json.Name).toBe('b');
    expect((await ids.get(`/${set}(${first.json.Id})`)).json.Name).toBe('a');
  });

  it('of type Guid has version 7 and sorts by time', async () => {
    const parts = [{ Name: 'x' }, { Name: 'y' }];
    const first = await ids.send('POST', '/Guid', { body: { Name: 'a', Parts: parts } });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await ids.send('POST', '/Guid', { body: { Name: 'b' } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.json.Id).toMatch(
      /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );
    expect(second.json.Id > first.json.Id).toBe(true);
    const { json } = await ids.get(`/Guid(${first.json.Id})/Parts?$orderby=Id&$select=Id,Name`);
    expect(json.value.map(({ Id, Name }: { Id: number; Name: string }) => [Id, Name])).toEqual([
      [1, 'x'],
      [2, 'y'],
    ]);
  });

  it('is left to the service', async () => {
    const { status, json } = await ids.send('POST', '/Int16', { body: { Id: 7, Name: 'a' } });
    expect([status, json.error.details[0].code]).toEqual([400, 'write.key']);
  });

  it('ends with the values of its type', async () => {
    const body = (count: number) => ({
      requests: Array.from({ length: count }, (_, index) => ({
        id: String(index),
        method: 'POST',
        url: 'Byte',
        headers: { 'content-type': 'application/json' },
        body: { Name: 'c' },
      })),
    });
    const { status, json } = await ids.send('POST', '/$batch', { body: body(260) });
    expect(status).toBe(200);
    const failed = json.responses.filter((one: { status: number }) => one.status !== 201);
    expect(failed.length).toBe(1); // A batch stops at the first error.
    expect(failed[0].status).toBe(409);
    expect(failed[0].body.error).toMatchObject({
      code: 'write.numbers-used-up',
      message: expect.stringContaining('Byte.Id'),
    });
    expect((await ids.get('/Byte/$count')).text).toBe('255');
  });

  it('can be assigned by clients where the model generates none', async () => {
    const Id = '01890a5d-ac96-774b-bcce-b302099a8057';
    expect((await ids.send('POST', '/Numbered', { body: { Id } })).json).toMatchObject({
      Id,
      No: 1,
    });
    const other = '01890A5D-AC96-774B-BCCE-B302099A8058';
    expect((await ids.send('PUT', `/Numbered(${other})`, { body: {} })).status).toBe(201);
    expect((await ids.get(`/Numbered(${other})`)).json.No).toBe(2);
    expect((await ids.send('POST', '/Numbered', { body: { Id } })).status).toBe(409);
  });
});

describe('The check of a model', () => {
  it.each([
    ['Edm.Decimal', { generated: { by: 'key' } }, 'Edm.Decimal cannot hold key. Use Edm.Int64'],
    ['Edm.Int32', { computed: true }, 'computed, but the model does not define how'],
  ] as const)('reports a key of type %s with %j', (type, options, message) => {
    const types = [
      entityType('E', [property('Id', type, { nullable: false, ...options })], { key: ['Id'] }),
    ];
    const definition = defineModel({ namespaces: [{ name: 'S' }], types });
    expect(
      lintModel(definition)
        .map((mistake) => `${mistake.message} ${mistake.remedy}`)
        .join(),
    ).toContain(message);
  });
});
