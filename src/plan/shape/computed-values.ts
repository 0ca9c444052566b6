// This file says how that is written of a row or a complex value which is not stored in it: values that $compute has added, and
// annotations that $select names. OData 4.01 Protocol, "System Query Option $compute"; URL Conventions, "System Query Option $select".
import { Fault } from '../../base/fault.ts';
import type { Computed, Expression, Selection } from '../../bind/bound.ts';
import type { ShapeMember, ValueMember } from '../read-plan.ts';
import { constant, type Drafting, typeAnnotation } from './shape-scope.ts';

/** What $compute has added, and what is selected. */
export interface Added {
  readonly compute: readonly Computed[];
  readonly selection: Selection;
}

/** How a property is written, by whoever knows how values are: what lies inside a complex one. */
export type PartsOf = (
  drafting: Drafting,
  property: Expression & { readonly kind: 'property' },
) => Pick<ValueMember, 'members' | 'items'>;

/** The members of those that are selected, by name or with all others. */
export function selectedComputed(
  drafting: Drafting,
  { compute, selection }: Added,
  partsOf: PartsOf,
): readonly ShapeMember[] {
  const { all, items } = selection;
  const named = new Set(items.flatMap((item) => (item.kind === 'named' ? [item.name] : [])));
  return compute
    .filter(({ name }) => all || named.has(name))
    .flatMap((one) => computedMembers(drafting, one, partsOf));
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
  { name, expression: definition }: Computed,
  partsOf: PartsOf,
): readonly ShapeMember[] {
  const { type } = definition;
  const annotations = drafting.metadata === 'none' ? [] : typeAnnotation(drafting, name, type);
  const property = type.kind === 'complex' ? propertyIn(definition) : undefined;
  if (property !== undefined) {
    return [
      ...annotations,
      { kind: 'value', name, value: definition, ...partsOf(drafting, property) },
    ];
  }
  const value: Expression = { kind: 'computed', name, definition, type };
  return [...annotations, { kind: 'value', name, value }];
}

/** The property that is the value, or that is it where it may be read. */
function propertyIn(value: Expression): (Expression & { readonly kind: 'property' }) | undefined {
  if (value.kind === 'property') return value;
  if (value.kind !== 'case' || value.branches.length !== 1) return undefined;
  const [only] = value.branches;
  return only?.then.kind === 'property' ? only.then : undefined;
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
