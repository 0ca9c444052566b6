// This file limits how much the comparisons of databases send: a sample of equal size in each run, or as much as TEST_DIFFERENTIAL says.
import { sampleSize } from '../sample-size.ts';

/** Runs of the whole: TEST_DIFFERENTIAL=20000. */
const WHOLE = Number(process.env.TEST_DIFFERENTIAL ?? sampleSize(350, 2500));

/** Other numbers draw other requests. A failure reports it. */
export const SEED = Number(process.env.SEED ?? 1);

/** Long enough for the whole. */
export const TIMEOUT = 180_000 + 1000 * WHOLE;

/** The numbers of the runs: the given share of the whole. */
export function* runs(share: number): Generator<number> {
  for (let run = 0; run < WHOLE * share; run++) yield run;
}

/** Reports how much a whole run has compared. */
export function report(what: string, figures: Readonly<Record<string, unknown>>): void {
  if (process.env.TEST_DIFFERENTIAL !== undefined) console.log(what, JSON.stringify(figures));
}
