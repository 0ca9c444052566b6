// Writes values of a row or complex value that are not stored: those added by $compute, and annotations named in $select. OData
// 4.01 Protocol, "System Query Option $compute"; URL Conventions, "System Query Option $select".
import { Fault } from '../../base/fault.ts';
import type { Computed, Expression, Selection } from '../../bind/bound.ts';
import type { ShapeMember, ValueMember } from '../read-plan.ts';
import { constant, type ShapeScope, typeAnnotation } from './shape-scope.ts';

/** The values added by $compute, and the selection. */
export interface ComputedSelection {
  readonly compute: readonly Computed[];
  readonly selection: Selection;
}

/** Writes the content of a complex property; passed in to avoid an import cycle. */
export type PartsOf = (
  scope: ShapeScope,
  property: Expression & { readonly kind: 'property' },
) => Pick<ValueMember, 'members' | 'items'>;

/** The members for selected computed values. */
export function selectedComputed(
  scope: ShapeScope,
  { compute, selection }: ComputedSelection,
  partsOf: PartsOf,
): readonly ShapeMember[] {
  const { all, items } = selection;
  const named = new Set(items.flatMap((item) => (item.kind === 'named' ? [item.name] : [])));
  return compute
    .filter(({ name }) => all || named.has(name))
    .flatMap((computed) => computedMembers(scope, computed, partsOf));
}

/** The selection without the given names, so that they are not looked up as dynamic properties. */
export function withoutNames(
  { all, items }: Selection,
  excluded: readonly { readonly name: string }[],
): Selection {
  const names = new Set(excluded.map(({ name }) => name));
  return { all, items: items.filter((item) => item.kind !== 'named' || !names.has(item.name)) };
}

/** A computed value, with its type annotation if needed. */
export function computedMembers(
  scope: ShapeScope,
  { name, expression: definition }: Computed,
  partsOf: PartsOf,
): readonly ShapeMember[] {
  const { type } = definition;
  const annotations = scope.metadata === 'none' ? [] : typeAnnotation(scope, name, type);
  const property = type.kind === 'complex' ? propertyIn(definition) : undefined;
  if (property !== undefined) {
    return [
      ...annotations,
      { kind: 'value', name, value: definition, ...partsOf(scope, property) },
    ];
  }
  const value: Expression = { kind: 'computed', name, definition, type };
  return [...annotations, { kind: 'value', name, value }];
}

/** The property that a value comes from, also if it is restricted to rows in which it is readable. */
function propertyIn(value: Expression): (Expression & { readonly kind: 'property' }) | undefined {
  if (value.kind === 'property') return value;
  if (value.kind !== 'case' || value.branches.length !== 1) return undefined;
  const [only] = value.branches;
  return only?.then.kind === 'property' ? only.then : undefined;
}

/** Annotations of the model named in $select. Throws: request.not-acceptable, as Atom cannot represent all of their values. */
export function annotationMembers(
  { isXml }: ShapeScope,
  { items }: Selection,
): readonly ShapeMember[] {
  return items.flatMap((item): readonly ShapeMember[] => {
    if (item.kind !== 'annotation' || item.json === undefined) return [];
    if (isXml) {
      const supported = `XML cannot represent ${item.name}; request application/json`;
      throw new Fault('request.not-acceptable', { accept: 'application/xml', supported });
    }
    return [constant(item.name, item.json)];
  });
}
