// This file has value-or-promise helpers. Most reads complete synchronously, and awaiting a resolved promise would cost more than
// many steps of the request itself.

export type MaybePromise<Value> = Value | Promise<Value>;

/** Calls `next` with the value: synchronously, unless it is a promise. */
export function andThen<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `work`; if it throws or rejects, the result of `rescue`. */
export function withRescue<Value>(
  work: () => MaybePromise<Value>,
  rescue: (error: unknown) => MaybePromise<Value>,
): MaybePromise<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(rescue) : value;
  } catch (error) {
    return rescue(error);
  }
}

/** Returns the result of `work`, and calls `end` once it has succeeded or failed. */
export function withCleanup<Value>(
  work: () => MaybePromise<Value>,
  end: () => void,
): MaybePromise<Value> {
  let value: MaybePromise<Value>;
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
