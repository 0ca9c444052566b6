// This file stores numbers of the type Edm.Single, which are returned in their shortest form, on every path and in every format.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  collectionOf,
  defineModel,
  entitySet,
  entityType,
  int32,
  property,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const definition = defineModel({
  namespaces: [{ name: 'Lab' }],
  types: [
    entityType(
      'Sample',
      [
        int32('Id', { nullable: false }),
        property('Value', 'Edm.Single'),
        collectionOf(property('Values', 'Edm.Single')),
        property('Took', 'Edm.Duration'),
      ],
      { key: ['Id'] },
    ),
  ],
  sets: [entitySet('Samples', 'Sample')],
});

const VALUES: readonly (readonly [sent: string, found: string])[] = [
  ['1.1', '1.1'],
  ['-0.1', '-0.1'],
  ['3.14159265358979', '3.1415927'],
  ['16777217', '16777216'],
  ['3.4028234663852886e38', '3.4028235e+38'],
  ['3.4e38', '3.4e+38'],
  ['123456789', '123456790'],
  ['1e9', '1e+9'],
  ['1e10', '1e+10'],
  ['-1234567890', '-1.2345679e+9'],
  ['1e-40', '1e-40'],
  ['1.17549435e-38', '1.1754944e-38'],
  ['1e-45', '1e-45'],
  ['0', '0'],
];

let lab: Desk;
beforeAll(async () => {
  lab = await openForeignDesk(definition, {});
  for (const [index, [sent]] of VALUES.entries()) {
    const { status } = await lab.send('POST', '/Samples', {
      headers: { 'content-type': 'application/json' },
      body: { Id: index, Value: Number(sent), Values: [Number(sent)] },
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => await lab?.close());

describe('A Single', () => {
  it.each(VALUES.map(([sent, found], id) => [sent, found, id] as const))(
    '%s is returned as %s',
    async (sent, found, id) => {
      const { text } = await lab.get(`/Samples(${id})`);
      expect(text).toContain(`"Value":${found},"Values":[${found}]`);
      expect((await lab.get(`/Samples(${id})/Value/$value`)).text).toBe(found);
      expect((await lab.get(`/Samples(${id})?$format=atom`)).text).toContain(`>${found}</d:Value>`);
      const filter = encodeURIComponent(
        `Value eq ${sent} and Value in (${sent}) and Values/any(v:v eq ${sent})`,
      );
      expect((await lab.get(`/Samples/$count?$filter=${filter}`)).text).toBe('1');
      const shortened = encodeURIComponent(`Value eq ${found}`);
      expect((await lab.get(`/Samples/$count?$filter=${shortened}`)).text).toBe('1');
    },
  );

  it('is converted to its shortest text and number', async () => {
    const select =
      'cast(Value,Edm.String) as A,cast(Value,Edm.Double) as B,cast(Value,Edm.Decimal) as C,cast(1.10000001,Edm.Single) as D';
    const { json } = await lab.get(
      `/Samples(0)?$compute=${encodeURIComponent(select)}&$select=A,B,C,D`,
    );
    expect(json).toMatchObject({ A: '1.1', B: 1.1, C: 1.1, D: 1.1 });
    const { json: long } = await lab.get(
      `/Samples(9)?$compute=${encodeURIComponent(`${select},cast(Value,Edm.Int64) as E`)}&$select=A,B,C,E`,
    );
    expect(long).toMatchObject({
      A: '-1.2345679e+9',
      B: -1234567900,
      C: -1234567900,
      E: -1234567900,
    });
    const { json: grouped } = await lab.get(
      '/Samples?$apply=filter(Id eq 0)/groupby((Value),aggregate(Value with sum as S))',
    );
    expect(grouped.value).toMatchObject([{ Value: 1.1, S: 1.1 }]);
    const { text: all } = await lab.get(
      '/Samples?$apply=filter(Id in (8,9))/groupby((Value),aggregate($count as N))&$orderby=Value',
    );
    expect(all.match(/"Value":[^,]*/g)).toEqual(['"Value":-1.2345679e+9', '"Value":1e+10']);
    const { text: least } = await lab.get('/Samples?$apply=aggregate(Value with min as M)');
    expect(least).toContain('"M":-1.2345679e+9');
  });

  it('that is calculated is rounded', async () => {
    const { text } = await lab.get('/Samples(1)?$compute=Value add Value add Value as X&$select=X');
    expect(text).toContain('"X":-0.3');
  });
});

describe('A duration without a precision', () => {
  it.each(['PT1.5S', 'P1DT0.123456789S', 'PT2H'])('keeps %s', async (took) => {
    expect((await lab.send('PATCH', '/Samples(0)', { body: { Took: took } })).status).toBe(204);
    expect((await lab.get('/Samples(0)/Took/$value')).text).toBe(took);
  });
});
