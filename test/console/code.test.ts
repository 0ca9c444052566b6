// This file tests the programs that the explorer writes, by running them where the machine has the language.
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodeLanguage, codeFor } from '../../console/src/query/code.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

const received: Received[] = [];
const server = createServer(async (request: IncomingMessage, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { method, url, headers } = request;
  received.push({ method, url, authorization: headers.authorization, body });
  response.setHeader('Content-Type', 'application/json');
  response.end('{"value":[]}');
});

let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const COMMANDS: Readonly<Record<string, (code: string) => readonly [string, string[]]>> = {
  curl: (code) => ['sh', ['-c', `${code.replace(/^curl /, 'curl --silent ')}`]],
  javascript: (code) => [process.execPath, ['--input-type=module', '--eval', code]],
  python: (code) => ['python3', ['-c', code]],
};

const PATH = `/odata/Sets?$filter=Name%20eq%20%27it%27%27s%20"%20$(id)%20%60%5C%23%27`;
const BODY = `{ "Text": "it's \\"quoted\\"\\n$(id) \`é€😀\\\\" }`;

describe.each(Object.keys(COMMANDS))('%s', (language) => {
  test.each([
    { method: 'GET', body: '' },
    { method: 'POST', body: BODY },
    { method: 'DELETE', body: '' },
  ])('sends the $method as it was sent', async ({ method, body }) => {
    const request = { method, url: origin + PATH.replaceAll('"', '%22'), body };
    const code = codeFor(language as CodeLanguage, request);
    const [command, options] = COMMANDS[language]?.(code ?? '') ?? ['false', []];
    await promisify(execFile)(command, [...options]);
    expect(received.at(-1)).toEqual({
      method,
      url: PATH.replaceAll('"', '%22'),
      authorization: 'Bearer YOUR_TOKEN',
      body,
    });
  });
});

describe('Power Query M', () => {
  test('doubles quotes and escapes what would start an escape sequence', () => {
    const code = codeFor('powerquery', { method: 'GET', url: 'http://h/a#(lf)"b', body: '' });
    expect(code).toContain('Web.Contents("http://h/a#(#)(lf)""b"');
    expect(code).toContain('Authorization = "Bearer YOUR_TOKEN"');
  });

  test('does not exist for requests that write', () => {
    expect(codeFor('powerquery', { method: 'PATCH', url: 'http://h', body: '{}' })).toBeUndefined();
  });
});
