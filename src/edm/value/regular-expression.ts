// This file matches ECMAScript regular expressions in time proportional to the text times the pattern. It simulates an automaton, which
// excludes back references and lookaround. The engine of the platform is not used because it backtracks: a short pattern can
// keep it busy for years.
// OData 4.01 URL Conventions, "matchesPattern"; ECMAScript, "Patterns".
import { unreachable } from '../../base/fault.ts';
import {
  type CharacterSet,
  type PatternNode,
  patternFault,
  propertyPattern,
  readPattern,
  WORD_RANGES,
} from './pattern-reader.ts';

/** A test of one character by its code point. */
type Test = (point: number) => boolean;

/** One instruction of the automaton; `next` and `other` are the indexes of the instructions that follow. */
type Step =
  | { readonly kind: 'test'; readonly test: Test; next: number }
  | { readonly kind: 'fork'; next: number; other: number }
  | { readonly kind: 'start' | 'end' | 'boundary' | 'notBoundary'; next: number }
  | { readonly kind: 'match' };

const MAX_STEPS = 5000;

let last: { readonly pattern: string; readonly matches: PatternTest } | undefined;

/** Whether a part of the text matches. Throws: sql.pattern if the pattern is invalid, not supported or too large. */
export function matchesPattern(text: string, pattern: string): boolean {
  // A statement calls this for every row with the same pattern.
  if (last?.pattern !== pattern) last = { pattern, matches: patternTest(pattern) };
  return last.matches(text);
}

/** Whether a part of the text matches. */
export type PatternTest = (text: string) => boolean;

/** Compiles a pattern. Throws: sql.pattern if it is invalid, not supported or too large. */
export function patternTest(pattern: string): PatternTest {
  const steps = compilePattern(pattern, readPattern(pattern));
  return (text) => run(steps, text);
}

/** The parts of a pattern that matchesPattern accepts, for databases that match it themselves. Throws: sql.pattern. */
export function checkedPattern(pattern: string): PatternNode {
  const node = readPattern(pattern);
  compilePattern(pattern, node);
  return node;
}

function compilePattern(pattern: string, node: PatternNode): readonly Step[] {
  const steps: Step[] = [];
  emit(node, steps, pattern);
  steps.push({ kind: 'match' });
  return steps;
}

/** Appends the steps of a node. Each continues with the next step unless it names another one. */
function emit(node: PatternNode, steps: Step[], pattern: string): void {
  if (steps.length > MAX_STEPS) throw patternFault(pattern, 'has too many nested repetitions');
  switch (node.kind) {
    case 'set':
      steps.push({ kind: 'test', test: testOf(node.set), next: steps.length + 1 });
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

function emitChoice(nodes: readonly PatternNode[], steps: Step[], pattern: string): void {
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

function emitRepeat(node: PatternNode & { kind: 'repeat' }, steps: Step[], pattern: string): void {
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
  let place: Place = { before: undefined, after: text.codePointAt(0) };
  let current = new Set<number>();
  for (let at = 0; ; ) {
    if (follow(steps, 0, place, current)) return true;
    const point = place.after;
    if (point === undefined) return false;
    at += point > 0xffff ? 2 : 1;
    place = { before: point, after: text.codePointAt(at) };
    const next = new Set<number>();
    for (const index of current) {
      const step = steps[index];
      const isHit = step?.kind === 'test' && step.test(point);
      if (isHit && follow(steps, step.next, place, next)) return true;
    }
    current = next;
  }
}

/** A place between two characters, by their code points; undefined at the ends of the text. */
interface Place {
  readonly before: number | undefined;
  readonly after: number | undefined;
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

function holds(
  kind: 'start' | 'end' | 'boundary' | 'notBoundary',
  { before, after }: Place,
): boolean {
  if (kind === 'start') return before === undefined;
  if (kind === 'end') return after === undefined;
  const isBoundary = isWord(before ?? -1) !== isWord(after ?? -1);
  return isBoundary === (kind === 'boundary');
}

const isWord = testOf({ kind: 'ranges', ranges: WORD_RANGES });

function testOf(set: CharacterSet): Test {
  switch (set.kind) {
    case 'ranges': {
      const { ranges } = set;
      return (point) => ranges.some(([from, to]) => point >= from && point <= to);
    }
    case 'property': {
      const one = propertyPattern(set.name);
      return (point) => one.test(String.fromCodePoint(point));
    }
    case 'not': {
      const inner = testOf(set.set);
      return (point) => !inner(point);
    }
    case 'union': {
      const inner = set.sets.map(testOf);
      return (point) => inner.some((one) => one(point));
    }
    default:
      return unreachable(set);
  }
}
