// SQL fragments: pieces of statement text with their parameters, combined by the template tag `sql`. All SQL is built here, so a value
// from a request can enter a statement only as a bound parameter. Names come from the model.
import { Fault, invariant } from '../base/fault.ts';
import { perObject } from '../base/memo.ts';
import type { Parameter as RequestParameter } from '../bind/parameter.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { Storage } from './schema/value-storage.ts';
import { DEFERRED_START, type Parameter, type Statement } from './script.ts';

/**
 * Statement text around pieces: `texts` has one element more than `pieces`. Fragments are combined without copying. toStatement
 * flattens the tree once.
 */
export interface Fragment {
  readonly texts: readonly string[];
  readonly pieces: readonly (Fragment | Leaf)[];
}

type Leaf = Parameter | TableName;

interface TableName {
  readonly kind: 'table';
  /** The quoted name. */
  readonly text: string;
  /** The table that the statement reads or writes. */
  readonly table: string;
}

/**
 * The placeholder of a parameter in the text; `index` counts from 1. The same parameter has the same index wherever it occurs, if the
 * placeholder shows it: equal expressions then have equal text, as GROUP BY requires.
 */
export interface Placeholder {
  (index: number, parameter: Parameter): string;
  readonly isNumbered?: boolean;
}

/** ``sql`${column} = ${value(5n)}` ``: the literal text is SQL, and every interpolated value must already be a fragment. */
export function sql(texts: TemplateStringsArray, ...pieces: readonly Fragment[]): Fragment {
  return { texts, pieces };
}

export const EMPTY: Fragment = plain('');

/** A bound value. */
export function value(content: Value | Uint8Array): Fragment {
  return parameter({ kind: 'value', value: content });
}

/** A value that each run of the statement supplies. */
export function local(name: string, storage: Storage['kind']): Fragment {
  return parameter({ kind: 'local', name, storage });
}

/** Null where the context does not show its type. */
export function nullOf(storage: Storage['kind']): Fragment {
  return parameter({ kind: 'value', value: null, storage });
}

/** A value that each request supplies. */
export function input(own: RequestParameter, storage: Storage['kind']): Fragment {
  return parameter(inputOf(own, storage));
}

export function inputOf({ slot }: RequestParameter, storage: Storage['kind']): Parameter {
  return { kind: 'input', slot, storage };
}

export function parameter(content: Parameter): Fragment {
  return { texts: ['', ''], pieces: [content] };
}

/** A value that is bound when the statement runs, for statements that are written once. Each occurrence is another value. */
export const ARGUMENT: Fragment = parameter({ kind: 'local', name: 'argument' });

/** The quoted name of a column, index or alias. For a table that a statement reads or writes, see tableName. */
export function name(identifier: string): Fragment {
  return plain(quoted(identifier));
}

/** A quoted name as text. */
export function quoted(identifier: string): string {
  invariant(!identifier.includes('\0'), 'a name contains U+0000');
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** The quoted name of a table. `table` is the table of a text index: an index counts as its table. */
export function tableName(identifier: string, table: string = identifier): Fragment {
  return { texts: ['', ''], pieces: [{ kind: 'table', text: quoted(identifier), table }] };
}

/** `t3."Name"`. */
export function column(alias: Fragment, identifier: string): Fragment {
  return sql`${alias}.${name(identifier)}`;
}

/** A text constant of the plan, such as a piece of JSON. Never pass text from a request. */
export function text(constant: string): Fragment {
  invariant(!constant.includes('\0'), 'a constant contains U+0000');
  return plain(`'${constant.replaceAll("'", "''")}'`);
}

/** An integer constant. */
export function integer(constant: number | bigint): Fragment {
  invariant(typeof constant === 'bigint' || Number.isSafeInteger(constant), 'not a whole number');
  return plain(String(constant));
}

/** An SQL keyword, operator or function name. Letters, digits, `_` and operator signs only. */
export function word(keyword: string): Fragment {
  invariant(/^[\w <>=!+\-*/%&|~.]+$/.test(keyword), `not a word of SQL: ${keyword}`);
  return plain(keyword);
}

export function join(pieces: readonly Fragment[], separator: string): Fragment {
  const [only] = pieces;
  if (only === undefined) return EMPTY;
  if (pieces.length === 1) return only;
  const between = Array.from({ length: pieces.length - 1 }, () => separator);
  return { texts: ['', ...between, ''], pieces };
}

export function list(fragments: readonly Fragment[]): Fragment {
  return join(fragments, ', ');
}

/** The conjunction of the conditions, or `none` without conditions. Long chains become balanced trees, since databases limit expression depth. */
export function every(conditions: readonly Fragment[], none?: Fragment): Fragment {
  return balanced(conditions, 'AND', none);
}

/** The disjunction of the conditions, or `none` without conditions. */
export function some(conditions: readonly Fragment[], none?: Fragment): Fragment {
  return balanced(conditions, 'OR', none);
}

/** `WHERE …`, or nothing if there are no conditions. */
export function where(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? EMPTY : sql` WHERE ${every(conditions)}`;
}

/** The statement with the tables that it names, each once. */
export function toStatement(fragment: Fragment, placeholder: Placeholder): Statement {
  const parameters: Parameter[] = [];
  const indexes = new Map<Parameter, number>();
  const reads: string[] = [];
  const writes: string[] = [];
  const text = written(fragment, (leaf, before) => {
    if (leaf.kind !== 'table') {
      const index = indexes.get(leaf) ?? parameters.push(leaf);
      if (placeholder.isNumbered === true && hasType(leaf)) indexes.set(leaf, index);
      return placeholder(index, leaf);
    }
    const tables = isTarget(before) ? writes : reads;
    if (!tables.includes(leaf.table)) tables.push(leaf.table);
    return leaf.text;
  });
  const statement = { text, parameters, reads, writes };
  return text.includes(DEFERRED_START) ? { ...statement, isDeferred: true } : statement;
}

/** Whether the parameter has the same type wherever it occurs. The database deduces the types of others from their places. */
function hasType(leaf: Parameter): boolean {
  if (leaf.kind === 'local') return leaf.storage !== undefined;
  return leaf.kind !== 'value' || leaf.value !== null || leaf.storage !== undefined;
}

const WRITING = ['INTO ', 'UPDATE ', 'DELETE FROM '];
const LONGEST = Math.max(...WRITING.map((word) => word.length));

/** Whether a statement writes to the table named after these parts of its text. */
function isTarget(before: readonly string[]): boolean {
  let end = '';
  for (let index = before.length - 1; index >= 0 && end.length < LONGEST; index--)
    end = `${before[index]}${end}`;
  return WRITING.some((word) => end.endsWith(word));
}

/** The fragment without nesting, for one that becomes part of many statements. */
export function flattened(fragment: Fragment): Fragment {
  const pieces: Leaf[] = [];
  const text = written(fragment, (one) => {
    pieces.push(one);
    return '\0';
  });
  return { texts: text.split('\0'), pieces };
}

/** The parameters of a fragment, in the order of its text. */
export function parametersOf(fragment: Fragment): readonly Parameter[] {
  return toStatement(fragment, () => '').parameters;
}

/** How often a fragment names a table. */
export function timesNamed(fragment: Fragment, table: string): number {
  let times = 0;
  written(fragment, (leaf) => {
    if (leaf.kind === 'table' && leaf.table === table) times++;
    return '';
  });
  return times;
}

/** The tables that a statement writes to. */
export function writesOf(statement: Fragment | Statement): readonly string[] {
  return 'writes' in statement ? statement.writes : writesOfFragment(statement);
}

const writesOfFragment = perObject((fragment: Fragment) => toStatement(fragment, () => '').writes);

/** The text of a fragment without parameters; undefined if there are any. */
export function constantText(fragment: Fragment): string | undefined {
  const { text, parameters } = toStatement(fragment, () => '');
  return parameters.length === 0 ? text : undefined;
}

/** Whether the fragment is one parameter and nothing else. */
export function isParameter(fragment: Fragment): boolean {
  const { text, parameters } = toStatement(fragment, () => '');
  return parameters.length === 1 && text === '';
}

/** How a leaf is written after the parts of the text before it. */
type WriteLeaf = (leaf: Leaf, before: readonly string[]) => string;

function written(fragment: Fragment, write: WriteLeaf): string {
  const parts: string[] = [];
  append(parts, fragment, write);
  return parts.join('');
}

/** Fragments that share others, such as those of nested unions, can be longer than any database or memory permits. */
const MOST_PARTS = 300_000;

/** Throws: store.too-complex. */
function append(parts: string[], { texts, pieces }: Fragment, write: WriteLeaf): void {
  if (parts.length > MOST_PARTS) throw new Fault('store.too-complex');
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index];
    if (text) parts.push(text);
    const piece = pieces[index];
    if (piece === undefined) continue;
    if ('kind' in piece) parts.push(write(piece, parts));
    else append(parts, piece, write);
  }
}

/** Whether a fragment consists of more than so many parts. */
export function hasMorePieces(fragment: Fragment, most: number): boolean {
  return countPieces(fragment, most) > most;
}

/** Counts up to a number. */
function countPieces({ pieces }: Fragment, most: number): number {
  let count = 0;
  for (const piece of pieces) {
    count += 'kind' in piece ? 1 : 1 + countPieces(piece, most - count);
    if (count > most) break;
  }
  return count;
}

function plain(content: string): Fragment {
  return { texts: [content], pieces: [] };
}

const MAX_CHAIN_LENGTH = 64;

function balanced(
  operands: readonly Fragment[],
  operator: 'AND' | 'OR',
  none?: Fragment,
): Fragment {
  const only = operands[0] ?? none;
  invariant(only !== undefined, 'there are no conditions');
  if (operands.length <= 1) return only;
  if (operands.length <= MAX_CHAIN_LENGTH) return sql`(${join(operands, ` ${operator} `)})`;
  const middle = operands.length >> 1;
  const halves = [operands.slice(0, middle), operands.slice(middle)];
  return sql`(${join(
    halves.map((half) => balanced(half, operator)),
    ` ${operator} `,
  )})`;
}
