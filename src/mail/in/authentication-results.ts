// This file decides whether the visible sender of a message has been authenticated, by what the organization's own mail server has written into it.
// RFC 8601, Message Header Field for Indicating Message Authentication Status; RFC 7489, Identifier Alignment.
import type { HeaderField, Message } from './message.ts';

/** Whose results count. */
export interface AuthenticationSettings {
  /** The names by which the organization's mail servers sign their results (authserv-id). */
  readonly servers: readonly string[];
  /** Whether a message without authentication may act for nobody. */
  readonly required: boolean;
}

/** The result of one method: `dkim=pass header.d=example.com`. */
interface Result {
  readonly method: string;
  readonly result: string;
  /** In lower case, by name: `header.d`. */
  readonly properties: ReadonlyMap<string, string>;
}

const FIELD = 'authentication-results';
/** Characters; no mail server writes longer fields. */
const LONGEST_FIELD = 8192;

/** Why the sender is not authenticated; undefined if it is. */
export function authenticationMistake(
  { fields, from, senders }: Pick<Message, 'fields' | 'from' | 'senders'>,
  { servers }: Pick<AuthenticationSettings, 'servers'>,
): string | undefined {
  const address = from?.address.toLowerCase() ?? '';
  if (senders !== 1 || !address.includes('@'))
    return 'The sender is not authenticated: the message does not name exactly one.';
  const known = new Set(servers.map((name) => name.toLowerCase()));
  const results = ownFields(fields, known).flatMap(resultsIn);
  if (results.length === 0)
    return `${address} is not authenticated: there are no Authentication-Results of ${servers.join(' or ')}.`;
  if (isAuthenticated(results, address)) return undefined;
  const shown = results.map(({ method, result }) => `${method}=${result}`).join(', ');
  return `${address} is not authenticated: ${shown}.`;
}

/**
 * The results that the organization's server has added: the first that bear its name, up to the next Received header. What follows this comes from other
 * servers, whatever name it bears.
 */
function ownFields(
  fields: readonly HeaderField[],
  servers: ReadonlySet<string>,
): readonly string[] {
  const isOwn = ({ name, value }: HeaderField) =>
    name === FIELD &&
    value.length <= LONGEST_FIELD &&
    servers.has(serverOf(withoutComments(value)));
  const first = fields.findIndex(isOwn);
  if (first < 0) return [];
  const rest = fields.slice(first);
  const end = rest.findIndex(({ name }) => name === 'received');
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .filter(isOwn)
    .map(({ value }) => withoutComments(value));
}

/** The name of the server: the first word, in quotation marks or not. */
function serverOf(text: string): string {
  const [, quoted, plain] = /^\s*(?:"([^"]*)"|([^\s;]+))/.exec(text) ?? [];
  return (quoted ?? plain ?? '').toLowerCase();
}

/** Comments may contain anything, such as "; dmarc=pass". */
function withoutComments(text: string): string {
  let depth = 0;
  let isQuoted = false;
  let kept = '';
  for (const [token = ''] of text.matchAll(/\\.|[^\\]/gs)) {
    if (token === '"' && depth === 0) isQuoted = !isQuoted;
    if (token === '(' && !isQuoted) depth++;
    if (depth === 0) kept += token;
    if (token === ')' && !isQuoted && depth > 0) depth--;
  }
  return kept;
}

/** The results in a header without comments: `mx.example.com 1; spf=pass smtp.mailfrom=a@example.com; dkim=none`. */
function resultsIn(text: string): readonly Result[] {
  const [, ...parts] = text.match(/(?:"(?:\\.|[^"\\])*"|[^;"])+/g) ?? [];
  return parts.flatMap((part) => {
    const words = part.match(/[\w.-]+(?:\/\d+)?\s*=\s*(?:"(?:\\.|[^"\\])*"|\S+)/g) ?? [];
    const [first, ...others] = words.map(pairOf);
    if (first === undefined) return [];
    const [method, result] = first;
    return [{ method: method.replace(/\/\d+$/, ''), result, properties: new Map(others) }];
  });
}

function pairOf(word: string): readonly [name: string, value: string] {
  const equal = word.indexOf('=');
  const value = word.slice(equal + 1).trim();
  const plain = value.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/gs, '$1');
  return [word.slice(0, equal).trim().toLowerCase(), plain.toLowerCase()];
}

/** A failure of DMARC outweighs the rest, because the domain has published what it uses. */
function isAuthenticated(results: readonly Result[], address: string): boolean {
  const domain = domainOf(address);
  const dmarc = results.find(({ method }) => method === 'dmarc');
  if (dmarc?.result === 'fail') return false;
  return results.some(({ method, result, properties }) => {
    if (result !== 'pass') return false;
    const property = (name: string) => domainOf(properties.get(name) ?? '');
    switch (method) {
      case 'dmarc':
        return property('header.from') === domain;
      case 'dkim':
        return isAligned(domain, property('header.d') || property('header.i'));
      case 'spf':
        return isAligned(domain, property('smtp.mailfrom'));
      case 'auth':
        return properties.get('smtp.auth') === address;
      default:
        return false;
    }
  });
}

const domainOf = (text: string) => text.slice(text.lastIndexOf('@') + 1);

/** Whether the other domain is the same, or one that the domain belongs to. */
function isAligned(domain: string, other: string): boolean {
  return other.includes('.') && (domain === other || domain.endsWith(`.${other}`));
}
