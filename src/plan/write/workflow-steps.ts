// This file adds the steps of workflows to a write: the state is remembered before it changes, and the change is checked after all other
// steps, because only the final state of the entities counts.
import { bindExpression } from '../../bind/expression/expression.ts';
import type { Frame } from '../../bind/scope.ts';
import type { EntityType, Property } from '../../edm/model.ts';
import { type TypeWorkflow, workflowsOf } from '../../edm/workflow/workflow.ts';
import { makeCheck } from '../workflow/transition-check.ts';
import type { Register, Steps, StoredValue, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import type { Writer } from './write-scope.ts';

/** Returns the steps with those of workflows. @param language the language of error messages */
export function withWorkflows(writer: Writer, steps: Steps, language: string): Steps {
  const { model, isLoad } = writer;
  if (isLoad || workflowsOf(model).size === 0) return steps;
  const workflows = new WorkflowSteps(writer, language);
  return withFinalGuards(workflows.remember(steps), (step) => workflows.checksOf(step));
}

class WorkflowSteps {
  readonly #writer: Writer;
  readonly #language: string;

  constructor(writer: Writer, language: string) {
    this.#writer = writer;
    this.#language = language;
  }

  /** Remembers the states before the steps that change them. */
  remember(steps: Steps): Steps {
    return steps.flatMap((step): Steps => {
      switch (step.kind) {
        case 'branch':
          return [
            { ...step, there: this.remember(step.there), absent: this.remember(step.absent) },
          ];
        case 'each':
          return [{ ...step, steps: this.remember(step.steps) }];
        case 'update': {
          const workflow = this.#workflowChangedBy(step.row, step.values);
          if (workflow === undefined) return [step];
          const { row } = step;
          return [{ kind: 'remember', row, state: this.#stateOf(row, workflow) }, step];
        }
        default:
          return [step];
      }
    });
  }

  checksOf(step: WriteStep): readonly FinalGuard[] {
    if (step.kind === 'update') {
      const workflow = this.#workflowChangedBy(step.row, step.values);
      return workflow === undefined ? [] : [this.#check(step.row, workflow, step.target)];
    }
    if (step.kind !== 'insert') return [];
    const workflow = this.#enforced(step.type);
    if (workflow === undefined || isSimplyInitial(workflow, step.values)) return [];
    return [this.#check(step.into, workflow, step.target)];
  }

  /** The enforced workflow whose state the values change. */
  #workflowChangedBy(
    { source }: Register,
    values: readonly StoredValue[],
  ): TypeWorkflow | undefined {
    const changed = values.flatMap(({ path }) => path.slice(0, 1));
    const types = [source.type, ...this.#writer.model.derived(source.type)];
    return types
      .map((type) => this.#enforced(type))
      .find((workflow) => workflow !== undefined && isAmong(changed, workflow.property));
  }

  #enforced(type: EntityType): TypeWorkflow | undefined {
    const workflow = workflowsOf(this.#writer.model).get(type.name);
    if (workflow === undefined) return undefined;
    return this.#writer.workflowMode(workflow) === 'enforce' ? workflow : undefined;
  }

  #check(row: Register, workflow: TypeWorkflow, place: string | undefined): FinalGuard {
    const { model, guard } = this.#writer;
    const frame = this.#frameOf(row, workflow);
    const scope = { model, rights: guard.rights, language: this.#language, frame };
    const check = makeCheck(workflow, scope);
    const { member } = workflow.declared;
    const target = place === undefined || place === '' ? member : `${place}/${member}`;
    const state = this.#stateOf(row, workflow);
    const step = { kind: 'transition', row, state, check, target } as const;
    return { step, rows: [row], key: `${row.name} ${workflow.type.name}` };
  }

  #stateOf(row: Register, workflow: TypeWorkflow) {
    return bindExpression(this.#frameOf(row, workflow), readModelExpression(workflow.path));
  }

  #frameOf({ source }: Register, { type }: TypeWorkflow): Frame {
    const writer = this.#writer;
    return modelFrame(writer.model, writer.variable(source, type), () => writer.rowId());
  }
}

function isAmong(members: readonly unknown[], property: Property): boolean {
  return members.includes(property);
}

/** Whether a new entity has an initial state that requires nothing, which is the same for every request that shares the plan. */
function isSimplyInitial(
  { property, declared, states }: TypeWorkflow,
  values: readonly StoredValue[],
): boolean {
  const given = values.find(({ path }) => path[0]?.name === property.name);
  if (given?.kind !== 'value' || given.parameter !== undefined) return false;
  const state = typeof given.value === 'bigint' ? states.get(given.value) : undefined;
  if (state === undefined || !declared.initial.includes(state.symbol)) return false;
  return state.members.every(({ flag }) => flag !== 'required');
}
