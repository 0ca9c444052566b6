// This file parses $select and $expand with their nested options, and the values of options that may be nested.

import { readTerm } from '../apply/aggregate.ts';
import { readApply } from '../apply/apply.ts';
import { CODE, type Cursor, isBlank, isDigit } from '../cursor.ts';
import { readExpression } from '../expression/expression.ts';
import { readSearch } from '../expression/search.ts';
import type {
  ExpandItem,
  ExpandStep,
  Expression,
  NestedOptions,
  SelectItem,
  SelectPath,
  SelectStep,
} from '../tree.ts';
import { readComputeItem, readList, readOrderItem } from './items.ts';
import { NO_OPTIONS } from './no-options.ts';
import {
  duplicateOption,
  NESTED_OPTIONS,
  type OptionName,
  readOptionName,
} from './option-names.ts';

/** Options while they are being parsed. */
export type Draft<T extends NestedOptions> = {
  -readonly [K in Exclude<keyof T, 'aliases'>]: T[K];
} & {
  aliases: Map<string, Expression>;
};

/** Shared by all options without aliases; never modified. */
export const NO_ALIASES: Map<string, Expression> = new Map();

function noOptions(): Draft<NestedOptions> {
  return { ...NO_OPTIONS, aliases: NO_ALIASES };
}

/** The options that `readNestedValue` parses. */
export type NestedName = Exclude<keyof NestedOptions, 'aliases'>;

/**
 * Parses the value of an option into the draft; the cursor is after the "=".
 * Throws: request.syntax, request.too-deep, request.too-large, request.duplicate-option, and the faults of nested options.
 * @param isNested whether a semicolon or a closing parenthesis may end the value
 */
export function readNestedValue(
  cursor: Cursor,
  name: NestedName,
  draft: Draft<NestedOptions>,
  isNested: boolean,
): void {
  switch (name) {
    case 'apply':
      draft.apply = readApply(cursor);
      return;
    case 'compute':
      draft.compute = readList(cursor, readComputeItem);
      return;
    case 'search':
      draft.search = readSearch(cursor, isNested);
      return;
    case 'filter':
      draft.filter = readWhole(cursor);
      return;
    case 'orderby':
      draft.orderby = readList(cursor, readOrderItem);
      return;
    case 'expand':
      draft.expand = readExpand(cursor);
      return;
    case 'select':
      draft.select = readSelect(cursor);
      return;
    default:
      readScalar(cursor, name, draft);
  }
}

function readScalar(
  cursor: Cursor,
  name: 'count' | 'skip' | 'top' | 'levels',
  draft: Draft<NestedOptions>,
): void {
  if (name === 'count') draft.count = readBoolean(cursor);
  else if (name === 'levels') draft.levels = readLevels(cursor);
  else draft[name] = cursor.digits('a non-negative number');
}

function readBoolean(cursor: Cursor): boolean {
  if (cursor.takeWord('true')) return true;
  if (cursor.takeWord('false')) return false;
  return cursor.fail('true or false');
}

/** oneToNine *DIGIT / "max" */
function readLevels(cursor: Cursor): number | 'max' {
  if (cursor.takeWord('max')) return 'max';
  if (cursor.code() === CODE.zero || !isDigit(cursor.code()))
    cursor.fail('a number above 0, or max');
  return cursor.digits('a number above 0, or max');
}

/** Parses an expression that is the whole value. Only [ and { may be preceded by spaces. */
export function readWhole(cursor: Cursor): Expression {
  if (isBlank(cursor.code())) {
    cursor.skipBlanks();
    const code = cursor.code();
    if (code !== CODE.openBracket && code !== CODE.openBrace) {
      cursor.fail('the expression without a space before it');
    }
  }
  return readExpression(cursor);
}

// ---- $select ----

const SELECT_OPTIONS = [
  'filter',
  'search',
  'count',
  'orderby',
  'skip',
  'top',
  'compute',
  'select',
] as const;

/** selectItem *( COMMA selectItem ) */
export function readSelect(cursor: Cursor): readonly SelectItem[] {
  return cursor.nested((inner) => readList(inner, readSelectItem));
}

function readSelectItem(cursor: Cursor): SelectItem {
  const at = cursor.at;
  cursor.spend();
  if (cursor.take(CODE.star)) return { kind: 'star', at };
  const first = readSelectStep(cursor);
  if (first.kind === 'name' && cursor.code() === CODE.dot && cursor.code(1) === CODE.star) {
    cursor.at += 2;
    return { kind: 'operations', at, namespace: first.name };
  }
  const steps = [first];
  while (!isClosed(steps.at(-1)) && cursor.take(CODE.slash)) steps.push(readSelectStep(cursor));
  const mayHaveOptions = cursor.code() === CODE.open && !isClosed(steps.at(-1));
  const options = mayHaveOptions
    ? readOptionList(cursor, SELECT_OPTIONS, 'inside $select')
    : undefined;
  return { kind: 'path', at, steps, options };
}

/** Nothing may follow a function with its parameter names. */
function isClosed(step: SelectPath['steps'][number] | undefined): boolean {
  return step?.kind === 'name' && step.parameters !== undefined;
}

function readSelectStep(cursor: Cursor): SelectPath['steps'][number] {
  const at = cursor.at;
  cursor.spend();
  if (cursor.take(CODE.at)) return readTerm(cursor, at);
  const name = cursor.name('a property, a cast, an operation or *');
  return { kind: 'name', at, name, parameters: takeParameterNames(cursor) };
}

/** [ OPEN parameterName *( COMMA parameterName ) CLOSE ] ; an "=" after the first name means that options follow instead */
function takeParameterNames(cursor: Cursor): SelectStep['parameters'] {
  if (cursor.code() !== CODE.open) return undefined;
  const mark = cursor.at;
  cursor.at += 1;
  const names = [cursor.takeIdentifier()];
  if (names[0] === '' || (cursor.code() !== CODE.comma && cursor.code() !== CODE.close)) {
    cursor.at = mark;
    return undefined;
  }
  while (cursor.takeSpaced(CODE.comma)) names.push(cursor.identifier('the name of a parameter'));
  cursor.expectClose('"," or ")"');
  cursor.spend(names.length);
  return names;
}

// ---- $expand ----

const REF_OPTIONS = ['filter', 'search', 'orderby', 'skip', 'top', 'count'] as const;
const COUNT_OPTIONS = ['filter', 'search'] as const;
const EXPAND_OPTIONS = [...REF_OPTIONS, 'select', 'expand', 'compute', 'levels', 'apply'] as const;

/** expandItem *( COMMA expandItem ) */
export function readExpand(cursor: Cursor): readonly ExpandItem[] {
  return cursor.nested((inner) => readList(inner, readExpandItem));
}

function readExpandItem(cursor: Cursor): ExpandItem {
  const at = cursor.at;
  cursor.spend();
  if (cursor.code() === CODE.dollar) return readValueItem(cursor);
  const steps: ExpandStep[] = [];
  do {
    if (cursor.take(CODE.star)) return readStar(cursor, at, steps);
    if (steps.length > 0 && cursor.code() === CODE.dollar) return readSuffix(cursor, at, steps);
    steps.push(readExpandStep(cursor));
  } while (cursor.take(CODE.slash));
  const options =
    cursor.code() === CODE.open
      ? readOptionList(cursor, EXPAND_OPTIONS, 'inside $expand')
      : undefined;
  return { kind: 'path', at, steps, suffix: undefined, options };
}

function readValueItem(cursor: Cursor): ExpandItem {
  const at = cursor.at;
  cursor.at += 1;
  if (!cursor.takeWord('value', true)) cursor.fail('a navigation property, * or $value', at);
  return { kind: 'value', at };
}

function readExpandStep(cursor: Cursor): ExpandStep {
  const at = cursor.at;
  cursor.spend();
  if (cursor.take(CODE.at)) return readTerm(cursor, at);
  return { kind: 'name', at, name: cursor.name('a navigation property, a cast or *') };
}

/** STAR [ ref / OPEN levels CLOSE ], after the star */
function readStar(cursor: Cursor, at: number, steps: readonly ExpandStep[]): ExpandItem {
  if (cursor.take(CODE.slash)) {
    const start = cursor.at;
    if (!cursor.take(CODE.dollar) || !cursor.takeWord('ref', true)) cursor.fail('$ref', start);
    return { kind: 'star', at, steps, ref: true, levels: undefined };
  }
  const hasOptions = cursor.code() === CODE.open;
  const levels = hasOptions ? readOptionList(cursor, ['levels'], 'after *').levels : undefined;
  return { kind: 'star', at, steps, ref: false, levels };
}

/** ref [ OPEN … CLOSE ] / count [ OPEN … CLOSE ] ; the cursor is at the $ */
function readSuffix(cursor: Cursor, at: number, steps: readonly ExpandStep[]): ExpandItem {
  const start = cursor.at;
  cursor.at += 1;
  const suffix = cursor.takeIdentifier();
  if (suffix !== 'ref' && suffix !== 'count') cursor.fail('$ref or $count', start);
  const allowed = suffix === 'ref' ? REF_OPTIONS : COUNT_OPTIONS;
  const hasOptions = cursor.code() === CODE.open;
  const options = hasOptions ? readOptionList(cursor, allowed, `after $${suffix}`) : undefined;
  return { kind: 'path', at, steps, suffix, options };
}

// ---- Options in parentheses ----

/** OPEN option *( SEMI option ) CLOSE ; the cursor is at the parenthesis */
function readOptionList(
  cursor: Cursor,
  allowed: readonly NestedName[],
  place: string,
): NestedOptions {
  return cursor.nested((inner) => {
    const draft = noOptions();
    inner.at += 1;
    inner.skipBlanks();
    do readOption(inner, allowed, place, draft);
    while (inner.takeSpaced(CODE.semicolon));
    inner.expectClose('an operator, ";" and another option, or ")"');
    return draft;
  });
}

function readOption(
  cursor: Cursor,
  allowed: readonly NestedName[],
  place: string,
  draft: Draft<NestedOptions>,
): void {
  const start = cursor.at;
  if (cursor.code() === CODE.at && allowed.includes('select')) {
    readAliasOption(cursor, draft);
    return;
  }
  const name = readOptionName(cursor, allowed, place);
  if (draft[name] !== undefined) throw duplicateOption(`$${name}`, start);
  readNestedValue(cursor, name, draft, true);
}

/** aliasAndValue = parameterAlias EQ parameterValue */
function readAliasOption(cursor: Cursor, draft: Draft<NestedOptions>): void {
  const start = cursor.at;
  cursor.at += 1;
  const name = cursor.identifier('the name of a parameter alias');
  cursor.expect(CODE.equals);
  if (draft.aliases.has(name)) throw duplicateOption(`@${name}`, start);
  addAlias(draft, name, readWhole(cursor));
}

export function addAlias(draft: Draft<NestedOptions>, name: string, value: Expression): void {
  if (draft.aliases === NO_ALIASES) draft.aliases = new Map();
  draft.aliases.set(name, value);
}

const NESTED_NAMES: ReadonlySet<string> = new Set<NestedName>(NESTED_OPTIONS);

export function isNestedName(name: OptionName): name is OptionName & NestedName {
  return NESTED_NAMES.has(name);
}
