// Writes the dependent properties of a reference together with the reference, so that a relation and its dependent properties are one
// fact, whichever request, load or deletion changes it. OData CSDL 4.01, "Referential Constraint".
import { clearedDependents, dependentPairs } from '../../edm/dependents.ts';
import type { Navigation, Property } from '../../edm/model.ts';
import type { Register } from '../../plan/write-plan.ts';
import { column, type Fragment, name, sql, value } from '../fragment.ts';
import { fromSource, useOf } from '../read/union-source.ts';
import { columnName, type Layout, type TableUse } from '../schema/layout.ts';
import type { Setting } from './column-values.ts';
import { identityOf, type WriteScope } from './steps.ts';

const PRINCIPAL = name('principal');

/**
 * The dependent properties of a reference to the row, with its values; without a row, those that become null. The key of an existing
 * entity stays.
 */
export function changedDependents(
  use: TableUse,
  navigation: Navigation,
  to: Register | undefined,
  scope: Pick<WriteScope, 'layout'>,
): readonly Setting[] {
  if (navigation.constraints === undefined) return [];
  const key = scope.layout.model.key(use.source.type);
  return dependentSettings(use, navigation, to, scope).filter(
    (dependent) => !key.some((part) => part.path === dependent.path),
  );
}

/** The same for a new row, with the properties of its key. */
export function dependentSettings(
  use: TableUse,
  navigation: Navigation,
  to: Register | undefined,
  { layout }: Pick<WriteScope, 'layout'>,
): readonly Setting[] {
  if (navigation.constraints === undefined) return [];
  const { model } = layout;
  const { type } = use.source;
  if (to === undefined)
    return clearedDependents(model, type, navigation).flatMap((property) =>
      setting(use, property, value(null)),
    );
  return dependentPairs(model, type, navigation).flatMap(({ property, referenced }) =>
    setting(use, property, valueIn(layout, to, referenced)),
  );
}

function setting(use: TableUse, property: Property, content: Fragment): readonly Setting[] {
  const found = use.columns.get(columnName(use, [property]));
  if (found === undefined || found.name === use.table.identity) return [];
  return [{ column: found, content, path: property.name, isExplicit: true }];
}

/** The value of a property of the row. */
function valueIn(layout: Layout, row: Register, property: Property): Fragment {
  const use = useOf(layout, row.source);
  const content = column(PRINCIPAL, columnName(use, [property]));
  const identity = column(PRINCIPAL, use.table.identity);
  return sql`(SELECT ${content} FROM ${fromSource(layout, row.source, PRINCIPAL)} WHERE ${identity} = ${identityOf(row)})`;
}
