// This file hashes and checks passwords with argon2id. Hashing runs in the thread pool; a bounded number at a time, so that guessing
// cannot take the whole machine. Which passwords are acceptable follows NIST SP 800-63B, "Memorized Secret Verifiers".
import { hash, hashSync, verify } from '@node-rs/argon2';
import { Fault } from '../base/fault.ts';
import { isCommon } from './common-passwords.ts';

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

/** The same at once, for what an administrator writes: it takes some hundredths of a second, in which nothing else is done. */
export function hashPasswordNow(password: string): string {
  return hashSync(password.normalize('NFC'), PARAMETERS);
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
 * Refuses passwords that are too short or too long, that are guessed first, or that contain the account's name. Fault auth.password.
 * Length is counted in Unicode code points; which kinds of characters there are does not matter.
 * @param context further words that a guesser knows, such as the name of the person
 */
export function requireGoodPassword(
  password: string,
  loginName: string,
  context: readonly string[] = [],
): void {
  const length = [...password.normalize('NFC')].length;
  if (length < MINIMAL_LENGTH || length > MAXIMAL_LENGTH) {
    throw new Fault('auth.password', {
      reason: `it must have ${MINIMAL_LENGTH} to ${MAXIMAL_LENGTH} characters`,
    });
  }
  const words = [loginName, ...context.flatMap((one) => one.split(/[^\p{L}\p{N}]+/u))];
  const known = words.find((word) => word.length > 2 && isHeldBy(password, word));
  if (known !== undefined && isMuchOf(password, known))
    throw new Fault('auth.password', { reason: 'it must not contain the name of the account' });
  if (new Set(password).size < 4)
    throw new Fault('auth.password', { reason: 'it repeats too few different characters' });
  if (isCommon(password))
    throw new Fault('auth.password', {
      reason:
        'it is one of those that are guessed first; take several words that have nothing to do with each other',
    });
}

function isHeldBy(password: string, word: string): boolean {
  return password.toLowerCase().includes(word.toLowerCase());
}

/** A short name can stand in a long password by chance. */
function isMuchOf(password: string, word: string): boolean {
  return word.length > 4 || password.length - word.length < MINIMAL_LENGTH;
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
