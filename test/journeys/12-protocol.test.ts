// This file negotiates versions and formats, and sends what the service does not know. OData 4.01 Protocol, "Header Fields".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask, column } from './query.ts';
import { CALLER, REQUEST } from './records.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

const one = `/Persons(${CALLER})?$select=Uid`;

describe('Versions', () => {
  it.each([
    ['a page', 'GET', '/Persons?$top=1', 200],
    ['nothing', 'GET', `/ServiceRequests(${REQUEST})/Solution`, 204],
    ['what is not there', 'GET', '/Persons(999999)', 404],
    ['a wrong method', 'POST', `/Persons(${CALLER})`, 405],
    ['a text', 'GET', '/Persons/$count', 200],
    ['the metadata', 'GET', '/$metadata', 200],
    ['a refused form', 'GET', '/Persons?$format=image/png', 406],
  ])('%s carries OData-Version: %s %s', async (_what, method, path, status) => {
    const answer = await desk.send(method, path);
    expect([answer.status, answer.headers['odata-version']]).toEqual([status, '4.0']);
    const current = await desk.send(method, path, { headers: { 'odata-maxversion': '4.01' } });
    expect([current.status, current.headers['odata-version']]).toEqual([status, '4.01']);
  });

  it('a batch carries OData-Version, around and within', async () => {
    const answer = await desk.send('POST', '/$batch', {
      body: { requests: [{ id: '1', method: 'get', url: 'Persons?$top=1' }] },
    });
    expect([answer.status, answer.headers['odata-version']]).toEqual([200, '4.0']);
    expect(JSON.stringify(answer.json.responses[0].headers).toLowerCase()).toContain(
      '"odata-version":"4.0"',
    );
  });

  it.each([
    ['4.0', 200, '4.0'],
    ['4.01', 200, '4.01'],
    ['5.0', 200, '4.01'],
    ['4.0;NetFx', 200, '4.0'],
    ['4.01; NetFx', 200, '4.01'],
    ['3.0', 400, '4.0'],
    ['3.0;NetFx', 400, '4.0'],
    ['four', 400, '4.0'],
    [';4.0', 400, '4.0'],
  ])('OData-MaxVersion: %s gives %i in version %s', async (wanted, status, version) => {
    const answer = await desk.get(one, { 'odata-maxversion': wanted });
    expect([answer.status, answer.headers['odata-version']]).toEqual([status, version]);
  });

  it.each([
    ['4.0', 200],
    ['4.01', 200],
    ['4.0;NetFx', 200],
    ['4.02', 400],
    ['3.0', 400],
  ])('OData-Version: %s in a request gives %i', async (version, status) => {
    expect((await desk.get(one, { 'odata-version': version })).status).toBe(status);
  });

  it('a version of the schema that does not exist is not there; * is the current one', async () => {
    expect((await desk.get(`${one}&$schemaversion=*`)).status).toBe(200);
    for (const path of [`${one}&$schemaversion=2`, '/$metadata?$schemaversion=2']) {
      const answer = await desk.get(path);
      expect([answer.status, answer.text]).toEqual([
        404,
        expect.stringContaining('$schemaversion'),
      ]);
    }
  });
});

describe('Accept and $format', () => {
  it.each([
    'image/png',
    'application/json;odata.foo=1',
    'application/json;odata.metadata=huge',
    'application/json;IEEE754Compatible=maybe',
  ])('%s cannot be given: 406, in the header and in $format', async (type) => {
    for (const answer of [
      await desk.get(one, { accept: type }),
      await desk.get(`${one}&$format=${encodeURIComponent(type)}`),
    ]) {
      expect([answer.status, answer.json.error.code]).toEqual([406, 'request.not-acceptable']);
    }
  });

  it.each([
    [
      'application/json;odata.metadata=huge',
      'application/json takes odata.metadata=none, minimal or full',
    ],
    ['application/json;charset=latin1', 'charset=utf-8'],
    ['application/xml;level=1', 'application/xml takes charset=utf-8 and no other parameter'],
    ['text/csv;header=present', 'text/csv takes headings=names or labels, '],
    ['text/calendar;method=add', 'supported formats are application/json, '],
    ['application/json;q=0', 'supported formats are application/json, '],
  ])('%s is refused with what can be asked for', async (accept, told) => {
    const { status, json } = await desk.get(one, { accept });
    expect([status, json.error.target]).toEqual([406, 'Accept']);
    expect(json.error.message).toContain(told);
  });

  it('an abbreviation in $format takes no parameters, and the refusal says what does', async () => {
    const { status, json } = await desk.get(`${one}&$format=json;odata.metadata=full`);
    expect([status, json.error.target]).toEqual([406, '$format']);
    expect(json.error.message).toContain('such as application/json;odata.metadata=full');
  });

  it.each([
    ['a property that is not there', '/Persons?$filter=Nix%20eq%201'],
    ['an expression that cannot be read', '/Persons?$filter=a%20%3C%20b'],
    ['an option that does not exist', '/Persons?$fliter=true'],
    ['a path that cannot be read', '/Persons('],
  ])('a refusal is in XML where Accept asks for it: %s', async (_, path) => {
    for (const accept of ['application/xml', 'application/atom+xml', 'text/xml']) {
      const answer = await desk.get(path, { accept });
      expect([answer.status, answer.headers['odata-version']]).toEqual([400, '4.0']);
      expect(answer.headers['content-type']).toBe(accept);
      expect(answer.text).toMatch(/^<\?xml .*<m:code>\w+\.[\w-]+<\/m:code><m:message>/);
    }
    const option = await desk.get(`${path}${path.includes('?') ? '&' : '?'}$format=xml`);
    expect(option.headers['content-type']).toBe('application/xml');
    const weighted = await desk.get(path, { accept: 'application/xml;q=0.1, application/json' });
    expect(weighted.json.error.code).toBeDefined();
    expect((await desk.get(path, { accept: 'image/png' })).json.error.code).toBeDefined();
  });

  it('$format wins over Accept', async () => {
    const answer = await desk.get(`${one}&$format=atom`, { accept: 'application/json' });
    expect(answer.headers['content-type']).toContain('application/atom+xml');
  });
});

describe('An error', () => {
  const JSON_TYPE = 'application/json; odata.metadata=minimal';
  const rejected: readonly (readonly [string, string, number])[] = [
    ['POST', '/$metadata', 405],
    ['DELETE', '/$metadata', 405],
    ['GET', '/$metadata?$filter=true', 400],
    ['GET', '/Persons/$count?$filter=Nix eq 1', 400],
    ['GET', '/Persons(999999)', 404],
    ['GET', '/Persons(999999)/Name/$value', 404],
    ['PUT', '/$ping', 405],
    ['GET', '/$batch', 405],
    ['POST', '/$batch', 415],
    ['POST', '/', 405],
  ];

  it.each(rejected)(
    'of %s %s has the format that Accept asks for',
    async (method, path, status) => {
      const ask = async (accept: string) =>
        await desk.send(method, path, { headers: accept === '' ? {} : { accept } });
      for (const accept of ['', '*/*', 'application/json', 'multipart/mixed, application/json']) {
        const answer = await ask(accept);
        expect([answer.status, answer.headers['content-type']], accept).toEqual([
          status,
          JSON_TYPE,
        ]);
        expect(answer.json.error.code, accept).toBeDefined();
      }
      for (const accept of ['application/xml', 'text/xml', 'application/atom+xml']) {
        const answer = await ask(`${accept}, application/xml;q=0.2, */*;q=0.1`);
        expect([answer.status, answer.headers['content-type']], accept).toEqual([status, accept]);
        expect(answer.text).toContain('<m:error');
      }
    },
  );

  it('that comes before the request is read has that format too', async () => {
    const headers = { accept: 'text/xml' };
    const stranger = await desk.as('anonymous').get('/Persons', headers);
    expect([stranger.status, stranger.headers['content-type']]).toEqual([401, 'text/xml']);
    const body = 'x'.repeat(2 * 1024);
    const type = { ...headers, 'content-encoding': 'br' };
    const coded = await desk.send('POST', '/Persons', { body, headers: type });
    expect([coded.status, coded.headers['content-type']]).toEqual([415, 'text/xml']);
    const option = await desk.send('POST', '/Persons?$format=atom', {
      body,
      headers: { 'content-encoding': 'br' },
    });
    expect(option.headers['content-type']).toBe('application/atom+xml');
  });
});

describe('What is unknown', () => {
  it('headers, preferences and custom options do not disturb', async () => {
    const answer = await desk.get(`${one}&custom=3&debug&x=%26`, {
      'x-anything': '1',
      prefer: 'strange=5, odata.unheard-of; a=b, other',
    });
    expect([answer.status, answer.json.Uid]).toEqual([200, CALLER]);
    expect(answer.headers['preference-applied']).toBeUndefined();
  });

  it('annotations in bodies do not disturb', async () => {
    const answer = await zoo.send('POST', '/Oddities', {
      headers: { prefer: 'strange' },
      body: {
        '@odata.context': 'anything',
        '@odata.unheardOf': 1,
        '@My.Term': { a: [1] },
        'Name@My.Term': 2,
        Name: 'Annotated',
      },
    });
    expect([answer.status, answer.json.Name]).toEqual([201, 'Annotated']);
    expect(answer.text).not.toContain('My.Term');
    expect((await zoo.send('DELETE', `/Oddities(${answer.json.Id})`)).status).toBe(204);
  });

  it.each([
    ['$foo=1', 400],
    ['$top=x', 400],
    ['$levels=2', 400],
    ['$apply=nonsense(1)', 400],
  ])('?%s is refused with %i, not ignored', async (query, status) => {
    const { status: given, json } = await ask(desk, 'Persons', query);
    expect([given, json.error.message]).toEqual([status, expect.stringMatching(/./)]);
  });
});

describe('Both spellings of preferences and headers', () => {
  it.each([
    ['maxpagesize=1', 'maxpagesize=1'],
    ['odata.maxpagesize=1', 'odata.maxpagesize=1'],
    ['MaxPageSize="1"', 'MaxPageSize=1'],
    ['track-changes', 'track-changes'],
    ['odata.track-changes', 'odata.track-changes'],
    [
      'odata.include-annotations="*", Omit-Values=nulls',
      'Omit-Values=nulls, odata.include-annotations="*"',
    ],
  ])('Prefer: %s is applied, and named as it is written', async (prefer, applied) => {
    const answer = await desk.get('/Persons?$select=Uid', { prefer });
    expect(answer.headers['preference-applied']).toBe(applied);
    expect(answer.json.value).toHaveLength(/maxpagesize/i.test(prefer) ? 1 : 2);
  });

  it.each(['continue-on-error', 'odata.continue-on-error'])(
    'Prefer: %s lets a batch go on',
    async (prefer) => {
      const requests = ['Nothing', 'Persons?$top=1'].map((url, at) => ({
        id: String(at),
        method: 'get',
        url,
      }));
      const answer = await desk.send('POST', '/$batch', {
        headers: { prefer },
        body: { requests },
      });
      expect(answer.json.responses.map((part: { status: number }) => part.status)).toEqual([
        404, 200,
      ]);
      expect(answer.headers['preference-applied']).toBe(prefer);
    },
  );

  it.each([
    ['isolation', 'snapshot', 412],
    ['odata-isolation', 'snapshot', 412],
    ['isolation', 'wild', 400],
  ])('%s: %s gives %i', async (header, value, status) => {
    expect((await desk.get(one, { [header]: value })).status).toBe(status);
  });
});

describe('Both syntaxes, whatever the version', () => {
  it.each([
    ["Diet eq Odd.Zoo.Diet'Everything'", ['Nemo']],
    ["Diet eq Odd.Zoo.Diet'2'", ['Nemo']],
    ["Diet eq 'Everything'", ['Nemo']],
    ["Skills has Odd.Zoo.Skills'Swims'", ['Nemo']],
    ["Born sub 2020-02-28 eq duration'P1D'", ['Polly']],
    ["Born sub 2020-02-28 eq 'P1D'", ['Polly']],
    ["cast('4',Edm.Int64) eq Number", ['Rex']],
    ["Born eq cast('2015-01-01',Edm.Date)", ['Rex']],
    ['Species eq null', ['Rex']],
    ["Name in ('Rex','Nemo')", ['Nemo', 'Rex']],
    ['Number divby 2 eq 1.5', ['Nemo']],
    ["substring(Name,-2) eq 'ex'", ['Rex']],
    ['Weight GT 1 AND Not Tame', ['Rex']],
    ["StartsWith(Name,'P')", ['Polly']],
  ])('$filter=%s', async (filter, expected) => {
    for (const version of ['4.0', '4.01']) {
      const answer = await zoo.get(`/Animals?filter=${encodeURIComponent(filter)}&SELECT=Name`, {
        'odata-maxversion': version,
      });
      expect(answer.json.value.map((item: { Name: string }) => item.Name)).toEqual(expected);
    }
  });

  it('parameters and keys are given as aliases; parentheses and namespaces may be left out', async () => {
    expect((await zoo.get('/Sum(a=@x,b=@y)?@x=4&@y=1')).json.value).toBe(5);
    expect((await zoo.get('/Sum?a=4')).json.value).toBe(4);
    expect((await zoo.get('/Self')).status).toBe(204);
    expect((await zoo.get('/Animals/Grown(least=50)/$count')).text).toBe('1');
    expect((await ask(zoo, 'AllSpecies(@k)', "@k='Aves'")).json.Title).toBe('Birds');
    expect(await column(zoo, 'Animals', "$filter=Name eq @n&@n='Rex'", 'Name')).toEqual(['Rex']);
  });
});

describe('Search, casts and collections', () => {
  it('$search finds words, with $filter and $count', async () => {
    const answer = await ask(zoo, 'Animals', '$search=Polly OR wild&$filter=Tame&$count=true');
    expect(answer.json['@odata.count']).toBe(1);
    expect(answer.json.value).toMatchObject([{ Name: 'Polly' }]);
  });

  it('any and all work on relations and on collections of values', async () => {
    const animals = async (filter: string) =>
      await column(zoo, 'Animals', `$filter=${filter}`, 'Name');
    expect(await animals("Keepers/any(k:k/Name eq 'Bob')")).toEqual(['Polly']);
    expect(await animals("Keepers/all(k:k/Name eq 'Bob')")).toEqual(['Chick', 'Nemo', 'Rex']);
    expect(await animals("Nicknames/any(n:n eq 'Pol')")).toEqual(['Polly']);
    expect(await animals("Nicknames/all(n:n eq 'Pol')")).toEqual(['Chick', 'Nemo', 'Rex']);
  });

  it('/$count counts sets, relations and collections of values', async () => {
    expect((await zoo.get('/Animals/$count')).text).toBe('4');
    expect((await zoo.get('/Animals(Number=1)/Keepers/$count')).text).toBe('2');
    expect((await zoo.get('/Animals(Number=1)/Nicknames/$count')).text).toBe('2');
  });

  it('$expand takes casts before and behind the relation, /$ref, /$count and nested options', async () => {
    const { json } = await ask(
      zoo,
      'Enclosures',
      '$select=Name&$expand=Animals/Odd.Zoo.Fish($select=Name)&$orderby=Name',
    );
    expect(json.value).toMatchObject([{ Animals: [] }, { Animals: [{ Name: 'Nemo' }] }]);
    const counted = await ask(zoo, 'Enclosures', '$expand=Animals/$count&$orderby=Name');
    expect(
      counted.json.value.map((item: Record<string, unknown>) => item['Animals@odata.count']),
    ).toEqual([2, 1]);
    const searched = await ask(
      zoo,
      'Animals(Number=1)',
      '$expand=Keepers($search=Ann;$select=Name),Children($levels=2;$select=Name)',
    );
    expect(searched.json).toMatchObject({
      Keepers: [{ Name: 'Ann' }],
      Children: [{ Name: 'Chick', Children: [] }],
    });
  });

  it('$select takes $filter, $orderby, $count, $skip and $top for collections, and a nested $select', async () => {
    const { json } = await ask(
      zoo,
      'Animals(Number=1)',
      '$select=Nicknames($orderby=$this desc;$count=true;$skip=1;$top=1),Habits($filter=TimesADay gt 2;$select=Name)',
    );
    expect(json).toMatchObject({
      'Nicknames@odata.count': 2,
      Nicknames: ['Pol'],
      Habits: [{ Name: 'Sings' }],
    });
    expect(json.Habits[0]).not.toHaveProperty('TimesADay');
  });

  it('the count of a filtered or searched collection stands in expressions', async () => {
    const enclosures = async (filter: string) =>
      await column(zoo, 'Enclosures', `$filter=${filter}`, 'Name');
    expect(await enclosures('Animals/$count($filter=Tame) eq 1')).toEqual(['Aviary']);
    expect(await enclosures('Animals/$count($search=Nemo) gt 0')).toEqual(['Pond']);
  });
});
