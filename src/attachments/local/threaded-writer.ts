// Writes files in a separate thread, so that computing digests and calling the file system do not delay other requests. The memory of the
// bytes is transferred to that thread, so nothing is copied and this thread has nothing to collect.
import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { PARTIAL } from '../store.ts';
import { type FileWriter, type GrowingFile, sizeOf } from './write-file.ts';

/** A call of a method of a file in the thread, which processes the calls of a file in order. */
export interface FileRequest {
  readonly id: number;
  /** The number of the file, and its path. */
  readonly file: number;
  readonly path: string;
  readonly method: keyof GrowingFile;
  /** Each has its own ArrayBuffer. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** The result of the request with that id: the SHA-256 of a kept file, or the reason of a failure. */
export interface FileReply {
  readonly id: number;
  readonly sha256?: string;
  readonly failure?: { readonly message: string; readonly code: string | undefined };
}

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

interface Call {
  readonly resolve: (sha256: string) => void;
  readonly reject: (error: Error) => void;
}

/** The thread and the calls that it has not answered yet. */
class FileThread {
  readonly #worker = new Worker(new URL('./writer-thread.js', import.meta.url));
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  /** The reason why the thread has exited; undefined while it is running. */
  end: Error | undefined;

  constructor() {
    // The thread keeps the process alive only while it has calls to answer.
    this.#worker.unref();
    this.#worker.on('message', (reply: FileReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#failAll(error));
    this.#worker.on('exit', () => this.#failAll(new Error('the file writer thread has exited')));
  }

  /** Calls a method in the thread. Returns the SHA-256 of a kept file, otherwise an empty string. Throws also the reason of the exit. */
  async call(request: Omit<FileRequest, 'id'>): Promise<string> {
    if (this.end !== undefined) throw this.end;
    if (this.#calls.size === 0) this.#worker.ref();
    const id = ++this.#lastId;
    const buffers = request.chunks.map(({ buffer }) => buffer);
    return await new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id } satisfies FileRequest, buffers);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive({ id, sha256 = '', failure }: FileReply): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.#worker.unref();
    if (failure === undefined) call?.resolve(sha256);
    else call?.reject(Object.assign(new Error(failure.message), { code: failure.code }));
  }

  #failAll(error: unknown): void {
    if (this.end !== undefined) return;
    this.end = error instanceof Error ? error : new Error(String(error));
    for (const { reject } of this.#calls.values()) reject(this.end);
    this.#calls.clear();
  }
}

/** A file that the thread writes. After a failure, every call but `discard` fails with the same reason. */
class ThreadedFile implements GrowingFile {
  readonly #id: number;
  readonly #path: string;
  readonly #thread: FileThread;
  /** The writes that the thread has not completed, oldest first, and their bytes. */
  readonly #writes = new Set<Promise<void>>();
  #waiting = 0;

  constructor(id: number, path: string, thread: FileThread) {
    this.#id = id;
    this.#path = path;
    this.#thread = thread;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    const size = sizeOf(chunks);
    this.#waiting += size;
    const written = this.#call('write', chunks).then(() => {
      this.#waiting -= size;
      this.#writes.delete(written);
    });
    // A failure is thrown by a later call.
    written.catch(() => undefined);
    this.#writes.add(written);
    for (const oldest of this.#writes) if (this.#waiting > MAX_WAITING) await oldest;
  }

  async keep(chunks: readonly Uint8Array[]): Promise<string> {
    return await this.#call('keep', chunks);
  }

  async discard(): Promise<void> {
    try {
      await this.#call('discard', []);
    } catch {
      // The thread has exited without removing the temporary file.
      await rm(`${this.#path}${PARTIAL}`, { force: true }).catch(() => undefined);
    }
  }

  async #call(method: FileRequest['method'], chunks: readonly Uint8Array[]): Promise<string> {
    const own = chunks.map(withOwnBuffer);
    return await this.#thread.call({ file: this.#id, path: this.#path, method, chunks: own });
  }
}

/** The bytes in an ArrayBuffer of their own. They are copied if they are a view of a part of a buffer. */
function withOwnBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = chunk;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(chunk);
}
