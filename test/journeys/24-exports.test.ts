// This file exports collections as CSV, XLSX and JSON lines, and reads the files back. RFC 4180; ECMA-376, "SpreadsheetML".
import { gunzipSync } from 'node:zlib';
import readWorkbook from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../../src/edm/tables/csv.ts';
import { sendBatch } from './batches.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let desk: Desk;

/** Pages of forty rows, so that exports read many. */
beforeAll(async () => {
  desk = await openDesk({ settings: { limits: { maximumPage: 40, maximumExport: 310 } } });
});
afterAll(async () => await desk?.close());

/** The cells of a CSV file by row. */
function cellsIn({ text, status }: DeskAnswer): readonly (readonly string[])[] {
  expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  return readCsv({ name: 'export', text }, []).map((row) => row.map((cell) => cell.text));
}

async function rowsOf(path: string, headers = {}): Promise<readonly (readonly string[])[]> {
  return cellsIn(await desk.get(path, headers));
}

async function sheetOf(path: string, headers = {}): Promise<readonly (readonly unknown[])[]> {
  const { bytes, status } = await desk.get(path, headers);
  expect(status).toBe(200);
  const [sheet] = await readWorkbook(bytes);
  return sheet?.data ?? [];
}

async function allOf(path: string): Promise<readonly Record<string, unknown>[]> {
  const { json } = await desk.get(path);
  const next: string | undefined = json['@odata.nextLink'];
  return next === undefined ? json.value : [...json.value, ...(await allOf(next))];
}

async function create(body: Record<string, unknown>): Promise<number> {
  const { json, status, text } = await desk.send('POST', '/ServiceRequests', { body });
  expect([status, text]).toEqual([201, text]);
  return json.Uid;
}

describe('an export', () => {
  it.each([
    ['/ServiceRequests?$select=Uid'],
    ['/ServiceRequests?$select=Uid&$orderby=Status/Text desc,Description'],
    ['/ServiceRequests?$select=Uid&$filter=Uid ge 4000&$orderby=Uid desc'],
    ['/ServiceRequests?$select=Uid&$top=40&$skip=11'],
    ['/ServiceRequests?$select=Uid&$top=0'],
    ['/ServiceRequests?$apply=groupby((Uid))'],
    ['/ServiceRequests(1001)/Workorders?$select=Uid'],
    ['/$crossjoin(ServiceRequests)?$expand=ServiceRequests($select=Uid)'],
  ])('has the rows of all pages of %s', async (path) => {
    const json = await allOf(path);
    const [, ...rows] = await rowsOf(`${path}&$format=csv`);
    const uids = json.map((row) => row.Uid ?? (row.ServiceRequests as { Uid: number }).Uid);
    expect(rows).toEqual(uids.map((uid) => [String(uid)]));
    const lines = await desk.get(`${path}&$format=ndjson`);
    const read = lines.text.split('\n').filter((line) => line !== '');
    expect(read.map((line) => JSON.parse(line))).toEqual(json.map(withoutAnnotations));
    expect(lines.headers['content-type']).toBe('application/x-ndjson');
  });

  const withoutAnnotations = (row: object) =>
    JSON.parse(JSON.stringify(row), (name, value) => (name.includes('@') ? undefined : value));

  it.each([
    ['text/csv', 'text/csv', 'csv'],
    ['text/csv;charset=utf-8, application/json;q=0.5', 'text/csv; charset=utf-8', 'csv'],
    ['application/x-ndjson', 'application/x-ndjson', 'ndjson'],
    ['application/jsonl', 'application/jsonl', 'jsonl'],
    [XLSX, XLSX, 'xlsx'],
  ])('is chosen by Accept: %s', async (accept, type, extension) => {
    const { headers } = await desk.get('/ServiceRequests(1001)/Workorders?$top=1', { accept });
    expect(headers).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename="Workorders.${extension}"`,
      'content-language': 'en',
    });
    const head = await desk.send('HEAD', '/ServiceRequests', { headers: { accept } });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-type']).toBe(type);
    expect(head.headers).not.toHaveProperty('content-length');
  });

  it('has JSON lines with the annotations that are requested', async () => {
    const accept = 'application/x-ndjson;odata.metadata=minimal';
    const { text } = await desk.get('/ServiceRequests?$select=Uid&$top=1', { accept });
    expect(text).toMatch(/^\{"@odata.etag":"[^\n]*"Uid":1001\}\n$/);
  });

  it('answers in a batch', async () => {
    const url = 'ServiceRequests?$select=Uid&$top=8&$format=csv';
    const { items } = await sendBatch(desk, [{ method: 'GET', url }]);
    const uids = (await allOf('/ServiceRequests?$select=Uid&$top=8')).map(({ Uid }) => Uid);
    expect(items).toMatchObject([{ status: 200, text: `Uid\r\n${uids.join('\r\n')}\r\n` }]);
  });

  it.each([
    ['GET', '/ServiceRequests(1001)', 406],
    ['GET', '/ServiceRequests/$ref', 406],
    ['GET', '/ServiceRequests(1001)/Status', 406],
    ['GET', '/ServiceRequests/$count', 406],
    ['GET', '/', 406],
    ['GET', '/$metadata', 406],
    ['POST', '/ServiceRequests', 406],
    ['GET', '/ServiceRequests(999999)/Workorders', 404],
  ])('is refused for %s %s', async (method, path, status) => {
    const headers = { accept: 'text/csv' };
    const answer = await desk.send(method, path, { headers, body: undefined });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringContaining('application/json'),
    ]);
  });

  it.each([
    ['csv;delimiter=x'],
    ['xlsx;bom=true'],
    ['ndjson;headings=labels'],
    ['csv;formulas=run'],
  ])('refuses the unknown parameter of %s', async (format) => {
    const { status, json } = await desk.get(`/ServiceRequests?$format=${format}`);
    expect([status, json.error.code]).toEqual([406, 'request.not-acceptable']);
  });

  it('is refused beforehand if it would have too many rows', async () => {
    const uid = await create({ Description: 'one of many' });
    const made = [uid];
    for (let at = 0; at < 8; at++) made.push(await create({ Description: 'one of many' }));
    const { status, json } = await desk.get('/ServiceRequests?$format=csv&$top=311');
    expect([status, json.error.code]).toEqual([400, 'export.rows']);
    expect(json.error.message).toContain('311 rows; the maximum is 310 (limits.maximumExport)');
    expect(await rowsOf('/ServiceRequests?$format=csv&$select=Uid&$top=310')).toHaveLength(311);
    expect(await rowsOf('/ServiceRequests?$format=csv&$select=Uid&$skip=1')).toHaveLength(311);
    for (const one of made) await desk.send('DELETE', `/ServiceRequests(${one})`);
  });

  it.each(['csv', 'ndjson'])('comes in gzip where the client accepts it: %s', async (format) => {
    const path = `/ServiceRequests?$format=${format}`;
    const plain = await desk.get(path);
    const packed = await desk.get(path, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    for (const { headers } of [plain, packed]) expect(headers.vary).toContain('Accept-Encoding');
    expect(gunzipSync(packed.bytes).toString('utf8')).toBe(plain.text);
  });

  it('is not packed twice: XLSX', async () => {
    const { headers } = await desk.get('/ServiceRequests?$format=xlsx', {
      'accept-encoding': 'gzip',
    });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('breaks off if reading fails after the first page', async () => {
    const { database } = desk.service;
    const { scan, read } = database;
    let reads = 0;
    const failing = { ...database, scan: fail(scan), read: fail(read) };
    function fail<Read extends (...input: never[]) => unknown>(work: Read): Read {
      return ((...input) => {
        reads += 1;
        if (reads > 3) throw new Error('the disk is gone');
        return work.apply(database, input);
      }) as Read;
    }
    Object.assign(database, { scan: failing.scan, read: failing.read });
    try {
      await expect(desk.get('/ServiceRequests?$format=csv')).rejects.toThrow(/destroyed/);
      reads = 0;
      const packed = desk.get('/ServiceRequests?$format=csv', { 'accept-encoding': 'gzip' });
      await expect(packed).rejects.toThrow(/destroyed/);
      reads = 0;
      await expect(desk.get('/ServiceRequests?$format=xlsx')).rejects.toThrow(/destroyed/);
    } finally {
      Object.assign(database, { scan, read });
    }
  });

  it('has the rows and columns that the account may read', async () => {
    const role = {
      Name: 'one request',
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true, Filter: 'Uid eq 1001' }],
      AttributeAccess: [{ Entity: 'ServiceRequest', Attribute: 'Information', Read: false }],
    };
    expect((await desk.send('POST', '/Roles', { body: role })).status).toBe(201);
    const reader = await desk.join({ loginName: 'reader', roles: ['one request'] });
    const [headings, ...rows] = cellsIn(await reader.get('/ServiceRequests?$format=csv'));
    expect(rows.map(([uid]) => uid)).toEqual(['1001']);
    expect(headings).toContain('Description');
    expect(headings).not.toContain('Information');
    const { status } = await reader.get('/ServiceRequests?$select=Information&$format=csv');
    expect(status).toBe(403);
  });
});

describe('CSV', () => {
  it('has a column for each value of complex values, codes and expanded single entities', async () => {
    const path =
      '/ServiceRequests?$filter=Uid eq 1001&$select=Uid,Status,Assignment,Deadline&$expand=Caller($select=Name)';
    const [headings, values] = await rowsOf(`${path}&$format=csv`);
    expect(headings).toEqual([
      'Uid',
      'Status',
      'Status/Value',
      'Assignment/Status',
      'Assignment/Status/Value',
      'Assignment/Priority',
      'Assignment/Priority/Value',
      'Assignment/AssignedAt',
      'Assignment/ReferenceNumber',
      'Deadline',
      'Caller/Name',
    ]);
    const none = ['', '', '', '', '', ''];
    const deadline = '2026-03-30T14:30:00.000Z';
    expect(values).toEqual(['1001', 'In progress', '101003', ...none, deadline, "O'Neil, Zoë"]);
  });

  it('has the columns of $apply', async () => {
    const apply = 'groupby((Status/Text,Caller/Name),aggregate($count as N))';
    const rows = await rowsOf(`/ServiceRequests?$apply=${apply}&$format=csv`);
    expect(rows[0]).toEqual(['Status/Text', 'Caller/Name', 'N']);
    expect(rows).toContainEqual(['In progress', "O'Neil, Zoë", '1']);
  });

  it('has labels in the language of the caller as headings', async () => {
    const path =
      '/ServiceRequests?$filter=Uid eq 1001&$select=Uid,Status&$format=csv;headings=labels';
    expect(await rowsOf(path, { 'accept-language': 'de' })).toEqual([
      ['Schlüssel', 'Status', 'Status / Wert'],
      ['1001', 'In Bearbeitung', '101003'],
    ]);
  });

  it.each([
    ['=1+1'],
    ['+49 40'],
    ['-2'],
    ['@SUM(A1)'],
    ['\t=1'],
    ['\r\n=1'],
    ['=HYPERLINK("http://x";"a,b")'],
  ])('marks the text %j, which spreadsheets would run', async (text) => {
    const uid = await create({ Description: 'formula', Information: text });
    const path = `/ServiceRequests?$filter=Uid eq ${uid}&$select=Information&$format=csv`;
    const quoted = (value: string) =>
      /[",\r\n\t]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
    const kept = await desk.get(`${path};formulas=keep`);
    expect(kept.text).toBe(`Information\r\n${quoted(text)}\r\n`);
    expect((await desk.get(path)).text).toBe(
      `Information\r\n${quoted(`'${text}`).replace(/^"('\t[^"]*)"$/, '$1')}\r\n`,
    );
    await desk.send('DELETE', `/ServiceRequests(${uid})`);
  });

  it('begins with a byte order mark if that is requested', async () => {
    const path = '/ServiceRequests?$top=1&$select=Description&$format=csv';
    const [plain, marked] = [await desk.get(path), await desk.get(`${path};bom=true`)];
    expect(marked.bytes).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.bytes]));
    expect(plain.text).toBe('Description\r\n"Printer ""Laser 4"" is on fire"\r\n');
  });

  it.each([
    ['$expand=Workorders', 'Workorders'],
    ['$select=Uid,ExternalReferences', 'ExternalReferences'],
    ['$expand=Caller($select=Name,ExternalReferences)', 'Caller/ExternalReferences'],
  ])('names what has no column in %s', async (options, name) => {
    const { status, json } = await desk.get(`/ServiceRequests?${options}&$format=csv`);
    expect([status, json.error.code]).toEqual([400, 'export.columns']);
    expect(json.error.message).toContain(`no column for ${name},`);
    const lines = await desk.get(`/ServiceRequests?${options}&$format=ndjson&$top=1`);
    expect(lines.status).toBe(200);
  });

  it.each([
    ['/$crossjoin(ServiceRequests,Persons)?$top=2', 'Add $expand=ServiceRequests,Persons'],
    ['/$crossjoin(ServiceRequests)?$filter=ServiceRequests/Uid lt 1003', '$expand=ServiceRequests'],
    ['/ServiceRequests?$select=Docket.System.*&$top=2', 'Select a property'],
  ])('does not exist without columns: %s', async (path, remedy) => {
    for (const format of ['csv', 'xlsx'])
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, json } = await desk.send(method, `${path}&$format=${format}`);
        expect(status).toBe(400);
        if (method === 'HEAD') continue;
        expect([json.error.code, json.error.target]).toEqual(['export.no-columns', '$format']);
        expect(json.error.message).toContain(remedy);
      }
    expect((await desk.get(`${path}&$format=ndjson`)).status).toBe(200);
  });
});

describe('XLSX', () => {
  it('has texts, numbers, codes and dates', async () => {
    const path =
      '/ServiceRequests?$filter=Uid eq 1001&$select=Uid,Description,Deadline,Status,Blocked';
    expect(await sheetOf(`${path}&$format=xlsx`)).toEqual([
      ['Uid', 'Description', 'Deadline', 'Status', 'Status/Value', 'Blocked'],
      [
        1001,
        'Printer "Laser 4" is on fire',
        new Date('2026-03-30T14:30:00Z'),
        'In progress',
        101003,
        null,
      ],
    ]);
  });

  it('has the rows of all pages, and labels as headings', async () => {
    const rows = await sheetOf(
      '/ServiceRequests?$select=Uid&$orderby=Uid&$format=xlsx;headings=labels',
      {
        'accept-language': 'de',
      },
    );
    const json = await allOf('/ServiceRequests?$select=Uid&$orderby=Uid');
    expect(rows).toEqual([['Schlüssel'], ...json.map(({ Uid }) => [Uid])]);
  });
});
