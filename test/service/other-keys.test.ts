// This file compares answers to paths that differ in their keys alone with answers that were planned for one request only: context, links
// and locations tell the keys of the request, whatever was asked before. A preference that is different every time keeps a request
// from having the shape of any other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plansOf } from '../../src/service/cache/prepared-plans.ts';
import { type Desk, type DeskAnswer, openDesk } from '../journeys/desk.ts';
import { upload } from '../journeys/files.ts';
import { CALLER, FIRST_OF_MANY, HISTORY_LINE, REQUEST } from '../journeys/records.ts';

/** Keys with few and many digits, of records that are there and of some that are not. */
const KEYS = [REQUEST, FIRST_OF_MANY, FIRST_OF_MANY + 1, 7, 4_000_000, FIRST_OF_MANY + 2];
const FILES = 12;

let desk: Desk;
let count = 0;
beforeAll(async () => {
  desk = await openDesk();
  for (let number = 0; number < FILES; number++) {
    const path = `/ServiceRequests(${KEYS[number % 3]})/Attachments`;
    const { status } = await upload(desk, path, { name: `file ${number}`, fileName: `${number}` });
    expect(status).toBe(201);
  }
});
afterAll(async () => await desk.close());

function shown({ status, headers, text }: DeskAnswer): unknown {
  const { etag, location, 'content-type': type, 'odata-entityid': id } = headers;
  return { status, etag, location, type, id, text };
}

const TAILS = [
  '',
  '/Attachments',
  '/Attachments?$count=true&$top=1&$select=Name',
  '/Attachments?$orderby=Name desc&$skip=1',
  '/Attachments/$ref',
  '/Attachments/$count',
  '/HistoryLines',
  '/HistoryLines?$expand=Attachments',
  `/HistoryLines(${HISTORY_LINE})`,
  `/HistoryLines(${HISTORY_LINE})/Subject`,
  `/HistoryLines(${HISTORY_LINE})/Attachments`,
  '/Description',
  '/Status',
  '/Status/Value',
  '/Registration?$select=DateCreated',
  '/Description/$value',
  '/ExternalReferences',
  '/Caller',
  '/Caller/Name',
  '/Caller/$ref',
  '/Workorders',
  '?$expand=Attachments($select=Name)',
];

describe('reads', () => {
  it.each(['minimal', 'full', 'none'])('of paths with other keys, metadata=%s', async (level) => {
    for (const tail of TAILS) {
      for (const key of [...KEYS, ...KEYS]) {
        const path = `/ServiceRequests(${key})${tail}`;
        const accept = /\$value$|\$count$/.test(tail)
          ? '*/*'
          : `application/json;odata.metadata=${level}`;
        const alone = await desk.get(path, { accept, prefer: `note=n${count++}` });
        expect(shown(await desk.get(path, { accept })), path).toEqual(shown(alone));
      }
    }
  });

  it('of paths with several keys that are equal, or trade places', async () => {
    const pairs = [
      [7, 7],
      [REQUEST, HISTORY_LINE],
      [HISTORY_LINE, REQUEST],
      [REQUEST, REQUEST],
      [REQUEST, HISTORY_LINE],
    ];
    for (const [request, line] of pairs) {
      const path = `/ServiceRequests(${request})/HistoryLines(${line})/Attachments`;
      const alone = await desk.get(path, { prefer: `note=n${count++}` });
      expect(shown(await desk.get(path)), path).toEqual(shown(alone));
    }
  });
});

describe('writes', () => {
  it('below many records are decided once, and each tells its own address', async () => {
    const before = plansOf(desk.service).hits;
    for (let number = 0; number < 8; number++) {
      const parent = FIRST_OF_MANY + 10 + number;
      const name = `of many ${number}`;
      const { status, json, headers } = await upload(
        desk,
        `/ServiceRequests(${parent})/Attachments`,
        { name, fileName: name },
      );
      expect(status).toBe(201);
      const own = `ServiceRequests(${parent})/Attachments(${json.Uid})`;
      expect(json['@odata.context']).toMatch(
        new RegExp(`#ServiceRequests\\(${parent}\\)/Attachments/\\$entity$`),
      );
      expect(String(headers.location).endsWith(`/odata/${own}`)).toBe(true);
      expect(String(json['@odata.mediaReadLink'])).toContain(`${own}/$value`);
      const { json: list } = await desk.get(`/ServiceRequests(${parent})/Attachments`);
      expect(list.value.map((file: { Name: string }) => file.Name)).toEqual([name]);
    }
    expect(plansOf(desk.service).hits - before).toBeGreaterThanOrEqual(5);
  });

  it('of many records that are shown are decided once', async () => {
    const before = plansOf(desk.service).hits;
    for (let number = 0; number < 8; number++) {
      const key = FIRST_OF_MANY + 20 + number;
      const { status, json } = await desk.send('PATCH', `/ServiceRequests(${key})?$select=Uid`, {
        body: { 'Caller@odata.bind': `Persons(${CALLER})` },
        headers: { prefer: 'return=representation' },
      });
      expect([status, json.Uid]).toEqual([200, key]);
    }
    expect(plansOf(desk.service).hits - before).toBeGreaterThanOrEqual(5);
  });
});
