// This file stores values that are too long for an index of PostgreSQL: what `docket index add`, `docket copy` and the service report.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation, wireService } from '../../src/cli/wire.ts';
import { performer } from '../../src/service/handle-request.ts';
import { postgresUrl } from '../postgres.ts';
import { type Kind, type Library, makeLibrary, modelText, SHELF } from './library.ts';
import { docketHere } from './run-docket.ts';

/** Text that cannot be compressed. */
const LONG = Array.from({ length: 30_000 }, (_, index) => (index ** 3 % 99_991).toString(36))
  .join('')
  .slice(0, 90_000);

const PROBLEM =
  'A value of Title, Stars in Books (the longest: Id 1000007) is too long for an index of the database.';

let folder: string;
let model: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-long-values-'));
  model = join(folder, 'library.json');
  writeFileSync(model, modelText(SHELF));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function libraryWith(kind: Kind, title: string): Promise<Library> {
  const library = await makeLibrary(kind, mkdtempSync(join(folder, kind)), model);
  await library.run(`UPDATE "Books" SET "Title" = '${title}' WHERE "Id" = 1000007`);
  return library;
}

it.each([5000, 90_000])(
  'an index on a value of %i characters is not added',
  async (length) => {
    const library = await libraryWith('postgres', LONG.slice(0, length));
    const { code, err } = await library.docket('index', 'add', 'Books', 'Title,Stars');
    expect([code, err]).toEqual([1, `${PROBLEM} Shorten it, or index other members.\n`]);
    const { out } = await library.docket('index', 'list', 'Books');
    expect(out).not.toContain('Title');
    expect(await library.docket('index', 'add', 'Books', 'Shelf')).toMatchObject({ code: 0 });
  },
  60_000,
);

it('a model whose new index has no space for a value is not applied', async () => {
  const { docket } = await libraryWith('postgres', LONG.slice(0, 5000));
  const indexed = join(folder, 'indexed.json');
  const title = { Title: { $Type: 'Edm.String', $Nullable: true, '@Docket.Indexed': true } };
  writeFileSync(indexed, modelText({ ...SHELF, ...title }));
  const { code, err } = await docket('model', 'apply', indexed);
  const problem =
    'A value of Title in Books (the longest: Id 1000007) is too long for an index of the database.';
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`${problem} Shorten it, or remove the index from the model.\n`),
  ]);
  expect((await docket('model', 'list')).out).not.toMatch(/^2 /m);
}, 60_000);

it('a copy names the index that has no space for a value', async () => {
  const { data, docket } = await libraryWith('sqlite', LONG);
  expect(await docket('index', 'add', 'Books', 'Title,Stars')).toMatchObject({ code: 0 });
  const copy = async () => await docketHere(['copy', '--from', data, '--to', await postgresUrl()]);
  const { code, err } = await copy();
  const remedy =
    'Shorten it, or drop the index with "docket index drop Books Title,Stars", and copy to an empty database again.';
  expect([code, err]).toEqual([1, expect.stringContaining(`${PROBLEM} ${remedy}\n`)]);
  expect(await docket('index', 'drop', 'Books', 'Title,Stars')).toMatchObject({ code: 0 });
  expect(await copy()).toMatchObject({ code: 0 });
}, 60_000);

it('a request is told the member', async () => {
  const { data, environment, docket } = await libraryWith('postgres', 'short');
  await docket('index', 'add', 'Books', 'Title');
  const installation = await openInstallation(readConfig({ data }, environment));
  const { service } = await wireService(installation, { isQuiet: true });
  const { status, body } = await performer(service)(
    {
      id: 'change',
      method: 'PATCH',
      path: 'Books(1000007)',
      query: '',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ Title: LONG.slice(0, 5000) })),
      address: '127.0.0.1',
      root: 'http://localhost/odata/',
    },
    { account: 0n, loginName: 'ada', person: undefined, roles: [], administrator: true },
  );
  await installation.database.close();
  expect([status, JSON.parse(String(body)).error]).toEqual([
    400,
    expect.objectContaining({
      code: 'store.too-long',
      target: 'Title',
      message: 'A value of "Title" is too long for an index of the database. Shorten it.',
    }),
  ]);
}, 60_000);
