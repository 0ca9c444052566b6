// This file parses $apply: sequences of transformations. aggregate.ts parses aggregates and data paths.

import { didYouMean } from '../../base/nearest-name.ts';
import { CODE, type Cursor, isDigit, type Reader } from '../cursor.ts';
import { readExpression } from '../expression/expression.ts';
import { readArguments, readVariable } from '../expression/member-path.ts';
import { readSearch } from '../expression/search.ts';
import { readComputeItem, readList, readOrderItem } from '../options/items.ts';
import type {
  Apply,
  GroupElement,
  HierarchyReference,
  NestItem,
  OrderItem,
  PathExpression,
  RankMethod,
  Transformation,
} from '../tree.ts';
import { readAggregateItem, readAlias, readDataPath } from './aggregate.ts';

type TransformationReader = (cursor: Cursor, at: number) => Transformation;

const rank =
  (method: RankMethod): TransformationReader =>
  (cursor, at) => {
    const amount = readExpression(cursor);
    expectComma(cursor);
    return { kind: 'rank', at, method, amount, value: readExpression(cursor) };
  };

/** Parsers of the arguments of each transformation. */
const TRANSFORMATIONS = {
  addnested: readAddnested,
  aggregate: (cursor, at) => ({ kind: 'aggregate', at, items: readList(cursor, readAggregate) }),
  ancestors: (cursor, at) => readRelatives(cursor, at, 'ancestors'),
  bottomcount: rank('bottomcount'),
  bottompercent: rank('bottompercent'),
  bottomsum: rank('bottomsum'),
  compute: (cursor, at) => ({ kind: 'compute', at, items: readList(cursor, readComputeItem) }),
  concat: readConcat,
  descendants: (cursor, at) => readRelatives(cursor, at, 'descendants'),
  filter: (cursor, at) => ({ kind: 'filter', at, condition: readExpression(cursor) }),
  groupby: readGroupby,
  join: (cursor, at) => readJoin(cursor, at, 'join'),
  nest: (cursor, at) => ({ kind: 'nest', at, items: readList(cursor, readNestItem) }),
  orderby: (cursor, at) => ({ kind: 'orderby', at, items: readList(cursor, readOrderItem) }),
  outerjoin: (cursor, at) => readJoin(cursor, at, 'outerjoin'),
  search: (cursor, at) => ({ kind: 'search', at, search: readSearch(cursor, false) }),
  skip: (cursor, at) => ({ kind: 'skip', at, count: cursor.digits('a number of instances') }),
  top: (cursor, at) => ({ kind: 'top', at, count: cursor.digits('a number of instances') }),
  topcount: rank('topcount'),
  toppercent: rank('toppercent'),
  topsum: rank('topsum'),
  traverse: readTraverse,
} as const satisfies Record<string, TransformationReader>;

type TransformationName = keyof typeof TRANSFORMATIONS;

/** Transformations that preserve the instances of their input; only these may select the start nodes of a hierarchy. */
const PRESERVING: ReadonlySet<string> = new Set([
  'ancestors',
  'bottomcount',
  'bottompercent',
  'bottomsum',
  'descendants',
  'filter',
  'identity',
  'orderby',
  'search',
  'skip',
  'top',
  'topcount',
  'toppercent',
  'topsum',
  'traverse',
]);

/**
 * applyExpr = applyTrafo *( "/" applyTrafo )
 * Throws: request.syntax, request.too-deep, request.too-large.
 * Source: OData Data Aggregation 4.0, "System Query Option $apply".
 */
export function readApply(cursor: Cursor): Apply {
  return cursor.nested((inner) => readSequence(inner, readTransformation));
}

/** preservingTrafos = preservingTrafo *( "/" preservingTrafo ) */
function readPreserving(cursor: Cursor): Apply {
  return cursor.nested((inner) => readSequence(inner, readPreservingTransformation));
}

function readSequence(cursor: Cursor, read: Reader<Transformation>): Apply {
  const transformations = [read(cursor)];
  while (cursor.take(CODE.slash)) transformations.push(read(cursor));
  return transformations;
}

function readPreservingTransformation(cursor: Cursor): Transformation {
  const mark = cursor.at;
  const name = cursor.takeName();
  if (!name.includes('.') && !PRESERVING.has(name)) {
    cursor.fail('a transformation that preserves instances, such as filter(…)', mark);
  }
  cursor.at = mark;
  return readTransformation(cursor);
}

function readTransformation(cursor: Cursor): Transformation {
  const at = cursor.at;
  cursor.spend();
  const name = cursor.takeName();
  if (name === 'identity') return { kind: 'identity', at };
  if (name.includes('.')) {
    if (cursor.code() !== CODE.open) cursor.fail('"(" after the name of a function');
    return { kind: 'function', at, name, arguments: readArguments(cursor, readExpression) };
  }
  if (!isTransformationName(name)) return failUnknown(cursor, at, name);
  cursor.expect(CODE.open);
  cursor.skipBlanks();
  const transformation = TRANSFORMATIONS[name](cursor, at);
  cursor.expectClose('"," or ")"');
  return transformation;
}

function isTransformationName(name: string): name is TransformationName {
  return Object.hasOwn(TRANSFORMATIONS, name);
}

function failUnknown(cursor: Cursor, at: number, name: string): never {
  const hint = didYouMean(name, ['identity', ...Object.keys(TRANSFORMATIONS)]);
  return cursor.fail(
    `a transformation such as filter(…) or aggregate(…)${hint && ` (${hint.trim()})`}`,
    at,
  );
}

function expectComma(cursor: Cursor): void {
  if (cursor.takeSpaced(CODE.comma)) return;
  cursor.skipBlanks();
  cursor.fail('","');
}

function readAggregate(cursor: Cursor) {
  return readAggregateItem(cursor, readExpression, 'transformation');
}

/** applyExpr 1*( BWS COMMA BWS applyExpr ) */
function readConcat(cursor: Cursor, at: number): Transformation {
  const branches = readList(cursor, readApply);
  if (branches.length < 2) {
    cursor.skipBlanks();
    cursor.fail('"," and a second sequence of transformations');
  }
  return { kind: 'concat', at, branches };
}

/** groupbyList [ BWS COMMA BWS applyExpr ] */
function readGroupby(cursor: Cursor, at: number): Transformation {
  cursor.expect(CODE.open);
  cursor.skipBlanks();
  const elements = readList(cursor, readGroupElement);
  cursor.expectClose('"," or ")"');
  const apply = cursor.takeSpaced(CODE.comma) ? readApply(cursor) : undefined;
  return { kind: 'groupby', at, elements, apply };
}

/** groupbyElement = groupingProperty / rollupLevels / rollupRecursive */
function readGroupElement(cursor: Cursor): GroupElement {
  const at = cursor.at;
  const name = cursor.takeIdentifier();
  if (cursor.code() === CODE.open && (name === 'rollup' || name === 'rolluprecursive')) {
    cursor.spend();
    cursor.at += 1;
    cursor.skipBlanks();
    const element = name === 'rollup' ? readRollup(cursor, at) : readRollupRecursive(cursor, at);
    cursor.expectClose('"," or ")"');
    return element;
  }
  cursor.at = at;
  const path = readDataPath(cursor, 'property');
  if (cursor.code() === CODE.open) {
    const hint = ` To group by a value, use compute(${name}(…) as Value)/groupby((Value)).`;
    cursor.fail('"," or ")"', cursor.at, hint);
  }
  return { kind: 'property', at, path };
}

/** rollupUnnamedHier / rollupNamedHier */
function readRollup(cursor: Cursor, at: number): GroupElement {
  rejectGrandTotal(cursor);
  const levels = readList(cursor, readProperty);
  if (levels.length > 1) return { kind: 'rollup', at, levels };
  const only = levels[0]?.steps;
  const name = only?.length === 1 && only[0]?.kind === 'name' ? only[0].name : undefined;
  if (name === undefined) cursor.fail('"," and the next level');
  return { kind: 'rollup-named', at, hierarchy: name };
}

/** Drafts of the standard allowed null or $all as the first level for a grand total. */
function rejectGrandTotal(cursor: Cursor): void {
  const mark = cursor.at;
  const isTotal =
    (cursor.take(CODE.dollar) && cursor.takeWord('all', true)) || cursor.takeWord('null', true);
  cursor.at = mark;
  if (isTotal) {
    const hint = ' For a grand total, use concat(groupby(…),aggregate(…)).';
    cursor.fail('a property', mark, hint);
  }
}

function readProperty(cursor: Cursor): PathExpression {
  return readDataPath(cursor, 'property');
}

function readRollupRecursive(cursor: Cursor, at: number): GroupElement {
  const hierarchy = readHierarchy(cursor);
  const apply = cursor.takeSpaced(CODE.comma) ? readPreserving(cursor) : undefined;
  return { kind: 'rolluprecursive', at, hierarchy, apply };
}

/** rootExpr BWS COMMA BWS recHierQualifier BWS COMMA BWS recHierPropertyPath */
function readHierarchy(cursor: Cursor): HierarchyReference {
  const at = cursor.at;
  const nodes = cursor.code() === CODE.dollar ? readVariable(cursor, readExpression) : undefined;
  if (nodes?.root.kind !== 'root') cursor.fail('$root/ and the collection of the nodes', at);
  expectComma(cursor);
  const qualifier = cursor.identifier('the qualifier of a recursive hierarchy');
  expectComma(cursor);
  return { at, nodes, qualifier, property: readDataPath(cursor, 'property') };
}

/** recHierReference COMMA preservingTrafos [ COMMA 1*DIGIT ] [ COMMA %s"keep start" ] */
function readRelatives(
  cursor: Cursor,
  at: number,
  kind: 'ancestors' | 'descendants',
): Transformation {
  const hierarchy = readHierarchy(cursor);
  expectComma(cursor);
  const start = readPreserving(cursor);
  let distance: number | undefined;
  let keepStart = false;
  while (!keepStart && cursor.takeSpaced(CODE.comma)) {
    if (distance === undefined && isDigit(cursor.code())) {
      distance = cursor.digits('a distance');
    } else {
      keepStart = readKeepStart(cursor, distance === undefined);
    }
  }
  return { kind, at, hierarchy, start, distance, keepStart };
}

function readKeepStart(cursor: Cursor, mayBeDistance: boolean): true {
  const expected = mayBeDistance ? 'a distance or "keep start"' : '"keep start"';
  if (!cursor.takeWord('keep', true) || !cursor.skipBlanks()) cursor.fail(expected);
  if (!cursor.takeWord('start', true)) cursor.fail(expected);
  return true;
}

/** recHierReference COMMA ( preorder / postorder ) [ COMMA preservingTrafos ] [ COMMA orderbyItem *( COMMA orderbyItem ) ] */
function readTraverse(cursor: Cursor, at: number): Transformation {
  const hierarchy = readHierarchy(cursor);
  expectComma(cursor);
  const order = cursor.takeWord('preorder', true) ? 'preorder' : 'postorder';
  if (order === 'postorder' && !cursor.takeWord('postorder', true))
    cursor.fail('preorder or postorder');
  let start: Apply | undefined;
  let orderby: readonly OrderItem[] = [];
  if (cursor.takeSpaced(CODE.comma)) {
    if (isPreservingNext(cursor)) start = readPreserving(cursor);
    if (start === undefined || cursor.takeSpaced(CODE.comma))
      orderby = readList(cursor, readOrderItem);
  }
  return { kind: 'traverse', at, hierarchy, order, start, orderby };
}

function isPreservingNext(cursor: Cursor): boolean {
  const mark = cursor.at;
  const name = cursor.takeName();
  const isCall = cursor.code() === CODE.open;
  cursor.at = mark;
  return name === 'identity' || (isCall && (PRESERVING.has(name) || name.includes('.')));
}

/** joinProperty asAlias [ BWS COMMA BWS applyExpr ] */
function readJoin(cursor: Cursor, at: number, kind: 'join' | 'outerjoin'): Transformation {
  const path = readDataPath(cursor, 'cast');
  const alias = readAlias(cursor);
  const apply = cursor.takeSpaced(CODE.comma) ? readApply(cursor) : undefined;
  return { kind, at, path, alias, apply };
}

/** nestPath BWS COMMA BWS nestApplyExpr */
function readAddnested(cursor: Cursor, at: number): Transformation {
  const path = readDataPath(cursor, 'cast');
  expectComma(cursor);
  return { kind: 'addnested', at, path, items: readList(cursor, readNestItem) };
}

/** applyExpr asAlias */
function readNestItem(cursor: Cursor): NestItem {
  const at = cursor.at;
  const apply = readApply(cursor);
  return { at, apply, alias: readAlias(cursor) };
}
