// This file recognizes reads that differ from an earlier one only in an integer key of the path, so that they need not be parsed again:
//     ServiceRequests(12)/Caller    is    ServiceRequests()/Caller    and 12
import { type IgnoredOptions, parse, type RequestLimits } from '../../request/parse.ts';
import type { RawValue, Template } from '../../request/template.ts';
import type { Method, Negotiated, Options, ResourcePath, Tree } from '../../request/tree.ts';
import type { Call } from '../service.ts';

/** Characters of path and query; longer ones are seldom sent twice. */
const LONGEST = 512;
const LIMIT = 1000;

/** A read that is known but for the values of its literals. */
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

interface Known {
  readonly template: string;
  readonly method: Method;
  readonly negotiated: Negotiated;
}

export class RepeatedReads {
  readonly #known = new Map<string, Known>();

  /** The read with the syntax of an earlier one; undefined if there is none. */
  find(call: Call, manner: string, { limits, unread }: Parsing): RepeatedRead | undefined {
    if (call.body !== undefined || lengthOf(call) > limits.urlLength) return undefined;
    const key = keyIn(call.path);
    const known = this.#known.get(shapeOf(call, manner, key));
    if (known === undefined) return undefined;
    const { method, path, query, headers } = call;
    const tree = new RepeatedTree(known, () =>
      parse({ method, path, query, headers }, limits, unread),
    );
    const values = key === undefined ? [] : [key.value];
    return { manner, template: known.template, values, tree };
  }

  /** Keeps a read that has been parsed, unless it has other values than such a key. */
  keep(call: Call, manner: string, { template, method, negotiated }: Tree): void {
    const key = keyIn(call.path);
    const { text, values, isComplete } = template;
    const isKeyAlone = key === undefined ? values.length === 0 : values.length === 1;
    if (!isKeyAlone || !isComplete || call.body !== undefined || lengthOf(call) > LONGEST) return;
    if (key !== undefined && values[0] !== key.value) return;
    if (this.#known.size >= LIMIT) this.#known.clear();
    this.#known.set(shapeOf(call, manner, key), { template: text, method, negotiated });
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

/** The digits of a key. Others, such as those with leading zeros, are left to the parser. */
const DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/** The integer between the first parentheses. */
function keyIn(path: string): PathKey | undefined {
  const open = path.indexOf('(');
  if (open < 0) return undefined;
  const end = path.indexOf(')', open);
  const digits = path.slice(open + 1, end);
  return DIGITS.test(digits) ? { value: BigInt(digits), at: open + 1, end } : undefined;
}

/** The first character shows whether the key has been left out, since `Persons()` is another request than `Persons(1)`. */
function shapeOf({ path, query }: Call, manner: string, key: PathKey | undefined): string {
  const shape = key === undefined ? `-${path}` : `+${path.slice(0, key.at)}${path.slice(key.end)}`;
  return `${manner}${shape}?${query}`;
}

/** The tree of a repeated read. What is neither its method nor negotiated is parsed when it is asked for, such as for a message. */
class RepeatedTree implements Tree {
  readonly method: Method;
  readonly negotiated: Negotiated;
  readonly #parse: () => Tree;
  #parsed: Tree | undefined;

  constructor({ method, negotiated }: Known, parse: () => Tree) {
    this.method = method;
    this.negotiated = negotiated;
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
