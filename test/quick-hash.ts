// This file hashes the passwords of test accounts with the least effort that argon2id permits. Checking a password takes the effort that its
// hash names, and most tests log in several times without being about that.
import { hash } from '@node-rs/argon2';
import { memoized } from '../src/base/memo.ts';

const LEAST = { memoryCost: 8, timeCost: 1, parallelism: 1 } as const;
const known = new Map<string, Promise<string>>();

/** The hash of a password in PHC string format, the same for all accounts with that password. */
export async function quickHash(password: string): Promise<string> {
  return await memoized(known, password, () => hash(password, LEAST));
}
