// This file resolves keys in the resource path: in parentheses, or as segments, `Persons/7`, one per key property.
// OData 4.01 URL Conventions, "Canonical URL", "Key-as-Segment Convention".
import { invariant } from '../../base/fault.ts';
import { parseText } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { constant, enumValue } from '../expression/literal.ts';
import { itemType, typeName } from '../expression/types.ts';
import type { Frame } from '../scope.ts';
import {
  bindKey,
  itemKey,
  type Keyed,
  keyFault,
  keyOfValue,
  matchKey,
  rejectSecondKey,
  remainingKeyParts,
} from './key-predicate.ts';
import { keyedPosition, type Position, unknownSegment } from './position.ts';

/** The row with the key in parentheses after the name, or all rows if there are no parentheses. Throws: bind.key, bind.duplicate. */
export function takeParentheses(
  frame: Frame,
  position: Position,
  segment: Tree.NameSegment,
): Position {
  rejectSecondKey(frame, keyedRows(position), segment);
  return segment.arguments === undefined ? position : takeKey(frame, position, segment.arguments);
}

/** The row of the collection with the key. Throws: bind.key, bind.duplicate. */
export function takeKey(frame: Frame, position: Position, args: Tree.Arguments): Position {
  if (position.many && position.value === undefined)
    return keyedPosition(position, bindKey(frame, keyedRows(position), args));
  const { value, rows } = position;
  if (value !== undefined)
    throw keyOfValue(frame, typeName(itemType(value.value.type)), args, args.at);
  const expected = 'the path already addresses one entity, so remove the parentheses';
  throw keyFault(frame, rows.row.type.name, args, expected);
}

/** The row whose key the segments contain, and the number of segments used. Throws: bind.unknown-segment if they are not a key. */
export function takeKeySegments(
  frame: Frame,
  position: Position,
  segments: readonly Tree.Segment[],
): { readonly place: Position; readonly used: number } {
  const keyed = keyedRows(position);
  const parts = remainingKeyParts(frame, keyed);
  const values = parts.flatMap((part, at) => keyValue(segments[at], part.type));
  const [first] = segments;
  if (parts.length === 0 || values.length < parts.length) {
    const name = first?.kind === 'name' || first?.kind === 'text' ? first.text : '';
    throw unknownSegment(frame, position.rows.row.type, { at: first?.at ?? 0, name });
  }
  const match = matchKey(frame, keyed, { parts }, values);
  return { place: keyedPosition(position, match), used: parts.length };
}

/** The row of the collection that has an item with the key. */
export function takeItemKey(
  frame: Frame,
  position: Position,
  values: ReadonlyMap<string, Expression>,
): Position {
  const keyed = keyedRows(position);
  const key = itemKey(frame, keyed.type);
  invariant(key !== undefined, `${keyed.type.name} has no item key`);
  const parts = key.parts.flatMap(({ name }) => values.get(name) ?? []);
  return keyedPosition(position, matchKey(frame, keyed, key, parts));
}

function keyedRows({ rows, navigation }: Position): Keyed {
  const keyed = { row: rows.row, type: rows.row.type };
  return navigation === undefined ? keyed : { ...keyed, navigation };
}

/** The text of the segment as a value of the type, or nothing if it is not one. */
function keyValue(segment: Tree.Segment | undefined, type: ValueType): readonly Expression[] {
  if (segment?.kind !== 'text' && segment?.kind !== 'name') return [];
  if (type.kind === 'enum') {
    const result = enumValue(type.type, segment.text.split(','));
    return 'unknown' in result ? [] : [constant(type, result.value)];
  }
  if (type.kind !== 'primitive') return [];
  const reading = parseText(type.name, type.facets, segment.text);
  return reading.kind === 'value' ? [constant(type, reading.value)] : [];
}
