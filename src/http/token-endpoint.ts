// This file is the token endpoint on the wire: a form comes in, the contract's fields and headers go out, refusals in the terms of
// RFC 6749, "Error Response". The rules themselves are in auth/token-grants.ts.
import type { TokenAnswer, TokenRefusal } from '../auth/token-grants.ts';

/** A form whose fields are each given once. */
export interface TokenForm {
  readonly kind: 'form';
  readonly fields: ReadonlyMap<string, string>;
}

export interface TokenReply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** RFC 6749, "Successful Response": never to be cached. Other origins may read it, as it carries no cookie. */
const HEADERS = {
  'Content-Type': 'application/json; charset=UTF-8',
  'Cache-Control': 'no-cache, no-store',
  Pragma: 'no-cache',
  Expires: '-1',
  'Access-Control-Allow-Origin': '*',
} as const;

/** The form's fields, or what is wrong with it: every field may be given once. */
export function readForm(contentType: string | undefined, body: string): TokenForm | TokenReply {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')) {
    return refuse(
      415,
      'invalid_request',
      'The Content-Type must be application/x-www-form-urlencoded.',
    );
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (fields.has(name))
      return refuse(
        400,
        'invalid_request',
        `The field "${name.slice(0, 40)}" is given more than once.`,
      );
    fields.set(name, value);
  }
  return { kind: 'form', fields };
}

/** What the client gets for its grant. */
export function writeTokenReply(answer: TokenAnswer | TokenRefusal): TokenReply {
  if (answer.kind === 'refusal') {
    const isSlowed = answer.error === 'slow_down';
    const reply = refuse(
      isSlowed ? 429 : 400,
      isSlowed ? 'invalid_grant' : answer.error,
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

export function refuse(status: number, error: string, description: string): TokenReply {
  return {
    kind: 'reply',
    status,
    headers: HEADERS,
    body: JSON.stringify({ error, error_description: description }),
  };
}
