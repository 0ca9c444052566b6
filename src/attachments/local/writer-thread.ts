// This file is what runs in the thread of a threaded writer: it writes the files that it is told of, each piece after the one before.
import { MessageChannel, parentPort } from 'node:worker_threads';
import { invariant } from '../../base/fault.ts';
import type { FileReply, FileRequest } from './threaded-writer.ts';
import { codeOf, type GrowingFile, localWriter, sizeOf } from './write-file.ts';

const port = parentPort;
invariant(port !== null, 'this file runs in a thread');

/** Bytes after which it tells how far a file is. */
const TOLD_AFTER = 1_048_576;

interface Writing {
  readonly file: GrowingFile;
  /** All that has been asked for so far. */
  done: Promise<void>;
  hasFailed: boolean;
  /** Bytes that have been written, and those that have been told of. */
  written: number;
  told: number;
}

/** Nobody listens at its other end: what is posted to it is gone at once. */
const nowhere = new MessageChannel().port1;
nowhere.close();

const writer = localWriter();
const files = new Map<number, Writing>();

port.on('message', (request: FileRequest) => {
  const one = files.get(request.id) ?? begin(request);
  one.done = one.done.then(async () => await follow(one, request));
});

function begin({ id, place }: FileRequest): Writing {
  const file = writer.begin(place);
  const one = { file, done: Promise.resolve(), hasFailed: false, written: 0, told: 0 };
  files.set(id, one);
  return one;
}

/** Once a step has failed, those behind it are not done: what is left is to discard the file. */
async function follow(one: Writing, request: FileRequest): Promise<void> {
  if (one.hasFailed && request.kind !== 'discard') return;
  try {
    const reply = await answer(one, request);
    if (reply !== undefined) port?.postMessage(reply);
  } catch (error) {
    one.hasFailed = true;
    port?.postMessage(failure(request.id, error));
  }
}

async function answer(one: Writing, request: FileRequest): Promise<FileReply | undefined> {
  const { id } = request;
  switch (request.kind) {
    case 'write': {
      const size = sizeOf(request.pieces);
      await one.file.write(request.pieces);
      release(request.pieces);
      return progress(id, one, size);
    }
    case 'keep': {
      const sha256 = await one.file.keep(request.pieces);
      release(request.pieces);
      files.delete(id);
      return { kind: 'kept', id, sha256 };
    }
    case 'discard':
      await one.file.discard();
      files.delete(id);
      return { kind: 'discarded', id };
  }
}

/** Gives memory back now, rather than when the garbage collector comes: with fast uploads that would be a hundred megabytes later. */
function release(pieces: readonly Uint8Array<ArrayBuffer>[]): void {
  nowhere.postMessage(
    undefined,
    pieces.map(({ buffer }) => buffer),
  );
}

function progress(id: number, one: Writing, more: number): FileReply | undefined {
  one.written += more;
  if (one.written - one.told < TOLD_AFTER) return undefined;
  one.told = one.written;
  return { kind: 'written', id, bytes: one.written };
}

function failure(id: number, error: unknown): FileReply {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', id, message, code: codeOf(error) };
}
