// Requests to an issuer, and its discovery document (OpenID Connect Discovery 1.0, 3 and 4).
import { isSecureUrl } from './issuer.ts';

/** Time limit for a response of the issuer. Milliseconds. */
export const TIME_LIMIT = 5000;

/** A request to the issuer that failed. The message is for administrators. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}

/** What an issuer publishes about itself. */
export interface IssuerMetadata {
  readonly jwksUri: string;
  /** Undefined for issuers where nobody signs in with a browser. */
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  /** How clients authenticate at the token endpoint. */
  readonly clientAuthentication: readonly unknown[];
  /** Whether responses to the browser contain the parameter `iss` (RFC 9207). */
  readonly namesItself: boolean;
}

/** Reads the document below the URL of the issuer, which must contain this URL. Throws: IssuerFailure, and errors of fetch. */
export async function discover(issuer: string): Promise<IssuerMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, json } = await requestJson(address, {});
  if (status !== 200) throw new IssuerFailure(`${address} returned status ${status}`);
  if (json.issuer !== issuer)
    throw new IssuerFailure(`${address} names another issuer than the setting issuers`);
  const urlAt = (name: string): string | undefined => {
    const url = json[name];
    if (url === undefined) return undefined;
    if (typeof url === 'string' && isSecureUrl(url)) return url;
    throw new IssuerFailure(`${address} contains no HTTPS URL as ${name}`);
  };
  const methods = json.token_endpoint_auth_methods_supported;
  const jwksUri = urlAt('jwks_uri');
  if (jwksUri === undefined) throw new IssuerFailure(`${address} contains no jwks_uri`);
  return {
    jwksUri,
    authorizationEndpoint: urlAt('authorization_endpoint'),
    tokenEndpoint: urlAt('token_endpoint'),
    clientAuthentication: Array.isArray(methods) ? methods : ['client_secret_basic'],
    namesItself: json.authorization_response_iss_parameter_supported === true,
  };
}

interface JsonResponse {
  readonly status: number;
  /** Empty if the response is another value than an object. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Requests JSON from the issuer. It cannot redirect to other servers. Throws: errors of fetch, and of JSON.parse after success. */
export async function requestJson(url: string, init: RequestInit): Promise<JsonResponse> {
  const response = await fetch(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT),
    headers: { ...init.headers, Accept: 'application/json' },
  });
  const text = await response.text();
  return { status: response.status, json: response.ok ? objectIn(text) : errorBody(text) };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const json: unknown = JSON.parse(text);
  return typeof json === 'object' && json !== null ? { ...json } : {};
}

/** Proxies return errors as HTML. */
function errorBody(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectIn(text);
  } catch {
    return {};
  }
}
