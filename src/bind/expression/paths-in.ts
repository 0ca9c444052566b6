// This file lists the properties that an expression reads.
import { pathName } from '../../edm/model.ts';
import type { Expression, RowExpression, RowVariable } from '../bound.ts';

/**
 * The paths of all properties in the expression, from the row. Literals are skipped: reading the value of one would make the plan of the
 * request useless to requests with other values.
 */
export function pathsIn(expression: Expression, row: RowVariable): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || value instanceof Map) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
      return;
    }
    if (isProperty(value)) {
      const start = pathTo(value.row, row);
      if (start !== undefined) found.push(`${start}${pathName(value.path)}`);
    } else if ('kind' in value && value.kind !== 'literal')
      for (const inner of Object.values(value)) visit(inner);
  };
  visit(expression);
  return found;
}

type PropertyExpression = Expression & { readonly kind: 'property' };

function isProperty(value: object): value is PropertyExpression {
  return 'kind' in value && value.kind === 'property' && 'row' in value && 'path' in value;
}

/** `Driver/` for the target of the navigation Driver; undefined for rows that do not start at the given one. */
function pathTo(from: RowExpression, row: RowVariable): string | undefined {
  if (from.kind === 'variable') return from.row.id === row.id ? '' : undefined;
  if (from.kind !== 'follow') return undefined;
  const start = pathTo(from.from, row);
  return start === undefined ? undefined : `${start}${pathName([...from.path, from.navigation])}/`;
}
