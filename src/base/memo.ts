// This file keeps results that follow from immutable values alone, so that they are computed once.

/** The function with one result per object, kept for as long as the object. The last object is kept until the function gets another one. */
export function perObject<Owner extends object, Result extends object>(
  compute: (owner: Owner) => Result,
): (owner: Owner) => Result {
  const known = new WeakMap<Owner, Result>();
  // Most functions are called with the same object again and again, such as the model.
  let last: Owner | undefined;
  let lastResult: Result | undefined;
  return (owner) => {
    if (owner === last && lastResult !== undefined) return lastResult;
    let result = known.get(owner);
    if (result === undefined) {
      result = compute(owner);
      known.set(owner, result);
    }
    last = owner;
    lastResult = result;
    return result;
  };
}

/** The function with the result for its last argument: for arguments that are mostly the same. */
export function ofLast<Result>(compute: (text: string) => Result): (text: string) => Result {
  let last: { readonly text: string; readonly result: Result } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}

/** The function with one result per pair of objects, kept for as long as both. The other arguments must follow from the pair. */
export function perPair<
  Owner extends object,
  Part extends object,
  Others extends readonly unknown[],
  Result extends object,
>(
  compute: (owner: Owner, part: Part, ...others: Others) => Result,
): (owner: Owner, part: Part, ...others: Others) => Result {
  const byOwner = perObject((_: Owner) => new WeakMap<Part, Result>());
  return (owner, part, ...others) => {
    const known = byOwner(owner);
    const existing = known.get(part);
    if (existing !== undefined) return existing;
    const result = compute(owner, part, ...others);
    known.set(part, result);
    return result;
  };
}

/** The value of a key, computed if the map has none. A map of clients' keys needs a limit, at which it is emptied. */
export function memoized<Key, Value extends object>(
  known: Map<Key, Value>,
  key: Key,
  compute: () => Value,
  limit?: number,
): Value;
/** The value of an object, kept for as long as the object. */
export function memoized<Key extends object, Value extends object>(
  known: WeakMap<Key, Value>,
  key: Key,
  compute: () => Value,
): Value;
export function memoized<Key extends object, Value extends object>(
  known: Map<Key, Value> | WeakMap<Key, Value>,
  key: Key,
  compute: () => Value,
  limit = Number.POSITIVE_INFINITY,
): Value {
  const existing = known.get(key);
  if (existing !== undefined) return existing;
  const value = compute();
  if (known instanceof Map && known.size >= limit) known.clear();
  known.set(key, value);
  return value;
}
