// This file runs commands for tests: in this process where that shows the same, and compiled, each in a process of its own, where they
// serve or run beside one another.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { compileSources } from '../compiled.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Program {
  /** The current directory of commands. */
  readonly folder: string;
  readonly launch: (
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ) => ChildProcess;
  /** Runs a command to its end, with the text as its standard input. */
  readonly docket: (
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
    input?: string,
  ) => Promise<Ended>;
  readonly remove: () => void;
}

export function makeProgram(): Program {
  const folder = mkdtempSync(join(tmpdir(), 'docket-run-'));
  const program = join(compileSources(), 'program', 'main.js');
  const script = `import(${JSON.stringify(program)}).then(async ({ main }) => { process.exitCode = await main(process.argv.slice(1)); })`;
  const launch: Program['launch'] = (words, environment = {}) =>
    spawn(process.execPath, ['-e', script, '--', ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...environment },
    });
  return {
    folder,
    launch,
    docket: async (words, environment, input) => await ended(launch(words, environment), input),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a command in this process; one at a time. */
export async function docketHere(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const former = { ...process.env };
  const writers = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = (chunk: string | Uint8Array) => {
      written[name] += String(chunk);
      return true;
    };
    return () => {
      process[name].write = write;
    };
  });
  Object.assign(process.env, environment);
  try {
    const code = await main(words);
    return { code, out: written.stdout, err: written.stderr };
  } finally {
    for (const restore of writers) restore();
    restoreEnvironment(former);
  }
}

/** The object remains the same: vi.unstubAllEnvs removes variables from the object with which the process has started. */
function restoreEnvironment(former: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in former)) delete process.env[name];
  Object.assign(process.env, former);
}

async function ended(child: ChildProcess, input = ''): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin?.end(input);
  return await new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}
