// This file creates entities with and without values that have the term Core.ComputedDefaultValue: clients may give them, and the service
// computes those that are absent. Without the term, only the service sets generated values. OData Vocabulary Core, "ComputedDefaultValue"
// and "Computed".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const computed = (By: string, type: JsonObject = {}, others: JsonObject = {}) => ({
  ...type,
  '@Core.ComputedDefaultValue': true,
  '@Docket.Generated': { By, ...others },
});

const generated = (By: string, type: JsonObject = {}, others: JsonObject = {}) => ({
  ...type,
  '@Docket.Generated': { By, ...others },
});

const GUID = { $Type: 'Edm.Guid' };
const MOMENT = { $Type: 'Edm.DateTimeOffset', $Precision: 3 };
const INT = { $Type: 'Edm.Int32' };

const modelOf = (members: JsonObject) => ({
  $Version: '4.01',
  $EntityContainer: 'Lab.Desk',
  Lab: {
    Note: { $Kind: 'ComplexType', Text: { $Nullable: true }, Level: { ...INT, $DefaultValue: 3 } },
    Author: { $Kind: 'ComplexType', Name: {} },
    Sample: { $Kind: 'EntityType', $Key: ['Id'], ...members },
    Desk: { $Kind: 'EntityContainer', Samples: { $Collection: true, $Type: 'Lab.Sample' } },
  },
});

const model = modelOf({
  Id: computed('key', GUID),
  Number: computed('sequence', INT),
  At: computed('created', MOMENT),
  By: computed('creator'),
  Title: computed('initial', {}, { Expression: "concat('No. ',cast(Number,Edm.String))" }),
  Note: { $Type: 'Lab.Note', '@Core.ComputedDefaultValue': true },
  Author: { $Type: 'Lab.Author', $Nullable: true },
  Reviewer: { $Type: 'Lab.Author' },
});

const Reviewer = { Name: 'Ada' };

let lab: Desk;
beforeAll(async () => {
  lab = await openForeignDesk(readCsdl(model).definition, {});
});
afterAll(async () => await lab?.close());

describe('A value with a computed default', () => {
  it('is computed if it is absent', async () => {
    const { status, json } = await lab.send('POST', '/Samples', { body: { Reviewer } });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      Number: 1,
      By: 'admin',
      Title: 'No. 1',
      Note: { Text: null, Level: 3 },
      Author: null,
    });
    expect(json.Id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/);
    expect(json.At).toMatch(/^20\d\d-/);
  });

  it('is what clients send, in POST, in PUT of a new key, and later', async () => {
    const Id = '01890a5d-ac96-774b-bcce-b302099a8057';
    const values = { Number: 70, At: '2020-01-01T00:00:00.000Z', By: 'Bea', Title: 'T' };
    const body = { Id, ...values, Note: { Text: 'n' }, Reviewer };
    const created = await lab.send('POST', '/Samples', { body });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ Id, ...values, Note: { Text: 'n', Level: 3 } });
    expect((await lab.send('POST', '/Samples', { body })).status).toBe(409);
    const other = '/Samples(01890a5d-ac96-774b-bcce-b302099a8058)';
    const put = await lab.send('PUT', other, { body: { Title: 'U', Reviewer } });
    expect([put.status, put.json.Title]).toEqual([201, 'U']);
    expect((await lab.send('PATCH', other, { body: { By: 'Cas' } })).status).toBe(204);
    expect((await lab.get(other)).json.By).toBe('Cas');
  });

  it('is published, and not required', async () => {
    const { Sample } = (await lab.get('/$metadata?$format=json')).json.Lab;
    for (const name of ['Id', 'Number', 'At', 'By', 'Title', 'Note'])
      expect([name, Sample[name]['@Core.ComputedDefaultValue']]).toEqual([name, true]);
    const { json } = await lab.get('http://desk.example/openapi.json');
    expect(json.components.schemas['Lab.Sample-create'].required).toEqual(['Reviewer']);
    const missing = await lab.send('POST', '/Samples', { body: {} });
    expect([missing.status, missing.json.error.target]).toEqual([400, 'Reviewer/Name']);
  });
});

describe('A generated value without the term', () => {
  const members = {
    Id: generated('key', { $Type: 'Edm.Int64' }),
    Text: { $Nullable: true },
    Number: generated('sequence', INT),
    At: generated('created', MOMENT),
    Changed: generated('modified', MOMENT),
    By: generated('creator'),
    Changer: generated('modifier'),
    Twice: generated('expression', { $Nullable: true }, { Expression: 'concat(Text,Text)' }),
    Initial: generated('initial', {}, { Expression: "'first'" }),
  };
  const computedNames = ['Number', 'At', 'Changed', 'By', 'Changer', 'Twice'];
  const At = '2020-01-01T00:00:00.000Z';
  const forged = { Number: 70, At, Changed: At, By: 'Bea', Changer: 'Bea', Twice: 'b' };

  let forge: Desk;
  beforeAll(async () => {
    forge = await openForeignDesk(readCsdl(modelOf(members)).definition, {});
  });
  afterAll(async () => await forge?.close());

  it('is set by the service alone: POST, PUT and PATCH ignore it', async () => {
    const created = await forge.send('POST', '/Samples', { body: { Text: 'a', ...forged } });
    expect(created.status).toBe(201);
    const own = { Number: 1, By: 'admin', Changer: 'admin', Twice: 'aa' };
    expect(created.json).toMatchObject(own);
    const url = `/Samples(${created.json.Id})`;
    for (const method of ['PATCH', 'PUT'] as const) {
      await forge.send(method, url, { body: { Text: 'a', ...forged, Initial: 'own' } });
      const { json } = await forge.get(url);
      expect(json).toMatchObject({ ...own, At: created.json.At, Initial: 'own' });
      expect(json.Changed).not.toBe(At);
    }
  });

  it('has the type of its property: numbers get its digits, and are null beyond its range', async () => {
    const decimal = ($Scale: number) => ({ $Type: 'Edm.Decimal', $Precision: 9, $Scale });
    const computed = (type: object, Expression: string) =>
      generated('expression', { ...type, $Nullable: true }, { Expression });
    const numbers = {
      Id: generated('key', { $Type: 'Edm.Int64' }),
      Price: decimal(4),
      Product: computed(decimal(4), 'Price mul 2'),
      Rounded: computed(decimal(2), 'Price'),
      Text: computed({ $Type: 'Edm.Decimal', $Precision: 30, $Scale: 1 }, 'Price'),
      Whole: computed(INT, 'Price'),
      Small: computed({ $Type: 'Edm.Byte' }, 'Id add 255'),
      Double: computed(decimal(2), 'cast(Price,Edm.Double) mul 3'),
    };
    const desk = await openForeignDesk(readCsdl(modelOf(numbers)).definition, {});
    const { json } = await desk.send('POST', '/Samples', { body: { Price: 1.2572 } });
    const product = { Product: 2.5144, Rounded: 1.26, Text: 1.3, Whole: 1, Small: null };
    expect(json).toMatchObject({ ...product, Double: 3.77 });
    await desk.close();
  });

  it('cannot be written at its own URL', async () => {
    const { json } = await forge.send('POST', '/Samples', { body: {} });
    const put = await forge.send('PUT', `/Samples(${json.Id})/By`, { body: { value: 'Bea' } });
    expect([put.status, put.json.error.code]).toEqual([400, 'write.read-only']);
  });

  it('is published as computed', async () => {
    const { Sample } = (await forge.get('/$metadata?$format=json')).json.Lab;
    const published = Object.keys(members).filter((name) => Sample[name]['@Core.Computed']);
    expect(published).toEqual(computedNames);
    const { schemas } = (await forge.get('http://desk.example/openapi.json')).json.components;
    expect(Object.keys(schemas['Lab.Sample-update'].properties)).toEqual(['Text', 'Initial']);
    expect(schemas['Lab.Sample'].properties.Twice.readOnly).toBe(true);
  });

  it('cannot be declared as not computed', () => {
    const By = { ...generated('creator'), '@Core.Computed': false };
    expect(readCsdl(modelOf({ Id: INT, By })).mistakes).toMatchObject([
      { path: '$.Lab.Sample.By["@Core.Computed"]', remedy: expect.stringContaining('Remove it') },
    ]);
  });
});

describe('A calculated value that the sent values do not permit', () => {
  const OPTIONAL = { $Type: 'Edm.Int64', $Nullable: true };
  const calculated = (Expression: string) => generated('expression', OPTIONAL, { Expression });
  const members = {
    Id: generated('key', { $Type: 'Edm.Int64' }),
    Amount: OPTIONAL,
    Parts: { $Type: 'Edm.Int64', $DefaultValue: 1 },
    Square: calculated('Amount mul Amount'),
    Share: calculated('Amount div Parts'),
  };

  let shop: Desk;
  beforeAll(async () => {
    shop = await openForeignDesk(readCsdl(modelOf(members)).definition, {});
  });
  afterAll(async () => await shop?.close());

  it.each([
    [{ Amount: 9_000_000_000 }, 'a result is out of range for its type'],
    [{ Amount: 1, Parts: 0 }, 'a divisor is zero'],
  ])('%j is refused, in POST and PATCH, with advice about the body', async (body, reason) => {
    const { json } = await shop.send('POST', '/Samples', { body: { Amount: 3 } });
    expect(json).toMatchObject({ Square: 9, Share: 3 });
    const path = `/Samples(${json.Id})`;
    for (const [method, url] of [
      ['POST', '/Samples'],
      ['PATCH', path],
    ] as const) {
      const { status, json } = await shop.send(method, url, { body });
      expect([method, status, json.error.code]).toEqual([method, 400, 'write.calculation']);
      expect(json.error.message).toContain(`with the sent ones: ${reason}`);
      expect(json.error.message).toContain('Send other values for the properties');
    }
    expect((await shop.get(path)).json).toMatchObject({ Amount: 3, Parts: 1, Square: 9 });
    const query = await shop.get('/Samples?$filter=Amount mul 9223372036854775807 gt 1');
    expect([query.status, query.json.error.code]).toEqual([400, 'sql.overflow']);
  });
});

describe('The check of a model', () => {
  const id = { Id: INT };
  it.each([
    [{ Id: computed('key', INT) }, 'cannot be a key that clients choose. Use Edm.Guid.'],
    [{ ...id, At: computed('modified', MOMENT) }, 'always sets modified. Use @Core.Computed.'],
    [{ ...id, By: { ...computed('creator'), '@Core.Computed': true } }, 'not permit values of'],
    [{ ...id, Name: { '@Core.ComputedDefaultValue': true } }, 'Nothing computes the value.'],
  ])('reports %j', (members, message) => {
    const found = lintModel(readCsdl(modelOf(members)).definition);
    const messages = found.map((one) => `${one.message} ${one.remedy}`);
    expect(messages).toEqual([expect.stringContaining(message)]);
  });
});
