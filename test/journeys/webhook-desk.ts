// This file opens a desk that delivers webhooks to a receiver in this process, for tests.
import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Observation } from '../../src/base/observation.ts';
import type { Database } from '../../src/store/database.ts';
import { startWebhooks, type WebhookSettings } from '../../src/webhooks/start-webhooks.ts';
import { type Desk, openDesk } from './desk.ts';
import { type ReceivedWebhook, startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const WEBHOOK_SETTINGS: WebhookSettings = {
  allowedRanges: ['127.0.0.1'],
  connections: 4,
  timeoutSeconds: 1,
  retryHours: 72,
  logDays: 7,
};

type Client = Pick<Desk, 'get' | 'send'>;

export interface Subscribed {
  readonly path: string;
  readonly secret: string;
}

export interface WebhookDesk {
  readonly desk: Desk;
  readonly receiver: WebhookReceiver;
  readonly observed: readonly Observation[];
  /** Moves the clock of the deliveries. Milliseconds. */
  readonly pass: (time: number) => void;
  /** The deliveries cannot write any more, as if the database was away. */
  readonly loseDatabase: () => void;
  /** Subscribes to persons, or what else the body names, and makes a secret. */
  readonly subscribe: (body?: object, client?: Client) => Promise<Subscribed>;
  readonly rotate: (path: string, client?: Client) => Promise<string>;
  /** Creates a person and returns its URL, relative to the service root. */
  readonly addPerson: (LastName: string) => Promise<string>;
  readonly rename: (person: string, LastName: string) => Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
  readonly deliveries: (one: Pick<Subscribed, 'path'>) => Promise<readonly any[]>;
  // biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
  readonly subscription: (one: Pick<Subscribed, 'path'>) => Promise<any>;
  readonly untilState: (one: Subscribed, state: string) => Promise<void>;
  /** Waits until so many messages have arrived, and returns them. */
  readonly arrived: (count: number) => Promise<readonly ReceivedWebhook[]>;
  /** Removes all subscriptions and what has arrived. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const answerWith =
  (status: number, text = '') =>
  (_: ReceivedWebhook, response: ServerResponse) =>
    void response.writeHead(status).end(text);

/** @param limits for an account */
export async function openWebhookDesk(
  limits: { readonly subscriptions?: number; readonly callbacks?: number } = {},
): Promise<WebhookDesk> {
  const webhooks = { allowedRanges: ['127.0.0.1'], ...limits };
  const desk = await openDesk({ settings: { webhooks } });
  const receiver = await startReceiver();
  const observed: Observation[] = [];
  let ahead = 0;
  let isAway = false;
  const { database, world } = desk.service;
  const write: Database['write'] = async (start) => {
    if (isAway) throw new Fault('store.unavailable', {});
    return await database.write(start);
  };
  const service = Object.create(desk.service, {
    observe: { value: (one: Observation) => void observed.push(one) },
    database: { value: Object.create(database, { write: { value: write } }) },
    world: { value: { ...world, now: () => world.now() + ahead } },
  });
  const place = { root: desk.root, version: '1.2.3', interval: 20 };
  const stop = startWebhooks(service, WEBHOOK_SETTINGS, place);
  const created = async (path: string, body: object, client: Client = desk) => {
    const { status, json, text } = await client.send('POST', path, { body });
    expect([200, 201], text).toContain(status);
    return json;
  };
  const rotate: WebhookDesk['rotate'] = async (path, client) =>
    (await created(`${path}/Docket.System.RotateSecret`, {}, client)).value;
  const subscription: WebhookDesk['subscription'] = async ({ path }) => (await desk.get(path)).json;
  return {
    ...{ desk, receiver, observed, rotate, subscription },
    pass: (time) => {
      ahead += time;
    },
    loseDatabase: () => {
      isAway = true;
    },
    subscribe: async (body = {}, client = desk) => {
      const whole = { Url: receiver.url, EntitySet: 'Persons', ...body };
      const { Uid } = await created('/WebhookSubscriptions', whole, client);
      const path = `/WebhookSubscriptions(${Uid})`;
      return { path, secret: await rotate(path, client) };
    },
    addPerson: async (LastName) => `Persons(${(await created('/Persons', { LastName })).Uid})`,
    rename: async (person, LastName) =>
      expect((await desk.send('PATCH', `/${person}`, { body: { LastName } })).status).toBe(204),
    deliveries: async ({ path }) =>
      (await desk.get(`${path}/Deliveries?$orderby=Uid`)).json.value ?? [],
    untilState: async (one, state) =>
      await expect
        .poll(async () => (await subscription(one)).State, { timeout: 10_000 })
        .toBe(state),
    arrived: async (count) => {
      await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(count);
      return receiver.received;
    },
    reset: async () => {
      const { json } = await desk.get('/WebhookSubscriptions?$select=Uid');
      for (const { Uid } of json.value) await desk.send('DELETE', `/WebhookSubscriptions(${Uid})`);
      receiver.received.length = 0;
      receiver.answer = answerWith(204);
    },
    close: async () => {
      await stop();
      await receiver.close();
      await desk.close();
    },
  };
}
