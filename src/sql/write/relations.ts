// Compiles changes of relations. If two partner navigations describe a relation, both rows change: the one that holds the reference is
// updated like any other row, and the row that the request addresses gets a new version, too.
import { InvariantError, invariant, unreachable } from '../../base/fault.ts';
import { type Navigation, pathName } from '../../edm/model.ts';
import type { PlannedFault, Register } from '../../plan/write-plan.ts';
import { every, type Fragment, join, list, name, sql, tableName, value } from '../fragment.ts';
import { columnName, type TableUse, tableOf, VERSION_COLUMN } from '../schema/layout.ts';
import {
  type LinkUse,
  membersOf,
  type ResolvedNavigation,
  resolveNavigation,
} from '../schema/relation-storage.ts';
import { logChange, logChangesOf } from './change-log.ts';
import type { Setting } from './column-values.ts';
import { changedDependents } from './dependents.ts';
import { logLostReference } from './lost-relations.ts';
import {
  identityOf,
  raiseVersion,
  require,
  rowIs,
  run,
  type StepOf,
  statement,
  type WriteScope,
} from './steps.ts';
import { changeColumns, updateStep } from './update.ts';
import type { ScriptStep } from './write-script.ts';

export type LinkStep = StepOf<'link'>;

/** The steps that link a row to another or unlink it. Throws: InvariantError for a containment. */
export function compileLink(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const resolved = resolveNavigation(scope.layout, {
    from: step.row.source,
    path: step.path,
    navigation: step.navigation,
  });
  switch (resolved.relation.kind) {
    case 'reference':
      return linkReference(step, scope);
    case 'inverse':
      return linkInverse(
        step,
        inverseEnds(step, resolved, resolved.relation.navigation, scope),
        scope,
      );
    case 'links':
      return resolved.relation.links.flatMap((link) => linkPair(step, link, scope));
    case 'parent':
    case 'children':
      throw new InvariantError(`${step.navigation.name} is a containment and cannot be linked`);
    default:
      return unreachable(resolved.relation);
  }
}

/** The row holds the reference, so one of its columns changes. */
function linkReference(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const setting = referenceSetting(step, use);
  const settings = [setting, ...ownDependents(step, use, scope)];
  const guard =
    step.missing === undefined
      ? []
      : [requireLinked(use, setting.column.name, step, step.missing, scope)];
  return [...guard, ...changeColumns(step.row, settings, [], scope)];
}

function ownDependents(step: LinkStep, use: TableUse, scope: WriteScope): readonly Setting[] {
  if (step.path.length > 0) return [];
  const isUnlink = step.action === 'remove' || step.action === 'clear';
  return changedDependents(use, step.navigation, isUnlink ? undefined : step.to, scope);
}

/** The column that holds the reference, and its new content. */
function referenceSetting(step: LinkStep, use: TableUse): Setting {
  const column = use.columns.get(columnName(use, [...step.path, step.navigation]));
  invariant(column !== undefined, `no column for ${step.navigation.name}`);
  const isUnlink = step.to === undefined || step.action === 'remove' || step.action === 'clear';
  return {
    column,
    content: isUnlink || step.to === undefined ? value(null) : identityOf(step.to),
    path: pathName([...step.path, step.navigation]),
    isExplicit: true,
  };
}

function requireLinked(
  use: TableUse,
  column: string,
  step: LinkStep,
  fault: PlannedFault,
  scope: WriteScope,
): ScriptStep {
  const linked =
    step.to === undefined
      ? sql`${name(column)} IS NOT NULL`
      : sql`${name(column)} = ${identityOf(step.to)}`;
  const found = sql`SELECT 1 FROM ${tableName(use.table.name)} WHERE ${rowIs(use, step.row)} AND ${linked}`;
  return require(found, fault, scope);
}

/** A table whose rows hold the reference, and the navigation of the reference. */
interface InverseEnd {
  readonly target: TableUse;
  readonly back: Navigation;
}

/** The tables that can contain the targets: that of the other row if it is known, else all. */
function inverseEnds(
  { to }: LinkStep,
  { target }: ResolvedNavigation,
  back: Navigation,
  { layout }: WriteScope,
): readonly InverseEnd[] {
  const members = membersOf(target);
  const exact = members.filter(({ id }) => id === to?.source.id);
  return (exact.length === 0 ? members : exact).map((member) => ({
    target: tableOf(layout, member),
    back,
  }));
}

/** The targets hold the reference, so the targets change. */
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
  fault: PlannedFault,
  scope: WriteScope,
): ScriptStep {
  const found = ends.map(({ target, back }) => {
    const isTarget = step.to === undefined ? [] : [rowIs(target, step.to)];
    const conditions = [pointsTo(back.name, step.row), ...isTarget];
    return sql`SELECT 1 FROM ${tableName(target.table.name)} WHERE ${every(conditions)}`;
  });
  return require(join(found, ' UNION ALL '), fault, scope);
}

/** A link step on one inverse end. */
interface InverseLink extends InverseEnd {
  readonly step: LinkStep;
  readonly scope: WriteScope;
}

function linkEnd(link: InverseLink): readonly ScriptStep[] {
  const { target, back, step, scope } = link;
  const { name: column } = back;
  const { row, to, action, navigation } = step;
  const isLinked = pointsTo(column, row);
  if (action === 'clear' || to === undefined)
    return whereAny(link, isLinked, [changeEach(link, isLinked, undefined)]);
  const isTarget = rowIs(target, to);
  if (action === 'remove') {
    const rows = every([isTarget, isLinked]);
    return whereAny(link, rows, [changeEach(link, rows, undefined)]);
  }
  const others = sql`${isLinked} AND ${name(target.table.identity)} <> ${identityOf(to)}`;
  const unlinked = sql`${isTarget} AND (${name(column)} IS NULL OR ${name(column)} <> ${identityOf(row)})`;
  const isOnly = action === 'set' && !navigation.collection;
  const change = [
    ...(isOnly ? [changeEach(link, others, undefined)] : []),
    run(logLostReference(target, column, unlinked), scope),
    changeEach(link, unlinked, row),
  ];
  return whereAny(link, unlinked, change);
}

function pointsTo(column: string, row: Register): Fragment {
  return sql`${name(column)} = ${identityOf(row)}`;
}

/** Performs the change, and touches the row of the request, if any rows of the target change. */
function whereAny(
  { step, target, scope }: InverseLink,
  rows: Fragment,
  change: readonly ScriptStep[],
): readonly ScriptStep[] {
  const exists = sql`EXISTS (SELECT 1 FROM ${tableName(target.table.name)} WHERE ${rows})`;
  return [when(step.row, exists, [...change, ...touch(step, scope)], scope)];
}

/** Steps that run if the condition holds; the row of the request stays in its register. */
function when(
  row: Register,
  condition: Fragment,
  steps: readonly ScriptStep[],
  scope: WriteScope,
): ScriptStep {
  const use = tableOf(scope.layout, row.source);
  const found = sql`SELECT ${identityAndVersion(use)} FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)} AND ${condition}`;
  return { kind: 'each', statement: statement(found, scope), into: row.name, steps, limit: 1 };
}

function identityAndVersion({ table }: TableUse): Fragment {
  return list([name(table.identity), name(VERSION_COLUMN)]);
}

/** Sets the reference in each of the rows to the other row, or to null without one. */
function changeEach(
  { step, target, back, scope }: InverseLink,
  rows: Fragment,
  to: Register | undefined,
): ScriptStep {
  const { name: path } = back;
  const content = to === undefined ? value(null) : identityOf(to);
  const column = target.columns.get(path);
  invariant(column !== undefined, `no column ${path} in ${target.table.name}`);
  const setting = { column, content, path, isExplicit: true };
  const dependents = changedDependents(target, back, to, scope);
  const holder: Register = { name: `holder of ${step.row.name}`, source: target.source };
  const found = sql`SELECT ${identityAndVersion(target)} FROM ${tableName(target.table.name)} WHERE ${rows}`;
  return {
    kind: 'each',
    statement: statement(found, scope),
    into: holder.name,
    steps: [updateStep(holder, [setting, ...dependents], [], scope)],
    limit: Number.MAX_SAFE_INTEGER,
  };
}

function linkPair(step: LinkStep, link: LinkUse, scope: WriteScope): readonly ScriptStep[] {
  const identity = identityOf(step.row);
  const table = tableName(link.table);
  const near = sql`${name(link.near)} = ${identity}`;
  if (step.action === 'clear' || step.to === undefined) {
    const change = [
      run(logOtherEnds(step, link), scope),
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
  const insert = sql`INSERT INTO ${table} (${ends}) VALUES (${identity}, ${identityOf(step.to)})`;
  const change = [run(insert, scope), ...touch(step, scope)];
  return [when(step.row, sql`NOT EXISTS (${found})`, change, scope)];
}

/** Raises the version of the row whose relation changed, and logs the change with the other end. */
export function touch(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const navigation = pathName([...step.path, step.navigation]);
  const kind = step.action === 'set' || step.action === 'add' ? 'link' : 'unlink';
  const other = step.to === undefined ? value(null) : identityOf(step.to);
  return [
    raiseVersion(step.row, scope),
    run(logChange(kind, step.row.source, identityOf(step.row), { navigation, other }), scope),
  ];
}

/** A change log entry for each row that the row is linked to. */
function logOtherEnds({ row, path, navigation }: LinkStep, link: LinkUse): Fragment {
  const identity = identityOf(row);
  return logChangesOf(
    {
      kind: 'unlink',
      source: row.source,
      identity,
      navigation: value(pathName([...path, navigation])),
      other: name(link.far),
    },
    sql`${tableName(link.table)} WHERE ${name(link.near)} = ${identity}`,
  );
}
