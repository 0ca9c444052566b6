// This file computes stored values of expressions again after a migration that has changed the columns which they read.
import { invariant } from '../../base/fault.ts';
import type { EntityType, Member, Model, Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { bindModelExpression } from '../../plan/write/model-expression.ts';
import type { Dialect } from '../../sql/dialect/dialect.ts';
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

/** A property with `"@Docket.Generated": { "By": "expression" }`. */
interface Computed {
  readonly source: Source;
  /** The type that declares it for rows of the source. */
  readonly type: EntityType;
  readonly property: Property;
  readonly expression: string;
}

/** The computed properties that are new, or whose own column or one that they read has other values than in the installed layout. */
export function outdatedValues(
  installed: StoredLayout,
  { model, bySource }: Layout,
): readonly Computed[] {
  return [...bySource.values()].flatMap((use) => {
    const changed = changedMembers(installed, use);
    if (changed.size === 0) return [];
    return computedIn(model, use.source).filter(({ property, expression }) => {
      const isOutdated =
        changed.has(property.name) || [...changed].some((name) => expression.includes(name));
      if (isOutdated) changed.add(property.name);
      return isOutdated;
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

function computedIn(model: Model, source: Source): readonly Computed[] {
  const derived = model.derived(source.type).filter((type) => type.kind === 'entity');
  const owners: readonly (readonly [EntityType, Iterable<Member>])[] = [
    [source.type, model.stored(source.type).values()],
    ...derived.map((type) => [type, type.members] as const),
  ];
  return owners.flatMap(([type, members]) =>
    [...members].flatMap((property) =>
      property.kind === 'property' && property.generated?.by === 'expression'
        ? [{ source, type, property, expression: property.generated.expression }]
        : [],
    ),
  );
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
