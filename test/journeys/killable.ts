// This file runs the whole service as a process of its own, so that tests can kill it without warning and start it again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { servedAddress } from '../child-output.ts';
import { compileSources } from '../compiled.ts';
import { digestOf } from '../database.ts';
import { copyFilledSync } from '../filled-directory.ts';

/** The password of the administrator, whose name is admin. */
export const PASSWORD = 'correct horse battery';

/** A service that is running. */
export interface Serving {
  readonly child: ChildProcess;
  /** `http://127.0.0.1:40123`. */
  readonly origin: string;
}

/** A compiled program with an installation. */
export interface Killable {
  readonly database: string;
  readonly serve: (...flags: readonly string[]) => Promise<Serving>;
  readonly close: () => void;
}

/** The directory in which the installation is made, and environment variables of the service. */
interface Surroundings {
  readonly parent?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Compiles the program and makes a demo installation, a small one by default, in the directory or in a database of PostgreSQL. With SQLite, those
 * with the same options are copies of one directory.
 */
export function makeKillable(
  requests = 5,
  postgres?: string,
  flags: readonly string[] = [],
  { parent = tmpdir(), variables = {} }: Surroundings = {},
): Killable {
  const directory = mkdtempSync(join(parent, 'docket-killed-'));
  const program = dirname(compileSources());
  const env = {
    ...process.env,
    DOCKET_ADMIN_PASSWORD: PASSWORD,
    DOCKET_LOG_LEVEL: 'silent',
    ...variables,
    ...(postgres === undefined ? {} : { DOCKET_DATABASE: postgres }),
  };
  const data = join(directory, 'data');
  const command = (place: string, ...words: readonly string[]) => [
    join(program, 'bin', 'docket'),
    ...words,
    '--data',
    place,
  ];
  const words = ['demo', '--requests', String(requests), ...flags];
  const fill = (place: string) =>
    void execFileSync(process.execPath, command(place, ...words), { env, stdio: 'pipe' });
  if (postgres === undefined) copyFilledSync(digestOf([words, variables]), data, fill);
  else fill(data);
  return {
    database: join(data, 'docket.db'),
    serve: async (...flags) =>
      await listening(
        spawn(process.execPath, command(data, 'serve', '--port', '0', ...flags), { env }),
      ),
    close: () => rmSync(directory, { recursive: true }),
  };
}

async function listening(child: ChildProcess): Promise<Serving> {
  return { child, origin: await servedAddress(child) };
}

/** Ends the service at once, in the middle of whatever it does. */
export async function kill({ child }: Serving): Promise<void> {
  const closed = new Promise((ended) => child.once('close', ended));
  child.kill('SIGKILL');
  await closed;
}

/** A token of the administrator; it outlives the service. */
export async function logIn({ origin }: Serving): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const answer = await fetch(`${origin}/token`, { method: 'POST', body });
  return String(((await answer.json()) as { access_token: unknown }).access_token);
}
