// Writes files in a separate thread, so that computing digests and calling the file system do not delay other requests. The memory of the
// bytes is transferred to that thread, so nothing is copied and this thread has nothing to collect.
import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { PARTIAL } from '../store.ts';
import { type FileWriter, type GrowingFile, sizeOf } from './write-file.ts';

/** A request to the thread, which processes the requests of a file in order. */
export type FileRequest = { readonly id: number; readonly path: string } & (
  | {
      readonly kind: 'write' | 'keep';
      /** Each has its own ArrayBuffer. */
      readonly chunks: readonly Uint8Array<ArrayBuffer>[];
    }
  | { readonly kind: 'discard' }
);

export type FileReply = { readonly id: number } & (
  | { readonly kind: 'kept'; readonly sha256: string }
  | { readonly kind: 'discarded' }
  /** The total number of bytes written so far. */
  | { readonly kind: 'written'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }
);

/** Maximum number of bytes of a file that wait to be written. */
const MAX_WAITING = 2_097_152;

/** A writer with a thread, which is started with the first file and restarted if it has exited. Its methods throw system errors. */
export function threadedWriter(): FileWriter {
  let thread: FileThread | undefined;
  let last = 0;
  return {
    begin: (path) => {
      if (thread === undefined || thread.end !== undefined) thread = new FileThread();
      return new ThreadedFile(++last, path, thread);
    },
    close: async () => await thread?.close(),
  };
}

/** The thread and the files that it is writing. */
class FileThread {
  readonly #worker = new Worker(new URL('./writer-thread.js', import.meta.url));
  readonly #files = new Map<number, ThreadedFile>();
  /** The reason why the thread has exited; undefined while it is running. */
  end: Error | undefined;

  constructor() {
    // The thread keeps the process alive only while files are being written.
    this.#worker.unref();
    this.#worker.on('message', (reply: FileReply) => this.#files.get(reply.id)?.receive(reply));
    this.#worker.on('error', (error) => this.#failAll(error));
    this.#worker.on('exit', () => this.#failAll(new Error('the file writer thread has exited')));
  }

  /** Sends a request of this file to the thread. Throws the reason if the thread has exited. */
  send(file: ThreadedFile, request: FileRequest, transferred: readonly ArrayBuffer[] = []): void {
    if (this.end !== undefined) throw this.end;
    if (this.#files.size === 0) this.#worker.ref();
    this.#files.set(request.id, file);
    this.#worker.postMessage(request, transferred);
  }

  forget(id: number): void {
    this.#files.delete(id);
    if (this.#files.size === 0) this.#worker.unref();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #failAll(error: unknown): void {
    if (this.end !== undefined) return;
    this.end = error instanceof Error ? error : new Error(String(error));
    for (const file of this.#files.values()) file.fail(this.end);
    this.#files.clear();
  }
}

interface Waiting {
  readonly kind: 'capacity' | 'kept' | 'discarded';
  readonly resolve: (sha256: string) => void;
  readonly reject: (error: Error) => void;
}

/** A file that the thread writes. Its user waits for one event at a time. */
class ThreadedFile implements GrowingFile {
  readonly #id: number;
  readonly #path: string;
  readonly #thread: FileThread;
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  #sent = 0;
  #written = 0;

  constructor(id: number, path: string, thread: FileThread) {
    this.#id = id;
    this.#path = path;
    this.#thread = thread;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    this.#send('write', chunks);
    if (this.#sent - this.#written > MAX_WAITING) await this.#waitFor('capacity');
  }

  async keep(chunks: readonly Uint8Array[]): Promise<string> {
    this.#send('keep', chunks);
    const sha256 = await this.#waitFor('kept');
    this.#thread.forget(this.#id);
    return sha256;
  }

  async discard(): Promise<void> {
    const request = { id: this.#id, path: this.#path, kind: 'discard' } as const;
    try {
      this.#failure = undefined;
      this.#thread.send(this, request);
      await this.#waitFor('discarded');
      this.#thread.forget(this.#id);
    } catch {
      // The thread has exited without removing the temporary file.
      await rm(`${this.#path}${PARTIAL}`, { force: true }).catch(() => undefined);
    }
  }

  /** Handles a reply of the thread. */
  receive(reply: FileReply): void {
    switch (reply.kind) {
      case 'written':
        this.#written = reply.bytes;
        if (this.#sent - this.#written <= MAX_WAITING) this.#resolve('capacity');
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

  /** Rejects the pending call, or else the next one. */
  fail(error: Error): void {
    this.#failure = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #send(kind: 'write' | 'keep', chunks: readonly Uint8Array[]): void {
    if (this.#failure !== undefined) throw this.#failure;
    const own = chunks.map(withOwnBuffer);
    this.#sent += sizeOf(own);
    const buffers = own.map(({ buffer }) => buffer);
    this.#thread.send(this, { id: this.#id, path: this.#path, kind, chunks: own }, buffers);
  }

  async #waitFor(kind: Waiting['kind']): Promise<string> {
    return await new Promise<string>((resolve, reject) => {
      this.#waiting = { kind, resolve, reject };
    });
  }

  /** Has no effect if the user waits for another event. */
  #resolve(kind: Waiting['kind'], sha256 = ''): void {
    if (this.#waiting?.kind !== kind) return;
    this.#waiting.resolve(sha256);
    this.#waiting = undefined;
  }
}

/** The bytes in an ArrayBuffer of their own. They are copied if they are a view of a part of a buffer. */
function withOwnBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(chunk);
}
