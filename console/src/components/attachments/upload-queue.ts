// This file uploads files: at most three at the same time, each with its progress, and the way to cancel it and to try again.
import { urlOf } from '../../api/client.ts';
import { RequestFailed } from '../../api/request-failed.ts';
import { accessToken } from '../../session/session.ts';

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

export class UploadQueue {
  readonly #path: string;
  readonly #onDone: () => void;
  #uploads: readonly Upload[] = [];
  #last = 0;
  readonly #requests = new Map<number, XMLHttpRequest>();
  readonly #resolutions = new Map<number, ClashResolution>();
  readonly #listeners = new Set<() => void>();

  /** @param path of the collection of files */
  constructor(path: string, onDone: () => void) {
    this.#path = path;
    this.#onDone = onDone;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly uploads = (): readonly Upload[] => this.#uploads;

  add(files: readonly File[]): void {
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
    this.#update(id, { state: 'waiting', progress: 0 });
    this.#startNext();
  }

  #startNext(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const waiting = this.#uploads.filter(({ state }) => state === 'waiting');
    for (const upload of waiting.slice(0, Math.max(0, PARALLEL - sending))) {
      this.#update(upload.id, { state: 'sending' });
      void this.#send(upload).catch(() => this.#fail(upload.id, 0, ''));
    }
  }

  async #send({ id, file, name }: Upload): Promise<void> {
    const token = await accessToken();
    if (!this.#uploads.some((upload) => upload.id === id)) return;
    const request = new XMLHttpRequest();
    this.#requests.set(id, request);
    request.open('POST', urlOf(this.#path));
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.setRequestHeader('Accept', 'application/json');
    const resolution = this.#resolutions.get(id);
    if (resolution !== undefined)
      request.setRequestHeader('Prefer', `conflict-resolution=${resolution}`);
    request.upload.onprogress = ({ loaded, total }) =>
      this.#update(id, { progress: total === 0 ? 0 : loaded / total });
    request.onload = () => this.#finish(id, request);
    request.onerror = () => this.#fail(id, 0, '');
    const body = new FormData();
    // The name of the field becomes the name of the attachment.
    body.append(name, file, name);
    request.send(body);
  }

  #finish(id: number, request: XMLHttpRequest): void {
    if (request.status >= 200 && request.status < 300) {
      this.#requests.delete(id);
      this.#change(this.#uploads.filter((upload) => upload.id !== id));
      this.#onDone();
      this.#startNext();
    } else this.#fail(id, request.status, request.responseText);
  }

  #fail(id: number, status: number, body: string): void {
    this.#requests.delete(id);
    const error = new RequestFailed(status, errorOf(status, body));
    this.#update(id, { state: status === 409 ? 'clash' : 'failed', error });
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

function errorOf(status: number, body: string) {
  try {
    const { error } = JSON.parse(body) as { error: { code: string; message: string } };
    return error;
  } catch {
    return { code: 'http', message: String(status) };
  }
}
