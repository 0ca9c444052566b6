// This file runs the examples of the written pages on the demo installation, page by page and in order, and compares every answer with the one
// shown.
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST, type Demo as OpenedDemo, openDemo } from './open-demo.ts';
import { differsFrom, type Example, lacks, readExamples, readShown } from './read-pages.ts';

const PAGES = [
  'start.md',
  'reading.md',
  'writing.md',
  'imports.md',
  'rights.md',
  'code-lists.md',
  'service-levels.md',
  'process-owners.md',
  'excel.md',
];
/** A demo installation for one page. */
interface Demo extends OpenedDemo {
  /** Keys that the page shows, and those that the records have. */
  readonly keys: Map<string, string>;
}

async function ask({ app, token }: Demo, example: Example) {
  const options = {
    method: example.method,
    url: encodeURI(`/odata/${example.address}`),
    headers: {
      host: HOST,
      authorization: `Bearer ${token}`,
      ...Object.fromEntries(example.headers),
    },
    ...(example.body === '' ? {} : { payload: example.body.trimEnd() }),
  };
  return await app.server.inject(options as InjectOptions);
}

/** The example with the keys that records have got in place of those that the page shows. */
function withKeys({ keys }: Demo, example: Example): Example {
  const exchange = (text: string) =>
    [...keys].reduce((all, [shown, made]) => all.replaceAll(shown, made), text);
  const { address, body, answer } = example;
  const headers = new Map([...answer.headers].map(([name, value]) => [name, exchange(value)]));
  return {
    ...example,
    address: exchange(address),
    body: exchange(body),
    answer: { ...answer, headers, body: exchange(answer.body) },
  };
}

/** What was made has the next key, which depends on what else the service has written down in the meantime. */
function withMade(demo: Demo, example: Example, location: unknown): Example {
  const key = /\((\d+)\)$/;
  const [, shown] = key.exec(example.answer.headers.get('location') ?? '') ?? [];
  const [, made] = key.exec(String(location ?? '')) ?? [];
  if (shown !== undefined && made !== undefined) demo.keys.set(shown, made);
  return withKeys(demo, example);
}

describe.each(PAGES)('docs/%s', (page) => {
  let demo: Demo;
  beforeAll(async () => {
    demo = { ...(await openDemo()), keys: new Map() };
  }, 60_000);
  afterAll(async () => await demo.close());

  test.each(readExamples(page))('$place $method $address', async (written) => {
    const example = withKeys(demo, written);
    const answer = await ask(demo, example);
    expect(`${answer.statusCode} ${answer.statusCode < 400 ? '' : answer.payload}`).toMatch(
      new RegExp(`^${example.answer.status} `),
    );
    for (const [name, value] of withMade(demo, example, answer.headers.location).answer.headers) {
      expect(differsFrom(value, String(answer.headers[name]))).toBeUndefined();
    }
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const differences = isJson
      ? lacks(readShown(withKeys(demo, example).answer.body), answer.json())
      : [differsFrom(example.answer.body.trim(), answer.payload)].filter(Boolean);
    expect(differences).toEqual([]);
  });
});

test('an answer that lacks something that is shown is told apart', () => {
  expect(lacks({ a: 1, b: ['x…'] }, { a: 1, b: ['xyz'], c: 2 })).toEqual([]);
  expect(lacks({ a: 1, b: ['x…'] }, { a: 2, b: ['y'] })).toHaveLength(2);
  expect(lacks({ a: '…' }, {})).toEqual(['/a is missing']);
});
