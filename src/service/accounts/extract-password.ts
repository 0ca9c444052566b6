// This file extracts the password from bodies that create or change accounts. It is not a property, so that nothing can read it, and only
// its hash is stored. Requests that may contain a password, including ChangePassword, are never stored: they do not run asynchronously,
// and no digest of their body is kept.
import type { Rights } from '../../access/policy.ts';
import { type NewPassword, passwordText } from '../../auth/administration-rules.ts';
import { hashPasswordNow, requireGoodPassword } from '../../auth/password.ts';
import { Fault } from '../../base/fault.ts';
import { ACCOUNT_SET, CURRENT_PASSWORD, NEW_PASSWORD } from '../../edm/account-sets.ts';
import type { Model } from '../../edm/model.ts';
import { isJsonObject, type JsonInput, type JsonObject } from '../../edm/value/lossless-json.ts';
import { decodedIfPossible } from '../../request/decode.ts';
import type { Tree } from '../../request/tree.ts';
import { isImport } from '../import/import-request.ts';
import type { Call } from '../service.ts';
import { mayReturnSecret } from './create-key.ts';

const MEMBER = 'Password';
const MUST_CHANGE = 'MustChangePassword';
const FACTOR = 'SecondFactor';

/** A body without its password. */
export interface ExtractedPassword {
  readonly input: JsonInput | undefined;
  readonly password?: NewPassword;
  /** Whether the account must change its password; undefined if the body does not say so. */
  readonly mustChange?: boolean;
  /** Whether the account loses its second factor. */
  readonly resetsFactor?: true;
}

/** Whether the body may contain a password, or the response an API key. A cheap check that may return true for other bodies. */
export function mayHoldSecret({ path, body }: Call): boolean {
  if (mayReturnSecret(decodedIfPossible(path))) return true;
  if (body === undefined || !/account|password|batch/i.test(decodedIfPossible(path))) return false;
  if (isImport({ path })) return true;
  return Buffer.from(body).includes(`${MEMBER}"`) || Buffer.from(body).includes('\\u');
}

/**
 * Separates and hashes the password of an account in the body. Throws: auth.password.
 * Skips the work for principals who may not write accounts; their request is rejected later.
 */
export function extractPassword(
  tree: Tree,
  input: JsonInput | undefined,
  { model, rights }: { readonly model: Model; readonly rights: Rights },
): ExtractedPassword {
  if (!isJsonObject(input)) return { input };
  if (isPasswordChange(tree, model)) requireTexts(input);
  const isConcerned = [MEMBER, MUST_CHANGE, FACTOR].some((name) => name in input);
  if (!isConcerned || !isAccount(tree, model)) return { input };
  const { [MEMBER]: value, [MUST_CHANGE]: mustChange, [FACTOR]: factor, ...rest } = input;
  if (!rights.everything) return { input: rest };
  const { LoginName: name } = rest;
  return {
    input: rest,
    ...(MEMBER in input ? { password: newPassword(value, name) } : {}),
    ...(MUST_CHANGE in input ? { mustChange: flagOf(mustChange) } : {}),
    ...(FACTOR in input ? { resetsFactor: resetIn(factor) } : {}),
  };
}

function resetIn(value: unknown): true {
  if (value === null) return true;
  throw new Fault('auth.second-factor-reset', {}, { target: FACTOR });
}

function newPassword(value: unknown, loginName: unknown): NewPassword {
  const plain = passwordText(value, MEMBER);
  requireGoodPassword(plain, typeof loginName === 'string' ? loginName : '');
  return { plain, hash: hashPasswordNow(plain) };
}

function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const reason = `${MUST_CHANGE} must be true or false`;
  throw new Fault('auth.password', { reason }, { target: MUST_CHANGE });
}

/** Whether the path is the set of accounts, or one of them by key. */
function isAccount({ path: { segments } }: Tree, model: Model): boolean {
  const [first, key, ...others] = segments;
  const set = model.sets.get(ACCOUNT_SET);
  if (first?.kind !== 'name' || others.length > 0) return false;
  if (first.name !== ACCOUNT_SET && first.name !== set?.singular) return false;
  return key === undefined || key.kind === 'text';
}

/** Whether the path is the import of ChangePassword or of another action with a password, by whichever name. */
function isPasswordChange({ path: { segments } }: Tree, { imports, definition }: Model): boolean {
  const [first] = segments;
  const operation = first?.kind === 'name' ? imports.get(first.name)?.operation : undefined;
  if (operation === undefined) return false;
  return definition.operations.some(
    ({ name, engine }) =>
      (engine === 'own-password' || engine === 'begin-second-factor') && name === operation,
  );
}

/** Checks the types here, since errors of binding would show the value. Throws: auth.password. */
function requireTexts(input: JsonObject): void {
  for (const name of [CURRENT_PASSWORD, NEW_PASSWORD]) {
    const value = input[name];
    if (value !== undefined && value !== null) passwordText(value, name);
  }
}
