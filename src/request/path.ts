// This file parses the resource path: it splits it at slashes, decodes and parses each segment, and checks their order as far as
// syntax allows. Only the model decides whether a name is a set, a property or an operation.

import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { type Budget, CODE, Cursor, mayStartName } from './cursor.ts';
import { decodeSegment, encodedSemicolons } from './decode.ts';
import { readExpression } from './expression/expression.ts';
import { takeLiteral } from './expression/literal.ts';
import { readArguments } from './expression/member-path.ts';
import {
  type Alias,
  type CrossjoinSegment,
  type Literal,
  MARKS,
  type ResourcePath,
  type Segment,
} from './tree.ts';

const TARGET = 'the path';

interface ParsedPath {
  readonly path: ResourcePath;
  /** Whether the URL ended with /$query, which is not part of `path`. */
  readonly isQuery: boolean;
}

/**
 * Parses a percent-encoded path relative to the service root, without leading and trailing slash.
 * Throws: request.syntax, request.encoding, request.unknown-segment, request.misplaced-segment, request.too-large.
 * Source: OData 4.01 ABNF, "Resource Path"; OData 4.01 URL Conventions, "Resource Path".
 */
export function readPath(raw: string, budget: Budget): ParsedPath {
  if (raw === '') return { path: { text: '', segments: [] }, isQuery: false };
  const pieces = splitPath(raw);
  const isQuery = pieces.length > 1 && pieces.at(-1) === '$query';
  if (isQuery) pieces.pop();
  const text = pieces.join('/');
  const semicolons = encodedSemicolons(raw, decodeSegment);
  const segments: Segment[] = [];
  let start = 0;
  for (const piece of pieces) {
    const end = start + piece.length;
    const cursor = new Cursor(text, TARGET, budget, start, end);
    cursor.encodedSemicolons = semicolons;
    segments.push(readSegment(cursor));
    start = end + 1;
  }
  checkArrangement(segments);
  // The decoded text does not show whether a slash separates segments.
  if (semicolons.size > 0 || (raw.includes('%') && /%2f/i.test(raw))) budget.template.reject();
  budget.template.write('', text);
  return { path: { text, segments }, isQuery };
}

/** Returns the decoded segments. Slashes inside $filter(…) do not separate segments. */
function splitPath(raw: string): string[] {
  const pieces: string[] = [];
  const balance = new Balance();
  for (const rawPiece of raw.split('/')) {
    const piece = decodeSegment(rawPiece);
    if (balance.isOpen) {
      pieces.push(`${pieces.pop()}/${piece}`);
      balance.read(`/${piece}`);
      continue;
    }
    pieces.push(piece);
    if (piece.startsWith('$filter(')) balance.read(piece);
  }
  return pieces;
}

/** Tracks open parentheses, ignoring those in strings with single or (in JSON) double quotes. */
class Balance {
  private depth = 0;
  private quote = 0;

  get isOpen(): boolean {
    return this.depth > 0;
  }

  read(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.quote !== 0) {
        if (code === this.quote) this.quote = 0;
        else if (code === CODE.backslash && this.quote === CODE.doubleQuote) at += 1;
      } else if (code === CODE.quote || code === CODE.doubleQuote) this.quote = code;
      else if (code === CODE.open) this.depth += 1;
      else if (code === CODE.close) this.depth -= 1;
    }
  }
}

function readSegment(cursor: Cursor): Segment {
  const at = cursor.at;
  cursor.spend();
  if (cursor.isAtEnd()) cursor.fail('a path segment');
  if (cursor.code() === CODE.dollar) return readDollarSegment(cursor);
  return at === 0 ? readFirstName(cursor) : readNameOrText(cursor);
}

/** The first segment is a set, a singleton or an import; none of them has a namespace. */
function readFirstName(cursor: Cursor): Segment {
  const name = cursor.identifier('the name of an entity set, a singleton or an operation import');
  const segment = finishName(cursor, 0, name);
  if (!cursor.isAtEnd()) cursor.fail('"(", "/" or the end of the path');
  return segment;
}

function readNameOrText(cursor: Cursor): Segment {
  const at = cursor.at;
  const name = mayStartName(cursor.code()) ? takeNameOrNothing(cursor) : '';
  if (name === '' || !(cursor.isAtEnd() || cursor.code() === CODE.open)) {
    return { kind: 'text', at, text: cursor.slice(at, cursor.end) };
  }
  const segment = finishName(cursor, at, name);
  if (!cursor.isAtEnd()) cursor.fail('"(", "/" or the end of the path');
  return segment;
}

/** A segment that is too long for a name may still be a key. */
function takeNameOrNothing(cursor: Cursor): string {
  const start = cursor.slice(cursor.at, Math.min(cursor.at + 129, cursor.end));
  return start.length === 129 && !/[.(]/.test(start) ? '' : cursor.takeName();
}

function finishName(cursor: Cursor, at: number, name: string): Segment {
  const first = cursor.code() === CODE.open ? readArguments(cursor, readPathValue) : undefined;
  const hasKey = first !== undefined && cursor.code() === CODE.open;
  const key = hasKey ? readArguments(cursor, readPathValue) : undefined;
  return { kind: 'name', at, name, arguments: first, key, text: cursor.slice(at, cursor.end) };
}

/** parameterAlias / primitiveLiteral ; other values of parameters must be passed by alias */
function readPathValue(cursor: Cursor): Literal | Alias {
  const at = cursor.at;
  if (!cursor.take(CODE.at)) {
    return takeLiteral(cursor) ?? cursor.fail('a literal or a parameter alias such as @p');
  }
  cursor.spend();
  return { kind: 'alias', at, name: cursor.identifier('the name of a parameter alias') };
}

/** Path segments with $ are case-sensitive. */
function readDollarSegment(cursor: Cursor): Segment {
  const at = cursor.at;
  cursor.at += 1;
  cursor.takeIdentifier();
  const name = cursor.slice(at);
  const kind = cursor.isAtEnd() ? MARKS.find((mark) => `$${mark}` === name) : undefined;
  if (kind !== undefined) return { kind, at };
  if (name === '$query')
    throw misplacedSegment(name, 'before another segment or at the service root', at);
  if (cursor.code() === CODE.open && name === '$filter') return readFilterSegment(cursor, at);
  if (cursor.code() === CODE.open && name === '$crossjoin') return readCrossjoin(cursor, at);
  if (name === '$filter' || name === '$crossjoin') cursor.fail('"("');
  throw unknownSegment(cursor.slice(at, cursor.end), at);
}

function unknownSegment(segment: string, position: number): Fault {
  const names = [...MARKS.map((mark) => `$${mark}`), '$filter', '$crossjoin', '$query'];
  const hint =
    segment === '$links'
      ? ' Write /$ref after the navigation property instead.'
      : didYouMean(segment, names);
  return new Fault(
    'request.unknown-segment',
    { segment: segment.slice(0, 100), hint },
    { position, target: TARGET },
  );
}

/** filterInPath = %s"/$filter" OPEN boolCommonExpr CLOSE, and the keyPredicate that may follow it */
function readFilterSegment(cursor: Cursor, at: number): Segment {
  cursor.at += 1;
  const condition = readExpression(cursor);
  cursor.expectClose('an operator or ")"');
  const key = cursor.code() === CODE.open ? readArguments(cursor, readPathValue) : undefined;
  if (!cursor.isAtEnd())
    cursor.fail(`${key === undefined ? '"(", ' : ''}"/" or the end of the path`);
  return { kind: 'filter', at, condition, key };
}

/** crossjoin = %s"$crossjoin" OPEN entitySetName *( COMMA entitySetName ) CLOSE */
function readCrossjoin(cursor: Cursor, at: number): CrossjoinSegment {
  const sets: { at: number; name: string }[] = [];
  do {
    cursor.at += 1;
    cursor.spend();
    sets.push({ at: cursor.at, name: cursor.identifier('the name of an entity set') });
  } while (cursor.code() === CODE.comma);
  if (!cursor.take(CODE.close)) cursor.fail('"," or ")"');
  if (!cursor.isAtEnd()) cursor.fail('"/" or the end of the path');
  return { kind: 'crossjoin', at, sets };
}

const ONLY_FIRST: ReadonlySet<Segment['kind']> = new Set([
  'all',
  'batch',
  'crossjoin',
  'entity',
  'metadata',
  'ping',
]);
const ONLY_LAST: ReadonlySet<Segment['kind']> = new Set([
  'batch',
  'count',
  'crossjoin',
  'metadata',
  'ping',
  'ref',
  'value',
]);

/** Checks the order of segments as far as the grammar defines it without the model. Throws: request.misplaced-segment. */
function checkArrangement(segments: readonly Segment[]): void {
  segments.forEach((segment, index) => {
    if (segment.kind === 'name' || segment.kind === 'text') return;
    const isFirst = index === 0;
    const name = `$${segment.kind}`;
    if (ONLY_FIRST.has(segment.kind) && !isFirst)
      throw misplacedSegment(name, 'after another segment', segment.at);
    if (!ONLY_FIRST.has(segment.kind) && isFirst)
      throw misplacedSegment(name, 'at the service root', segment.at);
    const next = segments[index + 1];
    if (next === undefined) return;
    const slash = next.at - 1;
    if (ONLY_LAST.has(segment.kind)) throw misplacedSegment(name, 'before another segment', slash);
    const takesName =
      segment.kind === 'entity' || segment.kind === 'all' || segment.kind === 'each';
    if (takesName && next.kind !== 'name') {
      throw misplacedSegment(name, 'before anything but a name', next.at);
    }
    const third = segments[index + 2];
    if ((segment.kind === 'all' || segment.kind === 'entity') && third !== undefined)
      throw misplacedSegment(name, 'before more than a type', third.at - 1);
  });
}

/** Creates the fault for a segment that is not allowed in its place. `position` is where the path becomes invalid. */
export function misplacedSegment(segment: string, place: string, position: number): Fault {
  return new Fault(
    'request.misplaced-segment',
    { segment, place, position },
    { target: TARGET, position },
  );
}

/** Creates the fault for `$entity` without `$id`. */
export function missingId({ text }: ResourcePath): Fault {
  const position = text.length;
  const parameters = { name: '$id', place: 'after $entity', position };
  return new Fault('request.missing-option', parameters, { target: '$id', position });
}
