// This file writes what a calculation of clocks found as the result of Explain and WhatIf. Only rules that the account may read appear.

import { countedIntervals, elapsedTime, pausedIntervals } from '../../calendar/clock.ts';
import type { AgreementRules, ClockRules } from '../../edm/clocks/clock-rules.ts';
import { type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import { writeDuration } from '../../edm/value/temporal.ts';
import type { ClockFindings, Findings } from './calculate-clocks.ts';
import type { Candidate } from './choose-agreement.ts';
import { type ClockPause, type ClockRecord, countedUntil } from './clock-state.ts';

/** The keys of the agreements and levels that the account may read. */
export interface ReadableRules {
  readonly agreements: ReadonlySet<bigint>;
  readonly levels: ReadonlySet<bigint>;
}

/** The explanation as JSON. URLs begin with the root. */
export function writeExplanation(
  findings: Findings,
  rules: ClockRules,
  readable: ReadableRules,
  root: string,
): string {
  const { now, start, level, agreement, priority, priorityReason, isRaised } = findings;
  const known = level !== undefined && readable.levels.has(level.key) ? level : undefined;
  const levelUrl = known && `${root}${rules.level.from}(${known.key})`;
  return printJson({
    At: instantText(now),
    Start: instantText(start),
    Agreement: agreementUrl(rules, agreement, readable, root) ?? null,
    Level: levelUrl ?? null,
    Schedule: known?.schedule === undefined ? null : `${levelUrl}/${rules.level.schedule}`,
    TimeZone: known?.schedule?.zone ?? null,
    Priority: priority ?? null,
    PriorityReason: priorityReason ?? null,
    PriorityRaised: isRaised,
    Candidates: candidatesOf(findings, rules, readable, root),
    Clocks: findings.clocks.map((clock) => explainedClock(clock)),
  });
}

// ---- agreements -----------------------------------------------------------------------------------------------------

function agreementUrl(
  { agreement }: ClockRules,
  key: bigint | undefined,
  { agreements }: ReadableRules,
  root: string,
): string | undefined {
  if (agreement === undefined || key === undefined || !agreements.has(key)) return undefined;
  return `${root}${agreement.from}(${key})`;
}

function candidatesOf(
  { candidates }: Findings,
  rules: ClockRules,
  readable: ReadableRules,
  root: string,
): JsonInput[] {
  return candidates.flatMap((candidate, index) => {
    const url = agreementUrl(rules, candidate.agreement.key, readable, root);
    if (url === undefined || rules.agreement === undefined) return [];
    const matches = candidate.rank !== undefined;
    const Reason = matches
      ? reasonOf(candidate, rules.agreement)
      : exclusionOf(candidate, rules.agreement);
    return [{ Agreement: url, Rank: matches ? index + 1 : null, Reason }];
  });
}

/** `the same Service; parent 1 of CallerOrganization`. */
function reasonOf({ matches }: Candidate, { match }: AgreementRules): string {
  const reasons = matches.map(([alternative, distance], group) => {
    const alternatives = match[group]?.alternatives ?? [];
    const found = alternatives[alternative];
    if (found === undefined) return `any ${alternatives.map(({ is }) => is).join(' or ')}`;
    return distance === 0 ? `the same ${found.is}` : `parent ${distance} of ${found.is}`;
  });
  return reasons.join('; ');
}

function exclusionOf({ agreement, reason }: Candidate, { match }: AgreementRules): string {
  if (reason === 'not valid yet') return `not valid before ${instantText(agreement.validFrom)}`;
  if (reason === 'not valid any more')
    return `not valid from ${instantText(agreement.validUntil)} on`;
  const alternatives = match[reason ?? 0]?.alternatives ?? [];
  return `for another ${alternatives.map(({ is }) => is).join(' or ')}`;
}

// ---- clocks ---------------------------------------------------------------------------------------------------------

function explainedClock(findings: ClockFindings): JsonInput {
  const { rule, given, due, marks, state, outcome, isManual } = findings;
  return {
    Name: rule.name,
    State: state ?? null,
    Outcome: outcome ?? null,
    Target: durationText(given.target),
    Deadline: instantText(due),
    DeadlineIsManual: isManual,
    Elapsed: durationText(elapsed(findings)),
    Remaining: durationText(remaining(findings)),
    Intervals: intervalsOf(findings),
    Marks: marks.map(({ percent, at, isReached }) => ({
      Percent: percent,
      At: instantText(at),
      Reached: isReached,
    })),
  };
}

function elapsed({ record, given }: ClockFindings): number | undefined {
  const { calendar, start, now } = given;
  return calendar && elapsedTime(calendar, historyOf(record, start), now);
}

/** A deadline that was set by hand does not move, so that the time until it counts from now or from the end of the clock. */
function remaining(findings: ClockFindings): number | undefined {
  const { record, given, due } = findings;
  const { calendar, target, manual, now } = given;
  if (calendar === undefined || due === undefined) return undefined;
  if (manual !== undefined) return calendar.between(countedUntil(record, now), manual);
  const passed = elapsed(findings);
  return target === undefined || passed === undefined ? undefined : target - passed;
}

function historyOf({ pauses, stop }: Pick<ClockRecord, 'pauses' | 'stop'>, start: number) {
  const closed = pauses.map(([from, to]) => ({ from, to: to ?? undefined }));
  return { start, pauses: closed, stop: stop ?? undefined };
}

/** All intervals from the start to the stop, or to an end that is open. */
function intervalsOf({ record, given }: ClockFindings): JsonInput[] {
  const { start, now, calendar } = given;
  const history = historyOf(record, start);
  const counted = countedIntervals(history).map((range) => ({
    ...range,
    kind: 'Counted',
    cause: record.pauses.find(([, to]) => to === range.from)?.[2]?.to,
  }));
  const paused = pausedIntervals(history).map((range) => {
    const pause = record.pauses.find(([from]) => Math.max(from, start) === range.from);
    return { ...range, kind: kindOf(pause), cause: pause?.[2]?.from };
  });
  return [...counted, ...paused]
    .toSorted((one, other) => one.from - other.from)
    .map(({ kind, from, to, cause }) => ({
      Kind: kind,
      From: instantText(from),
      To: Number.isFinite(to) ? instantText(to) : null,
      WorkingTime: durationText(calendar?.between(from, Math.max(from, Math.min(to, now)))),
      Cause: cause ?? null,
    }));
}

function kindOf(pause: ClockPause | undefined): string {
  return pause?.[2]?.stop === true ? 'Stopped' : 'Paused';
}

// ---- values ---------------------------------------------------------------------------------------------------------

function instantText(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}

function durationText(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : writeDuration(BigInt(milliseconds) * NANOSECONDS);
}

const NANOSECONDS = 1_000_000n;
