// This file recognizes reads that equal an earlier one, or differ from it only in an integer key of the path, so that they need not be
// parsed again:
//     ServiceRequests(12)/Caller    is    ServiceRequests()/Caller    and 12
import { type IgnoredOptions, parse, type RequestLimits } from '../../request/parse.ts';
import type { RawValue, Template } from '../../request/template.ts';
import type { Method, Negotiated, Options, ResourcePath, Tree } from '../../request/tree.ts';
import type { Call } from '../service.ts';

/** Characters of path and query; longer ones are seldom sent twice. */
const LONGEST = 512;
/** Reads with other literals each, such as filters by a time, would fill any memory. */
const LIMIT = 300;

/** A read that is known. */
export interface RepeatedRead {
  readonly manner: string;
  /** The text of its template. */
  readonly template: string;
  /** The values of its literals. */
  readonly values: readonly RawValue[];
  readonly tree: Tree;
}

/** How the service parses. */
interface Parsing {
  readonly limits: RequestLimits;
  readonly unread: IgnoredOptions;
}

export class RepeatedReads {
  /** The trees of earlier reads. */
  readonly #known = new Map<string, Tree>();

  /** The read with the syntax of an earlier one; undefined if there is none. */
  find(call: Call, manner: string, { limits, unread }: Parsing): RepeatedRead | undefined {
    if (call.body !== undefined || lengthOf(call) > limits.urlLength) return undefined;
    const key = keyIn(call.path);
    const known = this.#known.get(shapeOf(call, manner, key));
    if (known === undefined) return undefined;
    const { text: template, values } = known.template;
    if (key === undefined) return { manner, template, values, tree: known };
    const { method, path, query, headers } = call;
    const own = () => parse({ method, path, query, headers }, limits, unread);
    const others = values.slice(1);
    const tree = new RepeatedTree(known, own);
    return { manner, template, values: [key.value, ...others], tree };
  }

  /** Keeps a read that has been parsed. */
  keep(call: Call, manner: string, tree: Tree): void {
    const { template } = tree;
    if (!template.isComplete || call.body !== undefined || lengthOf(call) > LONGEST) return;
    const key = keyIn(call.path);
    if (key !== undefined && template.values[0] !== key.value) return;
    // Clients follow each next link once.
    if (template.indexOfKind('token') !== undefined) return;
    if (this.#known.size >= LIMIT) this.#known.clear();
    this.#known.set(shapeOf(call, manner, key), tree);
  }
}

/** Characters of the URL after the root, as the parser counts them. */
function lengthOf({ path, query }: Call): number {
  return path.length + query.length + 1;
}

interface PathKey {
  readonly value: bigint;
  /** Where the digits begin, and what follows them. */
  readonly at: number;
  readonly end: number;
}

/** So many digits fit a number exactly. */
const MOST_DIGITS = 15;
const ZERO = 0x30;
const CLOSE = 0x29;

/**
 * The integer between the first parentheses. Those with leading zeros or more digits are left to the parser. A loop takes a fraction of
 * the time of a regular expression.
 */
function keyIn(path: string): PathKey | undefined {
  const at = path.indexOf('(') + 1;
  let value = 0;
  let end = at;
  for (; end - at <= MOST_DIGITS; end++) {
    const digit = path.charCodeAt(end) - ZERO;
    if (!(digit >= 0 && digit <= 9)) break;
    value = value * 10 + digit;
  }
  const length = end - at;
  const isInteger = at > 0 && length > 0 && path.charCodeAt(end) === CLOSE;
  const isPlain = length <= MOST_DIGITS && (length === 1 || path.charCodeAt(at) !== ZERO);
  return isInteger && isPlain ? { value: BigInt(value), at, end } : undefined;
}

/** The first character shows whether the key has been left out, since `Persons()` is another request than `Persons(1)`. */
function shapeOf({ path, query }: Call, manner: string, key: PathKey | undefined): string {
  const shape = key === undefined ? `-${path}` : `+${path.slice(0, key.at)}${path.slice(key.end)}`;
  return `${manner}${shape}?${query}`;
}

/** The tree of a read with another key. What is neither its method nor negotiated is parsed when it is asked for, such as for a message. */
class RepeatedTree implements Tree {
  readonly method: Method;
  readonly negotiated: Negotiated;
  readonly #parse: () => Tree;
  #parsed: Tree | undefined;

  /** @param known a tree that differs in the key only */
  constructor(known: Tree, parse: () => Tree) {
    this.method = known.method;
    this.negotiated = known.negotiated;
    this.#parse = parse;
  }

  get path(): ResourcePath {
    return this.#tree.path;
  }

  get options(): Options {
    return this.#tree.options;
  }

  get template(): Template {
    return this.#tree.template;
  }

  get #tree(): Tree {
    this.#parsed ??= this.#parse();
    return this.#parsed;
  }
}
