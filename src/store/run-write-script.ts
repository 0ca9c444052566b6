// This file runs the steps of write scripts in an open transaction and keeps found and created rows in registers. A failed guard
// throws the fault that the plan specifies; the caller rolls the transaction back.
import { Fault, invariant, unreachable } from '../base/fault.ts';
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
import { type Cell, type Context, type Inputs, inputAt, type Transaction } from './database.ts';
import { outcomeOf } from './run-read-script.ts';
import { type FileMetadata, localsOf, uniqueName } from './stored-files.ts';

interface RegisterRow {
  readonly identity: bigint;
  readonly version: bigint;
}

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
  readonly transaction: Transaction;
  readonly context: Context;
  readonly registers: Map<string, RegisterRow>;
  readonly locals: Map<string, Cell>;
  /** Identities of rows that the script created. */
  readonly created: Set<bigint>;
  readonly inputs: Inputs;
}

/** Values that a script needs besides the request context. */
export interface RunInputs {
  /** The values of the request's parameters. */
  readonly inputs?: Inputs;
  /** Stored files, by their names in the script. */
  readonly files?: ReadonlyMap<string, FileMetadata>;
}

const NO_FILES: ReadonlyMap<string, FileMetadata> = new Map();

/** Runs a write script. Throws: the faults of its guards, write.referenced, write.too-many. */
export function runWrite(
  script: WriteScript,
  transaction: Transaction,
  context: Context,
  { inputs = [], files = NO_FILES }: RunInputs = {},
): WriteOutcome {
  const run: Run = {
    script,
    transaction,
    context,
    registers: new Map(),
    locals: localsOf(files),
    created: new Set(),
    inputs,
  };
  runSteps(run, script.steps);
  const { subject: name, result, resultFor } = script;
  const subject = name === undefined ? undefined : run.registers.get(name);
  const isCreated = subject !== undefined && run.created.has(subject.identity);
  const isShown = result !== undefined && (isCreated || resultFor === undefined);
  return {
    subject,
    isCreated,
    shown: isShown ? outcomeOf(result, rowsOf(run, result.statement)) : undefined,
    registers: run.registers,
    inputs,
  };
}

/** Runs a read over the registers of a finished script, in the same transaction. */
export function readResult(
  { registers, inputs }: WriteOutcome,
  result: ReadScript,
  transaction: Transaction,
  context: Context,
): ReadOutcome {
  const values = result.statement.parameters.map((item) =>
    resolveValue({ registers, context, locals: new Map(), inputs }, item),
  );
  return outcomeOf(result, transaction.rows(result.statement.text, values));
}

function runSteps(run: Run, steps: readonly ScriptStep[]): void {
  for (const step of steps) runStep(run, step);
}

function runStep(run: Run, step: ScriptStep): void {
  switch (step.kind) {
    case 'find':
      find(run, step);
      break;
    case 'match':
      match(run, step);
      break;
    case 'require':
      if (rowsOf(run, step.statement).length === 0) throw toFault(step.fault);
      break;
    case 'allocate':
      allocate(run, step.into);
      break;
    case 'name':
      run.locals.set(
        step.local,
        uniqueName(step, textIn(run, step.wanted), (name) => isTaken(run, step, name)),
      );
      break;
    case 'sequence':
      run.locals.set(step.local, run.transaction.allocate(step.name, 1n));
      break;
    case 'run':
      runStatement(run, step);
      break;
    case 'update':
      update(run, step);
      break;
    case 'delete':
      remove(run, rowIn(run, step.row).identity, step.table, []);
      break;
    case 'branch':
      runSteps(run, run.registers.has(step.on) ? step.there : step.absent);
      break;
    case 'each':
      each(run, step);
      break;
    default:
      unreachable(step);
  }
}

function runStatement(run: Run, step: ScriptStep & { readonly kind: 'run' }): void {
  const changed = changeBy(run, step.statement, step.place);
  if (changed === 0 && step.none !== undefined) throw toFault(step.none);
  if (changed === 0 || step.raisesVersionOf === undefined) return;
  raiseVersion(run, rowIn(run, step.raisesVersionOf).identity);
}

function isTaken(
  run: Run,
  { taken }: ScriptStep & { readonly kind: 'name' },
  name: string,
): boolean {
  run.locals.set(CANDIDATE, name);
  return rowsOf(run, taken).length > 0;
}

function textIn(run: Run, item: Parameter): string {
  const text = resolveValue(run, item);
  invariant(typeof text === 'string', 'a name must be a string');
  return text;
}

function allocate(run: Run, into: string): void {
  const identity = run.transaction.allocate(IDENTITY_SEQUENCE, 1n);
  run.created.add(identity);
  run.registers.set(into, { identity, version: 1n });
}

function find(run: Run, step: ScriptStep & { readonly kind: 'find' }): void {
  const [row] = rowsOf(run, step.statement);
  if (row !== undefined) run.registers.set(step.into, toRow(row));
  else if (!step.optional) throw toFault(step.missing);
  // An earlier iteration of `each` may have set the register.
  else run.registers.delete(step.into);
}

/** If-Match requires one of the versions, If-None-Match (`negated`) none of them. */
function match(run: Run, step: ScriptStep & { readonly kind: 'match' }): void {
  const row = run.registers.get(step.row);
  const input = step.input === undefined ? undefined : run.inputs[step.input];
  const matches =
    row !== undefined &&
    (step.versions === 'any' || step.versions.includes(row.version) || input === row.version);
  if (matches === step.negated) throw toFault(step.fault);
}

function each(run: Run, step: ScriptStep & { readonly kind: 'each' }): void {
  const rows = rowsOf(run, step.statement);
  if (rows.length > step.limit)
    throw new Fault('write.too-many', { count: rows.length, limit: step.limit });
  for (const row of rows) {
    run.registers.set(step.into, toRow(row));
    runSteps(run, step.steps);
  }
}

// ---- updates -------------------------------------------------------------------------------------------------------

function update(run: Run, step: UpdateStep): void {
  const [before] = rowsOf(run, step.before);
  if (before === undefined) return;
  const values = step.statement.parameters.map((item) => resolveValue(run, item));
  const changed = step.tracked
    .map((column, index) => ({
      ...column,
      before: before[index] ?? null,
      after: (column.after.kind === 'parameter' ? values : before)[column.after.index] ?? null,
    }))
    .filter((column) => !isSame(column.before, column.after));
  if (changed.length === 0) return;
  run.transaction.change(step.statement.text, values, step.place);
  const { identity } = rowIn(run, step.row);
  raiseVersion(run, identity);
  for (const statement of step.afterwards) changeBy(run, statement);
  if (run.created.has(identity)) return;
  for (const difference of changed) writeHistory(run, identity, difference);
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

function writeHistory(run: Run, owner: bigint, difference: Difference): void {
  if (difference.history === undefined) return;
  run.locals.set('line', run.transaction.allocate(IDENTITY_SEQUENCE, 1n));
  run.locals.set('owner', owner);
  run.locals.set('property', difference.property);
  run.locals.set('before', difference.before);
  run.locals.set('after', difference.after);
  for (const statement of difference.history) changeBy(run, statement);
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
function remove(run: Run, identity: bigint, table: string, ancestors: readonly bigint[]): void {
  if (ancestors.includes(identity)) return;
  const deletion = run.script.deletions.get(table);
  invariant(deletion !== undefined, `no deletion for ${table}`);
  const path = [...ancestors, identity];
  for (const cascade of deletion.cascade) {
    for (const [child] of rowsOfDeleted(run, identity, cascade.rows)) {
      if (typeof child === 'bigint') remove(run, child, cascade.table, path);
    }
  }
  requireUnreferenced(run, identity, deletion);
  for (const detachment of deletion.detach) detach(run, identity, detachment);
  for (const statement of deletion.finally) {
    run.locals.set('gone', identity);
    changeBy(run, statement);
  }
}

/** Clears the references to a deleted row. Each referring row gets its own history entry. */
function detach(run: Run, identity: bigint, { count, statements }: Detachment): void {
  const [row] = rowsOfDeleted(run, identity, count);
  const number = row?.[0];
  if (typeof number !== 'bigint' || number === 0n) return;
  run.locals.set('lines', run.transaction.allocate(IDENTITY_SEQUENCE, number) - 1n);
  for (const statement of statements) changeBy(run, statement);
}

/** Throws: write.referenced with one detail for each navigation property that still refers to the row. */
function requireUnreferenced(run: Run, identity: bigint, deletion: Deletion): void {
  const details = deletion.restricted.flatMap(({ set, navigation, count }) => {
    const [row] = rowsOfDeleted(run, identity, count);
    const number = Number(row?.[0] ?? 0);
    if (number === 0) return [];
    return [
      {
        code: 'write.referenced',
        target: `${set}/${navigation}`,
        message: `${number} ${set} refer to it through ${navigation}.`,
      },
    ];
  });
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

function rowsOfDeleted(
  run: Run,
  identity: bigint,
  statement: Statement,
): readonly (readonly Cell[])[] {
  run.locals.set('gone', identity);
  return rowsOf(run, statement);
}

// ---- statements -----------------------------------------------------------------------------------------------------

function rowsOf(run: Run, statement: Statement): readonly (readonly Cell[])[] {
  return run.transaction.rows(
    statement.text,
    statement.parameters.map((item) => resolveValue(run, item)),
  );
}

function changeBy(run: Run, statement: Statement, place?: string): number {
  return run.transaction.change(
    statement.text,
    statement.parameters.map((item) => resolveValue(run, item)),
    place,
  );
}

interface Values {
  readonly registers: ReadonlyMap<string, RegisterRow>;
  readonly context: Context;
  readonly locals: ReadonlyMap<string, Cell>;
  readonly inputs: Inputs;
}

function resolveValue({ registers, context, locals, inputs }: Values, item: Parameter): Cell {
  switch (item.kind) {
    case 'value':
      return item.value;
    case 'context':
      return context[item.name];
    case 'register': {
      const row = registers.get(item.name);
      invariant(row !== undefined, `no row in register ${item.name}`);
      return row[item.field];
    }
    case 'local': {
      const local = locals.get(item.name);
      invariant(local !== undefined, `no local ${item.name}`);
      return local;
    }
    case 'input':
      return inputAt(inputs, item.slot);
    default:
      return unreachable(item);
  }
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
