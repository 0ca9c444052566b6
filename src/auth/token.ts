// This file makes opaque tokens and their hashes. A token is 256 random bits; only its SHA-256 is kept (RFC 6750, "Security Considerations").
import { hash } from 'node:crypto';
import type { World } from '../base/world.ts';

/** Seconds. */
export const ACCESS_LIFETIME = 3600;
export const REFRESH_LIFETIME = 7 * 24 * 3600;

export interface MadeToken {
  /** What the client gets: 43 characters of base64url. */
  readonly text: string;
  readonly hash: string;
}

export function makeToken(world: World): MadeToken {
  const text = Buffer.from(world.randomBytes(32)).toString('base64url');
  return { text, hash: hashToken(text) };
}

/** What is kept of a token. */
export function hashToken(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * The machine a token is bound to: the IPv4 address, or the /64 of an IPv6 address, since hosts change the lower half at will.
 * IPv4 written as IPv6 (`::ffff:1.2.3.4`) is the IPv4 address.
 */
export function machineOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  return expandGroups(plain).slice(0, 4).join(':');
}

function expandGroups(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(missing).fill('0'), ...right].map((group) =>
    group.replace(/^0+(?=.)/, ''),
  );
}
