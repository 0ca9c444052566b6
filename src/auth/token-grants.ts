// The token endpoint: the grants `password` and `refresh_token` of RFC 6749, with rotation of refresh tokens as in RFC 9700, "Refresh
// Token Protection". Responses to an unknown user and to a wrong password are identical and take the same time. An account that changes its
// password must send the current one, which is checked like that of a login, so that a stolen token does not help to guess it.

import type { Principal } from '../access/principal.ts';
import { counted } from '../base/counted.ts';
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';
import type {
  AccountRecord,
  AuthRecords,
  LoginMethod,
  LoginRecord,
  TokenRecord,
} from './auth-records.ts';
import type { LoginThrottle, Outcome } from './login-throttle.ts';
import { checkPassword } from './password.ts';
import { noFactor, wrongCode } from './second-factor/stored-factor.ts';
import { slowed } from './session.ts';
import { ACCESS_LIFETIME, hashToken, machineOf, makeToken, REFRESH_LIFETIME } from './token.ts';

/** A refresh token that is reused within this time comes from parallel requests of a client; later it counts as stolen. Milliseconds. */
const PARALLEL_GRACE = 10_000;

export interface TokenResponse {
  readonly kind: 'token';
  readonly account: AccountRecord;
  readonly accessToken: string;
  /** Undefined if a parallel request has got it. */
  readonly refreshToken: string | undefined;
  /** Seconds. */
  readonly expiresIn: number;
  /** Milliseconds since 1970. */
  readonly issued: number;
  readonly expires: number;
}

/** An error of RFC 6749, "Error Response". */
export interface TokenError {
  readonly kind: 'refusal';
  readonly error:
    | 'invalid_request'
    | 'invalid_grant'
    | 'unsupported_grant_type'
    | 'slow_down'
    | 'code_missing'
    | 'code_wrong';
  readonly description: string;
  /** Seconds to wait after too many failures. */
  readonly retryAfter?: number;
}

export interface Grants {
  readonly records: AuthRecords;
  readonly world: World;
  readonly throttle: LoginThrottle;
  /** Whether tokens are bound to the client machine. */
  readonly bound: boolean;
}

/** Who gets tokens. */
export interface Grantee {
  /** IP address. */
  readonly address: string;
  /** The User-Agent header. */
  readonly agent?: string | undefined;
  /** Lifetime of access tokens in seconds; by default ACCESS_LIFETIME. */
  readonly lifetime?: number;
  /**
   * Whether a refresh token that a parallel request has used a moment ago still gives an access token, but no other refresh token: the tabs
   * of a browser share a refresh token, and cannot always wait for each other.
   */
  readonly sharesRefresh?: boolean;
}

/**
 * Processes a token request. Throws: auth.busy.
 * @param fields the fields of the form
 */
export async function grant(
  fields: ReadonlyMap<string, string>,
  grantee: Pick<Grantee, 'address' | 'agent'>,
  grants: Grants,
): Promise<TokenResponse | TokenError> {
  switch (fields.get('grant_type')) {
    case 'password':
      return await grantFields(fields, grantee, grants);
    case 'refresh_token': {
      const token = fields.get('refresh_token');
      if (!token) return refuse('invalid_request', 'The field refresh_token is required.');
      return await grantRefresh(token, grantee, grants);
    }
    case undefined:
      return refuse(
        'invalid_request',
        'The field grant_type is missing. Send "password" or "refresh_token".',
      );
    default:
      return refuse(
        'unsupported_grant_type',
        'The grant type is not supported. Send "password" or "refresh_token".',
      );
  }
}

/** The machine of a client, to which its tokens and failures belong; empty if tokens are not bound. */
function machineIn({ bound }: Pick<Grants, 'bound'>, address: string): string {
  return bound ? machineOf(address) : '';
}

async function grantFields(
  fields: ReadonlyMap<string, string>,
  grantee: Grantee,
  grants: Grants,
): Promise<TokenResponse | TokenError> {
  const loginName = fields.get('username');
  const password = fields.get('password');
  if (!loginName || !password)
    return refuse('invalid_request', 'The fields username and password are required.');
  const code = fields.get('otp');
  return await grantPassword({ loginName, password, code }, grantee, grants);
}

/** Tokens for a name and a password. Throws: auth.busy. */
export async function grantPassword(
  {
    code,
    ...credentials
  }: Pick<Attempt, 'loginName' | 'password'> & { readonly code?: string | undefined },
  grantee: Grantee,
  grants: Grants,
): Promise<TokenResponse | TokenError> {
  const machine = machineIn(grants, grantee.address);
  const result = await tryPassword({ ...credentials, machine }, grants);
  if (result.kind === 'slowed') return slowDown(result.seconds);
  if (result.kind === 'wrong')
    return refuse('invalid_grant', 'The user name or the password is wrong.');
  const refusal = await refusalOfCode(result.account, code, grants);
  if (refusal !== undefined) return refusal;
  return await openLogin(result.account, { ...grantee, method: 'password' }, grants);
}

function slowDown(seconds: number): TokenError {
  const description = `Too many failed attempts. Try again in ${counted(seconds, 'second')}.`;
  return { ...refuse('slow_down', description), retryAfter: seconds };
}

/** Why the account gets no tokens although its password is right: it has a second factor, and the code is missing or wrong. */
async function refusalOfCode(
  { uid, loginName }: AccountRecord,
  code: string | undefined,
  grants: Grants,
): Promise<TokenError | undefined> {
  if (!(await grants.records.needsCode(uid))) return undefined;
  if (code === undefined || code === '')
    return refuse('code_missing', 'The account has a second factor: send a code in the field otp.');
  const attempt = await tryCode({ account: uid, loginName }, code, grants);
  if (attempt.kind === 'slowed') return slowDown(attempt.seconds);
  if (attempt.kind === 'right') return undefined;
  return refuse('code_wrong', 'The code is not valid, or has been used. Wait for the next one.');
}

type CodeResult =
  | { readonly kind: 'right' | 'wrong' }
  | { readonly kind: 'slowed'; readonly seconds: number };

/** Who guesses codes knows the password, perhaps on many machines, so that failures count for the account alone. Throws: auth.busy. */
async function tryCode(
  { account, loginName }: Pick<Principal, 'account' | 'loginName'>,
  code: string,
  { records, throttle, world }: Pick<Grants, 'records' | 'throttle' | 'world'>,
): Promise<CodeResult> {
  const admission = await throttle.begin(loginName, `codes of ${account}`);
  if (admission.kind === 'slowed') return admission;
  let outcome: Outcome = 'undecided';
  try {
    outcome = (await records.spendCode(account, code, world.now())) ? 'succeeded' : 'failed';
    return { kind: outcome === 'succeeded' ? 'right' : 'wrong' };
  } finally {
    admission.end(outcome);
  }
}

/** Spends a code of the second factor. Throws: auth.second-factor-none, auth.second-factor-code, auth.slowed, auth.busy. */
export async function confirmCode(
  principal: Pick<Principal, 'account' | 'loginName'>,
  code: string,
  grants: Pick<Grants, 'records' | 'throttle' | 'world'>,
): Promise<void> {
  if (!(await grants.records.needsCode(principal.account))) throw noFactor('remove');
  const result = await tryCode(principal, code, grants);
  if (result.kind === 'slowed') throw slowed(result.seconds);
  if (result.kind === 'wrong') throw wrongCode();
}

/** Tokens for an account that has proved who it is. */
export async function openLogin(
  account: AccountRecord,
  { address, agent, lifetime, method }: Grantee & { readonly method: LoginMethod },
  grants: Grants,
): Promise<TokenResponse> {
  const pair = createPair(grants.world, lifetime);
  await grants.records.openLogin(
    { account: account.uid, client: machineIn(grants, address), address, agent, method },
    pair.records,
    pair.answer.issued,
  );
  return { ...pair.answer, account };
}

interface Attempt {
  readonly loginName: string;
  readonly machine: string;
  readonly password: string;
}

type AttemptResult =
  | { readonly kind: 'right'; readonly account: AccountRecord }
  | { readonly kind: 'wrong' }
  /** The password was not checked because of earlier failures. */
  | { readonly kind: 'slowed'; readonly seconds: number };

/** Checks a password. It takes the same time for unknown and blocked accounts. Throws: auth.busy. */
async function tryPassword(
  attempt: Attempt,
  { records, throttle }: Pick<Grants, 'records' | 'throttle'>,
): Promise<AttemptResult> {
  const admission = await throttle.begin(attempt.loginName, attempt.machine);
  if (admission.kind === 'slowed') return admission;
  let outcome: Outcome = 'undecided';
  try {
    const account = await accountOf(attempt, records);
    outcome = account === undefined ? 'failed' : 'succeeded';
    return account === undefined ? { kind: 'wrong' } : { kind: 'right', account };
  } finally {
    admission.end(outcome);
  }
}

/** The account, if it is not blocked and the password is right. */
async function accountOf(
  { loginName, password }: Attempt,
  records: AuthRecords,
): Promise<AccountRecord | undefined> {
  const account = await records.findAccount(loginName);
  const usable = account !== undefined && !account.blocked ? account : undefined;
  return (await checkPassword(password, usable?.passwordHash)) ? usable : undefined;
}

/** New tokens for a refresh token, which is used up by that. */
export async function grantRefresh(
  token: string,
  { address, lifetime, sharesRefresh = false }: Grantee,
  grants: Grants,
): Promise<TokenResponse | TokenError> {
  const { records, world } = grants;
  const machine = machineIn(grants, address);
  const isFrom = ({ client }: LoginRecord) => client === machine || client === '';
  const pair = createPair(world, lifetime);
  const { issued } = pair.answer;
  const spending = await records.spendRefresh(hashToken(token), issued, (login) =>
    isFrom(login) ? pair.records(login.id) : undefined,
  );
  if (spending.kind === 'spent') return { ...pair.answer, account: spending.account };
  if (spending.kind === 'reused') {
    const { login, usedAt } = spending;
    if (issued - usedAt > PARALLEL_GRACE) await records.endLogin(login.id);
    else if (sharesRefresh && isFrom(login)) {
      const [access] = pair.records(login.id);
      const account = await records.addAccess(access, issued);
      if (account !== undefined) return { ...pair.answer, refreshToken: undefined, account };
    }
  }
  return refuse(
    'invalid_grant',
    'The refresh token is unknown, expired, already used, or bound to another machine. Log in again.',
  );
}

function createPair(
  world: World,
  lifetime = ACCESS_LIFETIME,
): {
  readonly answer: Omit<TokenResponse, 'account'>;
  readonly records: (login: bigint) => readonly [TokenRecord, TokenRecord];
} {
  const issued = world.now();
  const access = makeToken(world);
  const refresh = makeToken(world);
  const expires = issued + lifetime * 1000;
  return {
    answer: {
      kind: 'token',
      accessToken: access.text,
      refreshToken: refresh.text,
      expiresIn: lifetime,
      issued,
      expires,
    },
    records: (login) => [
      { hash: access.hash, login, kind: 'access', expires },
      { hash: refresh.hash, login, kind: 'refresh', expires: issued + REFRESH_LIFETIME * 1000 },
    ],
  };
}

function refuse(error: TokenError['error'], description: string): TokenError {
  return { kind: 'refusal', error, description };
}

// ---- changes of passwords -------------------------------------------------------------------------------------------

/** The hash that the current password matched. Only this hash may be replaced. */
export type KnownHash = string;

/**
 * Checks the current password of an account. Throws: auth.current-password, auth.slowed, auth.busy.
 * @param address the client's IP address
 */
export async function confirmPassword(
  { account: key, loginName }: Pick<Principal, 'account' | 'loginName'>,
  { password, address }: { readonly password: string; readonly address: string },
  grants: Pick<Grants, 'records' | 'throttle' | 'bound'>,
): Promise<KnownHash> {
  const machine = machineIn(grants, address);
  const result = await tryPassword({ loginName, machine, password }, grants);
  if (result.kind === 'slowed') throw slowed(result.seconds);
  const hash = result.kind === 'right' ? result.account.passwordHash : undefined;
  if (result.kind === 'wrong' || result.account.uid !== key || hash === undefined)
    throw wrongPassword();
  return hash;
}

/** The error for a password that is wrong, or has been changed in the meantime. */
export function wrongPassword(): Fault {
  return new Fault('auth.current-password', {}, { target: 'CurrentPassword' });
}
