// This file checks what an extension hides: it is neither published nor accessible, keeps its values, and what uses it is reported.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { printMistakes } from '../../src/edm/model-error.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { type Desk, openDesk } from './desk.ts';

const folder = mkdtempSync(join(tmpdir(), 'docket-hidden-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HIDDEN = { '@Docket.Hidden': true };

function extension(types: JsonObject, sets: JsonObject = {}): string {
  const file = join(mkdtempSync(join(folder, 'model-')), 'hide.csdl.json');
  const Desk = {
    $Kind: 'EntityContainer',
    $Extends: 'Service.Web.OData.Model.Container',
    ...sets,
  };
  const document = { $Version: '4.01', Hide: { Desk }, 'Service.Web.OData.Model': types };
  writeFileSync(file, JSON.stringify(document));
  return file;
}

describe('hidden elements', () => {
  let desk: Desk;
  beforeAll(async () => {
    const model = extension(
      { ServiceRequest: { FeedbackText: HIDDEN, Impact: HIDDEN, EmailServiceRequest: HIDDEN } },
      { EmailServiceRequests: HIDDEN },
    );
    expect(printMistakes(checkModelFile(model).mistakes)).toBe('');
    desk = await openDesk({ settings: { model }, records: [] });
    const body = { Description: 'a' };
    expect((await desk.send('POST', '/ServiceRequests', { body })).status).toBe(201);
  });
  afterAll(async () => await desk?.close());

  test('are not in documents', async () => {
    for (const path of ['/$metadata', '/$metadata?$format=json', '/openapi.json', '/']) {
      const { text } = await desk.get(path);
      for (const name of ['FeedbackText', 'EmailServiceRequests', 'EmailServiceRequest"']) {
        if (name === 'EmailServiceRequest"' && path !== '/') continue;
        expect([path, text.includes(name)]).toEqual([path, false]);
      }
    }
    const { json } = await desk.get('/$metadata?$format=json');
    const { ServiceRequest } = json['Service.Web.OData.Model'];
    expect(ServiceRequest.Impact).toBeUndefined();
    expect(ServiceRequest.EmailServiceRequest).toBeUndefined();
  });

  test('are not in responses', async () => {
    for (const path of [
      '/ServiceRequests',
      '/ServiceRequests?$expand=*',
      '/$all/Service.Web.OData.Model.ServiceRequest',
    ]) {
      const { text } = await desk.get(path, { accept: 'application/json;odata.metadata=full' });
      expect(text).toContain('Description');
      expect(/Impact|FeedbackText|EmailServiceRequest/.test(text)).toBe(false);
    }
  });

  test.each([
    ['/ServiceRequests?$select=Impact', 400],
    ["/ServiceRequests?$filter=FeedbackText eq 'x'", 400],
    ['/ServiceRequests?$orderby=Impact/Value', 400],
    ['/ServiceRequests?$expand=EmailServiceRequest', 400],
    ['/ServiceRequests?$apply=groupby((Impact))', 400],
    ['/EmailServiceRequests', 404],
    ['/EmailServiceRequest(1)', 404],
    ['/$crossjoin(EmailServiceRequests)', 404],
    ['/ServiceRequests?$filter=$root/EmailServiceRequests/$count gt 0', 400],
  ])('GET %s returns %i', async (path, status) => {
    expect((await desk.get(path.replaceAll(' ', '%20'))).status).toBe(status);
  });

  test('cannot be written', async () => {
    for (const body of [
      { Description: 'b', FeedbackText: 'x' },
      { Description: 'b', Impact: { Value: 111001 } },
      { Description: 'b', EmailServiceRequest: {} },
    ]) {
      const { status, json } = await desk.send('POST', '/ServiceRequests', { body });
      expect([status, json.error.code]).toEqual([400, 'write.body']);
    }
    expect((await desk.send('POST', '/EmailServiceRequests', { body: {} })).status).toBe(404);
  });

  test('have values: the default of a new entity is stored', async () => {
    const { layout, database } = desk.installation;
    const [column] = layout.tables.filter(({ name }) => name === 'ServiceRequests');
    expect(column?.columns.map(({ name }) => name)).toContain('Impact');
    const rows = await database.read('SELECT "Impact" FROM "ServiceRequests"', []);
    expect(rows.map(Object.values).map(([value]) => Number(value))).toEqual([111003]);
  });
});

describe('the check reports', () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    ['a key', { Record: { Uid: HIDDEN } }, {}, 'Uid is part of a key'],
    ['an alternate key', { WorkItem: { ID: HIDDEN } }, {}, 'ID is part of a key'],
    ['a required property', { ServiceRequest: { Description: HIDDEN } }, {}, 'Add a $DefaultValue'],
    ['a part of a complex value', { Address: { City: HIDDEN } }, {}, 'Members of complex types'],
    [
      'one direction of a relation',
      { ServiceRequest: { Workorders: HIDDEN } },
      {},
      'Hide both directions',
    ],
    ['a containment', { Record: { HistoryLines: HIDDEN } }, {}, 'The service needs HistoryLines'],
    [
      'a set that is still referred to',
      {},
      { Locations: HIDDEN },
      'Hide that navigation property, too',
    ],
    ['the set of people', {}, { Persons: HIDDEN }, 'the people who own accounts'],
    ['what a role uses', { ServiceRequest: { Caller: HIDDEN } }, {}, 'built-in role'],
  ])('%s', (_, types, sets, text) => {
    const mistakes = printMistakes(checkModelFile(extension(types, sets)).mistakes);
    expect(mistakes).toContain(text);
  });
});
