// This file remembers prepared reads by what was asked: address, and the headers that the answer depends on. What one principal may see
// another may not: plans are kept by rights. The cache is bounded by number; plans whose text is long are not kept.
import type { Rights } from '../access/policy.ts';
import type { Call } from './service.ts';

const LIMIT = 2000;
const LONGEST = 4096;

/** Headers that change what is planned or how it is answered. */
const HEADERS = [
  'accept',
  'accept-charset',
  'accept-language',
  'if-match',
  'if-none-match',
  'isolation',
  'odata-isolation',
  'odata-maxversion',
  'odata-version',
  'prefer',
] as const;

export class PlanCache<Prepared> {
  readonly #byRights = new WeakMap<Rights, Map<string, Prepared>>();

  find(rights: Rights, call: Call): Prepared | undefined {
    const plans = this.#byRights.get(rights);
    if (plans === undefined) return undefined;
    const key = keyOf(call);
    const found = plans.get(key);
    if (found === undefined) return undefined;
    plans.delete(key);
    plans.set(key, found);
    return found;
  }

  keep(rights: Rights, call: Call, prepared: Prepared): void {
    const key = keyOf(call);
    if (key.length > LONGEST || call.body !== undefined) return;
    const plans = this.#byRights.get(rights) ?? new Map<string, Prepared>();
    this.#byRights.set(rights, plans);
    plans.set(key, prepared);
    const oldest = plans.keys().next();
    if (plans.size > LIMIT && !oldest.done) plans.delete(oldest.value);
  }
}

function keyOf({ method, root, path, query, headers, body }: Call): string {
  const said = HEADERS.map((name) => headers[name] ?? '').join('\n');
  return `${method}\n${root}\n${path}\n${query}\n${said}${body === undefined ? '' : '\nbody'}`;
}
