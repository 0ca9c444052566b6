// This file sends several reads, or changes of several entities, in one JSON batch (OData JSON Format 4.01, "Batch Requests and Responses").
import { requestJson } from './client.ts';
import { type ErrorBody, RequestFailed } from './request-failed.ts';

interface BatchResponse {
  readonly responses: readonly {
    readonly id: string;
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  }[];
}

export type BatchResult<T = unknown> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: RequestFailed };

/** A path to read, with headers of its own if it needs them. */
export type BatchRead =
  | string
  | { readonly path: string; readonly headers: Readonly<Record<string, string>> };

interface BatchRequest {
  readonly method: 'GET' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const JSON_TYPE = 'application/json;IEEE754Compatible=true';

/** Reads paths in one request. The results are in the order of the paths; one that fails does not stop the others. */
export async function readTogether(
  reads: readonly BatchRead[],
  signal?: AbortSignal,
): Promise<readonly BatchResult[]> {
  const requests = reads.map((read): BatchRequest => {
    const { path, headers } = typeof read === 'string' ? { path: read, headers: {} } : read;
    return { method: 'GET', url: path, headers: { accept: JSON_TYPE, ...headers } };
  });
  return await send(requests, signal);
}

export interface Change {
  readonly path: string;
  /** The values to change; without it, the entity is deleted. */
  readonly body?: unknown;
  readonly prefer: string;
}

/** Changes or deletes entities in one request, each by itself. The results are in the order of the changes. */
export async function changeTogether(changes: readonly Change[]): Promise<readonly BatchResult[]> {
  const requests = changes.map(
    ({ path, body, prefer }): BatchRequest =>
      body === undefined
        ? { method: 'DELETE', url: path, headers: { accept: JSON_TYPE, prefer } }
        : {
            method: 'PATCH',
            url: path,
            headers: { accept: JSON_TYPE, 'content-type': JSON_TYPE, prefer },
            body,
          },
  );
  return await send(requests, undefined);
}

async function send(
  requests: readonly BatchRequest[],
  signal: AbortSignal | undefined,
): Promise<readonly BatchResult[]> {
  const { responses } = await requestJson<BatchResponse>('$batch', {
    method: 'POST',
    headers: { Prefer: 'continue-on-error' },
    body: { requests: requests.map((one, index) => ({ id: String(index), ...one })) },
    signal,
  });
  const byId = new Map(responses.map((response) => [response.id, response]));
  return requests.map((_, index) => resultOf(byId.get(String(index))));
}

function resultOf(response: BatchResponse['responses'][number] | undefined): BatchResult {
  if (response === undefined)
    return failed(0, { code: 'batch', message: 'The batch has no response for this request.' });
  if (response.status < 400) return { kind: 'value', value: response.body };
  const body = response.body as { error?: ErrorBody } | undefined;
  return failed(response.status, body?.error ?? { code: 'http', message: `${response.status}` });
}

function failed(status: number, body: ErrorBody): BatchResult {
  return { kind: 'failed', error: new RequestFailed(status, body) };
}
