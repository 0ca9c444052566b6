// This file defines request templates: URLs, headers and bodies with places for literals. It makes their requests, with other literals and
// another percent-encoding each time, and mixes the requests of many templates in random order.
import { type JsonInput, printJson } from '../../../src/edm/value/lossless-json.ts';
import type { Literal, Random } from './random.ts';

/** A request of an account. */
export interface Asked {
  /** Identifies the template. */
  readonly template: number;
  readonly account: string;
  readonly method: string;
  /** Percent-encoded, relative to the service root. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes the percent-encoded text of a URL. */
export type Url = (random: Random) => string;

export interface Template {
  /** GET if it is missing. */
  readonly method?: string;
  readonly url: Url;
  readonly headers?: (random: Random) => Readonly<Record<string, string>>;
  readonly body?: (random: Random) => JsonInput;
}

/** A URL with literals: everything else of it is the same in all requests, up to the encoding of blanks. */
export function url(texts: TemplateStringsArray, ...literals: readonly Literal[]): Url {
  const [path = ''] = texts.join('\0').split('?');
  return (random) => {
    let made = '';
    for (const [index, text] of texts.entries()) {
      made += encodeFixed(text);
      const isInPath = !made.includes('?') && path.includes('\0');
      const value = literals[index]?.(random);
      if (value !== undefined) made += encodeLiteral(value, random, isInPath);
    }
    return made;
  };
}

function encodeFixed(text: string): string {
  return encodeURI(text).replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('#', '%23');
}

const STYLES = ['strict', 'all', 'lower', 'plus'] as const;

/** Clients encode literals in different ways, which mean the same. */
function encodeLiteral(text: string, random: Random, isInPath: boolean): string {
  const style = random.has(0.6) ? 'usual' : random.pick(STYLES);
  const strict = encodeURIComponent(text);
  switch (style) {
    case 'usual':
      return strict.replaceAll('%2C', ',').replaceAll('%3A', ':');
    case 'strict':
      return strict.replaceAll("'", '%27').replaceAll('(', '%28').replaceAll(')', '%29');
    case 'all':
      return strict.replace(/^(.*?)([a-z0-9])/i, (_, before, letter) => `${before}${hex(letter)}`);
    case 'lower':
      return strict.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
    case 'plus':
      return isInPath ? strict : strict.replaceAll('%20', '+');
  }
}

function hex(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A template that only reads. */
export function get(made: Url, headers?: Template['headers']): Template {
  return headers === undefined ? { url: made } : { url: made, headers };
}

/** Reads in one batch, in JSON. The URL of the second one is encoded like that of a request of its own. */
export function batchOf(...parts: readonly Template[]): Template {
  return {
    method: 'POST',
    url: () => '$batch',
    headers: () => ({ prefer: 'continue-on-error' }),
    body: (random) => ({
      requests: parts.map((part, index) => {
        const body = part.body?.(random);
        return {
          id: String(index + 1),
          method: part.method ?? 'GET',
          url: part.url(random),
          headers: { ...part.headers?.(random) },
          ...(body === undefined ? {} : { body }),
        };
      }),
    }),
  };
}

/** Reads in one batch, as multipart/mixed. */
export function multipartOf(...parts: readonly Template[]): Template {
  return {
    method: 'POST',
    url: () => '$batch',
    headers: () => ({ 'content-type': 'multipart/mixed; boundary=b' }),
    body: (random) => {
      const texts = parts.map((part) => {
        const head =
          '--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
        return `${head}GET ${part.url(random)} HTTP/1.1\r\n\r\n\r\n`;
      });
      return `${texts.join('')}--b--\r\n`;
    },
  };
}

/** A request of the template. A body that is a text is sent as it is. */
export function ask(template: Template, number: number, account: string, random: Random): Asked {
  const { method = 'GET', url: made, headers, body } = template;
  const content = body?.(random);
  const type = content === undefined ? {} : { 'content-type': 'application/json' };
  return {
    template: number,
    account,
    method,
    url: made(random),
    headers: { ...type, ...headers?.(random) },
    ...(content === undefined
      ? {}
      : { body: typeof content === 'string' ? content : printJson(content) }),
  };
}

/** How often literals are wrong in the requests of a template, in turn: some templates begin with an error, others with a success. */
const FAULT_RATES: readonly (readonly number[])[] = [
  [0, 0, 0, 0.5, 0, 0, 0.1],
  [1, 0, 0, 0.1, 0, 0.5, 0],
  [0, 1, 0, 0, 0.1, 0, 0],
  [0, 0, 0, 0, 0, 0, 0.1],
];

/** The templates in random order, each so often, with the account that asks. */
export function* mixed(
  templates: readonly Template[],
  accounts: readonly string[],
  random: Random,
  times: number,
): Generator<{ readonly template: Template; readonly number: number; readonly account: string }> {
  const counts = templates.map(() => 0);
  const turns = templates.flatMap((_, number) => Array.from({ length: times }, () => number));
  for (const number of shuffledInParts(turns, templates.length, random)) {
    const template = templates[number];
    if (template === undefined) continue;
    const rates = FAULT_RATES[number % FAULT_RATES.length] ?? [];
    const count = counts[number] ?? 0;
    counts[number] = count + 1;
    random.faultRate = rates[count % rates.length] ?? 0;
    yield { template, number, account: random.pick(accounts) };
  }
}

/** Some templates at a time, so that the plan of each is still cached when it is needed again. */
function shuffledInParts(
  turns: readonly number[],
  count: number,
  random: Random,
): readonly number[] {
  const order = random.shuffled(Array.from({ length: count }, (_, index) => index));
  const all: number[] = [];
  for (let at = 0; at < count; at += 50) {
    const part = new Set(order.slice(at, at + 50));
    all.push(...random.shuffled(turns.filter((number) => part.has(number))));
  }
  return all;
}
