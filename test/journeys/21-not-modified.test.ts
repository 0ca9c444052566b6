// This file asks for records again that a client has already: 304 must stand for exactly the response that it replaces, whatever was written
// since, in whichever format, language or projection the client has the record, and with whichever rights.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { upload } from './files.ts';
import { CALLER, MEMBER, REQUEST, WORKORDER } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
let accounts: Readonly<Record<(typeof NAMES)[number], Asking>>;
let role: number;
const path = `/ServiceRequests(${REQUEST})`;
const NAMES = ['admin', 'partly', 'caller'] as const;

beforeAll(async () => {
  desk = await openDesk();
  const body = {
    Name: 'partly',
    EntityAccess: ['ServiceRequest', 'Workorder', 'Person', 'HistoryLine', 'Attachment'].map(
      (Entity) => ({ Entity, Read: true }),
    ),
    AttributeAccess: [{ Entity: 'ServiceRequest', Attribute: 'Information', Read: false }],
  };
  const made = await desk.send('POST', '/Roles?$expand=AttributeAccess', { body });
  expect(made.status, made.text).toBe(201);
  role = made.json.Uid;
  accounts = {
    admin: desk.as('admin'),
    partly: await desk.join({ loginName: 'partly', roles: ['partly'] }),
    caller: await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER }),
  };
});
afterAll(async () => await desk?.close());

// ---- what is written ------------------------------------------------------------------------------------------------

type Write = readonly [name: string, run: (number: number) => Promise<Pick<DeskAnswer, 'status'>>];

const patch = (address: string, body: (number: number) => object): Write => [
  `PATCH ${address}`,
  async (number) => await desk.send('PATCH', address, { body: body(number) }),
];

const WRITES: readonly Write[] = [
  patch(path, (number) => ({ Description: `No ${number}` })),
  patch(path, (number) => ({ Status: { Value: 101001 + 2 * (number % 2) } })),
  patch(`/Persons(${CALLER})`, (number) => ({ FirstName: `F${number}` })),
  patch(`/Persons(${MEMBER})`, (number) => ({ LastName: `L${number}` })),
  patch(`/Workorders(${WORKORDER})`, (number) => ({ Description: `Order ${number}` })),
  [
    'PATCH a line of the history',
    async (number) => {
      const { json } = await desk.send('POST', `${path}/HistoryLines`, { body: {} });
      const address = `${path}/HistoryLines(${json.Uid})`;
      return await desk.send('PATCH', address, { body: { Subject: `Line ${number}` } });
    },
  ],
  [
    'POST a line of the history',
    async (number) =>
      await desk.send('POST', `${path}/HistoryLines`, { body: { Subject: `New ${number}` } }),
  ],
  [
    'POST an attachment',
    async (number) =>
      await upload(
        desk,
        `${path}/Attachments`,
        { name: 'note', fileName: 'note.txt', bytes: `Bytes ${number}` },
        { prefer: 'conflict-resolution=replace' },
      ),
  ],
  [
    'DELETE the attachments',
    async () => {
      const { json } = await desk.get(`${path}/Attachments?$select=Uid`);
      for (const { Uid } of json.value) await desk.send('DELETE', `${path}/Attachments(${Uid})`);
      return { status: 204 };
    },
  ],
  [
    'PUT the caller',
    async (number) =>
      await desk.send('PUT', `${path}/Caller/$ref`, {
        body: { '@odata.id': `Persons(${number % 2 === 0 ? CALLER : MEMBER})` },
      }),
  ],
  [
    'change the rights',
    async (number) => {
      const { json } = await desk.get(`/Roles(${role})/AttributeAccess?$select=Uid`);
      const address = `/Roles(${role})/AttributeAccess(${json.value[0].Uid})`;
      const Attribute = number % 2 === 0 ? 'Information' : 'Status';
      return await desk.send('PATCH', address, { body: { Attribute } });
    },
  ],
  ['nothing', async () => ({ status: 204 })],
];

// ---- what is read ---------------------------------------------------------------------------------------------------

interface Read {
  readonly account: (typeof NAMES)[number];
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ADDRESSES = [
  path,
  `/ServiceRequest(${REQUEST})`,
  `/Workorders(${WORKORDER})/ServiceRequest`,
  `/$entity?$id=ServiceRequests(${REQUEST})`,
];
const EXPANDED = [
  'Caller',
  'Caller($select=Name;$expand=Organization)',
  'Workorders($select=Uid,Description;$orderby=Uid)',
  'HistoryLines($expand=Attachments)',
  'HistoryLines/$count',
  'HistoryLines($count=true;$top=1)',
  'Attachments',
  'Attachments/$ref',
  'Assignment/AssigneePerson($select=LastName)',
];
const SELECTED = ['', 'Uid', 'Uid,Status', 'Uid,Description,Information'];
const HEADERS: readonly Read['headers'][] = [
  {},
  { accept: 'application/json;odata.metadata=full' },
  { accept: 'application/json;odata.metadata=none' },
  { accept: 'application/json;IEEE754Compatible=true' },
  { accept: 'application/json;charset=utf-8' },
  { accept: 'application/xml' },
  { accept: 'application/atom+xml' },
  { 'odata-maxversion': '4.01' },
  { prefer: 'omit-values=nulls', 'odata-maxversion': '4.01' },
  { prefer: 'include-annotations="*"' },
];
const LANGUAGES: readonly Read['headers'][] = [
  {},
  { 'accept-language': 'en' },
  { 'accept-language': 'nl' },
  { 'accept-language': 'de' },
];

const request = fc
  .record({
    account: fc.constantFrom(...NAMES),
    at: fc.constantFrom(...ADDRESSES),
    expand: fc.subarray(EXPANDED, { maxLength: 2 }),
    select: fc.constantFrom(...SELECTED),
    computes: fc.boolean(),
    format: fc.constantFrom('', '', 'json', 'xml'),
    headers: fc.constantFrom(...HEADERS),
    language: fc.constantFrom(...LANGUAGES),
  })
  .map(({ account, at, expand, select, computes, format, headers, language }): Read => {
    const paths = expand.map((one) => one.replace(/[(/$].*$/, ''));
    const isAmbiguous = new Set(paths).size < paths.length;
    const options = [
      ...(expand.length === 0 || isAmbiguous ? [] : [`$expand=${expand.join(',')}`]),
      ...(select === '' ? [] : [`$select=${select}${computes ? ',Also' : ''}`]),
      ...(computes ? ['$compute=Caller/Name as Also'] : []),
      ...(format === '' ? [] : [`$format=${format}`]),
    ];
    const mark = options.length === 0 ? '' : at.includes('?') ? '&' : '?';
    const address = `${at}${mark}${options.join('&')}`.replaceAll(' ', '%20');
    return { account, address, headers: { ...language, ...headers } };
  });

/** A response that a client has, by a tag that came with it. */
interface Known {
  readonly tag: string;
  readonly shown: string;
}

/** What a client gets to see of a response. */
function shownBy({ headers, text }: DeskAnswer): string {
  return `${headers['content-type']}\n${headers['content-language']}\n${text}`;
}

/** The response by its ETag, and by those in its body, which clients send as well. */
function knownFrom(answer: DeskAnswer): readonly Known[] {
  const { headers, text, status } = answer;
  if (status !== 200) return [];
  const inside = [...text.matchAll(/W\/(?:\\"|&quot;)([^"\\&]*)/g)].map(([, tag]) => `W/"${tag}"`);
  const tags = [...(headers.etag === undefined ? [] : [String(headers.etag)]), ...inside];
  return [...new Set(tags)].map((tag) => ({ tag, shown: shownBy(answer) }));
}

describe('If-None-Match', () => {
  it('never answers 304 where the client has something else than it would get, after any write', async () => {
    const steps = fc.array(
      fc.record({
        write: fc.constantFrom(...WRITES.keys()),
        earlier: request,
        later: request,
        pick: fc.nat(),
      }),
      { minLength: 4, maxLength: 10 },
    );
    const known: Known[] = [];
    let count = 0;
    let saved = 0;
    const read = async ({ account, address, headers }: Read, tag?: string) =>
      await accounts[account].get(
        address,
        tag === undefined ? headers : { ...headers, 'if-none-match': tag },
      );
    const ask = async (asked: Read, { tag, shown }: Known): Promise<void> => {
      const answer = await read(asked, tag);
      if (answer.status !== 304) return;
      saved++;
      expect(answer.text).toBe('');
      expect(shownBy(await read(asked)), JSON.stringify([asked, tag])).toBe(shown);
    };
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        for (const { write, earlier, later, pick } of all) {
          const before = knownFrom(await read(earlier));
          const [name, run] = WRITES[write] ?? ['', undefined];
          expect((await run?.(++count))?.status, name).toBeLessThan(300);
          for (const one of before) {
            await ask(earlier, one);
            await ask(later, one);
          }
          known.push(...before);
          const one = known[pick % known.length];
          if (one !== undefined) await ask(later, one);
        }
      }),
      { numRuns: 30 },
    );
    expect(saved).toBeGreaterThan(10);
  }, 120_000);

  it.each([
    ['as it is', path, {}],
    ['with relations', `${path}?$expand=Caller,Workorders,Attachments,HistoryLines`, {}],
    ['in another language', path, { 'accept-language': 'nl' }],
    ['with all metadata', path, { accept: 'application/json;odata.metadata=full' }],
    ['in version 4.01', path, { 'odata-maxversion': '4.01' }],
    ['partly', `${path}?$select=Uid`, {}],
    ['of the own person', '/Me', {}],
    ['with the own account', '/Me?$expand=Account($select=Name)', {}],
  ])('saves a record %s, and HEAD has the same tag', async (_name, address, headers) => {
    const { etag } = (await desk.get(address, headers)).headers;
    const asked = { ...headers, 'if-none-match': String(etag) };
    const again = await desk.get(address, asked);
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    const head = await desk.send('HEAD', address, { headers });
    expect([head.status, head.headers.etag]).toEqual([200, etag]);
    expect((await desk.send('HEAD', address, { headers: asked })).status).toBe(304);
  });

  it('with the tag of another format, language, projection or account is 200', async () => {
    const { etag } = (await desk.get(path)).headers;
    const tag = { 'if-none-match': String(etag) };
    expect((await desk.get(path, tag)).status).toBe(304);
    for (const headers of [...HEADERS.slice(1), { 'accept-language': 'nl' }].filter(
      ({ prefer }) => prefer !== 'include-annotations="*"',
    ))
      expect((await desk.get(path, { ...headers, ...tag })).status, JSON.stringify(headers)).toBe(
        200,
      );
    for (const query of ['$expand=Caller', '$select=Uid', '$format=xml'])
      expect((await desk.get(`${path}?${query}`, tag)).status, query).toBe(200);
    expect((await accounts.partly.get(path, tag)).status).toBe(200);
  });

  it('with the version that a record shows is 200, since it does not tell which representation the client has', async () => {
    const version = (await desk.get(path)).json['@odata.etag'];
    expect((await desk.get(path, { 'if-none-match': version })).status).toBe(200);
  });

  it('in a part of a batch, 304 as outside of it', async () => {
    const { etag } = (await desk.get(path)).headers;
    const part = (id: string, url: string) => {
      const headers = { 'If-None-Match': String(etag) };
      return { id, method: 'GET', url, headers };
    };
    const requests = [
      part('1', path.slice(1)),
      part('2', `${path.slice(1)}?$expand=Attachments`),
      { id: '3', method: 'GET', url: path.slice(1) },
      { id: '4', method: 'GET', url: path.slice(1), headers: { 'If-None-Match': '$3' } },
      {
        id: '5',
        method: 'PATCH',
        url: path.slice(1),
        headers: { 'If-Match': '$3' },
        body: { Solution: 'By its tag' },
      },
    ];
    const { json } = await desk.send('POST', '/$batch', { body: { requests } });
    expect(json.responses.map(({ status }: { status: number }) => status)).toEqual([
      304, 200, 200, 304, 204,
    ]);
  });
});

describe('The ETag of a read', () => {
  it('in If-Match lets a write happen in any format, as long as the record has not changed', async () => {
    const expanded = (await desk.get(`${path}?$expand=Caller`, { accept: 'application/xml' }))
      .headers.etag;
    const write = async (solution: string) =>
      await desk.send('PATCH', path, {
        body: { Solution: solution },
        headers: { 'if-match': String(expanded) },
      });
    expect((await write('one')).status).toBe(204);
    expect((await write('two')).status).toBe(412);
  });

  it('belongs to texts in the default language: after a restart with another one the record is sent again', async () => {
    const { headers, json } = await desk.get(path);
    const tag = { 'if-none-match': String(headers.etag) };
    const other = await desk.restart({ language: 'nl' });
    desk = other;
    accounts = { ...accounts, admin: other.as('admin') };
    const again = await other.get(path, tag);
    expect(again.status).toBe(200);
    expect(again.json.Status.Text).not.toBe(json.Status.Text);
    expect(again.json['@odata.etag']).toBe(json['@odata.etag']);
  });
});

describe('The documents of the service', () => {
  it.each([
    ['', { accept: 'application/xml' }],
    ['', { accept: 'application/json;odata.metadata=none' }],
    ['', { 'odata-maxversion': '4.01' }],
    ['/$metadata', { accept: 'text/xml' }],
    ['/$metadata', { 'odata-maxversion': '4.01' }],
    ['/$metadata', { accept: 'application/json', 'odata-maxversion': '4.01' }],
  ])('"%s" is sent again where %j asks for another representation', async (address, headers) => {
    const { etag } = (await desk.get(address)).headers;
    const tag = { 'if-none-match': String(etag) };
    expect((await desk.get(address, tag)).status).toBe(304);
    expect((await desk.get(address, { ...headers, ...tag })).status).toBe(200);
    const other = (await desk.get(address, headers)).headers;
    expect(other.etag).not.toBe(etag);
    const again = await desk.get(address, { ...headers, 'if-none-match': String(other.etag) });
    expect([again.status, again.headers.vary]).toEqual([304, other.vary]);
  });

  it('the service document is sent again under another address of the service', async () => {
    const { etag } = (await desk.get('')).headers;
    const elsewhere = { host: 'other.example', 'if-none-match': String(etag) };
    expect((await desk.get('', elsewhere)).status).toBe(200);
  });
});
