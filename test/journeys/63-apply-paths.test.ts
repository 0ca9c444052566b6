// This file aggregates along paths that lead through collections: several of them, collections of values, and what is reached twice.
// OData Data Aggregation 4.0, "Evaluation of Data Aggregation Paths", "Aggregation Algorithm".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineModel, entitySet, entityType, int64, many } from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';
import { ask, encodeQuery, plain } from './query.ts';
import { joinGuide, openZoo } from './zoo.ts';

let zoo: Desk;
let guide: Pick<Desk, 'get'>;
beforeAll(async () => {
  zoo = await openZoo();
  guide = await joinGuide(
    zoo,
    [{ Entity: 'Keeper' }, { Entity: 'Animal', Filter: 'Tame' }, { Entity: 'Enclosure' }],
    { Entity: 'Animal', Attribute: 'Nicknames' },
  );
});
afterAll(async () => await zoo?.close());

/** The rows, without what makes them transient and types their values. */
async function apply(set: string, text: string, by: Pick<Desk, 'get'> = zoo): Promise<unknown> {
  const { status, json } = await by.get(`/${set}?${encodeQuery(`$apply=${text}`)}`);
  if (status !== 200) return [status, json.error.code, json.error.message];
  return plain(json.value);
}

describe('aggregate', () => {
  it.each([
    ['Animals', 'Keepers/Animals/Weight with sum as V', 1.25],
    ['Animals', 'Keepers/Animals/$count as V', 1],
    ['Animals', 'Enclosure/Animals/Weight with sum as V', 1.6],
    ['Animals', 'Enclosure/Animals/Keepers/Badge with sum as V', 3],
    ['Animals', 'Enclosure/Animals/Keepers/$count as V', 2],
    ['Keepers', 'Animals/Enclosure/Number with sum as V', 1],
    ['Keepers', 'Animals/Enclosure/$count as V', 1],
    ['Keepers', 'Animals/Enclosure/Feedings/Hour with average as V', 12],
    ['Keepers', 'Staff/Staff/Name with max as V', "Cy O'Neil"],
    ['Animals', 'Odd.Zoo.Bird/Eggs/$count as V', 1],
    ['Animals', 'Keepers/$filter(Badge gt 1)/Animals/$count as V', 1],
  ])('%s: %s counts each entity once', async (set, text, expected) => {
    expect(await apply(set, `aggregate(${text})`)).toEqual([{ V: expected }]);
  });

  it.each([
    ['Animals', 'Habits/TimesADay with sum as V', 4],
    ['Animals', 'Habits/Name with max as V', 'Sleeps'],
    ['Animals', 'Habits/$count as V', 2],
    ['Animals', 'Nicknames with countdistinct as V', 2],
    ['Animals', 'Odd.Zoo.Parrot/Words with min as V', 'cracker'],
    ['Samples', 'Numbers with sum as V', 6],
    ['Samples', 'Amounts with sum as V', 3.3],
    ['Samples', 'Diets with max as V', 'Meat'],
    ['Keepers', 'Animals/Habits/TimesADay with sum as V', 4],
    ['Keepers', 'Animals/Habits/$count as V', 2],
    ['Keepers', 'Animals/Nicknames with max as V', 'Queen'],
  ])('%s: %s takes every item of a collection of values', async (set, text, expected) => {
    expect(await apply(set, `aggregate(${text})`)).toEqual([{ V: expected }]);
  });

  it('within groups, each entity once in each of them', async () => {
    const text =
      'groupby((Country),aggregate(Animals/Habits/$count as N,Animals/Weight with sum as W))';
    expect(await apply('Keepers', text)).toEqual([
      { Country: 'DE', N: 0, W: null },
      { Country: 'NL', N: 2, W: 1.25 },
    ]);
    expect(
      await apply('Keepers', 'groupby((Country),top(1)/aggregate(Animals/Habits/$count as N))'),
    ).toEqual([
      { Country: 'DE', N: 0 },
      { Country: 'NL', N: 2 },
    ]);
  });

  it('of rows that were made before', async () => {
    const text = 'concat(identity,filter(Tame))/aggregate(Habits/TimesADay with sum as V)';
    expect(await apply('Animals', text)).toEqual([{ V: 8 }]);
    expect(
      await apply(
        'Animals',
        'concat(identity,aggregate($count as N))/aggregate(Nicknames with max as V)',
      ),
    ).toEqual([{ V: 'Queen' }]);
  });

  it.each([
    'aggregate(Children/Weight mul Keepers/Badge with sum as V)',
    'aggregate(Children/Keepers/Badge mul 2 with sum as V)',
    'aggregate($root/Keepers/Badge with sum as V)',
    'aggregate(Nicknames with sum as V)',
    'aggregate(case(Children/any(c:c/Keepers/Name eq 1):1,true:0) with sum as V)',
  ])('%s means nothing', async (text) => {
    const [status, code] = (await apply('Animals', text)) as [number, string];
    expect([status, code]).toEqual([400, expect.stringMatching(/^bind\.(operand|collection)$/)]);
  });
});

describe('groupby', () => {
  it.each([
    [
      'Keepers/Animals/Name',
      [
        { Keepers: { Animals: { Name: null } }, N: 3 },
        { Keepers: { Animals: { Name: 'Polly' } }, N: 1 },
      ],
    ],
    [
      'Keepers/Name,Keepers/Animals/Name',
      [
        { Keepers: { Name: null, Animals: { Name: null } }, N: 3 },
        { Keepers: { Name: 'Ann', Animals: { Name: 'Polly' } }, N: 1 },
        { Keepers: { Name: 'Bob', Animals: { Name: 'Polly' } }, N: 1 },
      ],
    ],
    [
      'Habits/Name',
      [
        { Habits: { Name: null }, N: 3 },
        { Habits: { Name: 'Sings' }, N: 1 },
        { Habits: { Name: 'Sleeps' }, N: 1 },
      ],
    ],
  ])('%s puts rows into the group of each value once', async (paths, expected) => {
    expect(await apply('Animals', `groupby((${paths}),aggregate($count as N))`)).toEqual(expected);
  });

  it('through a collection of an entity that an earlier groupby has left', async () => {
    const text = 'groupby((Mother))/groupby((Mother/Keepers/Name),aggregate($count as N))';
    expect(await apply('Animals', text)).toEqual([
      { Mother: { Keepers: { Name: null } }, N: 1 },
      { Mother: { Keepers: { Name: 'Ann' } }, N: 1 },
      { Mother: { Keepers: { Name: 'Bob' } }, N: 1 },
    ]);
  });
});

describe('rows that addnested has made', () => {
  it.each([
    ['addnested(Keepers,filter(Badge gt 1) as X)/aggregate(X/Badge with sum as V)', [{ V: 2 }]],
    [
      'addnested(Keepers,compute(Badge mul 10 as T) as X)/aggregate(X/T with sum as V,X/$count as N)',
      [{ V: 30, N: 2 }],
    ],
    [
      'addnested(Keepers,filter(Badge gt 1) as X)/groupby((X/Name),aggregate($count as N))',
      [
        { X: { Name: null }, N: 3 },
        { X: { Name: 'Bob' }, N: 1 },
      ],
    ],
    [
      'addnested(Keepers,compute(Badge mul 10 as T) as X)/filter(X/any(x:x/T gt 10))/aggregate($count as N)',
      [{ N: 1 }],
    ],
    [
      "addnested(Species,compute(length(Title) as L) as S)/filter(S/Title eq 'Fish')/aggregate($count as N)",
      [{ N: 1 }],
    ],
  ])('%s', async (text, expected) => {
    expect(await apply('Animals', text)).toEqual(expected);
  });

  it('are named by the options behind $apply as well', async () => {
    const query =
      '$apply=addnested(Keepers,filter(Badge gt 1) as X)&$filter=X/$count gt 0&$compute=X/aggregate(Badge with max) as M&$select=Name,M';
    const { json } = await ask(zoo, 'Animals', query);
    expect(json.value).toEqual([expect.objectContaining({ Name: 'Polly', M: 2 })]);
  });

  it('lead nowhere once they are cut or made of others: 501', async () => {
    const text = 'addnested(Keepers,top(1) as X)/aggregate(X/Badge with sum as V)';
    expect((await apply('Animals', text)) as unknown[]).toEqual([
      501,
      'not-built',
      expect.stringContaining('a path into X'),
    ]);
  });
});

describe('rights', () => {
  it('what may not be seen is not counted, at any step of the path', async () => {
    const all =
      'aggregate(Keepers/Animals/Enclosure/Animals/$count as N,Enclosure/Animals/Weight with sum as W)';
    expect(await apply('Animals', all)).toEqual([{ N: 2, W: 1.6 }]);
    expect(await apply('Animals', all, guide)).toEqual([{ N: 1, W: 1.25 }]);
  });

  it('what may not be read is refused', async () => {
    const text = 'aggregate(Animals/Nicknames with max as V)';
    expect(await apply('Keepers', text, guide)).toEqual([
      403,
      'access.member',
      expect.stringContaining('Nicknames'),
    ]);
    expect((await ask(zoo, 'Keepers', `$apply=${text}`)).status).toBe(200);
  });
});

describe('A navigation that is its own partner', () => {
  const definition = defineModel({
    namespaces: [{ name: 'Hall' }],
    types: [
      entityType(
        'Guest',
        [int64('Id', { nullable: false }), many('Friends', 'Guest', { partner: 'Friends' })],
        { key: ['Id'] },
      ),
    ],
    sets: [entitySet('Guests', 'Guest')],
  });

  it('finds a pair once that is linked in both directions', async () => {
    const hall = await openForeignDesk(definition, { Guests: [{ Id: 1 }, { Id: 2 }, { Id: 3 }] });
    try {
      for (const [from, to] of [
        [1, 2],
        [2, 1],
        [1, 1],
      ]) {
        const body = { '@odata.id': `Guests(${to})` };
        const { status } = await hall.send('POST', `/Guests(${from})/Friends/$ref`, { body });
        expect(status).toBe(204);
      }
      const read = (text: string) => apply('Guests', text, hall);
      expect(await read('join(Friends as F)/aggregate($count as N)')).toEqual([{ N: 3 }]);
      expect(await read('outerjoin(Friends as F)/aggregate($count as N)')).toEqual([{ N: 4 }]);
      expect(await read('aggregate(Friends/$count as N)')).toEqual([{ N: 2 }]);
    } finally {
      await hall.close();
    }
  });
});
