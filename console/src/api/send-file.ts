// This file sends a file, and reports its progress, which `fetch` does not.
import { accessToken } from '../session/session.ts';
import { JSON_TYPE, urlOf } from './client.ts';
import { RequestFailed } from './request-failed.ts';

export interface FileRequest {
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | FormData;
}

/**
 * Sends a file. Returns the text of the response. Rejects with RequestFailed; after `signal`, never ends.
 * @param onProgress takes a number between 0 and 1
 */
export async function sendFile(
  path: string,
  {
    method,
    headers,
    body,
    onProgress,
    signal,
  }: FileRequest & {
    readonly onProgress: (progress: number) => void;
    readonly signal?: AbortSignal;
  },
): Promise<string> {
  const token = await accessToken();
  const request = new XMLHttpRequest();
  return await new Promise<string>((done, fail) => {
    const failWith = () => fail(new RequestFailed(request.status, errorOf(request)));
    if (signal?.aborted === true) return;
    signal?.addEventListener('abort', () => request.abort());
    request.open(method, urlOf(path));
    const all = { Accept: JSON_TYPE, ...headers, Authorization: `Bearer ${token}` };
    for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () =>
      request.status >= 200 && request.status < 300 ? done(request.responseText) : failWith();
    request.onerror = failWith;
    request.send(body);
  });
}

function errorOf({ status, responseText }: XMLHttpRequest) {
  try {
    const { error } = JSON.parse(responseText) as { error: { code: string; message: string } };
    return error;
  } catch {
    return { code: 'http', message: String(status) };
  }
}
