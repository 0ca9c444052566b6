// Folds links into the inserts of new rows, which saves an update after the insert. This works if the new row itself holds the
// reference and the other row exists by then.
import type { Navigation, Property } from '../../edm/model.ts';
import type { Register, WriteStep } from '../../plan/write-plan.ts';
import { columnName, type Layout, tableOf } from '../schema/layout.ts';
import { membersOf, resolveNavigation } from '../schema/relation-storage.ts';
import type { LinkStep } from './relations.ts';

/** A reference that a new row is inserted with. */
export interface NewReference {
  readonly column: string;
  readonly path: readonly Property[];
  readonly navigation: Navigation;
  readonly to: Register;
  /** The original link if it starts from the other row, which counts as changed, too. */
  readonly from?: LinkStep;
}

export interface FoldedLinks {
  /** The steps without the folded ones. */
  readonly kept: readonly WriteStep[];
  /** References by the register of the new row. */
  readonly folded: ReadonlyMap<string, readonly NewReference[]>;
}

/** Folds the links that rows inserted by the same steps can hold. */
export function foldLinks(steps: readonly WriteStep[], layout: Layout): FoldedLinks {
  const inserts = new Map<string, number>();
  for (const [index, step] of steps.entries())
    if (step.kind === 'insert') inserts.set(step.into.name, index);
  const folded = new Map<string, NewReference[]>();
  const kept = steps.filter((step) => {
    const found = step.kind === 'link' ? newReference(step, inserts, layout) : undefined;
    if (found === undefined) return true;
    const { row, reference } = found;
    const others = folded.get(row) ?? [];
    if (others.some(({ column }) => column === reference.column)) return true;
    folded.set(row, [...others, reference]);
    return false;
  });
  return { kept, folded };
}

/** The reference that replaces a link, and the register of the new row that holds it. */
function newReference(
  step: LinkStep,
  inserts: ReadonlyMap<string, number>,
  layout: Layout,
): { readonly row: string; readonly reference: NewReference } | undefined {
  const { row, to, path, navigation, action } = step;
  if (to === undefined || (action !== 'set' && action !== 'add')) return undefined;
  const { relation, target } = resolveNavigation(layout, { from: row.source, path, navigation });
  if (relation.kind === 'reference' && isInsertedAfter(inserts, row, to)) {
    const column = columnName(tableOf(layout, row.source), [...path, navigation]);
    return { row: row.name, reference: { column, path, navigation, to } };
  }
  const isOneOfMany = relation.kind === 'inverse' && navigation.collection;
  const isKnown = membersOf(target).some(({ id }) => id === to.source.id);
  if (!isOneOfMany || !isKnown || !isInsertedAfter(inserts, to, row)) return undefined;
  // A row that can be in several tables needs a step that finds its table.
  if (row.source.kind === 'union') return undefined;
  const { navigation: back } = relation;
  const reference = { column: back.name, path: [], navigation: back, to: row, from: step };
  return { row: to.name, reference };
}

/** Whether the steps insert the row, and the other row exists before that. */
function isInsertedAfter(
  inserts: ReadonlyMap<string, number>,
  row: Register,
  other: Register,
): boolean {
  const own = inserts.get(row.name);
  return own !== undefined && (inserts.get(other.name) ?? -1) < own;
}
