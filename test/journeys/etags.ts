// This file compares the ETags of reads, which identify a representation, with those of records and writes, which identify the entity.

/** `W/"7"` of `W/"7"` and of `W/"7.dGhl"`. */
export function entityTag(etag: unknown): string {
  return String(etag).replace(/^(W\/"\d+)\.[\w-]+"$/, '$1"');
}
