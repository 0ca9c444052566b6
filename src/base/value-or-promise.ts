// This file does at once what can be done at once: most of what a request needs is there already, and to wait for a promise that is
// kept takes longer than many a step of the request itself.

/** A value, or the promise of one. */
export type Ready<Value> = Value | Promise<Value>;

/** Goes on with the value: at once where it is there. */
export function whenReady<Value, Next>(
  value: Ready<Value>,
  next: (value: Value) => Ready<Next>,
): Ready<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What the work gives, or what is made of its error. */
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

/** What the work gives; `end` is called when it is over, however it went. */
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
