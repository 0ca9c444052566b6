// This file computes stored values of expressions again after a migration that has changed the columns which they read.
import { invariant } from '../../base/fault.ts';
import { bindModelExpression } from '../../plan/write/model-expression.ts';
import type { Dialect } from '../../sql/dialect/dialect.ts';
import { type Computed, computedIn, expressionId } from '../../sql/schema/computed-columns.ts';
import {
  columnName,
  holdsSameValues,
  type Layout,
  type StoredLayout,
  type TableUse,
  tableOf,
} from '../../sql/schema/layout.ts';
import { computeAll } from '../../sql/write/row-expressions.ts';
import { statement } from '../../sql/write/steps.ts';
import type { Work } from '../database.ts';
import { changeAsNobody } from './outdate-clocks.ts';

/**
 * The computed properties that are new or have another expression, or whose own column or one that they read has other values than in
 * the installed layout. Earlier versions have not recorded expressions.
 */
export function outdatedValues(installed: StoredLayout, layout: Layout): readonly Computed[] {
  const known = new Set(installed.tables.map(({ name }) => name));
  return [...layout.bySource.values()].flatMap((use) => {
    const changed = changedMembers(installed, use);
    return computedIn(layout.model, use.source).filter((computed) => {
      const { property, expression } = computed;
      const before = installed.expressions?.[expressionId(use.table.name, computed)];
      const isOutdated =
        (installed.expressions !== undefined && before !== expression) ||
        changed.has(property.name) ||
        [...changed].some((name) => expression.includes(name));
      if (isOutdated) changed.add(property.name);
      return isOutdated && known.has(use.table.name);
    });
  });
}

/** The members of which a column is new or has another type; none of a new table. */
function changedMembers(installed: StoredLayout, { table }: TableUse): Set<string> {
  const before = installed.tables.find(({ name }) => name === table.name);
  const known = new Map(before?.columns.map((column) => [column.name, column]));
  const changed = (before === undefined ? [] : table.columns).filter((column) => {
    const old = known.get(column.name);
    return old === undefined || !holdsSameValues(old, column);
  });
  return new Set(changed.map(({ name }) => name.replace(/[/#].*/, '')));
}

/** Describes the step: `Compute "Total" of "Orders" again.` */
export function describeRecomputed({ source, property }: Computed, layout: Layout): string {
  return `Compute "${property.name}" of "${tableOf(layout, source).table.name}" again.`;
}

/** Computes the values in all rows. */
export function* recomputeValues(
  values: readonly Computed[],
  scope: { readonly layout: Layout; readonly dialect: Dialect },
): Work<void> {
  for (const { source, type, property, expression } of values) {
    const { model } = scope.layout;
    const use = tableOf(scope.layout, source);
    const column = use.columns.get(columnName(use, [property]));
    invariant(column !== undefined, `no column for ${property.name}`);
    const bound = bindModelExpression(model, expression, source, type);
    const computed = { source, type, column, expression: bound };
    yield changeAsNobody(statement(computeAll(computed, scope), scope));
  }
}
