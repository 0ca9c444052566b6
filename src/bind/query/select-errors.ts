// The errors of $select, with suggestions for what to write instead.
import type { Fault } from '../../base/fault.ts';
import { nearestName } from '../../base/nearest-name.ts';
import type { EntityType, Model, Navigation, Property, StructuredType } from '../../edm/model.ts';
import { memberType } from '../../edm/model.ts';
import { readable } from '../../request/print/expression.ts';
import { printSelect } from '../../request/print/url.ts';
import type * as Tree from '../../request/tree.ts';
import { stepNames } from '../apply/expand-columns.ts';
import { castHint, expandItem } from '../expression/name-suggestions.ts';
import { hintAt } from '../names.ts';
import { type Frame, faultAt } from '../scope.ts';

/** The syntax tree of a $select, and the type that it selects from. */
export interface WrittenSelect {
  readonly type: StructuredType;
  readonly items: readonly Tree.SelectItem[];
  /** It is an option of the request, not nested in $expand. */
  readonly isOutermost: boolean;
}

/** Creates the error for a navigation in $select. On the outermost level, the suggestion includes the key. */
export function navigationError(
  frame: Frame,
  { type, items, isOutermost }: WrittenSelect,
  step: Tree.SelectStep,
  path: Tree.SelectPath,
): Fault {
  const { model } = frame;
  const names = stepNames(path);
  const others = items.filter((item) => item.kind !== 'path' || !hasNavigation(model, type, item));
  const selected = isOutermost ? withKey(model, type, others) : '';
  return faultAt(frame, step.at, 'bind.select-navigation', {
    name: step.name,
    instead: `$expand=${expandItem(model, type, names)}`,
    beside: selected === '' ? '' : `, together with $select=${selected}`,
  });
}

function hasNavigation(model: Model, type: StructuredType, path: Tree.SelectPath): boolean {
  let holder = type;
  for (const name of stepNames(path)) {
    const member: Navigation | Property | undefined = model.members(holder).get(name);
    if (member?.kind === 'navigation') return true;
    holder = memberType(model, member) ?? holder;
  }
  return false;
}

/** The items, preceded by missing key properties; '' if there are none. */
function withKey(model: Model, type: StructuredType, items: readonly Tree.SelectItem[]): string {
  const written = readable(printSelect(items));
  if (type.kind !== 'entity' || items.length === 0) return written;
  if (items.some(({ kind }) => kind === 'star')) return written;
  const names = new Set(items.flatMap((item) => (item.kind === 'path' ? stepNames(item)[0] : [])));
  const missing = keyNames(model.key(type)).filter((name) => !names.has(name));
  return [...missing, written].join(',');
}

/** Creates the error for an unknown name. */
export function unknownNameError(frame: Frame, type: StructuredType, step: Tree.SelectStep): Fault {
  return faultAt(frame, step.at, 'bind.unknown-property', {
    type: type.name,
    name: step.name,
    hint: castHint(frame.model, type, step.name) || hintFor(frame, type, step.name),
  });
}

/** Under the rules of the service, suggests $expand for misspelled navigations and for navigations of complex properties. */
function hintFor(frame: Frame, type: StructuredType, name: string): string {
  const { model, rules } = frame.session.scope;
  const members = [...model.members(type).values()];
  const names = members.map((member) => member.name);
  if (rules === 'odata') return hintAt(model, type, name, names);
  const [inside] = members.flatMap((member) => {
    const holder = member.kind === 'property' ? memberType(model, member) : undefined;
    const found = holder === undefined ? undefined : model.members(holder).get(name);
    return found?.kind === 'navigation' ? [`${member.name}/${name}`] : [];
  });
  const near = nearestName(name.slice(0, 100), names);
  const isNavigation = near !== undefined && model.members(type).get(near)?.kind === 'navigation';
  const expanded = inside ?? (isNavigation ? near : undefined);
  if (expanded !== undefined) return ` Use $expand=${expanded}.`;
  return hintAt(model, type, name, names);
}

/** Creates the error for a path that continues after a property without parts. */
export function noPartsError(
  frame: Frame,
  { type }: WrittenSelect,
  step: Pick<Tree.SelectStep, 'name' | 'at'>,
  path: Tree.SelectPath,
): Fault {
  const names = stepNames(path);
  const own = names.slice(0, names.indexOf(step.name) + 1).join('/') || step.name;
  return faultAt(frame, step.at, 'bind.option-on', {
    name: names.join('/'),
    what: `not a path of $select, since ${step.name} is not a complex value`,
    instead: hasNavigation(frame.model, type, path)
      ? `use $expand=${expandItem(frame.model, type, names)}`
      : `use ${own}`,
  });
}

/** The properties that $select must name to include the key; the outermost ones if key properties are inside complex values. */
export function keyNames(key: EntityType['key']): readonly string[] {
  return (key ?? []).map(({ path }) => path.split('/')[0] ?? path);
}
