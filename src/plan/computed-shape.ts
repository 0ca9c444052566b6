// This file says how that is written of a row or a complex value which is not stored in it: values that $compute has added, and
// annotations that $select names. OData 4.01 Protocol, "System Query Option $compute"; URL Conventions, "System Query Option $select".
import { Fault } from '../base/fault.ts';
import type { Computed, Expression, Selection } from '../bind/bound.ts';
import { constant, type Drafting, typeAnnotation } from './drafting.ts';
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

/** Annotations of the model that $select names. Fault request.not-acceptable: Atom has no place for all of their values. */
export function annotationMembers(
  { isXml }: Drafting,
  { items }: Selection,
): readonly ShapeMember[] {
  return items.flatMap((item): readonly ShapeMember[] => {
    if (item.kind !== 'annotation' || item.json === undefined) return [];
    if (isXml) {
      const supported = `XML has no place for ${item.name}; ask for application/json`;
      throw new Fault('request.not-acceptable', { accept: 'application/xml', supported });
    }
    return [constant(item.name, item.json)];
  });
}
