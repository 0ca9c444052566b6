// This file evaluates expressions on records. OData 4.01 URL Conventions, "Common Expression Syntax".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask, column } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

const ALL = ['Polly', 'Chick', 'Nemo', 'Rex'];
const animals = async (filter: string) => await column(zoo, 'Animals', `$filter=${filter}`, 'Name');
const holds = async (condition: string) => await animals(`Number eq 1 and (${condition})`);
const refusal = expect.stringMatching(/./);

describe('Comparison', () => {
  it.each([
    'null eq null',
    'not (null ne null)',
    'Remark eq null',
    'not (Remark ne null)',
    'false lt true',
    'true gt false',
    '1 eq 1.0',
    '1 lt 1.5',
    '9223372036854775807 gt 9223372036854775806',
    "'a' lt 'b'",
    "'Polly' ne 'polly'",
    '2020-01-01 lt 2020-01-02',
    '12:00:00 lt 12:00:01',
    "duration'PT60S' eq duration'PT1M'",
    "duration'P1D' gt duration'PT23H'",
    '2020-01-01T01:00:00+01:00 eq 2020-01-01T00:00:00Z',
    '2020-01-01T00:00Z eq 2020-01-01T00:00:00.000Z',
    '01234567-89ab-cdef-0123-456789abcdef eq 01234567-89AB-CDEF-0123-456789ABCDEF',
    '01234567-89ab-cdef-0123-456789abcdef lt 11234567-89ab-cdef-0123-456789abcdef',
    'INF gt 1e300',
    '-INF lt -1e300',
    'NaN ne NaN',
    'not (NaN eq NaN)',
    'not (NaN gt 1)',
    "Name EQ 'Polly'",
  ])('%s is true', async (condition) => {
    expect(await holds(condition)).toEqual(['Polly']);
  });

  it.each([
    'Remark gt null',
    'null ge null',
    'null le 1',
    'Remark lt null',
    "Remark eq 'x'",
    'NaN eq NaN',
  ])('%s is not true', async (condition) => {
    expect(await holds(condition)).toEqual([]);
  });

  it.each([
    'Number gt null or true',
    'true or null',
    'not (null and false)',
    'null eq null and Tame',
  ])('three values: %s is true', async (condition) => {
    expect(await holds(condition)).toEqual(['Polly']);
  });

  it.each(['null', 'not null', 'null and true', 'not (null or false)', 'null or false'])(
    'three values: %s is not true',
    async (condition) => {
      expect(await holds(condition)).toEqual([]);
    },
  );

  it.each([
    "(Mother/Name eq 'Nobody') eq false",
    "(Mother/Name in ('Nobody')) eq false",
    "(Mother/Name eq 'Nobody') in (false)",
    "cast(Mother/Name eq 'Nobody',Edm.String) eq 'false'",
    "Keepers/all(k:(k/Boss/Name eq 'Nobody') eq false)",
  ])('a comparison is false without a related record: %s', async (condition) => {
    expect(await animals(condition)).toEqual(ALL);
    expect(
      await column(zoo, 'Animals', `$apply=filter(${condition})/aggregate($count as N)`, 'N'),
    ).toEqual([ALL.length]);
  });

  it.each([
    ['Samples', 'Bytes eq null', 1],
    ['Samples', 'Bytes ne null', 1],
    ['Samples', 'Spot eq null', 2],
    ['Enclosures', 'Place ne null', 1],
  ])('what only compares with null: %s %s', async (set, filter, count) => {
    expect(await column(zoo, set, `$filter=${filter}`, 'Words')).toHaveLength(count);
  });

  it.each([
    ['Animals', "Number eq 'x'"],
    ['Animals', 'Name eq 1'],
    ['Animals', 'Tame eq 1'],
    ['Animals', "Born eq 'x'"],
    ['Animals', 'Born eq 12:00:00'],
    ['Animals', "Created gt duration'P1D'"],
    ['Animals', 'Nothing eq 1'],
    ['Animals', 'Species/Nothing eq 1'],
    ['Samples', "Bytes gt binary'AAEC'"],
    ['Enclosures', "Place gt geography'SRID=4326;Point(4.9 52.37)'"],
    ['Animals', 'Number'],
    ['Animals', "not 'x'"],
    ['Animals', 'Name and true'],
    ['Animals', 'Number eq'],
    ['Animals', 'eq 1'],
    ['Animals', ''],
  ])('a mistake in types or names is refused: %s?$filter=%s', async (set, filter) => {
    const answer = await ask(zoo, set, `$filter=${filter}`);
    expect([answer.status, answer.json?.error?.message]).toEqual([400, refusal]);
  });
});

describe('Arithmetic and precedence', () => {
  it.each([
    '2 add 3 eq 5',
    '2 sub 3 eq -1',
    '2 mul 3 eq 6',
    '7 div 2 eq 3',
    '-7 div 2 eq -3',
    '7 mod 3 eq 1',
    '-7 mod 3 eq -1',
    '7 divby 2 eq 3.5',
    '7.0 div 2 eq 3.5',
    '-Number eq -1',
    '-(2 add 3) eq -5',
    '1.0 divby 4 eq 0.25',
    '1e0 divby 0 eq INF',
    '1 divby 0 eq INF',
    '-1.5 divby 0 eq -INF',
    '0 divby 0 ne 0 divby 0',
    'not (0 divby 0 eq 0 divby 0)',
    'not (0 divby 0 gt Weight)',
    'Number divby (Number sub Number) eq INF',
    '-1e0 div 0 eq -INF',
    '1.5 div 0e0 eq INF',
    '0.1 add 0.2 eq 0.3',
    "Born add duration'P1D' eq 2020-03-01",
    "Born sub duration'P1D' eq 2020-02-28",
    "2020-03-01 sub Born eq duration'P1D'",
    "2020-01-01T00:00:00Z add duration'PT1H' eq 2020-01-01T01:00:00Z",
    "2020-01-01T00:00:00Z sub duration'PT1H' eq 2019-12-31T23:00:00Z",
    "2020-01-02T00:00:00Z sub 2020-01-01T00:00:00Z eq duration'P1D'",
    "duration'P1D' add duration'PT1H' eq duration'P1DT1H'",
    "duration'P1D' sub duration'PT1H' eq duration'PT23H'",
    "duration'PT1H' mul 2 eq duration'PT2H'",
    "2 mul duration'PT1H' eq duration'PT2H'",
    "duration'PT1H' div 2 eq duration'PT30M'",
    "-duration'PT1H' lt duration'PT0S'",
    'Remark eq null and (Number add null) eq null',
    '(Born add null) eq null and (Born sub null) eq null',
    '(2020-01-01T00:00:00Z add null) eq null and (2020-01-01T00:00:00Z sub null) eq null',
    "(duration'PT1H' mul null) eq null and (null mul duration'PT1H') eq null",
    "(duration'PT1H' div null) eq null and (duration'PT1H' add null) eq null",
    '10 sub 3 sub 2 eq 5',
    '16 div 4 div 2 eq 2',
    '2 add 3 mul 4 eq 14',
    '(2 add 3) mul 4 eq 20',
    '1 add 1 gt 1 eq true',
    'true or false and false',
    'not false and true',
    'not (true and false)',
    '2 gt 1 eq true',
    'false eq true or true',
    '- 2 add 3 eq 1',
    '1 in (1,2) eq true',
  ])('%s', async (condition) => {
    expect(await holds(condition)).toEqual(['Polly']);
  });

  it.each([
    '1 div 0 eq 1',
    '1 mod 0 eq 1',
    '1.5 div 0.0 eq 1',
    'Weight mod 0 eq 1',
    'Name add 1 eq 2',
    'Born add 1 eq Born',
    "duration'P1D' mul duration'P1D' eq 1",
    "-Name eq 'x'",
  ])('%s is refused', async (condition) => {
    expect(await holds(condition)).toEqual([400, refusal]);
  });

  it('dividing by a column that is zero is refused, not hidden', async () => {
    expect(await animals('1 div (Number sub 1) eq 1')).toEqual([400, refusal]);
  });
});

describe('concat', () => {
  /** Texts that join two of the one before, of an alias at first, in a query in the body. */
  const join = async (times: number) => {
    const texts = Array.from({ length: times }, (_, at) => {
      const part = at === 0 ? '@t' : `C${at}`;
      return `concat(${part},${part}) as C${at + 1}`;
    });
    const filter = `Number eq 1 and length(C${times}) eq ${2 ** (16 + times)}`;
    return await zoo.send('POST', '/Animals/$query', {
      headers: { 'content-type': 'text/plain' },
      body: `$select=Name&$compute=${texts.join(',')}&$filter=${filter}&@t='${'x'.repeat(2 ** 16)}'`,
    });
  };

  it('makes texts of 16777216 characters', async () => {
    expect((await join(1)).json.value).toMatchObject([{ Name: 'Polly' }]);
    expect((await join(8)).json.value).toMatchObject([{ Name: 'Polly' }]);
  });

  it('makes no longer ones, which would take all of the memory', async () => {
    const { status, json } = await join(9);
    expect([status, json.error.code]).toEqual([400, 'sql.long-text']);
  });
});

describe('has and in', () => {
  it.each([
    ["Skills has Odd.Zoo.Skills'Runs'", ['Polly', 'Chick']],
    ["Skills has 'Runs,Flies'", ['Polly']],
    ['Number in (1,3)', ['Polly', 'Nemo']],
    ['not (Number in (1,3))', ['Chick', 'Rex']],
    ["Name in ('Rex')", ['Rex']],
    ['Number in (1,null)', ['Polly']],
    ['Remark in (null)', ['Polly', 'Chick', 'Nemo']],
    ["'Queen' in Nicknames", ['Polly']],
    ['Mood/Value IN (1001,1002)', ['Polly', 'Nemo']],
  ])('%s', async (filter, expected) => {
    expect(await animals(filter)).toEqual(expected);
  });

  it.each(['Number in (1,3', "Name in ('Rex'", "Remark in ('x'", 'Id in (1,2'])(
    '%s and 600 other values) is the same',
    async (list) => {
      const more = Array.from({ length: 600 }, (_, index) =>
        list.includes("'") ? `'value ${index}'` : 1000 + index,
      );
      for (const [open, close] of [['', ''] as const, ['not (', ')'] as const]) {
        const expected = await animals(`${open}${list})${close}`);
        expect(expected).not.toContain(400);
        expect(await animals(`${open}${list},${more.join(',')})${close}`)).toEqual(expected);
      }
    },
  );

  it.each([
    'Number in ()',
    "Number in (1,'x')",
    'Number in',
    "Name has 'x'",
    "Skills has 'Reads'",
    'Number in (1,)',
  ])('%s is refused', async (filter) => {
    expect(await animals(filter)).toEqual([400, refusal]);
  });
});

describe('Functions', () => {
  it.each([
    "contains(Name,'oll')",
    "startswith(Name,'Po')",
    "endswith(Name,'ly')",
    'length(Name) eq 5',
    "indexof(Name,'l') eq 2",
    "indexof(Name,'z') eq -1",
    "substring(Name,1) eq 'olly'",
    "substring(Name,1,2) eq 'ol'",
    "substring(Name,99) eq ''",
    "substring(Name,-2) eq 'ly'",
    "tolower(Name) eq 'polly'",
    "toupper(Name) eq 'POLLY'",
    "trim('  a b ') eq 'a b'",
    "concat(Name,'!') eq 'Polly!'",
    "concat(concat(Name,', '),'x') eq 'Polly, x'",
    "matchesPattern(Name,'^P')",
    "matchesPattern(Name,'%5EP') eq false",
    "contains(Remark,'x') eq null",
    'length(null) eq null',
    "startswith('100%','100%')",
  ])('of text: %s', async (condition) => {
    expect(await holds(condition)).toEqual(['Polly']);
  });

  it.each([
    'year(Born) eq 2020',
    'month(Born) eq 2',
    'day(Born) eq 29',
    'hour(2020-01-01T10:20:30.5Z) eq 10',
    'minute(2020-01-01T10:20:30.5Z) eq 20',
    'second(2020-01-01T10:20:30.5Z) eq 30',
    'fractionalseconds(2020-01-01T10:20:30.5Z) eq 0.5',
    'hour(10:20:30) eq 10 and minute(10:20:30) eq 20 and second(10:20:30) eq 30',
    'date(2020-01-01T10:20:30Z) eq 2020-01-01',
    'time(2020-01-01T10:20:30Z) eq 10:20:30',
    'totaloffsetminutes(2020-01-01T10:20:30Z) eq 0',
    'now() gt 2020-01-01T00:00:00Z',
    'maxdatetime() gt now() and mindatetime() lt now()',
    "totalseconds(duration'PT1M0.5S') eq 60.5",
    'round(1.5) eq 2 and round(-1.5) eq -2 and round(2.5) eq 3',
    'floor(-1.5) eq -2 and ceiling(-1.5) eq -1',
    "cast(1,Edm.String) eq '1'",
    "cast('x',Edm.Int32) eq null",
    "cast('12',Edm.Int32) eq 12",
    "cast('2020-02-29',Edm.Date) eq Born",
    "cast('true',Edm.Boolean)",
    'isof(Odd.Zoo.Bird) and isof(Odd.Zoo.Fish) eq false',
    'isof(Name,Edm.String)',
    'isof(Number,Edm.Int64)',
    "case(Number eq 1:'a',true:'b') eq 'a'",
    'case(false:1) eq null',
    "hassubset(Nicknames,['Queen'])",
    "hassubsequence(Nicknames,['Pol','Queen'])",
    '[Name,Remark] in [["Polly",null],["Nemo",null]] and Tame',
    '[Name,Number,Weight,Born,Tame] eq ["Polly",1,1.25,2020-02-29,true]',
    '[Name,Diet,Skills,Mood/Text] eq ["Polly","Plants","Runs,Flies","Calm"]',
    "Nicknames eq ['Pol',concat('Que','en')]",
    'contains(Nicknames,[substring(Name,0,3)])',
    'Care/Room eq {"Name":"Cage","Floor":1 add 1}',
    'contains(Nicknames,["Queen"])',
    'startswith(Nicknames,["Pol"])',
    'endswith(Nicknames,["Pol","Queen"])',
    'indexof(Nicknames,["Queen"]) eq 1',
    'substring(Nicknames,1) eq ["Queen"]',
    'substring(Nicknames,-2,1) eq ["Pol"]',
    "CONTAINS(Name,'oll') AND ToLower(Name) EQ 'polly'",
  ])('%s', async (condition) => {
    expect(await holds(condition)).toEqual(['Polly']);
  });

  it('of places', async () => {
    const near = "geo.distance(Place,geography'SRID=4326;Point(4.9 52.38)')";
    expect(await column(zoo, 'Enclosures', `$filter=${near} lt 2000`, 'Name')).toEqual(['Aviary']);
    expect(await column(zoo, 'Enclosures', `$filter=${near} lt 1000`, 'Name')).toEqual([]);
    const inside = "geo.intersects(Place,geography'SRID=4326;Polygon((4 52,6 52,6 53,4 53,4 52))')";
    expect(await column(zoo, 'Enclosures', `$filter=${inside}`, 'Name')).toEqual(['Aviary']);
    expect(await column(zoo, 'Samples', '$filter=geo.length(Route) gt 0', 'Words')).toEqual([]);
  });

  it.each([
    'contains(Name)',
    "contains(Name,'a','b')",
    'contains(Name,1)',
    'length(1) eq 1',
    'substring(Name,0,-1) eq null',
    "year('x') eq 1",
    'round(Name) eq 1',
    'nothing(Name)',
    'now(1) gt Created',
    "case(1:'x') eq 'x'",
    'hour(2020-01-01T10:20:30+01:00) eq 10',
    'minute(2020-01-01T10:20:30+01:30) eq 10',
    'time(2020-01-01T10:20:30+01:00) eq 10:20:30',
    'date(2020-01-01T00:20:30+01:00) eq 2020-01-01',
    'isof(Edm.Nothing)',
    "cast('1',Edm.Nothing) eq 1",
  ])('wrong arguments are refused: %s', async (condition) => {
    expect(await holds(condition)).toEqual([400, refusal]);
  });
});

describe('Literals and aliases', () => {
  it.each([
    'true',
    'false eq false',
    '-5 lt 5',
    '1.5 eq 1.50',
    '1e3 eq 1000',
    "'O''Neil' eq concat('O''','Neil')",
    "'P1D' eq duration'P1D'",
    "Diet eq 'Plants'",
    "Diet eq Odd.Zoo.Diet'Plants'",
    "Diet eq Zoo.Diet'Plants'",
    "binary'AAEC' ne null",
    '23:59:59.999 gt 23:59:59',
    '2020-01-01T00:00:00.1234567Z gt 2020-01-01T00:00:00Z',
    "geography'SRID=4326;Point(1 2)' ne null",
    "geometry'SRID=0;Point(1 2)' ne null",
    "'a&b=c+d%' eq 'a&b=c+d%'",
  ])('%s', async (condition) => {
    const query = `$filter=${encodeURIComponent(`Number eq 1 and (${condition})`)}`;
    const answer = await zoo.get(`/Animals?${query}`);
    expect([answer.status, answer.json?.value?.length]).toEqual([200, 1]);
  });

  it.each([
    ["$filter=Name eq @n&@n='Polly'", ['Polly']],
    ['$filter=Number in @list&@list=[1,4]', ['Polly', 'Rex']],
    ['$filter=Number gt @n&$orderby=@o desc&@n=2&@o=Number', ['Rex', 'Nemo']],
    ['$filter=Remark eq @missing', ['Polly', 'Chick', 'Nemo']],
    ["$filter=contains(@m,@n)&@m=Name&@n='em'", ['Nemo']],
    ['$filter=Number eq @a&@a=@b&@b=2', ['Chick']],
    ['$compute=Weight mul @f as W&@f=2&$filter=W gt 100&$select=Name,W', ['Rex']],
  ])('aliases: %s', async (query, expected) => {
    expect(await column(zoo, 'Animals', query, 'Name')).toEqual(expected);
  });

  it.each([
    "$filter=Name eq @n&@n='a'&@n='b'",
    '$filter=Name eq @a&@a=@b&@b=@a',
    "$filter=Number eq @n&@n='x'",
    "$filter=Name eq 'x",
    '$filter=Born eq 2020-02-30',
    '$filter=Clock eq 25:00:00',
    "$filter=Diet eq Odd.Zoo.Diet'Nothing'",
    '$filter=Big eq 9223372036854775808000000000000000000000',
    '$filter=Number eq 1&@unused=(',
  ])('mistakes are refused: %s', async (query) => {
    expect(await column(zoo, 'Animals', query, 'Name')).toEqual([400, refusal]);
  });

  it('aliases reach nested options', async () => {
    const answer = await ask(
      zoo,
      'Enclosures',
      '$expand=Animals($filter=Weight gt @w;$select=Name)&@w=1&$orderby=Name',
    );
    expect(answer.json.value[0].Animals).toMatchObject([{ Name: 'Polly' }]);
  });
});

describe('Paths, lambdas and counts', () => {
  it.each([
    ["Enclosure/Name eq 'Aviary'", ['Polly', 'Chick']],
    ["Mother/Species/Title eq 'Parrots'", ['Chick']],
    ['Mother/Mother/Mother/Name eq null', ALL],
    ['Odd.Zoo.Fish/SaltWater', ['Nemo']],
    ['Odd.Zoo.Fish/SaltWater eq null', ['Polly', 'Chick', 'Rex']],
    ['Care/Room/Floor eq 2', ['Polly']],
    ['Care/Vet/Name eq null', ALL],
    ["Keepers/any(k:k/Name eq 'Ann')", ['Polly']],
    ['Keepers/any()', ['Polly']],
    ['not Keepers/any()', ['Chick', 'Nemo', 'Rex']],
    ["Keepers/all(k:startswith(k/Name,'A'))", ['Chick', 'Nemo', 'Rex']],
    ["Keepers/any(k:k/Staff/any(s:s/Name eq 'Bob'))", ['Polly']],
    ['Children/any(c:c/Weight lt $it/Weight and c/Mother/Name eq Name)', ['Polly']],
    ["Nicknames/any(n:startswith(n,'Q'))", ['Polly']],
    ['Habits/any(h:h/TimesADay eq 3)', ['Polly']],
    ['Keepers/$count gt 1', ['Polly']],
    ['Keepers/$count eq 0', ['Chick', 'Nemo', 'Rex']],
    ["Keepers/$count($filter=Name eq 'Ann') eq 1", ['Polly']],
    ['Nicknames/$count($search=queen) eq 1', ['Polly']],
    ['Habits/$count($search=sings OR sleeps) eq 2', ['Polly']],
    ["Keepers/$filter(Name eq 'Ann')/$count eq 1", ['Polly']],
    ['Nicknames/$count eq 2', ['Polly']],
    ['Enclosure eq null', ['Rex']],
    ['Enclosure ne null', ['Polly', 'Chick', 'Nemo']],
    ['Mother eq $root/Animals(Number=1)', ['Chick']],
    ["$it/Name eq 'Rex'", ['Rex']],
    ['$root/Animals(Number=4)/Name eq Name', ['Rex']],
    ['Care/Room eq {"Name":"Cage","Floor":2}', ['Polly']],
    ['Nicknames eq ["Pol","Queen"]', ['Polly']],
    ["Odd.Zoo.Age(on=2020-03-01) eq duration'P1D'", ['Polly']],
    ['$root/Sum(a=1,b=2) eq 3 and Number eq 1', ['Polly']],
    ['Odd.Zoo.Grandmother() eq null', ALL],
  ])('$filter=%s', async (filter, expected) => {
    expect(await animals(filter)).toEqual(expected);
  });

  it.each([
    'Keepers/all()',
    'Keepers/any(k:x/Name eq 1)',
    'Keepers/any(k/Name eq 1)',
    "Keepers/Name eq 'x'",
    'Keepers/any(k:k)',
    'Species/any(s:true)',
    'Keepers eq null',
    'Name/any(n:true)',
    '$this/Name eq 1',
    '$root/Nothing(1)/Name eq null',
  ])('$filter=%s is refused', async (filter) => {
    expect(await animals(filter)).toEqual([400, refusal]);
  });

  it('a count orders; $this is an item of a collection; $it one of a path', async () => {
    expect(
      await column(zoo, 'Animals', '$orderby=Keepers/$count desc,Number desc', 'Name'),
    ).toEqual(['Polly', 'Rex', 'Nemo', 'Chick']);
    const words = await ask(zoo, 'Animals(Number=1)/Nicknames', "$filter=startswith($it,'Q')");
    expect(words.json.value).toEqual(['Queen']);
    const these = await ask(
      zoo,
      'Animals(Number=1)',
      '$select=Nicknames($filter=length($this) eq 3)',
    );
    expect(these.json.Nicknames).toEqual(['Pol']);
  });
});

describe('Annotation values and operations in expressions', () => {
  it.each([
    ['$filter=Label/@Core.Computed and Tame', ['Polly']],
    ['$filter=Label/@Org.OData.Core.V1.Computed and Tame', ['Polly']],
    ['$filter=Name/@Core.Computed and Tame', []],
    ['$filter=@Core.Description eq null and Number eq 2', ['Chick']],
    ["$filter=Odd.Zoo.Age(on=2020-03-01) eq duration'P1D'", ['Polly']],
    ['$filter=$root/Sum(a=1,b=1) eq Number', ['Chick']],
    ["$filter=$root/Self()/Name eq 'x'", []],
    ["$filter=Odd.Zoo.Mates()/any(m:m/Name eq 'Chick') and Tame", ['Polly']],
    ['$filter=Odd.Zoo.Mates()/$count eq 2 and Tame', ['Polly']],
    ['$orderby=Odd.Zoo.Age(on=2026-01-01) desc&$top=1', ['Rex']],
  ])('%s', async (query, expected) => {
    expect(await column(zoo, 'Animals', query, 'Name')).toEqual(expected);
  });

  it('texts of the built-in model are annotations, in each language', async () => {
    const desk = await openDesk();
    const read = async (term: string) =>
      (await ask(desk, 'Persons', `$compute=Email/@${term} as T&$select=T,Uid&$top=1`)).json
        .value[0].T;
    const texts = [await read('Core.Description'), await read('Core.Description#nl')];
    await desk.close();
    expect(texts).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  });

  it('a vocabulary that nobody knows is refused with the nearest', async () => {
    const { status, json } = await ask(zoo, 'Animals', '$filter=Name/@Cor.Description ne null');
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('Core')]);
  });
});

describe('lists and objects of JSON', () => {
  it('hold values of the record', async () => {
    const query =
      '$compute=[Name,Weight mul 2,Nicknames,{"B":Born,"M":Mother/Name}] as X&$select=X&$top=1';
    const { json } = await ask(zoo, 'Animals', query);
    expect(json.value[0].X).toEqual(['Polly', 2.5, ['Pol', 'Queen'], { B: '2020-02-29', M: null }]);
  });

  it.each([
    ['[Mother] eq [null]', 'bind.operand'],
    ['[Nope] eq [null]', 'bind.unknown-property'],
    ['Keepers/any(k:[k/Portrait] eq [null])', 'bind.operand'],
    ['[Children] eq [null]', 'bind.collection'],
  ])('%s is refused', async (filter, code) => {
    const { status, json } = await ask(zoo, 'Animals', `$filter=${filter}`);
    expect([status, json.error.code]).toEqual([400, code]);
  });
});
