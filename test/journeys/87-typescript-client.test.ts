// The client that `docket client generate` writes for the built-in and for the odd model: it is compiled with both versions of TypeScript,
// together with programs that use it and with the page about it, and runs against a listening service. It is long because the
// compilation takes most of the time, and all tests share its result.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage, startBrowser } from '../browser/chromium.ts';
import { docketHere } from '../cli/run-docket.ts';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openDesk, openForeignDesk, PASSWORD } from './desk.ts';
import { makeReachable, type Reachable } from './listening.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'docket-client-'));
const at = (name: string) => join(folder, name);

let desk: Desk;
let zoo: Desk;
let reachable: Reachable;
let reachableZoo: Reachable;

/** What the programs export. The compiler has checked how they use the client. */
type Program = Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;
let program: Program;
let client: unknown;

beforeAll(async () => {
  desk = await openDesk();
  reachable = await makeReachable(desk);
  zoo = await openForeignDesk(oddDefinition, {});
  reachableZoo = await makeReachable(zoo);
  await generate(desk, 'desk.ts');
  await generate(zoo, 'zoo.ts');
  for (const name of ['desk-program.ts', 'zoo-program.ts'])
    copyFileSync(join(root, 'test', 'client', name), at(name));
  writeFileSync(at('page.ts'), pageProgram());
  writeFileSync(at('package.json'), '{"type":"module"}');
  compile(join(root, 'node_modules'), { lib: ['es2022'], types: ['node'], outDir: 'out' });
  program = await import(pathToFileURL(at('out/desk-program.js')).href);
  client = program.signIn?.(`${reachable.origin}/odata`, PASSWORD, fetch);
}, 240_000);

afterAll(async () => {
  await reachable?.stop();
  await reachableZoo?.stop();
  await desk?.close();
  await zoo?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function generate({ installation }: Desk, name: string): Promise<void> {
  const words = ['client', 'generate', '--data', installation.config.data, '--output', at(name)];
  const { model } = installation.config;
  const ended = await docketHere(model === undefined ? words : [...words, '--model', model]);
  expect(ended).toMatchObject({ code: 0, out: `Wrote ${at(name)}.\n` });
}

/** The TypeScript of docs/client.md as one program, which asks the service of the test. */
function pageProgram(): string {
  const page = readFileSync(join(root, 'docs', 'client.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(5);
  // Other installations have other keys.
  expect(blocks.join('\n')).not.toMatch(/key\(\d/);
  const code = blocks.join('\n').replace('http://127.0.0.1:5181', reachable.origin);
  return `export const lines: unknown[][] = [];
const console = { log: (...values: unknown[]) => void lines.push(values) };
${code}
export { created };`;
}

/** Compiles all files. Throws: an error with the messages of the compiler. */
function compile(packages: string, options: Readonly<Record<string, unknown>>): void {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    typeRoots: [join(root, 'node_modules', '@types')],
    rewriteRelativeImportExtensions: true,
    strict: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noUnusedLocals: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    ...options,
  };
  const files = ['desk-program.ts', 'zoo-program.ts', 'page.ts'];
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(packages, 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    throw new Error(String(Reflect.get(Object(error), 'stdout')).slice(0, 4000));
  }
}

async function run(name: string, ...values: readonly unknown[]): Promise<unknown> {
  return await program[name]?.(...(values.length === 0 ? [client] : values));
}

describe('The generated source', () => {
  it('compiles for browsers with TypeScript 5 and its strictest options', () => {
    const packages = join(root, 'test', 'openapi-client', 'node_modules');
    compile(packages, {
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      noEmit: true,
      noPropertyAccessFromIndexSignature: true,
      noImplicitReturns: true,
      noUnusedParameters: true,
    });
  }, 120_000);

  it('names what it was generated from, and contains no import', async () => {
    const text = readFileSync(at('desk.ts'), 'utf8');
    expect(text).toMatch(/^\/\/ Generated by "docket client generate" of Docket \d/);
    expect(text).not.toMatch(/^import /m);
  });

  it('with --sets contains only their types; an unknown set is reported with the nearest name', async () => {
    const words = ['client', 'generate', '--data', desk.installation.config.data, '--sets'];
    const { code: success, out } = await docketHere([...words, 'Persons,Organizations']);
    expect(success).toBe(0);
    expect(out).toContain('export interface Person ');
    expect(out).toContain('Organization: OneOrNone<OrganizationShape>;');
    expect(out).not.toContain('Workorder');
    const { code, err } = await docketHere([...words, 'Person']);
    expect([code, err]).toEqual([3, 'There is no entity set "Person". Did you mean "Persons"?\n']);
  });

  it('is written to a new folder', async () => {
    await generate(desk, 'generated/clients/desk.ts');
    expect(readFileSync(at('generated/clients/desk.ts'))).toEqual(readFileSync(at('desk.ts')));
  });
});

describe('The client reads', () => {
  it('with filters of all kinds', async () => {
    expect(await run('filtered')).toEqual({
      quotes: [31],
      unicode: [32],
      injection: [],
      none: [],
      nested: [31],
      boolean: [32],
      precedence: [32],
      negated: [32],
      code: [1001],
      value: [1001],
      date: [1001],
      year: [1001],
      any: [1001],
      counted: [1001],
      complex: [1001],
      long: [31],
      search: [1001],
    });
  });

  it('but rejects literals that are not of the type', async () => {
    expect(await run('rejectedLiterals')).toEqual([
      expect.stringContaining('2026-01-01T00:00:00Z or true is not a value of Edm.DateTimeOffset'),
      expect.stringContaining('tomorrow'),
      expect.stringContaining('2026-01-01 is not'),
    ]);
  });

  it('60 records over several pages', async () => {
    const uids = Array.from({ length: 60 }, (_, index) => 4299 - index);
    expect(await run('paged')).toEqual({ uids, sizes: [25, 25, 10], count: 300, total: 300 });
  });

  it('related entities, with typed results', async () => {
    expect(await run('expanded')).toEqual({
      uid: true,
      organization: 'Hillside',
      orders: [2002],
      assignee: '山田, 健',
      caller: "O'Neil, Zoë",
      related: 2,
      person: 32,
      me: 31,
    });
  });

  it('changes since a delta link', async () => {
    expect(await run('tracked')).toEqual([['Tracked one'], ['Tracked two'], ['removed']]);
  });
});

describe('The client writes', () => {
  it('with ETags, links and deletes; an outdated ETag is a typed error', async () => {
    expect(await run('changed')).toMatchObject({
      solution: 'One',
      stale: { status: 412, details: [] },
      caller: 31,
      other: 32,
      members: 1,
      left: 0,
      gone: { status: 404 },
    });
  });

  it('and reports every mistake of a body', async () => {
    expect(await run('mistakesOfBody')).toMatchObject({
      status: 400,
      code: 'write.body',
      details: ['Description', 'Caller@odata.bind'],
    });
  });

  it('in batches, atomic ones included', async () => {
    expect(await run('batched')).toMatchObject({
      made: 'Of a batch',
      name: "O'Neil, Zoë",
      page: 1,
      failed: { status: 404 },
      some: { status: 404 },
      settled: ['rejected', 'fulfilled'],
      undone: 0,
      mixed: ['Mixed 1', 2, 'Mixed 2'],
    });
  });

  it('files, with progress', async () => {
    expect(await run('uploaded')).toMatchObject({
      one: 'näme "1".txt',
      two: 'two',
      renamed: 'two_1',
      clash: { status: 409 },
      size: 400_000,
      isRising: true,
      last: 1,
    });
  });
});

describe('The transport', () => {
  interface Sent {
    readonly url: string;
    readonly key: string | null;
    readonly authorization: string | null;
  }

  /** A fetch that passes requests to the service, and lets a function replace responses. */
  function recording(replace: (sent: Sent, number: number) => Response | Error | undefined) {
    const sent: Sent[] = [];
    const send: typeof fetch = async (url, init) => {
      const headers = new Headers(init?.headers);
      const key = headers.get('idempotency-key');
      const one = { url: String(url), key, authorization: headers.get('authorization') };
      sent.push(one);
      // The service runs the request although its response is lost.
      const response = await fetch(url, init);
      const other = replace(one, sent.length);
      if (other instanceof Error) throw other;
      return other ?? response;
    };
    return { sent, send };
  }

  const busy = (status: number) => new Response('', { status, headers: { 'Retry-After': '0' } });
  const rootOfDesk = () => `${reachable.origin}/odata`;

  it('sends a POST again after 429, 503 and a lost response, with the same key, and it runs once', async () => {
    const count = async () => {
      const filter = "Description eq 'By the typed client'";
      return Number((await desk.get(`/ServiceRequests/$count?$filter=${filter}`)).text);
    };
    const before = await count();
    const failures = [busy(503), busy(429), new TypeError('lost')];
    const { sent, send } = recording((_, number) => failures[number - 1]);
    const patient = connectWith('withToken', rootOfDesk(), () => reachable.token, send, 3);
    expect(await run('made', patient)).toMatchObject({ Description: 'By the typed client' });
    expect([sent.length, new Set(sent.map(({ key }) => key)).size]).toEqual([4, 1]);
    expect(await count()).toBe(before + 1);
  });

  it('reports the response if the service stays busy', async () => {
    const { sent, send } = recording(() => busy(503));
    const own = connectWith('withToken', rootOfDesk(), () => reachable.token, send, 2);
    await expect(run('made', own)).rejects.toMatchObject({ status: 503, name: 'DocketError' });
    expect(sent).toHaveLength(3);
  });

  it('asks for another token once if the service rejects one', async () => {
    const tokens = ['wrong'];
    const { sent, send } = recording(() => undefined);
    const token = () => tokens.shift() ?? reachable.token;
    expect(await run('made', connectWith('withToken', rootOfDesk(), token, send))).toBeDefined();
    const headers = sent.map(({ authorization }) => authorization);
    expect(headers).toEqual(['Bearer wrong', `Bearer ${reachable.token}`]);
    const never = connectWith('withToken', rootOfDesk(), () => 'wrong', send);
    await expect(run('made', never)).rejects.toMatchObject({ status: 401 });
    expect(sent).toHaveLength(4);
  });

  it('logs in once for requests at the same time, and refreshes a token that has expired', async () => {
    const forms: string[] = [];
    const send: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(url).endsWith('/token')) return response;
      forms.push(String(new URLSearchParams(String(init?.body)).get('grant_type')));
      const body = await response.json();
      // The first token expires immediately.
      return Response.json(forms.length === 1 ? { ...Object(body), expires_in: 0 } : body);
    };
    const own = connectWith('signIn', rootOfDesk(), PASSWORD, send);
    await run('made', own);
    expect(forms).toEqual(['password']);
    await Promise.all(Array.from({ length: 10 }, async () => await run('made', own)));
    expect(forms).toEqual(['password', 'refresh_token']);
  });

  it('never sends a token to another server', async () => {
    const page = Response.json({ value: [], '@odata.nextLink': 'http://other.example/x' });
    const { sent, send } = recording((_, number) => (number === 1 ? page : undefined));
    const own = connectWith('withToken', rootOfDesk(), () => reachable.token, send);
    await expect(run('paged', own)).rejects.toThrow('http://other.example/x is not a URL of');
    expect(sent).toHaveLength(1);
  });

  function connectWith(name: string, ...values: readonly unknown[]): unknown {
    return program[name]?.(...values);
  }
});

describe('In a page of another origin', () => {
  let browser: Browser;
  let pages: Server;
  let origin: string;
  beforeAll(async () => {
    pages = createServer(sendClient);
    await new Promise<void>((resolve) => {
      pages.listen(0, '127.0.0.1', resolve);
    });
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const body = { Value: JSON.stringify([origin]) };
    expect((await desk.send('PATCH', "/Settings('corsOrigins')", { body })).status).toBe(204);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => pages?.close(resolve));
  });

  /** The client as a module, and an empty page for all other URLs. */
  function sendClient({ url }: IncomingMessage, response: ServerResponse): void {
    const isModule = url === '/desk.js';
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? readFileSync(at('out/desk.js')) : '<link rel="icon" href="data:,">');
  }

  async function issueKey(): Promise<string> {
    const { json } = await desk.send('POST', '/CreateApiKey', { body: { Name: 'page' } });
    return json.value;
  }

  /** Runs statements in a page, with the exports of the client as `docket`, and returns their result. */
  async function runInPage(statements: string): Promise<unknown> {
    const { page, close } = await openPage(browser, 'http://127.0.0.1:');
    await page.goto(origin);
    const program = `(async () => { const docket = await import('/desk.js'); ${statements} })()`;
    const result = await page.evaluate(program);
    await close();
    return result;
  }

  const connected = () =>
    `const desk = docket.connect({
      root: '${reachable.origin}/odata',
      signIn: new docket.PasswordSignIn({ username: 'admin', password: '${PASSWORD}' }),
    });
    const files = desk.collection(docket.ServiceRequests).key(1001).relation('Attachments');
    const content = new Blob(['content '.repeat(250_000)], { type: 'text/plain' });`;

  it('uploads report their progress', async () => {
    const outcome = await runInPage(`${connected()}
      const sent = [];
      const onProgress = (progress) => sent.push(progress.sent / progress.total);
      const options = { name: 'page', fileName: 'page.txt', onProgress };
      const { Uid, FileName } = await docket.upload(files, content, options);
      const { size } = await (await files.key(Uid).download()).blob();
      const isRising = sent.every((part, at) => part >= (sent[at - 1] ?? 0));
      const last = sent.at(-1);
      const clash = await docket.upload(files, content, options).catch((error) => error);
      return [FileName, size, isRising, last, clash instanceof docket.DocketError, clash.status];`);
    expect(outcome).toEqual(['page.txt', 2_000_000, true, 1, true, 409]);
  });

  it('uploads can be aborted', async () => {
    const outcome = await runInPage(`${connected()}
      const controller = new AbortController();
      const onProgress = () => controller.abort(new Error('stopped'));
      const options = { fileName: 'aborted.txt', onProgress, signal: controller.signal };
      return await docket.upload(files, content, options).catch((error) => error.message);`);
    expect(outcome).toBe('stopped');
  });

  it('an API key signs in with Basic authentication', async () => {
    const outcome = await runInPage(`
      const readWith = async (key) => {
        const signIn = docket.basicSignIn('admin', key);
        const desk = docket.connect({ root: '${reachable.origin}/odata', signIn });
        return await desk.call(docket.Me).then((me) => me.Uid, (error) => error.status);
      };
      return [await readWith('${await issueKey()}'), await readWith('${PASSWORD}')];`);
    expect(outcome).toEqual([desk.me, 401]);
  });
});

it('A client of the odd model has enumerations, derived types, open types, keys of several parts, functions and actions', async () => {
  const { open, visit } = (await import(pathToFileURL(at('out/zoo-program.js')).href)) as Program;
  const other = open?.(`${reachableZoo.origin}/odata`, reachableZoo.token);
  expect(await visit?.(other)).toEqual({
    derived: '#Odd.Zoo.Bird',
    enumeration: ['Polly'],
    flags: ['Polly'],
    cast: ['Polly'],
    birds: [2.5],
    path: ['Polly', 'Wanda'],
    values: ['Polly'],
    nested: ['Polly', 'Wanda'],
    fed: ["Fed with Fish & 'chips'", 1],
    moved: 'Wanda',
    weighed: 2.5,
    grown: ['Wanda'],
    sum: [3.5, -1],
    self: null,
    mascot: 'Mascot',
    species: 'Macaw',
    matching: 1,
    infinite: 1,
    invalidDate: expect.stringContaining('"Invalid Date" is not valid for "Moment"'),
    open: 'Open',
  });
});

it('A program contains only the sets, code lists and operations that it uses', async () => {
  writeFileSync(
    at('small.js'),
    "import { connect, Persons, tokenSignIn } from './out/desk.js';\n" +
      "const signIn = tokenSignIn('key');\n" +
      "console.log(await connect({ root: '/odata', signIn }).collection(Persons).top(1).toArray());\n",
  );
  const { output } = await build({
    input: at('small.js'),
    output: { minify: true },
    write: false,
    logLevel: 'silent',
  });
  const [{ code }] = output;
  // With the types of all related entities, which filters and expansions need.
  expect(code.length).toBeLessThan(35_000);
  expect(gzipSync(code).length).toBeLessThan(11_000);
  expect(code).not.toMatch(/CreateApiKey|Sessions|Registered/);
});

it('docs/client.md works as written', async () => {
  const page = await import(pathToFileURL(at('out/page.js')).href);
  expect(page.created).toMatchObject({ Description: 'The printer is on fire' });
  expect(page.lines).toContainEqual(["O'Neil, Zoë", 'Hillside']);
  expect(page.lines).toContainEqual(['write.changed', expect.any(String), [], 'Put out']);
  expect(page.lines.at(-1)).toEqual(['Smoke since 9:00']);
});
