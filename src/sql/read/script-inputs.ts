// This file lifts values of a request out of the script that was made for it, so that the script can run for every request that is the
// same but for these values: parameters with a place become inputs, which are given when the script runs.
import { unreachable } from '../../base/fault.ts';
import type { LiteralPlace } from '../../bind/bound.ts';
import type { Parameter, ReadScript, Statement } from '../script.ts';
import type { ScriptStep, UpdateStep, WriteScript } from '../write/write-script.ts';

/** What is lifted: the number of the input by its place, and by the version that a guard asks for. */
export interface Inputs {
  /** Undefined where the value at the place stays. */
  readonly at: (place: LiteralPlace) => number | undefined;
  readonly version?: { readonly index: number; readonly value: bigint };
}

/** The script with inputs. What refusals say of the request is not lifted: whoever is refused must be refused by a script of its own. */
export function liftScript(script: WriteScript, inputs: Inputs): WriteScript {
  const { result } = script;
  return {
    ...script,
    steps: liftSteps(script.steps, inputs),
    ...(result === undefined ? {} : { result: liftRead(result, inputs) }),
  };
}

/** The same for a script that reads. */
export function liftRead(script: ReadScript, inputs: Inputs): ReadScript {
  const lift = (statement: Statement) => mapStatement(statement, lifting(inputs));
  const { statement, parent } = script;
  return {
    ...script,
    statement: lift(statement),
    ...(parent === undefined ? {} : { parent: lift(parent) }),
  };
}

/** The inputs that the statements of a lifted script ask for. */
export function inputsIn(script: Pick<WriteScript, 'steps' | 'result'>): ReadonlySet<number> {
  const found = new Set<number>();
  const { result } = script;
  const parameter = (one: Parameter): Parameter => {
    if (one.kind === 'input') found.add(one.index);
    return one;
  };
  const match = (step: Match): Match => {
    if (step.input !== undefined) found.add(step.input);
    return step;
  };
  for (const step of script.steps) mapStep(step, { parameter, match });
  result?.statement.parameters.forEach(parameter);
  return found;
}

type Match = ScriptStep & { readonly kind: 'match' };

/** What becomes of the parts of a step. */
interface Change {
  readonly parameter: (parameter: Parameter) => Parameter;
  readonly match: (step: Match) => Match;
}

function liftSteps(steps: readonly ScriptStep[], inputs: Inputs): readonly ScriptStep[] {
  return steps.map((step) => mapStep(step, lifting(inputs)));
}

function lifting(inputs: Inputs): Change {
  return {
    parameter: (one) => liftParameter(one, inputs),
    match: (step) => liftMatch(step, inputs),
  };
}

function liftMatch(step: Match, { version }: Inputs): Match {
  const { versions } = step;
  if (version === undefined || versions === 'any') return step;
  const isIt = versions.length === 1 && versions[0] === version.value;
  return isIt ? { ...step, versions: [], input: version.index } : step;
}

function liftParameter(parameter: Parameter, { at }: Inputs): Parameter {
  if (parameter.kind !== 'value' || parameter.place === undefined) return parameter;
  if (parameter.from !== undefined) return parameter;
  const index = at(parameter.place);
  if (index === undefined) return parameter;
  const { storage } = parameter;
  return { kind: 'input', index, ...(storage === undefined ? {} : { storage }) };
}

/** The step with other parameters and guards. */
function mapStep(step: ScriptStep, change: Change): ScriptStep {
  const { parameter, match } = change;
  const statement = (one: Statement) => mapStatement(one, change);
  const inner = (steps: readonly ScriptStep[]) => steps.map((one) => mapStep(one, change));
  switch (step.kind) {
    case 'find':
    case 'require':
    case 'run':
      return { ...step, statement: statement(step.statement) };
    case 'name':
      return { ...step, taken: statement(step.taken), wanted: parameter(step.wanted) };
    case 'match':
      return match(step);
    case 'update':
      return mapUpdate(step, statement);
    case 'branch':
      return { ...step, there: inner(step.there), absent: inner(step.absent) };
    case 'each':
      return { ...step, statement: statement(step.statement), steps: inner(step.steps) };
    case 'allocate':
    case 'sequence':
    case 'delete':
      return step;
    default:
      return unreachable(step);
  }
}

function mapStatement({ text, parameters }: Statement, { parameter }: Change): Statement {
  return { text, parameters: parameters.map(parameter) };
}

function mapUpdate(step: UpdateStep, change: (statement: Statement) => Statement): UpdateStep {
  return {
    ...step,
    before: change(step.before),
    statement: change(step.statement),
    afterwards: step.afterwards.map(change),
    tracked: step.tracked.map((column) =>
      column.history === undefined ? column : { ...column, history: column.history.map(change) },
    ),
  };
}
