// This file finds the steps of write scripts that one pipeline can run: steps of which none needs the result of an earlier one.
import type { Statement } from '../sql/script.ts';
import type { ScriptStep } from '../sql/write/write-script.ts';

/** The index after the last step that can run in the same pipeline as the first. */
export function pipelineEnd(steps: readonly ScriptStep[], first: number): number {
  switch (steps[first]?.kind) {
    case 'run':
      return endOfChanges(steps, first);
    case 'find':
    case 'require':
    case 'reject':
      return endOfQueries(steps, first);
    case 'allocate':
    case 'sequence':
      return endOfAllocations(steps, first);
    default:
      return first + 1;
  }
}

/** Whether `end` is the end of the steps and a query may run in the pipeline of the last one, a change. */
export function endsWithChange(steps: readonly ScriptStep[], end: number): boolean {
  const step = steps[end - 1];
  return end === steps.length && step?.kind === 'run' && step.none === undefined;
}

/** A step that checks the number of changed rows is the last one. */
function endOfChanges(steps: readonly ScriptStep[], first: number): number {
  for (let index = first; ; index++) {
    const step = steps[index];
    if (step?.kind !== 'run') return index;
    if (step.none !== undefined) return index + 1;
  }
}

/** A query that needs the row of an earlier one begins the next pipeline. */
function endOfQueries(steps: readonly ScriptStep[], first: number): number {
  let end = first + 1;
  for (let index = end; ; index++) {
    const step = steps[index];
    if (step?.kind === 'match') continue;
    if (step?.kind !== 'find' && step?.kind !== 'require' && step?.kind !== 'reject') return end;
    if (needsRow(step.statement, steps, first, index)) return end;
    end = index + 1;
  }
}

function needsRow(
  { parameters }: Statement,
  steps: readonly ScriptStep[],
  first: number,
  end: number,
): boolean {
  return parameters.some((parameter) => {
    if (parameter.kind !== 'register') return false;
    for (let index = first; index < end; index++) {
      const step = steps[index];
      if (step?.kind === 'find' && step.into === parameter.name) return true;
    }
    return false;
  });
}

/** Two allocations from one sequence would each reserve a block. */
function endOfAllocations(steps: readonly ScriptStep[], first: number): number {
  for (let index = first + 1; ; index++) {
    const step = steps[index];
    if (step?.kind !== 'sequence') return index;
    for (let earlier = first; earlier < index; earlier++) {
      const other = steps[earlier];
      if (other?.kind === 'sequence' && other.name === step.name) return index;
    }
  }
}
