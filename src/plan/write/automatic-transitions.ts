// This file adds the steps of transitions that the service takes when the state of a related entity is no longer open (`On`): the last work
// order that is completed can move what it belongs to.
import { bindExpression } from '../../bind/expression/expression.ts';
import { type EntityType, isAssignable, type Model, memberAt } from '../../edm/model.ts';
import type { TypeWorkflow, Workflows } from '../../edm/workflow/workflow.ts';
import type { Steps, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import type { Writer } from './write-scope.ts';

/** Returns the steps, followed by those of automatic transitions. The records of a load contain the results. */
export function withAutomaticTransitions(writer: Writer, steps: Steps): Steps {
  if (writer.isLoad || writer.workflows.size === 0) return steps;
  return withFinalGuards(steps, (step) => guardsOf(writer, step));
}

/** What the states of the entities of a type can move. */
interface Whole {
  readonly workflow: TypeWorkflow;
  /** The collection of its parts. */
  readonly collection: string;
}

/** The workflows with transitions that follow the states of entities of the type. */
export function wholesOf(model: Model, workflows: Workflows, type: EntityType): readonly Whole[] {
  const declaring = [...workflows].filter(([name, workflow]) => name === workflow.type.name);
  return declaring.flatMap(([, workflow]) => {
    const names = new Set(workflow.declared.transitions.flatMap(({ on }) => on ?? []));
    return [...names].flatMap((collection) => {
      const member = memberAt(model, workflow.type, collection);
      const part = member?.kind === 'navigation' ? model.types.get(member.target) : undefined;
      const isPart = part?.kind === 'entity' && isAssignable(model, type, part);
      return isPart ? [{ workflow, collection }] : [];
    });
  });
}

function guardsOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  if (step.kind !== 'update') return [];
  const { row } = step;
  const { type } = row.source;
  const { model, workflows } = writer;
  const own = workflows.get(type.name);
  const isWritten = step.values.some(({ path }) => path[0] === own?.property);
  if (own === undefined || !isWritten) return [];
  return wholesOf(model, workflows, type).map(({ workflow, collection }) => {
    const frame = modelFrame(model, writer.variable(row.source, type), () => writer.rowId());
    const bound = (text: string) => bindExpression(frame, readModelExpression(text));
    const follow = {
      kind: 'follow',
      row,
      type: workflow.type.name,
      event: 'part',
      collection,
      key: bound(model.key(type)[0]?.path ?? ''),
      state: bound(own.path),
    } as const;
    return { step: follow, rows: [row], key: `${row.name} ${workflow.type.name} ${collection}` };
  });
}
