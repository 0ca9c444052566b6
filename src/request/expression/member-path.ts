// This file parses paths in expressions: their roots ($it, $root, …), their steps (names, casts, annotations, $count, $filter, any, all,
// aggregate), and the keys and parameters in parentheses after names.

import { readAggregateItem, readTerm } from '../apply/aggregate.ts';
import { CODE, type Cursor, isDigit, mayStartName, type Reader } from '../cursor.ts';
import { readOptionName } from '../options/option-names.ts';
import type {
  Arguments,
  CountStep,
  Expression,
  LambdaStep,
  NamedArgument,
  NameStep,
  PathExpression,
  PathRoot,
  PathStep,
  SearchExpression,
} from '../tree.ts';
import { readSearch } from './search.ts';

const CURRENT: PathRoot = { kind: 'current' };

const VARIABLES: ReadonlyMap<string, PathRoot> = new Map([
  ['it', { kind: 'it' }],
  ['this', { kind: 'this' }],
  ['these', { kind: 'these' }],
  ['root', { kind: 'root' }],
]);

/** Parses an expression that starts with @: an alias, a path from an alias, or a path that starts with an annotation. */
export function readAt(cursor: Cursor, read: Reader<Expression>): Expression {
  const at = cursor.at;
  cursor.spend();
  cursor.at += 1;
  const term = readTerm(cursor, at);
  if (term.term.includes('.') || term.qualifier !== undefined) {
    return readSteps(cursor, read, { kind: 'path', at, root: CURRENT, steps: [term] });
  }
  if (cursor.code() !== CODE.slash) return { kind: 'alias', at, name: term.term };
  const root: PathRoot = { kind: 'alias', name: term.term };
  return readSteps(cursor, read, { kind: 'path', at, root, steps: [] });
}

/** Parses a path that starts with $it, $this, $these or $root. */
export function readVariable(cursor: Cursor, read: Reader<Expression>): PathExpression {
  const at = cursor.at;
  cursor.spend();
  cursor.at += 1;
  const root = VARIABLES.get(cursor.takeIdentifier());
  if (root === undefined) {
    return cursor.fail(
      'an expression, which can start with $it, $this, $these or $root, but no other name with $',
      at,
    );
  }
  if (root.kind === 'root' && cursor.code() !== CODE.slash) cursor.fail('"/" after $root');
  return readSteps(cursor, read, { kind: 'path', at, root, steps: [] });
}

/** Parses the rest of a path whose first step has been parsed. */
export function readMemberPath(
  cursor: Cursor,
  read: Reader<Expression>,
  first: NameStep,
): PathExpression {
  return readSteps(cursor, read, { kind: 'path', at: first.at, root: CURRENT, steps: [first] });
}

/** Parses the parentheses after a name, if there are any, and returns the step. */
export function finishName(
  cursor: Cursor,
  read: Reader<Expression>,
  at: number,
  name: string,
): NameStep {
  cursor.spend();
  if (cursor.code() !== CODE.open) {
    return { kind: 'name', at, name, arguments: undefined, key: undefined };
  }
  const first = readArguments(cursor, read);
  const key = cursor.code() === CODE.open ? readArguments(cursor, read) : undefined;
  return { kind: 'name', at, name, arguments: first, key };
}

/** OPEN BWS [ argument *( BWS COMMA BWS argument ) ] BWS CLOSE ; either all arguments are named or none */
export function readArguments(cursor: Cursor, read: Reader<Expression>): Arguments {
  return cursor.nested((inner) => readArgumentList(inner, read));
}

function readArgumentList(cursor: Cursor, read: Reader<Expression>): Arguments {
  const at = cursor.at;
  cursor.at += 1;
  cursor.skipBlanks();
  if (cursor.take(CODE.close)) return { kind: 'empty', at };
  if (isNamedArgumentNext(cursor)) {
    const pairs: NamedArgument[] = [];
    do pairs.push(readNamedArgument(cursor, read));
    while (cursor.takeSpaced(CODE.comma));
    cursor.expectClose('"," or ")"');
    return { kind: 'named', at, pairs };
  }
  const values: Expression[] = [];
  do values.push(read(cursor));
  while (cursor.takeSpaced(CODE.comma));
  cursor.expectClose('"," or ")"');
  return { kind: 'positional', at, values };
}

function isNamedArgumentNext(cursor: Cursor): boolean {
  if (!mayStartName(cursor.code())) return false;
  const mark = cursor.at;
  const isNamed = cursor.takeIdentifier() !== '' && cursor.code() === CODE.equals;
  cursor.at = mark;
  return isNamed;
}

/** parameterName EQ ( parameterAlias / parameterValue ) */
function readNamedArgument(cursor: Cursor, read: Reader<Expression>): NamedArgument {
  const at = cursor.at;
  const name = cursor.identifier('the name of a parameter or key property');
  cursor.expect(CODE.equals);
  return { at, name, value: read(cursor) };
}

/** *( "/" step ), appended to the path */
function readSteps(cursor: Cursor, read: Reader<Expression>, path: PathExpression): PathExpression {
  if (cursor.code() !== CODE.slash) return path;
  const steps: PathStep[] = [...path.steps];
  while (cursor.take(CODE.slash)) {
    cursor.spend();
    steps.push(readStep(cursor, read));
  }
  return { ...path, steps };
}

function readStep(cursor: Cursor, read: Reader<Expression>): PathStep {
  const at = cursor.at;
  const code = cursor.code();
  if (code === CODE.dollar) return readDollarStep(cursor, read);
  if (code === CODE.at) {
    cursor.at += 1;
    return readTerm(cursor, at);
  }
  if (isDigit(code) || code === CODE.minus) return readOrdinal(cursor);
  const name = cursor.name('a property, a cast, a function, any, all, $count or $filter');
  if (cursor.code() === CODE.open) {
    const special = readSpecialStep(cursor, read, at, name.toLowerCase());
    if (special !== undefined) return special;
  }
  return finishName(cursor, read, at, name);
}

function readSpecialStep(
  cursor: Cursor,
  read: Reader<Expression>,
  at: number,
  name: string,
): PathStep | undefined {
  if (name === 'any' || name === 'all') {
    return cursor.nested((inner) => readLambda(inner, read, at, name));
  }
  if (name !== 'aggregate') return undefined;
  return cursor.nested((inner) => {
    inner.at += 1;
    inner.skipBlanks();
    const item = readAggregateItem(inner, read, 'function');
    inner.expectClose();
    return { kind: 'aggregate', at, item };
  });
}

/** ordinalIndex = [ "-" ] 1*DIGIT */
function readOrdinal(cursor: Cursor): PathStep {
  const at = cursor.at;
  const sign = cursor.take(CODE.minus) ? -1 : 1;
  return { kind: 'ordinal', at, index: sign * cursor.digits('a position in the collection') };
}

/**
 * anyExpr = "any" OPEN BWS [ variable BWS COLON BWS condition ] BWS CLOSE, and all, whose argument is mandatory.
 * The cursor is at the parenthesis.
 */
function readLambda(
  cursor: Cursor,
  read: Reader<Expression>,
  at: number,
  kind: LambdaStep['kind'],
): LambdaStep {
  cursor.at += 1;
  cursor.skipBlanks();
  if (kind === 'any' && cursor.take(CODE.close)) {
    return { kind, at, variable: undefined, condition: undefined };
  }
  const variable = cursor.identifier('a lambda variable, such as x in x:x/Name');
  if (!cursor.takeSpaced(CODE.colon)) cursor.fail('":" after the lambda variable');
  const condition = read(cursor);
  cursor.expectClose('an operator or ")"');
  return { kind, at, variable, condition };
}

function readDollarStep(cursor: Cursor, read: Reader<Expression>): PathStep {
  const at = cursor.at;
  cursor.at += 1;
  const word = cursor.takeIdentifier();
  if (word === 'count') return readCount(cursor, read, at);
  if (word !== 'filter') return cursor.fail('$count or $filter', at);
  if (cursor.code() !== CODE.open) cursor.fail('"(" and a condition');
  return cursor.nested((inner) => readFilter(inner, read, at));
}

/** filterExpr = %s"/$filter" OPEN boolCommonExpr CLOSE, and the keyPredicate that may follow it */
function readFilter(cursor: Cursor, read: Reader<Expression>, at: number): PathStep {
  cursor.at += 1;
  const condition = read(cursor);
  cursor.expectClose('an operator or ")"');
  const key = cursor.code() === CODE.open ? readArguments(cursor, read) : undefined;
  return { kind: 'filter', at, condition, key };
}

/** count [ OPEN expandCountOption *( SEMI expandCountOption ) CLOSE ] */
function readCount(cursor: Cursor, read: Reader<Expression>, at: number): CountStep {
  if (cursor.code() !== CODE.open)
    return { kind: 'count', at, filter: undefined, search: undefined };
  return cursor.nested((inner) => {
    let filter: Expression | undefined;
    let search: SearchExpression | undefined;
    inner.at += 1;
    do {
      const option = readOptionName(inner, ['filter', 'search'], 'after $count');
      if (option === 'filter') filter = filter === undefined ? read(inner) : failDuplicate(inner);
      else search = search === undefined ? readSearch(inner, true) : failDuplicate(inner);
    } while (inner.takeSpaced(CODE.semicolon));
    inner.expectClose('";" or ")"');
    return { kind: 'count', at, filter, search };
  });
}

function failDuplicate(cursor: Cursor): never {
  return cursor.fail('each option only once');
}
