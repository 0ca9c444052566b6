// The context for compiling expressions: the layout, the dialect, the language of code texts and the row variables bound so far.
// The entry points of expression.ts are members of the scope to avoid import cycles with the files that they use.
import type { Expression, RowVariable } from '../bind/bound.ts';
import type { Compiled, Dialect } from './dialect/dialect.ts';
import { type Fragment, name } from './fragment.ts';
import type { Layout } from './schema/layout.ts';

export interface Scope {
  readonly layout: Layout;
  readonly dialect: Dialect;
  /** Language of code texts. */
  readonly language: string;
  /** Variables bound by an enclosing FROM clause. */
  readonly bound: ReadonlySet<number>;
  /** Counts the lookups (`IN (SELECT …)` and `EXISTS`) of the statement. */
  readonly lookups: { count: number };
  /** The variable of the record whose JSON is being written. */
  readonly record?: RowVariable;
  /** Whether the values of the record become columns, which the service writes. */
  readonly inColumns?: boolean;
  /** The alias of unbound variables: the row being written. */
  readonly unboundAlias?: Fragment;
  /** Whether that row is not stored yet, so that its collections of rows are empty. */
  readonly isNew?: boolean;
  /** The row variable that represents the row of a register: the result of a write. */
  readonly subject?: { readonly row: number; readonly register: string };
  /** The rows that $these refers to, by variable number. */
  readonly these?: ReadonlyMap<number, These>;
  /** Row variables that are replaced by others, both as numbers. */
  readonly meant?: ReadonlyMap<number, number>;
  /** The schedule of the clocks of a row. */
  readonly schedule?: KnownSchedule;
  /** The call whose candidates come from the text index that the statement already reads. */
  readonly indexedCall?: Expression | undefined;
  readonly value: (scope: Scope, expression: Expression) => Compiled;
  readonly condition: (scope: Scope, expression: Expression) => Fragment;
}

/** What is known of the rows of a variable whose clocks run by one schedule, or by none. */
export interface KnownSchedule {
  readonly row: number;
  /** The present position; undefined if they have no schedule and thus no times. */
  readonly now: Fragment | undefined;
  /** The column of the state of the clocks, and what it contains. */
  readonly state?: { readonly column: string; readonly content: Fragment };
}

/** All rows of a transformation or query option, as a subquery; inside a groupby, the rows of the outer row's group. */
export interface These {
  readonly rows: Fragment;
  /** Hidden group columns of the rows, each with the matching column of the outer row. */
  readonly groups: readonly { readonly column: Fragment; readonly around: Fragment }[];
}

/** The scope in which the variable represents all of the given rows. */
export function bindThese(scope: Scope, row: Pick<RowVariable, 'id'>, these: These): Scope {
  return { ...scope, these: new Map([...(scope.these ?? []), [row.id, these]]) };
}

/** The scope of a FROM clause that binds the variables. */
export function bindRows(scope: Scope, ...rows: readonly Pick<RowVariable, 'id'>[]): Scope {
  return { ...scope, bound: new Set([...scope.bound, ...rows.map((row) => row.id)]) };
}

/** The alias of a variable's row: `t3`. */
export function aliasOf(scope: Scope, row: Pick<RowVariable, 'id'>): Fragment {
  if (scope.unboundAlias !== undefined && !scope.bound.has(row.id)) return scope.unboundAlias;
  return name(`t${scope.meant?.get(row.id) ?? row.id}`);
}

/** Whether the scope is that of rows inside other rows. */
export function isNested({ bound }: Scope): boolean {
  return bound.size > 1;
}
