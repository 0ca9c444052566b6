// This file kills a service again and again while it sends mail: each message arrives, and a repeated one has the same Message-ID.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';
import { header, type MailServer, startMailServer } from './mail-server.ts';

const REQUESTS = 60;
const ROUNDS = sampleSize(2, 3);

let service: Killable;
let server: MailServer;
let folder: string;
beforeAll(async () => {
  service = makeKillable();
  server = await startMailServer();
  folder = mkdtempSync(join(tmpdir(), 'docket-mail-'));
}, 120_000);
afterAll(async () => {
  service?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The configuration of a service that takes a message for lost after a few seconds. */
function configured(): string {
  const file = join(folder, 'docket.yaml');
  const smtp = `{host: 127.0.0.1, port: ${server.port}, tls: off, from: desk@desk.example, recipientRole: agent, timeoutSeconds: 0.5}`;
  writeFileSync(
    file,
    `mail: {smtp: ${smtp}}\nlimits: {hourlyMails: ${REQUESTS}, dailyMails: ${REQUESTS}}\n`,
  );
  return file;
}

async function send(
  { origin }: Serving,
  token: string,
  method: string,
  path: string,
  body?: object,
) {
  const response = await fetch(`${origin}/odata/${encodeURI(path)}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}

/** Removes the rules of the model, so that the test knows all messages. */
async function removeRules(serving: Serving, token: string): Promise<void> {
  const { value } = await send(serving, token, 'GET', 'MailRules?$select=Uid');
  const requests = value.map(({ Uid }: { Uid: number }, index: number) => ({
    id: String(index),
    method: 'delete',
    url: `MailRules(${Uid})`,
  }));
  const { responses } = await send(serving, token, 'POST', '$batch', { requests });
  expect(responses.map(({ status }: { status: number }) => status)).toEqual(
    requests.map(() => 204),
  );
}

it('each message arrives, whenever the service is killed', async () => {
  const flags = ['--config', configured()];
  let serving = await service.serve(...flags);
  const token = await logIn(serving);
  await removeRules(serving, token);
  const texts = { Subject: 'New', Text: '{Description}' };
  await send(serving, token, 'POST', 'MailTemplates', { Name: 'new', Language: 'en', ...texts });
  await send(serving, token, 'POST', 'MailRules', {
    Name: 'new',
    EntitySet: 'ServiceRequests',
    Event: 'created',
    Recipients: ['log@example.org'],
    Template: 'new',
  });
  const {
    value: [person],
  } = await send(serving, token, 'GET', 'Persons?$top=1&$select=Uid');
  const requests = Array.from({ length: REQUESTS }, (_, index) => ({
    id: String(index),
    method: 'post',
    url: 'ServiceRequests',
    atomicityGroup: 'all',
    body: { Description: `Mail ${index}`, 'Caller@odata.bind': `Persons(${person.Uid})` },
  }));
  const { responses } = await send(serving, token, 'POST', '$batch', { requests });
  expect(responses.map(({ status }: { status: number }) => status)).toEqual(
    requests.map(() => 201),
  );
  for (let round = 1; round <= ROUNDS; round++) {
    const enough = (REQUESTS / 2 / ROUNDS) * round;
    // The service is killed before it learns that the message has been accepted.
    let reached = () => undefined as unknown;
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let release = () => undefined as unknown;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.beforeAccept = async () => {
      if (server.received.length < enough) return;
      reached();
      await held;
    };
    await arrived;
    await kill(serving);
    server.beforeAccept = undefined;
    release();
    serving = await service.serve(...flags);
  }
  const sent = "OutgoingMessages?$filter=State eq 'sent'&$count=true&$top=0";
  await expect
    .poll(async () => (await send(serving, token, 'GET', sent))['@odata.count'], {
      timeout: 120_000,
    })
    .toBe(REQUESTS);
  await kill(serving);
  const bodies = new Map<string, Set<string>>();
  for (const mail of server.received) {
    const body = mail.body.trim();
    bodies.set(body, (bodies.get(body) ?? new Set()).add(String(header(mail, 'Message-ID'))));
  }
  const expected = requests.map(({ body }) => body.Description).sort();
  expect([...bodies.keys()].sort()).toEqual(expected);
  for (const identifiers of bodies.values()) expect(identifiers.size).toBe(1);
  expect(server.received.length).toBeGreaterThan(REQUESTS);
}, 240_000);
