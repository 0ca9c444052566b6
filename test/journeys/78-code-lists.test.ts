// This file edits code lists while four workers serve: each of them follows soon.
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Killable, logIn, makeKillable, type Serving } from './killable.ts';

const WORKERS = 4;
/** Requests on connections of their own, which the workers share; enough that each of them gets some. */
const REQUESTS = 40;

let service: Killable;
let serving: Serving;
let token: string;
beforeAll(async () => {
  service = makeKillable();
  serving = await service.serve('--workers', String(WORKERS));
  token = await logIn(serving);
}, 120_000);
afterAll(() => {
  serving.child.kill('SIGKILL');
  service.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/** Each request on a connection of its own, so that the workers take turns. */
function send(method: string, path: string, body?: object): Promise<Answer> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  return new Promise((resolve, reject) => {
    const collect = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode, text }));
    };
    const agent = new Agent({ keepAlive: false });
    const url = `${serving.origin}/odata${encodeURI(path)}`;
    request(url, { method, headers, agent }, collect).once('error', reject).end(content);
  });
}

const times = <Result>(work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: REQUESTS }, (_, index) => work(index)));

/** Waits until all workers answer in the same way. A worker follows within a second, or later on a busy machine. */
async function soon(work: (index: number) => Promise<unknown>, expected: unknown): Promise<void> {
  const answers = async () => [...new Set((await times(work)).map((one) => JSON.stringify(one)))];
  await expect.poll(answers, { interval: 200 }).toEqual([JSON.stringify(expected)]);
}

const texts = (en: string, nl: string) => [
  { Language: 'en', Text: en },
  { Language: 'nl', Text: nl },
];

async function json(method: string, path: string, body?: object) {
  const { status, text } = await send(method, path, body);
  expect(status, text).toBeLessThan(300);
  return text === '' ? undefined : JSON.parse(text);
}

async function statusWith(medium: string): Promise<number | undefined> {
  const body = { Description: 'x', Medium: { Text: medium } };
  return (await send('POST', '/ServiceRequests', body)).status;
}

describe('Code lists with four workers', () => {
  it('a code that is added is accepted and returned by all', async () => {
    const list = await json('GET', "/CodeLists(Name='Medium')");
    await times(() => send('GET', '/ServiceRequests?$top=1&$select=Medium'));
    const code = await json('POST', '/Codes', {
      Texts: texts('Fax', 'Telefax'),
      'List@odata.bind': `CodeLists(${list.Uid})`,
    });
    let uid = 0;
    const create = async (index: number) => {
      const Medium = index % 2 === 0 ? { Text: 'Telefax' } : { Value: code.Value };
      const body = { Description: `By fax ${index}`, Medium };
      const { status, text } = await send('POST', '/ServiceRequests', body);
      if (status === 201) uid = JSON.parse(text).Uid;
      return status;
    };
    await soon(create, 201);
    const shown = async () =>
      JSON.parse((await send('GET', `/ServiceRequests(${uid})?$select=Medium`)).text).Medium;
    await soon(shown, { Text: 'Fax', Value: code.Value });
  }, 60_000);

  it('a code that is renamed has its new text in all plans and cached responses', async () => {
    const path = "/ServiceRequests?$top=5&$select=Medium&$filter=startswith(Description,'By fax')";
    for (let round = 0; round < 3; round++) await times(() => send('GET', path));
    const found = await json(
      'GET',
      "/Codes?$filter=List/Name eq 'Medium'&$orderby=Uid desc&$top=1",
    );
    await json('PATCH', `/Codes(${found.value[0].Uid})`, { Texts: texts('Facsimile', 'Kopie') });
    const shown = async () => {
      const { text } = await send('GET', path);
      return ['"Fax"', '"Facsimile"'].map((name) => text.includes(name));
    };
    await soon(shown, [false, true]);
    await soon(() => statusWith('Fax'), 400);
  }, 60_000);

  it('a code that is disabled cannot be chosen at any worker', async () => {
    const found = await json(
      'GET',
      "/Codes?$filter=List/Name eq 'Medium'&$orderby=Uid desc&$top=1",
    );
    await json('PATCH', `/Codes(${found.value[0].Uid})`, { Disabled: true });
    await soon(() => statusWith('Facsimile'), 400);
  }, 60_000);
});
