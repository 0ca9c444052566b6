// This file finds where a name leads that a type does not have: inside one of its complex values, at the end of a relation, or
// behind a slash where a dot was written. A refusal says so.
import { nearestName } from '../../base/nearest-name.ts';
import {
  isAssignable,
  isStructured,
  type Model,
  type Navigation,
  type Property,
  type StructuredType,
} from '../../edm/model.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';

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

/**
 * The path as an item of $expand: what follows a navigation goes into its parentheses.
 *     Caller/Organization    Caller($expand=Organization)
 *     Caller/Name            Caller($select=Name)
 */
export function expandItem(model: Model, type: StructuredType, names: readonly string[]): string {
  const [name = '', ...rest] = names;
  const member = model.members(type).get(name);
  const next = typeBehind(model, member) ?? type;
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

/** The structured type that a member leads to or has. */
export function typeBehind(
  model: Model,
  member: Navigation | Property | undefined,
): StructuredType | undefined {
  if (member === undefined) return undefined;
  const type = model.types.get(member.kind === 'navigation' ? member.target : member.type);
  return type !== undefined && isStructured(type) ? type : undefined;
}

/** What a member of a body was probably meant to be. A navigation that is given no entity takes a reference. */
export function hintInBody(
  model: Model,
  type: StructuredType,
  name: string,
  input: JsonInput,
): string {
  const inside = insideValue(model, type, name);
  if (inside !== '') return inside;
  const near = nearestName(name.slice(0, 100), model.members(type).keys());
  const isNavigation = near !== undefined && model.members(type).get(near)?.kind === 'navigation';
  const isReference = isNavigation && (typeof input === 'string' || typeof input === 'bigint');
  return near === undefined ? '' : ` Did you mean "${near}${isReference ? '@odata.bind' : ''}"?`;
}

/** ` Write "Assignment": {"AssigneePerson@odata.bind": …}.` for a navigation that a complex value has. */
export function insideValue(model: Model, type: StructuredType, name: string): string {
  const [path] = insideValues(model, type, name.slice(name.lastIndexOf('/') + 1));
  const [value, inner] = path?.split('/') ?? [];
  if (value === undefined || inner === undefined) return '';
  const holder = typeBehind(model, model.members(type).get(value));
  const isNavigation = holder && model.members(holder).get(inner)?.kind === 'navigation';
  return ` Write "${value}": {"${inner}${isNavigation ? '@odata.bind' : ''}": …}.`;
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
  const target = typeBehind(model, member);
  const has = target !== undefined && model.members(target).has(second);
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
