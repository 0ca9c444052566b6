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
  let holder = start.type;
  let onType: StructuredType | undefined;
  const path: Property[] = [...start.path];
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'annotation') {
      const name = `@${step.term}`;
      throw notExpandable(frame, { name, at: step.at }, 'an annotation without entities');
    }
    const member = frame.model.members(holder).get(step.name);
    if (member === undefined) {
      holder = requireCast(frame, holder, step);
      onType = holder;
    } else if (member.kind === 'navigation' || member.type === 'Edm.Stream') {
      const cast = castAfter(start, member, { steps, from: index + 1 });
      return { onType, path, holder, member, cast };
    } else {
      holder = requireComplex(frame, member, step);
      path.push(member);
    }
  }
  const last = steps.at(-1);
  throw notExpandable(
    frame,
    last?.kind === 'name' ? last : { at: 0, name: '' },
    'not a navigation property',
  );
}

function requireCast(
  frame: Frame,
  holder: StructuredType,
  step: { readonly name: string; readonly at: number },
): StructuredType {
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

function requireComplex(
  frame: Frame,
  member: Property,
  step: { readonly name: string; readonly at: number },
): StructuredType {
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
    const name = step.kind === 'name' ? step.name : `@${step.term}`;
    const type = model.types.get(fullName(model, name));
    const from = cast ?? model.types.get(member.kind === 'navigation' ? member.target : '');
    const isMember = from?.kind === 'entity' && model.members(from).has(name);
    if (type?.kind !== 'entity' || from?.kind !== 'entity' || isMember) {
      const names = steps.map((one) => (one.kind === 'name' ? one.name : `@${one.term}`));
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
  item: Tree.ExpandStar,
): Pick<Target, 'onType' | 'path' | 'holder'> {
  const { frame } = start;
  let holder = start.type;
  let onType: StructuredType | undefined;
  const path: Property[] = [...start.path];
  for (const step of item.steps) {
    const name = step.kind === 'name' ? step : { at: step.at, name: `@${step.term}` };
    const member = frame.model.members(holder).get(name.name);
    if (member === undefined) {
      holder = requireCast(frame, holder, name);
      onType = holder;
    } else {
      if (member.kind === 'navigation') throw notExpandable(frame, name, 'a navigation property');
      holder = requireComplex(frame, member, name);
      path.push(member);
    }
  }
  return { onType, path, holder };
}

/** Creates the error for items that cannot be expanded; `what` names what it is instead. */
export function notExpandable(
  frame: Frame,
  { name, at }: { readonly name: string; readonly at: number },
  what: string,
): Fault {
  return faultAt(frame, at, 'bind.option-on', {
    name,
    what,
    instead: 'expand only navigation properties, and use $select for other properties',
  });
}
