// This file reads the lines of a text file in UTF-8 one after another, whatever the size of the file.
import { closeSync, openSync, readSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { reasonOf } from '../system-errors.ts';

/** Bytes that are read at a time. */
const PIECE = 1_048_576;

/** Maximum length of a line, or of a record of several lines. Bytes. */
export const RECORD_LIMIT = 16_777_216;

const LINE_FEED = 10;

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Without the line feed. Empty if there is a problem. */
  readonly bytes: Uint8Array;
  /** Why the line cannot be read. */
  readonly problem?: string;
}

/** The lines of a file. Throws: cli.file. */
export function* linesOf(path: string): Generator<Line> {
  let number = 0;
  let size = 0;
  let parts: Uint8Array[] = [];
  const end = (): Line => {
    const bytes = size > RECORD_LIMIT ? new Uint8Array() : Buffer.concat(parts);
    const problem = size > RECORD_LIMIT ? { problem: TOO_LONG } : {};
    parts = [];
    size = 0;
    number += 1;
    return { number, bytes, ...problem };
  };
  for (const piece of piecesOf(path)) {
    let start = 0;
    for (let feed = piece.indexOf(LINE_FEED); feed >= 0; feed = piece.indexOf(LINE_FEED, start)) {
      add(piece.subarray(start, feed));
      yield end();
      start = feed + 1;
    }
    add(piece.subarray(start));
  }
  if (size > 0) yield end();

  function add(part: Uint8Array): void {
    size += part.length;
    if (size > RECORD_LIMIT) parts = [];
    else if (part.length > 0) parts.push(part);
  }
}

const TOO_LONG = `it is longer than ${RECORD_LIMIT.toLocaleString('en')} bytes`;

function* piecesOf(path: string): Generator<Uint8Array> {
  const file = attempt(path, () => openSync(path, 'r'));
  try {
    for (;;) {
      const piece = new Uint8Array(PIECE);
      const count = attempt(path, () => readSync(file, piece));
      if (count === 0) return;
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(file);
  }
}

function attempt<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new Fault('cli.file', { file: path, reason: reasonOf(error) });
  }
}
