// This file lists the properties of tables that expressions compute, and records the expressions, so that a migration finds those that
// have changed.
import type { EntityType, Member, Model, Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Layout } from './layout.ts';

/** A property with `"@Docket.Generated": { "By": "expression" }`. */
export interface Computed {
  readonly source: Source;
  /** The type that declares it for rows of the source. */
  readonly type: EntityType;
  readonly property: Property;
  readonly expression: string;
}

/** The computed properties of rows of the source, derived types included. */
export function computedIn(model: Model, source: Source): readonly Computed[] {
  const derived = model.derived(source.type).filter((type) => type.kind === 'entity');
  const owners: readonly (readonly [EntityType, Iterable<Member>])[] = [
    [source.type, model.stored(source.type).values()],
    ...derived.map((type) => [type, type.members] as const),
  ];
  return owners.flatMap(([type, members]) =>
    [...members].flatMap((property) =>
      property.kind === 'property' && property.generated?.by === 'expression'
        ? [{ source, type, property, expression: property.generated.expression }]
        : [],
    ),
  );
}

/** `Orders/Shop.Order/Total` */
export function expressionId(
  table: string,
  { type, property }: Pick<Computed, 'type' | 'property'>,
): string {
  return `${table}/${type.name}/${property.name}`;
}

/** The expressions of all computed properties. */
export function expressionsOf({
  model,
  bySource,
}: Pick<Layout, 'model' | 'bySource'>): Readonly<Record<string, string>> {
  const entries = [...bySource.values()].flatMap(({ source, table }) =>
    computedIn(model, source).map(
      (computed) => [expressionId(table.name, computed), computed.expression] as const,
    ),
  );
  return Object.fromEntries(entries);
}
