// This file generates GUIDs. RFC 9562, "UUID Version 7".

/**
 * A GUID of version 7, which sorts by the time of its creation.
 * @param milliseconds the Unix time
 * @param random ten random bytes
 */
export function timeOrderedGuid(milliseconds: number, random: Uint8Array): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  const rest = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const variant = (8 + (((random[2] ?? 0) >> 4) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(5, 8)}-${rest.slice(8, 20)}`;
}
