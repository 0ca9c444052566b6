// This file caches prepared reads per rights, URL template and the headers that affect the plan. If the plans of a template differ only in
// literals, later requests reuse the plan with their own literals; otherwise plans are cached per URL.
import type { Rights } from '../../access/policy.ts';
import type { Call } from '../service.ts';
import { type AddressShape, hasSign, type LiftedLiteral, shapeOf } from './url-template.ts';

/** Plans of each kind for each set of rights: one takes some hundred kilobytes. */
const LIMIT = 500;
/** Addresses with tokens that are remembered as asked for once. */
const ASKED_LIMIT = 10_000;
const LONGEST = 4096;
const MANNER_LIMIT = 1000;

/** Headers that change what is planned or how it is answered. Preconditions are evaluated afterwards, on the response. */
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

/** What the cache needs to know of what it keeps. */
export interface PlanKind<Prepared> {
  /** How the literals of one request are exchanged for those of another: undefined where they cannot be. */
  readonly exchange: (
    prepared: Prepared,
    literals: readonly LiftedLiteral[],
  ) => Exchange<Prepared> | undefined;
  /** Whether what was prepared for one request is what the exchange makes for it of another. */
  readonly isSame: (left: Prepared, right: Prepared) => boolean;
}

/** The URL template of a request, and the name of its method, root and headers. */
interface Asked {
  readonly shape: AddressShape;
  readonly manner: string;
}

/** Returns the prepared read with the literals of another request; undefined if they need another plan. */
export type Exchange<Prepared> = (
  literals: readonly LiftedLiteral[],
  call: Call,
) => Prepared | undefined;

interface Entry<Prepared> {
  /** The address that was prepared first, and what came of it. */
  readonly first: string;
  readonly prepared: Prepared;
  readonly exchange: Exchange<Prepared> | undefined;
  /** untried = no other literals were seen yet; varied = with others the plan is another one. */
  state: 'untried' | 'exchanged' | 'varied';
}

export class PlanCache<Prepared> {
  readonly #kind: PlanKind<Prepared>;
  readonly #asked = new Set<string>();
  readonly #manners = new Manners();
  readonly #byRights = new WeakMap<Rights, Plans<Prepared>>();

  constructor(kind: PlanKind<Prepared>) {
    this.#kind = kind;
  }

  /** What was prepared for such a call, or is prepared now and kept. Faults: those of `prepare`. */
  get(rights: Rights, call: Call, prepare: () => Prepared): Prepared {
    if (call.body !== undefined || isLong(call) || hasSign(call)) return prepare();
    let plans = this.#byRights.get(rights);
    if (plans === undefined) {
      plans = { byShape: new Map(), byAddress: new Map() };
      this.#byRights.set(rights, plans);
    }
    const shape = shapeOf(call.path, call.query);
    const manner = this.#manners.of(call);
    if (manner === undefined) return prepare();
    const key = manner + shape.key;
    const entry = touch(plans.byShape, key);
    if (entry === undefined) return this.#begin(plans, key, shape, call, prepare);
    return this.#recall(plans, entry, { shape, manner }, call, prepare);
  }

  #begin(
    plans: Plans<Prepared>,
    key: string,
    shape: AddressShape,
    call: Call,
    prepare: () => Prepared,
  ): Prepared {
    const prepared = prepare();
    // Pages that follow on one another are mostly read once: a whole export shall not fill the memory with its plans.
    if (TOKEN.test(call.query) && !this.#isAskedAgain(key)) return prepared;
    const exchange =
      shape.literals.length === 0 ? undefined : this.#kind.exchange(prepared, shape.literals);
    const state = 'untried';
    put(plans.byShape, key, { first: addressOf(call), prepared, exchange, state });
    return prepared;
  }

  #isAskedAgain(key: string): boolean {
    if (this.#asked.delete(key)) return true;
    if (this.#asked.size >= ASKED_LIMIT) this.#asked.clear();
    this.#asked.add(key);
    return false;
  }

  #recall(
    plans: Plans<Prepared>,
    entry: Entry<Prepared>,
    { shape: { literals }, manner }: Asked,
    call: Call,
    prepare: () => Prepared,
  ): Prepared {
    if (literals.length === 0 || entry.first === addressOf(call)) return entry.prepared;
    if (entry.state === 'exchanged' && isShort(call)) {
      const exchanged = entry.exchange?.(literals, call);
      if (exchanged !== undefined) return exchanged;
    }
    const key = manner + addressOf(call);
    const known = touch(plans.byAddress, key);
    if (known !== undefined) return known;
    const prepared = prepare();
    // The first other literals show whether the plan is the same with them.
    if (entry.state === 'untried') {
      const exchanged = entry.exchange?.(literals, call);
      const isSame = exchanged !== undefined && this.#kind.isSame(prepared, exchanged);
      entry.state = isSame ? 'exchanged' : 'varied';
    }
    if (entry.state === 'varied') put(plans.byAddress, key, prepared);
    return prepared;
  }
}

const TOKEN = /(?:skip|delta)token=/i;

interface Plans<Prepared> {
  readonly byShape: Map<string, Entry<Prepared>>;
  readonly byAddress: Map<string, Prepared>;
}

function touch<Value>(map: Map<string, Value>, key: string): Value | undefined {
  const found = map.get(key);
  if (found === undefined || map.size < LIMIT / 2) return found;
  map.delete(key);
  map.set(key, found);
  return found;
}

function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > LIMIT && !oldest.done) map.delete(oldest.value);
}

/** Whether the address is too long to be remembered. */
function isLong({ path, query }: Call): boolean {
  return path.length + query.length > LONGEST;
}

/** Whether the URL is within every limit that can be configured; the parser rejects longer ones. */
function isShort({ path, query }: Call): boolean {
  return path.length + query.length < 1000;
}

function addressOf({ path, query }: Call): string {
  return `${path}?${query}`;
}

interface Manner extends Pick<Call, 'method' | 'root'> {
  readonly name: string;
}

/** How requests are made besides their addresses, each manner by a short name: the headers of one connection are mostly the same ones. */
class Manners {
  readonly #names = new Map<string, string>();
  readonly #known = new WeakMap<Call['headers'], Manner>();
  #count = 0;

  /** Undefined where the headers are too long to be remembered. */
  of(call: Call): string | undefined {
    const { headers, root, method } = call;
    const known = this.#known.get(headers);
    if (known?.root === root && known.method === method) return known.name;
    const manner = mannerOf(call);
    if (manner.length > LONGEST) return undefined;
    const name = this.#names.get(manner) ?? this.#give(manner);
    this.#known.set(headers, { root, method, name });
    return name;
  }

  /** Names are never reused, so clearing the map only loses the plans stored under them. */
  #give(manner: string): string {
    if (this.#names.size >= MANNER_LIMIT) this.#names.clear();
    const name = `${(this.#count++).toString(36)} `;
    this.#names.set(manner, name);
    return name;
  }
}

function mannerOf({ method, root, headers }: Call): string {
  let said = '';
  for (const name of HEADERS) {
    const value = headers[name];
    said += value === undefined ? '\n' : `${value.length} ${value}\n`;
  }
  return `${method}\n${root}\n${said}`;
}
