// This file translates patterns of matchesPattern to regular expressions of PostgreSQL, whose classes, boundaries and limits differ from
// those of ECMAScript. Sets of characters become explicit ranges, so that the collation has no effect.
//     \w+\b    (?:[\U00000030-\U00000039…])+(?:(?<=…)(?!…)|(?<!…)(?=…))
import { unreachable } from '../../../base/fault.ts';
import {
  type CharacterRange,
  type CharacterSet,
  type PatternNode,
  propertyPattern,
  WORD_RANGES,
} from '../../../edm/value/pattern-reader.ts';
import { checkedPattern } from '../../../edm/value/regular-expression.ts';

/** Throws: sql.pattern. */
export function postgresPattern(pattern: string): string {
  return print(checkedPattern(pattern));
}

const WORD = brackets(WORD_RANGES);
const BOUNDARY = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;
const NO_BOUNDARY = `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`;

function print(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      return brackets(rangesOf(node.set));
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'boundary':
      return BOUNDARY;
    case 'notBoundary':
      return NO_BOUNDARY;
    case 'sequence':
      return node.nodes.map(print).join('');
    case 'choice':
      return `(?:${node.nodes.map(print).join('|')})`;
    case 'repeat':
      return repeated(`(?:${print(node.node)})`, node);
    default:
      return unreachable(node);
  }
}

/** PostgreSQL repeats at most 255 times, so that larger numbers become several repetitions. */
const MAX_REPEAT = 255;

function repeated(
  atom: string,
  { least, most }: { readonly least: number; readonly most: number },
): string {
  const required = counts(least).map((count) => `${atom}{${count}}`);
  const optional =
    most === Number.POSITIVE_INFINITY
      ? [`${atom}*`]
      : counts(most - least).map((count) => `${atom}{0,${count}}`);
  return [...required, ...optional].join('');
}

/** The number as a sum of numbers up to MAX_REPEAT. */
function counts(total: number): readonly number[] {
  const full = Array.from({ length: Math.floor(total / MAX_REPEAT) }, () => MAX_REPEAT);
  const rest = total % MAX_REPEAT;
  return rest === 0 ? full : [...full, rest];
}

const LAST = 0x10ffff;

/** A bracket expression; U+0000 never occurs in text. */
function brackets(ranges: readonly CharacterRange[]): string {
  const items = ranges.flatMap(([from, to]) => {
    if (to === 0) return [];
    const [first, last] = [escaped(Math.max(from, 1)), escaped(to)];
    return [first === last ? first : `${first}-${last}`];
  });
  return items.length === 0 ? '(?!)' : `[${items.join('')}]`;
}

function escaped(point: number): string {
  return `\\U${point.toString(16).padStart(8, '0')}`;
}

/** The characters of a set as ascending ranges without overlaps. */
function rangesOf(set: CharacterSet): readonly CharacterRange[] {
  switch (set.kind) {
    case 'ranges':
      return merged(set.ranges);
    case 'property':
      return propertyRanges(set.name);
    case 'not':
      return complement(rangesOf(set.set));
    case 'union':
      return merged(set.sets.flatMap(rangesOf));
    default:
      return unreachable(set);
  }
}

function merged(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const result: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function complement(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const gaps: CharacterRange[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  return next <= LAST ? [...gaps, [next, LAST]] : gaps;
}

/** Properties by name: finding their characters takes a tenth of a second. */
const properties = new Map<string, readonly CharacterRange[]>();

function propertyRanges(name: string): readonly CharacterRange[] {
  const known = properties.get(name);
  if (known !== undefined) return known;
  const one = propertyPattern(name);
  const ranges: [number, number][] = [];
  for (let point = 0; point <= LAST; point++) {
    if (!one.test(String.fromCodePoint(point))) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === point - 1) last[1] = point;
    else ranges.push([point, point]);
  }
  properties.set(name, ranges);
  return ranges;
}
