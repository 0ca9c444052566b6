// This file finds the mistakes in a transition that administrators have written: names that the model does not have, and guards that cannot
// be evaluated.
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { ExpressionCheck } from '../../bind/model/expression-check.ts';
import { checkCondition } from '../../bind/model/operation-check.ts';
import { type Model, memberAt, simpleName } from '../../edm/model.ts';
import type { TransitionRow } from '../../edm/workflow/transition-rows.ts';
import { type TypeWorkflow, workflowsOf } from '../../edm/workflow/workflow.ts';
import type { StoredTransition } from './stored-transitions.ts';

/** A transition whose names are those of the model, or its mistakes. */
export type CheckedRow =
  | { readonly row: TransitionRow; readonly faults?: undefined }
  | { readonly faults: readonly Fault[]; readonly row?: undefined };

/** Checks a transition alone. The faults have the code workflow.row. */
export function checkTransition(check: ExpressionCheck, stored: StoredTransition): CheckedRow {
  const workflow = workflowFor(check.model, stored.entity);
  if (workflow === undefined) return { faults: [unknownEntity(check.model, stored)] };
  const to = symbolOf(workflow, stored.to);
  const from = symbolOf(workflow, stored.from);
  const faults = [
    ...symbolFaults(stored),
    ...(to === undefined ? [stateFault('To', workflow, stored.to)] : []),
    ...(stored.from !== undefined && from === undefined
      ? [stateFault('From', workflow, stored.from)]
      : []),
    ...anyStateFaults(workflow, stored),
    ...commentFaults(workflow, stored),
    ...stored.require.flatMap((path) => memberFaults(check.model, workflow, path)),
    ...guardFaults(check, workflow, stored),
  ];
  if (faults.length > 0 || to === undefined) return { faults };
  const { symbol = '', require, guard, roles, needsComment, isBlocked } = stored;
  const entity = simpleName(workflow.type.name);
  return { row: { entity, symbol, from, to, require, guard, roles, needsComment, isBlocked } };
}

/** The mistake that two transitions have the same symbol and state. */
export function repeatedFault({ entity, symbol, from }: TransitionRow): Fault {
  const place = from === undefined ? 'any state' : from;
  return mistake(
    'Symbol',
    `${entity} has a transition "${symbol}" from ${place} already. Change that one instead.`,
  );
}

/** The mistake that the target of a transition cannot be chosen. */
export function disabledFault(code: bigint): Fault {
  return mistake('To', `The code ${code} is disabled. Enable it, or use another one.`);
}

/** The mistakes of a new transition that blocks nothing, because the model declares none of its symbol from its state. */
export function blockFaults(model: Model, row: TransitionRow): readonly Fault[] {
  const declared = workflowFor(model, row.entity)?.declared.transitions ?? [];
  const same = declared.filter(({ symbol }) => symbol === row.symbol);
  if (same.length === 0) {
    const hint = didYouMean(
      row.symbol,
      declared.map(({ symbol }) => symbol),
    );
    const reason = `${row.entity} declares no transition "${row.symbol}" that could be blocked.${hint}`;
    return [mistake('Symbol', reason)];
  }
  const states = same.flatMap(({ from }) => from);
  if (row.from === undefined || states.length === 0 || states.includes(row.from)) return [];
  const problem = `"${row.symbol}" does not start in ${row.from}, so nothing would be blocked`;
  return [mistake('From', `${problem}. Use one of ${states.join(', ')}.`)];
}

function mistake(target: string, reason: string): Fault {
  return new Fault('workflow.row', { reason }, { target });
}

function workflowFor(model: Model, entity: string | undefined): TypeWorkflow | undefined {
  return declaring(model).find(({ type }) => simpleName(type.name) === entity);
}

/** The workflows of the types that declare them. */
function declaring(model: Model): readonly TypeWorkflow[] {
  return [...workflowsOf(model)].flatMap(([name, workflow]) =>
    name === workflow.type.name ? [workflow] : [],
  );
}

function unknownEntity(model: Model, { entity }: StoredTransition): Fault {
  const names = declaring(model).map(({ type }) => simpleName(type.name));
  const use = `Use one of ${names.join(', ')}.`;
  if (entity === undefined) return mistake('Entity', `It belongs to no entity. ${use}`);
  return mistake('Entity', `${entity} declares no workflow. ${use}`);
}

function symbolFaults({ symbol }: StoredTransition): readonly Fault[] {
  return symbol === undefined
    ? [mistake('Symbol', 'It has no name. Use one such as "escalate".')]
    : [];
}

function symbolOf({ states }: TypeWorkflow, value: bigint | undefined): string | undefined {
  return value === undefined ? undefined : states.get(value)?.symbol;
}

function stateFault(
  target: 'From' | 'To',
  { states, type }: TypeWorkflow,
  value: bigint | undefined,
): Fault {
  const known = [...states].map(([code, { symbol }]) => `${code} (${symbol})`).join(', ');
  const problem =
    value === undefined
      ? 'It has no next state'
      : `${value} is no state of ${simpleName(type.name)}`;
  return mistake(target, `${problem}. Use one of ${known}.`);
}

/** A declared transition from any state has no part that starts in one state. */
function anyStateFaults(
  { declared }: TypeWorkflow,
  { symbol, from }: StoredTransition,
): readonly Fault[] {
  const same = declared.transitions.filter((one) => one.symbol === symbol);
  if (from === undefined || same.every((one) => one.from.length > 0)) return [];
  return [
    mistake('From', `"${symbol}" starts in any state. Leave out From, or use another Symbol.`),
  ];
}

function commentFaults(
  { declared, type }: TypeWorkflow,
  { needsComment }: StoredTransition,
): readonly Fault[] {
  if (!needsComment || declared.comments !== undefined) return [];
  return [mistake('CommentRequired', `${simpleName(type.name)} keeps no comments. Use false.`)];
}

function memberFaults(model: Model, { type }: TypeWorkflow, path: string): readonly Fault[] {
  if (memberAt(model, type, path) !== undefined) return [];
  const hint = didYouMean(path, model.members(type).keys());
  return [
    mistake('RequiredProperties', `${simpleName(type.name)} has no member "${path}".${hint}`),
  ];
}

function guardFaults(
  check: ExpressionCheck,
  { type }: TypeWorkflow,
  { guard }: StoredTransition,
): readonly Fault[] {
  const mistakes = checkCondition(check, type.name, guard, '');
  return mistakes.map(({ message }) => mistake('Guard', message));
}
