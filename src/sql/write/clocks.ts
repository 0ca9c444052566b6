// Compiles the calculation of clocks: a query for what it depends on, and the updates that store its results, whose values are locals.
// Also marks the clocks of open rows as outdated when the rules have changed.
import { memoized, perObject, perPair } from '../../base/memo.ts';
import {
  calculatedColumns,
  readExpressions,
  readPaths,
  recordedPaths,
  stopConditions,
} from '../../edm/clocks/clock-members.ts';
import type { ClockRules } from '../../edm/clocks/clock-rules.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { bindModelExpression } from '../../plan/write/model-expression.ts';
import type { Register, WriteStep } from '../../plan/write-plan.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { CLOCK_REVISION, columnAt, REVISION, storageAt } from '../expression/clock-inputs.ts';
import {
  ARGUMENT,
  column,
  every,
  type Fragment,
  list,
  local,
  name,
  sql,
  tableName,
  text,
  value,
} from '../fragment.ts';
import { SCHEDULE_TABLE } from '../schema/ddl.ts';
import { type Column, type Layout, tableOf } from '../schema/layout.ts';
import type { Statement } from '../script.ts';
import { compileCauses } from './clock-causes.ts';
import { settingsOf } from './column-values.ts';
import { newRowValues, type RowValues, rowValues } from './row-expressions.ts';
import { requestTime, rowIs, run, type StepOf, statement, type WriteScope } from './steps.ts';
import { updateStep } from './update.ts';
import type { ClocksStep, ScriptStep } from './write-script.ts';

/** The schedules by which clocks run, `s5:946684800000,s6:…`: their identities and origins. */
function knownSchedules({ json }: Dialect): Fragment {
  const known = json.concat([
    text('s'),
    json.integer(name('id')),
    text(':'),
    json.integer(name('origin')),
  ]);
  return sql`(SELECT ${json.concatRows(known)} FROM ${tableName(SCHEDULE_TABLE)})`;
}

/** The local that holds the new value of a calculated member. */
export function calculatedLocal(path: string): string {
  return `calculated ${path}`;
}

/** The calculation for a row that exists. */
export function compileClocks(step: StepOf<'clocks'>, scope: WriteScope): ScriptStep {
  const { row, type } = step;
  const key = `${row.source.id} ${type.name} ${row.name}`;
  const statements = memoized(
    statementsOf(scope.layout, scope.dialect),
    key,
    () => clockStatements(step, scope),
    MOST_STATEMENTS,
  );
  return { ...scriptStep(step, scope), ...statements };
}

type ClockStatements = Required<Pick<ClocksStep, 'inputs' | 'stored'>>;

/** By source, type and register. */
const statementsOf = perPair((_layout: Layout, _: Dialect) => new Map<string, ClockStatements>());

/** Requests with many entities have many registers. */
const MOST_STATEMENTS = 500;

function clockStatements(step: StepOf<'clocks'>, scope: WriteScope): ClockStatements {
  const { row } = step;
  const use = tableOf(scope.layout, row.source);
  const settings = calculatedSettings(step, scope);
  const assignments = settings.map(({ column, content }) => sql`${name(column.name)} = ${content}`);
  const change = updateStep(row, settings, [], scope);
  const recorded = recordedPaths(step.rules);
  const tracked = change.tracked.map((one) =>
    recorded.has(one.property) ? one : { ...one, history: undefined },
  );
  const fill = sql`UPDATE ${tableName(use.table.name)} SET ${list(assignments)} WHERE ${rowIs(use, row)}`;
  return {
    inputs: statement(rowValues(row, inputsOf(step, scope), scope), scope),
    stored: { fill: statement(fill, scope), change: { ...change, tracked } },
  };
}

/** What the calculation for a row reads, without a calculation. The register has the row. */
export function clockInputs(
  row: Register,
  type: EntityType,
  rules: ClockRules,
  scope: WriteScope,
): Statement {
  return statement(rowValues(row, inputsOf({ row, type, rules }, scope), scope), scope);
}

/** Calculations that can run before the insert of their row, which saves an update: no later step sets a relation or a value of it. */
export function calculationsOfNewRows(
  steps: readonly WriteStep[],
  scope: WriteScope,
): ReadonlyMap<string, StepOf<'clocks'>> {
  const inserts = new Map(
    steps.flatMap((step) => (step.kind === 'insert' ? [[step.into.name, step] as const] : [])),
  );
  const changed = new Set(
    steps.flatMap((step) => (step.kind === 'link' ? [step.row.name, step.to?.name] : [])),
  );
  const owners = new Set(
    steps.flatMap((step) => (step.kind === 'insert' ? [step.parent?.name] : [])),
  );
  return new Map(
    steps.flatMap((step) => {
      if (step.kind !== 'clocks') return [];
      const { name: register } = step.row;
      const insert = inserts.get(register);
      const isLater =
        insert === undefined ||
        changed.has(register) ||
        (stopConditions(step.rules).length > 0 && owners.has(register)) ||
        hasComputations(insert, scope);
      return isLater ? [] : [[register, step] as const];
    }),
  );
}

function hasComputations({ into, values }: StepOf<'insert'>, { layout, dialect }: WriteScope) {
  return settingsOf(tableOf(layout, into.source), values, dialect).computations.length > 0;
}

/** The calculation for a row before it is inserted, and the contents of its columns after that. */
export function calculateNewRow(
  step: StepOf<'clocks'>,
  contents: ReadonlyMap<string, Fragment>,
  scope: WriteScope,
): { readonly step: ClocksStep; readonly contents: ReadonlyMap<string, Fragment> } {
  const use = tableOf(scope.layout, step.row.source);
  const inputs = newRowValues(use, contents, inputsOf(step, scope), scope);
  const calculated = calculatedSettings(step, scope).map(
    ({ column, content }) => [column.name, content] as const,
  );
  return {
    step: { ...scriptStep(step, scope), inputs: statement(inputs, scope) },
    contents: new Map([...contents, ...calculated]),
  };
}

function scriptStep(
  { row, type, chooses, set, target, rules, ruleSources }: StepOf<'clocks'>,
  scope: WriteScope,
): Omit<ClocksStep, 'inputs' | 'stored'> {
  return {
    kind: 'clocks',
    row: row.name,
    type: type.name,
    chooses,
    set,
    place: target,
    calculated: calculatedColumns(rules),
    outdatedSince: rules.outdatedSince,
    causes: compileCauses(ruleSources, scope),
  };
}

/** The calculated columns, with locals as their contents. */
function calculatedSettings({ row, type, rules }: StepOf<'clocks'>, { layout }: WriteScope) {
  const use = tableOf(layout, row.source);
  return calculatedColumns(rules).map((path) => {
    const column = columnAt(layout.model, use, type, path);
    const content = local(calculatedLocal(path), column.storage.kind);
    return { column, content, path, isExplicit: true };
  });
}

/** The revision and, after a space, the known schedules; the calculated members, the members that are only read, and the expressions. */
function inputsOf(
  { row, type, rules }: Pick<StepOf<'clocks'>, 'row' | 'type' | 'rules'>,
  { layout, dialect }: WriteScope,
): RowValues {
  const { model } = layout;
  const use = tableOf(layout, row.source);
  const paths = [...calculatedColumns(rules), ...readPaths(rules)];
  return {
    first: dialect.json.concat([REVISION, text(' '), knownSchedules(dialect)]),
    columns: paths.map((path) => columnAt(model, use, type, path)),
    expressions: readExpressions(model, type, rules).map((source, index) => ({
      expression: bindModelExpression(model, source, row.source, type),
      storage: storageAt(index, stopConditions(rules).length),
    })),
  };
}

// ---- rules ----------------------------------------------------------------------------------------------------------

const NEW_REVISION = 'clock revision';

/** Stores a new revision, and marks the clocks of open rows as outdated. */
export function compileRevision(
  { clocks }: StepOf<'revise-clocks'>,
  scope: WriteScope,
): readonly ScriptStep[] {
  const table = tableName('docket_setting');
  return [
    { kind: 'guid', local: NEW_REVISION },
    run(sql`DELETE FROM ${table} WHERE "name" = ${text(CLOCK_REVISION)}`, scope),
    run(
      sql`INSERT INTO ${table} ("name", "value") VALUES (${text(CLOCK_REVISION)}, ${local(NEW_REVISION, 'text')})`,
      scope,
    ),
    ...clocks.map((one) => run(outdateOpenRows(one, scope), scope)),
  ];
}

interface ClockSource {
  readonly source: Source;
  readonly rules: ClockRules;
}

/** Marks the clocks of open rows as outdated, so that the service calculates them again in the background. */
export function outdateOpenRows({ source, rules }: ClockSource, scope: WriteScope): Fragment {
  const use = tableOf(scope.layout, source);
  const { model } = scope.layout;
  const column = (path: string): Column => columnAt(model, use, source.type, path);
  const outdated: Column = column(rules.outdatedSince);
  const since = name(outdated.name);
  const status = name(column(rules.status).name);
  const ended = endedValues(model, source.type, rules).map((code) => value(code));
  const conditions: readonly Fragment[] = [
    sql`${name(column(rules.record).name)} IS NOT NULL`,
    sql`${since} IS NULL`,
    ...(ended.length === 0 ? [] : [sql`(${status} IS NULL OR ${status} NOT IN (${list(ended)}))`]),
  ];
  return sql`UPDATE ${tableName(use.table.name)} SET ${since} = ${requestTime(scope.dialect, outdated)} WHERE ${every(conditions)}`;
}

/** The codes of the status in which all clocks have ended. */
function endedValues(model: Model, type: EntityType, { status, clocks }: ClockRules): bigint[] {
  const member = model.stored(type).get(status);
  const codeList = member?.kind === 'property' ? member.codeList : undefined;
  const codes = model.codeLists.get(codeList ?? '')?.codes ?? [];
  return codes
    .filter(({ meaning = '' }) =>
      clocks.every(({ stoppedIn, cancelledIn = [] }) =>
        [...stoppedIn, ...cancelledIn].includes(meaning),
      ),
    )
    .map(({ value: code }) => code);
}

/** Deletes the schedules that are older than the argument, and by which no clock runs. */
export const deleteUnusedSchedules = perObject((layout: Layout): Fragment => {
  const own = column(tableName(SCHEDULE_TABLE), 'id');
  const uses = [...layout.bySource.values()].flatMap(({ table, clocks }) =>
    [...new Set([...clocks.values()].map(({ schedule }) => schedule))].map(
      (schedule) =>
        sql`NOT EXISTS (SELECT 1 FROM ${tableName(table.name)} t WHERE ${column(name('t'), schedule)} = ${own})`,
    ),
  );
  return sql`DELETE FROM ${tableName(SCHEDULE_TABLE)} WHERE ${every([sql`"since" < ${ARGUMENT}`, ...uses])}`;
});
