// This file hashes and checks passwords with argon2id. Hashing runs in the thread pool; a bounded number at a time, so that guessing
// cannot take the whole machine. Which passwords are acceptable follows NIST SP 800-63B, "Memorized Secret Verifiers".
import { hash, verify } from '@node-rs/argon2';
import { Fault } from '../base/fault.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const MINIMAL_LENGTH = 12;
const MAXIMAL_LENGTH = 256;
const CONCURRENT = 2;
const WAITING_LIMIT = 64;

/** Hashes made before the first log-in with an unknown name, so that such a log-in costs what any other does. */
const DECOY = hash('a password that nobody has', PARAMETERS);

const queue: (() => void)[] = [];
let running = 0;

/** The hash of a password in PHC string format, salt and parameters included. */
export async function hashPassword(password: string): Promise<string> {
  return await queued(() => hash(password.normalize('NFC'), PARAMETERS));
}

/**
 * Whether the password belongs to the hash. Without a hash (unknown or blocked account) the same work is done for nothing.
 * Fault auth.busy when too many checks wait.
 */
export async function checkPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const matches = await queued(async () =>
    verify(stored ?? (await DECOY), password.normalize('NFC')),
  );
  return stored !== undefined && matches;
}

/**
 * Refuses passwords that are too short or too long, or that contain the account's name. Fault auth.password.
 * Length is counted in Unicode code points.
 */
export function requireGoodPassword(password: string, loginName: string): void {
  const length = [...password.normalize('NFC')].length;
  if (length < MINIMAL_LENGTH || length > MAXIMAL_LENGTH) {
    throw new Fault('auth.password', {
      reason: `it must have ${MINIMAL_LENGTH} to ${MAXIMAL_LENGTH} characters`,
    });
  }
  if (loginName.length > 2 && password.toLowerCase().includes(loginName.toLowerCase())) {
    throw new Fault('auth.password', { reason: 'it must not contain the name of the account' });
  }
  if (new Set(password).size < 4) {
    throw new Fault('auth.password', { reason: 'it repeats too few different characters' });
  }
}

async function queued<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= CONCURRENT) await takeTurn();
  running++;
  try {
    return await work();
  } finally {
    running--;
    queue.shift()?.();
  }
}

function takeTurn(): Promise<void> {
  if (queue.length >= WAITING_LIMIT)
    throw new Fault('auth.busy', {}, { headers: { 'Retry-After': '2' } });
  return new Promise((resolve) => queue.push(resolve));
}
