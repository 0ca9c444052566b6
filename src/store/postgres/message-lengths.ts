// This file reads the lengths of the messages that a PostgreSQL server sends, before the driver collects them. A message may have a
// gigabyte, of which the driver cannot make a text: its error would end the process.

/** Type and length. PostgreSQL, "Message Formats". */
const HEADER = 5;

export class MessageLengths {
  readonly #header = Buffer.alloc(HEADER);
  /** Bytes of the header, and bytes after it that are still to come. */
  #known = 0;
  #left = 0;

  /** The greatest length of the messages that begin in the chunk, in bytes. Chunks must be read in order, beginning with a message. */
  longestIn(chunk: Uint8Array): number {
    let longest = 0;
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, chunk.length - at);
        this.#left -= passed;
        at += passed;
      } else {
        at += this.#readHeader(chunk.subarray(at, at + HEADER - this.#known));
        longest = Math.max(longest, this.#left);
      }
    }
    return longest;
  }

  #readHeader(part: Uint8Array): number {
    this.#header.set(part, this.#known);
    this.#known += part.length;
    if (this.#known === HEADER) {
      // The length counts itself.
      this.#left = this.#header.readUInt32BE(1) - 4;
      this.#known = 0;
    }
    return part.length;
  }
}
