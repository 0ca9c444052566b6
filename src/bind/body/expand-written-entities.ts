// Expands the nested entities of a body in the response to a write, unless the request has $select or $expand.
import type { Model } from '../../edm/model.ts';
import { bindingPath } from '../../edm/source.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import type { ExpandItem, ExpandStep, Tree } from '../../request/tree.ts';
import type { EntityInput, InputChildren } from '../write/bound-write.ts';

/**
 * The request with $expand for all nested entities in the input; undefined if the request needs no $expand.
 * OData Protocol 4.01, "Create Related Entities When Creating an Entity".
 */
export function expandWrittenEntities(
  model: Model,
  tree: Tree,
  input: EntityInput,
): Tree | undefined {
  const { options, negotiated } = tree;
  const isUnspecified = options.select === undefined && options.expand === undefined;
  if (!isUnspecified || negotiated.prefer.return === 'minimal' || input.children.length === 0)
    return undefined;
  return { ...tree, options: { ...options, expand: expandChildren(model, [input]) } };
}

/** One item for each navigation with nested entities. */
function expandChildren(model: Model, inputs: readonly EntityInput[]): readonly ExpandItem[] {
  const found = new Map<string, { steps: readonly ExpandStep[]; inner: EntityInput[] }>();
  for (const input of inputs) {
    for (const children of input.children) {
      const steps = stepsTo(model, input, children);
      const path = steps.map((step) => ('name' in step ? step.name : '')).join('/');
      const known = found.get(path) ?? { steps, inner: [] };
      known.inner.push(...entitiesOf(children));
      found.set(path, known);
    }
  }
  return [...found.values()].map(({ steps, inner }) => expandPath(model, steps, inner));
}

/** The path to the navigation. It starts with a cast, because other types may not have the navigation. */
function stepsTo(
  model: Model,
  { type }: EntityInput,
  { path, navigation }: InputChildren,
): readonly ExpandStep[] {
  const names = bindingPath(model, type, [...path, navigation]).split('/');
  const cast = type.base === undefined ? [] : [type.name];
  return [...cast, ...names].map((name) => ({ kind: 'name', at: 0, name }));
}

function entitiesOf({ entities }: InputChildren): readonly EntityInput[] {
  return entities.flatMap((child) => ('entity' in child ? [child.entity] : []));
}

function expandPath(
  model: Model,
  steps: readonly ExpandStep[],
  inner: readonly EntityInput[],
): ExpandItem {
  const expand = expandChildren(model, inner);
  const options = expand.length === 0 ? undefined : { ...NO_OPTIONS, expand };
  return { kind: 'path', at: 0, steps, suffix: undefined, options };
}
