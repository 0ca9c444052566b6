// This file runs the tests of test/fuzz with many times the cases of a usual run, and new ones each time: `npm run fuzz` with 20 times as
// many, `npm run fuzz -- 500` with 500 times. fast-check prints the seed and the shortest request that fails.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [factor = '20', ...others] = process.argv.slice(2);

if (!(Number(factor) >= 1) || others.length > 0) {
  process.stderr.write('usage: npm run fuzz -- [FACTOR], a number from 1 (default: 20)\n');
  process.exit(2);
}
const seed = process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31));
process.stdout.write(`${factor} times the usual cases; SEED=${seed} repeats them\n`);
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'all', 'test/fuzz'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FUZZ: factor, SEED: seed },
});
process.exitCode = status ?? 1;
