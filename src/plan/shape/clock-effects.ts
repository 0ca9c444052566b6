// This file plans what a transition does to the clocks of a row: the effect follows from the state of each clock and from the next status. The
// deadline after it depends on working time, so that the service calculates it from inputs that the record carries.
import type { Expression } from '../../bind/bound.ts';
import { not, variable } from '../../bind/expression/constructors.ts';
import { bindExpression } from '../../bind/expression/expression.ts';
import { bindCondition } from '../../bind/expression/promotion.ts';
import type { EntityRow, Frame } from '../../bind/scope.ts';
import { changeEffects } from '../../edm/clocks/clock-effects.ts';
import { clocksOf, DEADLINE_MARK, readExpressions } from '../../edm/clocks/clock-members.ts';
import type { ClockRule, ClockRules } from '../../edm/clocks/clock-rules.ts';
import { type EntityType, type Model, propertyPath } from '../../edm/model.ts';
import type { ListItem, ShapeMember } from '../read-plan.ts';
import { isReadable } from '../rights/readable-condition.ts';
import { type Guard, holds, readableMember } from '../rights/row-conditions.ts';
import { readModelExpression } from '../write/model-expression.ts';
import { constant } from './shape-scope.ts';

export interface Clocked {
  readonly model: Model;
  readonly row: EntityRow;
  readonly guard: Guard;
  /** Binds expressions over the row. */
  readonly frame: Frame;
}

/** The status after a transition. */
interface NextStatus {
  readonly symbol: string;
  readonly value: bigint;
}

/** The member with the effects of a change to the status. */
export function clocksMember(clocked: Clocked, status: NextStatus): ShapeMember {
  const rules = clocksOf(clocked.model, clocked.row.type);
  const items = (rules?.clocks ?? []).flatMap((clock) =>
    effectItems(clocked, rules, clock, status),
  );
  return { kind: 'list', name: 'Clocks', items };
}

/** The type of rows whose deadlines the service can calculate: not that of rows in several sets. */
export function typeWithDeadlines(
  { model }: Pick<Clocked, 'model'>,
  { source, type }: EntityRow,
): EntityType | undefined {
  const hasClocks = source.kind !== 'union' && clocksOf(model, type) !== undefined;
  return hasClocks ? type : undefined;
}

/** What the service calculates deadlines from. */
export function clockInputsMember({ model, row, frame }: Clocked): readonly ShapeMember[] {
  const rules = clocksOf(model, row.type);
  if (rules === undefined || typeWithDeadlines({ model }, row) === undefined) return [];
  const expressions = readExpressions(model, row.type, rules).map((text) =>
    bindExpression(frame, readModelExpression(text)),
  );
  return [{ kind: 'clock-inputs', name: DEADLINE_MARK, row, rules, expressions }];
}

function effectItems(
  clocked: Clocked,
  rules: ClockRules | undefined,
  clock: ClockRule,
  status: NextStatus,
): readonly ListItem[] {
  const effects = changeEffects(clock, status.symbol);
  const members = (effect: string) => [
    constant('Clock', JSON.stringify(clock.name)),
    constant('Effect', JSON.stringify(effect)),
    ...deadlineMembers(clocked, rules, clock, status),
  ];
  const changed = [...effects].flatMap(([state, effect]) => {
    const when = conditionOn(clocked, [isIn(clocked, clock.state, state)]);
    return when === undefined ? [] : [{ when, members: members(effect) }];
  });
  const others = (['RUNNING', 'PAUSED', undefined] as const).filter(
    (state) => state === undefined || !effects.has(state),
  );
  const isOther = others.flatMap((state) => isIn(clocked, clock.state, state) ?? []).join(' or ');
  const outdated = conditionOn(clocked, [`${rules?.outdatedSince} ne null`, `(${isOther})`]);
  return outdated === undefined
    ? changed
    : [...changed, { when: outdated, members: members('recalculate') }];
}

/** A mark that the service replaces, or null where the account may not read the deadline. */
function deadlineMembers(
  { model, guard, row }: Clocked,
  rules: ClockRules | undefined,
  clock: ClockRule,
  { value }: NextStatus,
): readonly ShapeMember[] {
  const [member = ''] = clock.deadline.split('/');
  const isKnown = typeWithDeadlines({ model }, row) !== undefined;
  const readable = isKnown && readableMember(guard, variable(row), row.type, member);
  const place = rules?.clocks.indexOf(clock);
  const mark = {
    kind: 'constant',
    name: 'Deadline',
    json: `"${DEADLINE_MARK}${value} ${place}"`,
  } as const;
  const hidden = { kind: 'constant', name: 'Deadline', json: 'null' } as const;
  if (typeof readable === 'boolean') return [readable ? mark : hidden];
  const isReadable = holds(readable);
  return [
    { ...mark, when: isReadable },
    { ...hidden, when: not(isReadable) },
  ];
}

/** Whether the clock is in the state, or has none; undefined if its code list has no such state. */
function isIn(
  { model, row }: Clocked,
  path: string,
  symbol: string | undefined,
): string | undefined {
  const property = propertyPath(model, row.type, path)?.at(-1);
  const codes = model.codeLists.get(property?.codeList ?? '')?.codes ?? [];
  const code = codes.find(({ meaning }) => meaning === symbol);
  if (property === undefined || (symbol !== undefined && code === undefined)) return undefined;
  const coded = model.types.get(property.type);
  const value = coded?.kind === 'complex' && coded.coded ? `${path}/${coded.coded.value}` : path;
  return `${value} eq ${symbol === undefined ? 'null' : code?.value}`;
}

/** Undefined if a text is missing, or if the account may not read what the condition depends on. */
function conditionOn(
  { frame, guard }: Clocked,
  texts: readonly (string | undefined)[],
): Expression | undefined {
  const known = texts.filter((text) => text !== undefined);
  if (known.length < texts.length) return undefined;
  const condition = bindCondition(frame, readModelExpression(known.join(' and ')));
  return isReadable(guard, condition) ? condition : undefined;
}
