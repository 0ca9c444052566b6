// Parameterizes scripts: values that were literals in the request become inputs, so that a cached script can run for all requests that
// differ only in these values.
import { unreachable } from '../base/fault.ts';
import type { LiteralPlace } from '../bind/bound.ts';
import type { Parameter, ReadScript, Statement } from './script.ts';
import type { ScriptStep, UpdateStep, WriteScript } from './write/write-script.ts';

/** The inputs to extract. */
export interface Inputs {
  /** The number of the input for the literal at the place; undefined if it stays a constant. */
  readonly at: (place: LiteralPlace) => number | undefined;
  /** The input for the version in If-Match. */
  readonly version?: { readonly index: number; readonly value: bigint };
}

/** The write script with inputs. Parameters of errors stay constant, so a failed request must be repeated with its own script. */
export function parameterizeScript(script: WriteScript, inputs: Inputs): WriteScript {
  const { result } = script;
  return {
    ...script,
    steps: script.steps.map((step) => mapStep(step, toInputs(inputs))),
    ...(result === undefined ? {} : { result: parameterizeRead(result, inputs) }),
  };
}

/** The read script with inputs. */
export function parameterizeRead(script: ReadScript, inputs: Inputs): ReadScript {
  const change = toInputs(inputs);
  const { statement, parent } = script;
  return {
    ...script,
    statement: mapStatement(statement, change),
    ...(parent === undefined ? {} : { parent: mapStatement(parent, change) }),
  };
}

/** The numbers of the inputs that a script uses. */
export function usedInputs(script: Pick<WriteScript, 'steps' | 'result'>): ReadonlySet<number> {
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

/** The replacement of parameters and version guards. */
interface Change {
  readonly parameter: (parameter: Parameter) => Parameter;
  readonly match: (step: Match) => Match;
}

function toInputs(inputs: Inputs): Change {
  return {
    parameter: (one) => parameterInput(one, inputs),
    match: (step) => matchInput(step, inputs),
  };
}

function matchInput(step: Match, { version }: Inputs): Match {
  const { versions } = step;
  if (version === undefined || versions === 'any') return step;
  const isInput = versions.length === 1 && versions[0] === version.value;
  return isInput ? { ...step, versions: [], input: version.index } : step;
}

function parameterInput(parameter: Parameter, { at }: Inputs): Parameter {
  if (parameter.kind !== 'value' || parameter.place === undefined) return parameter;
  if (parameter.from !== undefined) return parameter;
  const index = at(parameter.place);
  if (index === undefined) return parameter;
  const { storage } = parameter;
  return { kind: 'input', index, ...(storage === undefined ? {} : { storage }) };
}

/** The step with its parameters and version guards replaced. */
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
