// This file reads collections and records. OData 4.01 Protocol, "Requesting Data".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { entityTag } from './etags.ts';
import { BARE_REQUEST, CALLER, FIRST_OF_MANY, MANY, RECORDS, REQUEST } from './records.ts';

const REQUESTS = RECORDS.filter((record) => record.set === 'ServiceRequests').length;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const uids = (json: { value: { Uid: number }[] }) => json.value.map((item) => item.Uid);

describe('Reading collections', () => {
  it('a page has 20 records by default, and leads to the next one', async () => {
    const { status, json } = await desk.get('/ServiceRequests');
    expect(status).toBe(200);
    expect(json['@odata.context']).toBe(`${desk.root}$metadata#ServiceRequests`);
    expect(json.value).toHaveLength(20);
    expect(json['@odata.nextLink']).toContain('$skiptoken=');
  });

  it('next links lead through all records, each once, and end', async () => {
    const seen: number[] = [];
    let next: string | undefined =
      `${desk.root}ServiceRequests?$select=Uid&$orderby=Priority/Value desc,Status/Text`;
    let pages = 0;
    while (next !== undefined) {
      const { json } = await desk.get(next);
      seen.push(...uids(json));
      next = json['@odata.nextLink'];
      pages++;
    }
    expect(new Set(seen).size).toBe(REQUESTS);
    expect(seen).toHaveLength(REQUESTS);
    expect(pages).toBe(Math.ceil(REQUESTS / 20));
  });

  it('$top=n gives up to n records; 250 at most in a page', async () => {
    expect(uids((await desk.get('/ServiceRequests?$top=3')).json)).toHaveLength(3);
    expect((await desk.get('/ServiceRequests?$top=3')).json).not.toHaveProperty('@odata.nextLink');
    const first = (await desk.get('/ServiceRequests?$top=260&$select=Uid')).json;
    expect(first.value).toHaveLength(250);
    const second = (await desk.get(first['@odata.nextLink'])).json;
    expect(second.value).toHaveLength(10);
    expect(second).not.toHaveProperty('@odata.nextLink');
  });

  it('$skip=n leaves out the first n records', async () => {
    const all = uids((await desk.get('/ServiceRequests?$top=10&$select=Uid')).json);
    expect(uids((await desk.get('/ServiceRequests?$top=5&$skip=5&$select=Uid')).json)).toEqual(
      all.slice(5),
    );
    expect((await desk.get('/ServiceRequests?$skip=100000')).json.value).toEqual([]);
  });

  it('$count=true adds the total number, whatever the page', async () => {
    const { json } = await desk.get('/ServiceRequests?$count=true&$top=1');
    expect(json['@odata.count']).toBe(REQUESTS);
    expect((await desk.get('/ServiceRequests?$top=0&$count=true')).json).toMatchObject({
      '@odata.count': REQUESTS,
      value: [],
    });
    const filtered = await desk.get(`/ServiceRequests?$count=true&$filter=Uid lt ${FIRST_OF_MANY}`);
    expect(filtered.json['@odata.count']).toBe(REQUESTS - MANY);
  });

  it('Prefer: maxpagesize makes pages smaller, and is told', async () => {
    const answer = await desk.get('/ServiceRequests?$select=Uid', {
      prefer: 'odata.maxpagesize=7',
    });
    expect(answer.json.value).toHaveLength(7);
    expect(answer.headers['preference-applied']).toContain('maxpagesize=7');
  });

  it('without options: all properties, no relation', async () => {
    const { json } = await desk.get('/ServiceRequests?$top=1');
    expect(json.value[0]).toMatchObject({
      Uid: REQUEST,
      Description: 'Printer "Laser 4" is on fire',
      Solution: null,
    });
    expect(json.value[0]).not.toHaveProperty('Caller');
    expect(json.value[0]['@odata.etag']).toBe('W/"1"');
  });

  it('$select gives the named properties only', async () => {
    const { json } = await desk.get('/ServiceRequests?$top=1&$select=Uid,Status');
    expect(json['@odata.context']).toBe(`${desk.root}$metadata#ServiceRequests(Uid,Status)`);
    expect(Object.keys(json.value[0]).filter((name) => !name.startsWith('@'))).toEqual([
      'Uid',
      'Status',
    ]);
  });

  it('$expand inlines a relation of any multiplicity; nested $select and $expand; all fields where none is selected', async () => {
    const { json } = await desk.get(
      `/ServiceRequests(${REQUEST})?$expand=Caller($select=Name;$expand=Organization($select=Name1)),Workorders($select=Description),Attachments`,
    );
    expect(json.Caller).toMatchObject({ Name: "O'Neil, Zoë", Organization: { Name1: 'Hillside' } });
    expect(json.Workorders.map((item: { Description: string }) => item.Description)).toEqual([
      'Bring a fire extinguisher',
      'Order a new printer',
    ]);
    expect(json.Attachments).toEqual([]);
    expect(json).toHaveProperty('Solution', null);
    const bare = await desk.get(`/ServiceRequests(${BARE_REQUEST})?$expand=Caller,Workorders`);
    expect(bare.json).toMatchObject({ Caller: null, Workorders: [] });
  });

  it('$expand reaches references inside complex values', async () => {
    const { json } = await desk.get(
      `/ServiceRequests(${REQUEST})?$expand=Assignment/AssigneePerson($select=Name)`,
    );
    expect(json.Assignment.AssigneePerson).toMatchObject({ Name: '山田, 健' });
  });

  it('$top goes together with $select and $expand', async () => {
    const { json } = await desk.get(
      '/ServiceRequests?$top=2&$select=Uid,Description&$expand=Caller($select=Email)',
    );
    expect(json.value).toHaveLength(2);
    expect(json.value[0].Caller).toMatchObject({ Email: 'Zoe@Example.org' });
  });

  it('a navigation property in $select is refused, and $expand named', async () => {
    const { status, json } = await desk.get('/ServiceRequests?$select=Uid,Caller');
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      target: '$select',
      message: expect.stringMatching(/Caller.*\$expand/),
    });
  });

  it('$select beside $expand must name Uid', async () => {
    const { status, json } = await desk.get('/ServiceRequests?$select=Description&$expand=Caller');
    expect(status).toBe(400);
    expect(json.error.message).toContain('Uid');
  });
});

describe('Reading one record', () => {
  it('Set(uid) addresses a record; the singular name, a named key, a suffix L work as well', async () => {
    for (const path of [
      `ServiceRequests(${REQUEST})`,
      `ServiceRequest(${REQUEST})`,
      `ServiceRequests(Uid=${REQUEST})`,
      `ServiceRequests(${REQUEST}L)`,
      `ServiceRequests(${REQUEST})/`,
    ]) {
      const answer = await desk.get(`/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.json).toMatchObject({
        '@odata.context': `${desk.root}$metadata#ServiceRequests/$entity`,
        Uid: REQUEST,
      });
      expect(entityTag(answer.headers.etag)).toBe('W/"1"');
    }
  });

  it('shows codes with their text and value, in the language asked for', async () => {
    const path = `/ServiceRequests(${REQUEST})?$select=Status`;
    const english = await desk.get(path);
    expect(english.json.Status).toEqual({ Text: 'In progress', Value: 101003 });
    const dutch = await desk.get(path, { 'accept-language': 'nl-BE,nl;q=0.8,en;q=0.5' });
    expect(dutch.json.Status).toMatchObject({ Value: 101003 });
    expect(dutch.json.Status.Text).not.toBe('In progress');
    expect(dutch.headers['content-language']).toBe('nl');
  });

  it('gives a record again only when it has changed', async () => {
    const path = `/ServiceRequests(${REQUEST})`;
    const { etag } = (await desk.get(path)).headers;
    const answer = await desk.get(path, { 'if-none-match': String(etag) });
    expect([answer.status, answer.text]).toEqual([304, '']);
  });

  it.each([
    ['/ServiceRequests(987654)', 404],
    ['/ServiceRequest', 404],
    ['/servicerequests', 404],
    ['/Nothing', 404],
    ['/ServiceRequests(abc)', 400],
    ["/ServiceRequests('10')", 400],
    ['/ServiceRequests(1,2)', 400],
    ['/ServiceRequests(ID=)', 400],
    [`/ServiceRequests(${REQUEST})/Nothing`, 404],
  ])('GET %s: %i with an error body', async (path, status) => {
    const answer = await desk.get(path);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatchObject({
      code: expect.stringMatching(/./),
      message: expect.stringMatching(/./),
    });
  });

  it.each([
    ['$top=-1', '$top'],
    ['$top=many', '$top'],
    ['$skip=1.5', '$skip'],
    ['$count=maybe', '$count'],
    ['$foo=1', '$foo'],
    ['$filter=Descripton eq null', '$filter'],
    ['$filter=ID eq', '$filter'],
    ["$filter=ID eq 'x'", '$filter'],
    ['$select=Nonsense', '$select'],
    ['$expand=Description', '$expand'],
    ['$orderby=Caller', '$orderby'],
    ['$top=1&$top=2', '$top'],
    ['$filter=Status eq 5', '$filter'],
  ])('?%s is refused with 400 and target %s', async (query, target) => {
    const { status, json } = await desk.get(`/ServiceRequests?${query}`);
    expect([status, json.error?.target]).toEqual([400, target]);
  });

  it('a misspelt property is answered with the nearest name', async () => {
    expect(
      (await desk.get('/ServiceRequests?$filter=Descripton eq null')).json.error.message,
    ).toContain('"Description"');
  });
});

describe('Filtering and ordering', () => {
  it.each([
    [`Uid eq ${REQUEST}`, [REQUEST]],
    [`Uid lt ${FIRST_OF_MANY} and Caller eq null`, [BARE_REQUEST]],
    ["Caller/LastName eq 'O''Neil'", [REQUEST]],
    ["Caller/Organization/Name1 eq 'Hillside'", [REQUEST]],
    [`Assignment/AssigneePerson/Uid ne null`, [REQUEST]],
    ["Status/Text eq 'In progress'", [REQUEST]],
    ['Status/Value in (101001,101003)', [REQUEST, BARE_REQUEST]],
    ["contains(Description,'on fire') and startswith(Description,'Printer')", [REQUEST]],
    ["tolower(Description) eq 'nothing else is known'", [BARE_REQUEST]],
    ['Deadline ge 2026-03-30T16:30:00+02:00', [REQUEST]],
    ['year(Deadline) eq 2026 and month(Deadline) eq 3', [REQUEST]],
    ['ID add 1 eq 1003 and ID mul 2 gt 10', [BARE_REQUEST]],
    ["Workorders/any(w:w/Status/Text eq 'In progress')", [REQUEST]],
    [`Workorders/$count gt 1`, [REQUEST]],
    [`not (Uid ge ${FIRST_OF_MANY}) and length(Information) gt 5`, [REQUEST]],
  ])('$filter=%s', async (filter, expected) => {
    const { status, json } = await desk.get(
      `/ServiceRequests?$select=Uid&$filter=${encodeURIComponent(filter)}`,
    );
    expect([status, json.value && uids(json)]).toEqual([200, expected]);
  });

  it('$orderby sorts by paths and expressions, null first, with a stable order behind', async () => {
    const { json } = await desk.get(
      '/ServiceRequests?$select=Uid&$top=3&$orderby=Deadline desc,ID desc',
    );
    expect(uids(json)).toEqual([REQUEST, FIRST_OF_MANY + MANY - 1, FIRST_OF_MANY + MANY - 2]);
    const byCaller = await desk.get(
      '/ServiceRequests?$select=Uid&$top=1&$orderby=Caller/Name desc',
    );
    expect(uids(byCaller.json)).toEqual([REQUEST]);
  });

  it('templates are found by $filter=Entity/Name eq', async () => {
    const { status, json } = await desk.get("/Templates?$filter=Entity/Name eq 'ServiceRequest'");
    expect([status, json.value]).toEqual([200, []]);
  });
});

describe('Forms of the answer', () => {
  it.each([
    ['none', ['Uid', 'Name']],
    ['minimal', ['@odata.context', '@odata.etag', 'Uid', 'Name']],
  ])('odata.metadata=%s', async (level, names) => {
    const answer = await desk.get(`/Persons(${CALLER})?$select=Uid,Name`, {
      accept: `application/json;odata.metadata=${level}`,
    });
    expect(answer.headers['content-type']).toBe(`application/json; odata.metadata=${level}`);
    expect(Object.keys(answer.json)).toEqual(names);
  });

  it('odata.metadata=full has id, type, edit link and navigation links', async () => {
    const { json } = await desk.get(`/Persons(${CALLER})`, {
      accept: 'application/json;odata.metadata=full',
    });
    expect(json).toMatchObject({
      '@odata.id': `${desk.root}Persons(${CALLER})`,
      '@odata.type': '#Service.Web.OData.Model.Person',
      '@odata.editLink': expect.stringContaining(`Persons(${CALLER})`),
      'Organization@odata.navigationLink': expect.stringContaining(
        `Persons(${CALLER})/Organization`,
      ),
    });
  });

  it.each(['application/xml', 'text/xml', 'application/atom+xml'])(
    'Accept: %s gives XML of that type',
    async (type) => {
      const answer = await desk.get(`/Persons(${CALLER})`, { accept: type });
      expect([answer.status, answer.headers['content-type']]).toEqual([
        200,
        expect.stringContaining(type),
      ]);
      expect(answer.text).toContain('<entry');
      expect(answer.text).toContain("O'Neil, Zoë");
    },
  );

  it.each([
    ['image/png', 406],
    ['application/json;odata.metadata=huge', 406],
    ['*/*', 200],
    ['application/json;odata=verbose,text/plain,*/*', 200],
    ['application/json;IEEE754Compatible=true', 200],
  ])('Accept: %s gives %i', async (accept, status) => {
    expect((await desk.get('/Persons?$top=1', { accept })).status).toBe(status);
  });

  it('IEEE754Compatible writes 64-bit integers as strings', async () => {
    const { json } = await desk.get(`/Persons(${CALLER})?$select=Uid`, {
      accept: 'application/json;IEEE754Compatible=true',
    });
    expect(json.Uid).toBe(String(CALLER));
  });
});
