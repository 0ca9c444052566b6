// This file defines the parts of a record's JSON text: constants, values with their formats, and choices between them. The database
// writes them as one text (`concat`), or it selects the values and the service writes the text (record-template.ts).
import { unreachable } from '../../base/fault.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type Fragment, flattened, join, parameter, sql, text } from '../fragment.ts';
import type { Format } from './record-template.ts';

/** Constant text, SQL that produces text, or a part that either side can write. Null produces nothing. */
export type Piece = string | Fragment | Variable;

type Variable = Cell | Choice | Members | Extension | Joined | Root;

/** A value that the service can write. `text` is the SQL that writes it. */
export interface Cell {
  readonly kind: 'cell';
  readonly value: Fragment;
  readonly format: Format;
  readonly text: () => Fragment;
}

/** Pieces that are written if all tests hold. */
export interface Choice {
  readonly kind: 'choice';
  readonly tests: readonly Test[];
  readonly pieces: readonly Piece[];
  /** Written if a test fails; nothing by default. */
  readonly otherwise?: 'null';
}

/** A condition. With `value`, it holds if the value is neither null nor `except`. */
export interface Test {
  readonly condition: Fragment;
  readonly value?: Fragment;
  readonly except?: string;
}

/** Members with leading commas, of which the first has none; `trailing` moves the comma to the end. */
interface Members {
  readonly kind: 'members';
  readonly pieces: readonly Piece[];
  readonly trailing: boolean;
}

/** The text of a JSON object with the members of another one, `added`, appended. `text` is the SQL that writes it. */
interface Extension {
  readonly kind: 'extension';
  readonly object: Cell;
  readonly added: readonly Piece[];
  readonly text: () => Fragment;
}

/** The record of a related row, `null` without one. The row can be joined; `text` is SQL that reads it in a subquery. */
export interface Joined {
  readonly kind: 'joined';
  readonly from: Fragment;
  readonly conditions: readonly Fragment[];
  /** A column of the row that is never null. */
  readonly identity: Fragment;
  readonly pieces: readonly Piece[];
  readonly text: () => Fragment;
}

/** The service root, escaped for use inside a JSON string. */
interface Root {
  readonly kind: 'root';
}

export const ROOT: Root = { kind: 'root' };

/** `,"Name":`. */
export function nameText(name: string): string {
  return `,${JSON.stringify(name)}:`;
}

export function isNotNull(value: Fragment): Test {
  return { condition: sql`${value} IS NOT NULL`, value };
}

/** SQL that writes all pieces as one text. Adjacent constants are merged. */
export function concat(dialect: Dialect, pieces: readonly Piece[]): Fragment {
  const merged: (string | Fragment)[] = [];
  for (const piece of pieces) {
    const before = merged.at(-1);
    if (typeof piece === 'string' && typeof before === 'string') {
      merged[merged.length - 1] = before + piece;
    } else merged.push(typeof piece === 'string' ? piece : textOf(dialect, piece));
  }
  const fragments = merged.map((piece) => (typeof piece === 'string' ? text(piece) : piece));
  const [only] = fragments;
  if (fragments.length === 1 && only !== undefined && typeof merged[0] === 'string') return only;
  return dialect.json.concat(fragments);
}

/** The pieces as constants and SQL without nesting, for pieces that become part of many statements. */
export function flattenPieces(dialect: Dialect, pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? piece : flattened(textOf(dialect, piece)),
  );
}

function textOf(dialect: Dialect, piece: Fragment | Variable): Fragment {
  if (!('kind' in piece)) return piece;
  switch (piece.kind) {
    case 'cell':
    case 'extension':
    case 'joined':
      return piece.text();
    case 'choice':
      return choiceText(dialect, piece);
    case 'members':
      return membersText(dialect, piece);
    case 'root':
      return dialect.json.escapeUrl(parameter({ kind: 'context', name: 'root' }));
    default:
      return unreachable(piece);
  }
}

function choiceText(dialect: Dialect, { tests, pieces, otherwise }: Choice): Fragment {
  const condition = conditionOf(tests);
  return otherwise === undefined
    ? sql`CASE WHEN ${condition} THEN ${concat(dialect, pieces)} END`
    : sql`(CASE WHEN ${condition} THEN ${textOfAll(dialect, pieces)} ELSE ${text(otherwise)} END)`;
}

/** Like `concat`, for pieces that are never null if there is only one. */
export function textOfAll(dialect: Dialect, pieces: readonly Piece[]): Fragment {
  const [only, ...others] = pieces;
  return typeof only === 'object' && others.length === 0
    ? textOf(dialect, only)
    : concat(dialect, pieces);
}

/** The condition that all tests hold. */
export function conditionOf(tests: readonly Test[]): Fragment {
  return join(
    tests.map(({ condition }) => condition),
    ' AND ',
  );
}

function membersText(dialect: Dialect, { pieces, trailing }: Members): Fragment {
  return trailing
    ? sql`(substr(${textOfAll(dialect, pieces)}, 2) || ',')`
    : sql`substr(${concat(dialect, pieces)}, 2)`;
}
