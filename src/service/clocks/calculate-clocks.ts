// This file calculates what `Docket.Clocks` declares for an entity, within the unit of work that changes it: the agreement, the priority, the
// deadlines and the clocks. It is long because all of its steps read and replace the values of one entity.

import { Fault, invariant } from '../../base/fault.ts';
import { memoized, perObject, perPair } from '../../base/memo.ts';
import { memberPath } from '../../bind/body/body-errors.ts';
import type { CodeEntry } from '../../bind/codes.ts';
import { effectOf } from '../../edm/clocks/clock-effects.ts';
import {
  calculatedColumns,
  choosingMembers,
  clocksOf,
  readPaths,
  scheduleOf,
  stopConditions,
} from '../../edm/clocks/clock-members.ts';
import type { ClockRule, ClockRules, ClockSymbol } from '../../edm/clocks/clock-rules.ts';
import {
  type EntityType,
  entityType,
  type Model,
  propertyPath,
  simpleName,
} from '../../edm/model.ts';
import type { Cell, Row, Work } from '../../store/database.ts';
import type { CalculateClocks, ClockCalculation, ClockResults } from '../../store/script-state.ts';
import { instantOf, isTrue } from '../../store/stored-values.ts';
import { calendarOf, type StoredSchedule } from '../schedules/calendars.ts';
import type { Service } from '../service.ts';
import {
  type Candidate,
  candidates,
  chooseAgreement,
  type EntityKeys,
} from './choose-agreement.ts';
import {
  advance,
  type ClockRecord,
  type ClockState,
  combinedState,
  countedFrom,
  dueOf,
  endedPauses,
  type Measure,
  measure,
  NEW_CLOCK,
} from './clock-state.ts';
import {
  type ClockTimes,
  isRunning,
  type MeasuredClock,
  storedTimes,
  timesOf,
  timesOfStopped,
} from './clock-times.ts';
import { type Level, type RulesInForce, rulesInForce } from './read-rules.ts';
import { type ClockSchedule, readKnown, storedSchedule } from './schedule-positions.ts';

export function clockCalculator(service: Service): CalculateClocks {
  return function* (calculation) {
    const { step, inputs, context } = calculation;
    const type = entityType(service.model, step.type);
    const rules = clocksOf(service.model, type);
    invariant(rules !== undefined, `${step.type} has no clocks`);
    const [revision, schedules] = revisionIn(inputs);
    const inForce = yield* rulesInForce(service, context, type, rules, revision);
    const own = new Calculation(service, rules, inForce, calculation);
    const results = own.run();
    const { schedule, now } = own;
    const known = schedule && (yield* storedSchedule(service, schedule, readKnown(schedules), now));
    own.setTimes(known);
    return results;
  };
}

/** The revision of the rules, and the known schedules. */
function revisionIn([first]: Row): readonly [string, string] {
  const [revision = '', known = ''] = String(first ?? '').split(' ');
  return [revision, known];
}

/** What clocks depended on at a time in the past: the status, and the conditions that stop them. */
export interface ClockMoment {
  readonly now: number;
  readonly status: Cell;
  readonly conditions: Row;
}

/** A mark that a clock has reached, and when: not while the clock paused. */
export interface FollowedMark {
  /** The member that shows the highest mark. */
  readonly path: string;
  readonly percent: number;
  readonly at: number;
}

/**
 * The values of a new entity whose clocks have been calculated at earlier moments, too, by the present rules, and the marks that the clocks have
 * reached.
 * @param past in the order of their times, from the creation on
 */
export function followedValues(
  service: Service,
  { rules, inForce }: { readonly rules: ClockRules; readonly inForce: RulesInForce },
  calculation: ClockCalculation,
  past: readonly ClockMoment[],
  clockSchedule: (schedule: StoredSchedule) => ClockSchedule | undefined,
): { readonly values: ClockResults; readonly marks: readonly FollowedMark[] } {
  const own = new Calculation(service, rules, inForce, calculation, past);
  const results = own.run();
  own.setTimes(own.schedule && clockSchedule(own.schedule));
  return { values: results ?? NO_RESULTS, marks: own.reachedMarks() };
}

const NO_RESULTS: ClockResults = { get: () => undefined };

/** The records of clocks by name, as they are stored. */
type ClockRecords = Readonly<Record<string, ClockRecord>>;

/** In milliseconds. */
const DAY = 86_400_000;

/** Working time is not calculated further away, such as until the year 9999: that would take seconds, and no duration holds the result. */
const FARTHEST = 100 * 366 * DAY;

const NANOSECONDS = 1_000_000n;

/** What a calculation found, for an explanation. */
export interface Findings {
  readonly now: number;
  readonly start: number;
  /** All agreements, those that match first. */
  readonly candidates: readonly Candidate[];
  readonly agreement: bigint | undefined;
  readonly level: Level | undefined;
  readonly priority: bigint | undefined;
  readonly priorityReason: 'manual' | 'level' | 'otherwise' | undefined;
  readonly isRaised: boolean;
  readonly clocks: readonly ClockFindings[];
}

export interface ClockFindings {
  readonly rule: ClockRule;
  readonly record: ClockRecord;
  readonly given: Measure;
  readonly due: number | undefined;
  readonly marks: ClockState['marks'];
  readonly state: string | undefined;
  readonly outcome: string | undefined;
  readonly isManual: boolean;
  readonly times: ClockTimes;
}

/** What follows from the entity as it is. */
export function* findingsOf(
  service: Service,
  type: EntityType,
  calculation: ClockCalculation,
): Work<Findings> {
  const rules = clocksOf(service.model, type);
  invariant(rules !== undefined, `${type.name} has no clocks`);
  const { context, inputs } = calculation;
  const [revision] = revisionIn(inputs);
  const inForce = yield* rulesInForce(service, context, type, rules, revision);
  return new Calculation(service, rules, inForce, calculation).find();
}

/**
 * The deadlines that the entity would have now if it got a status, by clock. A change of the status chooses the agreement and the priority
 * again only if they depend on it.
 */
export function* deadlinesAfter(
  service: Service,
  type: EntityType,
  { context, inputs }: Pick<ClockCalculation, 'context' | 'inputs'>,
): Work<(status: bigint) => readonly Cell[]> {
  const { model } = service;
  const rules = clocksOf(model, type);
  invariant(rules !== undefined, `${type.name} has no clocks`);
  const [revision] = revisionIn(inputs);
  const inForce = yield* rulesInForce(service, context, type, rules, revision);
  const [member = ''] = rules.status.split('/');
  const chooses = choosingMembers(model, type, rules).has(member);
  const step = { type: type.name, chooses, set: [] };
  const own = { step, context, inputs, isNew: false };
  return new Calculation(service, rules, inForce, own).deadlines();
}

class Calculation {
  readonly #service: Service;
  readonly #rules: ClockRules;
  readonly #inForce: RulesInForce;
  readonly #calculation: ClockCalculation;
  readonly #past: readonly ClockMoment[];
  readonly #listOf: (path: string) => string;
  readonly now: number;
  /** What was read, in which results replace the values of members. A map of so many would take longer than the calculation. */
  readonly #row: Cell[];
  readonly #places: ReadonlyMap<string, number>;
  /** The values of the expressions. */
  readonly #expressions: Row;
  readonly #records: ClockRecords | undefined;
  /** The clocks whose results are stored, and the schedule that they are measured with. */
  readonly #measured: (MeasuredClock & {
    readonly rule: ClockRule;
    readonly marks: ClockState['marks'];
  })[] = [];
  #schedule: StoredSchedule | undefined;

  constructor(
    service: Service,
    rules: ClockRules,
    inForce: RulesInForce,
    calculation: ClockCalculation,
    past: readonly ClockMoment[] = [],
  ) {
    this.#service = service;
    this.#rules = rules;
    this.#inForce = inForce;
    this.#calculation = calculation;
    this.#past = past;
    this.#listOf = codeLists(service.model, entityType(service.model, calculation.step.type));
    this.now = Date.parse(String(calculation.context.now));
    const { inputs } = calculation;
    this.#row = [...inputs];
    this.#places = valuePlaces(rules);
    this.#expressions = inputs.slice(this.#places.size + 1);
    const record = this.#value(rules.record);
    this.#records = typeof record === 'string' ? JSON.parse(record) : undefined;
  }

  /** The values to store; undefined if they are those that are stored. */
  run(): ClockResults | undefined {
    const { step } = this.#calculation;
    const hasRules = this.#inForce.levels.size > 0;
    if (!hasRules && this.#records === undefined && step.set.length === 0)
      return this.#setTimers(undefined) ? this.#results() : undefined;
    const level = this.#level(hasRules);
    this.#setPriority(level, hasRules);
    this.#set(this.#rules.outdatedSince, null);
    if (hasRules && !this.#hasEndedUnmeasured()) this.#setClocks(level);
    else for (const clock of this.#rules.clocks) this.#setManualDeadline(clock);
    this.#setTimers(level);
    return this.#results();
  }

  #results(): ClockResults {
    return { get: (path) => this.#value(path) };
  }

  /** The deadlines that `run` would store with another status, by clock, without the other results, which take most of its time. */
  deadlines(): (status: bigint) => readonly Cell[] {
    const { clocks, status: path } = this.#rules;
    const hasRules = this.#inForce.levels.size > 0;
    const level = this.#level(hasRules);
    this.#setPriority(level, hasRules);
    const followed = clocks.map((clock) => this.#nextDeadlines(clock, level));
    const codes = this.#codes(path);
    return (status) => {
      const symbol = codes.find(({ value }) => value === status)?.meaning;
      const isMeasured = hasRules && !this.#hasEndedUnmeasured(symbol);
      return clocks.map(({ deadline }, index) => {
        const next = isMeasured ? followed[index]?.(symbol) : undefined;
        return next === undefined ? (this.#value(deadline) ?? null) : next.deadline;
      });
    };
  }

  /**
   * The deadline of a clock with a status; undefined if it has stopped and keeps its own. Each status either ends a pause or leaves the
   * deadline as the schedule and the target make it, so that few are calculated.
   */
  #nextDeadlines(clock: ClockRule, level: Level | undefined) {
    const before = this.#records?.[clock.name] ?? NEW_CLOCK;
    const given = this.#given(clock, level, this.#setManualDeadline(clock));
    const isStopped = this.#isStopped(clock, this.#conditions());
    const known = new Map<number, { readonly deadline: Cell }>();
    return (status: string | undefined) => {
      const after = advance(before, clock, { status, isStopped, now: this.now });
      if (before.stop !== null && after === before) return undefined;
      return memoized(known, endedPauses(after), () => ({
        deadline: instantText(dueOf(after, given)),
      }));
    };
  }

  /** What the results follow from. A stopped clock keeps the deadline that it had. */
  find(): Findings {
    const level = this.#level(this.#inForce.levels.size > 0);
    const { priority, chosenAgreement } = this.#rules;
    const ranked = candidates(this.#inForce, this.#keys(), this.#start());
    const best = ranked.find(({ rank }) => rank !== undefined)?.agreement.key;
    const isManual = this.#isManual(priority.member, priority.manual);
    const found = this.#foundPriority(level);
    return {
      now: this.now,
      start: this.#start(),
      candidates: ranked,
      agreement: chosenAgreement === undefined ? best : this.#integer(chosenAgreement),
      level,
      priority: this.#integer(priority.member),
      priorityReason: isManual ? 'manual' : found?.reason,
      isRaised: !isManual && found !== undefined && this.#isRaised(),
      clocks: this.#rules.clocks.flatMap((clock) => this.#findClock(clock, level)),
    };
  }

  #findClock(rule: ClockRule, level: Level | undefined): readonly ClockFindings[] {
    const record = this.#records?.[rule.name];
    if (record === undefined) return [];
    const manual = this.#setManualDeadline(rule);
    const given = this.#given(rule, level, manual);
    const measured = measure(rule, record, given);
    const found = { rule, record, given, isManual: manual !== undefined };
    const times = timesOf({ ...found, due: measured.due });
    if (record.stop === null) return [{ ...found, ...measured, times }];
    const { state, outcome, deadline } = rule;
    const stored = {
      due: this.#instant(deadline),
      state: this.#symbol(state),
      outcome: this.#symbol(outcome),
    };
    return [
      { ...found, ...stored, marks: measured.marks, times: this.#storedTimes(rule) ?? times },
    ];
  }

  /** The times of a stopped clock; undefined if none are stored, because the model or the version that stopped it had none. */
  #storedTimes(rule: ClockRule): ClockTimes | undefined {
    if (this.#integer(scheduleOf(rule)) === undefined) return undefined;
    const elapsed = this.#integer(rule.elapsed) ?? null;
    const remaining = this.#integer(rule.remaining) ?? null;
    return timesOfStopped({ elapsed, remaining });
  }

  // ---- timers -------------------------------------------------------------------------------------------------------

  /** Sets the times of timers that begin with the status, and clears others. Returns whether a value has changed. */
  #setTimers(level: Level | undefined): boolean {
    const status = this.#status() ?? '';
    const changes = this.#rules.timers.map((timer) => {
      const { member, workingDays } = timer;
      const known = this.#value(member) ?? null;
      const isRunning = timer.in.includes(status);
      const at = isRunning ? (known ?? this.#workingDaysLater(level, workingDays)) : null;
      this.#set(member, at);
      return at !== known;
    });
    return changes.includes(true);
  }

  /** In the schedule of the level. Without a schedule, every day is a working day. */
  #workingDaysLater(level: Level | undefined, days: number): Cell {
    const schedule = level?.schedule;
    const since = this.#statusSince();
    if (schedule === undefined) return instantText(since + days * DAY);
    const calendar = calendarOf(schedule, this.#service.timeZones);
    return instantText(calendar.addWorkingDays(since, days));
  }

  /** When the entity got the status that it has. */
  #statusSince(): number {
    const status = this.#value(this.#rules.status) ?? null;
    const before = this.#past.findLastIndex((moment) => moment.status !== status);
    return this.#past[before + 1]?.now ?? this.now;
  }

  // ---- agreement and priority ---------------------------------------------------------------------------------------

  /** Chooses the level, or returns the one that was chosen, if the entity stores it. */
  #level(hasRules: boolean): Level | undefined {
    const { chosenAgreement, chosenLevel } = this.#rules;
    const { levels, defaultLevel } = this.#inForce;
    const known = levels.get(BigInt(this.#integer(chosenLevel) ?? -1n));
    if (!hasRules || (!this.#chooses() && chosenLevel !== undefined)) return known;
    const agreement = chooseAgreement(this.#inForce, this.#keys(), this.#start());
    const level = agreement === undefined ? defaultLevel : levels.get(agreement.level ?? -1n);
    this.#set(chosenAgreement, agreement?.key ?? null);
    this.#set(chosenLevel, level?.key ?? null);
    return level;
  }

  /** Outdated clocks follow the present rules, whatever has changed. */
  #chooses(): boolean {
    const isOutdated = (this.#value(this.#rules.outdatedSince) ?? null) !== null;
    return this.#calculation.step.chooses || isOutdated || this.#records === undefined;
  }

  #keys(): EntityKeys {
    let index = FIRST_CONDITION + stopConditions(this.#rules).length;
    return (this.#rules.agreement?.match ?? []).map(({ alternatives }) =>
      alternatives.map(() => {
        const key = this.#expressions[index++];
        return typeof key === 'bigint' ? key : undefined;
      }),
    );
  }

  #start(): number {
    const start = this.#expressions[0];
    return typeof start === 'string' ? Date.parse(start) : this.now;
  }

  /** Without any level, nothing is calculated. */
  #setPriority(level: Level | undefined, hasRules: boolean): void {
    const { member, manual } = this.#rules.priority;
    const isManual = this.#isManual(member, manual);
    this.#set(manual, isManual);
    if (isManual || !hasRules || !this.#chooses()) return;
    const found = this.#foundPriority(level);
    this.#set(member, found === undefined ? null : this.#raised(found.priority));
  }

  #foundPriority(level: Level | undefined) {
    const own = this.#integer(this.#rules.priority.impact);
    const target = level?.targets.find((one) => one.impact === own)?.priority;
    if (target !== undefined) return { priority: target, reason: 'level' } as const;
    const otherwise = this.#expressions[1];
    if (typeof otherwise !== 'bigint') return undefined;
    return { priority: otherwise, reason: 'otherwise' } as const;
  }

  #isRaised(): boolean {
    return isTrue(this.#expressions[2]);
  }

  /** The next higher priority if the condition is true: the code before it in its list. */
  #raised(priority: bigint): bigint {
    if (!this.#isRaised()) return priority;
    const codes = this.#codes(this.#rules.priority.member).map(({ value }) => value);
    return codes[Math.max(codes.indexOf(priority) - 1, 0)] ?? priority;
  }

  /**
   * Whether a value was given rather than calculated: by this request, or before. A value that was stored before the first calculation
   * was given, too.
   */
  #isManual(member: string, manual: string, isSet = this.#isSet(member)): boolean {
    const value = this.#value(member) ?? null;
    const { isNew } = this.#calculation;
    if (isSet) return value !== null;
    const stored = this.#value(manual);
    if (stored !== null && stored !== undefined) return isTrue(stored);
    return this.#records === undefined && !isNew && value !== null;
  }

  // ---- clocks -------------------------------------------------------------------------------------------------------

  /** Whether the entity had ended before it was first calculated, so that nobody knows when its clocks stopped. */
  #hasEndedUnmeasured(status = this.#status()): boolean {
    if (this.#records !== undefined || this.#calculation.isNew) return false;
    return this.#rules.clocks.every((clock) =>
      ['stop', 'cancel'].includes(effectOf(clock, status)),
    );
  }

  #status(): string | undefined {
    return this.#symbol(this.#rules.status);
  }

  /** The symbol of a code, by default the stored one. */
  #symbol(path: string, value = this.#value(path)): string | undefined {
    return this.#codes(path).find((code) => code.value === value)?.meaning;
  }

  #setClocks(level: Level | undefined): void {
    const { clocks, record, nextMark, state } = this.#rules;
    const records: Record<string, ClockRecord> = {};
    const states: ClockState[] = [];
    for (const clock of clocks) {
      const before = this.#records?.[clock.name] ?? NEW_CLOCK;
      const after = this.#advanced(before, clock);
      records[clock.name] = after;
      const isUnchanged = before.stop !== null && after === before;
      const deadline = this.#setManualDeadline(clock);
      const given = this.#given(clock, level, deadline);
      const measured = measure(clock, after, given);
      states.push(measured);
      if (isUnchanged) continue;
      this.#storeState(clock, measured);
      const { due, marks } = measured;
      this.#measured.push({ rule: clock, record: after, given, due, marks });
    }
    this.#schedule = level?.schedule;
    const last = states.at(-1);
    const marks = states.flatMap(({ nextMark: at }) => at ?? []);
    this.#set(record, JSON.stringify(records));
    this.#set(nextMark, marks.length === 0 ? null : instantText(Math.min(...marks)));
    if (last !== undefined && !this.#hasStopped(clocks.at(-1))) {
      this.#set(state, this.#code(state, combinedState(last)));
    }
  }

  #advanced(record: ClockRecord, clock: ClockRule): ClockRecord {
    return [...this.#past, this.#present()].reduce(
      (before, moment) => advance(before, clock, this.#situation(clock, moment)),
      record,
    );
  }

  #present(): ClockMoment {
    const status = this.#value(this.#rules.status) ?? null;
    return { now: this.now, status, conditions: this.#conditions() };
  }

  /** The values of `StoppedIf`, and the keys after them. */
  #conditions(): Row {
    return this.#expressions.slice(FIRST_CONDITION);
  }

  #situation(clock: ClockRule, { now, status, conditions }: ClockMoment) {
    const isStopped = this.#isStopped(clock, conditions);
    return { status: this.#symbol(this.#rules.status, status), isStopped, now };
  }

  /** Whether the condition of a clock stops it. */
  #isStopped(clock: ClockRule, conditions: Row): boolean {
    if (clock.stoppedIf === undefined) return false;
    const stopped = this.#rules.clocks.filter(({ stoppedIf }) => stoppedIf !== undefined);
    return isTrue(conditions[stopped.indexOf(clock)]);
  }

  /** Whether the clock had stopped before and still is; its results stay what they were then. */
  #hasStopped(clock: ClockRule | undefined): boolean {
    if (clock === undefined) return false;
    const before = this.#records?.[clock.name];
    return before !== undefined && before.stop !== null && this.#advanced(before, clock) === before;
  }

  /** Whether the request has written the member. */
  #isSet(member: string): boolean {
    return this.#calculation.step.set.includes(member);
  }

  /** The deadline if it was set by hand, which it remains while its clock has stopped. Throws: clocks.stopped. */
  #setManualDeadline(clock: ClockRule): number | undefined {
    const { deadline, manual } = clock;
    if (manual === undefined) return undefined;
    const isSet = this.#isSet(deadline);
    const isKept = isSet && this.#hasStopped(clock);
    if (isKept) this.#keepDeadline(clock);
    const isManual = this.#isManual(deadline, manual, isSet && !isKept);
    this.#set(manual, isManual);
    return isManual ? this.#instant(deadline) : undefined;
  }

  /** Null leaves the deadline as it is, and so does the value that it has. Throws: clocks.stopped. */
  #keepDeadline({ name, deadline, reopens }: ClockRule): void {
    const { step, before } = this.#calculation;
    const given = this.#instant(deadline);
    this.#set(deadline, before?.(deadline) ?? null);
    if (given === undefined || given === this.#instant(deadline)) return;
    const type = simpleName(step.type);
    const remedy = reopens === true ? `, or reopen the ${type} in the same request` : '';
    const target = memberPath(step.place ?? '', deadline);
    throw new Fault('clocks.stopped', { name: deadline, clock: name, remedy }, { target });
  }

  #given(clock: ClockRule, level: Level | undefined, manual: number | undefined): Measure {
    const start = this.#start();
    const isNear = [start, manual ?? start].every((at) => Math.abs(at - this.now) <= FARTHEST);
    const schedule = isNear ? level?.schedule : undefined;
    const calendar = schedule && calendarOf(schedule, this.#service.timeZones);
    const priority = this.#integer(this.#rules.priority.member);
    const targets = level?.targets.find((one) => one.priority === priority);
    const target = targets?.durations.get(clock.name);
    return { start, now: this.now, calendar, target, manual };
  }

  /** The schedule by which clocks run. */
  get schedule(): StoredSchedule | undefined {
    const isNeeded = this.#measured.some(
      (clock) => scheduleOf(clock.rule) !== undefined && isRunning(clock),
    );
    return isNeeded ? this.#schedule : undefined;
  }

  /** @param schedule the one by which clocks run */
  setTimes(schedule: ClockSchedule | undefined): void {
    for (const clock of this.#measured) {
      const { rule } = clock;
      if (scheduleOf(rule) === undefined) continue;
      const times = storedTimes(clock, schedule);
      this.#set(scheduleOf(rule), times.schedule);
      this.#set(rule.elapsed, times.elapsed);
      this.#set(rule.remaining, times.remaining);
    }
  }

  /** The marks that the stored clocks have reached. */
  reachedMarks(): readonly FollowedMark[] {
    return this.#measured.flatMap(({ rule: { mark: path }, record, marks }) =>
      path === undefined
        ? []
        : marks
            .filter(({ isReached }) => isReached)
            .map(({ percent, at }) => ({ path, percent, at: countedFrom(record, at) })),
    );
  }

  #storeState(clock: ClockRule, measured: ClockState): void {
    const { due, state, outcome, stoppedAt, mark, pausedTotal } = measured;
    this.#set(clock.deadline, instantText(due));
    this.#set(clock.copiedTo, instantText(due));
    this.#set(clock.state, this.#code(clock.state, state));
    this.#set(clock.outcome, this.#code(clock.outcome, outcome));
    this.#set(clock.stoppedAt, instantText(stoppedAt));
    this.#set(clock.mark, mark === undefined ? null : BigInt(mark));
    const paused = pausedTotal === undefined ? null : BigInt(pausedTotal) * NANOSECONDS;
    this.#set(clock.pausedTotal, paused);
  }

  // ---- values -------------------------------------------------------------------------------------------------------

  #set(path: string | undefined, value: Cell): void {
    const place = path === undefined ? undefined : this.#places.get(path);
    if (place !== undefined) this.#row[place] = value;
  }

  #value(path: string): Cell | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#row[place];
  }

  #instant(path: string): number | undefined {
    return instantOf(this.#value(path));
  }

  #integer(path: string | undefined): bigint | undefined {
    const value = path === undefined ? undefined : this.#value(path);
    return typeof value === 'bigint' ? value : undefined;
  }

  #codes(path: string): readonly CodeEntry[] {
    return this.#service.codes.get(this.#listOf(path))?.entries ?? [];
  }

  #code(path: string | undefined, symbol: ClockSymbol | undefined): Cell {
    if (path === undefined || symbol === undefined) return null;
    return this.#codes(path).find(({ meaning }) => meaning === symbol)?.value ?? null;
  }
}

/** The place of the first `StoppedIf` among the expressions; the keys follow after the last. */
const FIRST_CONDITION = 3;

/** The places of the values among the inputs, by their paths. The revision comes before them, and the expressions follow. */
const valuePlaces = perObject((rules: ClockRules): ReadonlyMap<string, number> => {
  const paths = [...calculatedColumns(rules), ...readPaths(rules)];
  return new Map(paths.map((path, index) => [path, index + 1]));
});

/** The name of the code list of a coded property, by its path. */
const codeLists = perPair((model: Model, type: EntityType) => {
  const known = new Map<string, { readonly name: string }>();
  const find = (path: string) => ({
    name: propertyPath(model, type, path)?.at(-1)?.codeList ?? '',
  });
  return (path: string) => memoized(known, path, () => find(path)).name;
});

function instantText(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}
