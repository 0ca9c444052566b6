// This file lets many clients read at the same time.
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { demoLinks, demoRecords } from '../../src/seed/demo.ts';
import { loadLinks } from '../../src/store/load/bulk-load.ts';
import { demoSource } from '../service-desk.ts';
import { type Desk, openDesk, PASSWORD } from './desk.ts';

const CONNECTIONS = 32;
const REQUESTS = 2000;
const OPTIONS = { ...demoSource, requests: 1500, seed: 1, now: Date.UTC(2026, 8, 30, 12) };

/** What people and programs ask of a service desk, in turn. */
const QUESTIONS = [
  'ServiceRequests?$top=20',
  'ServiceRequests?$filter=Status/Value eq 101003&$orderby=Deadline&$count=true',
  "ServiceRequests?$filter=contains(Description,'quarterly')",
  'ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid,Description)&$top=50',
  'Persons?$filter=Blocked eq true&$select=Uid,Name',
  'Workgroups?$expand=Members($select=Uid,Name)',
  'ConfigurationItems?$top=250',
  'ServiceRequests/$count',
  'Incidents?$orderby=Registration/DateModified desc&$top=5',
  'Me?$select=Uid,Name',
];

let desk: Desk;
let listening: Listening;
beforeAll(async () => {
  desk = await openDesk({ records: demoRecords(OPTIONS) });
  await loadLinks(
    desk.installation.database,
    desk.installation.layout,
    demoLinks(OPTIONS),
    () => undefined,
  );
  listening = await listen(
    desk.app,
    { host: '127.0.0.1', port: 0 },
    () => undefined,
    async () => undefined,
  );
}, 60_000);
afterAll(async () => {
  await listening.stop();
  await desk.close();
});

interface Heard {
  readonly status: number;
  readonly text: string;
}

function ask(
  agent: Agent,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  } = {},
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port: listening.port,
        host: '127.0.0.1',
        path: path.replaceAll(' ', '%20'),
        method: options.method ?? 'GET',
        headers: options.headers ?? {},
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(options.body);
  });
}

describe('Many readers', () => {
  it(`${REQUESTS} requests of the demo data with ${CONNECTIONS} connections: no error`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const form = new URLSearchParams({
      grant_type: 'password',
      username: 'admin',
      password: PASSWORD,
    }).toString();
    const token = await ask(agent, '/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    const headers = { authorization: `Bearer ${JSON.parse(token.text).access_token}` };
    const answers: Heard[] = [];
    let next = 0;
    const work = async () => {
      while (next < REQUESTS) {
        const question = QUESTIONS[next++ % QUESTIONS.length] ?? '';
        answers.push(await ask(agent, `/odata/${question}`, { headers }));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    agent.destroy();
    const failed = answers.filter((answer) => answer.status >= 400).map((answer) => answer.text);
    expect(failed).toEqual([]);
    expect(answers).toHaveLength(REQUESTS);
  }, 60_000);
});
