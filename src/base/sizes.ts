// This file defines the unit of limits whose settings are in megabytes.

/** Bytes of a megabyte, as settings and messages use the word. */
export const MEGABYTE = 1_048_576;
