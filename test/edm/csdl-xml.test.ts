// This file checks the XML of $metadata: it is valid by the published schema, and it says the same as the CSDL JSON it is made of.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { DOCKET_SCHEMA, PATH_VALUES } from '../../src/edm/csdl/vocabularies.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { csdlXml } from '../../src/edm/csdl/xml.ts';
import { type JsonObject, printJson } from '../../src/edm/value/lossless-json.ts';
import { arbitraryDefinition } from './arbitrary-definition.ts';
import { readXml } from './read-xml.ts';

const TESTDATA = new URL('../../../shared/testdata/', import.meta.url);
const XSD = new URL('csdl/edmx.xsd', TESTDATA);
const EXAMPLES = new URL('csdl/examples/', TESTDATA);
const VOCABULARIES = new URL('vocabularies/', TESTDATA);
const isPresent = existsSync(XSD);
const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined;

/** What xmllint has to say against the documents; empty when they are valid. */
function complaints(documents: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'docket-xml-'));
  try {
    const files = documents.map((document, index) => {
      const file = join(folder, `${index}.xml`);
      writeFileSync(file, document);
      return file;
    });
    execFileSync('xmllint', ['--nonet', '--noout', '--schema', fileURLToPath(XSD), ...files], {
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function plain(document: JsonObject): unknown {
  return JSON.parse(printJson(document));
}

function example(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(name, EXAMPLES), 'utf8'));
}

const examples = isPresent ? readdirSync(EXAMPLES).filter((name) => name.endsWith('.json')) : [];

describe('the XML of a model', () => {
  test('says what the JSON says, for any model', () => {
    fc.assert(
      fc.property(arbitraryDefinition, fc.boolean(), (definition, complete) => {
        const document = toCsdl(definition, { complete });
        const expected = plain(normalized(document));
        expect(plain(normalized(readXml(csdlXml(document))))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('tells paths and enumeration members from text', () => {
    const xml = csdlXml({
      $Version: '4.01',
      $Reference: {
        'https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.json': {
          $Include: [{ $Namespace: 'Org.OData.Core.V1', $Alias: 'Core' }],
        },
      },
      Shop: {
        Item: {
          $Kind: 'EntityType',
          '@Core.Permissions': 'Read',
          '@Core.AlternateKeys': [{ Key: [{ Name: 'Code', Alias: 'C' }] }],
          '@Core.Description': 'Read',
        },
      },
    });
    expect(xml).toContain(
      '<Annotation Term="Core.Permissions" EnumMember="Core.Permission/Read"/>',
    );
    expect(xml).toContain('<PropertyValue Property="Name" PropertyPath="Code"/>');
    expect(xml).toContain('<PropertyValue Property="Alias" String="C"/>');
    expect(xml).toContain('<Annotation Term="Core.Description" String="Read"/>');
    expect(xml).toContain('vocabularies/Org.OData.Core.V1.xml"');
  });

  test('says where a decimal has a variable scale and what is not nullable', () => {
    const xml = csdlXml({
      $Version: '4.0',
      Shop: {
        Item: {
          $Kind: 'ComplexType',
          Price: { $Type: 'Edm.Decimal', $Nullable: true },
          Tags: { $Collection: true },
          Best: { $Kind: 'NavigationProperty', $Type: 'Shop.Item' },
        },
      },
    });
    expect(xml).toContain('<Property Name="Price" Type="Edm.Decimal" Scale="variable"/>');
    expect(xml).toContain('<Property Name="Tags" Type="Collection(Edm.String)" Nullable="false"/>');
    expect(xml).toContain('<NavigationProperty Name="Best" Type="Shop.Item" Nullable="false"/>');
    expect(xml).toContain('Version="4.0"');
  });
});

describe('what CSDL 4.0 does not have', () => {
  const xmlOf = (version: string) =>
    csdlXml({
      $Version: version,
      $EntityContainer: 'Shop.Desk',
      Shop: {
        Item: {
          $Kind: 'EntityType',
          $Key: ['Id'],
          Id: {},
          Price: { $Type: 'Edm.Decimal', $Scale: 'floating' },
          State: { $Type: 'Shop.State', $DefaultValue: { Value: 1 } },
          Tags: { $Collection: true, $DefaultValue: ['a'] },
          Colour: { $DefaultValue: 'red' },
          Anything: { $Type: 'Edm.Untyped' },
        },
        State: { $Kind: 'ComplexType', Value: { $Type: 'Edm.Int64' } },
        Guess: [{ $Kind: 'Function', $ReturnType: { $Type: 'Edm.Untyped' } }],
        Store: [
          { $Kind: 'Action', $Parameter: [{ $Name: 'What', $Type: 'Edm.Untyped' }] },
          { $Kind: 'Action', $Parameter: [{ $Name: 'What' }] },
        ],
        Desk: {
          $Kind: 'EntityContainer',
          Best: { $Type: 'Shop.Item', $Nullable: true },
          Guess: { $Function: 'Shop.Guess' },
          Store: { $Action: 'Shop.Store' },
        },
      },
    });

  test('is left out in its XML: an untyped property is a dynamic one', () => {
    const xml = xmlOf('4.0');
    expect(xml).not.toMatch(/floating|Untyped|Guess|DefaultValue="[[{]/);
    expect(xml).toContain('<EntityType Name="Item" OpenType="true">');
    expect(xml).toContain('Name="Price" Type="Edm.Decimal" Nullable="false" Scale="variable"/>');
    expect(xml).toContain('Name="Colour" Type="Edm.String" Nullable="false" DefaultValue="red"/>');
    expect(xml).toContain('<ComplexType Name="State">');
    expect(xml.match(/<Action Name="Store">/g)).toHaveLength(1);
    expect(xml).toContain('<ActionImport Name="Store" Action="Shop.Store"/>');
    expect(xml).toContain('<Singleton Name="Best" Type="Shop.Item"/>');
  });

  test('is in that of 4.01', () => {
    const xml = xmlOf('4.01');
    expect(xml).toContain('<EntityType Name="Item">');
    expect(xml).toContain('Name="Price" Type="Edm.Decimal" Nullable="false" Scale="floating"/>');
    expect(xml).toContain('<Property Name="Anything" Type="Edm.Untyped" Nullable="false"/>');
    expect(xml).toContain('<FunctionImport Name="Guess" Function="Shop.Guess"/>');
    expect(xml.match(/DefaultValue=/g)).toHaveLength(3);
    expect(xml).toContain('<Singleton Name="Best" Type="Shop.Item" Nullable="true"/>');
  });
});

describe.skipIf(!isPresent)('the published examples', () => {
  test.each(examples)('%s becomes XML that says the same', (name) => {
    const document = example(name);
    expect(plain(normalized(readXml(csdlXml(document))))).toEqual(plain(normalized(document)));
  });
});

describe.skipIf(!isPresent || !hasXmllint)('the XML schema of CSDL (needs xmllint)', () => {
  test('finds nothing wrong with any model', () => {
    const definitions = fc.sample(arbitraryDefinition, { numRuns: 40, seed: 1 });
    const documents = definitions.flatMap((definition) => [
      csdlXml(toCsdl(definition, { version: '4.0' })),
      csdlXml(toCsdl(definition, { complete: true })),
    ]);
    expect(complaints(documents)).toBe('');
  });

  test.each(examples)(
    'finds nothing wrong with %s, as it is and read and written again',
    (name) => {
      const document = example(name);
      const again = toCsdl(readCsdl(document).definition);
      expect(complaints([csdlXml(document), csdlXml(again)])).toBe('');
    },
  );
});

describe.skipIf(!existsSync(VOCABULARIES))('the table of path and enumeration terms', () => {
  const files = existsSync(VOCABULARIES)
    ? readdirSync(VOCABULARIES).filter((name) => name.endsWith('.json'))
    : [];

  test.each(files)('agrees with %s', (name) => {
    const document = JSON.parse(readFileSync(new URL(name, VOCABULARIES), 'utf8'));
    const namespace = name.replace('.json', '');
    const alias = namespace.split('.')[2] ?? '';
    const published = pathTerms(document[namespace]);
    const known = Object.entries(PATH_VALUES[alias] ?? {}).map(([term, kind]) =>
      typeof kind === 'string' ? `${term}: ${kind}` : `${term}: ${kind.enumeration}`,
    );
    expect(known.toSorted()).toEqual([...new Set(published)].toSorted());
  });

  test('the terms of the service itself need no path', () => {
    expect(JSON.stringify(DOCKET_SCHEMA)).not.toContain('Path');
  });
});

interface Typed {
  readonly $Kind?: string;
  readonly $Type?: string;
}

/** `Term: kind` for the terms and members of records that take paths or members of enumerations of the same vocabulary. */
function pathTerms(schema: Readonly<Record<string, Typed>>): readonly string[] {
  const enumerations = Object.keys(schema).filter((name) => schema[name]?.$Kind === 'EnumType');
  const named = Object.entries(schema).flatMap(([name, child]) => {
    if (child.$Kind === 'Term') return [[name, child] as const];
    return child.$Kind === 'ComplexType'
      ? Object.entries(child as Readonly<Record<string, Typed>>)
      : [];
  });
  return named.flatMap(([name, { $Type: type = '' }]) => {
    const simple = type.slice(type.lastIndexOf('.') + 1);
    if (/^Edm\..*PropertyPath$/.test(type)) return [`${name}: ${simple}`];
    return !type.startsWith('Edm.') && enumerations.includes(simple) ? [`${name}: ${simple}`] : [];
  });
}

/**
 * The document without what the two forms say differently: addresses of references, defaults, the types of constants and the
 * address before the type of a record.
 */
function normalized(value: unknown, path: readonly string[] = []): JsonObject {
  return normalize(value, path) as JsonObject;
}

function normalize(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item, path));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (name === '$UnderlyingType' && inner === 'Edm.Int32') return [];
    if (name === '$Scale' && inner === 'variable') return [];
    if (name === '@type') return [[name, String(inner).replace(/^.*#/, '#')]];
    if (path.at(-1) === '$Reference')
      return [[name.replace(/\.(json|xml)$/, ''), normalize(inner, [...path, name])]];
    // XML has only text for default values.
    if (name === '$DefaultValue') return [[name, String(inner)]];
    return [[name, normalize(inner, [...path, name])]];
  });
  return Object.fromEntries(entries);
}
