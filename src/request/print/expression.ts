// This file prints expressions, search expressions and aggregates as decoded text; parsing it gives the same tree. It adds parentheses
// only where precedence requires them.

import { unreachable } from '../../base/fault.ts';
import {
  type AggregateFrom,
  type AggregateItem,
  type AnnotationStep,
  type Arguments,
  BINARY_POWER,
  type Binary,
  type Case,
  type CountStep,
  type Expression,
  type LambdaStep,
  type LiteralValue,
  type PathExpression,
  type PathRoot,
  type PathStep,
  type SearchExpression,
  type TypeName,
  UNARY_POWER,
  type Unary,
} from '../tree.ts';

const ATOM_POWER = 9;

/** Returns the expression as text, not percent-encoded. */
export function printExpression(expression: Expression): string {
  return print(expression, 0);
}

/** Adds parentheses around expressions that bind less tightly than `power`. */
function print(expression: Expression, power: number): string {
  const text = printBare(expression);
  return powerOf(expression) < power ? `(${text})` : text;
}

function powerOf(expression: Expression): number {
  if (expression.kind === 'binary') return BINARY_POWER[expression.operator];
  return expression.kind === 'not' || expression.kind === 'negate' ? UNARY_POWER : ATOM_POWER;
}

function printBare(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return printLiteral(expression.value);
    case 'array':
      return `[${expression.items.map(printJsonValue).join(',')}]`;
    case 'object':
      return `{${expression.members.map((member) => `${JSON.stringify(member.name)}:${printJsonValue(member.value)}`).join(',')}}`;
    case 'alias':
      return `@${expression.name}`;
    case 'path':
      return printMemberPath(expression);
    case 'call':
      return `${expression.name}${printArguments(expression.arguments)}`;
    case 'cast':
    case 'isof':
      return `${expression.kind}(${expression.operand === undefined ? '' : `${print(expression.operand, 0)},`}${printType(expression.type)})`;
    case 'case':
      return printCase(expression);
    case 'not':
    case 'negate':
      return printUnary(expression);
    case 'binary':
      return printBinary(expression);
    case 'list':
      return `(${expression.items.map((item) => printLiteral(item.value)).join(',')})`;
    default:
      return unreachable(expression);
  }
}

/** Returns the literal in URL syntax, not percent-encoded. */
function printLiteral(value: LiteralValue): string {
  switch (value.kind) {
    case 'null':
      return 'null';
    case 'boolean':
    case 'integer':
      return String(value.value);
    case 'string':
      return `'${value.value.replaceAll("'", "''")}'`;
    case 'duration':
    case 'binary':
    case 'geography':
    case 'geometry':
      return `${value.kind}'${value.text}'`;
    case 'enum':
      return `${value.type}'${value.members.join(',')}'`;
    case 'decimal':
    case 'double':
    case 'guid':
    case 'date':
    case 'dateTimeOffset':
    case 'timeOfDay':
      return value.text;
    default:
      return unreachable(value);
  }
}

function printJsonValue(value: Expression): string {
  const isString = value.kind === 'literal' && value.value.kind === 'string';
  return isString ? JSON.stringify(value.value.value) : print(value, 0);
}

function printType(type: TypeName): string {
  return type.collection ? `Collection(${type.name})` : type.name;
}

/** Without the spaces, a number before the colon would be parsed as the hour of a time. */
function printCase(expression: Case): string {
  const branches = expression.branches.map(
    (branch) => `${print(branch.condition, 0)} : ${print(branch.value, 0)}`,
  );
  return `case(${branches.join(',')})`;
}

/** -(5) is a negation; -5 would be a literal. */
function printUnary(expression: Unary): string {
  const operand = print(expression.operand, UNARY_POWER);
  if (expression.kind === 'not') return `not ${operand}`;
  return /^(?:[0-9]|INF)/.test(operand) ? `-(${operand})` : `-${operand}`;
}

function printBinary(expression: Binary): string {
  const power = BINARY_POWER[expression.operator];
  const left = print(expression.left, power);
  return `${left} ${expression.operator} ${print(expression.right, power + 1)}`;
}

export function printArguments(list: Arguments): string {
  switch (list.kind) {
    case 'empty':
      return '()';
    case 'positional':
      return `(${list.values.map(printExpression).join(',')})`;
    case 'named':
      return `(${list.pairs.map((pair) => `${pair.name}=${printExpression(pair.value)}`).join(',')})`;
    default:
      return unreachable(list);
  }
}

// ---- Paths ----

export function printMemberPath(path: PathExpression): string {
  const root = printRoot(path.root);
  return [...(root === '' ? [] : [root]), ...path.steps.map(printStep)].join('/');
}

function printRoot(root: PathRoot): string {
  if (root.kind === 'current') return '';
  return root.kind === 'alias' ? `@${root.name}` : `$${root.kind}`;
}

function printStep(step: PathStep): string {
  switch (step.kind) {
    case 'name':
      return `${step.name}${printOptionalArguments(step.arguments)}${printOptionalArguments(step.key)}`;
    case 'annotation':
      return printAnnotation(step);
    case 'count':
      return printCount(step);
    case 'filter':
      return `$filter(${printExpression(step.condition)})${printOptionalArguments(step.key)}`;
    case 'any':
    case 'all':
      return printLambda(step);
    case 'aggregate':
      return `aggregate(${printAggregateItem(step.item)})`;
    case 'ordinal':
      return String(step.index);
    default:
      return unreachable(step);
  }
}

export function printOptionalArguments(list: Arguments | undefined): string {
  return list === undefined ? '' : printArguments(list);
}

export function printAnnotation(step: AnnotationStep): string {
  return `@${step.term}${step.qualifier === undefined ? '' : `#${step.qualifier}`}`;
}

function printCount(step: CountStep): string {
  const options = [
    ...(step.filter === undefined ? [] : [`$filter=${printExpression(step.filter)}`]),
    ...(step.search === undefined ? [] : [`$search=${printSearch(step.search)}`]),
  ];
  return options.length === 0 ? '$count' : `$count(${options.join(';')})`;
}

function printLambda(step: LambdaStep): string {
  if (step.condition === undefined) return `${step.kind}()`;
  return `${step.kind}(${step.variable ?? ''}:${printExpression(step.condition)})`;
}

// ---- Aggregates ----

export function printAggregateItem(item: AggregateItem): string {
  const alias = item.alias === undefined ? '' : ` as ${item.alias}`;
  return `${printSubject(item)}${item.from.map(printFrom).join('')}${alias}`;
}

function printSubject(item: AggregateItem): string {
  switch (item.kind) {
    case 'method':
      return `${printExpression(item.operand)} with ${item.method}`;
    case 'count':
      return item.path === undefined ? '$count' : `${printMemberPath(item.path)}/$count`;
    case 'custom':
      return printMemberPath(item.path);
    default:
      return unreachable(item);
  }
}

function printFrom(from: AggregateFrom): string {
  const method = from.method === undefined ? '' : ` with ${from.method}`;
  return ` from ${from.properties.map(printMemberPath).join(',')}${method}`;
}

// ---- Search ----

/**
 * Placeholder for a semicolon in a search word, which must be percent-encoded in a URL because a raw one separates options. Decoded
 * text contains no lone surrogates, so it cannot be confused with a character sent by the client.
 */
const WORD_SEMICOLON = '\uDC3B';

/** Percent-encodes one character of printed text. */
export function encodeCharacter(character: string): string {
  return character === WORD_SEMICOLON ? '%3B' : encodeURIComponent(character);
}

/** Converts printed text for messages, which are not percent-encoded. */
export function readable(printed: string): string {
  return printed.replaceAll(WORD_SEMICOLON, ';');
}

const SEARCH_POWER = { or: 1, and: 2, not: 3, word: 4, phrase: 4, incomplete: 4 } as const;

/** Returns the search expression as text, not percent-encoded. */
export function printSearch(search: SearchExpression): string {
  return printSearchAt(search, 0);
}

function printSearchAt(search: SearchExpression, power: number): string {
  const own = SEARCH_POWER[search.kind];
  const text = printBareSearch(search, own);
  return own < power ? `(${text})` : text;
}

function printBareSearch(search: SearchExpression, power: number): string {
  switch (search.kind) {
    case 'word':
      return /^(?:AND|OR|NOT)$/.test(search.text)
        ? `(${search.text})`
        : search.text.replaceAll(';', WORD_SEMICOLON);
    case 'phrase':
      return `"${search.text.replace(/["\\]/g, '\\$&')}"`;
    case 'incomplete':
      return `'${search.text.replaceAll("'", "''")}'`;
    case 'not':
      return `NOT ${printSearchAt(search.operand, power)}`;
    case 'and':
    case 'or':
      return `${printSearchAt(search.left, power)} ${search.kind.toUpperCase()} ${printSearchAt(search.right, power + 1)}`;
    default:
      return unreachable(search);
  }
}
