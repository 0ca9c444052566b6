// This file reads the metadata documents and tries whether what they promise is so. OData CSDL 4.01.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { ask } from './query.ts';
import { openZoo } from './zoo.ts';
import { ZOO } from './zoo-records.ts';

const TESTDATA = new URL('../../../shared/testdata/', import.meta.url);
const XSD = new URL('csdl/edmx.xsd', TESTDATA);
const JSON_SCHEMA = new URL('csdl/csdl.schema.json', TESTDATA);
const VOCABULARIES = new URL('vocabularies/', TESTDATA);
const isPresent = existsSync(JSON_SCHEMA);
const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined;

let desk: Desk;
let zoo: Desk;
let csdl: Record<string, Record<string, Record<string, unknown>>>;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
  csdl = (await zoo.get('/$metadata?$format=json')).json;
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

/** What the metadata say of the container, by term. */
function ofContainer(term: string): unknown {
  return csdl['Odd.Zoo']?.Container?.[`@${term}`];
}

function ofSet(set: string, term: string): unknown {
  const described = csdl['Odd.Zoo']?.Container?.[set] as Record<string, unknown> | undefined;
  return described?.[`@${term}`];
}

describe('$metadata', () => {
  it.each([
    ['4.0', {}],
    ['4.01', { 'odata-maxversion': '4.01' }],
  ])('is XML of version %s', async (version, headers) => {
    const answer = await desk.get('/$metadata', headers);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      expect.stringMatching(/^application\/xml/),
    ]);
    expect(answer.text).toMatch(new RegExp(`<edmx:Edmx [^>]*Version="${version}"`));
  });

  it.each([
    ['GET', { accept: 'image/png' }, 406],
    ['POST', {}, 405],
    ['DELETE', {}, 405],
  ])('%s with %j gives %i', async (method, headers, status) => {
    expect((await desk.send(method, '/$metadata', { headers })).status).toBe(status);
  });

  it.skipIf(!isPresent || !hasXmllint)(
    'is valid CSDL XML in both versions, as it is served',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'docket-served-'));
      try {
        const files: string[] = [];
        for (const [name, { get }] of Object.entries({ desk, zoo })) {
          for (const version of ['4.0', '4.01']) {
            const file = join(folder, `${name}-${version}.xml`);
            writeFileSync(file, (await get('/$metadata', { 'odata-maxversion': version })).text);
            files.push(file);
          }
        }
        const schema = fileURLToPath(XSD);
        const check = () =>
          execFileSync('xmllint', ['--nonet', '--noout', '--schema', schema, ...files], {
            stdio: 'pipe',
          });
        expect(check).not.toThrow();
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it.skipIf(!isPresent)('is valid CSDL JSON, as it is served', async () => {
    const check = new Ajv({ strict: false, allErrors: true }).compile(
      JSON.parse(readFileSync(JSON_SCHEMA, 'utf8')),
    );
    for (const { get } of [desk, zoo]) {
      check((await get('/$metadata?$format=json')).json);
      expect(check.errors).toBeNull();
    }
  });

  it('describes all that the service document lists', async () => {
    for (const { get } of [desk, zoo]) {
      const { text } = await get('/$metadata');
      const { json } = await get('');
      expect(json.value.length).toBeGreaterThan(5);
      for (const { name, kind = 'EntitySet' } of json.value)
        expect(text).toContain(`<${kind} Name="${name}"`);
    }
  });

  it('binds every relation that is not contained to a set that answers', async () => {
    const { json } = await desk.get('/$metadata?$format=json');
    const container = json['Service.Web.OData.Model'].Container;
    const targets = new Set(
      Object.values(container as Record<string, { $NavigationPropertyBinding?: object }>).flatMap(
        (set) => Object.values(set.$NavigationPropertyBinding ?? {}),
      ),
    );
    expect(targets.size).toBeGreaterThan(10);
    for (const target of targets)
      expect([target, (await desk.get(`/${target}/$count`)).status]).toEqual([target, 200]);
  });

  it('names are answered in the case of the metadata, and none differs from another by case only', async () => {
    const { json } = await zoo.get('/Animals?$select=Name&$top=1&$expand=Keepers($select=Name)');
    expect(json.value[0]).toMatchObject({
      Name: 'Polly',
      Keepers: [{ Name: 'Ann' }, { Name: 'Bob' }],
    });
    for (const schema of Object.values(csdl['Odd.Zoo'] ?? {})) {
      const names = Object.keys(schema).filter((name) => !/[@$]/.test(name));
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    }
  });

  it('has an ETag, as the service document has', async () => {
    for (const path of ['/$metadata', '/$metadata?$format=json', '']) {
      const { headers } = await desk.get(path);
      const again = await desk.get(path, { 'if-none-match': String(headers.etag) });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });
});

describe('Capabilities that the metadata tell are true', () => {
  it.skipIf(!existsSync(VOCABULARIES))('every term exists and may stand where it stands', () => {
    const container = csdl['Odd.Zoo']?.Container ?? {};
    const places: [string, Record<string, unknown>][] = [
      ['EntityContainer', container],
      ['EntitySet', container.Animals as Record<string, unknown>],
      ['Singleton', container.Director as Record<string, unknown>],
    ];
    for (const [place, annotated] of places) {
      const terms = Object.keys(annotated).filter((name) =>
        /^@(?:Core|Capabilities|Aggregation)\./.test(name),
      );
      if (place !== 'Singleton') expect(terms.length).toBeGreaterThan(2);
      for (const written of terms) {
        const [, vocabulary = '', term = ''] = /^@(\w+)\.(\w+)/.exec(written) ?? [];
        const namespace = `Org.OData.${vocabulary}.V1`;
        const document = JSON.parse(
          readFileSync(new URL(`${namespace}.json`, VOCABULARIES), 'utf8'),
        );
        const described = document[namespace][term] ?? {};
        expect([written, described.$Kind]).toEqual([written, 'Term']);
        expect([written, described.$AppliesTo ?? [place]]).toEqual([
          written,
          expect.arrayContaining([place]),
        ]);
      }
    }
  });

  it('versions', async () => {
    const versions = String(ofContainer('Core.ODataVersions')).split(' ');
    expect(versions).toContain('4.01');
    for (const version of ['4.0', '4.01']) {
      const { headers } = await zoo.get('/Animals?$top=1', { 'odata-maxversion': version });
      expect(headers['odata-version']).toBe(version);
    }
  });

  it('formats', async () => {
    const formats = ofContainer('Capabilities.SupportedFormats') as string[];
    expect(formats.length).toBeGreaterThan(3);
    for (const accept of formats) {
      const { status, headers } = await zoo.get('/Animals?$top=1', { accept });
      expect([accept, status]).toEqual([accept, 200]);
      expect(String(headers['content-type'])).toContain(accept.split(';')[0]);
    }
    for (const accept of ofContainer('Capabilities.SupportedMetadataFormats') as string[]) {
      const { headers } = await zoo.get('/$metadata', { accept, 'odata-maxversion': '4.01' });
      expect(headers['content-type']).toBe(accept);
    }
  });

  /** A call of every function of the standard that some animal or sample fulfils. */
  const CALLED: Readonly<Record<string, string>> = {
    contains: "contains(Words,'rüß')",
    startswith: "startswith(Words,'Grü')",
    endswith: "endswith(Words,'pty')",
    length: 'length(Words) eq 5',
    indexof: "indexof(Words,'p') eq 2",
    substring: "substring(Words,1,2) eq 'mp'",
    tolower: "tolower(Words) eq 'empty'",
    toupper: "toupper(Words) eq 'EMPTY'",
    trim: "trim(Words) eq 'empty'",
    concat: "concat(Words,'!') eq 'empty!'",
    matchesPattern: "matchesPattern(Words,'^em.*y$')",
    hassubset: 'hassubset(Numbers,[1,2])',
    hassubsequence: 'hassubsequence(Numbers,[3,2])',
    year: 'year(Day) eq 2026',
    month: 'month(Day) eq 3',
    day: 'day(Day) eq 29',
    hour: 'hour(Clock) eq 12',
    minute: 'minute(Clock) eq 34',
    second: 'second(Clock) eq 56',
    fractionalseconds: 'fractionalseconds(Clock) eq 0.789',
    totalseconds: 'totalseconds(Span) eq 93784.5',
    date: 'date(Moment) eq 2026-03-29',
    time: 'time(Moment) eq 01:30:00',
    totaloffsetminutes: 'totaloffsetminutes(Moment) eq 0',
    mindatetime: 'Moment gt mindatetime()',
    maxdatetime: 'Moment lt maxdatetime()',
    now: 'now() gt 2026-01-01T00:00:00Z',
    round: 'round(Double) eq 2',
    floor: 'floor(Double) eq 1',
    ceiling: 'ceiling(Double) eq 2',
    'geo.distance':
      "geo.distance(geography'SRID=4326;Point(0 0)',geography'SRID=4326;Point(0 1)') gt 1000",
    'geo.intersects':
      "geo.intersects(geography'SRID=4326;Point(1 1)',geography'SRID=4326;Polygon((0 0,2 0,2 2,0 2,0 0))')",
    'geo.length': "geo.length(geography'SRID=4326;LineString(0 0,0 1)') gt 1000",
  };

  it('functions of $filter: those that are told are answered, and no others are told', async () => {
    const functions = ofContainer('Capabilities.FilterFunctions') as string[];
    expect(functions.toSorted()).toEqual(Object.keys(CALLED).toSorted());
    for (const name of functions) {
      const { status, json } = await ask(zoo, 'Samples', `$filter=${CALLED[name]}&$select=Id`);
      expect([name, status, json.value?.length > 0]).toEqual([name, 200, true]);
    }
  });

  it('products, keys as segments, queries in bodies, ids', async () => {
    expect(ofContainer('Capabilities.CrossJoinSupported')).toBe(true);
    expect((await zoo.get('/$crossjoin(Animals,Keepers)?$top=1')).status).toBe(200);
    expect(ofContainer('Capabilities.KeyAsSegmentSupported')).toBe(true);
    expect((await zoo.get('/AllSpecies/Aves')).json.Title).toBe('Birds');
    expect(ofContainer('Capabilities.QuerySegmentSupported')).toBe(true);
    const headers = { 'content-type': 'text/plain' };
    expect((await zoo.send('POST', '/Animals/$query', { headers, body: '$top=1' })).status).toBe(
      200,
    );
    expect(ofContainer('Core.ConventionalIDs')).toBe(true);
    expect(ofContainer('Core.DereferenceableIDs')).toBe(true);
    const { json } = await zoo.get('/AllSpecies?$select=Title&$top=1');
    expect((await zoo.get(json.value[0]['@odata.id'])).status).toBe(200);
    expect(ofContainer('Capabilities.AnnotationValuesInQuerySupported')).toBe(true);
    const annotated = await ask(
      zoo,
      'Animals',
      '$filter=Label/@Core.Computed and Tame&$select=Name',
    );
    expect(annotated.json.value.map((item: { Name: string }) => item.Name)).toEqual(['Polly']);
  });

  it.each([
    ['Filterable', "$filter=startswith($this,'Q')", 200],
    ['TopSupported', '$top=1', 200],
    ['SkipSupported', '$skip=1', 200],
    ['Countable', '$count=true', 200],
    ['Sortable', '$orderby=$this', 200],
    ['Searchable', '$search=Queen', 200],
  ])('options within $select: %s', async (member, option, status) => {
    const support = ofContainer('Capabilities.SelectSupport') as Record<string, boolean>;
    expect(support[member] ?? false).toBe(status === 200);
    const answer = await ask(zoo, 'Animals(Number=1)', `$select=Nicknames(${option})`);
    expect(answer.status).toBe(status);
  });

  it.each([
    ['ComputeSupported', 'Habits($compute=TimesADay mul 2 as Twice)'],
    ['InstanceAnnotationsSupported', '@Core.Description'],
  ])('what else $select takes: %s', async (member, select) => {
    const support = ofContainer('Capabilities.SelectSupport') as Record<string, boolean>;
    expect(support[member]).toBe(true);
    expect((await ask(zoo, 'Animals(Number=1)', `$select=${select}`)).status).toBe(200);
  });

  it('streams can be expanded where sets say so, and nowhere else', async () => {
    const { json } = await zoo.get('/$metadata?$format=json');
    const container = Object.values(json['Odd.Zoo']).find(
      (one) => (one as { $Kind?: string }).$Kind === 'EntityContainer',
    ) as Record<string, object>;
    const term = '@Capabilities.ExpandRestrictions';
    const sets = Object.entries(container)
      .filter(([, member]) => JSON.stringify(member).includes('StreamsExpandable'))
      .map(([name]) => name);
    const told = Object.keys(json['Odd.Zoo'].$Annotations ?? {}).filter((target) =>
      Object.hasOwn(json['Odd.Zoo'].$Annotations[target], term),
    );
    const all = [...sets, ...told.map((target) => target.replace(/^.*\//, ''))].toSorted();
    expect(all).toEqual(['Director', 'Keepers', 'Pictures', 'Samples']);
    for (const [set, stream] of [
      ['Keepers', 'Portrait'],
      ['Pictures', '$value'],
      ['Samples', 'Scan'],
    ]) {
      expect((await ask(zoo, set ?? '', `$expand=${stream}`)).status).toBe(200);
    }
    expect((await ask(zoo, 'Animals', '$expand=$value')).status).toBe(400);
  });

  const APPLIED: Readonly<Record<string, readonly [set: string, applied: string]>> = {
    addnested: ['Animals', 'addnested(Keepers,filter(Badge gt 1) as K)'],
    aggregate: ['Animals', 'aggregate($count as N)'],
    ancestors: ['AllSpecies', "ancestors($root/AllSpecies,Tree,Latin,filter(Title eq 'Fish'))"],
    bottomcount: ['Animals', 'bottomcount(1,Weight)'],
    bottompercent: ['Animals', 'bottompercent(10,Weight)'],
    bottomsum: ['Animals', 'bottomsum(10,Weight)'],
    compute: ['Animals', 'compute(Weight mul 2 as W)'],
    concat: ['Animals', 'concat(identity,aggregate($count as N))'],
    descendants: [
      'AllSpecies',
      "descendants($root/AllSpecies,Tree,Latin,filter(Title eq 'Birds'))",
    ],
    filter: ['Animals', 'filter(Tame)'],
    groupby: ['Animals', 'groupby((Tame))'],
    identity: ['Animals', 'identity'],
    join: ['Animals', 'join(Keepers as K)'],
    nest: ['Animals', 'nest(groupby((Tame)) as G)'],
    orderby: ['Animals', 'orderby(Name)'],
    outerjoin: ['Animals', 'outerjoin(Keepers as K)'],
    search: ['Animals', 'search(wild)'],
    skip: ['Animals', 'skip(1)'],
    top: ['Animals', 'top(1)'],
    topcount: ['Animals', 'topcount(1,Weight)'],
    toppercent: ['Animals', 'toppercent(10,Weight)'],
    topsum: ['Animals', 'topsum(10,Weight)'],
    traverse: ['AllSpecies', 'traverse($root/AllSpecies,Tree,Latin,preorder)'],
  };

  it('transformations of $apply: those that are told, and no others', async () => {
    const support = ofContainer('Aggregation.ApplySupportedDefaults') as {
      Transformations: string[];
    };
    expect(support.Transformations).toEqual(Object.keys(APPLIED));
    for (const [name, [set, applied]] of Object.entries(APPLIED)) {
      const { status, json } = await ask(zoo, set, `$apply=${applied}`);
      expect([name, status]).toEqual([name, 200]);
      expect(json.value.length).toBeGreaterThan(0);
    }
  });

  it('what can be done with sets', async () => {
    for (const set of ['Animals', 'Keepers', 'AllSpecies', 'Enclosures']) {
      expect(ofSet(set, 'Capabilities.TopSupported')).toBe(true);
      expect((await zoo.get(`/${set}?$top=1`)).json.value).toHaveLength(1);
      expect(ofSet(set, 'Capabilities.SkipSupported')).toBe(true);
      expect((await zoo.get(`/${set}?$skip=1000`)).json.value).toEqual([]);
      expect(ofSet(set, 'Capabilities.ComputeSupported')).toBe(true);
      expect((await ask(zoo, set, '$compute=1 add 1 as Two&$select=Two')).json.value[0].Two).toBe(
        2,
      );
      expect(ofSet(set, 'Capabilities.IndexableByKey')).toBe(true);
      const accept = 'application/json;odata.metadata=full';
      const { json } = await zoo.get(`/${set}?$top=1`, { accept });
      expect((await zoo.get(json.value[0]['@odata.id'])).status).toBe(200);
    }
  });

  it('sets that cannot be written refuse it', async () => {
    const closed = { insertable: false, updatable: false, deletable: false };
    const sets = oddDefinition.sets.map((set) =>
      set.kind === 'set' && set.name === 'Oddities' ? { ...set, ...closed } : set,
    );
    const { Oddities: _, ...others } = ZOO as Record<string, JsonInput>;
    const museum = await openForeignDesk({ ...oddDefinition, sets }, others);
    const { json } = await museum.get('/$metadata?$format=json');
    const container = json['Odd.Zoo'].Container;
    expect(container.Oddities['@Capabilities.InsertRestrictions']).toEqual({ Insertable: false });
    expect(container.Keepers['@Capabilities.InsertRestrictions']?.Insertable).not.toBe(false);
    expect((await museum.send('POST', '/Oddities', { body: { Name: 'x' } })).status).toBe(405);
    expect((await museum.send('POST', '/Keepers', { body: { Name: 'x' } })).status).toBe(201);
    await museum.close();
  });
});

describe('OpenAPI', () => {
  it('describes the service at its address', async () => {
    const { status, json } = await desk.get('http://desk.example/openapi.json');
    expect([status, json?.openapi]).toEqual([200, expect.stringMatching(/^3\./)]);
    expect(json.servers[0].url).toBe(desk.root.slice(0, -1));
    expect(Object.keys(json.paths)).toContain('/Persons');
  });

  it('requires what a new record needs: not the assignment and the approval, which the service adds', async () => {
    const { json } = await desk.get('http://desk.example/openapi.json');
    const needed =
      json.components.schemas['Service.Web.OData.Model.ServiceRequest-create'].required;
    const body = Object.fromEntries((needed ?? []).map((name: string) => [name, 'x']));
    expect(Object.keys(body)).not.toContain('Assignment');
    expect(Object.keys(body)).not.toContain('Approval');
    const created = await desk.send('POST', '/ServiceRequests', { body });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ Assignment: {}, Approval: {} });
    const { json: metadata } = await desk.get('/$metadata?$format=json');
    const { ServiceRequest, WorkItem } = metadata['Service.Web.OData.Model'];
    expect(WorkItem.Assignment['@Core.ComputedDefaultValue']).toBe(true);
    expect(ServiceRequest.Approval['@Core.ComputedDefaultValue']).toBe(true);
  });
});
