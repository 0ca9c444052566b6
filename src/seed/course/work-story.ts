// This file provides what problems, incidents, changes, work orders and projects of the demo data have in common: values, and the history that
// follows from the statuses that they pass through.

import { recordValues } from '../demo-base.ts';
import {
  type DemoPlan,
  type Range,
  randomKey,
  type SeedRecord,
  type Values,
} from '../demo-plan.ts';
import type { Random } from '../demo-random.ts';
import { HOUR, pointText } from '../demo-time.ts';
import {
  decisionOf,
  openingLines,
  plannedRound,
  type Round,
  voteRecords,
  votingLines,
} from './approvals.ts';
import { type Course, courseOf, type WorkSet } from './courses.ts';
import {
  type Author,
  agentsOf,
  assigneeLine,
  changeLine,
  codeText,
  type Line,
  lineRecords,
  STATUS_MEMBER,
  writerOf,
} from './lines.ts';
import { type ApprovedSet, assigningStatus } from './rounds.ts';
import { type Step, storyOf } from './story.ts';

/** Records are made until one hour before the end of the period. The position in the range determines the age. */
export function createdAt({ start, options }: DemoPlan, { count }: Range, index: number): number {
  return start + Math.floor(((options.now - HOUR - start) * index) / count);
}

/** The index of the latest record of a set that was made before a time. */
export function indexAt({ start, options, ranges }: DemoPlan, set: WorkSet, time: number): number {
  const { count } = ranges[set];
  const index = Math.floor(((time - start) * count) / (options.now - HOUR - start));
  return Math.max(0, Math.min(count - 1, index));
}

/** The values that all kinds of work have in common. */
export function workValues(plan: DemoPlan, random: Random, range: Range, index: number): Values {
  const { ranges, words } = plan;
  const created = createdAt(plan, range, index);
  const priority = random.below(5);
  return {
    ID: index + 1,
    Information:
      index % 40 === 21 ? plan.longText : random.happens(80) ? random.pick(words.sentences) : null,
    SourceID: index % 8 === 7 ? `SRC-${index}` : null,
    Priority: 110001 + priority,
    Impact: 111001 + random.below(5),
    Urgency: random.happens(50) ? 112001 + random.below(4) : null,
    Deadline: pointText(created + (priority + 1) * 20 * HOUR),
    Requestor: random.happens(30) ? randomKey(random, ranges.Persons) : null,
    Service: random.happens(70) ? randomKey(random, ranges.Services) : null,
    ConfigurationItem: random.happens(50) ? randomKey(random, ranges.ConfigurationItems) : null,
    'Assignment/AssigneeWorkgroup': random.happens(90)
      ? randomKey(random, ranges.Workgroups)
      : null,
    'Assignment/AssigneePerson': random.happens(70) ? randomKey(random, ranges.Persons) : null,
    ...recordValues(plan, index, 190001 + (index % 3)),
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(
      Math.min(plan.options.now, created + (index % 90) * HOUR),
    ),
  };
}

/** A record whose statuses are known, but not its other values. */
export interface WorkStory {
  readonly set: WorkSet;
  readonly index: number;
  readonly uid: number;
  readonly course: Course;
  readonly created: number;
  readonly steps: readonly Step[];
  /** The account that does the work. */
  readonly agent: number;
}

/** Distinguishes the random numbers of the sets. */
const STREAMS: Readonly<Record<WorkSet, number>> = {
  ServiceRequests: 0,
  Problems: 10_000_000,
  Changes: 20_000_000,
  Incidents: 30_000_000,
  Workorders: 40_000_000,
};

/** @param created by default spread evenly over the period */
export function workStory(
  plan: DemoPlan,
  set: WorkSet,
  index: number,
  created = createdAt(plan, plan.ranges[set], index),
): WorkStory {
  const range = plan.ranges[set];
  const course = courseOf(set, index, range.count);
  const steps = storyOf(plan, STREAMS[set] + index, course, created);
  const agents = agentsOf(plan);
  const agent = agents[(index * 7) % agents.length] ?? agents[0];
  return { set, index, uid: range.first + index, course, created, steps, agent };
}

/** When the votes are given about a record. */
interface Voting {
  readonly asked: number;
  readonly ends: number;
  readonly statusBefore: number | null;
  readonly outcomeBefore?: number | null;
}

/** Votes are given from the status in which a record waits for them until the next one. Then it returns to the status before, or goes on. */
export function votingIn(
  { options }: DemoPlan,
  { course: { path }, steps }: WorkStory,
  waiting: number,
  first: number,
) {
  const place = path.indexOf(waiting);
  const [asked, ends] = [steps[place]?.at ?? 0, steps[place + 1]?.at ?? options.now];
  return { asked, ends, statusBefore: statusBefore(path, waiting, first) };
}

/** The status before another one, which is the first one unless there have been others. */
export function statusBefore(path: Course['path'], status: number, first: number): number {
  return path[path.indexOf(status) - 1] ?? first;
}

/** Gives the keys of votes. */
type VoteKeys = () => number;

/** The round about a record, if there is one. */
export function roundAbout(
  plan: DemoPlan,
  story: WorkStory & { readonly set: ApprovedSet },
  { outcomeBefore = null, ...voting }: Voting,
  nextKey: VoteKeys,
): Round | undefined {
  const { set, index, uid, course, agent } = story;
  const planned = plannedRound(plan, set, index, course);
  if (planned === undefined) return undefined;
  const keys = planned.votes.map(nextKey);
  return {
    ...planned,
    ...voting,
    outcomeBefore,
    set,
    record: uid,
    author: { account: agent },
    keys,
  };
}

/** What is known of a record besides its statuses. */
interface Known {
  /** The status before the first step. */
  readonly first: number;
  /** Who gets the work. */
  readonly person: number | null;
  readonly round: Round | undefined;
}

/** The lines about the statuses, about the person who gets the work, and about the approval. */
export function storyLines(plan: DemoPlan, story: WorkStory, known: Known): readonly Line[] {
  const { set, steps, agent } = story;
  const { round, person } = known;
  let before = known.first;
  const lines = steps.flatMap(({ status, at }) => {
    const isDecision = round?.statusBefore !== null && round?.ends === at && round.asked < at;
    const author: Author = isDecision ? decisionOf(round) : { account: agent };
    const texts = [codeText(plan, before), codeText(plan, status)] as const;
    const line = changeLine(plan, set, at, [STATUS_MEMBER, ...texts], author);
    before = status;
    const isAssigning = person !== null && status === assigningStatus(set, story.index);
    return [
      ...(isDecision ? votingLines(plan, round) : []),
      line,
      ...(isAssigning ? [assigneeLine(plan, set, at, person, author)] : []),
      ...(round?.statusBefore !== null && round?.asked === at ? openingLines(plan, round) : []),
    ];
  });
  if (round === undefined) return lines;
  if (round.statusBefore === null)
    return [...lines, ...openingLines(plan, round), ...votingLines(plan, round)];
  return round.outcome === 'waiting' ? [...lines, ...votingLines(plan, round)] : lines;
}

/** A record before its votes and the lines of its history, the last of which shows when it was changed, and by whom. */
export function* recordWithHistory(
  plan: DemoPlan,
  { set, uid }: WorkStory,
  values: Values,
  { lines, round }: { readonly lines: readonly Line[]; readonly round?: Round | undefined },
  nextLine: () => number,
): Generator<SeedRecord> {
  yield { set, uid, values: { ...values, ...changedValues(plan, lines) } };
  if (round !== undefined) yield* voteRecords(plan, round);
  yield* lineRecords(`${set}/HistoryLines`, uid, lines, nextLine);
}

/** When the record was changed, and by whom, as its last line shows. */
export function changedValues(plan: DemoPlan, lines: readonly Line[]): Values {
  const last = lines.at(-1);
  if (last === undefined) return {};
  return {
    'Registration/DateModified': pointText(last.at),
    'Registration/ModifiedBy': writerOf(plan, last),
  };
}

/** A time as text, or null. */
export function textOf(time: number | undefined): string | null {
  return time === undefined ? null : pointText(time);
}
