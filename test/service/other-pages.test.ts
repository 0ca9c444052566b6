// This file compares pages of collections with the same pages planned for one request only: by $skip, by next links, in orders with
// nulls and equal values in them. A preference that is different every time keeps a request from having the shape of any other. Tokens
// that were tampered with are refused, also where pages of the query are known.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, type DeskAnswer, openDesk } from '../journeys/desk.ts';
import { FIRST_OF_MANY } from '../journeys/records.ts';

let desk: Desk;
let count = 0;
beforeAll(async () => {
  desk = await openDesk();
  for (let number = 0; number < 60; number++) {
    const { status } = await desk.send('PATCH', `/ServiceRequests(${FIRST_OF_MANY + number})`, {
      body: {
        Deadline: number % 7 === 0 ? null : `2026-04-0${1 + (number % 5)}T10:00:00.${number % 3}Z`,
        Description: number % 11 === 0 ? 'Zoë "健"' : `number ${number % 13}`,
      },
    });
    expect(status).toBe(204);
  }
});
afterAll(async () => await desk.close());

const shown = ({ status, text }: DeskAnswer) => ({ status, text });

/** The answer, and the same planned for this request only. */
async function both(path: string, prefer: string): Promise<DeskAnswer> {
  const known = await desk.get(path, { prefer });
  const alone = await desk.get(path, { prefer: `${prefer}, note=n${count++}` });
  expect(shown(known), path).toEqual(shown(alone));
  return known;
}

function following({ json }: DeskAnswer): string | undefined {
  const link: unknown = json['@odata.nextLink'];
  return typeof link === 'string'
    ? link.slice(link.indexOf('/odata/') + '/odata'.length)
    : undefined;
}

it.each([
  '/ServiceRequests?$select=Uid',
  '/ServiceRequests?$select=Uid,Deadline&$orderby=Deadline',
  '/ServiceRequests?$select=Uid,Deadline&$orderby=Deadline desc,Description',
  '/ServiceRequests?$select=Uid,Description&$orderby=Description desc',
  '/ServiceRequests?$select=Uid&$orderby=Blocked,ID desc',
  '/ServiceRequests?$select=Uid&$orderby=length(Description),Status/Value',
  `/ServiceRequests?$select=Uid&$filter=Uid lt ${FIRST_OF_MANY + 50}&$count=true&$top=40`,
  '/ServiceRequests?$select=Uid&$expand=Caller($select=Uid)&$skip=3',
  '/ServiceRequests?$select=Uid&$top=9007199254740991',
  '/ServiceRequests?$select=Uid&$top=99999999999999999999',
  '/ServiceRequests?$apply=groupby((Deadline,Description))',
  '/Persons?$orderby=Name',
])('pages of %s, one after the other', async (query) => {
  const seen = new Set<string>();
  let total = 0;
  for (let link: string | undefined = query, page = 0; link !== undefined && page < 40; page++) {
    const answer: DeskAnswer = await both(link, 'maxpagesize=9');
    for (const record of answer.json.value) seen.add(JSON.stringify(record));
    total += answer.json.value.length;
    link = following(answer);
  }
  expect(total).toBe(seen.size);
  expect(total).toBeGreaterThan(1);
});

it('pages by $skip', async () => {
  for (const skip of [0, 1, 9, 10, 250, 0, 251, 99, 5_000_000, 7])
    for (const rest of ['&$top=5', '&$count=true', '&$orderby=Deadline desc', ''])
      await both(`/ServiceRequests?$select=Uid&$skip=${skip}${rest}`, 'maxpagesize=9');
});

it('of what lies behind a point in time', async () => {
  for (const moment of [
    '2026-04-01T10:00:00Z',
    '2026-04-02T10:00:00.000Z',
    '2026-04-03T12:30:00.001%2B02:30',
    '2026-04-03T05:00-05:00',
    '2026-02-30T10:00:00Z',
    '2026-04-05T10:00:00.0000000Z',
    '2026-04-05T24:00:00Z',
    '1799-04-05T10:00:00Z',
  ])
    for (const filter of [
      `Deadline%20gt%20${moment}`,
      `Deadline%20in%20(${moment},2026-04-01T10:00:00.001Z)`,
      `not%20(Deadline%20le%20${moment}%20or%20Uid%20lt%204010)`,
      `cast(${moment},Edm.String)%20ne%20Description`,
      `date(${moment})%20eq%20date(Deadline)`,
    ])
      await both(`/ServiceRequests?$select=Uid,Deadline&$filter=${filter}`, 'maxpagesize=99');
});

it('of texts that are looked for, short and long, with letters that the index has its own mind about', async () => {
  for (const word of [
    'number',
    'num',
    'nu',
    'n',
    'ber 7',
    'ii',
    'abci',
    'iii',
    'Zoë',
    'Zö',
    'Ünü',
    '"健"',
    'xyz',
    'NUM',
    'q',
  ])
    for (const filter of [
      `contains(Description,'${word}')`,
      `startswith(Description,'${word}')`,
      `endswith(Description,'${word}')`,
      `contains(tolower(Description),'${word}')`,
      `not contains(Description,'${word}') and Uid gt 4200`,
      `contains(Description,'${word}') or Description eq '${word}'`,
      `'${word}' eq 'num' and startswith(Description,'num')`,
      `Caller/Name gt '${word}' or indexof(Description,'${word}') eq 1`,
    ])
      await both(
        `/ServiceRequests?$select=Uid&$filter=${encodeURIComponent(filter)}`,
        'maxpagesize=99',
      );
});

it('of words that are searched for', async () => {
  for (const word of [
    'number',
    'num',
    'n',
    '7',
    'NUMBER',
    'AND',
    'OR',
    'NOT',
    'Zoë',
    'nothing',
    'x7',
    'fire',
  ])
    for (const query of [
      `$search=${word}`,
      `$search=${word}&$filter=contains(Description,'${word}')`,
      `$search=${word} 7`,
      `$search=NOT ${word}`,
      `$search="${word}"`,
      `$search='${word}'`,
      `$expand=Workorders($search=${word})`,
      `$apply=search(${word})/aggregate($count as N)`,
    ])
      await both(`/ServiceRequests?$select=Uid&${encodeURI(query)}`, 'maxpagesize=99');
});

it('of aliases, used once, twice and not at all', async () => {
  for (const [word, number] of [
    ['num', 4000],
    ['ber', 4001],
    ['x', 99999],
    ['num', 3],
    ["it''s", 4],
  ])
    for (const query of [
      `$filter=Uid gt @n&@n=${number}`,
      `$filter=contains(Description,@w) and Uid gt @n&@w='${word}'&@n=${number}`,
      `$filter=Description eq @w or startswith(Description,@w)&@w='${word}'`,
      `$filter=Uid gt 4000&@n=${number}`,
      `$filter=Uid in @l&@l=[${number},4000]`,
      `$filter=Uid eq @n and ID ne @n&@n=${number}&@n2=7`,
    ])
      await both(`/ServiceRequests?$select=Uid&${query.replaceAll(' ', '%20')}`, 'maxpagesize=99');
});

it('tokens that were tampered with', async () => {
  const first = await desk.get('/ServiceRequests?$orderby=Deadline desc&$select=Uid', {
    prefer: 'maxpagesize=9',
  });
  let link = following(first) ?? '';
  for (let page = 0; page < 4; page++) link = following(await both(link, 'maxpagesize=9')) ?? '';
  const [, head = '', hex = ''] =
    /^(.*\$skiptoken=1\.[0-9a-f]{8}\.\d*p9\.)([0-9a-f]+)$/.exec(link) ?? [];
  const text = Buffer.from(hex, 'hex').toString('utf8');
  expect(text).toMatch(/^\["2026-04-0\dT[\d:.]+Z",\d+\]$/);
  const key = text.slice(text.indexOf(',') + 1, -1);
  for (const values of [
    `["2026-13-01T10:00:00.000Z",${key}]`,
    `["tomorrow",${key}]`,
    `[5,${key}]`,
    `["2026-04-01T10:00:00.000Z",${key}.5]`,
    `["2026-04-01T10:00:00.000Z"]`,
    `["2026-04-01T10:00:00.000Z",${key},1]`,
    '["2026-04-01T10:00:00.000Z",9223372036854775808]',
    '["2026-04-01T10:00:00.000Z",-9999999999999999999]',
    '[]',
    '{}',
    text.slice(0, -1),
  ]) {
    const { status, json } = await desk.get(`${head}${Buffer.from(values).toString('hex')}`);
    expect([status, json.error?.code], values).toEqual([400, 'plan.skiptoken']);
  }
  // What a client may make up that the service could have given out is a place among the records like any other.
  for (const values of [
    `["2026-04-02T10:00:00.000Z",${key}]`,
    `["2026-04-02T10:00:00Z",${key}]`,
    `[null,${key}]`,
    `["2026-04-02T10:00:00.000Z",-5]`,
    `["2026-04-02T10:00:00.000Z",999999999999999999]`,
  ])
    expect((await both(`${head}${Buffer.from(values).toString('hex')}`, '')).status).toBe(200);
});
