// This file adds the steps of automatic assignment (`Docket.Assigned`) to writes that give an entity a group. The service then changes the
// entity by a request of its own: after the others, but before the workflow is checked, which may require a person.
import { bindExpression } from '../../bind/expression/expression.ts';
import { assignmentOf, hasAssignments } from '../../edm/workflow/assignments.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import type { Writer } from './write-scope.ts';
import { changesOf, collectWritten, type Written } from './written-paths.ts';

/** Returns the steps, followed by those of assignments. The records of a load contain the results. */
export function withAssignments(writer: Writer, steps: Steps): Steps {
  if (writer.isLoad || !hasAssignments(writer.model)) return steps;
  const written = collectWritten(writer.model, steps);
  return withFinalGuards(steps, (step) => assignments(writer, step, written));
}

function assignments(
  writer: Writer,
  step: WriteStep,
  written: ReadonlyMap<string, Written>,
): readonly FinalGuard[] {
  return changesOf(writer.model, step).flatMap(({ row }) => {
    const rules = assignmentOf(writer.model, row.source.type);
    const paths = written.get(row.name)?.paths;
    if (rules === undefined || paths?.has(rules.group) !== true) return [];
    return [guardOf(writer, row)];
  });
}

function guardOf(writer: Writer, row: Register): FinalGuard {
  const { type } = row.source;
  const frame = modelFrame(writer.model, writer.variable(row.source, type), () => writer.rowId());
  const key = bindExpression(frame, readModelExpression(writer.model.key(type)[0]?.path ?? ''));
  const step = { kind: 'follow', row, type: type.name, event: 'group', key } as const;
  return { step, rows: [row], key: `${row.name} group` };
}
