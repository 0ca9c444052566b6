// This file parses search expressions: $search, the nested search option of $count and $expand, and the search transformation of
// $apply. NOT binds more tightly than AND, which may be implied, and AND more tightly than OR.

import { CODE, type Cursor, isBlank } from '../cursor.ts';
import { isOptionNext } from '../options/option-names.ts';
import type { SearchExpression } from '../tree.ts';

/**
 * BWS ( searchExpr / searchExpr-incomplete ) BWS; trailing spaces are accepted. The expression ends at the end of the text, at an
 * unmatched closing parenthesis, or, if `isNested`, at a semicolon that ends the option.
 * Source: OData 4.01 URL Conventions, "System Query Option $search".
 */
export function readSearch(cursor: Cursor, isNested: boolean): SearchExpression {
  cursor.skipBlanks();
  const search = cursor.code() === CODE.quote ? readIncomplete(cursor) : readOr(cursor, isNested);
  cursor.skipBlanks();
  return search;
}

/** searchExpr-incomplete: text in single quotes that a user is still typing. */
function readIncomplete(cursor: Cursor): SearchExpression {
  const at = cursor.at;
  cursor.spend();
  cursor.at += 1;
  let text = '';
  for (;;) {
    const start = cursor.at;
    while (cursor.code() !== CODE.quote && cursor.code() !== -1) cursor.at += 1;
    text += cursor.slice(start);
    if (!cursor.take(CODE.quote)) cursor.fail("a closing quote (')");
    if (!cursor.take(CODE.quote)) return { kind: 'incomplete', at, text };
    text += "'";
  }
}

function readOr(cursor: Cursor, isNested: boolean): SearchExpression {
  let left = readAnd(cursor, isNested);
  while (takeOperator(cursor, 'OR', isNested)) {
    cursor.spend(2);
    left = { kind: 'or', at: left.at, left, right: readAnd(cursor, isNested) };
  }
  return left;
}

function readAnd(cursor: Cursor, isNested: boolean): SearchExpression {
  let left = readTerm(cursor, isNested);
  while (takeAnd(cursor, isNested)) {
    cursor.spend(2);
    left = { kind: 'and', at: left.at, left, right: readTerm(cursor, isNested) };
  }
  return left;
}

/** RWS [ %s"AND" RWS ], followed by a term. Leaves an OR between two terms to the caller. */
function takeAnd(cursor: Cursor, isNested: boolean): boolean {
  if (takeOperator(cursor, 'AND', isNested)) return true;
  if (!isBlank(cursor.code())) return false;
  const mark = cursor.at;
  if (takeOperator(cursor, 'OR', isNested)) {
    cursor.at = mark;
    return false;
  }
  cursor.skipBlanks();
  if (isTermNext(cursor, isNested)) return true;
  cursor.at = mark;
  return false;
}

/** RWS word RWS, if a term follows. Otherwise the word is an ordinary search word, and nothing is consumed. */
function takeOperator(cursor: Cursor, word: 'AND' | 'OR', isNested: boolean): boolean {
  const mark = cursor.at;
  if (cursor.takeSpacedWord(word, true) && cursor.skipBlanks() && isTermNext(cursor, isNested)) {
    return true;
  }
  cursor.at = mark;
  return false;
}

function isTermNext(cursor: Cursor, isNested: boolean): boolean {
  const code = cursor.code();
  return code === CODE.open || code === CODE.doubleQuote || wordLength(cursor, isNested) > 0;
}

function readTerm(cursor: Cursor, isNested: boolean): SearchExpression {
  const at = cursor.at;
  cursor.spend();
  if (cursor.take(CODE.open)) return cursor.nested((inner) => readParentheses(inner, isNested));
  if (cursor.code() === CODE.doubleQuote) return readPhrase(cursor);
  if (takeNot(cursor, isNested)) {
    return { kind: 'not', at, operand: cursor.nested((inner) => readTerm(inner, isNested)) };
  }
  const length = wordLength(cursor, isNested);
  if (length === 0) cursor.fail('a search word, a "phrase", NOT or "("');
  cursor.at += length;
  const word = { kind: 'word', at, text: cursor.slice(at) } as const;
  cursor.budget.template.add('word', word.text, at, cursor.at, word);
  return word;
}

/** OPEN BWS searchExpr BWS CLOSE, after the opening parenthesis */
function readParentheses(cursor: Cursor, isNested: boolean): SearchExpression {
  cursor.skipBlanks();
  const inner = readOr(cursor, isNested);
  cursor.expectClose('")", AND, OR or another word');
  return inner;
}

/**
 * quotation-mark 1*( qchar-no-AMP-DQUOTE / SP ) quotation-mark, where \" is a double quote and \\ a backslash. Before any other
 * character a backslash is literal, as in "C:\temp".
 * Source: OData 4.01 ABNF, `qchar-no-AMP-DQUOTE`, `escape`.
 */
function readPhrase(cursor: Cursor): SearchExpression {
  const at = cursor.at;
  let text = '';
  cursor.at += 1;
  let start = cursor.at;
  while (cursor.code() !== CODE.doubleQuote && cursor.code() !== -1) {
    if (isEscape(cursor)) {
      text += cursor.slice(start);
      start = cursor.at + 1;
      cursor.at += 1;
    }
    cursor.at += 1;
  }
  if (cursor.code() === -1) cursor.fail('a closing double quote (")');
  if (cursor.at === at + 1) cursor.fail('a phrase that is not empty');
  text += cursor.slice(start);
  cursor.at += 1;
  return { kind: 'phrase', at, text };
}

function isEscape(cursor: Cursor): boolean {
  const next = cursor.code(1);
  return cursor.code() === CODE.backslash && (next === CODE.doubleQuote || next === CODE.backslash);
}

/** NOT is an operator only if a term follows. */
function takeNot(cursor: Cursor, isNested: boolean): boolean {
  const mark = cursor.at;
  if (cursor.takeWord('not') && cursor.slice(mark) === 'NOT' && cursor.skipBlanks()) {
    if (isTermNext(cursor, isNested)) return true;
  }
  cursor.at = mark;
  return false;
}

/** searchWord = searchChar *( searchChar / SQUOTE ) ; contains no spaces, parentheses or double quotes */
function wordLength(cursor: Cursor, isNested: boolean): number {
  if (cursor.code() === CODE.quote) return 0;
  let length = 0;
  while (isWordCharacter(cursor.code(length))) {
    if (isNested && endsOption(cursor, length)) break;
    length += 1;
  }
  return length;
}

/**
 * Whether the character is a semicolon that ends the option. A raw one always does. Clients that encode the whole value of $expand
 * also encode its separators, so an encoded one does if an option name and "=" follow.
 */
function endsOption(cursor: Cursor, ahead: number): boolean {
  if (cursor.code(ahead) !== CODE.semicolon) return false;
  return !cursor.encodedSemicolons.has(cursor.at + ahead) || isOptionNext(cursor, ahead + 1);
}

function isWordCharacter(code: number): boolean {
  if (code === CODE.open || code === CODE.close || code === CODE.doubleQuote) return false;
  return code > CODE.blank;
}
