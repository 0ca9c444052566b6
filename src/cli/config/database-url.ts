// This file contains the schema of URLs of PostgreSQL databases. The driver ignores parameters and values that it does not know, so a
// misspelt `sslmode` would turn off encryption. Messages never repeat the URL, which may contain a password.
import { z } from 'zod';
import { nearestName } from '../../base/nearest-name.ts';

/** The parameters with the values that they accept; an empty list accepts any. Source: pg-connection-string. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'no-verify', 'verify-full', 'prefer', 'require', 'verify-ca'],
  sslrootcert: [],
  sslcert: [],
  sslkey: [],
  ssl: ['true', 'false', '1', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  options: [],
  application_name: [],
  host: [],
  port: [],
  user: [],
  password: [],
};

const NOT_ENCODED =
  'expected a valid URL; special characters of the password must be percent-encoded, such as %40 for @ and %25 for %';

export const databaseUrl = z
  .string()
  .regex(
    /^postgres(ql)?:\/\//,
    'expected a URL such as postgres://docket@db.example.com/docket; the embedded database needs only a directory',
  )
  .superRefine((url, context) => {
    const message = problemOf(url);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

function problemOf(url: string): string | undefined {
  if (!URL.canParse(url) || !isEncoded(url)) return NOT_ENCODED;
  const { search, searchParams } = new URL(url);
  const problems = [...searchParams].map(([name, value]) => parameterProblem(name, value));
  const problem = problems.find((one) => one !== undefined);
  // A parameter with "@" is the rest of a password with "?".
  return problem !== undefined && search.includes('@') ? NOT_ENCODED : problem;
}

/** Whether each percent sign starts an escape, of UTF-8. The driver would send others as they are written. */
function isEncoded(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

function parameterProblem(name: string, value: string): string | undefined {
  const names = Object.keys(PARAMETERS);
  const values = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  if (values === undefined)
    return `expected parameters of the URL out of ${names.join(', ')}, not "${name}"${hintFor(name, names)}`;
  if (values.length === 0 || values.includes(value)) return undefined;
  return `expected ${name} in the URL to be one of ${values.join(', ')}, not "${value}"${hintFor(value, values)}`;
}

function hintFor(name: string, known: readonly string[]): string {
  const nearest = nearestName(name.slice(0, 100), known);
  return nearest === undefined ? '' : `; the nearest is "${nearest}"`;
}
