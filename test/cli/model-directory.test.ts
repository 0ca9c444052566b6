// This file checks models that are directories: CSDL JSON in several files, tables, roles and demo words, and the places of their mistakes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createDemo, initialize } from '../../src/cli/command/installation.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { checkModelFile, configuredFiles, readModel } from '../../src/cli/model-file.ts';
import { filesOf } from '../../src/cli/stored-model.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { printJson } from '../../src/edm/value/lossless-json.ts';

const folder = mkdtempSync(join(tmpdir(), 'docket-directories-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Files = Readonly<Record<string, string | object>>;

let made = 0;
function directoryOf(files: Files): string {
  const directory = join(folder, `model-${made++}`);
  mkdirSync(directory);
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

const BOOK = {
  $Kind: 'EntityType',
  $Key: ['Id'],
  Id: { $Type: 'Edm.Int32' },
  Title: {},
  Genre: { $Type: 'Library.Code', $Nullable: true, '@Docket.CodeList': 'Genre' },
};
const CODE = {
  $Kind: 'ComplexType',
  '@Docket.Coded': { Value: 'Value', Text: 'Text' },
  Text: { $Nullable: true },
  Value: { $Type: 'Edm.Int64', $Nullable: true },
};
const CONTAINER = {
  $Kind: 'EntityContainer',
  '@Docket.Languages': ['en', 'nl'],
  Books: { $Collection: true, $Type: 'Library.Book' },
};
const TYPES_FILE = { $Version: '4.01', Library: { Book: BOOK, Code: CODE } };
const CONTAINER_FILE = {
  $Version: '4.01',
  $EntityContainer: 'Library.Desk',
  Library: { Desk: CONTAINER },
};
const LIBRARY: Files = {
  '1-types.csdl.json': TYPES_FILE,
  '2-container.csdl.json': CONTAINER_FILE,
  'code-lists.csv': 'list,ordered,en,nl\nGenre,true,Genre,Genre\n',
  'codes.csv': 'list,value,meaning,en,nl\nGenre,1,NOVEL,Novel,Roman\nGenre,2,,Poetry,Poëzie\n',
  'labels.csv':
    'type,member,en,nl\nBook,,Book,Boek\nBook,Title,Title,Titel\nDesk,Books,Books,Boeken\n',
};
const ADDITIONS = {
  $Version: '4.01',
  'Service.Web.OData.Model': {
    ServiceRequest: {
      $Kind: 'EntityType',
      Shelf: {
        $Type: 'Service.Web.OData.Model.Code',
        $Nullable: true,
        '@Docket.Custom': true,
        '@Docket.CodeList': 'Shelf',
      },
    },
  },
};

describe('a directory', () => {
  test('says the same as one file with annotations', () => {
    const annotated = {
      ...CONTAINER_FILE,
      Library: {
        Book: {
          ...BOOK,
          '@Core.Description': 'Book',
          '@Core.Description#nl': 'Boek',
          Title: { '@Core.Description': 'Title', '@Core.Description#nl': 'Titel' },
        },
        Code: CODE,
        Desk: {
          ...CONTAINER,
          '@Docket.CodeLists': [
            {
              Name: 'Genre',
              Ordered: true,
              '@Core.Description': 'Genre',
              '@Core.Description#nl': 'Genre',
              Codes: [
                { Value: 1, Meaning: 'NOVEL', Texts: texts('Novel', 'Roman') },
                { Value: 2, Texts: texts('Poetry', 'Poëzie') },
              ],
            },
          ],
          Books: {
            ...CONTAINER.Books,
            '@Core.Description': 'Books',
            '@Core.Description#nl': 'Boeken',
          },
        },
      },
    };
    const file = join(directoryOf({ 'library.json': annotated }), 'library.json');
    const [inTables, inAnnotations] = [checkModelFile(directoryOf(LIBRARY)), checkModelFile(file)];
    expect([inTables.mistakes, inAnnotations.mistakes]).toEqual([[], []]);
    const print = ({ definition }: typeof inTables) =>
      printJson(toCsdl(definition, { complete: true }));
    expect(print(inTables)).toBe(print(inAnnotations));
  });

  test('without a container adds to the built-in model: members, code lists, codes and labels', () => {
    const { definition, mistakes, isForeign } = checkModelFile(
      directoryOf({
        'additions.csdl.json': ADDITIONS,
        'code-lists.csv': 'list,en,de\nShelf,Shelf,Regal\n',
        'codes.csv': 'list,value,en,de\nShelf,900001,Left,Links\nMedium,120001,Phone,\n',
        'labels.csv':
          'type,member,en,de\nServiceRequest,Shelf,Shelf,Regal\nServiceRequest,,Ticket,Ticket\n',
      }),
    );
    expect([mistakes, isForeign]).toEqual([[], false]);
    const list = (name: string) => definition.codeLists.find((one) => one.name === name);
    expect(list('Shelf')?.codes).toEqual([{ value: 900001n, texts: { en: 'Left', de: 'Links' } }]);
    expect(list('Medium')?.codes[0]).toMatchObject({
      value: 120001n,
      meaning: 'TELEPHONE',
      texts: { en: 'Phone', nl: 'Telefoon' },
    });
    expect(list('Medium')?.codes.length).toBe(8);
    const type = definition.types.find(({ name }) => name.endsWith('.ServiceRequest'));
    expect(type?.labels).toEqual({
      en: 'Ticket',
      nl: 'Melding',
      de: 'Ticket',
      fr: 'Demande de service',
    });
    expect(type).toMatchObject({
      members: expect.arrayContaining([
        expect.objectContaining({ name: 'Shelf', labels: { en: 'Shelf', de: 'Regal' } }),
      ]),
    });
  });

  test('is warned of a required member without a default, which existing records do not have', () => {
    const extend = (property: object) => ({
      'additions.csdl.json': {
        $Version: '4.01',
        'Service.Web.OData.Model': {
          ServiceRequest: { Floor: property, Impact: { $Nullable: false } },
        },
      },
    });
    const { mistakes } = checkModelFile(directoryOf(extend({ $Type: 'Edm.Int32' })));
    expect(mistakes).toEqual([
      expect.objectContaining({
        path: '$["Service.Web.OData.Model"].ServiceRequest.Floor',
        warning: true,
        remedy: 'Add $DefaultValue, or allow null by $Nullable.',
      }),
    ]);
    const filled = directoryOf(extend({ $Type: 'Edm.Int32', $DefaultValue: 1 }));
    expect(checkModelFile(filled).mistakes).toEqual([]);
  });

  test('may consist of tables alone', () => {
    const { mistakes, isForeign, definition } = checkModelFile(
      directoryOf({ 'labels.csv': 'type,member,en\nContainer,Persons,People\n' }),
    );
    expect([mistakes, isForeign]).toEqual([[], false]);
    const set = definition.sets.find(({ name }) => name === 'Persons');
    expect(set?.labels).toMatchObject({ en: 'People', nl: 'Personen' });
  });
});

function texts(en: string, nl: string) {
  return [
    { Language: 'en', Text: en },
    { Language: 'nl', Text: nl },
  ];
}

describe('mistakes name the file and the place in it', () => {
  const book = '$.Library.Book';
  test.each<[string, Files, string, string]>([
    [
      'an unknown type',
      {
        '1-types.csdl.json': {
          ...TYPES_FILE,
          Library: { Book: { ...BOOK, Title: { $Type: 'Edm.Strin' } }, Code: CODE },
        },
      },
      `1-types.csdl.json: ${book}.Title.$Type`,
      'Edm.Strin',
    ],
    [
      'a member that CSDL does not have',
      {
        '2-container.csdl.json': {
          ...CONTAINER_FILE,
          Library: { Desk: { ...CONTAINER, $Kin: 1 } },
        },
      },
      '2-container.csdl.json: $.Library.Desk.$Kin',
      'is not allowed here',
    ],
    [
      'an element in two files',
      { '3-more.csdl.json': { $Version: '4.01', Library: { Book: BOOK } } },
      `3-more.csdl.json: ${book}`,
      'already defined in 1-types.csdl.json',
    ],
    ['no JSON', { '3-more.csdl.json': '{' }, '3-more.csdl.json', 'not valid JSON'],
    [
      'a list instead of a document',
      { '3-more.csdl.json': '[]' },
      '3-more.csdl.json: $',
      'an array',
    ],
    [
      'a code list that no table has',
      { 'code-lists.csv': 'list,en\n', 'codes.csv': 'list,value,en\nGenre,1,A\n' },
      'codes.csv:2:1',
      'no code list "Genre"',
    ],
    [
      'two codes of one meaning',
      { 'codes.csv': 'list,value,meaning,en\nGenre,1,A,A\nGenre,2,A,B\n' },
      'codes.csv: Genre',
      'more than one meaning in Genre',
    ],
    ['a table of another name', { 'code.csv': '' }, 'code.csv', 'not the name of a model file'],
    [
      'a role with a member that roles do not have',
      { 'roles.json': { Roles: [{ Name: 'reader', EntityAces: [] }] } },
      'roles.json: $.Roles[0].EntityAces',
      'is not allowed here',
    ],
    [
      'a role for a type that the model does not have',
      {
        'roles.json': {
          Roles: [{ Name: 'reader', EntityAccess: [{ Entity: 'Bok', Read: true }] }],
        },
      },
      'roles.json: $.Roles[0].EntityAccess[0].Entity',
      '"Bok"',
    ],
    [
      'a condition that does not fit',
      {
        'roles.json': {
          Roles: [
            { Name: 'r', EntityAccess: [{ Entity: 'Book', Read: true, Filter: "Id eq 'x'" }] },
          ],
        },
      },
      'roles.json: $.Roles[0].EntityAccess[0].Filter',
      'Edm.Int32',
    ],
    [
      'a condition that no database can evaluate',
      {
        'roles.json': {
          Roles: [
            {
              Name: 'r',
              EntityAccess: [{ Entity: 'Book', Read: true, Filter: 'matchesPattern(Title,Title)' }],
            },
          ],
        },
      },
      'roles.json: $.Roles[0].EntityAccess[0].Filter',
      'The condition is not valid for Library.Book: The feature matchesPattern with',
    ],
    [
      'a role without a member of the type',
      {
        'roles.json': {
          Roles: [
            { Name: 'r', AttributeAccess: [{ Entity: 'Book', Attribute: 'Titel', Read: false }] },
          ],
        },
      },
      'roles.json: $.Roles[0].AttributeAccess[0].Attribute',
      '"Titel"',
    ],
    [
      'two roles of one name',
      { 'roles.json': { Roles: [{ Name: 'r' }, { Name: 'r' }] } },
      'roles.json: $.Roles[1].Name',
      'more than one role named r',
    ],
    [
      'demo words that are no list',
      { 'demo.json': { things: 'a' } },
      'demo.json: $.things',
      'Expected a list',
    ],
    [
      'demo words in an empty list',
      { 'demo.json': { things: [] } },
      'demo.json: $.things[0]',
      'undefined',
    ],
  ])('%s', (_, files, path, message) => {
    const { mistakes } = checkModelFile(directoryOf({ ...LIBRARY, ...files }));
    expect(mistakes).toMatchObject([{ path, message: expect.stringContaining(message) }]);
  });

  test('a computed property that reads a later one is a warning', () => {
    const computed = (Expression: string) => ({
      $Type: 'Edm.Int32',
      $Nullable: true,
      '@Docket.Generated': { By: 'expression', Expression },
    });
    const Book = { ...BOOK, A: computed('Id add 1'), B: computed('C add $it/A'), C: computed('A') };
    const types = { $Version: '4.01', Library: { Book, Code: CODE } };
    const { mistakes } = checkModelFile(directoryOf({ ...LIBRARY, '1-types.csdl.json': types }));
    expect(mistakes).toMatchObject([
      {
        path: '1-types.csdl.json: $.Library.Book.B["@Docket.Generated"]',
        message: 'B reads C, which is computed after it, and so gets its previous value.',
        remedy: 'Declare C before B.',
        warning: true,
      },
    ]);
  });

  test('own sets for accounts and roles need what the service keeps in them', () => {
    const book = { $Collection: true, $Type: 'Library.Book' };
    const found = (sets: object) =>
      checkModelFile(
        directoryOf({
          ...LIBRARY,
          '2-container.csdl.json': {
            ...CONTAINER_FILE,
            Library: { Desk: { ...CONTAINER, ...sets } },
          },
        }),
      ).mistakes.map(({ path, message, remedy }) => `${path}: ${message} ${remedy}`);
    expect(found({ Roles: book })).toEqual([
      expect.stringContaining(
        '$.Library.Desk.Roles: The service keeps accounts and roles in Accounts and Roles. A model has both of these sets or neither. Rename the set, or add Accounts.',
      ),
    ]);
    expect(found({ Accounts: book, Roles: book })).toEqual([
      expect.stringContaining('lacks members that it needs: Uid, LoginName, Name, Blocked, Roles.'),
      expect.stringContaining('lacks members that it needs: Uid, Name.'),
    ]);
  });

  test('of all kinds are reported together, without those that follow from others', () => {
    const computed = (Expression: string) => ({
      $Nullable: true,
      '@Core.Computed': true,
      '@Docket.Generated': { By: 'expression', Expression },
    });
    const types = {
      Code: CODE,
      Book: {
        ...BOOK,
        Title: { $MaxLengt: 3 },
        Pages: { $Type: 'Edm.Int3' },
        Twice: computed('cast(Pages,Edm.String)'),
        Upper: computed('toupper(Titel)'),
        Author: { $Kind: 'NavigationProperty', $Type: 'Library.Writer', $Nullable: true },
        Shelf: { $Kind: 'NavigationProperty', $Type: 'Library.Shel', $Nullable: true },
      },
      Writer: { $Kind: 'EntityTyp', $Key: ['Id'], Id: {}, Pen: {} },
      Shelf: { $Kind: 'EntityType', $Key: ['Id'], Id: {} },
      Filled: [
        {
          $Kind: 'Function',
          $IsBound: true,
          $Parameter: [{ $Name: 'shelf', $Type: 'Library.Shelf' }],
          $ReturnType: { $Type: 'Edm.Boolean' },
          '@Docket.Expression': "$it/Id eq '1' and Ful",
        },
      ],
    };
    const access = [
      { Entity: 'Book', Read: true, Filter: 'Titel eq null' },
      { Entity: 'Book', Read: true, Filter: 'Pages eq 1' },
      { Entity: 'Writer', Read: true },
      { Entity: 'Shelf', Rea: true, Filter: 'Nothing' },
    ];
    const { mistakes } = checkModelFile(
      directoryOf({
        ...LIBRARY,
        '1-types.csdl.json': { $Version: '4.01', Library: types },
        'codes.csv': 'list,value,en,nl\nGenre,one,Novel,Roman\n',
        'labels.csv': 'type,member,en\nBook,Titel,Title\nWriter,Pen,Pen\nBook,Author,By\n',
        'roles.json': { Roles: [{ Name: 'reader', EntityAccess: access }] },
        'demo.json': { things: [] },
      }),
    );
    expect(mistakes.map(({ path }) => path).toSorted()).toEqual([
      '1-types.csdl.json: $.Library.Book.Pages.$Type',
      '1-types.csdl.json: $.Library.Book.Shelf.$Type',
      '1-types.csdl.json: $.Library.Book.Title.$MaxLengt',
      '1-types.csdl.json: $.Library.Book.Upper["@Docket.Generated"]',
      '1-types.csdl.json: $.Library.Filled["@Docket.Expression"]',
      '1-types.csdl.json: $.Library.Writer.$Kind',
      'codes.csv:2:7',
      'demo.json: $.things[0]',
      'labels.csv:2:6',
      'roles.json: $.Roles[0].EntityAccess[0].Filter',
      'roles.json: $.Roles[0].EntityAccess[3].Rea',
    ]);
  });

  test('a directory without any file of a model', () => {
    const directory = directoryOf({ 'notes.txt': 'none' });
    expect(checkModelFile(directory).mistakes).toMatchObject([
      { path: directory, message: 'The directory contains no model files.' },
    ]);
  });

  test('a file that contains XML is not taken for JSON with errors', () => {
    const xml = join(folder, 'model.xml');
    writeFileSync(xml, '\uFEFF\n<?xml version="1.0"?><edmx:Edmx Version="4.01"/>');
    const path = expect.stringContaining('model.xml');
    const message = 'The file contains XML. Models are written in CSDL JSON only.';
    const remedy = expect.stringContaining('Convert it to CSDL JSON.');
    expect(checkModelFile(xml).mistakes).toMatchObject([{ path, message, remedy }]);
  });

  test('members of an extension that are not schemas, unless they are in a version that is in force', () => {
    const document = { $Version: '4.01', 'Service.Web.OData.Model': 5, a: 'text' };
    const name = 'additions.csdl.json';
    const remedy = 'Write an object in braces.';
    expect(checkModelFile(directoryOf({ [name]: document })).mistakes).toEqual([
      {
        path: `$["Service.Web.OData.Model"]`,
        message: 'Expected an object, found 5.',
        remedy,
      },
      { path: '$.a', message: 'Expected an object, found "text".', remedy },
    ]);
    const stored = {
      version: 2,
      docket: '0.1.0',
      files: [{ name, text: JSON.stringify(document) }],
    };
    expect(readModel(filesOf(stored as never)).isForeign).toBe(false);
  });

  test('a service does not start with them', () => {
    const directory = directoryOf({ ...LIBRARY, 'codes.csv': 'list,value,en\nGenre,one,A\n' });
    const config = readConfig({ data: folder, model: directory }, {});
    expect(() => readModel(configuredFiles(config))).toThrow(
      expect.objectContaining({ code: 'cli.model' }),
    );
  });
});

describe('roles and demo words of a directory', () => {
  const silent = { update: () => undefined, finish: () => undefined };
  const terminal = { print: () => undefined, say: () => undefined, progress: () => silent };
  const ROLES = {
    Roles: [
      { Name: 'reader', EntityAccess: [{ Entity: 'Record', Read: true }] },
      {
        Name: 'auditor',
        Description: 'Looks at people',
        EntityAccess: [{ Entity: 'Person', Read: true }],
      },
    ],
  };

  async function query(data: string, model: string, sql: string) {
    const installation = await openInstallation(
      readConfig({ data, model, logLevel: 'silent' }, {}),
    );
    const rows = installation.database.read(sql, []);
    await installation.database.close();
    return rows;
  }

  async function initialized(files: Files) {
    const [data, model] = [join(folder, `data-${made++}`), directoryOf(files)];
    vi.stubEnv('DOCKET_ADMIN_PASSWORD', 'correct horse battery');
    const config = readConfig({ data, model }, {});
    await initialize({ config, flags: { admin: 'boss' }, terminal: terminal as never });
    vi.unstubAllEnvs();
    return await query(data, model, 'SELECT "Name", "Description" FROM "Roles" ORDER BY "Uid"');
  }

  test('init makes them beside those of the built-in model, and instead of those of the same name', async () => {
    const roles = await initialized({ 'roles.json': ROLES });
    expect(roles.map(([name]) => name)).toEqual([
      ...['administrator', 'agent', 'approver', 'requester', 'integration'],
      ...['reader', 'auditor'],
    ]);
    expect(roles.at(-1)).toEqual(['auditor', 'Looks at people']);
  });

  test('a model of its own has its own roles only', async () => {
    const reader = { Name: 'reader', EntityAccess: [{ Entity: 'Book', Read: true }] };
    const roles = await initialized({ ...LIBRARY, 'roles.json': { Roles: [reader] } });
    expect(roles.map(([name]) => name)).toEqual(expect.arrayContaining(['reader']));
    expect(roles.map(([name]) => name)).not.toContain('agent');
  });

  test('the demo is made with the words of the directory', async () => {
    const model = directoryOf({ 'demo.json': { services: ['Ferry', 'Lighthouse'] } });
    const data = join(folder, 'demo');
    const config = readConfig({ data, model, logLevel: 'silent' }, {});
    const account = { name: 'admin', password: 'correct horse battery' };
    const extent = { requests: 20, seed: 1, now: Date.UTC(2026, 8, 30, 12) };
    await createDemo(config, extent, account, terminal as never);
    expect(await query(data, model, 'SELECT "Name" FROM "Services" ORDER BY "Uid"')).toEqual([
      ['Ferry'],
      ['Lighthouse'],
    ]);
  });
});
