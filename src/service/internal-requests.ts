// Sends requests to the service within its own process. They are validated and audited like requests of an administrator.
import type { Principal } from '../access/principal.ts';
import { performer } from './handle-request.ts';
import type { Service } from './service.ts';

type JsonBody = Readonly<Record<string, unknown>>;

/**
 * Sends a request, without undefined members in the body. The body of the response is {} if it is empty.
 * The cause is what the history states as the reason for changes.
 */
export type Send = (
  method: string,
  url: string,
  body?: JsonBody,
  headers?: Readonly<Record<string, string>>,
  cause?: string,
) => Promise<{ readonly status: number; readonly body: JsonBody }>;

/** The root of URLs in responses. */
export const LOCAL_ROOT = 'http://localhost/odata/';

/**
 * @param principal the account that the requests are audited with
 * @param origin the beginning of request IDs, the address for the audit trail, and a media type without limits for files
 */
export function sender(
  service: Service,
  principal: Principal,
  origin: { readonly id: string; readonly address: string; readonly exemptFiles?: string },
): Send {
  const perform = performer(service);
  let count = 0;
  return async (method, url, content, headers = {}, cause = undefined) => {
    const [path = '', query = ''] = url.split(/\?(.*)/s);
    const call = {
      id: `${origin.id}-${process.pid}-${count++}`,
      method,
      path,
      query,
      // Nested collections in request bodies need 4.01; responses are parsed as 4.0.
      headers: {
        'content-type': 'application/json',
        'odata-version': '4.01',
        'odata-maxversion': '4.0',
        ...headers,
      },
      body: content === undefined ? undefined : Buffer.from(JSON.stringify(content)),
      address: origin.address,
      root: LOCAL_ROOT,
      isService: principal.service === true,
      exemptFiles: origin.exemptFiles,
      cause,
    };
    // No token is authenticated, which would load roles, transitions and settings that have changed.
    await service.sessions.refresh();
    const response = await perform(call, principal);
    const text = Buffer.from(response.body ?? '').toString('utf8');
    const body: JsonBody = text === '' ? {} : JSON.parse(text);
    return { status: response.status, body };
  };
}
