// This file loads records with values that the service maintains otherwise, into sets that clients cannot insert into, and media entities.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importRecords } from '../../src/service/import.ts';
import {
  boolean,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  int32,
  int64,
  property,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const key = { nullable: false } as const;
const generated = { nullable: false, generated: { by: 'key' } } as const;
const definition = defineModel({
  namespaces: [{ name: 'Lib' }],
  types: [
    entityType(
      'Book',
      [
        int32('Id', generated),
        text('Title', key),
        int64('No', { generated: { by: 'sequence' } }),
        dateTime('Created', { generated: { by: 'created' } }),
        text('By', { generated: { by: 'creator' } }),
        text('Label', { generated: { by: 'expression', expression: "concat(Title,'!')" } }),
        text('Shelf', { computed: true }),
        boolean('Lent', { nullable: false, default: false }),
      ],
      { key: ['Id'] },
    ),
    entityType('Edition', [property('Id', 'Edm.Guid', generated), text('Name')], { key: ['Id'] }),
    entityType('Picture', [int32('Id', key), text('Name')], { key: ['Id'], hasStream: true }),
    entityType('Loan', [int64('Id', generated), text('Reader')], { key: ['Id'] }),
    entityType('Fine', [int64('Id', generated), text('Reader')], { key: ['Id'] }),
  ],
  sets: [
    entitySet('Books', 'Book'),
    entitySet('Editions', 'Edition', { insertable: false, updatable: false }),
    entitySet('Pictures', 'Picture'),
    entitySet('Loans', 'Loan'),
    entitySet('Fines', 'Fine'),
  ],
});

const GUID = '01890a5d-ac96-774b-bcce-b302099a8057';
let library: Desk;
beforeAll(async () => {
  library = await openForeignDesk(definition, {
    Books: [
      {
        Id: 40n,
        Title: 'Emma',
        No: 9n,
        Created: '1815-12-23T00:00:00Z',
        By: 'jane',
        Label: 'ignored',
        Shelf: 'A',
        Lent: true,
      },
      { Title: 'Ulysses' },
    ],
    Editions: [{ Id: GUID, Name: 'First' }],
    Pictures: [
      { Id: 1n, Name: 'Text', $value: 'Hello', '@odata.mediaContentType': 'text/plain' },
      { Id: 2n, $value: 'AQID', '@odata.mediaContentType': 'image/png' },
    ],
    Loans: [{ Id: 7001n, Reader: 'Cleo' }, { Id: 7000n }, { Reader: 'Dan' }, { Id: null }],
  });
});
afterAll(async () => await library?.close());

describe('A load', () => {
  it('sets what the service maintains', async () => {
    expect((await library.get('/Books(40)')).json).toMatchObject({
      No: 9,
      Created: '1815-12-23T00:00:00.000Z',
      By: 'jane',
      Label: 'Emma!',
      Shelf: 'A',
      Lent: true,
    });
  });

  it('lets the service determine what it omits', async () => {
    const { json } = await library.get("/Books?$filter=Title eq 'Ulysses'");
    expect(json.value[0]).toMatchObject({ No: 10, By: 'import', Label: 'Ulysses!', Lent: false });
  });

  it('is followed by new numbers', async () => {
    const { status, json } = await library.send('POST', '/Books', { body: { Title: 'New' } });
    expect([status, json.Id, json.No]).toEqual([201, 42, 11]);
  });

  it('sets keys of the type Int64, and continues after the greatest', async () => {
    const { json } = await library.get('/Loans?$orderby=Id&$select=Id,Reader');
    const ids = json.value.map(({ Id }: { Id: number }) => Id);
    expect(ids.slice(0, 3)).toEqual([7000, 7001, 7002]);
    expect((await library.get('/Loans(7001)')).json.Reader).toBe('Cleo');
    const added = await library.send('POST', '/Fines', { body: { Reader: 'Eve' } });
    expect([added.status, added.json.Id > Math.max(...ids)]).toEqual([201, true]);
  });

  it('into an installation in use continues its numbers as well', async () => {
    const records = [{ Id: 900n, Title: 'Persuasion', No: 77n }];
    expect(await importRecords({ Books: records }, library.service)).toBe(1);
    const { status, json } = await library.send('POST', '/Books', { body: { Title: 'Sanditon' } });
    expect([status, json.Id, json.No]).toEqual([201, 901, 78]);
  });

  it('cannot reuse a key of the type Int64 that a record of another set has', async () => {
    const load = importRecords({ Fines: [{ Id: 7001n }, { Id: 2n ** 63n - 1n }] }, library.service);
    await expect(load).rejects.toMatchObject({
      code: 'service.import',
      details: [{ code: 'write.key-taken', target: 'Fines[0]/Id' }, { code: 'write.given-number' }],
    });
  });

  it('fills sets that clients cannot insert into', async () => {
    expect((await library.get(`/Editions(${GUID})`)).json.Name).toBe('First');
    expect((await library.send('POST', '/Editions', { body: { Name: 'x' } })).status).toBe(405);
  });

  it('stores the content of media entities', async () => {
    const first = await library.get('/Pictures(1)/$value');
    expect([first.headers['content-type'], first.text]).toEqual(['text/plain', 'Hello']);
    const second = await library.get('/Pictures(2)/$value');
    expect([second.headers['content-type'], [...second.bytes]]).toEqual(['image/png', [1, 2, 3]]);
  });
});

describe('A request', () => {
  it('with content gives the number that is the key in the URL, or in Slug', async () => {
    const message = (slug?: string) => ({
      headers: { 'content-type': 'text/plain', ...(slug === undefined ? {} : { slug }) },
      body: Buffer.from('text'),
    });
    const put = await library.send('PUT', '/Pictures(12)/$value', message());
    const post = await library.send('POST', '/Pictures', message('13'));
    expect([put.status, put.json.Id, post.status, post.json.Id]).toEqual([201, 12, 201, 13]);
    const { status, json } = await library.send('POST', '/Pictures', message('x'));
    expect([status, json.error.details[0].target]).toEqual([400, 'Id']);
  });

  it('still sets none of these values', async () => {
    const body = { Title: 'x', No: 900, By: 'me', Shelf: 'Z', Created: '1999-01-01T00:00:00Z' };
    const { json } = await library.send('POST', '/Books', { body });
    expect(json).toMatchObject({ By: 'admin', Shelf: null });
    expect([json.No < 900, json.Created > '2020']).toEqual([true, true]);
    expect((await library.send('POST', '/Books', { body: { Id: 5, Title: 'x' } })).status).toBe(
      400,
    );
  });
});
