// This file matches ECMAScript regular expressions in time proportional to the text times the pattern. It simulates an automaton, which
// excludes back references and lookaround. The engine of the platform is not used because it backtracks: a short pattern can
// keep it busy for years.
// OData 4.01 URL Conventions, "matchesPattern"; ECMAScript, "Patterns".
import { Fault, unreachable } from '../../base/fault.ts';

/** A test of one character by its code point. */
type Test = (point: number) => boolean;

type Node =
  | { readonly kind: 'test'; readonly test: Test }
  | { readonly kind: 'start' | 'end' | 'boundary' | 'notBoundary' }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly node: Node;
      readonly least: number;
      readonly most: number;
    };

/** One instruction of the automaton; `next` and `other` are the indexes of the instructions that follow. */
type Step =
  | { readonly kind: 'test'; readonly test: Test; next: number }
  | { readonly kind: 'fork'; next: number; other: number }
  | { readonly kind: 'start' | 'end' | 'boundary' | 'notBoundary'; next: number }
  | { readonly kind: 'match' };

const MAX_PATTERN = 1000;
const MAX_STEPS = 5000;
const MAX_REPEAT = 1000;
const MAX_NESTING = 50;

let last: { readonly pattern: string; readonly steps: readonly Step[] } | undefined;

/** Whether a part of the text matches. Throws: sql.pattern if the pattern is invalid, not supported or too large. */
export function matchesPattern(text: string, pattern: string): boolean {
  // A statement calls this for every row with the same pattern.
  if (last?.pattern !== pattern) last = { pattern, steps: compilePattern(pattern) };
  return run(last.steps, text);
}

function compilePattern(pattern: string): readonly Step[] {
  if (pattern.length > MAX_PATTERN)
    throw patternFault(pattern, `is longer than ${MAX_PATTERN} characters`);
  const node = new PatternReader(pattern).read();
  const steps: Step[] = [];
  emit(node, steps, pattern);
  steps.push({ kind: 'match' });
  return steps;
}

function patternFault(pattern: string, reason: string): Fault {
  return new Fault('sql.pattern', { pattern: pattern.slice(0, 60), reason });
}

/** Appends the steps of a node. Each continues with the next step unless it names another one. */
function emit(node: Node, steps: Step[], pattern: string): void {
  if (steps.length > MAX_STEPS) throw patternFault(pattern, 'has too many nested repetitions');
  switch (node.kind) {
    case 'test':
      steps.push({ kind: 'test', test: node.test, next: steps.length + 1 });
      return;
    case 'start':
    case 'end':
    case 'boundary':
    case 'notBoundary':
      steps.push({ kind: node.kind, next: steps.length + 1 });
      return;
    case 'sequence':
      for (const inner of node.nodes) emit(inner, steps, pattern);
      return;
    case 'choice':
      emitChoice(node.nodes, steps, pattern);
      return;
    case 'repeat':
      emitRepeat(node, steps, pattern);
      return;
    default:
      unreachable(node);
  }
}

function emitChoice(nodes: readonly Node[], steps: Step[], pattern: string): void {
  const ends: { next: number }[] = [];
  for (const [index, inner] of nodes.entries()) {
    const isLast = index === nodes.length - 1;
    const fork = { kind: 'fork' as const, next: steps.length + 1, other: -1 };
    if (!isLast) steps.push(fork);
    emit(inner, steps, pattern);
    if (isLast) break;
    const end = { kind: 'fork' as const, next: -1, other: -1 };
    steps.push(end);
    ends.push(end);
    fork.other = steps.length;
  }
  for (const end of ends) end.next = steps.length;
}

function emitRepeat(node: Node & { kind: 'repeat' }, steps: Step[], pattern: string): void {
  for (let count = 0; count < node.least; count++) emit(node.node, steps, pattern);
  if (node.most === Number.POSITIVE_INFINITY) {
    const fork = { kind: 'fork' as const, next: steps.length + 1, other: -1 };
    const from = steps.push(fork) - 1;
    emit(node.node, steps, pattern);
    steps.push({ kind: 'fork', next: from, other: -1 });
    fork.other = steps.length;
    return;
  }
  const forks: { other: number }[] = [];
  for (let count = node.least; count < node.most; count++) {
    const fork = { kind: 'fork' as const, next: steps.length + 1, other: -1 };
    steps.push(fork);
    forks.push(fork);
    emit(node.node, steps, pattern);
  }
  for (const fork of forks) fork.other = steps.length;
}

function run(steps: readonly Step[], text: string): boolean {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0);
  let current = new Set<number>();
  for (let at = 0; at <= points.length; at++) {
    if (follow(steps, 0, { points, at }, current)) return true;
    const point = points[at];
    if (point === undefined) return false;
    const next = new Set<number>();
    for (const index of current) {
      const step = steps[index];
      const isHit = step?.kind === 'test' && step.test(point);
      if (isHit && follow(steps, step.next, { points, at: at + 1 }, next)) return true;
    }
    current = next;
  }
  return false;
}

interface Place {
  readonly points: readonly number[];
  readonly at: number;
}

/** Adds all steps that are reachable without reading a character. Returns true if the pattern has matched. */
function follow(steps: readonly Step[], from: number, place: Place, reached: Set<number>): boolean {
  const pending = [from];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (index < 0 || reached.has(index)) continue;
    reached.add(index);
    const step = steps[index];
    if (step === undefined) continue;
    if (step.kind === 'match') return true;
    if (step.kind === 'test') continue;
    if (step.kind === 'fork') pending.push(step.next, step.other);
    else if (holds(step.kind, place)) pending.push(step.next);
  }
  return false;
}

function holds(kind: 'start' | 'end' | 'boundary' | 'notBoundary', { points, at }: Place): boolean {
  if (kind === 'start') return at === 0;
  if (kind === 'end') return at === points.length;
  const isBoundary = isWord(points[at - 1] ?? -1) !== isWord(points[at] ?? -1);
  return isBoundary === (kind === 'boundary');
}

function isDigit(point: number): boolean {
  return point >= 48 && point <= 57;
}

function isWord(point: number): boolean {
  return isDigit(point) || point === 95 || isBetween(point | 32, 97, 122);
}

function isSpace(point: number): boolean {
  return point >= 0 && /\s/.test(String.fromCodePoint(point));
}

function isBetween(point: number, least: number, greatest: number): boolean {
  return point >= least && point <= greatest;
}

const CLASSES: Readonly<Record<string, Test>> = {
  d: isDigit,
  D: (point) => !isDigit(point),
  w: isWord,
  W: (point) => !isWord(point),
  s: isSpace,
  S: (point) => !isSpace(point),
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

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#characters.length) throw this.#fault('has an unmatched )');
    return node;
  }

  #choice(): Node {
    if (++this.#nesting > MAX_NESTING) throw this.#fault('is nested too deeply');
    const nodes = [this.#sequence()];
    while (this.#accept('|')) nodes.push(this.#sequence());
    this.#nesting--;
    return { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#peek() !== undefined && this.#peek() !== '|' && this.#peek() !== ')') {
      nodes.push(this.#term());
    }
    return { kind: 'sequence', nodes };
  }

  #term(): Node {
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

  #atom(): Node {
    const character = this.#next();
    switch (character) {
      case '.':
        return test((point) => ![10, 13, 0x2028, 0x2029].includes(point));
      case '(':
        return this.#group();
      case '[':
        return test(this.#set());
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw this.#fault(`has nothing to repeat before ${character}`);
      default:
        return test(exactly(character));
    }
  }

  #group(): Node {
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

  #escape(): Node {
    if (this.#accept('b')) return { kind: 'boundary' };
    if (this.#accept('B')) return { kind: 'notBoundary' };
    if (/[1-9k]/.test(this.#peek() ?? '')) {
      throw this.#fault('uses a back reference, which is not supported');
    }
    return test(this.#escaped());
  }

  /** After a backslash: a class, a control character, a code point, or the character itself. */
  #escaped(): Test {
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
  #property(negated: boolean): Test {
    const rest = this.#characters.slice(this.#at, this.#at + 60).join('');
    const match = /^\{[\w=]+\}/.exec(rest);
    if (match === null) throw this.#fault('has \\p without a property name in braces');
    this.#at += match[0].length;
    try {
      const one = new RegExp(`^\\p${match[0]}$`, 'u');
      return (point) => one.test(String.fromCodePoint(point)) !== negated;
    } catch {
      throw this.#fault(`names an unknown Unicode property ${match[0]}`);
    }
  }

  #set(): Test {
    const isNegated = this.#accept('^');
    const tests: Test[] = [];
    while (!this.#accept(']')) tests.push(this.#range());
    return (point) => tests.some((one) => one(point)) !== isNegated;
  }

  #range(): Test {
    const from = this.#setItem();
    const isRange = this.#peek() === '-' && (this.#characters[this.#at + 1] ?? ']') !== ']';
    if (!isRange) return typeof from === 'number' ? (point) => point === from : from;
    this.#next();
    const to = this.#setItem();
    if (typeof from !== 'number' || typeof to !== 'number' || from > to) {
      throw this.#fault('has an invalid range in brackets');
    }
    return (point) => isBetween(point, from, to);
  }

  #setItem(): number | Test {
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

function test(one: Test): Node {
  return { kind: 'test', test: one };
}

function exactly(character: string): Test {
  const wanted = character.codePointAt(0);
  return (point) => point === wanted;
}
