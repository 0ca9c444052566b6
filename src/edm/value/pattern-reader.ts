// This file parses the ECMAScript regular expressions that matchesPattern supports, and describes their sets of characters as data.
// Back references and lookaround are rejected. ECMAScript, "Patterns".
import { Fault } from '../../base/fault.ts';

/** An inclusive range of code points. */
export type CharacterRange = readonly [from: number, to: number];

export type CharacterSet =
  | { readonly kind: 'ranges'; readonly ranges: readonly CharacterRange[] }
  /** A Unicode property with its braces, such as `{L}`. */
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'not'; readonly set: CharacterSet }
  | { readonly kind: 'union'; readonly sets: readonly CharacterSet[] };

export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'start' | 'end' | 'boundary' | 'notBoundary' }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly node: PatternNode;
      readonly least: number;
      readonly most: number;
    };

const MAX_PATTERN = 1000;
const MAX_REPEAT = 1000;
const MAX_NESTING = 50;

/** Parses a pattern. Throws: sql.pattern if it is invalid, not supported or too long. */
export function readPattern(pattern: string): PatternNode {
  if (pattern.length > MAX_PATTERN) {
    throw patternFault(pattern, `is longer than ${MAX_PATTERN} characters`);
  }
  return new PatternReader(pattern).read();
}

export function patternFault(pattern: string, reason: string): Fault {
  return new Fault('sql.pattern', { pattern: pattern.slice(0, 60), reason });
}

const DIGITS = ranges([48, 57]);
export const WORD_RANGES: readonly CharacterRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const WORD = ranges(...WORD_RANGES);
const SPACE = ranges(
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
);
const LINE_ENDS = ranges([10, 10], [13, 13], [0x2028, 0x2029]);

const CLASSES: Readonly<Record<string, CharacterSet>> = {
  d: DIGITS,
  D: not(DIGITS),
  w: WORD,
  W: not(WORD),
  s: SPACE,
  S: not(SPACE),
};

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, '0': 0 };

/** Reads a pattern by recursive descent: Disjunction, Alternative, Term, Atom of ECMAScript. */
class PatternReader {
  readonly #pattern: string;
  readonly #characters: readonly string[];
  #at = 0;
  #nesting = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#characters = [...pattern];
  }

  read(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#characters.length) throw this.#fault('has an unmatched )');
    return node;
  }

  #choice(): PatternNode {
    if (++this.#nesting > MAX_NESTING) throw this.#fault('is nested too deeply');
    const nodes = [this.#sequence()];
    while (this.#accept('|')) nodes.push(this.#sequence());
    this.#nesting--;
    return { kind: 'choice', nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#peek() !== undefined && this.#peek() !== '|' && this.#peek() !== ')') {
      nodes.push(this.#term());
    }
    return { kind: 'sequence', nodes };
  }

  #term(): PatternNode {
    if (this.#accept('^')) return { kind: 'start' };
    if (this.#accept('$')) return { kind: 'end' };
    const atom = this.#atom();
    const [least, most] = this.#counts() ?? [1, 1];
    if (least > most) throw this.#fault('has a repetition whose minimum exceeds its maximum');
    // A lazy quantifier changes which match is found, but not whether there is one.
    this.#accept('?');
    return least === 1 && most === 1 ? atom : { kind: 'repeat', node: atom, least, most };
  }

  #counts(): readonly [number, number] | undefined {
    if (this.#accept('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#accept('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#accept('?')) return [0, 1];
    const rest = this.#characters.slice(this.#at, this.#at + 24).join('');
    const match = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(rest);
    if (match === null) return undefined;
    this.#at += match[0].length;
    const least = Number(match[1]);
    const open = match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3]);
    const most = match[2] === undefined ? least : open;
    const largest = most === Number.POSITIVE_INFINITY ? least : most;
    if (largest > MAX_REPEAT) throw this.#fault(`repeats more than ${MAX_REPEAT} times`);
    return [least, most];
  }

  #atom(): PatternNode {
    const character = this.#next();
    switch (character) {
      case '.':
        return { kind: 'set', set: not(LINE_ENDS) };
      case '(':
        return this.#group();
      case '[':
        return { kind: 'set', set: this.#set() };
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw this.#fault(`has nothing to repeat before ${character}`);
      default:
        return { kind: 'set', set: exactly(character) };
    }
  }

  #group(): PatternNode {
    if (this.#accept('?') && !this.#accept(':')) this.#groupName();
    const node = this.#choice();
    if (!this.#accept(')')) throw this.#fault('has an unmatched (');
    return node;
  }

  /** Skips the `<name>` of a named group; anything else after `(?` is lookaround. */
  #groupName(): void {
    const isName = this.#accept('<') && /[\p{L}_$]/u.test(this.#peek() ?? '');
    if (!isName) throw this.#fault('uses lookahead or lookbehind, which is not supported');
    while (!this.#accept('>')) this.#next();
  }

  #escape(): PatternNode {
    if (this.#accept('b')) return { kind: 'boundary' };
    if (this.#accept('B')) return { kind: 'notBoundary' };
    if (/[1-9k]/.test(this.#peek() ?? '')) {
      throw this.#fault('uses a back reference, which is not supported');
    }
    return { kind: 'set', set: this.#escaped() };
  }

  /** After a backslash: a class, a control character, a code point, or the character itself. */
  #escaped(): CharacterSet {
    const character = this.#next();
    const named = CLASSES[character];
    if (named !== undefined) return named;
    if (character === 'p' || character === 'P') return this.#property(character === 'P');
    return exactly(String.fromCodePoint(this.#code(character)));
  }

  #code(character: string): number {
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    const rest = this.#characters.slice(this.#at, this.#at + 10).join('');
    const form = { u: /^(?:([\da-f]{4})|\{([\da-f]{1,6})\})/i, x: /^([\da-f]{2})/i }[character];
    const match = form?.exec(rest);
    if (match === null || match === undefined) return character.codePointAt(0) ?? 0;
    this.#at += match[0].length;
    const point = Number.parseInt(match[1] ?? match[2] ?? '0', 16);
    if (point > 0x10ffff) throw this.#fault('has a code point above U+10FFFF');
    return point;
  }

  /** `\p{L}`: a Unicode property, tested per character. */
  #property(negated: boolean): CharacterSet {
    const rest = this.#characters.slice(this.#at, this.#at + 60).join('');
    const match = /^\{[\w=]+\}/.exec(rest);
    if (match === null) throw this.#fault('has \\p without a property name in braces');
    this.#at += match[0].length;
    try {
      propertyPattern(match[0]);
    } catch {
      throw this.#fault(`names an unknown Unicode property ${match[0]}`);
    }
    const set: CharacterSet = { kind: 'property', name: match[0] };
    return negated ? not(set) : set;
  }

  #set(): CharacterSet {
    const isNegated = this.#accept('^');
    const sets: CharacterSet[] = [];
    while (!this.#accept(']')) sets.push(this.#range());
    const set: CharacterSet = { kind: 'union', sets };
    return isNegated ? not(set) : set;
  }

  #range(): CharacterSet {
    const from = this.#setItem();
    const isRange = this.#peek() === '-' && (this.#characters[this.#at + 1] ?? ']') !== ']';
    if (!isRange) return typeof from === 'number' ? ranges([from, from]) : from;
    this.#next();
    const to = this.#setItem();
    if (typeof from !== 'number' || typeof to !== 'number' || from > to) {
      throw this.#fault('has an invalid range in brackets');
    }
    return ranges([from, to]);
  }

  #setItem(): number | CharacterSet {
    const character = this.#next();
    if (character !== '\\') return character.codePointAt(0) ?? 0;
    const escaped = this.#next();
    if (escaped === 'b') return 8;
    if (escaped === 'p' || escaped === 'P') return this.#property(escaped === 'P');
    return CLASSES[escaped] ?? this.#code(escaped);
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #accept(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw this.#fault('ends unexpectedly');
    return character;
  }

  #fault(reason: string): Fault {
    return patternFault(this.#pattern, reason);
  }
}

/** The property as a regular expression that tests one character. */
export function propertyPattern(name: string): RegExp {
  return new RegExp(`^\\p${name}$`, 'u');
}

function ranges(...all: readonly CharacterRange[]): CharacterSet {
  return { kind: 'ranges', ranges: all };
}

function not(set: CharacterSet): CharacterSet {
  return { kind: 'not', set };
}

function exactly(character: string): CharacterSet {
  const point = character.codePointAt(0) ?? 0;
  return ranges([point, point]);
}
