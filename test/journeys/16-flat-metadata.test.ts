// This file reads the flat $metadata as a client does that knows nothing of base types, and compares it with the usual one.
import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { isStructured, lineage, type ModelDefinition, makeModel } from '../../src/edm/model.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { readXml } from '../edm/read-xml.ts';
import { type Desk, openDesk } from './desk.ts';
import { openZoo } from './zoo.ts';

const JSON_SCHEMA = new URL('../../../shared/testdata/csdl/csdl.schema.json', import.meta.url);
const READS = [
  ['json', '?$format=json'],
  ['XML 4.0', '?$format=xml'],
  ['XML 4.01', '?$format=xml&odata-version=4.01'],
] as const;

const desks = new Map<'desk' | 'zoo', Desk>();
beforeAll(async () => {
  desks.set('zoo', await openZoo());
  desks.set('desk', await openDesk());
});
afterAll(async () => {
  for (const one of desks.values()) await one.close();
});

function deskOf(name: 'desk' | 'zoo'): Desk {
  const desk = desks.get(name);
  if (desk === undefined) throw new Error(`${name} is not open`);
  return desk;
}

/** The document, as a reader of CSDL understands it. */
async function read(desk: Desk, query: string): Promise<ModelDefinition> {
  const { text, headers } = await desk.get(`/$metadata${query}`, {
    'odata-maxversion': query.includes('4.01') ? '4.01' : '4.0',
  });
  const isXml = String(headers['content-type']).includes('xml');
  const document: JsonInput = isXml ? readXml(text) : JSON.parse(text);
  expect(text).not.toMatch(query.includes('flat=true') ? /BaseType/ : /^$/);
  return readCsdl(document).definition;
}

describe.each(['desk', 'zoo'] as const)('$metadata?flat=true of the %s', (name) => {
  it.each(READS)(
    '%s repeats keys and members in each type that inherits them',
    async (_, query) => {
      const flat = makeModel(await read(deskOf(name), `${query}&flat=true`));
      const usual = makeModel(await read(deskOf(name), query));
      const types = [...usual.types.values()].filter(isStructured);
      const inheriting = types.filter(({ base }) => base !== undefined);
      expect(inheriting.length).toBeGreaterThan(3);
      for (const type of types.filter(({ abstract }) => abstract !== true)) {
        const own = flat.types.get(type.name);
        expect([type.name, own?.kind]).toEqual([type.name, type.kind]);
        if (own === undefined || !isStructured(own)) continue;
        expect(own.base).toBeUndefined();
        const all = lineage(type, usual.types).flatMap(({ members }) => members);
        const shown = own.members.map((member) => [member.name, member.kind]);
        expect([type.name, new Map(shown as [string, string][])]).toEqual([
          type.name,
          new Map(all.map((member) => [member.name, member.kind])),
        ]);
        if (own.kind === 'entity' && type.kind === 'entity')
          expect([type.name, own.key ?? []]).toEqual([type.name, usual.key(type)]);
      }
    },
  );

  it('describes every property that the service returns, with its annotations', async () => {
    const desk = deskOf(name);
    const { sets, types } = makeModel(await read(desk, '?$format=json&flat=true'));
    for (const { name: set, type: declared, kind } of sets.values()) {
      const { status, json } = await desk.get(`/${set}${kind === 'set' ? '?$top=1' : ''}`, {
        accept: 'application/json;odata.metadata=full',
      });
      if (status !== 200) continue;
      for (const record of kind === 'set' ? json.value : [json]) {
        const type = types.get(String(record['@odata.type'] ?? `#${declared}`).slice(1));
        const known = type !== undefined && isStructured(type) ? type.members : [];
        const names = Object.keys(record).filter((one) => !/[@#]/.test(one));
        const described = new Set(known.map((member) => member.name));
        const isOpen = type !== undefined && isStructured(type) && type.open === true;
        const missing = isOpen ? [] : names.filter((one) => !described.has(one));
        expect([set, type?.name, missing]).toEqual([set, type?.name, []]);
      }
    }
  });

  it('has abstract types only where something refers to them', async () => {
    const { text } = await deskOf(name).get('/$metadata?$format=json&flat=true');
    const { types } = await read(deskOf(name), '?$format=json&flat=true');
    for (const type of types.filter(isStructured).filter(({ abstract }) => abstract === true))
      expect(text).toMatch(new RegExp(`"${type.name.replaceAll('.', '\\.')}["/]`));
  });

  it.skipIf(!existsSync(JSON_SCHEMA))('is valid CSDL JSON (needs the OASIS schema)', async () => {
    const schema = JSON.parse(readFileSync(JSON_SCHEMA, 'utf8'));
    const check = new Ajv({ strict: false, allErrors: true }).compile(schema);
    check((await deskOf(name).get('/$metadata?$format=json&flat=true')).json);
    expect(check.errors).toBeNull();
  });
});

describe('The form of $metadata', () => {
  it('has labels of members, and not those of base types', async () => {
    const { json } = await deskOf('desk').get('/$metadata?$format=json&flat=true');
    const usual = (await deskOf('desk').get('/$metadata?$format=json')).json;
    const [flat, based] = [json, usual].map((one) => one['Service.Web.OData.Model']);
    expect(flat.Incident.Priority).toEqual(based.WorkItem.Priority);
    expect(flat.Incident['@Core.Description']).toBe(based.Incident['@Core.Description']);
  });

  it('derived types stay addressable, and operations of a base type are bound to each of them', async () => {
    const { json } = await deskOf('zoo').get('/$metadata?$format=json&flat=true');
    const bindings = json['Odd.Zoo'].Age.map(
      ({ $Parameter: [{ $Type }] }: { $Parameter: [{ $Type: string }] }) => $Type,
    );
    expect(bindings).toEqual(expect.arrayContaining(['Odd.Zoo.Animal', 'Odd.Zoo.Parrot']));
    expect(new Set(bindings).size).toBe(bindings.length);
    expect(json['Odd.Zoo'].Creature).toBeUndefined();
    for (const type of ['Odd.Zoo.Bird', 'Odd.Zoo.Parrot'])
      expect((await deskOf('zoo').get(`/Animals/${type}?$top=1`)).status).toBe(200);
  });

  it.each([
    ['flat=yes', 'request.option-value'],
    ['flat=', 'request.option-value'],
    ['flat=true&flat=true', 'request.duplicate-option'],
  ])('%s is 400', async (query, code) => {
    const { status, json } = await deskOf('desk').get(`/$metadata?${query}`);
    expect([status, json.error.code]).toEqual([400, code]);
  });

  it('flatMetadata: true makes it flat unless the request has flat=false; nothing else changes', async () => {
    const before = deskOf('desk');
    const texts = async (desk: Desk, query: string) =>
      await Promise.all(
        ['?', '?$format=json&'].map(async (format) => {
          const { text, headers } = await desk.get(`/$metadata${format}${query}`);
          return { text, etag: headers.etag };
        }),
      );
    const others = ['', '/Incidents?$top=2', '/ServiceRequests?$expand=Caller&$top=1'];
    const answers = async (desk: Desk) =>
      await Promise.all(others.map(async (path) => (await desk.get(path)).text));
    const [usual, flat, rest] = [
      await texts(before, ''),
      await texts(before, 'flat=true'),
      await answers(before),
    ];
    expect(flat).not.toEqual(usual);
    expect(new Set([...usual, ...flat].map(({ etag }) => etag)).size).toBe(4);
    const after = await before.restart({ flatMetadata: true });
    desks.set('desk', after);
    expect(await texts(after, '')).toEqual(flat);
    expect(await texts(after, 'flat=true')).toEqual(flat);
    expect(await texts(after, 'flat=false')).toEqual(usual);
    expect(await answers(after)).toEqual(rest);
  });
});
