// This file writes where the client gives the keys (upserts), several records by one request, and related records along with their owner.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  contained,
  defineModel,
  entitySet,
  entityType,
  int32,
  one,
  text,
} from '../define-model.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
let zoo: Desk;
beforeAll(async () => {
  desk = await openDesk();
  zoo = await openZoo();
});
afterAll(async () => {
  await desk.close();
  await zoo.close();
});

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };

describe('An upsert', () => {
  let number = 100;
  let path = '';
  beforeEach(() => {
    number += 1;
    path = `/Enclosures(Wing='Z',Number=${number})`;
  });

  it.each(['PATCH', 'PUT'])(
    '%s creates what is not there: 201 with Location and the record, then 204 without',
    async (method) => {
      const answer = await zoo.send(method, path, { body: { Name: 'Made' } });
      expect([answer.status, answer.headers.location]).toEqual([
        201,
        `${zoo.root}${path.slice(1)}`,
      ]);
      const read = (await zoo.get(path)).json;
      expect(read).toMatchObject({ Wing: 'Z', Number: number, Name: 'Made' });
      expect(answer.json).toEqual(read);
      expect(answer.headers.etag).toBe(read['@odata.etag']);
      const again = await zoo.send(method, path, { body: { Name: 'Changed' } });
      expect([again.status, again.headers.location]).toEqual([204, undefined]);
      expect((await zoo.get(path)).json.Name).toBe('Changed');
    },
  );

  it.each(['PATCH', 'PUT'])(
    '%s with return=minimal: 204 with Location and OData-EntityId where it creates',
    async (method) => {
      const message = { body: { Name: 'Made' }, headers: { prefer: 'return=minimal' } };
      const { status, headers, text } = await zoo.send(method, path, message);
      const address = `${zoo.root}${path.slice(1)}`;
      expect([status, headers.location, headers['odata-entityid'], text]).toEqual([
        204,
        address,
        address,
        '',
      ]);
      expect(headers['preference-applied']).toBe('return=minimal');
    },
  );

  it.each(['PATCH', 'PUT'])(
    '%s with return=representation: 201 where it creates, 200 where it changes',
    async (method) => {
      const message = { body: { Name: 'Made' }, headers: { prefer: 'return=representation' } };
      const statuses = [];
      for (const _ of [1, 2]) statuses.push((await zoo.send(method, path, message)).status);
      expect(statuses).toEqual([201, 200]);
    },
  );

  it('of what a relation to one record contains: 201, then 204', async () => {
    const made = await zoo.send('POST', '/Animals', {
      body: { '@odata.type': '#Odd.Zoo.Bird', Name: 'Chipped' },
    });
    const chip = `/Animals(${made.json.Id})/Chip`;
    const statuses = [];
    for (const _ of [1, 2])
      statuses.push((await zoo.send('PUT', chip, { body: { Serial: 'a' } })).status);
    expect(statuses).toEqual([201, 204]);
    expect((await zoo.get(chip)).json.Serial).toBe('a');
  });

  it('of its owner with null for it deletes it', async () => {
    const body = { '@odata.type': '#Odd.Zoo.Bird', Name: 'Chipped', Chip: { Serial: 'a' } };
    const bird = `/Animals(${(await zoo.send('POST', '/Animals', { body })).json.Id})`;
    const write = (method: string, message: object) =>
      zoo.send(method, bird, {
        body: { '@odata.type': '#Odd.Zoo.Bird', Name: 'Chipped', Chip: null },
        ...message,
      });
    const stale = await write('PATCH', { headers: { 'if-match': 'W/"77"' } });
    expect([stale.status, (await zoo.get(`${bird}/Chip`)).json.Serial]).toEqual([412, 'a']);
    for (const [method, headers] of [
      ['PATCH', {}],
      ['PATCH', V401],
      ['PUT', {}],
    ] as const) {
      await zoo.send('PUT', `${bird}/Chip`, { body: { Serial: 'a' } });
      expect((await write(method, { headers })).status).toBe(204);
      expect((await zoo.get(`${bird}/Chip`)).status).toBe(204);
      expect((await write(method, { headers })).status).toBe(204);
    }
  });

  it('in a batch and in Atom: 201 as well', async () => {
    const one = { id: '1', method: 'PUT', url: path.slice(1), body: { Name: 'Made' } };
    const requests = [one, { ...one, id: '2' }];
    const { json } = await zoo.send('POST', '/$batch', { body: { requests } });
    expect(json.responses.map(({ status }: { status: number }) => status)).toEqual([201, 204]);
    number += 1;
    const answer = await zoo.send('PUT', `/Enclosures(Wing='Z',Number=${number})`, {
      body: { Name: 'Made' },
      headers: { accept: 'application/atom+xml' },
    });
    expect([answer.status, answer.text.includes('<entry')]).toEqual([201, true]);
  });

  it('If-Match: * is update only: what is not there is not made', async () => {
    const headers = { 'if-match': '*' };
    const absent = await zoo.send('PATCH', path, { body: { Name: 'x' }, headers });
    expect([404, 412]).toContain(absent.status);
    expect((await zoo.get(path)).status).toBe(404);
    await zoo.send('PUT', path, { body: { Name: 'Made' } });
    expect((await zoo.send('PATCH', path, { body: { Name: 'y' }, headers })).status).toBe(204);
  });

  it('If-None-Match: * is insert only: what is there is not changed', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await zoo.send('PUT', path, { body: { Name: 'Made' }, headers })).status).toBeLessThan(
      300,
    );
    const second = await zoo.send('PATCH', path, { body: { Name: 'Changed' }, headers });
    expect(second.status).toBe(412);
    expect((await zoo.get(path)).json.Name).toBe('Made');
  });

  it('POST of a key that is there already is refused', async () => {
    const body = { Wing: 'Z', Number: number, Name: 'Made' };
    expect((await zoo.send('POST', '/Enclosures', { body })).status).toBe(201);
    const again = await zoo.send('POST', '/Enclosures', { body: { ...body, Name: 'Other' } });
    expect([again.status, (await zoo.get(path)).json.Name]).toEqual([409, 'Made']);
  });

  it('where the service gives the keys, nothing is made: 404', async () => {
    for (const method of ['PATCH', 'PUT'])
      expect((await desk.send(method, '/Persons(999)', { body: { LastName: 'x' } })).status).toBe(
        404,
      );
  });
});

describe('What is only read', () => {
  it.each([
    ['/Attributes', { Name: 'x' }],
    ['/Entities', { Name: 'x' }],
  ])('POST to %s: 405 with Allow', async (set, body) => {
    const answer = await desk.send('POST', set, { body });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });
});

describe('What cannot be deleted', () => {
  it('is not deleted by leaving it out of a full list', async () => {
    const before = (await desk.get('/Settings')).text;
    const answer = await desk.send('PUT', '/Settings', { body: { value: [] } });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, PATCH']);
    expect((await desk.get('/Settings')).text).toBe(before);
  });

  it('is not deleted by a list of changes: 400, and nothing is done', async () => {
    const setting = { '@id': "Settings('auditDays')" };
    const body = {
      '@context': '#$delta',
      value: [
        { ...setting, Value: '5' },
        { ...setting, '@removed': { reason: 'deleted' } },
      ],
    };
    const answer = await desk.send('PATCH', '/Settings', { body, headers: V401 });
    expect([answer.status, answer.json.error.details]).toMatchObject([
      400,
      [{ code: 'write.delta', target: 'value[1]/@odata.removed' }],
    ]);
    expect((await desk.get("/Settings('auditDays')")).json.Value).toBe(null);
  });

  it('tells by Allow what there is instead', async () => {
    const post = await desk.send('POST', '/Settings', { body: {} });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, PATCH']);
  });
});

describe('All rows of a filter', () => {
  const filter = (text: string) =>
    `/ServiceRequests/$filter(@f)/$each?@f=${encodeURIComponent(text)}`;
  const made = async (text: string) => {
    for (let index = 0; index < 3; index++)
      await desk.send('POST', '/ServiceRequests', { body: { Description: text } });
  };
  const count = async (text: string) =>
    Number((await desk.get(`/ServiceRequests/$count?$filter=${encodeURIComponent(text)}`)).text);

  it('are changed by PATCH …/$filter(@f)/$each, each with its history', async () => {
    await made('Each one');
    const answer = await desk.send('PATCH', filter("Description eq 'Each one'"), {
      body: { Solution: 'Done' },
      headers: V401,
    });
    expect([200, 204]).toContain(answer.status);
    expect(await count("Description eq 'Each one' and Solution eq 'Done'")).toBe(3);
    const { json } = await desk.get(
      "/ServiceRequests?$filter=Solution eq 'Done'&$expand=HistoryLines($select=Attribute)",
    );
    for (const one of json.value)
      expect(one.HistoryLines).toMatchObject([{ Attribute: 'Solution' }]);
  });

  it('are deleted by DELETE …/$filter(@f)/$each', async () => {
    await made('Each gone');
    const before = await count('true');
    const answer = await desk.send('DELETE', filter("Description eq 'Each gone'"), {
      headers: V401,
    });
    expect([200, 204]).toContain(answer.status);
    expect(await count('true')).toBe(before - 3);
  });

  it('are not shown when they are deleted: $select and $expand are refused', async () => {
    await made('Each kept');
    for (const option of ['$select=Uid', '$expand=Caller']) {
      const path = `${filter("Description eq 'Each kept'")}&${option}`;
      const { status, json } = await desk.send('DELETE', path, { headers: V401 });
      expect([status, json.error.target]).toEqual([400, option.replace(/=.*/, '')]);
    }
    expect(await count("Description eq 'Each kept'")).toBe(3);
  });

  it('are changed all or none', async () => {
    await made('Each whole');
    const answer = await desk.send('PATCH', filter("Description eq 'Each whole'"), {
      body: { 'Caller@odata.bind': 'Persons(1)', Solution: 'Half' },
      headers: V401,
    });
    expect(answer.status).toBe(400);
    expect(await count("Solution eq 'Half'")).toBe(0);
  });

  it('take neither POST nor PUT', async () => {
    for (const method of ['POST', 'PUT']) {
      const answer = await desk.send(method, filter('true'), { body: {}, headers: V401 });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'PATCH, DELETE']);
    }
  });
});

describe('A list of changes', () => {
  it('PATCH of a set makes, changes and removes what it names', async () => {
    const one = await desk.send('POST', '/Workorders', { body: { Description: 'Kept' } });
    const two = await desk.send('POST', '/Workorders', { body: { Description: 'Gone' } });
    const answer = await desk.send('PATCH', '/Workorders', {
      headers: V401,
      body: {
        '@context': '#$delta',
        value: [
          { '@id': `Workorders(${one.json.Uid})`, Information: 'Changed' },
          { '@removed': { reason: 'deleted' }, '@id': `Workorders(${two.json.Uid})` },
          { Description: 'New in the list' },
        ],
      },
    });
    expect([200, 204]).toContain(answer.status);
    expect((await desk.get(`/Workorders(${one.json.Uid})`)).json).toMatchObject({
      Description: 'Kept',
      Information: 'Changed',
    });
    expect((await desk.get(`/Workorders(${two.json.Uid})`)).status).toBe(404);
    const made = await desk.get("/Workorders/$count?$filter=Description eq 'New in the list'");
    expect(made.text).toBe('1');
  });

  it('is done as a whole: one stale ETag, and nothing has changed', async () => {
    const one = await desk.send('POST', '/Workorders', { body: { Description: 'Same' } });
    const answer = await desk.send('PATCH', '/Workorders', {
      headers: V401,
      body: {
        '@context': '#$delta',
        value: [
          { Description: 'Never made' },
          { '@id': `Workorders(${one.json.Uid})`, '@etag': 'W/"77"', Description: 'Never changed' },
        ],
      },
    });
    expect(answer.status).toBe(412);
    const made = await desk.get("/Workorders/$count?$filter=Description eq 'Never made'");
    expect(made.text).toBe('0');
  });

  it('PUT of a collection replaces its members', async () => {
    const feedings = "/Enclosures(Wing='A',Number=1)/Feedings";
    const answer = await zoo.send('PUT', feedings, {
      headers: V401,
      body: {
        value: [
          { Hour: 8, Food: 'Nuts' },
          { Hour: 20, Food: 'Bread' },
        ],
      },
    });
    expect([200, 204]).toContain(answer.status);
    const { json } = await zoo.get(`${feedings}?$orderby=Hour`);
    expect(json.value).toMatchObject([
      { Hour: 8, Food: 'Nuts' },
      { Hour: 20, Food: 'Bread' },
    ]);
    expect(json.value).toHaveLength(2);
  });
});

describe('A contained record that a deep update names by @id', () => {
  type Owner = { path: string; lines: readonly string[] };
  let own: Owner;
  let other: Owner;
  const made = async (): Promise<Owner> => {
    const { json } = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'Owner' },
    });
    const path = `/ServiceRequests(${json.Uid})`;
    const lines = [];
    for (const Information of ['First', 'Second']) {
      const line = await desk.send('POST', `${path}/HistoryLines`, { body: { Information } });
      lines.push(`${path.slice(1)}/HistoryLines(${line.json.Uid})`);
    }
    return { path, lines };
  };
  const lines = async ({ path }: Owner): Promise<readonly string[]> =>
    (await desk.get(`${path}/HistoryLines?$orderby=Uid`)).json.value.map(
      ({ Information }: { Information: string }) => Information,
    );
  beforeEach(async () => {
    own = await made();
    other = await made();
  });

  type Form = readonly [string, string, string, (item: object) => object];
  const FULL: readonly Form[] = [
    ['a full list', 'PATCH', '', (item) => ({ HistoryLines: [item] })],
    ['PUT of the collection', 'PUT', '/HistoryLines', (item) => ({ value: [item] })],
  ];
  const DELTA: readonly Form[] = [
    ['a nested delta', 'PATCH', '', (item) => ({ 'HistoryLines@delta': [item] })],
    [
      'a delta payload',
      'PATCH',
      '/HistoryLines',
      (item) => ({ '@context': '#$delta', value: [item] }),
    ],
  ];

  it.each([
    ...FULL.map((form) => [...form, ['First']] as const),
    ...DELTA.map((form) => [...form, ['First', 'Second']] as const),
  ])('and nothing else stays as it is: %s', async (_, method, collection, bodyOf, expected) => {
    const body = bodyOf({ '@id': own.lines[0] });
    const answer = await desk.send(method, `${own.path}${collection}`, { headers: V401, body });
    expect(answer.status, answer.text).toBe(204);
    expect(await lines(own)).toEqual(expected);
  });

  const FORGED = { Information: 'Forged' };
  it.each([
    ...[...FULL, ...DELTA].flatMap((form) => [[...form, {}] as const, [...form, FORGED] as const]),
    ...DELTA.map((form) => [...form, { '@removed': { reason: 'deleted' } }] as const),
  ])(
    'is one of its owner, not of another: %s (%s %s)',
    async (_, method, collection, bodyOf, members) => {
      const body = bodyOf({ '@id': other.lines[0], ...members });
      const answer = await desk.send(method, `${own.path}${collection}`, { headers: V401, body });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'write.missing-reference']);
      expect(answer.json.error.target).toMatch(/\[0\]\/@odata.id$/);
      for (const owner of [own, other]) expect(await lines(owner)).toEqual(['First', 'Second']);
    },
  );

  it('is found by other URLs, too', async () => {
    const body = { Description: 'Part', 'ServiceRequest@odata.bind': own.path.slice(1) };
    const { json } = await desk.send('POST', '/Workorders', { body });
    const line = own.lines[0]?.replace(/.*\//, `Workorders(${json.Uid})/ServiceRequest/`);
    const change = { 'HistoryLines@delta': [{ '@id': line, Information: 'Changed' }] };
    const answers = [];
    for (const { path } of [own, other])
      answers.push((await desk.send('PATCH', path, { headers: V401, body: change })).status);
    expect(answers).toEqual([204, 400]);
    expect(await lines(own)).toContain('Changed');
  });

  it('is one of its owner two levels deep and in a batch, too', async () => {
    const animals: { Id: number; Notes: { Id: number }[] }[] = [];
    for (const Name of ['a', 'b']) {
      const body = { '@odata.type': '#Odd.Zoo.Bird', Name, Notes: [{ Text: Name }] };
      animals.push((await zoo.send('POST', '/Animals?$expand=Notes', { body })).json);
    }
    const [one, two] = animals;
    const changeOf = (id: string) => ({
      Children: [{ Id: two?.Id, 'Notes@delta': [{ '@id': id, Text: 'Changed' }] }],
    });
    const noteOf = (animal: typeof one) => `Animals(${animal?.Id})/Notes(${animal?.Notes[0]?.Id})`;
    const url = `Animals(${one?.Id})`;
    const part = { method: 'PATCH', url, headers: V401 };
    const { json } = await zoo.send('POST', '/$batch', {
      headers: { ...V401, prefer: 'continue-on-error' },
      body: {
        requests: [
          { id: '1', ...part, body: changeOf(noteOf(two)) },
          { id: '2', ...part, body: changeOf(noteOf(one)) },
          { id: '3', method: 'POST', url: `${url}/Notes`, body: { Text: 'New' } },
          { id: '4', ...part, body: { 'Notes@delta': [{ '@id': '$3', Text: 'Changed' }] } },
          { id: '5', ...part, body: changeOf('$3') },
        ],
      },
    });
    expect(json.responses.map(({ status }: { status: number }) => status)).toEqual([
      204, 400, 201, 204, 400,
    ]);
  });
});

describe('Related records along with their owner', () => {
  const made = async () => {
    const body = {
      Description: 'Owner',
      Workorders: [{ Description: 'First' }, { Description: 'Second' }],
    };
    const { json } = await desk.send('POST', '/ServiceRequests?$expand=Workorders', { body });
    return {
      path: `/ServiceRequests(${json.Uid})`,
      orders: json.Workorders.map((one: { Uid: number }) => one.Uid),
    };
  };
  const orders = async (path: string) =>
    (await desk.get(`${path}/Workorders?$orderby=Uid`)).json.value.map(
      (one: { Uid: number; Description: string }) => [one.Uid, one.Description],
    );

  it('a full list in a 4.01 body is what they are afterwards', async () => {
    const {
      path,
      orders: [first, second],
    } = await made();
    const answer = await desk.send('PATCH', path, {
      headers: V401,
      body: { Workorders: [{ Uid: first, Description: 'Changed' }, { Description: 'Third' }] },
    });
    expect(answer.status, answer.text).toBe(204);
    const now = await orders(path);
    expect(now.map(([, text]: [number, string]) => text)).toEqual(['Changed', 'Third']);
    expect(now[0][0]).toBe(first);
    expect((await desk.get(`/Workorders(${second})`)).status).toBe(200);
  });

  it('`Workorders@delta` changes only what it names', async () => {
    const {
      path,
      orders: [first, second],
    } = await made();
    const answer = await desk.send('PATCH', path, {
      headers: V401,
      body: {
        Solution: 'Along',
        'Workorders@delta': [
          { Uid: first, Description: 'Changed' },
          { '@removed': { reason: 'changed' }, '@id': `Workorders(${second})` },
          { Description: 'Third' },
        ],
      },
    });
    expect(answer.status, answer.text).toBe(204);
    expect((await orders(path)).map(([, text]: [number, string]) => text)).toEqual([
      'Changed',
      'Third',
    ]);
    expect((await desk.get(path)).json.Solution).toBe('Along');
    expect((await desk.get(`/Workorders(${second})/ServiceRequest`)).status).toBe(204);
  });

  it('only those that are related are removed', async () => {
    const one = await made();
    const [order] = (await made()).orders;
    for (const reason of ['deleted', 'changed']) {
      for (const named of [{ '@id': `Workorders(${order})` }, { Uid: order }]) {
        const removal = { '@removed': { reason }, ...named };
        const nested = { Solution: 'Not done', 'Workorders@delta': [removal] };
        const payload = { '@context': '#$delta', value: [removal] };
        for (const [path, body] of [
          [one.path, nested],
          [`${one.path}/Workorders`, payload],
        ] as const) {
          const { status, json } = await desk.send('PATCH', path, { headers: V401, body });
          expect([status, json.error.code]).toEqual([400, 'write.missing-reference']);
        }
      }
    }
    expect((await desk.get(`/Workorders(${order})/ServiceRequest`)).status).toBe(200);
    expect((await desk.get(one.path)).json.Solution).toBeNull();
  });

  it('a related one is removed, whichever URL names it, and deleted if the reason says so', async () => {
    const {
      path,
      orders: [first, second],
    } = await made();
    const removal = (reason: string, id: string) => ({ '@removed': { reason }, '@id': id });
    const changes = [
      removal('deleted', `Workorders(${first})`),
      removal('changed', `${path.slice(1)}/Workorders(${second})`),
    ];
    const body = { 'Workorders@delta': changes };
    const answer = await desk.send('PATCH', path, { headers: V401, body });
    expect(answer.status, answer.text).toBe(204);
    expect(await orders(path)).toEqual([]);
    expect((await desk.get(`/Workorders(${first})`)).status).toBe(404);
    expect((await desk.get(`/Workorders(${second})`)).status).toBe(200);
  });

  it('are written once: a second member for them is not ignored', async () => {
    const { path, orders: before } = await made();
    for (const body of [
      { Workorders: [], 'Workorders@delta': [] },
      { Workorders: [], 'Workorders@bind': [`Workorders(${before[0]})`] },
      { 'Caller@bind': 'Persons(80)', 'Caller@odata.bind': 'Persons(81)' },
    ]) {
      const { status, json } = await desk.send('PATCH', path, { headers: V401, body });
      const codes = json.error.details.map(({ code }: { code: string }) => code);
      expect([status, codes[0]]).toEqual([400, 'write.twice']);
    }
    expect(await orders(path)).toHaveLength(2);
  });

  it('a new record refers to existing ones, but does not change them', async () => {
    const {
      orders: [first],
    } = await made();
    const id = `Workorders(${first})`;
    const post = (item: object) =>
      desk.send('POST', '/ServiceRequests?$expand=Workorders', {
        headers: V401,
        body: { Description: 'New', Workorders: [item] },
      });
    const changing = await post({ '@id': id, Description: 'Changed' });
    expect([changing.status, changing.json.error.target]).toEqual([400, 'Workorders[0]/@odata.id']);
    expect(changing.json.error.message).toContain('Send "@odata.id" alone');
    const referring = await post({ '@id': id });
    expect(referring.json.Workorders).toMatchObject([{ Uid: first, Description: 'First' }]);
  });

  it('in a 4.0 body they are refused, and so is a delta of what is new', async () => {
    const { path } = await made();
    const inline = await desk.send('PATCH', path, {
      headers: { 'odata-version': '4.0' },
      body: { Workorders: [{ Description: 'x' }] },
    });
    expect([inline.status, inline.json.error.target]).toEqual([400, 'Workorders']);
    const fresh = await desk.send('POST', '/ServiceRequests', {
      headers: V401,
      body: { Description: 'New', 'Workorders@delta': [] },
    });
    expect(fresh.status).toBe(400);
  });
});

describe('The navigation from a contained record to its owner', () => {
  const key = { nullable: false } as const;
  const definition = defineModel({
    namespaces: [{ name: 'Boxes' }],
    types: [
      entityType('Box', [int32('Id', key), contained('Parts', 'Part', { partner: 'Owner' })], {
        key: ['Id'],
      }),
      entityType('Part', [int32('Id', key), text('Name'), one('Owner', 'Box')], { key: ['Id'] }),
    ],
    sets: [entitySet('Boxes', 'Box')],
  });

  it('is fixed: 400 for another owner, also as a reference', async () => {
    const boxes = await openForeignDesk(definition, {});
    try {
      const parts = [{ Id: 1, Name: 'kept' }];
      for (const Id of [1, 2])
        expect((await boxes.send('POST', '/Boxes', { body: { Id, Parts: parts } })).status).toBe(
          201,
        );
      const part = '/Boxes(1)/Parts(1)';
      const owner = { '@odata.id': 'Boxes(2)' };
      const answers = [
        await boxes.send('PATCH', part, { body: { 'Owner@odata.bind': 'Boxes(2)' } }),
        await boxes.send('PATCH', part, { body: { Owner: owner }, headers: V401 }),
        await boxes.send('PUT', `${part}/Owner/$ref`, { body: owner }),
        await boxes.send('DELETE', `${part}/Owner/$ref`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      await boxes.send('PATCH', part, { body: { Owner: null } });
      expect((await boxes.get(`${part}?$expand=Owner`)).json).toMatchObject({ Owner: { Id: 1 } });
    } finally {
      await boxes.close();
    }
  });
});
