// This file tries the actions of subscriptions and deliveries: test messages, replay, retry and cancellation.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerWith, openWebhookDesk, type Subscribed, type WebhookDesk } from './webhook-desk.ts';
import { isSigned } from './webhook-receiver.ts';

let hooks: WebhookDesk;
beforeAll(async () => {
  hooks = await openWebhookDesk();
});
afterAll(async () => await hooks?.close());
beforeEach(async () => await hooks.reset());

const call = async (path: string, name: string, body: object = {}) =>
  await hooks.desk.send('POST', `${path}/Docket.System.${name}`, { body });

const names = () => hooks.receiver.received.map(({ json }) => json.data?.LastName);

const stored = async (one: Subscribed, member: string) =>
  (await hooks.deliveries(one)).map((row) => Reflect.get(row, member));

async function replay({ path }: Subscribed, From: string): Promise<void> {
  const { status, text } = await call(path, 'Replay', { From });
  expect(status, text).toBe(204);
}

describe('Test', () => {
  it('sends a signed message without data, also for a paused subscription', async () => {
    const one = await hooks.subscribe({ State: 'paused' });
    const { status, json } = await call(one.path, 'Test');
    expect([status, json.State]).toEqual([200, 'queued']);
    const [message] = await hooks.arrived(1);
    if (message === undefined) return expect.fail();
    expect(isSigned(message, one.secret)).toBe(true);
    expect(message.json).toMatchObject({ specversion: '1.0', type: 'docket.webhook.test' });
    await expect.poll(async () => await stored(one, 'State')).toEqual(['delivered']);
  });

  it('is made once, and shows why it has failed', async () => {
    const one = await hooks.subscribe();
    hooks.receiver.answer = answerWith(500, 'out of order');
    await call(one.path, 'Test');
    await expect.poll(async () => await stored(one, 'State')).toEqual(['failed']);
    expect(await hooks.deliveries(one)).toMatchObject([
      { Status: 500, Response: 'out of order', NextAttempt: null, Attempts: 1 },
    ]);
    expect((await hooks.subscription(one)).State).toBe('active');
  });
});

describe('Replay', () => {
  it('sends what follows an event again', async () => {
    const one = await hooks.subscribe();
    for (const name of ['One', 'Two', 'Three']) await hooks.addPerson(name);
    const [first] = await hooks.arrived(3);
    await replay(one, first?.json.id);
    await hooks.arrived(5);
    expect(names()).toEqual(['One', 'Two', 'Three', 'Two', 'Three']);
    const ids = hooks.receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(3)).toEqual(ids.slice(1, 3));
  });

  it('continues a delta link', async () => {
    const headers = { Prefer: 'odata.track-changes', 'OData-MaxVersion': '4.01' };
    const before = new Date().toISOString();
    await hooks.addPerson('Before');
    const page = await hooks.desk.get('/Persons?$filter=false', headers);
    const link = page.json['@deltaLink'] ?? page.json['@odata.deltaLink'];
    expect(link).toContain('deltatoken');
    await hooks.addPerson('After');
    const one = await hooks.subscribe();
    await replay(one, link);
    await hooks.arrived(1);
    await replay(one, before);
    await hooks.arrived(3);
    expect(names()).toEqual(['After', 'Before', 'After']);
  });

  it('cancels what is queued', async () => {
    const one = await hooks.subscribe();
    hooks.receiver.answer = answerWith(500);
    await hooks.addPerson('Failed');
    const [failed] = await hooks.arrived(1);
    await expect.poll(async () => await stored(one, 'Status')).toEqual([500]);
    hooks.receiver.answer = answerWith(204);
    await replay(one, failed?.json.id);
    await expect.poll(async () => await stored(one, 'State')).toEqual(['cancelled']);
    await replay(one, '0');
    await expect.poll(() => names().filter((name) => name === 'Failed').length).toBe(2);
  });

  it.each([
    '',
    'yesterday',
    '2026-11-27',
    '12-',
    '-1',
    '1.0000',
    '1.8f3c01aa.',
    'x?$deltatoken=1.8',
    '999999-1',
    '999999999',
    '2999-01-01T00:00:00Z',
  ])('rejects the position "%s"', async (From) => {
    const { path } = await hooks.subscribe();
    const { status, json } = await call(path, 'Replay', { From });
    expect([status, json.error.code, json.error.target]).toEqual([
      ...[400, 'webhook.position', 'From'],
    ]);
  });
});

describe('A queued delivery', () => {
  let one: Subscribed;
  let path: string;
  beforeEach(async () => {
    one = await hooks.subscribe();
    hooks.receiver.answer = answerWith(500);
    const person = await hooks.addPerson('First');
    await hooks.arrived(1);
    await hooks.rename(person, 'Second');
    await expect.poll(async () => await stored(one, 'Status')).toEqual([500, null]);
    path = `/WebhookDeliveries(${(await stored(one, 'Uid'))[0]})`;
    hooks.receiver.answer = answerWith(204);
  });

  it('is sent at once by Retry', async () => {
    expect((await call(path, 'Retry')).status).toBe(204);
    await hooks.arrived(3);
    await expect.poll(async () => await stored(one, 'State')).toEqual(['delivered', 'delivered']);
    expect((await call(path, 'Retry')).status).toBe(409);
  });

  it('lets later ones pass by Cancel', async () => {
    expect((await call(path, 'Cancel')).status).toBe(204);
    await hooks.arrived(2);
    expect(names()).toEqual(['First', 'Second']);
    await expect.poll(async () => await stored(one, 'State')).toEqual(['cancelled', 'delivered']);
    const [{ Finished }] = await hooks.deliveries(one);
    expect(Finished).not.toBeNull();
  });

  it.each([{ State: 'delivered' }, { State: 'failed' }, { NextAttempt: '2030-01-01T00:00:00Z' }])(
    'cannot be changed otherwise: %o',
    async (body) => {
      const { status, json } = await hooks.desk.send('PATCH', path, { body });
      expect([status, json.error.code]).toEqual([409, 'webhook.delivery']);
    },
  );
});
