// This file signs references to messages and entities, so that a reply finds its thread although relays have replaced Message-IDs, and nobody
// can invent a reference to a thread. The key is a stored setting of the installation.
//     desk+900123.0f1e2d3c4b5a69788796@example.com     the address for replies to message 900123 (RFC 5233)
//     <ServiceRequests.12.0f1e2d3c4b5a69788796@example.com>     the root of all messages about a request, in References
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuthDatabase } from '../auth/database.ts';
import type { World } from '../base/world.ts';
import { settingOf, storeSetting } from '../store/installation-settings.ts';

/** A short text that only this installation can make of another text. */
export type Sign = (text: string) => string;

const KEY = 'mail key';
const KEY_BYTES = 32;
/** Hexadecimal digits of a signature: 80 bits, because an address has at most 64 characters before the @. */
const LENGTH = 20;
/** Characters before the @ that an address with a token may have by itself. */
export const LONGEST_TAGGED_NAME = 64 - '+'.length - 19 - '.'.length - LENGTH;

const TOKEN = new RegExp(`^(\\d{1,19})\\.([0-9a-f]{${LENGTH}})$`);
const TAG = new RegExp(`[+.](\\d{1,19}\\.[0-9a-f]{${LENGTH}})@[^@]*$`, 'i');
const ROOT = new RegExp(`^<(\\w+)\\.(\\d{1,19})\\.([0-9a-f]{${LENGTH}})@[^@]*>$`);

/** Returns the function that signs, with the key of the installation. The first process makes the key. */
export function mailSigner(database: AuthDatabase, world: World): () => Promise<Sign> {
  let known: Sign | undefined;
  return async () => {
    known ??= signWith(await database.write(() => keptKey(world)));
    return known;
  };
}

function* keptKey(world: World) {
  const stored = yield* settingOf(KEY);
  if (stored !== undefined) return stored;
  const key = Buffer.from(world.randomBytes(KEY_BYTES)).toString('base64url');
  yield* storeSetting(KEY, key);
  return key;
}

function signWith(key: string): Sign {
  return (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, LENGTH);
}

/** The token of a message in the queue. */
export function tokenOf(sign: Sign, uid: bigint): string {
  return `${uid}.${sign(`message ${uid}`)}`;
}

/** The message with the token; undefined if it is not one of this installation. */
export function messageOfToken(sign: Sign, token: string): bigint | undefined {
  const [, uid, signature] = TOKEN.exec(token) ?? [];
  if (uid === undefined || signature === undefined) return undefined;
  return isSame(signature, sign(`message ${uid}`)) ? BigInt(uid) : undefined;
}

/** The address with a token: a detail of the same mailbox. */
export function taggedAddress(address: string, token: string): string {
  const at = address.lastIndexOf('@');
  const name = address.slice(0, at);
  return `${name}${name.includes('+') ? '.' : '+'}${token}${address.slice(at)}`;
}

/** What may be a token in an address. Mail servers may change its case. */
export function tokenIn(address: string): string | undefined {
  return TAG.exec(address)?.[1]?.toLowerCase();
}

/** `Desk+12@Example.com` reaches the mailbox `desk@example.com`. */
export function withoutTag(address: string): string {
  const lower = address.toLowerCase();
  const [plus, at] = [lower.indexOf('+'), lower.lastIndexOf('@')];
  return plus < 0 || plus > at ? lower : lower.slice(0, plus) + lower.slice(at);
}

/** The reference that all messages about an entity have in common. */
export function rootReference(sign: Sign, entity: string, host: string): string {
  const record = entity.replace(/\W+/g, '.').replace(/\.$/, '');
  return `<${record}.${sign(`entity ${entity}`)}@${host}>`;
}

/** The entity of a common reference, relative to the service root; undefined if it is none of this installation. */
export function entityOfRoot(sign: Sign, reference: string): string | undefined {
  const [, set, key, signature] = ROOT.exec(reference) ?? [];
  if (signature === undefined) return undefined;
  const entity = `${set}(${key})`;
  return isSame(signature, sign(`entity ${entity}`)) ? entity : undefined;
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
