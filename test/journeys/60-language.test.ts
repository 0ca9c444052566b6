// This file asks a model that has nothing to do with service desks, through the whole of the query language.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { plain } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => await zoo?.close());

async function names(path: string, query: string, field = 'Name'): Promise<unknown> {
  const answer = await zoo.get(
    `/${path}?${query
      .split('&')
      .map((part) =>
        part.replace(
          /^([^=]*)=(.*)$/s,
          (_whole, name, value) => `${name}=${encodeURIComponent(value)}`,
        ),
      )
      .join('&')}`,
  );
  return answer.status === 200
    ? answer.json.value.map((item: Record<string, unknown>) => item[field])
    : [answer.status, answer.json?.error];
}

const animals = async (filter: string) => await names('Animals', `$filter=${filter}`);

describe('A foreign model', () => {
  it('is served with its own sets and metadata', async () => {
    const { json } = await zoo.get('');
    expect(json.value.map((item: { name: string }) => item.name)).toContain('Animals');
    expect((await zoo.get('/$metadata')).text).toContain('Namespace="Odd.Zoo"');
  });

  it('gives back every primitive value as it came', async () => {
    const { text, json } = await zoo.get('/Samples?$top=1');
    expect(text).toContain('"Big":9223372036854775807');
    expect(text).toContain('"Exact":12345678901234.5678');
    expect(json.value[0]).toMatchObject({
      Bytes: 'AAEC',
      Flag: true,
      Small: 255,
      Tiny: -128,
      Short: -5,
      Double: 1.5,
      Tag: '01234567-89ab-cdef-0123-456789abcdef',
      Words: 'Grüße 🦜',
      Day: '2026-03-29',
      Moment: '2026-03-29T01:30:00.000Z',
      Clock: '12:34:56.789',
      Span: 'P1DT2H3M4.5S',
      Numbers: [3, 1, 2],
      Diets: ['Meat', 'Plants'],
    });
    expect(text).toContain('"Amounts":[1.1,2.2]');
  });

  it('IEEE754Compatible gives Int64 and Decimal as strings, NaN is a string anyway', async () => {
    const { json } = await zoo.get('/Samples', {
      accept: 'application/json;IEEE754Compatible=true',
    });
    expect(json.value[0]).toMatchObject({
      Big: '9223372036854775807',
      Exact: '12345678901234.5678',
    });
    expect(json.value[1]).toMatchObject({ Double: 'NaN', Big: '-9223372036854775808' });
  });
});

describe('Addressing', () => {
  it.each([
    ["Enclosures(Wing='A',Number=1)", 'Aviary'],
    ["Enclosures(Number=2,Wing='B')", 'Pond'],
    ["Keepers(Email='ann@zoo.example')", 'Ann'],
    ["Keepers(Country='NL',No=2)", 'Bob'],
    ['Animals(Number=1)/Enclosure', 'Aviary'],
    ['Animals(Number=2)/Mother', 'Polly'],
    ['Animals(Number=@n)?@n=3', 'Nemo'],
    ['Animals(Number=1)/Odd.Zoo.Parrot', 'Polly'],
    ['Passports(Country=@c)/Animal?@c=null', undefined],
    ['Animals(Number=1)/Odd.Zoo.Grandmother()', undefined],
  ])('%s', async (path, name) => {
    const answer = await zoo.get(`/${path}`);
    expect(answer.json?.Name).toBe(name);
  });

  it.each([
    ['Animals(Number=4)/Odd.Zoo.Bird', 404],
    ["Enclosures(Wing='A')", 400],
    ["Enclosures(Wing='A',Nummer=1)", 400],
    ["AllSpecies('Nothing')", 404],
    ["AllSpecies('O''Neil%2Fx')", 404],
    ['Animals/Odd.Zoo.Nothing', 404],
  ])('%s gives %i', async (path, status) => {
    expect((await zoo.get(`/${path}`)).status).toBe(status);
  });

  it('casts a set to a derived type, in the path and in expressions', async () => {
    expect(await names('Animals/Odd.Zoo.Bird', '$select=Name')).toEqual(['Polly', 'Chick']);
    expect(await animals('Odd.Zoo.Bird/Wingspan gt 0.1')).toEqual(['Polly']);
    expect(await animals('isof(Odd.Zoo.Fish) or isof(Odd.Zoo.Parrot)')).toEqual(['Polly', 'Nemo']);
  });

  it('counts, filters in the path, crosses and asks for everything', async () => {
    expect((await zoo.get('/Animals/$count')).text).toBe('4');
    expect((await zoo.get('/Animals/$filter(@f)/$count?@f=Tame eq true')).text).toBe('1');
    const crossed = await zoo.get(
      '/$crossjoin(Animals,Passports)?$filter=Passports/Animal/Id eq Animals/Id&$expand=Animals($select=Name)',
    );
    expect(crossed.json.value).toMatchObject([{ Animals: { Name: 'Polly' } }]);
    expect((await zoo.get('/$all?$top=3&$count=true')).json.value).toHaveLength(3);
    const posted = await zoo.send('POST', '/Animals/$query', {
      headers: { 'content-type': 'text/plain' },
      body: "$filter=Name eq 'Rex'",
    });
    expect(posted.json.value).toMatchObject([{ Name: 'Rex' }]);
  });
});

describe('Expressions', () => {
  it.each([
    ["Name eq 'Rex'", ['Rex']],
    ['Weight gt 1 and Weight lt 2', ['Polly']],
    ['Weight add 0.75 eq 2', ['Polly']],
    ['10 sub 3 sub 2 eq 5 and 2 mul 3 add 4 eq 10', ['Polly', 'Chick', 'Nemo', 'Rex']],
    [
      '7 div 2 eq 3 and 7 divby 2 eq 3.5 and 7 mod 2 eq 1 and -7 div 2 eq -3',
      ['Polly', 'Chick', 'Nemo', 'Rex'],
    ],
    ['Species eq null', ['Rex']],
    ['Mother ne null', ['Chick']],
    ['Mother/Mother/Name eq null', ['Polly', 'Chick', 'Nemo', 'Rex']],
    ["not (Species/Title eq 'Birds')", ['Polly', 'Nemo', 'Rex']],
    ["Diet eq Odd.Zoo.Diet'Everything'", ['Nemo']],
    ["Diet eq 'Everything'", ['Nemo']],
    ["Skills has Odd.Zoo.Skills'Flies'", ['Polly', 'Nemo']],
    ["Skills has 'Swims,Dives'", ['Nemo']],
    ["Odd.Zoo.Fish/Depth eq Odd.Zoo.Depth'9007199254740993'", ['Nemo']],
    ['Mood/Value eq 1002', ['Nemo']],
    ["Mood/Text eq 'Calm'", ['Polly']],
    ['Mood/Value in (1001,1002)', ['Polly', 'Nemo']],
    ["Name in ('Rex','Nemo')", ['Nemo', 'Rex']],
    ["Nicknames/any(n:n eq 'Queen')", ['Polly']],
    ['Nicknames/any() eq false', ['Chick', 'Nemo', 'Rex']],
    ["Habits/any(h:h/TimesADay gt 2 and h/Name eq 'Sings')", ['Polly']],
    ['Habits/all(h:h/TimesADay ge 1) and Habits/$count eq 2', ['Polly']],
    ["Keepers/any(k:k/Boss/Name eq 'Ann')", ['Polly']],
    ['Keepers/$count gt 1', ['Polly']],
    ["Keepers/$count($filter=startswith(Name,'A')) eq 1", ['Polly']],
    ['Children/any(c:c/Weight lt $it/Weight)', ['Polly']],
    ["Enclosure/Animals/any(a:a/Name eq 'Chick')", ['Polly', 'Chick']],
    ["contains(Remark,'100%')", ['Rex']],
    ["contains(Remark,'wild_cat') and not contains(Remark,'wildXcat')", ['Rex']],
    ["endswith(Name,'mo') or startswith(Name,'Po')", ['Polly', 'Nemo']],
    ["length(Name) eq 3 and indexof(Name,'x') eq 2", ['Rex']],
    ["substring(Name,1) eq 'ex' and substring(Name,0,1) eq 'R'", ['Rex']],
    ["substring(Name,-2) eq 'ex'", ['Rex']],
    ["concat(toupper(Name),trim('  x ')) eq 'REXx'", ['Rex']],
    ["matchesPattern(Name,'^[A-P].*y$')", ['Polly']],
    ['year(Born) eq 2020 and month(Born) eq 2 and day(Born) eq 29', ['Polly']],
    ["Born add duration'P1D' eq 2020-03-01", ['Polly']],
    ["Born sub 2020-02-28 eq duration'P1D'", ['Polly']],
    ['round(Weight) eq 1 and floor(Weight) eq 1 and ceiling(Weight) eq 2', ['Polly']],
    ["case(Weight gt 50:'big',true:'small') eq 'big'", ['Rex']],
    ["cast(Number,Edm.String) eq '4'", ['Rex']],
    ["cast('4',Edm.Int64) eq Number", ['Rex']],
    ['Created le now()', ['Polly', 'Chick', 'Nemo', 'Rex']],
    ["$root/Keepers(Email='ann@zoo.example')/Name eq 'Ann' and Tame", ['Polly']],
    ['Care/Room/Floor eq 2', ['Polly']],
    ['Care eq null', ['Chick', 'Nemo', 'Rex']],
    ['Weight GT 1 AND Weight LT 2', ['Polly']],
    ["CONTAINS(Name,'em')", ['Nemo']],
    ["Label eq 'Rex!'", ['Rex']],
    ["Odd.Zoo.Age(on=2020-03-01) eq duration'P1D'", ['Polly']],
  ])('$filter=%s', async (filter, expected) => {
    expect(await animals(filter)).toEqual(expected);
  });

  it.each([
    ['Big eq 9223372036854775807', 'Grüße 🦜'],
    ['Big gt 9223372036854775806', 'Grüße 🦜'],
    ['Exact eq 12345678901234.5678', 'Grüße 🦜'],
    ["Span gt duration'P1D'", 'Grüße 🦜'],
    ['Moment eq 2026-03-29T01:30:00Z', 'Grüße 🦜'],
    ['hour(Moment) eq 1 and minute(Moment) eq 30', 'Grüße 🦜'],
    ['Clock gt 12:00:00', 'Grüße 🦜'],
    ['fractionalseconds(Clock) eq 0.789', 'Grüße 🦜'],
    ['length(Words) eq 7', 'Grüße 🦜'],
    ["tolower(Words) eq 'grüße 🦜'", 'Grüße 🦜'],
    ['Tag eq 01234567-89AB-CDEF-0123-456789ABCDEF', 'Grüße 🦜'],
    ['Numbers/any(n:n eq 3)', 'Grüße 🦜'],
    ['Whole div 2 eq 3', 'Grüße 🦜'],
    ['Flag', 'Grüße 🦜'],
    ["Words eq 'empty'", 'empty'],
  ])('every type can be compared: %s', async (filter, expected) => {
    expect(await names('Samples', `$filter=${filter}`, 'Words')).toEqual([expected]);
  });

  it.each([
    ['Weight div 0 gt 1', 400],
    ['Number div 0 eq 1', 400],
    ['Name gt 5', 400],
    ["Nam eq 'x'", 400],
    ['Weight eq (1', 400],
    ['unknown(Name)', 400],
    ['Nicknames/all()', 400],
    ['Keepers eq 5', 400],
    ['Name in ()', 400],
  ])('$filter=%s gives %i', async (filter, status) => {
    expect(await animals(filter)).toEqual([
      status,
      expect.objectContaining({ message: expect.any(String) }),
    ]);
  });

  it('a chain of 1,000 ORs and a list of 2,000 are answered', async () => {
    const chain = Array.from({ length: 1000 }, (_, index) => `Number eq ${index + 3}`).join(' or ');
    const send = async (query: string) =>
      await zoo.send('POST', '/Animals/$query', {
        headers: { 'content-type': 'text/plain' },
        body: query,
      });
    expect((await send(`$filter=${chain}`)).json.value).toHaveLength(2);
    const list = Array.from({ length: 2000 }, (_, index) => index + 2).join(',');
    expect((await send(`$filter=Number in (${list})`)).json.value).toHaveLength(3);
  });
});

describe('Shaping', () => {
  it('$orderby, $compute, nested options, $levels', async () => {
    expect(await names('Animals', '$orderby=Weight desc&$top=2')).toEqual(['Rex', 'Polly']);
    expect(
      await names(
        'Animals',
        '$compute=Weight mul 2 as Double&$filter=Double gt 2&$orderby=Double&$select=Name,Double',
        'Double',
      ),
    ).toEqual([2.5, 161]);
    const { json } = await zoo.get(
      "/AllSpecies('Animalia')?$expand=Parts($levels=max;$select=Latin)",
    );
    expect(json.Parts.map((part: { Latin: string }) => part.Latin)).toEqual(['Aves', 'Pisces']);
    expect(json.Parts[0].Parts).toMatchObject([{ Latin: 'Psittaciformes' }]);
  });

  it('$expand with $filter, $orderby, $top, $count, $ref, casts and complex paths', async () => {
    const { json } = await zoo.get(
      '/Enclosures?$expand=Animals($filter=Weight lt 1.3;$orderby=Weight;$top=1;$count=true;$select=Name)&$orderby=Name',
    );
    expect(json.value[0]).toMatchObject({ 'Animals@odata.count': 2, Animals: [{ Name: 'Chick' }] });
    const refs = await zoo.get('/Animals(Number=1)?$expand=Keepers/$ref');
    expect(refs.json.Keepers).toHaveLength(2);
    expect(Object.keys(refs.json.Keepers[0])).toEqual(['@odata.id']);
    const cast = await zoo.get('/Animals?$expand=Odd.Zoo.Bird/Eggs($select=Laid)&$select=Name');
    expect(cast.json.value[0].Eggs).toMatchObject([{ Laid: '2024-05-01' }]);
    expect(cast.json.value[3]).not.toHaveProperty('Eggs');
  });

  it('derived rows tell their type, and have their own members', async () => {
    const { json } = await zoo.get('/Animals');
    expect(json.value[0]).toMatchObject({
      '@odata.type': '#Odd.Zoo.Parrot',
      Words: ['hello', 'cracker'],
    });
    expect(json.value[3]).not.toHaveProperty('@odata.type');
    expect(json.value[3]).not.toHaveProperty('Wingspan');
  });

  it('$select of complex parts and of collections with options', async () => {
    const { json } = await zoo.get(
      "/Animals(Number=1)?$select=Care/Room/Name,Nicknames($filter=startswith($this,'Q')),Habits($orderby=TimesADay;$top=1)",
    );
    expect(json).toMatchObject({
      Care: { Room: { Name: 'Cage' } },
      Nicknames: ['Queen'],
      Habits: [{ Name: 'Sleeps' }],
    });
  });

  it('$search finds words and phrases, with AND, OR and NOT', async () => {
    expect(await names('Animals', '$search=wild')).toEqual(['Rex']);
    expect(await names('Animals', '$search=Polly OR Nemo')).toEqual(['Polly', 'Nemo']);
    expect(await names('Animals', '$search="species known" NOT Polly')).toEqual(['Rex']);
  });

  it('dynamic properties are returned, filtered and selected', async () => {
    expect(
      await names(
        'Oddities',
        "$filter=Colour eq 'red' and Size gt 2&$select=Name,Colour",
        'Colour',
      ),
    ).toEqual(['red']);
  });

  describe('dynamic properties keep the types that the body names', () => {
    const TYPED = {
      'Since@odata.type': '#Date',
      Since: '2026-01-01',
      'Cost@odata.type': '#Edm.Decimal',
      Cost: 12.5,
      'Diets@odata.type': '#Collection(Odd.Zoo.Diet)',
      Diets: ['Meat'],
    };
    const First = { Name: 'f', 'At@odata.type': '#Duration', At: 'PT1H', Plain: 4 };
    const REPRESENTATION = { prefer: 'return=representation' };
    let path: string;
    beforeAll(async () => {
      const body = { Name: 'Typed', 'Remark@odata.type': '#String', Remark: 'n', ...TYPED, First };
      const { json } = await zoo.send('POST', '/Oddities', { body });
      path = `/Oddities(${json.Id})`;
    });
    afterAll(async () => {
      await zoo.send('DELETE', path);
    });

    it.each(['minimal', 'full'])(
      'with %s metadata, unless the JSON reveals them',
      async (level) => {
        const accept = `application/json;odata.metadata=${level}`;
        const { json } = await zoo.get(path, { accept });
        expect(json).toMatchObject({ ...TYPED, 'Cost@odata.type': '#Decimal', Remark: 'n', First });
        expect(Object.keys(json)).not.toContain('Remark@odata.type');
        const { json: selected } = await zoo.get(`${path}?$select=Since,Remark,First/At`, {
          accept,
        });
        expect(selected).toMatchObject({ 'Since@odata.type': '#Date', Since: '2026-01-01' });
        expect(selected.First).toMatchObject({ 'At@odata.type': '#Duration', At: 'PT1H' });
        expect(Object.keys(selected)).not.toContain('Remark@odata.type');
      },
    );

    it('in the form of 4.01, not without metadata, and decimals as strings where asked for', async () => {
      const { text } = await zoo.get(path, { 'odata-maxversion': '4.01' });
      expect(text).toContain('"Since@type":"#Date","Since":"2026-01-01"');
      expect(text).toContain('"At@type":"#Duration","At":"PT1H"');
      const none = await zoo.get(path, { accept: 'application/json;odata.metadata=none' });
      expect(none.text).not.toContain('@');
      const accept = 'application/json;IEEE754Compatible=true';
      const { json } = await zoo.get(path, { accept });
      expect(json).toMatchObject({ 'Cost@odata.type': '#Decimal', Cost: '12.5' });
    });

    it('until another value is written without or with another type', async () => {
      const patch = async (body: object) =>
        (await zoo.send('PATCH', path, { body, headers: REPRESENTATION })).json;
      const same = await patch({ 'Since@odata.type': '#Date', Since: '2026-01-01' });
      expect(same['@odata.etag']).toBe('W/"1"');
      const untyped = await patch({ Since: 'soon', First: { At: 'now' } });
      expect(untyped).toMatchObject({ Since: 'soon', First: { At: 'now', Plain: 4 } });
      expect(Object.keys(untyped)).not.toContain('Since@odata.type');
      expect(Object.keys(untyped.First)).not.toContain('At@odata.type');
      const again = await patch({ 'Since@type': 'Guid', Since: GUID, Cost: null });
      expect(again).toMatchObject({ 'Since@odata.type': '#Guid', Since: GUID });
      expect(Object.keys(again).filter((name) => name.startsWith('Cost'))).toEqual([]);
      await zoo.send('PUT', `${path}/Since`, { body: { value: 'later' } });
      const { json } = await zoo.get(path);
      expect(json).toMatchObject({ Since: 'later', Diets: ['Meat'] });
      expect(Object.keys(json)).not.toContain('Since@odata.type');
    });

    it('in reads of a single property', async () => {
      const Typed = { 'Typed@odata.type': '#Date', Typed: DAY };
      const body = { ...TYPED, First, Box: { Box: 1 }, Typed };
      await zoo.send('PATCH', path, { body });
      for (const [name, type] of [
        ['Since', '#Date'],
        ['Cost', '#Decimal'],
        ['Diets', '#Collection(Odd.Zoo.Diet)'],
        ['First/At', '#Duration'],
      ] as const) {
        const { json } = await zoo.get(`${path}/${name}`);
        expect([name, json['@odata.type']]).toEqual([name, type]);
        expect(Object.keys(json)).toEqual(['@odata.context', '@odata.type', 'value']);
      }
      const get = async (name: string, headers = {}) => (await zoo.get(path + name, headers)).json;
      expect(await get('/Since', { 'odata-maxversion': '4.01' })).toMatchObject({
        '@type': '#Date',
        value: '2026-01-01',
      });
      const none = { accept: 'application/json;odata.metadata=none' };
      expect(await get('/Since', none)).toEqual({ value: '2026-01-01' });
      const strings = { accept: 'application/json;IEEE754Compatible=true' };
      expect(await get('/Cost', strings)).toMatchObject({ value: '12.5' });
      for (const [name, value] of [
        ['Remark', 'n'],
        ['Box', { Box: 1 }],
        ['Typed', Typed],
      ] as const) {
        const json = await get(`/${name}`);
        expect(json).toEqual({ '@odata.context': json['@odata.context'], value });
      }
    });

    it('named in the body of a single property', async () => {
      const since = async () => (await zoo.get(`${path}?$select=Since`)).json;
      await zoo.send('PUT', `${path}/Since`, { body: { '@odata.type': '#Date', value: DAY } });
      expect(await since()).toMatchObject({ 'Since@odata.type': '#Date', Since: DAY });
      const body = { 'value@odata.type': '#Guid', value: GUID };
      await zoo.send('PUT', `${path}/Since`, { body });
      expect(await since()).toMatchObject({ 'Since@odata.type': '#Guid', Since: GUID });
      const wrong = { '@odata.type': '#Date', value: 'soon' };
      expect((await zoo.send('PUT', `${path}/Since`, { body: wrong })).status).toBe(400);
    });

    it('in complex values, too, until the property is written alone', async () => {
      const first = async () => (await zoo.get(path)).json.First;
      const body = { '@odata.type': '#Date', value: DAY };
      await zoo.send('PUT', `${path}/First/At`, { body });
      expect(await first()).toMatchObject({ 'At@odata.type': '#Date', At: DAY });
      await zoo.send('PUT', `${path}/First/At`, { body: { value: 'later' } });
      expect(await first()).toEqual({ Name: 'f', TimesADay: null, Plain: 4, At: 'later' });
      await zoo.send('DELETE', `${path}/First/At`);
      expect(await first()).toEqual({ Name: 'f', TimesADay: null, Plain: 4 });
    });

    it('of objects inside them, which are checked by it', async () => {
      const patch = async (body: object) =>
        zoo.send('PATCH', path, { body, headers: REPRESENTATION });
      const room = { Name: 'r', Floor: null };
      const whole = { '@odata.type': '#Odd.Zoo.Room', ...room };
      const outside = await patch({ 'Place@odata.type': '#Odd.Zoo.Room', Place: { Name: 'r' } });
      expect(outside.json).toMatchObject({ Place: whole });
      const inside = await patch({ Place: { '@odata.type': '#Odd.Zoo.Room', Name: 'r' } });
      expect(inside.json).toMatchObject({ Place: whole });
      const unknown = await patch({ Place: { '@odata.type': '#Odd.Zoo.Attic', Name: 'r' } });
      expect(unknown.json.error.details[0]).toMatchObject({ code: 'write.type' });
      const wrong = await patch({ Place: { '@odata.type': '#Odd.Zoo.Room', Floor: 'top' } });
      expect(wrong.json.error.details[0]).toMatchObject({ target: 'Place/Floor' });
    });

    it('and enumerations equal their members', async () => {
      const body = { 'Food@odata.type': '#Odd.Zoo.Diet', Food: 'Meat', Other: 'Fish' };
      await zoo.send('PATCH', path, { body });
      const found = async (filter: string) => {
        const { json } = await zoo.get(`/Oddities?$filter=Name eq 'Typed' and (${filter})`);
        return json.value.length;
      };
      expect(await found("Food eq Odd.Zoo.Diet'Meat'")).toBe(1);
      expect(await found("Food in (Odd.Zoo.Diet'Plants',Odd.Zoo.Diet'Meat')")).toBe(1);
      expect(await found("Food eq Odd.Zoo.Diet'Plants'")).toBe(0);
      expect(await found("Other eq Odd.Zoo.Diet'Plants'")).toBe(0);
      expect(await found("Plain eq Odd.Zoo.Diet'Meat'")).toBe(0);
    });

    it('of numbers that are texts in JSON', async () => {
      const body = {
        'Most@odata.type': '#Double',
        Most: 'INF',
        'Few@odata.type': '#Double',
        Few: 2,
      };
      const { json } = await zoo.send('PATCH', path, { body, headers: REPRESENTATION });
      expect(json).toMatchObject({ 'Most@odata.type': '#Double', Most: 'INF', Few: 2 });
      expect(Object.keys(json)).not.toContain('Few@odata.type');
    });

    const DAY = '2026-05-05';
    const GUID = '01234567-89ab-cdef-0123-456789abcdef';
  });

  describe('lists in dynamic properties are collections, other values have no items', () => {
    const paths: string[] = [];
    beforeAll(async () => {
      for (const body of [
        { Name: 'List', Tags: ['x', 2, true], First: { Name: 'Deep', More: ['p', 'q'] } },
        { Name: 'Other', Tags: 'x' },
      ]) {
        const { json } = await zoo.send('POST', '/Oddities', { body });
        paths.push(`/Oddities(${json.Id})`);
      }
    });
    afterAll(async () => {
      for (const path of paths) await zoo.send('DELETE', path);
    });

    it.each([
      ["Tags/any(t:t eq 'x')", ['List']],
      ["Tags/all(t:t eq 'x')", ['Other', 'Thing']],
      ['Tags/any()', ['List']],
      ['Tags/$count eq 3', ['List']],
      ["Tags/$count($filter=contains($this,'x')) eq 1", ['List']],
      ["'x' in Tags", ['List']],
      ['null in Tags', []],
      ['Tags/any(t:t eq 2)', ['List']],
      ['2 in Tags', ['List']],
      ['Tags/any(t:t eq true)', ['List']],
      ["First/More/any(m:m eq 'q')", ['List']],
      ["Tags eq ['x',2,true]", ['List']],
      ["['x',2,true] eq Tags", ['List']],
      ["Tags ne ['x',2,true]", ['Other', 'Thing']],
      ["Tags eq ['x']", []],
      ["First/More eq ['p','q']", ['List']],
      ["First/More eq ['q','p']", []],
    ])('%s', async (filter, found) => {
      const { json } = await zoo.get(`/Oddities?$filter=${filter}&$select=Id,Name`);
      expect(json.value.map(({ Name }: { Name: string }) => Name).sort()).toEqual(found);
    });
  });

  describe('paths lead into the objects of dynamic and untyped properties', () => {
    const Box = { A: 1, Room: 'x', N: { M: [1, 2] }, L: [{ P: 1 }] };
    const paths: string[] = [];
    beforeAll(async () => {
      for (const [set, body] of [
        ['Oddities', { Name: 'Boxed', Box, Tags: [{ A: 1 }], First: { Name: 'f', Deep: Box } }],
        ['Oddities', { Name: 'Plain', Box: 1 }],
        ['Samples', { Words: 'Boxed', Anything: Box }],
      ] as const) {
        const { json } = await zoo.send('POST', `/${set}`, { body });
        paths.push(`/${set}(${json.Id})`);
      }
    });
    afterAll(async () => {
      for (const path of paths) await zoo.send('DELETE', path);
    });

    it.each([
      'Box/A eq 1',
      "Box/Room eq 'x'",
      'Box/N/M eq [1,2]',
      'Box/N/M/any(m:m eq 2)',
      'Box/N/M/$count eq 2',
      'Box/L/any(l:l/P eq 1)',
      'Tags/any(t:t/A eq 1)',
      'First/Deep/A eq 1',
      'Box/A add 1 eq 2',
      "Box/A ne null and not (Box/B ne null) and startswith(Name,'B')",
    ])('in a filter: %s', async (filter) => {
      const url = `/Oddities?$filter=${encodeURIComponent(filter)}&$select=Name`;
      expect((await zoo.get(url)).json.value).toMatchObject([{ Name: 'Boxed' }]);
    });

    it('in other options, and of declared properties', async () => {
      const first = async (url: string) => (await zoo.get(url)).json.value[0];
      expect(await first('/Oddities?$orderby=Box/A desc&$select=Name')).toMatchObject({
        Name: 'Boxed',
      });
      const sum = await first('/Oddities?$apply=aggregate(Box/A with sum as S)');
      expect(sum).toMatchObject({ S: 1 });
      const groups = await zoo.get('/Oddities?$apply=groupby((Box/Room))&$orderby=Box/Room desc');
      expect(groups.json.value[0]).toMatchObject({ Box: { Room: 'x' } });
      const declared = await first("/Samples?$filter=Anything/Room eq 'x'&$select=Words");
      expect(declared).toMatchObject({ Words: 'Boxed' });
    });

    it('in the URL of a read, not of a write', async () => {
      const [path, , sample] = paths;
      for (const place of [`${path}/Box`, `${path}/First/Deep`, `${sample}/Anything`]) {
        expect((await zoo.get(`${place}/N`)).json.value).toEqual(Box.N);
        expect((await zoo.get(`${place}/Room/$value`)).text).toBe('x');
        expect((await zoo.get(`${place}/Missing/A`)).status).toBe(204);
        const written = await zoo.send('PUT', `${place}/A`, { body: { value: 2 } });
        expect([written.status, written.headers.allow]).toEqual([405, 'GET']);
      }
      expect((await zoo.get('/Oddities(9999)/Box/A')).status).toBe(404);
    });
  });

  describe('cast turns dynamic and untyped numbers and Booleans into texts', () => {
    const PLACES = [
      ['Oddities', 'Name', 'Any'],
      ['Samples', 'Words', 'Anything'],
    ] as const;
    const values = [5, 5.5, 1e15, true, false, 'x', '2026-01-01', null, [1], { a: 1 }];
    beforeAll(async () => {
      for (const [set, name, member] of PLACES)
        for (const [index, value] of values.entries()) {
          const body = { [name]: `cast ${index}`, [member]: value };
          expect((await zoo.send('POST', `/${set}`, { body })).status).toBe(201);
        }
    });

    it.each([
      ["cast(@v,Edm.String) eq '5'", [0]],
      ["cast(@v,Edm.String) eq '5.5'", [1]],
      ["cast(@v,Edm.String) eq '1000000000000000'", [2]],
      ["startswith(cast(@v,Edm.String),'5')", [0, 1]],
      ["cast(@v,Edm.String) eq 'true'", [3]],
      ["cast(@v,Edm.String) in ('false','x','2026-01-01')", [4, 5, 6]],
      ['cast(@v,Edm.String) eq null', [7, 8, 9]],
      ["@v eq '5'", []],
    ])('%s', async (filter, expected) => {
      for (const [set, name, member] of PLACES) {
        const condition = `startswith(${name},'cast ') and ${filter.replace('@v', member)}`;
        const { json } = await zoo.get(
          `/${set}?$filter=${encodeURIComponent(condition)}&$orderby=${name}`,
        );
        const names = json.value.map((one: Record<string, string>) => one[name]);
        expect(names).toEqual(expected.map((index) => `cast ${index}`));
      }
    });
  });

  it('functions are called in paths, with aliases and without parentheses', async () => {
    expect((await zoo.get('/Sum(a=1.5,b=2)')).json.value).toBe(3.5);
    expect((await zoo.get('/Sum(a=@x)?@x=4')).json.value).toBe(4);
    expect(
      (await zoo.get('/Heavy(least=1)?$select=Name')).json.value.map(
        (item: { Name: string }) => item.Name,
      ),
    ).toEqual(['Polly', 'Rex']);
    expect((await zoo.get('/Animals/Odd.Zoo.Grown(least=50)/$count')).text).toBe('1');
    expect(
      (await zoo.get('/Animals(Number=1)/Odd.Zoo.Mates()?$select=Name')).json.value,
    ).toHaveLength(2);
  });
});

describe('$apply', () => {
  const apply = async (set: string, query: string): Promise<unknown> => {
    const answer = await zoo.get(`/${set}?$apply=${encodeURIComponent(query)}`);
    return answer.status === 200 ? plain(answer.json.value) : [answer.status, answer.json];
  };

  it.each([
    ['aggregate($count as N)', [{ N: 4 }]],
    [
      'aggregate(Weight with sum as Total,Weight with max as Most,Weight with min as Least)',
      [{ Total: 82.1, Most: 80.5, Least: 0.05 }],
    ],
    [
      'groupby((Tame),aggregate($count as N))',
      [
        { Tame: false, N: 3 },
        { Tame: true, N: 1 },
      ],
    ],
    ['filter(Weight gt 1)/aggregate($count as N)', [{ N: 2 }]],
    [
      'groupby((Species/Title))',
      [
        { Species: { Title: null } },
        { Species: { Title: 'Birds' } },
        { Species: { Title: 'Fish' } },
        { Species: { Title: 'Parrots' } },
      ],
    ],
    ['topcount(1,Weight)/compute(Weight mul 2 as W)/aggregate(W with sum as S)', [{ S: 161 }]],
    ['concat(aggregate($count as N),filter(Tame)/aggregate($count as N))', [{ N: 4 }, { N: 1 }]],
    ['aggregate(Species with countdistinct as N)', [{ N: 3 }]],
  ])('%s', async (transformations, expected) => {
    const rows = await apply('Animals', transformations);
    expect(rows).toHaveLength(expected.length);
    expect(rows).toEqual(expect.arrayContaining<unknown>([...expected]));
  });

  it('later options see what was made', async () => {
    const answer = await zoo.get(
      '/Animals?$apply=groupby((Tame),aggregate($count%20as%20N))&$filter=N%20gt%201&$orderby=N%20desc&$top=3',
    );
    expect(answer.json.value).toMatchObject([{ Tame: false, N: 3 }]);
    expect((await zoo.get('/Animals?$apply=aggregate($count%20as%20N)&$select=Name')).status).toBe(
      400,
    );
  });
});
