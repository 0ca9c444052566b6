// This file takes the password out of what an administrator posts to the accounts: it is no property, so that nothing can ever read it,
// and only its hash goes on. The names of what else holds one, the parameters of ChangePassword, end with the same word. Requests that may hold one are kept nowhere: they are not put off, and no digest of their body is stored.
import type { Rights } from '../../access/policy.ts';
import { type NewPassword, passwordText } from '../../auth/administration-rules.ts';
import { hashPasswordNow, requireGoodPassword } from '../../auth/password.ts';
import { ACCOUNT_SET, CURRENT_PASSWORD, NEW_PASSWORD } from '../../edm/account-sets.ts';
import type { Model } from '../../edm/model.ts';
import { isJsonObject, type JsonInput, type JsonObject } from '../../edm/value/lossless-json.ts';
import type { Tree } from '../../request/tree.ts';
import type { Call } from '../service.ts';

const MEMBER = 'Password';

export interface Taken {
  readonly input: JsonInput | undefined;
  readonly password?: NewPassword;
}

/** Whether there may be a password in the body. */
export function mayHoldPassword({ path, body }: Call): boolean {
  if (body === undefined || !/account|password|batch/i.test(decoded(path))) return false;
  return Buffer.from(body).includes(`${MEMBER}"`) || Buffer.from(body).includes('\\u');
}

/**
 * The body without the password of the account that it makes or changes. Fault auth.password.
 * Who may not write accounts is refused later; until then no work is done for them.
 */
export function takePassword(
  tree: Tree,
  input: JsonInput | undefined,
  { model, rights }: { readonly model: Model; readonly rights: Rights },
): Taken {
  if (!isJsonObject(input)) return { input };
  if (isChange(tree, model)) requireTexts(input);
  if (!(MEMBER in input) || !isAccount(tree, model)) return { input };
  const { [MEMBER]: given, ...rest } = input;
  if (!rights.everything) return { input: rest };
  const plain = passwordText(given, MEMBER);
  const { LoginName: name } = rest;
  requireGoodPassword(plain, typeof name === 'string' ? name : '');
  return { input: rest, password: { plain, hash: hashPasswordNow(plain) } };
}

/** The set of the accounts, or one of them by its key. */
function isAccount({ path: { segments } }: Tree, model: Model): boolean {
  const [first, key, ...others] = segments;
  const set = model.sets.get(ACCOUNT_SET);
  if (first?.kind !== 'name' || others.length > 0) return false;
  if (first.name !== ACCOUNT_SET && first.name !== set?.singular) return false;
  return key === undefined || key.kind === 'text';
}

/** The import of ChangePassword, whatever it is called. */
function isChange({ path: { segments } }: Tree, { imports, definition }: Model): boolean {
  const [first] = segments;
  const operation = first?.kind === 'name' ? imports.get(first.name)?.operation : undefined;
  if (operation === undefined) return false;
  return definition.operations.some(
    ({ name, engine }) => engine === 'own-password' && name === operation,
  );
}

/** What else is refused is shown with its mistake. Fault auth.password. */
function requireTexts(input: JsonObject): void {
  for (const name of [CURRENT_PASSWORD, NEW_PASSWORD]) {
    const given = input[name];
    if (given !== undefined && given !== null) passwordText(given, name);
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
