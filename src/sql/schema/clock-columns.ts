// This file lists the columns of a table that hold elapsed and remaining time of clocks, and where the schedules and states of the clocks are.
import { clocksOf, SCHEDULE_SUFFIX, scheduleOf } from '../../edm/clocks/clock-members.ts';
import { type EntityType, type Model, memberAt } from '../../edm/model.ts';
import type { ClockColumn } from './layout.ts';

/** Those of entities of the type and of derived types, by name. @param columnAt the column of a path of members */
export function clockColumns(
  model: Model,
  type: EntityType,
  columnAt: (owner: EntityType, path: string) => string,
): ReadonlyMap<string, ClockColumn> {
  const found = new Map<string, ClockColumn>();
  for (const owner of [type, ...model.derived(type)]) {
    if (owner.kind !== 'entity') continue;
    for (const clock of clocksOf(model, owner)?.clocks ?? []) {
      const { elapsed, remaining } = clock;
      if (scheduleOf(clock) === undefined) continue;
      const schedule = `${columnAt(owner, clock.deadline)}${SCHEDULE_SUFFIX}`;
      const state = columnAt(owner, clock.state);
      const shared = { schedule, state, codes: codesOfStates(model, owner, clock.state) };
      if (elapsed !== undefined)
        found.set(columnAt(owner, elapsed), { ...shared, kind: 'elapsed' });
      if (remaining !== undefined)
        found.set(columnAt(owner, remaining), { ...shared, kind: 'remaining' });
    }
  }
  return found;
}

/** The codes with which a property shows the states of a clock. */
function codesOfStates(model: Model, type: EntityType, path: string): ClockColumn['codes'] {
  const member = memberAt(model, type, path);
  const list = member?.kind === 'property' ? member.codeList : undefined;
  const codes = model.codeLists.get(list ?? '')?.codes ?? [];
  const code = (symbol: string) => codes.find(({ meaning }) => meaning === symbol)?.value ?? 0n;
  return { running: code('RUNNING'), paused: code('PAUSED'), stopped: code('STOPPED') };
}
