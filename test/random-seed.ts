// This file lets random tests try the same in each run, so that a change is not blamed for what another run would have found. `npm run
// test:all` tries something else each time, and SEED=2 what the number stands for.
import fc from 'fast-check';

const given = process.env.SEED ?? (process.env.TEST_ALL === undefined ? 1 : undefined);
if (given !== undefined) fc.configureGlobal({ seed: Number(given) });
