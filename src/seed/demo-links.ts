// This file generates the links of the demo data, such as members of workgroups, items of services and related work. Links are unique,
// and chains of work orders have no cycles.
import { approvalGroup } from './course/approvals.ts';
import { CHANGE } from './course/courses.ts';
import { approversIn } from './course/rounds.ts';
import { timeOf } from './course/story.ts';
import { indexAt, workStory } from './course/work-story.ts';
import { hasPredecessor } from './demo-parents.ts';
import { type DemoPlan, keyAt, randomFor, type SeedLink } from './demo-plan.ts';
import type { DemoSet } from './demo-sizes.ts';

/** Links of one navigation: from `start`, every `step`th source gets `each` targets. */
type LinkRule = readonly [
  set: DemoSet,
  navigation: string,
  target: DemoSet,
  start: number,
  step: number,
  each: number,
];

const AGREEMENT_RULES: readonly LinkRule[] = [
  ['Schedules', 'Calendars', 'Calendars', 1, 1, 1],
  ['ServiceLevelAgreements', 'ReceiverOrganizations', 'Organizations', 0, 2, 2],
  ['ServiceLevelAgreements', 'ReceiverPersons', 'Persons', 1, 4, 3],
];

const RULES: readonly LinkRule[] = [
  ['Services', 'ConfigurationItems', 'ConfigurationItems', 0, 1, 5],
  ['MaintenanceContracts', 'ConfigurationItems', 'ConfigurationItems', 0, 1, 8],
  ['MaintenanceContracts', 'Services', 'Services', 0, 3, 2],
  ['ConfigurationItems', 'Users', 'Persons', 0, 3, 2],
  ['Templates', 'Roles', 'Roles', 0, 10, 2],
  ['Projects', 'Members', 'Persons', 0, 1, 6],
  ['ServiceRequests', 'ConfigurationItems', 'ConfigurationItems', 7, 20, 2],
  ['ServiceRequests', 'Incidents', 'Incidents', 3, 25, 1],
  ['ServiceRequests', 'Problems', 'Problems', 5, 60, 1],
  ['ServiceRequests', 'Changes', 'Changes', 9, 40, 1],
  ['Incidents', 'Changes', 'Changes', 2, 15, 1],
];

/** The holidays of schedules and the receivers of agreements. */
export function* agreementLinks(plan: DemoPlan): Generator<SeedLink> {
  for (const linkRule of AGREEMENT_RULES) yield* ruleLinks(plan, linkRule);
}

/** All other links: members of workgroups, roles of accounts, the rules, changes of problems, and chains of work orders. */
export function* otherLinks(plan: DemoPlan): Generator<SeedLink> {
  yield* memberLinks(plan);
  yield* roleLinks(plan);
  for (const linkRule of RULES) yield* ruleLinks(plan, linkRule);
  yield* problemChangeLinks(plan);
  yield* predecessorLinks(plan);
}

/** Each person is in one workgroup, every fourth in a second one. Approvers, and nobody else, are in the last one. */
function* memberLinks(plan: DemoPlan): Generator<SeedLink> {
  const { Persons: persons, Workgroups: groups } = plan.ranges;
  const others = { ...groups, count: Math.max(1, groups.count - 1) };
  for (let index = 0; index < persons.count; index++) {
    const target = persons.first + index;
    const link = { set: 'Workgroups', navigation: 'Members', target };
    yield { ...link, source: keyAt(others, index) };
    if (index % 4 === 0 && others.count > 1) yield { ...link, source: keyAt(others, index + 3) };
  }
  if (groups.count === 1) return;
  for (const index of approversIn(plan.words)) {
    const link = { set: 'Workgroups', navigation: 'Members', source: approvalGroup(plan) };
    yield { ...link, target: keyAt(persons, index) };
  }
}

function* roleLinks({ ranges, words, options }: DemoPlan): Generator<SeedLink> {
  for (const [index, { roles }] of words.accounts.entries()) {
    const source = keyAt(ranges.Accounts, index);
    for (const role of roles) {
      const at = options.roles.findIndex(({ name }) => name === role);
      if (at < 0) continue;
      yield { set: 'Accounts', navigation: 'Roles', source, target: keyAt(ranges.Roles, at) };
    }
  }
}

function* ruleLinks(
  plan: DemoPlan,
  [set, navigation, target, start, step, each]: LinkRule,
): Generator<SeedLink> {
  const { [set]: sources, [target]: targets } = plan.ranges;
  const random = randomFor(plan, 'links');
  const count = Math.min(each, targets.count);
  for (let index = start; index < sources.count; index += step) {
    const offset = random.below(targets.count);
    const source = sources.first + index;
    for (let link = 0; link < count; link++) {
      yield { set, navigation, source, target: keyAt(targets, offset + link) };
    }
  }
}

function* predecessorLinks(plan: DemoPlan): Generator<SeedLink> {
  const { first, count } = plan.ranges.Workorders;
  for (let index = 0; index < count; index++) {
    if (!hasPredecessor(plan, index)) continue;
    const link = { set: 'Workorders', navigation: 'Predecessors' };
    yield { ...link, source: first + index, target: first + index - 1 };
  }
}

/** Every fourth problem has a change. If the problem is resolved, the change was closed or cancelled before. */
function* problemChangeLinks(plan: DemoPlan): Generator<SeedLink> {
  const { Problems: problems, Changes: changes } = plan.ranges;
  const random = randomFor(plan, 'links');
  for (let index = 1; index < problems.count; index += 4) {
    const offset = random.below(changes.count);
    const resolved = timeOf(workStory(plan, 'Problems', index).steps, RESOLVED);
    const change = resolved === undefined ? offset : changeBefore(plan, resolved);
    if (change === undefined) continue;
    const link = { set: 'Problems', navigation: 'Changes', source: problems.first + index };
    yield { ...link, target: changes.first + change };
  }
}

/** The index of the latest change that was closed or cancelled before a time. */
function changeBefore(plan: DemoPlan, time: number): number | undefined {
  const made = indexAt(plan, 'Changes', time);
  for (let index = made; index >= 0; index--) {
    const { steps } = workStory(plan, 'Changes', index);
    if ((timeOf(steps, CHANGE.closed, CHANGE.cancelled) ?? Infinity) <= time) return index;
  }
  return undefined;
}

/** The status of problems that needs their changes to be final. */
const RESOLVED = 103006;
