// This file finds the relations that a new row can be stored with at once, instead of being stored first and changed afterwards: those
// whose other row is known by then, and which are kept as a reference in the new row itself.
import type { Register, WriteStep } from '../../plan/write-plan.ts';
import { columnName, type Layout, tableOf } from '../schema/layout.ts';
import { arrivalOf, membersOf } from '../schema/relation-storage.ts';
import type { LinkStep } from './relations.ts';

/** A reference of a new row. */
export interface NewReference {
  readonly column: string;
  readonly to: Register;
  /** The link from the other side, which has changed by it as well. */
  readonly from?: LinkStep;
}

export interface Folding {
  /** The steps without those that need no statement of their own. */
  readonly kept: readonly WriteStep[];
  /** References by the register of the new row. */
  readonly folded: ReadonlyMap<string, readonly NewReference[]>;
}

/** What of the links belongs into the rows that are made by the same steps. */
export function foldLinks(steps: readonly WriteStep[], layout: Layout): Folding {
  const made = new Map<string, number>();
  for (const [index, step] of steps.entries())
    if (step.kind === 'insert') made.set(step.into.name, index);
  const folded = new Map<string, NewReference[]>();
  const kept = steps.filter((step) => {
    const found = step.kind === 'link' ? newReference(step, made, layout) : undefined;
    if (found === undefined) return true;
    const { row, reference } = found;
    const others = folded.get(row) ?? [];
    if (others.some(({ column }) => column === reference.column)) return true;
    folded.set(row, [...others, reference]);
    return false;
  });
  return { kept, folded };
}

/** The reference that a link comes to, and the register of the new row that holds it. */
function newReference(
  step: LinkStep,
  made: ReadonlyMap<string, number>,
  layout: Layout,
): { readonly row: string; readonly reference: NewReference } | undefined {
  const { row, to, path, navigation, action } = step;
  if (to === undefined || (action !== 'set' && action !== 'add')) return undefined;
  const { relation, target } = arrivalOf(layout, { from: row.source, path, navigation });
  if (relation.kind === 'reference' && isMadeAfter(made, row, to)) {
    const column = columnName(tableOf(layout, row.source), [...path, navigation]);
    return { row: row.name, reference: { column, to } };
  }
  const isOneOfMany = relation.kind === 'inverse' && navigation.collection;
  const isKnown = membersOf(target).some(({ id }) => id === to.source.id);
  if (!isOneOfMany || !isKnown || !isMadeAfter(made, to, row)) return undefined;
  // Of a row that can be in several tables, the one that it has changed in is found by a step of its own.
  if (row.source.kind === 'union') return undefined;
  const reference = { column: relation.navigation.name, to: row, from: step };
  return { row: to.name, reference };
}

/** Whether the row is made by the steps, and the other is there before it. */
function isMadeAfter(made: ReadonlyMap<string, number>, row: Register, other: Register): boolean {
  const own = made.get(row.name);
  return own !== undefined && (made.get(other.name) ?? -1) < own;
}
