// This file finds where a name leads that a type does not have: inside one of its complex values, at the end of a relation, or
// behind a slash where a dot was written. A refusal says so.
import { isAssignable, isStructured, type Model, type StructuredType } from '../../edm/model.ts';

/** Paths from the type to what has the name inside one of its complex values, or is written with a dot in the place of a slash. */
export function pathsTo(model: Model, type: StructuredType, name: string): string {
  const paths = [...insideValues(model, type, name), ...behindSlash(model, type, name)];
  return paths.length === 0 ? '' : ` Write ${listed(paths)}.`;
}

/** ` What leads there is Caller or Requestor.`: the relations of the type, and of its complex values, whose target is of the other one. */
export function leadingTo(model: Model, from: StructuredType, to: StructuredType): string {
  const direct = relationsTo(model, from, to);
  const inner = complexValues(model, from).flatMap(({ name, type }) =>
    relationsTo(model, type, to).map((relation) => `${name}/${relation}`),
  );
  const paths = [...direct, ...inner];
  return paths.length === 0 ? '' : ` What leads there is ${listed(paths)}.`;
}

/** `Assignment/AssigneePerson` for `AssigneePerson`. */
function insideValues(model: Model, type: StructuredType, name: string): readonly string[] {
  return complexValues(model, type)
    .filter((value) => model.members(value.type).has(name))
    .map((value) => `${value.name}/${name}`);
}

/** `Status/Value` for `Status.Value`. */
function behindSlash(model: Model, type: StructuredType, name: string): readonly string[] {
  const [first = '', second = '', ...others] = name.split('.');
  const member = model.members(type).get(first);
  if (member === undefined || others.length > 0) return [];
  const target = model.types.get(member.kind === 'navigation' ? member.target : member.type);
  const has = target !== undefined && isStructured(target) && model.members(target).has(second);
  return has ? [`${first}/${second}`] : [];
}

function relationsTo(model: Model, from: StructuredType, to: StructuredType): readonly string[] {
  return [...model.members(from).values()].flatMap((member) => {
    if (member.kind !== 'navigation') return [];
    const target = model.types.get(member.target);
    const leads = target !== undefined && isStructured(target) && isAssignable(model, target, to);
    return leads ? [member.name] : [];
  });
}

function complexValues(
  model: Model,
  from: StructuredType,
): readonly { readonly name: string; readonly type: StructuredType }[] {
  return [...model.members(from).values()].flatMap((member) => {
    if (member.kind !== 'property' || member.collection) return [];
    const type = model.types.get(member.type);
    return type?.kind === 'complex' ? [{ name: member.name, type }] : [];
  });
}

/** `a, b or c`; of more than five the first ones. */
function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5);
  const last = shown.at(-1) ?? '';
  if (shown.length < 2) return last;
  return `${shown.slice(0, -1).join(', ')} or ${last}`;
}
