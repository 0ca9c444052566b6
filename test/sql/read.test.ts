// This file compiles and runs reads: one statement each.
import { describe, expect, it } from 'vitest';
import { FEW_ROWS, type Parameter } from '../../src/sql/script.ts';
import {
  type Answered,
  byPages,
  get,
  NO_METADATA as none,
  openZoo,
  run,
  scriptAfter,
  scriptOf,
} from './zoo.ts';

const zoo = openZoo();
const records = (url: string, headers?: Readonly<Record<string, string>>) =>
  get(zoo, url, headers).records;
/** A record without its ETag, which the head of the answer needs in any case. */
const plain = (url: string, headers: Readonly<Record<string, string>> = none) =>
  records(url, headers).map((record) => {
    const members = Object.entries(record as object);
    return Object.fromEntries(members.filter(([name]) => !name.endsWith('etag')));
  });
const textOf = (url: string) => scriptOf(url, none).statement.text;
const bound = (parameters: readonly Parameter[]) =>
  parameters.map((one) => ('value' in one ? one.value : 'name' in one ? one.name : one.slot));

describe('one statement for a read', () => {
  it('a record by its key', () => {
    const { statement, scans } = scriptOf('Passports(601)', none);
    expect(statement.text).toBe(
      `SELECT concat('{"@odata.etag":"W/\\"',"t1"."$version",'\\"","Id":',"t1"."Id",',"Country":',json_quote("t1"."Country"),'}') AS "json" FROM "Passports" "t1" WHERE "t1"."Id" = ? LIMIT 1`,
    );
    expect(bound(statement.parameters)).toEqual([601n]);
    expect(scans).toBe(false);
  });

  it('a navigation is a look-up by key', () => {
    expect(textOf('Animals(1)/Enclosure')).toContain(
      'FROM "Enclosures" "t2" WHERE "t2"."$id" = (SELECT "t1"."Enclosure" FROM "Animals" "t1" WHERE "t1"."Id" = ? LIMIT 1)',
    );
    expect(textOf('Animals(1)/Notes')).toContain('WHERE "t2"."$parent" = ?');
    expect(textOf('Keepers(101)/Staff')).toContain('WHERE "t2"."Boss" = ?');
    expect(textOf('Animals(1)/Keepers')).toContain(
      'WHERE "t2"."Id" IN (SELECT "target" FROM "Animals.Keepers" WHERE "source" = ?)',
    );
  });

  it('a page asks for one row more than it gives', () => {
    const { statement, keys } = scriptOf('Passports?$select=Id', none);
    expect(statement.text).toBe(
      `SELECT concat('{"Id":',"t1"."Id",'}') AS "json", "t1"."Id" AS "k1" FROM "Passports" "t1" ORDER BY "t1"."Id" LIMIT 21`,
    );
    expect(keys).toBe(1);
  });

  it('the page and the number of all rows come together', () => {
    const { count, records: found } = get(zoo, 'Animals?$top=1&$count=true&$filter=Tame eq true');
    expect([count, found.length]).toEqual([2n, 1]);
  });

  it('an empty page still has its count', () => {
    expect(get(zoo, 'Animals?$top=0&$count=true')).toMatchObject({ count: 4n, records: [] });
    expect(get(zoo, 'Animals?$filter=Id eq 9&$count=true')).toMatchObject({ count: 0n });
  });
});

describe('values in JSON', () => {
  it('every type has its form', () => {
    expect(plain('Samples(801)')).toEqual([
      {
        Id: 801,
        Bytes: 'AP8Q',
        Flag: true,
        Small: 200,
        Tiny: -5,
        Short: 300,
        Whole: 7,
        Big: 9007199254740992,
        Exact: 12.5,
        Free: -0.001,
        Single: 0.5,
        Double: 2.5,
        Tag: '01234567-89ab-cdef-0123-456789abcdef',
        Words: 'Ångström "x"',
        Day: '2024-02-29',
        Moment: '2024-02-29T13:14:15.678Z',
        Instant: '2024-02-29T13:14:15.1234567Z',
        Clock: '13:14:15.678',
        Span: 'PT1H30M',
        Spot: { type: 'Point', coordinates: [1, 1] },
        Route: {
          type: 'LineString',
          coordinates: [
            [0, 0],
            [0, 1],
          ],
        },
        Area: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [2, 0],
              [2, 2],
              [0, 2],
              [0, 0],
            ],
          ],
        },
        Plan: { type: 'Point', coordinates: [3, 4] },
        Shape: null,
        Anything: { a: [1, 2] },
        Diet: 'Meat',
        Load: 1.5,
        Numbers: [3, 1, 2, null],
        Diets: ['Meat', 'Plants'],
        Moments: ['2024-01-01T00:00:00.000Z'],
        Amounts: [1.1, 22, null],
      },
    ]);
  });

  it('digits of large numbers are all there', () => {
    const { statement } = scriptOf('Samples(801)?$select=Big,Amounts', none);
    expect(run(zoo, statement)).toEqual([
      ['{"@odata.etag":"W/\\"1\\"","Big":9007199254740993,"Amounts":[1.10,22.00,null]}'],
    ]);
    const { statement: strings } = scriptOf('Samples(801)?$select=Big,Load,Amounts', {
      accept: 'application/json;odata.metadata=none;IEEE754Compatible=true',
    });
    expect(run(zoo, strings)).toEqual([
      [
        '{"@odata.etag":"W/\\"1\\"","Big":"9007199254740993","Load":"1.5","Amounts":["1.10","22.00",null]}',
      ],
    ]);
  });

  it('nulls of every type are null, and numbers that are none are strings', () => {
    const [empty = {}] = plain('Samples(802)');
    expect(Object.entries(empty).filter(([, value]) => value !== null)).toEqual([
      ['Id', 802],
      ['Numbers', []],
      ['Diets', []],
      ['Moments', []],
      ['Amounts', []],
    ]);
    expect(plain('Samples(803)?$select=Double,Free')).toEqual([{ Double: 'NaN', Free: 1e21 }]);
  });

  it('codes have the text of the reader’s language', () => {
    const url = 'Animals(1)?$select=Mood,Care';
    expect(plain(url, { ...none, 'accept-language': 'nl' })).toEqual([
      {
        Mood: { Text: 'Kalm', Value: 1001 },
        Care: {
          Since: '2020-01-01T08:00:00.000Z',
          Mood: { Text: 'Woedend', Value: 1003 },
          Room: { Name: 'Den', Floor: 1 },
        },
      },
    ]);
    expect(plain('Animals(3)?$select=Mood,Care')).toEqual([{ Mood: null, Care: null }]);
  });

  it('members of derived types are written for their rows only', () => {
    expect(
      records('Animals?$select=Name,Odd.Zoo.Bird/Wingspan,Odd.Zoo.Parrot/Words', none),
    ).toEqual([
      { Name: 'Leo' },
      { Name: 'Polly', Wingspan: 1.5, Words: ['hello', 'bye'] },
      { Name: 'Pip', Wingspan: null, Words: [] },
      { Name: 'Wanda' },
    ]);
    expect(records('Animals?$select=Id&$filter=Id le 2')).toMatchObject([
      { '@odata.etag': 'W/"3"' },
      { '@odata.type': '#Odd.Zoo.Parrot', '@odata.etag': 'W/"1"' },
    ]);
  });

  it('dynamic properties stand beside the declared ones', () => {
    expect(records('Oddities?$select=Name,Colour,Price', none)).toEqual([
      { Name: 'first', Colour: 'red', Price: 12.5 },
      { Name: 'second' },
    ]);
    expect(plain('Oddities(701)')).toEqual([
      {
        Id: 701,
        Name: 'first',
        First: null,
        Colour: 'red',
        Legs: 4,
        When: '2020-01-01T00:00:00Z',
        Price: 12.5,
        Nice: true,
        Big: 9007199254740992,
      },
    ]);
  });

  it('keys of every sort stand in links, percent-encoded', () => {
    const full = { accept: 'application/json;odata.metadata=full' };
    expect(records("AllSpecies('O''Brien''s%20%2F%20gull')?$select=Latin", full)).toMatchObject([
      { '@odata.id': "http://zoo.test/odata/AllSpecies('O''Brien''s%20%2F%20gull')" },
    ]);
    expect(records("Enclosures(Wing='North',Number=1)?$select=Name", full)).toMatchObject([
      { '@odata.id': "http://zoo.test/odata/Enclosures(Wing='North',Number=1)" },
    ]);
  });

  it('nulls and defaults can be left out', () => {
    const prefer = { ...none, prefer: 'omit-values=nulls', 'odata-maxversion': '4.01' };
    expect(plain('Keepers(103)?$select=Id,Name,Email,Badge', prefer)).toEqual([
      { Id: 103, Name: 'Cy' },
    ]);
  });
});

describe('expansion', () => {
  it('single and collection navigation, nested', () => {
    const url =
      'Keepers?$select=Name&$expand=Boss($select=Name),Staff($select=Name;$expand=Animals($select=Name;$orderby=Name desc))';
    expect(records(url, none)).toEqual([
      {
        Name: 'Ada Lovelace',
        Boss: null,
        Staff: [{ Name: 'Bob', Animals: [{ Name: 'Polly' }, { Name: 'Leo' }] }],
      },
      { Name: 'Bob', Boss: { Name: 'Ada Lovelace' }, Staff: [{ Name: 'Cy', Animals: [] }] },
      { Name: 'Cy', Boss: { Name: 'Bob' }, Staff: [] },
    ]);
  });

  it('filter, order, skip, top and count of what is expanded', () => {
    const url =
      "Enclosures?$select=Name&$expand=Feedings($select=Hour;$filter=Hour gt 5;$orderby=Hour desc;$skip=1;$top=1;$count=true)&$filter=Name eq 'Aviary'";
    expect(records(url)).toMatchObject([{ 'Feedings@odata.count': 2, Feedings: [{ Hour: 8 }] }]);
  });

  it('a page of an expanded collection ends with a link to its rest', () => {
    const url = 'Animals(1)?$select=Id&$expand=Notes($select=Id)';
    const [whole] = records(url) as [Record<string, unknown>];
    expect(whole).toMatchObject({ Notes: [{ Id: 501 }, { Id: 502 }] });
    expect(whole).not.toHaveProperty('Notes@odata.nextLink');
    const [cut] = records(url, { prefer: 'maxpagesize=1' }) as [Record<string, unknown>];
    expect(cut).toMatchObject({ Notes: [{ Id: 501 }] });
    expect(cut['Notes@odata.nextLink']).toMatch(
      /^http:\/\/zoo\.test\/odata\/Animals\(1\)\/Notes\?.*skiptoken=1\.[0-9a-f]{8}\.(?:p\d+)?\.5B3530315D$/,
    );
  });

  it('references and counts', () => {
    expect(records('Animals(1)?$select=Id&$expand=Keepers/$ref')).toMatchObject([
      {
        Keepers: [
          { '@odata.id': 'http://zoo.test/odata/Keepers(101)' },
          { '@odata.id': 'http://zoo.test/odata/Keepers(102)' },
        ],
      },
    ]);
    expect(records('Animals?$select=Id&$expand=Keepers/$count&$filter=Id le 2')).toMatchObject([
      { 'Keepers@odata.count': 2 },
      { 'Keepers@odata.count': 1 },
    ]);
  });

  it('navigation inside a complex value', () => {
    expect(records('Animals(1)?$select=Id&$expand=Care/Vet($select=Name)', none)).toMatchObject([
      { Care: { Vet: { Name: 'Ada Lovelace' } } },
    ]);
  });
});

describe('order and pages', () => {
  it.each<[string, string[]]>([
    ['Email', ['Cy', 'Ada Lovelace', 'Bob']],
    ['Email desc', ['Bob', 'Ada Lovelace', 'Cy']],
    ['Country,Name desc', ['Cy', 'Bob', 'Ada Lovelace']],
    ['Boss/Name desc', ['Cy', 'Bob', 'Ada Lovelace']],
    ['Animals/$count desc', ['Bob', 'Ada Lovelace', 'Cy']],
    ['length(Name)', ['Cy', 'Bob', 'Ada Lovelace']],
  ])('by %s', (order, expected) => {
    const found = records(`Keepers?$select=Name&$orderby=${order}`, none) as { Name: string }[];
    expect(found.map(({ Name }) => Name)).toEqual(expected);
  });

  it.each(['', 'Country', 'Country desc', 'Badge,Name desc', 'Email desc', 'Boss/Name,Name'])(
    'pages by "%s" give every row once',
    (order) => {
      const url = `Keepers?$select=Id${order === '' ? '' : `&$orderby=${order}`}`;
      const whole = ids(get(zoo, url, none));
      expect(whole).toHaveLength(3);
      expect(byPages(zoo, url)).toEqual(whole);
    },
  );

  it.each([
    'Free',
    'Free desc',
    'Exact desc',
    'Load',
    'Double',
    'Flag desc',
    'Moment',
    'Span desc',
  ])('pages by a value of any type: %s', (order) => {
    const url = `Samples?$select=Id&$orderby=${order}`;
    expect(byPages(zoo, url)).toEqual(ids(get(zoo, url, none)));
  });

  it('behind a row the index leads on', () => {
    const { statement } = scriptOf('Keepers?$select=Id&$orderby=Name', none);
    const next = scriptAfter('Keepers?$select=Id&$orderby=Name', ['Bob', 102n]);
    expect(statement.text).toContain('ORDER BY "t1"."Name", "t1"."Id"');
    expect(next.statement.text).toContain('WHERE ("t1"."Name", "t1"."Id") > (?, ?) ORDER BY');
  });
});

describe('single values', () => {
  it.each<[string, (string | null)[]]>([
    ['Animals(1)/Name', ['"Leo"']],
    ['Animals(2)/Remark', [null]],
    ['Animals(9)/Name', []],
    ['Animals(1)/Name/$value', ['Leo']],
    ['Animals(1)/Born/$value', ['2015-05-01']],
    ['Animals(1)/Weight/$value', ['190.5']],
    ['Animals(2)/Skills/$value', ['Runs,Flies']],
    ['Samples(801)/Span/$value', ['PT1H30M']],
    ['Samples(801)/Big/$value', ['9007199254740993']],
    ['Animals(1)/Mood', ['{"Text":"Calm","Value":1001}']],
    ['Animals(1)/Mood/Text', ['"Calm"']],
    ['Animals(2)/Care', [null]],
    ['Animals(1)/Nicknames', ['["King","Simba"]']],
    ['Animals(1)/Nicknames/$count', ['2']],
    ['Animals/$count', ['4']],
    ['Animals/$count?$filter=Tame eq true', ['2']],
    ['Animals(1)/Keepers/$count', ['2']],
    ['Animals(1)/Mother/Name', []],
    ['Pictures/$count', ['0']],
  ])('%s', (url, expected) => {
    const found = run(zoo, scriptOf(url, none).statement);
    expect(found.map(([json]) => (json === null ? null : String(json)))).toEqual(expected);
  });

  it('a parent that must exist is asked for on its own', () => {
    const { parent } = scriptOf('Animals(9)/Keepers', none);
    expect(parent?.text).toBe('SELECT 1 FROM "Animals" "t1" WHERE "t1"."Id" = ? LIMIT 1');
  });
});

describe('which reads may look at many rows', () => {
  const estimateOf = (url: string) => {
    const { scans, findsMany } = scriptOf(url);
    if (!scans) return 'few';
    return findsMany === undefined ? 'many' : 'as found';
  };

  it.each<[string, 'few' | 'many' | 'as found']>([
    ['Animals(1)', 'few'],
    ['Animals', 'few'],
    ['Animals?$orderby=Name', 'few'],
    ["Animals?$filter=Name eq 'Leo'", 'few'],
    ['Animals?$filter=Mother/Id eq 2', 'few'],
    ['Animals?$orderby=Remark', 'many'],
    ["Animals?$filter=Remark eq 'x'", 'many'],
    ['Animals?$search=x', 'many'],
    ["Keepers?$filter=Email eq 'x'&$orderby=Name&$count=true", 'few'],
    ["Animals?$filter=Name eq 'Leo'&$count=true", 'as found'],
    ["Animals?$filter=Name eq 'Leo'&$orderby=Born", 'as found'],
    ["Animals?$filter=Name eq 'Leo' and Remark eq 'x'", 'as found'],
    ["Animals?$filter=Name in ('Leo','Bo') and Tame", 'as found'],
    ['Animals/$count', 'few'],
    ["Animals/$count?$filter=Name eq 'Leo'", 'as found'],
    ["Animals?$filter=Mother/Name eq 'Polly'", 'few'],
    ["Animals?$filter=Mother/Name eq 'Polly' and Tame", 'many'],
    ["Animals?$filter=Mother/Remark eq 'x'", 'many'],
    ['Animals(1)/Notes', 'few'],
    ['Animals(1)/Mother', 'few'],
    ['Animals(1)/Notes?$filter=contains(Text,%27x%27)', 'as found'],
    ['Animals(1)/Notes?$orderby=Text', 'as found'],
    ['Animals(1)/Notes?$count=true', 'as found'],
    ['Animals(1)/Keepers/$count', 'as found'],
    ['Animals?$expand=Notes', 'few'],
    ['Animals?$expand=Mother($expand=Notes)', 'few'],
    ['Animals(1)?$expand=Notes($count=true;$orderby=Text)', 'few'],
    ['Animals?$expand=Notes($filter=contains(Text,%27x%27))', 'many'],
    ['Animals?$expand=Notes($count=true)', 'many'],
    ['Animals?$expand=Mother($expand=Notes($orderby=Text))', 'many'],
    ['Keepers(101)?$expand=Staff', 'few'],
    ['Keepers(101)?$expand=Staff($top=5;$expand=Staff)', 'few'],
    ['Keepers(101)?$expand=Staff($expand=Staff)', 'many'],
    ['Keepers(101)?$expand=Boss($expand=Staff($expand=Staff))', 'many'],
    ['Keepers?$top=50&$expand=Staff($top=2;$expand=Staff)', 'few'],
    ['Keepers?$top=50&$expand=Staff($top=5;$expand=Staff)', 'many'],
  ])('%s: %s', (url, expected) => {
    expect(estimateOf(url)).toBe(expected);
  });

  it.each([
    ["Animals?$filter=Remark eq 'x' and Tame and Name eq 'Leo'", 1],
    ["Animals?$filter=Mother/Id eq 9 and Name eq 'Leo' and Tame", 2],
    ['Animals(1)/Notes?$orderby=Text', 1],
  ])('each index that finds few rows shows null: %s', (url, indexes) => {
    const { findsMany } = scriptOf(url);
    expect(findsMany?.text).toMatch(new RegExp(`LIMIT 1 OFFSET ${FEW_ROWS}\\)`));
    expect(findsMany && run(zoo, findsMany)).toEqual([new Array(indexes).fill(null)]);
  });

  it('an index that finds many rows does not', () => {
    const { findsMany } = scriptOf("Animals?$filter=Name eq 'Leo' and Tame");
    const text = findsMany?.text.replace(`OFFSET ${FEW_ROWS}`, 'OFFSET 0');
    expect(findsMany && run(zoo, { ...findsMany, text: text ?? '' })).toEqual([[1n]]);
  });
});

describe('$crossjoin', () => {
  it('gives every combination that the filter lets through', () => {
    const url =
      '$crossjoin(Passports,Keepers)?$filter=Passports/Country eq Keepers/Country&$expand=Keepers($select=Name)';
    expect(records(url)).toMatchObject([
      { Keepers: { Name: 'Ada Lovelace' } },
      { Keepers: { Name: 'Bob' } },
    ]);
  });
});

function ids({ records: found }: Answered): readonly unknown[] {
  return found.map((record) => (record as { readonly Id: unknown }).Id);
}
