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
import { plannedFault } from './write-scope.ts';

type LinkStep = WriteStep & { readonly kind: 'link' };
type Rule = WriteStep & { readonly kind: 'acyclic' | 'apart' | 'once' };

/** Returns the steps, followed by the guards that the model requires. */
export function withRelationRules(model: Model, steps: Steps): Steps {
  const { steps: inner, rules } = splitRules(model, steps);
  return rules.length === 0 ? inner : [...inner, ...rules];
}

interface StepsWithRules {
  readonly steps: Steps;
  readonly rules: Steps;
}

function splitRules(model: Model, steps: Steps): StepsWithRules {
  const parts = steps.map((step) => ruleStep(model, step));
  const rules = parts.flatMap((part) => part.rules);
  const uniqueRules = new Map(rules.map((rule) => [ruleKey(rule), rule]));
  return { steps: parts.flatMap((part) => part.steps), rules: [...uniqueRules.values()] };
}

function ruleStep(model: Model, step: WriteStep): StepsWithRules {
  switch (step.kind) {
    case 'insert':
      return { steps: [step], rules: relatingRules(model, step.into, [step.type]) };
    case 'update':
      return { steps: [step], rules: updateRules(model, step) };
    case 'link':
      return { steps: [step], rules: linkRules(model, step) };
    case 'branch': {
      const [there, absent] = [splitRules(model, step.there), splitRules(model, step.absent)];
      const inner = { ...step, there: there.steps, absent: absent.steps };
      return { steps: [inner], rules: [...there.rules, ...absent.rules].map(ifPresent) };
    }
    // Its registers hold other rows in the next iteration.
    case 'each':
      return { steps: [{ ...step, steps: withRelationRules(model, step.steps) }], rules: [] };
    default:
      return { steps: [step], rules: [] };
  }
}

/** Checks the rule only if the branch found or created its rows. */
function ifPresent(rule: WriteStep): WriteStep {
  if (rule.kind !== 'acyclic' && rule.kind !== 'apart' && rule.kind !== 'once') return rule;
  const rows = rule.kind === 'acyclic' ? [rule.to, rule.row] : [rule.row];
  return rows.reduce<WriteStep>(
    (there, on) => ({ kind: 'branch', on, there: [there], absent: [] }),
    rule,
  );
}

/** Identifies a rule, so that duplicates run once. */
function ruleKey(rule: WriteStep): string {
  switch (rule.kind) {
    case 'acyclic':
      return `${rule.row.name} ${rule.navigation.name} ${rule.to.name}`;
    case 'apart':
    case 'once':
      return `${rule.kind} ${rule.row.name} ${rule.target.name}`;
    case 'branch':
      return rule.there.map(ruleKey).join();
    default:
      return rule.kind;
  }
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
  const members = model.members(type);
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
