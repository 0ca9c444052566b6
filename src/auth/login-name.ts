// Rules for login names: a name that looks empty, or like another one, would mislead people who read it. Existing names remain valid
// until they are changed.
import { Fault } from '../base/fault.ts';
import type { Cell } from '../store/database.ts';

const MEMBER = 'LoginName';
/** The name of callers without a token in records and logs. */
export const ANONYMOUS_NAME = 'anonymous';
/** What the names begin with under which the service itself acts, such as `docket mail`. */
const SERVICE_PREFIX = 'docket ';
/** Line breaks and invisible characters. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Login names by the identities of their accounts. */
export type LoginNames = ReadonlyMap<Cell, string>;

/**
 * Rejects an unsuitable name. Throws: auth.login-name.
 * @param maxLength maximum length in characters
 */
export function requireGoodLoginName(name: string, maxLength = Number.POSITIVE_INFINITY): void {
  const reason = mistakeIn(name, maxLength);
  if (reason !== undefined) throw new Fault('auth.login-name', { reason }, { target: MEMBER });
}

/**
 * Rejects unsuitable and duplicate names that have changed since `before`. Throws: auth.login-name, auth.account-exists.
 * @param changed identities of accounts that have been written; deleted accounts are ignored
 */
export function requireGoodLoginNames(
  changed: readonly Cell[],
  before: LoginNames,
  after: LoginNames,
): void {
  const renamed = changed.filter((uid) => after.has(uid) && after.get(uid) !== before.get(uid));
  if (renamed.length === 0) return;
  const accountsByName = byFoldedName(after);
  for (const uid of renamed) {
    const name = after.get(uid) ?? '';
    requireGoodLoginName(name);
    const other = accountsByName.get(folded(name))?.find((one) => one !== uid);
    if (other !== undefined) throw accountExists(after.get(other) ?? '');
  }
}

/** The error for a name that another account has, regardless of case. */
export function accountExists(name: string): Fault {
  return new Fault('auth.account-exists', { name }, { target: MEMBER });
}

function mistakeIn(name: string, maxLength: number): string | undefined {
  if (name === '') return 'it is empty';
  if (CONTROL.test(name)) return 'it contains a line break or another control character';
  if (folded(name) === ANONYMOUS_NAME) return 'it is reserved for callers without a token';
  if (folded(name).startsWith(SERVICE_PREFIX))
    return `it begins with "${SERVICE_PREFIX}", which is reserved for the service itself`;
  if (name.trim() !== name) return 'it begins or ends with a space';
  return [...name].length > maxLength ? `it has more than ${maxLength} characters` : undefined;
}

/** The accounts by lower-case name. */
function byFoldedName(names: LoginNames): ReadonlyMap<string, readonly Cell[]> {
  const found = new Map<string, Cell[]>();
  for (const [uid, name] of names) {
    const accounts = found.get(folded(name));
    if (accounts === undefined) found.set(folded(name), [uid]);
    else accounts.push(uid);
  }
  return found;
}

function folded(name: string): string {
  return name.toLowerCase();
}
