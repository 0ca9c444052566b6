// This file parses binary values, base64url in OData, and decodes them.
// OData ABNF, rule binaryValue; RFC 4648, "Base 64 Encoding with URL and Filename Safe Alphabet".
import type { Facets } from '../model.ts';
import { expected, found, type ReadResult } from './read-result.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Reads base64url without padding, and also plain base64 and padding, which many clients send. */
export function readBinary(text: string, facets: Facets): ReadResult<string> {
  const value = text
    .replace(/={1,2}$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  const isPadded = text.endsWith('=') && text.length % 4 !== 0;
  if (!/^[\w-]*$/.test(value) || isPadded || !endsCleanly(value)) {
    return expected('base64url data');
  }
  const length = Math.floor((value.length * 3) / 4);
  if (facets.maxLength !== undefined && length > facets.maxLength) {
    return expected(`at most ${facets.maxLength} bytes (there are ${length})`);
  }
  return found(value);
}

/** Decodes a canonical binary value. */
export function bytesOf(value: string): Uint8Array {
  const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Whether the bits after the last byte are zero, so that each value has only one representation. */
function endsCleanly(value: string): boolean {
  const rest = value.length % 4;
  const last = ALPHABET.indexOf(value.at(-1) ?? 'A');
  if (rest === 1) return false;
  return rest === 0 || (rest === 2 ? last % 16 === 0 : last % 4 === 0);
}
