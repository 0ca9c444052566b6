// This file adds, lists and drops indexes of installations with `docket index`, on both databases: what it reports, what migrations, copies
// and running services make of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation, wireService } from '../../src/cli/wire.ts';
import { performer } from '../../src/service/handle-request.ts';
import { KINDS, type Library, makeLibrary, modelText, SHELF } from './library.ts';
import { docketHere } from './run-docket.ts';

let folder: string;
let model: string;
let smaller: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-indexes-'));
  model = join(folder, 'library.json');
  smaller = join(folder, 'smaller.json');
  writeFileSync(model, modelText(SHELF));
  writeFileSync(smaller, modelText({}));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(KINDS)('the indexes of an installation in %s', (kind) => {
  let library: Library;
  beforeAll(async () => {
    library = await makeLibrary(kind, folder, model);
  }, 120_000);

  const docket = async (...words: readonly string[]) => await library.docket(...words);
  const index = async (...words: readonly string[]) => await docket('index', ...words);

  /** State and source of the indexes of books, by their members. */
  async function listed(...more: readonly string[]): Promise<Record<string, unknown>> {
    const { out } = await docketHere(
      ['index', 'list', 'Books', '--json', '--data', library.data, ...more],
      library.environment,
    );
    const rows = JSON.parse(out) as { members: string[]; source: string; state: string }[];
    return Object.fromEntries(
      rows.map(({ members, source, state }) => [members.join(','), `${source}, ${state}`]),
    );
  }

  it('are listed with their sources', async () => {
    expect(await listed()).toEqual({
      Isbn: 'unique, in use',
      Stars: 'model, in use',
      Reader: 'relation, in use',
    });
    const { out } = await index('list');
    expect(out).toMatch(/^Set +Members +Source +State +Size/);
    expect(out).toMatch(/^Books +Stars +model +in use +\d+\.\d KiB/m);
  });

  it('are added after a report of their cost', async () => {
    const { code, out } = await index('add', 'Books', 'Shelf,Title');
    expect(code).toBe(0);
    expect(out).toMatch(/about \d+\.\d KiB and 0\.0 s to build: 3,000 rows\./);
    expect(out).toMatch(/about \d+ µs to each new record, and \d+ µs to each change/);
    expect(out).toMatch(/Added the index on Shelf, Title of Books\.\n$/);
    expect(await listed()).toMatchObject({ 'Shelf,Title': 'installation, in use' });
  });

  it('take about the space that was expected', async () => {
    const { out } = await index('add', 'Books', 'Title', '--json');
    const { bytes, expected } = JSON.parse(out);
    expect(bytes / expected.bytes).toBeGreaterThan(0.5);
    expect(bytes / expected.bytes).toBeLessThan(2);
    expect(await index('drop', 'Books|Title')).toMatchObject({ code: 0 });
  });

  it('are not added twice', async () => {
    const again = await index('add', 'Books', 'Shelf,Title');
    expect(again).toMatchObject({ code: 1, err: 'Books has an index on Shelf,Title already.\n' });
  });

  it('are checked like those of a model, with all mistakes together', async () => {
    const { code, err } = await index('add', 'Books', 'Shelv,Reader/Name,Stars,Stars');
    expect(code).toBe(1);
    expect(err).toContain('Did you mean "Shelf"?');
    expect(err).toContain('Reader/Name belongs to a related entity.');
    expect(err).toContain('contains a property twice');
    expect(await index('add', 'Book', 'Shelf')).toMatchObject({
      code: 3,
      err: expect.stringContaining('Did you mean "Books"?'),
    });
  });

  it('need members, and other ones than the primary key', async () => {
    const err = 'The members of the index are missing. Name at least one member of Books.\n';
    expect(await index('add', 'Books', '')).toMatchObject({ code: 1, err });
    expect(await index('drop', 'Books')).toMatchObject({ code: 1, err });
    expect(await index('add', 'Books', 'Id')).toMatchObject({
      code: 1,
      err: 'Id is the primary key of Books, which has an index.\n',
    });
  });

  it('of the model are dropped for the installation, and added again', async () => {
    expect(await index('drop', 'Books', 'Stars')).toMatchObject({
      code: 0,
      out: 'Dropped the index on Stars of Books.\n',
    });
    expect(await listed()).toMatchObject({ Stars: 'model, dropped' });
    expect(await docket('migrate', '--plan')).toMatchObject({
      out: 'The database is up to date.\n',
    });
    expect(await index('add', 'Books', 'Stars')).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject({ Stars: 'model, in use' });
  });

  it.each([
    ['Isbn', 'it ensures that values are unique'],
    ['Reader', 'relations are read and deleted by it'],
  ])('on %s cannot be dropped', async (member, reason) => {
    const { code, err } = await index('drop', 'Books', member);
    expect([code, err]).toEqual([
      1,
      `The index on ${member} of Books cannot be dropped: ${reason}.\n`,
    ]);
  });

  it('that do not exist cannot be dropped', async () => {
    expect(await index('drop', 'Books', 'Starz')).toMatchObject({ code: 1 });
    expect(await index('drop', 'Books', 'Title')).toMatchObject({ code: 3 });
    const { code, err } = await index('drop', 'Books|Shelf,Titel');
    expect([code, err]).toEqual([
      3,
      'There is no index "Books|Shelf,Titel". Did you mean "Books|Shelf,Title"?\n',
    ]);
  });

  it('that are missing are built by a migration', async () => {
    await library.run('DROP INDEX "Books|Shelf,Title"');
    expect(await listed()).toMatchObject({
      'Shelf,Title': 'installation, missing',
    });
    const { out } = await docket('migrate', '--plan');
    expect(out.split('\n', 1)).toEqual(['1. Build the missing index on Shelf, Title of "Books".']);
    expect(await docket('migrate')).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject({ 'Shelf,Title': 'installation, in use' });
  });

  it('that an interrupted command has left are completed by the same command', async () => {
    const hidden = kind === 'postgres' ? INVALIDATE : 'DROP INDEX "Books|Shelf,Title"';
    await library.run(hidden);
    const state = kind === 'postgres' ? 'incomplete' : 'missing';
    expect(await listed()).toMatchObject({
      'Shelf,Title': `installation, ${state}`,
    });
    expect(await index('add', 'Books', 'Shelf,Title')).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject({ 'Shelf,Title': 'installation, in use' });
  });

  it('of the installation are copied to another database', async () => {
    const to = join(folder, `copy-of-${kind}`);
    const from = library.environment.DOCKET_DATABASE ?? library.data;
    const words = ['copy', '--from', from, '--to', to];
    expect(await docketHere(words)).toMatchObject({ code: 0 });
    const { out } = await docketHere(['index', 'list', 'Books', '--data', to]);
    expect(out).toMatch(/^Books +Shelf, Title +installation +in use/m);
  });

  it('are read by a service that starts', async () => {
    const installation = await openInstallation(
      readConfig({ data: library.data }, library.environment),
    );
    const { table } = installation.layout.bySource.get('Books') ?? {};
    await installation.database.close();
    expect(table?.indexes.map(({ name }) => name)).toContain('Books|Shelf,Title');
  });

  it('change beside a service, whose writes continue and which follows the change', async () => {
    const { data, environment } = library;
    const installation = await openInstallation(readConfig({ data }, environment));
    const { service, followChanges } = await wireService(installation, { isQuiet: true });
    const stop = followChanges();
    const names = () =>
      service.layout.bySource.get('Books')?.table.indexes.map(({ name }) => name) ?? [];
    const perform = performer(service);
    const statuses = new Set<number>();
    let isDone = false;
    const writing = (async () => {
      for (let count = 0; !isDone; count++) {
        const { status } = await perform(creation(count), ADMINISTRATOR);
        statuses.add(status);
      }
    })();
    expect(await index('add', 'Books', 'Title,Stars')).toMatchObject({ code: 0 });
    await expect.poll(names).toContain('Books|Title,Stars');
    expect(await index('drop', 'Books', 'Title,Stars')).toMatchObject({ code: 0 });
    await expect.poll(names).not.toContain('Books|Title,Stars');
    isDone = true;
    await writing;
    await stop();
    await installation.database.close();
    expect([...statuses]).toEqual([201]);
  });

  it('are dropped with members that the model no longer has', async () => {
    const plan = ['model', 'apply', smaller, '--data', library.data];
    const { out } = await docketHere([...plan, '--plan'], library.environment);
    expect(out).toContain(
      'Drop the index on Shelf, Title of "Books", which this installation has added and whose members the model no longer has.',
    );
    expect(await docketHere([...plan, '--allow-loss'], library.environment)).toMatchObject({
      code: 0,
    });
    expect(Object.keys(await listed())).toEqual(['Isbn', 'Stars', 'Reader']);
  });
});

/** What a CREATE INDEX CONCURRENTLY leaves that was interrupted. */
const INVALIDATE = `UPDATE pg_index SET indisvalid = false
  WHERE indexrelid = (SELECT oid FROM pg_class WHERE relname = 'Books|Shelf,Title')`;

const ADMINISTRATOR = {
  account: 0n,
  loginName: 'ada',
  person: undefined,
  roles: [],
  administrator: true,
};

/** A request that creates a book. */
function creation(count: number) {
  return {
    id: `create-${count}`,
    method: 'POST',
    path: 'Books',
    query: '',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ Title: `New ${count}`, Stars: 3 })),
    address: '127.0.0.1',
    root: 'http://localhost/odata/',
  };
}
