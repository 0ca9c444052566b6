// This file makes the documents of the built-in model.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { makeModel } from '../../src/edm/model.ts';
import { makeDocuments } from '../../src/service/documents.ts';
import { suiteDefinition } from '../service-desk.ts';

const SCHEMAS = new URL('../../../shared/testdata/csdl/', import.meta.url);
const XSD = new URL('edmx.xsd', SCHEMAS);
const JSON_SCHEMA = new URL('csdl.schema.json', SCHEMAS);
const isPresent = existsSync(JSON_SCHEMA);
const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined;

const documents = makeDocuments(makeModel(suiteDefinition), '0');

describe('$metadata of the built-in model', () => {
  it.skipIf(!isPresent)('is valid CSDL JSON (needs the OASIS schema)', () => {
    const check = new Ajv({ strict: false, allErrors: true }).compile(
      JSON.parse(readFileSync(JSON_SCHEMA, 'utf8')),
    );
    check(JSON.parse(documents.metadataJson.text));
    expect(check.errors).toBeNull();
  });

  it.skipIf(!isPresent || !hasXmllint)(
    'is valid CSDL XML in both versions (needs the OASIS schema and xmllint)',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'docket-metadata-'));
      try {
        const files = (['4.0', '4.01'] as const).map((version) => {
          const file = join(folder, `${version}.xml`);
          writeFileSync(file, documents.metadataXml[version].text);
          return file;
        });
        const check = () =>
          execFileSync(
            'xmllint',
            ['--nonet', '--noout', '--schema', fileURLToPath(XSD), ...files],
            { stdio: 'pipe' },
          );
        expect(check).not.toThrow();
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('says nothing of what is reserved to administrators', () => {
    expect(documents.metadataXml['4.0'].text).not.toContain('EntitySet Name="Accounts"');
    expect(documents.metadataXml['4.0'].text).toContain('EntitySet Name="ServiceRequests"');
  });

  it('has labels in all languages, nullability, computed and required members', () => {
    const { ServiceRequest, WorkItem, Record } = JSON.parse(documents.metadataJson.text)[
      'Service.Web.OData.Model'
    ];
    expect(Record.Uid).toMatchObject({ '@Core.Computed': true });
    expect(ServiceRequest.Description.$Nullable).toBeUndefined();
    expect(WorkItem.Solution.$Nullable).toBe(true);
    const texts = Object.keys(ServiceRequest).filter((name) =>
      name.startsWith('@Core.Description'),
    );
    expect(texts.length).toBeGreaterThanOrEqual(4);
  });

  it('is made once for each address and selection', () => {
    const ask = (root: string, set?: string) =>
      documents.openapi(root, set === undefined ? {} : { sets: [set] });
    const first = ask('https://a.example/', 'Persons');
    expect(ask('https://a.example/', 'Persons')).toBe(first);
    expect(ask('https://b.example/', 'Persons').text).toContain('"https://b.example"');
    const other = Object.keys(JSON.parse(ask('https://a.example/', 'Services').text).paths);
    expect(other).toContain('/Services');
    expect(other).not.toContain('/Persons');
  });

  it('describes the service in OpenAPI 3.1, with the address it was asked at', () => {
    const description = JSON.parse(documents.openapi('https://desk.example/odata/').text);
    expect(description.openapi).toMatch(/^3\.1/);
    expect(description.servers[0].url).toContain('desk.example');
    expect(Object.keys(description.paths)).toContain('/ServiceRequests');
  });
});
