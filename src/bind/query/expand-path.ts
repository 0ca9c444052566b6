// This file resolves the paths of $expand: casts, complex properties, and at the end a navigation or a stream property, behind which
// only casts may stand. OData 4.01 URL Conventions, "System Query Option $expand".
import { Fault } from '../../base/fault.ts';
import type { EntityType, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { isStructured } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import { expandItem } from '../expression/name-suggestions.ts';
import { fullName, hintAt, narrowType } from '../names.ts';
import { type Frame, placeOf, whereOf } from '../scope.ts';

/** What a path of $expand starts from. */
export interface Start {
  readonly frame: Frame;
  readonly type: StructuredType;
  /** Complex properties that the request has walked before $expand. */
  readonly path: readonly Property[];
}

/** What the path of an item leads to. */
export interface Target {
  readonly onType: StructuredType | undefined;
  readonly path: readonly Property[];
  readonly holder: StructuredType;
  readonly member: Navigation | Property;
  /** Casts behind the navigation. */
  readonly cast: EntityType | undefined;
}

/** Faults: bind.unknown-property, bind.unrelated-type, bind.option-on, not-built. */
export function resolveTarget(inside: Start, steps: readonly Tree.ExpandStep[]): Target {
  const { frame } = inside;
  const { model } = frame.session.scope;
  let holder = inside.type;
  let onType: StructuredType | undefined;
  const path: Property[] = [...inside.path];
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'annotation') {
      const name = `@${step.term}`;
      throw notExpandable(frame, { name, at: step.at }, 'no annotation that has entities');
    }
    const member = model.members(holder).get(step.name);
    if (member === undefined) {
      holder = castOrRefuse(frame, holder, step);
      onType = holder;
    } else if (member.kind === 'navigation' || member.type === 'Edm.Stream') {
      const cast = castBehind(inside, member, { steps, from: index + 1 });
      return { onType, path, holder, member, cast };
    } else {
      holder = complexOrRefuse(frame, member, step);
      path.push(member);
    }
  }
  const last = steps.at(-1);
  throw notExpandable(
    frame,
    last?.kind === 'name' ? last : { at: 0, name: '' },
    'no navigation property',
  );
}

function castOrRefuse(
  frame: Frame,
  holder: StructuredType,
  step: { readonly name: string; readonly at: number },
): StructuredType {
  const { model } = frame.session.scope;
  const type = model.types.get(fullName(model, step.name));
  if (type !== undefined && isStructured(type)) return narrowType(frame, holder, type, step.at);
  const names = [...model.members(holder).values()].filter(({ kind }) => kind === 'navigation');
  const hint = hintAt(
    model,
    holder,
    step.name,
    names.map(({ name }) => name),
  );
  throw new Fault(
    'bind.unknown-property',
    { type: holder.name, name: step.name, hint, place: placeOf(frame, step.at) },
    whereOf(frame, step.at),
  );
}

function complexOrRefuse(
  frame: Frame,
  member: Property,
  step: { readonly name: string; readonly at: number },
): StructuredType {
  const type = frame.session.scope.model.types.get(member.type);
  if (type?.kind !== 'complex') throw notExpandable(frame, step, 'no navigation property');
  if (!member.collection) return type;
  const members = [...frame.session.scope.model.members(type).values()];
  const leadsOn = members.some(({ kind }) => kind === 'navigation');
  if (!leadsOn) throw notExpandable(frame, step, 'a collection without navigation properties');
  throw new Fault(
    'not-built',
    { feature: `$expand through the collection "${member.name}"` },
    whereOf(frame, step.at),
  );
}

/** Only casts may stand behind a navigation; what is expanded inside it stands in parentheses. */
function castBehind(
  inside: Start,
  member: Navigation | Property,
  { steps, from: first }: { readonly steps: readonly Tree.ExpandStep[]; readonly from: number },
): EntityType | undefined {
  const { frame } = inside;
  const { model } = frame.session.scope;
  let cast: EntityType | undefined;
  for (const step of steps.slice(first)) {
    const name = step.kind === 'name' ? step.name : `@${step.term}`;
    const type = model.types.get(fullName(model, name));
    const from = cast ?? model.types.get(member.kind === 'navigation' ? member.target : '');
    const isMember = from?.kind === 'entity' && model.members(from).has(name);
    if (type?.kind !== 'entity' || from?.kind !== 'entity' || isMember) {
      const names = steps.map((one) => (one.kind === 'name' ? one.name : `@${one.term}`));
      const isKnown = isMember && cast === undefined;
      throw new Fault(
        'bind.option-on',
        {
          name: `${member.name}/${name}`,
          what: 'no path of $expand',
          instead: isKnown
            ? `write ${expandItem(model, inside.type, names)}`
            : `leave /${name} out`,
          place: placeOf(frame, step.at),
        },
        whereOf(frame, step.at),
      );
    }
    cast = narrowType(frame, from, type, step.at);
  }
  return cast;
}

/** The complex value or derived type whose navigations a star means. */
export function starHolder(
  inside: Start,
  item: Tree.ExpandStar,
): Pick<Target, 'onType' | 'path' | 'holder'> {
  const { frame } = inside;
  const { model } = frame.session.scope;
  let holder = inside.type;
  let onType: StructuredType | undefined;
  const path: Property[] = [...inside.path];
  for (const step of item.steps) {
    const name = step.kind === 'name' ? step : { at: step.at, name: `@${step.term}` };
    const member = model.members(holder).get(name.name);
    if (member === undefined) {
      holder = castOrRefuse(frame, holder, name);
      onType = holder;
    } else {
      if (member.kind === 'navigation') throw notExpandable(frame, name, 'a navigation property');
      holder = complexOrRefuse(frame, member, name);
      path.push(member);
    }
  }
  return { onType, path, holder };
}

/** The fault for what is no navigation. */
export function notExpandable(
  frame: Frame,
  { name, at }: { readonly name: string; readonly at: number },
  what: string,
): Fault {
  return new Fault(
    'bind.option-on',
    {
      name,
      what,
      instead:
        'expand navigation properties only; properties are always there, or named in $select',
      place: placeOf(frame, at),
    },
    whereOf(frame, at),
  );
}
