// This file compiles what becomes of relations. A relation that two navigations describe is kept in step on both sides: whichever of
// its rows holds the reference changes as by any other change, and the row that the request speaks of has changed as well.
import { InvariantError, invariant, unreachable } from '../../base/fault.ts';
import type { Navigation } from '../../edm/model.ts';
import type { Refusal, Register, WriteStep } from '../../plan/write-plan.ts';
import { every, type Fragment, join, list, name, sql, value } from '../fragment.ts';
import { columnName, type TableUse, tableOf, VERSION_COLUMN } from '../schema/layout.ts';
import {
  type Arrival,
  arrivalOf,
  type LinkUse,
  membersOf,
  pathText,
} from '../schema/relation-storage.ts';
import { noteChange, noteRows } from './change-log.ts';
import type { Setting } from './column-values.ts';
import { noteFormer } from './previous-relations.ts';
import {
  identityOf,
  raise,
  require,
  rowIs,
  run,
  stamps,
  statement,
  type WriteScope,
} from './steps.ts';
import { changeColumns, updateStep } from './update.ts';
import type { ScriptStep } from './write-script.ts';

export type LinkStep = WriteStep & { readonly kind: 'link' };

/** The steps that relate a row to another, or let it go. */
export function compileLink(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const arrival = arrivalOf(scope.layout, {
    from: step.row.source,
    path: step.path,
    navigation: step.navigation,
  });
  switch (arrival.relation.kind) {
    case 'reference':
      return linkReference(step, scope);
    case 'inverse':
      return linkInverse(
        step,
        inverseEnds(step, arrival, arrival.relation.navigation, scope),
        scope,
      );
    case 'links':
      return arrival.relation.links.flatMap((link) => linkPair(step, link, scope));
    case 'parent':
    case 'children':
      throw new InvariantError(`${step.navigation.name} is a containment and cannot be linked`);
    default:
      return unreachable(arrival.relation);
  }
}

/** The row holds the reference: a change of one of its columns. */
function linkReference(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const setting = referenceSetting(step, use);
  const guard =
    step.missing === undefined
      ? []
      : [requireLinked(use, setting.column.name, step, step.missing, scope)];
  return [...guard, ...changeColumns(step.row, [setting], [], scope)];
}

/** The column of the row that holds the reference, with what is put into it. */
function referenceSetting(step: LinkStep, use: TableUse): Setting {
  const column = use.columns.get(columnName(use, [...step.path, step.navigation]));
  invariant(column !== undefined, `no column for ${step.navigation.name}`);
  const isLetGo = step.to === undefined || step.action === 'remove' || step.action === 'clear';
  return {
    column,
    content: isLetGo || step.to === undefined ? value(null) : identityOf(step.to),
    path: pathText(step.path, step.navigation),
    said: true,
  };
}

function requireLinked(
  use: TableUse,
  column: string,
  step: LinkStep,
  refusal: Refusal,
  scope: WriteScope,
): ScriptStep {
  const linked =
    step.to === undefined
      ? sql`${name(column)} IS NOT NULL`
      : sql`${name(column)} = ${identityOf(step.to)}`;
  const found = sql`SELECT 1 FROM ${name(use.table.name)} WHERE ${rowIs(use, step.row)} AND ${linked}`;
  return require(found, refusal, scope);
}

/** A table whose rows hold the reference, and the column. */
interface InverseEnd {
  readonly target: TableUse;
  readonly column: string;
}

/** The tables that the targets can be in: the one that the other row is known to be in, or all. */
function inverseEnds(
  { to }: LinkStep,
  { target }: Arrival,
  { name: column }: Navigation,
  { layout }: WriteScope,
): readonly InverseEnd[] {
  const members = membersOf(target);
  const known = members.filter(({ id }) => id === to?.source.id);
  return (known.length === 0 ? members : known).map((member) => ({
    target: tableOf(layout, member),
    column,
  }));
}

/** The targets hold the reference: they change. */
function linkInverse(
  step: LinkStep,
  ends: readonly InverseEnd[],
  scope: WriteScope,
): readonly ScriptStep[] {
  const guard =
    step.missing === undefined ? [] : [requirePointing(step, ends, step.missing, scope)];
  return [...guard, ...ends.flatMap((end) => linkEnd({ ...end, step, scope }))];
}

function requirePointing(
  step: LinkStep,
  ends: readonly InverseEnd[],
  refusal: Refusal,
  scope: WriteScope,
): ScriptStep {
  const found = ends.map(({ target, column }) => {
    const chosen = step.to === undefined ? [] : [isRow(target, step.to)];
    const conditions = [pointsTo(column, step.row), ...chosen];
    return sql`SELECT 1 FROM ${name(target.table.name)} WHERE ${every(conditions)}`;
  });
  return require(join(found, ' UNION ALL '), refusal, scope);
}

/** One end of a relation that is being compiled. */
interface Linking extends InverseEnd {
  readonly step: LinkStep;
  readonly scope: WriteScope;
}

function linkEnd(linking: Linking): readonly ScriptStep[] {
  const { target, column, step, scope } = linking;
  const { row, to, action, navigation } = step;
  const pointing = pointsTo(column, row);
  const nothing = value(null);
  if (action === 'clear' || to === undefined)
    return changing(linking, pointing, [changeEach(linking, pointing, nothing)]);
  const chosen = isRow(target, to);
  if (action === 'remove') {
    const rows = every([chosen, pointing]);
    return changing(linking, rows, [changeEach(linking, rows, nothing)]);
  }
  const others = sql`${pointing} AND ${name(target.table.identity)} <> ${identityOf(to)}`;
  const fresh = sql`${chosen} AND (${name(column)} IS NULL OR ${name(column)} <> ${identityOf(row)})`;
  const isOnly = action === 'set' && !navigation.collection;
  const change = [
    ...(isOnly ? [changeEach(linking, others, nothing)] : []),
    run(noteFormer(target, column, fresh), scope),
    changeEach(linking, fresh, identityOf(row)),
  ];
  return changing(linking, fresh, change);
}

function pointsTo(column: string, row: Register): Fragment {
  return sql`${name(column)} = ${identityOf(row)}`;
}

function isRow({ table }: TableUse, row: Register): Fragment {
  return sql`${name(table.identity)} = ${identityOf(row)}`;
}

/** The change and what it means for the row of the request, where there are rows that change by it. */
function changing(
  { step, target, scope }: Linking,
  rows: Fragment,
  change: readonly ScriptStep[],
): readonly ScriptStep[] {
  const exists = sql`EXISTS (SELECT 1 FROM ${name(target.table.name)} WHERE ${rows})`;
  return [when(step.row, exists, [...change, ...touch(step, scope)], scope)];
}

/** Steps that are done where the condition holds; the row of the request stays in its register. */
function when(
  row: Register,
  condition: Fragment,
  steps: readonly ScriptStep[],
  scope: WriteScope,
): ScriptStep {
  const use = tableOf(scope.layout, row.source);
  const found = sql`SELECT ${identityAndVersion(use)} FROM ${name(use.table.name)} WHERE ${rowIs(use, row)} AND ${condition}`;
  return { kind: 'each', statement: statement(found, scope), into: row.name, steps, limit: 1 };
}

function identityAndVersion({ table }: TableUse): Fragment {
  return list([name(table.identity), name(VERSION_COLUMN)]);
}

/** Changes the reference that each of the rows holds. */
function changeEach(
  { step, target, column: named, scope }: Linking,
  rows: Fragment,
  content: Fragment,
): ScriptStep {
  const column = target.columns.get(named);
  invariant(column !== undefined, `no column ${named} in ${target.table.name}`);
  const holder: Register = { name: `holder of ${step.row.name}`, source: target.source };
  const found = sql`SELECT ${identityAndVersion(target)} FROM ${name(target.table.name)} WHERE ${rows}`;
  return {
    kind: 'each',
    statement: statement(found, scope),
    into: holder.name,
    steps: [updateStep(holder, [{ column, content, path: named, said: true }], [], scope)],
    limit: Number.MAX_SAFE_INTEGER,
  };
}

function linkPair(step: LinkStep, link: LinkUse, scope: WriteScope): readonly ScriptStep[] {
  const here = identityOf(step.row);
  const table = name(link.table);
  const near = sql`${name(link.near)} = ${here}`;
  if (step.action === 'clear' || step.to === undefined) {
    const change = [
      run(noteOtherEnds(step, link), scope),
      run(sql`DELETE FROM ${table} WHERE ${near}`, scope),
      ...touch(step, scope),
    ];
    return [when(step.row, sql`EXISTS (SELECT 1 FROM ${table} WHERE ${near})`, change, scope)];
  }
  const pair = sql`${near} AND ${name(link.far)} = ${identityOf(step.to)}`;
  const found = sql`SELECT 1 FROM ${table} WHERE ${pair}`;
  if (step.action === 'remove') {
    const guard = step.missing === undefined ? [] : [require(found, step.missing, scope)];
    const change = [run(sql`DELETE FROM ${table} WHERE ${pair}`, scope), ...touch(step, scope)];
    return [...guard, when(step.row, sql`EXISTS (${found})`, change, scope)];
  }
  const ends = list([name(link.near), name(link.far)]);
  const insert = sql`INSERT INTO ${table} (${ends}) VALUES (${here}, ${identityOf(step.to)})`;
  const change = [run(insert, scope), ...touch(step, scope)];
  return [when(step.row, sql`NOT EXISTS (${found})`, change, scope)];
}

/** The row whose relation changed has changed, and its other end is noted with it. */
export function touch(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const navigation = pathText(step.path, step.navigation);
  const deed = step.action === 'set' || step.action === 'add' ? 'link' : 'unlink';
  const other = step.to === undefined ? value(null) : identityOf(step.to);
  return [
    raise(
      sql`UPDATE ${name(use.table.name)} SET ${list(stamps(use, scope))} WHERE ${rowIs(use, step.row)}`,
      step.row,
      scope,
    ),
    run(noteChange(deed, step.row.source, identityOf(step.row), { navigation, other }), scope),
  ];
}

/** A note for each row that this one is linked with. */
function noteOtherEnds({ row, path, navigation }: LinkStep, link: LinkUse): Fragment {
  const identity = identityOf(row);
  return noteRows(
    {
      deed: 'unlink',
      source: row.source,
      identity,
      navigation: value(pathText(path, navigation)),
      other: name(link.far),
    },
    sql`${name(link.table)} WHERE ${name(link.near)} = ${identity}`,
  );
}
