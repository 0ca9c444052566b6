// This file parses the items of aggregate(…), in $apply and in expression paths, and the data paths (names and casts only) of groupby,
// join and nest.

import { CODE, type Cursor, type Reader } from '../cursor.ts';
import type {
  AggregateFrom,
  AggregateItem,
  AggregateSubject,
  Expression,
  PathExpression,
  PathStep,
} from '../tree.ts';

/** What a data path may end with: joins allow a type cast, groupings do not. */
export type PathEnd = 'property' | 'cast';

/**
 * aggregateExpr with its alias, or, for the form `function`, aggregateFunctionExpr, which has no alias.
 * Source: OData Data Aggregation 4.0, "Transformation aggregate" and "Aggregate Function".
 */
export function readAggregateItem(
  cursor: Cursor,
  read: Reader<Expression>,
  form: 'transformation' | 'function',
): AggregateItem {
  const at = cursor.at;
  cursor.spend();
  const subject = readSubject(cursor, read);
  const from = readFrom(cursor, subject.kind === 'custom');
  const isAliasFree = form === 'function' || (subject.kind === 'custom' && from.length === 0);
  const alias = form === 'function' ? undefined : takeAlias(cursor, !isAliasFree);
  return { ...subject, at, from, alias };
}

function readSubject(cursor: Cursor, read: Reader<Expression>): AggregateSubject {
  if (takeCount(cursor)) return { kind: 'count', path: undefined };
  const operand = read(cursor);
  if (cursor.takeSpacedWord('with', true)) {
    return { kind: 'method', operand, method: readMethod(cursor) };
  }
  const path = operand.kind === 'path' ? countedOrCustom(operand) : undefined;
  if (path !== undefined) return path;
  cursor.skipBlanks();
  return cursor.fail('"with" and an aggregation method');
}

function takeCount(cursor: Cursor): boolean {
  if (cursor.code() !== CODE.dollar) return false;
  const mark = cursor.at;
  cursor.at += 1;
  if (cursor.takeWord('count', true)) return true;
  cursor.at = mark;
  return false;
}

/** Sales/$count counts, Sales/Forecast names a custom aggregate; other paths need a method. */
function countedOrCustom(path: PathExpression): AggregateSubject | undefined {
  const last = path.steps.at(-1);
  if (last?.kind === 'name') return { kind: 'custom', path };
  if (last?.kind !== 'count' || last.filter !== undefined || last.search !== undefined)
    return undefined;
  const steps = path.steps.slice(0, -1);
  return { kind: 'count', path: { ...path, steps } };
}

const METHODS = ['sum', 'min', 'max', 'average', 'countdistinct'];

/** RWS aggregateMethod */
function readMethod(cursor: Cursor): string {
  if (!cursor.skipBlanks()) cursor.fail('a space after "with"');
  const expected = `one of ${METHODS.join(', ')} or the qualified name of a method`;
  const start = cursor.at;
  const method = cursor.name(expected);
  if (!METHODS.includes(method) && !method.includes('.')) cursor.fail(expected, start);
  return method;
}

/** *( RWS "from" RWS groupingProperties [ RWS "with" RWS aggregateMethod ] ) */
function readFrom(cursor: Cursor, isMethodFree: boolean): readonly AggregateFrom[] {
  const from: AggregateFrom[] = [];
  while (cursor.takeSpacedWord('from', true)) {
    if (!cursor.skipBlanks()) cursor.fail('a space after "from"');
    const at = cursor.at;
    const properties = [readDataPath(cursor, 'property')];
    while (cursor.takeSpaced(CODE.comma)) properties.push(readDataPath(cursor, 'property'));
    const method = cursor.takeSpacedWord('with', true) ? readMethod(cursor) : undefined;
    if (method === undefined && !isMethodFree) {
      cursor.skipBlanks();
      cursor.fail('"with" and an aggregation method');
    }
    from.push({ at, properties, method });
  }
  return from;
}

/** asAlias = RWS %s"as" RWS odataIdentifier */
export function readAlias(cursor: Cursor): string {
  return takeAlias(cursor, true) ?? cursor.fail('"as" and a name');
}

function takeAlias(cursor: Cursor, isRequired: boolean): string | undefined {
  if (!cursor.takeSpacedWord('as', true)) {
    if (!isRequired) return undefined;
    cursor.skipBlanks();
    cursor.fail('"as" and a name');
  }
  if (!cursor.skipBlanks()) cursor.fail('a space after "as"');
  return cursor.identifier('a name');
}

/** Names joined by slashes. Only if `end` is `cast` may the path end with a type cast or contain annotations. */
export function readDataPath(cursor: Cursor, end: PathEnd): PathExpression {
  const at = cursor.at;
  const steps: PathStep[] = [];
  do steps.push(readDataStep(cursor, end));
  while (cursor.take(CODE.slash));
  const last = steps.at(-1);
  if (end === 'property' && last?.kind === 'name' && last.name.includes('.')) {
    cursor.fail('"/" and a property after the type cast');
  }
  return { kind: 'path', at, root: { kind: 'current' }, steps };
}

function readDataStep(cursor: Cursor, end: PathEnd): PathStep {
  const at = cursor.at;
  cursor.spend();
  if (end === 'cast' && cursor.take(CODE.at)) return readTerm(cursor, at);
  return {
    kind: 'name',
    at,
    name: cursor.name('a property'),
    arguments: undefined,
    key: undefined,
  };
}

/** annotationInQuery after its @: [ namespace "." ] termName [ "#" annotationQualifier ] */
export function readTerm(cursor: Cursor, at: number): PathStep & { readonly kind: 'annotation' } {
  const term = cursor.name('the name of a term');
  const qualifier = cursor.take(CODE.hash)
    ? cursor.identifier('the qualifier of an annotation')
    : undefined;
  return { kind: 'annotation', at, term, qualifier };
}
