// This file defines the state of a running write script, resolves the parameters of its statements, and makes their operations.
import { Fault, invariant, unreachable } from '../base/fault.ts';
import type { StateAdvice } from '../plan/workflow/transition-result.ts';
import type { PlannedFault } from '../plan/write-plan.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { Parameter, Statement } from '../sql/script.ts';
import type { ClocksStep, FollowStep, WriteScript } from '../sql/write/write-script.ts';
import {
  type Cell,
  type Context,
  type Inputs,
  inputAt,
  type Row,
  type SingleOperation,
  type Work,
} from './database.ts';
import { allocate, change, query } from './work.ts';

/** Identity and version of a row that a script has found or created. */
export interface RegisterRow {
  readonly identity: bigint;
  readonly version: bigint;
}

/** The values that statements of a running write script refer to. */
interface Values {
  readonly registers: ReadonlyMap<string, RegisterRow>;
  readonly context: Context;
  readonly locals: ReadonlyMap<string, Cell>;
  readonly inputs: Inputs;
}

/** The values of a statement's parameters, in order. */
export function valuesOf(values: Values, { parameters }: Statement): readonly Cell[] {
  return parameters.map((item) => resolveValue(values, item));
}

export function resolveValue(
  { registers, context, locals, inputs }: Values,
  item: Parameter,
): Cell {
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

/** The state of a script that runs. */
export interface Run {
  readonly script: WriteScript;
  readonly context: Context;
  readonly registers: Map<string, RegisterRow>;
  readonly locals: Map<string, Cell>;
  /** Identities of rows that the script created. */
  readonly created: Set<bigint>;
  /** Identities of rows whose version the script has raised. */
  readonly raised: Set<bigint>;
  readonly inputs: Inputs;
  readonly progress: WriteProgress;
  readonly calculate: CalculateClocks | undefined;
  readonly follow: Follow | undefined;
  /** What enforced workflows would have rejected. */
  readonly advice: StateAdvice[];
  /** The rows of the result, once a step has returned them. */
  returned: readonly Row[] | undefined;
}

/** Does what follows from a change of a state, a vote or a group. */
export type Follow = (change: FollowedChange) => Work<void>;

export interface FollowedChange extends Pick<FollowStep, 'type' | 'event' | 'collection'> {
  /** The key of the row, an entity with a state or a vote. */
  readonly key: bigint;
  /** The state or the group before; null if the entity is new or had none. */
  readonly before: bigint | null;
  readonly after: bigint | null;
}

/** Calculates the values of members from what the step has read; undefined if nothing is to be stored. */
export type CalculateClocks = (calculation: ClockCalculation) => Work<ClockResults | undefined>;

/** The values by their paths. */
export type ClockResults = Pick<ReadonlyMap<string, Cell>, 'get'>;

export interface ClockCalculation {
  readonly step: Pick<ClocksStep, 'type' | 'chooses' | 'set' | 'place'>;
  /** The row that the statement of the step has returned. */
  readonly inputs: Row;
  readonly context: Context;
  /** Whether the script has created the entity. */
  readonly isNew: boolean;
  /** The values of the deadlines in `set` before the script changed them, by their paths. */
  readonly before?: (path: string) => Cell;
}

/** Shows how far a script has come, also if it fails. */
export interface WriteProgress {
  /** Whether it has begun to change records. */
  hasChanged: boolean;
}

/** A query whose values are resolved. */
export function queryOf(run: Run, statement: Statement): SingleOperation {
  return query(statement, valuesOf(run, statement));
}

/** A change that the script makes. */
export function changeOf(
  run: Run,
  statement: Statement,
  place?: string,
  returns?: boolean,
): SingleOperation {
  run.progress.hasChanged = true;
  return change(statement, valuesOf(run, statement), place, returns);
}

/** The row in a register. */
export function rowIn(run: Run, name: string): RegisterRow {
  const row = run.registers.get(name);
  invariant(row !== undefined, `no row in register ${name}`);
  return row;
}

/** Allocates consecutive identities for history entries and returns the first. */
export function* allocateLines(count: bigint): Work<bigint> {
  return (yield allocate(IDENTITY_SEQUENCE, count)).first;
}

/** The error that a plan describes. */
export function toFault({ code, parameters, place }: PlannedFault): Fault {
  return new Fault(code, parameters, place);
}
