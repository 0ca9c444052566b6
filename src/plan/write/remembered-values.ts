// This file adds steps that remember values of rows before a write changes them, for later steps that compare them.
import type { Expression } from '../../bind/bound.ts';
import type { Model } from '../../edm/model.ts';
import { mapSteps, type Register, type Steps, type WriteStep } from '../write-plan.ts';
import { changesOf } from './written-paths.ts';

interface RememberedValue {
  /** The path of the member whose change matters. */
  readonly path: string;
  readonly as: string;
  readonly value: Expression;
}

type ValuesOf = (row: Register) => readonly RememberedValue[];

/** Returns the steps, each after those that remember what it changes. Rows that the steps create have no earlier values. */
export function withRemembered(model: Model, steps: Steps, valuesOf: ValuesOf): Steps {
  return mapSteps(steps, (step, created) => [...remembering(model, step, valuesOf, created), step]);
}

function remembering(
  model: Model,
  step: WriteStep,
  valuesOf: ValuesOf,
  created: ReadonlySet<string>,
): Steps {
  return changesOf(model, step).flatMap(({ row, paths }) =>
    created.has(row.name)
      ? []
      : valuesOf(row)
          .filter(({ path }) => paths.includes(path))
          .map(({ as, value }) => ({ kind: 'remember', row, as, value }) as const),
  );
}
