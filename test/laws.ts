// This file checks the laws of the house on the text of source files: who may import whom, what the core must not touch,
// and how large things may grow. It reads syntax trees, so that words in comments and strings do not count.

import { posix as path } from 'node:path';
import { parseAst } from 'vitest/node';

/** Source files and room notes: path below src, such as `base/fault.ts`, to text. */
export type House = ReadonlyMap<string, string>;

const floors: readonly (readonly string[])[] = [
  ['base'],
  ['edm', 'observe'],
  ['request'],
  ['access', 'seed'],
  ['bind'],
  ['plan'],
  ['sql', 'response'],
  ['store'],
  ['attachments', 'auth', 'changes'],
  ['service'],
  ['http'],
  ['cli'],
];
const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor])));
const core = new Set(['base', 'edm', 'request', 'access', 'bind', 'plan', 'sql', 'response']);
/** Rooms that may import less than their floor allows. */
const narrower = new Map([
  ['observe', ['base']],
  ['seed', ['edm']],
]);
const implementations = new Set([
  'store/sqlite/database.ts',
  'store/sqlite/connection.ts',
  'store/sqlite/writer.ts',
  'store/reader-pool.ts',
  'attachments/local/store.ts',
  'attachments/ftp/store.ts',
  'attachments/s3/store.ts',
]);
const wire = 'cli/wire.ts';
const worldly = new Set(
  'process console setTimeout setInterval setImmediate queueMicrotask crypto performance fetch globalThis require'.split(
    ' ',
  ),
);
const limits = { file: 700, explained: 400, function: 70, notes: 30 };

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
    const program: unknown = parseAst(text, { lang: 'ts' }, file);
    return isNode(program) ? [...walk(program)] : [];
  } catch (cause) {
    throw new Error(`${file} cannot be parsed`, { cause });
  }
}

/** What a file imports, by any form of import; undefined where the name is computed. */
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

/** The names that a pattern binds; its default values are uses, not names. */
function boundNames(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [nameOf(pattern)];
  const { left, argument, value, elements, properties } = pattern;
  return [left, argument, value, elements, properties].flat().flatMap(boundNames);
}

/** Names that the file itself gives to something, so that they do not mean the global of that name. */
function ownNames(tree: Tree): Set<string> {
  const binders = tree.flatMap(([node]) => [node.id, node.local, node.param, node.params]);
  return new Set(binders.flat().flatMap(boundNames));
}

/** Uses of the clock, of randomness and of the surroundings. */
function worldlyUses(tree: Tree): string[] {
  const own = ownNames(tree);
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
    return worldly.has(name) && !isLabel && !own.has(name) ? [name] : [];
  });
}

const roomOf = (file: string) => file.split('/')[0] ?? '';

/** Why one room may not import another, or undefined where it may. */
function refusal(from: string, to: string): string | undefined {
  if (from === to) return undefined;
  const allowed = narrower.get(from);
  if (allowed !== undefined) return allowed.includes(to) ? undefined : `imports ${allowed} only`;
  if (to === 'seed' && from !== 'cli') return 'must not know the records of one model';
  if (from === 'request' && to === 'edm') return 'must not know any model';
  const [own, other] = [floorOf.get(from) ?? -1, floorOf.get(to) ?? Number.POSITIVE_INFINITY];
  return other < own ? undefined : 'is not above it';
}

function checkImport(
  file: string,
  source: string | undefined,
  packages: ReadonlySet<string>,
): string[] {
  const room = roomOf(file);
  if (source === undefined) return ['imports a computed name'];
  if (!source.startsWith('.')) {
    if (core.has(room) || room === 'seed') return [`imports ${source}: ${room} imports no package`];
    const name = source.split('/', source.startsWith('@') ? 2 : 1).join('/');
    const isKnown = source.startsWith('node:') || packages.has(name);
    return isKnown ? [] : [`imports ${source}, which is no dependency in package.json`];
  }
  const target = path.join(path.dirname(file), source);
  if (!target.endsWith('.ts') || target.startsWith('..'))
    return [`imports ${source}: no file of src`];
  const why = refusal(room, roomOf(target));
  if (why !== undefined) return [`imports ${target}: ${room} ${why}`];
  const isChoice = implementations.has(target) && room !== roomOf(target) && file !== wire;
  return isChoice ? [`imports ${target}: only ${wire} chooses implementations`] : [];
}

function checkSizes(text: string, tree: Tree): string[] {
  const linesOf = (part: string) => part.trimEnd().split('\n').length;
  const found = linesOf(text) > limits.file ? [`has ${linesOf(text)} lines`] : [];
  const header = /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? '';
  if (
    linesOf(text) > limits.explained &&
    !/\b[Ii]t is long because\b/.test(header.replace(/\n\/\//g, ''))
  )
    found.push('is long, and its first lines do not say why');
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
  const room = roomOf(file);
  const found = importsOf(tree).flatMap((source) => checkImport(file, source, packages));
  if (!floorOf.has(room)) found.push(`is in the unknown room ${room}`);
  if (core.has(room))
    found.push(...worldlyUses(tree).map((use) => `uses ${use}: ${room} has no world`));
  const types = new Set(tree.map(([node]) => node.type));
  const passesOn = tree.some(([node]) => node.type.startsWith('Export') && isNode(node.source));
  if (passesOn || path.basename(file) === 'index.ts') found.push('is a barrel');
  if (types.has('TSAnyKeyword')) found.push('uses any');
  if (/@ts-(ignore|expect-error|nocheck)|biome-ignore/.test(text))
    found.push('escapes from a check');
  return [...found, ...checkSizes(text, tree)];
}

/** Files that import each other in a circle, each circle once, as `a.ts > b.ts > a.ts`. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[] {
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

function checkNotes(house: House): string[] {
  const rooms = new Set([...house.keys()].filter((file) => file.endsWith('.ts')).map(roomOf));
  return [...rooms].flatMap((room) => {
    const notes = house.get(`${room}/README.md`);
    if (notes === undefined) return [`${room} has no README.md`];
    const lines = notes.trimEnd().split('\n').length;
    return lines > limits.notes ? [`${room}/README.md has ${lines} lines`] : [];
  });
}

/** Every breach of a law in the given files; `packages` are the names of the dependencies in package.json. */
export function breaches(house: House, packages: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const imports = new Map<string, string[]>();
  for (const [file, text] of house) {
    if (!file.endsWith('.ts')) continue;
    const tree = treeOf(file, text);
    found.push(...checkFile(file, text, tree, packages).map((breach) => `${file} ${breach}`));
    const inside = importsOf(tree).filter((source) => source?.startsWith('.') === true);
    imports.set(
      file,
      inside.map((source) => path.join(path.dirname(file), source ?? '')),
    );
  }
  return [...found, ...circles(imports).map((circle) => `circle ${circle}`), ...checkNotes(house)];
}
