// This file says by which names accounts may go: a name that looks empty, or like that of another, misleads whoever reads it. Names that
// are there already stay good until they are changed.
import { Fault } from '../base/fault.ts';
import type { Value } from '../edm/value/read-result.ts';

const MEMBER = 'LoginName';
/** What ends a line or is not shown, as Unicode classes. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Login names by the identities of their accounts. */
export type LoginNames = ReadonlyMap<Value, string>;

/**
 * Refuses a name that no account should have. Fault auth.login-name.
 * @param longest characters that fit where it is kept
 */
export function requireGoodLoginName(name: string, longest = Number.POSITIVE_INFINITY): void {
  const reason = mistakeIn(name, longest);
  if (reason !== undefined) throw new Fault('auth.login-name', { reason }, { target: MEMBER });
}

/**
 * Refuses what is wrong with names that are new since `before`. Faults auth.login-name, auth.account-exists.
 * @param changed identities of accounts that were written since; those that are gone are passed over
 */
export function requireGoodLoginNames(
  changed: readonly Value[],
  before: LoginNames,
  after: LoginNames,
): void {
  const renamed = changed.filter((uid) => after.has(uid) && after.get(uid) !== before.get(uid));
  if (renamed.length === 0) return;
  const alike = byFoldedName(after);
  for (const uid of renamed) {
    const name = after.get(uid) ?? '';
    requireGoodLoginName(name);
    const other = alike.get(folded(name))?.find((one) => one !== uid);
    if (other !== undefined) throw accountExists(after.get(other) ?? '');
  }
}

/** The refusal of a name that another account goes by, but for upper and lower case. */
export function accountExists(name: string): Fault {
  return new Fault('auth.account-exists', { name }, { target: MEMBER });
}

function mistakeIn(name: string, longest: number): string | undefined {
  if (name === '') return 'it is empty';
  if (CONTROL.test(name)) return 'it holds a line break or another control character';
  if (name.trim() !== name) return 'it begins or ends with a blank';
  return [...name].length > longest ? `it has more than ${longest} characters` : undefined;
}

/** The accounts whose names differ by case alone. */
function byFoldedName(names: LoginNames): ReadonlyMap<string, readonly Value[]> {
  const found = new Map<string, Value[]>();
  for (const [uid, name] of names) {
    const others = found.get(folded(name));
    if (others === undefined) found.set(folded(name), [uid]);
    else others.push(uid);
  }
  return found;
}

function folded(name: string): string {
  return name.toLowerCase();
}
