// This file says how values are written that $compute has added to a row or to a complex value: which of them are shown, and that
// they are no dynamic properties. OData 4.01 Protocol, "System Query Option $compute".
import type { Computed, Expression, Selection } from '../bind/bound.ts';
import { type Drafting, typeAnnotation } from './drafting.ts';
import type { ShapeMember } from './plan.ts';

/** What $compute has added, and what is selected. */
export interface Added {
  readonly compute: readonly Computed[];
  readonly selection: Selection;
}

/** The members of those that are selected, by name or with all others. */
export function selectedComputed(
  drafting: Drafting,
  { compute, selection }: Added,
): readonly ShapeMember[] {
  const { all, items } = selection;
  const named = new Set(items.flatMap((item) => (item.kind === 'named' ? [item.name] : [])));
  return compute
    .filter(({ name }) => all || named.has(name))
    .flatMap(({ name, expression }) => computedMembers(drafting, name, expression));
}

/** The selection without names that something has, so that none of them is looked for among dynamic properties. */
export function withoutNames(
  { all, items }: Selection,
  had: readonly { readonly name: string }[],
): Selection {
  const names = new Set(had.map(({ name }) => name));
  return { all, items: items.filter((item) => item.kind !== 'named' || !names.has(item.name)) };
}

/** A value that $compute defines, with its type where the JSON does not show it. */
export function computedMembers(
  drafting: Drafting,
  name: string,
  definition: Expression,
): readonly ShapeMember[] {
  const { type } = definition;
  const value: Expression = { kind: 'computed', name, definition, type };
  const annotations = drafting.metadata === 'none' ? [] : typeAnnotation(drafting, name, type);
  return [...annotations, { kind: 'value', name, value }];
}
