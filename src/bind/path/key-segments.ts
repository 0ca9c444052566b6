// This file takes keys in the resource path: in parentheses, or as segments of their own, `Persons/7`, one per part of the key.
// OData 4.01 URL Conventions, "Canonical URL", "Key-as-Segment Convention".
import { parseText } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { constant, enumValue } from '../expression/literal.ts';
import { itemType, typeName } from '../expression/types.ts';
import type { Frame } from '../scope.ts';
import {
  bindKey,
  type Keyed,
  keyFault,
  keyOfValue,
  matchKey,
  openKeyParts,
  refuseSecondKey,
} from './key-predicate.ts';
import { keyedPosition, type Position, unknownSegment } from './position.ts';

/** The one row of the collection that the parentheses behind a name say, or all of them where there are none. Faults: bind.key. */
export function takeParentheses(
  frame: Frame,
  position: Position,
  segment: Tree.NameSegment,
): Position {
  refuseSecondKey(frame, keyedRows(position), segment);
  return segment.arguments === undefined ? position : takeKey(frame, position, segment.arguments);
}

/** The one row of the collection that has the key. Faults: bind.key. */
export function takeKey(frame: Frame, position: Position, args: Tree.Arguments): Position {
  if (position.many && position.value === undefined)
    return keyedPosition(position, bindKey(frame, keyedRows(position), args));
  const { value, rows } = position;
  if (value !== undefined)
    throw keyOfValue(frame, typeName(itemType(value.value.type)), args, args.at);
  const expected = 'it is one entity already, so leave the parentheses out';
  throw keyFault(frame, rows.row.type.name, args, expected);
}

/** The row whose key the segments are, and how many were used. Faults: bind.unknown-segment where they are no key. */
export function takeKeySegments(
  frame: Frame,
  position: Position,
  segments: readonly Tree.Segment[],
): { readonly place: Position; readonly used: number } {
  const keyed = keyedRows(position);
  const parts = openKeyParts(frame, keyed);
  const values = parts.flatMap((part, at) => keyValue(segments[at], part.type));
  const [first] = segments;
  if (parts.length === 0 || values.length < parts.length) {
    const name = first?.kind === 'name' || first?.kind === 'text' ? first.text : '';
    throw unknownSegment(frame, position.rows.row.type, { at: first?.at ?? 0, name });
  }
  const match = matchKey(frame, keyed, parts, values);
  return { place: keyedPosition(position, match), used: parts.length };
}

function keyedRows({ rows, navigation }: Position): Keyed {
  const keyed = { row: rows.row, type: rows.row.type };
  return navigation === undefined ? keyed : { ...keyed, navigation };
}

/** The segment's text as a value of the type, or nothing where it is none. */
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
