// This file compiles src for tests that need what only compiled code can do: threads, and processes that are killed. The result is
// below node_modules, so that packages are found from there, with the models beside it as they are beside dist.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

export interface Compiled {
  /** Directory with the rooms of src as JavaScript. */
  readonly directory: string;
  readonly remove: () => void;
}

/** Types are not checked here: the type check does that. */
export function compileSources(): Compiled {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const checkout = mkdtempSync(join(cache, 'docket-test-'));
  const directory = join(checkout, 'dist');
  symlinkSync(join(root, 'models'), join(checkout, 'models'));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', directory];
  execFileSync(process.execPath, [compiler, ...flags]);
  return { directory, remove: () => rmSync(checkout, { recursive: true }) };
}
