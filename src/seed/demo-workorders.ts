// This file generates demo records of work orders, each before its votes and the lines of its history.
import { approvalValues } from './course/approvals.ts';
import { WORK } from './course/courses.ts';
import { inOrder, keysFrom } from './course/lines.ts';
import { assigningStatus, isImported } from './course/rounds.ts';
import { timeOf } from './course/story.ts';
import {
  recordWithHistory,
  roundAbout,
  storyLines,
  textOf,
  type WorkStory,
} from './course/work-story.ts';
import { type PlacedOrder, parentValues, placedOrder } from './demo-parents.ts';
import {
  type DemoPlan,
  loginAt,
  randomFor,
  randomKey,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { DAY, HOUR_OF_NANOSECONDS, pointText } from './demo-time.ts';

export function* workorderRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { Workorders: range, 'Workorders/HistoryLines': lineRange } = plan.ranges;
  const random = randomFor(plan, 'Workorders');
  const nextVote = keysFrom(plan.ranges['Workorders/ApproverVotes'].first);
  const nextLine = keysFrom(lineRange.first);
  let placed: PlacedOrder | undefined;
  for (let index = 0; index < range.count; index++) {
    placed = placedOrder(plan, random, index, placed);
    const { story } = placed;
    const person = randomKey(random, plan.ranges.Persons);
    const hasHistory = !isImported('Workorders', index, range.count);
    const round = hasHistory
      ? roundAbout(plan, story, votingTimes(plan, story), nextVote)
      : undefined;
    const known = { first: WORK.registered, person, round };
    const lines = hasHistory ? inOrder(storyLines(plan, story, known)) : [];
    const values = {
      ...workorderValues(plan, random, placed),
      'Assignment/AssigneePerson': hasPerson(story) ? person : null,
      ...approvalValues(plan, round),
    };
    yield* recordWithHistory(plan, story, values, { lines, round }, nextLine);
  }
}

/** Whether the work order was created with its person, or has got one. */
function hasPerson({ set, index, course }: WorkStory): boolean {
  const assigning = assigningStatus(set, index);
  return assigning === undefined || course.path.includes(assigning);
}

/** Votes are given after the work order has been assigned, and before that status changes. */
function votingTimes({ options }: DemoPlan, { steps }: WorkStory) {
  const place = steps.findIndex(({ status }) => status === WORK.assigned);
  const assigned = steps[place]?.at ?? 0;
  const next = steps[place + 1]?.at;
  const third = Math.floor(((next ?? options.now) - assigned) / 3);
  const ends = next === undefined ? options.now : assigned + 2 * third;
  return { asked: assigned + third, ends, statusBefore: null };
}

function workorderValues(plan: DemoPlan, random: Random, placed: PlacedOrder): Values {
  const { ranges, words } = plan;
  const { index, course, created, steps } = placed.story;
  const finished = timeOf(steps, WORK.completed);
  const isDone = finished !== undefined;
  const hasCost = index % 7 === 3;
  return {
    ID: index + 1,
    Description: `${random.pick(words.things)}: ${isDone ? 'done' : 'to do'}`,
    Information: random.happens(50) ? random.pick(words.sentences) : null,
    Solution: isDone ? random.pick(words.solutions) : null,
    SourceID: index % 9 === 8 ? `WO-${index}` : null,
    Status: course.status,
    ClosureCode: isDone ? 134001 + random.below(4) : null,
    Category: 224001 + random.below(7),
    Priority: 110001 + random.below(5),
    Impact: 111001 + random.below(5),
    Sequence: 1 + (index % 4),
    Deadline: pointText(created + 3 * DAY),
    PlanStart: index % 3 === 0 ? pointText(created + DAY) : null,
    ActualStart: textOf(timeOf(steps, WORK.inProgress)),
    ActualFinish: textOf(finished),
    ClosedAt: textOf(timeOf(steps, WORK.closed)),
    LaborTime: isDone ? (1 + random.below(16)) * 0.25 * HOUR_OF_NANOSECONDS : null,
    'Cost/Amount': hasCost ? `${random.below(500)}.75` : null,
    'Cost/Currency': hasCost ? 'EUR' : null,
    Location: random.happens(40) ? randomKey(random, ranges.Locations) : null,
    ...parentValues(plan, placed),
    'Assignment/AssigneeWorkgroup': random.happens(95)
      ? randomKey(random, ranges.Workgroups)
      : null,
    'Assignment/AssignedAt': textOf(timeOf(steps, WORK.assigned)),
    Folder: 190001 + (index % 3),
    Blocked: null,
    ExternalReferences: '[]',
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(steps.at(-1)?.at ?? created),
    'Registration/CreatedBy': loginAt(plan, index % 12),
    'Registration/ModifiedBy': loginAt(plan, index % 12),
  };
}
