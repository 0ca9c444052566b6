// This file has the service call a URL when an asynchronous request is finished, or when a delta link has changes. OData 4.01 Protocol,
// "Preference callback (odata.callback)".
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Desk, DeskAnswer } from './desk.ts';
import { answerWith, openWebhookDesk, type WebhookDesk } from './webhook-desk.ts';

let hooks: WebhookDesk;
let desk: Desk;
beforeAll(async () => {
  hooks = await openWebhookDesk({ callbacks: 3 });
  desk = hooks.desk;
});
afterEach(async () => {
  // Callbacks that wait end with a change; those in the queue are delivered or cancelled by their tests.
  await hooks.reset();
});
afterAll(async () => await hooks.close());

/** A URL of the receiver that tells the tests apart. */
const urlOf = (name: string) => `${hooks.receiver.url}?for=${name}`;
const callback = (name: string) => `callback; url="${urlOf(name)}"`;
const callsFor = (name: string) =>
  hooks.receiver.received.filter(({ path }) => path.endsWith(`?for=${name}`));
const untilCalled = async (name: string, count = 1) =>
  await expect.poll(() => callsFor(name).length, { timeout: 10_000 }).toBe(count);

type Client = Pick<Desk, 'get' | 'send'>;

const readLater = async (prefer: string, client: Client = desk): Promise<DeskAnswer> =>
  await client.get('/Persons?$top=1&$select=Uid', { prefer });

/** A delta link that has no changes yet. */
async function freshLink(path: string, client: Client = desk): Promise<string> {
  const { json } = await client.get(path, { prefer: 'odata.track-changes' });
  return json['@odata.deltaLink'];
}

/** Waits until the deliveries have looked at all changes so far: they notify about a later one of another link. */
async function untilLooked(): Promise<void> {
  const link = await freshLink('/Persons?$select=LastName');
  expect((await desk.get(link, { prefer: callback('marker') })).status).toBe(202);
  const before = callsFor('marker').length;
  await hooks.addPerson('Marker');
  await untilCalled('marker', before + 1);
}

const deliveries = async (filter: string) =>
  (await desk.get(`/WebhookDeliveries?$filter=${encodeURIComponent(filter)}&$expand=Subscription`))
    .json.value;

describe('a callback for an asynchronous request', () => {
  it('is a GET without content, after which the status monitor has the response', async () => {
    const statuses: number[] = [];
    let monitor = '';
    hooks.receiver.answer = (_, response) => {
      void desk.get(monitor, { 'odata-maxversion': '4.01' }).then(({ status }) => {
        statuses.push(status);
        response.writeHead(204).end();
      });
    };
    const { status, headers } = await readLater(`respond-async, odata.${callback('later')}`);
    monitor = String(headers.location);
    expect([status, headers['preference-applied']]).toEqual([202, 'respond-async, odata.callback']);
    await untilCalled('later');
    await expect.poll(() => statuses).toEqual([200]);
    const [call] = callsFor('later');
    expect([call?.method, call?.text, call?.headers['content-length']]).toEqual([
      'GET',
      '',
      undefined,
    ]);
    expect(call?.headers['user-agent']).toBe('Docket/1.2.3');
    expect(call?.headers).not.toHaveProperty('authorization');
    await untilLooked();
    expect(callsFor('later')).toHaveLength(1);
  });

  it('is sent again until it is accepted, and is in the delivery log', async () => {
    hooks.receiver.answer = answerWith(503, 'not yet');
    const { headers } = await readLater(`respond-async, ${callback('again')}`);
    await untilCalled('again');
    const filter = `Subject eq '${String(headers.location).slice(desk.root.length)}'`;
    await expect.poll(async () => (await deliveries(filter))[0]?.Attempts).toBe(1);
    expect(await deliveries(filter)).toMatchObject([
      {
        Type: 'docket.callback.request',
        State: 'queued',
        Status: 503,
        Response: 'not yet',
        Subscription: null,
      },
    ]);
    hooks.receiver.answer = answerWith(200);
    const [{ Uid }] = await deliveries(filter);
    const retry = `/WebhookDeliveries(${Uid})/Docket.System.Retry`;
    expect((await desk.send('POST', retry, { body: {} })).status).toBe(204);
    await untilCalled('again', 2);
    await expect.poll(async () => (await deliveries(filter))[0]?.State).toBe('delivered');
  });

  it('fails for good with 410, and is cancelled by request', async () => {
    hooks.receiver.answer = answerWith(410);
    const gone = await readLater(`respond-async, ${callback('gone')}`);
    const ofGone = `Subject eq '${String(gone.headers.location).slice(desk.root.length)}'`;
    await expect
      .poll(async () => (await deliveries(ofGone))[0]?.State, { timeout: 10_000 })
      .toBe('failed');
    hooks.receiver.answer = answerWith(500);
    const other = await readLater(`respond-async, ${callback('cancelled')}`);
    await untilCalled('cancelled');
    const ofOther = `Subject eq '${String(other.headers.location).slice(desk.root.length)}'`;
    await expect.poll(async () => (await deliveries(ofOther))[0]?.Attempts).toBe(1);
    const [{ Uid }] = await deliveries(ofOther);
    const cancel = `/WebhookDeliveries(${Uid})/Docket.System.Cancel`;
    expect((await desk.send('POST', cancel, { body: {} })).status).toBe(204);
    expect(await deliveries(ofOther)).toMatchObject([{ State: 'cancelled' }]);
  });

  it('is not applied where the client gets the response itself', async () => {
    const { status, headers } = await readLater(`respond-async, wait=20, ${callback('waited')}`);
    expect([status, headers['preference-applied']]).toEqual([200, undefined]);
    expect((await readLater(callback('waited'))).headers).not.toHaveProperty('preference-applied');
    await untilLooked();
    expect(callsFor('waited')).toEqual([]);
  });

  it.each([
    ['no URL', 'callback', 'it has no url'],
    ['a private address', 'callback; url="https://10.1.2.3/"', '10.1.2.3 is a private'],
    ['http', 'callback; url="http://192.88.98.1/"', 'http is permitted for addresses in'],
    ['another scheme', 'callback; url="ftp://example.com/"', 'its scheme is not https'],
    ['credentials', 'callback; url="https://a:b@example.com/"', 'it contains credentials'],
  ])('with %s is ignored, or rejected with handling=strict', async (_, preference, reason) => {
    const ignored = await readLater(`respond-async, ${preference}`);
    expect([ignored.status, ignored.headers['preference-applied']]).toEqual([202, 'respond-async']);
    const strict = await readLater(`respond-async, handling=strict, ${preference}`);
    expect([strict.status, strict.json.error.code]).toEqual([400, 'webhook.callback']);
    expect(strict.json.error.message).toContain(reason);
    expect(strict.json.error.target).toBe('Prefer');
  });
});

describe('a callback for a delta link', () => {
  it('is answered with 202 and the link, which has the changes when the URL is called', async () => {
    const link = await freshLink('/Persons?$select=LastName&$filter=LastName ne null');
    const { status, headers, text } = await desk.get(link, { prefer: callback('delta') });
    expect([status, text, headers['preference-applied']]).toEqual([202, '', 'callback']);
    expect(headers['odata-version']).toBe('4.0');
    const later = String(headers.location);
    expect(later).toContain('$deltatoken=');
    await desk.send('POST', '/ServiceRequests', { body: { Description: 'Of another set' } });
    await untilLooked();
    // The marker was a person: the link has changed.
    await untilCalled('delta');
    const changes = await desk.get(later);
    expect(changes.json.value.map(({ LastName }: { LastName: string }) => LastName)).toEqual([
      'Marker',
    ]);
    await untilLooked();
    expect(callsFor('delta')).toHaveLength(1);
  });

  it('is not called for changes that the link does not show', async () => {
    const link = await freshLink('/Problems?$select=Description');
    expect((await desk.get(link, { prefer: callback('quiet') })).status).toBe(202);
    await untilLooked();
    expect(callsFor('quiet')).toEqual([]);
    await desk.send('POST', '/Problems', { body: { Description: 'Loud' } });
    await untilCalled('quiet');
  });

  it('is not applied to a link that has changes already', async () => {
    const link = await freshLink('/Persons?$select=LastName');
    await hooks.addPerson('Early');
    const { status, headers, json } = await desk.get(link, { prefer: callback('early') });
    expect([status, json.value.length, headers['preference-applied']]).toEqual([200, 1, undefined]);
    await untilLooked();
    expect(callsFor('early')).toEqual([]);
  });

  it('is made once for a URL that a client names several times', async () => {
    const link = await freshLink('/Problems?$select=Description');
    for (let times = 0; times < 5; times++)
      expect((await desk.get(link, { prefer: callback('same') })).status).toBe(202);
    await desk.send('POST', '/Problems', { body: { Description: 'Once' } });
    await untilCalled('same');
    await untilLooked();
    expect(callsFor('same')).toHaveLength(1);
  });

  it('of an asynchronous request waits for changes if the response has none', async () => {
    const link = await freshLink('/Problems?$select=Description');
    const { status, headers } = await desk.get(link, {
      prefer: `respond-async, ${callback('both')}`,
    });
    expect([status, headers['preference-applied']]).toEqual([202, 'respond-async, callback']);
    await expect
      .poll(
        async () =>
          (await desk.get(String(headers.location), { 'odata-maxversion': '4.01' })).status,
      )
      .toBe(200);
    await untilLooked();
    expect(callsFor('both')).toEqual([]);
    await desk.send('POST', '/Problems', { body: { Description: 'For both' } });
    await untilCalled('both');
  });

  it('is limited in number for each account', async () => {
    const link = await freshLink('/Problems?$select=Description');
    const ask = async (name: string, strict = '') =>
      await desk.get(link, { prefer: `${strict}${callback(name)}` });
    for (const name of ['one', 'two', 'three']) expect((await ask(name)).status).toBe(202);
    expect((await ask('four')).status).toBe(200);
    const strict = await ask('five', 'handling=strict, ');
    expect([strict.status, strict.json.error.code]).toEqual([429, 'webhook.callbacks']);
    await desk.send('POST', '/Problems', { body: { Description: 'Enough' } });
    for (const name of ['one', 'two', 'three']) await untilCalled(name);
    expect((await ask('four')).status).toBe(200);
  });
});

describe('rights', () => {
  it('make a change of what an account may no longer see', async () => {
    const rule = { Entity: 'Problem', Read: true, Filter: "startswith(Description,'Open')" };
    const body = { Name: 'reader of open problems', EntityAccess: [rule] };
    expect((await desk.send('POST', '/Roles', { body })).status).toBe(201);
    const ann = await desk.join({ loginName: 'ann', roles: ['reader of open problems'] });
    const { json } = await desk.send('POST', '/Problems', { body: { Description: 'Open one' } });
    const link = await freshLink('/Problems?$select=Description', ann);
    expect((await ann.get(link, { prefer: callback('ann') })).status).toBe(202);
    await desk.send('POST', '/Problems', { body: { Description: 'Hidden' } });
    await untilLooked();
    expect(callsFor('ann')).toEqual([]);
    const change = { body: { Description: 'Ended' } };
    await desk.send('PATCH', `/Problems(${json.Uid})`, change);
    await untilCalled('ann');
    expect((await ann.get(link)).json.value).toMatchObject([{ reason: 'changed' }]);
  });

  it('decide when there are changes: an account that may no longer read the set is not called', async () => {
    const body = { Name: 'problem reader', EntityAccess: [{ Entity: 'Problem', Read: true }] };
    const { json: role } = await desk.send('POST', '/Roles', { body });
    const eve = await desk.join({ loginName: 'eve', roles: ['problem reader'] });
    const link = await freshLink('/Problems?$select=Description', eve);
    expect((await eve.get(link, { prefer: callback('eve') })).status).toBe(202);
    const noRights = { EntityAccess: [{ Entity: 'Person', Read: true }] };
    expect(
      (await desk.send('PATCH', `/Roles(${role.Uid})`, { body: noRights })).status,
    ).toBeLessThan(300);
    await desk.send('POST', '/Problems', { body: { Description: 'Secret' } });
    await untilLooked();
    expect(callsFor('eve')).toEqual([]);
  });
});
