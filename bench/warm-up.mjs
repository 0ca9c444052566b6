// This file warms up a server before it is measured, whatever the length of the rounds is: code that has run a few times only is not the
// code that serves. The longer code of the service takes longer to be compiled than that of the floor: creates on PostgreSQL take twice the
// processor time in the first five seconds.

/** Requests that are enough, and milliseconds at most. */
const ENOUGH = 20_000;
const LIMIT = 20_000;

/** @param load sends requests for a while, and returns how many were answered */
export async function warmUp(load) {
  const end = performance.now() + LIMIT;
  let answered = 0;
  while (answered < ENOUGH && performance.now() < end) answered += await load();
}
