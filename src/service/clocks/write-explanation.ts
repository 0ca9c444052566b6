// This file writes what a calculation of clocks found as the result of Explain and WhatIf. Only rules that the account may read appear.

import { countedIntervals, pausedIntervals } from '../../calendar/clock.ts';
import type { AgreementRules, ClockRules } from '../../edm/clocks/clock-rules.ts';
import { type JsonInput, printJson } from '../../edm/value/lossless-json.ts';
import { writeDuration } from '../../edm/value/temporal.ts';
import type { ClockFindings, Findings } from './calculate-clocks.ts';
import type { Candidate } from './choose-agreement.ts';
import type { ClockPause } from './clock-state.ts';
import { historyOf } from './clock-times.ts';

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
  const { elapsed, remaining } = findings.times;
  return {
    Name: rule.name,
    State: state ?? null,
    Outcome: outcome ?? null,
    Target: durationText(given.target),
    Deadline: instantText(due),
    DeadlineIsManual: isManual,
    Elapsed: durationText(elapsed),
    Remaining: durationText(remaining),
    Intervals: intervalsOf(findings),
    Marks: marks.map(({ percent, at, isReached }) => ({
      Percent: percent,
      At: instantText(at),
      Reached: isReached,
    })),
  };
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
