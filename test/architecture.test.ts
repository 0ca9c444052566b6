// This file holds src to the laws of ARCHITECTURE.md, and proves on planted breaches that each law is really looked at.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { breaches } from './laws.ts';

const root = path.resolve(import.meta.dirname, '..');

function readHouse(): Map<string, string> {
  const entries = fs.readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const files = entries.filter((name) => /\.(ts|md)$/.test(name)).sort();
  const read = (name: string) => fs.readFileSync(path.join(root, 'src', name), 'utf8');
  return new Map(files.map((name) => [name.split(path.sep).join('/'), read(name)]));
}

function readPackages(): Set<string> {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return new Set(Object.keys(manifest.dependencies));
}

test('src keeps every law of the house', () => {
  const house = readHouse();
  expect(house.has('base/fault.ts')).toBe(true);
  expect(breaches(house, readPackages())).toEqual([]);
});

/** The breaches in the given files; rooms get their notes, so that a case need only hold what it is about. */
function found(files: Readonly<Record<string, string>>): string[] {
  const notes = Object.keys(files).map((file) => [`${file.split('/')[0]}/README.md`, 'A room.']);
  return breaches(
    new Map([...notes, ...Object.entries(files)] as [string, string][]),
    new Set(['zod']),
  );
}

const longFunction = (lines: number) => `export function f() {\n${'  f();\n'.repeat(lines - 2)}}\n`;

describe('a planted breach is found', () => {
  test.each([
    [
      'an import against the floors',
      'base/a.ts',
      "import { b } from '../edm/b.ts';",
      'base is not above it',
    ],
    [
      'a type-only import against the floors',
      'plan/a.ts',
      "import type { B } from '../sql/b.ts';",
      'plan is not above it',
    ],
    [
      'a dynamic import against the floors',
      'store/a.ts',
      "await import('../auth/b.ts');",
      'store is not above it',
    ],
    [
      'a type written as an import',
      'bind/a.ts',
      "type B = import('../plan/b.ts').B;",
      'bind is not above it',
    ],
    [
      'a re-export against the floors',
      'base/a.ts',
      "export * from '../edm/b.ts';",
      'base is not above it',
    ],
    [
      'a neighbour on the same floor',
      'sql/a.ts',
      "import '../response/b.ts';",
      'sql is not above it',
    ],
    [
      'syntax that knows a model',
      'request/a.ts',
      "import '../edm/model.ts';",
      'request must not know any model',
    ],
    [
      'an engine room that knows the demo records',
      'http/a.ts',
      "import '../seed/demo.ts';",
      'must not know the records of one model',
    ],
    [
      'seed records that know more than edm',
      'seed/a.ts',
      "import '../base/fault.ts';",
      'seed imports edm only',
    ],
    [
      'an observer that knows more than base',
      'observe/a.ts',
      "import '../edm/b.ts';",
      'observe imports base only',
    ],
    ['a package in the core', 'sql/a.ts', "import 'zod';", 'sql imports no package'],
    [
      'a node module in the core',
      'edm/a.ts',
      "import fs from 'node:fs';",
      'edm imports no package',
    ],
    ['a package in the seed records', 'seed/a.ts', "import 'zod';", 'seed imports no package'],
    [
      'a package that is no dependency',
      'cli/a.ts',
      "import '@x/y/z';",
      'imports @x/y/z, which is no dependency',
    ],
    ['an import from outside src', 'cli/a.ts', "import '../../test/b.ts';", 'no file of src'],
    ['an import of compiled code', 'cli/a.ts', "import './b.js';", 'no file of src'],
    ['a computed import', 'cli/a.ts', 'await import(name);', 'imports a computed name'],
    [
      'an implementation chosen elsewhere',
      'cli/command/serve.ts',
      "import '../../store/sqlite/database.ts';",
      'only cli/wire.ts chooses',
    ],
    ['a clock in the core', 'base/a.ts', 'export const a = Date.now();', 'uses Date.now'],
    [
      'a new date in the core',
      'plan/a.ts',
      'export const a = new Date();',
      'uses Date without a time',
    ],
    ['randomness in the core', 'plan/a.ts', 'export const a = Math.random();', 'uses Math.random'],
    ['the process in the core', 'bind/a.ts', 'export const a = process.env;', 'uses process'],
    ['the console in the core', 'bind/a.ts', 'console.log(1);', 'uses console'],
    [
      'the process as a default',
      'sql/a.ts',
      'export const f = (a = process) => a;',
      'uses process',
    ],
    ['a timer in the core', 'access/a.ts', 'setTimeout(f, 1);', 'uses setTimeout'],
    [
      'cryptography in the core',
      'response/a.ts',
      'export const a = crypto.randomUUID();',
      'uses crypto',
    ],
    ['a barrel by name', 'edm/index.ts', 'export const a = 1;', 'is a barrel'],
    ['a barrel by re-export', 'edm/a.ts', "export { b } from './b.ts';", 'is a barrel'],
    ['an unknown room', 'utils/a.ts', 'export const a = 1;', 'is in the unknown room utils'],
    ['any', 'cli/a.ts', 'export const a: any = 1;', 'uses any'],
    [
      'an escape from the types',
      'cli/a.ts',
      '// @ts-expect-error\nexport const a = 1;',
      'escapes from a check',
    ],
    [
      'a file of 401 lines that does not say why',
      'cli/a.ts',
      'export {};\n'.repeat(401),
      'is long, and its first lines do not say why',
    ],
    ['a file of 701 lines', 'cli/a.ts', 'export {};\n'.repeat(701), 'has 701 lines'],
    [
      'a function of 71 lines',
      'cli/a.ts',
      `\n${longFunction(71)}`,
      'has a function of 71 lines at line 2',
    ],
  ])('%s', (_, file, text, breach) => {
    expect(found({ [file]: text })).toContainEqual(expect.stringContaining(breach));
  });

  test('a file that is no TypeScript', () => {
    expect(() => found({ 'base/a.ts': 'const = ;' })).toThrow('base/a.ts cannot be parsed');
  });

  test('a circle of type-only imports', () => {
    const files = {
      'edm/a.ts': "import type { B } from './b.ts';",
      'edm/b.ts': "import type { C } from './c.ts';",
      'edm/c.ts': "import type { A } from './a.ts';",
    };
    expect(found(files)).toEqual(['circle edm/a.ts > edm/b.ts > edm/c.ts > edm/a.ts']);
  });

  test('a room without notes, and one whose notes are too long', () => {
    const house = new Map([
      ['base/a.ts', ''],
      ['edm/a.ts', ''],
      ['edm/README.md', 'line\n'.repeat(31)],
    ]);
    expect(breaches(house, new Set())).toEqual([
      'base has no README.md',
      'edm/README.md has 31 lines',
    ]);
  });
});

describe('what the laws allow is not refused', () => {
  test.each([
    ['lower floors', 'service/a.ts', "import '../plan/b.ts'; import { c } from '../base/c.ts';"],
    ['the own room', 'store/a.ts', "import { b } from './sqlite/database.ts';"],
    [
      'wire choosing implementations',
      'cli/wire.ts',
      "import '../store/sqlite/database.ts'; import '../seed/demo.ts';",
    ],
    ['packages above the core', 'http/a.ts', "import { z } from 'zod'; import 'node:http';"],
    [
      'given times in the core',
      'base/a.ts',
      'export const a = (text: string) => new Date(text).getTime();',
    ],
    [
      'members named like globals',
      'plan/a.ts',
      'export const a = { process: 1 }.process; type T = { crypto: 1 };',
    ],
    [
      'own names like globals',
      'bind/a.ts',
      'export function f(process: number) { return process + 1; }',
    ],
    [
      'words in comments and strings',
      'sql/a.ts',
      "// console, new Date(), any\nexport const a = 'Date.now() any';",
    ],
    ['a function of 70 lines', 'cli/a.ts', longFunction(70)],
  ])('%s', (_, file, text) => {
    expect(found({ [file]: text })).toEqual([]);
  });
});
