// The requests of the console to an issuer as its client: where people sign in, and the exchange of the code for an ID token. OpenID Connect
// Core 1.0, 3.1, with PKCE (RFC 7636).
import type { World } from '../../base/world.ts';
import { discover, IssuerFailure, type IssuerMetadata, requestJson } from './discovery.ts';
import type { ConsoleClient } from './issuer.ts';
import { IssuerOutage, type OutageParts } from './issuer-outage.ts';
import {
  challengeOf,
  nonceOf,
  type SignInAttempt,
  stateOf,
  verifierOf,
} from './sign-in-attempt.ts';
import type { KnownIssuer } from './verify-token.ts';

/** Milliseconds for which the discovery document is kept. */
const METADATA_LIFETIME = 600_000;

/** A code that the issuer does not accept. The message is for administrators. */
export class RejectedCode extends Error {
  override readonly name = 'RejectedCode';
}

/** The console as a client of one issuer. */
export class IssuerClient {
  readonly known: KnownIssuer;
  readonly client: ConsoleClient;
  readonly #world: World;
  readonly #outage: IssuerOutage;
  #metadata: { readonly found: Promise<IssuerMetadata>; readonly at: number } | undefined;

  constructor(known: KnownIssuer, client: ConsoleClient, parts: OutageParts) {
    this.known = known;
    this.client = client;
    this.#world = parts.world;
    this.#outage = new IssuerOutage(known.issuer.url, parts);
  }

  /** The URL at which the browser signs in. Throws: auth.issuer-unavailable. */
  async authorizationUrl(attempt: SignInAttempt, callback: string): Promise<string> {
    return await this.#watch(async ({ authorizationEndpoint }) => {
      const url = new URL(required(authorizationEndpoint, 'authorization_endpoint'));
      const parameters = {
        response_type: 'code',
        client_id: this.client.clientId,
        redirect_uri: callback,
        scope: this.client.scopes.join(' '),
        state: stateOf(attempt),
        nonce: nonceOf(attempt),
        code_challenge: challengeOf(attempt),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    });
  }

  /** Whether a response to the browser comes from this issuer (RFC 9207). Throws: auth.issuer-unavailable. */
  async hasSent(issuer: string | null): Promise<boolean> {
    if (issuer !== null) return issuer === this.known.issuer.url;
    return await this.#watch(async ({ namesItself }) => !namesItself);
  }

  /** The ID token for a code. Throws: RejectedCode, auth.issuer-unavailable. */
  async exchange(code: string, attempt: SignInAttempt, callback: string): Promise<string> {
    return await this.#watch(async (metadata) => {
      const url = required(metadata.tokenEndpoint, 'token_endpoint');
      const { headers, fields } = credentials(this.client, metadata.clientAuthentication);
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: verifierOf(attempt),
        ...fields,
      });
      const { status, json } = await requestJson(url, { method: 'POST', headers, body });
      if (status >= 500) throw new IssuerFailure(`${url} returned status ${status}`);
      if (status >= 400)
        throw new RejectedCode(`the issuer does not accept the code (${errorIn(json.error)})`);
      if (typeof json.id_token === 'string') return json.id_token;
      throw new IssuerFailure(`${url} returned no ID token`);
    });
  }

  async #watch<Result>(work: (metadata: IssuerMetadata) => Promise<Result>): Promise<Result> {
    return await this.#outage.watch(
      async () => await work(await this.#read()),
      (error) => error instanceof RejectedCode,
    );
  }

  async #read(): Promise<IssuerMetadata> {
    const now = this.#world.now();
    const kept = this.#metadata;
    if (kept !== undefined && now - kept.at < METADATA_LIFETIME) return await kept.found;
    const found = discover(this.known.issuer.url);
    this.#metadata = { found, at: now };
    try {
      return await found;
    } catch (error) {
      this.#metadata = undefined;
      throw error;
    }
  }
}

function required(url: string | undefined, name: string): string {
  if (url !== undefined) return url;
  throw new IssuerFailure(`its discovery document contains no ${name}`);
}

/** An error code of the issuer, without anything that RFC 6749 does not permit in one. */
export function errorIn(error: unknown): string {
  return String(error ?? 'no error code')
    .replace(/[^\w .-]/g, '')
    .slice(0, 60);
}

interface ClientCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** RFC 6749, 2.3.1: in the header, or in the form for issuers that do not accept the header. */
function credentials(
  { clientId, clientSecret }: ConsoleClient,
  methods: readonly unknown[],
): ClientCredentials {
  if (clientSecret === undefined) return { headers: {}, fields: { client_id: clientId } };
  const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  if (isPost) return { headers: {}, fields: { client_id: clientId, client_secret: clientSecret } };
  const pair = [clientId, clientSecret].map(formEncoded).join(':');
  const basic = Buffer.from(pair).toString('base64');
  return { headers: { Authorization: `Basic ${basic}` }, fields: {} };
}

/** The encoding of application/x-www-form-urlencoded for one value. */
function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}
