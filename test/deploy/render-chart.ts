// This file renders the templates of the chart where Helm is not installed. It knows the actions that they use and no others: an unknown
// one is an error.
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

export interface ChartContext {
  readonly Values: unknown;
  readonly Release: { readonly Name: string; readonly Namespace: string };
  readonly Chart: { readonly AppVersion: string };
}

const FUNCTIONS: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {
  add: (left, right) => Number(left) + Number(right),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  gt: (left, right) => Number(left) > Number(right),
  int: Number,
  nindent: (spaces, text) => `\n${String(text).replace(/^(?=.)/gm, ' '.repeat(Number(spaces)))}`,
  not: (value) => !isTrue(value),
  quote: (value) => JSON.stringify(String(value)),
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
  toYaml: (value) => stringify(value).trimEnd(),
};

/** Go templates take empty strings, lists and maps for false. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : Boolean(value);
}

export function renderTemplate(template: string, context: ChartContext): string {
  const parts = template.replace(/\s*\{\{-/g, '{{').split(/(\{\{.*?\}\})/);
  const open: { isShown: boolean }[] = [];
  let text = '';
  for (const part of parts) {
    const [, action] = /^\{\{\s*(.*?)\s*\}\}$/.exec(part) ?? [];
    const isShown = open.every((block) => block.isShown);
    const block = open.at(-1);
    if (action === undefined) text += isShown ? part : '';
    else if (action.startsWith('if '))
      open.push({ isShown: isTrue(evaluate(action.slice(3), context)) });
    else if (action === 'else' && block !== undefined) block.isShown = !block.isShown;
    else if (action === 'end' && block !== undefined) open.pop();
    else if (isShown) text += String(evaluate(action, context));
  }
  if (open.length > 0) throw new Error('A block has no end.');
  return text;
}

/** A pipeline: each result is the last argument of the next function. */
function evaluate(pipeline: string, context: ChartContext): unknown {
  return pipeline
    .split(/\s+\|\s+/)
    .reduce<readonly unknown[]>((piped, call) => [callOf(call, piped, context)], [])[0];
}

function callOf(call: string, piped: readonly unknown[], context: ChartContext): unknown {
  const [first = '', ...rest] = call.match(/\([^)]*\)|\S+/g) ?? [];
  const named = FUNCTIONS[first];
  if (named === undefined && rest.length + piped.length === 0) return resolveWord(first, context);
  if (named === undefined) throw new Error(`The function ${first} is not supported.`);
  return named(...rest.map((word) => resolveWord(word, context)), ...piped);
}

function resolveWord(word: string, context: ChartContext): unknown {
  if (word.startsWith('(')) return evaluate(word.slice(1, -1), context);
  if (/^\d+$/.test(word)) return Number(word);
  if (!word.startsWith('.')) throw new Error(`The word ${word} is not supported.`);
  return word
    .slice(1)
    .split('.')
    .reduce<unknown>((value, key) => {
      if (typeof value !== 'object' || value === null || !(key in value))
        throw new Error(`${word} does not exist.`);
      return (value as Readonly<Record<string, unknown>>)[key];
    }, context);
}
