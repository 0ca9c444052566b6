// This file plans what a transition does to the clocks of a row: it follows from the state of each clock and from the next status.
import type { Expression } from '../../bind/bound.ts';
import { bindCondition } from '../../bind/expression/promotion.ts';
import type { Frame } from '../../bind/scope.ts';
import { changeEffects } from '../../edm/clocks/clock-effects.ts';
import { clocksOf } from '../../edm/clocks/clock-members.ts';
import type { ClockRule } from '../../edm/clocks/clock-rules.ts';
import { type EntityType, type Model, propertyPath } from '../../edm/model.ts';
import type { ListItem, ShapeMember } from '../read-plan.ts';
import { readModelExpression } from '../write/model-expression.ts';
import { constant } from './shape-scope.ts';

interface Clocked {
  readonly model: Model;
  readonly type: EntityType;
  /** Binds expressions over the row. */
  readonly frame: Frame;
}

/** The member with the effects of a change to the status, given by its symbol. */
export function clocksMember(clocked: Clocked, status: string): ShapeMember {
  const { clocks = [] } = clocksOf(clocked.model, clocked.type) ?? {};
  const items = clocks.flatMap((clock) => effectItems(clocked, clock, status));
  return { kind: 'list', name: 'Clocks', items };
}

function effectItems(clocked: Clocked, clock: ClockRule, status: string): readonly ListItem[] {
  return [...changeEffects(clock, status)].flatMap(([state, effect]) => {
    const when = stateCondition(clocked, clock.state, state);
    const members = [
      constant('Clock', JSON.stringify(clock.name)),
      constant('Effect', JSON.stringify(effect)),
    ];
    return when === undefined ? [] : [{ when, members }];
  });
}

/** Whether the clock is in the state; undefined if its code list has no such state. */
function stateCondition(
  { model, type, frame }: Clocked,
  path: string,
  symbol: string,
): Expression | undefined {
  const property = propertyPath(model, type, path)?.at(-1);
  const codes = model.codeLists.get(property?.codeList ?? '')?.codes ?? [];
  const code = codes.find(({ meaning }) => meaning === symbol);
  if (property === undefined || code === undefined) return undefined;
  const coded = model.types.get(property.type);
  const value = coded?.kind === 'complex' && coded.coded ? `${path}/${coded.coded.value}` : path;
  return bindCondition(frame, readModelExpression(`${value} eq ${code.value}`));
}
