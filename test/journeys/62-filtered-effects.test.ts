// This file runs effects whose paths filter by members of the entity that the action is bound to.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const INT = { $Type: 'Edm.Int32', $Nullable: true };
const action = (path: string) => ({
  $Kind: 'Action',
  $IsBound: true,
  $Parameter: [{ $Name: 'it', $Type: 'Shop.Box' }],
  '@Docket.Effects': [{ Change: path, Values: [{ Member: 'Count', Expression: '7' }] }],
});

const MODEL = {
  $Version: '4.01',
  $EntityContainer: 'Shop.Desk',
  Shop: {
    State: { $Kind: 'ComplexType', Round: INT },
    Box: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Round: INT,
      State: { $Type: 'Shop.State' },
      Parts: {
        $Kind: 'NavigationProperty',
        $Collection: true,
        $Type: 'Shop.Part',
        $Partner: 'Box',
      },
      Lines: {
        $Kind: 'NavigationProperty',
        $Collection: true,
        $Type: 'Shop.Part',
        $ContainsTarget: true,
      },
    },
    Part: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Round: INT,
      Count: INT,
      Box: { $Kind: 'NavigationProperty', $Type: 'Shop.Box', $Nullable: true, $Partner: 'Parts' },
    },
    ByOwn: [action('$it/Parts/$filter(Round eq $it/Round)')],
    ByComplex: [action('$it/Parts/$filter(Round eq $it/State/Round)')],
    ByLines: [action('$it/Lines/$filter(Round eq $it/Round)')],
    Desk: {
      $Kind: 'EntityContainer',
      Boxes: { $Collection: true, $Type: 'Shop.Box' },
      Parts: { $Collection: true, $Type: 'Shop.Part' },
    },
  },
};

let desk: Desk;
beforeAll(async () => {
  const { definition, mistakes } = readCsdl(MODEL);
  expect(mistakes).toEqual([]);
  desk = await openForeignDesk(definition, {});
  const parts = (first: number) =>
    [1, 2].map((Round, index) => ({ Id: first + index, Round, Count: 0 }));
  const body = { Id: 1, Round: 2, State: { Round: 2 }, Lines: parts(1) };
  const { status, text } = await desk.send('POST', '/Boxes', { body });
  expect(status, text).toBe(201);
  for (const part of parts(1)) {
    const made = { ...part, Box: { '@odata.id': 'Boxes(1)' } };
    expect((await desk.send('POST', '/Parts', { body: made })).status).toBe(201);
  }
});
afterAll(async () => await desk?.close());

describe('A path of an effect', () => {
  it.each([
    ['ByOwn', 'Parts'],
    ['ByComplex', 'Parts'],
    ['ByLines', 'Lines'],
  ])('%s filters %s by a member of the bound entity', async (name, set) => {
    const reset = { body: { Count: 0 } };
    await desk.send('PATCH', '/Parts(2)', reset);
    const { status, text } = await desk.send('POST', `/Boxes(1)/Shop.${name}`);
    expect(status, text).toBe(204);
    const { json } = await desk.get(`/Boxes(1)/${set}?$orderby=Id`);
    expect(json.value.map(({ Count }: { Count: number }) => Count)).toEqual([0, 7]);
  });
});
