// This file lets eight writers change the same fifty records at once, each change under the condition that nobody else has changed the
// record since it was read: of all who have read one version exactly one succeeds, and no change is lost.

import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { sampleSize } from '../sample-size.ts';
import { type Desk, openDesk, PASSWORD } from './desk.ts';
import { entityTag } from './etags.ts';
import { FIRST_OF_MANY } from './records.ts';

const WRITERS = 8;
const WRITER_NAMES = Array.from({ length: WRITERS }, (_, name) => name);
const RECORDS = 50;
const TRIES = sampleSize(2000, 10_000);

let desk: Desk;
let listening: Listening;
let token = '';
const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
beforeAll(async () => {
  desk = await openDesk();
  listening = await listen(
    desk.app,
    { host: '127.0.0.1', port: 0 },
    () => undefined,
    async () => undefined,
  );
  const login = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  token = JSON.parse((await ask('POST', '/token', form, login.toString())).text).access_token;
});
afterAll(async () => {
  agent.destroy();
  await listening.stop();
  await desk.close();
});

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

function ask(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  const own = token === '' ? headers : { authorization: `Bearer ${token}`, ...headers };
  return new Promise((resolve, reject) => {
    const options = { agent, port: listening.port, host: '127.0.0.1', method, path, headers: own };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          etag: answer.headers.etag ?? '',
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Success {
  readonly uid: number;
  /** ETag that was read, and the one that the change gave. */
  readonly before: string;
  readonly after: string;
  readonly text: string;
}

interface Page {
  readonly value: readonly { readonly OldValue: string | null; readonly NewValue: string | null }[];
  readonly '@odata.nextLink'?: string;
}

const addressOf = (uid: number) => `/odata/ServiceRequests(${uid})`;

/** Reads a record, changes it, and goes on from what the change gave, or reads again where another was faster. */
class Writer {
  readonly #name: number;
  readonly #known = new Map<number, string>();
  readonly successes: Success[] = [];
  readonly statuses = new Map<number, number>();

  constructor(name: number) {
    this.#name = name;
  }

  async attempt(uid: number, number: number): Promise<void> {
    const before = this.#known.get(uid) ?? entityTag((await ask('GET', addressOf(uid))).etag);
    const text = `Writer ${this.#name}, try ${number}`;
    const { status, etag } = await ask(
      'PATCH',
      addressOf(uid),
      { 'content-type': 'application/json', 'if-match': before },
      JSON.stringify({ Description: text }),
    );
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 204) {
      this.#known.set(uid, etag);
      this.successes.push({ uid, before, after: etag, text });
    } else this.#known.delete(uid);
  }
}

describe('Eight writers of the same records', () => {
  it.each([
    ['a request after a commit of a person', 'ServiceRequests', 'Description', 'Persons'],
    ['a request after a commit of another', 'ServiceRequests', 'Description', 'ServiceRequests'],
    ['a person after a commit of a request', 'Persons', 'LastName', 'ServiceRequests'],
    ['a location after a commit of a request', 'Locations', 'Name', 'ServiceRequests'],
  ])('succeed once: %s', { timeout: 60_000 }, async (_, set, property, between) => {
    const headers = { 'content-type': 'application/json' };
    const post = async (name: string, text: string) => {
      const body = {
        [name === 'Persons' ? 'LastName' : name === set ? property : 'Description']: text,
      };
      const { text: created } = await ask('POST', `/odata/${name}`, headers, JSON.stringify(body));
      return JSON.parse(created).Uid as number;
    };
    const address = `/odata/${set}(${await post(set, 'First')})`;
    for (let round = 0; round < sampleSize(25, 100); round++) {
      // How many share the last commit, and what it has written, decides which writes share the next one and read together.
      await Promise.all(WRITER_NAMES.map(() => post(between, 'Between')));
      const before = entityTag((await ask('GET', address)).etag);
      const change = (writer: number) =>
        ask(
          'PATCH',
          address,
          { ...headers, 'if-match': before },
          JSON.stringify({ [property]: `Round ${round}, writer ${writer}` }),
        );
      const answers = await Promise.all(WRITER_NAMES.map(change));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([204, ...Array.from({ length: WRITERS - 1 }, () => 412)]);
    }
  });

  it('succeed once for each version, and lose no change', { timeout: 300_000 }, async () => {
    const writers = Array.from({ length: WRITERS }, (_, name) => new Writer(name));
    let tries = 0;
    await Promise.all(
      writers.map(async (writer) => {
        // All go through the records in one order, so that they meet at each of them.
        for (let number = tries++; number < TRIES; number = tries++)
          await writer.attempt(FIRST_OF_MANY + (Math.floor(number / WRITERS) % RECORDS), number);
      }),
    );
    const statuses = new Map<number, number>();
    for (const writer of writers)
      for (const [status, count] of writer.statuses)
        statuses.set(status, (statuses.get(status) ?? 0) + count);
    expect([...statuses.keys()].sort()).toEqual([204, 412]);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(TRIES);

    const successes = writers.flatMap((writer) => writer.successes);
    const versions = successes.map(({ uid, before }) => `${uid} ${before}`);
    expect(new Set(versions).size).toBe(successes.length);
    for (let index = 0; index < RECORDS; index++)
      await checkRecord(FIRST_OF_MANY + index, index, successes);
  });

  /** Every change went on from the one before it, and the record and its history are what the changes say. */
  async function checkRecord(uid: number, index: number, all: readonly Success[]): Promise<void> {
    const own = new Map(
      all.filter((one) => one.uid === uid).map((one) => [one.before, one] as const),
    );
    const texts = [`Request ${index}`];
    let etag = 'W/"1"';
    for (let next = own.get(etag); next !== undefined; next = own.get(etag)) {
      texts.push(next.text);
      etag = next.after;
    }
    expect(texts.length - 1).toBe(own.size);
    const { json, headers } = await desk.get(`/ServiceRequests(${uid})`);
    expect([entityTag(headers.etag), json.Description]).toEqual([etag, texts.at(-1)]);
    const told: (string | null)[] = [];
    let address: string | undefined = `/ServiceRequests(${uid})/HistoryLines?$orderby=Uid&$top=250`;
    while (address !== undefined) {
      const page: Page = (await desk.get(address)).json;
      for (const line of page.value) told.push(line.OldValue, line.NewValue);
      address = page['@odata.nextLink'];
    }
    expect(told).toEqual(texts.slice(1).flatMap((text, at) => [texts[at] ?? null, text]));
  }
});
