// This file reads the OpenAPI description as clients do: a validator checks it, and a program with types generated from it works with
// the service. It checks the parts of the description as well.
// OpenAPI 3.1; the recommended rules of Redocly.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { makeReachable, type Reachable } from './listening.ts';

const DOCUMENT = 'http://desk.example/openapi.json';
/** Required members that a body can give in several ways: a name computed from LastName, a relation. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  '/Persons': ['Name'],
  '/Codes': ['List'],
  '/Transitions': ['Entity', 'To'],
};

const DRY_RUN = { prefer: 'dry-run' };
const CLIENT = fileURLToPath(new URL('../openapi-client/', import.meta.url));

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

describe('The OpenAPI description', () => {
  it.each(['', '?compact=true&sets=ServiceRequests,Persons'])('%s is valid', async (query) => {
    const { text: source } = await desk.get(`${DOCUMENT}${query}`);
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    const mistakes = problems.filter(({ severity }) => severity === 'error');
    expect(mistakes.map(({ message, location }) => `${location[0]?.pointer} ${message}`)).toEqual(
      [],
    );
  });

  it('requires of new entities what the service requires', async () => {
    const { components, paths } = (await desk.get(`${DOCUMENT}?compact=true`)).json;
    const bodyOf = (path: string) => paths[path].post?.requestBody?.$ref?.split('/').at(-1);
    const sets = Object.keys(paths).filter((path) => bodyOf(path) !== undefined);
    expect(sets.length).toBeGreaterThan(20);
    for (const path of sets) {
      const { $ref } = components.requestBodies[bodyOf(path)].content['application/json'].schema;
      const { required = [] } = components.schemas[$ref.split('/').at(-1)];
      const { json } = await desk.send('POST', path, { body: {}, headers: DRY_RUN });
      const reported = [json?.error ?? {}, ...(json?.error?.details ?? [])];
      const missing = new Set(reported.flatMap(({ target }) => target ?? []));
      const others: readonly string[] = ALTERNATIVES[path] ?? [];
      expect([path, [...missing].toSorted()]).toEqual([path, [...required, ...others].toSorted()]);
    }
  });

  it('has a size that browsers handle', async () => {
    const sizeOf = async (query: string) => (await desk.get(`${DOCUMENT}${query}`)).text.length;
    expect(await sizeOf('?compact=true')).toBeLessThan(550_000);
    expect(await sizeOf('?compact=true&sets=ServiceRequests,Persons')).toBeLessThan(80_000);
  });

  it.each([
    ['sets=ServiceRequest', 'request.option-value', '"ServiceRequests"'],
    ['sets=', 'request.option-value', 'ServiceRequests, '],
    ['sets=Accounts', 'request.option-value', 'ServiceRequests, '],
    ['compact=yes', 'request.option-value', 'true or false'],
    ['set=Persons', 'request.unknown-option', 'sets or compact'],
    ['compact=true&compact=true', 'request.duplicate-option', 'more than once'],
  ])('?%s returns 400', async (query, code, message) => {
    const { status, json } = await desk.get(`${DOCUMENT}?${query}`);
    expect([status, json.error.code]).toEqual([400, code]);
    expect(json.error.message).toContain(message);
    expect(json.error.target).toBe(query.split('=')[0]);
  });

  it('lists how links of a collection are added, counted and removed', async () => {
    const { paths } = (await desk.get(`${DOCUMENT}?sets=Workgroups`)).json;
    const links = '/Workgroups({Uid})/Members/$ref';
    expect(Object.keys(paths[links])).toEqual(['parameters', 'get', 'post', 'delete']);
    const person = (await desk.send('POST', '/Persons', { body: { LastName: 'Bo' } })).json.Uid;
    const group = (await desk.send('POST', '/Workgroups', { body: { Name: 'Desk' } })).json.Uid;
    const members = `/Workgroups(${group})/Members`;
    const body = { '@odata.id': `Persons(${person})` };
    expect((await desk.send('POST', `${members}/$ref`, { body })).status).toBe(204);
    expect((await desk.get(`${members}/$count`)).text).toBe('1');
    const removed = await desk.send('DELETE', `${members}/$ref?$id=Persons(${person})`);
    expect([removed.status, (await desk.get(`${members}/$count`)).text]).toEqual([204, '0']);
  });

  it('lists the statuses of uploads, which may replace a file', async () => {
    const { paths } = (await desk.get(`${DOCUMENT}?sets=Workgroups`)).json;
    const { responses } = paths['/Workgroups({Uid})/Attachments'].post;
    const group = (await desk.send('POST', '/Workgroups', { body: { Name: 'Files' } })).json.Uid;
    const headers = {
      'content-type': 'text/plain',
      slug: 'report.txt',
      prefer: 'conflict-resolution=replace',
    };
    const upload = async () =>
      await desk.send('POST', `/Workgroups(${group})/Attachments`, {
        headers,
        body: Buffer.from('x'),
      });
    const statuses = [(await upload()).status, (await upload()).status];
    expect(statuses).toEqual([201, 200]);
    expect(Object.keys(responses)).toEqual(['200', '201', '4XX']);
    expect(Object.keys(paths['/Workgroups'].post.responses)).toEqual(['201', '4XX']);
  });

  it('has an ETag per part', async () => {
    const parts = ['', '?compact=true', '?sets=Persons'];
    const answers = await Promise.all(parts.map(async (part) => await desk.get(DOCUMENT + part)));
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(parts.length);
  });
});

/** The arguments are the service root and a token. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: \`Bearer \${token}\` },
  querySerializer: { array: { style: 'form', explode: false } },
});

const created = await client.POST('/ServiceRequests', {
  params: { header: { Prefer: 'return=representation', 'Idempotency-Key': 'typed-client-1' } },
  body: { Description: 'Printer is jammed', Impact: { Value: 111003 } },
});
if (created.error) throw new Error(created.error.error.message);
const { Uid, '@odata.etag': etag } = created.data;
if (Uid === undefined || etag === undefined) throw new Error('no key or ETag');
const path = { Uid };

const person = await client.POST('/Persons', { body: { LastName: 'Ada' } });
const caller = person.data?.Uid;
if (caller === undefined) throw new Error('no person');

const changed = await client.PATCH('/ServiceRequests({Uid})', {
  params: { path, header: { 'If-Match': etag } },
  body: { Solution: 'Paper removed' },
});
const stale = await client.PATCH('/ServiceRequests({Uid})', {
  params: { path, header: { 'If-Match': etag } },
  body: { Solution: 'Too late' },
});
const related = await client.PUT('/ServiceRequests({Uid})/Caller/$ref', {
  params: { path },
  body: { '@odata.id': \`Persons(\${caller})\` },
});
const read = await client.GET('/ServiceRequests({Uid})', {
  params: { path, query: { $expand: ['Caller', 'Requestor'] }, header: { 'Accept-Language': 'en' } },
});
const listed = await client.GET('/ServiceRequests', {
  params: { query: { $filter: \`Uid eq \${Uid}\`, $select: ['Uid', 'Solution'], $count: true } },
});
const counted = await client.GET('/ServiceRequests/$count', {
  params: { query: { $filter: \`Uid eq \${Uid}\` } },
});
const current = listed.data?.value[0]?.['@odata.etag'] ?? '';
const cleared = await client.DELETE('/ServiceRequests({Uid})/Caller/$ref', {
  params: { path, header: { 'If-Match': current } },
});
console.log(
  JSON.stringify({
    isSameCaller: read.data?.Caller?.Uid === caller,
    callerTag: read.data?.Caller?.['@odata.etag'],
    solution: listed.data?.value[0]?.Solution?.toUpperCase(),
    total: [listed.data?.['@odata.count'], counted.data],
    changes: [changed, stale, related, cleared].map(({ response }) => response.status),
    code: stale.error?.error.code,
  }),
);
`;

/** Each line is a mistake. */
const MISTAKES = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';
const client = createClient<paths>();
client.POST('/ServiceRequests', { body: {} });
client.POST('/ServiceRequests', { body: { Description: 5 } });
client.GET('/ServiceRequest');
`;

describe('Types generated from the description', () => {
  const run = promisify(execFile);
  let service: Reachable;
  let folder: string;

  beforeAll(async () => {
    service = await makeReachable(desk);
    // Within the workspace, so that imports find its packages.
    folder = await mkdtemp(join(CLIENT, 'generated-'));
    const { text: description } = await desk.get(`${DOCUMENT}?sets=ServiceRequests,Persons`);
    await writeFile(join(folder, 'openapi.json'), description);
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    await writeFile(join(folder, 'mistakes.ts'), MISTAKES);
    const generator = join(CLIENT, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, [generator, 'openapi.json', '-o', 'schema.d.ts'], { cwd: folder });
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  async function compile(): Promise<string> {
    const compiler = join(CLIENT, 'node_modules/typescript/bin/tsc');
    const words = '--strict --noUncheckedIndexedAccess --skipLibCheck --target es2022';
    const modules = '--module nodenext --moduleResolution nodenext --allowImportingTsExtensions';
    const options = `${words} ${modules} --rewriteRelativeImportExtensions --types node`.split(' ');
    const child = spawn(process.execPath, [compiler, ...options, 'program.ts', 'mistakes.ts'], {
      cwd: folder,
    });
    return await text(child.stdout);
  }

  it('compile, and work without casts', async () => {
    const mistakes = await compile();
    expect(mistakes.match(/^\S+\.ts\(\d+/gm)).toEqual([
      'mistakes.ts(5',
      'mistakes.ts(6',
      'mistakes.ts(7',
    ]);
    expect(await readFile(join(folder, 'program.js'), 'utf8')).not.toContain('schema');
    const root = `${service.origin}/odata`;
    const { stdout } = await run(process.execPath, [
      join(folder, 'program.js'),
      root,
      service.token,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      isSameCaller: true,
      callerTag: 'W/"1"',
      solution: 'PAPER REMOVED',
      total: [1, 1],
      changes: [204, 412, 204, 204],
      code: 'write.changed',
    });
  });
});
