// This file runs the steps of write scripts in an open transaction and keeps found and created rows in registers. A failed guard
// throws the fault that the plan specifies; the caller rolls the transaction back.
import { Fault, type FaultDetail, invariant, unreachable } from '../base/fault.ts';
import type { ReadOutcome } from '../plan/outcome.ts';
import type { PlannedFault } from '../plan/write-plan.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { Parameter, ReadScript, Statement } from '../sql/script.ts';
import { CANDIDATE } from '../sql/write/files.ts';
import type {
  Deletion,
  Detachment,
  ScriptStep,
  TrackedColumn,
  UpdateStep,
  WriteScript,
} from '../sql/write/write-script.ts';
import type { Cell, Context, Inputs, Operation, Reply, Work } from './database.ts';
import { outcomeOf } from './run-read-script.ts';
import { type RegisterRow, resolveValue, valuesOf } from './script-values.ts';
import { type FileMetadata, localsOf, uniqueName } from './stored-files.ts';
import { allocate, change, query } from './work.ts';

export interface WriteOutcome {
  /** The row that the response describes. */
  readonly subject: RegisterRow | undefined;
  /** Whether the script created that row. */
  readonly isCreated: boolean;
  /** The representation of the row for the response. */
  readonly shown: ReadOutcome | undefined;
  readonly registers: ReadonlyMap<string, RegisterRow>;
  readonly inputs: Inputs;
}

interface Run {
  readonly script: WriteScript;
  readonly context: Context;
  readonly registers: Map<string, RegisterRow>;
  readonly locals: Map<string, Cell>;
  /** Identities of rows that the script created. */
  readonly created: Set<bigint>;
  readonly inputs: Inputs;
  readonly progress: WriteProgress;
}

/** Shows how far a script has come, also if it fails. */
export interface WriteProgress {
  /** Whether it has begun to change records. */
  hasChanged: boolean;
}

/** Values that a script needs besides the request context. */
export interface RunInputs {
  /** The values of the request's parameters. */
  readonly inputs?: Inputs | undefined;
  /** Stored files, by their names in the script. */
  readonly files?: ReadonlyMap<string, FileMetadata> | undefined;
  readonly progress?: WriteProgress;
}

const NO_FILES: ReadonlyMap<string, FileMetadata> = new Map();

/** Runs a write script. Throws: the faults of its guards, write.referenced, write.too-many. */
export function* runWrite(
  script: WriteScript,
  context: Context,
  { inputs = [], files = NO_FILES, progress = { hasChanged: false } }: RunInputs = {},
): Work<WriteOutcome> {
  const run: Run = {
    script,
    context,
    registers: new Map(),
    locals: localsOf(files),
    created: new Set(),
    inputs,
    progress,
  };
  yield* runSteps(run, script.steps);
  const { subject: name, result, resultFor } = script;
  const subject = name === undefined ? undefined : run.registers.get(name);
  const isCreated = subject !== undefined && run.created.has(subject.identity);
  const isShown = result !== undefined && (isCreated || resultFor === undefined);
  return {
    subject,
    isCreated,
    shown: isShown ? outcomeOf(result, (yield queryOf(run, result.statement)).rows) : undefined,
    registers: run.registers,
    inputs,
  };
}

/** Runs a read over the registers of a finished script, in the same transaction. */
export function* readResult(
  { registers, inputs }: WriteOutcome,
  result: ReadScript,
  context: Context,
): Work<ReadOutcome> {
  const { statement } = result;
  const values = valuesOf({ registers, context, locals: new Map(), inputs }, statement);
  const { rows } = yield query(statement, values);
  return outcomeOf(result, rows);
}

/** Steps of one operation are part of the loop, since delegating to them would cost time with every operation. */
function* runSteps(run: Run, steps: readonly ScriptStep[]): Work<void> {
  for (const step of steps) {
    switch (step.kind) {
      case 'find':
        storeFound(run, step, yield queryOf(run, step.statement));
        break;
      case 'match':
        match(run, step);
        break;
      case 'require':
        requireRow(step, yield queryOf(run, step.statement));
        break;
      case 'allocate':
        storeCreated(run, step.into, yield allocate(IDENTITY_SEQUENCE, 1n));
        break;
      case 'sequence':
        run.locals.set(step.local, (yield allocate(step.name, 1n)).first);
        break;
      case 'run':
        checkChanged(run, step, yield changeOf(run, step.statement, step.place));
        break;
      case 'name':
        yield* pickName(run, step);
        break;
      case 'update':
        yield* update(run, step);
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
      default:
        unreachable(step);
    }
  }
}

type StepOf<Kind extends ScriptStep['kind']> = ScriptStep & { readonly kind: Kind };

function storeFound(run: Run, step: StepOf<'find'>, { rows: [row] }: Reply): void {
  if (row !== undefined) run.registers.set(step.into, toRow(row));
  else if (!step.optional) throw toFault(step.missing);
  // An earlier iteration of `each` may have set the register.
  else run.registers.delete(step.into);
}

function requireRow({ fault }: StepOf<'require'>, { rows }: Reply): void {
  if (rows.length === 0) throw toFault(fault);
}

function storeCreated(run: Run, into: string, { first: identity }: Reply): void {
  run.created.add(identity);
  run.registers.set(into, { identity, version: 1n });
}

function checkChanged(run: Run, step: StepOf<'run'>, { changed }: Reply): void {
  if (changed === 0 && step.none !== undefined) throw toFault(step.none);
  if (changed === 0 || step.raisesVersionOf === undefined) return;
  raiseVersion(run, rowIn(run, step.raisesVersionOf).identity);
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

// ---- updates -------------------------------------------------------------------------------------------------------

function* update(run: Run, step: UpdateStep): Work<void> {
  const { rows } = yield queryOf(run, step.before);
  const [before] = rows;
  if (before === undefined) return;
  const values = valuesOf(run, step.statement);
  const changed = step.tracked
    .map((column, index) => ({
      ...column,
      before: before[index] ?? null,
      after: (column.after.kind === 'parameter' ? values : before)[column.after.index] ?? null,
    }))
    .filter((column) => !isSame(column.before, column.after));
  if (changed.length === 0) return;
  run.progress.hasChanged = true;
  yield change(step.statement, values, step.place);
  const { identity } = rowIn(run, step.row);
  raiseVersion(run, identity);
  for (const statement of step.afterwards) yield changeOf(run, statement);
  if (run.created.has(identity)) return;
  for (const difference of changed) yield* writeHistory(run, identity, difference);
}

/** Several registers may hold the row. */
function raiseVersion({ registers }: Run, identity: bigint): void {
  for (const [name, row] of registers)
    if (row.identity === identity) registers.set(name, { ...row, version: row.version + 1n });
}

interface Difference extends Pick<TrackedColumn, 'property' | 'history'> {
  readonly before: Cell;
  readonly after: Cell;
}

function* writeHistory(run: Run, owner: bigint, difference: Difference): Work<void> {
  if (difference.history === undefined) return;
  const { first } = yield allocate(IDENTITY_SEQUENCE, 1n);
  run.locals.set('line', first);
  run.locals.set('owner', owner);
  run.locals.set('property', difference.property);
  run.locals.set('before', difference.before);
  run.locals.set('after', difference.after);
  for (const statement of difference.history) yield changeOf(run, statement);
}

/** Whether a stored cell equals a new value. Booleans are stored as 0 and 1. */
function isSame(stored: Cell, value: Cell): boolean {
  if (stored instanceof Uint8Array && value instanceof Uint8Array)
    return Buffer.compare(stored, value) === 0;
  if (typeof value === 'boolean') return stored === value || stored === (value ? 1n : 0n);
  if (typeof stored === 'bigint' && typeof value === 'number') return Number(stored) === value;
  return Object.is(stored, value);
}

// ---- deletions -------------------------------------------------------------------------------------------------------

/** Deletes a row with its dependents. `ancestors` are the rows already being deleted, since cascades may be cyclic. */
function* remove(
  run: Run,
  identity: bigint,
  table: string,
  ancestors: readonly bigint[],
): Work<void> {
  if (ancestors.includes(identity)) return;
  const deletion = run.script.deletions.get(table);
  invariant(deletion !== undefined, `no deletion for ${table}`);
  const path = [...ancestors, identity];
  for (const cascade of deletion.cascade) {
    const { rows } = yield queryOfDeleted(run, identity, cascade.rows);
    for (const [child] of rows) {
      if (typeof child === 'bigint') yield* remove(run, child, cascade.table, path);
    }
  }
  yield* requireUnreferenced(run, identity, deletion);
  for (const detachment of deletion.detach) yield* detach(run, identity, detachment);
  for (const statement of deletion.finally) {
    run.locals.set('gone', identity);
    yield changeOf(run, statement);
  }
}

/** Clears the references to a deleted row. Each referring row gets its own history entry. */
function* detach(run: Run, identity: bigint, { count, statements }: Detachment): Work<void> {
  const { rows } = yield queryOfDeleted(run, identity, count);
  const number = rows[0]?.[0];
  if (typeof number !== 'bigint' || number === 0n) return;
  const { first } = yield allocate(IDENTITY_SEQUENCE, number);
  run.locals.set('lines', first - 1n);
  for (const statement of statements) yield changeOf(run, statement);
}

/** Throws: write.referenced with one detail for each navigation property that still refers to the row. */
function* requireUnreferenced(run: Run, identity: bigint, deletion: Deletion): Work<void> {
  const details: (FaultDetail & { readonly target: string })[] = [];
  for (const { set, navigation, count } of deletion.restricted) {
    const { rows } = yield queryOfDeleted(run, identity, count);
    const number = Number(rows[0]?.[0] ?? 0);
    if (number === 0) continue;
    details.push({
      code: 'write.referenced',
      target: `${set}/${navigation}`,
      message: `${number} ${set} refer to it through ${navigation}.`,
    });
  }
  if (details.length === 0) return;
  const { counted } = run.script;
  const listed = details.filter(
    ({ target }) => counted === undefined || counted.includes(target.slice(0, target.indexOf('/'))),
  );
  const { blockedBy } = deletion;
  const remedy =
    blockedBy === undefined
      ? 'Remove the references first.'
      : `Set ${blockedBy} to true instead, or remove the references first.`;
  throw new Fault('write.referenced', { remedy }, { details: listed });
}

function queryOfDeleted(run: Run, identity: bigint, statement: Statement): Operation {
  run.locals.set('gone', identity);
  return queryOf(run, statement);
}

// ---- statements -----------------------------------------------------------------------------------------------------

function queryOf(run: Run, statement: Statement): Operation {
  return query(statement, valuesOf(run, statement));
}

function changeOf(run: Run, statement: Statement, place?: string): Operation {
  run.progress.hasChanged = true;
  return change(statement, valuesOf(run, statement), place);
}

function rowIn(run: Run, name: string): RegisterRow {
  const row = run.registers.get(name);
  invariant(row !== undefined, `no row in register ${name}`);
  return row;
}

function toRow(row: readonly Cell[]): RegisterRow {
  const [identity, version] = row;
  invariant(typeof identity === 'bigint' && typeof version === 'bigint', 'a row has no identity');
  return { identity, version };
}

function toFault({ code, parameters, place }: PlannedFault): Fault {
  return new Fault(code, parameters, place);
}
