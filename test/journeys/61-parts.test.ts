// This file asks for parts of complex values and of their collections: what $compute adds to them, in $select and behind their own
// addresses, and what annotations tell of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let polly: string;
let guide: Pick<Desk, 'get'>;
beforeAll(async () => {
  zoo = await openZoo();
  const { json } = await ask(zoo, 'Animals', "$filter=Name eq 'Polly'");
  polly = `Animals(${json.value[0].Id})`;
  const role = {
    Name: 'guide',
    EntityAccess: [{ Entity: 'Odd.Zoo.Animal', Read: true }],
    AttributeAccess: [{ Entity: 'Odd.Zoo.Animal', Attribute: 'Remark', Read: false }],
  };
  expect((await zoo.send('POST', '/Roles', { body: role })).status).toBe(201);
  guide = await zoo.join({ loginName: 'guide', roles: ['guide'] });
});
afterAll(async () => await zoo?.close());

/** The first animal as $select shows it, without what only addresses it. */
async function selected(select: string): Promise<unknown> {
  const { status, json } = await ask(zoo, 'Animals', `$top=1&$select=${select}`);
  if (status !== 200) return [status, json.error.code, json.error.message];
  const entries = Object.entries(json.value[0]).filter(([name]) => !name.startsWith('@'));
  return Object.fromEntries(entries);
}

const YEAR = { 'Y@odata.type': '#Int32', Y: 2021 };
const S = 'S@odata.type';

describe('$compute inside $select', () => {
  it.each([
    ['Care($compute=year(Since) as Y;$select=Y)', { Care: YEAR }],
    [
      'Care($compute=year(Since) as Y)',
      {
        Care: {
          Since: '2021-01-01T00:00:00.000Z',
          Mood: null,
          Room: { Name: 'Cage', Floor: 2 },
          ...YEAR,
        },
      },
    ],
    ['Care/Room($compute=Floor mul 2 as S;$select=S)', { Care: { Room: { [S]: '#Int64', S: 4 } } }],
    [
      'Care/Room($compute=Floor mul 2 as S)',
      { Care: { Room: { Name: 'Cage', Floor: 2, [S]: '#Int64', S: 4 } } },
    ],
    ['Mood($compute=Value sub 1 as S;$select=S)', { Mood: { [S]: '#Int64', S: 1000 } }],
    [
      'Habits($compute=TimesADay mul 2 as S;$select=Name,S)',
      {
        Habits: [
          { Name: 'Sings', [S]: '#Int64', S: 6 },
          { Name: 'Sleeps', [S]: '#Int64', S: 2 },
        ],
      },
    ],
    [
      'Habits($compute=TimesADay mul 2 as S;$orderby=S)',
      {
        Habits: [
          { Name: 'Sleeps', TimesADay: 1, [S]: '#Int64', S: 2 },
          { Name: 'Sings', TimesADay: 3, Loud: true, [S]: '#Int64', S: 6 },
        ],
      },
    ],
    [
      'Habits($compute=TimesADay mul 2 as D;$filter=D gt 2;$select=Name;$count=true)',
      { 'Habits@odata.count': 1, Habits: [{ Name: 'Sings' }] },
    ],
    [
      "Habits($compute=concat($it/Name,Name) as S;$select=S;$filter=$it/Name eq 'Polly')",
      { Habits: [{ S: 'PollySings' }, { S: 'PollySleeps' }] },
    ],
    [
      'Care($compute=@x as S,S add 1 as T;$select=T;@x=5)',
      { Care: { 'T@odata.type': '#Int64', T: 6 } },
    ],
  ])('%s', async (select, expected) => {
    expect(await selected(select)).toEqual(expected);
  });

  it('adds to what the star stands for', async () => {
    expect(await selected('*,Care($compute=year(Since) as Y)')).toMatchObject({
      Name: 'Polly',
      Care: { Room: { Name: 'Cage', Floor: 2 }, ...YEAR },
    });
  });

  it('works inside $expand, and is null where the value is', async () => {
    const query = `$top=1&$select=Id&$expand=Children($select=Care($compute=year(Since) as Y;$select=Y))`;
    const { json } = await ask(zoo, 'Animals', query);
    expect(json.value[0].Children).toEqual([expect.objectContaining({ Care: null })]);
  });

  it('is planned once for all literals of a shape', async () => {
    for (const factor of [2, 3, 4, 5]) {
      const shown = await selected(`Care/Room($compute=Floor mul ${factor} as S;$select=S)`);
      expect(shown).toEqual({ Care: { Room: { [S]: '#Int64', S: 2 * factor } } });
    }
  });

  it('shows its types in all formats', async () => {
    const select = encodeURIComponent('Care($compute=year(Since) as Y;$select=Y)');
    const xml = await zoo.get(`/Animals?$top=1&$select=${select}`, { accept: 'application/xml' });
    expect(xml.text).toContain('<d:Y m:type="Int32">2021</d:Y>');
    const full = await zoo.get(`/Animals?$top=1&$select=${select}`, {
      accept: 'application/json;metadata=full',
      'odata-maxversion': '4.01',
    });
    expect(full.json.value[0].Care).toEqual({
      '@type': '#Odd.Zoo.Care',
      'Y@type': '#Int32',
      Y: 2021,
    });
  });

  it.each([
    ['Nicknames($compute=1 as S)', 400, '$compute cannot be used for "Nicknames"'],
    ['Name($compute=1 as S)', 400, '$compute cannot be used for "Name"'],
    ['Care($compute=1 as Since)', 400, '"Since" is already in use'],
    ['Care($compute=Since as S;$select=T)', 400, 'has no property "T"'],
    ['Care($compute=Weight as S)', 400, 'has no property "Weight"'],
  ])('%s is refused with %i', async (select, status, part) => {
    expect(await selected(select)).toEqual([
      status,
      expect.stringMatching(/./),
      expect.stringContaining(part),
    ]);
  });

  it('does not tell what may not be read', async () => {
    const select = encodeURIComponent('Care($compute=$it/Remark as S)');
    const answer = await guide.get(`/Animals?$select=${select}`);
    expect([answer.status, answer.json.error.code]).toEqual([403, 'access.member']);
  });
});

describe('annotations in $select', () => {
  const TREE = { NodeProperty: 'Latin', ParentNavigationProperty: 'Parent' };

  it.each([
    ['Latin,@Aggregation.RecursiveHierarchy#Tree', '@Aggregation.RecursiveHierarchy#Tree'],
    ['*,@Aggregation.RecursiveHierarchy#Tree', '@Aggregation.RecursiveHierarchy#Tree'],
    [
      'Latin,@Org.OData.Aggregation.V1.RecursiveHierarchy#Tree',
      '@Org.OData.Aggregation.V1.RecursiveHierarchy#Tree',
    ],
  ])('%s shows what the model says', async (select, name) => {
    for (const format of [
      'json',
      'application/json;metadata=full',
      'application/json;odata.metadata=none',
    ]) {
      const query = `$top=1&$select=${select}&$format=${format}`;
      const { status, json } = await ask(zoo, 'AllSpecies', query);
      expect([status, json.value[0]]).toEqual([
        200,
        expect.objectContaining({ Latin: 'Animalia', [name]: TREE }),
      ]);
    }
  });

  it('stand in nested options, and are left out where the model says nothing', async () => {
    const nested = `$filter=Name eq 'Polly'&$select=Id,@Core.Description&$expand=Species($select=@Aggregation.RecursiveHierarchy#Tree)`;
    const [one] = (await ask(zoo, 'Animals', nested)).json.value;
    expect(one).not.toHaveProperty(['@Core.Description']);
    expect(one.Species).toMatchObject({ '@Aggregation.RecursiveHierarchy#Tree': TREE });
  });

  it.each([
    ['$select=@Nope.Term', 400],
    ['$select=@Core.Description/Name', 400],
    ['$select=@Core.Description($top=1)', 400],
    ['$expand=@Core.Description', 400],
    ['$select=@Aggregation.RecursiveHierarchy#Tree&$format=atom', 406],
  ])('%s is refused with %i', async (query, status) => {
    expect((await ask(zoo, 'AllSpecies', query)).status).toBe(status);
  });
});

it('positions are no steps of expressions: 400', async () => {
  for (const query of [
    "$filter=Nicknames/0 eq 'Pol'",
    '$orderby=Nicknames/-1',
    '$compute=Habits/0/Name as N',
  ]) {
    const { status, json } = await ask(zoo, 'Animals', query);
    expect([status, json.error.code]).toEqual([400, 'bind.option-on']);
  }
});

describe('$compute of a complex value', () => {
  const MOOD = { Text: expect.any(String), Value: 1001 };

  it.each([
    ['$compute=Mood as M&$select=M', { M: MOOD }],
    ['$compute=Care as C&$select=C', { C: { Room: { Name: 'Cage', Floor: 2 } } }],
    ['$apply=compute(Mood as M)&$select=M', { M: MOOD }],
    ['$apply=compute(Mood as M)/groupby((M))', { M: MOOD }],
    ['$compute=Mother as M&$select=M', '"Mother" is of type Odd.Zoo.Animal, which is not a value'],
    ['$compute=case(Tame:Mood,true:null) as M&$select=M', 'is a coded value'],
  ])('%s', async (query, expected) => {
    const filtered = query.startsWith('$apply') ? query : `${query}&$filter=Name eq 'Polly'`;
    const { json } = await ask(
      zoo,
      'Animals',
      filtered.replace('$apply=', "$apply=filter(Name eq 'Polly')/"),
    );
    if (typeof expected === 'string') expect(json.error.message).toContain(expected);
    else expect(json.value).toMatchObject([expected]);
  });

  it('a coded value is written alike in XML and with strings for numbers', async () => {
    const query = "$filter=Name eq 'Polly'&$compute=Mood as M&$select=M";
    const xml = await ask(zoo, 'Animals', `${query}&$format=xml`);
    expect(xml.text).toMatch(
      /<d:M[^>]*><d:Text[^>]*>\w+<\/d:Text><d:Value[^>]*>1001<\/d:Value><\/d:M>/,
    );
    const format = '$format=application/json;IEEE754Compatible=true';
    const { json } = await ask(zoo, 'Animals', `${query}&${format}`);
    expect(json.value).toMatchObject([{ M: { Value: '1001' } }]);
  });
});

describe('$compute behind the address of a value', () => {
  it.each([
    ['Care', '$compute=year(Since) as Y&$select=Y', YEAR],
    ['Odd.Zoo.Bird/Care', '$compute=year(Since) as Y&$select=Y', YEAR],
    [
      'Habits/-1',
      '$compute=TimesADay mul 2 as S&$select=Name,S',
      { Name: 'Sleeps', [S]: '#Int64', S: 2 },
    ],
    [
      'Habits',
      '$compute=TimesADay mul 2 as S&$filter=S gt 2&$select=S',
      { value: [{ [S]: '#Int64', S: 6 }] },
    ],
    [
      'Habits',
      '$compute=TimesADay mul 2 as S&$orderby=S&$select=S&$top=1',
      { value: [{ [S]: '#Int64', S: 2 }] },
    ],
  ])('%s?%s', async (path, query, expected) => {
    const { status, json } = await ask(zoo, `${polly}/${path}`, query);
    const { '@odata.context': _, ...shown } = json;
    expect([status, shown]).toEqual([200, expected]);
  });

  it('counts by what was computed', async () => {
    const query = '$compute=TimesADay mul 2 as S&$filter=S gt 2';
    expect((await ask(zoo, `${polly}/Habits/$count`, query)).text).toBe('1');
  });

  it('is refused where nothing has members', async () => {
    for (const path of ['Name', 'Nicknames', 'Nicknames/0', 'Nicknames/$count']) {
      const { status, json } = await ask(zoo, `${polly}/${path}`, '$compute=1 as S');
      expect([path, status, json.error.code]).toEqual([path, 400, 'request.misplaced-option']);
    }
  });
});
