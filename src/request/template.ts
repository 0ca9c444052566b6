// This file writes the template of a request while it is parsed: its text with a marker in place of each literal. Requests with the
// same template differ only in the values of these literals:
//     ServiceRequests(12)?$filter=ID eq 77    ServiceRequests(#)?$filter=ID eq #    and [12, 77]

/** The value of a literal, before it has a type: an integer, a boolean, or the text that the literal contains. */
export type RawValue = bigint | boolean | string;

/** What was written where the literal stands. The template distinguishes kinds; its parser checked the text only as far as the kind. */
export type LiteralKind = keyof typeof SIGNS;

/** One character each, so that no two templates are equal by accident. */
const SIGNS = {
  boolean: '\u0001B',
  integer: '\u0001i',
  decimal: '\u0001d',
  double: '\u0001f',
  string: '\u0001s',
  guid: '\u0001g',
  date: '\u0001D',
  dateTimeOffset: '\u0001T',
  timeOfDay: '\u0001t',
  duration: '\u0001u',
  binary: '\u0001b',
  word: '\u0001w',
  skip: '\u0001k',
  token: '\u0001n',
} as const;
const SEPARATOR = '\u0002';

interface Span {
  readonly at: number;
  readonly end: number;
  readonly sign: string;
  /** The node of the syntax tree; undefined for values that have none. */
  readonly node: object | undefined;
}

/** The template of a request and the values of its literals, in the order of their positions. */
export class Template {
  /** Complete once the request has been parsed. */
  text = '';
  readonly values: RawValue[] = [];
  readonly #spans: Span[] = [];
  /** The number of literals in parts that have been written. */
  #written = 0;
  #isAmbiguous = false;
  /** The numbers of the literals by their nodes, made when they are asked for. */
  #indexes: Map<object | undefined, number> | undefined;

  /** Whether the template contains all of the request but the values of its literals. */
  get isComplete(): boolean {
    return !this.#isAmbiguous;
  }

  /** Adds a literal of the part that is being parsed. A literal that is parsed again, after the parser went back, replaces the first one. */
  add(kind: LiteralKind, value: RawValue, at: number, end: number, node?: object): void {
    const spans = this.#spans;
    this.#indexes = undefined;
    while (spans.length > this.#written && (spans.at(-1)?.at ?? 0) >= at) {
      spans.pop();
      this.values.pop();
    }
    spans.push({ at, end, sign: SIGNS[kind], node });
    this.values.push(value);
  }

  /** Writes a part that has been parsed as it is: its literals do not count as such. */
  writeWhole(name: string, part: string): void {
    // Setting the length of an array is slow even where it stays the same.
    if (this.#spans.length > this.#written) {
      this.#indexes = undefined;
      this.values.length = this.#written;
      this.#spans.length = this.#written;
    }
    this.write(name, part);
  }

  /** Writes a part that has been parsed: the path, or a query option with its name. */
  write(name: string, part: string): void {
    if (part.includes('\u0001') || part.includes(SEPARATOR)) this.#isAmbiguous = true;
    this.text += name;
    let done = 0;
    for (; this.#written < this.#spans.length; this.#written++) {
      const { at, end, sign } = this.#spans[this.#written] as Span;
      this.text += part.slice(done, at) + sign;
      done = end;
    }
    this.text += (done === 0 ? part : part.slice(done)) + SEPARATOR;
  }

  /** States that the request contains more than its template. */
  reject(): void {
    this.#isAmbiguous = true;
  }

  /** The number of the literal with this node; undefined if it is not a literal of the template. */
  indexOf(node: object): number | undefined {
    this.#indexes ??= new Map(this.#spans.map((span, index) => [span.node, index]));
    return this.#indexes.get(node);
  }

  /** The number of the only literal of a kind; undefined if there is none. */
  indexOfKind(kind: LiteralKind): number | undefined {
    const index = this.#spans.findIndex(({ sign }) => sign === SIGNS[kind]);
    return index < 0 ? undefined : index;
  }
}
