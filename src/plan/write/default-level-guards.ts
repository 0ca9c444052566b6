// This file adds guards that keep two levels of `Docket.Clocks` from counting by default, where the choice would be arbitrary.
import type { Expression, Rows } from '../../bind/bound.ts';
import {
  comparison,
  entityValue,
  joinConditions,
  not,
  variable,
} from '../../bind/expression/constructors.ts';
import { constant } from '../../bind/expression/literal.ts';
import { bindCondition } from '../../bind/expression/promotion.ts';
import { BOOLEAN } from '../../bind/expression/types.ts';
import type { EntityRow } from '../../bind/scope.ts';
import { namesIn } from '../../edm/clocks/clock-members.ts';
import type { ClockRules } from '../../edm/clocks/clock-rules.ts';
import { simpleName } from '../../edm/model.ts';
import { allSources, type Source } from '../../edm/source.ts';
import type { Register } from '../write-plan.ts';
import type { FinalGuard } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import { plannedFault, type Writer } from './write-scope.ts';

/** The guards for a level whose members are written. @param paths those of the members */
export function defaultLevelGuards(
  writer: Writer,
  row: Register,
  paths: ReadonlySet<string>,
  rules: ClockRules,
): readonly FinalGuard[] {
  const { default: condition } = rules.level;
  const source = allSources(writer.model).find(({ id }) => id === rules.level.from);
  const written = namesIn(condition).find((name) =>
    [...paths].some((path) => path.split('/', 1)[0] === name),
  );
  if (source === undefined || row.source.id !== source.id || written === undefined) return [];
  const type = simpleName(source.type.name);
  const fault = plannedFault('clocks.default-level', { type, condition }, written);
  const expression = isAlone(writer, source, condition);
  const step = { kind: 'require', row, expression, fault } as const;
  return [{ step, rows: [row], key: `${row.name} ${condition}` }];
}

/** The condition is not true for the row, or not true for any other one. */
function isAlone(writer: Writer, source: Source, condition: string): Expression {
  const own = writer.variable(source, source.type);
  const other = writer.variable(source, source.type);
  const is = (row: EntityRow) =>
    bindCondition(
      modelFrame(writer.model, row, () => writer.rowId()),
      readModelExpression(condition),
    );
  const value = (row: EntityRow) => entityValue(variable(row), source.type);
  const differs = comparison('ne', value(own), value(other), value(own).type);
  const rows: Rows = { row: other, origin: { kind: 'source' }, where: [is(other)] };
  const others: Expression = {
    kind: 'any',
    collection: { kind: 'rows', rows },
    predicate: differs,
    type: BOOLEAN,
  };
  const isOff = comparison('ne', is(own), constant(BOOLEAN, true), BOOLEAN);
  return joinConditions('or', [isOff, not(others)]);
}
