// This file adds guards where entities with a workflow are related (`Relations` in `Docket.Workflow`), by a request for either of them. They run
// after all other steps, so that a request may relate the entities and change their states.
import { bindCondition } from '../../bind/expression/promotion.ts';
import { type EntityType, type Navigation, simpleName } from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import type { RelationRule } from '../../edm/workflow/declaration.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import { isReadable } from '../rights/readable-condition.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import { plannedFault, type Writer } from './write-scope.ts';

/** Returns the steps, followed by the guards. The records of a load are related as they were. */
export function withWorkflowRelations(writer: Writer, steps: Steps): Steps {
  const hasRules = [...writer.workflows.values()].some(
    ({ declared, mode }) => declared.relations.length > 0 && mode !== 'off',
  );
  return writer.isLoad || !hasRules
    ? steps
    : withFinalGuards(steps, (step) => guardsFor(writer, step));
}

function guardsFor(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  if (step.kind !== 'link' || step.to === undefined || step.path.length > 0) return [];
  const { row, to, navigation } = step;
  const partners = partnersOf(writer.model, navigation);
  return [
    ...rowGuards(writer, row, [navigation]),
    ...(partners.length === 0 ? [] : rowGuards(writer, to, partners)),
  ];
}

/** The guards of a row that is related by one of the navigations. */
function rowGuards(
  writer: Writer,
  row: Register,
  navigations: readonly Navigation[],
): readonly FinalGuard[] {
  const { model, workflows } = writer;
  const { type } = row.source;
  const workflow = workflows.get(type.name);
  if (workflow === undefined || workflow.mode === 'off') return [];
  const isRelated = ({ member }: RelationRule) =>
    navigations.some((navigation) => model.members(type).get(member) === navigation);
  return workflow.declared.relations
    .filter(isRelated)
    .flatMap((rule) => guardOf(writer, { row, type, workflow, rule }));
}

interface RelatedRow {
  readonly row: Register;
  readonly type: EntityType;
  readonly workflow: TypeWorkflow;
  readonly rule: RelationRule;
}

/** None in a dry run if the account may not read what the condition depends on, since the result would disclose it without a trace. */
function guardOf(writer: Writer, { row, type, workflow, rule }: RelatedRow): readonly FinalGuard[] {
  const { member, guard, message } = rule;
  const variable = writer.variable(row.source, type);
  const frame = modelFrame(writer.model, variable, () => writer.rowId());
  const expression = bindCondition(frame, readModelExpression(guard));
  if (writer.isDryRun && !isReadable(writer.guard, expression)) return [];
  const name = simpleName(workflow.type.name);
  const reason = message ?? `This condition of the workflow is not true: ${guard}.`;
  const fault = plannedFault('workflow.relation', { type: name, member, reason }, member);
  const advises = workflow.mode === 'advise' ? name : undefined;
  const step = { kind: 'require', row, expression, fault, advises } as const;
  return [{ step, rows: [row], key: `${row.name} relation ${member}` }];
}
