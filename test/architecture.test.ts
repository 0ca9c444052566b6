// This file checks src against the rules of ARCHITECTURE.md, and proves with planted violations that each rule is checked.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { longParts, violations } from './laws.ts';

const root = path.resolve(import.meta.dirname, '..');

function readCodeBase(folder = 'src'): Map<string, string> {
  const entries = fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  const files = entries.filter((name) => /\.(tsx?|md)$/.test(name)).sort();
  const read = (name: string) => fs.readFileSync(path.join(root, folder, name), 'utf8');
  return new Map(files.map((name) => [name.split(path.sep).join('/'), read(name)]));
}

function readPackages(): Set<string> {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return new Set(Object.keys(manifest.dependencies));
}

test('src follows every rule of the code base', () => {
  const codeBase = readCodeBase();
  expect(codeBase.has('base/fault.ts')).toBe(true);
  expect(violations(codeBase, readPackages())).toEqual([]);
});

test('the console has no long functions and files', () => {
  const codeBase = readCodeBase('console/src');
  expect(codeBase.has('main.tsx')).toBe(true);
  expect(longParts(codeBase)).toEqual([]);
  const part = `${longFunction(71)}export const Part = () => <p />;\n`;
  expect(longParts(new Map([['a.tsx', part]]))).toEqual([
    'a.tsx has a function of 71 lines at line 1',
  ]);
});

/** The violations in the given files. Each folder gets a README, so that a case contains only what it is about. */
function found(files: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(files);
  const readmes = names.map((file) => [`${path.posix.dirname(file)}/README.md`, readmeOf(names)]);
  return violations(
    new Map([...readmes, ...Object.entries(files)] as [string, string][]),
    new Set(['zod']),
  );
}

const readmeOf = (files: readonly string[]) =>
  files.map((file) => `- \`${path.posix.basename(file)}\``).join('\n');

const longFunction = (lines: number) => `export function f() {\n${'  f();\n'.repeat(lines - 2)}}\n`;

describe('SQL that only SQLite understands is found', () => {
  test.each([
    'json_set(d, ?1, ?2)',
    'json(x)',
    'SELECT a ->> b',
    'SELECT a -> b',
    'SELECT fullkey',
    'ORDER BY a LIMIT -1 OFFSET 5',
    "'NaN'",
    'WHEN a THEN -9e999',
    "DEFAULT x''",
    'LEFT JOIN b ON 1',
    'WHERE (1)',
    'a AND 0',
    'a IS b',
    'a IS NOT "b"',
    'a IS ?',
    'SELECT max(coalesce(a, 0), 5)',
    'SELECT min(a, (SELECT min(b) FROM c))',
    'substr(a, -7)',
    'WHERE +"at" > b',
    'instr(a, b)',
    'glob(a, b)',
    'lower(hex(randomblob(16)))',
    'iif(a, b, c)',
    'ifnull(a, b)',
    'typeof(a)',
    "printf('%d', a)",
    "group_concat(a, ',')",
    "julianday('now')",
    "strftime('%s', a)",
    'total_changes()',
    'docket_decimal(a)',
    'rowid IN (b)',
    'SELECT 1 FROM sqlite_schema',
    'SELECT 1 FROM sqlite_master',
    'PRAGMA foreign_keys = ON',
    'SELECT name FROM pragma_table_info(a)',
    'CREATE TABLE a (b INTEGER PRIMARY KEY AUTOINCREMENT)',
    ') WITHOUT ROWID',
    ') STRICT',
    'INSERT OR REPLACE INTO a',
    'REPLACE INTO a',
    'UPDATE OR IGNORE a',
    'a COLLATE NOCASE',
    'a COLLATE BINARY',
    "a GLOB 'b*'",
    'a MATCH b',
    'CREATE VIRTUAL TABLE a USING fts5(b)',
    'CAST(a AS real)',
    'CREATE TABLE "a" ("b" BLOB)',
    'hash TEXT NOT NULL',
    'WHERE a = ?',
    'VALUES (?, b)',
    'LIMIT ?',
  ])('%s', (text) => {
    const source = `export const a = \`${text}\`;`;
    expect(found({ 'service/a.ts': source }).join()).toContain('service/a.ts contains');
    expect(found({ 'store/sqlite/a.ts': source, 'sql/dialect/sqlite-a.ts': source })).toEqual([]);
  });

  test.each([
    ['a Boolean constant', 'sql`0`'],
    ['a Boolean constant in a list', '[sql`1`]'],
    ['a table of the engine in the text', 'sql`UPDATE "docket_file" SET a = b`'],
    ['a table by its plain name', '(b: never) => sql`SELECT 1 FROM $' + '{name(b)}`'],
    ['a target by its plain name', '(b: never) => sql`INSERT INTO $' + '{name(b)} (c)`'],
    ['a comparison of two values', '(b: never) => sql`a IS $' + '{b}`'],
    ['a comparison of two values, negated', '(b: never) => sql`a IS NOT $' + '{b} AND c`'],
  ])('%s', (_, code) => {
    const source = `import { sql } from './sql.ts';\nexport const a = ${code};`;
    expect(found({ 'sql/a.ts': source }).join()).toMatch(/^sql\/a.ts (?:contains|names a table)/);
  });

  test.each([
    'SELECT 1 FROM a WHERE b IS NOT NULL AND 1 = 0',
    'a IS NOT TRUE OR a IS FALSE',
    'SELECT max(a), coalesce(min(b), 0) FROM c',
    'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING',
    'ORDER BY a LIMIT 1 OFFSET 5',
    'CAST(a AS text)',
    'substr(a, 2, length(a) - 2)',
    'INSERT INTO a (b) VALUES (c) ON CONFLICT DO NOTHING',
    'Is this a question?',
    '/Persons?$top=1',
  ])('but not in %s', (text) => {
    const source = `// a MATCH ? rowid\nexport const a = \`${text.replace('$', '\\$')}\`;`;
    expect(found({ 'service/a.ts': source })).toEqual([]);
  });
});

describe('a planted violation is found', () => {
  test.each([
    [
      'an import against the layer order',
      'base/a.ts',
      "import { b } from '../edm/b.ts';",
      'base is not in a higher layer',
    ],
    [
      'a type-only import against the layer order',
      'plan/a.ts',
      "import type { B } from '../sql/b.ts';",
      'plan is not in a higher layer',
    ],
    [
      'a dynamic import against the layer order',
      'store/a.ts',
      "await import('../auth/b.ts');",
      'store is not in a higher layer',
    ],
    [
      'a type written as an import',
      'bind/a.ts',
      "type B = import('../plan/b.ts').B;",
      'bind is not in a higher layer',
    ],
    [
      'a re-export against the layer order',
      'base/a.ts',
      "export * from '../edm/b.ts';",
      'base is not in a higher layer',
    ],
    [
      'a neighbour in the same layer',
      'sql/a.ts',
      "import '../response/b.ts';",
      'sql is not in a higher layer',
    ],
    [
      'syntax that depends on a model',
      'request/a.ts',
      "import '../edm/model.ts';",
      'request must not depend on a model',
    ],
    [
      'a module of the engine that depends on the demo records',
      'http/a.ts',
      "import '../seed/demo.ts';",
      'must not depend on the records of one model',
    ],
    [
      'seed records that depend on more than edm',
      'seed/a.ts',
      "import '../base/fault.ts';",
      'seed may import edm only',
    ],
    [
      'an observer that depends on more than base',
      'observe/a.ts',
      "import '../edm/b.ts';",
      'observe may import base only',
    ],
    [
      'a calendar that depends on a model',
      'calendar/a.ts',
      "import '../edm/b.ts';",
      'calendar may import base only',
    ],
    [
      'a package in the calendar',
      'calendar/a.ts',
      "import 'zod';",
      'calendar may not import packages',
    ],
    ['a package in the core', 'sql/a.ts', "import 'zod';", 'sql may not import packages'],
    [
      'a node module in the core',
      'edm/a.ts',
      "import fs from 'node:fs';",
      'edm may not import packages',
    ],
    ['a package in the seed records', 'seed/a.ts', "import 'zod';", 'seed may not import packages'],
    [
      'a package that is not a dependency',
      'cli/a.ts',
      "import '@x/y/z';",
      'imports @x/y/z, which is not a dependency',
    ],
    [
      'the SQLite package outside its driver',
      'store/sqlite/writer.ts',
      "import 'better-sqlite3';",
      'only store/sqlite/better-sqlite3.ts may',
    ],
    [
      'an import from outside src',
      'cli/a.ts',
      "import '../../test/b.ts';",
      'not a TypeScript file in src',
    ],
    ['an import of compiled code', 'cli/a.ts', "import './b.js';", 'not a TypeScript file in src'],
    ['a computed import', 'cli/a.ts', 'await import(name);', 'imports a computed name'],
    [
      'an implementation opened elsewhere',
      'cli/command/serve.ts',
      "import '../../store/sqlite/database.ts';",
      'only cli/wire.ts opens',
    ],
    [
      'SQLite in the rest of the store',
      'store/migrate.ts',
      "import { firstCell } from './sqlite/connection.ts';",
      'only cli/wire.ts opens',
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
    ['an unknown module', 'utils/a.ts', 'export const a = 1;', 'is in the unknown module utils'],
    ['any', 'cli/a.ts', 'export const a: any = 1;', 'uses any'],
    [
      'a suppressed type error',
      'cli/a.ts',
      '// @ts-expect-error\nexport const a = 1;',
      'switches a check off',
    ],
    [
      'a file of 401 lines that does not say why',
      'cli/a.ts',
      'export {};\n'.repeat(401),
      'is long, and its header does not say why',
    ],
    ['a file of 701 lines', 'cli/a.ts', 'export {};\n'.repeat(701), 'has 701 lines'],
    [
      'a function of 71 lines',
      'cli/a.ts',
      `\n${longFunction(71)}`,
      'has a function of 71 lines at line 2',
    ],
  ])('%s', (_, file, text, violation) => {
    expect(found({ [file]: text })).toContainEqual(expect.stringContaining(violation));
  });

  test('a file that is not TypeScript', () => {
    expect(() => found({ 'base/a.ts': 'const = ;' })).toThrow('base/a.ts cannot be parsed');
  });

  test('a cycle of type-only imports', () => {
    const files = {
      'edm/a.ts': "import type { B } from './b.ts';",
      'edm/b.ts': "import type { C } from './c.ts';",
      'edm/c.ts': "import type { A } from './a.ts';",
    };
    expect(found(files)).toEqual(['import cycle edm/a.ts > edm/b.ts > edm/c.ts > edm/a.ts']);
  });

  test('a folder without a README, and one whose README is too long', () => {
    const codeBase = new Map([
      ['base/a.ts', ''],
      ['edm/a.ts', ''],
      ['edm/README.md', `\`a.ts\`\n${'line\n'.repeat(30)}`],
    ]);
    expect(violations(codeBase, new Set())).toEqual([
      'base has no README.md',
      'edm/README.md has 31 lines',
    ]);
  });

  test('a README that names its files and sub-folders only as parts of other names', () => {
    const codeBase = new Map([
      ['edm/read.ts', ''],
      ['edm/README.md', '`bind-read.ts`, `value/read.ts`, `read.tsx`'],
      ['edm/value/read.ts', ''],
      ['edm/value/README.md', '- `read.ts`: reads values'],
    ]);
    expect(violations(codeBase, new Set())).toEqual([
      'edm/README.md does not name read.ts',
      'edm/README.md does not name value/',
    ]);
  });

  test('a folder of 26 files', () => {
    const names = Array.from({ length: 26 }, (_, index) => `edm/f${index}.ts`);
    expect(found(Object.fromEntries(names.map((name) => [name, ''])))).toEqual([
      'edm has 26 files',
    ]);
    expect(found(Object.fromEntries(names.slice(1).map((name) => [name, ''])))).toEqual([]);
  });
});

describe('what the rules allow is accepted', () => {
  test.each([
    ['lower layers', 'service/a.ts', "import '../plan/b.ts'; import { c } from '../base/c.ts';"],
    ['the module itself', 'store/a.ts', "import { b } from './code-texts.ts';"],
    [
      'wire opening implementations',
      'cli/wire.ts',
      "import '../store/sqlite/database.ts'; import '../seed/demo.ts';",
    ],
    ['packages above the core', 'http/a.ts', "import { z } from 'zod'; import 'node:http';"],
    [
      'times as values in the core',
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
