// This file parses expressions ($filter, $orderby, $compute, parameters, keys) by precedence climbing. The precedence table is that of
// the standard, as the ABNF has none. member-path.ts parses paths.

import { Fault } from '../../base/fault.ts';
import {
  Budget,
  CODE,
  Cursor,
  DEFAULT_TREE_LIMITS,
  isBlank,
  isLetter,
  mayStartName,
  type Reader,
} from '../cursor.ts';
import {
  BINARY_POWER,
  type Binary,
  type BinaryOperator,
  type Case,
  type CaseBranch,
  type Expression,
  type List,
  type Literal,
  type TypeName,
  UNARY_POWER,
} from '../tree.ts';
import { readArray, readObject } from './json-literal.ts';
import { takeLiteral, takeWordLiteral } from './literal.ts';
import { finishName, readAt, readMemberPath, readVariable } from './member-path.ts';

interface Operator {
  readonly name: BinaryOperator;
  readonly power: number;
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.keys(BINARY_POWER)
    .filter(isBinaryOperator)
    .map((name) => [name, { name, power: BINARY_POWER[name] }]),
);

function isBinaryOperator(name: string): name is BinaryOperator {
  return Object.hasOwn(BINARY_POWER, name);
}

/**
 * Parses a decoded text that consists of one expression, with a budget of its own.
 * Throws: request.syntax, request.too-deep, request.too-large.
 * @param target what messages call the text
 */
export function parseExpression(
  text: string,
  target = 'the expression',
  limits = DEFAULT_TREE_LIMITS,
): Expression {
  const cursor = new Cursor(text, target, new Budget(limits));
  const expression = readExpression(cursor);
  cursor.expectEnd(`the end of ${target}`);
  return expression;
}

/**
 * commonExpr. Leaves the cursor after the expression.
 * Throws: request.syntax, request.too-deep, request.too-large.
 */
export function readExpression(cursor: Cursor): Expression {
  return cursor.nested(readLoosest);
}

function readLoosest(cursor: Cursor): Expression {
  return withColon(cursor, false, readAny);
}

function readAny(cursor: Cursor): Expression {
  return climb(cursor, 0);
}

/** Parses with `colonEnds` set: whether a colon at this level of parentheses ends the expression. */
function withColon<T>(cursor: Cursor, ends: boolean, read: Reader<T>): T {
  const outer = cursor.colonEnds;
  cursor.colonEnds = ends;
  const result = read(cursor);
  cursor.colonEnds = outer;
  return result;
}

/** Parses operands joined by operators of more than the given power. */
function climb(cursor: Cursor, power: number): Expression {
  let left = readUnary(cursor);
  for (let links = 0; ; ) {
    const operator = takeOperator(cursor, power);
    if (operator === undefined) return left;
    // Chains of and/or are flattened later; chains of other operators become trees as deep as the chain is long.
    if (operator.name !== 'and' && operator.name !== 'or') links += 1;
    if (links >= LONGEST_CHAIN) throw chainTooLong(cursor);
    const right = operator.name === 'in' ? readInOperand(cursor) : climb(cursor, operator.power);
    left = join(cursor, operator.name, left, right);
  }
}

/** Maximum number of values joined in a row by operators other than and/or. */
const LONGEST_CHAIN = 200;

function chainTooLong({ at, target }: Cursor): Fault {
  return new Fault('request.chain', { limit: LONGEST_CHAIN }, { position: at, target });
}

function join(
  cursor: Cursor,
  operator: BinaryOperator,
  left: Expression,
  right: Expression,
): Binary {
  cursor.spend(2);
  return { kind: 'binary', at: left.at, operator, left, right };
}

const LONGEST_OPERATOR = 5;

/** RWS operator RWS, if its power is above the given one; otherwise consumes nothing. */
function takeOperator(cursor: Cursor, power: number): Operator | undefined {
  if (!isBlank(cursor.code())) return undefined;
  const mark = cursor.at;
  cursor.skipBlanks();
  const start = cursor.at;
  let length = 0;
  while (length <= LONGEST_OPERATOR && isLetter(cursor.code(length))) length += 1;
  const word = cursor.slice(start, start + length);
  const operator = OPERATORS.get(word) ?? OPERATORS.get(word.toLowerCase());
  if (operator !== undefined && operator.power > power && !cursor.isNameCharacter(start + length)) {
    cursor.at += length;
    if (!cursor.skipBlanks()) cursor.fail(`a space after ${operator.name}`);
    return operator;
  }
  cursor.at = mark;
  return undefined;
}

/** negateExpr = "-" BWS commonExpr ; notExpr = "not" RWS boolCommonExpr, also accepted as not(…) */
function readUnary(cursor: Cursor): Expression {
  const at = cursor.at;
  const code = cursor.code();
  if (code === CODE.minus) return takeLiteral(cursor) ?? readOperand(cursor, 'negate', at);
  if ((code | 32) === 110 && isNotNext(cursor)) return readOperand(cursor, 'not', at);
  return readPrimary(cursor);
}

function isNotNext(cursor: Cursor): boolean {
  if (cursor.slice(cursor.at, cursor.at + 3).toLowerCase() !== 'not') return false;
  return cursor.code(3) === CODE.open || isBlank(cursor.code(3));
}

function readOperand(cursor: Cursor, kind: 'not' | 'negate', at: number): Expression {
  cursor.spend();
  cursor.at += kind === 'not' ? 3 : 1;
  cursor.skipBlanks();
  const operand = cursor.nested(readTight);
  return { kind, at, operand };
}

function readTight(cursor: Cursor): Expression {
  return climb(cursor, UNARY_POWER);
}

const ANY_EXPRESSION = 'an expression';

function readPrimary(cursor: Cursor): Expression {
  const code = cursor.code();
  if (mayStartName(code)) return readWord(cursor);
  if (code === CODE.open) return readParentheses(cursor);
  if (code === CODE.dollar) return readVariable(cursor, readExpression);
  if (code === CODE.at) return readAt(cursor, readExpression);
  if (code === CODE.openBracket) return readArray(cursor, readExpression);
  if (code === CODE.openBrace) return readObject(cursor, readExpression);
  return takeLiteral(cursor) ?? cursor.fail(ANY_EXPRESSION);
}

/** parenExpr = OPEN BWS commonExpr BWS CLOSE */
function readParentheses(cursor: Cursor): Expression {
  cursor.at += 1;
  cursor.skipBlanks();
  const inner = readExpression(cursor);
  cursor.expectClose('an operator or ")"');
  return inner;
}

const NEEDS_COLLECTION: ReadonlySet<string> = new Set(['any', 'all', 'aggregate']);

/** Parses what starts with a name: a literal, case(), cast(), isof(), a function call or a path. */
function readWord(cursor: Cursor): Expression {
  const at = cursor.at;
  const name = cursor.name(ANY_EXPRESSION);
  const literal = takeWordLiteral(cursor, at, name);
  if (literal !== undefined) return literal;
  if (cursor.code() === CODE.open) {
    const lower = name.toLowerCase();
    if (lower === 'case') return cursor.nested((inner) => readCase(inner, at));
    if (lower === 'cast' || lower === 'isof')
      return cursor.nested((inner) => readTyped(inner, lower, at));
    if (NEEDS_COLLECTION.has(lower)) cursor.fail(`a collection and "/" before ${name}`);
  }
  const step = finishName(cursor, readExpression, at, name);
  if (step.arguments !== undefined && step.key === undefined && cursor.code() !== CODE.slash) {
    return { kind: 'call', at, name, arguments: step.arguments };
  }
  return readMemberPath(cursor, readExpression, step);
}

/** "case" OPEN condition BWS COLON BWS value *( COMMA … ) CLOSE ; the cursor is at the parenthesis */
function readCase(cursor: Cursor, at: number): Case {
  cursor.spend();
  cursor.at += 1;
  cursor.skipBlanks();
  const branches: CaseBranch[] = [];
  do branches.push(readBranch(cursor));
  while (cursor.takeSpaced(CODE.comma));
  cursor.expectClose('"," or ")"');
  return { kind: 'case', at, branches };
}

function readBranch(cursor: Cursor): CaseBranch {
  const condition = cursor.nested((inner) => withColon(inner, true, readAny));
  if (!cursor.takeSpaced(CODE.colon)) cursor.fail('":" and a value after the condition');
  return { condition, value: readExpression(cursor) };
}

/** "cast" OPEN BWS [ commonExpr BWS COMMA BWS ] optionallyQualifiedTypeName BWS CLOSE, and isof */
function readTyped(cursor: Cursor, kind: 'cast' | 'isof', at: number): Expression {
  cursor.spend();
  cursor.at += 1;
  cursor.skipBlanks();
  const mark = cursor.at;
  const alone = takeTypeName(cursor);
  cursor.skipBlanks();
  if (alone !== undefined && cursor.take(CODE.close))
    return { kind, at, operand: undefined, type: alone };
  cursor.at = mark;
  const operand = readExpression(cursor);
  if (!cursor.takeSpaced(CODE.comma)) cursor.fail(`"," and the type of ${kind}`);
  const type = takeTypeName(cursor) ?? cursor.fail('the name of a type');
  cursor.expectClose();
  return { kind, at, operand, type };
}

/** typeName / %s"Collection" OPEN typeName CLOSE */
function takeTypeName(cursor: Cursor): TypeName | undefined {
  const at = cursor.at;
  const name = cursor.takeName();
  if (name === '') return undefined;
  if (name !== 'Collection' || cursor.code() !== CODE.open) return { at, name, collection: false };
  cursor.at += 1;
  const item = cursor.takeName();
  if (item === '' || !cursor.take(CODE.close)) return undefined;
  return { at, name: item, collection: true };
}

/** inExpr = RWS "in" RWS ( listExpr / commonExpr ) ; a single non-literal in parentheses is not a list */
function readInOperand(cursor: Cursor): Expression {
  if (cursor.code() !== CODE.open) return climb(cursor, BINARY_POWER.in);
  const mark = cursor.at;
  const list = withColon(cursor, false, takeList);
  if (list !== undefined) return list;
  cursor.at = mark;
  return readParentheses(cursor);
}

/** listExpr = OPEN BWS [ primitiveLiteral BWS *( COMMA BWS primitiveLiteral BWS ) ] CLOSE ; undefined if it is not a list */
function takeList(cursor: Cursor): List | undefined {
  const at = cursor.at;
  cursor.at += 1;
  cursor.skipBlanks();
  const items: Literal[] = [];
  if (cursor.take(CODE.close)) return { kind: 'list', at, end: cursor.at, items };
  do {
    const item = takeLiteral(cursor);
    if (item === undefined && items.length === 0) return undefined;
    items.push(item ?? cursor.fail('a literal'));
  } while (cursor.takeSpaced(CODE.comma));
  cursor.skipBlanks();
  if (cursor.take(CODE.close)) return { kind: 'list', at, end: cursor.at, items };
  return items.length === 1 ? undefined : cursor.fail('"," or ")"');
}
