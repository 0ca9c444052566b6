// This file says how much the random tests in this folder try. `npm run fuzz` sets FUZZ, by which their cases and time limits are multiplied.

const factor = Number(process.env.FUZZ ?? 1);
if (!(factor >= 1)) throw new Error(`FUZZ is ${process.env.FUZZ}; use a number from 1.`);

/** The number of cases for fast-check. */
export const cases = (usual: number) => ({ numRuns: Math.round(usual * factor) });

/** The milliseconds that a test may take. */
export const timeLimit = (usual: number) => usual * factor;
