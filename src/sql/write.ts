// This file compiles write plans: every step becomes statements that name rows by registers. Relations are kept in step on both sides,
// every deed is noted in the change log, and a row's version is raised whenever it or one of its relations changes.
import { InvariantError, invariant, unreachable } from '../base/fault.ts';
import type { Property } from '../edm/model.ts';
import type { Refusal, Register, WritePlan, WriteStep } from '../plan/writing.ts';
import { noteChange, noteRows } from './change-log.ts';
import type { Dialect } from './dialect.ts';
import { noteFormer, noteFormerTargets } from './former.ts';
import { type Fragment, list, name, parameter, sql, toStatement, value } from './fragment.ts';
import { historyInsert } from './history.ts';
import {
  DYNAMIC_COLUMN,
  type Layout,
  PARENT_COLUMN,
  type TableUse,
  TYPE_COLUMN,
  tableOf,
  VERSION_COLUMN,
} from './layout.ts';
import { arrivalOf, type LinkUse, membersOf, pathText } from './relations.ts';
import { conditionOn, identityQuery, valueOn } from './rows.ts';
import type { Statement } from './script.ts';
import { stampsOf } from './stamps.ts';
import type { ScriptStep, TrackedColumn, UpdateStep } from './write-script.ts';
import { type Computation, type Setting, settingsOf } from './write-values.ts';

/** What compiling a step needs to know. */
export interface WriteScope {
  readonly layout: Layout;
  readonly dialect: Dialect;
}

/** The steps of a plan. Result and deletions are added by compile.ts. */
export function compileSteps(steps: WritePlan['steps'], scope: WriteScope): readonly ScriptStep[] {
  return steps.flatMap((step) => compileStep(step, scope));
}

function compileStep(step: WriteStep, scope: WriteScope): readonly ScriptStep[] {
  switch (step.kind) {
    case 'find':
      return [
        {
          kind: 'find',
          statement: identityQuery(step.rows, scope),
          into: step.into.name,
          missing: step.missing,
          optional: step.optional === true,
        },
      ];
    case 'match':
      return [
        {
          kind: 'match',
          row: step.row.name,
          versions: step.versions,
          negated: step.negated,
          refusal: step.refusal,
        },
      ];
    case 'require':
      return [
        {
          kind: 'require',
          statement: statement(conditionOn(step.row, step.expression, scope), scope),
          refusal: step.refusal,
        },
      ];
    case 'insert':
      return compileInsert(step, scope);
    case 'update':
      return compileUpdate(step, scope);
    case 'delete':
      return [
        {
          kind: 'delete',
          row: step.row.name,
          table: tableOf(scope.layout, step.row.source).table.name,
        },
      ];
    case 'link':
      return compileLink(step, scope);
    case 'append':
      return compileAppend(step, scope);
    case 'branch':
      return [compileBranch(step, scope)];
    case 'each':
      return [
        {
          kind: 'each',
          statement: identityQuery(
            step.filter === undefined
              ? step.rows
              : { ...step.rows, where: [...step.rows.where, step.filter] },
            scope,
          ),
          into: step.into.name,
          steps: compileSteps(step.steps, scope),
          limit: step.limit,
        },
      ];
    default:
      return unreachable(step);
  }
}

function compileBranch(
  { on, there, absent }: WriteStep & { readonly kind: 'branch' },
  scope: WriteScope,
): ScriptStep {
  return {
    kind: 'branch',
    on: on.name,
    there: compileSteps(there, scope),
    absent: compileSteps(absent, scope),
  };
}

// ---- creating and changing ------------------------------------------------------------------------------------------

function compileInsert(
  step: WriteStep & { readonly kind: 'insert' },
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.into.source);
  const identity = identityOf(step.into);
  const { settings, computations, sequences } = settingsOf(use, step.values);
  const hidden: [string, Fragment][] = [[use.table.identity, identity]];
  if (step.parent !== undefined && use.columns.has(PARENT_COLUMN))
    hidden.push([PARENT_COLUMN, identityOf(step.parent)]);
  if (use.columns.has(TYPE_COLUMN)) hidden.push([TYPE_COLUMN, value(step.type.name)]);
  if (step.dynamic.size > 0) hidden.push([DYNAMIC_COLUMN, value(objectText(step.dynamic))]);
  const columns = [
    ...hidden.map(([column]) => name(column)),
    ...settings.map((setting) => name(setting.column.name)),
  ];
  const contents = [
    ...hidden.map(([, content]) => content),
    ...settings.map((setting) => setting.content),
  ];
  return [
    { kind: 'allocate', into: step.into.name },
    ...sequences.map(
      ({ local, name: sequence }) => ({ kind: 'sequence', name: sequence, local }) as const,
    ),
    run(
      sql`INSERT INTO ${name(use.table.name)} (${list(columns)}) VALUES (${list(contents)})`,
      scope,
    ),
    ...computing(use, step.into, computations, scope).map((computed) => run(computed, scope)),
    run(noteChange('create', step.into.source, identity), scope),
  ];
}

function compileUpdate(
  step: WriteStep & { readonly kind: 'update' },
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const { settings, computations } = settingsOf(use, step.values);
  const said = settings.filter((setting) => setting.said);
  const dynamic = dynamicSettings(step, use);
  if (said.length + dynamic.length === 0) return [];
  return [
    ...letGo(use, step.row, said, scope),
    updateStep(
      step.row,
      [...said, ...dynamic],
      computing(use, step.row, computations, scope),
      scope,
    ),
  ];
}

/** Notes of what the row will no longer refer to. */
function letGo(
  use: TableUse,
  row: Register,
  settings: readonly Setting[],
  scope: WriteScope,
): readonly ScriptStep[] {
  const notes = noteFormerTargets(scope.layout, use, settings, rowIs(use, row));
  return notes.map((note) => run(note, scope));
}

/** A change of columns: versions, stamps, history and the note of the change are the same for all of them. */
function updateStep(
  row: Register,
  settings: readonly Setting[],
  computed: readonly Fragment[],
  scope: WriteScope,
): UpdateStep {
  const use = tableOf(scope.layout, row.source);
  const history = historyInsert(scope.layout, use, row);
  const assignments = settings.map(
    (setting) => sql`${name(setting.column.name)} = ${setting.content}`,
  );
  const update = statement(
    sql`UPDATE ${name(use.table.name)} SET ${list([...assignments, ...stamps(use, scope)])} WHERE ${rowIs(use, row)}`,
    scope,
  );
  return {
    kind: 'update',
    row: row.name,
    before: statement(
      sql`SELECT ${list(settings.map((setting) => name(setting.column.name)))} FROM ${name(use.table.name)} WHERE ${rowIs(use, row)}`,
      scope,
    ),
    tracked: trackedColumns(settings),
    statement: update,
    afterwards: [...computed, noteChange('update', row.source, identityOf(row))].map((fragment) =>
      statement(fragment, scope),
    ),
    ...(history === undefined ? {} : { history: statement(history, scope) }),
  };
}

/** The parameter of each setting: a content that is computed by SQL has several or none, and counts as changed. */
function trackedColumns(settings: readonly Setting[]): readonly TrackedColumn[] {
  let next = 0;
  return settings.map((setting) => {
    const at = next;
    next += setting.content.parameters.length;
    const isPlain =
      setting.content.parameters.length === 1 &&
      setting.content.texts.every((piece) => piece === '');
    return {
      property: setting.path,
      parameter: isPlain ? at : -1,
      silent: setting.column.name.endsWith('#'),
    };
  });
}

function dynamicSettings(
  step: WriteStep & { readonly kind: 'update' },
  use: TableUse,
): readonly Setting[] {
  const column = use.columns.get(DYNAMIC_COLUMN);
  if (column === undefined || (step.dynamic.size === 0 && !step.replaceDynamic)) return [];
  const patch = value(
    objectText(new Map([...step.dynamic].map(([key, json]) => [key, json ?? 'null']))),
  );
  const content = step.replaceDynamic
    ? patch
    : sql`json_patch(coalesce(${name(DYNAMIC_COLUMN)}, '{}'), ${patch})`;
  return [{ column, content, path: DYNAMIC_COLUMN, said: true }];
}

function computing(
  use: TableUse,
  row: Register,
  computations: readonly Computation[],
  scope: WriteScope,
): readonly Fragment[] {
  return computations.map(({ column, value: computed }) => {
    const content = valueOn(row, computed.expression, column.storage, scope);
    return sql`UPDATE ${name(use.table.name)} SET ${name(column.name)} = (${content}) WHERE ${rowIs(use, row)}`;
  });
}

/** Version, time and author of a change. */
function stamps(use: TableUse, { layout }: WriteScope): readonly Fragment[] {
  const version = sql`${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1`;
  const stamped = stampsOf(layout.model, use).map(({ column, by }) => {
    const content = parameter({ kind: 'context', name: by === 'modified' ? 'now' : 'account' });
    return sql`${name(column)} = ${content}`;
  });
  return [version, ...stamped];
}

function compileAppend(
  step: WriteStep & { readonly kind: 'append' },
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const column = use.columns.get(
    step.path.map((part) => use.renamed.get(part) ?? part.name).join('/'),
  );
  invariant(column !== undefined, 'no column for a collection');
  const items = sql`coalesce(${name(column.name)}, '[]')`;
  const content = listContent(step, items);
  const setting = { column, content, path: pathNames(step.path), said: true };
  return [...requireItem(step, use, items, scope), updateStep(step.row, [setting], [], scope)];
}

type AppendStep = WriteStep & { readonly kind: 'append' };

/** The list as it is afterwards. */
function listContent({ json, index, action = 'insert' }: AppendStep, items: Fragment): Fragment {
  const item = sql`json(${value(json)})`;
  if (index === undefined) return sql`json_insert(${items}, '$[#]', ${item})`;
  const place = value(`$[${index < 0 ? `#${index}` : index}]`);
  switch (action) {
    case 'insert':
      return sql`(SELECT json_group_array(json("item")) FROM (
        SELECT ${items} -> "fullkey" AS "item", 2 * "key" + 1 AS "place" FROM json_each(${items})
        UNION ALL SELECT ${value(json)}, 2 * (${insertPlace(index, items)}) ORDER BY "place"))`;
    case 'replace':
      return sql`json_replace(${items}, ${place}, ${item})`;
    case 'remove':
      return sql`json_remove(${items}, ${place})`;
    default:
      return unreachable(action);
  }
}

/** A negative index counts from behind the last item. OData Protocol 4.01, "Positional Inserts". */
function insertPlace(index: number, items: Fragment): Fragment {
  return index < 0
    ? sql`json_array_length(${items}) + ${value(BigInt(index + 1))}`
    : value(BigInt(index));
}

/** There must be an item at the position; a new one may also come behind the last. */
function requireItem(
  { row, index, action = 'insert', missing }: AppendStep,
  use: TableUse,
  items: Fragment,
  scope: WriteScope,
): readonly ScriptStep[] {
  if (index === undefined || missing === undefined) return [];
  const length = sql`json_array_length(${items})`;
  const least = index < 0 ? -index : index + 1;
  const needed = value(BigInt(action === 'insert' ? least - 1 : least));
  const fits = sql`SELECT 1 FROM ${name(use.table.name)} WHERE ${rowIs(use, row)} AND ${length} >= ${needed}`;
  return [{ kind: 'require', statement: statement(fits, scope), refusal: missing }];
}

// ---- relating -------------------------------------------------------------------------------------------------------

type LinkStep = WriteStep & { readonly kind: 'link' };

function compileLink(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
  const arrival = arrivalOf(scope.layout, {
    from: step.row.source,
    path: step.path,
    navigation: step.navigation,
  });
  switch (arrival.relation.kind) {
    case 'reference':
      return linkReference(step, scope);
    case 'inverse': {
      const { navigation } = arrival.relation;
      return membersOf(arrival.target).flatMap((target) =>
        linkInverse(
          step,
          { target: tableOf(scope.layout, target), column: navigation.name },
          scope,
        ),
      );
    }
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
  const column = use.columns.get(
    [...step.path, step.navigation].map((part) => use.renamed.get(part) ?? part.name).join('/'),
  );
  invariant(column !== undefined, `no column for ${step.navigation.name}`);
  const target =
    step.to === undefined || step.action === 'remove' || step.action === 'clear'
      ? value(null)
      : identityOf(step.to);
  const guard =
    step.missing === undefined ? [] : [requireLinked(use, column.name, step, step.missing, scope)];
  const setting: Setting = {
    column,
    content: target,
    path: pathText(step.path, step.navigation),
    said: true,
  };
  return [
    ...guard,
    ...letGo(use, step.row, [setting], scope),
    updateStep(step.row, [setting], [], scope),
  ];
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
  return {
    kind: 'require',
    statement: statement(
      sql`SELECT 1 FROM ${name(use.table.name)} WHERE ${rowIs(use, step.row)} AND ${linked}`,
      scope,
    ),
    refusal,
  };
}

interface InverseEnd {
  readonly target: TableUse;
  readonly column: string;
}

/** The targets hold the reference: they change, and this row with them. */
function linkInverse(step: LinkStep, end: InverseEnd, scope: WriteScope): readonly ScriptStep[] {
  const { target, column } = end;
  const here = identityOf(step.row);
  const table = name(target.table.name);
  const pointing = sql`${name(column)} = ${here}`;
  const release = (which: Fragment): readonly Fragment[] => [
    noteEach('update', target, which),
    sql`UPDATE ${table} SET ${list([sql`${name(column)} = NULL`, ...stamps(target, scope)])} WHERE ${which}`,
  ];
  if (step.action === 'clear' || step.to === undefined)
    return [...release(pointing).map((fragment) => run(fragment, scope)), ...touch(step, scope)];
  const chosen = sql`${name(target.table.identity)} = ${identityOf(step.to)}`;
  if (step.action === 'remove') {
    const [note, update] = release(sql`${chosen} AND ${pointing}`);
    invariant(note !== undefined && update !== undefined, 'letting go takes two statements');
    return [run(note, scope), run(update, scope, step.missing), ...touch(step, scope)];
  }
  const others =
    step.action === 'set' && !step.navigation.collection
      ? release(sql`${pointing} AND ${name(target.table.identity)} <> ${identityOf(step.to)}`)
      : [];
  const fresh = sql`${chosen} AND (${name(column)} IS NULL OR ${name(column)} <> ${here})`;
  return [
    ...others.map((fragment) => run(fragment, scope)),
    run(noteFormer(target, column, fresh), scope),
    run(noteEach('update', target, fresh), scope),
    raise(
      sql`UPDATE ${table} SET ${list([sql`${name(column)} = ${here}`, ...stamps(target, scope)])} WHERE ${fresh}`,
      step.to,
      scope,
    ),
    ...touch(step, scope),
  ];
}

function linkPair(step: LinkStep, link: LinkUse, scope: WriteScope): readonly ScriptStep[] {
  const here = identityOf(step.row);
  const table = name(link.table);
  const near = sql`${name(link.near)} = ${here}`;
  if (step.action === 'clear' || step.to === undefined)
    return [
      run(noteOtherEnds(step, link), scope),
      run(sql`DELETE FROM ${table} WHERE ${near}`, scope),
      ...touch(step, scope),
    ];
  const there = identityOf(step.to);
  if (step.action === 'remove') {
    return [
      run(
        sql`DELETE FROM ${table} WHERE ${near} AND ${name(link.far)} = ${there}`,
        scope,
        step.missing,
      ),
      ...touch(step, scope),
    ];
  }
  const insert = sql`INSERT INTO ${table} (${name(link.near)}, ${name(link.far)}) VALUES (${here}, ${there}) ON CONFLICT DO NOTHING`;
  return [run(insert, scope), ...touch(step, scope)];
}

/** The row whose relation changed, and its other end, have changed too. */
function touch(step: LinkStep, scope: WriteScope): readonly ScriptStep[] {
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

// ---- pieces ---------------------------------------------------------------------------------------------------------

/** A note for each row that meets the condition. */
function noteEach(deed: 'update', { source, table }: TableUse, condition: Fragment): Fragment {
  const note = { deed, source, identity: name(table.identity) };
  return noteRows(note, sql`${name(table.name)} WHERE ${condition}`);
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

export function identityOf(register: Register): Fragment {
  return parameter({ kind: 'register', name: register.name, field: 'identity' });
}

function rowIs(use: TableUse, row: Register): Fragment {
  return sql`${name(use.table.identity)} = ${identityOf(row)}`;
}

function run(fragment: Fragment, scope: WriteScope, none?: Refusal): ScriptStep {
  return {
    kind: 'run',
    statement: statement(fragment, scope),
    ...(none === undefined ? {} : { none }),
  };
}

/** A statement that raises the version of a row that is held. */
function raise(fragment: Fragment, row: Register, scope: WriteScope): ScriptStep {
  return { kind: 'run', statement: statement(fragment, scope), raises: row.name };
}

function statement(fragment: Fragment, scope: WriteScope): Statement {
  return toStatement(fragment, scope.dialect.placeholder);
}

/** `{"a":1,"b":"x"}` of JSON texts by name. */
function objectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

function pathNames(path: readonly Property[]): string {
  return path.map((step) => step.name).join('/');
}
