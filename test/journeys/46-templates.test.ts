// This file makes records from templates: what the template holds comes first and what is posted goes over it; children and collections
// add up; and a template that does not fit is refused with the reason.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { type Desk, openDesk } from './desk.ts';
import { CALLER, MEMBER, RECORDS, WORKGROUP } from './records.ts';

const entities = entityKeys(suiteModel());

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
});
afterAll(async () => await desk?.close());

type Values = readonly (readonly [property: string, value: string | null])[];

/** The address of a new template. */
async function template(values: Values, more: object = {}): Promise<string> {
  const body = {
    Name: 'A template',
    'Entity@odata.bind': `Entities(${entities.ServiceRequest})`,
    Values: values.map(([AttributeName, Value]) => ({ AttributeName, Value })),
    ...more,
  };
  const answer = await desk.send('POST', '/Templates', { body });
  expect(answer.status, answer.text).toBe(201);
  return `/Templates(${answer.json.Uid})`;
}

async function from(path: string, body: object = {}, query = '') {
  const posted = { 'Template@odata.bind': path, ...body };
  return await desk.send('POST', `/ServiceRequests${query}`, { body: posted });
}

async function count(): Promise<string> {
  return (await desk.get('/ServiceRequests/$count')).text;
}

describe('Creating, rule 5: Template@odata.bind', () => {
  it('the template supplies what is not posted, also what is required', async () => {
    const path = await template([
      ['Description', 'From the template'],
      ['Impact', '111004'],
      ['Priority', 'High'],
    ]);
    const answer = await from(path);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toMatchObject({
      Description: 'From the template',
      Impact: { Value: 111004 },
      Priority: { Value: 110002 },
      Status: { Value: 101001 },
    });
    const made = await desk.get(`/ServiceRequests(${answer.json.Uid})/Template?$select=Uid`);
    expect(made.json.Uid).toBe(Number(/\d+/.exec(path)?.[0]));
  });

  it('additional posted values override template values, null included', async () => {
    const path = await template([
      ['Description', 'From the template'],
      ['Impact', '111004'],
      ['Solution', 'From the template'],
      ['Assignment/ReferenceNumber', 'T-1'],
      ['Assignment/AssigneeWorkgroup', String(WORKGROUP)],
      ['Caller', String(CALLER)],
    ]);
    const body = {
      Description: 'Posted',
      Solution: null,
      Assignment: { ReferenceNumber: 'P-1' },
      'Caller@odata.bind': `Persons(${MEMBER})`,
    };
    const query = '?$expand=Caller($select=Uid),Assignment/AssigneeWorkgroup($select=Uid)';
    const { json } = await from(path, body, query);
    expect(json).toMatchObject({
      Description: 'Posted',
      Impact: { Value: 111004 },
      Solution: null,
      Assignment: { ReferenceNumber: 'P-1', AssigneeWorkgroup: { Uid: WORKGROUP } },
      Caller: { Uid: MEMBER },
    });
  });

  it('values of every sort are taken as what the property is', async () => {
    const path = await template([
      ['Description', '12345'],
      ['FeedbackRating', '4'],
      ['FrequentlyAskedQuestion', 'true'],
      ['Deadline', '2026-03-29T03:30:00+02:00'],
      ['PlanDuration', 'PT2H'],
      ['Status/Text', 'in behandeling'],
      ['Urgency', '{"Value":112001}'],
      ['ServicecallCode1', '500001'],
      ['SourceID', ''],
      ['Information', null],
    ]);
    const { json } = await from(path);
    expect(json).toMatchObject({
      Description: '12345',
      FeedbackRating: 4,
      FrequentlyAskedQuestion: true,
      Deadline: '2026-03-29T01:30:00.000Z',
      PlanDuration: 'PT2H',
      Status: { Value: 101003 },
      Urgency: { Value: 112001 },
      ServicecallCode1: { Value: 500001 },
      SourceID: '',
      Information: null,
    });
  });

  it('the structure comes with it: children of the template and posted ones are all made', async () => {
    const path = await template([
      ['Description', 'Structured'],
      ['Workorders', '{"Description":"First","Sequence":1}'],
      ['Workorders', '{"Description":"Second","Sequence":2,"Status":{"Text":"Assigned"}}'],
      ['HistoryLines', '{"Subject":"Made from a template"}'],
      ['ExternalReferences', '[{"System":"t","Id":"1"}]'],
    ]);
    const body = {
      Workorders: [{ Description: 'Posted', Sequence: 3 }],
      ExternalReferences: [{ System: 'p', Id: '2' }],
    };
    const { json } = await from(path, body, '?$expand=Workorders($orderby=Sequence),HistoryLines');
    const texts = json.Workorders.map((order: { Description: string }) => order.Description);
    expect(texts).toEqual(['First', 'Second', 'Posted']);
    expect(json.Workorders[1].Status.Value).toBe(105002);
    expect(json.HistoryLines).toMatchObject([{ Subject: 'Made from a template' }]);
    const systems = json.ExternalReferences.map(({ System }: { System: string }) => System);
    expect(systems).toEqual(['t', 'p']);
  });

  it('records are named by key or by URL, collections of them one by one', async () => {
    const item = await desk.send('POST', '/ConfigurationItems', { body: { Name1: 'Printer' } });
    const other = await desk.send('POST', '/ConfigurationItems', { body: { Name1: 'Phone' } });
    const path = await template([
      ['Description', 'Related'],
      ['Caller', `/Persons(${CALLER})`],
      ['ConfigurationItems', String(item.json.Uid)],
      ['ConfigurationItems', `ConfigurationItems(${other.json.Uid})`],
    ]);
    const { json } = await from(path, {}, '?$expand=Caller,ConfigurationItems($orderby=Uid)');
    expect(json.Caller.Uid).toBe(CALLER);
    expect(json.ConfigurationItems.map(({ Uid }: { Uid: number }) => Uid)).toEqual([
      item.json.Uid,
      other.json.Uid,
    ]);
  });

  it('the template is bound in every form of a URL, and in a batch to one that is just made', async () => {
    const path = await template([['Description', 'Formed']]);
    for (const form of [
      path,
      path.slice(1),
      `http://desk.example/odata${path}`,
      path.replace('s(', '('),
    ])
      expect((await from(form)).json.Description).toBe('Formed');
    const requests = [
      {
        id: 't',
        method: 'POST',
        url: 'Templates',
        atomicityGroup: 'g',
        body: { Name: 'Fresh', Values: [{ AttributeName: 'Description', Value: 'Batched' }] },
      },
      {
        id: 'r',
        method: 'POST',
        url: 'ServiceRequests',
        atomicityGroup: 'g',
        dependsOn: ['t'],
        body: { 'Template@odata.bind': '$t' },
      },
    ];
    const batch = await desk.send('POST', '/$batch', {
      body: { requests },
      headers: { 'odata-maxversion': '4.01' },
    });
    const [, made] = batch.json.responses;
    expect([made.status, made.body.Description]).toEqual([201, 'Batched']);
  });

  it('Prefer: dry-run shows what would be made', async () => {
    const path = await template([['Description', 'As if']]);
    const before = await count();
    const answer = await desk.send('POST', '/ServiceRequests', {
      body: { 'Template@odata.bind': path },
      headers: { prefer: 'dry-run' },
    });
    expect([answer.status, answer.json.Description]).toEqual([201, 'As if']);
    expect(await count()).toBe(before);
  });

  it('a template that names no entity, or a more general one, makes all that it fits', async () => {
    const path = await template([['Description', 'General']], { 'Entity@odata.bind': null });
    for (const set of ['/ServiceRequests', '/Incidents', '/Workorders']) {
      const answer = await desk.send('POST', set, { body: { 'Template@odata.bind': path } });
      expect([set, answer.status]).toEqual([set, 201]);
    }
  });

  it('a template stays limited to its roles, which cannot be deleted', async () => {
    const role = await desk.send('POST', '/Roles', { body: { Name: 'template user' } });
    const path = `Roles(${role.json.Uid})`;
    const limited = await template([], { 'Roles@odata.bind': [path] });
    const rejected = await desk.send('DELETE', `/${path}`);
    expect([rejected.status, rejected.json.error.code]).toEqual([409, 'write.referenced']);
    expect((await desk.send('DELETE', limited)).status).toBe(204);
    expect((await desk.send('DELETE', `/${path}`)).status).toBe(204);
  });

  it('records stay when their template goes', async () => {
    const path = await template([['Description', 'Stays']]);
    const { json } = await from(path);
    expect((await desk.send('DELETE', path)).status).toBe(204);
    const left = await desk.get(`/ServiceRequests(${json.Uid})?$expand=Template`);
    expect([left.json.Description, left.json.Template]).toEqual(['Stays', null]);
  });
});

describe('Templates, what is refused', () => {
  it.each([
    ['missing', 'Templates(999999)', 'write.missing-reference'],
    ['no template', `Persons(${CALLER})`, 'write.reference'],
  ])('one that is %s', async (_, path, code) => {
    const before = await count();
    const answer = await from(path, { Description: 'x' });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Template@odata.bind']);
    expect(answer.text).toContain(code);
    expect(await count()).toBe(before);
  });

  it('one of another type than the record', async () => {
    const path = await template([['Description', 'x']], {
      'Entity@odata.bind': `Entities(${entities.Incident})`,
    });
    const before = await count();
    const answer = await from(path, { Description: 'x' });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'write.template']);
    expect(answer.json.error.target).toBe('Template@odata.bind');
    expect(answer.json.error.message).toContain('Incident');
    expect(await count()).toBe(before);
  });

  it('one that is blocked', async () => {
    const path = await template([['Description', 'x']], { Blocked: true });
    const answer = await from(path);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'write.template']);
  });

  it('one that is limited to roles that the account does not have, even if it can read it', async () => {
    const names = ['clerk', 'buyer'];
    const EntityAccess = ['Record', 'Entity', 'TemplateValue'].map((Entity) => ({
      Entity,
      Read: true,
      Create: Entity === 'Record',
    }));
    const roles: string[] = [];
    for (const Name of names) {
      const { json } = await desk.send('POST', '/Roles', { body: { Name, EntityAccess } });
      roles.push(`Roles(${json.Uid})`);
    }
    const limited = await template([['Description', 'x']], { 'Roles@odata.bind': [roles[1]] });
    const open = await template([['Description', 'x']]);
    const clerk = await desk.join({ loginName: 'clerk', roles: ['clerk'] });
    const buyer = await desk.join({ loginName: 'buyer', roles: ['clerk', 'buyer'] });
    const make = async ({ send }: Pick<Desk, 'send'>, path: string) =>
      await send('POST', '/ServiceRequests', { body: { 'Template@odata.bind': path } });
    const before = await count();
    const answer = await make(clerk, limited);
    expect([answer.status, answer.json.error.code]).toEqual([403, 'access.template']);
    expect(answer.json.error.target).toBe('Template@odata.bind');
    expect(await count()).toBe(before);
    expect((await clerk.get(limited)).status).toBe(200);
    expect((await make(clerk, open)).status).toBe(201);
    expect((await make(buyer, limited)).status).toBe(201);
    expect((await make(desk, limited)).status).toBe(201);
  });

  it('one whose values are wrong, with all that is wrong about them', async () => {
    const path = await template([
      ['Descripton', 'misspelt'],
      ['Impact', '7'],
      ['Deadline', 'tomorrow'],
      ['FeedbackRating', 'four'],
      ['Assignment/Prioritty', 'x'],
      ['Caller', 'Persons(x)'],
      ['Workorders', '{"Description":'],
      ['Uid', '5'],
    ]);
    const before = await count();
    const answer = await from(path, { Description: 'x' });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'write.template']);
    const targets = answer.json.error.details.map(({ target }: { target: string }) => target);
    expect(targets.sort()).toEqual([
      'Assignment/Prioritty',
      'Caller@odata.bind',
      'Deadline',
      'Descripton',
      'FeedbackRating',
      'Impact/Value',
      'Uid',
      'Workorders',
    ]);
    expect(answer.text).toMatch(/Description/);
    expect(await count()).toBe(before);
  });

  it('one that leaves out what is required, where the body does too', async () => {
    const path = await template([['Impact', '111004']]);
    const answer = await from(path);
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Description']);
    expect((await from(path, { Description: 'x' })).status).toBe(201);
  });

  it('mistakes of the body are told as ever', async () => {
    const path = await template([['Description', 'x']]);
    const answer = await from(path, { Impact: { Value: 7 }, Solutin: 'x' });
    const targets = answer.json.error.details.map(({ target }: { target: string }) => target);
    expect([answer.status, targets.sort()]).toEqual([400, ['Impact/Value', 'Solutin']]);
  });

  it('one for a record inside the new one, and one that names a template itself', async () => {
    const path = await template([['Description', 'x']], { 'Entity@odata.bind': null });
    const inner = { Workorders: [{ Description: 'y', 'Template@odata.bind': path }] };
    const answer = await from(path, inner);
    expect(answer.status).toBe(400);
    expect(answer.json.error.details).toMatchObject([
      { code: 'write.template-inside', target: 'Workorders[0]' },
    ]);
    const nested = await template([
      ['Description', 'x'],
      ['Template', path],
    ]);
    expect((await from(nested)).text).toContain('write.template-inside');
  });

  it('the template of a record is not changed later', async () => {
    const path = await template([['Description', 'x']]);
    const { json } = await from(path);
    const change = { 'Template@odata.bind': path };
    const answer = await desk.send('PATCH', `/ServiceRequests(${json.Uid})`, { body: change });
    expect([answer.status, answer.json.error.target]).toEqual([400, 'Template@odata.bind']);
  });
});

describe('Rules for values (Validation)', () => {
  it('apply to values from templates', async () => {
    const path = await template([
      ['Description', ' '],
      ['Impact', '111004'],
    ]);
    const before = await count();
    const answer = await from(path);
    expect([answer.status, answer.json.error.code], answer.text).toEqual([400, 'write.template']);
    const [detail] = answer.json.error.details;
    expect(detail.message).toContain('Validation.Pattern');
    expect(await count()).toBe(before);
  });
});
