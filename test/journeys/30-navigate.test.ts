// This file follows navigations, and reads properties, values and counts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import {
  BARE_REQUEST,
  CALLER,
  HISTORY_LINE,
  MEMBER,
  ORGANIZATION,
  REQUEST,
  WORKGROUP,
  WORKORDER,
} from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const request = `/ServiceRequests(${REQUEST})`;

describe('Navigation', () => {
  it.each([
    ['Caller', CALLER, 'Persons'],
    ['Caller/Organization', ORGANIZATION, 'Organizations'],
    ['Assignment/AssigneePerson', MEMBER, 'Persons'],
    ['Assignment/AssigneeWorkgroup', WORKGROUP, 'Workgroups'],
    [`Workorders(${WORKORDER})`, WORKORDER, 'Workorders'],
    [`Workorders(${WORKORDER})/ServiceRequest`, REQUEST, 'ServiceRequests'],
    [`HistoryLines(${HISTORY_LINE})`, HISTORY_LINE, `ServiceRequests(${REQUEST})/HistoryLines`],
  ])('Set(uid)/%s gives the related record', async (path, uid, context) => {
    const { status, json } = await desk.get(`${request}/${path}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      Uid: uid,
      '@odata.context': `${desk.root}$metadata#${context}/$entity`,
    });
  });

  it.each([
    ['Workorders', [WORKORDER, WORKORDER + 1]],
    ['HistoryLines', [HISTORY_LINE]],
    ['Attachments', []],
    [`HistoryLines(${HISTORY_LINE})/Attachments`, []],
    ['Caller/Workgroups', []],
  ])('Set(uid)/%s gives the related records', async (path, expected) => {
    const { status, json } = await desk.get(`${request}/${path}`);
    expect([status, json.value.map((item: { Uid: number }) => item.Uid)]).toEqual([200, expected]);
  });

  it('$select, $expand and the other options work on navigation requests', async () => {
    const one = await desk.get(
      `${request}/Caller?$select=Uid,Name&$expand=Organization($select=Name1)`,
    );
    expect(one.json).toMatchObject({ Name: "O'Neil, Zoë", Organization: { Name1: 'Hillside' } });
    const many = await desk.get(
      `${request}/Workorders?$filter=startswith(Description,'Order')&$select=Uid&$count=true`,
    );
    expect(many.json).toMatchObject({ '@odata.count': 1, value: [{ Uid: WORKORDER + 1 }] });
  });

  it.each([
    ['an unset relation', `/ServiceRequests(${BARE_REQUEST})/Caller`, 204],
    [
      'an unset nested reference',
      `/ServiceRequests(${BARE_REQUEST})/Assignment/AssigneePerson`,
      204,
    ],
    ['a relation of a record that is not there', '/ServiceRequests(999999)/Caller', 404],
    ['relations of a record that is not there', '/ServiceRequests(999999)/Workorders', 404],
    [
      'what lies behind an unset relation',
      `/ServiceRequests(${BARE_REQUEST})/Caller/Workgroups`,
      404,
    ],
    [
      'a member that belongs to another',
      `/ServiceRequests(${BARE_REQUEST})/Workorders(${WORKORDER})`,
      404,
    ],
    [
      'a history line of another',
      `/ServiceRequests(${BARE_REQUEST})/HistoryLines(${HISTORY_LINE})`,
      404,
    ],
    ['a contained set from the root', `/HistoryLines(${HISTORY_LINE})`, 404],
    ['an unknown relation', `${request}/Calller`, 404],
    ['a double slash', `${request}//Caller`, 400],
  ])('%s: GET %s gives %i', async (_what, path, status) => {
    expect((await desk.get(path)).status).toBe(status);
  });
});

describe('Properties, values and counts', () => {
  it('a property is given in a wrapper, its value as text', async () => {
    const { json } = await desk.get(`/Persons(${CALLER})/Name`);
    expect(json).toEqual({
      '@odata.context': `${desk.root}$metadata#Persons(${CALLER})/Name`,
      value: "O'Neil, Zoë",
    });
    const raw = await desk.get(`/Persons(${CALLER})/Name/$value`);
    expect([raw.status, raw.text, raw.headers['content-type']]).toEqual([
      200,
      "O'Neil, Zoë",
      expect.stringContaining('text/plain'),
    ]);
  });

  it('a custom code carries its type, wherever it is shown', async () => {
    const type = { '@odata.type': '#Service.Web.OData.Model.Code', Value: 500001 };
    const { json } = await desk.get(`${request}?$select=ServicecallCode1`);
    expect(json.ServicecallCode1).toMatchObject(type);
    const page = await desk.get(`/ServiceRequests?$filter=ServicecallCode1/Value eq 500001`);
    expect(page.json.value[0].ServicecallCode1).toMatchObject(type);
  });

  it('a code is given whole, or by its parts', async () => {
    expect((await desk.get(`${request}/Status`)).json).toMatchObject({
      Text: 'In progress',
      Value: 101003,
    });
    expect((await desk.get(`${request}/Status/Value`)).json.value).toBe(101003);
    expect((await desk.get(`${request}/Status/Text/$value`)).text).toBe('In progress');
  });

  it.each([
    ['null property', `${request}/Solution`, 204],
    ['null value', `${request}/Solution/$value`, 204],
    ['null code', `/ServiceRequests(${BARE_REQUEST})/Priority`, 204],
    ['property of nothing', '/Persons(999999)/Name', 404],
    ['unknown property', `/Persons(${CALLER})/Nam`, 404],
    ['$value of a complex value', `${request}/Status/$value`, 400],
    ['JSON of a raw value', `/Persons(${CALLER})/Name/$value`, 406],
  ])('%s: GET %s gives %i', async (_what, path, status) => {
    const headers: Record<string, string> = status === 406 ? { accept: 'application/json' } : {};
    expect((await desk.get(path, headers)).status).toBe(status);
  });

  it('$count gives a plain number', async () => {
    const answer = await desk.get(`${request}/Workorders/$count`);
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      200,
      '2',
      expect.stringContaining('text/plain'),
    ]);
    expect((await desk.get('/ServiceRequests/$count?$filter=Caller ne null')).text).toBe('1');
    expect((await desk.get('/ServiceRequests(999999)/Workorders/$count')).status).toBe(404);
  });

  it('$ref gives references', async () => {
    expect((await desk.get(`${request}/Caller/$ref`)).json).toEqual({
      '@odata.context': `${desk.root}$metadata#$ref`,
      '@odata.id': `${desk.root}Persons(${CALLER})`,
    });
    const many = await desk.get(`${request}/Workorders/$ref`);
    expect(many.json.value.map((item: Record<string, string>) => item['@odata.id'])).toEqual([
      `${desk.root}Workorders(${WORKORDER})`,
      `${desk.root}Workorders(${WORKORDER + 1})`,
    ]);
  });

  it('$entity resolves an id', async () => {
    expect((await desk.get(`/$entity?$id=Persons(${CALLER})`)).json.Uid).toBe(CALLER);
    expect((await desk.get('/$entity')).status).toBe(400);
  });

  it('a running number is an alternate key', async () => {
    expect((await desk.get('/ServiceRequests(ID=1002)')).json.Uid).toBe(BARE_REQUEST);
  });
});
