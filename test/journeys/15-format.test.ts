// This file reads answers in every format and metadata level. OData JSON Format 4.01.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask } from './query.ts';
import { CALLER, HISTORY_LINE, ORGANIZATION, REQUEST } from './records.ts';
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

const CURRENT = { 'odata-maxversion': '4.01' };

describe('Content-Type', () => {
  it.each([
    ['application/json', 'application/json; odata.metadata=minimal'],
    ['*/*', 'application/json; odata.metadata=minimal'],
    ['application/json;odata.metadata=full', 'application/json; odata.metadata=full'],
    ['application/json;metadata=none', 'application/json; odata.metadata=none'],
    ['application/json;ODATA.Metadata=FULL', 'application/json; odata.metadata=full'],
    [
      'application/json;IEEE754Compatible=true',
      'application/json; odata.metadata=minimal; IEEE754Compatible=true',
    ],
    [
      'application/json;odata.streaming=true',
      'application/json; odata.metadata=minimal; odata.streaming=true',
    ],
    [
      'application/json;charset=UTF-8;ExponentialDecimals=true;IEEE754Compatible=true;odata.streaming=true;odata.metadata=none',
      'application/json; odata.metadata=none; odata.streaming=true; IEEE754Compatible=true; ExponentialDecimals=true; charset=utf-8',
    ],
    ['application/xml', 'application/xml'],
    ['text/xml;charset=utf-8', 'text/xml; charset=utf-8'],
    ['application/atom+xml', 'application/atom+xml'],
    ['application/atom+xml;type=entry;charset=utf-8', 'application/atom+xml; charset=utf-8'],
  ])('Accept: %s gives %s', async (accept, type) => {
    const answer = await desk.get(`/Persons(${CALLER})`, { accept });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
  });

  it.each([
    ['', '/Persons/$count', 'text/plain'],
    ['utf-8', '/Persons/$count', 'text/plain; charset=utf-8'],
    ['utf-8', '/$metadata', 'application/xml; charset=utf-8'],
    ['utf-8', '/$metadata?$format=json', 'application/json; charset=utf-8'],
    ['', '', 'application/json; odata.metadata=minimal'],
    ['', '/Persons(0)', 'application/json; odata.metadata=minimal'],
    ['', '/Persons', 'application/json; odata.metadata=minimal'],
  ])('with Accept-Charset "%s", %s is %s', async (charset, path, type) => {
    const headers = charset === '' ? {} : { 'accept-charset': charset };
    expect((await desk.get(path, headers)).headers['content-type']).toBe(type);
  });

  it('is written the same in the parts of a batch', async () => {
    const requests = [
      { id: '1', method: 'get', url: 'Persons?$top=1' },
      { id: '2', method: 'get', url: 'Nothing' },
    ];
    const answer = await desk.send('POST', '/$batch', { body: { requests } });
    const types = answer.json.responses.map(
      (part: { headers: Record<string, string> }) => part.headers['content-type'],
    );
    const type = 'application/json; odata.metadata=minimal';
    expect([answer.headers['content-type'], ...types].slice(0, 2)).toEqual([type, type]);
  });

  it('names the level without prefix in 4.01', async () => {
    const answer = await desk.get('/Persons?$top=1', {
      ...CURRENT,
      accept: 'application/json;odata.metadata=full;IEEE754Compatible=true',
    });
    expect(answer.headers['content-type']).toBe(
      'application/json; metadata=full; IEEE754Compatible=true',
    );
  });
});

describe('Metadata levels', () => {
  const names = async (level: string) => {
    const accept = `application/json;odata.metadata=${level}`;
    const path = '/Keepers?$count=true&$orderby=Id&$select=Id,Badge&$expand=Boss($select=Id)';
    const { json } = await zoo.get(path, { accept, prefer: 'maxpagesize=2' });
    return [Object.keys(json), Object.keys(json.value[1]), json];
  };

  it('none keeps the count and the next link only', async () => {
    const [outer, inner, json] = await names('none');
    expect(outer).toEqual(['@odata.count', 'value', '@odata.nextLink']);
    expect(inner).toEqual(['Id', 'Badge', 'Boss']);
    expect(Object.keys(json.value[1].Boss)).toEqual(['Id']);
  });

  it('minimal adds the context and ETags', async () => {
    const [outer, inner] = await names('minimal');
    expect(outer).toEqual(['@odata.context', '@odata.count', 'value', '@odata.nextLink']);
    expect(inner).toEqual(['@odata.etag', 'Id', 'Badge', 'Boss']);
  });

  it('full adds types, ids and links', async () => {
    const [, inner, json] = await names('full');
    expect(inner).toEqual(
      expect.arrayContaining([
        '@odata.type',
        '@odata.id',
        '@odata.etag',
        '@odata.editLink',
        'Badge@odata.type',
        'Boss@odata.navigationLink',
        'Boss@odata.associationLink',
      ]),
    );
    const row = json.value[1];
    expect(row['@odata.type']).toBe('#Odd.Zoo.Keeper');
    expect(row['Badge@odata.type']).toBe('#Int32');
    expect(row['@odata.id']).toBe(`${zoo.root}Keepers(${row.Id})`);
    expect(row['Boss@odata.navigationLink']).toBe(`${zoo.root}Keepers(${row.Id})/Boss`);
    expect(row['Boss@odata.associationLink']).toBe(`${zoo.root}Keepers(${row.Id})/Boss/$ref`);
  });

  it('links that full tells lead where they say', async () => {
    const accept = 'application/json;odata.metadata=full';
    const { json } = await zoo.get('/Animals(Number=1)', { accept });
    const links = Object.entries(json).filter(([name]) =>
      /(?:editLink|navigationLink|associationLink|@odata\.id)$/.test(name),
    );
    expect(links.length).toBeGreaterThan(10);
    for (const [name, link] of links) {
      expect([name, (await zoo.get(String(link))).status]).toEqual([
        name,
        expect.toSatisfy((status: number) => status === 200 || status === 204),
      ]);
    }
  });
});

describe('Context URLs', () => {
  const request = `ServiceRequests(${REQUEST})`;
  it.each([
    ['', ''],
    ['ServiceRequests?$top=1', '#ServiceRequests'],
    [request, '#ServiceRequests/$entity'],
    ['Me', '#Persons/$entity'],
    [`${request}/Caller`, '#Persons/$entity'],
    [`${request}/HistoryLines`, `#${request}/HistoryLines`],
    [`${request}/HistoryLines(${HISTORY_LINE})`, `#${request}/HistoryLines/$entity`],
    [`${request}/Workorders?$select=Uid`, '#Workorders(Uid)'],
    ['ServiceRequests?$top=1&$select=Uid,Status', '#ServiceRequests(Uid,Status)'],
    [`${request}?$select=Uid`, '#ServiceRequests(Uid)/$entity'],
    [
      `${request}?$select=Uid&$expand=Caller($select=Uid,Name)`,
      '#ServiceRequests(Uid,Caller(Uid,Name))/$entity',
    ],
    [`Persons(${CALLER})/Name`, `#Persons(${CALLER})/Name`],
    [`${request}/Status`, `#${request}/Status`],
    [`${request}/Status/Value`, `#${request}/Status/Value`],
    [`${request}/Caller/$ref`, '#$ref'],
    [`${request}/Workorders/$ref`, '#Collection($ref)'],
    ['$all?$search=printer', '#Collection(Edm.EntityType)'],
    ['$crossjoin(Persons,Workgroups)', '#Collection(Edm.ComplexType)'],
    [
      'ServiceRequests?$apply=groupby((Status/Value),aggregate($count as N))',
      '#ServiceRequests(Status(Value),N)',
    ],
  ])('%s has the context $metadata%s', async (path, context) => {
    const [at = '', query = ''] = path.split(/\?(.*)/s);
    const { text, json } = await ask(desk, at, query);
    expect(json['@odata.context']).toBe(`${desk.root}$metadata${context}`);
    expect(text.startsWith('{"@odata.context"')).toBe(true);
  });

  it.each([
    ['Animals/Odd.Zoo.Bird', '#Animals/Odd.Zoo.Bird'],
    ['Animals(Number=1)/Odd.Zoo.Parrot', '#Animals/Odd.Zoo.Parrot/$entity'],
    ['Sum(a=1)', '#Edm.Decimal'],
    ['Animals(Number=1)/Nicknames/0', '#Edm.String'],
    ["Enclosures(Wing='A',Number=1)/Feedings", "#Enclosures(Wing='A',Number=1)/Feedings"],
  ])('%s has the context $metadata%s', async (path, context) => {
    expect((await zoo.get(`/${path}`)).json['@odata.context']).toBe(
      `${zoo.root}$metadata${context}`,
    );
  });

  it('expanded relations are listed in 4.01 always, in 4.0 where something is selected in them', async () => {
    const path = '/ServiceRequests?$top=1&$expand=Caller';
    expect((await desk.get(path)).json['@odata.context']).toBe(
      `${desk.root}$metadata#ServiceRequests`,
    );
    expect((await desk.get(path, CURRENT)).json['@context']).toBe(
      `${desk.root}$metadata#ServiceRequests(Caller())`,
    );
  });
});

describe('Values', () => {
  it('null is written, and empty collections', async () => {
    const { json } = await zoo.get('/Animals(Number=4)');
    expect(json).toMatchObject({ Care: null, Mood: null, Nicknames: [], Habits: [] });
  });

  it('each type has its form', async () => {
    const { json } = await zoo.get('/Samples?$top=1');
    expect(json.value[0]).toMatchObject({
      Bytes: 'AAEC',
      Tag: '01234567-89ab-cdef-0123-456789abcdef',
      Day: '2026-03-29',
      Moment: '2026-03-29T01:30:00.000Z',
      Clock: '12:34:56.789',
      Span: 'P1DT2H3M4.5S',
    });
    const animals = await zoo.get('/Animals?$select=Name,Skills,Diet');
    expect(animals.json.value[0]).toMatchObject({ Skills: 'Runs,Flies', Diet: 'Plants' });
    const place = await zoo.get("/Enclosures(Wing='A',Number=1)/Place");
    expect(place.json).toMatchObject({ value: { type: 'Point', coordinates: [4.9, 52.37] } });
  });

  it('large numbers are exact, as numbers and as strings; the count goes with them', async () => {
    const path = '/Samples?$top=1&$count=true&$select=Big,Exact';
    expect((await zoo.get(path)).text).toMatch(
      /"@odata.count":2,.*"Big":9223372036854775807,"Exact":12345678901234.5678/,
    );
    const accept = 'application/json;IEEE754Compatible=true';
    expect((await zoo.get(path, { accept })).text).toMatch(
      /"@odata.count":"2",.*"Big":"9223372036854775807","Exact":"12345678901234.5678"/,
    );
  });

  it('numbers in requests may be strings where the request says so, and go both ways exactly', async () => {
    const made = await zoo.send('POST', '/Samples', {
      headers: { 'content-type': 'application/json;IEEE754Compatible=true' },
      body: '{"Big":"-9223372036854775807","Exact":"-1234567890123456.7891","Double":"-INF","Free":"1E-5"}',
    });
    expect(made.status).toBe(201);
    expect(made.text).toContain('"Big":-9223372036854775807,');
    expect(made.text).toContain('"Exact":-1234567890123456.7891,');
    expect(made.json.Double).toBe('-INF');
    expect(made.text).toContain('"Free":0.00001,');
    expect(
      (await zoo.send('DELETE', String(made.headers.location).replace(zoo.root, '/'))).status,
    ).toBe(204);
  });

  it('NaN and INF are strings', async () => {
    const { json } = await zoo.get("/Samples?$filter=Words eq 'empty'&$select=Double");
    expect(json.value[0].Double).toBe('NaN');
  });

  it('omit-values=nulls leaves nulls out, and says so', async () => {
    const answer = await zoo.get('/Animals(Number=4)', { prefer: 'omit-values=nulls' });
    expect(answer.headers['preference-applied']).toBe('omit-values=nulls');
    expect(Object.values(answer.json)).not.toContain(null);
    expect(answer.json.Name).toBe('Rex');
  });
});

describe('Annotations', () => {
  it('have a prefix in 4.0 and none in 4.01, with # before types', async () => {
    const old = await zoo.get('/Animals?$top=1');
    expect(old.json.value[0]['@odata.type']).toBe('#Odd.Zoo.Parrot');
    const current = await zoo.get('/Animals?$top=1', CURRENT);
    expect(current.json.value[0]['@type']).toBe('#Odd.Zoo.Parrot');
    expect(current.text).not.toContain('odata.');
  });

  it('both forms are read, whatever the version', async () => {
    for (const type of ['@odata.type', '@type']) {
      const made = await zoo.send('POST', '/Animals', {
        headers: { 'odata-version': '4.01' },
        body: { Name: 'Tweety', [type]: '#Odd.Zoo.Bird', Wingspan: 0.1 },
      });
      expect([made.status, made.json['@odata.type']]).toEqual([201, '#Odd.Zoo.Bird']);
      await zoo.send('DELETE', String(made.headers.location).replace(zoo.root, '/'));
    }
  });

  it.each(['#Odd.Zoo.Nothing', '#Odd.Zoo.Keeper'])(
    'the type %s does not fit: 400',
    async (type) => {
      const answer = await zoo.send('POST', '/Animals', {
        body: { '@odata.type': type, Name: 'Wrong' },
      });
      expect([answer.status, answer.json.error.target]).toEqual([400, '@odata.type']);
    },
  );

  it('stand directly before their property', async () => {
    for (const headers of [{}, CURRENT]) {
      const { json } = await zoo.get('/Animals(Number=1)', {
        ...headers,
        accept: 'application/json;metadata=full',
      });
      const keys = Object.keys(json);
      const typed = keys.filter((key) => /^\w+@(?:odata\.)?type$/.test(key));
      expect(typed.length).toBeGreaterThan(5);
      for (const key of typed) expect(keys[keys.indexOf(key) + 1]).toBe(key.split('@')[0]);
    }
  });

  it('the order of members in a request does not matter', async () => {
    const made = await zoo.send('POST', '/Animals', {
      body: '{"Wingspan":0.25,"Name":"Reverse","@odata.type":"#Odd.Zoo.Bird"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([made.status, made.json.Wingspan]).toEqual([201, 0.25]);
    await zoo.send('DELETE', String(made.headers.location).replace(zoo.root, '/'));
  });

  it('streaming=true is kept: context, type, id and ETag come first', async () => {
    const { json } = await zoo.get('/Animals?$select=Name&$top=1&$count=true', {
      accept: 'application/json;odata.streaming=true',
    });
    expect(Object.keys(json)).toEqual(['@odata.context', '@odata.count', 'value']);
    expect(Object.keys(json.value[0])).toEqual(['@odata.type', '@odata.id', '@odata.etag', 'Name']);
  });

  it('a record has its id where its key is not selected, and null where it is made up', async () => {
    const { json } = await zoo.get('/Keepers?$select=Name&$top=1');
    expect((await zoo.get(json.value[0]['@odata.id'])).json.Name).toBe(json.value[0].Name);
    const made = await ask(zoo, 'Animals', '$apply=aggregate($count as N)');
    expect(made.json.value).toEqual([{ '@odata.id': null, 'N@odata.type': '#Decimal', N: 4 }]);
  });
});

describe('Operations', () => {
  it('that a record has are told under full metadata, and only there', async () => {
    const accept = 'application/json;odata.metadata=full';
    const { json } = await zoo.get('/Animals(Number=4)', { accept });
    expect(json['#Odd.Zoo.Feed']).toEqual({
      title: 'Feed',
      target: `${zoo.root}Animals(${json.Id})/Odd.Zoo.Feed`,
    });
    const { target } = json['#Odd.Zoo.Mates'];
    expect([200, 204]).toContain((await zoo.get(target)).status);
    expect((await zoo.get('/Animals(Number=4)')).text).not.toContain('#Odd.Zoo.Feed');
  });
});

describe('Errors', () => {
  it('have a code and a message, in the language they are in, and nothing from inside', async () => {
    const answer = await desk.get('/Persons?$filter=Nothing eq 1');
    expect(answer.json).toEqual({
      error: {
        code: expect.stringMatching(/./),
        message: expect.stringMatching(/./),
        target: '$filter',
      },
    });
    expect(answer.headers['content-language']).toBe('en');
    expect(answer.text).not.toMatch(/\.ts\b|node_modules|SELECT /);
  });

  it('are XML for those who read XML', async () => {
    const answer = await desk.get('/Nothing', { accept: 'application/xml' });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      404,
      expect.stringContaining('application/xml'),
    ]);
    expect(answer.text).toContain('<m:code>');
  });
});

describe('Atom', () => {
  const atom = { accept: 'application/atom+xml' };
  it('a page is a feed, a record an entry, a value an element, the root a service', async () => {
    const feed = await desk.get('/Persons?$top=1&$count=true', atom);
    expect(feed.text).toMatch(/<feed [^>]*m:context="[^"]*\$metadata#Persons"/);
    expect(feed.text).toContain('<m:count>2</m:count>');
    const entry = await desk.get(`/Organizations(${ORGANIZATION})`, atom);
    expect(entry.text).toMatch(/<entry [^>]*m:etag="W\/&quot;1&quot;"/);
    expect(entry.text).toContain(`<id>${desk.root}Organizations(${ORGANIZATION})</id>`);
    expect((await desk.get(`/Persons(${CALLER})/Name`, atom)).text).toMatch(
      /<m:value .*O'Neil, Zoë<\/m:value>/,
    );
    expect((await desk.get('', atom)).text).toContain('<app:collection href="Persons"');
  });
});
