// This file compiles src for tests that need what only compiled code can do: threads, and processes that are killed. The tests of a run
// share the result. It is below node_modules, so that packages are found from there, with models, client and docs beside it as they are beside
// dist. All parts of `npm test` use dist itself, which its set-up has compiled.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { RUN } from './postgres/databases.ts';

const root = resolve(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache');

/** The program of the run as it is installed: with dist, bin, client and models. */
const programOfRun = () => join(cache, `docket-test-${process.env[RUN]}`);

/** Name of the environment variable with the directory in which src is compiled already. */
const COMPILED = 'TEST_COMPILED';

/** Returns the directory with the modules of src as JavaScript, and the program in `program`. Types are not checked here: the type check does that. */
export function compileSources(): string {
  const compiled = process.env[COMPILED];
  if (compiled !== undefined) return compiled;
  const program = programOfRun();
  while (!existsSync(program)) if (!compileAlone(program)) pause();
  return join(program, 'dist');
}

/** Compiles unless another process does. Returns whether it has compiled. */
function compileAlone(program: string): boolean {
  const lock = `${program}.lock`;
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
  } catch {
    return false;
  }
  try {
    if (!existsSync(program)) renameSync(compile(), program);
    return true;
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
}

function compile(): string {
  const program = mkdtempSync(join(cache, 'docket-compiling-'));
  for (const directory of ['models', 'client', 'docs', 'console'])
    symlinkSync(join(root, directory), join(program, directory));
  mkdirSync(join(program, 'bin'));
  for (const file of ['package.json', join('bin', 'docket')])
    copyFileSync(join(root, file), join(program, file));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = ['-p', join(root, 'tsconfig.build.json'), '--noCheck'];
  const dist = join(program, 'dist');
  execFileSync(process.execPath, [compiler, ...project, '--outDir', dist]);
  execFileSync(process.execPath, [join(root, 'scripts', 'bundle.mjs'), dist]);
  return program;
}

/** Removes what compileSources has made in this run. */
export function removeCompiled(): void {
  rmSync(programOfRun(), { recursive: true, force: true });
}
