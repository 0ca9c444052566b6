// This file names the manners of requests: method, root, and the headers that change the plan or how it is answered. The requests of
// one connection mostly share theirs.
import type { Call } from '../service.ts';

/** Characters; longer headers are seldom sent twice. */
const LONGEST = 4096;
const LIMIT = 1000;

/** Preconditions of reads are evaluated on the response; If-Match of writes is a value. */
const HEADERS = [
  'accept',
  'accept-charset',
  'accept-language',
  'isolation',
  'odata-isolation',
  'odata-maxversion',
  'odata-version',
  'prefer',
] as const;

/** Headers that matter for writes only. */
const WRITE_HEADERS = [...HEADERS, 'content-type', 'if-none-match'] as const;

/** Headers that reads check, although they change no plan of a read. */
const OTHER_HEADERS = ['content-type', 'if-match', 'if-none-match'] as const;

export interface Manner extends Pick<Call, 'method' | 'root'> {
  readonly name: string;
  /** Whether its name covers all headers that a read checks. */
  readonly isBare: boolean;
}

export class Manners {
  readonly #names = new Map<string, string>();
  readonly #known = new WeakMap<Call['headers'], Manner>();
  #count = 0;

  /** The manner of a call; undefined if its headers are too long. */
  of(call: Call): Manner | undefined {
    const { headers, root, method } = call;
    const known = this.#known.get(headers);
    if (known?.root === root && known.method === method) return known;
    const text = textOf(call);
    if (text.length > LONGEST) return undefined;
    const name = this.#names.get(text) ?? this.#give(text);
    const isBare = OTHER_HEADERS.every((other) => headers[other] === undefined);
    const manner = { root, method, name, isBare };
    this.#known.set(headers, manner);
    return manner;
  }

  /** Names are never reused, so clearing the map only loses the plans stored under them. */
  #give(manner: string): string {
    if (this.#names.size >= LIMIT) this.#names.clear();
    const name = `${(this.#count++).toString(36)} `;
    this.#names.set(manner, name);
    return name;
  }
}

function textOf({ method, root, headers, incoming }: Call): string {
  const isReading = method === 'GET' || method === 'HEAD';
  const said = (isReading ? HEADERS : WRITE_HEADERS).map((name) => {
    // The media type of a file does not influence the plan.
    const value = name === 'content-type' && incoming !== undefined ? 'a file' : headers[name];
    return value === undefined ? '' : `${value.length} ${value}`;
  });
  return `${method}\n${root}\n${said.join('\n')}`;
}
