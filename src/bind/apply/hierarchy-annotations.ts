// Reads the annotations of the Aggregation vocabulary that $apply uses: leveled and recursive hierarchies, and custom aggregates.
// OData Data Aggregation 4.0, "Vocabulary for Data Aggregation".
import { didYouMean } from '../../base/nearest-name.ts';
import type { Annotations, EntityType, Json, Model, Navigation } from '../../edm/model.ts';

type Term = 'LeveledHierarchy' | 'RecursiveHierarchy' | 'CustomAggregate';

const PREFIXES = ['Aggregation.', 'Org.OData.Aggregation.V1.'];

/** The value of the term with the qualifier on the type or its base types. */
export function annotationValue(
  model: Model,
  type: EntityType,
  term: Term,
  qualifier: string,
): Json | undefined {
  for (const annotations of annotationsOf(model, type)) {
    for (const prefix of PREFIXES) {
      const value = annotations[`${prefix}${term}#${qualifier}`];
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** The paths of the levels, top level first; undefined if the type has no such hierarchy. */
export function leveledHierarchy(
  model: Model,
  type: EntityType,
  qualifier: string,
): readonly string[] | undefined {
  const value = annotationValue(model, type, 'LeveledHierarchy', qualifier);
  if (!Array.isArray(value)) return undefined;
  const paths = value.filter((item) => typeof item === 'string');
  return paths.length === value.length ? paths : undefined;
}

export interface RecursiveHierarchy {
  readonly node: string;
  readonly parent: Navigation;
}

/** The identifier and parent of a node; undefined if the type has no such hierarchy. */
export function recursiveHierarchy(
  model: Model,
  type: EntityType,
  qualifier: string,
): RecursiveHierarchy | undefined {
  const value = annotationValue(model, type, 'RecursiveHierarchy', qualifier);
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) {
    return undefined;
  }
  const entries = new Map(Object.entries(value));
  const [node, parent] = [entries.get('NodeProperty'), entries.get('ParentNavigationProperty')];
  if (typeof node !== 'string' || typeof parent !== 'string') return undefined;
  const navigation = model.members(type).get(parent);
  return navigation?.kind === 'navigation' && !navigation.collection
    ? { node, parent: navigation }
    : undefined;
}

/** Suggests a similar qualifier, or lists those that exist. */
export function hierarchyHint(model: Model, type: EntityType, term: Term, name: string): string {
  const qualifiers = annotationsOf(model, type)
    .flatMap((annotations) => Object.keys(annotations))
    .flatMap((key) => {
      const [full = '', qualifier] = key.split('#');
      const isTerm = PREFIXES.some((prefix) => full === `${prefix}${term}`);
      return isTerm && qualifier !== undefined ? [qualifier] : [];
    });
  if (qualifiers.length === 0) return ` ${type.name} has none.`;
  return didYouMean(name, qualifiers) || ` There are ${qualifiers.join(', ')}.`;
}

function annotationsOf(model: Model, type: EntityType): readonly Annotations[] {
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  const own = type.annotations === undefined ? [] : [type.annotations];
  return base?.kind === 'entity' ? [...own, ...annotationsOf(model, base)] : own;
}
