// This file answers the token endpoint: the grants `password` and `refresh_token` of RFC 6749, with rotation of refresh tokens after
// RFC 9700, "Refresh Token Protection". Unknown user and wrong password look and last the same.
import type { World } from '../base/world.ts';
import type { AccountRecord, AuthRecords, TokenRecord } from './auth-records.ts';
import type { LoginThrottle, Outcome } from './login-throttle.ts';
import { checkPassword } from './password.ts';
import { ACCESS_LIFETIME, hashToken, machineOf, makeToken, REFRESH_LIFETIME } from './token.ts';

/** A refresh token used again within this time is a client refreshing in parallel; later it is taken for stolen. Milliseconds. */
const PARALLEL_GRACE = 10_000;

export interface TokenAnswer {
  readonly kind: 'token';
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Milliseconds since 1970. */
  readonly issued: number;
  readonly expires: number;
}

/** A refusal in the terms of RFC 6749, "Error Response". */
export interface TokenRefusal {
  readonly kind: 'refusal';
  readonly error: 'invalid_request' | 'invalid_grant' | 'unsupported_grant_type' | 'slow_down';
  readonly description: string;
  /** Seconds to wait, where guessing is slowed down. */
  readonly retryAfter?: number;
}

export interface Grants {
  readonly records: AuthRecords;
  readonly world: World;
  readonly throttle: LoginThrottle;
  /** Whether tokens are tied to the client machine. */
  readonly bound: boolean;
}

/**
 * The answer to a token request.
 * @param fields the form's fields, each given once
 * @param address the client's IP address
 * Fault auth.busy when too many log-ins are being checked.
 */
export async function grant(
  fields: ReadonlyMap<string, string>,
  address: string,
  grants: Grants,
): Promise<TokenAnswer | TokenRefusal> {
  const machine = machineIn(grants, address);
  switch (fields.get('grant_type')) {
    case 'password':
      return await grantPassword(fields, { machine, address }, grants);
    case 'refresh_token':
      return await grantRefresh(fields, machine, grants);
    case undefined:
      return refuse(
        'invalid_request',
        'The field grant_type is missing; send "password" or "refresh_token".',
      );
    default:
      return refuse(
        'unsupported_grant_type',
        'The grant types are "password" and "refresh_token".',
      );
  }
}

/** The machine that failures and tokens are counted to. */
export function machineIn({ bound }: Pick<Grants, 'bound'>, address: string): string {
  return bound ? machineOf(address) : '';
}

async function grantPassword(
  fields: ReadonlyMap<string, string>,
  { machine, address }: { readonly machine: string; readonly address: string },
  grants: Grants,
): Promise<TokenAnswer | TokenRefusal> {
  const loginName = fields.get('username');
  const password = fields.get('password');
  if (!loginName || !password)
    return refuse('invalid_request', 'The fields username and password are needed.');
  const trial = await tryPassword({ loginName, machine, password }, grants);
  if (trial.kind === 'slowed')
    return {
      ...refuse('slow_down', `Too many attempts failed; try again in ${trial.seconds} seconds.`),
      retryAfter: trial.seconds,
    };
  if (trial.kind === 'wrong')
    return refuse('invalid_grant', 'The user name or the password is wrong.');

  const made = makePair(grants.world);
  await grants.records.openLogin(
    { account: trial.account.uid, client: machine, address },
    made.records,
    made.answer.issued,
  );
  return made.answer;
}

/** A password that is tried for a name, from a machine. */
export interface Attempt {
  readonly loginName: string;
  readonly machine: string;
  readonly password: string;
}

/** What came of it. */
export type Trial =
  | { readonly kind: 'right'; readonly account: AccountRecord }
  | { readonly kind: 'wrong' }
  /** It was not tried: others have failed before. */
  | { readonly kind: 'slowed'; readonly seconds: number };

/** Tries a password. Names that are unknown or blocked take as long as any. Fault auth.busy. */
export async function tryPassword(
  attempt: Attempt,
  { records, throttle }: Pick<Grants, 'records' | 'throttle'>,
): Promise<Trial> {
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

/** The account, where the password is that of one that is not blocked. */
async function accountOf(
  { loginName, password }: Attempt,
  records: AuthRecords,
): Promise<AccountRecord | undefined> {
  const account = await records.findAccount(loginName);
  const usable = account !== undefined && !account.blocked ? account : undefined;
  return (await checkPassword(password, usable?.passwordHash)) ? usable : undefined;
}

async function grantRefresh(
  fields: ReadonlyMap<string, string>,
  machine: string,
  grants: Grants,
): Promise<TokenAnswer | TokenRefusal> {
  const token = fields.get('refresh_token');
  if (!token) return refuse('invalid_request', 'The field refresh_token is needed.');
  const made = makePair(grants.world);
  const { issued } = made.answer;
  const spending = await grants.records.spendRefresh(hashToken(token), issued, (login) =>
    login.client === machine || login.client === '' ? made.records(login.id) : undefined,
  );
  if (spending.kind === 'spent') return made.answer;
  if (spending.kind === 'reused' && issued - spending.usedAt > PARALLEL_GRACE) {
    await grants.records.endLogin(spending.login.id);
  }
  return refuse(
    'invalid_grant',
    'The refresh token is unknown, expired, used already, or bound to another machine; log in again.',
  );
}

function makePair(world: World): {
  readonly answer: TokenAnswer;
  readonly records: (login: bigint) => readonly TokenRecord[];
} {
  const issued = world.now();
  const access = makeToken(world);
  const refresh = makeToken(world);
  const expires = issued + ACCESS_LIFETIME * 1000;
  return {
    answer: {
      kind: 'token',
      accessToken: access.text,
      refreshToken: refresh.text,
      expiresIn: ACCESS_LIFETIME,
      issued,
      expires,
    },
    records: (login) => [
      { hash: access.hash, login, kind: 'access', expires },
      { hash: refresh.hash, login, kind: 'refresh', expires: issued + REFRESH_LIFETIME * 1000 },
    ],
  };
}

function refuse(error: TokenRefusal['error'], description: string): TokenRefusal {
  return { kind: 'refusal', error, description };
}
