// This file runs the steps of write scripts in an open transaction and keeps found and created rows in registers. A failed guard
// throws the fault that the plan specifies; the caller rolls the transaction back.
// It is long because the loop over the steps and what each kind of step does belong together.
import { randomBytes } from 'node:crypto';
import { Fault, invariant, unreachable } from '../base/fault.ts';
import { timeOrderedGuid } from '../edm/value/guid.ts';
import type { ReadOutcome } from '../plan/outcome.ts';
import { adviceAbout, type StateAdvice } from '../plan/workflow/transition-result.ts';
import { usesPositions } from '../sql/expression/clock-time.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { Parameter, ReadScript, Statement } from '../sql/script.ts';
import { CANDIDATE } from '../sql/write/files.ts';
import type {
  ScriptStep,
  TrackedColumn,
  UpdateStep,
  WriteScript,
} from '../sql/write/write-script.ts';
import { calculateClocks } from './calculate-clocks.ts';
import { changeOfState, followChange } from './check-transition.ts';
import type { Cell, Context, Inputs, Reply, Row, SingleOperation, Work } from './database.ts';
import { remove } from './run-deletion.ts';
import { outcomeOf } from './run-read-script.ts';
import {
  allocateLines,
  type CalculateClocks,
  changeOf,
  type Follow,
  queryOf,
  type RegisterRow,
  type Run,
  resolveValue,
  rowIn,
  toFault,
  valuesOf,
  type WriteProgress,
} from './script-state.ts';
import { endsWithChange, pipelineEnd } from './step-pipelines.ts';
import { type FileMetadata, localsOf, uniqueName } from './stored-files.ts';
import { allocate, change, continueAfter, pipeline } from './work.ts';

export interface WriteOutcome {
  /** The row that the response describes. */
  readonly subject: RegisterRow | undefined;
  /** Whether the script created that row. */
  readonly isCreated: boolean;
  /** The representation of the row for the response. */
  readonly shown: ReadOutcome | undefined;
  /** The result of RunInputs.location. */
  readonly location: ReadOutcome | undefined;
  /** What enforced workflows would have rejected. */
  readonly advice: readonly StateAdvice[];
}

/** Values that a script needs besides the request context. */
export interface RunInputs {
  /** The values of the request's parameters. */
  readonly inputs?: Inputs | undefined;
  /** Stored files, by their names in the script. */
  readonly files?: ReadonlyMap<string, FileMetadata> | undefined;
  readonly progress?: WriteProgress;
  /** A read of the row that the response describes, besides its representation. */
  readonly location?: ReadScript | undefined;
  /** Whether the script is all that its unit of work does. */
  readonly isWhole?: boolean;
  readonly calculate?: CalculateClocks;
  readonly follow?: Follow;
  /** The context with the present positions of schedules. */
  readonly withPositions?: (context: Context) => Work<Context>;
}

/** What follows the steps of a script: queries, and nothing else if `isLast`. */
interface ScriptEnd {
  readonly queries: readonly Statement[];
  readonly isLast: boolean;
}

const MORE_FOLLOWS: ScriptEnd = { queries: [], isLast: false };

const NO_FILES: ReadonlyMap<string, FileMetadata> = new Map();

/** Runs a write script. Throws: the faults of its guards, write.referenced, write.too-many. */
export function* runWrite(
  script: WriteScript,
  context: Context,
  {
    inputs = [],
    files = NO_FILES,
    progress = { hasChanged: false },
    location,
    isWhole = false,
    calculate,
    follow,
    withPositions,
  }: RunInputs = {},
): Work<WriteOutcome> {
  const run: Run = {
    script,
    context,
    registers: new Map(),
    locals: localsOf(files),
    created: new Set(),
    raised: new Set(),
    inputs,
    progress,
    calculate,
    follow,
    advice: [],
    returned: undefined,
  };
  const { subject: name, result, resultFor, returnsResult } = script;
  const isKnown =
    returnsResult || result === undefined || (resultFor === undefined && !isOfTheMoment(result));
  const isRead = isKnown && !returnsResult;
  const reads = [isRead ? result : undefined, location].filter((read) => read !== undefined);
  const end = { queries: reads.map(({ statement }) => statement), isLast: isWhole && isKnown };
  const replies = yield* runSteps(run, script.steps, end);
  const subject = name === undefined ? undefined : run.registers.get(name);
  const isCreated = subject !== undefined && run.created.has(subject.identity);
  const isShown = result !== undefined && (isCreated || resultFor === undefined);
  const replyTo = (read: ReadScript) =>
    read === result && returnsResult ? run.returned : replies?.[reads.indexOf(read)]?.rows;
  return {
    subject,
    isCreated,
    shown: isShown
      ? yield* readResult(run, result, { known: replyTo(result), withPositions })
      : undefined,
    location:
      location && (yield* readResult(run, location, { known: replyTo(location), withPositions })),
    advice: run.advice,
  };
}

interface FinalRead {
  /** The rows, if the read was part of the last pipeline, or if a step has returned them. */
  readonly known: readonly Row[] | undefined;
  readonly withPositions: RunInputs['withPositions'] | undefined;
}

/** The outcome of a read after the steps. */
function* readResult(
  run: Run,
  script: ReadScript,
  { known, withPositions }: FinalRead,
): Work<ReadOutcome> {
  const { context } = run;
  if (known !== undefined) return outcomeOf(script, known, context);
  const own = isOfTheMoment(script) && withPositions ? yield* withPositions(context) : context;
  const { rows } = yield queryOf({ ...run, context: own }, script.statement);
  return outcomeOf(script, rows, context);
}

/** Whether the result contains elapsed or remaining time. */
function isOfTheMoment(result: ReadScript | undefined): boolean {
  return result !== undefined && usesPositions(result.statement);
}

/**
 * Runs steps. Those of one operation are part of the loop, since delegating to them would cost time with every operation.
 * If they end with changes, the queries of `scriptEnd` are part of their pipeline, and the replies to these are returned.
 */
function* runSteps(
  run: Run,
  steps: readonly ScriptStep[],
  { queries, isLast }: ScriptEnd = MORE_FOLLOWS,
): Work<readonly Reply[] | undefined> {
  for (let index = 0, end = 0; index < steps.length; index = end) {
    end = pipelineEnd(steps, index);
    const step = steps[index];
    if (step === undefined) return undefined;
    if (end > index + 1) {
      const together = steps.slice(index, end);
      const operations = operationsOf(run, together);
      const isEnd = endsWithChange(steps, end);
      if (isEnd) for (const statement of queries) operations.push(queryOf(run, statement));
      const reply: Reply = yield pipeline(operations, isEnd && isLast);
      finishSteps(run, together, reply);
      if (isEnd) return reply.replies.slice(-queries.length);
      continue;
    }
    switch (step.kind) {
      case 'match':
        match(run, step);
        break;
      case 'find':
      case 'remember':
      case 'require':
      case 'reject':
      case 'allocate':
      case 'sequence':
      case 'continue':
      case 'run':
        finishStep(run, step, yield operationOf(run, step));
        break;
      case 'guid':
        storeGuid(run, step);
        break;
      case 'name':
        yield* pickName(run, step);
        break;
      case 'raise':
        yield* raise(run, step);
        break;
      case 'update':
        yield* update(run, step, isLast && end === steps.length && queries.length === 0);
        break;
      case 'clocks':
        yield* clocks(run, step);
        break;
      case 'follow':
        yield* followChange(run, step);
        break;
      case 'delete':
        yield* remove(run, rowIn(run, step.row).identity, step.table, []);
        break;
      case 'branch':
        yield* runSteps(run, run.registers.has(step.on) ? step.there : step.absent);
        break;
      case 'each':
        yield* each(run, step);
        break;
      case 'transition':
        yield* transition(run, step);
        break;
      default:
        unreachable(step);
    }
  }
  return undefined;
}

type StepOf<Kind extends ScriptStep['kind']> = ScriptStep & { readonly kind: Kind };

/** A step of one operation. */
type SingleStep = StepOf<
  'find' | 'require' | 'reject' | 'remember' | 'allocate' | 'sequence' | 'continue' | 'run'
>;

function operationsOf(run: Run, steps: readonly ScriptStep[]): SingleOperation[] {
  const operations: SingleOperation[] = [];
  for (const step of steps)
    if (step.kind !== 'match') operations.push(operationOf(run, step as SingleStep));
  return operations;
}

function operationOf(run: Run, step: SingleStep): SingleOperation {
  switch (step.kind) {
    case 'find':
    case 'require':
    case 'reject':
    case 'remember':
      return queryOf(run, step.statement);
    case 'allocate':
      return step.given === undefined
        ? allocate(IDENTITY_SEQUENCE, 1n)
        : continueAfter(IDENTITY_SEQUENCE, numberIn(run, step.given));
    case 'sequence':
      return allocate(step.name, 1n);
    case 'continue':
      return continueAfter(step.name, numberIn(run, step.given));
    case 'run':
      return changeOf(run, step.statement, step.place, step.returns);
    default:
      return unreachable(step);
  }
}

/** Finishes the steps of a pipeline in order, so that the error is that of the first step that fails. */
function finishSteps(run: Run, steps: readonly ScriptStep[], { replies }: Reply): void {
  let next = 0;
  for (const step of steps) {
    if (step.kind === 'match') match(run, step);
    else finishStep(run, step as SingleStep, replies[next++] as Reply);
  }
}

function finishStep(run: Run, step: SingleStep, reply: Reply): void {
  switch (step.kind) {
    case 'find':
      storeFound(run, step, reply);
      break;
    case 'require':
      requireRow(run, step, reply);
      break;
    case 'reject':
      rejectRow(step, reply);
      break;
    case 'remember':
      run.locals.set(step.local, reply.rows[0]?.[0] ?? null);
      break;
    case 'allocate':
      storeCreated(run, step.into, step.given ? numberIn(run, step.given) : reply.first);
      break;
    case 'continue':
      break;
    case 'sequence':
      storeNumber(run, step, reply);
      break;
    case 'run':
      checkChanged(step, reply);
      if (step.returns === true) run.returned = reply.rows;
      break;
    default:
      unreachable(step);
  }
}

function storeFound(run: Run, step: StepOf<'find'>, { rows: [row] }: Reply): void {
  if (row !== undefined) run.registers.set(step.into, toRow(row));
  else if (!step.optional) throw toFault(step.missing);
  // An earlier iteration of `each` may have set the register.
  else run.registers.delete(step.into);
}

function requireRow(run: Run, { fault, advises }: StepOf<'require'>, { rows }: Reply): void {
  if (rows.length > 0) return;
  if (advises === undefined) throw toFault(fault);
  run.advice.push(adviceAbout(advises, fault));
}

function rejectRow({ fault }: StepOf<'reject'>, { rows: [row] }: Reply): void {
  if (row === undefined) return;
  throw toFault({ ...fault, parameters: { ...fault.parameters, found: String(row[0]) } });
}

function storeNumber(
  { locals }: Run,
  { local, name, greatest }: StepOf<'sequence'>,
  { first }: Reply,
): void {
  if (greatest !== undefined && first > greatest)
    throw new Fault('write.numbers-used-up', { name, greatest: String(greatest) });
  locals.set(local, first);
}

function storeGuid({ locals, context }: Run, { local }: StepOf<'guid'>): void {
  locals.set(local, timeOrderedGuid(Date.parse(String(context.now)), randomBytes(10)));
}

function storeCreated(run: Run, into: string, identity: bigint): void {
  run.created.add(identity);
  run.registers.set(into, { identity, version: 1n });
}

function checkChanged({ none }: StepOf<'run'>, { changed }: Reply): void {
  if (changed === 0 && none !== undefined) throw toFault(none);
}

function* pickName(run: Run, step: StepOf<'name'>): Work<void> {
  const name = yield* uniqueName(step, textIn(run, step.wanted), (candidate) =>
    isTaken(run, step, candidate),
  );
  run.locals.set(step.local, name);
}

function* isTaken(run: Run, { taken }: StepOf<'name'>, name: string): Work<boolean> {
  run.locals.set(CANDIDATE, name);
  const { rows } = yield queryOf(run, taken);
  return rows.length > 0;
}

function numberIn(run: Run, item: Parameter): bigint {
  const number = resolveValue(run, item);
  invariant(typeof number === 'bigint' || typeof number === 'number', 'a sequence has numbers');
  return BigInt(number);
}

function textIn(run: Run, item: Parameter): string {
  const text = resolveValue(run, item);
  invariant(typeof text === 'string', 'a name must be a string');
  return text;
}

/** If-Match requires one of the versions, If-None-Match (`negated`) none of them. */
function match(run: Run, step: StepOf<'match'>): void {
  const row = run.registers.get(step.row);
  const input = step.input === undefined ? undefined : run.inputs[step.input];
  const matches =
    row !== undefined &&
    (step.versions === 'any' || step.versions.includes(row.version) || input === row.version);
  if (matches === step.negated) throw toFault(step.fault);
}

function* each(run: Run, step: StepOf<'each'>): Work<void> {
  const { rows } = yield queryOf(run, step.statement);
  if (rows.length > step.limit)
    throw new Fault('write.too-many', { count: rows.length, limit: step.limit });
  for (const row of rows) {
    run.registers.set(step.into, toRow(row));
    yield* runSteps(run, step.steps);
  }
}

function* clocks(run: Run, step: StepOf<'clocks'>): Work<void> {
  const calculated = yield* calculateClocks(run, step);
  if (calculated !== undefined) yield* update(run, calculated.change, false, calculated.cause);
}

/** Checks a change of state and runs the effects of both states. Throws: workflow.initial, workflow.requirements, workflow.transition. */
function* transition(run: Run, step: StepOf<'transition'>): Work<void> {
  const change = yield* changeOfState(run, step);
  if (change === undefined) return;
  const { before, after } = change;
  if (typeof before === 'bigint') yield* runSteps(run, step.leaving.get(before) ?? []);
  if (after !== null) yield* runSteps(run, step.entering.get(after) ?? []);
}

// ---- updates -------------------------------------------------------------------------------------------------------

function* update(
  run: Run,
  step: UpdateStep,
  isLast: boolean,
  cause: string | null = null,
): Work<void> {
  const { rows } = yield queryOf(run, step.before);
  const [before] = rows;
  if (before === undefined) return;
  const { identity } = rowIn(run, step.row);
  const statement = run.raised.has(identity) ? step.again : step.statement;
  const values = valuesOf(run, statement);
  const changed = differences(step.tracked, before, values);
  if (changed.length === 0) return;
  run.progress.hasChanged = true;
  run.locals.set('cause', cause ?? run.context.cause);
  const recorded = run.created.has(identity) ? [] : changed.filter(hasHistory);
  const line = recorded.length === 0 ? 0n : yield* allocateLines(BigInt(recorded.length));
  raiseVersion(run, identity);
  const operations = [
    change(statement, values, step.place),
    ...step.afterwards.map((one) => changeOf(run, one)),
    ...recorded.flatMap((difference, index) =>
      historyOf(run, identity, line + BigInt(index), difference),
    ),
  ];
  yield pipeline(operations, isLast);
}

function* raise(run: Run, step: StepOf<'raise'>): Work<void> {
  const { identity } = rowIn(run, step.row);
  if (run.raised.has(identity)) return;
  yield changeOf(run, step.statement);
  raiseVersion(run, identity);
}

/** Raises the version once in the script. Several registers may hold the row. */
function raiseVersion({ registers, raised }: Run, identity: bigint): void {
  if (raised.has(identity)) return;
  raised.add(identity);
  for (const [name, row] of registers)
    if (row.identity === identity) registers.set(name, { identity, version: row.version + 1n });
}

interface Difference {
  readonly column: TrackedColumn;
  readonly before: Cell;
  readonly after: Cell;
}

type Recorded = Difference & { readonly column: { readonly history: readonly Statement[] } };

/** The columns whose values change, from the values before and those of the statement. */
function differences(
  tracked: readonly TrackedColumn[],
  row: Row,
  values: readonly Cell[],
): readonly Difference[] {
  const changed: Difference[] = [];
  for (const [index, column] of tracked.entries()) {
    const { kind, index: at } = column.after;
    const before = row[index] ?? null;
    const after = (kind === 'parameter' ? values : row)[at] ?? null;
    if (!isSame(before, after)) changed.push({ column, before, after });
  }
  return changed;
}

function hasHistory(difference: Difference): difference is Recorded {
  const { column, before } = difference;
  const isFirst = column.isKept === true && before === null;
  return column.history !== undefined && !isFirst;
}

/** The statements of one history entry. */
function historyOf(
  run: Run,
  owner: bigint,
  line: bigint,
  difference: Recorded,
): readonly SingleOperation[] {
  run.locals.set('line', line);
  run.locals.set('owner', owner);
  run.locals.set('property', difference.column.property);
  run.locals.set('before', difference.before);
  run.locals.set('after', difference.after);
  return difference.column.history.map((statement) => changeOf(run, statement));
}

/** Whether a stored cell equals a new value. SQLite stores booleans as 0 and 1, and NaN as text. */
function isSame(stored: Cell, value: Cell): boolean {
  if (stored instanceof Uint8Array && value instanceof Uint8Array)
    return Buffer.compare(stored, value) === 0;
  if (typeof value === 'boolean') return stored === value || stored === (value ? 1n : 0n);
  if (typeof stored === 'bigint' && typeof value === 'number') return Number(stored) === value;
  if (Number.isNaN(value)) return Number.isNaN(stored) || stored === 'NaN';
  return Object.is(stored, value);
}

function toRow(row: readonly Cell[]): RegisterRow {
  const [identity, version] = row;
  invariant(typeof identity === 'bigint' && typeof version === 'bigint', 'a row has no identity');
  return { identity, version };
}
