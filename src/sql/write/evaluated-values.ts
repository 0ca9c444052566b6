// Compiles the values that states of workflows set: expressions over the row as it is before the update.
import { pathName } from '../../edm/model.ts';
import { sql, value } from '../fragment.ts';
import type { TableUse } from '../schema/layout.ts';
import { columnAt, type Setting } from './column-values.ts';
import { valueOn } from './row-expressions.ts';
import type { StepOf, WriteScope } from './steps.ts';

export function evaluatedSettings(
  { row, values }: StepOf<'update'>,
  use: TableUse,
  scope: WriteScope,
): readonly Setting[] {
  return values.flatMap((item) => {
    if (item.kind !== 'evaluated') return [];
    const column = columnAt(use, item.path);
    const { expression } = item;
    // A parameter has the type of the column, which a null in a query has not.
    const isNull = expression.kind === 'literal' && expression.value === null;
    const content = isNull ? value(null) : sql`(${valueOn(row, expression, column, scope)})`;
    return [{ column, content, path: pathName(item.path), isExplicit: true, isKept: true }];
  });
}
