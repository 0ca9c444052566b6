// This file generates demo records of work orders, each before its votes and the lines of its history.
import { approvalValues, voteRecords } from './course/approvals.ts';
import { courseOf, WORK, type WorkSet } from './course/courses.ts';
import { inOrder, keysFrom, lineRecords } from './course/lines.ts';
import { assigningStatus, isImported } from './course/rounds.ts';
import { timeOf } from './course/story.ts';
import {
  changedValues,
  roundAbout,
  storyLines,
  textOf,
  type WorkStory,
  workStory,
} from './course/work-story.ts';
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

const PARENTS = ['ServiceRequest', 'Incident', 'Problem', 'Change', 'Project'] as const;
const PARENT_SETS = ['ServiceRequests', 'Incidents', 'Problems', 'Changes', 'Projects'] as const;

const [REGISTERED, IN_PROGRESS, COMPLETED] = [105001, 105004, 105006];

export function* workorderRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { Workorders: range, 'Workorders/HistoryLines': lineRange } = plan.ranges;
  const random = randomFor(plan, 'Workorders');
  const nextVote = keysFrom(plan.ranges['Workorders/ApproverVotes'].first);
  const nextLine = keysFrom(lineRange.first);
  for (let index = 0; index < range.count; index++) {
    const story = { ...workStory(plan, 'Workorders', index), set: 'Workorders' } as const;
    const person = randomKey(random, plan.ranges.Persons);
    const hasHistory = !isImported('Workorders', index, range.count);
    const round = hasHistory
      ? roundAbout(plan, story, votingTimes(plan, story), nextVote)
      : undefined;
    const known = { first: REGISTERED, person, round };
    const lines = hasHistory ? inOrder(storyLines(plan, story, known)) : [];
    const values = {
      ...workorderValues(plan, random, story),
      'Assignment/AssigneePerson': hasPerson(story) ? person : null,
      ...approvalValues(plan, round),
      ...changedValues(plan, lines),
    };
    yield { set: story.set, uid: story.uid, values };
    if (round !== undefined) yield* voteRecords(plan, round);
    yield* lineRecords('Workorders/HistoryLines', story.uid, lines, nextLine);
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

/** The index of the parent's kind in PARENTS. Most work orders belong to requests, and some have no parent. */
function parentKind(random: Random): number {
  const share = random.below(100);
  return share < 70 ? 0 : share < 80 ? 1 : share < 84 ? 2 : share < 92 ? 3 : share < 95 ? 4 : 5;
}

/** The statuses of parents whose work has ended, and of the closed project. */
const FINAL: ReadonlySet<number> = new Set([
  ...[101007, 101008, 101009, 101010],
  ...[102006, 102007, 103006, 103007, 104008, 104010],
]);

/** Records whose work has ended have no open work orders. Projects are given by their status. */
function mayHaveOpenWork({ ranges }: DemoPlan, kind: number, index: number): boolean {
  const set = PARENT_SETS[kind];
  if (set === undefined) return true;
  if (set === 'Projects') return index % 7 < 5;
  return !FINAL.has(courseOf(set satisfies WorkSet, index, ranges[set].count).status);
}

/** How many records are tried as the parent of an open work order. */
const TRIES = 10;

/** A record that was made before the work order, and lately for an open one; null without one. */
function parentAt(
  plan: DemoPlan,
  random: Random,
  kind: number,
  { index, course }: WorkStory,
): number | null {
  const { ranges } = plan;
  const set = PARENT_SETS[kind];
  if (set === undefined || ranges[set].count === 0) return null;
  const { first, count } = ranges[set];
  const latest = Math.floor((index * count) / ranges.Workorders.count);
  const isOpen = course.status < COMPLETED || course.status === WORK.refused;
  if (!isOpen) return first + random.below(latest + 1);
  const from = random.below(TRIES);
  for (let back = from; back < from + TRIES && back <= latest; back++)
    if (mayHaveOpenWork(plan, kind, latest - back)) return first + latest - back;
  return null;
}

function workorderValues(plan: DemoPlan, random: Random, story: WorkStory): Values {
  const { ranges, words } = plan;
  const { index, course, created, steps } = story;
  const kind = parentKind(random);
  const parent = parentAt(plan, random, kind, story);
  const finished = timeOf(steps, COMPLETED);
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
    ActualStart: textOf(timeOf(steps, IN_PROGRESS)),
    ActualFinish: textOf(finished),
    ClosedAt: textOf(timeOf(steps, WORK.closed)),
    LaborTime: isDone ? (1 + random.below(16)) * 0.25 * HOUR_OF_NANOSECONDS : null,
    'Cost/Amount': hasCost ? `${random.below(500)}.75` : null,
    'Cost/Currency': hasCost ? 'EUR' : null,
    Location: random.happens(40) ? randomKey(random, ranges.Locations) : null,
    ...parentOf(kind, parent),
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

function parentOf(
  kind: number,
  parent: number | null,
): Record<(typeof PARENTS)[number], number | null> {
  return {
    ServiceRequest: kind === 0 ? parent : null,
    Incident: kind === 1 ? parent : null,
    Problem: kind === 2 ? parent : null,
    Change: kind === 3 ? parent : null,
    Project: kind === 4 ? parent : null,
  };
}
