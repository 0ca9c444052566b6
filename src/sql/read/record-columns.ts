// This file compiles the pieces of a record to columns and a template, from which the service writes its JSON text.
//     {"Id":7,"Name":"Leo"}    SELECT t1."Id", t1."Name"
import { unreachable } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { constantText, every, type Fragment, integer, join, sql } from '../fragment.ts';
import { type Choice, conditionOf, type Joined, type Piece, type Test } from './record-piece.ts';
import type { ColumnTest, Part, RecordTemplate } from './record-template.ts';

interface CompiledTemplate {
  readonly columns: readonly Fragment[];
  /** LEFT JOINs of at most one row each, to follow FROM. */
  readonly joins: Fragment;
  readonly template: RecordTemplate;
}

/** The columns of the pieces and their template. `marked` adds a first column that is never null, to recognise rows. */
export function compileTemplate(pieces: readonly Piece[], marked: boolean): CompiledTemplate {
  const columns = new Columns(marked);
  const parts = partsOf(columns, pieces, []);
  const fragments = columns.all();
  const template = { columns: fragments.length, parts };
  return { columns: fragments, joins: join(columns.joins, ''), template };
}

/** With more joins or columns, planning takes longer than it saves, and databases limit the number of columns. */
const MAX_JOINS = 4;
const MAX_JOINED_COLUMNS = 400;

/** The selected columns, and the joins that they need. Constant SQL is selected once. */
class Columns {
  readonly joins: Fragment[] = [];
  readonly #fragments: Fragment[];
  readonly #known = new Map<string | Fragment, number>();

  constructor(marked: boolean) {
    this.#fragments = marked ? [integer(1)] : [];
  }

  /** The number of the column. */
  add(fragment: Fragment): number {
    const key = constantOf(fragment).text ?? fragment;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const column = this.#fragments.push(fragment) - 1;
    this.#known.set(key, column);
    return column;
  }

  get mayJoin(): boolean {
    return this.joins.length < MAX_JOINS && this.#fragments.length < MAX_JOINED_COLUMNS;
  }

  all(): readonly Fragment[] {
    return this.#fragments.length === 0 ? [integer(1)] : this.#fragments;
  }
}

/** Kept because the members of a type are the same objects in many plans. */
const constantOf = perObject((fragment: Fragment) => ({ text: constantText(fragment) }));

/** `guards` are the conditions of the choices around the pieces. */
function partsOf(
  columns: Columns,
  pieces: readonly Piece[],
  guards: readonly Test[],
): readonly Part[] {
  return pieces.map((piece) => partOf(columns, piece, guards));
}

function partOf(columns: Columns, piece: Piece, guards: readonly Test[]): Part {
  if (typeof piece === 'string') return piece;
  const inside = (pieces: readonly Piece[]) => partsOf(columns, pieces, guards);
  if (!('kind' in piece)) {
    return { kind: 'cell', column: addGuarded(columns, piece, guards), format: { kind: 'text' } };
  }
  switch (piece.kind) {
    case 'cell':
      return {
        kind: 'cell',
        column: addGuarded(columns, piece.value, guards),
        format: piece.format,
      };
    case 'choice':
      return choicePart(columns, piece, guards);
    case 'members':
      return { kind: 'members', parts: inside(piece.pieces), trailing: piece.trailing };
    case 'extension':
      return {
        kind: 'extension',
        object: partOf(columns, piece.object, guards),
        added: inside(piece.added),
      };
    case 'joined':
      return joinedPart(columns, piece, guards);
    case 'root':
      return piece;
    default:
      return unreachable(piece);
  }
}

function choicePart(
  columns: Columns,
  { tests, pieces, otherwise }: Choice,
  guards: readonly Test[],
): Part {
  const own = tests.filter(({ value }) => value === undefined);
  return {
    kind: 'choice',
    tests: tests.map((test) => testOf(columns, test, guards)),
    parts: partsOf(columns, pieces, [...guards, ...own]),
    otherwise: otherwise ?? '',
  };
}

function joinedPart(columns: Columns, piece: Joined, guards: readonly Test[]): Part {
  if (!columns.mayJoin) return partOf(columns, piece.text(), guards);
  const { from, conditions, identity, pieces } = piece;
  const guard = guards.length === 0 ? [] : [conditionOf(guards)];
  columns.joins.push(sql` LEFT JOIN ${from} ON ${every([...guard, ...conditions])}`);
  return {
    kind: 'choice',
    tests: [{ kind: 'other', column: columns.add(identity), except: undefined }],
    parts: partsOf(columns, pieces, []),
    otherwise: 'null',
  };
}

function testOf(
  columns: Columns,
  { condition, value, except }: Test,
  guards: readonly Test[],
): ColumnTest {
  return value === undefined
    ? { kind: 'true', column: addGuarded(columns, condition, guards) }
    : { kind: 'other', column: addGuarded(columns, value, guards), except };
}

/** Computes a value only where it is written: it may be costly, or fail for other rows. */
function addGuarded(columns: Columns, content: Fragment, guards: readonly Test[]): number {
  if (guards.length === 0 || isColumn(content)) return columns.add(content);
  return columns.add(sql`CASE WHEN ${conditionOf(guards)} THEN ${content} END`);
}

/** Whether the fragment is a column of a row, and not calculated. */
export function isColumn(content: Fragment): boolean {
  return /^"\w+"\."(?:[^"]|"")+"$/.test(constantOf(content).text ?? '');
}
