// This file reads single pieces of the grammar by themselves: the values of options, literals, paths. Each takes decoded text, save where
// it says otherwise, and reads all of it.
import { readApply } from '../../src/request/apply/apply.ts';
import {
  Budget,
  Cursor,
  DEFAULT_TREE_LIMITS,
  type Reader,
  type TreeLimits,
} from '../../src/request/cursor.ts';
import { takeLiteral } from '../../src/request/expression/literal.ts';
import { readSearch } from '../../src/request/expression/search.ts';
import { readOptions } from '../../src/request/options/query-options.ts';
import { readExpand, readSelect, readWhole } from '../../src/request/options/select-expand.ts';
import { misplacedSegment, readPath } from '../../src/request/path.ts';
import type {
  Apply,
  ExpandItem,
  Expression,
  Literal,
  Options,
  ResourcePath,
  SearchExpression,
  SelectItem,
} from '../../src/request/tree.ts';

function readAll<T>(text: string, target: string, read: Reader<T>, limits: TreeLimits): T {
  const cursor = new Cursor(text, target, new Budget(limits));
  const result = read(cursor);
  cursor.expectEnd(`the end of ${target}`);
  return result;
}

/** One primitive literal as it stands in URLs. */
export function parseLiteral(text: string, target = 'the literal'): Literal {
  const read = (cursor: Cursor) => takeLiteral(cursor) ?? cursor.fail('a literal');
  return readAll(text, target, read, DEFAULT_TREE_LIMITS);
}

/** The value of $filter. */
export function parseFilter(text: string, limits = DEFAULT_TREE_LIMITS): Expression {
  return readAll(text, '$filter', readWhole, limits);
}

/** The value of $select. */
export function parseSelect(text: string, limits = DEFAULT_TREE_LIMITS): readonly SelectItem[] {
  return readAll(text, '$select', readSelect, limits);
}

/** The value of $expand. */
export function parseExpand(text: string, limits = DEFAULT_TREE_LIMITS): readonly ExpandItem[] {
  return readAll(text, '$expand', readExpand, limits);
}

/** The value of $search. */
export function parseSearch(text: string, limits = DEFAULT_TREE_LIMITS): SearchExpression {
  return readAll(text, '$search', (cursor) => readSearch(cursor, false), limits);
}

/** The value of $apply. */
export function parseApply(text: string, limits = DEFAULT_TREE_LIMITS): Apply {
  return readAll(text, '$apply', readApply, limits);
}

/** A percent-encoded resource path relative to the service root, such as that of @odata.bind. */
export function parsePath(raw: string, limits = DEFAULT_TREE_LIMITS): ResourcePath {
  const { path, isQuery } = readPath(raw, new Budget(limits));
  if (isQuery) throw misplacedSegment('$query', 'where no request is made', 0);
  return path;
}

/** A percent-encoded query without its question mark. */
export function parseOptions(raw: string, limits = DEFAULT_TREE_LIMITS): Options {
  return readOptions([raw], new Budget(limits));
}
