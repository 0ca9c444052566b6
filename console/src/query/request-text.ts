// This file reads and prints requests as people write them: a method, a path, system query options on lines of their own, and a body after
// an empty line. The text is not percent-encoded, except where it starts with a whole URL.
import { indexOutside, scan, split } from './split.ts';

export const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

export type QueryOption = readonly [name: string, value: string];

export interface RequestParts {
  readonly method: Method;
  /** Below the root of the service: `ServiceRequests(12)/HistoryLines`. */
  readonly path: string;
  readonly options: readonly QueryOption[];
  /** JSON, or empty. */
  readonly body: string;
}

/**
 * Reads a request. Whatever the text is, the result is a request: mistakes are found by the service, which names their place.
 *
 * @param root the path of the service, which is left out of URLs that start with it
 */
export function parseRequest(text: string, root = ''): RequestParts {
  const { head, body } = withoutBody(text.trim());
  const method = METHODS.find((name) => new RegExp(`^${name}\\s`).test(`${head} `)) ?? 'GET';
  const hasMethod = new RegExp(`^${method}\\s`).test(`${head} `);
  const url = (hasMethod ? head.slice(method.length) : head).trim();
  const isEncoded = /^(?:https?:\/\/|\/)/.test(url);
  const relative = isEncoded ? belowRoot(url, root) : url;
  const question = indexOutside(relative, '?');
  const path = question < 0 ? relative : relative.slice(0, question);
  const query = question < 0 ? '' : relative.slice(question + 1);
  const decode = isEncoded ? decoded : (value: string) => value;
  const options = split(query, '&', { inParentheses: true })
    .map((part) => optionOfText(part))
    .filter(([name, value]) => name !== '' || value !== '');
  return {
    method,
    path: decode(path).trim(),
    options: options.map(([name, value]) => [decode(name), decode(value)]),
    body,
  };
}

function withoutBody(text: string): { readonly head: string; readonly body: string } {
  const empty = /\r?\n[ \t]*\r?\n/.exec(text);
  if (empty === null) return { head: text, body: '' };
  return { head: text.slice(0, empty.index), body: text.slice(empty.index).trim() };
}

function belowRoot(url: string, root: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, '');
  const below = root !== '' && path.startsWith(root) ? path.slice(root.length) : path;
  return below.replace(/^\/+/, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function optionOfText(text: string): QueryOption {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = equals < 0 ? '' : text.slice(equals + 1);
  return [name.trim(), onOneLine(value)];
}

/** Line breaks outside of literals are spaces. */
function onOneLine(value: string): string {
  return value.trim().replace(/\s*\r?\n\s*/g, ' ');
}

/** A request as text that parseRequest reads back. */
export function printRequest({ method, path, options, body }: RequestParts): string {
  const lines = options.map(
    ([name, value], index) => `\n  ${index === 0 ? '?' : '&'}${name}=${value}`,
  );
  const head = `${method === 'GET' ? '' : `${method} `}${path}${lines.join('')}`;
  return body === '' ? head : `${head}\n\n${body}`;
}

/** The value of an option; an empty text where it is missing. */
export function optionOf({ options }: RequestParts, name: string): string {
  return options.find(([other]) => other === name)?.[1] ?? '';
}

/** The request with another value of an option, at its place; without the option where the value is empty. */
export function withOption(parts: RequestParts, name: string, value: string): RequestParts {
  const others = parts.options.filter(([other]) => other !== name);
  if (value === '') return { ...parts, options: others };
  if (others.length === parts.options.length)
    return { ...parts, options: [...parts.options, [name, value]] };
  const options = parts.options.map((option) =>
    option[0] === name ? ([name, value] as const) : option,
  );
  return { ...parts, options };
}

/** The URL below the root of the service, percent-encoded as far as necessary. */
export function requestUrl({ path, options }: RequestParts): string {
  const query = options.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`);
  return `${encodePath(path)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Characters that may stay as they are in a query, so that URLs can be read. */
const READABLE = /%(?:24|28|29|2C|3A|40|2F|27|3B|3D)/g;

function encodePart(text: string): string {
  return encodeURIComponent(text).replace(READABLE, (code) => decodeURIComponent(code));
}

/** Slashes in literals are encoded: others separate segments. */
function encodePath(path: string): string {
  const separators = new Set<number>();
  scan(path, (index) => {
    if (path.charAt(index) === '/') separators.add(index);
    return true;
  });
  const characters = [...path].reduce<{ readonly text: string; readonly at: number }>(
    ({ text, at }, character) => ({
      text: text + (character === '/' && !separators.has(at) ? '%2F' : encodePart(character)),
      at: at + character.length,
    }),
    { text: '', at: 0 },
  );
  return characters.text;
}
