// This file defines Cursor, a position in decoded text with lexing methods, and Budget, what the parts of one request share: its size
// limits and its template. Parser functions only move a cursor forward or throw; they go back only to a mark that they set themselves.

import { Fault } from '../base/fault.ts';
import { adviceAfterLiteral, adviceInExpression } from './expression/syntax-hints.ts';
import { Template } from './template.ts';

/** Parses one construct and leaves the cursor after it. Throws: request.syntax. */
export type Reader<T> = (cursor: Cursor) => T;

/** Size limits of the syntax tree of a request. */
export interface TreeLimits {
  /** Maximum number of nodes. Literals, steps, calls and items count as one, operators as two. */
  readonly nodes: number;
  /** Maximum levels of nesting of any kind. */
  readonly depth: number;
}

/** Counts the nodes and the nesting of a request and collects its literals; shared by its path and all its options. */
export class Budget {
  readonly limits: TreeLimits;
  readonly template = new Template();
  private nodes = 0;
  private depth = 0;

  constructor(limits: TreeLimits) {
    this.limits = limits;
  }

  /** The number of nodes so far. */
  get spent(): number {
    return this.nodes;
  }

  /** Counts nodes. Throws: request.too-large. */
  spend(count: number, target: string): void {
    this.nodes += count;
    if (this.nodes <= this.limits.nodes) return;
    throw new Fault('request.too-large', { what: 'query', limit: this.limits.nodes }, { target });
  }

  /** Enters a nested level, which `leave` ends. Throws: request.too-deep. */
  enter(at: number, target: string): void {
    this.depth += 1;
    if (this.depth <= this.limits.depth) return;
    throw new Fault('request.too-deep', { limit: this.limits.depth }, { position: at, target });
  }

  leave(): void {
    this.depth -= 1;
  }
}

/** Character codes used by the grammar. */
export const CODE = {
  tab: 9,
  blank: 32,
  doubleQuote: 34,
  hash: 35,
  dollar: 36,
  ampersand: 38,
  quote: 39,
  open: 40,
  close: 41,
  star: 42,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  slash: 47,
  zero: 48,
  nine: 57,
  colon: 58,
  semicolon: 59,
  equals: 61,
  question: 63,
  at: 64,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;

const LOWER_E = 101;
const LEADING = 1;
const FOLLOWING = 2;
const HEX = 4;

const CLASSES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  const leading = /[A-Za-z_]/.test(character) ? LEADING | FOLLOWING : 0;
  const digit = /[0-9]/.test(character) ? FOLLOWING : 0;
  return leading | digit | (/[0-9A-Fa-f]/.test(character) ? HEX : 0);
});

const LEADING_BEYOND_ASCII = /[\p{L}\p{Nl}]/uy;
const FOLLOWING_BEYOND_ASCII = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]/uy;
const LONGEST_IDENTIFIER = 128;

const SEPARATORS_HINT = ' Separate options by ";" inside parentheses and by "&" outside.';

/** Whether a query option starts at the position. */
function isOption(text: string, at: number): boolean {
  OPTION.lastIndex = at;
  return OPTION.test(text);
}

const OPTION = /[;?]?\s*\$[a-z]+=/iy;

/** Options whose values contain expressions. */
const EXPRESSION_OPTIONS: ReadonlySet<string> = new Set([
  '$filter',
  '$orderby',
  '$compute',
  '$apply',
]);

export function isDigit(code: number): boolean {
  return code >= CODE.zero && code <= CODE.nine;
}

export function isHexDigit(code: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & HEX) !== 0;
}

export function isLetter(code: number): boolean {
  const upper = code & ~32;
  return upper >= 65 && upper <= 90;
}

export function isBlank(code: number): boolean {
  return code === CODE.blank || code === CODE.tab;
}

/** Whether a name may start with the character. Always true beyond ASCII, where the full check is more expensive. */
export function mayStartName(code: number): boolean {
  return code >= 128 || ((CLASSES[code] ?? 0) & LEADING) !== 0;
}

const NO_OFFSETS: ReadonlySet<number> = new Set();

/** A position in decoded text, limited to a range of it. */
export class Cursor {
  readonly text: string;
  /** What is being parsed, for messages: an option such as $filter, or "the path". */
  readonly target: string;
  readonly budget: Budget;
  readonly end: number;
  /** The offset of the next character. */
  at: number;
  /** Set while a condition of case() is parsed: a colon at this level of parentheses ends the condition. */
  colonEnds = false;
  /** The offsets of semicolons that were percent-encoded in the URL. */
  encodedSemicolons: ReadonlySet<number> = NO_OFFSETS;

  constructor(text: string, target: string, budget: Budget, start = 0, end = text.length) {
    this.text = text;
    this.target = target;
    this.budget = budget;
    this.at = start;
    this.end = end;
  }

  /** Returns the code of the next character, or of the one `ahead` characters further; -1 after the end. */
  code(ahead = 0): number {
    const at = this.at + ahead;
    return at < this.end ? this.text.charCodeAt(at) : -1;
  }

  isAtEnd(): boolean {
    return this.at >= this.end;
  }

  slice(from: number, to = this.at): string {
    return this.text.slice(from, to);
  }

  /** Consumes the next character if it has this code. */
  take(code: number): boolean {
    if (this.code() !== code) return false;
    this.at += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.take(code)) this.fail(`"${String.fromCharCode(code)}"`);
  }

  /** Skips spaces and tabs; returns whether there were any. BWS = *( SP / HTAB ) */
  skipBlanks(): boolean {
    const start = this.at;
    while (isBlank(this.code())) this.at += 1;
    return this.at > start;
  }

  /** BWS code BWS; consumes nothing if the character does not follow. */
  takeSpaced(code: number): boolean {
    const mark = this.at;
    this.skipBlanks();
    if (this.take(code)) {
      this.skipBlanks();
      return true;
    }
    this.at = mark;
    return false;
  }

  /** BWS ")" */
  expectClose(expected = '")"'): void {
    this.skipBlanks();
    if (!this.take(CODE.close)) this.fail(expected);
  }

  expectEnd(expected: string): void {
    if (this.isAtEnd()) return;
    this.skipBlanks();
    this.fail(expected);
  }

  /** RWS word, not followed by another name character; otherwise consumes nothing. `word` is in lower case. */
  takeSpacedWord(word: string, exactCase = false): boolean {
    if (!isBlank(this.code())) return false;
    const mark = this.at;
    this.skipBlanks();
    if (this.takeWord(word, exactCase)) return true;
    this.at = mark;
    return false;
  }

  takeWord(word: string, exactCase = false): boolean {
    const found = this.text.slice(this.at, this.at + word.length);
    if (found !== word && (exactCase || found.toLowerCase() !== word)) return false;
    const end = this.at + word.length;
    if (end > this.end || this.nameCharacterLength(end, FOLLOWING) > 0) return false;
    this.at = end;
    return true;
  }

  /** odataIdentifier = identifierLeadingCharacter *127identifierCharacter ; '' if none starts here */
  takeIdentifier(): string {
    const start = this.at;
    let length = this.nameCharacterLength(start, LEADING);
    if (length === 0) return '';
    let at = start;
    while (length > 0) {
      at += length;
      length = this.nameCharacterLength(at, FOLLOWING);
    }
    if (at - start > LONGEST_IDENTIFIER && [...this.slice(start, at)].length > LONGEST_IDENTIFIER) {
      this.at = start + LONGEST_IDENTIFIER;
      this.fail(`a name of at most ${LONGEST_IDENTIFIER} characters`);
    }
    this.at = at;
    return this.slice(start);
  }

  identifier(expected: string): string {
    return this.takeIdentifier() || this.fail(expected);
  }

  /** [ namespace "." ] odataIdentifier ; '' if none starts here */
  takeName(): string {
    const start = this.at;
    if (this.takeIdentifier() === '') return '';
    while (this.code() === CODE.dot && this.nameCharacterLength(this.at + 1, LEADING) > 0) {
      this.at += 1;
      this.takeIdentifier();
    }
    return this.slice(start);
  }

  name(expected: string): string {
    return this.takeName() || this.fail(expected);
  }

  isNameCharacter(at: number): boolean {
    return this.nameCharacterLength(at, FOLLOWING) > 0;
  }

  skipDigits(): void {
    while (isDigit(this.code())) this.at += 1;
  }

  /** 1*DIGIT as a number, capped at the maximum safe integer. */
  digits(expected: string): number {
    const start = this.at;
    this.skipDigits();
    if (this.at === start) this.fail(expected);
    return Math.min(Number(this.slice(start)), Number.MAX_SAFE_INTEGER);
  }

  /** "e" [ SIGN ] 1*DIGIT; returns whether there was one. */
  takeExponent(): boolean {
    if ((this.code() | 32) !== LOWER_E) return false;
    const sign = this.code(1);
    const length = sign === CODE.plus || sign === CODE.minus ? 2 : 1;
    if (!isDigit(this.code(length))) return false;
    this.at += length;
    this.skipDigits();
    return true;
  }

  /** Counts nodes of the tree. Throws: request.too-large. */
  spend(count = 1): void {
    this.budget.spend(count, this.target);
  }

  /** Parses one level deeper. Throws: request.too-deep. */
  nested<T>(read: Reader<T>): T {
    this.budget.enter(this.at, this.target);
    const result = read(this);
    this.budget.leave();
    return result;
  }

  /** Throws request.syntax with what was expected and what was found instead. */
  fail(expected: string, at = this.at, hint = this.advise(at)): never {
    throw new Fault(
      'request.syntax',
      {
        expected,
        position: at,
        target: this.target,
        found: this.describe(at),
        hint,
      },
      { position: at, target: this.target },
    );
  }

  /** Suggests the OData syntax for common mistakes in expressions. */
  private advise(at: number): string {
    if (isOption(this.text, at)) return SEPARATORS_HINT;
    if (!EXPRESSION_OPTIONS.has(this.target)) return '';
    const start = at + (/^\s*/.exec(this.slice(at, Math.min(at + 10, this.end)))?.[0].length ?? 0);
    const text = this.slice(start, Math.min(start + 60, this.end));
    const previous = start === at ? this.text.slice(Math.max(at - 1, 0), at) : '';
    return adviceAfterLiteral(previous, text) || adviceInExpression(text);
  }

  /** Names what is at the position: the end, a space, a word or a single character. */
  private describe(at: number): string {
    if (at >= this.end) {
      return isBlank(this.text.charCodeAt(at - 1)) ? 'nothing after the space' : 'the end';
    }
    const [first = '', ...rest] = this.slice(at, Math.min(at + 40, this.end));
    if (isBlank(first.charCodeAt(0))) return 'a space';
    if (first === '"') return 'a double quote';
    if (!/[\p{L}\p{N}_$@]/u.test(first)) return `"${first}"`;
    const length = rest.findIndex((character) => /[\s(),;:/"']/.test(character));
    return `"${first}${rest.slice(0, length < 0 ? 20 : Math.min(length, 20)).join('')}"`;
  }

  /** Returns the number of code units of the name character at the offset; 0 if it is not one. */
  private nameCharacterLength(at: number, position: number): number {
    if (at >= this.end) return 0;
    const code = this.text.charCodeAt(at);
    if (code < 128) return ((CLASSES[code] ?? 0) & position) !== 0 ? 1 : 0;
    const pattern = position === LEADING ? LEADING_BEYOND_ASCII : FOLLOWING_BEYOND_ASCII;
    pattern.lastIndex = at;
    if (!pattern.test(this.text)) return 0;
    return pattern.lastIndex - at;
  }
}

/** Limits for expressions parsed on their own. */
export const DEFAULT_TREE_LIMITS: TreeLimits = { nodes: 2000, depth: 100 };
