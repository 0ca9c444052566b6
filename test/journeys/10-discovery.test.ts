// This file begins at the beginning: the service document, health, Me, versions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

const SETS = [
  'ServiceRequests',
  'Problems',
  'Changes',
  'Incidents',
  'ConfigurationItems',
  'Workorders',
  'EmailServiceRequests',
  'Services',
  'MaintenanceContracts',
  'Projects',
  'ServiceLevelAgreements',
  'Workgroups',
  'Persons',
  'Locations',
  'Organizations',
];

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

describe('Discovery and health', () => {
  it.each(['', '/'])(
    'GET of the root ("%s"): 200, JSON with minimal metadata, the service document',
    async (path) => {
      const answer = await desk.get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json; odata.metadata=minimal');
      expect(answer.json).toMatchObject({ '@odata.context': `${desk.root}$metadata` });
    },
  );

  it('the service document lists the fifteen sets, ServiceRequests to Organizations', async () => {
    const { json } = await desk.get('');
    const names = json.value.map((entry: { name: string }) => entry.name);
    expect(names.slice(0, SETS.length)).toEqual(SETS);
    expect(names).not.toContain('Templates');
    expect(names).not.toContain('ServiceRequest');
    expect(json.value[0]).toEqual({
      name: 'ServiceRequests',
      kind: 'EntitySet',
      url: 'ServiceRequests',
    });
  });

  it('Templates answers though it is not listed', async () => {
    expect((await desk.get('/Templates')).status).toBe(200);
  });

  it('GET $metadata: 200, XML with entity types, complex types, container and bindings', async () => {
    const answer = await desk.get('/$metadata');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/xml/);
    for (const piece of [
      '<EntityType Name="ServiceRequest"',
      '<PropertyRef Name="Uid"',
      '<ComplexType Name="Code"',
      '<EntityContainer',
      '<NavigationPropertyBinding Path="Caller" Target="Persons"',
      'Name="ServicecallCode1"',
    ]) {
      expect(answer.text).toContain(piece);
    }
    expect(answer.text).not.toContain('ServicecallCode2');
  });

  it.each([
    ['/$metadata', { accept: 'application/json;odata.metadata=full' }, /^application\/xml/],
    ['/$metadata/', {}, /^application\/xml/],
    ['/$metadata?$format=json', {}, /^application\/json/],
    [
      '/$metadata',
      { accept: 'application/json', 'odata-maxversion': '4.01' },
      /^application\/json/,
    ],
  ])('GET %s with %j has the form that real clients expect', async (path, headers, type) => {
    const answer = await desk.get(path, headers);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      expect.stringMatching(type),
    ]);
  });

  it('$metadata and the service document have an ETag, and are not sent again to whom has them', async () => {
    for (const path of ['/$metadata', '']) {
      const { headers } = await desk.get(path);
      expect(headers.etag).toMatch(/^W?\/?"/);
      expect((await desk.get(path, { 'if-none-match': String(headers.etag) })).status).toBe(304);
    }
  });

  it.each(['GET', 'HEAD'] as const)('%s $ping: 200 with an empty body', async (method) => {
    const answer = await desk.send(method, '/$ping');
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([200, '', '0']);
  });
});

describe('Me', () => {
  it('GET Me: the Person of the account, with parentheses or without', async () => {
    for (const path of ['/Me', '/Me()']) {
      const answer = await desk.get(path);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ Uid: desk.me, Name: "O'Neil, Zoë" });
      expect(answer.json['@odata.context']).toBe(`${desk.root}$metadata#Persons/$entity`);
    }
  });

  it('$select on Me leaves the other properties out', async () => {
    const { json } = await desk.get('/Me?$select=Uid,Name');
    expect(Object.keys(json).filter((name) => !name.startsWith('@'))).toEqual(['Uid', 'Name']);
  });

  it('$expand on Me inlines relations, nested $select included', async () => {
    const { json } = await desk.get(
      '/Me?$select=Uid&$expand=Account($select=Name),Organization($select=Name1)',
    );
    expect(json.Organization).toMatchObject({ Name1: 'Hillside' });
    expect(json.Account.Name).toEqual(expect.any(String));
    expect(json.Account).not.toHaveProperty('LoginName');
  });

  it('a Person shows its Account only under $expand=Account', async () => {
    expect((await desk.get('/Me')).json).not.toHaveProperty('Account');
  });

  it('$filter, $orderby, $top and $skip on Me are ignored, malformed ones too', async () => {
    const answer = await desk.get('/Me?$filter=((nonsense&$orderby=&$top=-1&$skip=x&$select=Uid');
    expect([answer.status, answer.json.Uid]).toEqual([200, desk.me]);
  });

  it('Me without a Person: 204, no error', async () => {
    const answer = await desk.as('nobody').get('/Me');
    expect([answer.status, answer.text]).toEqual([204, '']);
  });
});

describe('Versioning', () => {
  it('the protocol is OData 4.0, as OData-Version says, on refusals too', async () => {
    for (const path of [
      '',
      '/Persons',
      '/$ping',
      '/Persons(999999)',
      '/Nothing',
      '/Persons?$top=-1',
    ]) {
      expect((await desk.get(path)).headers['odata-version']).toBe('4.0');
    }
  });

  it('4.01 is spoken when it is asked for', async () => {
    const answer = await desk.get('/Persons?$top=1', { 'odata-maxversion': '4.01' });
    expect(answer.headers['odata-version']).toBe('4.01');
    expect(answer.json['@context']).toBe(`${desk.root}$metadata#Persons`);
  });

  it.each([
    [{ 'odata-maxversion': '3.0' }, 400],
    [{ 'odata-version': '4.02' }, 400],
    [{ 'odata-maxversion': '5.0' }, 200],
  ])('%j gives %i', async (headers, status) => {
    expect((await desk.get('/Persons?$top=1', headers)).status).toBe(status);
  });
});
