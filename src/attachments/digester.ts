// This file takes the SHA-256 of files while they are written, in a thread of its own: the thread reads what has been written, which is
// still in the memory of the operating system, so that no bytes are handed over and the other requests do not wait. What is small is
// digested where it is.
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** What the thread is asked. The file, an open descriptor, has been written to this end: for now (`more`), or as a whole. */
export type DigestRequest =
  | {
      readonly kind: 'more' | 'whole';
      readonly id: number;
      readonly file: number;
      readonly end: number;
    }
  | { readonly kind: 'forget'; readonly id: number };

export type DigestReply =
  | { readonly kind: 'digest'; readonly id: number; readonly sha256: string }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

/** The digest of one file, which is written from its beginning to its end. */
export interface FileDigest {
  /** These bytes have been written, and the file ends here for now. */
  readonly take: (pieces: readonly Uint8Array[], end: number) => void;
  /** Lower-case hexadecimal digits. The file must stay open until then. */
  readonly finish: () => Promise<string>;
  /** Nobody asks for the digest any more. */
  readonly forget: () => void;
}

/** Bytes from which on a digest is worth the way to the thread and back. */
const LEAST = 131_072;
/** Bytes that the thread is told of at once, until the file is whole. */
const SHARE = 2_097_152;

interface Waiting {
  readonly resolve: (sha256: string) => void;
  readonly reject: (error: Error) => void;
}

/** Takes digests of files. */
export class Digester {
  /** Threads run compiled code only: from TypeScript sources all is done where it is asked. */
  readonly #hasThread = !import.meta.url.endsWith('.ts');
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #last = 0;

  /** @param file its descriptor, open for reading */
  begin(file: number): FileDigest {
    const inner = createHash('sha256');
    const id = ++this.#last;
    let isAway = false;
    let size = 0;
    let told = 0;
    return {
      take: (pieces, end) => {
        isAway ||= this.#hasThread && end >= LEAST;
        size = end;
        if (!isAway) for (const piece of pieces) inner.update(piece);
        else if (end - told >= SHARE) {
          this.#post({ kind: 'more', id, file, end });
          told = end;
        }
      },
      finish: async () => (isAway ? await this.#ask(id, file, size) : inner.digest('hex')),
      forget: () => {
        if (isAway) this.#post({ kind: 'forget', id });
      },
    };
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #post(request: DigestRequest): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(request);
  }

  async #ask(id: number, file: number, end: number): Promise<string> {
    const answer = new Promise<string>((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject }),
    );
    this.#post({ kind: 'whole', id, file, end });
    // A process ends only when nobody waits any more.
    this.#thread?.ref();
    return await answer;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./digest-thread.js', import.meta.url));
    thread.unref();
    thread.on('message', (reply: DigestReply) => this.#settle(reply));
    thread.on('error', (error) => this.#lose(thread, error));
    thread.on('exit', () => this.#lose(thread, new Error('the thread of digests has ended')));
    return thread;
  }

  #settle(reply: DigestReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#thread?.unref();
    if (reply.kind === 'digest') waiting?.resolve(reply.sha256);
    else waiting?.reject(new Error(reply.message));
  }

  /** The next file gets another thread. */
  #lose(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
