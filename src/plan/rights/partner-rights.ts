// Rights to the other side of relations. Setting a navigation property also changes its partner, which must not be withheld. If the other
// entity holds the reference, or if both sides are collections, the other entity changes as well, which needs the right to change it.
import { rightsTo } from '../../access/policy.ts';
import { Fault } from '../../base/fault.ts';
import type { NavigationPath, RowExpression } from '../../bind/bound.ts';
import { joinConditions, variable } from '../../bind/expression/constructors.ts';
import { entityType, type Navigation } from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import { changesPartner } from '../../edm/property-storage.ts';
import { bindingPath, type Source, targetSource } from '../../edm/source.ts';
import { bindModelExpression } from '../write/model-expression.ts';
import type { Writer } from '../write/write-scope.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { type Condition, rightsCondition } from './row-conditions.ts';
import { isReserved, reachesAll, withDerived } from './set-rights.ts';
import { actionFault, requireAction, requireMembers, stepsFor } from './write-rights.ts';

type LinkStep = WriteStep & { readonly kind: 'link' };

/**
 * Adds guards for the other side of relations.
 * Throws: access.write, access.write-member if they can be changed in no entity.
 */
export function withPartners(writer: Writer, steps: Steps): Steps {
  return writer.guard.rights.everything ? steps : guarded(writer, steps, new Set());
}

/** @param known names of rows that the write has created, which need no right to be changed */
function guarded(writer: Writer, steps: Steps, known: ReadonlySet<string>): Steps {
  const created = new Set(known);
  return steps.flatMap((step): Steps => {
    switch (step.kind) {
      case 'insert':
        created.add(step.into.name);
        return [step];
      case 'link':
        return guardedLink(writer, step, created);
      case 'branch': {
        const there = guarded(writer, step.there, created);
        return [{ ...step, there, absent: guarded(writer, step.absent, created) }];
      }
      case 'each':
        return [{ ...step, steps: guarded(writer, step.steps, created) }];
      default:
        return [step];
    }
  });
}

function guardedLink(writer: Writer, step: LinkStep, created: ReadonlySet<string>): Steps {
  const { model } = writer;
  const { row, navigation, to } = step;
  const partner = partnersOf(model, navigation)[0]?.name;
  if (partner === undefined) return [step];
  const isOther = changesPartner(model, navigation);
  const replaced = created.has(row.name) ? [] : requireReplaced(writer, step, partner);
  if (to === undefined) return [...replaced, step];
  const { type } = to.source;
  const changed = isOther && !created.has(to.name) ? requireAction(writer, to, type, 'change') : [];
  const members = new Set([partner]);
  return [...replaced, ...changed, step, ...requireMembers(writer, { row: to, type, members })];
}

/** Guards for the entities that lose the relation without being named: all, or the single one. */
function requireReplaced(writer: Writer, step: LinkStep, partner: string): Steps {
  const { navigation, action } = step;
  if (action === 'add' || action === 'remove') return [];
  if (action === 'clear') requireFreeMember(writer, navigation, partner);
  return changesPartner(writer.model, navigation) ? requireChangeable(writer, step) : [];
}

/** Throws: access.write-member if the account may not change the member of some entities, since it is not known which ones change. */
function requireFreeMember({ guard }: Writer, navigation: Navigation, member: string): void {
  const type = entityType(guard.model, navigation.target);
  if (
    withDerived(guard.model, type).every((one) => !rightsTo(guard.rights, one).writing.has(member))
  )
    return;
  throw new Fault('access.write-member', { member, type: type.name }, { target: navigation.name });
}

function requireChangeable(writer: Writer, step: LinkStep): Steps {
  const { model, rights } = writer.guard;
  const { row, navigation } = step;
  const source = sourceOfTarget(writer, row, step);
  if (reachesAll(model, rights, source, ['change'])) return [];
  const fault = actionFault('change', source.type);
  if (navigation.collection) throw new Fault(fault.code, fault.parameters, fault.place);
  const { type } = row.source;
  const path = bindingPath(model, type, [...step.path, navigation]);
  const isNone = bindModelExpression(model, `${path} eq null`, row.source, type);
  const mayChange = isReserved(rights, source) ? false : changeRight(writer, step, source);
  if (mayChange === true) return [];
  const expression = mayChange === false ? isNone : joinConditions('or', [isNone, mayChange]);
  return stepsFor(row, expression, fault);
}

/** The condition under which the account may change the target of a single-valued navigation. */
function changeRight(
  writer: Writer,
  { row, path, navigation }: LinkStep,
  source: Source,
): Condition {
  const from = variable(writer.variable(row.source, row.source.type));
  const target = writer.variable(source, source.type);
  const other: RowExpression = { kind: 'follow', from, path, navigation, target };
  return rightsCondition(writer.guard, other, source.type, (rights) => rights.actions.change);
}

/** The source of the entities at the other end. */
export function sourceOfTarget(
  { model }: Writer,
  { source }: Register,
  { path, navigation }: NavigationPath,
): Source {
  const binding = bindingPath(model, source.type, [...path, navigation]);
  return targetSource(model, source, source.type, navigation, binding);
}
