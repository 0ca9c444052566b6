// This file waits for what a child process prints. A child that ends, or prints too little, fails the test with all that it has printed.
import type { ChildProcess } from 'node:child_process';

/** Milliseconds; less than the time limit of a hook, which would not show the output. */
const LIMIT = 100_000;

/**
 * Waits until the standard output of the child contains what is sought, and returns it.
 * @param find is called with the whole output after each piece of it, and returns undefined until the output is sufficient
 */
export async function waitForOutput<Found>(
  child: ChildProcess,
  find: (output: string) => Found | undefined,
): Promise<Found> {
  const text = { stdout: '', stderr: '' };
  return await new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new Error(`the process ${reason}: ${text.stdout.slice(-2000)}\n${text.stderr}`));
    const limit = setTimeout(() => {
      fail(`has not printed what was expected within ${LIMIT} ms`);
      child.kill('SIGKILL');
    }, LIMIT);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      fail(`has ended (${code ?? signal})`);
    });
    child.stderr?.on('data', (chunk) => {
      text.stderr += chunk;
    });
    child.stdout?.on('data', (chunk) => {
      text.stdout += chunk;
      const found = find(text.stdout);
      if (found === undefined) return;
      clearTimeout(limit);
      resolve(found);
    });
  });
}

/** The address that a starting service prints, such as `http://127.0.0.1:40123`. */
export const servedAddress = (child: ChildProcess): Promise<string> =>
  waitForOutput(child, (output) => /serves (https?:\S+)\/odata/.exec(output)?.[1]);
