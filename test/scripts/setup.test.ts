// This file tests scripts/setup.mjs in a small project of its own, with a stand-in for npm that notes each call and
// with the real compiler, and a stand-in for the builder of the console.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const checkout = path.resolve(import.meta.dirname, '../..');
const CHOICE = 'src/store/sqlite/driver-choice.ts';
/** The entries of the program besides those in src/cli. */
const THREADS = [
  'src/store/sqlite/reader-thread.ts',
  'src/attachments/local/writer-thread.ts',
  'src/cli/apply-model/model-thread.ts',
];
/** The setup imports the file above, which early versions of Node cannot. */
const runsTypeScript = Reflect.get(process.features, 'typescript') !== undefined;
const npmStandIn = `import fs from 'node:fs';
fs.appendFileSync('calls.txt', process.argv.slice(2).join(' ') + ' NODE_ENV=' + process.env.NODE_ENV + '\\n');
if (fs.existsSync('npm-fails')) { console.error('the registry is away'); process.exit(7); }
if (process.argv[2] !== 'ci') process.exit(0);
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules');
for (const name of ['typescript', 'rolldown'])
  fs.symlinkSync(${JSON.stringify(path.join(checkout, 'node_modules/'))} + name, 'node_modules/' + name);
fs.mkdirSync('node_modules/vite/bin', { recursive: true });
fs.copyFileSync('vite-stand-in.js', 'node_modules/vite/bin/vite.js');
`;
const viteStandIn = `import fs from 'node:fs';
fs.mkdirSync('console/dist', { recursive: true });
fs.writeFileSync('console/dist/index.html', fs.readFileSync('console/src/main.tsx'));
`;

let root = '';
const at = (name: string) => path.join(root, name);
const write = (name: string, text: string) => fs.writeFileSync(at(name), text);
const read = (name: string) => fs.readFileSync(at(name), 'utf8');
const calls = () => (fs.existsSync(at('calls.txt')) ? read('calls.txt').trim().split('\n') : []);
/** Without the compilation of the driver, which a Node with SQLite does not need. */
const installations = () => calls().filter((call) => call.startsWith('ci '));

function setUp(...args: readonly string[]): {
  readonly code: number | null;
  readonly said: string;
} {
  const env = { ...process.env, npm_execpath: at('npm-cli.js'), NODE_ENV: 'production' };
  const script = at('scripts/setup.mjs');
  const done = spawnSync(process.execPath, [script, ...args], { env, encoding: 'utf8' });
  expect(done.stdout).toBe('');
  return { code: done.status, said: done.stderr };
}

/** As if this Node had no suitable SQLite. */
function useOtherDriver(): void {
  vi.stubEnv('DOCKET_SQLITE_DRIVER', 'better-sqlite3');
  write(CHOICE, 'export const builtInSqlite = (): unknown => undefined;');
}

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-setup-'));
  for (const folder of ['scripts', 'src/room', 'console/src', ...THREADS.map(path.dirname)])
    fs.mkdirSync(at(folder), { recursive: true });
  for (const file of [
    'scripts/setup.mjs',
    'scripts/has-sqlite.mjs',
    'scripts/bundle.mjs',
    'tsconfig.build.json',
  ])
    fs.copyFileSync(path.join(checkout, file), at(file));
  write(CHOICE, 'export const builtInSqlite = (): unknown => ({});');
  write('tsconfig.json', '{"compilerOptions":{"module":"nodenext","target":"es2023","types":[]}}');
  write('package.json', '{"name":"small","type":"module","scripts":{"a":"b"}}');
  write('package-lock.json', '{}');
  write('npm-cli.js', npmStandIn);
  write('vite-stand-in.js', viteStandIn);
  for (const file of ['index.html', 'vite.config.mjs', 'package.json'])
    write(`console/${file}`, '{}');
  write('console/src/main.tsx', 'first');
  for (const file of THREADS) write(file, 'export const thread = true;\n');
  for (const file of ['main', 'embedded-service'])
    write(
      `src/cli/${file}.ts`,
      "import { answer } from '../room/answer.js';\nconsole.log(answer);\n",
    );
  write('src/room/answer.ts', 'export const answer: number = 42;\n');
  write('src/room/unused.ts', 'export const unused: string = "x";\n');
  write('src/room/page.html', '<p>page</p>');
  write('src/room/README.md', 'A room.');
});

afterEach(() => vi.unstubAllEnvs());
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

describe('installing', () => {
  test('the first run installs with development packages and without NODE_ENV', () => {
    expect(setUp()).toMatchObject({ code: 0, said: expect.stringContaining('installing') });
    expect(installations()).toEqual([
      expect.stringMatching(/^ci --include=dev .* NODE_ENV=undefined$/),
    ]);
  });

  test.skipIf(!runsTypeScript)('nothing is compiled where Node has a suitable SQLite', () => {
    setUp();
    expect(calls()).toEqual([expect.stringContaining(' --ignore-scripts ')]);
  });

  test('another SQLite driver is installed by the script of its package', () => {
    setUp();
    useOtherDriver();
    expect(setUp().code).toBe(0);
    expect(setUp()).toEqual({ code: 0, said: '' });
    expect(calls().slice(-2)).toEqual([
      'ci --include=dev --no-audit --no-fund --ignore-scripts NODE_ENV=undefined',
      'rebuild better-sqlite3 NODE_ENV=undefined',
    ]);
  });

  test('--packages leaves the driver and the console to another run', () => {
    useOtherDriver();
    expect(setUp('--packages').code).toBe(0);
    expect(setUp('--packages')).toEqual({ code: 0, said: '' });
    expect(calls()).toEqual([expect.stringMatching(/^ci /)]);
    expect(setUp('--console').code).toBe(0);
    expect(calls().slice(1)).toEqual([expect.stringMatching(/^rebuild /)]);
    expect(read('console/dist/index.html')).toBe('first');
  });

  test('a driver that cannot be compiled fails, and is tried again', () => {
    useOtherDriver();
    setUp('--packages');
    write('npm-fails', '');
    expect(setUp()).toMatchObject({ code: 1, said: expect.stringContaining('registry is away') });
    fs.rmSync(at('npm-fails'));
    expect(setUp().code).toBe(0);
    expect(calls()).toHaveLength(3);
  });

  test('a second run does nothing and says nothing', () => {
    setUp();
    expect(setUp()).toEqual({ code: 0, said: '' });
    expect(installations()).toHaveLength(1);
  });

  test.each([
    ['package-lock.json', '{"lockfileVersion":3}', 2],
    ['package.json', '{"name":"small","type":"module","overrides":{}}', 2],
    ['package.json', '{"name":"small","type":"module","scripts":{"a":"c"}}', 1],
  ])('after %s became %s npm has run %i times', (name, text, times) => {
    setUp();
    write(name, text);
    expect(setUp().code).toBe(0);
    expect(installations()).toHaveLength(times);
  });

  test('a failed installation shows what npm said, fails, and is tried again', () => {
    write('npm-fails', '');
    const failed = setUp();
    expect(failed.code).toBe(1);
    expect(failed.said).toContain('the registry is away');
    fs.rmSync(at('npm-fails'));
    expect(setUp().code).toBe(0);
    expect(installations()).toHaveLength(2);
  });

  test('a lock that an ended run left behind is taken over', () => {
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    write('.docket-setup.lock', String(ended));
    expect(setUp().code).toBe(0);
    expect(fs.existsSync(at('.docket-setup.lock'))).toBe(false);
  });
});

describe('building', () => {
  test('--build compiles src, joins the program and puts its pages beside it', () => {
    expect(setUp('--build')).toMatchObject({ code: 0 });
    expect(read('dist/room/answer.js')).toContain('export const answer = 42;');
    const program = spawnSync(process.execPath, [at('dist/program/main.js')], { encoding: 'utf8' });
    expect(program.stdout).toBe('42\n');
    expect(read('dist/program/page.html')).toBe('<p>page</p>');
    const names = fs.readdirSync(at('dist'), { recursive: true });
    expect(names.filter((name) => /README|page/.test(String(name)))).toEqual(['program/page.html']);
    expect(setUp('--build')).toEqual({ code: 0, said: '' });
  });

  test('--console builds the console only, and again after a change', () => {
    expect(setUp('--console')).toMatchObject({ code: 0 });
    expect([read('console/dist/index.html'), fs.existsSync(at('dist'))]).toEqual(['first', false]);
    expect(setUp('--console')).toEqual({ code: 0, said: '' });
    write('console/src/main.tsx', 'second');
    expect(setUp('--build').said).toContain('building the console');
    expect(read('console/dist/index.html')).toBe('second');
  });

  test('a changed source is compiled again, a removed one is gone', () => {
    setUp('--build');
    write('src/room/other.ts', 'export const other: string = "x";\n');
    fs.rmSync(at('src/room/unused.ts'));
    expect(setUp('--build').said).toContain('compiling');
    const names = fs.readdirSync(at('dist/room')).filter((name) => name.endsWith('.js'));
    expect(names.sort()).toEqual(['answer.js', 'other.js']);
  });

  test('a source that does not compile fails and leaves the last build in place', () => {
    setUp('--build');
    write('src/room/answer.ts', 'export const answer: number = "forty-two";\n');
    const failed = setUp('--build');
    expect(failed.code).toBe(1);
    expect(failed.said).toContain("Type 'string' is not assignable to type 'number'");
    expect(read('dist/room/answer.js')).toContain('42');
  });
});
