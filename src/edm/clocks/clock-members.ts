// This file lists the members that the calculation of clocks reads and writes, in the order in which statements return them.
import { perObject, perPair } from '../../base/memo.ts';
import { type EntityType, entitySet, lineage, type Model } from '../model.ts';
import { targetAt } from '../source.ts';
import type { ClockRule, ClockRules } from './clock-rules.ts';

/** The clocks of the type, its own or inherited. */
export function clocksOf(model: Model, type: EntityType): ClockRules | undefined {
  return foundClocks(model, type).rules;
}

const foundClocks = perPair((model: Model, type: EntityType) => {
  const all = lineage(type, model.types).map((one) =>
    one.kind === 'entity' ? one.clocks : undefined,
  );
  return { rules: all.find((rules) => rules !== undefined) };
});

/** The paths of the stored members that the calculation may set. */
export const calculatedPaths = perObject((rules: ClockRules): readonly string[] => {
  const { priority, clocks, timers, record, nextMark, outdatedSince, state } = rules;
  const { chosenAgreement, chosenLevel } = rules;
  const own = clocks.flatMap((clock) => [
    clock.deadline,
    clock.manual,
    clock.copiedTo,
    clock.state,
    clock.outcome,
    clock.stoppedAt,
    clock.mark,
    clock.pausedTotal,
    clock.elapsed,
    clock.remaining,
  ]);
  const members = [priority.member, priority.manual, record, nextMark, outdatedSince, state];
  const times = timers.map(({ member }) => member);
  return [...members, chosenAgreement, chosenLevel, ...own, ...times].filter(
    (path) => path !== undefined,
  );
});

/**
 * Begins what the service replaces by a deadline, and is the name of the member with what that depends on: an escaped control character, so
 * that the record stays valid JSON and no text of users can contain it.
 */
export const DEADLINE_MARK = '\\u0002';

/** The suffix of the column that holds the schedule by which a clock runs, after the path of its deadline. */
export const SCHEDULE_SUFFIX = '#schedule';

/** The column that holds the schedule by which the clock runs; undefined if no member shows its time. */
export function scheduleOf({ deadline, elapsed, remaining }: ClockRule): string | undefined {
  return elapsed === undefined && remaining === undefined
    ? undefined
    : `${deadline}${SCHEDULE_SUFFIX}`;
}

/** In place of a schedule, for clocks that do not run: their position stays 0. */
export const PAUSED = 0n;
export const STOPPED = 1n;

/** The paths of the members whose calculation has lines in the history: what users need to understand later. Other results follow from it, or change with every status. */
export const recordedPaths = perObject((rules: ClockRules): ReadonlySet<string> => {
  const { priority, clocks, chosenAgreement, chosenLevel } = rules;
  const own = clocks.flatMap(({ deadline, mark, manual }) =>
    manual === undefined ? [mark] : [deadline, mark],
  );
  const paths = [priority.member, chosenAgreement, chosenLevel, ...own];
  return new Set(paths.filter((path) => path !== undefined));
});

/** What the calculation stores: members by their paths, then schedules. */
export const calculatedColumns = perObject((rules: ClockRules): readonly string[] => [
  ...calculatedPaths(rules),
  ...rules.clocks.flatMap((clock) => scheduleOf(clock) ?? []),
]);

/** Whether the value of a member changes without a write: elapsed and remaining time. @param path its path in entities of the type */
export function isVolatile(model: Model, type: EntityType, path: string): boolean {
  return volatilePaths(model, type).has(path);
}

const volatilePaths = perPair((model: Model, type: EntityType) => {
  const types = [type, ...model.derived(type)].filter((one) => one.kind === 'entity');
  const clocks = types.flatMap((one) => clocksOf(model, one)?.clocks ?? []);
  return new Set(
    clocks.flatMap(({ elapsed, remaining }) => [elapsed ?? [], remaining ?? []].flat()),
  );
});

/** The paths of stored members that the calculation only reads. */
export function readPaths({ status, priority }: ClockRules): readonly string[] {
  return [status, priority.impact];
}

/** The expressions that the calculation reads: the start, those of the priority, `StoppedIf` of clocks, and the keys that agreements match. */
export function readExpressions(
  model: Model,
  type: EntityType,
  rules: ClockRules,
): readonly string[] {
  const { start, agreement, priority } = rules;
  const visible = (text: string, otherwise: string) =>
    readsHidden(model, type, text) ? otherwise : text;
  const matched = (agreement?.match ?? []).flatMap(({ alternatives }) =>
    alternatives.map(({ is }) => visible(`${is}/${keyOfTarget(model, type, is)}`, 'null')),
  );
  const { otherwise = 'null', raisedIf = 'false' } = priority;
  return [
    visible(start, 'null'),
    visible(otherwise, 'null'),
    visible(raisedIf, 'false'),
    ...stopConditions(rules).map((condition) => visible(condition, 'false')),
    ...matched,
  ];
}

/** The conditions that stop clocks, in the order of the clocks that have one. */
export function stopConditions({ clocks }: ClockRules): readonly string[] {
  return clocks.flatMap(({ stoppedIf }) => stoppedIf ?? []);
}

/** An extension can hide members. Then expressions that read them have no value. */
function readsHidden(model: Model, type: EntityType, text: string): boolean {
  const [stored, visible] = [model.stored(type), model.members(type)];
  return namesIn(text).some((name) => stored.has(name) && !visible.has(name));
}

/** The key property of the entity that a path of navigations refers to. */
function keyOfTarget(model: Model, type: EntityType, path: string): string {
  const target = targetAt(model, type, path);
  return target === undefined ? '' : keyName(model, target);
}

/** The name of the single key property. */
export function keyName(model: Model, type: EntityType): string {
  return model.key(type)[0]?.path ?? '';
}

/** The names of the members on which the choice of agreement and priority depends. @param rules those of the type */
export const choosingMembers = perPair(
  (model: Model, type: EntityType, rules: ClockRules): ReadonlySet<string> => {
    const { priority } = rules;
    const read = readExpressions(model, type, { ...rules, clocks: [] });
    const texts = [...read, priority.impact, priority.member];
    return new Set(texts.flatMap(namesIn).filter((name) => model.members(type).has(name)));
  },
);

/** The names that begin the paths in an expression. */
export function namesIn(expression: string): readonly string[] {
  const withoutTexts = expression.replace(/'[^']*'/g, '');
  return withoutTexts.match(/(?<![\w/@$])[A-Za-z_]\w*/g) ?? [];
}

/** The names of the other members on which clocks depend: the status, what stops them, and deadlines that can be set. */
export function clockMembers(rules: ClockRules): ReadonlySet<string> {
  const { status, clocks } = rules;
  const deadlines = clocks.flatMap(({ deadline, manual }) => (manual ? [deadline] : []));
  const paths = [status, ...deadlines].map((path) => path.split('/', 1)[0] ?? '');
  return new Set([...paths, ...stopConditions(rules).flatMap(namesIn)]);
}

/** The paths that a request may set, which makes them manual. */
export function manualPaths({ priority, clocks }: ClockRules): readonly string[] {
  return [priority.member, ...clocks.flatMap(({ deadline, manual }) => (manual ? [deadline] : []))];
}

/** The entity type of a set. */
export function typeOfSet(model: Model, set: string): EntityType | undefined {
  const type = model.storedSets.has(set) ? model.types.get(entitySet(model, set).type) : undefined;
  return type?.kind === 'entity' ? type : undefined;
}

/** Clocks count milliseconds. */
export const INSTANT_DIGITS = 3;
