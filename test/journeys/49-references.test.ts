// This file addresses records by their references in other systems, and creates, changes and imports them by these. OData 4.01 Protocol,
// "Upsert an Entity", "Update a Collection of Entities"; OData 4.01 URL Conventions, "Addressing Entities".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importRecords } from '../../src/service/import.ts';
import { prepareRead } from '../../src/service/read-plans.ts';
import type { Call } from '../../src/service/service.ts';
import { contextOf, newTrace } from '../../src/service/stage-inputs.ts';
import { bindParameters } from '../../src/store/database.ts';
import { usesPostgres } from '../database.ts';
import { sendJsonBatch } from './batches.ts';
import { type Desk, type DeskAnswer, openDesk, principalNamed } from './desk.ts';
import { CALLER, REQUEST } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

let numbers = 0;

/** A reference that no record has yet. */
function fresh(): { readonly System: string; readonly Id: string } {
  return { System: 'jira', Id: `X-${++numbers}` };
}

type Reference = ReturnType<typeof fresh>;

const quoted = (text: string) => encodeURIComponent(`'${text.replaceAll("'", "''")}'`);
const argumentsOf = ({ System, Id }: Reference) => `(System=${quoted(System)},Id=${quoted(Id)})`;
const by = (reference: Reference, set = 'ServiceRequests') =>
  `/${set}/ByReference${argumentsOf(reference)}`;

const body = (reference: Reference, more: object = {}) => ({
  Description: 'from another system',
  ExternalReferences: [reference],
  ...more,
});

async function create(reference: Reference, more?: object): Promise<DeskAnswer> {
  return await desk.send('POST', '/ServiceRequests', { body: body(reference, more) });
}

async function created(reference: Reference, more?: object): Promise<number> {
  const answer = await create(reference, more);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.json.Uid;
}

const summary = ({ status, json }: DeskAnswer) => [status, json?.error?.code];

async function withReference({ System, Id }: Reference, set = 'ServiceRequests') {
  const filter = `ExternalReferences/any(r:r/System eq ${quoted(System)} and r/Id eq ${quoted(Id)})`;
  const { json } = await desk.get(`/${set}?$filter=${filter}`);
  return json.value as readonly Record<string, unknown>[];
}

describe('a record with a reference', () => {
  it('is read by function and by key, with options and what belongs to it', async () => {
    const reference = { System: "O'Brien & Co/ü", Id: `A(1),b='c' ${++numbers}` };
    const uid = await created(reference);
    for (const path of [by(reference), `/ServiceRequests${argumentsOf(reference)}`]) {
      const read = await desk.get(
        `${path}?$select=Uid,Description&$expand=HistoryLines($count=true)`,
      );
      expect([read.status, read.json.Description]).toEqual([200, 'from another system']);
      expect((await desk.get(path)).json.Uid).toBe(uid);
      expect((await desk.get(`${path}/Description/$value`)).text).toBe('from another system');
      expect((await desk.get(`${path}/$ref`)).json['@odata.id']).toMatch(`ServiceRequests(${uid})`);
      expect((await desk.get(`${path}/HistoryLines/$count`)).status).toBe(200);
    }
    expect((await withReference(reference)).map(({ Uid }) => Uid)).toEqual([uid]);
  });

  it('is not found by another reference, in another set, or by a part of it', async () => {
    const reference = fresh();
    await created(reference);
    expect(summary(await desk.get(by(fresh())))).toEqual([404, 'response.not-found']);
    expect((await desk.get(by(reference, 'Incidents'))).status).toBe(404);
    expect((await desk.get(by({ ...reference, System: 'JIRA' }))).status).toBe(404);
    const part = await desk.get("/ServiceRequests(System='jira')");
    expect(part.status).toBe(400);
    expect(part.json.error.message).toContain('System=…,Id=…');
    const missing = await desk.get("/ServiceRequests/ByReference(System='jira')");
    expect(missing.status).toBe(400);
    const twice = await desk.get(`${by(reference)}(5)`);
    expect(twice.status).toBe(400);
  });

  it('is changed and deleted by it, with conditions', async () => {
    const reference = fresh();
    await created(reference);
    const path = by(reference);
    const { etag } = (await desk.get(path)).headers;
    const change = (tag: unknown) =>
      desk.send('PATCH', path, {
        headers: { 'if-match': String(tag) },
        body: { Description: 'changed' },
      });
    expect((await change(etag)).status).toBe(204);
    expect((await change(etag)).status).toBe(412);
    const remove = () => desk.send('DELETE', path, { headers: { 'if-match': '*' } });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    await created(reference);
  });

  it('can be bound to', async () => {
    const person = fresh();
    const made = await desk.send('POST', '/Persons', {
      body: { LastName: 'Referred', ExternalReferences: [person] },
    });
    const uid = await created(fresh(), {
      'Caller@odata.bind': by(person, 'Persons').slice(1),
    });
    const { json } = await desk.get(`/ServiceRequests(${uid})/Caller`);
    expect(json.Uid).toBe(made.json.Uid);
  });
});

describe.skipIf(usesPostgres)('the statement of a read', () => {
  it.each([
    ['by function', by({ System: 'jira', Id: 'X-0' })],
    ['by key', `/ServiceRequests${argumentsOf({ System: 'jira', Id: 'X-0' })}`],
    [
      'by filter',
      "/ServiceRequests?$filter=ExternalReferences/any(r:r/Id eq 'X-0' and r/System eq 'jira')",
    ],
  ])('%s searches the index of the items', async (_, url) => {
    const plan = await planOf(url);
    expect(plan).toContain('SEARCH ServiceRequests|ExternalReferences|items USING PRIMARY KEY');
    expect(plan).not.toMatch(/SCAN (?:t\d|\w+\|)/);
  });

  async function planOf(url: string): Promise<string> {
    const [path = '', query = ''] = url.slice(1).split('?');
    const call: Call = {
      id: 'plan',
      method: 'GET',
      path,
      query,
      headers: {},
      body: undefined,
      address: '',
      root: desk.root,
    };
    const { service } = desk;
    const principal = await principalNamed(service, 'admin');
    const { script, values } = prepareRead(call, service, principal, newTrace());
    if (script.kind !== 'read') throw new Error(script.kind);
    const { statement } = script;
    const context = contextOf(call, service, principal);
    const rows = await service.database.read(
      `EXPLAIN QUERY PLAN ${statement.text}`,
      bindParameters(statement, context, values),
    );
    return rows.map((row) => String(row[3])).join('\n');
  }
});

describe('a reference', () => {
  it('belongs to one record of a set', async () => {
    const reference = fresh();
    const uid = await created(reference);
    const answer = await create(reference);
    expect(summary(answer)).toEqual([409, 'write.item-taken']);
    expect(answer.json.error.target).toBe('ExternalReferences');
    expect(answer.json.error.message).toContain(`System='jira',Id='${reference.Id}'`);
    expect(answer.text).not.toContain(String(uid));
    const other = await created(fresh());
    const moved = await desk.send('PATCH', `/ServiceRequests(${other})`, {
      headers: { 'if-match': '*' },
      body: { ExternalReferences: [fresh(), reference] },
    });
    expect(summary(moved)).toEqual([409, 'write.item-taken']);
    expect((await desk.get(by(reference))).json.Uid).toBe(uid);
    const person = await desk.send('POST', '/Persons', {
      body: { LastName: 'Other set', ExternalReferences: [reference] },
    });
    expect(person.status).toBe(201);
  });

  it('occurs once in a record', async () => {
    const reference = fresh();
    const answer = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'twice', ExternalReferences: [reference, fresh(), { ...reference }] },
    });
    expect(summary(answer)).toEqual([409, 'write.item-repeated']);
    expect((await desk.get(by(reference))).status).toBe(404);
  });

  it('is free again when its record has lost it', async () => {
    const [first, second] = [fresh(), fresh()];
    const uid = await created(first);
    const replace = await desk.send('PATCH', `/ServiceRequests(${uid})`, {
      headers: { 'if-match': '*' },
      body: { ExternalReferences: [second] },
    });
    expect(replace.status).toBe(204);
    expect((await desk.get(by(second))).json.Uid).toBe(uid);
    expect(await created(first)).not.toBe(uid);
    await desk.send('DELETE', `/ServiceRequests(${uid})/ExternalReferences`, {
      headers: { 'if-match': '*' },
    });
    expect((await desk.get(by(second))).status).toBe(404);
    await created(second);
  });

  it('with a part that is null addresses nothing and clashes with nothing', async () => {
    for (const _ of [1, 2]) {
      const answer = await desk.send('POST', '/ServiceRequests', {
        body: { Description: 'half', ExternalReferences: [{ System: 'jira', Id: null }] },
      });
      expect(answer.status).toBe(201);
    }
    const read = await desk.get("/ServiceRequests/ByReference(System='jira',Id=null)");
    expect(read.status).toBe(400);
    expect(read.json.error.message).toMatch(/^The function ByReference .*a string for Id\.$/);
  });

  it('is given to one of two requests at the same time', async () => {
    const other = usesPostgres ? await desk.another() : desk;
    try {
      for (let round = 0; round < 5; round++) {
        const reference = fresh();
        const answers = await Promise.all(
          [desk, other, desk, other].map((one) =>
            one.send('POST', '/ServiceRequests', { body: body(reference) }),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
        expect(await withReference(reference)).toHaveLength(1);
      }
    } finally {
      if (other !== desk) await other.close();
    }
  });

  it('clashes within a change set, of which nothing is stored then', async () => {
    const reference = fresh();
    const post = (id: string) => ({
      id,
      atomicityGroup: 'g',
      method: 'POST',
      url: 'ServiceRequests',
      body: body(reference),
    });
    const { statuses } = await sendJsonBatch(desk, [post('a'), post('b')]);
    expect(Object.values(statuses)).toContain(409);
    expect(Object.values(statuses)).not.toContain(201);
    expect(await withReference(reference)).toEqual([]);
  });
});

describe('a write by a reference', () => {
  it.each(['PATCH', 'PUT'])('of %s creates the record, and changes it later', async (method) => {
    const reference = fresh();
    const path = by(reference);
    const send = (headers: Record<string, string>, Description: string) =>
      desk.send(method, path, {
        headers: { ...headers, prefer: 'return=representation' },
        body: { Description },
      });
    expect((await send({ 'if-match': '*' }, 'nothing')).status).toBe(412);
    const made = await send({ 'if-none-match': '*' }, 'made');
    expect([made.status, made.json.Description]).toEqual([201, 'made']);
    expect(made.json.ExternalReferences).toEqual([expect.objectContaining(reference)]);
    expect(made.headers.location).toContain(`ServiceRequests(${made.json.Uid})`);
    expect((await send({ 'if-none-match': '*' }, 'again')).status).toBe(412);
    const changed = await send({ 'if-match': '*' }, 'changed');
    expect([changed.status, changed.json.Uid]).toEqual([200, made.json.Uid]);
    expect(changed.json.ExternalReferences).toEqual([expect.objectContaining(reference)]);
    expect(await withReference(reference)).toHaveLength(1);
  });

  it('keeps other references, and may give more', async () => {
    const [reference, second, third] = [fresh(), { System: 'sap', Id: '1' }, fresh()];
    const uid = await created(reference, { ExternalReferences: [reference, second] });
    await desk.send('PATCH', by(reference), {
      headers: { 'if-match': '*' },
      body: { Description: 'x' },
    });
    expect((await desk.get(by(second))).json.Uid).toBe(uid);
    await desk.send('PATCH', by(reference), {
      headers: { 'if-match': '*' },
      body: { ExternalReferences: [{ System: 'snow', Id: third.Id }] },
    });
    expect((await desk.get(by(reference))).json.Uid).toBe(uid);
    expect((await desk.get(by(second))).status).toBe(404);
  });

  it('is rejected if the body has another reference in the same system', async () => {
    const answer = await desk.send('PATCH', by(fresh()), {
      headers: { 'if-none-match': '*' },
      body: body(fresh()),
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error.details).toEqual([
      expect.objectContaining({ code: 'write.item-contradiction', target: 'ExternalReferences' }),
    ]);
  });

  it('creates one record although it is sent twice at the same time', async () => {
    const reference = fresh();
    const send = () => desk.send('PATCH', by(reference), { body: { Description: 'once' } });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await withReference(reference)).toHaveLength(1);
  });

  it('occurs in a list of changes', async () => {
    const [known, unknown] = [fresh(), fresh()];
    const uid = await created(known);
    const answer = await desk.send('PATCH', '/ServiceRequests', {
      body: {
        '@odata.context': '#$delta',
        value: [known, unknown].map((one) => ({
          '@odata.id': by(one).slice(1),
          Description: `synchronized ${one.Id}`,
        })),
      },
    });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const read = async (one: Reference) => (await desk.get(by(one))).json;
    expect(await read(known)).toMatchObject({ Uid: uid, Description: `synchronized ${known.Id}` });
    expect((await read(unknown)).Description).toBe(`synchronized ${unknown.Id}`);
    expect(await withReference(unknown)).toHaveLength(1);
  });
});

describe('rights', () => {
  it('hold for records that are addressed by reference', async () => {
    await importRole('own requests only');
    const reader = await desk.join({
      loginName: 'referring',
      roles: ['own requests only'],
      person: CALLER,
    });
    const [own, foreign] = [fresh(), fresh()];
    const uid = await created(foreign);
    await desk.send('PATCH', `/ServiceRequests(${REQUEST})`, {
      headers: { 'if-match': '*' },
      body: { ExternalReferences: [own] },
    });
    expect((await reader.get(by(own))).status).toBe(200);
    const paths = [by(foreign), `/ServiceRequests${argumentsOf(foreign)}`];
    for (const path of paths) {
      expect((await reader.get(path)).status).toBe(404);
      const change = await reader.send('PATCH', path, {
        headers: { 'if-match': '*' },
        body: { Description: 'x' },
      });
      expect(change.status).toBe(412);
      expect(change.text).not.toContain(String(uid));
    }
    const taken = await reader.send('PATCH', paths[0] ?? '', { body: { Description: 'mine' } });
    expect([403, 404, 409]).toContain(taken.status);
    expect(taken.text).not.toContain(String(uid));
    expect(await withReference(foreign)).toHaveLength(1);
  });

  async function importRole(Name: string): Promise<void> {
    const answer = await desk.send('POST', '/Roles', {
      body: {
        Name,
        EntityAccess: [
          {
            Entity: 'ServiceRequest',
            Read: true,
            Create: true,
            Change: true,
            Filter: `Caller/Uid eq ${CALLER}`,
          },
        ],
      },
    });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
  }
});

describe('a load', () => {
  it('stores records by their references, once', async () => {
    const reference = fresh();
    const record = (Description: string) => ({
      ServiceRequests: [{ '@odata.id': by(reference).slice(1), Description }],
    });
    await importRecords(record('first'), desk.service);
    await importRecords(record('second'), desk.service);
    const [only, ...others] = await withReference(reference);
    expect([only?.Description, others]).toEqual(['second', []]);
  });

  it('binds a record that is stored by its reference to one that follows', async () => {
    const [request, person] = [fresh(), fresh()];
    await importRecords(
      {
        ServiceRequests: [
          {
            '@odata.id': by(request).slice(1),
            Description: 'before its caller',
            'Caller@odata.bind': by(person, 'Persons').slice(1),
          },
        ],
        Persons: [{ '@odata.id': by(person, 'Persons').slice(1), LastName: 'Later' }],
      },
      desk.service,
    );
    expect((await desk.get(`${by(request)}/Caller/LastName/$value`)).text).toBe('Later');
  });
});

describe('an import', () => {
  const send = async (type: string, query: string, file: string, prefer = 'return=minimal') =>
    await desk.send('POST', `/ServiceRequests/Docket.System.Import?${query}`, {
      headers: { 'content-type': type, prefer },
      body: file,
    });
  const NOTHING = { created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };

  it('of CSV creates and updates records by their references', async () => {
    const [known, unknown] = [fresh(), fresh()];
    const second = { System: 'sap', Id: `S-${known.Id}` };
    const uid = await created(known, { ExternalReferences: [second, known] });
    const file = (Description: string) =>
      [
        'ExternalReferences/System,ExternalReferences/Id,Description,ExternalReferences/Url',
        ...[known, unknown].map(
          ({ System, Id }) => `${System},${Id},${Description},https://jira.example/${Id}`,
        ),
      ].join('\n');
    const upsert = 'mode=upsert&key=ExternalReferences';
    const first = await send('text/csv', upsert, file('imported'));
    expect([first.status, first.json]).toEqual([200, { ...NOTHING, created: 1, updated: 1 }]);
    expect((await send('text/csv', upsert, file('imported'))).json).toEqual({
      ...NOTHING,
      unchanged: 2,
    });
    expect((await send('text/csv', upsert, file('changed'))).json).toEqual({
      ...NOTHING,
      updated: 2,
    });
    const { json } = await desk.get(by(known));
    expect([json.Uid, json.Description]).toEqual([uid, 'changed']);
    expect(json.ExternalReferences).toEqual([
      expect.objectContaining(second),
      expect.objectContaining({ ...known, Url: `https://jira.example/${known.Id}` }),
    ]);
    expect(await withReference(unknown)).toHaveLength(1);
  });

  it('of CSV gives records that it finds by another key one more reference', async () => {
    const [first, second] = [fresh(), fresh()];
    const uid = await created(first);
    const file = `Uid,ExternalReferences/System,ExternalReferences/Id\n${uid},jira,${second.Id}`;
    const answer = await send('text/csv', 'mode=update', file);
    expect([answer.status, answer.json]).toEqual([200, { ...NOTHING, updated: 1 }]);
    for (const one of [first, second]) expect((await desk.get(by(one))).json.Uid).toBe(uid);
  });

  it('of JSON lines identifies records by the first reference', async () => {
    const reference = fresh();
    const line = JSON.stringify({ Description: 'a line', ExternalReferences: [reference] });
    const key = 'key=ExternalReferences/System,ExternalReferences/Id';
    const upsert = () => send('application/x-ndjson', `mode=upsert&${key}`, line);
    expect((await upsert()).json).toEqual({ ...NOTHING, created: 1 });
    expect((await upsert()).json).toEqual({ ...NOTHING, unchanged: 1 });
    const update = await send(
      'application/x-ndjson',
      `mode=update&${key}`,
      JSON.stringify({ Description: 'x', ExternalReferences: [fresh()] }),
    );
    expect([update.status, update.json.error.details[0].code]).toEqual([400, 'import.no-record']);
  });

  it('relates records by the references of others', async () => {
    const [reference, person] = [fresh(), fresh()];
    await desk.send('POST', '/Persons', {
      body: { LastName: 'Imported', ExternalReferences: [person] },
    });
    const heads = 'Description,Caller/ExternalReferences/System,Caller/ExternalReferences/Id';
    const own = 'ExternalReferences/System,ExternalReferences/Id';
    const row = ['x', person.System, person.Id, reference.System, reference.Id].join();
    const answer = await send('text/csv', 'mode=insert', `${heads},${own}\n${row}`);
    expect([answer.status, answer.json]).toEqual([200, { ...NOTHING, created: 1 }]);
    expect((await desk.get(`${by(reference)}/Caller/LastName/$value`)).text).toBe('Imported');
  });

  it('requires the whole key of a reference', async () => {
    const answer = await send('text/csv', 'mode=insert', 'Description,ExternalReferences/Id\nx,1');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('ExternalReferences/System and ExternalReferences/Id');
  });
});

describe('descriptions', () => {
  it('contain the function', async () => {
    const { json } = await desk.get('/$metadata?$format=json');
    const schema = json['Service.Web.OData.Model'];
    const [overload] = schema.ByReference.filter((one: { $Parameter: { $Type: string }[] }) =>
      /\.(?:Record|ServiceRequest)$/.test(one.$Parameter[0]?.$Type ?? ''),
    );
    expect(overload.$Parameter.map((one: { $Name: string }) => one.$Name)).toEqual([
      'these',
      'System',
      'Id',
    ]);
  });

  it('contain paths of OpenAPI that read, change or create, and delete', async () => {
    const { json } = await desk.get('http://desk.example/openapi.json?sets=ServiceRequests');
    const [path, ...others] = Object.keys(json.paths).filter((one) => one.includes('ByReference'));
    expect(path).toMatch(
      /^\/ServiceRequests\/[\w.]*ByReference\(System='?\{System\}'?,Id='?\{Id\}'?\)$/,
    );
    expect(others).toEqual([]);
    const { get, patch, delete: remove } = json.paths[path ?? ''];
    expect(get.operationId).toBe('getServiceRequestByReference');
    expect(Object.keys(patch.responses)).toEqual(expect.arrayContaining(['200', '201', '204']));
    expect(Object.keys(remove.responses)).toContain('204');
  });
});
