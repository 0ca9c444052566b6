// This file states what the clocks of demo records depend on. The service calculates them, so that they are those of records that it has written.
import { isVip, organizationOf } from './demo-people.ts';
import type { ClockCase, DemoPlan, FollowedClocks, SeedRecord, Values } from './demo-plan.ts';

/** A record that has been made just now, without the values of its clocks. */
export interface ClockDraft {
  readonly set: ClockCase['set'];
  readonly uid: number;
  readonly values: Record<string, Values[string]>;
}

/**
 * Adds the values of its clocks to a record, and returns it with the marks that they have reached. A copy of so many values would take longer
 * than to calculate them.
 */
export function withClocks(
  plan: DemoPlan,
  { set, uid, values }: ClockDraft,
  history: Pick<ClockCase, 'start' | 'moments'>,
): SeedRecord & Pick<FollowedClocks, 'marks'> {
  const { clocks } = plan.options;
  if (clocks === undefined) return { set, uid, values, marks: [] };
  const { Service: service, Caller: caller } = values;
  const person = typeof caller === 'number' ? caller : null;
  const calculated = clocks({
    ...history,
    set,
    values,
    byHand: ['Deadline', 'Priority'].filter((path) => values[path] !== null),
    otherwise: priorityOf(values),
    isVip: person !== null && isVip(plan, person),
    matched: [
      typeof service === 'number' ? service : null,
      person,
      person === null ? null : organizationOf(plan, person),
    ],
  });
  return { set, uid, values: Object.assign(values, calculated.values), marks: calculated.marks };
}

/** The priority by impact and urgency. */
function priorityOf({ Impact: impact, Urgency: urgency }: Values): number | null {
  if (typeof impact !== 'number' || typeof urgency !== 'number') return null;
  return 110_000 + Math.floor((impact - 111_000 + urgency - 112_000 + 1) / 2);
}
