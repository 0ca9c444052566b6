// This file subscribes to events by webhooks: what a subscription may contain, what arrives, and what happens when a receiver fails.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { answerWith, openWebhookDesk, WEBHOOK_SETTINGS, type WebhookDesk } from './webhook-desk.ts';
import { isSigned } from './webhook-receiver.ts';

const HOUR = 3_600_000;

let hooks: WebhookDesk;
beforeAll(async () => {
  hooks = await openWebhookDesk();
});
afterAll(async () => await hooks?.close());
beforeEach(async () => await hooks.reset());

const stateOf = (row: object) => Reflect.get(row, 'State');

describe('Events', () => {
  it('are signed, and their deliveries are in the log', async () => {
    const one = await hooks.subscribe({ Select: 'Uid,LastName' });
    const person = await hooks.addPerson('Hooked');
    const [message] = await hooks.arrived(1);
    if (message === undefined) return expect.fail();
    expect(isSigned(message, one.secret)).toBe(true);
    expect(isSigned({ ...message, text: `${message.text} ` }, one.secret)).toBe(false);
    expect(message.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'Docket/1.2.3',
    });
    expect(message.json).toMatchObject({
      specversion: '1.0',
      source: hooks.desk.root,
      type: 'docket.Persons.created',
      subject: person,
      data: { LastName: 'Hooked' },
    });
    expect(Object.keys(message.json.data)).not.toContain('FirstName');
    await expect
      .poll(async () => await hooks.deliveries(one))
      .toMatchObject([{ State: 'delivered', Status: 204, Attempts: 1, Request: message.text }]);
    const [{ MessageId, Position, Subject }] = await hooks.deliveries(one);
    expect([MessageId, Position, Subject]).toEqual([
      message.headers['webhook-id'],
      message.json.id,
      person,
    ]);
  });

  it('are those of the filter and the kinds', async () => {
    // Created after the subscription, a person that changes in the same moment would be one event: created.
    const [other, person] = [await hooks.addPerson('Bea'), await hooks.addPerson('Ada')];
    await hooks.subscribe({ Filter: "startswith(LastName,'A')", Kinds: ['updated', 'deleted'] });
    await hooks.addPerson('Ann');
    await hooks.rename(other, 'Bob');
    await hooks.rename(person, 'Amy');
    await hooks.arrived(1);
    expect((await hooks.desk.send('DELETE', `/${person}`)).status).toBe(204);
    const messages = await hooks.arrived(2);
    expect(messages.map(({ json }) => [json.type, json.subject])).toEqual([
      ['docket.Persons.updated', person],
      ['docket.Persons.deleted', person],
    ]);
  });

  it('are sent in batches on request', async () => {
    const one = await hooks.subscribe({ Format: 'batched', Select: 'LastName' });
    const requests = ['Ann', 'Ben'].map((LastName, index) => ({
      id: String(index),
      method: 'post',
      url: 'Persons',
      atomicityGroup: 'all',
      body: { LastName },
    }));
    expect((await hooks.desk.send('POST', '/$batch', { body: { requests } })).status).toBe(200);
    const [message] = await hooks.arrived(1);
    if (message === undefined) return expect.fail();
    expect(isSigned(message, one.secret)).toBe(true);
    expect(message.headers['content-type']).toBe(
      'application/cloudevents-batch+json; charset=utf-8',
    );
    const names = message.json.map(({ data }: { data: { LastName: string } }) => data.LastName);
    expect(names).toEqual(['Ann', 'Ben']);
  });

  it('wait until there is a secret', async () => {
    const body = { Url: hooks.receiver.url, EntitySet: 'Persons' };
    const { json } = await hooks.desk.send('POST', '/WebhookSubscriptions', { body });
    const path = `/WebhookSubscriptions(${json.Uid})`;
    const refused = await hooks.desk.send('POST', `${path}/Docket.System.Test`, { body: {} });
    expect([refused.status, refused.json.error.code]).toEqual([409, 'webhook.secret']);
    await hooks.addPerson('Early');
    await hooks.rotate(path);
    const [message] = await hooks.arrived(1);
    expect(message?.json.data.LastName).toBe('Early');
  });

  it('have the signatures of both secrets after a rotation, until the previous one ends', async () => {
    const { path, secret } = await hooks.subscribe();
    const second = await hooks.rotate(path);
    expect(second).not.toBe(secret);
    await hooks.addPerson('Twice');
    const [message] = await hooks.arrived(1);
    if (message === undefined) return expect.fail();
    expect([secret, second].map((one) => isSigned(message, one))).toEqual([true, true]);
    hooks.pass(25 * HOUR);
    await hooks.addPerson('Once');
    const [, later] = await hooks.arrived(2);
    const signatures = String(later?.headers['webhook-signature']).split(' ');
    expect([signatures.length, signatures[0]?.slice(0, 3)]).toEqual([1, 'v1,']);
  });
});

describe('A receiver that fails', () => {
  it('gets each message again, and those about one entity in order', async () => {
    const one = await hooks.subscribe();
    hooks.receiver.answer = answerWith(503, 'not now');
    const person = await hooks.addPerson('First');
    await hooks.arrived(1);
    await hooks.rename(person, 'Second');
    const other = await hooks.addPerson('Other');
    await hooks.arrived(2);
    await expect
      .poll(async () =>
        (await hooks.deliveries(one)).map((row: object) => Reflect.get(row, 'Status')),
      )
      .toEqual([503, null, 503]);
    const [row] = await hooks.deliveries(one);
    expect(row).toMatchObject({ State: 'queued', Attempts: 1, Response: 'not now' });
    const wait = Date.parse(row.NextAttempt) - Date.parse(row.LastAttempt);
    expect(wait).toBeGreaterThan(3000);
    expect(wait).toBeLessThan(7000);
    hooks.receiver.answer = answerWith(200);
    hooks.pass(10_000);
    const messages = (await hooks.arrived(5)).slice(2);
    const shown = messages.map(({ json }) => [json.subject, json.type.replace(/.*\./, '')]);
    expect(shown.filter(([subject]) => subject === person)).toEqual([
      [person, 'created'],
      [person, 'updated'],
    ]);
    expect(shown.filter(([subject]) => subject === other)).toEqual([[other, 'created']]);
    const [first, , again] = hooks.receiver.received;
    expect(new Set([first, again].map((each) => each?.headers['webhook-id'])).size).toBe(1);
  });

  it.each([
    ['structured', 'batched'],
    ['batched', 'structured'],
  ])(
    'gets a message that is queued as %s in this form after a change to %s',
    async (before, after) => {
      const one = await hooks.subscribe({ Format: before, Select: 'LastName' });
      hooks.receiver.answer = answerWith(500);
      const person = await hooks.addPerson('Kept');
      await hooks.arrived(1);
      await expect
        .poll(async () => (await hooks.deliveries(one)).map(({ Status }) => Status))
        .toEqual([500]);
      const changed = await hooks.desk.send('PATCH', one.path, { body: { Format: after } });
      expect(changed.status).toBe(204);
      hooks.receiver.answer = answerWith(204);
      hooks.pass(10_000);
      await hooks.arrived(2);
      const other = await hooks.addPerson('New');
      const [, again, next] = await hooks.arrived(3);
      const shown = [again, next].map((message) => [
        message?.headers['content-type'],
        [message?.json].flat().map(({ subject }) => subject),
        Array.isArray(message?.json),
      ]);
      const types = {
        structured: 'application/cloudevents+json; charset=utf-8',
        batched: 'application/cloudevents-batch+json; charset=utf-8',
      };
      expect(shown).toEqual([
        [types[before as 'batched'], [person], before === 'batched'],
        [types[after as 'batched'], [other], after === 'batched'],
      ]);
    },
  );

  it('gets current content later, and nothing that the owner may no longer see', async () => {
    const one = await hooks.subscribe({ Select: 'LastName' });
    hooks.receiver.answer = answerWith(500);
    const [kept, gone] = [await hooks.addPerson('Kept'), await hooks.addPerson('Gone')];
    await hooks.arrived(2);
    await expect
      .poll(async () => (await hooks.deliveries(one)).map(({ Status }) => Status))
      .toEqual([500, 500]);
    await hooks.rename(kept, 'Changed');
    expect((await hooks.desk.send('DELETE', `/${gone}`)).status).toBe(204);
    hooks.receiver.answer = answerWith(204);
    hooks.pass(10_000);
    const messages = (await hooks.arrived(5)).slice(2).map(({ json }) => json);
    const about = (subject: string) => messages.filter((json) => json.subject === subject);
    expect(about(kept).map(({ data }) => data.LastName)).toEqual(['Changed', 'Changed']);
    expect(about(kept)[0].data).toEqual(about(kept)[1].data);
    expect(about(gone).map(({ type }) => type)).toEqual(['docket.Persons.deleted']);
    await expect
      .poll(async () => (await hooks.deliveries(one)).map(stateOf))
      .toEqual(['delivered', 'cancelled', 'delivered', 'delivered']);
  });

  it('ends the subscription by 410', async () => {
    const one = await hooks.subscribe();
    hooks.receiver.answer = answerWith(410);
    await hooks.addPerson('Last');
    await hooks.untilState(one, 'disabled');
    expect((await hooks.subscription(one)).Reason).toContain('410');
    const audit = "/AuditEntries?$filter=contains(Detail,'410')&$orderby=Uid desc&$top=1";
    const { json } = await hooks.desk.get(audit);
    expect(`/${json.value[0].Target}`).toBe(one.path);
    expect(hooks.observed).toContainEqual(expect.objectContaining({ kind: 'webhook disabled' }));
    await hooks.addPerson('Unseen');
    hooks.receiver.answer = answerWith(204);
    expect((await hooks.desk.send('PATCH', one.path, { body: { State: 'active' } })).status).toBe(
      204,
    );
    await hooks.arrived(3);
    expect(await hooks.subscription(one)).toMatchObject({ State: 'active', Reason: null });
  });

  it('ends the subscription after three days', async () => {
    const one = await hooks.subscribe();
    hooks.receiver.answer = answerWith(400, 'bad');
    await hooks.addPerson('Never');
    await hooks.arrived(1);
    await expect.poll(async () => (await hooks.deliveries(one))[0]?.Attempts).toBe(1);
    hooks.pass(71 * HOUR);
    await hooks.arrived(2);
    await expect.poll(async () => (await hooks.deliveries(one))[0]?.Attempts).toBe(2);
    expect((await hooks.subscription(one)).State).toBe('active');
    hooks.pass(2 * HOUR);
    await hooks.untilState(one, 'disabled');
    expect((await hooks.subscription(one)).Reason).toContain('72 hours; last: status 400');
  });

  it('cannot redirect messages', async () => {
    const one = await hooks.subscribe();
    hooks.receiver.answer = ({ path }, response) =>
      void response.writeHead(path === '/hook' ? 307 : 204, { location: '/elsewhere' }).end();
    await hooks.addPerson('Direct');
    await expect.poll(async () => (await hooks.deliveries(one))[0]?.Status).toBe(307);
    expect(hooks.receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('delays neither other subscriptions nor writers when it is slow', async () => {
    const slow = await hooks.subscribe({ Url: `${hooks.receiver.url}/slow` });
    await hooks.subscribe();
    let [open, most] = [0, 0];
    hooks.receiver.answer = ({ path }, response) => {
      if (path === '/hook') return void response.writeHead(204).end();
      most = Math.max(most, ++open);
      response.on('close', () => open--);
    };
    for (let index = 0; index < 8; index++) await hooks.addPerson(`Slow ${index}`);
    const fast = () => hooks.receiver.received.filter(({ path }) => path === '/hook').length;
    await expect.poll(fast).toBe(8);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(WEBHOOK_SETTINGS.connections);
    await expect
      .poll(async () => (await hooks.deliveries(slow))[0]?.Response, { timeout: 10_000 })
      .toBe('no response within 1 seconds');
  });
});

it('Deliveries end while the database is away, which is reported', async () => {
  const { subscribe, addPerson, arrived, loseDatabase, close, observed } = await openWebhookDesk();
  await subscribe();
  await addPerson('Last');
  await arrived(1);
  loseDatabase();
  await close();
  expect(observed).toContainEqual(
    expect.objectContaining({ id: 'webhooks', error: expect.any(Fault) }),
  );
});
