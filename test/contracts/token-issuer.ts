// This file runs an OpenID Connect issuer on this machine. Its clients get access tokens (JWT) by client_credentials, and its people sign in
// with a browser on a page of one form.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

const ALGORITHM = 'ES256';
export const SECRET = 'a secret of the clients';

/** A client at which people sign in. */
interface BrowserClient {
  readonly id: string;
  /** Read again when the issuer rotates its key, because a service may get its port later. */
  readonly redirectUris: string[];
  /** How the client authenticates; `none` is a public client. */
  readonly method?: 'client_secret_basic' | 'client_secret_post' | 'none';
}

interface IssuerOptions {
  readonly browserClients?: readonly BrowserClient[];
  /** The claims of each person, by the name in the form. */
  readonly people?: Readonly<Record<string, JWTPayload>>;
  /** How clients may authenticate; by default as the package permits. */
  readonly clientAuthMethods?: readonly string[];
}

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
  /** Sends another ID token in place of the one that it has issued; undefined for none. */
  readonly replaceIdToken: (replace: ReplaceIdToken | undefined) => void;
  /** The bodies of requests to the token endpoint. */
  readonly tokenRequests: readonly string[];
  /** Does not respond to any request while it is down. */
  readonly setDown: (isDown: boolean) => void;
  readonly close: () => Promise<void>;
}

type ReplaceIdToken = (claims: JWTPayload) => Promise<string>;

/** @param clients the additional claims of each client's tokens */
export async function startTokenIssuer(
  clients: Readonly<Record<string, JWTPayload>>,
  options: IssuerOptions = {},
): Promise<TokenIssuer> {
  let provider: Provider;
  let replace: ReplaceIdToken | undefined;
  const tokenRequests: string[] = [];
  let key: JWK;
  let isDown = false;
  let keyReads = 0;
  const server = createServer((request, response) => {
    if (request.url === '/jwks') keyReads++;
    if (isDown) request.socket.destroy();
    else if (request.url?.startsWith('/interaction/')) void interact(provider, request, response);
    else provider.callback()(request, response);
  });
  const url = await listen(server);
  const rotate = async () => {
    key = await newKey();
    provider = new Provider(url, configuration(clients, key, options));
    provider.use(async (context, next) => {
      await next();
      if (context.path !== '/token') return;
      tokenRequests.push(JSON.stringify(context.oidc?.body ?? {}));
      const { body } = context;
      if (replace === undefined || typeof body.id_token !== 'string') return;
      context.body = { ...body, id_token: await replace(decodeJwt(body.id_token)) };
    });
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
    tokenRequests,
    replaceIdToken: (next) => {
      replace = next;
    },
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

/** The form asks for a name. Without one, the person cancels. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '' } = request;
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><html lang="en"><title>Issuer</title><form method="post" action="${url}">
      <label>Name <input name="name"></label><button>Continue</button></form>`,
    );
    return;
  }
  let body = '';
  for await (const part of request) body += String(part);
  const name = new URLSearchParams(body).get('name');
  const result = name ? { login: { accountId: name } } : { error: 'access_denied' };
  await provider.interactionFinished(request, response, result);
}

function configuration(
  clients: Readonly<Record<string, JWTPayload>>,
  key: JWK,
  { browserClients = [], people = {}, clientAuthMethods }: IssuerOptions,
) {
  const resourceServer = (_: unknown, audience: string) => ({
    audience,
    scope: '',
    accessTokenTTL: 600,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: ALGORITHM } },
  });
  return {
    clients: [
      ...Object.keys(clients).map((id) => ({
        client_id: id,
        client_secret: SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: ALGORITHM,
      })),
      ...browserClients.map(({ id, redirectUris, method = 'client_secret_basic' }) => ({
        client_id: id,
        ...(method === 'none' ? {} : { client_secret: SECRET }),
        token_endpoint_auth_method: method,
        grant_types: ['authorization_code'],
        redirect_uris: redirectUris,
        response_types: ['code'],
        id_token_signed_response_alg: ALGORITHM,
      })),
    ],
    ...(clientAuthMethods === undefined ? {} : { clientAuthMethods }),
    ttl: { ClientCredentials: 600 },
    jwks: { keys: [key] },
    cookies: { keys: ['a key of the cookies'] },
    // Claims of the scopes are in the ID token, as with most issuers.
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'roles'] },
    findAccount: (_: unknown, name: string) => ({
      accountId: name,
      claims: () => ({ sub: name, ...people[name] }),
    }),
    interactions: {
      url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
    },
    loadExistingGrant: async ({ oidc }: InteractionContext) => {
      const { provider, client, session, params } = oidc;
      const grant = new provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      });
      grant.addOIDCScope(params.scope);
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer },
    },
    extraTokenClaims: (_: unknown, { clientId }: { readonly clientId: string }) =>
      clients[clientId],
  };
}

interface InteractionContext {
  readonly oidc: {
    readonly provider: Provider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly params: { readonly scope: string };
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
