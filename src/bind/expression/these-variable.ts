// This file provides $these: all rows or items that an option, a transformation of $apply or a $filter segment applies to, with their
// own variable. OData Data Aggregation 4.0, "Expressions Evaluable on a Collection".
import type { Collection, Computed, Rows, RowVariable } from '../bound.ts';
import type { Resolved, Session, These } from '../scope.ts';
import { resolvedCollection } from './collection.ts';

/** $these for an option or a transformation. The rows keep their computed properties. */
export function theseRows(
  session: Session,
  row: RowVariable,
  computed: readonly Computed[] = [],
): These {
  let variable: RowVariable | undefined;
  return {
    used: () => variable,
    resolve: () => {
      variable ??= { ...row, id: session.rowId() };
      return resolveRows(variable, row, computed);
    },
  };
}

/** $these for a $filter segment: the collection before filtering. */
export function theseOf(session: Session, collection: Collection): These {
  return {
    used: () => undefined,
    resolve: () => {
      const id = session.rowId();
      if (collection.kind !== 'rows') {
        const { row } = collection;
        return collection.where.length > 0
          ? undefined
          : resolvedCollection({ ...collection, row: { ...row, id } } as Collection);
      }
      const { rows } = collection;
      const row = { ...rows.row, id };
      return {
        kind: 'rows',
        rows: { row, origin: { kind: 'these', of: rows }, where: [] },
      };
    },
  };
}

function resolveRows(
  row: RowVariable,
  defined: RowVariable,
  computed: readonly Computed[],
): Resolved | undefined {
  switch (row.kind) {
    case 'entity': {
      const own = computed.map((one) => computedFor(one, defined, row));
      const rows: Rows = { row, origin: { kind: 'these' }, where: [], computed: own };
      return { kind: 'rows', rows };
    }
    case 'derived':
      return { kind: 'made', collection: { kind: 'made', row, where: [] } };
    case 'element':
      return undefined;
  }
}

function computedFor(computed: Computed, defined: RowVariable, meant: RowVariable): Computed {
  const { name, expression } = computed;
  const { type } = expression;
  const of = { defined, meant };
  return { ...computed, expression: { kind: 'computed', name, definition: expression, type, of } };
}
