// This file sends a request of the explorer and measures it.
import { request } from '../api/client.ts';
import { RequestFailed } from '../api/request-failed.ts';
import { type RequestParts, requestUrl } from '../query/request-text.ts';

export interface Result {
  readonly parts: RequestParts;
  /** Milliseconds from sending to the end of the response, as the browser sees it. */
  readonly milliseconds: number;
  readonly outcome: Answer | { readonly kind: 'failed'; readonly error: unknown };
}

export interface Answer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Bytes of the content before compression. */
  readonly bytes: number;
  readonly text: string;
  /** The content, where it is JSON. */
  readonly json: unknown;
}

/** The body as JSON; undefined where there is none. Rejects with the position of a mistake. */
function bodyOf({ body }: RequestParts): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RequestFailed(400, { code: 'body', message });
  }
}

export async function runRequest(parts: RequestParts, signal: AbortSignal): Promise<Result> {
  const start = performance.now();
  const since = () => performance.now() - start;
  try {
    const body = bodyOf(parts);
    const response = await request(requestUrl(parts), {
      method: parts.method,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const content = await response.arrayBuffer();
    return { parts, milliseconds: since(), outcome: answerOf(response, content) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    return { parts, milliseconds: since(), outcome: { kind: 'failed', error } };
  }
}

function answerOf(response: Response, content: ArrayBuffer): Answer {
  const type = response.headers.get('Content-Type') ?? '';
  const isText = /json|text|xml|csv/.test(type);
  const text = isText ? new TextDecoder().decode(content) : '';
  return {
    kind: 'answered',
    status: response.status,
    headers: [...response.headers],
    bytes: content.byteLength,
    text,
    json: type.includes('json') && text !== '' ? JSON.parse(text) : undefined,
  };
}
