// This file says how much tests of random requests, killed processes and many clients try: a part in most runs, and all in `npm run test:all`.

/** One of the sizes: the first is enough for most runs, the second is that of `npm run test:all`. */
export function sampleSize(usual: number, all: number): number {
  return process.env.TEST_ALL === undefined ? usual : all;
}
