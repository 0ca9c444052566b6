// This file sends the type of properties with their values. OData JSON 4.01, "Control Information: type"; CSDL, "Built-In Abstract Types".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Color: { $Kind: 'EnumType', Red: 0, Blue: 1 },
    Size: { $Kind: 'TypeDefinition', $UnderlyingType: 'Edm.Int32' },
    Box: { $Kind: 'ComplexType', Big: { $Type: 'Edm.Int64', $Nullable: true } },
    Thing: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Name: { $Nullable: true },
      Big: { $Type: 'Edm.Int64', $Nullable: true },
      Color: { $Type: 'Lib.Color', $Nullable: true },
      Size: { $Type: 'Lib.Size', $Nullable: true },
      Tags: { $Collection: true },
      Where: { $Type: 'Edm.Geography', $Nullable: true },
      Any: { $Type: 'Edm.Untyped', $Nullable: true },
      Box: { $Type: 'Lib.Box', $Nullable: true },
      Boxes: { $Type: 'Lib.Box', $Collection: true },
      Parts: { $Kind: 'NavigationProperty', $Type: 'Lib.Thing', $Collection: true },
    },
    Rename: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [
          { $Name: 'it', $Type: 'Lib.Thing' },
          { $Name: 'Name', $Nullable: true },
        ],
        '@Docket.Effects': [{ Change: '$it', Values: [{ Member: 'Name', Expression: '@Name' }] }],
      },
    ],
    Desk: {
      $Kind: 'EntityContainer',
      Things: {
        $Collection: true,
        $Type: 'Lib.Thing',
        $NavigationPropertyBinding: { Parts: 'Things' },
      },
    },
  },
};

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(readCsdl(model).definition, { Things: [{ Id: 1n }, { Id: 2n }] });
});
afterAll(async () => {
  await desk?.close();
});

const POINT = { type: 'Point', coordinates: [5, 52] };
const typed = (name: string, type: unknown, value: unknown) => ({
  [`${name}@odata.type`]: type,
  [name]: value,
});
const patch = async (body: unknown) => await desk.send('PATCH', '/Things(1)', { body });

describe('The type of a property', () => {
  it.each([
    ['Name', '#String', 'a'],
    ['Name', 'Edm.String', 'b'],
    ['Name', null, 'c'],
    ['Big', '#Int64', 5],
    ['Big', '#Edm.Int64', '5'],
    ['Color', '#Lib.Color', 'Red'],
    ['Size', '#Lib.Size', 1],
    ['Size', '#Int32', 2],
    ['Tags', '#Collection(String)', ['a']],
    ['Tags', '#Collection(Edm.String)', ['b']],
    ['Where', '#GeographyPoint', POINT],
    ['Where', '#Geography', POINT],
    ['Any', '#Date', '2026-01-01'],
    ['Any', '#Collection(Int64)', [1]],
    ['Box', '#Lib.Box', { Big: 1 }],
    ['Boxes', '#Collection(Lib.Box)', [{ ...typed('Big', '#Int64', 1) }]],
  ])('is accepted if it is the declared one: %s %s', async (name, type, value) => {
    expect((await patch(typed(name, type, value))).status).toBe(204);
    expect((await patch({ [`${name}@type`]: type, [name]: value })).status).toBe(204);
  });

  it.each([
    ['Name', '#Int64', 'abc', '#Edm.String'],
    ['Name', '#string', 'abc', '#Edm.String'],
    ['Name', '#Lib.Color', 'Red', '#Edm.String'],
    ['Name', '#Collection(String)', 'abc', '#Edm.String'],
    ['Name', '#Int64', null, '#Edm.String'],
    ['Big', '#String', 5, '#Edm.Int64'],
    ['Big', '#Int32', 5, '#Edm.Int64'],
    ['Color', '#String', 'Red', '#Lib.Color'],
    ['Color', '#Color', 'Red', '#Lib.Color'],
    ['Size', '#Int64', 1, '#Lib.Size'],
    ['Tags', '#String', ['a'], '#Collection(Edm.String)'],
    ['Tags', '#Collection(Int32)', ['a'], '#Collection(Edm.String)'],
    ['Where', '#GeometryPoint', POINT, '#Edm.Geography'],
    ['Any', '#Nope', 1, '#Edm.Untyped'],
    ['Box', '#String', { Big: 1 }, '#Lib.Box'],
  ])('is rejected if it is another one: %s %j', async (name, type, value, expected) => {
    const { status, json } = await patch(typed(name, type, value));
    expect([status, json.error?.details]).toMatchObject([
      400,
      [{ code: 'write.type', target: `${name}@odata.type` }],
    ]);
    expect(json.error.message).toContain(`use ${expected} or omit it`);
  });

  it('is accepted as a response with all metadata has it', async () => {
    const body = { Name: 'x', Big: 7, Color: 'Blue', Size: 3, Tags: ['t'], Where: POINT, Any: 4 };
    expect((await patch({ ...body, Box: { Big: 1 }, Boxes: [{ Big: 2 }] })).status).toBe(204);
    const { json } = await desk.get('/Things(1)', {
      accept: 'application/json;odata.metadata=full',
    });
    expect(json['Big@odata.type']).toBe('#Int64');
    // Advertised actions are part of responses only.
    const { '#Lib.Rename': _, ...members } = json;
    expect((await patch(members)).status).toBe(204);
  });

  const WRONG = typed('Big', '#String', 5);
  it.each([
    ['POST', '/Things', { Id: 9, ...WRONG }, 'Big@odata.type'],
    ['PUT', '/Things(1)', WRONG, 'Big@odata.type'],
    ['PATCH', '/Things(1)', { Box: WRONG }, 'Box/Big@odata.type'],
    ['PATCH', '/Things(1)', { Boxes: [{}, WRONG] }, 'Boxes[1]/Big@odata.type'],
    ['PATCH', '/Things(1)', { Parts: [{ Id: 2, ...WRONG }] }, 'Parts[0]/Big@odata.type'],
    [
      'PATCH',
      '/Things',
      { '@context': '#$delta', value: [{ Id: 1, ...WRONG }] },
      'value[0]/Big@odata.type',
    ],
    ['PUT', '/Things(1)/Box', WRONG, 'Box/Big@odata.type'],
    ['PUT', '/Things(1)/Big', { '@odata.type': '#String', value: 5 }, '@odata.type'],
    ['PUT', '/Things(1)/Big', typed('value', '#String', 5), 'value@odata.type'],
    ['POST', '/Things(1)/Tags', typed('value', '#Int64', 'a'), 'value@odata.type'],
    ['POST', '/Things(1)/Boxes', WRONG, 'Boxes/Big@odata.type'],
    ['POST', '/Things(1)/Lib.Rename', typed('Name', '#Int64', 'a'), 'Name@odata.type'],
  ] as const)('is checked wherever a body has it: %s %s %j', async (method, path, body, target) => {
    const { status, json } = await desk.send(method, path, {
      body,
      headers: { 'odata-version': '4.01' },
    });
    expect([status, json.error?.details?.[0]]).toMatchObject([400, { code: 'write.type', target }]);
  });

  it('is checked in each row of an import', async () => {
    const { status, json } = await desk.send('POST', '/Things/Docket.System.Import', {
      body: `{"Id":8}\n${JSON.stringify({ Id: 9, ...WRONG })}`,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([status, json.error?.details?.[0]?.target]).toEqual([400, 'row 2: Big@odata.type']);
  });

  it.each([
    ['PUT', '/Things(1)/Big', { '@odata.type': '#Int64', value: 5 }],
    ['PUT', '/Things(1)/Tags', { '@odata.type': '#Collection(String)', value: ['a'] }],
    ['POST', '/Things(1)/Tags', typed('value', '#String', 'b')],
    ['POST', '/Things(1)/Tags', typed('value', '#Collection(String)', ['c'])],
    ['POST', '/Things(1)/Lib.Rename', typed('Name', '#String', 'a')],
  ] as const)(
    'is accepted there if it is the declared one: %s %s %j',
    async (method, path, body) => {
      expect((await desk.send(method, path, { body })).status).toBe(204);
    },
  );
});
