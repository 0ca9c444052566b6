// This file edits code lists over OData while the service runs: codes are added, renamed, translated, moved, disabled and deleted, and
// all responses, bodies and documents follow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { deriveBindings } from '../../src/edm/navigation-bindings.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { usesPostgres } from '../database.ts';
import { codeList, codeValue } from '../define.ts';
import {
  complexType,
  defineModel,
  entitySet,
  entityType,
  int64,
  property,
  text,
} from '../define-model.ts';
import { suiteModel } from '../service-desk.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { RECORDS, REQUEST } from './records.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
});
afterAll(async () => await desk.close());

const DUTCH = { 'accept-language': 'nl' };
const TELEPHONE = 120_001;
const CHAT = 120_005;

const texts = (en: string, nl?: string) => [
  { Language: 'en', Text: en },
  ...(nl === undefined ? [] : [{ Language: 'nl', Text: nl }]),
];

async function keyOfList(name: string): Promise<number> {
  return (await desk.get(`/CodeLists(Name='${name}')`)).json.Uid;
}

/** Adds a code to the list. */
async function add(list: string, body: object) {
  const bound = { ...body, 'List@odata.bind': `CodeLists(${await keyOfList(list)})` };
  return await desk.send('POST', '/Codes', { body: bound });
}

const code = async (value: number) => (await desk.get(`/Codes(Value=${value})`)).json;

const patch = async (value: number, body: object) =>
  await desk.send('PATCH', `/Codes(Value=${value})`, {
    body,
    headers: { prefer: 'return=representation' },
  });

async function create(body: object): Promise<number> {
  const made = await desk.send('POST', '/ServiceRequests', {
    body: { Description: 'A request', ...body },
  });
  expect(made.status, made.text).toBe(201);
  return made.json.Uid;
}

describe('A code that is added', () => {
  it('can be used at once, by its value and by its text in any language', async () => {
    const made = await add('Medium', { Value: 120_100, Texts: texts('Fax', 'Telefax') });
    expect([made.status, made.json.Value]).toEqual([201, 120_100]);
    const byText = await create({ Medium: { Text: 'telefax' } });
    const byValue = await create({ Medium: { Value: 120_100 } });
    for (const uid of [byText, byValue]) {
      const path = `/ServiceRequests(${uid})?$select=Medium`;
      expect((await desk.get(path)).json.Medium).toEqual({ Text: 'Fax', Value: 120_100 });
      expect((await desk.get(path, DUTCH)).json.Medium.Text).toBe('Telefax');
      expect((await desk.get(path, { 'accept-language': 'de' })).json.Medium.Text).toBe('Fax');
    }
    const found = await desk.get(`/ServiceRequests?$filter=Medium/Text eq 'Fax'&$select=Uid`);
    expect(found.json.value).toHaveLength(2);
  });

  it('gets a value that no other code has if none is sent', async () => {
    const [one, other] = [
      await add('Medium', { Texts: texts('Pigeon') }),
      await add('Medium', { Texts: texts('Bottle') }),
    ];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.json.Value).toBe(one.json.Uid);
    expect(other.json.Value).not.toBe(one.json.Value);
    await create({ Medium: { Value: one.json.Value } });
  });

  it('belongs to one list: others do not accept it', async () => {
    const made = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'x', Priority: { Value: 120_100 } },
    });
    expect([made.status, made.json.error.details]).toMatchObject([400, [{ code: 'write.code' }]]);
  });

  it.each([
    ['no text', { Texts: [] }, 400, 'codes.texts'],
    [
      'no text in the default language',
      { Texts: [{ Language: 'nl', Text: 'Post' }] },
      400,
      'codes.texts',
    ],
    ['a blank text', { Texts: texts('  ') }, 400, 'codes.texts'],
    [
      'a language that the model lacks',
      { Texts: [...texts('Y'), { Language: 'xx', Text: 'Y' }] },
      400,
      'codes.texts',
    ],
    ['two texts in one language', { Texts: [...texts('Y'), ...texts('Z')] }, 400, 'codes.texts'],
    ['a text that a sibling has', { Texts: texts('chat') }, 409, 'codes.taken'],
    [
      'a meaning that another code has',
      { Texts: texts('Other'), Meaning: 'CHAT' },
      409,
      'codes.taken',
    ],
    [
      'a value that another list has',
      { Value: 101_001, Texts: texts('Other') },
      409,
      'store.unique',
    ],
    [
      'a parent in a flat list',
      { Texts: texts('Other'), 'Parent@odata.bind': `Codes(${CHAT})` },
      400,
      'codes.parent',
    ],
  ])('is rejected with %s', async (_, body, status, error) => {
    const before = (await desk.get('/Codes/$count')).text;
    const answer = await add('Medium', body);
    expect([answer.status, answer.json.error.code], answer.text).toEqual([status, error]);
    expect((await desk.get('/Codes/$count')).text).toBe(before);
  });

  it('needs a list', async () => {
    const answer = await desk.send('POST', '/Codes', { body: { Texts: texts('Nowhere') } });
    expect(answer.status).toBe(400);
  });
});

describe('A code that is renamed', () => {
  it('has its new text in all responses, and no record changes', async () => {
    const uid = await create({ Medium: { Value: TELEPHONE } });
    const path = `/ServiceRequests(${uid})?$select=Medium`;
    const list = `/ServiceRequests?$select=Uid,Medium&$filter=Uid eq ${uid}`;
    for (let round = 0; round < 3; round++) await desk.get(list);
    const before = await desk.get(path);
    expect((await patch(TELEPHONE, { Texts: texts('Phone call', 'Belletje') })).status).toBe(200);
    const after = await desk.get(path);
    expect(after.json.Medium).toEqual({ Text: 'Phone call', Value: TELEPHONE });
    expect((await desk.get(path, DUTCH)).json.Medium.Text).toBe('Belletje');
    expect((await desk.get(list)).json.value).toMatchObject([{ Medium: { Text: 'Phone call' } }]);
    expect(after.json['@odata.etag']).toBe(before.json['@odata.etag']);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    const stale = { 'if-none-match': String(before.headers.etag) };
    expect((await desk.get(path, stale)).status).toBe(200);
    const history = await desk.get(`/ServiceRequests(${uid})/HistoryLines/$count`);
    expect(history.text).toBe('0');
  });

  it('is found by its new text only, and bodies accept the new text', async () => {
    const count = async (text: string) =>
      (await desk.get(`/ServiceRequests/$count?$filter=Medium/Text eq '${text}'`)).text;
    expect([await count('Phone call'), await count('Telephone')]).toEqual([
      expect.stringMatching(/[1-9]/),
      '0',
    ]);
    await create({ Medium: { Text: 'phone CALL' } });
    const old = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'x', Medium: { Text: 'Telephone' } },
    });
    expect(old.status).toBe(400);
    expect(old.text).toContain('Phone call');
  });

  it('is in counts by text', async () => {
    const grouped = await desk.get(
      `/ServiceRequests?$apply=groupby((Medium/Text),aggregate($count as Count))`,
    );
    expect(JSON.stringify(grouped.json.value)).toContain('Phone call');
  });

  it('keeps the default of a property working, whatever it is called', async () => {
    await patch(101_001, { Texts: texts('Brand new') });
    const uid = await create({});
    const { Status } = (await desk.get(`/ServiceRequests(${uid})?$select=Status`)).json;
    expect(Status).toEqual({ Text: 'Brand new', Value: 101_001 });
  });
});

describe('A code that is disabled', () => {
  let uid = 0;
  beforeAll(async () => {
    uid = await create({ Medium: { Value: CHAT }, Priority: { Value: 110_002 } });
    expect((await patch(CHAT, { Disabled: true })).status).toBe(200);
  });

  it('cannot be chosen any more', async () => {
    for (const Medium of [{ Value: CHAT }, { Text: 'Chat' }]) {
      const answer = await desk.send('POST', '/ServiceRequests', {
        body: { Description: 'x', Medium },
      });
      expect(answer.json.error.details).toMatchObject([{ code: 'write.code-disabled' }]);
    }
    const other = await create({ Medium: { Value: TELEPHONE } });
    for (const [method, path, body] of [
      ['PATCH', '', { Medium: { Value: CHAT } }],
      ['PUT', '/Medium', { Value: CHAT }],
      ['PUT', '/Medium/Value', { value: CHAT }],
    ] as const) {
      const answer = await desk.send(method, `/ServiceRequests(${other})${path}`, { body });
      expect([answer.status, answer.text], path).toMatchObject([
        400,
        expect.stringContaining('write.code-disabled'),
      ]);
      expect(answer.json.error.message, path).toContain(`The code ${CHAT} of the list Medium`);
      if (path === '') expect(answer.json.error.target).toBe('Medium/Value');
    }
    const shown = await desk.get(`/ServiceRequests(${other})?$select=Medium`);
    expect(shown.json.Medium.Value).toBe(TELEPHONE);
  });

  it('stays where it is, and a write that does not change it succeeds', async () => {
    const path = `/ServiceRequests(${uid})`;
    const changed = await desk.send('PATCH', path, {
      headers: { prefer: 'return=representation' },
      body: { Medium: { Value: CHAT, Text: 'Chat' }, Description: 'Changed' },
    });
    expect([changed.status, changed.json?.Medium], changed.text).toEqual([
      200,
      { Text: 'Chat', Value: CHAT },
    ]);
    expect((await desk.send('PUT', `${path}/Medium`, { body: { Value: CHAT } })).status).toBe(204);
    expect((await desk.get(`${path}?$select=Description`)).json.Description).toBe('Changed');
  });

  it('can be enabled again', async () => {
    expect((await patch(CHAT, { Disabled: false })).status).toBe(200);
    await create({ Medium: { Text: 'Chat' } });
  });

  it('is not the default of a property', async () => {
    const answer = await patch(101_001, { Disabled: true });
    expect([answer.status, answer.json.error.code]).toEqual([409, 'codes.default']);
    expect((await code(101_001)).Disabled).toBe(false);
  });
});

describe('A disabled code inside a value that is stored as a whole', () => {
  const CODED = { $Type: 'Shop.Code', '@Docket.CodeList': 'Colours' };
  const MODEL = {
    $Version: '4.01',
    $EntityContainer: 'Shop.Container',
    Shop: {
      Code: {
        $Kind: 'ComplexType',
        '@Docket.Coded': { Value: 'Value', Text: 'Text' },
        Text: { $Nullable: true },
        Value: { $Type: 'Edm.Int64', $Nullable: true },
      },
      Part: { $Kind: 'ComplexType', Colour: { ...CODED, $Nullable: true } },
      Lamp: {
        $Kind: 'ComplexType',
        $BaseType: 'Shop.Part',
        Light: { ...CODED, $Nullable: true },
        Rays: { ...CODED, $Collection: true },
      },
      Item: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: { $Type: 'Edm.Int32' },
        Note: { $Nullable: true },
        Colours: { ...CODED, $Collection: true },
        Part: { $Type: 'Shop.Part', $Nullable: true },
        Parts: { $Type: 'Shop.Part', $Collection: true },
      },
      Container: {
        $Kind: 'EntityContainer',
        '@Docket.CodeLists': [
          {
            Name: 'Colours',
            Codes: [1, 2, 3].map((Value) => {
              return { Value, Texts: [{ Language: 'en', Text: `Colour ${Value}` }] };
            }),
          },
        ],
        Items: { $Collection: true, $Type: 'Shop.Item' },
      },
    },
  };
  const one = { Value: 1 };
  const two = { Value: 2 };
  const three = { Value: 3 };
  const lamp = (members: JsonObject): JsonObject => ({ '@odata.type': '#Shop.Lamp', ...members });
  const STORED = {
    Colours: [one, two],
    Part: lamp({ Light: two, Rays: [two] }),
    Parts: [{ Colour: two }, lamp({ Rays: [one, two] })],
  };
  let shop: Desk;
  beforeAll(async () => {
    const { definition, mistakes } = readCsdl(MODEL);
    expect(mistakes).toEqual([]);
    shop = await openForeignDesk(deriveBindings(definition), {
      Items: [
        { Id: 1, ...STORED },
        { Id: 2, Colours: [one], Part: { Colour: one }, Parts: [{ Colour: one }] },
      ],
    });
    for (const value of [2, 3]) {
      const disabled = await shop.send('PATCH', `/Codes(Value=${value})`, {
        body: { Disabled: true },
      });
      expect(disabled.status, disabled.text).toBeLessThan(300);
    }
  });
  afterAll(async () => await shop?.close());

  const CHANGES = [
    ['PATCH', '', { Colours: [two, one] }],
    ['PATCH', '', { Colours: [{ Text: 'Colour 2' }] }],
    ['PUT', '/Colours', { value: [two, two] }],
    ['PATCH', '', { Part: lamp({ Light: two, Rays: [] }) }],
    ['PATCH', '', { Part: lamp({ Rays: [two] }) }],
    ['PUT', '/Part', lamp({ Rays: [one, two] })],
    ['PATCH', '', { Parts: [{ Colour: two }] }],
    ['PATCH', '', { Parts: [lamp({ Light: two })] }],
    ['PUT', '', STORED],
  ] as const;

  it.each(CHANGES)('can be sent back: %s %s %j', async (method, path, body) => {
    expect((await shop.send('PUT', '/Items(1)', { body: STORED })).status).toBeLessThan(300);
    const { status, text } = await shop.send(method, `/Items(1)${path}`, { body });
    expect(status, text).toBeLessThan(300);
  });

  it.each(CHANGES)('cannot be chosen: %s %s %j', async (method, path, body) => {
    const { status, text } = await shop.send(method, `/Items(2)${path}`, { body });
    expect([status, text]).toEqual([400, expect.stringContaining('write.code-disabled')]);
  });

  it.each([
    ['PATCH', '/Items(1)', { Colours: [one, three] }],
    ['PATCH', '/Items(1)', { Colours: [two, three] }],
    ['PATCH', '/Items(1)', { Part: lamp({ Light: three }) }],
    ['POST', '/Items', { Id: 3, Colours: [two] }],
    ['PUT', '/Items(4)', { Colours: [two] }],
    ['POST', '/Items(2)/Colours', two],
  ] as const)('is no other one: %s %s %j', async (method, path, body) => {
    const { status, text } = await shop.send(method, path, { body });
    expect([status, text]).toEqual([400, expect.stringContaining('write.code-disabled')]);
  });

  it('is reported with other mistakes', async () => {
    const { json } = await shop.send('PATCH', '/Items(1)', {
      body: { Colours: [two, {}], Nte: 1 },
    });
    expect(json.error.details).toMatchObject([{ target: 'Nte' }]);
  });
});

describe('A code that is deleted', () => {
  it('is not in use: the message counts the records that have it', async () => {
    const made = await add('Medium', { Texts: texts('Carrier') });
    await create({ Medium: { Text: 'Carrier' } });
    const refused = await desk.send('DELETE', `/Codes(${made.json.Uid})`);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'codes.in-use']);
    expect(refused.json.error.message).toContain('1 ServiceRequests (Medium)');
    expect((await code(made.json.Value)).Texts).toMatchObject(texts('Carrier'));
  });

  it('is no longer accepted', async () => {
    const made = await add('Medium', { Texts: texts('Semaphore') });
    expect((await desk.send('DELETE', `/Codes(${made.json.Uid})`)).status).toBe(204);
    const answer = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'x', Medium: { Value: made.json.Value } },
    });
    expect(answer.json.error.details).toMatchObject([{ code: 'write.code' }]);
  });

  it('is neither a default nor the parent of another code', async () => {
    const status = await desk.send('DELETE', '/Codes(Value=101001)');
    expect([status.status, status.json.error.code]).toEqual([409, 'codes.default']);
    const parent = await desk.send('DELETE', '/Codes(Value=142001)');
    expect(parent.status).toBe(409);
  });
});

describe('Order and parents', () => {
  it('move within a list', async () => {
    await patch(110_005, { Ordering: 0 });
    const list = await keyOfList('Priority');
    const ordered = await desk.get(
      `/Codes?$filter=List/Uid eq ${list}&$orderby=Ordering&$select=Value`,
    );
    expect(ordered.json.value[0].Value).toBe(110_005);
    const wrong = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'x', Priority: { Text: 'nothing' } },
    });
    expect(wrong.text).toMatch(/permitted are 110005/);
  });

  it('form no cycle, and stay in their list', async () => {
    const bind = async (value: number, parent: number) =>
      await patch(value, { 'Parent@odata.bind': `Codes(Value=${parent})` });
    expect((await bind(142_001, 142_011)).json.error.code).toBe('write.circle');
    expect((await bind(142_011, 142_002)).status).toBe(200);
    const foreign = await bind(142_011, 120_001);
    expect([foreign.status, foreign.json.error.code]).toEqual([400, 'codes.parent']);
  });

  it('the list of a code and its value never change', async () => {
    expect((await patch(CHAT, { Value: 5 })).json.Value).toBe(CHAT);
    const other = await keyOfList('Priority');
    expect((await patch(CHAT, { 'List@odata.bind': `CodeLists(${other})` })).status).toBe(400);
  });

  it('a code can be limited to a folder', async () => {
    const moved = await patch(CHAT, { Folder: { Value: 190_002 } });
    expect(moved.json.Folder).toEqual({ Text: 'Region North', Value: 190_002 });
  });
});

describe('Edits of code lists', () => {
  it('need the right to change codes', async () => {
    const agent = await desk.join({ loginName: 'agent', roles: [] });
    const list = await keyOfList('Medium');
    for (const [method, path] of [
      ['POST', '/Codes'],
      ['PATCH', `/Codes(${CHAT})`],
      ['DELETE', `/Codes(${CHAT})`],
    ] as const) {
      const bound = method === 'POST' ? { 'List@odata.bind': `CodeLists(${list})` } : {};
      const body = { Texts: texts('Mine'), ...bound };
      const { status } = await agent.send(method, path, { body });
      expect([403, 404], path).toContain(status);
    }
    expect((await code(CHAT)).Texts).not.toMatchObject(texts('Mine'));
  });

  it('are in the audit trail and in delta responses', async () => {
    const tracking = { prefer: 'odata.track-changes' };
    const filter = `$filter=Value eq ${CHAT}&$select=Value,Texts`;
    const first = await desk.get(`/Codes?${filter}`, tracking);
    const link = String(first.json['@odata.deltaLink']);
    await patch(CHAT, { Texts: texts('Instant message') });
    const delta = await desk.get(link);
    expect(delta.json?.value, `${link} ${delta.text}`).toMatchObject([
      { Value: CHAT, Texts: texts('Instant message') },
    ]);
    const entries = await desk.get(
      `/AuditEntries?$filter=contains(Detail,'Instant message')&$select=Kind,Target,Account`,
    );
    expect(entries.json.value).toMatchObject([{ Kind: 'administration', Account: 'admin' }]);
  });

  it('are all undone if one request of a change set fails', async () => {
    const requests = [
      {
        id: '1',
        atomicityGroup: 'g',
        method: 'patch',
        url: `Codes(${CHAT})`,
        body: { Texts: texts('Half') },
      },
      {
        id: '2',
        atomicityGroup: 'g',
        method: 'patch',
        url: 'Codes(101001)',
        body: { Disabled: true },
      },
    ];
    await desk.send('POST', '/$batch', { body: { requests } });
    expect(JSON.stringify((await code(CHAT)).Texts)).not.toContain('Half');
    const uid = await create({ Medium: { Value: CHAT } });
    expect((await desk.get(`/ServiceRequests(${uid})`)).json.Medium.Text).toBe('Instant message');
  });

  it('survive a restart', async () => {
    const uid = await create({ Medium: { Value: 120_100 } });
    desk = await desk.restart();
    const { Medium } = (await desk.get(`/ServiceRequests(${uid})`)).json;
    expect(Medium).toEqual({ Text: 'Fax', Value: 120_100 });
    expect((await desk.get(`/ServiceRequests(${REQUEST})`)).status).toBe(200);
  });
});

describe.runIf(usesPostgres)('Another node', () => {
  it('returns a renamed code soon', async () => {
    const other = await desk.another();
    const uid = await create({ Medium: { Value: CHAT } });
    const path = `/ServiceRequests(${uid})?$select=Medium`;
    for (let round = 0; round < 3; round++) await other.get(path);
    await patch(CHAT, { Texts: texts('Renamed by a node') });
    const shown = async () => (await other.get(path)).json.Medium.Text;
    await expect.poll(shown).toBe('Renamed by a node');
    await other.close();
  });
});

describe('A default that a model gives by text', () => {
  it('is the same code after it has been renamed', async () => {
    const key = int64('Id', { nullable: false, computed: true, generated: { by: 'key' } });
    const coded = (name: string) => ({
      ...property(name, 'Shop.Code', { codeList: 'Colours' }),
      defaultValue: { Text: 'Red' },
    });
    const parts = { ...property('Parts', 'Shop.Part'), collection: true };
    const definition = defineModel({
      namespaces: [{ name: 'Shop' }],
      types: [
        complexType('Code', [text('Text'), int64('Value')], {
          coded: { value: 'Value', text: 'Text' },
        }),
        complexType('Part', [text('Name'), coded('Tint')]),
        entityType('Hat', [key, coded('Colour'), parts], { key: ['Id'] }),
      ],
      sets: [entitySet('Hats', 'Hat')],
      codeLists: [codeList('Colours', [codeValue(1, { en: 'Red' }), codeValue(2, { en: 'Blue' })])],
      languages: ['en'],
    });
    const shop = await openForeignDesk(definition, {});
    const renamed = await shop.send('PATCH', '/Codes(Value=1)', {
      body: { Texts: texts('Crimson') },
    });
    expect(renamed.status, renamed.text).toBe(204);
    const made = await shop.send('POST', '/Hats', { body: { Parts: [{ Name: 'Brim' }] } });
    expect([made.status, made.json.Colour], made.text).toEqual([
      201,
      { Text: 'Crimson', Value: 1 },
    ]);
    expect(made.json.Parts[0].Tint.Value).toBe(1);
    expect((await shop.send('DELETE', '/Codes(Value=1)')).json.error.code).toBe('codes.default');
    const used = await shop.send('POST', '/Hats', {
      body: { Parts: [{ Name: 'Brim', Tint: { Value: 2 } }] },
    });
    expect(used.status).toBe(201);
    const inside = await shop.send('DELETE', '/Codes(Value=2)');
    expect(inside.json.error.message).toContain('1 Hats (Parts)');
    await shop.close();
  });
});

describe('Code lists of another model', () => {
  let zoo: Desk;
  beforeAll(async () => {
    zoo = await openZoo();
  });
  afterAll(async () => await zoo.close());

  it('are in the sets CodeLists and Codes, for administrators', async () => {
    const listed = await zoo.get(`/Codes?$filter=List/Name eq 'Moods'&$orderby=Ordering`);
    expect(listed.json.value.map(({ Value }: { Value: number }) => Value)).toEqual([
      1001, 1002, 1003, 1004,
    ]);
    expect((await zoo.get('/$metadata')).text).not.toContain('CodeEntry');
  });

  it('are edited in the same way', async () => {
    const { Uid } = (await zoo.get(`/CodeLists(Name='Moods')`)).json;
    const body = { Value: 1005, Texts: texts('Curious'), 'List@odata.bind': `CodeLists(${Uid})` };
    const made = await zoo.send('POST', '/Codes', { body });
    expect(made.status, made.text).toBe(201);
    const renamed = await zoo.send('PATCH', '/Codes(Value=1001)', {
      body: { Texts: texts('Serene') },
    });
    expect(renamed.status, renamed.text).toBe(204);
  });
});
