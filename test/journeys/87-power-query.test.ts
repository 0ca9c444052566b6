// This file reads the service as Power Query does, the engine of Excel and Power BI: with its headers, from the service document to the last
// page, and with the queries into which it folds steps. docs/excel.md describes both.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import { performer } from '../../src/service/handle-request.ts';
import { type Desk, openDesk, principalNamed } from './desk.ts';
import { CALLER, MANY, REQUEST } from './records.ts';

/** The feed: the requests of records.ts that fill pages, and two others. */
const FEED = MANY + 2;

/** Besides these, it accepts gzip and deflate. */
const AGENT = {
  'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
  maxdataserviceversion: '3.0',
  'odata-maxversion': '4.0',
};
/** While the version of the service is unknown. */
const FIRST = {
  ...AGENT,
  accept:
    'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7',
};
const LATER = { ...AGENT, accept: 'application/json;odata.metadata=minimal' };
const OTHER_CLIENT = { accept: LATER.accept, 'odata-maxversion': '4.0' };

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const ask = async (path: string, headers: Readonly<Record<string, string>> = LATER) =>
  await desk.get(encodeURI(path), headers);

/** The sizes of all pages, and the keys of their records. */
async function walk(read: (url: string) => Promise<{ readonly json: Page }>, start: string) {
  const sizes: number[] = [];
  const keys = new Set<number>();
  for (let url: string | undefined = start; url !== undefined; ) {
    const { json }: { readonly json: Page } = await read(url);
    sizes.push(json.value.length);
    for (const { Uid } of json.value) keys.add(Uid);
    url = json['@odata.nextLink'];
  }
  return { sizes, keys };
}

interface Page {
  readonly value: readonly { readonly Uid: number }[];
  readonly '@odata.nextLink'?: string;
}

describe('A feed', () => {
  it('starts with the service document and the metadata, in version 4.0', async () => {
    const document = await ask('/', FIRST);
    expect(document.headers['odata-version']).toBe('4.0');
    expect(document.headers['content-type']).toContain('application/json');
    expect(document.json.value).toContainEqual(
      expect.objectContaining({ name: 'ServiceRequests', url: 'ServiceRequests' }),
    );
    const metadata = await ask('/$metadata', { ...AGENT, accept: 'application/xml' });
    expect(metadata.headers['content-type']).toContain('application/xml');
    expect(metadata.text).toContain(
      '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"',
    );
    expect((await ask('/$metadata', FIRST)).text).toBe(metadata.text);
  });

  it('has pages with next links to the last record', async () => {
    const read = async (url: string) => await desk.get(url, LATER);
    const { sizes, keys } = await walk(read, '/ServiceRequests');
    expect(keys.size).toBe(FEED);
    expect(sizes).toEqual([...Array.from({ length: 15 }, () => 20), 2]);
  });

  it('has the annotations that the engine requests', async () => {
    const prefer = 'odata.include-annotations="Org.OData.Core.V1.*"';
    const { status, headers } = await ask('/ServiceRequests', { ...LATER, prefer });
    expect([status, headers['preference-applied']]).toEqual([200, prefer]);
  });
});

/** Reads as an account with a page size of its own. */
async function reader(pageSize: number | undefined) {
  const principal: Principal = {
    ...(await principalNamed(desk.service, 'admin')),
    pageSize,
  };
  const perform = performer(desk.service);
  return async (url: string, prefer?: string): Promise<{ readonly json: Page }> => {
    const [path = '', query = ''] = url.replace(desk.root, '').split(/\?(.*)/s);
    const headers = { ...LATER, ...(prefer === undefined ? {} : { prefer }) };
    const call = { id: url, method: 'GET', path, query: encodeURI(decodeURI(query)), headers };
    const answer = await perform(
      { ...call, body: undefined, address: '', root: desk.root },
      principal,
    );
    return { json: JSON.parse(Buffer.from(answer.body ?? '').toString()) };
  };
}

describe('A large page with expanded collections', () => {
  it.each([
    ['HistoryLines', 250],
    ['HistoryLines,Workorders($expand=HistoryLines)', 250],
    ['HistoryLines($top=20)', 3125],
    ['Caller($expand=Workgroups($top=100))', 625],
    ['HistoryLines($top=1)', 5000],
    ['HistoryLines/$count', 5000],
    ['Caller', 5000],
  ])('is limited by the number of records in $expand=%s', async (expand, size) => {
    const prefer = 'odata.maxpagesize=5000';
    const url = `/ServiceRequests?$expand=${expand}`;
    const { status, headers, json } = await ask(url, { ...LATER, prefer });
    expect([status, headers['preference-applied']]).toEqual([200, `odata.maxpagesize=${size}`]);
    expect(json.value).toHaveLength(Math.min(size, FEED));
    expect('@odata.nextLink' in json).toBe(size < FEED);
  });

  it('is limited for the page size of a principal, too', async () => {
    const large = await reader(300);
    expect((await walk(large, 'ServiceRequests?$expand=HistoryLines')).sizes).toEqual([250, 52]);
  });
});

describe('The page size of a principal', () => {
  it('applies to all pages of a feed, and to no other account', async () => {
    const [large, plain] = [await reader(150), await reader(undefined)];
    for (const url of [
      'ServiceRequests',
      'ServiceRequests?$expand=Caller($select=Name)&$select=Uid',
      'ServiceRequests?$orderby=Description',
      'ServiceRequests?$apply=groupby((Uid))',
    ]) {
      expect((await walk(large, url)).sizes).toEqual([150, 150, 2]);
      expect((await walk(plain, url)).sizes[0]).toBe(20);
      expect((await walk(large, url)).keys.size).toBe(FEED);
    }
  });

  it('is the default: $top and maxpagesize override it, and maximumPage limits it', async () => {
    const large = await reader(150);
    expect((await walk(large, 'ServiceRequests?$top=260&$select=Uid')).sizes).toEqual([250, 10]);
    expect((await large('ServiceRequests', 'maxpagesize=7')).json.value).toHaveLength(7);
    const huge = await reader(1_000_000);
    expect((await walk(huge, 'ServiceRequests?$select=Uid')).sizes).toEqual([FEED]);
    const small = await desk.restart({
      limits: { ...desk.installation.config.limits, maximumPage: 100 },
    });
    desk = small;
    const capped = await reader(1_000_000);
    expect((await walk(capped, 'ServiceRequests?$select=Uid')).sizes).toEqual([100, 100, 100, 2]);
  });
});

describe('Folded steps', () => {
  it.each([
    ['Description', '$select=Description&$expand=Caller($select=Name)', ['Description', 'Caller']],
    [
      'the record',
      '$select=Description,Caller&$expand=Caller($select=Name)&$top=1000',
      ['Description', 'Caller'],
    ],
    [
      'lists',
      '$expand=Workorders($select=Description),HistoryLines($select=Subject)&$select=ID',
      ['ID', 'Workorders', 'HistoryLines'],
    ],
    [
      'nested records',
      '$expand=Caller($select=Name;$expand=Organization($select=Name1))&$select=Description',
      ['Description', 'Caller'],
    ],
    [
      'complex records',
      '$expand=Assignment/AssigneePerson($select=Name)&$select=Description',
      ['Description', 'Assignment'],
    ],
  ])('select columns of %s without the key', async (_, query, names) => {
    const path = `/ServiceRequests?$filter=Uid eq ${REQUEST}&${query}`;
    const { status, json } = await ask(path);
    expect(status).toBe(200);
    const [record] = json.value;
    expect(Object.keys(record).filter((name) => !name.includes('@'))).toEqual(
      expect.arrayContaining(names),
    );
    expect(record).not.toHaveProperty('Uid');
    expect(decodeURI(json['@odata.context'])).not.toContain('()');
    const contract = await ask(path, OTHER_CLIENT);
    expect([contract.status, contract.json.error.target]).toEqual([400, '$select']);
  });

  it.each([
    [
      "$filter=contains(Description,'Laser') and not startswith(Description,'x')&$select=Uid",
      [REQUEST],
    ],
    [
      '$filter=Registration/DateModified ge 2026-03-01T00:00:00Z and Registration/DateModified lt 2026-04-01T00:00:00.0000000Z&$orderby=Uid&$top=1&$select=Uid',
      [REQUEST],
    ],
    [`$filter=Caller ne null and Caller/Uid eq ${CALLER}&$select=Uid`, [REQUEST]],
    [
      '$filter=Status/Value eq 101003 and (Priority/Value eq 110001 or Deadline eq null)&$select=Uid',
      [REQUEST],
    ],
    ['$filter=Uid ge 4000&$orderby=Description desc,Uid&$skip=1&$top=2&$select=Uid', [4098, 4097]],
  ])('filter, sort and limit rows: %s', async (query, keys) => {
    const { json } = await ask(`/ServiceRequests?${query}`);
    expect(json.value.map(({ Uid }: { readonly Uid: number }) => Uid)).toEqual(keys);
  });

  it('count rows', async () => {
    expect((await ask('/ServiceRequests/$count?$filter=Uid ge 4000')).text).toBe(String(MANY));
    const { json } = await ask('/ServiceRequests?$count=true&$top=0');
    expect(json).toMatchObject({ '@odata.count': FEED, value: [] });
  });

  it('group rows', async () => {
    const apply =
      'filter(Uid ge 4000)/groupby((Priority/Value),aggregate($count as Count,Uid with max as Latest))';
    const { json } = await ask(`/ServiceRequests?$apply=${apply}&$orderby=Latest desc`);
    expect(json.value[0]).toMatchObject({ Priority: { Value: 110005 }, Count: 60, Latest: 4299 });
    expect(json.value).toHaveLength(5);
  });

  it('read a related record or list by its own path', async () => {
    const [record] = (await ask(`/ServiceRequests(${REQUEST})/Workorders?$select=Description`)).json
      .value;
    expect(record).toHaveProperty('Description');
    expect((await ask(`/ServiceRequests(${REQUEST})/Caller`)).json.Uid).toBe(CALLER);
  });

  it('apply to all requests of a batch, which a long URL becomes', async () => {
    const request = {
      id: '1',
      method: 'GET',
      url: 'ServiceRequests?$select=ID&$expand=Caller&$top=1',
    };
    const body = { requests: [request] };
    const send = async (headers: Readonly<Record<string, string>>) =>
      (await desk.send('POST', '/$batch', { headers, body })).json.responses[0].status;
    expect(await send(LATER)).toBe(200);
    expect(await send(OTHER_CLIENT)).toBe(400);
  });

  it('obey the rules of the contract if the setting odataClients names no client', async () => {
    const setClients = async (clients: readonly string[]) => {
      const body = { Value: JSON.stringify(clients) };
      return (await desk.send('PATCH', "/Settings('odataClients')", { body })).status;
    };
    expect(await setClients([])).toBe(204);
    expect((await ask('/ServiceRequests?$select=ID&$expand=Caller')).status).toBe(400);
    expect(await setClients([''])).toBe(400);
    expect(await setClients(['Excel', 'Microsoft.Data'])).toBe(204);
    expect((await ask('/ServiceRequests?$select=ID&$expand=Caller')).status).toBe(200);
  });
});
