// This file adds the steps of approvals (`Docket.Approval`) to writes that change a state or a vote. They are the last ones, since what
// follows from them are requests of the service itself.
import type { Expression } from '../../bind/bound.ts';
import { bindExpression } from '../../bind/expression/expression.ts';
import { type EntityType, pathName } from '../../edm/model.ts';
import {
  approvalsAmong,
  approvalsOf,
  approvalsVotedBy,
  outcomeOf,
  type TypeApproval,
} from '../../edm/workflow/approvals.ts';
import {
  mapSteps,
  type Register,
  type Steps,
  type StoredValue,
  type WriteStep,
} from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import { stateIn } from './workflow-steps.ts';
import type { Writer } from './write-scope.ts';

/** Returns the steps, followed by those of approvals. The records of a load contain the results. */
export function withApprovals(writer: Writer, steps: Steps): Steps {
  if (writer.isLoad || approvalsOf(writer.model).size === 0) return steps;
  const remembering = mapSteps(steps, (step) => [
    ...valuesBefore(changesOfNumber(writer, step), 'required'),
    ...valuesBefore(changesOfVote(writer, step), 'vote'),
    ...deletionGuards(writer, step),
    step,
  ]);
  return withFinalGuards(remembering, (step) => [
    ...statesOf(writer, step),
    ...outcomesOf(writer, step),
    ...numbersOf(writer, step),
    ...deadlinesOf(writer, step),
    ...votesOf(writer, step),
  ]);
}

/** New entities whose state is known not to wait for votes need no step. */
function statesOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  if (step.kind !== 'insert' && step.kind !== 'update') return [];
  const row = step.kind === 'insert' ? step.into : step.row;
  const { model } = writer;
  return approvalsAmong(model, row.source.type).flatMap((approval) => {
    const workflow = writer.workflows.get(approval.type.name);
    const { waiting } = approval.rules;
    if (waiting === undefined || workflow === undefined) return [];
    if (!writes(step.values, workflow.declared.member)) return [];
    const known = step.kind === 'insert' ? stateIn(workflow, step.values) : undefined;
    if (known !== undefined && known.symbol !== waiting) return [];
    const state = expressionOn(writer, row, approval.type, workflow.path);
    const change = { event: 'state', state, waiting: workflow.values.get(waiting) } as const;
    return [guardOf(writer, row, approval, change)];
  });
}

/** Without a state in which votes are given, the outcome opens and ends rounds. */
function outcomesOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  if (step.kind !== 'insert' && step.kind !== 'update') return [];
  const row = step.kind === 'insert' ? step.into : step.row;
  const { model } = writer;
  return approvalsAmong(model, row.source.type).flatMap((approval) => {
    const { rules, type } = approval;
    const outcome = outcomeOf(model, approval);
    if (rules.waiting !== undefined || outcome === undefined) return [];
    if (!writes(step.values, outcome.path)) return [];
    const state = expressionOn(writer, row, type, outcome.path);
    return [guardOf(writer, row, approval, { event: 'outcome', state })];
  });
}

/** A new entity has a round only if its state or outcome opens one, with the number that it has then. */
function numbersOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  return changesOfNumber(writer, step).map(({ row, approval, state }) =>
    guardOf(writer, row, approval, { event: 'required', state }),
  );
}

interface ValueChange {
  readonly row: Register;
  readonly approval: TypeApproval;
  readonly state: Expression;
}

function valuesBefore(changes: readonly ValueChange[], as: string): Steps {
  return changes.map(({ row, state: value }) => ({ kind: 'remember', row, as, value }));
}

/** The numbers of required approvals that the step may change. */
function changesOfNumber(writer: Writer, step: WriteStep): readonly ValueChange[] {
  if (step.kind !== 'update') return [];
  const { row, values } = step;
  return approvalsAmong(writer.model, row.source.type).flatMap((approval) => {
    const { rules, type } = approval;
    if (!writes(values, rules.required)) return [];
    return [{ row, approval, state: expressionOn(writer, row, type, rules.required) }];
  });
}

/** The deadline of a new entity has not passed before. */
function deadlinesOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  if (step.kind !== 'update') return [];
  const { row, values } = step;
  return approvalsAmong(writer.model, row.source.type).flatMap((approval) => {
    const { deadline, outcome } = approval.rules;
    if (deadline === undefined || outcome === undefined || !writes(values, deadline)) return [];
    return [guardOf(writer, row, approval, { event: 'deadline' })];
  });
}

function votesOf(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  return changesOfVote(writer, step).map(({ row, approval, state }) =>
    guardOf(writer, row, approval, { event: 'vote', state }),
  );
}

/** The votes that the step may change, 1 for an approval and 0 for a rejection. Votes that are inserted belong to no round. */
function changesOfVote(writer: Writer, step: WriteStep): readonly ValueChange[] {
  if (step.kind !== 'update') return [];
  const { row, values } = step;
  return approvalsVotedBy(writer.model, row.source.type).flatMap((approval) => {
    const { vote, voteReason = vote } = approval.rules;
    if (![vote, voteReason].some((member) => writes(values, member))) return [];
    const text = `case(${vote} eq true:1,${vote} eq false:0)`;
    return [{ row, approval, state: expressionOn(writer, row, row.source.type, text) }];
  });
}

/** A vote of an open round stays, since the round counts it. It goes with its entity, for which there is no step. */
function deletionGuards(writer: Writer, step: WriteStep): Steps {
  if (step.kind !== 'delete') return [];
  const { row } = step;
  const { type } = row.source;
  return approvalsVotedBy(writer.model, type).map(({ rules }) => ({
    kind: 'require',
    row,
    expression: expressionOn(writer, row, type, `${rules.voteOpen} ne true`),
    fault: { code: 'approval.open', parameters: {} },
  }));
}

function writes(values: readonly StoredValue[], member: string): boolean {
  return values.some((value) => {
    const path = value.kind === 'reference' ? '' : `${pathName(value.path)}/`;
    return path !== '' && (path.startsWith(`${member}/`) || `${member}/`.startsWith(path));
  });
}

type Change = Pick<WriteStep & { readonly kind: 'follow' }, 'event' | 'state' | 'waiting'>;

function guardOf(
  writer: Writer,
  row: Register,
  { type }: TypeApproval,
  change: Change,
): FinalGuard {
  const { type: own } = row.source;
  const key = expressionOn(writer, row, own, writer.model.key(own)[0]?.path ?? '');
  const step = { kind: 'follow', row, type: type.name, key, ...change } as const;
  return { step, rows: [row], key: `${row.name} ${type.name} ${change.event}` };
}

function expressionOn(writer: Writer, { source }: Register, type: EntityType, text: string) {
  const variable = writer.variable(source, type);
  const frame = modelFrame(writer.model, variable, () => writer.rowId());
  return bindExpression(frame, readModelExpression(text));
}
