// This file derives what a status does to a clock, and what a change of the status does to a clock in a state.
import type { ClockRule } from './clock-rules.ts';

type StatusEffect = 'run' | 'pause' | 'stop' | 'cancel';

/** What a status does to the clock. @param status its symbol */
export function effectOf(
  { pausedIn = [], stoppedIn, cancelledIn = [] }: ClockRule,
  status: string | undefined,
): StatusEffect {
  if (status === undefined) return 'run';
  if (cancelledIn.includes(status)) return 'cancel';
  if (stoppedIn.includes(status)) return 'stop';
  return pausedIn.includes(status) ? 'pause' : 'run';
}

/**
 * What a change does to a clock: `resume` continues it after a pause, `reopen` after it had stopped. `recalculate` applies agreements, levels
 * and schedules that have changed meanwhile.
 */
export const CHANGE_EFFECTS = [
  'pause',
  'resume',
  'stop',
  'cancel',
  'reopen',
  'recalculate',
] as const;
type ChangeEffect = (typeof CHANGE_EFFECTS)[number];

/** The effects of a change to the status, by the symbols of the states in which the clock can be. */
export function changeEffects(
  clock: ClockRule,
  status: string,
): ReadonlyMap<'RUNNING' | 'PAUSED' | 'STOPPED', ChangeEffect> {
  const effect = effectOf(clock, status);
  if (effect === 'stop' || effect === 'cancel')
    return new Map([
      ['RUNNING', effect],
      ['PAUSED', effect],
    ]);
  const reopened = clock.reopens === true ? ([['STOPPED', 'reopen']] as const) : [];
  if (effect === 'pause') return new Map([['RUNNING', 'pause'], ...reopened]);
  return new Map([['PAUSED', 'resume'], ...reopened]);
}
