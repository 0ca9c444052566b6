// This file is the error that requests to the service reject with, and the way to find the mistakes of single fields in it.

export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
  /** Path of a property, such as `Status/Value`. */
  readonly target?: string;
}

/** The service returned an error, or could not be reached (status 0). */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly status: number;
  readonly code: string;
  readonly target: string | undefined;
  readonly details: readonly ErrorDetail[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, body: ErrorBody, headers?: Headers) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.target = body.target;
    this.details = body.details ?? [];
    const seconds = Number(headers?.get('Retry-After') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
    this.requestId = headers?.get('X-Request-ID') ?? undefined;
  }
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ErrorDetail[];
}

/** Reads the error of a response. Proxies send bodies of other forms: then the status line is the message. */
export async function readFailure(response: Response): Promise<RequestFailed> {
  const fallback = { code: 'http', message: `${response.status} ${response.statusText}`.trim() };
  const body = (await response.json().catch(() => ({}))) as { error?: ErrorBody };
  return new RequestFailed(response.status, body.error ?? fallback, response.headers);
}

/** Whether it is worth to send the request again later: the service is busy, restarting or out of reach. */
export function isTemporary(error: unknown): error is RequestFailed {
  return error instanceof RequestFailed && [0, 429, 502, 503, 504].includes(error.status);
}

/** Whether nothing has the key that a path names: no entity that the account may see, or its type has no such keys. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof RequestFailed)) return false;
  return error.status === 404 || (error.status === 400 && error.target === 'the path');
}

/** All mistakes of an error with their paths: those of `details`, or the error itself. */
export function mistakesOf(error: RequestFailed): readonly ErrorDetail[] {
  if (error.details.length > 0) return error.details;
  const { code, message, target } = error;
  return [target === undefined ? { code, message } : { code, message, target }];
}
