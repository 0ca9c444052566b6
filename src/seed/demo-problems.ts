// This file generates demo records of problems and incidents, each before the lines of its history.

import { inOrder, keysFrom, type Line, lineRecords, markKeys, markLines } from './course/lines.ts';
import { timeOf } from './course/story.ts';
import {
  changedValues,
  indexAt,
  recordWithHistory,
  storyLines,
  textOf,
  type WorkStory,
  workStory,
  workValues,
} from './course/work-story.ts';
import { withClocks } from './demo-clocks.ts';
import { type DemoPlan, randomFor, randomKey, type SeedRecord, type Values } from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { DAY, HOUR, MINUTE, pointText } from './demo-time.ts';

const PROBLEM = {
  registered: 103001,
  investigation: 103002,
  known: 103004,
  resolved: 103006,
  closed: 103007,
};
const CAUSE_KNOWN = 103003;
/** The cause was not found. */
const NOT_FOUND = 132003;

export function* problemRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { Problems: range, 'Problems/HistoryLines': lineRange } = plan.ranges;
  const random = randomFor(plan, 'Problems');
  const nextKey = keysFrom(lineRange.first);
  for (let index = 0; index < range.count; index++) {
    const story = workStory(plan, 'Problems', index);
    const known = { first: PROBLEM.registered, person: null, round: undefined };
    const lines = storyLines(plan, story, known);
    const values = {
      ...workValues(plan, random, range, index),
      ...problemValues(plan, random, story),
    };
    yield* recordWithHistory(plan, story, values, { lines }, nextKey);
  }
}

function problemValues(
  plan: DemoPlan,
  random: Random,
  { index, course, steps }: WorkStory,
): Values {
  const { words, options } = plan;
  const hasPassed = (status: number) => course.path.includes(status);
  const closed = timeOf(steps, PROBLEM.closed);
  const hasCause = hasPassed(CAUSE_KNOWN);
  const isKnownError = hasPassed(PROBLEM.known);
  const closure = hasCause ? 132001 + random.below(2) : NOT_FOUND;
  return {
    Description: `Again and again: ${random.pick(words.things)} ${random.pick(words.complaints)}`,
    Status: course.status,
    ClosureCode: closed === undefined ? null : closure,
    Category: 223001 + random.below(2),
    KnownError: isKnownError,
    RootCause: hasCause ? random.pick(words.sentences) : null,
    RootCauseCode: hasCause ? 221001 + random.below(8) : null,
    Workaround: isKnownError ? 'Restart the service every night.' : null,
    Solution: hasPassed(PROBLEM.resolved) ? random.pick(words.solutions) : null,
    ReviewDate:
      closed !== undefined && !hasCause
        ? pointText(closed - HOUR)
        : index % 3 === 0
          ? pointText(options.now + (index % 60) * DAY)
          : null,
    ActualStart: textOf(timeOf(steps, PROBLEM.investigation)),
    ActualFinish: textOf(timeOf(steps, PROBLEM.resolved, PROBLEM.closed)),
    ClosedAt: textOf(closed),
    ProblemManager: randomKey(random, plan.ranges.Persons),
  };
}

// ---- incidents --------------------------------------------------------------------------------------------------------

const INCIDENT = {
  registered: 102001,
  assigned: 102002,
  inProgress: 102003,
  restored: 102005,
  closed: 102006,
  cancelled: 102007,
};
/** The closure of a cancelled incident. */
const FALSE_ALARM = 131008;

export function* incidentRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { Incidents: range, 'Incidents/HistoryLines': lineRange } = plan.ranges;
  const random = randomFor(plan, 'Incidents');
  const nextKey = keysFrom(lineRange.first);
  for (let index = 0; index < range.count; index++) {
    const story = workStory(plan, 'Incidents', index);
    const common = workValues(plan, random, range, index);
    const person = Number(
      common['Assignment/AssigneePerson'] ?? randomKey(random, plan.ranges.Persons),
    );
    const lines = storyLines(plan, story, { first: INCIDENT.registered, person, round: undefined });
    const own = incidentValues(plan, random, story, person);
    yield* incidentWithLines(plan, story, { ...common, ...own }, lines, nextKey);
  }
}

/** The incident with its clocks, and its lines with those about marks. */
function* incidentWithLines(
  plan: DemoPlan,
  { set, uid, created, steps, agent }: WorkStory,
  values: Record<string, Values[string]>,
  lines: readonly Line[],
  nextKey: () => number,
): Generator<SeedRecord> {
  const start = Date.parse(String(values.DetectedAt));
  const moments = [{ status: INCIDENT.registered, at: created }, ...steps].map((step) => ({
    ...step,
    isAnswered: false,
  }));
  const followed = withClocks(plan, { set: 'Incidents', uid, values }, { start, moments });
  const authorAt = (at: number) =>
    steps.some((step) => step.at === at) ? { account: agent } : undefined;
  const marks = markLines(plan, set, followed.marks, authorAt);
  const changed = changedValues(plan, inOrder([...lines, ...marks]));
  yield { set, uid, values: Object.assign(values, changed) };
  yield* lineRecords('Incidents/HistoryLines', uid, lines, nextKey);
  yield* lineRecords('Incidents/HistoryLines', uid, marks, markKeys(plan));
}

function incidentValues(
  plan: DemoPlan,
  random: Random,
  { index, course, created, steps }: WorkStory,
  person: number,
): Values {
  const { ranges, words } = plan;
  const restored = timeOf(steps, INCIDENT.restored);
  const cancelled = timeOf(steps, INCIDENT.cancelled);
  const closed = timeOf(steps, INCIDENT.closed, INCIDENT.cancelled);
  const detected = created - random.below(30) * MINUTE;
  const isMajor = index % 35 === 34;
  const isManual = index % 25 === 24;
  const hasProblem = random.happens(25) || (isMajor && closed !== undefined);
  const known = { ...ranges.Problems, count: indexAt(plan, 'Problems', created) + 1 };
  return {
    Description: `${random.pick(words.services)}: ${random.pick(words.complaints)}`,
    Status: course.status,
    ClosureCode:
      cancelled !== undefined
        ? FALSE_ALARM
        : restored === undefined
          ? null
          : 131001 + random.below(7),
    Category: 222001 + random.below(4),
    Severity: 113001 + random.below(4),
    Medium: random.happens(60) ? 120006 : 120001,
    Solution: restored === undefined ? null : random.pick(words.solutions),
    DetectedAt: pointText(detected),
    RestoredAt: textOf(restored),
    MajorIncident: isMajor,
    SourceEvent: random.happens(60) ? `disk.full host-${index + 1} OS` : null,
    DowntimeDuration: restored === undefined ? null : (restored - detected) * 1_000_000,
    // The others follow from the impact.
    Priority: isManual ? 110001 + random.below(5) : null,
    Deadline: null,
    DeadlineIsManual: false,
    ActualStart: textOf(timeOf(steps, INCIDENT.inProgress)),
    ActualFinish: textOf(restored ?? cancelled),
    ClosedAt: textOf(closed),
    'Assignment/AssigneePerson': course.path.includes(INCIDENT.assigned) ? person : null,
    'Assignment/AssignedAt': textOf(timeOf(steps, INCIDENT.assigned)),
    Caller: random.happens(50) ? randomKey(random, ranges.Persons) : null,
    Problem: hasProblem ? randomKey(random, known) : null,
  };
}
