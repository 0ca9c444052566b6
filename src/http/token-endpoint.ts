// This file answers POST /token: it reads the form and sends tokens, or errors as in RFC 6749, "Error Response". The rules of granting
// tokens are in auth/token-grants.ts.
import { grant, type TokenError, type TokenResponse } from '../auth/token-grants.ts';
import { FAULTS, Fault } from '../base/fault.ts';
import type { AppSettings } from './app-settings.ts';
import { readBody } from './body.ts';
import { clientAddress } from './client-address.ts';
import { type Exchange, send } from './send-response.ts';
import { isOpenToOthers } from './tls.ts';

const BODY_BYTES = 16_384;

/** Answers a token request. Throws: store.not-enabled, request.body-too-large, request.media-type, request.body, http.timeout. */
export async function answerToken(exchange: Exchange, settings: AppSettings): Promise<void> {
  const { request } = exchange;
  if (request.method !== 'POST') {
    const reply = tokenError(405, 'invalid_request', 'Send the token request with POST.');
    await send(exchange, { ...reply, headers: { ...reply.headers, Allow: 'POST' } });
    return;
  }
  if (settings.needsEncryption === true && isOpenToOthers(request, settings.proxies)) {
    await send(exchange, tokenError(403, 'invalid_request', FAULTS['auth.insecure'].message));
    return;
  }
  if (!settings.service.isEnabled())
    throw new Fault('store.not-enabled', {}, { headers: { 'Retry-After': '60' } });
  const body = await readBody(request, BODY_BYTES, settings.bodyTimes);
  const form = readForm(request.headers['content-type'], Buffer.from(body ?? []).toString('utf8'));
  await send(exchange, form.kind === 'form' ? await grantToken(exchange, form, settings) : form);
}

async function grantToken(
  { request, id }: Exchange,
  { fields }: TokenForm,
  { service, grants, proxies }: AppSettings,
): Promise<TokenReply> {
  const address = clientAddress(request, proxies);
  const agent = request.headers['user-agent'];
  const answer = await grant(fields, { address, agent }, grants);
  const outcome = answer.kind === 'token' ? 'token' : answer.error;
  const type = fields.get('grant_type') ?? '';
  const knownType = type === 'password' || type === 'refresh_token' ? type : 'other';
  const name = fields.get('username') ?? '';
  service.observe({ kind: 'token', id, name, address, grant: knownType, outcome });
  return writeTokenReply(answer);
}

interface TokenForm {
  readonly kind: 'form';
  readonly fields: ReadonlyMap<string, string>;
}

interface TokenReply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** RFC 6749, "Successful Response": must not be cached. Any origin may read it, because it sets no cookie. */
const HEADERS = {
  'Content-Type': 'application/json; charset=UTF-8',
  'Cache-Control': 'no-cache, no-store',
  Pragma: 'no-cache',
  Expires: '-1',
  'Access-Control-Allow-Origin': '*',
} as const;

/** Returns the fields of the form, or an error reply. Each field may appear only once. */
function readForm(contentType: string | undefined, body: string): TokenForm | TokenReply {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')) {
    return tokenError(
      415,
      'invalid_request',
      'The Content-Type must be application/x-www-form-urlencoded.',
    );
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (fields.has(name))
      return tokenError(
        400,
        'invalid_request',
        `The field "${name.slice(0, 40)}" appears more than once.`,
      );
    fields.set(name, value);
  }
  return { kind: 'form', fields };
}

/** Errors that RFC 6749 does not name are of the kind invalid_grant; the description distinguishes them. */
const CODES_OF_RFC: Readonly<Record<string, string>> = {
  slow_down: 'invalid_grant',
  code_missing: 'invalid_grant',
  code_wrong: 'invalid_grant',
};

function writeTokenReply(answer: TokenResponse | TokenError): TokenReply {
  if (answer.kind === 'refusal') {
    const isSlowed = answer.error === 'slow_down';
    const reply = tokenError(
      isSlowed ? 429 : 400,
      CODES_OF_RFC[answer.error] ?? answer.error,
      answer.description,
    );
    return answer.retryAfter === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, 'Retry-After': String(answer.retryAfter) } };
  }
  const body = {
    access_token: answer.accessToken,
    token_type: 'Bearer',
    expires_in: answer.expiresIn,
    refresh_token: answer.refreshToken,
    '.issued': new Date(answer.issued).toUTCString(),
    '.expires': new Date(answer.expires).toUTCString(),
  };
  return { kind: 'reply', status: 200, headers: HEADERS, body: JSON.stringify(body) };
}

function tokenError(status: number, error: string, description: string): TokenReply {
  return {
    kind: 'reply',
    status,
    headers: HEADERS,
    body: JSON.stringify({ error, error_description: description }),
  };
}
