// This file sends several reads in one JSON batch (OData JSON Format 4.01, "Batch Requests and Responses").
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

/** Reads paths in one request. The results are in the order of the paths; one that fails does not stop the others. */
export async function readTogether(
  reads: readonly BatchRead[],
  signal?: AbortSignal,
): Promise<readonly BatchResult[]> {
  const accept = 'application/json;IEEE754Compatible=true';
  const requests = reads.map((read, index) => ({
    id: String(index),
    method: 'GET',
    url: typeof read === 'string' ? read : read.path,
    headers: { accept, ...(typeof read === 'string' ? {} : read.headers) },
  }));
  const { responses } = await requestJson<BatchResponse>('$batch', {
    method: 'POST',
    headers: { Prefer: 'continue-on-error' },
    body: { requests },
    signal,
  });
  const byId = new Map(responses.map((response) => [response.id, response]));
  return reads.map((_, index) => resultOf(byId.get(String(index))));
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
