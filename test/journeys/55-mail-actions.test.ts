// This file decides about e-mails at the service desk: they become service requests, are added to one, or are rejected.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const [NEW, CONVERTED, LINKED, REJECTED] = [212001, 212002, 212003, 212004];

let count = 0;
async function created(set: string, body: object): Promise<string> {
  const { status, json, text } = await desk.send('POST', `/${set}`, { body });
  expect(status, text).toBe(201);
  return `${set}(${json.Uid})`;
}
const email = async (body: object = {}) =>
  await created('EmailServiceRequests', {
    Subject: 'No light',
    Body: 'It is dark here.',
    MessageId: `<${count++}@example.com>`,
    ...body,
  });
const invoke = async (path: string, action: string, body: object = {}) =>
  await desk.send('POST', `/${path}/Service.Web.OData.Model.${action}`, { body });
const read = async (path: string) => (await desk.get(`/${path}`)).json;
const statusOf = async (path: string) => (await read(path)).Status.Value;

describe('Convert', () => {
  it('makes a service request of the e-mail, and refers to it', async () => {
    const path = await email({ Subject: 'x'.repeat(300) });
    const { status, json, text, headers } = await invoke(path, 'Convert');
    expect(status, text).toBe(201);
    expect(headers.location).toContain('ServiceRequests(');
    const request = await read(
      `ServiceRequests(${json.Uid})?$expand=EmailServiceRequest($select=Subject)`,
    );
    expect(request).toMatchObject({
      Description: 'x'.repeat(255),
      Information: 'It is dark here.',
      Medium: { Text: 'E-mail' },
      EmailServiceRequest: { Subject: 'x'.repeat(300) },
    });
    const converted = await read(`${path}?$expand=ServiceRequest($select=Uid)`);
    expect([converted.Status.Value, converted.ServiceRequest.Uid]).toEqual([CONVERTED, json.Uid]);
  });

  it('takes the values of a template', async () => {
    const template = await created('Templates', {
      Name: 'Dark',
      Values: [{ AttributeName: 'Solution', Value: 'Change the lamp' }],
    });
    const Template = { '@odata.id': template };
    const { json, text } = await invoke(await email(), 'Convert', { Template });
    expect(json.Solution, text).toBe('Change the lamp');
  });

  it('is possible once', async () => {
    const path = await email();
    expect((await invoke(path, 'Convert')).status).toBe(201);
    const again = await invoke(path, 'Convert');
    expect([again.status, again.json.error.code]).toEqual([409, 'bind.unavailable']);
  });
});

describe('Link', () => {
  it('adds the e-mail to a service request and to its history', async () => {
    const request = await created('ServiceRequests', { Description: 'Light' });
    const path = await email();
    const ServiceRequest = { '@odata.id': request };
    expect((await invoke(path, 'Link', { ServiceRequest })).status).toBe(204);
    expect(await statusOf(path)).toBe(LINKED);
    const { value } = await read(`${request}/HistoryLines?$filter=Subject eq 'No light'`);
    expect(value).toMatchObject([{ Information: 'It is dark here.' }]);
  });

  it('needs a service request', async () => {
    const path = await email();
    expect((await invoke(path, 'Link')).status).toBe(400);
    expect(await statusOf(path)).toBe(NEW);
  });
});

describe('Reject', () => {
  it('keeps the reason in the history of the e-mail', async () => {
    const path = await email();
    expect((await invoke(path, 'Reject', { Reason: 'Advertisement' })).status).toBe(204);
    expect(await statusOf(path)).toBe(REJECTED);
    const { value } = await read(`${path}/HistoryLines?$filter=Subject eq 'Rejected'`);
    expect(value).toMatchObject([{ Information: 'Advertisement' }]);
  });

  it.each([{}, { Reason: null }, { Reason: '  ' }])('needs a reason: %j', async (body) => {
    const path = await email();
    const { status } = await invoke(path, 'Reject', body);
    expect([400, 409]).toContain(status);
    expect(await statusOf(path)).toBe(NEW);
  });
});

describe('AddReply', () => {
  it('is for the service: nobody else writes lines of e-mail into a history', async () => {
    const ServiceRequest = { '@odata.id': await created('ServiceRequests', { Description: 'x' }) };
    const path = await email();
    const { status, json } = await invoke(path, 'AddReply', { ServiceRequest, Resume: true });
    expect([status, json.error.code]).toEqual([403, 'write.reserved']);
    expect(await statusOf(path)).toBe(NEW);
  });
});
