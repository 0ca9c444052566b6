// This file generates demo records of projects, problems, changes with approver votes, incidents, work orders and the relations
// between records.
import { recordValues } from './demo-base.ts';
import {
  type DemoPlan,
  keyAt,
  loginAt,
  type Range,
  randomKey,
  recordsOf,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { clockChanges, DAY, HOUR, HOUR_OF_NANOSECONDS, pointText } from './demo-time.ts';

/** The values that all kinds of work have in common. The position in the range determines the age. */
function workValues(plan: DemoPlan, random: Random, range: Range, index: number): Values {
  const { ranges, start, options, words } = plan;
  const created = start + Math.floor(((options.now - HOUR - start) * index) / range.count);
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
    'Registration/DateModified': pointText(Math.min(options.now, created + (index % 90) * HOUR)),
  };
}

/** Records of one kind of work. `specificValues` returns the values of that kind. */
function workRecords(
  plan: DemoPlan,
  set: 'Projects' | 'Problems' | 'Changes' | 'Incidents',
  specificValues: (random: Random, index: number) => Values,
): Generator<SeedRecord> {
  return recordsOf(plan, set, (index, random) => ({
    ...workValues(plan, random, plan.ranges[set], index),
    ...specificValues(random, index),
  }));
}

export function projectRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, start, words } = plan;
  return workRecords(plan, 'Projects', (random, index) => ({
    Name: `${words.services[index] ?? 'Project'} 2.0`,
    Description: index === 5 ? null : `Renewal of ${(words.services[index] ?? '').toLowerCase()}`,
    Status: 106001 + (index % 7),
    ClosureCode: index % 7 === 5 ? 226001 : null,
    Category: 225001 + (index % 4),
    PlanStart: pointText(start + index * 30 * DAY),
    PlanFinish: pointText(start + (index + 9) * 30 * DAY),
    'Budget/Amount': `${(index + 1) * 25_000}.00`,
    'Budget/Currency': 'EUR',
    'ActualCost/Amount': index === 0 ? null : `${index * 13_370}.25`,
    'ActualCost/Currency': index === 0 ? null : 'EUR',
    PercentComplete: index * 12,
    Phase: 218001 + (index % 5),
    ProjectManager: keyAt(ranges.Persons, index + 2),
    Sponsor: randomKey(random, ranges.Persons),
    ParentProject: index === 3 || index === 4 ? ranges.Projects.first : null,
  }));
}

export function problemRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { words } = plan;
  return workRecords(plan, 'Problems', (random, index) => {
    const status = 103001 + (index % 8);
    const isKnown = status === 103004 || status === 103006 || status === 103007;
    return {
      Description: `Again and again: ${random.pick(words.things)} ${random.pick(words.complaints)}`,
      Status: status,
      ClosureCode: status === 103007 ? 132001 + random.below(4) : null,
      Category: 223001 + random.below(2),
      KnownError: isKnown,
      RootCause: isKnown ? random.pick(words.sentences) : null,
      RootCauseCode: isKnown ? 221001 + random.below(8) : null,
      Workaround: isKnown ? 'Restart the service every night.' : null,
      Solution: status >= 103006 && isKnown ? random.pick(words.solutions) : null,
      ReviewDate: index % 3 === 0 ? pointText(plan.options.now + index * DAY) : null,
      ProblemManager: randomKey(random, plan.ranges.Persons),
    };
  });
}

export function changeRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options, words } = plan;
  const edges = clockChanges(options.now);
  return workRecords(plan, 'Changes', (random, index) => {
    const status = 104001 + (index % 11);
    const type = 141001 + random.below(3);
    const begin = index % 6 === 5 ? random.pick(edges) : options.now + (index - 70) * DAY;
    const isPlanned = status > 104003;
    return {
      Description: `Change of ${random.pick(words.things)}`,
      Status: status,
      ClosureCode: status === 104008 ? 133001 + random.below(5) : null,
      Category: type,
      ChangeType: type,
      Reason: random.pick(words.sentences),
      ImplementationPlan: isPlanned ? '1. Announce\n2. Back up\n3. Change\n4. Test' : null,
      BackoutPlan: isPlanned ? 'Restore the back-up.' : null,
      TestPlan: index % 3 === 0 ? 'Let two users log in.' : null,
      Risk: index % 10 === 9 ? null : 215001 + random.below(4),
      OutageExpected: random.happens(30),
      PlanStart: isPlanned ? pointText(begin) : null,
      PlanFinish: isPlanned ? pointText(begin + 2 * HOUR) : null,
      PlanDuration: isPlanned ? 2 * HOUR_OF_NANOSECONDS : null,
      'ScheduledWindow/Start': isPlanned ? pointText(begin) : null,
      'ScheduledWindow/End': isPlanned ? pointText(begin + 2 * HOUR) : null,
      'Approval/Status': status === 104003 ? 170002 : isPlanned ? 170003 : 170001,
      'Approval/NrOfApproversRequired': 1,
      'Approval/Workgroup': keyAt(ranges.Workgroups, 9),
      Manager: randomKey(random, ranges.Persons),
      Project: index % 5 === 4 ? randomKey(random, ranges.Projects) : null,
    };
  });
}

export function voteRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options } = plan;
  return recordsOf(plan, 'ApproverVotes', (index) => {
    const isOpen = index % 11 < 3;
    const created = pointText(options.now - (index % 300) * DAY);
    return {
      Approved: isOpen ? null : index % 11 !== 8,
      Reason: index % 11 === 8 ? "Risk isn't described" : null,
      VotedAt: isOpen ? null : created,
      Record: keyAt(ranges.Changes, index),
      Person: keyAt(ranges.Persons, index * 3 + 1),
      'Registration/DateCreated': created,
      'Registration/DateModified': created,
      'Registration/CreatedBy': loginAt(plan, index % 12),
      'Registration/ModifiedBy': 'demo',
    };
  });
}

export function incidentRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, start, options, words } = plan;
  const { count } = ranges.Incidents;
  return workRecords(plan, 'Incidents', (random, index) => {
    const status = index < count * 0.8 ? 102006 : 102001 + random.below(7);
    const isRestored = status === 102005 || status === 102006;
    const detected = start + Math.floor(((options.now - 3 * HOUR - start) * index) / count);
    const hours = 1 + random.below(48);
    return {
      Description: `${random.pick(words.services)}: ${random.pick(words.complaints)}`,
      Status: status,
      ClosureCode: isRestored ? 131001 + random.below(8) : null,
      Category: 222001 + random.below(4),
      Severity: 113001 + random.below(4),
      Medium: random.happens(60) ? 120006 : 120001,
      Solution: isRestored ? random.pick(words.solutions) : null,
      DetectedAt: pointText(detected),
      RestoredAt: isRestored ? pointText(Math.min(options.now, detected + hours * HOUR)) : null,
      MajorIncident: index % 35 === 34,
      SourceEvent: random.happens(60) ? `disk.full host-${index + 1} OS` : null,
      DowntimeDuration: isRestored ? hours * HOUR_OF_NANOSECONDS : null,
      'Sla/State': isRestored ? 200004 : 200001,
      'Sla/ServiceLevel': keyAt(ranges.ServiceLevels, index),
      Caller: random.happens(50) ? randomKey(random, ranges.Persons) : null,
      Problem: random.happens(25) ? randomKey(random, ranges.Problems) : null,
    };
  });
}

const PARENTS = ['ServiceRequest', 'Incident', 'Problem', 'Change', 'Project'] as const;
const PARENT_SETS = ['ServiceRequests', 'Incidents', 'Problems', 'Changes', 'Projects'] as const;

export function workorderRecords(plan: DemoPlan): Generator<SeedRecord> {
  return recordsOf(plan, 'Workorders', (index, random) => workorderValues(plan, random, index));
}

/** The index of the parent's kind in PARENTS. Most work orders belong to requests, and some have no parent. */
function parentKind(random: Random): number {
  const share = random.below(100);
  return share < 70 ? 0 : share < 80 ? 1 : share < 84 ? 2 : share < 92 ? 3 : share < 95 ? 4 : 5;
}

function workorderValues(plan: DemoPlan, random: Random, index: number): Values {
  const { ranges, start, options, words } = plan;
  const { count } = ranges.Workorders;
  const created = start + Math.floor(((options.now - HOUR - start) * index) / count);
  const kind = parentKind(random);
  const set = PARENT_SETS[kind];
  const parents = set === undefined || ranges[set].count === 0 ? undefined : ranges[set];
  const parent = parents === undefined ? null : randomKey(random, parents);
  const status = index < count * 0.8 ? 105007 : 105001 + random.below(9);
  const isDone = status === 105006 || status === 105007;
  const hasCost = index % 7 === 3;
  return {
    ID: index + 1,
    Description: `${random.pick(words.things)}: ${isDone ? 'done' : 'to do'}`,
    Information: random.happens(50) ? random.pick(words.sentences) : null,
    Solution: isDone ? random.pick(words.solutions) : null,
    SourceID: index % 9 === 8 ? `WO-${index}` : null,
    Status: status,
    ClosureCode: isDone ? 134001 + random.below(4) : null,
    Category: 224001 + random.below(7),
    Priority: 110001 + random.below(5),
    Impact: 111001 + random.below(5),
    Sequence: 1 + (index % 4),
    Deadline: pointText(created + 3 * DAY),
    PlanStart: index % 3 === 0 ? pointText(created + DAY) : null,
    ActualFinish: isDone ? pointText(Math.min(options.now, created + 2 * DAY)) : null,
    LaborTime: isDone ? (1 + random.below(16)) * 0.25 * HOUR_OF_NANOSECONDS : null,
    'Cost/Amount': hasCost ? `${random.below(500)}.75` : null,
    'Cost/Currency': hasCost ? 'EUR' : null,
    Location: random.happens(40) ? randomKey(random, ranges.Locations) : null,
    ...parentOf(kind, parent),
    'Assignment/AssigneeWorkgroup': random.happens(95)
      ? randomKey(random, ranges.Workgroups)
      : null,
    'Assignment/AssigneePerson': random.happens(70) ? randomKey(random, ranges.Persons) : null,
    Folder: 190001 + (index % 3),
    Blocked: null,
    ExternalReferences: '[]',
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(Math.min(options.now, created + (index % 60) * HOUR)),
    'Registration/CreatedBy': loginAt(plan, index % 12),
    'Registration/ModifiedBy': loginAt(plan, index % 5),
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

export function relationRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ServiceRequests: requests, Incidents: incidents, Problems: problems } = plan.ranges;
  const created = pointText(plan.options.now - DAY);
  return recordsOf(plan, 'RecordRelations', (index) => ({
    Type: 201001 + (index % 7),
    Remark: index % 3 === 2 ? 'Found by comparing the "log files"' : null,
    Source: keyAt(incidents, index),
    Target: keyAt(index % 2 === 0 && requests.count > 0 ? requests : problems, index),
    'Registration/DateCreated': created,
    'Registration/DateModified': created,
    'Registration/CreatedBy': 'demo',
    'Registration/ModifiedBy': 'demo',
  }));
}
