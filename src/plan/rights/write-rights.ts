// Adds the rights to create, change and delete to write plans: as an error if the right is missing for every row, or as a guard
// if it depends on the row. partner-rights.ts adds those to the other side of relations, and read-rights.ts handles the rights to read.

import { type Action, type Reach, rightsTo, type TypeRights } from '../../access/policy.ts';
import { Fault, toDetail } from '../../base/fault.ts';
import { variable } from '../../bind/expression/constructors.ts';
import type { EntityInput } from '../../bind/write/bound-write.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import { changesPartner, isUnique } from '../../edm/property-storage.ts';
import { withFinalGuards } from '../write/final-guards.ts';
import type { Writer } from '../write/write-scope.ts';
import { plannedFault } from '../write/write-scope.ts';
import type { PlannedFault, Register, Steps, WriteStep } from '../write-plan.ts';
import { type Condition, readableMember, rightsCondition } from './row-conditions.ts';
import { isReadInAll, isReserved } from './set-rights.ts';

type WriteAction = Exclude<Action, 'read'>;

/** Guards for an action on the row. Throws: access.write if it is never allowed. */
export function requireAction(
  writer: Writer,
  row: Register,
  type: EntityType,
  action: WriteAction,
): Steps {
  const only = action === 'create' ? creatable(rightsTo(writer.guard.rights, type)) : '';
  const fault = actionFault(action, type, only);
  if (isReserved(writer.guard.rights, row.source)) throw new Fault(fault.code, fault.parameters);
  return requireReach(writer, { row, type, fault }, (rights) => rights.actions[action]);
}

/** The fault for an account that may not act on the row. */
export function actionFault(action: WriteAction, { name }: EntityType, only = ''): PlannedFault {
  const denied = action === 'attach' ? 'change the files of' : action;
  return { code: 'access.write', parameters: { action: denied, type: name, only } };
}

/** What the account may create instead, in the words of its roles: ` It may create those for which Caller eq $me is true.` */
function creatable({ actions: { create } }: TypeRights): string {
  if (create.kind !== 'some') return '';
  const rules = create.rules.map(({ text }) => text.trim());
  const conditions = rules.length === 1 ? rules : rules.map((rule) => `(${rule})`);
  return ` It may create those for which ${conditions.join(' or ')} is true.`;
}

/** Guards for changing a row and members of it. Throws: access.write, access.write-member, access.member. */
export function requireChange(writer: Writer, written: WrittenMembers): Steps {
  return [
    ...requireAction(writer, written.row, written.type, 'change'),
    ...requireMembers(writer, written),
    ...concealStored(writer, written),
  ];
}

/** Guards for changing members of a row, or for setting those of a new one. Throws: access.write-member. */
export function requireMembers(
  writer: Writer,
  { row, type, members }: WrittenMembers,
  right: 'writing' | 'creating' = 'writing',
): Steps {
  return requireAll(
    row,
    [...members].map((member) => ({
      fault: plannedFault('access.write-member', { member, type: type.name }, member),
      condition: rightOf(writer, { row, type }, (rights) => rights[right].get(member) ?? ALL_ROWS),
    })),
  );
}

/**
 * Keeps the version of a row from disclosing whether a value that the account may not read is the written one. A dry run, and a change
 * set that fails later, leave no trace of such attempts. Dry runs write readable members only; others give the row another version in
 * any case. Throws: access.member.
 */
export function concealStored(writer: Writer, written: WrittenMembers): Steps {
  const { guard, isDryRun } = writer;
  if (guard.rights.everything) return [];
  const { row, type, members } = written;
  const tested = variable(writer.variable(row.source, type));
  const checks = [...members].map((member) => ({
    fault: plannedFault('access.member', { member, type: type.name, reason: '' }, member),
    condition: readableMember(guard, tested, type, member),
  }));
  if (isDryRun) return [...requireAll(row, checks), ...requireDisclosedUnique(writer, written)];
  return checks.every(({ condition }) => condition === true) ? [] : [{ kind: 'touch', row }];
}

/**
 * Rejects a dry run that sets a unique member, if the account may not read it in all records: the conflict with another record, which may
 * be an invisible one, discloses that record's value. Throws: access.member.
 */
export function requireDisclosedUnique(
  { guard: { model, rights }, isDryRun }: Writer,
  { row: { source }, type, members }: WrittenMembers,
): Steps {
  if (!isDryRun) return [];
  const reason = ' in all records. A dry run cannot set it, because it is unique';
  const hidden = [...members].filter(
    (member) => isUnique(model, type, member) && !isReadInAll(model, rights, source, member),
  );
  throwAll(
    hidden.map((member) =>
      plannedFault('access.member', { member, type: type.name, reason }, member),
    ),
  );
  return [];
}

interface Check {
  readonly condition: Condition;
  readonly fault: PlannedFault;
}

/** Guards for all conditions. Throws one fault for those that are never true. */
function requireAll(row: Register, checks: readonly Check[]): Steps {
  throwAll(checks.flatMap(({ condition, fault }) => (condition === false ? [fault] : [])));
  return checks.flatMap(({ condition, fault }) => stepsFor(row, condition, fault));
}

/** Adds guards for grants that must still permit the change when it has been made, so that nobody passes on what only others may. */
export function withLastingRights(writer: Writer, steps: Steps): Steps {
  const { rights, model } = writer.guard;
  if (rights.everything) return steps;
  return withFinalGuards(steps, (step) =>
    changedRows(model, step).flatMap((row) => {
      const { type } = row.source;
      if (!rightsTo(rights, type).isLasting) return [];
      const guards = requireAction(writer, row, type, 'change');
      return guards.map((guard) => ({ step: guard, rows: [row], key: `${row.name} lasting` }));
    }),
  );
}

function changedRows(model: Model, step: WriteStep): readonly Register[] {
  if (step.kind === 'update') return [step.row];
  if (step.kind !== 'link') return [];
  const { row, to, navigation } = step;
  return to !== undefined && changesPartner(model, navigation) ? [row, to] : [row];
}

/** Requires the right to change many rows in one request. Throws: access.write-many. */
export function requireMany({ guard }: Writer): void {
  if (!guard.rights.updatesAll) throw new Fault('access.write-many');
}

interface WrittenMembers extends TypedRow {
  readonly members: ReadonlySet<string>;
}

/** Throws one fault for all members that the right never covers. */
function throwAll(refusals: readonly PlannedFault[]): void {
  const faults = refusals.map(({ code, parameters, place }) => new Fault(code, parameters, place));
  const [first, ...more] = refusals;
  if (first === undefined) return;
  const details = more.length === 0 ? [] : faults.map(toDetail);
  throw new Fault(first.code, first.parameters, { ...first.place, details });
}

/** Names of the members that the input sets. */
export function membersOf(input: EntityInput): ReadonlySet<string> {
  const paths = [...input.values.map((value) => value.path)];
  const related = [...input.links, ...input.children].map(({ path, navigation }) => [
    ...path,
    navigation,
  ]);
  const names = [...paths, ...related].flatMap(([first]) =>
    first === undefined ? [] : [first.name],
  );
  const dynamic = [...input.dynamic.keys()].filter((name) => !name.includes('@'));
  return new Set([...names, ...dynamic]);
}

const ALL_ROWS: Reach = { kind: 'all' };

function requireReach(
  writer: Writer,
  { fault, ...target }: TypedRow & { readonly fault: PlannedFault },
  pick: (rights: TypeRights) => Reach,
): Steps {
  const condition = rightOf(writer, target, pick);
  if (condition === false) throw new Fault(fault.code, fault.parameters, fault.place);
  return stepsFor(target.row, condition, fault);
}

interface TypedRow {
  readonly row: Register;
  readonly type: EntityType;
}

/** The condition under which the right applies to the row. */
function rightOf(
  writer: Writer,
  { row, type }: TypedRow,
  pick: (rights: TypeRights) => Reach,
): Condition {
  const { guard } = writer;
  if (guard.rights.everything) return true;
  return rightsCondition(guard, variable(writer.variable(row.source, type)), type, pick);
}

/** The guard for a condition that depends on the row. */
export function stepsFor(row: Register, condition: Condition, fault: PlannedFault): Steps {
  return typeof condition === 'boolean'
    ? []
    : [{ kind: 'require', row, expression: condition, fault }];
}
