// This file lets two nodes serve one PostgreSQL database, and kills the one that delivers webhooks: the other one takes over. Each message
// arrives once and in order while nobody is killed, and nothing is lost when somebody is. It runs in `npm run test:all`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docketHere } from '../cli/run-docket.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';
import { type ReceivedWebhook, startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const hasPostgres = SAMPLED_DATABASES.includes('PostgreSQL');
/** Entities, and changes of each before and after the node is killed. */
const PERSONS = 20;
const CHANGES = 4;

let service: Killable;
let receiver: WebhookReceiver;
let folder: string;
let database: string;
let nodes: readonly Serving[] = [];
/** The keys of the entities. */
const uids: number[] = [];
beforeAll(async () => {
  if (!hasPostgres) return;
  database = await postgresUrl();
  service = makeKillable(5, database);
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'docket-nodes-'));
}, 120_000);
afterAll(async () => {
  await Promise.all(nodes.map(kill));
  await receiver?.close();
  service?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

async function send(
  { origin }: Serving,
  token: string,
  [method, path]: readonly [string, string],
  body: object = {},
) {
  const response = await fetch(`${origin}/odata/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text === '' ? undefined : JSON.parse(text);
}

/** The states of each entity that have arrived, in their order. */
function statesBySubject(received: readonly ReceivedWebhook[]): readonly (readonly number[])[] {
  const found = new Map<string, number[]>();
  for (const { json } of received) {
    const { subject, data } = json;
    found.set(subject, [...(found.get(subject) ?? []), Number(data.LastName.split(' ')[1])]);
  }
  return [...found.values()];
}

const isAscending = (numbers: readonly number[]) =>
  numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0));

describe.runIf(hasPostgres)('webhooks of two nodes', { timeout: 300_000 }, () => {
  it('are delivered once by one of them, and by the other one while it hangs and after it was killed', async () => {
    const config = join(folder, 'docket.yaml');
    writeFileSync(config, 'webhooks: {allowedRanges: [127.0.0.1], timeoutSeconds: 1}\n');
    const flags = ['--config', config];
    const [first, second] = [await service.serve(...flags), await service.serve(...flags)];
    nodes = [first, second];
    const token = await logIn(first);
    await subscribe(first, token);
    for (let state = 1; state <= CHANGES; state++) {
      await changeAll(nodes, token, state);
      await expect.poll(() => arrivedIn(state), { timeout: 60_000 }).toBe(PERSONS);
    }
    expect(repetitions()).toBe(0);
    expect(statesBySubject(receiver.received).every(isAscending)).toBe(true);

    const hung = await holderOfLease();
    expect(new Set((await processes()).map(([number]) => number))).toEqual(
      new Set(nodes.map(({ child }) => child.pid)),
    );
    expect(await schedulers()).toEqual([hung]);
    process.kill(hung, 'SIGSTOP');
    const awake = nodes.filter(({ child }) => child.pid !== hung);
    await changeAll(awake, token, CHANGES + 1);
    await expect.poll(() => arrivedIn(CHANGES + 1), { timeout: 60_000 }).toBe(PERSONS);
    expect(await schedulers()).toEqual(awake.map(({ child }) => child.pid));
    process.kill(hung, 'SIGCONT');
    const holder = await holderOfLease();
    expect(holder).not.toBe(hung);
    expect(nodes.map(({ child }) => child.pid)).toContain(holder);
    const [killed, other] = holder === first.child.pid ? [first, second] : [second, first];
    // A message is under way when its node is killed.
    const killing = new Promise<void>((resolve) => {
      receiver.answer = () => {
        receiver.answer = (_, response) => void response.writeHead(204).end();
        void kill(killed).then(resolve);
      };
    });
    await changeAll([other], token, CHANGES + 2);
    await killing;
    nodes = [other];
    await changeAll([other], token, CHANGES + 3);
    await expect.poll(() => arrivedIn(CHANGES + 3), { timeout: 120_000 }).toBe(PERSONS);
    expect(statesBySubject(receiver.received).every(isAscending)).toBe(true);
    expect(await holderOfLease()).toBe(other.child.pid);
    // What was under way is sent again, and nothing else: at most the last message about each entity.
    expect(repetitions()).toBeGreaterThan(0);
    expect(repetitions()).toBeLessThanOrEqual(PERSONS);
  });
});

/** The processes that `docket status` shows, by number, and whether they do the scheduled work. */
async function processes(): Promise<readonly (readonly [number, boolean])[]> {
  const { out } = await docketHere(['status', '--json', '--data', folder], {
    DOCKET_DATABASE: database,
  });
  const shown: readonly { process: string; doesScheduledWork: boolean }[] =
    JSON.parse(out).processes;
  return shown.map((one) => [Number(one.process.split(' ').at(-1)), one.doesScheduledWork]);
}

const schedulers = async () =>
  (await processes()).flatMap(([number, isScheduler]) => (isScheduler ? [number] : []));

async function subscribe(node: Serving, token: string): Promise<void> {
  const subscription = {
    Url: receiver.url,
    EntitySet: 'Persons',
    Filter: "startswith(LastName,'Node ')",
    Select: 'LastName',
  };
  const { Uid } = await send(node, token, ['POST', 'WebhookSubscriptions'], subscription);
  await send(node, token, ['POST', `WebhookSubscriptions(${Uid})/Docket.System.RotateSecret`]);
}

/** Creates or changes all entities, in turns by the nodes. */
async function changeAll(by: readonly Serving[], token: string, state: number): Promise<void> {
  const body = { LastName: `Node ${state}` };
  for (let index = 0; index < PERSONS; index++) {
    const node = by[index % by.length] ?? by[0];
    if (node === undefined) throw new Error('Nobody is left.');
    if (state === 1) uids.push((await send(node, token, ['POST', 'Persons'], body)).Uid);
    else await send(node, token, ['PATCH', `Persons(${uids[index]})`], body);
  }
}

/** How many messages have arrived again. */
function repetitions(): number {
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  return ids.length - new Set(ids).size;
}

/** The number of entities whose last event shows the state. */
const arrivedIn = (state: number) =>
  statesBySubject(receiver.received).filter((states) => states.at(-1) === state).length;

/** The id of the process that delivers. */
async function holderOfLease(): Promise<number> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query(
    `SELECT "value" FROM docket_setting WHERE "name" = 'webhook lease'`,
  );
  await client.end();
  const { holder }: { holder: string } = JSON.parse(rows[0].value);
  return Number(holder.split(' ')[1]);
}
