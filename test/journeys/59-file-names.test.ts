// This file checks names of files that attack whoever takes them for more than text: paths, headers, commands, control characters, names
// that systems reserve, marks that turn text around, and very long ones. Each is given back as it came, and none
// becomes a path. Two thousand files on the disk take their time: some seconds, and more on a busy machine.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isKey } from '../../src/attachments/store.ts';
import { type Desk, openDesk } from './desk.ts';
import { upload } from './files.ts';
import { BARE_REQUEST, REQUEST } from './records.ts';

let desk: Desk;
const FILES = `/ServiceRequests(${REQUEST})/Attachments`;

beforeAll(async () => {
  desk = await openDesk();
});

afterAll(async () => await desk.close());

const CORES = [
  '../../../etc/passwd',
  '..\\..\\windows\\system32\\config',
  '/etc/shadow',
  'C:\\autoexec.bat',
  'CON',
  'NUL.txt',
  'COM1',
  '.',
  '..',
  '.htaccess',
  '-rf',
  '~root',
  '$(reboot)',
  '`id`',
  '; rm -rf /',
  '| cat',
  '%2e%2e%2f',
  '%00',
  '%22%0D%0A',
  '"quoted"',
  "it's",
  '\\"',
  '<script>alert(1)</script>.html',
  'photo\u202egpj.exe',
  '\u200fright\u200eleft',
  '\ufeffbom',
  'e\u0301 and \u00e9',
  '日本語.txt',
  '👩‍👩‍👧‍👦.png',
  ' leading and trailing ',
  'tab\there',
  'bell\u0007',
  'del\u007f',
  "UTF-8''x",
  'filename="x"; filename*=y',
  'a;b=c,d',
  '{"json":1}',
];
const FILLS = ['', 'x', '.', ' ', 'é', '😀', '\u0001', '/', '%'];
const COUNT = 2000;

/** So many names, all different: each core with many ends, some of which make it 255 bytes or more. */
const NAMES = Array.from({ length: COUNT }, (_, index) => {
  const core = CORES[index % CORES.length] ?? '';
  const fill = FILLS[index % FILLS.length] ?? '';
  const long = index % 7 === 0 ? fill.repeat(250) : fill;
  return `${core}${long}${index}`;
});

describe(`${COUNT} file names that attack`, () => {
  it('are taken from Slug and from forms', async () => {
    const size = 100;
    for (let start = 0; start < COUNT; start += size) {
      const requests = NAMES.slice(start, start + size).map((name, index) => ({
        id: `n${index}`,
        atomicityGroup: 'g',
        method: 'POST',
        url: FILES.slice(1),
        headers: {
          'content-type': 'text/plain',
          slug: encodeURIComponent(name),
          prefer: 'return=minimal',
        },
        body: `bytes of ${start + index}`,
      }));
      const { json } = await desk.send('POST', '/$batch', {
        headers: { 'odata-version': '4.01' },
        body: { requests },
      });
      const statuses: number[] = json.responses.map((one: { status: number }) => one.status);
      const refused = json.responses.find(
        (one: { status: number }) => one.status !== 204 && one.status !== 424,
      );
      expect(refused?.body).toBeUndefined();
      expect(statuses).toEqual(Array(size).fill(204));
    }
  }, 60_000);

  it('are given back exactly, in JSON and as the name of the download', async () => {
    const found = new Map<string, number>();
    let next: string | undefined = `${FILES}?$select=Uid,Name,FileName&$top=${COUNT}&$orderby=Uid`;
    while (next !== undefined) {
      const { json } = await desk.get(next);
      for (const { Uid, Name, FileName } of json.value) {
        expect(Name).toBe(FileName);
        found.set(FileName, Uid);
      }
      next = json['@odata.nextLink'];
    }
    expect([...found.keys()]).toEqual(NAMES);
    for (const [name, uid] of found) {
      const { status, headers } = await desk.send('HEAD', `${FILES}(${uid})/$value`);
      const told = String(headers['content-disposition']);
      expect(status).toBe(200);
      expect(told).toMatch(/^[\x20-\x7e]+$/);
      expect(nameIn(told)).toBe(name);
    }
  }, 60_000);

  it('stand in the store under names of its own', () => {
    const directory = join(desk.installation.config.data, 'files');
    const folders = readdirSync(directory);
    const files = folders.flatMap((folder) => readdirSync(join(directory, folder)));
    expect(folders.every((folder) => /^[0-9a-f]{2}$/.test(folder))).toBe(true);
    expect(files.length).toBe(COUNT);
    expect(files.every(isKey)).toBe(true);
  });

  it('come by forms as browsers write them, and by extended names', async () => {
    const path = `/ServiceRequests(${BARE_REQUEST})/Attachments`;
    for (const [index, name] of CORES.entries()) {
      const isLiteral = /%(?:22|0D|0A)/i.test(name);
      const escaped = name
        .replace(/["\r\n]/g, (one) => encodeURIComponent(one))
        .replaceAll('\\', '\\\\');
      if (!isLiteral) {
        const { status, json } = await upload(desk, path, {
          name: `form ${index}`,
          fileName: escaped,
        });
        expect([status, json.FileName]).toEqual([201, name]);
      }
      const extended = await upload(desk, path, {
        name: `extended ${index}`,
        fileName: `x"; filename*="UTF-8''${encodeURIComponent(name)}`,
      });
      expect([extended.status, extended.json.FileName]).toEqual([201, name]);
    }
  });

  it.each(['a\r\nSet-Cookie: x=1', 'a\nDELE b', 'a\r', '\n'])(
    'with line breaks, %j: 400 by every way to send them, and nothing is kept',
    async (name) => {
      const path = `/ServiceRequests(${BARE_REQUEST})/Attachments`;
      const count = async () => (await desk.get(`${path}/$count`)).text;
      const kept = await upload(desk, path, { name: 'kept', fileName: 'f' });
      expect(kept.status).toBe(201);
      const before = await count();
      const encoded = encodeURIComponent(name);
      const type = { 'content-type': 'text/plain' };
      const disposition = `attachment; filename*=UTF-8''${encoded}`;
      const json = { 'content-type': 'application/json' };
      const own = `${path}(${kept.json.Uid})`;
      const answers = [
        await upload(desk, path, { name: 'n', fileName: encoded }),
        await upload(desk, path, { name: encoded, fileName: 'f' }),
        await upload(desk, path, { name: 'n', fileName: `x"; filename*="UTF-8''${encoded}` }),
        await desk.send('POST', path, { headers: { ...type, slug: encoded }, body: 'x' }),
        await desk.send('POST', path, {
          headers: { ...type, 'content-disposition': disposition },
          body: 'x',
        }),
        await desk.send('PATCH', own, { headers: json, body: JSON.stringify({ FileName: name }) }),
        await desk.send('PATCH', own, { headers: json, body: JSON.stringify({ Name: name }) }),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
      expect(answers[0]?.json.error.message).toContain('without line breaks');
      expect(await count()).toBe(before);
      expect((await desk.send('DELETE', own)).status).toBe(204);
    },
  );

  it.each([
    ['no name', 'form-data; filename="f"', 'has no name'],
    ['an empty name', 'form-data; name=""; filename="f"', 'has no name'],
    ['an empty file name', 'form-data; name="n"; filename=""', 'has no filename'],
    ['two names', 'form-data; name="n"; name="m"; filename="f"', 'repeats the parameter name'],
    [
      'two file names',
      'form-data; name="n"; filename="f"; filename="g"',
      'repeats the parameter filename',
    ],
    [
      'another name by name*',
      `form-data; name="n"; name*=UTF-8''m; filename="f"`,
      'repeats the parameter name',
    ],
    ['nothing', '', 'has no filename'],
  ])('a form part with %s: 400', async (_, disposition, reason) => {
    const line = disposition === '' ? '' : `Content-Disposition: ${disposition}\r\n`;
    const { status, json } = await desk.send('POST', FILES, {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: `--b\r\n${line}\r\nhello\r\n--b--\r\n`,
    });
    expect([status, json.error.code]).toEqual([400, 'file.form']);
    expect(json.error.message).toContain(reason);
  });

  it('U+0000, which no text of the service can hold: 400, and nothing is kept', async () => {
    const { status, json } = await desk.send('POST', FILES, {
      headers: { 'content-type': 'text/plain', slug: 'a%00b' },
      body: 'x',
    });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('U+0000')]);
  });

  it('a name that is longer than names can be: 400 with the limit, and nothing is kept', async () => {
    const { status, json } = await upload(desk, FILES, { name: 'n'.repeat(1025), fileName: 'f' });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('1024')]);
  });
});

/** The name that a client reads out of Content-Disposition: the extended one where there is one. */
function nameIn(disposition: string): string | undefined {
  const extended = /filename\*=UTF-8''([^;]*)$/.exec(disposition)?.[1];
  return extended === undefined
    ? /^attachment; filename="([^"]*)"$/.exec(disposition)?.[1]
    : decodeURIComponent(extended);
}
