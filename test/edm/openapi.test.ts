// This file checks the OpenAPI description of a model: it has the paths and schemas of the published mapping, its schemas are valid
// and accept what the service sends, and it offers nothing that is refused.
import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type ModelDefinition, simpleName } from '../../src/edm/model.ts';
import { type OpenApiOptions, toOpenApi } from '../../src/edm/openapi/openapi.ts';
import {
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../../src/edm/value/lossless-json.ts';
import { binding, code, codeList, codeValue, decimal, functionImport } from '../define.ts';
import {
  actionOf,
  collectionOf,
  complex,
  complexType,
  contained,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int32,
  int64,
  many,
  one,
  parameter,
  property,
  returning,
  text,
} from '../define-model.ts';
import { arbitraryDefinition } from './arbitrary-definition.ts';
import { readXml } from './read-xml.ts';

const MAPPING = new URL('../../../shared/testdata/openapi-mapping/', import.meta.url);
const options: OpenApiOptions = { version: '1.2.3', server: 'http://host/odata/' };

// Northwind-key-as-segment, People, Products and custom-parameters write keys as segments, which this service does not ask for;
// annotations has $each, which it does not offer.
const PAIRS = [
  'ExampleService',
  'Northwind',
  'TripPin',
  'aggregation',
  'authorization',
  'containment',
  'csdl-16.1',
  'descriptions',
  'example',
  'key-aliases',
];

describe.skipIf(!existsSync(MAPPING))('the published mapping', () => {
  test.each(PAIRS)('of %s has the same paths, methods and schemas', (name) => {
    const published = JSON.parse(readFileSync(new URL(`${name}.openapi3.json`, MAPPING), 'utf8'));
    const { definition } = readCsdl(readXml(readFileSync(new URL(`${name}.xml`, MAPPING), 'utf8')));
    const written = JSON.parse(JSON.stringify(toOpenApi(definition, options)));
    const calls = callsOf(definition);
    expect(operationsOf(withoutLinks(written), calls)).toEqual(operationsOf(published, calls));
    expect(schemasOf(written)).toEqual(schemasOf(published));
  });
});

interface Description {
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

/**
 * `/Books('{Id}') get,patch`
 * @param calls names of functions; they stand without parentheses here, because the published files have several forms of them
 */
function operationsOf(
  { paths }: Description,
  calls: ReadonlySet<string> = callsOf(library),
): readonly string[] {
  return Object.entries(paths)
    .map(([path, item]) => {
      const methods = Object.keys(item).filter((name) => name !== 'parameters');
      const called = path.replace(/\([^()]*\)$/, '');
      const isCall = calls.has(called.slice(called.lastIndexOf('/') + 1).replace(/^.*\./, ''));
      // The published mapping only reads streams; they can be replaced here.
      const told = path.endsWith('/$value') ? methods.filter((name) => name !== 'put') : methods;
      return `${isCall ? called : path} ${told.toSorted().join(',')}`;
    })
    .toSorted();
}

function callsOf({ operations, imports }: ModelDefinition): ReadonlySet<string> {
  const bound = operations.filter(({ kind }) => kind === 'function').map(({ name }) => name);
  const imported = imports.filter(({ kind }) => kind === 'function-import').map(({ name }) => name);
  return new Set([...bound.map(simpleName), ...imported]);
}

/** Schemas that the published mapping does not have. */
const OWN_SCHEMAS: ReadonlySet<string> = new Set(['entityReference', 'importResult']);

/** The published mapping has no paths that end with $count or $ref, none of stream properties, nor imports, which are an action of the service. */
function withoutLinks({ paths, ...others }: Description): Description {
  const kept = Object.entries(paths).filter(
    ([path]) =>
      !/\/(?:\$count|\$ref|PersonDetails\(\{PersonID\}\)\/Photo|Docket\.System\.Import)$/.test(
        path,
      ),
  );
  return { ...others, paths: Object.fromEntries(kept) };
}

/**
 * The published mapping links entities in another way, and describes entities that responses contain with $expand in full: here they
 * have schemas without relations.
 */
function schemasOf({ components }: Description): readonly string[] {
  const names = Object.keys(components.schemas).map((name) => name.replace(/-related$/, ''));
  return [...new Set(names)].filter((name) => !OWN_SCHEMAS.has(name)).toSorted();
}

const library = defineModel({
  namespaces: [{ name: 'Library' }],
  labels: { en: 'A library' },
  types: [
    complexType('Code', [text('Text'), int64('Value')], {
      coded: { value: 'Value', text: 'Text' },
    }),
    complexType('Loan', [one('Borrower', 'Reader'), dateTime('Since')]),
    entityType(
      'Book',
      [
        int64('Id', { nullable: false, generated: { by: 'key' } }),
        text('Title', { nullable: false, maxLength: 80, labels: { en: 'Title' } }),
        code('Genre', 'Genres'),
        { ...decimal('Price', { precision: 8, scale: 2 }), description: 'What it costs' },
        decimal('Weight', { precision: 8, scale: 0 }),
        {
          ...decimal('Rating', { precision: 2, scale: 1 }),
          annotations: { 'Validation.MultipleOf': 0.5 },
        },
        complex('Loan', 'Loan'),
        collectionOf(text('Keywords')),
        property('Place', 'Edm.GeographyPoint'),
        contained('Pages', 'Page'),
        contained('Files', 'File'),
      ],
      { key: ['Id'] },
    ),
    entityType('Page', [int32('Number', { nullable: false })], { key: ['Number'] }),
    entityType('File', [int64('Id', { nullable: false })], { key: ['Id'], hasStream: true }),
    entityType(
      'Reader',
      [text('Name', { nullable: false }), many('Favourites', 'Book'), text('Größe')],
      { key: ['Name'] },
    ),
  ],
  sets: [
    entitySet('Books', 'Book', { deletable: false, labels: { en: 'All books' } }),
    entitySet('Readers', 'Reader'),
  ],
  operations: [
    functionOf('Newest', [parameter(text('Of')), parameter(complex('Like', 'Loan'))], {
      returns: returning('Book', { nullable: true }),
    }),
    actionOf('Lend', [binding('Book'), parameter(text('To', { nullable: false }))], {
      bound: true,
    }),
  ],
  imports: [functionImport('Newest', 'Newest', { set: 'Books' })],
  codeLists: [codeList('Genres', [codeValue(1, { en: 'Novel' })])],
});

function describeLibrary(more: Partial<OpenApiOptions> = {}) {
  return JSON.parse(JSON.stringify(toOpenApi(library, { ...options, ...more })));
}

describe('a description', () => {
  const description = describeLibrary();

  test('names the service and its address', () => {
    expect(description.openapi).toBe('3.1.0');
    expect(description.info).toEqual({ title: 'A library', version: '1.2.3' });
    expect(description.servers).toEqual([{ url: 'http://host/odata' }]);
    expect(description.tags).toContainEqual({ name: 'Books', description: 'All books' });
  });

  test('offers what can be done, and nothing else', () => {
    expect(operationsOf(description)).toEqual([
      '/$batch post',
      '/Books get,post',
      '/Books({Id}) get,patch',
      '/Books({Id})/Files get,post',
      '/Books({Id})/Files({Id_1}) delete,get,patch',
      '/Books({Id})/Files({Id_1})/$value get',
      '/Books({Id})/Files/$count get',
      '/Books({Id})/Library.Lend post',
      '/Books({Id})/Loan/Borrower get',
      '/Books({Id})/Loan/Borrower/$ref delete,get,put',
      '/Books({Id})/Pages get,post',
      '/Books({Id})/Pages({Number_1}) delete,get,patch',
      '/Books({Id})/Pages/$count get',
      '/Books/$count get',
      '/Books/Docket.System.Import post',
      '/Newest get',
      '/Readers get,post',
      "/Readers('{Name}') delete,get,patch",
      "/Readers('{Name}')/Favourites get,post",
      "/Readers('{Name}')/Favourites/$count get",
      "/Readers('{Name}')/Favourites/$ref delete,get,post",
      '/Readers/$count get',
      '/Readers/Docket.System.Import post',
    ]);
    expect(Object.keys(description.paths)).toContain("/Newest(Of='{Of}',Like=@Like)");
  });

  test('leaves out what capabilities deny', () => {
    const restricted = describeLibrary({
      capabilities: {
        'Library.Container': { 'Capabilities.BatchSupport': { Supported: false } },
        'Library.Container/Readers': {
          'Capabilities.InsertRestrictions': { Insertable: false },
          'Capabilities.SearchRestrictions': { Searchable: false },
        },
      },
    });
    expect(operationsOf(restricted)).toContain('/Readers get');
    expect(operationsOf(restricted)).not.toContain('/$batch post');
    const references = JSON.stringify(restricted.paths['/Readers'].get.parameters);
    expect(references).not.toContain('parameters/search');
    expect(references).toContain('parameters/filter');
  });

  test('says how to be let in, and what else there is', () => {
    const more = describeLibrary({
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      morePaths: { '/../token': { post: { responses: {} } } },
    });
    expect(more.security).toEqual([{ token: [] }]);
    expect(more.components.securitySchemes.token.scheme).toBe('bearer');
    expect(more.paths['/../token']).toBeDefined();
  });

  test('has no reference that leads nowhere and no component that nothing refers to', () => {
    fc.assert(
      fc.property(arbitraryDefinition, (definition) => {
        const document = toOpenApi(definition, options);
        const used = [...new Set(referencesIn(document))];
        expect(used.filter((reference) => !leadsSomewhere(document, reference))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('has a parameter for each placeholder of each path', () => {
    for (const [path, item] of Object.entries(description.paths as Description['paths'])) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const listed: readonly { $ref?: string }[] = Array.isArray(item.parameters)
        ? item.parameters
        : [];
      const parameters = listed.map((one) => ({
        ...one,
        ...description.components.parameters[one.$ref?.split('/').at(-1) ?? ''],
      }));
      const names = parameters.filter((one) => one.in === 'path').map((one) => one.name);
      expect(names).toEqual(placeholders);
    }
  });
});

describe('operation ids', () => {
  const idsOf = (more: Partial<OpenApiOptions> = {}) => {
    const { paths } = describeLibrary(more) as Description;
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        isJsonObject(operation) ? [`${method} ${path} ${operation.operationId}`] : [],
      ),
    );
  };

  test('are readable and unique', () => {
    const ids = idsOf().map((one) => one.split(' ').at(-1));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...['listBooks', 'createBook', 'getBook', 'updateBook', 'countBooks', 'lendBook'],
        ...['listBookPages', 'createBookPage', 'deleteBookPage', 'getBookFileContent'],
        ...[
          'getBookLoanBorrower',
          'setBookLoanBorrowerReference',
          'clearBookLoanBorrowerReference',
        ],
        ...['addReaderFavouriteReference', 'removeReaderFavouriteReference', 'newest', 'sendBatch'],
      ]),
    );
  });

  test('differ for overloads, and for a relation with the name of another set', () => {
    const key = { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } };
    const overload = (name: string) => ({
      $Kind: 'Function',
      $Parameter: [{ $Name: name }],
      $ReturnType: { $Type: 'Edm.Int32' },
    });
    const { definition } = readCsdl({
      $Version: '4.01',
      $EntityContainer: 'Admin.C',
      Admin: {
        CodeList: key,
        Code: { ...key, List: { $Kind: 'NavigationProperty', $Type: 'Admin.CodeList' } },
        Size: [overload('Of'), overload('In')],
        C: {
          $Kind: 'EntityContainer',
          Codes: { $Collection: true, $Type: 'Admin.Code' },
          CodeLists: { $Collection: true, $Type: 'Admin.CodeList' },
          Size: { $Function: 'Admin.Size' },
        },
      },
    });
    const { paths } = JSON.parse(JSON.stringify(toOpenApi(definition, options)));
    const idOf = (path: string) => paths[path].get.operationId;
    expect([idOf("/Size(Of='{Of}')"), idOf("/Size(In='{In}')")]).toEqual(['size', 'size_2']);
    expect(idOf('/Codes({Id})/List')).toBe('getCodeRelatedList');
    expect(idOf('/CodeLists({Id})')).toBe('getCodeList');
  });

  test('are the same in a part of the description', () => {
    const all = new Set(idsOf());
    const parts = [...idsOf({ isCompact: true }), ...idsOf({ sets: new Set(['Readers']) })];
    expect(parts.length).toBeGreaterThan(8);
    expect(parts.filter((one) => !all.has(one))).toEqual([]);
  });
});

describe('a part of the description', () => {
  test('has only the chosen sets', () => {
    const { paths } = describeLibrary({ sets: new Set(['Readers']) });
    expect(operationsOf({ paths, components: { schemas: {} } })).toEqual([
      '/$batch post',
      '/Readers get,post',
      "/Readers('{Name}') delete,get,patch",
      "/Readers('{Name}')/Favourites get,post",
      "/Readers('{Name}')/Favourites/$count get",
      "/Readers('{Name}')/Favourites/$ref delete,get,post",
      '/Readers/$count get',
      '/Readers/Docket.System.Import post',
    ]);
  });

  test('has only the main operations, and no relations in its entities', () => {
    const compact = describeLibrary({ isCompact: true });
    expect(operationsOf(compact)).toEqual([
      '/Books get,post',
      '/Books({Id}) get,patch',
      '/Books({Id})/Library.Lend post',
      '/Newest get',
      '/Readers get,post',
      "/Readers('{Name}') delete,get,patch",
    ]);
    expect(compact.components.schemas['Library.Reader'].properties).not.toHaveProperty(
      'Favourites',
    );
  });
});

describe('the operations', () => {
  const changes = { '@Core.OptimisticConcurrency': [] };
  const { definition } = readCsdl({
    $Version: '4.01',
    $EntityContainer: 'Shop.Desk',
    Shop: {
      Item: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: { $Type: 'Edm.Int64' },
        Stock: { $Type: 'Edm.Int32', $DefaultValue: 3 },
      },
      Desk: {
        $Kind: 'EntityContainer',
        Items: { $Collection: true, $Type: 'Shop.Item', ...changes },
        Others: { $Collection: true, $Type: 'Shop.Item' },
      },
    },
  });
  const { paths, components } = JSON.parse(JSON.stringify(toOpenApi(definition, options)));
  const headersOf = (operation: { readonly parameters: readonly { readonly $ref: string }[] }) =>
    operation.parameters
      .map(({ $ref }) => components.parameters[$ref.split('/').at(-1) ?? ''])
      .filter((one) => one.in === 'header')
      .map((one) => (one.required === true ? `${one.name} required` : one.name));

  test('list their headers', () => {
    expect(headersOf(paths['/Others'])).toEqual(['Accept-Language']);
    expect(headersOf(paths['/Others'].get)).toEqual(['Prefer']);
    expect(headersOf(paths['/Others'].post)).toEqual(['Prefer', 'Idempotency-Key']);
    expect(headersOf(paths['/Others({Id})'].get)).toEqual(['If-None-Match']);
    expect(headersOf(paths['/Others({Id})'].patch)).toEqual([
      'If-Match',
      'Idempotency-Key',
      'If-None-Match',
      'Prefer',
    ]);
  });

  test('require If-Match and list 428 where changes need an ETag', () => {
    for (const method of ['patch', 'delete']) {
      const [needed, optional] = ['Items', 'Others'].map((set) => paths[`/${set}({Id})`][method]);
      expect(headersOf(needed)).toContain('If-Match required');
      expect(Object.keys(needed.responses)).toContain('428');
      expect(headersOf(optional)).toContain('If-Match');
      expect(Object.keys(optional.responses)).not.toContain('428');
    }
  });

  test('have comma-separated lists in query options', () => {
    const lists: readonly JsonObject[] = Object.values<JsonObject & { schema: JsonObject }>(
      components.parameters,
    ).filter(({ schema }) => schema.type === 'array');
    expect(lists.map(({ explode }) => explode)).toEqual([false, false, false]);
  });

  test('have a default for new entities, and none for changes and responses', () => {
    const stockOf = (suffix: string) =>
      JSON.stringify(components.schemas[`Shop.Item${suffix}`].properties.Stock);
    expect(stockOf('-create')).toContain('"default":3');
    expect(stockOf('-update')).not.toContain('default');
    expect(stockOf('')).not.toContain('default');
  });
});

describe('the schemas', () => {
  const { components } = describeLibrary();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'http://test/', components });

  function mistakes(name: string, value: unknown): readonly string[] {
    const check = ajv.getSchema(`http://test/#/components/schemas/${name}`);
    if (check === undefined) throw new Error(`no schema ${name}`);
    check(value);
    return (check.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  }

  const book = {
    Id: 900719925474099,
    Title: 'Emma',
    Genre: { Text: 'Novel', Value: 1 },
    Price: 12.5,
    Loan: null,
    Keywords: ['love'],
    Place: { type: 'Point', coordinates: [1, 2] },
    Pages: [{ Number: 1 }],
    'Pages@odata.count': 1,
  };

  test('accept what the service answers', () => {
    expect(mistakes('Library.Book', book)).toEqual([]);
    expect(mistakes('Library.Book', { ...book, Genre: null, Price: '12.50' })).toEqual([]);
    expect(mistakes('Library.Reader', { Name: 'Jane', Größe: null })).toEqual([]);
  });

  test('accept all decimals of the scale, which the description names', () => {
    for (const Price of [2467.45, 0.07, 1.1, 1.15, 8.2, 999999.99, '2467.45', null])
      expect(mistakes('Library.Book', { ...book, Price })).toEqual([]);
    const { properties } = components.schemas['Library.Book'];
    expect(properties.Price).toEqual({
      type: ['number', 'string', 'null'],
      format: 'decimal',
      description: 'What it costs\n\nAt most 2 decimal places',
    });
    expect(properties.Weight).toMatchObject({ multipleOf: 1 });
    expect(properties.Weight).not.toHaveProperty('description');
    const rated = components.schemas['Library.Book-create'].properties.Rating;
    expect(rated.description).toBe('A multiple of 0.5\n\nAt most 1 decimal place');
  });

  test('refuse what the service would not answer', () => {
    expect(mistakes('Library.Book', { Title: null })).toContain('/Title type');
    expect(mistakes('Library.Book', { Keywords: 'love' })).toContain('/Keywords type');
    expect(mistakes('Library.Book', { Place: { type: 'Polygon', coordinates: [1, 2] } })).toContain(
      '/Place/type const',
    );
  });

  test('ask for what a new entity needs and take no computed values', () => {
    expect(mistakes('Library.Book-create', { Title: 'Emma' })).toEqual([]);
    expect(mistakes('Library.Book-create', {})).toContain(' required');
    const { properties } = components.schemas['Library.Book-create'];
    expect(properties).not.toHaveProperty('Id');
    expect(properties).not.toHaveProperty('Files');
    expect(properties.Pages.items.$ref).toBe('#/components/schemas/Library.Page-create');
    expect(components.schemas['Library.Loan-create'].properties).toHaveProperty(
      'Borrower@odata.bind',
    );
  });

  test('of related entities have no relations', () => {
    const favourites = components.schemas['Library.Reader'].properties.Favourites;
    expect(favourites.items.$ref).toBe('#/components/schemas/Library.Book-related');
    const related = components.schemas['Library.Book-related'];
    expect(Object.keys(related.properties)).toContain('Title');
    expect(Object.keys(related.properties)).not.toContain('Pages');
    expect(related.properties.Loan.anyOf[0].$ref).toContain('Library.Loan-related');
    const { properties } = components.schemas['Library.Loan-related'];
    expect(Object.keys(properties)).toEqual(['Since']);
  });

  test('keep keys out of changes', () => {
    expect(components.schemas['Library.Reader-update'].properties).not.toHaveProperty('Name');
    expect(components.schemas['Library.Reader-create'].properties).toHaveProperty('Name');
  });

  test('have names that OpenAPI allows', () => {
    const { definition } = readCsdl({
      $Version: '4.01',
      $EntityContainer: 'Läden.C',
      Läden: {
        Ware: { $Kind: 'EntityType', $Key: ['Id'], Id: {} },
        C: { $Kind: 'EntityContainer', Waren: { $Collection: true, $Type: 'Läden.Ware' } },
      },
    });
    const document = JSON.parse(JSON.stringify(toOpenApi(definition, options)));
    for (const name of Object.keys(document.components.schemas)) {
      expect(name).toMatch(/^[a-zA-Z0-9._-]+$/);
    }
    expect(document.components.schemas).toHaveProperty(['L_xe4_den.Ware']);
  });
});

function referencesIn(value: JsonInput): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}

function leadsSomewhere(document: JsonObject, reference: string): boolean {
  let current: JsonInput | undefined = document;
  for (const name of reference.slice(2).split('/')) {
    current = isJsonObject(current) ? current[name] : undefined;
  }
  return current !== undefined;
}
