// This file follows one clock of an entity: what its status does to it, and what follows from its pauses, its target and the time. All
// instants and durations are milliseconds.
import type { BusinessCalendar } from '../../calendar/business-calendar.ts';
import { type ClockHistory, dueAt, markAt, pausedIntervals } from '../../calendar/clock.ts';
import { effectOf } from '../../edm/clocks/clock-effects.ts';
import type { ClockRule, ClockSymbol } from '../../edm/clocks/clock-rules.ts';

/** What is stored of a clock: instants, so that another schedule or target measures the same pauses again. */
export interface ClockRecord {
  /** The last one has no end while the clock pauses. */
  readonly pauses: readonly ClockPause[];
  readonly stop: number | null;
  readonly cancelled: boolean;
  /** The status that stopped it. */
  readonly stoppedBy?: string | undefined;
}

/** Its begin and its end, and the statuses that began and ended it. `stop`: the clock had stopped, and was reopened. */
export type ClockPause = readonly [number, number | null, PauseCause?];

interface PauseCause {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly stop?: true;
}

export const NEW_CLOCK: ClockRecord = { pauses: [], stop: null, cancelled: false };

/** What a clock depends on: the status of its entity, and whether `StoppedIf` is true. */
interface Situation {
  readonly status: string | undefined;
  readonly isStopped: boolean;
  readonly now: number;
}

/** The clock after its entity is in the situation. A stopped clock stays as it is unless it reopens. */
export function advance(
  record: ClockRecord,
  clock: ClockRule,
  { status: entered, isStopped, now }: Situation,
): ClockRecord {
  const ofStatus = effectOf(clock, entered);
  const stopsItself = isStopped && (ofStatus === 'run' || ofStatus === 'pause');
  const effect = stopsItself ? 'stop' : ofStatus;
  const status = stopsItself ? undefined : entered;
  const ends = effect === 'stop' || effect === 'cancel';
  if (record.stop !== null) {
    if (ends || clock.reopens !== true) return record;
    // The time in which it was stopped does not count.
    const cause = { from: record.stoppedBy, stop: true } as const;
    const stopped: ClockPause = [record.stop, null, cause];
    const pause = effect === 'pause' ? stopped : endedPause(stopped, now, status);
    return { pauses: [...record.pauses, pause], stop: null, cancelled: false };
  }
  if (effect === 'pause') {
    const pause: ClockPause = [now, null, { from: status }];
    return isPaused(record) ? record : { ...record, pauses: [...record.pauses, pause] };
  }
  const pauses = isPaused(record) ? withEndedPause(record.pauses, now, status) : record.pauses;
  if (!ends) return { pauses, stop: null, cancelled: false };
  return { pauses, stop: now, cancelled: effect === 'cancel', stoppedBy: status };
}

/** Only the last pause can be open. */
function withEndedPause(pauses: readonly ClockPause[], now: number, status: string | undefined) {
  return pauses.map((pause) => endedPause(pause, now, status));
}

function endedPause(pause: ClockPause, now: number, status: string | undefined): ClockPause {
  const [from, to, cause] = pause;
  return to === null ? [from, now, { ...cause, to: status }] : pause;
}

export function endedPauses(record: ClockRecord): number {
  return record.pauses.length - (isPaused(record) ? 1 : 0);
}

export function isPaused({ pauses }: ClockRecord): boolean {
  return pauses.at(-1)?.[1] === null;
}

/** What a clock is measured with. */
export interface Measure {
  readonly start: number;
  readonly now: number;
  readonly calendar: BusinessCalendar | undefined;
  readonly target: number | undefined;
  /** A deadline that was set by hand. */
  readonly manual: number | undefined;
}

export interface ClockState {
  readonly due: number | undefined;
  readonly state: ClockSymbol | undefined;
  readonly outcome: ClockSymbol | undefined;
  readonly stoppedAt: number | undefined;
  /** The highest mark that has been reached, in percent. */
  readonly mark: number | undefined;
  readonly nextMark: number | undefined;
  readonly pausedTotal: number | undefined;
  readonly marks: readonly ClockMark[];
}

interface ClockMark {
  readonly percent: number;
  readonly at: number;
  readonly isReached: boolean;
}

const BREACH = 100;

/** The state of a clock. Without a target and a deadline, it has none. */
export function measure(rule: ClockRule, record: ClockRecord, given: Measure): ClockState {
  const { now, calendar } = given;
  const history = closedHistory(record, given.start);
  const due = dueOf(record, given);
  const stoppedAt = record.stop ?? undefined;
  const isRunning = record.stop === null && !isPaused(record);
  const reference = countedUntil(record, now);
  const marks = due === undefined ? [] : marksOf(rule, history, given, due);
  const reached = marks.filter(({ at }) => at <= reference).map(({ percent }) => percent);
  const next = marks.filter(({ at }) => at > now).map(({ at }) => at);
  return {
    due,
    state: due === undefined ? undefined : stateOf(record),
    outcome: due === undefined ? undefined : outcomeOf(record, due, reference),
    stoppedAt,
    mark: reached.length === 0 ? undefined : Math.max(...reached),
    nextMark: isRunning && next.length > 0 ? Math.min(...next) : undefined,
    pausedTotal: calendar && pausedTime(calendar, record, given.start),
    marks: marks.map((mark) => ({ ...mark, isReached: mark.at <= reference })),
  };
}

/** The deadline of a clock. */
export function dueOf(record: ClockRecord, given: Measure): number | undefined {
  return given.manual ?? computedDue(closedHistory(record, given.start), given);
}

/** When the clock counted last: a clock that pauses or has stopped reaches nothing any more. */
export function countedUntil(record: ClockRecord, now: number): number {
  const { stop, pauses } = record;
  return stop ?? (isPaused(record) ? (pauses.at(-1)?.[0] ?? now) : now);
}

/** The time, or the end of the pause in which it lies. */
export function countedFrom({ pauses }: ClockRecord, at: number): number {
  const pause = pauses.find(([from, to]) => to !== null && from < at && at < to);
  return pause?.[1] ?? at;
}

/** The history without an open pause and without the stop: the deadline keeps its last value meanwhile. */
function closedHistory({ pauses }: ClockRecord, start: number): ClockHistory {
  const closed = pauses.flatMap(([from, to]) => (to === null ? [] : [{ from, to }]));
  return { start, pauses: closed, stop: undefined };
}

function computedDue(history: ClockHistory, { calendar, target }: Measure): number | undefined {
  return calendar === undefined || target === undefined
    ? undefined
    : dueAt(calendar, history, target);
}

function stateOf(record: ClockRecord): ClockSymbol {
  if (record.stop !== null) return 'STOPPED';
  return isPaused(record) ? 'PAUSED' : 'RUNNING';
}

function outcomeOf(
  { stop, cancelled }: ClockRecord,
  due: number,
  reference: number,
): ClockSymbol | undefined {
  if (cancelled) return 'CANCELLED';
  if (stop !== null) return stop <= due ? 'MET' : 'BREACHED';
  return due <= reference ? 'BREACHED' : undefined;
}

/** Marks of a deadline that was set by hand are parts of the working time until then; without a schedule, of all time. */
function marksOf({ marks = [] }: ClockRule, history: ClockHistory, given: Measure, due: number) {
  const { calendar, target, manual, start } = given;
  const instantOf = (percent: number): number | undefined => {
    if (percent === BREACH) return due;
    if (calendar === undefined) return start + ((due - start) * percent) / BREACH;
    if (manual === undefined) return markAt(calendar, history, target ?? 0, percent);
    return calendar.add(start, Math.ceil((calendar.between(start, due) * percent) / BREACH));
  };
  return [...new Set([...marks, BREACH])].flatMap((percent) => {
    const at = instantOf(percent);
    return at === undefined ? [] : [{ percent, at }];
  });
}

/** The working time of the pauses that have ended. */
function pausedTime(calendar: BusinessCalendar, record: ClockRecord, start: number): number {
  const { pauses } = closedHistory(record, start);
  const stop = record.stop ?? undefined;
  return pausedIntervals({ start, pauses, stop }).reduce(
    (sum, { from, to }) => sum + calendar.between(from, to),
    0,
  );
}

/** The state of all clocks in one symbol, as that of the last clock. */
export function combinedState({ state, outcome }: ClockState): ClockSymbol | undefined {
  if (outcome === 'CANCELLED') return 'STOPPED';
  return outcome ?? state;
}
