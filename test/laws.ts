// This file checks the rules of the code base on the text of source files: which module may import which, what the core must not
// use, how large files, functions and folders may become, where SQL of one database may be, and what READMEs contain. It works on syntax trees, so that words in
// comments and strings do not count.

import { posix as path } from 'node:path';
import { parseAst } from 'vitest/node';
import { type SqlTemplate, sqliteIdioms } from './sqlite-idioms.ts';

/** Source files and READMEs: path below src, such as `base/fault.ts`, to text. */
export type CodeBase = ReadonlyMap<string, string>;

/** The modules of each layer, from the lowest layer to the highest. */
const layers: readonly (readonly string[])[] = [
  ['base'],
  ['calendar', 'edm', 'observe'],
  ['request'],
  ['access', 'seed'],
  ['bind'],
  ['plan'],
  ['sql', 'response'],
  ['store'],
  ['attachments', 'auth', 'changes'],
  ['service'],
  ['http', 'mail'],
  ['webhooks'],
  ['cli'],
];
const layerOf = new Map(
  layers.flatMap((modules, layer) => modules.map((module) => [module, layer])),
);
const core = new Set('base calendar edm request access bind plan sql response'.split(' '));
/** Modules that may import less than their layer allows. */
const permittedImports = new Map([
  ['calendar', ['base']],
  ['observe', ['base']],
  ['seed', ['edm']],
]);
const implementations = new Set([
  'attachments/local/store.ts',
  'attachments/ftp/store.ts',
  'attachments/s3/store.ts',
]);
/** The folders of databases, of which other files know nothing. */
const databaseOf = (file: string) => /^store\/(?:sqlite|postgres)(?=\/)/.exec(file)?.[0];
const wire = 'cli/wire.ts';
/** Packages that only one file may import. */
const soleImporters = new Map([
  ['better-sqlite3', 'store/sqlite/better-sqlite3.ts'],
  ['temporal-polyfill', 'service/time-zones.ts'],
  ['nodemailer', 'mail/out/smtp.ts'],
]);
/** Globals through which code reaches the process, the clock, the network or randomness. */
const environmentGlobals = new Set(
  'process console setTimeout setInterval setImmediate queueMicrotask crypto performance fetch globalThis require'.split(
    ' ',
  ),
);
const limits = { file: 700, explained: 400, function: 70, readme: 30, folder: 25 };

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

type Visit = readonly [node: Node, parent: Node | undefined, member: string];
type Tree = readonly Visit[];

/** Every node of a tree with its parent and the member under which the parent holds it. */
function* walk(node: Node, parent?: Node, member = ''): Generator<Visit> {
  yield [node, parent, member];
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child, node, name);
    }
  }
}

function treeOf(file: string, text: string): Tree {
  try {
    const lang = file.endsWith('.tsx') ? 'tsx' : 'ts';
    const program: unknown = parseAst(text, { lang }, file);
    return isNode(program) ? [...walk(program)] : [];
  } catch (cause) {
    throw new Error(`${file} cannot be parsed`, { cause });
  }
}

/** The module specifiers of all forms of import in a file; undefined for a computed specifier. */
function importsOf(tree: Tree): (string | undefined)[] {
  const sources = tree.flatMap(([node]) => (isNode(node.source) ? [node.source] : []));
  return sources.map((source) => {
    const value = source.value;
    return source.type === 'Literal' && typeof value === 'string' ? value : undefined;
  });
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : '';
}

/** The names that a pattern binds. Its default values are uses, not names. */
function boundNames(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [nameOf(pattern)];
  const { left, argument, value, elements, properties } = pattern;
  return [left, argument, value, elements, properties].flat().flatMap(boundNames);
}

/** Names that the file declares itself, so that they do not refer to the global of that name. */
function declaredNames(tree: Tree): Set<string> {
  const binders = tree.flatMap(([node]) => [node.id, node.local, node.param, node.params]);
  return new Set(binders.flat().flatMap(boundNames));
}

/** Uses of the clock, of randomness and of the environment. */
function environmentUses(tree: Tree): string[] {
  const declared = declaredNames(tree);
  return tree.flatMap(([node, parent, member]) => {
    if (node.type === 'MemberExpression') {
      const use = `${nameOf(node.object)}.${nameOf(node.property)}`;
      return use === 'Date.now' || use === 'Math.random' ? [use] : [];
    }
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (isCall && nameOf(node.callee) === 'Date') {
      const reads = node.type === 'CallExpression' || [node.arguments].flat().length === 0;
      return reads ? ['Date without a time'] : [];
    }
    const isLabel = (member === 'key' || member === 'property') && parent?.computed !== true;
    const name = nameOf(node);
    return environmentGlobals.has(name) && !isLabel && !declared.has(name) ? [name] : [];
  });
}

const moduleOf = (file: string) => file.split('/')[0] ?? '';

/** Why one module may not import another; undefined where it may. */
function importError(from: string, to: string): string | undefined {
  if (from === to) return undefined;
  const permitted = permittedImports.get(from);
  if (permitted !== undefined)
    return permitted.includes(to) ? undefined : `may import ${permitted} only`;
  if (to === 'seed' && from !== 'cli') return 'must not depend on the records of one model';
  if (from === 'request' && to === 'edm') return 'must not depend on a model';
  const [own, other] = [layerOf.get(from) ?? -1, layerOf.get(to) ?? Number.POSITIVE_INFINITY];
  return other < own ? undefined : 'is not in a higher layer';
}

function checkImport(
  file: string,
  source: string | undefined,
  packages: ReadonlySet<string>,
): string[] {
  const module = moduleOf(file);
  if (source === undefined) return ['imports a computed name'];
  if (!source.startsWith('.')) {
    if (core.has(module) || module === 'seed')
      return [`imports ${source}: ${module} may not import packages`];
    const name = source.split('/', source.startsWith('@') ? 2 : 1).join('/');
    const importer = soleImporters.get(name) ?? file;
    if (importer !== file) return [`imports ${source}: only ${importer} may`];
    const isKnown = source.startsWith('node:') || packages.has(name);
    return isKnown ? [] : [`imports ${source}, which is not a dependency in package.json`];
  }
  const target = path.join(path.dirname(file), source);
  if (!target.endsWith('.ts') || target.startsWith('..'))
    return [`imports ${source}: not a TypeScript file in src`];
  const reason = importError(module, moduleOf(target));
  if (reason !== undefined) return [`imports ${target}: ${module} ${reason}`];
  const database = databaseOf(target);
  const isChoice =
    database !== undefined
      ? databaseOf(file) !== database
      : implementations.has(target) && module !== moduleOf(target);
  return isChoice && file !== wire
    ? [`imports ${target}: only ${wire} opens databases and file stores`]
    : [];
}

/** The pieces of a template string as they read at run time. */
function piecesOf(template: Node): string[] {
  return [template.quasis].flat().flatMap((piece) => {
    const value = isNode(piece) ? piece.value : undefined;
    return typeof value === 'object' && value !== null && 'cooked' in value
      ? [String(value.cooked)]
      : [];
  });
}

/** The string literals and pieces of template strings. */
function stringsOf(tree: Tree): string[] {
  return tree.flatMap(([node]) => {
    if (node.type === 'TemplateLiteral') return piecesOf(node);
    return node.type === 'Literal' && typeof node.value === 'string' ? [node.value] : [];
  });
}

function sqlTemplatesOf(tree: Tree): SqlTemplate[] {
  return tree.flatMap(([node]) => {
    const isSql = node.type === 'TaggedTemplateExpression' && nameOf(node.tag) === 'sql';
    return isSql && isNode(node.quasi) ? [{ pieces: piecesOf(node.quasi) }] : [];
  });
}

/** Tables that a statement names without recording that it reads or writes them. */
function unrecordedTables(tree: Tree): string[] {
  return tree.flatMap(([node]) => {
    const { quasi } = node;
    if (nameOf(node.tag) !== 'sql' || !isNode(quasi)) return [];
    const values = [quasi.expressions].flat().filter(isNode);
    const pieces = piecesOf(quasi);
    return values.flatMap((value, index) =>
      nameOf(value.callee) === 'name' && /\b(?:FROM|JOIN|INTO|UPDATE)\s+$/.test(pieces[index] ?? '')
        ? ['names a table by name(): use tableName()']
        : [],
    );
  });
}

function checkSizes(text: string, tree: Tree): string[] {
  const linesOf = (part: string) => part.trimEnd().split('\n').length;
  const found = linesOf(text) > limits.file ? [`has ${linesOf(text)} lines`] : [];
  const header = /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? '';
  if (
    linesOf(text) > limits.explained &&
    !/\b[Ii]t is long because\b/.test(header.replace(/\n\/\//g, ''))
  )
    found.push('is long, and its header does not say why');
  for (const [node] of tree) {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      continue;
    const lines = linesOf(text.slice(node.start, node.end));
    const line = linesOf(`${text.slice(0, node.start)}.`);
    if (lines > limits.function) found.push(`has a function of ${lines} lines at line ${line}`);
  }
  return found;
}

function checkFile(
  file: string,
  text: string,
  tree: Tree,
  packages: ReadonlySet<string>,
): string[] {
  const module = moduleOf(file);
  const found = importsOf(tree).flatMap((source) => checkImport(file, source, packages));
  if (!layerOf.has(module)) found.push(`is in the unknown module ${module}`);
  if (core.has(module)) {
    const uses = environmentUses(tree);
    found.push(...uses.map((use) => `uses ${use}: ${module} must not depend on the environment`));
  }
  found.push(...sqliteIdioms(file, stringsOf(tree), sqlTemplatesOf(tree)));
  found.push(...unrecordedTables(tree));
  const types = new Set(tree.map(([node]) => node.type));
  const reexports = tree.some(([node]) => node.type.startsWith('Export') && isNode(node.source));
  if (reexports || path.basename(file) === 'index.ts') found.push('is a barrel');
  if (types.has('TSAnyKeyword')) found.push('uses any');
  if (/@ts-(ignore|expect-error|nocheck)|biome-ignore/.test(text))
    found.push('switches a check off');
  return [...found, ...checkSizes(text, tree)];
}

/** Files and functions that are too long. Other code than src follows only these rules. */
export function longParts(codeBase: CodeBase): string[] {
  const sources = [...codeBase].filter(([file]) => /\.tsx?$/.test(file));
  return sources.flatMap(([file, text]) =>
    checkSizes(text, treeOf(file, text)).map((message) => `${file} ${message}`),
  );
}

/** Import cycles, each cycle once, as `a.ts > b.ts > a.ts`. */
function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push([...trail.slice(start), file].join(' > '));
    if (start >= 0 || finished.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}

/** Folders that directly contain TypeScript files, with the names of these files and of their sub-folders. */
function foldersOf(
  codeBase: CodeBase,
): Map<string, { readonly files: string[]; readonly folders: Set<string> }> {
  const found = new Map<string, { readonly files: string[]; readonly folders: Set<string> }>();
  const sources = [...codeBase.keys()].filter((file) => file.endsWith('.ts'));
  for (const file of sources) {
    const folder = path.dirname(file);
    if (!found.has(folder)) found.set(folder, { files: [], folders: new Set() });
    found.get(folder)?.files.push(path.basename(file));
  }
  for (const folder of found.keys()) found.get(path.dirname(folder))?.folders.add(folder);
  return found;
}

/** Every folder with TypeScript files has few of them, and a short README that names each file and sub-folder. */
function checkFolders(codeBase: CodeBase): string[] {
  return [...foldersOf(codeBase)].flatMap(([folder, { files, folders }]) => {
    const found = files.length > limits.folder ? [`${folder} has ${files.length} files`] : [];
    const readme = codeBase.get(`${folder}/README.md`);
    if (readme === undefined) return [...found, `${folder} has no README.md`];
    const lines = readme.trimEnd().split('\n').length;
    if (lines > limits.readme) found.push(`${folder}/README.md has ${lines} lines`);
    const names = [...files, ...[...folders].map((name) => `${path.basename(name)}/`)];
    const missing = names.filter((name) => !isNamed(name, readme));
    return [...found, ...missing.map((name) => `${folder}/README.md does not name ${name}`)];
  });
}

/** Whether a README names a file or sub-folder, as such and not as a part of another name or path. */
function isNamed(name: string, readme: string): boolean {
  return new RegExp(`(?<![\\w./-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(readme);
}

/** Every violation of a rule in the given files; `packages` are the names of the dependencies in package.json. */
export function violations(codeBase: CodeBase, packages: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const imports = new Map<string, string[]>();
  for (const [file, text] of codeBase) {
    if (!file.endsWith('.ts')) continue;
    const tree = treeOf(file, text);
    found.push(...checkFile(file, text, tree, packages).map((message) => `${file} ${message}`));
    const relative = importsOf(tree).filter((source) => source?.startsWith('.') === true);
    imports.set(
      file,
      relative.map((source) => path.join(path.dirname(file), source ?? '')),
    );
  }
  const cycles = importCycles(imports).map((cycle) => `import cycle ${cycle}`);
  return [...found, ...cycles, ...checkFolders(codeBase)];
}
