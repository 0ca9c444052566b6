// A sign-in that a browser has begun. The browser keeps it in a cookie while it is at the issuer, so that every node can finish it. State,
// nonce and code verifier are derived from its secret: who changes the issuer or the path of an attempt has the state of another one.
import { createHash, createHmac } from 'node:crypto';
import type { World } from '../../base/world.ts';

/** Seconds in which people sign in at the issuer. */
export const ATTEMPT_LIFETIME = 600;

export interface SignInAttempt {
  /** URL of the issuer. */
  readonly issuer: string;
  /** Where the browser goes afterwards. */
  readonly returnTo: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** 256 random bits. */
  readonly secret: string;
}

export function newAttempt(
  { issuer, returnTo }: Pick<SignInAttempt, 'issuer' | 'returnTo'>,
  world: World,
): SignInAttempt {
  const secret = Buffer.from(world.randomBytes(32)).toString('base64url');
  return { issuer, returnTo, started: world.now(), secret };
}

/** RFC 6749, 10.12: the issuer returns it with the browser. */
export function stateOf(attempt: SignInAttempt): string {
  return derived(attempt, 'state');
}

/** OpenID Connect Core 1.0, 15.5.2: the ID token contains it. */
export function nonceOf(attempt: SignInAttempt): string {
  return derived(attempt, 'nonce');
}

/** RFC 7636, 4.1: proves to the issuer that the code belongs to this attempt. */
export function verifierOf(attempt: SignInAttempt): string {
  return derived(attempt, 'verifier');
}

/** RFC 7636, 4.2. */
export function challengeOf(attempt: SignInAttempt): string {
  return createHash('sha256').update(verifierOf(attempt)).digest('base64url');
}

function derived({ secret, ...rest }: SignInAttempt, purpose: string): string {
  const { issuer, returnTo, started } = rest;
  const text = JSON.stringify([purpose, issuer, returnTo, started]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** The attempt as the value of a cookie. */
export function printAttempt({ issuer, returnTo, started, secret }: SignInAttempt): string {
  return Buffer.from(JSON.stringify([issuer, returnTo, started, secret])).toString('base64url');
}

/** Returns undefined for a value that is no attempt, or one that began too long ago. */
export function readAttempt(text: string, now: number): SignInAttempt | undefined {
  const [issuer, returnTo, started, secret] = listIn(text);
  if (typeof issuer !== 'string' || typeof returnTo !== 'string') return undefined;
  if (typeof started !== 'number' || typeof secret !== 'string') return undefined;
  const isRecent = started <= now && now - started <= ATTEMPT_LIFETIME * 1000;
  return isRecent ? { issuer, returnTo, started, secret } : undefined;
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
