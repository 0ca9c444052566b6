// This file defines what compiling an expression needs to know: the layout, the dialect, the language of code texts, and which row
// variables a statement has bound so far. The doors of expression.ts are handed in, so that files which they need can call them.
import type { Expression, LiteralPlace, RowVariable } from '../bind/bound.ts';
import type { Compiled, Dialect } from './dialect/dialect.ts';
import { type Fragment, name } from './fragment.ts';
import type { Layout } from './schema/layout.ts';

export interface Scope {
  readonly layout: Layout;
  readonly dialect: Dialect;
  /** Of code texts. */
  readonly language: string;
  /** Variables that a FROM clause around binds. */
  readonly bound: ReadonlySet<number>;
  /** The variable of the record whose JSON is being written. */
  readonly record?: RowVariable;
  /** The alias of every variable that none binds: the row being written. */
  readonly free?: Fragment;
  /** A row variable that stands for the one row of a register: the result of a write. */
  readonly subject?: { readonly row: number; readonly register: string };
  /** What $these means, by the number of its variable. */
  readonly these?: ReadonlyMap<number, These>;
  /** The row that a row variable stands for instead of its own. */
  readonly meant?: ReadonlyMap<number, number>;
  /** The call whose candidates the statement walks through already. */
  readonly walked?: Expression;
  /** Places of literals that the statement's text depends on, or that are bound in another form than they were read in. */
  readonly pins: LiteralPlace[];
  readonly value: (scope: Scope, expression: Expression) => Compiled;
  readonly condition: (scope: Scope, expression: Expression) => Fragment;
}

/** All rows of a transformation or an option, as a sub-select; inside a groupby those of the group of the row around. */
export interface These {
  readonly rows: Fragment;
  /** The hidden columns of their groups, and what these are of the row around. */
  readonly groups: readonly { readonly column: Fragment; readonly around: Fragment }[];
}

/** The scope in which the variable stands for all of these rows. */
export function meaning(scope: Scope, row: Pick<RowVariable, 'id'>, these: These): Scope {
  return { ...scope, these: new Map([...(scope.these ?? []), [row.id, these]]) };
}

/** The scope inside a FROM clause that binds the variables. */
export function binding(scope: Scope, ...rows: readonly Pick<RowVariable, 'id'>[]): Scope {
  return { ...scope, bound: new Set([...scope.bound, ...rows.map((row) => row.id)]) };
}

/** The alias of a variable's row: `t3`. */
export function aliasOf(scope: Scope, row: Pick<RowVariable, 'id'>): Fragment {
  if (scope.free !== undefined && !scope.bound.has(row.id)) return scope.free;
  return name(`t${scope.meant?.get(row.id) ?? row.id}`);
}

/** Says that a literal cannot be exchanged for another in the compiled statement. */
export function pin(scope: Scope, place: LiteralPlace | undefined): void {
  if (place !== undefined) scope.pins.push(place);
}
