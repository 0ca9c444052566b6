// Finds the account of a verified token, and creates it at the first sign-in where the configuration permits that.
import type { AccountRecord, AuthRecords } from '../auth-records.ts';
import { displayNameIn, loginNameIn, rolesIn } from './token-claims.ts';
import { RejectedToken, type VerifiedToken } from './verify-token.ts';

/** An account that a token creates. */
export interface IssuedAccount {
  readonly loginName: string;
  readonly displayName: string;
  readonly roles: readonly string[];
  /** The issuer and the address of the client, for the audit trail. */
  readonly issuer: string;
  readonly address: string;
}

export interface AccountParts {
  readonly records: Pick<AuthRecords, 'findAccount'>;
  /** Creates an account with an entry in the audit trail. Returns the reason if it cannot be created. */
  readonly createAccount: (account: IssuedAccount) => Promise<string | undefined>;
}

/** The account of a token, which is not blocked. Throws: RejectedToken. */
export async function accountOf(
  verified: VerifiedToken,
  address: string,
  parts: AccountParts,
): Promise<AccountRecord> {
  const account = await findOrCreate(verified, address, parts);
  if (account.blocked) throw new RejectedToken('the account is blocked');
  // The issuer has checked a password of its own, and decides on further factors.
  return { ...account, requiredStep: undefined };
}

async function findOrCreate(
  { issuer, claims }: VerifiedToken,
  address: string,
  { records, createAccount }: AccountParts,
): Promise<AccountRecord> {
  const loginName = loginNameIn(claims, issuer);
  const known = await records.findAccount(loginName);
  if (known !== undefined) return known;
  if (!issuer.createAccounts)
    throw new RejectedToken(`no account has the name in its claim ${issuer.claim}`);
  const displayName = displayNameIn(claims, loginName);
  const roles = rolesIn(claims, issuer);
  const reason = await createAccount({
    loginName,
    displayName,
    roles,
    issuer: issuer.url,
    address,
  });
  // Concurrent requests create the account once; the others find it.
  const created = await records.findAccount(loginName);
  if (created !== undefined) return created;
  throw new RejectedToken(`its account cannot be created: ${reason ?? 'it was deleted'}`);
}
