// This file tries who may subscribe to what: rights are those of the owner at the time of delivery, mistakes are reported together, and
// nobody reads a secret.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeKnown } from '../../src/plan/read/known-records.ts';
import { addressesIn, readDeltaToken } from '../../src/plan/read/tokens.ts';
import type { Desk } from './desk.ts';
import { answerWith, openWebhookDesk, type WebhookDesk } from './webhook-desk.ts';

type Client = Pick<Desk, 'get' | 'send'>;

let hooks: WebhookDesk;
let ada: Client;
let bob: Client;
/** Has no right to subscriptions. */
let eve: Client;
let reader: number;
beforeAll(async () => {
  hooks = await openWebhookDesk({ subscriptions: 3 });
  const { desk } = hooks;
  const role = async (body: object) => {
    const { status, json, text } = await desk.send('POST', '/Roles', { body });
    expect(status, text).toBe(201);
    return json.Uid;
  };
  const all = { Read: true, Create: true, Change: true, Delete: true };
  await role({
    Name: 'subscriber',
    EntityAccess: [
      { Entity: 'WebhookSubscription', ...all },
      { Entity: 'WebhookDelivery', Read: true, Change: true },
    ],
  });
  reader = await role({
    Name: 'reader of persons',
    EntityAccess: [{ Entity: 'Person', Read: true }],
    AttributeAccess: [{ Entity: 'Person', Attribute: 'Jobtitle', Read: false }],
  });
  await role({
    Name: 'reader of own',
    EntityAccess: [{ Entity: 'Person', Read: true, Filter: 'Uid eq $me' }],
  });
  ada = await desk.join({ loginName: 'ada', roles: ['subscriber', 'reader of persons'] });
  bob = await desk.join({ loginName: 'bob', roles: ['subscriber', 'reader of own'] });
  eve = await desk.join({ loginName: 'eve', roles: ['reader of persons'] });
});
afterAll(async () => await hooks?.close());
beforeEach(async () => await hooks.reset());

const NEW = { EntitySet: 'Persons' };

async function tryTo(client: Client, body: object) {
  const whole = { Url: hooks.receiver.url, ...NEW, ...body };
  const { status, json } = await client.send('POST', '/WebhookSubscriptions', { body: whole });
  return { status, error: json.error };
}

describe('An account', () => {
  it('needs a right to subscribe', async () => {
    const { status, error } = await tryTo(eve, {});
    expect([status, error.code]).toEqual([403, 'access.write']);
    expect((await eve.get('/WebhookSubscriptions')).status).toBe(403);
  });

  it('has only its own subscriptions and deliveries', async () => {
    const one = await hooks.subscribe({}, ada);
    await hooks.addPerson('Of Ada');
    await hooks.arrived(1);
    await expect.poll(async () => (await hooks.deliveries(one))[0]?.State).toBe('delivered');
    const [{ Uid }] = await hooks.deliveries(one);
    const delivery = `/WebhookDeliveries(${Uid})`;
    expect((await hooks.subscription(one)).Owner).toBe('ada');
    const shown = async (client: Client) => [
      (await client.get(one.path)).status,
      (await client.get(delivery)).status,
      (await client.get('/WebhookDeliveries?$count=true&$top=0')).json['@odata.count'],
    ];
    expect(await shown(ada)).toEqual([200, 200, 1]);
    expect(await shown(bob)).toEqual([404, 404, 0]);
    for (const name of ['RotateSecret', 'Test', 'Replay']) {
      const body = name === 'Replay' ? { From: '0' } : {};
      const path = `${one.path}/Docket.System.${name}`;
      expect((await bob.send('POST', path, { body })).status, name).toBe(404);
      expect((await eve.send('POST', path, { body })).status, name).toBe(403);
    }
    const change = { body: { Url: 'https://bob.example/' } };
    expect((await bob.send('PATCH', one.path, change)).status).toBe(404);
    expect((await bob.send('DELETE', one.path)).status).toBe(404);
  });

  it('cannot follow what it may not read', async () => {
    const codes = async (client: Client, body: object) => {
      const { status, error } = await tryTo(client, body);
      return [status, error?.code, error?.target];
    };
    expect(await codes(ada, { EntitySet: 'ServiceRequests' })).toEqual([
      ...[400, 'webhook.watch', 'EntitySet'],
    ]);
    expect(await codes(ada, { Filter: "Jobtitle eq 'x'" })).toEqual([
      ...[400, 'webhook.query', 'Filter'],
    ]);
    expect(await codes(ada, { Select: 'LastName' })).toEqual([201, undefined, undefined]);
  });

  it('has at most so many subscriptions', async () => {
    for (let index = 0; index < 3; index++) expect((await tryTo(ada, {})).status).toBe(201);
    const { status, error } = await tryTo(ada, {});
    expect([status, error.code]).toEqual([409, 'webhook.limit']);
    expect((await tryTo(hooks.desk, {})).status).toBe(201);
  });
});

describe('Rights at the time of delivery', () => {
  it('decide what an event contains', async () => {
    await hooks.subscribe({}, ada);
    await hooks.desk.send('POST', '/Persons', { body: { LastName: 'L', Jobtitle: 'hidden' } });
    const [message] = await hooks.arrived(1);
    expect(message?.json.data.LastName).toBe('L');
    expect(message?.text).not.toContain('hidden');
  });

  it('end a subscription whose set may no longer be read', async () => {
    const one = await hooks.subscribe({}, ada);
    hooks.receiver.answer = answerWith(500);
    const person = await hooks.addPerson('Seen');
    await hooks.arrived(1);
    await expect.poll(async () => (await hooks.deliveries(one))[0]?.Status).toBe(500);
    const { json } = await hooks.desk.get(`/Roles(${reader})/EntityAccess`);
    const access = `/Roles(${reader})/EntityAccess(${json.value[0].Uid})`;
    const read = async (Read: boolean) =>
      expect((await hooks.desk.send('PATCH', access, { body: { Read } })).status).toBe(204);
    await read(false);
    hooks.receiver.answer = answerWith(204);
    hooks.pass(10_000);
    await expect.poll(async () => (await hooks.deliveries(one))[0]?.State).toBe('cancelled');
    await hooks.rename(person, 'Unseen');
    await hooks.untilState(one, 'disabled');
    expect((await hooks.subscription(one)).Reason).toMatch(/may not read/);
    expect(hooks.receiver.received.length).toBe(1);
    await read(true);
  });

  it.each([
    ['kay', 'blocked', { Blocked: true }],
    ['kira', 'renamed', { LoginName: 'kate' }],
  ])('end a subscription whose account %s is %s', async (loginName, reason, body) => {
    const owner = await hooks.desk.join({ loginName, roles: ['administrator'] });
    const one = await hooks.subscribe({}, owner);
    const { json } = await hooks.desk.get(`/Accounts?$filter=LoginName eq '${loginName}'`);
    const account = `/Accounts(${json.value[0].Uid})`;
    expect((await hooks.desk.send('PATCH', account, { body })).status).toBe(204);
    await hooks.addPerson('Unseen');
    await hooks.untilState(one, 'disabled');
    const { Reason } = await hooks.subscription(one);
    expect(Reason).toContain(loginName);
    expect(Reason).toContain(reason);
    const active = { body: { State: 'active' } };
    const { status, json: refused } = await hooks.desk.send('PATCH', one.path, active);
    expect([status, refused.error.code]).toEqual([409, 'webhook.owner']);
    expect(hooks.receiver.received).toEqual([]);
  });

  it('are at most those of the API key that has made the subscription', async () => {
    const kay = await hooks.desk.join({
      loginName: 'key owner',
      roles: ['subscriber', 'reader of persons', 'administrator'],
    });
    const body = { Name: 'hook', Roles: ['subscriber', 'reader of persons'] };
    const { json } = await kay.send('POST', '/CreateApiKey', { body });
    const authorization = `Bearer ${json.value}`;
    const byKey: Client = {
      get: async (path) => await hooks.desk.as('anonymous').get(path, { authorization }),
      send: async (method, path, message) =>
        await hooks.desk
          .as('anonymous')
          .send(method, path, { ...message, headers: { authorization } }),
    };
    expect((await tryTo(byKey, { EntitySet: 'ServiceRequests' })).error.code).toBe('webhook.watch');
    await hooks.subscribe({}, byKey);
    const person = { LastName: 'L', Jobtitle: 'hidden' };
    await hooks.desk.send('POST', '/Persons', { body: person });
    const [message] = await hooks.arrived(1);
    expect(message?.text).not.toContain('hidden');
  });
});

describe('An account that may read some records', () => {
  let zoe: Client;
  let role: string;
  const setFilter = async (Filter: string) => {
    const { json } = await hooks.desk.get(`${role}/EntityAccess`);
    const access = `${role}/EntityAccess(${json.value[0].Uid})`;
    expect((await hooks.desk.send('PATCH', access, { body: { Filter } })).status).toBe(204);
  };
  beforeAll(async () => {
    const Filter = "startswith(LastName,'Seen')";
    const EntityAccess = [{ Entity: 'Person', Read: true, Filter }];
    const body = { Name: 'seer', EntityAccess };
    role = `/Roles(${(await hooks.desk.send('POST', '/Roles', { body })).json.Uid})`;
    zoe = await hooks.desk.join({ loginName: 'zoe', roles: ['subscriber', 'seer'] });
  });
  const told = () =>
    hooks.receiver.received.map(({ json }) => `${json.type.split('.')[2]} ${json.subject}`);
  const untilTold = async (...expected: string[]) =>
    await expect.poll(told, { timeout: 10_000 }).toEqual(expected);
  const remove = async (person: string) =>
    expect((await hooks.desk.send('DELETE', `/${person}`)).status).toBe(204);

  it('is told what leaves the visible records, and nothing about what it has never seen', async () => {
    const [leaves, goes] = [await hooks.addPerson('Seen 1'), await hooks.addPerson('Seen 2')];
    const other = await hooks.addPerson('Hidden');
    await hooks.subscribe({}, zoe);
    await hooks.rename(leaves, 'Seen, changed');
    await untilTold(`updated ${leaves}`);
    await hooks.rename(other, 'Hidden, changed');
    await hooks.rename(leaves, 'Left');
    await untilTold(`updated ${leaves}`, `removed ${leaves}`);
    expect(hooks.receiver.received[1]?.json.data).toEqual({
      '@removed': { reason: 'changed' },
      '@id': leaves,
    });
    await hooks.rename(leaves, 'Left, changed');
    await remove(other);
    await remove(goes);
    const first = [`updated ${leaves}`, `removed ${leaves}`, `removed ${goes}`];
    await untilTold(...first);
    await hooks.rename(leaves, 'Seen again');
    await untilTold(...first, `updated ${leaves}`);
    await hooks.rename(leaves, 'Left again');
    await untilTold(...first, `updated ${leaves}`, `removed ${leaves}`);
    const text = JSON.stringify(hooks.receiver.received.map((one) => one.text));
    for (const hidden of [other, 'Hidden', 'Left']) expect(text).not.toContain(hidden);
  });

  it('continues a delta link without a gap, and cannot observe what it writes into the link', async () => {
    const [leaves, stays] = [await hooks.addPerson('Seen 1'), await hooks.addPerson('Seen 2')];
    const hidden = await hooks.addPerson('Hidden');
    const asked = { prefer: 'track-changes' };
    const first = await zoe.get("/Persons?$select=Uid&$filter=LastName ne ''", asked);
    const link: string = first.json['@odata.deltaLink'];
    const token = /deltatoken=([^&]+)/.exec(link)?.[1] ?? '';
    const addresses = addressesIn(readDeltaToken(token)) ?? [];
    expect(addresses).toEqual(expect.arrayContaining([leaves, stays]));
    const forged = token.replace(/k[\w-]+$/, `k${writeKnown([...addresses, hidden])}`);
    await hooks.rename(leaves, 'Left');
    const one = await hooks.subscribe({ State: 'paused' }, zoe);
    const send = async (method: string, path: string, body: object) =>
      expect((await zoe.send(method, path, { body })).status).toBeLessThan(300);
    await send('POST', `${one.path}/Docket.System.Replay`, { From: forged });
    await send('PATCH', one.path, { State: 'active' });
    await hooks.arrived(2);
    expect(told().sort()).toEqual([`removed ${leaves}`, `removed ${hidden}`].sort());
    await hooks.rename(hidden, 'Hidden, changed');
    await remove(hidden);
    await hooks.rename(stays, 'Seen 3');
    await hooks.arrived(3);
    expect(told()[2]).toBe(`updated ${stays}`);
  });

  it('is told what its changed rights take away, whatever the state of the subscription was', async () => {
    const [kept, lost] = [await hooks.addPerson('Seen A'), await hooks.addPerson('Seen B')];
    await hooks.subscribe({}, zoe);
    await hooks.rename(kept, 'Seen A1');
    await untilTold(`updated ${kept}`);
    await setFilter("startswith(LastName,'Seen A')");
    await hooks.rename(kept, 'Seen A2');
    await expect.poll(told).toContain(`removed ${lost}`);
    await expect.poll(() => told().at(-1)).toBe(`updated ${kept}`);
    expect(told().filter((entry) => entry.endsWith(lost)).length).toBe(1);
    await setFilter("startswith(LastName,'Seen')");
  });
});

describe('Mistakes', () => {
  it('are reported together, with their places', async () => {
    const { status, error } = await tryTo(hooks.desk, {
      Url: 'http://10.0.0.1/',
      Filter: 'LastName eq ',
      Select: 'Nmae',
      Expand: 'Nowhere',
      Kinds: ['created', 'change'],
    });
    expect([status, error.code]).toEqual([400, 'write.body']);
    const shown = error.details.map(({ code, target }: Record<string, string>) => [code, target]);
    expect(shown).toEqual([
      ['webhook.url', 'Url'],
      ['webhook.kind', 'Kinds'],
      ['webhook.query', 'Filter'],
      ['webhook.query', 'Select'],
      ['webhook.query', 'Expand'],
    ]);
    expect(error.details[2].message).toContain('position');
  });

  it.each([
    ['an unknown set', { EntitySet: 'Person' }, 'webhook.set', 'EntitySet', 'Persons'],
    ['a set of the engine', { EntitySet: 'Accounts' }, 'webhook.watch', 'EntitySet', ''],
    ['no URL', { Url: 'hook' }, 'webhook.url', 'Url', 'absolute'],
    ['another scheme', { Url: 'ftp://a.example/' }, 'webhook.url', 'Url', 'https'],
    ['credentials', { Url: 'https://a:b@a.example/' }, 'webhook.url', 'Url', 'credentials'],
    ['a fragment', { Url: 'https://a.example/#b' }, 'webhook.url', 'Url', 'fragment'],
    ['metadata of a cloud', { Url: 'https://169.254.169.254/' }, 'webhook.url', 'Url', 'private'],
    ['a line break', { Url: 'https://a.example/\nb' }, 'webhook.url', 'Url', 'line break'],
    ['an odd form', { Url: 'https://0xa.0.0.1/' }, 'webhook.url', 'Url', '10.0.0.1'],
    [
      ...(['a feature that is not built', { Expand: 'Attachments($expand=$value)' }] as const),
      ...(['webhook.query', 'Expand', 'not implemented'] as const),
    ],
    ['paging', { Filter: 'true&$top=1' }, 'webhook.query', 'Filter', ''],
  ])('%s', async (_, body, code, target, text) => {
    const { status, error } = await tryTo(hooks.desk, body);
    expect([status, error.code, error.target]).toEqual([400, code, target]);
    expect(error.message).toContain(text);
  });
});

describe('A secret', () => {
  it('is shown once, and nowhere else', async () => {
    const { path, secret } = await hooks.subscribe();
    const second = await hooks.rotate(path);
    await hooks.addPerson('Signed');
    await hooks.arrived(1);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const pages = [path, `${path}?$expand=Deliveries`, '/AuditEntries?$top=100', '/Settings'];
    const texts = await Promise.all(pages.map(async (page) => (await hooks.desk.get(page)).text));
    const logged = JSON.stringify([hooks.observed, texts], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const one of [secret, second]) expect(logged).not.toContain(one.slice(6));
  });

  it('is not returned where responses are stored', async () => {
    const { path } = await hooks.subscribe();
    const url = `${path}/Docket.System.RotateSecret`;
    const repeated = await hooks.desk.send('POST', url, {
      body: {},
      headers: { 'Idempotency-Key': 'secret-1' },
    });
    expect([repeated.status, repeated.json.error.code]).toEqual([400, 'auth.key-alone']);
    const { status, headers } = await hooks.desk.send('POST', url, {
      body: {},
      headers: { Prefer: 'respond-async' },
    });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  });
});
