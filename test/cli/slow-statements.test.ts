// This file records slow statements of services and asks `docket index advise` about them, on both databases. The clock of the services makes
// every statement slow.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation, wireService } from '../../src/cli/wire.ts';
import { performer } from '../../src/service/handle-request.ts';
import { storeSlowStatements } from '../../src/store/tuning/slow-statements.ts';
import { KINDS, type Library, makeLibrary, modelText, SHELF } from './library.ts';

const ADMINISTRATOR = {
  account: 0n,
  loginName: 'ada',
  person: undefined,
  roles: [],
  administrator: true,
};

let folder: string;
let model: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-slow-'));
  model = join(folder, 'library.json');
  writeFileSync(model, modelText(SHELF));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Advice {
  readonly indexes: readonly { readonly command: string; readonly isConfirmed: boolean }[];
  readonly statements: readonly { readonly template: string; readonly count: number }[];
}

describe.each(KINDS)('slow statements in %s', (kind) => {
  let library: Library;
  beforeAll(async () => {
    library = await makeLibrary(kind, folder, model);
  }, 120_000);

  /** Sends requests to a service whose clock advances by a second whenever it is read. */
  async function read(...urls: readonly string[]): Promise<void> {
    await withLimits({}, ...urls);
  }

  async function withLimits(limits: object, ...urls: readonly string[]): Promise<void> {
    const { data, environment } = library;
    const installation = await openInstallation({
      ...readConfig({ data }, environment),
      ...limits,
    });
    let time = 0;
    const elapsed = () => {
      time += 1000;
      return time;
    };
    const world = { ...installation.world, elapsed };
    const wired = await wireService({ ...installation, world }, { isQuiet: true });
    const perform = performer(wired.service);
    for (const url of urls) expect((await perform(reading(url), ADMINISTRATOR)).status).toBe(200);
    await wired.storeSlowStatements();
    await installation.database.close();
  }

  async function advise(): Promise<Advice> {
    const { out } = await library.docket('index', 'advise', '--json');
    return JSON.parse(out) as Advice;
  }

  async function clear(): Promise<void> {
    const { code, out } = await library.docket('index', 'advise', '--clear', '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { indexes: [], statements: [] }]);
  }

  async function commands(...urls: readonly string[]): Promise<readonly string[]> {
    await clear();
    await read(...urls);
    return (await advise()).indexes.map(({ command }) => command);
  }

  it('are none at first', async () => {
    const { out } = await library.docket('index', 'advise');
    expect(out).toBe(
      'No slow statements have been recorded. Those that take more than 500 ms are (limits.slowMilliseconds).\n',
    );
  });

  it('are recorded by template, without values, and counted over processes', async () => {
    const url = (shelf: number, title: string) =>
      `Books?$filter=Shelf eq ${shelf} and contains(Title,'${title}')&$orderby=Title desc&$top=3`;
    await read(url(7123, 'secret'), url(7124, 'secret'));
    await read(url(7125, 'other secret'));
    const { statements } = await advise();
    expect(statements).toEqual([
      expect.objectContaining({
        template:
          'Books?$filter=(Shelf eq ? and contains(Title,?))&$orderby=Title desc,Id desc&$top',
        count: 3,
        isHelped: true,
      }),
    ]);
    const { database } = await openInstallation(
      readConfig({ data: library.data }, library.environment),
    );
    const rows = await database.read('SELECT * FROM "docket_slow_statement"', []);
    await database.close();
    const text = rows.flat().map(String).join(' ');
    expect(text).not.toMatch(/secret|712/);
  });

  it('show in the status of the installation', async () => {
    const { out } = await library.docket('status');
    expect(out).toMatch(/^slow statements +1: see "docket index advise"$/m);
  });

  it('lead to the index that helps, until it exists', async () => {
    const url = 'Books?$filter=Shelf eq 7&$orderby=Title';
    expect(await commands(url)).toEqual(['docket index add Books Shelf,Title']);
    const [advice] = (await advise()).indexes;
    expect(advice?.isConfirmed).toBe(kind === 'sqlite');
    const words = advice?.command.split(' ').slice(1) ?? [];
    expect(await library.docket(...words)).toMatchObject({ code: 0 });
    expect(await commands(url)).toEqual([]);
    const { out } = await library.docket('index', 'advise');
    expect(out).toContain('No index would help them.');
    expect(await library.docket('index', 'drop', 'Books', 'Shelf,Title')).toMatchObject({
      code: 0,
    });
  });

  it.each([
    ['a range', 'Books?$filter=Shelf gt 90&$count=true', 'Shelf'],
    ['equality and a range', "Books/$count?$filter=Title eq 'a' and Shelf lt 3", 'Title,Shelf'],
    ['an order', 'Books?$orderby=Title', 'Title'],
    ['a list', 'Books?$filter=Shelf in (1,2)&$orderby=Title', 'Shelf'],
    ['groups', 'Books?$apply=groupby((Shelf),aggregate($count as N))', 'Shelf'],
    ['a filter before groups', 'Books?$apply=filter(Shelf eq 3)/groupby((Title))', 'Shelf,Title'],
  ])('with %s', async (_, url, members) => {
    expect(await commands(url)).toEqual([`docket index add Books ${members}`]);
  });

  it('share an index whose first members they need', async () => {
    const urls = [
      'Books?$filter=Shelf eq 7&$orderby=Title',
      'Books?$filter=Shelf eq 1&$count=true',
    ];
    expect(await commands(...urls)).toEqual(['docket index add Books Shelf,Title']);
  });

  it.each([
    ['by key', 'Books(1000007)'],
    ['by a unique property', "Books?$filter=Isbn eq 'isbn7' and Shelf eq 7"],
    ['with an index', 'Books?$filter=Stars eq 3'],
    ['without equality or order', 'Readers?$filter=Name ne null'],
    ['with an alternative', "Books?$filter=Shelf eq 7 or Title eq 'a'"],
  ])('%s get no advice', async (_, url) => {
    expect(await commands(url)).toEqual([]);
  });

  it.each([
    [
      "Books?$filter=Reader/Name eq 'secret' or not (Shelf add 7123 gt 7124)&$count=true&$skip=1",
      'Books?$filter=(Reader/Name eq ? or not (Shelf add ? gt ?))&$orderby=Id&$count=true&$top&$skip',
    ],
    [
      "Books?$filter=concat(Title,'secret') in ('secret','7123')&$expand=Reader",
      'Books?$filter=concat(Title,?) in (?)&$orderby=Id&$top&$expand=Reader',
    ],
    ['$crossjoin(Books,Readers)', '$crossjoin(Books,Readers)?$orderby=Id,Id&$top'],
    [
      "Readers/$count?$filter=startswith(Name,'secret')",
      'Readers/$count?$filter=startswith(Name,?)',
    ],
    [
      "Books?$apply=filter(Title ne 'secret')/groupby((Stars),aggregate(Shelf with max as Most))",
      'Books?$apply=filter(Title ne ?)/groupby((Stars),aggregate(max))&$orderby=Stars,Most&$top',
    ],
    ['Books(1000007)', 'Books?$filter=Id eq ?'],
  ])('describe %s', async (url, template) => {
    await clear();
    await read(url);
    expect((await advise()).statements.map((one) => one.template)).toEqual([template]);
  });

  it('are not recorded if the setting is 0', async () => {
    await clear();
    const { limits } = readConfig({ data: library.data }, library.environment);
    await withLimits({ limits: { ...limits, slowMilliseconds: 0 } }, 'Books?$orderby=Title');
    expect((await advise()).statements).toEqual([]);
  });

  it('are limited to the 200 that have taken most time', async () => {
    const { database } = await openInstallation(
      readConfig({ data: library.data }, library.environment),
    );
    const made = Array.from({ length: 250 }, (_, index) => ({
      digest: `digest ${index}`,
      template: `Books ${index}`,
      candidate: undefined,
      statement: '',
      parameters: 0,
      executed: [],
      count: 1,
      microseconds: 1000 * (index + 1),
      longest: 1000,
      rows: 1,
    }));
    await storeSlowStatements(database, made, 0);
    await database.close();
    const { statements } = await advise();
    expect(statements.length).toBe(200);
    expect(statements[0]?.template).toBe('Books 249');
    expect(statements.at(-1)?.template).toBe('Books 50');
  });
});

function reading(url: string) {
  const [path = '', query = ''] = url.split('?');
  const options = query.replace(/(?<==)[^&]+/g, encodeURIComponent);
  return {
    id: 'read',
    method: 'GET',
    path,
    query: options,
    headers: {},
    body: undefined,
    address: '127.0.0.1',
    root: 'http://localhost/odata/',
  };
}
