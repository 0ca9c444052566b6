// This file defines the error of a read that a rule needs.

/** A read within the service that returned an error. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  /** Whether the same read would fail again. */
  readonly isFinal: boolean;

  constructor(url: string, status: number, body: Readonly<Record<string, unknown>>) {
    super(`${decodeURIComponent(url)} returned ${status}: ${messageOf(body)}`);
    this.isFinal = status < 500;
  }
}

/** The message of an error response. */
export function messageOf({ error }: Readonly<Record<string, unknown>>): string {
  return String(Reflect.get(Object(error), 'message'));
}
