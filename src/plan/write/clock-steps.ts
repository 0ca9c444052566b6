// This file adds the steps that calculate clocks (`Docket.Clocks`) to writes that change what they depend on: the entity itself, or the
// agreements, levels and schedules of the installation. Other writes stay as they are.
import { perObject } from '../../base/memo.ts';
import {
  choosingMembers,
  clockMembers,
  clocksOf,
  manualPaths,
  typeOfSet,
} from '../../edm/clocks/clock-members.ts';
import type { ClockRules } from '../../edm/clocks/clock-rules.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import { allSources, type Source, targetAt } from '../../edm/source.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import { defaultLevelGuards } from './default-level-guards.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { bindModelExpression } from './model-expression.ts';
import { withRemembered } from './remembered-values.ts';
import type { Writer } from './write-scope.ts';
import { changesOf, collectWritten, type Written } from './written-paths.ts';

/** Returns the steps, followed by those that calculate. The records of a load contain the results. */
export function withClocks(writer: Writer, steps: Steps): Steps {
  const clocks = clocksIn(writer.model);
  if (clocks.types.length === 0) return steps;
  const written = collectWritten(writer.model, steps);
  const remembered = withRemembered(writer.model, steps, (row) => deadlines(writer.model, row));
  return withFinalGuards(remembered, (step) => [
    ...(writer.isLoad ? [] : levelGuards(writer, step)),
    ...(writer.isLoad ? [] : calculations(writer.model, step, written)),
    ...(revises(clocks, step) ? [revision(clocks)] : []),
  ]);
}

/** The step that calculates the clocks of a row, whatever has changed. */
export function recalculation(model: Model, row: Register): Steps {
  const rules = rulesOf(model, row.source);
  if (rules === undefined) return [];
  const { ruleSources } = clocksIn(model);
  return [
    { kind: 'clocks', row, type: row.source.type, rules, chooses: true, set: [], ruleSources },
  ];
}

/** A level that begins to count by default must be the only one. */
function levelGuards(writer: Writer, step: WriteStep): readonly FinalGuard[] {
  const { types } = clocksIn(writer.model);
  return changesOf(writer.model, step).flatMap(({ row, paths }) =>
    types.flatMap(({ rules }) => defaultLevelGuards(writer, row, new Set(paths), rules)),
  );
}

// ---- the entity -----------------------------------------------------------------------------------------------------

function calculations(
  model: Model,
  step: WriteStep,
  written: ReadonlyMap<string, Written>,
): readonly FinalGuard[] {
  return changesOf(model, step).flatMap(({ row }) => {
    const rules = rulesOf(model, row.source);
    const { paths, isNew, target } = written.get(row.name) ?? NOTHING_WRITTEN;
    if (rules === undefined) return [];
    const { type } = row.source;
    const names = [...paths].map((path) => path.split('/', 1)[0] ?? '');
    const chooses = isNew || names.some((name) => choosingMembers(model, type, rules).has(name));
    if (!chooses && !names.some((name) => clockMembers(rules).has(name))) return [];
    const set = manualPaths(rules).filter((path) => paths.has(path));
    const { ruleSources } = clocksIn(model);
    const common = { row, type, rules, chooses, set, target, ruleSources };
    const calculation = { kind: 'clocks', ...common } as const;
    return [{ step: calculation, rows: [row], key: `${row.name} clocks` }];
  });
}

const NOTHING_WRITTEN: Written = { paths: new Set(), isNew: false };

/** The deadlines that a request may set: those of clocks that have stopped keep the values before. */
function deadlines(model: Model, { source }: Register) {
  return (rulesOf(model, source)?.clocks ?? []).flatMap(({ deadline: path, manual }) => {
    if (manual === undefined) return [];
    return [{ path, as: path, value: bindModelExpression(model, path, source, source.type) }];
  });
}

function rulesOf(model: Model, source: Source): ClockRules | undefined {
  return source.kind === 'union' ? undefined : clocksOf(model, source.type);
}

// ---- rules ----------------------------------------------------------------------------------------------------------

interface Clocks {
  readonly types: readonly { readonly source: Source; readonly rules: ClockRules }[];
  /** Types all of whose changes concern the rules. */
  readonly ruleTypes: readonly EntityType[];
  /** Navigations to parents. */
  readonly parents: ReadonlySet<string>;
  /** Their records. */
  readonly ruleSources: readonly Source[];
}

const clocksIn = perObject((model: Model): Clocks => {
  const types = allSources(model).flatMap((source) => {
    const rules = rulesOf(model, source);
    return rules === undefined ? [] : [{ source, rules }];
  });
  const all = types.flatMap(({ rules }) => ruleTypes(model, rules));
  return {
    types,
    ruleTypes: all,
    ruleSources: allSources(model).filter(({ type }) => all.includes(type)),
    parents: new Set(
      types.flatMap(({ rules }) =>
        (rules.agreement?.match ?? []).flatMap(({ alternatives }) =>
          alternatives.flatMap(({ parent }) => parent ?? []),
        ),
      ),
    ),
  };
});

/** Agreements, levels with their targets, and schedules with their windows and holidays. */
function ruleTypes(model: Model, { agreement, level }: ClockRules): readonly EntityType[] {
  const levelType = typeOfSet(model, level.from);
  const scheduleType = levelType && targetAt(model, levelType, level.schedule);
  const schedule = scheduleType?.schedule;
  const paths = [schedule?.windows.rows, schedule?.holidays?.rows].flatMap((path) =>
    (path ?? '').split('/').map((_, index, all) => all.slice(0, index + 1).join('/')),
  );
  return [
    agreement && typeOfSet(model, agreement.from),
    levelType,
    levelType && targetAt(model, levelType, level.targets),
    scheduleType,
    ...paths.map((path) => scheduleType && targetAt(model, scheduleType, path)),
  ].filter((type) => type !== undefined);
}

function revises({ ruleTypes: types, parents }: Clocks, step: WriteStep): boolean {
  const isRule = ({ source }: Register) => types.includes(source.type);
  switch (step.kind) {
    case 'insert':
      return isRule(step.into);
    case 'update':
    case 'delete':
      return isRule(step.row);
    case 'link':
      return isRule(step.row) || parents.has(step.navigation.name);
    default:
      return false;
  }
}

function revision({ types }: Clocks): FinalGuard {
  return { step: { kind: 'revise-clocks', clocks: types }, rows: [], key: 'revise clocks' };
}
