// Plans writes to many rows: one update or deletion for all of them, a delta of changes, or a full list. OData Protocol 4.01,
// "Update Members of a Collection", "Delete Members of a Collection", "Update a Collection of Entities", "Replace a Collection of
// Entities".

import type { Expression } from '../../bind/bound.ts';
import { joinConditions, variable } from '../../bind/expression/constructors.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import { searchCondition, secureRead, secureRows } from '../rights/read-rights.ts';
import type { Register, Steps } from '../write-plan.ts';
import { childSteps, detach, forEachUnlisted, updateSteps } from './entity.ts';
import { deleteSteps } from './row.ts';
import type { Writer } from './write-scope.ts';

type EachWrite = BoundWrite & { readonly kind: 'each' };
type CollectionWrite = BoundWrite & { readonly kind: 'collection' };

/** Updates or deletes each of the rows. */
export function writeEach(writer: Writer, bound: EachWrite): Steps {
  const { guard, limits } = writer;
  const { rows, action } = bound;
  const into = writer.register(rows.row.source);
  const filter = conditionOf(writer, bound);
  const steps =
    action.kind === 'delete'
      ? deleteSteps(writer, into, rows)
      : updateSteps(writer, { row: into, rows }, action.input, 'merge');
  return [
    {
      kind: 'each',
      rows: secureRows(guard, rows),
      filter,
      into,
      steps,
      limit: limits.rows,
    },
  ];
}

/** $filter and $search of the request, combined. */
function conditionOf(writer: Writer, { query, result }: EachWrite): Expression | undefined {
  const { guard } = writer;
  const { row, filter, search } = secureRead(guard, { ...result, query }).query;
  return joinConditions('and', [
    ...(filter === undefined ? [] : [filter]),
    ...(search === undefined ? [] : [searchCondition(guard, variable(row), search)]),
  ]);
}

/** Changes a collection. A full list first removes the entities that it does not contain. */
export function writeCollection(
  writer: Writer,
  bound: CollectionWrite,
  parent: Register | undefined,
): Steps {
  const { into, rows, mode, entities } = bound;
  const isLinked = into.kind === 'navigation' && !into.navigation.contained;
  const removeRow = (row: Register): Steps =>
    into.kind === 'navigation' && isLinked && parent !== undefined
      ? detach(parent, into, row)
      : deleteSteps(writer, row, rows);
  const removals = mode === 'full' ? [forEachUnlisted(writer, rows, entities, removeRow)] : [];
  const isOwned = into.kind === 'navigation' && parent !== undefined;
  const owner = isOwned ? { row: parent, rows: into.parent } : undefined;
  const children = entities.flatMap((child) => childSteps(writer, owner, into, child));
  return [...removals, ...children];
}
