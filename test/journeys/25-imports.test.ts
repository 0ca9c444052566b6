// This file imports CSV, XLSX and JSON lines, and imports exports again. RFC 4180; ECMA-376, "SpreadsheetML".
import readWorkbook from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeExcelFile, { type SheetData } from 'write-excel-file/node';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk({ settings: { limits: { importRows: 70, importErrors: 5 } } });
});
afterAll(async () => await desk?.close());

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

interface Upload {
  readonly type?: string;
  readonly prefer?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function upload(
  path: string,
  body: string | Buffer,
  { type = TYPES.csv, prefer, headers = {} }: Upload = {},
): Promise<DeskAnswer> {
  const [collection = '', query] = path.split('?');
  const preference: Record<string, string> = prefer === undefined ? {} : { prefer };
  return await desk.send(
    'POST',
    `${collection}/Docket.System.Import${query === undefined ? '' : `?${query}`}`,
    { headers: { 'content-type': type, ...preference, ...headers }, body },
  );
}

function result({ status, text, json }: DeskAnswer): Record<string, unknown> {
  expect([status, text]).toEqual([200, text]);
  return json;
}

async function count(path: string): Promise<number> {
  return Number((await desk.get(path)).text);
}

async function found(filter: string, more = ''): Promise<readonly Record<string, unknown>[]> {
  const { json } = await desk.get(
    `/Persons?$filter=${encodeURIComponent(filter)}&$orderby=Uid${more}`,
  );
  return json.value;
}

async function personBy(email: string, more = ''): Promise<Record<string, unknown>> {
  const list = await found(`Email eq '${email}'`, more);
  expect(list.map(({ Email }) => Email)).toEqual([email]);
  return list[0] ?? {};
}

const NOTHING = { created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };

describe('an import', () => {
  it.each([
    ['/ServiceRequests(99999999)/Workorders', 'Description', 404, 'write.not-found'],
    ['/ApiKeys', 'Name', 400, 'import.target'],
  ])('into %s has one error, not one for each row', async (path, column, status, code) => {
    for (const prefer of [undefined, 'odata.continue-on-error']) {
      const rows = `${column}\nOne\nTwo\n`;
      const answer = await upload(path, rows, prefer === undefined ? {} : { prefer });
      expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
      expect(answer.json.error).not.toHaveProperty('details');
    }
  });

  it('creates a record for each row, as if it had been posted', async () => {
    const tracked = await desk.get('/Persons?$select=Email&$top=1', { prefer: 'track-changes' });
    expect(tracked.headers['preference-applied']).toContain('track-changes');
    const body =
      'FirstName,LastName,Email,Birthdate,Status\r\nAda,"Byron, King",ada@x.org,1815-12-10T00:00:00Z,Active\r\nAlan,Turing,alan@x.org,,\r\n';
    expect(result(await upload('/Persons', body))).toEqual({ ...NOTHING, created: 2 });
    expect(await personBy('ada@x.org')).toMatchObject({
      LastName: 'Byron, King',
      EmailLowerCase: 'ada@x.org',
      Birthdate: '1815-12-10T00:00:00.000Z',
      Status: { Text: 'Active' },
      Registration: { CreatedBy: 'admin' },
    });
    expect(await personBy('alan@x.org')).toMatchObject({ FirstName: 'Alan', Birthdate: null });
  });

  it('records history and changes like any write', async () => {
    const start = await desk.get('/Persons?$select=Email&$top=250', { prefer: 'track-changes' });
    await upload('/Persons', 'LastName,Email\r\nTracked,tracked@x.org\r\n');
    const { Uid } = await personBy('tracked@x.org');
    result(await upload('/Persons?mode=update', `Uid,Jobtitle\r\n${Uid},Tracker\r\n`));
    const delta = await desk.get(start.json['@odata.deltaLink']);
    expect(delta.json.value).toEqual([
      expect.objectContaining({
        '@odata.id': `${desk.root}Persons(${Uid})`,
        Email: 'tracked@x.org',
      }),
    ]);
    const request = await upload('/ServiceRequests', 'Description,Impact\r\nBroken,\r\n');
    expect(result(request)).toMatchObject({ created: 1 });
    const { json } = await desk.get("/ServiceRequests?$filter=Description eq 'Broken'");
    const own = json.value[0].Uid;
    await upload('/ServiceRequests?mode=update', `Uid,Description\r\n${own},Repaired\r\n`);
    const lines = await desk.get(`/ServiceRequests(${own})/HistoryLines`);
    expect(lines.text).toContain('Repaired');
  });

  it('lists all errors with row, column, value and what is permitted, and stores nothing', async () => {
    const before = await count('/Persons/$count');
    const rows = [
      'LastName,Email,Status,Blocked',
      'Fine,fine@x.org,Active,',
      '',
      'Odd,odd@x.org,Nowhere,perhaps',
      'Short,short@x.org,Active,,more',
    ];
    const answer = await upload('/Persons', rows.join('\r\n'));
    expect(answer.status).toBe(400);
    const { code, message, details, ...annotations } = answer.json.error;
    expect([code, message]).toEqual([
      'service.import',
      '2 rows have errors. Nothing was imported. Number of errors: 3.',
    ]);
    expect(details[0]).toEqual({
      code: 'write.code',
      message: expect.stringContaining('permitted are 150001 "Active"'),
      target: 'row 4: Status',
    });
    const { errors, ...counts } = annotations['@Docket.System.ImportResult'];
    expect(counts).toEqual({ created: 0, updated: 0, unchanged: 0, failed: 2 });
    expect(errors).toEqual([
      {
        row: 4,
        column: 'Status',
        value: 'Nowhere',
        code: 'write.code',
        message: details[0].message,
      },
      expect.objectContaining({ row: 4, column: 'Blocked', value: 'perhaps', code: 'write.value' }),
      expect.objectContaining({ row: 5, code: 'import.row' }),
    ]);
    expect(await count('/Persons/$count')).toBe(before);
  });

  it('returns the errors as a table to open beside the file', async () => {
    const body = 'LastName,Status\r\n=1+1,Nowhere\r\n';
    const { status, headers, text } = await upload('/Persons', body, {
      headers: { accept: 'text/csv' },
    });
    expect([status, headers['content-type']]).toEqual([400, 'text/csv']);
    const [head, row] = text.split('\r\n');
    expect(head).toBe('\uFEFFrow,column,value,code,message');
    expect(row).toMatch(
      /^2,Status,Nowhere,write\.code,"The code list .*permitted are 150001 ""Active""/,
    );
    const fine = await upload('/Persons', 'LastName\r\nTabled\r\n', {
      headers: { accept: 'text/csv' },
    });
    expect([fine.status, fine.text]).toEqual([200, '\uFEFFrow,column,value,code,message\r\n']);
  });

  it('lists errors up to limits.importErrors', async () => {
    const body = `LastName,Status\r\n${'x,Nowhere\r\n'.repeat(7)}`;
    const { json } = await upload('/Persons', body);
    expect(json.error.message).toBe(
      '7 rows have errors. Nothing was imported. Number of errors: 7, of which the first 5 are listed.',
    );
    expect(json.error.details).toHaveLength(5);
  });

  it('with Prefer: dry-run stores nothing, and reports the same', async () => {
    const before = await count('/Persons/$count');
    const dry = { prefer: 'dry-run' };
    const good = await upload('/Persons', 'LastName\r\nDry\r\nDrier\r\n', dry);
    expect(result(good)).toEqual({ ...NOTHING, created: 2 });
    expect(good.headers['preference-applied']).toBe('dry-run');
    const bad = await upload('/Persons', 'LastName,Status\r\nDry,Nowhere\r\nDrier,\r\n', dry);
    expect([bad.status, bad.json.error.details.length]).toEqual([400, 1]);
    const both = await upload('/Persons', 'LastName,Status\r\nDry,Nowhere\r\nDrier,\r\n', {
      prefer: 'dry-run, odata.continue-on-error',
    });
    expect(result(both)).toMatchObject({ created: 1, failed: 1 });
    expect(await count('/Persons/$count')).toBe(before);
  });

  it('with Prefer: odata.continue-on-error stores the good rows', async () => {
    const body =
      'LastName,Email,Status\r\nOne,one@go.on,\r\nTwo,two@go.on,Nowhere\r\nThree,three@go.on,Active\r\n';
    const answer = await upload('/Persons', body, { prefer: 'odata.continue-on-error' });
    expect(result(answer)).toEqual({
      ...NOTHING,
      created: 2,
      failed: 1,
      errors: [expect.objectContaining({ row: 3, column: 'Status', value: 'Nowhere' })],
    });
    expect(answer.headers['preference-applied']).toBe('odata.continue-on-error');
    const stored = await found("endswith(Email,'@go.on')");
    expect(stored.map(({ LastName }) => LastName)).toEqual(['One', 'Three']);
  });

  it('relates records by key and by alternate key, and creates in a collection of a record', async () => {
    const [known] = await found('Searchcode ne null');
    const body = `Description,Caller/Searchcode\r\nBy searchcode,${known?.Searchcode}\r\nBy nobody,\r\n`;
    expect(result(await upload('/ServiceRequests', body))).toMatchObject({ created: 2 });
    const { json } = await desk.get(
      "/ServiceRequests?$filter=startswith(Description,'By ')&$expand=Caller&$orderby=Uid",
    );
    expect(json.value.map((one: { Caller: { Uid: number } | null }) => one.Caller?.Uid)).toEqual([
      known?.Uid,
      undefined,
    ]);
    const inner = await upload('/ServiceRequests(1001)/HistoryLines', 'Subject\r\nImported\r\n');
    expect(result(inner)).toMatchObject({ created: 1 });
    const missing = await upload(
      '/ServiceRequests',
      'Description,Caller/Searchcode\r\nBy mistake,NOBODY-HAS-THIS\r\n',
    );
    expect(missing.json.error.details).toEqual([
      expect.objectContaining({ target: 'row 2: Caller/Searchcode' }),
    ]);
  });

  it.each([
    ['semicolons', 'LastName;Email\r\n"A;b";%\r\n'],
    ['tabs', 'LastName\tEmail\r\nA;b\t%\r\n'],
    ['a byte order mark', '\uFEFFLastName;Email\nA;b;%\n'.replace('A;b', '"A;b"')],
    ['a line that names the separator', 'sep=|\r\nLastName|Email\r\nA;b|%'],
  ])('reads %s', async (name, text) => {
    const email = `${name.replaceAll(' ', '-')}@x.org`;
    result(await upload('/Persons', text.replace('%', email)));
    expect(await personBy(email)).toMatchObject({ LastName: 'A;b' });
  });

  it('reads UTF-16, as spreadsheets write "Unicode Text", and no other encodings', async () => {
    const text = Buffer.from('\uFEFFLastName\tEmail\r\nŁukasz\twide@x.org\r\n', 'utf16le');
    result(await upload('/Persons', text));
    expect(await personBy('wide@x.org')).toMatchObject({ LastName: 'Łukasz' });
    const latin = await upload('/Persons', Buffer.from('LastName\r\nJosé\r\n', 'latin1'));
    expect([latin.status, latin.json.error.code]).toEqual([400, 'import.file']);
  });

  it('of JSON lines has all that a body has, and numbers errors by their lines', async () => {
    const lines = [
      JSON.stringify({ Description: 'Line one', HistoryLines: [{ Subject: 'Inside' }] }),
      '',
      JSON.stringify({ Description: 'Line three', Impact: { Text: 'Nowhere' } }),
      'no JSON',
      '[]',
    ];
    const { status, json } = await upload('/ServiceRequests', lines.join('\n'), {
      type: TYPES.ndjson,
    });
    expect([status, json.error.details.map(({ target }: { target: string }) => target)]).toEqual([
      400,
      ['row 3: Impact/Text', 'row 4', 'row 5'],
    ]);
    const good = await upload('/ServiceRequests', lines[0] ?? '', { type: 'application/jsonl' });
    expect(result(good)).toMatchObject({ created: 1 });
    const stored = await desk.get(
      "/ServiceRequests?$filter=Description eq 'Line one'&$expand=HistoryLines",
    );
    expect(stored.json.value[0].HistoryLines[0].Subject).toBe('Inside');
  });

  it('can be deferred, and has its result in the status monitor', async () => {
    const body = 'LastName,Email\r\nLater,later@x.org\r\n';
    const accepted = await upload('/Persons', body, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const monitor = String(accepted.headers.location);
    const current = { 'odata-maxversion': '4.01' };
    await expect
      .poll(async () => (await desk.get(monitor, current)).status, { timeout: 60_000 })
      .toBe(200);
    expect((await desk.get(monitor, current)).json).toEqual({ ...NOTHING, created: 1 });
    expect(await personBy('later@x.org')).toMatchObject({ LastName: 'Later' });
  });

  it.each([[undefined], ['odata.continue-on-error']])(
    'with an Idempotency-Key is performed once (%s)',
    async (prefer) => {
      const before = await count('/Persons/$count');
      const key = { headers: { 'idempotency-key': `import-${prefer}` } };
      const send = async () =>
        await upload('/Persons', 'LastName\r\nOnce\r\n', {
          ...key,
          ...(prefer === undefined ? {} : { prefer }),
        });
      expect(result(await send())).toMatchObject({ created: 1 });
      expect(result(await send())).toMatchObject({ created: 1 });
      expect(await count('/Persons/$count')).toBe(before + 1);
    },
  );
});

/** The cells of exported CSV without quotes, as text. */
function lines(text: string): readonly string[] {
  return text.trimEnd().split('\r\n');
}

async function exported(path: string): Promise<string> {
  const { status, text } = await desk.get(`${path}${path.includes('?') ? '&' : '?'}$format=csv`);
  expect(status).toBe(200);
  return text;
}

describe('an import of changes', () => {
  it('updates records by their key, and leaves other properties', async () => {
    result(await upload('/Persons', 'LastName,Email,Title\r\nOld,old@x.org,Dr\r\n'));
    const { Uid } = await personBy('old@x.org');
    const body = `Uid,LastName,Title\r\n${Uid},New,\r\n`;
    expect(result(await upload('/Persons?mode=update', body))).toEqual({ ...NOTHING, updated: 1 });
    expect(await personBy('old@x.org')).toMatchObject({ Uid, LastName: 'New', Title: null });
    expect(result(await upload('/Persons?mode=update', body))).toEqual({
      ...NOTHING,
      unchanged: 1,
    });
  });

  it('creates or updates by an alternate key', async () => {
    const send = async (rows: string) =>
      result(await upload('/Persons?mode=upsert&key=Searchcode', `Searchcode,LastName\r\n${rows}`));
    expect(await send('UPS,First\r\nUPT,Other\r\n')).toEqual({ ...NOTHING, created: 2 });
    expect(await send('UPS,Second\r\nUPT,Other\r\n,Without\r\n')).toEqual({
      ...NOTHING,
      created: 1,
      updated: 1,
      unchanged: 1,
    });
    expect(await found("Searchcode eq 'UPS'")).toMatchObject([{ LastName: 'Second' }]);
  });

  it('relates records, and ends relations', async () => {
    const [boss] = await found("Searchcode eq 'ONEIL'");
    result(await upload('/Persons', 'LastName,Email\r\nLed,led@x.org\r\n'));
    const { Uid } = await personBy('led@x.org');
    const send = async (manager: string) =>
      result(
        await upload('/Persons?mode=update', `Uid,Manager/Searchcode\r\n${Uid},${manager}\r\n`),
      );
    expect(await send('ONEIL')).toMatchObject({ updated: 1 });
    expect(await personBy('led@x.org', '&$expand=Manager')).toMatchObject({
      Manager: { Uid: boss?.Uid },
    });
    expect(await send('ONEIL')).toMatchObject({ unchanged: 1 });
    expect(await send('')).toMatchObject({ updated: 1 });
    expect(await personBy('led@x.org', '&$expand=Manager')).toMatchObject({ Manager: null });
  });

  it('reports rows without record, without key, and with the key of another row', async () => {
    const [one] = await found("Searchcode eq 'ONEIL'");
    const rows = `Uid,Title\r\n987654,x\r\n,y\r\n${one?.Uid},z\r\n${one?.Uid},zz\r\nabc,x\r\n`;
    const update = await upload('/Persons?mode=update', rows);
    const errors = ({ json }: DeskAnswer) =>
      json.error.details.map(
        ({ code, target }: { code: string; target: string }) => `${target} ${code}`,
      );
    expect(errors(update)).toEqual([
      'row 2: Uid import.no-record',
      'row 3: Uid import.no-key',
      'row 5: Uid import.duplicate',
      'row 6: Uid import.row',
    ]);
    const upsert = await upload('/Persons?mode=upsert', 'Uid,LastName\r\n987654,x\r\n,y\r\n');
    expect(errors(upsert)).toEqual(['row 2: Uid import.no-record']);
    expect(upsert.json.error.details[0].message).toContain('Leave Uid empty to create a record.');
  });

  it('writes only the version in a column @odata.etag', async () => {
    result(await upload('/Persons', 'LastName,Email\r\nTagged,tagged@x.org\r\n'));
    const person = await personBy('tagged@x.org');
    const row = (title: string) =>
      `Uid,Title,@odata.etag\r\n${person.Uid},${title},"${String(person['@odata.etag']).replaceAll('"', '""')}"\r\n`;
    expect(result(await upload('/Persons?mode=update', row('a')))).toMatchObject({ updated: 1 });
    const late = await upload('/Persons?mode=update', row('b'));
    expect([late.status, late.json.error.details[0].code]).toEqual([400, 'write.changed']);
  });

  it('has the rights of the account', async () => {
    const role = { Name: 'reader', EntityAccess: [{ Entity: 'Person', Read: true }] };
    expect((await desk.send('POST', '/Roles', { body: role })).status).toBe(201);
    const reader = await desk.join({ loginName: 'importer', roles: ['reader'] });
    const send = async (body: string, query = '') =>
      await reader.send('POST', `/Persons/Docket.System.Import${query}`, {
        headers: { 'content-type': TYPES.csv },
        body,
      });
    const before = await count('/Persons/$count');
    const created = await send('LastName\r\nForbidden\r\nToo\r\n');
    expect([created.status, created.json.error.code]).toEqual([403, 'access.write']);
    const changed = await send('Uid,Title\r\n31,Forbidden\r\n', '?mode=update');
    expect([changed.status, changed.json.error.code]).toEqual([403, 'access.write']);
    expect(await count('/Persons/$count')).toBe(before);
    expect((await desk.get('/Persons(31)')).json.Title).not.toBe('Forbidden');
  });
});

describe('an import of an account that is blocked meanwhile', () => {
  it('stops writing', async () => {
    const own = await desk.join({ loginName: 'temporary', roles: ['administrator'] });
    await desk.join({ loginName: 'bystander', roles: [] });
    const others = Array.from({ length: 66 }, (_, index) => `ghost${index},true`);
    const rows = ['LoginName,Blocked', 'temporary,true', ...others, 'bystander,true'];
    const answer = await own.send(
      'POST',
      '/Accounts/Docket.System.Import?mode=update&key=LoginName',
      {
        headers: { 'content-type': TYPES.csv, prefer: 'odata.continue-on-error' },
        body: rows.join('\r\n'),
      },
    );
    expect(result(answer)).toMatchObject({ updated: 1, failed: 67 });
    const { json } = await desk.get("/Accounts?$filter=LoginName in ('temporary','bystander')");
    const blocked = json.value.map((one: { LoginName: string; Blocked: boolean | null }) => [
      one.LoginName,
      one.Blocked === true,
    ]);
    expect(Object.fromEntries(blocked)).toEqual({ temporary: true, bystander: false });
  });
});

describe('an exported file', () => {
  const REQUESTS =
    '/ServiceRequests?$filter=Uid lt 1003 or (Uid ge 4295 and Uid lt 4300)&$expand=Caller($select=Uid,Name),Assignment/AssigneePerson($select=Searchcode)';

  it.each([['csv'], ['csv;headings=labels'], ['csv;formulas=keep'], ['csv;bom=true'], ['ndjson']])(
    'changes nothing if it is imported again: %s',
    async (format) => {
      const { text, status } = await desk.get(`${REQUESTS}&$format=${format}`);
      expect(status).toBe(200);
      const type = format === 'ndjson' ? TYPES.ndjson : TYPES.csv;
      const options = format.includes('formulas') ? '&formulas=keep' : '';
      const answer = await upload(`/ServiceRequests?mode=update${options}`, text, { type });
      expect(result(answer)).toEqual({ ...NOTHING, unchanged: 7 });
    },
  );

  it('without mode=update is rejected, with the name of this option', async () => {
    const text = await exported('/ServiceRequests?$filter=Uid eq 4290');
    const { status, json } = await upload('/ServiceRequests', text);
    expect([status, json.error.details[0].code]).toEqual([400, 'write.key']);
    expect(json.error.details[0].message).toContain('mode=update');
  });

  it('changes what has been edited, and nothing else', async () => {
    const text = await exported('/ServiceRequests?$filter=Uid ge 4290 and Uid lt 4293');
    const [head = '', first = '', second = '', third = ''] = lines(text);
    const { Text: status } = (await desk.get('/ServiceRequests(4292)')).json.Status;
    const { Text: edited } = (await desk.get('/ServiceRequests(1002)')).json.Status;
    const body = [
      head,
      first.replace('Request 290', '"=Edited, 290"'),
      second,
      third.replace(`,${status},`, `,${edited},`),
    ];
    const tags = async () =>
      (await desk.get('/ServiceRequests?$filter=Uid ge 4290 and Uid lt 4293')).json.value.map(
        (one: Record<string, unknown>) => one['@odata.etag'],
      );
    const before = await tags();
    const answer = await upload('/ServiceRequests?mode=update', body.join('\r\n'));
    expect(result(answer)).toEqual({ ...NOTHING, updated: 2, unchanged: 1 });
    expect((await desk.get('/ServiceRequests(4292)')).json.Status.Text).toBe(edited);
    const after = await tags();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect((await desk.get('/ServiceRequests(4290)')).json.Description).toBe('=Edited, 290');
    const again = await exported('/ServiceRequests?$filter=Uid eq 4290');
    expect(result(await upload('/ServiceRequests?mode=update', again))).toMatchObject({
      unchanged: 1,
    });
  });

  it('changes nothing where cells mean the same, or where the service computes the value', async () => {
    const body = {
      LastName: 'Away',
      OutOfOfficeUntil: '2026-06-01T08:00:00Z',
      Blocked: true,
      Jobtitle: 'two\r\nlines',
    };
    const person = (await desk.send('POST', '/Persons', { body })).json;
    const head = 'Uid,OutOfOfficeUntil,Blocked,Registration/CreatedBy,EmailLowerCase,Jobtitle';
    const row = `${person.Uid},2026-06-01T10:00:00+02:00,TRUE,somebody,else@x.org,"two\nlines"`;
    const answer = await upload('/Persons?mode=update', `${head}\r\n${row}\r\n`);
    expect(result(answer)).toEqual({ ...NOTHING, unchanged: 1 });
  });

  it('does not change related records', async () => {
    const text = await exported(
      `/ServiceRequests?$filter=Uid eq 1001&$expand=Caller($select=Name)`,
    );
    const answer = await upload(
      '/ServiceRequests?mode=update',
      text.replace("O'Neil, Zoë", 'Else'),
    );
    expect(answer.json.error.details[0]).toMatchObject({
      code: 'import.related',
      target: 'row 2: Caller/Name',
    });
  });
});

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('an import of XLSX', () => {
  const send = async (path: string, rows: SheetData) =>
    await upload(path, await writeExcelFile(rows).toBuffer(), { type: XLSX });

  it('reads texts, numbers, dates and truth values of cells', async () => {
    const birth = new Date('1906-12-09T12:30:00.000Z');
    const answer = await send('/Persons', [
      ['LastName', 'Email', 'Birthdate', 'Blocked', 'Phone', 'Status', 'Title'],
      [
        { value: 'Hopper & "Co" <1>\nx', type: String },
        { value: 'hopper@x.org', type: String },
        { value: birth, type: Date, format: 'dd.mm.yyyy hh:mm' },
        { value: true, type: Boolean },
        { value: 4912345678901, type: Number },
        { value: 150002, type: Number },
        null,
      ],
      [],
      [null, null, null],
      [
        { value: 'Last', type: String },
        { value: 'last@x.org', type: String },
      ],
    ] as unknown as SheetData);
    expect(result(answer)).toEqual({ ...NOTHING, created: 2 });
    expect(await personBy('hopper@x.org')).toMatchObject({
      LastName: 'Hopper & "Co" <1>\nx',
      Birthdate: '1906-12-09T12:30:00.000Z',
      Blocked: true,
      Phone: '4912345678901',
      Status: { Value: 150002 },
      Title: null,
    });
    expect(await personBy('last@x.org')).toMatchObject({ Birthdate: null });
  });

  it('reports errors by the numbers that spreadsheets show', async () => {
    const { status, json } = await send('/Persons', [
      ['LastName', 'Status'],
      ['Fine', 'Active'],
      [null, null],
      ['Odd', 'Nowhere'],
    ] as unknown as SheetData);
    expect([status, json.error.details[0].target]).toEqual([400, 'row 4: Status']);
    const many = await send(
      '/Persons',
      Array.from({ length: 80 }, (_, row) => [row === 0 ? 'LastName' : `Row ${row}`]),
    );
    expect([many.status, many.json.error.code]).toEqual([400, 'import.rows']);
  });

  it.each([['xlsx'], ['xlsx;headings=labels']])(
    'of an export changes nothing: %s',
    async (format) => {
      const odd = { LastName: '=1+1 _x0041_ \u0001', Jobtitle: "'=quoted", Title: ' x ' };
      const made = await desk.send('POST', '/Persons', { body: odd });
      expect(made.status).toBe(201);
      const persons = await desk.get(
        `/Persons?$top=30&$orderby=Uid desc&$expand=Manager,Organization&$format=${format}`,
      );
      const again = await upload('/Persons?mode=update', persons.bytes, { type: XLSX });
      expect(result(again)).toMatchObject({ updated: 0, failed: 0 });
      expect(Number(again.json.unchanged)).toBeGreaterThan(20);
      const requests = await desk.get(
        `/ServiceRequests?$filter=Uid lt 1003 or Uid eq 4295&$expand=Caller,Assignment/AssigneePerson&$format=${format}`,
      );
      const same = await upload('/ServiceRequests?mode=update', requests.bytes, { type: XLSX });
      expect(result(same)).toEqual({ ...NOTHING, unchanged: 3 });
    },
  );

  it('of an edited export changes what has been edited', async () => {
    const { bytes } = await desk.get(
      '/Persons?$filter=Uid in (31,32)&$select=Uid,Title,OutOfOfficeUntil&$format=xlsx',
    );
    const [sheet] = await readWorkbook(bytes);
    const [head = [], first = [], second = []] = sheet?.data ?? [];
    const until = { value: new Date('2026-05-01T08:00:00.000Z'), type: Date, format: 'yyyy-mm-dd' };
    const edited = [head, [first[0], 'Prof', until], second] as unknown as SheetData;
    expect(result(await send('/Persons?mode=update', edited))).toEqual({
      ...NOTHING,
      updated: 1,
      unchanged: 1,
    });
    expect((await desk.get('/Persons(31)')).json).toMatchObject({
      Title: 'Prof',
      OutOfOfficeUntil: '2026-05-01T08:00:00.000Z',
    });
  });

  it('rejects files that are none, are incomplete, or expand to more than they declare', async () => {
    const whole = await writeExcelFile([['LastName'], ['x'.repeat(30_000)]]).toBuffer();
    const code = async (bytes: Buffer) => {
      const answer = await upload('/Persons', bytes, { type: XLSX });
      return [answer.status, answer.json.error.code, answer.json.error.message];
    };
    const rejected = (message: string) => [400, 'import.file', expect.stringContaining(message)];
    expect(await code(Buffer.from('LastName\r\nx\r\n'))).toEqual(rejected('not a valid XLSX file'));
    expect(await code(whole.subarray(0, -30))).toEqual(rejected('not a valid XLSX file'));
    expect(await code(withDeclaredSizes(whole, 0xf0000000))).toEqual(rejected('is larger than'));
    expect(await code(withDeclaredSizes(whole, 10))).toEqual(rejected('not a valid XLSX file'));
  });
});

/** The archive with another uncompressed size for each part, in the directory at its end. APPNOTE.TXT, "Central directory structure". */
function withDeclaredSizes(archive: Buffer, size: number): Buffer {
  const changed = Buffer.from(archive);
  const signature = Buffer.from('PK\x01\x02', 'latin1');
  let count = 0;
  for (let at = changed.indexOf(signature); at >= 0; at = changed.indexOf(signature, at + 4)) {
    changed.writeUInt32LE(size, at + 24);
    count += 1;
  }
  expect(count).toBeGreaterThan(3);
  return changed;
}

describe('headings', () => {
  it('are labels in the language of the request, or what the request maps them to', async () => {
    const german = await upload('/Persons', 'Nachname,E-Mail\r\nMüller,mueller@x.org\r\n', {
      headers: { 'accept-language': 'de' },
    });
    expect(result(german)).toMatchObject({ created: 1 });
    expect(await personBy('mueller@x.org')).toMatchObject({ LastName: 'Müller' });
    const query = `map=${encodeURIComponent('Surname:LastName,Mail:Email,Ignored:')}`;
    const mapped = await upload(
      `/Persons?${query}`,
      'Surname,Mail,Ignored\r\nMapp,mapp@x.org,1\r\n',
    );
    expect(result(mapped)).toMatchObject({ created: 1 });
    expect(await personBy('mapp@x.org')).toMatchObject({ LastName: 'Mapp' });
    const unknown = await upload(`/Persons?${query}`, 'Surname,Mail\r\nMapp,mapp@x.org\r\n');
    expect(unknown.json.error.details[0].target).toBe('Ignored');
  });
});

describe('a form', () => {
  const form = (name: string, type: string, content: Buffer) =>
    Buffer.concat([
      Buffer.from(
        `--limit\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      content,
      Buffer.from('\r\n--limit--\r\n'),
    ]);

  it('has one file, whose name has its type', async () => {
    const sheet = await writeExcelFile([
      ['LastName', 'Email'],
      ['Form', 'form@x.org'],
    ]).toBuffer();
    const type = 'multipart/form-data; boundary=limit';
    const body = form('persons.xlsx', 'application/octet-stream', sheet);
    expect(result(await upload('/Persons', body, { type }))).toEqual({ ...NOTHING, created: 1 });
    expect(await personBy('form@x.org')).toMatchObject({ LastName: 'Form' });
    const csv = form('persons', 'text/csv; charset=utf-8', Buffer.from('LastName\r\nForm\r\n'));
    expect(result(await upload('/Persons', csv, { type }))).toMatchObject({ created: 1 });
    const text = await upload('/Persons', form('persons.txt', 'text/plain', sheet), { type });
    expect([text.status, text.json.error.code]).toEqual([415, 'request.media-type']);
    const none = await upload('/Persons', '--limit--\r\n', { type });
    expect([none.status, none.json.error.code]).toEqual([400, 'file.form']);
  });
});

describe('an import is rejected', () => {
  const detail = ({ json }: DeskAnswer) => json.error.details[0].message;

  it('where headings name no property, with all of them', async () => {
    const answer = await upload(
      '/Persons',
      'LastNam,Manager,Organization/Name1,Tags\r\nx,1,2,3\r\n',
    );
    expect(answer.status).toBe(400);
    const { details } = answer.json.error;
    expect(details.map(({ target }: { target: string }) => target)).toEqual([
      'LastNam',
      'Manager',
      'Tags',
    ]);
    expect(detail(answer)).toContain('Did you mean "LastName"?');
    expect(details[1].message).toContain('Use Manager/Uid, or Manager/Searchcode, or');
  });

  it('where cells have no heading, but not where whole columns are empty', async () => {
    const answer = await upload('/Persons', 'LastName,,\r\nFine,,\r\nOdd,x,\r\nOther,,,y\r\n');
    expect(answer.json.error.details).toEqual([
      { code: 'import.row', message: expect.stringContaining('cell 2 has no'), target: 'row 3' },
      { code: 'import.row', message: expect.stringContaining('cell 4 has no'), target: 'row 4' },
    ]);
  });

  it('where a label is not known, without the spaces of the label', async () => {
    const answer = await upload('/Persons', 'LastName,Bestuurder / Naam\r\nx,y\r\n');
    expect(detail(answer)).toContain('has no property "Bestuurder".');
  });

  it('where a row knows a related record by another property only', async () => {
    const answer = await upload('/Persons', 'LastName,Manager/Name\r\nx,Somebody\r\n');
    expect(detail(answer)).toBe(
      'Manager/Name is a property of the related record, which an import does not change. Use Manager/Uid, or Manager/Searchcode, or Manager/ExternalReferences/System and Manager/ExternalReferences/Id, or Manager@odata.bind.',
    );
  });

  it('where a row knows a related record by another property, with its other mistakes', async () => {
    const row = 'X,Actve,2026-13-01,maybe,NOPE';
    const head = 'LastName,Status,Birthdate,Blocked,Organization/Searchcode';
    const columns = ['Organization/Searchcode', 'Status', 'Birthdate', 'Blocked'];
    const answer = await upload('/Persons', `${head}\r\n${row}\r\n`);
    const targets = (from: DeskAnswer) =>
      from.json.error.details.map(({ target }: { target: string }) => target).sort();
    expect(targets(answer)).toEqual(columns.map((column) => `row 2: ${column}`).sort());
    const changed = await upload('/Persons?mode=update', `Uid,${head}\r\n31,${row}\r\n`);
    expect(targets(changed)).toEqual(targets(answer));
  });

  it.each([
    ['/Persons?mode=replace', 400, 'import.value', 'insert, update, upsert'],
    ['/Persons?mod=insert', 400, 'import.option', 'Did you mean "mode"?'],
    ['/Persons?$select=Uid', 400, 'import.option', 'permitted are mode, key'],
    ['/Persons?mode=upsert&key=LastName', 400, 'import.key', 'Uid or Searchcode'],
    ['/Persons?map=Name', 400, 'import.value', 'Column:Property'],
    ['/ServiceRequests(1001)/Attachments', 400, 'import.target', 'Media entities'],
    ['/Persons(31)', 400, 'import.target', 'on a set'],
    ['/Me', 400, 'import.target', 'on a set'],
    ['/Nobodies', 404, 'bind.unknown-resource', 'Nobodies'],
  ])('for %s', async (path, status, code, message) => {
    const answer = await upload(path, 'LastName\r\nx\r\n');
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(answer.json.error.message).toContain(message);
  });

  it('for other media types, methods, empty files and too many rows', async () => {
    const json = await upload('/Persons', '{}', { type: 'application/json' });
    expect([json.status, json.json.error.message]).toEqual([
      415,
      expect.stringContaining('text/csv'),
    ]);
    const latin = await upload('/Persons', 'LastName\r\nx', { type: 'text/csv;charset=latin1' });
    expect([latin.status, latin.json.error.message]).toEqual([
      415,
      expect.stringContaining('send charset=utf-8 or charset=utf-16.'),
    ]);
    const get = await desk.get('/Persons/Docket.System.Import');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
    const empty = await upload('/Persons', '\r\n');
    expect([empty.status, empty.json.error.code]).toEqual([400, 'import.file']);
    const many = await upload('/Persons', `LastName\r\n${'x\r\n'.repeat(71)}`);
    expect([many.status, many.json.error.message]).toEqual([
      400,
      expect.stringContaining('more than 70 rows (limits.importRows)'),
    ]);
  });
});

describe('the OpenAPI description', () => {
  it('has the import of each set that can be written, with its options', async () => {
    const { paths } = (await desk.get('http://desk.example/openapi.json')).json;
    const { post } = paths['/Persons/Docket.System.Import'];
    const names = post.parameters.map(
      ({ name, $ref }: { name?: string; $ref?: string }) => name ?? $ref?.split('/').at(-1),
    );
    expect(names).toEqual(expect.arrayContaining(['importMode', 'key', 'importMap', 'prefer']));
    expect(Object.keys(post.requestBody.content)).toEqual(
      expect.arrayContaining([XLSX, 'text/csv']),
    );
    const sets = Object.keys(paths).filter((path) => /^\/\w+$/.test(path));
    const writes = (set: string) =>
      'post' in paths[set] ||
      Object.keys(paths).some((path) => path.startsWith(`${set}({`) && 'patch' in paths[path]);
    const readable = sets.filter((set) => !writes(set));
    expect(readable.length).toBeGreaterThan(0);
    for (const set of readable) expect(paths).not.toHaveProperty([`${set}/Docket.System.Import`]);
  });
});
