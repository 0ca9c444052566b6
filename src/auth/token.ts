// Opaque tokens and API keys of 256 random bits. Only their SHA-256 is stored (RFC 6750, "Security Considerations").
import { hash } from 'node:crypto';
import { ofLast } from '../base/memo.ts';
import type { World } from '../base/world.ts';

/** Seconds. */
export const ACCESS_LIFETIME = 3600;
export const REFRESH_LIFETIME = 7 * 24 * 3600;

export interface MadeToken {
  /** The token for the client; without a prefix, 43 characters of base64url. */
  readonly text: string;
  readonly hash: string;
}

export function makeToken(world: World): MadeToken {
  const text = Buffer.from(world.randomBytes(32)).toString('base64url');
  return { text, hash: hashToken(text) };
}

/** API keys start with it, so that scanners for secrets find them. */
const KEY_PREFIX = 'dkt_';

/** An API key: the prefix and 43 characters of base64url. */
export function makeKey(world: World): MadeToken {
  const text = `${KEY_PREFIX}${makeToken(world).text}`;
  return { text, hash: hashToken(text) };
}

/** Whether a text looks like an API key. */
export function isKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX);
}

/** The hash under which a token is stored. */
export function hashToken(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * The machine that a token is bound to: the IPv4 address, or the /64 prefix of an IPv6 address, because hosts change the lower half.
 * An IPv4-mapped IPv6 address (`::ffff:1.2.3.4`) counts as the IPv4 address.
 */
export const machineOf = ofLast((address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  return expandGroups(plain).slice(0, 4).join(':');
});

function expandGroups(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(missing).fill('0'), ...right].map((group) =>
    group.replace(/^0+(?=.)/, ''),
  );
}
