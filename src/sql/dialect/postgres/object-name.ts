// This file shortens the names of indexes, triggers, constraints and hidden columns to the length that PostgreSQL accepts.

/** Bytes of a name. PostgreSQL, "Identifiers and Key Words": NAMEDATALEN - 1. It cuts longer names, so that they may clash. */
const MAX_BYTES = 63;
/** Length of the hash that ends a shortened name. */
const HASH_DIGITS = 11;

/** The name itself, or its first characters, `~` and a hash of the whole name. */
export function objectName(name: string): string {
  if (byteLength(name) <= MAX_BYTES) return name;
  const end = `~${hashOf(name)}`;
  let start = '';
  for (const character of name) {
    if (byteLength(start + character) > MAX_BYTES - end.length) break;
    start += character;
  }
  return start + end;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

const MASK = (1n << 56n) - 1n;

/** FNV-1a with 64 bits, reduced to 56. */
function hashOf(name: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return ((hash >> 56n) ^ (hash & MASK))
    .toString(36)
    .padStart(HASH_DIGITS, '0')
    .slice(-HASH_DIGITS);
}
