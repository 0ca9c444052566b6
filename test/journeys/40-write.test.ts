// This file writes records as the service contract has it: creating, changing and deleting, by their names there, and what the answers
// say in headers. Values of every sort are in 41-values.test.ts, relations in 50-relate.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { entityTag } from './etags.ts';
import { BARE_REQUEST, CALLER, MEMBER, REQUEST, WORKGROUP } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const MINIMAL = { prefer: 'return=minimal' };
const WHOLE = { prefer: 'return=representation' };
const IEEE754 = 'application/json;IEEE754Compatible=true';
const NEW = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };

const post = async (set: string, body: unknown, headers = {}) =>
  await desk.send('POST', set, { body, headers });
const patch = async (path: string, body: unknown, headers = {}) =>
  await desk.send('PATCH', path, { body, headers });

async function made(set: string, body: unknown): Promise<number> {
  const answer = await post(set, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json.Uid;
}

async function count(set: string): Promise<number> {
  return Number((await desk.get(`${set}/$count`)).text);
}

/** What is told of the mistakes: their codes and targets. */
function told({ json }: DeskAnswer): readonly (readonly [string, string])[] {
  return json.error.details.map((one: { code: string; target: string }) => [one.code, one.target]);
}

describe('Creating', () => {
  it('POST {base_url}/<EntitySet>: 201, the created item including server-assigned values', async () => {
    const answer = await post('/ServiceRequests', { Description: 'No power' });
    expect(answer.status).toBe(201);
    const { Uid, ID, Description, Status, Registration } = answer.json;
    expect(Number.isInteger(Uid) && Number.isInteger(ID)).toBe(true);
    expect(Description).toBe('No power');
    expect(Status).toEqual({ Text: 'Registered', Value: 101001 });
    expect(Registration.CreatedBy).toBe('admin');
    expect(Registration.DateCreated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.json['@odata.context']).toBe(`${desk.root}$metadata#ServiceRequests/$entity`);
    expect(answer.headers['content-type']).toMatch(/^application\/json; odata\.metadata=minimal/);
    expect(answer.headers['odata-version']).toBe('4.0');
  });

  it('Location and ETag: the address of the new record, and its version as @odata.etag has it', async () => {
    const answer = await post('/ServiceRequests', { Description: 'Where am I' });
    const { location, etag } = answer.headers;
    expect(location).toBe(`${desk.root}ServiceRequests(${answer.json.Uid})`);
    expect(etag).toBe(answer.json['@odata.etag']);
    const read = await desk.get(String(location));
    expect(read.status).toBe(200);
    expect(entityTag(read.headers.etag)).toBe(etag);
    expect({ ...read.json }).toEqual(answer.json);
  });

  const RECORD = {
    Description: 'Line 1\n"quoted"',
    Status: { Value: 101001 },
    Priority: { Value: 110001 },
    'Caller@odata.bind': `Persons(${CALLER})`,
  };
  it.each<readonly [string, string, unknown, Readonly<Record<string, string>>]>([
    ['a request', '/ServiceRequests', RECORD, {}],
    ['one with selected members', '/ServiceRequests?$select=Uid,Status,Sla', RECORD, {}],
    ['in another language', '/ServiceRequests', RECORD, { 'accept-language': 'nl' }],
    ['with all metadata', '/ServiceRequests', RECORD, { accept: 'application/json;metadata=full' }],
    ['with texts for numbers', '/ServiceRequests', RECORD, { accept: IEEE754 }],
    [
      'one with a record inside',
      '/ServiceRequests?$expand=Workorders',
      { ...RECORD, Workorders: [{ Description: 'Inside' }] },
      NEW,
    ],
    ['a person', '/Persons', { LastName: 'Read', Gender: { Value: 214001 } }, NEW],
    ['a configuration item', '/ConfigurationItems', { Name1: 'Read back' }, NEW],
  ])('returns the record as a read does: %s', async (_, url, body, headers) => {
    const [set, query] = url.split('?');
    const answer = await post(url, body, headers);
    expect(answer.status, answer.text).toBe(201);
    const address = `${set}(${answer.json.Uid})${query === undefined ? '' : `?${query}`}`;
    const read = await desk.get(address, headers);
    expect(answer.text).toBe(read.text);
  });

  it('rule 1, the body must not contain a key: 400 with the key as target, nothing is stored', async () => {
    const before = await count('/Persons');
    const answer = await post('/Persons', { Uid: 5, LastName: 'Keyed' });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Uid']);
    expect(answer.json.error.message).toContain('Uid');
    expect((await post('/Persons', { Uid: '5', LastName: 'Keyed' })).status).toBe(400);
    expect(await count('/Persons')).toBe(before);
  });

  it.each([
    ['/ServiceRequests', {}, 'Description'],
    ['/ServiceRequests', { Description: null }, 'Description'],
    ['/Organizations', { Name2: 'x' }, 'Name1'],
    ['/EmailServiceRequests', { Body: 'x' }, 'Subject'],
    ['/Locations', {}, 'Name'],
    ['/ConfigurationItems', {}, 'Name1'],
  ])('rule 2, required fields must be there: POST %s %j misses %s', async (set, body, target) => {
    const answer = await post(set, body);
    expect([answer.status, told(answer)]).toEqual([400, [['write.required', target]]]);
    expect(answer.json.error.target).toBe(target);
  });

  it.each<readonly [string, string, unknown, readonly string[]]>([
    ['POST', '/Persons', { LastName: null }, ['Name']],
    ['POST', '/Persons', { Jobtitle: 5, Emial: 'x' }, ['Jobtitle', 'Emial', 'Name']],
    ['POST', '/Persons', { LastName: 5 }, ['LastName']],
    ['POST', '/Persons', { Name: null }, ['Name']],
    ['PUT', `/Persons(${MEMBER})`, { FirstName: 'Only', Phone: 7 }, ['Phone', 'Name']],
    [
      'POST',
      '/ServiceRequests',
      { Caller: { Organization: {} }, Workorders: [{ Assignment: { AssigneePerson: {} } }] },
      [
        'Caller/Organization/Name1',
        'Caller/Name',
        'Workorders[0]/Assignment/AssigneePerson/Name',
        'Workorders[0]/Description',
        'Description',
      ],
    ],
  ])(
    'rule 2, %s %s of %j: a missing name is told with all else',
    async (method, path, body, targets) => {
      const answer = await desk.send(method, path, { body });
      expect(answer.status).toBe(400);
      expect(told(answer).map(([, target]) => target)).toEqual(targets);
    },
  );

  it('what must be unique is told by its path in the body, new or changed', async () => {
    const taken = { LastName: 'Unique', Searchcode: 'TAKEN ONCE' };
    const uid = await made('/Persons', taken);
    const target = async (method: string, path: string, body: unknown) => {
      const { status, json } = await desk.send(method, path, { body, headers: NEW });
      return [status, json.error.code, json.error.target];
    };
    expect(await target('POST', '/Persons', taken)).toEqual([409, 'store.unique', 'Searchcode']);
    const DirectReports = [{ LastName: 'Other' }, taken];
    const inside = [409, 'store.unique', 'DirectReports[1]/Searchcode'];
    for (const LastName of ['First', 'Second', 'Third'])
      expect(await target('POST', '/Persons', { LastName, DirectReports })).toEqual(inside);
    const other = await made('/Persons', { LastName: 'Another' });
    const change = { '@id': `Persons(${other})`, Searchcode: taken.Searchcode };
    expect(await target('PATCH', `/Persons(${uid})`, { Manager: change })).toEqual([
      409,
      'store.unique',
      'Manager/Searchcode',
    ]);
    expect((await desk.get("/Persons/$count?$filter=LastName eq 'Second'")).text).toBe('0');
  });

  it('rule 2, a missing name inside a record says what would do, by its path', async () => {
    const answer = await post('/ServiceRequests', { Description: 'x', Caller: { FirstName: 'A' } });
    expect(told(answer)).toEqual([['write.required', 'Caller/Name']]);
    expect(answer.json.error.message).toContain('send it, or "Caller/LastName"');
  });

  it('rule 2, a person needs a last name or a display name', async () => {
    const before = await count('/Persons');
    const answer = await post('/Persons', { FirstName: 'Only' });
    expect([answer.status, told(answer)]).toEqual([400, [['write.required', 'Name']]]);
    expect(answer.json.error.target).toBe('Name');
    expect(answer.json.error.message).toContain(
      '"Name" of type Edm.String is required but missing; send it, or "LastName", from which the service computes it.',
    );
    expect(await count('/Persons')).toBe(before);
    for (const body of [{ Name: 'Madonna' }, { FirstName: 'Ada', LastName: 'Byron' }])
      expect((await post('/Persons', body)).status).toBe(201);
    const byron = await desk.get("/Persons?$filter=LastName eq 'Byron'&$select=Name,Searchcode");
    expect(byron.json.value[0].Name).toBe('Byron, Ada');
    expect(byron.json.value[0].Searchcode).toMatch(/^BYRON, ADA \d+$/);
  });

  it.each([
    [{ Value: 101003 }],
    [{ Text: 'In progress' }],
    [{ Text: 'in PROGRESS' }],
    [{ Text: 'In behandeling' }],
    [{ Text: 'In progress', Value: 101003 }],
    [{ '@odata.type': '#Service.Web.OData.Model.Code', Value: 101003 }],
    [{ '@odata.type': 'Service.Web.OData.Model.Code', Text: null, Value: '101003' }],
  ])('rule 3, codes by Value, by Text in any language, or by both: %j', async (Status) => {
    const answer = await post('/ServiceRequests', { Description: 'Coded', Status });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.Status).toEqual({ Text: 'In progress', Value: 101003 });
  });

  it.each([
    ['an unknown Value', { Value: 1 }, 'Status/Value'],
    ['a Value of another list', { Value: 110001 }, 'Status/Value'],
    ['an unknown Text', { Text: 'In progres' }, 'Status/Text'],
    ['a Text and a Value that disagree', { Text: 'Closed', Value: 101003 }, 'Status/Value'],
  ])('rule 3, %s is refused and the permitted codes are told', async (_, Status, target) => {
    const answer = await post('/ServiceRequests', { Description: 'Coded', Status });
    expect([answer.status, answer.json.error.target]).toEqual([400, target]);
    expect(answer.text).toContain('101003');
    expect(answer.text).toContain('In progress');
  });

  it('rule 3, a custom code is taken with @odata.type and without, and written with it', async () => {
    const type = '#Service.Web.OData.Model.Code';
    for (const code of [{ Value: 500001 }, { '@odata.type': type, Value: 500001 }]) {
      const answer = await post('/ServiceRequests', { Description: 'x', ServicecallCode1: code });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.json.ServicecallCode1).toMatchObject({ '@odata.type': type, Value: 500001 });
    }
  });

  it.each([
    [`/Persons(${CALLER})`],
    [`Persons(${CALLER})`],
    [`/odata/Persons(${CALLER})`],
    [`http://desk.example/odata/Persons(${CALLER})`],
    [`Person(${CALLER})`],
    [`/Person(${CALLER})`],
    [`http://desk.example/odata/Person(Uid=${CALLER})`],
    [`ServiceRequests(${REQUEST})/Caller`],
  ])('rule 4, <Nav>@odata.bind to %s sets a single relation', async (text) => {
    const body = { Description: 'Bound', 'Caller@odata.bind': text };
    const answer = await post('/ServiceRequests?$expand=Caller($select=Uid)', body);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.Caller.Uid).toBe(CALLER);
  });

  it('rule 4, <Nav>@odata.bind with an array sets a collection, from either side of it', async () => {
    const binds = [`/Persons(${CALLER})`, `Persons(${MEMBER})`];
    const group = await made('/Workgroups', { Name: 'Bound', 'Members@odata.bind': binds });
    const members = await desk.get(`/Workgroups(${group})/Members?$select=Uid&$orderby=Uid`);
    expect(members.json.value.map(({ Uid }: { Uid: number }) => Uid)).toEqual([CALLER, MEMBER]);
    const person = await made('/Persons', {
      LastName: 'Both',
      'Workgroups@odata.bind': [`Workgroups(${group})`],
    });
    expect((await desk.get(`/Workgroups(${group})/Members(${person})`)).status).toBe(200);
  });

  it('rule 4, 4.01 binds by {"@id": …} too, and relations inside a complex value are set there', async () => {
    const body = {
      Description: 'New bind',
      Caller: { '@id': `Persons(${CALLER})` },
      Assignment: { 'AssigneePerson@bind': `Persons(${MEMBER})`, ReferenceNumber: 'R-7' },
    };
    const answer = await post(
      '/ServiceRequests?$expand=Caller($select=Uid),Assignment/AssigneePerson($select=Uid)',
      body,
      NEW,
    );
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.Caller.Uid).toBe(CALLER);
    expect(answer.json.Assignment.AssigneePerson.Uid).toBe(MEMBER);
    expect(answer.json.Assignment.ReferenceNumber).toBe('R-7');
  });

  it.each([
    ['missing', 'Persons(999999)'],
    ['of another type', `Workgroups(${WORKGROUP})`],
    ['on a foreign host', `http://evil.example/odata/Persons(${CALLER})`],
    ['not a URL of one record', 'Persons'],
    ['no URL at all', 7],
    ['no key of its type', "Persons('seven')"],
  ])(
    'rule 4, a target that is %s: 400 with the bind as target, nothing is created',
    async (_, bind) => {
      const before = await count('/ServiceRequests');
      const answer = await post('/ServiceRequests', {
        Description: 'x',
        'Caller@odata.bind': bind,
      });
      expect(answer.status).toBe(400);
      expect(answer.json.error.target).toBe('Caller@odata.bind');
      expect(await count('/ServiceRequests')).toBe(before);
    },
  );

  it('rule 7, Prefer: return=minimal: 204 with Location, OData-EntityId, ETag and Preference-Applied', async () => {
    const answer = await post('/ServiceRequests', { Description: 'Small' }, MINIMAL);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { location, etag } = answer.headers;
    expect(location).toMatch(/^http:\/\/desk\.example\/odata\/ServiceRequests\(\d+\)$/);
    expect(answer.headers['odata-entityid']).toBe(location);
    expect(etag).toMatch(/^W\/"\d+"$/);
    expect(answer.headers['preference-applied']).toBe('return=minimal');
    expect(answer.headers.vary).toMatch(/prefer/i);
    expect((await desk.get(String(location))).json.Description).toBe('Small');
  });

  it('rule 7, Prefer: return=representation: 201 with the object, Preference-Applied', async () => {
    const answer = await post('/ServiceRequests', { Description: 'Whole' }, WHOLE);
    expect([answer.status, answer.json.Description]).toEqual([201, 'Whole']);
    expect(answer.headers['preference-applied']).toBe('return=representation');
  });

  it('the representation has the shape that $select and $expand ask for', async () => {
    const query = '$select=Uid,Description&$expand=Caller($select=Name)';
    const body = { Description: 'Shaped', 'Caller@odata.bind': `Persons(${CALLER})` };
    const { json } = await post(`/ServiceRequests?${query}`, body);
    expect(Object.keys(json).filter((name) => !name.startsWith('@'))).toEqual([
      'Uid',
      'Description',
      'Caller',
    ]);
    expect(json.Caller).toMatchObject({ Name: "O'Neil, Zoë" });
  });

  it('computed values in the body are ignored: Registration, ID, EmailLowerCase, annotations', async () => {
    const { json } = await post('/Persons', {
      '@odata.etag': 'W/"77"',
      '@odata.context': 'x',
      '@my.annotation': { anything: [1] },
      LastName: 'Computed',
      Email: 'A@Example.ORG',
      EmailLowerCase: 'nonsense',
      Registration: { CreatedBy: 'somebody', DateCreated: '2001-01-01T00:00:00Z' },
    });
    expect(json.EmailLowerCase).toBe('a@example.org');
    expect(json.Registration.CreatedBy).toBe('admin');
    expect(json.Registration.DateCreated).not.toMatch(/^2001/);
    const { json: request } = await post('/ServiceRequests', { Description: 'x', ID: 12345678 });
    expect(request.ID).not.toBe(12345678);
  });

  it('defaults are filled in, and everything that is unset is null or empty', async () => {
    const { json } = await post('/ServiceRequests', { Description: 'Bare' });
    expect(json.Impact.Value).toBe(111003);
    expect([json.Solution, json.Priority, json.ExternalReferences]).toEqual([null, null, []]);
    const nulls = Object.fromEntries(
      Object.entries(json).filter(([name, value]) => value === null && !name.startsWith('@')),
    );
    expect((await post('/ServiceRequests', { ...nulls, Description: 'Nulls' })).status).toBe(201);
  });

  it('deep insert: nested records are made and related along with the outer one', async () => {
    const body = {
      Description: 'Deep',
      Workorders: [{ Description: 'First' }, { Description: 'Second', Sequence: 2 }],
      HistoryLines: [{ Subject: 'A note' }],
      Caller: { LastName: 'Deep', Organization: { Name1: 'Deeper' } },
    };
    const expand = 'Workorders($orderby=Uid),HistoryLines,Caller($expand=Organization)';
    const answer = await post(`/ServiceRequests?$expand=${expand}`, body);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toMatchObject(body);
    const [first] = answer.json.Workorders;
    const back = await desk.get(`/Workorders(${first.Uid})/ServiceRequest?$select=Uid`);
    expect(back.json.Uid).toBe(answer.json.Uid);
  });

  it('the answer to a deep insert shows what was sent along, as deep as it was sent', async () => {
    const body = {
      Description: 'With an order, and a line of it',
      Workorders: [{ Description: 'Order', HistoryLines: [{ Information: 'Line' }] }],
      HistoryLines: [{ Information: 'Of the request' }],
    };
    const answer = await desk.send('POST', '/ServiceRequests', { body });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toMatchObject(body);
    const chosen = await desk.send('POST', '/ServiceRequests?$select=Uid,Description', { body });
    expect(chosen.json).not.toHaveProperty('Workorders');
    const changed = await desk.send('PATCH', `/ServiceRequests(${answer.json.Uid})`, {
      body: { HistoryLines: [{ Information: 'Another' }] },
      headers: { 'OData-Version': '4.01', prefer: 'return=representation' },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.HistoryLines.at(-1)).toMatchObject({ Information: 'Another' });
  });

  it('what goes deeper than an answer shows is made where no such answer is asked for', async () => {
    let body: object = { Name: 'Innermost', Description: 'x' };
    for (let level = 0; level < 7; level++)
      body = { Name: `Level ${level}`, Description: 'x', ParentProject: body };
    const before = await count('/Projects');
    const answer = await desk.send('POST', '/Projects', { body });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'write.not-shown']);
    expect(await count('/Projects')).toBe(before);
    const headers = { prefer: 'return=minimal' };
    expect((await desk.send('POST', '/Projects', { body, headers })).status).toBe(204);
    expect((await desk.send('POST', '/Projects?$select=Uid', { body })).status).toBe(201);
    expect(await count('/Projects')).toBe(before + 16);
  });

  it('deep insert is all or nothing', async () => {
    const counts = async () =>
      await Promise.all(['/ServiceRequests', '/Workorders', '/Persons'].map(count));
    const before = await counts();
    const wrong = [
      { Description: 'Deep', Workorders: [{ Description: 'ok' }, { Sequence: 1 }] },
      {
        Description: 'Deep',
        Caller: { LastName: 'Deep', Searchcode: 'ONEIL' },
        Workorders: [{ Description: 'ok', 'Service@odata.bind': 'Services(999999)' }],
      },
    ];
    for (const body of wrong) expect((await post('/ServiceRequests', body)).status).toBe(400);
    expect(await counts()).toEqual(before);
  });

  it('POST to a collection navigation creates and links; an unknown parent is 404', async () => {
    const path = `/ServiceRequests(${BARE_REQUEST})/Workorders`;
    const answer = await post(path, { Description: 'Linked' });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${desk.root}Workorders(${answer.json.Uid})`);
    expect((await desk.get(`${path}(${answer.json.Uid})`)).json.Description).toBe('Linked');
    const lost = await post('/ServiceRequests(999999)/Workorders', { Description: 'x' });
    expect(lost.status).toBe(404);
  });

  it('a binding that contradicts the URL is refused', async () => {
    const path = `/ServiceRequests(${BARE_REQUEST})/Workorders`;
    const other = `ServiceRequests(${REQUEST})`;
    const answer = await post(path, { Description: 'x', 'ServiceRequest@odata.bind': other });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'ServiceRequest@odata.bind']);
    const same = `ServiceRequests(${BARE_REQUEST})`;
    const agreed = await post(path, { Description: 'x', 'ServiceRequest@odata.bind': same });
    expect(agreed.status, agreed.text).toBe(201);
  });

  it('a contained record is made in its parent: a note in the history', async () => {
    const path = `/ServiceRequests(${REQUEST})/HistoryLines`;
    const answer = await post(path, { Subject: 'Called', Information: 'Nobody there' });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${desk.root}${path.slice(1)}(${answer.json.Uid})`);
    expect((await desk.get(String(answer.headers.location))).json.Subject).toBe('Called');
  });

  it('all mistakes are told at once, each with its target and the nearest name', async () => {
    const answer = await post('/ServiceRequests', {
      Descripton: 'misspelt',
      Deadline: '2026-03-30 14:30',
      Status: { Text: 'Clsed' },
      FrequentlyAskedQuestion: 'yes',
      FeedbackRating: 2.5,
      SourceID: 'x'.repeat(81),
      Caler: null,
      'Callr@odata.bind': `Persons(${CALLER})`,
      Assignment: { ReferenceNumber: 7, AssigneeGroup: 1 },
      Workorders: [{ Description: 1 }],
    });
    expect(answer.status).toBe(400);
    expect(
      told(answer)
        .map(([, target]) => target)
        .sort(),
    ).toEqual([
      'Assignment/AssigneeGroup',
      'Assignment/ReferenceNumber',
      'Caler',
      'Callr@odata.bind',
      'Deadline',
      'Description',
      'Descripton',
      'FeedbackRating',
      'FrequentlyAskedQuestion',
      'SourceID',
      'Status/Text',
      'Workorders[0]/Description',
    ]);
    const messages = answer.json.error.details.map((one: { message: string }) => one.message);
    for (const nearest of ['Description', 'Closed', 'Caller'])
      expect(messages.some((text: string) => /mean/i.test(text) && text.includes(nearest))).toBe(
        true,
      );
  });

  it.each([
    ['Caller@odata.binding', `Persons(${CALLER})`, 'write.annotation'],
    ['Caller@odata.id', `Persons(${CALLER})`, 'write.annotation'],
    ['@odata.removed', { reason: 'deleted' }, 'write.delta'],
  ])(
    '%s asks for something that is not done here, and is not passed over',
    async (name, value, code) => {
      const before = await count('/ServiceRequests');
      const body = { Description: 'x', [name]: value };
      const made = await post('/ServiceRequests', body);
      expect([made.status, told(made)]).toEqual([400, [[code, name]]]);
      expect(await count('/ServiceRequests')).toBe(before);
      const changed = await desk.send('PATCH', `/ServiceRequests(${REQUEST})`, { body });
      expect([changed.status, told(changed)]).toEqual([400, [[code, name]]]);
    },
  );

  it('references that lead to nothing are told together, and beside other mistakes', async () => {
    const body = {
      Description: 'x',
      'Caller@odata.bind': 'Persons(999991)',
      'Requestor@odata.bind': `Persons(${CALLER})`,
      'ConfigurationItems@odata.bind': ['ConfigurationItems(999992)'],
      Workorders: [{ Description: 'y', 'Requestor@odata.bind': 'Persons(999993)' }],
    };
    const missing = [
      'Caller@odata.bind',
      'ConfigurationItems@odata.bind[0]',
      'Workorders[0]/Requestor@odata.bind',
    ];
    const targets = (answer: Awaited<ReturnType<typeof post>>) =>
      told(answer)
        .map(([, target]) => target)
        .sort();
    // Writes of one shape are decided once: what is refused is told in full each time.
    for (let time = 0; time < 4; time++) {
      const answer = await post('/ServiceRequests', body);
      expect([answer.status, answer.json.error.code]).toEqual([400, 'write.body']);
      expect(targets(answer)).toEqual(missing);
    }
    const mixed = await post('/ServiceRequests', { ...body, Foo: 1 });
    expect([mixed.status, targets(mixed)]).toEqual([400, [...missing, 'Foo'].sort()]);
    const one = await post('/ServiceRequests', {
      Description: 'x',
      'Caller@odata.bind': 'Persons(999991)',
    });
    expect(one.json.error).toMatchObject({
      code: 'write.missing-reference',
      target: 'Caller@odata.bind',
    });
  });

  it.each([
    ['no body', undefined, { 'content-type': 'application/json' }, 400],
    ['an empty body', '', { 'content-type': 'application/json' }, 400],
    ['malformed JSON', '{"Description":', { 'content-type': 'application/json' }, 400],
    ['a list', [], {}, 400],
    ['a string', '"x"', { 'content-type': 'application/json' }, 400],
    [
      'a member twice',
      '{"Description":"a","Description":"b"}',
      { 'content-type': 'application/json' },
      400,
    ],
    ['no Content-Type', '{"Description":"a"}', {}, 415],
    ['XML', '<entry/>', { 'content-type': 'application/atom+xml' }, 415],
    ['text', '{"Description":"a"}', { 'content-type': 'text/plain' }, 415],
  ])('a body that is no record, %s: refused', async (_, body, headers, status) => {
    const answer = await desk.send('POST', '/ServiceRequests', { body, headers });
    expect([answer.status, answer.json?.error?.code !== undefined]).toEqual([status, true]);
  });

  it.each([
    ['application/json;charset=UTF-8'],
    ['application/json;odata=verbose'],
    ['application/json;odata.metadata=minimal;IEEE754Compatible=true'],
  ])('a body of the type %s is taken', async (type) => {
    const answer = await desk.send('POST', '/ServiceRequests', {
      body: '{"Description":"typed"}',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(201);
  });

  it('Prefer: dry-run answers as if, says so, and stores nothing', async () => {
    const before = await count('/ServiceRequests');
    const answer = await post('/ServiceRequests', { Description: 'As if' }, { prefer: 'dry-run' });
    expect(answer.status).toBe(201);
    expect(answer.json.Description).toBe('As if');
    expect(answer.headers['preference-applied']).toContain('dry-run');
    expect(await count('/ServiceRequests')).toBe(before);
    const wrong = await post('/ServiceRequests', {}, { prefer: 'dry-run' });
    expect(wrong.status).toBe(400);
  });
});

describe('Changing', () => {
  it('PATCH {base_url}/<EntitySet>(<uid>): 204, what is not named stays', async () => {
    const uid = await made('/ServiceRequests', {
      Description: 'Old',
      Information: 'stays',
      Assignment: { ReferenceNumber: 'stays', Status: null },
    });
    const answer = await patch(`/ServiceRequests(${uid})`, {
      Description: 'New',
      Assignment: { Priority: { Value: 110002 } },
    });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).not.toHaveProperty('preference-applied');
    const { json } = await desk.get(`/ServiceRequests(${uid})`);
    expect([json.Description, json.Information]).toEqual(['New', 'stays']);
    expect(json.Assignment).toMatchObject({
      ReferenceNumber: 'stays',
      Priority: { Value: 110002 },
    });
  });

  it('per Prefer header: 200 with the object for return=representation, 204 for return=minimal', async () => {
    const uid = await made('/ServiceRequests', { Description: 'Old' });
    const path = `/ServiceRequests(${uid})`;
    const whole = await patch(path, { Description: 'Whole' }, WHOLE);
    expect([whole.status, whole.json.Description]).toEqual([200, 'Whole']);
    expect(whole.headers['preference-applied']).toBe('return=representation');
    expect(whole.headers.etag).toBe(whole.json['@odata.etag']);
    const small = await patch(path, { Description: 'Small' }, MINIMAL);
    expect([small.status, small.headers['preference-applied']]).toEqual([204, 'return=minimal']);
    expect(small.headers).not.toHaveProperty('odata-entityid');
    const read = await desk.get(path);
    expect([entityTag(read.headers.etag), read.json.Description]).toEqual([
      small.headers.etag,
      'Small',
    ]);
  });

  it('the key in the body is ignored, as number, as string and when it is another', async () => {
    const uid = await made('/ServiceRequests', { Description: 'Keyed' });
    for (const Uid of [uid, String(uid), 5, null]) {
      const answer = await patch(`/ServiceRequests(${uid})`, { Uid, Description: `with ${Uid}` });
      expect(answer.status, answer.text).toBe(204);
    }
    expect((await desk.get(`/ServiceRequests(${uid})`)).json.Description).toBe('with null');
  });

  it('what full metadata shows of a record can be sent back, advertised operations included', async () => {
    const path = `/ServiceRequests(${await made('/ServiceRequests', { Description: 'Copied' })})`;
    const whole = await desk.get(path, { accept: 'application/json;odata.metadata=full' });
    expect(Object.keys(whole.json).some((name) => name.startsWith('#'))).toBe(true);
    const answer = await patch(path, { ...whole.json, Description: 'Sent back' });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await desk.get(path)).json.Description).toBe('Sent back');
  });

  it('an unknown record: 404 for PATCH, PUT and DELETE, since keys are the server’s', async () => {
    for (const method of ['PATCH', 'PUT']) {
      const body = { Description: 'x' };
      const answer = await desk.send(method, '/ServiceRequests(999999)', { body });
      expect(answer.status).toBe(404);
      const again = await desk.send(method, '/ServiceRequests(999999)', {
        body,
        headers: { 'if-none-match': '*' },
      });
      expect(again.status).toBe(404);
    }
    expect((await desk.send('DELETE', '/ServiceRequests(999999)')).status).toBe(404);
  });

  it('a singular name, a navigation path and a cast address the same record', async () => {
    const uid = await made('/ServiceRequests', { Description: 'One', Caller: { LastName: 'Z' } });
    expect((await patch(`/ServiceRequest(${uid})`, { Description: 'Two' })).status).toBe(204);
    expect((await patch(`/ServiceRequests(${uid})/Caller`, { LastName: 'Y' })).status).toBe(204);
    const read = await desk.get(`/ServiceRequests(${uid})?$expand=Caller`);
    expect([read.json.Description, read.json.Caller.LastName]).toEqual(['Two', 'Y']);
    const none = await patch(`/ServiceRequests(${BARE_REQUEST})/Caller`, { LastName: 'Y' });
    expect(none.status).toBe(404);
  });

  it('null empties a property, a code, a complex value; a required one refuses it', async () => {
    const uid = await made('/ServiceRequests', {
      Description: 'Full',
      Priority: { Value: 110001 },
      Solution: 'None',
      Deadline: '2026-03-30T14:30:00Z',
    });
    const path = `/ServiceRequests(${uid})`;
    expect((await patch(path, { Priority: null, Solution: null, Deadline: null })).status).toBe(
      204,
    );
    const { json } = await desk.get(path);
    expect([json.Priority, json.Solution, json.Deadline]).toEqual([null, null, null]);
    const refused = await patch(path, { Description: null });
    expect([refused.status, refused.json.error.target]).toEqual([400, 'Description']);
  });

  it('<Nav>@odata.bind changes a relation, null empties it', async () => {
    const uid = await made('/ServiceRequests', {
      Description: 'Related',
      'Caller@odata.bind': `Persons(${CALLER})`,
    });
    const path = `/ServiceRequests(${uid})`;
    expect((await patch(path, { 'Caller@odata.bind': `/Persons(${MEMBER})` })).status).toBe(204);
    expect((await desk.get(`${path}/Caller`)).json.Uid).toBe(MEMBER);
    const inside = { Assignment: { 'AssigneePerson@odata.bind': `Person(${CALLER})` } };
    expect((await patch(path, inside)).status).toBe(204);
    expect((await desk.get(`${path}/Assignment/AssigneePerson`)).json.Uid).toBe(CALLER);
    expect((await patch(path, { 'Caller@odata.bind': null })).status).toBe(204);
    expect((await desk.get(`${path}/Caller`)).status).toBe(204);
  });

  it('PUT replaces: what is left out goes to its default or to null; the key and the server’s values stay', async () => {
    const uid = await made('/ServiceRequests', {
      Description: 'Old',
      Information: 'gone',
      Impact: { Value: 111001 },
      ExternalReferences: [{ System: 'a', Id: '1' }],
      'Caller@odata.bind': `Persons(${CALLER})`,
    });
    const path = `/ServiceRequests(${uid})`;
    const before = (await desk.get(path)).json;
    const answer = await desk.send('PUT', path, { body: { Description: 'New' }, headers: WHOLE });
    expect(answer.status, answer.text).toBe(200);
    const { Uid, ID, Information, Impact, ExternalReferences, Registration } = answer.json;
    expect([Uid, ID, Registration.DateCreated]).toEqual([
      uid,
      before.ID,
      before.Registration.DateCreated,
    ]);
    expect([Information, Impact.Value, ExternalReferences]).toEqual([null, 111003, []]);
    const lacking = await desk.send('PUT', path, { body: { Information: 'x' } });
    expect([lacking.status, lacking.json.error.target]).toEqual([400, 'Description']);
  });

  it('related records inside a 4.0 body are refused with 400', async () => {
    const path = `/ServiceRequests(${BARE_REQUEST})`;
    const headers = { 'odata-version': '4.0' };
    const answer = await patch(path, { Workorders: [{ Description: 'inline' }] }, headers);
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Workorders']);
  });

  it('a change that changes nothing keeps the ETag', async () => {
    const uid = await made('/ServiceRequests', {
      Description: 'Same',
      Priority: { Value: 110001 },
    });
    const path = `/ServiceRequests(${uid})`;
    const { etag } = (await desk.get(path)).headers;
    const body = { Description: 'Same', Priority: { Text: 'Critical' } };
    expect((await patch(path, body)).headers.etag).toBe(entityTag(etag));
    expect((await desk.get(path)).headers.etag).toBe(etag);
    expect((await patch(path, { Description: 'Other' })).headers.etag).not.toBe(etag);
  });

  it('who changed it and when is noted in Registration', async () => {
    const uid = await made('/ServiceRequests', { Description: 'Old' });
    const before = (await desk.get(`/ServiceRequests(${uid})`)).json.Registration;
    await new Promise((passed) => setTimeout(passed, 5));
    await desk.as('nobody').send('PATCH', `/ServiceRequests(${uid})`, { body: { Solution: 'x' } });
    const after = (await desk.get(`/ServiceRequests(${uid})`)).json.Registration;
    expect(after).toMatchObject({ CreatedBy: 'admin', ModifiedBy: 'nobody' });
    expect(after.DateCreated).toBe(before.DateCreated);
    expect(after.DateModified > before.DateModified).toBe(true);
  });

  it('unknown members of a body, wherever they are, are refused with the nearest name', async () => {
    const answer = await patch(`/ServiceRequests(${REQUEST})`, { Assignment: { Prioritty: null } });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Assignment/Prioritty']);
    expect(answer.json.error.message).toContain('Priority');
  });
});

describe('Deleting', () => {
  it('DELETE {base_url}/<EntitySet>(<uid>): 204, then 404 everywhere', async () => {
    const uid = await made('/ServiceRequests', { Description: 'Short-lived', HistoryLines: [{}] });
    const path = `/ServiceRequests(${uid})`;
    const [line] = (await desk.get(`${path}/HistoryLines`)).json.value;
    const answer = await desk.send('DELETE', path);
    expect([answer.status, answer.text, answer.headers.etag]).toEqual([204, '', undefined]);
    expect((await desk.send('DELETE', path)).status).toBe(404);
    expect((await desk.get(path)).status).toBe(404);
    expect((await desk.get(`${path}/HistoryLines(${line.Uid})`)).status).toBe(404);
  });

  it('a body of null is ignored', async () => {
    const uid = await made('/ServiceRequests', { Description: 'Short-lived' });
    const answer = await desk.send('DELETE', `/ServiceRequests(${uid})`, {
      body: 'null',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(204);
  });

  it.each([
    ['$select', '$select=Uid'],
    ['$expand', '$expand=Workorders'],
    ['$top', '$top=1'],
    ['$filter', '$filter=Uid eq 0'],
    ['$id', '$id=Persons(1)'],
    ['$index', '$index=0'],
  ])('%s has no meaning: 400, and nothing is deleted', async (option, query) => {
    const uid = await made('/ServiceRequests', { Description: 'Stays', Information: 'Stays' });
    const path = `/ServiceRequests(${uid})`;
    for (const address of [path, `${path}/Information`]) {
      const { status, json } = await desk.send('DELETE', `${address}?${query}`);
      expect([status, json.error.target], address).toEqual([400, option]);
      expect(json.error.message).toBe(
        `The query option ${option} cannot be used with DELETE; leave it out.`,
      );
    }
    expect((await desk.get(path)).json.Information).toBe('Stays');
  });

  it('$format, $schemaversion and options of the client’s own may stand there', async () => {
    const uid = await made('/ServiceRequests', { Description: 'Short-lived' });
    const path = `/ServiceRequests(${uid})?$format=json&$schemaversion=*&own=1`;
    expect((await desk.send('DELETE', path)).status).toBe(204);
  });

  it('what others refer to is not deleted: 409 with the count of each set that does', async () => {
    const uid = await made('/Persons', { LastName: 'Needed' });
    for (const Description of ['a', 'b'])
      await made('/ServiceRequests', { Description, 'Caller@odata.bind': `Persons(${uid})` });
    const answer = await desk.send('DELETE', `/Persons(${uid})`);
    expect(answer.status).toBe(409);
    expect(answer.json.error.details).toEqual([
      expect.objectContaining({
        target: 'ServiceRequests/Caller',
        message: expect.stringContaining('2'),
      }),
    ]);
    expect((await desk.get(`/Persons(${uid})`)).status).toBe(200);
  });

  it('work orders outlive their request', async () => {
    const uid = await made('/ServiceRequests', {
      Description: 'x',
      Workorders: [{ Description: 'y' }],
    });
    const [order] = (await desk.get(`/ServiceRequests(${uid})/Workorders`)).json.value;
    expect((await desk.send('DELETE', `/ServiceRequests(${uid})`)).status).toBe(204);
    const left = await desk.get(`/Workorders(${order.Uid})?$expand=ServiceRequest`);
    expect([left.status, left.json.ServiceRequest]).toEqual([200, null]);
    expect(left.headers.etag).not.toBe(order['@odata.etag']);
  });

  it('members of pairs are let go: a workgroup without its members', async () => {
    const group = await made('/Workgroups', {
      Name: 'Gone',
      'Members@odata.bind': [`Persons(${MEMBER})`],
    });
    expect((await desk.send('DELETE', `/Workgroups(${group})`)).status).toBe(204);
    expect((await desk.get(`/Persons(${MEMBER})/Workgroups(${group})`)).status).toBe(404);
    expect((await desk.get(`/Persons(${MEMBER})`)).status).toBe(200);
  });

  it('DELETE of a set, of its count, of a collection navigation: 405 with Allow', async () => {
    for (const path of [
      '/ServiceRequests',
      '/ServiceRequests/$count',
      `/ServiceRequests(${REQUEST})/Workorders`,
    ]) {
      const answer = await desk.send('DELETE', path);
      expect([path, answer.status, typeof answer.headers.allow]).toEqual([path, 405, 'string']);
    }
  });

  it('Me can be changed, but not deleted or posted to', async () => {
    expect((await patch('/Me', { Jobtitle: 'Poet' })).status).toBe(204);
    expect((await desk.get(`/Persons(${CALLER})/Jobtitle/$value`)).text).toBe('Poet');
    for (const method of ['POST', 'DELETE']) {
      const answer = await desk.send(method, '/Me', { body: {} });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.headers.allow).toBe('GET, PATCH, PUT');
    }
    expect((await desk.as('nobody').send('PATCH', '/Me', { body: {} })).status).toBe(404);
  });
});
