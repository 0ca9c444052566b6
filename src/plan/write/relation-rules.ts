// Adds guards for the relation rules of the model: relations without cycles, and entities that relate two others, which must
// differ and be related only once. Every change of a relation is a step of the plan, so the rules are derived from the steps.
// They run last, since only the final state counts.

import { invariant } from '../../base/fault.ts';
import {
  type EntityType,
  entityType,
  type Model,
  type Navigation,
  type Property,
  type RelationMembers,
  simpleName,
} from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { plannedFault } from './write-scope.ts';

type LinkStep = WriteStep & { readonly kind: 'link' };
type Rule = WriteStep & { readonly kind: 'acyclic' | 'apart' | 'once' };

/** Returns the steps, followed by the guards that the model requires. */
export function withRelationRules(model: Model, steps: Steps): Steps {
  return withFinalGuards(steps, (step) => rulesFor(model, step));
}

function rulesFor(model: Model, step: WriteStep): readonly FinalGuard[] {
  switch (step.kind) {
    case 'insert':
      return relatingRules(model, step.into, [step.type]).map(toGuard);
    case 'update':
      return updateRules(model, step).map(toGuard);
    case 'link':
      return linkRules(model, step).map(toGuard);
    default:
      return [];
  }
}

function toGuard(rule: Rule): FinalGuard {
  return rule.kind === 'acyclic'
    ? {
        step: rule,
        rows: [rule.to, rule.row],
        key: `${rule.row.name} ${rule.navigation.name} ${rule.to.name}`,
      }
    : { step: rule, rows: [rule.row], key: `${rule.kind} ${rule.row.name} ${rule.target.name}` };
}

function linkRules(model: Model, step: LinkStep): readonly Rule[] {
  const { row, path, navigation, action, to } = step;
  if (to === undefined || path.length > 0 || (action !== 'set' && action !== 'add')) return [];
  const partners = partnersOf(model, navigation);
  const isAcyclic = [navigation, ...partners].some(({ acyclic }) => acyclic === true);
  const parameters = { name: navigation.name, type: simpleName(row.source.type.name) };
  const fault = plannedFault('write.circle', parameters, navigation.name);
  return [
    ...(isAcyclic ? [{ kind: 'acyclic', row, navigation, to, fault } as const] : []),
    ...relatingRules(model, row, typesIn(model, row), [navigation]),
    ...relatingRules(model, to, typesIn(model, to), partners),
  ];
}

/** Rules for an update that changes the kind of relation. */
function updateRules(
  model: Model,
  { row, values }: WriteStep & { readonly kind: 'update' },
): readonly Rule[] {
  const changed = new Set(values.flatMap(({ path }) => path.slice(0, 1)));
  return typesIn(model, row).flatMap((type) => {
    const relation = relationOf(model, type);
    return relation?.by !== undefined && changed.has(relation.by)
      ? [once(row, type, relation)]
      : [];
  });
}

/** The possible types of a row in the register. */
function typesIn(model: Model, { source }: Register): readonly EntityType[] {
  return [source.type, ...model.derived(source.type)];
}

/**
 * Rules for a row that relates two entities.
 * @param triggers limits the rules to changes of these navigation properties
 */
function relatingRules(
  model: Model,
  row: Register,
  types: readonly EntityType[],
  triggers?: readonly Navigation[],
): readonly Rule[] {
  return types.flatMap((type): readonly Rule[] => {
    const relation = relationOf(model, type);
    if (relation === undefined) return [];
    const { source, target } = relation;
    const isAffected =
      triggers === undefined || triggers.some((one) => one === source || one === target);
    return isAffected ? [apart(row, type, relation), once(row, type, relation)] : [];
  });
}

function apart(row: Register, type: EntityType, { source, target }: Relation): Rule {
  const { name } = target;
  const parameters = { name, type: simpleName(type.name) };
  const fault = plannedFault('write.self-relation', parameters, name);
  return { kind: 'apart', row, source, target, fault };
}

function once(row: Register, type: EntityType, relation: Relation): Rule {
  const { target, by } = relation;
  const way = by === undefined ? '' : `, of the same "${by.name}"`;
  const parameters = { type: simpleName(type.name), way };
  const fault = plannedFault('write.related-already', parameters, target.name);
  return { kind: 'once', row, ...relation, fault };
}

/** The members of a type that relates two entities: the two navigation properties, and the kind of relation. */
interface Relation {
  readonly source?: Navigation | undefined;
  readonly target: Navigation;
  readonly by?: Property | undefined;
}

/** Undefined if the type does not relate entities. */
function relationOf(model: Model, type: EntityType): Relation | undefined {
  const relates = relatesOf(model, type);
  if (relates === undefined) return undefined;
  const members = model.stored(type);
  const navigation = (name: string): Navigation => {
    const member = members.get(name);
    invariant(member?.kind === 'navigation', `${type.name} has no navigation ${name}`);
    return member;
  };
  const by = members.get(relates.type ?? '');
  return {
    ...(relates.source === undefined ? {} : { source: navigation(relates.source) }),
    target: navigation(relates.target),
    ...(by?.kind === 'property' ? { by } : {}),
  };
}

/** The `relates` declaration of the type or its nearest base type. */
function relatesOf(model: Model, { relates, base }: EntityType): RelationMembers | undefined {
  if (relates !== undefined || base === undefined) return relates;
  return relatesOf(model, entityType(model, base));
}
