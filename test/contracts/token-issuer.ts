// This file runs an OpenID Connect issuer on this machine. Its clients get access tokens (JWT) by client_credentials.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

const ALGORITHM = 'ES256';
const SECRET = 'a secret of the clients';

export interface TokenIssuer {
  readonly url: string;
  /** The access token of a client for a resource. */
  readonly token: (client: string, audience: string) => Promise<string>;
  /** A token as the issuer would sign it, with any claims and header. */
  readonly sign: (
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, string>>,
  ) => Promise<string>;
  /** Signs with another key from now on, and forgets the previous one. */
  readonly rotate: () => Promise<void>;
  /** How often the keys have been read. */
  readonly keyReads: () => number;
  /** Does not respond to any request while it is down. */
  readonly setDown: (isDown: boolean) => void;
  readonly close: () => Promise<void>;
}

/** @param clients the additional claims of each client's tokens */
export async function startTokenIssuer(
  clients: Readonly<Record<string, JWTPayload>>,
): Promise<TokenIssuer> {
  let answer: ReturnType<Provider['callback']> = () => undefined;
  let key: JWK;
  let isDown = false;
  let keyReads = 0;
  const server = createServer((request, response) => {
    if (request.url === '/jwks') keyReads++;
    if (isDown) request.socket.destroy();
    else answer(request, response);
  });
  const url = await listen(server);
  const rotate = async () => {
    key = await newKey();
    answer = new Provider(url, configuration(clients, key)).callback();
  };
  await rotate();
  return {
    url,
    rotate,
    token: async (client, audience) => await requestToken(url, client, audience),
    sign: async (claims, header = {}) =>
      await new SignJWT({ iss: url, ...claims })
        .setProtectedHeader({ alg: ALGORITHM, kid: String(key.kid), typ: 'at+jwt', ...header })
        .sign(key),
    keyReads: () => keyReads,
    setDown: (down) => {
      isDown = down;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: ALGORITHM, use: 'sig' };
}

function configuration(clients: Readonly<Record<string, JWTPayload>>, key: JWK) {
  const resourceServer = (_: unknown, audience: string) => ({
    audience,
    scope: '',
    accessTokenTTL: 600,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: ALGORITHM } },
  });
  return {
    clients: Object.keys(clients).map((id) => ({
      client_id: id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: ALGORITHM,
    })),
    ttl: { ClientCredentials: 600 },
    jwks: { keys: [key] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer },
    },
    extraTokenClaims: (_: unknown, { clientId }: { readonly clientId: string }) =>
      clients[clientId],
  };
}

async function requestToken(url: string, client: string, audience: string): Promise<string> {
  const answer = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client}:${encodeURIComponent(SECRET)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
  });
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`the issuer gave no token to ${client}`);
  return token;
}
