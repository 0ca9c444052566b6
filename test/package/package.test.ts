// This file tests the package that npm publishes: what it contains, that its command serves an installation with the console, and that
// programs can embed it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type InstalledPackage, installPackage, modules } from './installed-package.ts';

const PASSWORD = 'correct horse battery';
let installed: InstalledPackage;

/** Runs the command to its end. */
const docket = (...words: readonly string[]): string =>
  execFileSync(installed.docket, words, {
    cwd: installed.folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', DOCKET_ADMIN_PASSWORD: PASSWORD },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

beforeAll(() => {
  installed = installPackage();
  docket('demo', '--requests', '5');
}, 180_000);

afterAll(() => rmSync(dirname(installed.folder), { recursive: true, force: true }));

describe('the package', () => {
  it('contains the program, the console, the model, the documentation and the licence', () => {
    expect(installed.files).toEqual(
      expect.arrayContaining([
        'bin/docket',
        'client/README.md',
        'deploy/docket.service',
        'console/dist/index.html',
        'dist/program/main.js',
        'dist/program/reader-thread.js',
        'dist/program/writer-thread.js',
        'dist/program/api-reference.html',
        'docs/reading.md',
        'examples/embedded/server.mjs',
        'models/service-desk/labels.csv',
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
      ]),
    );
  });

  it('contains no tests, no sources of the program and no source maps', () => {
    const permitted =
      /^(?:bin|client|console\/dist|deploy|dist|docs|examples|models)\/|^(?:CHANGELOG\.md|LICENSE|README\.md|package\.json)$/;
    expect(installed.files.filter((file) => !permitted.test(file))).toEqual([]);
    const unwanted = /\.map$|\.stamp$|docket-stamp|(?:^|\/)test\/|\.test\.|^dist\/.*(?<!\.d)\.ts$/;
    expect(installed.files.filter((file) => unwanted.test(file))).toEqual([]);
  });

  it('can be published, and is small', () => {
    const file = join(installed.folder, 'node_modules', 'docket', 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    expect(manifest.private).toBeUndefined();
    expect(manifest).toMatchObject({ license: 'Apache-2.0', bin: { docket: 'bin/docket' } });
    expect(installed.size).toBeLessThan(8_000_000);
  });
});

describe('what it serves', () => {
  let child: ChildProcess | undefined;
  const start = async (command: string, words: readonly string[]): Promise<string> => {
    const { PATH = '' } = process.env;
    const started = spawn(command, words, { cwd: installed.folder, env: { PATH } });
    child = started;
    let output = '';
    started.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const origin = () => /^(?:Docket serves|Serving) (http:\/\/[\d.:]+)/m.exec(output)?.[1];
    await expect.poll(origin, { timeout: 50_000 }).toBeDefined();
    return origin() ?? '';
  };
  afterEach(async () => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  /** Signs in, reads a record, and opens the console with its program. */
  const use = async (origin: string) => {
    const form = { grant_type: 'password', username: 'admin', password: PASSWORD };
    const body = new URLSearchParams(form);
    const granted = await fetch(`${origin}/token`, { method: 'POST', body });
    const { access_token } = (await granted.json()) as { readonly access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const read = await fetch(`${origin}/odata/ServiceRequests?$top=1&$count=true`, { headers });
    expect(await read.json()).toMatchObject({ '@odata.count': 5 });
    const page = await fetch(`${origin}/console`);
    const script = /<script[^>]* src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? 'none';
    const program = await fetch(new URL(script, page.url));
    expect([program.status, program.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
  };

  it('docket serve answers requests and shows the console', async () => {
    await use(await start(installed.docket, ['serve', '--port', '0']));
  });

  it('a program that embeds it does the same beside its own pages', async () => {
    const example = join(installed.folder, 'node_modules/docket/examples/embedded/server.mjs');
    copyFileSync(example, join(installed.folder, 'server.mjs'));
    const origin = await start(process.execPath, ['server.mjs', './data', '0']);
    expect(await (await fetch(`${origin}/hello`)).text()).toBe('This page is not from Docket.\n');
    await use(origin);
    const malformed = await fetch(`${origin}/odata/ServiceRequests`, { method: 'PUT', body: '{' });
    expect(malformed.status).toBe(401);
  });
});

it('docket client generate finds its parts', () => {
  docket('client', 'generate', '--output', 'desk.ts', '--sets', 'Persons');
  expect(existsSync(join(installed.folder, 'desk.ts'))).toBe(true);
});

it('programs in TypeScript get the types of createService, and of all settings', () => {
  const program = `
import { createService, type EmbeddedService, type ServiceSettings } from 'docket';
const settings: ServiceSettings = { data: './data', limits: { pageSize: 50 }, config: 'docket.yaml' };
export const docket: EmbeddedService = await createService(settings);
export const response: Response = await docket.fetch(new Request('https://desk.example/'), { address: '::1' });
await docket.close();
// @ts-expect-error the server that embeds Docket listens
await createService({ port: 1 });
// @ts-expect-error the type of the setting is a number
await createService({ limits: { pageSize: 'many' } });
// @ts-expect-error there is no such setting
await createService({ basepath: '/' });
`;
  writeFileSync(join(installed.folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(installed.folder, 'program.ts'), program);
  const compiler = join(modules, 'typescript', 'bin', 'tsc');
  const options = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext'];
  const words = [compiler, ...options, '--types', 'node', 'program.ts'];
  const compile = () => {
    try {
      execFileSync(process.execPath, words, { cwd: installed.folder, encoding: 'utf8' });
      return '';
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  };
  expect(compile()).toBe('');
});
