import { didYouMean } from '../base/nearest-name.ts';
import { SYSTEM_NAMESPACE } from '../edm/engine-schema.ts';
import {
  isAssignable,
  isStructured,
  type Model,
  type NamedType,
  type Operation,
  type QualifiedName,
  type StructuredType,
  simpleName,
} from '../edm/model.ts';
import { isPrimitive, PRIMITIVES } from '../edm/value/primitives.ts';
import { navigationHint, pathHint } from './expression/name-suggestions.ts';
import { type Frame, faultAt } from './scope.ts';

/** The qualified name: aliases are replaced, unqualified names get the first namespace. */
export function fullName(model: Model, name: string): QualifiedName {
  const { namespaces } = model.definition;
  const dot = name.lastIndexOf('.');
  if (dot < 0) return `${namespaces[0]?.name ?? ''}.${name}`;
  const prefix = name.slice(0, dot);
  const aliased = namespaces.find((namespace) => namespace.alias === prefix);
  return aliased === undefined ? name : `${aliased.name}${name.slice(dot)}`;
}

/** The type of that name. Throws: bind.unknown-type. */
export function findType(frame: Frame, name: QualifiedName, at: number): NamedType {
  const type = frame.model.types.get(fullName(frame.model, name));
  if (type !== undefined) return type;
  const simple = `Edm.${simpleName(name)}`;
  const names = [...frame.model.types.keys(), ...Object.keys(PRIMITIVES)];
  const hint = isPrimitive(simple) ? ` Did you mean "${simple}"?` : didYouMean(name, names);
  throw faultAt(frame, at, 'bind.unknown-type', { name, hint });
}

export function structuredNamed(model: Model, name: string): StructuredType | undefined {
  const type = model.types.get(fullName(model, name));
  return type !== undefined && isStructured(type) ? type : undefined;
}

/** Operations of the engine can be called by their simple names, too, if the model has no operation of that name. */
export function operationsNamed(model: Model, name: string): readonly Operation[] {
  const own = model.operations.get(fullName(model, name));
  if (own !== undefined || name.includes('.')) return own ?? [];
  return model.operations.get(`${SYSTEM_NAMESPACE}.${name}`) ?? [];
}

/** The result of a cast: `to` if it is derived from `from`; a cast to a base type keeps `from`. Throws: bind.unrelated-type. */
export function narrowType<Type extends StructuredType>(
  frame: Frame,
  from: Type,
  to: StructuredType,
  at: number,
): Type {
  const { model } = frame;
  if (isAssignable(model, from, to)) return from;
  const narrower = model.derived(from).find((type) => type === to);
  if (narrower !== undefined) return narrower as Type;
  const derived = model.derived(from).map((type) => type.name);
  const hint =
    pathHint(model, from, simpleName(to.name)) ||
    navigationHint(model, from, to) ||
    didYouMean(to.name, derived) ||
    ` ${simpleName(from.name)} has no property "${simpleName(to.name)}" either.`;
  throw faultAt(frame, at, 'bind.unrelated-type', { from: from.name, to: to.name, hint });
}

/** A sentence for messages about a name that the type does not have: a path to it, or the most similar of the names. */
export function hintAt(
  model: Model,
  type: StructuredType,
  name: string,
  names: Iterable<string>,
): string {
  const target = name.includes('.') ? undefined : structuredNamed(model, name);
  const navigations = target === undefined ? '' : navigationHint(model, type, target);
  return pathHint(model, type, name) || navigations || didYouMean(name, names);
}
