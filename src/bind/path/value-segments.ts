// This file resolves the segments of a resource path that address values: properties, members of complex values, dynamic properties, and
// items of ordered collections. OData 4.01 URL Conventions, "Addressing a Property".
import type { Property } from '../../edm/model.ts';
import { isOpen } from '../../edm/property-storage.ts';
import { misplacedSegment } from '../../request/path.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { collectionOf } from '../expression/collection.ts';
import { memberOwner, stepByName, valueAt } from '../expression/member.ts';
import { memberOfObject } from '../expression/object-value.ts';
import { dynamicProperty, INT64, isCollection, typeName } from '../expression/types.ts';
import { fullName, operationsNamed, structuredNamed } from '../names.ts';
import { type Frame, type Resolved, resolvedValue } from '../scope.ts';
import { takeParentheses } from './key-segments.ts';
import { callBound } from './operation-segments.ts';
import {
  addStep,
  followNavigation,
  nameOf,
  narrowPosition,
  type Place,
  type Position,
  rowOf,
  unknownSegment,
  type ValuePosition,
} from './position.ts';

/** A declared or dynamic property of the position's row. Throws: bind.unknown-segment, bind.unknown-property. */
export function takeMember(frame: Frame, position: Position, segment: Tree.NameSegment): Position {
  const { type } = position.rows.row;
  return takeProperty(frame, position, { resolved: rowOf(position), path: [] }, segment, type.name);
}

/** A segment after a complex value: a member, a cast, or a function bound to the value. Throws: as takeMember and callBound. */
export function stepIntoValue(frame: Frame, position: Position, segment: Tree.NameSegment): Place {
  const { model } = frame;
  const { value } = position;
  if (value === undefined) throw unknownSegment(frame, position.rows.row.type, segment);
  const resolved = unguardedValue(value);
  const owner = memberOwner(resolved);
  const member = owner === undefined ? undefined : model.members(owner.type).get(segment.name);
  if (member?.kind === 'navigation') {
    return takeParentheses(frame, followNavigation(frame, position, value.path, member), segment);
  }
  const part = memberOfObject(frame, value.value, segment.name);
  if (part !== undefined && segment.arguments === undefined) {
    return partPosition(frame, position, segment, { value: part, guards: value.guards });
  }
  if (member === undefined && structuredNamed(model, segment.name) !== undefined) {
    return castValue(frame, position, value, segment);
  }
  if (member === undefined && operationsNamed(model, segment.name).length > 0) {
    return callBound(frame, position, resolved, segment);
  }
  if (owner === undefined || (member === undefined && !isOpen(model, owner.type))) {
    throw unknownSegment(frame, owner?.type ?? typeName(value.value.type), segment);
  }
  return takeProperty(frame, position, { resolved, path: value.path }, segment, owner.type.name);
}

type Result = Place & { readonly kind: 'result' };

/**
 * A segment after the result of an unbound function: $value, $count, or a member of a complex value if the function is composable.
 * Throws: bind.unknown-segment, request.misplaced-segment. OData 4.01 URL Conventions, "Addressing Operations".
 */
export function stepFromResult(frame: Frame, place: Result, segment: Tree.Segment): Result {
  const { operation, value, raw } = place;
  const { type } = value;
  const isOne = type.kind !== 'null' && type.kind !== 'complex' && !type.collection;
  if (segment.kind === 'value' && isOne && !raw) return { ...place, raw: true };
  const items = collectionOf(frame, resolvedValue(value));
  if (segment.kind === 'count' && items !== undefined && !raw)
    return { ...place, value: { kind: 'count', collection: items, type: INT64 }, raw: true };
  const hasMembers = type.kind === 'complex' && !type.collection && !raw;
  if (segment.kind !== 'name' || segment.arguments !== undefined || !hasMembers)
    throw misplacedSegment(nameOf(segment), 'after the result of a function', segment.at);
  if (operation.composable !== true) {
    const reason = `after ${operation.name}, which is not composable`;
    throw misplacedSegment(segment.name, reason, segment.at);
  }
  const tree = nameTree(segment);
  const resolved = stepByName(frame, resolvedValue(value), tree);
  if (resolved.kind !== 'value') throw unknownSegment(frame, type.type, segment);
  const path = { kind: 'path', at: tree.at, root: HERE, steps: [tree] } as const;
  return { ...place, value: valueAt(frame, resolved, path), nullable: true };
}

/** A member of an untyped value, or of a complex value that is not stored in the row, such as the result of a function. */
function partPosition(
  frame: Frame,
  position: Position,
  { name }: Tree.NameSegment,
  { value, guards }: Pick<ValuePosition, 'value' | 'guards'>,
): Position {
  const address = addStep(position, { name, kind: 'property', many: isCollection(value.type) });
  return { ...position, nullable: true, value: valuePosition(frame, value, [], guards), address };
}

/** An item of an ordered collection by position: `Nicknames/0`, `Nicknames/-1`. Throws: bind.unknown-segment. */
export function takeIndex(frame: Frame, position: Position, segment: Tree.TextSegment): Position {
  const { value, address } = position;
  const isPosition = /^-?\d{1,9}$/.test(segment.text);
  if (value?.elements === undefined || value.index !== undefined || !isPosition) {
    const type = value === undefined ? position.rows.row.type : typeName(value.value.type);
    throw unknownSegment(frame, type, { at: segment.at, name: segment.text });
  }
  return { ...position, value: { ...value, index: Number(segment.text) }, address };
}

/** The owner of a property, and the properties from the row to it. */
interface PropertyOwner {
  readonly resolved: Resolved;
  readonly path: readonly Property[];
}

function takeProperty(
  frame: Frame,
  position: Position,
  owner: PropertyOwner,
  segment: Tree.NameSegment,
  declaringName: string,
): Position {
  if (segment.arguments !== undefined) throw unknownSegment(frame, declaringName, segment);
  const tree = nameTree(segment);
  const resolved = stepByName(frame, owner.resolved, tree);
  const value = valueAt(frame, resolved, { kind: 'path', at: tree.at, root: HERE, steps: [tree] });
  const property = lastProperty(value) ?? dynamicProperty(segment.name);
  const guards = resolved.kind === 'value' ? resolved.guards : [];
  return {
    ...position,
    parent: position.rows,
    nullable: true,
    value: valuePosition(frame, value, [...owner.path, property], guards),
    address: addStep(position, {
      name: segment.name,
      kind: 'property',
      many: isCollection(value.type),
    }),
  };
}

const HERE: Tree.PathRoot = { kind: 'current' };

function valuePosition(
  frame: Frame,
  value: Expression,
  path: readonly Property[],
  guards: readonly Expression[],
): ValuePosition {
  const collection = isCollection(value.type)
    ? collectionOf(frame, resolvedValue(value))
    : undefined;
  return collection?.kind === 'elements'
    ? { value, path, guards, elements: { row: collection.row, where: [] } }
    : { value, path, guards };
}

function castValue(
  frame: Frame,
  position: Position,
  value: ValuePosition,
  segment: Tree.NameSegment,
): Position {
  const { elements } = value;
  const start: Resolved =
    elements === undefined
      ? unguardedValue(value)
      : { kind: 'elements', collection: { kind: 'elements', of: value.value, ...elements } };
  const tree = nameTree(segment);
  const resolved = stepByName(frame, start, tree);
  const address = addStep(position, {
    name: fullName(frame.model, segment.name),
    kind: 'cast',
    many: elements !== undefined,
  });
  if (resolved.kind === 'elements') {
    const { row, where } = resolved.collection;
    return { ...position, address, value: { ...value, elements: { row, where } } };
  }
  const cast = valueAt(frame, resolved, { kind: 'path', at: tree.at, root: HERE, steps: [tree] });
  // Without a value of the type there is no such resource. OData 4.01 URL Conventions, "Addressing Derived Types".
  const guard = resolved.kind === 'value' ? resolved.cast?.guard : undefined;
  const narrowed = narrowPosition(position, guard === undefined ? [] : [guard]);
  return { ...narrowed, address, value: { ...value, value: cast } };
}

/** The value without the guards of preceding casts, as the start of further steps. */
export function unguardedValue({ value, guards }: ValuePosition): Resolved {
  return { kind: 'value', value: unguarded(value, guards.length), guards };
}

function unguarded(value: Expression, guards: number): Expression {
  let inner = value;
  for (let count = 0; count < guards && inner.kind === 'case'; count++) {
    inner = inner.branches[0]?.then ?? inner;
  }
  return inner;
}

function lastProperty(value: Expression): Property | undefined {
  const inner = value.kind === 'case' ? value.branches[0]?.then : value;
  return inner?.kind === 'property' ? inner.path.at(-1) : undefined;
}

function nameTree(segment: Tree.NameSegment): Tree.NameStep {
  const { at, name } = segment;
  return { kind: 'name', at, name, arguments: undefined, key: undefined };
}
