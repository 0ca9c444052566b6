// This file makes a client of the service's metadata with a generator that others wrote, and loads it. The generator asks for the library
// of an older TypeScript than the one here; the one that it brings along itself is put in its place.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const packages = resolve(import.meta.dirname, '../../node_modules');

const OLDER_LIBRARY = `const Module = require('module');
const load = Module._load;
Module._load = function (request, ...more) {
  return request === 'typescript' ? require('@ts-morph/common').ts : load.call(this, request, ...more);
};`;

const TRANSPILE = `const { ts } = require('@ts-morph/common');
const { readdirSync, readFileSync, writeFileSync } = require('fs');
const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
for (const file of readdirSync('client').filter((name) => name.endsWith('.ts'))) {
  const { outputText } = ts.transpileModule(readFileSync('client/' + file, 'utf8'), { compilerOptions });
  writeFileSync('client/' + file.replace(/ts$/, 'js'), outputText);
}`;

const CONFIG = {
  compilerOptions: { target: 'ES2022', module: 'CommonJS', moduleResolution: 'node', strict: true },
};

// biome-ignore lint/suspicious/noExplicitAny: its members are those of the metadata, and it is made while the test runs
type AnyService = any;

export interface GeneratedClient {
  /** The service class that the generator made. */
  readonly service: new (
    client: unknown,
    root: string,
  ) => AnyService;
  readonly remove: () => void;
}

/** @param metadata the document as XML */
export function generateClient(metadata: string): GeneratedClient {
  const cache = join(packages, '.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'docket-client-'));
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write('metadata.xml', metadata);
  write('tsconfig.json', JSON.stringify(CONFIG));
  write('package.json', '{"type":"commonjs"}');
  write('older-library.cjs', OLDER_LIBRARY);
  write('transpile.cjs', TRANSPILE);
  const run = (...words: readonly string[]) =>
    execFileSync(process.execPath, words, { cwd: directory, stdio: 'pipe' });
  const generator = join(packages, '@odata2ts', 'odata2ts', 'lib', 'run-cli.js');
  const flags = ['-s', 'metadata.xml', '-o', 'client', '-m', 'all', '-e', 'ts'];
  run('-r', './older-library.cjs', generator, ...flags, '--service-name', 'desk');
  run('transpile.cjs');
  const made = createRequire(join(directory, 'any.js'))('./client/deskService.js');
  return { service: made.deskService, remove: () => rmSync(directory, { recursive: true }) };
}
