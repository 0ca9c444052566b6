// Hashes and checks passwords with argon2id in the thread pool. Concurrency is limited, so that guessing cannot use up all CPU time. The
// password rules follow NIST SP 800-63B, "Memorized Secret Verifiers".
import { hash, hashSync, verify } from '@node-rs/argon2';
import { Fault } from '../base/fault.ts';
import { isCommon } from './common-passwords.ts';
import { isLeaked } from './leaked-passwords.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const MINIMAL_LENGTH = 12;
const MAXIMAL_LENGTH = 256;
const CONCURRENT = 2;
const WAITING_LIMIT = 64;

/** A hash for logins with unknown names, so that they take as long as others. It is computed at the start. */
const DECOY = hash('a password that nobody has', PARAMETERS);

const queue: (() => void)[] = [];
let running = 0;

/** The hash of a password in PHC string format, which includes salt and parameters. Throws: auth.busy. */
export async function hashPassword(password: string): Promise<string> {
  return await queued(() => hash(password.normalize('NFC'), PARAMETERS));
}

/** The same synchronously, for passwords that administrators write. It blocks the process for some hundredths of a second. */
export function hashPasswordNow(password: string): string {
  return hashSync(password.normalize('NFC'), PARAMETERS);
}

/**
 * Whether the password matches the hash. Without a hash (unknown or blocked account) it takes the same time and returns false.
 * Throws: auth.busy, if too many checks are waiting.
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
 * Rejects passwords that are too short, too long or common, or that contain the name of the account. Length is counted in Unicode code
 * points, and there are no rules about kinds of characters. Throws: auth.password.
 * @param context other words that are easy to guess, such as the name of the person
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
  const known = words.find((word) => word.length > 2 && containsWord(password, word));
  if (known !== undefined && isMuchOf(password, known))
    throw new Fault('auth.password', { reason: 'it must not contain the name of the account' });
  if (new Set(password).size < 4)
    throw new Fault('auth.password', { reason: 'it has fewer than 4 different characters' });
  if (isLeaked(password, MINIMAL_LENGTH) || isCommon(password))
    throw new Fault('auth.password', {
      reason: 'it is a common password; combine several unrelated words instead',
    });
}

function containsWord(password: string, word: string): boolean {
  return password.toLowerCase().includes(word.toLowerCase());
}

/** Whether the word is a significant part. A long password may contain a short name by chance. */
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
