// This file reads and edits how user interfaces show codes: their criticality and icon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { deriveBindings } from '../../src/edm/navigation-bindings.ts';
import { readCodeTables } from '../../src/edm/tables/code-tables.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { RECORDS } from './records.ts';

const LANGUAGES = ['en'];

function model(look: object) {
  return {
    $Version: '4.01',
    $EntityContainer: 'Shop.Container',
    Shop: {
      Code: {
        $Kind: 'ComplexType',
        '@Docket.Coded': { Value: 'Value', Text: 'Text' },
        Text: { $Nullable: true },
        Value: { $Type: 'Edm.Int64', $Nullable: true },
      },
      Item: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: { $Type: 'Edm.Int32' },
        Colour: { $Type: 'Shop.Code', $Nullable: true, '@Docket.CodeList': 'Colours' },
      },
      Container: {
        $Kind: 'EntityContainer',
        '@Docket.CodeLists': [
          {
            Name: 'Colours',
            Codes: [{ Value: 1, Texts: [{ Language: 'en', Text: 'Red' }], ...look }],
          },
        ],
        Items: { $Collection: true, $Type: 'Shop.Item' },
      },
    },
  };
}

describe('Codes of the built-in model', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  });
  afterAll(async () => await desk.close());

  it('have a criticality and an icon, which one request reads', async () => {
    const lists = `List/Name in ('Priority','ServiceRequestStatus')`;
    const { json } = await desk.get(
      `/Codes?$filter=${lists}&$select=Value,Meaning,Criticality,Icon&$top=250`,
    );
    const found = new Map(
      json.value.map((one: Record<string, unknown>) => [one.Meaning, [one.Criticality, one.Icon]]),
    );
    expect(found.size).toBe(15);
    expect(found.get('CRITICAL')).toEqual([-1, 'flame']);
    expect(found.get('RESOLVED')).toEqual([3, 'check']);
    expect(found.get('WAITING_CALLER')).toEqual([2, 'pause']);
    for (const [criticality, icon] of found.values() as Iterable<readonly unknown[]>) {
      expect([-1, 0, 1, 2, 3, 5]).toContain(criticality);
      expect(icon).toMatch(/^[a-z-]+$/);
    }
  });

  it('are edited like their other members', async () => {
    const path = '/Codes(Value=110002)';
    const body = { Criticality: 5, Icon: 'rocket' };
    expect((await desk.send('PATCH', path, { body })).status).toBe(204);
    expect((await desk.get(path)).json).toMatchObject(body);
    const wrong = await desk.send('PATCH', path, { body: { Criticality: 4 } });
    expect([wrong.status, wrong.json.error.target]).toEqual([400, 'Criticality']);
    const none = { Criticality: null, Icon: null };
    expect((await desk.send('PATCH', path, { body: none })).status).toBe(204);
  });
});

describe('Codes of a model of its own', () => {
  it('get what the model declares', async () => {
    const { definition, mistakes } = readCsdl(model({ Criticality: 2, Icon: 'drop' }));
    expect(mistakes).toEqual([]);
    const shop = await openForeignDesk(deriveBindings(definition), { Items: [] });
    const { json } = await shop.get('/Codes(Value=1)');
    expect(json).toMatchObject({ Criticality: 2, Icon: 'drop' });
    await shop.close();
  });

  it('are written as they were read', () => {
    const { definition } = readCsdl(model({ Criticality: -1, Icon: 'drop' }));
    const text = JSON.stringify(toCsdl(definition, { complete: true }));
    expect(text).toContain('"Criticality":-1,"Icon":"drop"');
  });

  it.each([4, 6, -2])('cannot have the criticality %d', (Criticality) => {
    const { mistakes } = readCsdl(model({ Criticality }));
    expect(mistakes.map(({ message }) => message)).toEqual([
      `${Criticality} is not a criticality.`,
    ]);
  });

  it('have it in a column of codes.csv', () => {
    const mistakes: Parameters<typeof readCodeTables>[2] = [];
    const lists = readCodeTables(
      {
        lists: { name: 'code-lists.csv', text: 'list,en\nColours,Colours\n' },
        codes: {
          name: 'codes.csv',
          text: 'list,value,criticality,icon,en\nColours,1,-1,drop,Red\nColours,2,,,Blue\nColours,3,7,,Green\n',
        },
      },
      { languages: LANGUAGES, own: [], base: [] },
      mistakes,
    );
    expect(lists[0]?.codes.slice(0, 2)).toEqual([
      { value: 1n, texts: { en: 'Red' }, criticality: -1, icon: 'drop' },
      { value: 2n, texts: { en: 'Blue' } },
    ]);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]?.message).toBe('7 is not a criticality.');
  });
});
