// This file generates demo records of changes, each before its votes and the lines of its history.
import { approvalValues, NOT_STARTED } from './course/approvals.ts';
import { CHANGE, type Course } from './course/courses.ts';
import { inOrder, keysFrom } from './course/lines.ts';
import { timeOf } from './course/story.ts';
import {
  recordWithHistory,
  roundAbout,
  storyLines,
  textOf,
  votingIn,
  type WorkStory,
  workStory,
  workValues,
} from './course/work-story.ts';
import { type DemoPlan, randomFor, randomKey, type SeedRecord, type Values } from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { DAY, HOUR, HOUR_OF_NANOSECONDS, pointText } from './demo-time.ts';

export function* changeRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { Changes: range, 'Changes/HistoryLines': lineRange } = plan.ranges;
  const random = randomFor(plan, 'Changes');
  const nextVote = keysFrom(plan.ranges['Changes/ApproverVotes'].first);
  const nextLine = keysFrom(lineRange.first);
  for (let index = 0; index < range.count; index++) {
    const story = { ...workStory(plan, 'Changes', index), set: 'Changes' } as const;
    const voting = votingIn(plan, story, CHANGE.awaitingApproval, CHANGE.registered);
    const { statusBefore } = voting;
    const round = roundAbout(plan, story, { ...voting, outcomeBefore: NOT_STARTED }, nextVote);
    const known = { first: CHANGE.registered, person: null, round };
    const lines = inOrder(storyLines(plan, story, known));
    const values = {
      ...workValues(plan, random, range, index),
      ...changeValues(plan, random, story),
      ...approvalValues(plan, round, { outcome: NOT_STARTED, statusBefore }),
    };
    yield* recordWithHistory(plan, story, values, { lines, round }, nextLine);
  }
}

function changeValues(plan: DemoPlan, random: Random, { index, course, steps }: WorkStory): Values {
  const { ranges, options, words } = plan;
  const begun = timeOf(steps, CHANGE.implementation);
  const isPlanned = course.path.includes(CHANGE.scheduled) || begun !== undefined;
  const begin = begun ?? options.now + (1 + (index % 20)) * DAY;
  const [from, until] = isPlanned ? [pointText(begin), pointText(begin + 2 * HOUR)] : [null, null];
  const closed = timeOf(steps, CHANGE.closed, CHANGE.cancelled);
  return {
    Description: `Change of ${random.pick(words.things)}`,
    Status: course.status,
    ClosureCode: course.status === CHANGE.closed ? closureOf(random, course) : null,
    Category: course.type ?? null,
    ChangeType: course.type ?? null,
    Reason: random.pick(words.sentences),
    ImplementationPlan: isPlanned ? '1. Announce\n2. Back up\n3. Change\n4. Test' : null,
    BackoutPlan: isPlanned ? 'Restore the back-up.' : null,
    TestPlan: index % 3 === 0 ? 'Let two users log in.' : null,
    Risk: index % 10 === 9 && !isPlanned ? null : 215001 + random.below(4),
    OutageExpected: random.happens(30),
    PlanStart: from,
    PlanFinish: until,
    PlanDuration: isPlanned ? 2 * HOUR_OF_NANOSECONDS : null,
    'ScheduledWindow/Start': from,
    'ScheduledWindow/End': until,
    ActualStart: textOf(begun),
    ActualFinish: textOf(
      timeOf(steps, CHANGE.backedOut, CHANGE.review, CHANGE.closed, CHANGE.cancelled),
    ),
    ClosedAt: textOf(closed),
    ...(isPlanned ? { ConfigurationItem: ownItem(plan, index) } : {}),
    Manager: randomKey(random, ranges.Persons),
    Project: index % 5 === 4 ? randomKey(random, ranges.Projects) : null,
  };
}

/** Planned changes have different items, so that their windows are free. */
function ownItem({ ranges }: DemoPlan, index: number): number | null {
  const { ConfigurationItems: items } = ranges;
  return index % 2 === 0 && index < items.count ? items.first + index : null;
}

const BACKED_OUT = 133003;

/** Successful, successful with issues, backed out. */
function closureOf(random: Random, { path }: Course): number {
  return path.includes(CHANGE.backedOut) ? BACKED_OUT : 133001 + random.below(2);
}
