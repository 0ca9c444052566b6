// This file generates demo records of projects, and the relations between records.

import { createdAt, textOf, workValues } from './course/work-story.ts';
import {
  type DemoPlan,
  keyAt,
  randomKey,
  recordsOf,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import { DAY, pointText } from './demo-time.ts';

export function projectRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, start, words } = plan;
  return recordsOf(plan, 'Projects', (index, random) => ({
    ...workValues(plan, random, ranges.Projects, index),
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
    ...projectDates(plan, index),
    ProjectManager: keyAt(ranges.Persons, index + 2),
    Sponsor: randomKey(random, ranges.Persons),
    ParentProject: index === 3 || index === 4 ? ranges.Projects.first : null,
  }));
}

/** Projects were imported with their dates, and have no lines. */
function projectDates(plan: DemoPlan, index: number): Values {
  const { created, started, finished, closed } = projectTimes(plan, index);
  return {
    ActualStart: textOf(started),
    ActualFinish: textOf(finished),
    ClosedAt: textOf(closed),
    'Registration/DateModified': pointText(closed ?? finished ?? started ?? created),
  };
}

/** When a project was made, and when its work began and ended. A completed one is closed two days later. */
export function projectTimes(plan: DemoPlan, index: number) {
  const created = createdAt(plan, plan.ranges.Projects, index);
  const place = index % STATUSES;
  const quarter = Math.floor((plan.options.now - created) / 4);
  const finished = place >= COMPLETED ? created + 3 * quarter : undefined;
  return {
    created,
    started: place >= IN_EXECUTION && place !== CANCELLED ? created + quarter : undefined,
    finished,
    closed: place > COMPLETED && finished !== undefined ? finished + 2 * DAY : undefined,
  };
}

/** The places of statuses in their list. */
const [IN_EXECUTION, COMPLETED, CANCELLED, STATUSES] = [2, 4, 6, 7];

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
