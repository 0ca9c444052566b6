// This file suggests what a client may have meant by a name that the type does not have: a member of a complex value, a navigation to a
// type of that name, or a path written with a dot instead of a slash.
import { nearestName } from '../../base/nearest-name.ts';
import {
  isAssignable,
  isStructured,
  type Model,
  memberType,
  type StructuredType,
} from '../../edm/model.ts';
import { derivedWith } from '../../edm/property-storage.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';

/** ` Write Status/Value.`: paths to members of that name in complex values, and the path if the name has a dot instead of a slash. */
export function pathHint(model: Model, type: StructuredType, name: string): string {
  const paths = [...pathsInValues(model, type, name), ...dottedPath(model, type, name)];
  return paths.length === 0 ? '' : ` Write ${listed(paths)}.`;
}

/** ` Did you mean Caller or Requestor?`: navigations of the type and of its complex values to the target type. */
export function navigationHint(model: Model, from: StructuredType, to: StructuredType): string {
  const direct = navigationsTo(model, from, to);
  const inner = complexValues(model, from).flatMap(({ name, type }) =>
    navigationsTo(model, type, to).map((navigation) => `${name}/${navigation}`),
  );
  const paths = [...direct, ...inner];
  return paths.length === 0 ? '' : ` Did you mean ${listed(paths)}?`;
}

/**
 * The path as an item of $expand, in which the steps after a navigation are nested options.
 *     Caller/Organization    Caller($expand=Organization)
 *     Caller/Name            Caller($select=Name)
 */
export function expandItem(model: Model, type: StructuredType, names: readonly string[]): string {
  const [name = '', ...rest] = names;
  const member = model.members(type).get(name);
  const next = memberType(model, member) ?? type;
  const [first] = rest;
  if (first === undefined) return name;
  if (member?.kind !== 'navigation') return `${name}/${expandItem(model, next, rest)}`;
  return isExpandable(model, next, first)
    ? `${name}($expand=${expandItem(model, next, rest)})`
    : `${name}($select=${rest.join('/')})`;
}

function isExpandable(model: Model, type: StructuredType, name: string): boolean {
  const member = model.members(type).get(name);
  return member?.kind === 'navigation' || member?.type === 'Edm.Stream';
}

/** A suggestion for an unknown member of a request body. A navigation with a string or number as its value needs @odata.bind. */
export function hintInBody(
  model: Model,
  type: StructuredType,
  name: string,
  input: JsonInput,
): string {
  const derived = derivedWith(model, type, name)?.name;
  if (derived !== undefined)
    return ` Only ${derived} has it: add "@odata.type": "#${derived}", or the type to the URL.`;
  const nested = nestedMemberHint(model, type, name);
  if (nested !== '') return nested;
  const nearest = nearestName(name.slice(0, 100), model.members(type).keys());
  if (nearest === undefined) return '';
  const isNavigation = model.members(type).get(nearest)?.kind === 'navigation';
  const isReference = isNavigation && (typeof input === 'string' || typeof input === 'bigint');
  return ` Did you mean "${nearest}${isReference ? '@odata.bind' : ''}"?`;
}

/** ` Write Odd.Zoo.Bird/Nest, …` for a member that a derived type declares; otherwise ''. */
export function castHint(model: Model, type: StructuredType, name: string): string {
  const derived = derivedWith(model, type, name);
  return derived === undefined
    ? ''
    : ` Write ${derived.name}/${name}, because only that derived type has it.`;
}

/** ` Write "Assignment": {"AssigneePerson@odata.bind": …}.` for a name that is a member of a complex value. */
export function nestedMemberHint(model: Model, type: StructuredType, name: string): string {
  const [path] = pathsInValues(model, type, name.slice(name.lastIndexOf('/') + 1));
  const [value, inner] = path?.split('/') ?? [];
  if (value === undefined || inner === undefined) return '';
  const owner = memberType(model, model.members(type).get(value));
  const isNavigation = owner && model.members(owner).get(inner)?.kind === 'navigation';
  return ` Write "${value}": {"${inner}${isNavigation ? '@odata.bind' : ''}": …}.`;
}

/** `Assignment/AssigneePerson` for `AssigneePerson`. */
function pathsInValues(model: Model, type: StructuredType, name: string): readonly string[] {
  return complexValues(model, type)
    .filter((value) => model.members(value.type).has(name))
    .map((value) => `${value.name}/${name}`);
}

/** `Status/Value` for `Status.Value`. */
function dottedPath(model: Model, type: StructuredType, name: string): readonly string[] {
  const [first = '', second = '', ...others] = name.split('.');
  const member = model.members(type).get(first);
  if (member === undefined || others.length > 0) return [];
  const target = memberType(model, member);
  const exists = target !== undefined && model.members(target).has(second);
  return exists ? [`${first}/${second}`] : [];
}

function navigationsTo(model: Model, from: StructuredType, to: StructuredType): readonly string[] {
  return [...model.members(from).values()].flatMap((member) => {
    if (member.kind !== 'navigation') return [];
    const target = model.types.get(member.target);
    const fits = target !== undefined && isStructured(target) && isAssignable(model, target, to);
    return fits ? [member.name] : [];
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

/** `a, b or c`: at most five. */
function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5);
  const last = shown.at(-1) ?? '';
  if (shown.length < 2) return last;
  return `${shown.slice(0, -1).join(', ')} or ${last}`;
}
