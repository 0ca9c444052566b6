// This file adds the steps of transitions that the service takes when the state of a related entity is no longer open, or when one is added
// (`On`): the last work order that is completed can move what it belongs to, and so can a note of the caller.
import { bindExpression } from '../../bind/expression/expression.ts';
import { type EntityType, isAssignable, type Model } from '../../edm/model.ts';
import { targetAt } from '../../edm/source.ts';
import type { TypeWorkflow, Workflows } from '../../edm/workflow/workflow.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import type { Writer } from './write-scope.ts';

/** Returns the steps, followed by those of automatic transitions. The records of a load contain the results. */
export function withAutomaticTransitions(writer: Writer, steps: Steps): Steps {
  if (writer.isLoad || writer.workflows.size === 0) return steps;
  return withFinalGuards(steps, (step) => guardsOf(writer, step));
}

/** What a change of the state of an entity can move, or its addition. */
type Event = 'part' | 'added';

interface Whole {
  readonly workflow: TypeWorkflow;
  /** The collection of its parts. */
  readonly collection: string;
}

/** The workflows with transitions that follow entities of the type. */
export function wholesOf(
  { model, workflows }: { readonly model: Model; readonly workflows: Workflows },
  type: EntityType,
  event: Event,
): readonly Whole[] {
  const declaring = [...workflows].filter(([name, workflow]) => name === workflow.type.name);
  return declaring.flatMap(([, workflow]) => {
    const following = workflow.declared.transitions.filter(
      ({ added }) => (added !== undefined) === (event === 'added'),
    );
    const names = new Set(following.flatMap(({ on }) => on ?? []));
    return [...names].flatMap((collection) => {
      const part = targetAt(model, workflow.type, collection);
      const isPart = part !== undefined && isAssignable(model, type, part);
      return isPart ? [{ workflow, collection }] : [];
    });
  });
}

function guardsOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  if (step.kind === 'insert') return followers(writer, step.into, 'added');
  if (step.kind !== 'update') return [];
  const own = writer.workflows.get(step.row.source.type.name);
  const isWritten = step.values.some(({ path }) => path[0] === own?.property);
  return own !== undefined && isWritten ? followers(writer, step.row, 'part', own.path) : [];
}

/** @param state the path of the state, if it matters */
function followers(
  writer: Writer,
  row: Register,
  event: Event,
  state?: string,
): readonly FinalGuard[] {
  const { model } = writer;
  const { type } = row.source;
  return wholesOf(writer, type, event).map(({ workflow, collection }) => {
    const frame = modelFrame(model, writer.variable(row.source, type), () => writer.rowId());
    const bound = (text: string) => bindExpression(frame, readModelExpression(text));
    const key = bound(model.key(type)[0]?.path ?? '');
    const follow = {
      kind: 'follow',
      row,
      type: workflow.type.name,
      event,
      collection,
      key,
    } as const;
    const step = state === undefined ? follow : { ...follow, state: bound(state) };
    return { step, rows: [row], key: `${row.name} ${workflow.type.name} ${collection}` };
  });
}
