// This file puts into write plans what the model says of relations: which of them never lead back to where they start, and which entities
// relate two others: not one to itself, and no two of them the same. Every way to relate rows is a step of the plan, so that the rules are
// found there, whoever has asked for the step. They are looked at behind all other steps, since what counts is how things are in the end.
import { invariant } from '../../base/fault.ts';
import {
  type EntityType,
  entityType,
  type Model,
  type Navigation,
  type Property,
  type Relating,
  simpleName,
} from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import type { Refusal, Register, WriteStep } from '../write-plan.ts';

type LinkStep = WriteStep & { readonly kind: 'link' };
type Rule = WriteStep & { readonly kind: 'acyclic' | 'apart' | 'once' };

/** The steps, and the guards behind them that the model asks for. */
export function withRelationRules(model: Model, steps: readonly WriteStep[]): readonly WriteStep[] {
  const { inner, rules } = ruled(model, steps);
  return rules.length === 0 ? inner : [...inner, ...rules];
}

interface Ruled {
  readonly inner: readonly WriteStep[];
  readonly rules: readonly WriteStep[];
}

function ruled(model: Model, steps: readonly WriteStep[]): Ruled {
  const parts = steps.map((step) => ruleStep(model, step));
  const rules = parts.flatMap((part) => part.rules);
  const named = new Map(rules.map((rule) => [ruleName(rule), rule]));
  return { inner: parts.flatMap((part) => part.inner), rules: [...named.values()] };
}

function ruleStep(model: Model, step: WriteStep): Ruled {
  switch (step.kind) {
    case 'insert':
      return { inner: [step], rules: relatingRules(model, step.into, [step.type]) };
    case 'update':
      return { inner: [step], rules: updateRules(model, step) };
    case 'link':
      return { inner: [step], rules: linkRules(model, step) };
    case 'branch': {
      const [there, absent] = [ruled(model, step.there), ruled(model, step.absent)];
      const inner = { ...step, there: there.inner, absent: absent.inner };
      return { inner: [inner], rules: [...there.rules, ...absent.rules].map(whereHeld) };
    }
    // Its registers hold other rows in the next round.
    case 'each':
      return { inner: [{ ...step, steps: withRelationRules(model, step.steps) }], rules: [] };
    default:
      return { inner: [step], rules: [] };
  }
}

/** A rule for rows that only one of two ways has found or made. */
function whereHeld(rule: WriteStep): WriteStep {
  if (rule.kind !== 'acyclic' && rule.kind !== 'apart' && rule.kind !== 'once') return rule;
  const rows = rule.kind === 'acyclic' ? [rule.to, rule.row] : [rule.row];
  return rows.reduce<WriteStep>(
    (there, on) => ({ kind: 'branch', on, there: [there], absent: [] }),
    rule,
  );
}

/** The same rule of the same rows is looked at once. */
function ruleName(rule: WriteStep): string {
  switch (rule.kind) {
    case 'acyclic':
      return `${rule.row.name} ${rule.navigation.name} ${rule.to.name}`;
    case 'apart':
    case 'once':
      return `${rule.kind} ${rule.row.name} ${rule.target.name}`;
    case 'branch':
      return rule.there.map(ruleName).join();
    default:
      return rule.kind;
  }
}

function linkRules(model: Model, step: LinkStep): readonly Rule[] {
  const { row, path, navigation, action, to } = step;
  if (to === undefined || path.length > 0 || (action !== 'set' && action !== 'add')) return [];
  const back = partnersOf(model, navigation);
  const isAcyclic = [navigation, ...back].some(({ acyclic }) => acyclic === true);
  const parameters = { name: navigation.name, type: simpleName(row.source.type.name) };
  const place = { target: navigation.name };
  const refusal: Refusal = { code: 'write.circle', parameters, place };
  return [
    ...(isAcyclic ? [{ kind: 'acyclic', row, navigation, to, refusal } as const] : []),
    ...relatingRules(model, row, typesIn(model, row), [navigation]),
    ...relatingRules(model, to, typesIn(model, to), back),
  ];
}

/** Another way in which the two are related. */
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

/** The types that a row of the register can be of. */
function typesIn(model: Model, { source }: Register): readonly EntityType[] {
  const types = [source.type, ...model.derived(source.type)];
  return types.filter((type) => type.kind === 'entity');
}

/** What holds for a row that relates two others. @param by where a change of these navigations alone is the occasion */
function relatingRules(
  model: Model,
  row: Register,
  types: readonly EntityType[],
  by?: readonly Navigation[],
): readonly Rule[] {
  return types.flatMap((type): readonly Rule[] => {
    const relation = relationOf(model, type);
    if (relation === undefined) return [];
    const { source, target } = relation;
    const isOccasion = by === undefined || by.some((one) => one === source || one === target);
    return isOccasion ? [apart(row, type, relation), once(row, type, relation)] : [];
  });
}

function apart(row: Register, type: EntityType, { source, target }: Relation): Rule {
  const { name } = target;
  const parameters = { name, type: simpleName(type.name) };
  const refusal: Refusal = { code: 'write.self-relation', parameters, place: { target: name } };
  return { kind: 'apart', row, ...(source === undefined ? {} : { source }), target, refusal };
}

function once(row: Register, type: EntityType, relation: Relation): Rule {
  const { target, by } = relation;
  const way = by === undefined ? '' : `, of the same "${by.name}"`;
  const parameters = { type: simpleName(type.name), way };
  const place = { target: target.name };
  return {
    kind: 'once',
    row,
    ...relation,
    refusal: { code: 'write.related-already', parameters, place },
  };
}

/** The members of a type that relates entities: where its two navigations lead, and in what way the two are related. */
interface Relation {
  readonly source?: Navigation;
  readonly target: Navigation;
  readonly by?: Property;
}

/** Undefined for types that relate nothing. */
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

/** What the type, or the nearest above it, says of what its entities relate. */
function relatesOf(model: Model, { relates, base }: EntityType): Relating | undefined {
  if (relates !== undefined || base === undefined) return relates;
  return relatesOf(model, entityType(model, base));
}
