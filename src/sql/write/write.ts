// Compiles the steps of write plans to statements that refer to rows by registers. Every change is recorded in the change log, and a
// row's version is raised whenever the row or one of its relations changes. update.ts compiles updates, relations.ts relations. It is
// long because it handles every kind of step.
import { invariant, unreachable } from '../../base/fault.ts';
import { type Navigation, pathName } from '../../edm/model.ts';
import { plannedFault } from '../../plan/write/write-scope.ts';
import type { Register, WritePlan, WriteStep } from '../../plan/write-plan.ts';
import type { JsonChangeDialect } from '../dialect/dialect.ts';
import { every, type Fragment, list, name, sql, tableName, value, where } from '../fragment.ts';
import {
  columnName,
  DYNAMIC_COLUMN,
  PARENT_COLUMN,
  type TableUse,
  TYPE_COLUMN,
  tableOf,
} from '../schema/layout.ts';
import { resolveNavigation } from '../schema/relation-storage.ts';
import { logChange } from './change-log.ts';
import {
  calculateNewRow,
  calculationsOfNewRows,
  compileClocks,
  compileRevision,
} from './clocks.ts';
import { type Computation, givenNumber, type Setting, settingsOf } from './column-values.ts';
import { dependentSettings } from './dependents.ts';
import { evaluatedSettings } from './evaluated-values.ts';
import {
  compileBytes,
  compileMatchFile,
  compileName,
  compileRename,
  fileContents,
  insertFile,
  targetIn,
} from './files.ts';
import { authorContents } from './history.ts';
import { foldLinks, type NewReference } from './inline-relations.ts';
import { keepItems } from './keep-items.ts';
import { compileAcyclic, compileApart, compileOnce } from './relation-guards.ts';
import { compileLink, touch } from './relations.ts';
import { conditionOn, identityQuery, isOfType, referenceTo, valueOn } from './row-expressions.ts';
import {
  identityOf,
  raiseVersion,
  require,
  rowIs,
  rowStatement,
  run,
  type StepOf,
  type WriteScope,
} from './steps.ts';
import { compileFollow, compileRemember, compileTransition } from './transitions.ts';
import { compileInEachTable, type RowStep } from './union-rows.ts';
import { changeColumns } from './update.ts';
import type { ClocksStep, ScriptStep } from './write-script.ts';

/** The steps of a plan. compile.ts adds the result and the deletions. */
export function compileSteps(steps: WritePlan['steps'], scope: WriteScope): readonly ScriptStep[] {
  const { kept, folded } = foldLinks(steps, scope.layout);
  const early = calculationsOfNewRows(kept, scope);
  return kept.flatMap((step) => {
    if (step.kind === 'clocks' && early.get(step.row.name) === step) return [];
    if (step.kind !== 'insert') return compileStep(step, scope);
    const { name: register } = step.into;
    return compileInsert(step, folded.get(register) ?? NO_REFERENCES, early.get(register), scope);
  });
}

function compileStep(
  step: Exclude<WriteStep, { readonly kind: 'insert' }>,
  scope: WriteScope,
): readonly ScriptStep[] {
  switch (step.kind) {
    case 'find':
      return [compileFind(step, scope)];
    case 'match':
      return [compileMatch(step)];
    case 'require':
      return [
        require(conditionOn(step.row, step.expression, scope), step.fault, scope, step.advises),
      ];
    case 'update':
    case 'touch':
    case 'delete':
    case 'link':
    case 'append':
    case 'bytes':
    case 'match-file':
    case 'apart':
    case 'once':
      return step.row.source.kind === 'union'
        ? compileInEachTable(step, scope, compileRowStep)
        : compileRowStep(step, scope);
    case 'remember':
      return [compileRemember(step, scope)];
    case 'transition':
      return [compileTransition(step, scope, (steps) => compileSteps(steps, scope))];
    case 'follow':
      return [compileFollow(step, scope)];
    case 'clocks':
      return [compileClocks(step, scope)];
    case 'revise-clocks':
      return compileRevision(step, scope);
    case 'acyclic':
      return [compileAcyclic(step, scope)];
    case 'name':
      return [compileName(step, scope)];
    case 'branch':
      return [compileBranch(step, scope)];
    case 'each':
      return [compileEach(step, scope)];
    default:
      return unreachable(step);
  }
}

function compileMatch({ version, ...step }: StepOf<'match'>): ScriptStep {
  return { ...step, row: step.row.name, input: version?.slot };
}

/** A step on a row whose table is known. */
function compileRowStep(step: RowStep, scope: WriteScope): readonly ScriptStep[] {
  switch (step.kind) {
    case 'update':
      return compileUpdate(step, scope);
    case 'touch':
      return compileTouch(step, scope);
    case 'delete': {
      const { table } = tableOf(scope.layout, step.row.source);
      return [{ kind: 'delete', row: step.row.name, table: table.name }];
    }
    case 'link':
      return compileLink(step, scope);
    case 'append':
      return compileAppend(step, scope);
    case 'bytes':
      return compileBytes(step, scope);
    case 'match-file':
      return [compileMatchFile(step, scope)];
    case 'apart':
      return compileApart(step, scope);
    case 'once':
      return compileOnce(step, scope);
    default:
      return unreachable(step);
  }
}

function compileFind(
  { rows, into, missing, optional = false }: StepOf<'find'>,
  scope: WriteScope,
): ScriptStep {
  const statement = identityQuery(rows, scope);
  return { kind: 'find', statement, into: into.name, missing, optional };
}

function compileEach(
  { rows, filter, into, steps, limit }: StepOf<'each'>,
  scope: WriteScope,
): ScriptStep {
  const filtered = filter === undefined ? rows : { ...rows, where: [...rows.where, filter] };
  return {
    kind: 'each',
    statement: identityQuery(filtered, scope),
    into: into.name,
    steps: compileSteps(steps, scope),
    limit,
  };
}

function compileBranch({ on, there, absent }: StepOf<'branch'>, scope: WriteScope): ScriptStep {
  return {
    kind: 'branch',
    on: on.name,
    there: compileSteps(there, scope),
    absent: compileSteps(absent, scope),
  };
}

// ---- creating and changing ------------------------------------------------------------------------------------------

const NO_REFERENCES: readonly NewReference[] = [];

function compileInsert(
  step: StepOf<'insert'>,
  references: readonly NewReference[],
  clocks: StepOf<'clocks'> | undefined,
  scope: WriteScope,
): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.into.source);
  const { settings, computations, sequences, numbers, guids } = settingsOf(
    use,
    step.values,
    scope.dialect,
  );
  const given = new Map([
    ...authorContents(step, use, references, scope),
    ...hiddenContents(step, use),
    ...dependentsOf(step, use, references, scope),
    ...[...settings, ...referenceSettings(step, use, scope)].map(
      ({ column, content }) => [column.name, content] as const,
    ),
    ...references.map(({ column, to }) => [column, identityOf(to)] as const),
    ...fileContents(step, use, scope),
  ]);
  const calculation = clocks && calculateNewRow(clocks, given, scope);
  const contents = calculation?.contents ?? given;
  const columns = [...contents.keys()].map(name);
  const insert = sql`INSERT INTO ${tableName(use.table.name)} (${list(columns)}) VALUES (${list([...contents.values()])})`;
  const logEntry = logChange('create', step.into.source, identityOf(step.into));
  const texts = scope.dialect.schema.indexTexts(use.table, contents);
  const clockSteps = calculation === undefined ? [] : [calculation.step];
  // Numbers are allocated in the turn of a write, but queries before them run together with those of the writes around it.
  const isFirst = calculation !== undefined && !needsNumbers(calculation.step, step.into);
  return [
    ...(isFirst ? clockSteps : []),
    ...guids.map((local) => ({ kind: 'guid', local }) as const),
    ...allocateSteps(step, use, scope),
    ...numbers.map((number) => ({ kind: 'continue', ...number }) as const),
    ...sequences.map((sequence) => ({ kind: 'sequence', ...sequence }) as const),
    ...(step.file === undefined ? [] : [insertFile(step.file, scope)]),
    ...(isFirst ? [] : clockSteps),
    {
      kind: 'run',
      statement: rowStatement(insert, step.into, scope),
      place: step.target,
      inserts: step.into.name,
    },
    ...texts.map((text) => run(text, scope)),
    ...computedUpdates(use, step.into, computations, scope).map((update) => run(update, scope)),
    ...keepItems({ row: step.into, use, contents, target: step.target, isNew: true }, scope),
    run(logEntry, scope),
    ...references.flatMap(({ from }) => (from === undefined ? [] : touch(from, scope))),
  ];
}

/** Whether a calculation depends on the identity of the new row, or on other values that are generated for it. */
function needsNumbers({ inputs }: ClocksStep, { name: register }: Register): boolean {
  return inputs.parameters.some(
    (one) => one.kind === 'local' || (one.kind === 'register' && one.name === register),
  );
}

/** Allocates the identity of a new row. One that a load contains must be new in the whole installation, as an allocated one is. */
function allocateSteps(
  { into, values, target }: StepOf<'insert'>,
  use: TableUse,
  scope: WriteScope,
): readonly ScriptStep[] {
  const key = values.find(
    (item) => item.kind === 'value' && columnName(use, item.path) === use.table.identity,
  );
  const given = key === undefined ? undefined : givenNumber(key);
  if (key === undefined || given === undefined) return [{ kind: 'allocate', into: into.name }];
  const parameters = { name: pathName(key.path) };
  const fault = plannedFault('write.key-taken', parameters, targetIn(target, parameters.name));
  const isFree = [...scope.layout.bySource.values()].map(
    (one) => sql`NOT EXISTS (SELECT 1 FROM ${tableName(one.table.name)} WHERE ${rowIs(one, into)})`,
  );
  return [
    { kind: 'allocate', into: into.name, given },
    require(sql`SELECT 1 WHERE ${every(isFree)}`, fault, scope),
  ];
}

/** The dependent properties of the relations that a new row is inserted with, its container included. */
function dependentsOf(
  { parent, type }: StepOf<'insert'>,
  use: TableUse,
  references: readonly NewReference[],
  scope: WriteScope,
): readonly (readonly [string, Fragment])[] {
  const { model } = scope.layout;
  const containers = [...model.members(type).values()].flatMap((member) =>
    parent !== undefined && member.kind === 'navigation' && isContainer(scope, use, member)
      ? [{ navigation: member, to: parent }]
      : [],
  );
  const related = references.filter(({ path }) => path.length === 0);
  return [...containers, ...related]
    .flatMap(({ navigation, to }) => dependentSettings(use, navigation, to, scope))
    .map(({ column, content }) => [column.name, content] as const);
}

function isContainer({ layout }: WriteScope, { source: from }: TableUse, navigation: Navigation) {
  if (navigation.constraints === undefined) return false;
  return resolveNavigation(layout, { from, path: [], navigation }).relation.kind === 'parent';
}

/** The references that dependent properties determine. */
function referenceSettings(
  step: StepOf<'insert' | 'update'>,
  use: TableUse,
  { layout, dialect }: WriteScope,
): readonly Setting[] {
  return step.values.flatMap((item): readonly Setting[] => {
    if (item.kind !== 'reference') return [];
    const path = item.navigation.name;
    const column = use.columns.get(columnName(use, [item.navigation]));
    invariant(column !== undefined, `no column for ${path}`);
    const content =
      item.to === undefined
        ? value(null)
        : referenceTo(step.kind === 'update' ? step.row : undefined, item.to, { layout, dialect });
    return [{ column, content, path, isExplicit: true }];
  });
}

/** The hidden columns of a new row. */
function hiddenContents(
  { into, parent, type, dynamic }: StepOf<'insert'>,
  { table, columns }: TableUse,
): readonly (readonly [string, Fragment])[] {
  const container = parent !== undefined && columns.has(PARENT_COLUMN) ? [parent] : [];
  return [
    [table.identity, identityOf(into)],
    ...container.map((row) => [PARENT_COLUMN, identityOf(row)] as const),
    ...(columns.has(TYPE_COLUMN) ? [[TYPE_COLUMN, value(type.name)] as const] : []),
    ...(dynamic.size > 0 ? [[DYNAMIC_COLUMN, value(objectText(dynamic))] as const] : []),
  ];
}

function compileTouch({ row }: StepOf<'touch'>, scope: WriteScope): readonly ScriptStep[] {
  const entry = logChange('update', row.source, identityOf(row));
  return [raiseVersion(row, scope), run(entry, scope)];
}

function compileUpdate(step: StepOf<'update'>, scope: WriteScope): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const { settings, computations } = settingsOf(use, step.values, scope.dialect);
  const explicit = [
    ...settings.filter((setting) => setting.isExplicit),
    ...dynamicSettings(step, use, scope),
    ...referenceSettings(step, use, scope),
    ...evaluatedSettings(step, use, scope),
  ];
  if (explicit.length === 0) return [];
  const computed = computedUpdates(use, step.row, computations, scope);
  return [
    ...compileRename(step, use, scope),
    ...changeColumns(step.row, explicit, computed, scope).map((change) =>
      change.kind === 'update' ? { ...change, place: step.target } : change,
    ),
    ...keepItems(
      { row: step.row, use, contents: contentsOf(explicit), target: step.target, isNew: false },
      scope,
    ),
  ];
}

function contentsOf(settings: readonly Setting[]): ReadonlyMap<string, Fragment> {
  return new Map(settings.map(({ column, content }) => [column.name, content]));
}

function dynamicSettings(
  step: StepOf<'update'>,
  use: TableUse,
  { dialect }: WriteScope,
): readonly Setting[] {
  const column = use.columns.get(DYNAMIC_COLUMN);
  if (column === undefined || (step.dynamic.size === 0 && !step.replaceDynamic)) return [];
  const content = step.replaceDynamic
    ? value(objectText(step.dynamic))
    : dynamicContent(step.dynamic, dialect.json.change);
  return [{ column, content, path: DYNAMIC_COLUMN, isExplicit: true }];
}

/** The document of dynamic properties with members set, or removed where null. */
function dynamicContent(
  members: ReadonlyMap<string, string | null>,
  { setMember, removeMember }: JsonChangeDialect,
): Fragment {
  return [...members].reduce(
    (document, [key, json]) =>
      json === null ? removeMember(document, [key]) : setMember(document, [key], json),
    sql`coalesce(${name(DYNAMIC_COLUMN)}, '{}')`,
  );
}

/** Updates that store computed values after the row has been written. */
function computedUpdates(
  use: TableUse,
  row: Register,
  computations: readonly Computation[],
  scope: WriteScope,
): readonly Fragment[] {
  return computations.map(({ column, value: computed }) => {
    const content = valueOn(row, computed.expression, column, scope);
    const { of } = computed;
    const condition = of === undefined ? [] : [isOfType(scope.layout, of)];
    return sql`UPDATE ${tableName(use.table.name)} SET ${name(column.name)} = (${content})${where([rowIs(use, row), ...condition])}`;
  });
}

function compileAppend(step: StepOf<'append'>, scope: WriteScope): readonly ScriptStep[] {
  const use = tableOf(scope.layout, step.row.source);
  const column = use.columns.get(columnName(use, step.path));
  invariant(column !== undefined, 'no column for a collection');
  const items = sql`coalesce(${name(column.name)}, '[]')`;
  const content = listContent(step, items, scope.dialect.json.change);
  const setting = { column, content, path: pathName(step.path), isExplicit: true };
  return [
    ...requireItem(step, use, items, scope),
    ...changeColumns(step.row, [setting], [], scope),
    ...keepItems({ row: step.row, use, contents: contentsOf([setting]), isNew: false }, scope),
  ];
}

/** The JSON array after the change. OData Protocol 4.01, "Positional Inserts". */
function listContent(
  { json, index, action = 'insert' }: StepOf<'append'>,
  items: Fragment,
  change: JsonChangeDialect,
): Fragment {
  if (index === undefined) return change.append(items, json);
  switch (action) {
    case 'insert':
      return change.insert(items, index, json);
    case 'replace':
      return change.replace(items, index, json);
    case 'remove':
      return change.remove(items, index);
    default:
      return unreachable(action);
  }
}

/** Requires an item at the position. An insert may also follow the last item. */
function requireItem(
  { row, index, action = 'insert', missing }: StepOf<'append'>,
  use: TableUse,
  items: Fragment,
  scope: WriteScope,
): readonly ScriptStep[] {
  if (index === undefined || missing === undefined) return [];
  const length = scope.dialect.json.change.length(items);
  const position = index < 0 ? -index : index + 1;
  const minimum = value(BigInt(action === 'insert' ? position - 1 : position));
  const isLongEnough = sql`SELECT 1 FROM ${tableName(use.table.name)} WHERE ${rowIs(use, row)} AND ${length} >= ${minimum}`;
  return [require(isLongEnough, missing, scope)];
}

/** `{"a":1,"b":"x"}` from JSON texts by name, without removed members. */
function objectText(members: ReadonlyMap<string, string | null>): string {
  const present = [...members].filter(([, json]) => json !== null);
  return `{${present.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}
