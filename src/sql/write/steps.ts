// Building blocks of write steps: the identity of a row in a register, statements about that row, and the stamps of a change.

import { Fault } from '../../base/fault.ts';
import { perPair } from '../../base/memo.ts';
import { TIMESTAMP } from '../../bind/expression/types.ts';
import type { Member, Model } from '../../edm/model.ts';
import type { PlannedFault, Register, WriteStep } from '../../plan/write-plan.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { usesPositions } from '../expression/clock-time.ts';
import { toStorage } from '../expression/convert-storage.ts';
import { compileContext } from '../expression/literal.ts';
import {
  type Fragment,
  list,
  name,
  parameter,
  sql,
  tableName,
  timesNamed,
  toStatement,
} from '../fragment.ts';
import {
  type Column,
  type Layout,
  type TableUse,
  tableOf,
  VERSION_COLUMN,
} from '../schema/layout.ts';
import type { Statement } from '../script.ts';
import type { ScriptStep } from './write-script.ts';

/** The context for compiling a step. */
export interface WriteScope {
  readonly layout: Layout;
  readonly dialect: Dialect;
}

/** A step of one kind. */
export type StepOf<Kind extends WriteStep['kind']> = WriteStep & { readonly kind: Kind };

export function identityOf(register: Register): Fragment {
  return parameter({ kind: 'register', name: register.name, field: 'identity' });
}

/** The condition that selects the row of a register. */
export function rowIs(use: TableUse, row: Register): Fragment {
  return sql`${name(use.table.identity)} = ${identityOf(row)}`;
}

/** Throws: not-built. */
export function statement(fragment: Fragment, { dialect }: WriteScope): Statement {
  return ofStored(toStatement(fragment, dialect.placeholder));
}

/**
 * A statement that inserts, or finds by its identity, the row of a register. It may read other tables, but no other row of this one unless
 * it names the table again. Throws: not-built.
 */
export function rowStatement(fragment: Fragment, row: Register, scope: WriteScope): Statement {
  const compiled = statement(fragment, scope);
  if (row.source.kind === 'union') return compiled;
  const { table } = tableOf(scope.layout, row.source);
  const parameter = compiled.parameters.findIndex(
    (one) => one.kind === 'register' && one.name === row.name && one.field === 'identity',
  );
  const isOnly = parameter >= 0 && timesNamed(fragment, table.name) === 1;
  return isOnly ? { ...compiled, row: { table: table.name, parameter } } : compiled;
}

/** The statement, which must depend on stored values only. Throws: not-built. */
export function ofStored(compiled: Statement): Statement {
  if (usesPositions(compiled))
    throw new Fault('not-built', { feature: 'elapsed and remaining time of clocks in writes' });
  return compiled;
}

export function run(fragment: Fragment, scope: WriteScope): ScriptStep {
  return { kind: 'run', statement: statement(fragment, scope) };
}

/** Raises the version of a row of which no column changes. */
export function raiseVersion(row: Register, scope: WriteScope): ScriptStep {
  const use = tableOf(scope.layout, row.source);
  const update = sql`UPDATE ${tableName(use.table.name)} SET ${list(stamps(use, scope))} WHERE ${rowIs(use, row)}`;
  return { kind: 'raise', row: row.name, statement: rowStatement(update, row, scope) };
}

/** A statement that must return a row; otherwise the script fails with the error. */
export function require(
  fragment: Fragment,
  fault: PlannedFault,
  scope: WriteScope,
  advises?: string,
): ScriptStep {
  return { kind: 'require', statement: statement(fragment, scope), fault, advises };
}

/** The time of the request, with as many fraction digits as the column. */
export function requestTime(dialect: Dialect, column: Column): Fragment {
  return toStorage(
    dialect,
    compileContext({ kind: 'context', name: 'now', type: TIMESTAMP }),
    column.storage,
  ).sql;
}

/** Assignments of version, time and author of a change. */
export function stamps(use: TableUse, { layout, dialect }: WriteScope): readonly Fragment[] {
  const version = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;
  const stamped = stampsOf(layout.model, use).map(({ column, by }) => {
    const account = parameter({ kind: 'context', name: 'account' });
    const content = by === 'modified' ? requestTime(dialect, column) : account;
    return sql`${name(column.name)} = ${content}`;
  });
  return [version, ...stamped];
}

interface Stamp {
  readonly column: Column;
  readonly by: 'modified' | 'modifier';
}

/** The stamped columns of a table, including those in complex values. */
const stampsOf = perPair((model: Model, use: TableUse): readonly Stamp[] =>
  [...model.stored(use.source.type).values()].flatMap((member) => stampsIn(model, use, member, '')),
);

function stampsIn(model: Model, use: TableUse, member: Member, prefix: string): readonly Stamp[] {
  if (member.kind === 'navigation' || member.collection) return [];
  const path = `${prefix}${member.name}`;
  const column = use.columns.get(path);
  const by = member.generated?.by;
  if (by === 'modified' || by === 'modifier') return column === undefined ? [] : [{ column, by }];
  const complex = column === undefined ? model.types.get(member.type) : undefined;
  if (complex?.kind !== 'complex') return [];
  return [...model.stored(complex).values()].flatMap((inner) =>
    stampsIn(model, use, inner, `${path}/`),
  );
}
