// This file uploads files: at most three at the same time, each with its progress, and the way to cancel it and to try again.
import { RequestFailed } from '../../api/request-failed.ts';
import { type FileRequest, sendFile } from '../../api/send-file.ts';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly name: string;
  /** Between 0 and 1. */
  readonly progress: number;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'clash';
  readonly error?: RequestFailed;
}

const PARALLEL = 3;

export type ClashResolution = 'rename' | 'replace';

type RequestOf = (file: File, resolution?: ClashResolution) => FileRequest;

/** The request that adds a file to a collection: the name of the field becomes the name of the attachment. */
function additionOf(file: File, resolution?: ClashResolution): FileRequest {
  const body = new FormData();
  body.append(file.name, file, file.name);
  const headers = resolution && { Prefer: `conflict-resolution=${resolution}` };
  return { method: 'POST', headers: { ...headers }, body };
}

export class UploadQueue {
  readonly #path: string;
  readonly #onDone: () => void;
  readonly #requestOf: RequestOf;
  #uploads: readonly Upload[] = [];
  #last = 0;
  #stored = 0;
  readonly #requests = new Map<number, AbortController>();
  readonly #resolutions = new Map<number, ClashResolution>();
  readonly #listeners = new Set<() => void>();

  /** @param path of the collection of files, or of what `requestOf` writes */
  constructor(path: string, onDone: () => void, requestOf: RequestOf = additionOf) {
    this.#path = path;
    this.#onDone = onDone;
    this.#requestOf = requestOf;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly uploads = (): readonly Upload[] => this.#uploads;

  /** The number of files that were stored since the queue was last at rest; 0 until it is again. */
  readonly stored = (): number => (this.#isBusy() ? 0 : this.#stored);

  #isBusy(): boolean {
    return this.#uploads.some(({ state }) => state === 'sending' || state === 'waiting');
  }

  add(files: readonly File[]): void {
    if (!this.#isBusy()) this.#stored = 0;
    const added = files.map((file): Upload => {
      this.#last += 1;
      // Files from the clipboard have no name that says anything, but one they must have.
      return { id: this.#last, file, name: file.name, progress: 0, state: 'waiting' };
    });
    this.#change([...this.#uploads, ...added]);
    this.#startNext();
  }

  cancel(id: number): void {
    this.#requests.get(id)?.abort();
    this.#requests.delete(id);
    this.#change(this.#uploads.filter((upload) => upload.id !== id));
    this.#startNext();
  }

  /** Sends a file again: after a failure, or with the way to treat a name that exists already. */
  retry(id: number, resolution?: ClashResolution): void {
    if (resolution !== undefined) this.#resolutions.set(id, resolution);
    if (!this.#isBusy()) this.#stored = 0;
    this.#update(id, { state: 'waiting', progress: 0 });
    this.#startNext();
  }

  #startNext(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const waiting = this.#uploads.filter(({ state }) => state === 'waiting');
    for (const upload of waiting.slice(0, Math.max(0, PARALLEL - sending))) {
      this.#update(upload.id, { state: 'sending' });
      void this.#send(upload);
    }
  }

  async #send({ id, file }: Upload): Promise<void> {
    const sending = new AbortController();
    this.#requests.set(id, sending);
    try {
      await sendFile(this.#path, {
        ...this.#requestOf(file, this.#resolutions.get(id)),
        onProgress: (progress) => this.#update(id, { progress }),
        signal: sending.signal,
      });
      this.#stored += 1;
      this.#change(this.#uploads.filter((upload) => upload.id !== id));
      this.#onDone();
    } catch (error) {
      const isKnown = error instanceof RequestFailed;
      const failed = isKnown ? error : new RequestFailed(0, { code: 'http', message: '' });
      this.#update(id, { state: failed.status === 409 ? 'clash' : 'failed', error: failed });
    }
    this.#requests.delete(id);
    this.#startNext();
  }

  #update(id: number, change: Partial<Upload>): void {
    this.#change(this.#uploads.map((one) => (one.id === id ? { ...one, ...change } : one)));
  }

  #change(next: readonly Upload[]): void {
    this.#uploads = next;
    for (const listener of this.#listeners) listener();
  }
}
