// This file says how much the random tests in this folder try. `npm run fuzz` sets FUZZ, by which their cases and time limits are multiplied.
import { sampleSize } from '../sample-size.ts';

const factor = Number(process.env.FUZZ ?? 1);
if (!(factor >= 1)) throw new Error(`FUZZ is ${process.env.FUZZ}; use a number from 1.`);

/** Half of the cases are enough for most runs. */
const share = process.env.FUZZ === undefined ? sampleSize(0.5, 1) : factor;

/** The number of cases for fast-check. */
export const cases = (usual: number) => ({ numRuns: Math.ceil(usual * share) });

/** The milliseconds that a test may take. */
export const timeLimit = (usual: number) => usual * factor;
