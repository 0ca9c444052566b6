// This file has value-or-promise helpers. Most reads complete synchronously, and awaiting a resolved promise would cost more than
// many steps of the request itself.

export type Ready<Value> = Value | Promise<Value>;

/** Calls `next` with the value: synchronously, unless it is a promise. */
export function whenReady<Value, Next>(
  value: Ready<Value>,
  next: (value: Value) => Ready<Next>,
): Ready<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `work`; if it throws or rejects, the result of `rescue`. */
export function rescued<Value>(
  work: () => Ready<Value>,
  rescue: (error: unknown) => Ready<Value>,
): Ready<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(rescue) : value;
  } catch (error) {
    return rescue(error);
  }
}

/** Returns the result of `work`, and calls `end` once it has succeeded or failed. */
export function lastly<Value>(work: () => Ready<Value>, end: () => void): Ready<Value> {
  let value: Ready<Value>;
  try {
    value = work();
  } catch (error) {
    end();
    throw error;
  }
  if (value instanceof Promise) return value.finally(end);
  end();
  return value;
}
