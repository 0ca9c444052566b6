// This file loads records by the command line on both databases: every format, references in any order, mistakes of every kind, and loads
// of several transactions that are interrupted and continued.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { withService } from '../../src/cli/in-process-client.ts';
import { hasInstallation, openInstallation } from '../../src/cli/wire.ts';
import { servedAddress } from '../child-output.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { docketHere, type Ended, makeProgram } from './run-docket.ts';

const nullable = (type = 'Edm.String', more: object = {}) => ({
  $Type: type,
  $Nullable: true,
  ...more,
});
const link = (type: string, more: object = {}) => ({
  $Kind: 'NavigationProperty',
  $Type: type,
  ...more,
});

const MODEL = JSON.stringify({
  $Version: '4.01',
  $EntityContainer: 'Library.Desk',
  Library: {
    Address: { $Kind: 'ComplexType', City: nullable(), Zip: nullable() },
    Binding: { $Kind: 'EnumType', Paper: 0, Cloth: 1 },
    Author: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Name: { '@Validation.Pattern': '\\S' },
      Address: nullable('Library.Address'),
      Friend: link('Library.Author', { $Nullable: true }),
    },
    Book: {
      $Kind: 'EntityType',
      $Key: ['Isbn'],
      Isbn: { $MaxLength: 20 },
      Title: {},
      Price: nullable('Edm.Decimal', { $Precision: 20, $Scale: 2 }),
      Weight: nullable('Edm.Double'),
      Sold: { $Type: 'Edm.Boolean', $DefaultValue: false },
      Printed: nullable('Edm.Date'),
      Binding: nullable('Library.Binding'),
      Tags: { $Collection: true },
      Author: link('Library.Author'),
      Sequel: link('Library.Book', { $Nullable: true }),
      Related: link('Library.Book', { $Collection: true }),
      Copies: link('Library.Copy', { $Collection: true, $ContainsTarget: true }),
    },
    Review: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32', '@Docket.Generated': { By: 'key' } },
      AuthorId: nullable('Edm.Int32'),
      Author: link('Library.Author', {
        $Nullable: true,
        $ReferentialConstraint: { AuthorId: 'Id' },
      }),
    },
    Copy: { $Kind: 'EntityType', $Key: ['Number'], Number: { $Type: 'Edm.Int32' } },
    Desk: {
      $Kind: 'EntityContainer',
      Books: {
        $Collection: true,
        $Type: 'Library.Book',
        $NavigationPropertyBinding: { Author: 'Authors', Sequel: 'Books', Related: 'Books' },
      },
      Reviews: { $Collection: true, $Type: 'Library.Review' },
      Authors: {
        $Collection: true,
        $Type: 'Library.Author',
        $NavigationPropertyBinding: { Friend: 'Authors' },
      },
    },
  },
});

type Content = Readonly<Record<string, string | Uint8Array>>;

describe.each(SAMPLED_DATABASES)('loading into %s', (kind) => {
  let folder: string;
  let environment: Record<string, string>;
  let docket: (...words: readonly string[]) => Promise<Ended>;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'docket-load-'));
    writeFileSync(join(folder, 'model.json'), MODEL);
  });
  async function install(): Promise<() => Promise<void>> {
    count += 1;
    environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    if (kind === 'PostgreSQL') environment.DOCKET_DATABASE = await postgresUrl();
    const data = join(folder, `data${count}`);
    docket = async (...words) => await docketHere([...words, '--data', data], environment);
    const made = await docket('init', '--admin', 'ada', '--model', join(folder, 'model.json'));
    expect(made).toMatchObject({ code: 0 });
    return async () => {
      const { DOCKET_DATABASE } = environment;
      if (DOCKET_DATABASE !== undefined) await dropDatabase(DOCKET_DATABASE);
    };
  }
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A directory with files. */
  function filesOf(content: Content): string {
    const directory = mkdtempSync(join(folder, 'files-'));
    for (const [name, text] of Object.entries(content)) writeFileSync(join(directory, name), text);
    return directory;
  }

  const load = async (content: Content, ...options: readonly string[]) =>
    await docket('load', filesOf(content), ...options);

  const mistakesOf = ({ err }: Ended) =>
    err
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim());

  // biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
  async function read(path: string): Promise<any> {
    const config = readConfig({ data: join(folder, `data${count}`) }, environment);
    return await withService(
      { config },
      async (client) => await client.send('GET', encodeURI(path)),
    );
  }

  describe('of right records', () => {
    beforeEach(install);

    it('reads cells as the model declares them', async () => {
      const done = await load({
        'Authors.csv':
          '\uFEFFId,Name,Address/City,Friend/Id\r\n1,Ada,"Ghent, old",\r\n2,"A ""B""\n2",,1\r\n',
        'Books.csv':
          'Isbn,Title,Price,Weight,Sold,Printed,Binding,Author@odata.bind\n' +
          "9'7,Emma,12345678901234567.89,INF,true,1815-12-23,Cloth,Authors(1)\n" +
          '0042,Two,,1e3,,,,Authors(2)\n',
      });
      expect(done).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('Loaded 4 records'),
      });
      const { value } = await read('Books?$orderby=Title&$expand=Author($expand=Friend)');
      expect(value).toMatchObject([
        {
          Isbn: "9'7",
          Weight: 'INF',
          Sold: true,
          Printed: '1815-12-23',
          Binding: 'Cloth',
          Author: { Address: { City: 'Ghent, old', Zip: null } },
        },
        {
          Isbn: '0042',
          Price: null,
          Weight: 1000,
          Sold: false,
          Author: { Name: 'A "B"\n2', Address: null, Friend: { Name: 'Ada' } },
        },
      ]);
      expect(await read('Books?$filter=Price eq 12345678901234567.89&$select=Isbn')).toMatchObject({
        value: [{ Isbn: "9'7" }],
      });
    });

    it('stores records that refer to one another in any order, and in cycles', async () => {
      const done = await load({
        'Books.ndjson': [
          {
            Isbn: 'a',
            Title: 'A',
            'Author@odata.bind': 'Authors(1)',
            'Sequel@odata.bind': "Books('b')",
            Tags: ['x'],
            Copies: [{ Number: 1 }],
          },
          {
            Isbn: 'b',
            Title: 'B',
            'Author@odata.bind': 'Authors(3)',
            'Sequel@odata.bind': "Books('c')",
            'Related@odata.bind': ["Books('a')", "Books('c')"],
          },
          {
            Isbn: 'c',
            Title: 'C',
            Author: { '@id': 'Authors(2)' },
            'Sequel@odata.bind': "Books('a')",
          },
          {
            Isbn: 'd',
            Title: 'D',
            'Author@odata.bind': 'Authors(2)',
            'Sequel@odata.bind': "Books('d')",
          },
        ]
          .map((book) => JSON.stringify(book))
          .join('\n\n'),
        'Authors.csv': 'Id,Name,Friend/Id\n1,Ada,2\n2,Bo,3\n3,Cy,1\n',
      });
      expect([done.code, done.err]).toEqual([0, '']);
      const books = await read('Books?$orderby=Isbn&$expand=Author,Sequel,Related($orderby=Isbn)');
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const shown = books.value.map((book: any) => [
        book.Isbn,
        book.Author.Id,
        book.Sequel.Isbn,
        book.Related.map(({ Isbn }: { Isbn: string }) => Isbn).join(),
      ]);
      expect(shown).toEqual([
        ['a', 1, 'b', ''],
        ['b', 3, 'c', 'a,c'],
        ['c', 2, 'a', ''],
        ['d', 2, 'd', ''],
      ]);
      const authors = await read('Authors?$orderby=Id&$expand=Friend');
      expect(authors.value.map(({ Friend }: { Friend: { Id: number } }) => Friend.Id)).toEqual([
        2, 3, 1,
      ]);
      expect((await read("Books('a')/Copies")).value).toMatchObject([{ Number: 1 }]);
    });
  });

  describe('of mistakes', () => {
    beforeAll(install);

    it('reports all mistakes with file, line or index, set and property, and stores nothing', async () => {
      const done = await load({
        'Books.csv':
          'Isbn,Title,Sold,Binding,Author/Id,Sequel@odata.bind\n' +
          '1,Emma,maybe,Leather,1,\n2,Two,,,99,\n3,Three\n4,"x" y,,,1,\n1234567890123456789012,,,,1,\n6,Six,,,1,Books(\'zz\')\n7,Seven,,,1,\n7,Again,,,1,\n',
        'Authors.ndjson': Buffer.concat([
          Buffer.from('{"Id":1,"Name":" "}\n[1]\n{"Id":\n{"Id":4,"Name":"'),
          Buffer.from([0xff]),
          Buffer.from(
            `"}\n{"Id":5,"Name":"E","Friend@odata.bind":"Authors(77)"}\n${'['.repeat(300)}\n{"Id":1,"Name":"A","Nmae":1}\n{"Id":1,"Name":"Ada"}`,
          ),
        ]),
        'more.json': '{"Bokos":[],"Books":{},"Authors":[7,{"Id":"x","Name":"X"}]}',
        'broken.json': '{\n"Authors": [\n{"Id": 5,}]}',
        'Autors.csv': 'Id\n1\n',
        'notes.txt': '',
      });
      expect(done).toMatchObject({ code: 1, out: '' });
      expect(done.err).toMatch(/^Nothing was loaded\. Number of errors: \d+\.\n/);
      const expected = [
        /^Autors\.csv: .*Did you mean "Authors"/,
        /^notes\.txt: .*Set\.json, Set\.ndjson, Set\.csv/,
        /^broken\.json: .*in line 3/,
        /^more\.json: .*"Bokos".*Did you mean "Books"/,
        /^more\.json: Books: /,
        /^more\.json: Authors\[0\]: /,
        /^more\.json: Authors\[1\]\/Id: .*integer/,
        /^Authors\.ndjson:1: Authors\/Name: .*pattern/,
        /^Authors\.ndjson:2: Authors: .*object/,
        /^Authors\.ndjson:3: Authors: .*JSON/,
        /^Authors\.ndjson:4: Authors: .*UTF-8/,
        /^Authors\.ndjson:5: Authors\/Friend@odata\.bind: .*Authors\(77\)/,
        /^Authors\.ndjson:6: Authors: .*100 levels/,
        /^Authors\.ndjson:7: Authors\/Nmae: .*"Name"/,
        /^Books\.csv:2: Books\/Sold: .*true or false/,
        /^Books\.csv:2: Books\/Binding: .*Paper, Cloth/,
        /^Books\.csv:3: Books\/Author@odata\.bind: .*Authors\(Id=99\)/,
        /^Books\.csv:4: Books: .*2 cells.*6/,
        /^Books\.csv:5:6: Books: .*closing quote/,
        /^Books\.csv:6: Books\/Isbn: .*20/,
        /^Books\.csv:6: Books\/Title: .*required/,
        /^Books\.csv:7: Books\/Sequel@odata\.bind: .*zz/,
        /^Books\.csv:9: Books\/Isbn: .*unique/,
      ];
      const found = mistakesOf(done);
      for (const pattern of expected) expect(found).toContainEqual(expect.stringMatching(pattern));
      expect(found).toHaveLength(expected.length);
      expect((await read('Authors')).value).toEqual([]);
    });

    it.each([
      ['Id;Name', /"Id;Name".*commas/],
      ['Nam', /"Nam".*Did you mean "Name"/],
      ['Address', /"Address".*Address\/City or Address\/Zip/],
      ['Address/Town', /Library\.Address has no property "Town"/],
      ['Friend', /"Friend".*Use Friend\/Id, or Friend@odata\.bind/],
      ['Friend/Name', /"Friend\/Name".*Use Friend\/Id/],
      ['Friend/Id,Friend@bind', /"Friend\/Id".*Remove one/],
      ['Id,Id', /"Id".*several columns/],
      ['Name/x', /"Name\/x".*Edm\.String/],
      ['Id,', /""/],
      ['__proto__', /has no property "__proto__"/],
    ])('rejects the columns %s', async (header, message) => {
      const done = await load({ 'Authors.csv': `${header}\n` });
      expect(done.code).toBe(1);
      expect(mistakesOf(done)).toContainEqual(expect.stringMatching(message));
    });

    it.each(['Tags', 'Copies', 'Related@odata.bind', 'Copies/Number'])(
      'says that CSV cannot contain %s',
      async (column) => {
        const done = await load({ 'Books.csv': `Isbn,${column}\n` });
        expect(mistakesOf(done)).toEqual([expect.stringMatching(/^Books\.csv:1: .*NDJSON/)]);
      },
    );

    it.each<[string, Content, RegExp]>([
      ['an empty directory', {}, /no file such as/],
      ['an empty CSV file', { 'Books.csv': '' }, /Books\.csv: .*no header/],
      ['a CSV file in UTF-16', { 'Books.csv': Buffer.from('\uFEFFId', 'utf16le') }, /UTF-8/],
      ['an open quote', { 'Books.csv': 'Isbn,Title\n1,"a\n2,b\n' }, /Books\.csv:2:3: .*quote/],
      [
        'a long line',
        { 'Authors.ndjson': `{"Id":1,"Name":"${'x'.repeat(17_000_000)}"}\n[]` },
        /:1: .*16,777,216 bytes[\s\S]*:2: /,
      ],
      ['deep nesting', { 'a.json': '['.repeat(100_000) }, /a\.json: .*100 levels/],
      ['an empty JSON file', { 'a.json': '' }, /a\.json: .*JSON/],
      ['a JSON document of another kind', { 'a.json': '[1]' }, /a\.json: .*one member per set/],
    ])('rejects %s', async (_name, content, message) => {
      const done = await load(content);
      expect(done).toMatchObject({ code: 1, out: '' });
      expect(done.err).toMatch(message);
      expect(done.err).not.toMatch(/\n\s+at /);
    });

    it('rejects a file that does not exist, and lists a part of many mistakes', async () => {
      const missing = await docket('load', join(folder, 'nothing.csv'));
      expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('it does not exist') });
      const lines = Array.from({ length: 150 }, () => '[]').join('\n');
      const many = await load({ 'Books.ndjson': lines });
      expect(many.err).toContain('Number of errors: 150, of which the first 100 are listed.');
      expect(mistakesOf(many)).toHaveLength(100);
      const { code, out } = await load({ 'Books.ndjson': lines }, '--json');
      const summary = JSON.parse(out);
      expect([code, summary.stored, summary.errors, summary.mistakes.length]).toEqual([
        1, 0, 150, 100,
      ]);
      expect(summary.mistakes[1]).toMatchObject({ file: 'Books.ndjson', line: 2, set: 'Books' });
    });
  });

  describe('of many records', () => {
    beforeEach(install);

    it('continues a large load after the records that are stored', async () => {
      const authors = (last: number) =>
        Array.from({ length: 4500 }, (_, index) => {
          const key = index === 4000 ? last : index;
          return JSON.stringify({
            Id: key,
            Name: `Author ${key}`,
            ...(index % 1000 === 0 ? { 'Friend@odata.bind': `Authors(${4499 - index})` } : {}),
          });
        }).join('\n');
      const broken = await load({ 'Authors.ndjson': authors(5) });
      expect(broken.code).toBe(1);
      expect(broken.err).toMatch(
        /3,997 records are stored; .* again to continue after them\. Number of errors: 1\./,
      );
      expect(mistakesOf(broken)).toEqual([
        expect.stringMatching(/^Authors\.ndjson:4001: Authors\/Id: /),
      ]);

      const other = await load({ 'Authors.ndjson': '{"Id":9000,"Name":"Other"}' });
      expect(other).toMatchObject({
        code: 1,
        err: expect.stringContaining('Another load is incomplete'),
      });

      const continued = await load({ 'Authors.ndjson': authors(4000) });
      expect(continued).toMatchObject({
        code: 0,
        out: expect.stringContaining('Loaded 4,500 records'),
      });
      expect(continued.err).toContain('Resuming an interrupted load after 4,000 records.');
      expect(await read('Authors?$count=true&$top=0')).toMatchObject({ '@odata.count': 4500 });
      const { value } = await read('Authors?$filter=Friend ne null&$orderby=Id&$expand=Friend');
      expect(value.map(({ Friend }: { Friend: { Id: number } }) => Friend.Id)).toEqual([
        4499, 3499, 2499, 1499, 499,
      ]);
      expect(await load({ 'Authors.ndjson': '{"Id":9000,"Name":"Other"}' })).toMatchObject({
        code: 0,
      });
    }, 60_000);

    it('stores a large load whose dependent properties refer to later records', async () => {
      const reviews = Array.from({ length: 2001 }, (_, index) => ({
        Id: index + 50,
        ...(index === 3 || index === 2000 ? { AuthorId: 7 } : {}),
      }));
      const content = { Reviews: reviews, Authors: [{ Id: 7, Name: 'Jane' }] };
      const loaded = await load({ 'all.json': JSON.stringify(content) });
      expect(loaded).toMatchObject({ code: 0, out: expect.stringContaining('2,002 records') });
      const { value } = await read("Reviews?$filter=Author/Name eq 'Jane'&$orderby=Id");
      expect(value.map(({ Id }: { Id: number }) => Id)).toEqual([53, 2050]);
      const config = readConfig({ data: join(folder, `data${count}`) }, environment);
      const created = await withService(
        { config },
        async (client) => await client.send('POST', 'Reviews', {}),
      );
      expect(created).toMatchObject({ Id: 2051 });
    }, 60_000);

    it('rejects a load while another one runs', async () => {
      const config = readConfig({ data: join(folder, `data${count}`) }, environment);
      const { database, stores } = await openInstallation(config);
      const claim = await database.claim('load', () => undefined);
      const files = { 'Authors.ndjson': '{"Id":1,"Name":"Jane"}' };
      expect(await load(files)).toMatchObject({
        code: 1,
        err: expect.stringContaining('Another load of this installation is running'),
      });
      await claim?.release();
      expect(await load(files)).toMatchObject({ code: 0 });
      await stores.close();
      await database.close();
    });

    it('reports mistakes of the values of a large load before anything is stored', async () => {
      const rows = Array.from(
        { length: 4500 },
        (_, index) => `${index},${index === 4400 ? ' ' : 'N'}`,
      );
      const done = await load({ 'Authors.csv': `Id,Name\n${rows.join('\n')}` });
      expect(done.err).toContain('Nothing was loaded. Number of errors: 1.');
      expect(mistakesOf(done)).toEqual([
        expect.stringMatching(/^Authors\.csv:4402: Authors\/Name: /),
      ]);
      expect((await read('Authors')).value).toEqual([]);
    }, 60_000);

    it('creates an installation with serve --load, or nothing after a mistake', async () => {
      const program = makeProgram();
      const data = join(folder, `served${count}`);
      const directory = filesOf({
        'Authors.csv': 'Id,Name\n1,Ada\n',
        'more.json': '{"Authors":[{"Id":2,"Name":" "}]}',
      });
      const own: Record<string, string> =
        kind === 'PostgreSQL' ? { DOCKET_DATABASE: await postgresUrl() } : {};
      const words = [
        'serve',
        '--model',
        join(folder, 'model.json'),
        '--load',
        directory,
        '--data',
        data,
        '--port',
        '0',
      ];
      try {
        const failed = await program.docket(words, own);
        expect(failed).toMatchObject({
          code: 1,
          err: expect.stringContaining('more.json: Authors[0]/Name'),
        });
        expect(failed.err).toContain('Nothing was imported.');
        expect(await hasInstallation(readConfig({ data }, own))).toBe(false);
        writeFileSync(join(directory, 'more.json'), '{"Authors":[{"Id":2,"Name":"Bo"}]}');
        const served = program.launch(words, own);
        await servedAddress(served);
        served.kill('SIGTERM');
        await new Promise((ended) => served.once('close', ended));
        expect(await hasInstallation(readConfig({ data }, own))).toBe(true);
      } finally {
        program.remove();
        if (own.DOCKET_DATABASE !== undefined) await dropDatabase(own.DOCKET_DATABASE);
      }
    }, 120_000);
  });
});
