// Resolves the paths of $expand: casts and complex properties, then a navigation or stream property, which only casts may follow.
// OData 4.01 URL Conventions, "System Query Option $expand".
import type { Fault } from '../../base/fault.ts';
import type { EntityType, Navigation, Property, StructuredType } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import { expandItem } from '../expression/name-suggestions.ts';
import { fullName, hintAt, narrowType, structuredNamed } from '../names.ts';
import { type Frame, faultAt, notBuilt } from '../scope.ts';

/** The start of a path of $expand. */
export interface Start {
  readonly frame: Frame;
  readonly type: StructuredType;
  /** The complex properties in the resource path. */
  readonly path: readonly Property[];
}

/** The target of a path. */
export interface Target {
  readonly onType: StructuredType | undefined;
  readonly path: readonly Property[];
  readonly holder: StructuredType;
  readonly member: Navigation | Property;
  /** The cast after the navigation. */
  readonly cast: EntityType | undefined;
}

/** Throws: bind.unknown-property, bind.unrelated-type, bind.option-on, not-built. */
export function resolveTarget(start: Start, steps: readonly Tree.ExpandStep[]): Target {
  const { frame } = start;
  const walk = newWalk(start);
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'annotation')
      throw notExpandable(frame, nameOf(step), 'an annotation without entities');
    const member = takeStep(frame, walk, step);
    if (member === undefined) continue;
    return { ...walk, member, cast: castAfter(start, member, { steps, from: index + 1 }) };
  }
  const last = steps.at(-1) ?? { kind: 'name', at: 0, name: '' };
  const named = last.kind === 'name' ? last : { at: 0, name: '' };
  throw notExpandable(frame, named, 'not a navigation property');
}

/** The part of a path that has been resolved. */
interface Walk {
  onType: StructuredType | undefined;
  readonly path: Property[];
  holder: StructuredType;
}

interface NamedStep {
  readonly name: string;
  readonly at: number;
}

function newWalk({ type, path }: Start): Walk {
  return { onType: undefined, path: [...path], holder: type };
}

function nameOf(step: Tree.ExpandStep): NamedStep {
  return step.kind === 'name' ? step : { at: step.at, name: `@${step.term}` };
}

/** Follows a cast or a complex property. Returns the member if it is a navigation or a stream, which ends the walk. */
function takeStep(frame: Frame, walk: Walk, step: NamedStep): Navigation | Property | undefined {
  const member = frame.model.members(walk.holder).get(step.name);
  if (member?.kind === 'navigation' || member?.type === 'Edm.Stream') return member;
  if (member === undefined) {
    walk.holder = requireCast(frame, walk.holder, step);
    walk.onType = walk.holder;
  } else {
    walk.holder = requireComplex(frame, member, step);
    walk.path.push(member);
    if (walk.onType?.kind === 'complex') walk.onType = undefined;
  }
  return undefined;
}

function requireCast(frame: Frame, holder: StructuredType, step: NamedStep): StructuredType {
  const type = structuredNamed(frame.model, step.name);
  if (type !== undefined) return narrowType(frame, holder, type, step.at);
  const names = [...frame.model.members(holder).values()].filter(
    ({ kind }) => kind === 'navigation',
  );
  const hint = hintAt(
    frame.model,
    holder,
    step.name,
    names.map(({ name }) => name),
  );
  throw faultAt(frame, step.at, 'bind.unknown-property', {
    type: holder.name,
    name: step.name,
    hint,
  });
}

function requireComplex(frame: Frame, member: Property, step: NamedStep): StructuredType {
  const type = frame.model.types.get(member.type);
  if (type?.kind !== 'complex') throw notExpandable(frame, step, 'not a navigation property');
  if (!member.collection) return type;
  const members = [...frame.model.members(type).values()];
  const hasNavigation = members.some(({ kind }) => kind === 'navigation');
  if (!hasNavigation)
    throw notExpandable(frame, step, 'a collection without navigation properties');
  throw notBuilt(frame, `$expand through the collection "${member.name}"`, step.at);
}

/** The cast after a navigation. Other steps are errors, because nested expansions go in parentheses. */
function castAfter(
  start: Start,
  member: Navigation | Property,
  { steps, from: first }: { readonly steps: readonly Tree.ExpandStep[]; readonly from: number },
): EntityType | undefined {
  const { frame } = start;
  const { model } = frame;
  let cast: EntityType | undefined;
  for (const step of steps.slice(first)) {
    const { name } = nameOf(step);
    const type = model.types.get(fullName(model, name));
    const from = cast ?? model.types.get(member.kind === 'navigation' ? member.target : '');
    const isMember = from?.kind === 'entity' && model.members(from).has(name);
    if (type?.kind !== 'entity' || from?.kind !== 'entity' || isMember) {
      const names = steps.map((one) => nameOf(one).name);
      const isKnown = isMember && cast === undefined;
      throw faultAt(frame, step.at, 'bind.option-on', {
        name: `${member.name}/${name}`,
        what: 'not a valid path of $expand',
        instead: isKnown ? `use ${expandItem(model, start.type, names)}` : `remove /${name}`,
      });
    }
    cast = narrowType(frame, from, type, step.at);
  }
  return cast;
}

/** The type whose navigations `*` expands. Throws: as resolveTarget. */
export function starHolder(
  start: Start,
  { steps }: Tree.ExpandStar,
): Pick<Target, 'onType' | 'path' | 'holder'> {
  const { frame } = start;
  const walk = newWalk(start);
  for (const step of steps.map(nameOf)) {
    const member = takeStep(frame, walk, step);
    if (member?.kind === 'navigation') throw notExpandable(frame, step, 'a navigation property');
    if (member !== undefined) requireComplex(frame, member, step);
  }
  return walk;
}

/** Creates the error for items that cannot be expanded; `what` names what it is instead. */
export function notExpandable(frame: Frame, { name, at }: NamedStep, what: string): Fault {
  return faultAt(frame, at, 'bind.option-on', {
    name,
    what,
    instead: 'expand only navigation properties, and use $select for other properties',
  });
}
