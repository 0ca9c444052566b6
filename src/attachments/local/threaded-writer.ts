// This file writes files in a thread of its own, so that neither the digest of a file nor the many small errands to the system keep the
// other requests waiting. The bytes are handed over to the thread, memory and all: nothing is copied, and this thread has not to look
// after what it has handed over.
import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { PARTIAL } from '../store.ts';
import { type FileWriter, type GrowingFile, sizeOf } from './write-file.ts';

/** What the thread is asked. It follows the requests of a file one after the other. */
export type FileRequest = { readonly id: number; readonly place: string } & (
  | {
      readonly kind: 'write' | 'keep';
      /** Each has memory of its own. */
      readonly pieces: readonly Uint8Array<ArrayBuffer>[];
    }
  | { readonly kind: 'discard' }
);

export type FileReply = { readonly id: number } & (
  | { readonly kind: 'kept'; readonly sha256: string }
  | { readonly kind: 'discarded' }
  /** So many bytes of the file are written. */
  | { readonly kind: 'written'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }
);

/** Bytes of one file that wait for the thread at most. */
const MOST_WAITING = 2_097_152;

/** A writer with a thread, which starts with the first file, and again when it has ended. Its methods raise the errors of the system. */
export function threadedWriter(): FileWriter {
  let thread: FileThread | undefined;
  let last = 0;
  return {
    begin: (place) => {
      if (thread === undefined || thread.end !== undefined) thread = new FileThread();
      return new ThreadedFile(++last, place, thread);
    },
    close: async () => await thread?.close(),
  };
}

/** The thread, and the files that it has to do with. */
class FileThread {
  readonly #worker = new Worker(new URL('./writer-thread.js', import.meta.url));
  readonly #files = new Map<number, ThreadedFile>();
  /** Why it has ended; undefined as long as it has not. */
  end: Error | undefined;

  constructor() {
    // A process ends only when there are no files under way.
    this.#worker.unref();
    this.#worker.on('message', (reply: FileReply) => this.#files.get(reply.id)?.hear(reply));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread that writes files has ended')));
  }

  /** Brings a request of this file to the thread. Raises why the thread has ended, where it has. */
  ask(file: ThreadedFile, request: FileRequest, handedOver: readonly ArrayBuffer[] = []): void {
    if (this.end !== undefined) throw this.end;
    if (this.#files.size === 0) this.#worker.ref();
    this.#files.set(request.id, file);
    this.#worker.postMessage(request, handedOver);
  }

  forget(id: number): void {
    this.#files.delete(id);
    if (this.#files.size === 0) this.#worker.unref();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #lose(error: unknown): void {
    if (this.end !== undefined) return;
    this.end = error instanceof Error ? error : new Error(String(error));
    for (const file of this.#files.values()) file.fail(this.end);
    this.#files.clear();
  }
}

interface Waiting {
  /** What is waited for. */
  readonly kind: 'room' | 'kept' | 'discarded';
  readonly resolve: (sha256: string) => void;
  readonly reject: (error: Error) => void;
}

/** One file in the thread. Whoever writes it waits for one thing at a time: room, the end, or that it is gone. */
class ThreadedFile implements GrowingFile {
  readonly #id: number;
  readonly #place: string;
  readonly #thread: FileThread;
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  #given = 0;
  #written = 0;

  constructor(id: number, place: string, thread: FileThread) {
    this.#id = id;
    this.#place = place;
    this.#thread = thread;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#hand('write', pieces);
    if (this.#given - this.#written > MOST_WAITING) await this.#hearing('room');
  }

  async keep(pieces: readonly Uint8Array[]): Promise<string> {
    this.#hand('keep', pieces);
    const sha256 = await this.#hearing('kept');
    this.#thread.forget(this.#id);
    return sha256;
  }

  async discard(): Promise<void> {
    const request = { id: this.#id, place: this.#place, kind: 'discard' } as const;
    try {
      this.#failure = undefined;
      this.#thread.ask(this, request);
      await this.#hearing('discarded');
      this.#thread.forget(this.#id);
    } catch {
      // The thread has ended, and has left what it had written.
      await rm(`${this.#place}${PARTIAL}`, { force: true }).catch(() => undefined);
    }
  }

  /** What the thread says of this file. */
  hear(reply: FileReply): void {
    switch (reply.kind) {
      case 'written':
        this.#written = reply.bytes;
        if (this.#given - this.#written <= MOST_WAITING) this.#resolve('room');
        return;
      case 'failed':
        this.fail(Object.assign(new Error(reply.message), { code: reply.code }));
        return;
      case 'kept':
        this.#resolve('kept', reply.sha256);
        return;
      case 'discarded':
        this.#resolve('discarded');
    }
  }

  /** Whoever waits is told, or whoever comes next. */
  fail(error: Error): void {
    this.#failure = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #hand(kind: 'write' | 'keep', pieces: readonly Uint8Array[]): void {
    if (this.#failure !== undefined) throw this.#failure;
    const own = pieces.map(whollyOwned);
    this.#given += sizeOf(own);
    const buffers = own.map(({ buffer }) => buffer);
    this.#thread.ask(this, { id: this.#id, place: this.#place, kind, pieces: own }, buffers);
  }

  async #hearing(kind: Waiting['kind']): Promise<string> {
    return await new Promise<string>((resolve, reject) => {
      this.#waiting = { kind, resolve, reject };
    });
  }

  /** What is told of comes to nothing where something else is waited for. */
  #resolve(kind: Waiting['kind'], sha256 = ''): void {
    if (this.#waiting?.kind !== kind) return;
    this.#waiting.resolve(sha256);
    this.#waiting = undefined;
  }
}

/** Bytes with memory of their own, which is theirs alone: what is only a part of some memory is copied. */
function whollyOwned(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = piece;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(piece);
}
