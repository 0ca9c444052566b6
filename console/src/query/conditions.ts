// This file reads and prints filters that are a list of conditions, all of which must be true. Other filters are edited as text.
import { split } from './split.ts';

export const COMPARISONS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in'] as const;
export const TEXT_FUNCTIONS = ['contains', 'startswith', 'endswith'] as const;
export type Operator = (typeof COMPARISONS)[number] | (typeof TEXT_FUNCTIONS)[number];

export interface Condition {
  readonly path: string;
  readonly operator: Operator;
  /** As in URLs: `'text'`, `12`, `null`, `(1,2)`. */
  readonly value: string;
}

const PATH = '[A-Za-z_][\\w./]*';
const COMPARISON = new RegExp(`^(${PATH}) (${COMPARISONS.join('|')}) (.+)$`, 's');
const FUNCTION = new RegExp(`^(${TEXT_FUNCTIONS.join('|')})\\((${PATH}),\\s*('.*')\\)$`, 's');

/** The conditions of a filter; undefined if it is more than a list of them. */
export function parseConditions(filter: string): readonly Condition[] | undefined {
  if (filter.trim() === '') return [];
  const conditions = split(filter, ' and ').map((part) => parseCondition(part.trim()));
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

function parseCondition(text: string): Condition | undefined {
  const called = FUNCTION.exec(text);
  if (called !== null) {
    const [, operator, path = '', value = ''] = called;
    return isLiteral(value) ? { path, operator: operator as Operator, value } : undefined;
  }
  const [, path = '', operator, value = ''] = COMPARISON.exec(text) ?? [];
  if (operator === undefined) return undefined;
  const isValue = operator === 'in' ? isList(value) : isLiteral(value);
  return isValue ? { path, operator: operator as Operator, value } : undefined;
}

/** A literal: a text in quotes, with an optional prefix such as `duration`, or one word such as a number or time. */
function isLiteral(text: string): boolean {
  return /^(?:[\w.]*'(?:[^']|'')*'|[\w.:+-]+)$/.test(text);
}

function isList(text: string): boolean {
  return (
    text.startsWith('(') &&
    text.endsWith(')') &&
    split(text.slice(1, -1), ',').every((item) => isLiteral(item.trim()))
  );
}

export function printConditions(conditions: readonly Condition[]): string {
  return conditions.map(printCondition).join(' and ');
}

function printCondition({ path, operator, value }: Condition): string {
  return TEXT_FUNCTIONS.some((name) => name === operator)
    ? `${operator}(${path},${value})`
    : `${path} ${operator} ${value}`;
}

/** Filters that must all be true. Each keeps its meaning: those with `or` get parentheses. */
export function allOf(filters: readonly (string | undefined)[]): string {
  const given = filters.filter((filter) => filter !== undefined && filter.trim() !== '');
  if (given.length === 1) return given[0] ?? '';
  return given
    .map((filter) => (split(filter ?? '', ' or ').length > 1 ? `(${filter})` : filter))
    .join(' and ');
}
