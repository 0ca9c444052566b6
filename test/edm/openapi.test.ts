// This file checks the OpenAPI description of a model: it has the paths and schemas of the published mapping, its schemas are valid
// and accept what the service sends, and it offers nothing that is refused.
import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
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
} from '../../src/edm/define.ts';
import { type ModelDefinition, simpleName } from '../../src/edm/model.ts';
import { type OpenApiOptions, toOpenApi } from '../../src/edm/openapi/openapi.ts';
import {
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../../src/edm/value/lossless-json.ts';
import { binding, code, codeList, codeValue, decimal, functionImport } from '../define.ts';
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
    expect(operationsOf(written, calls)).toEqual(operationsOf(published, calls));
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

/** The published mapping describes links as objects with a schema of their own, here they are addresses. */
function schemasOf({ components }: Description): readonly string[] {
  return Object.keys(components.schemas)
    .filter((name) => name !== 'entityReference')
    .toSorted();
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
        decimal('Price', { precision: 8, scale: 2 }),
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
      '/Books({Id})/Library.Lend post',
      '/Books({Id})/Loan/Borrower get',
      '/Books({Id})/Pages get,post',
      '/Books({Id})/Pages({Number_1}) delete,get,patch',
      '/Newest get',
      '/Readers get,post',
      "/Readers('{Name}') delete,get,patch",
      "/Readers('{Name}')/Favourites get,post",
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
      const parameters = Array.isArray(item.parameters) ? item.parameters : [];
      const names = parameters.filter((one) => one.in === 'path').map((one) => one.name);
      expect(names).toEqual(placeholders);
    }
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
