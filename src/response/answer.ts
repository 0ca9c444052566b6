// This file defines Answer, what the service gives back for a request, whatever carries it: a web server or a part of a batch.

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}
