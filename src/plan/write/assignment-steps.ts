// This file adds the steps of automatic assignment (`Docket.Assigned`) to writes that give an entity a group. The service then changes the
// entity by a request of its own: after the others, but before the workflow is checked, which may require a person.
import { invariant } from '../../base/fault.ts';
import { bindExpression } from '../../bind/expression/expression.ts';
import { keyName } from '../../edm/clocks/clock-members.ts';
import { type EntityType, entityType, type Model, memberAt } from '../../edm/model.ts';
import { assignmentOf, hasAssignments } from '../../edm/workflow/assignments.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { bindModelExpression, modelFrame, readModelExpression } from './model-expression.ts';
import { withRemembered } from './remembered-values.ts';
import type { Writer } from './write-scope.ts';
import { changesOf, collectWritten, type Written } from './written-paths.ts';

/** Returns the steps, followed by those of assignments. The records of a load contain the results. */
export function withAssignments(writer: Writer, steps: Steps): Steps {
  if (writer.isLoad || !hasAssignments(writer.model)) return steps;
  const { model } = writer;
  const written = collectWritten(model, steps);
  const remembered = withRemembered(model, steps, (row) => groupOf(model, row));
  return withFinalGuards(remembered, (step) => assignments(writer, step, written));
}

/** The group of an entity that the service assigns: it is chosen for only when the entity gets another one. */
function groupOf(model: Model, { source }: Register) {
  const rules = assignmentOf(model, source.type);
  if (rules === undefined) return [];
  const { group: path } = rules;
  const value = bindModelExpression(model, groupKey(model, source.type, path), source, source.type);
  return [{ path, as: 'group', value }];
}

/** The path to the key of the group. */
function groupKey(model: Model, type: EntityType, group: string): string {
  const member = memberAt(model, type, group);
  invariant(member?.kind === 'navigation', `${group} is a navigation`);
  return `${group}/${keyName(model, entityType(model, member.target))}`;
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
    return [guardOf(writer, row, rules.group)];
  });
}

function guardOf(writer: Writer, row: Register, group: string): FinalGuard {
  const { type } = row.source;
  const frame = modelFrame(writer.model, writer.variable(row.source, type), () => writer.rowId());
  const bound = (text: string) => bindExpression(frame, readModelExpression(text));
  const key = bound(keyName(writer.model, type));
  const state = bound(groupKey(writer.model, type, group));
  const step = { kind: 'follow', row, type: type.name, event: 'group', key, state } as const;
  return { step, rows: [row], key: `${row.name} group` };
}
