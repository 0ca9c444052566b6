// This file is what the floors do for every request, because the contract demands it of any server: they check the bearer token and the
// rights of its account, and send the headers of OData, of caching and of security. Each is done in the most direct way: a validated
// header is found in a map by its text, and the headers are one array.
import { hash, randomBytes } from 'node:crypto';

/** Milliseconds for which a validated token is used without a query, as in the service: a revoked token must not work for longer. */
const CHECK_INTERVAL = 500;

/** Administrators may do everything that the workloads request. */
const TOKEN_ACCESS = `SELECT t."Expires" FROM docket_token_hash h JOIN "docket:token" t ON t."Uid" = h.token
  JOIN "docket:session" s ON s."Uid" = t."Session" JOIN "Accounts" a ON a."Uid" = s."Account"
  WHERE h.hash = ? AND t."Kind" = 'access' AND a."Blocked" = 0 AND EXISTS (SELECT 1 FROM "Accounts.Roles" x
  JOIN "Roles" r ON r."Uid" = x.target WHERE x.source = a."Uid" AND r."Name" = 'administrator')`;

/** Returns the function that tells whether a request has the valid token of an administrator. */
export function tokenCheck(database) {
  const find = database.prepare(TOKEN_ACCESS).pluck();
  const validUntil = new Map();
  return ({ headers: { authorization = '' } }) => {
    const now = Date.now();
    if (now < validUntil.get(authorization)) return true;
    const [scheme, token = ''] = authorization.split(' ');
    const expires = scheme === 'Bearer' ? find.get(hash('sha256', token, 'base64url')) : undefined;
    if (expires === undefined || Date.parse(expires) <= now) return false;
    validUntil.set(authorization, Math.min(now + CHECK_INTERVAL, Date.parse(expires)));
    return true;
  };
}

export const VARY =
  'Accept, Accept-Charset, Accept-Encoding, Accept-Language, Authorization, OData-MaxVersion, Prefer';
export const JSON_TYPE = 'application/json; odata.metadata=minimal';
const COMMON = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ...['Referrer-Policy', 'no-referrer'],
  ...['OData-Version', '4.0', 'Vary', VARY],
];

const start = randomBytes(9).toString('base64url');
let requests = 0;

/** An id for the log and for X-Request-ID. */
export const newId = () => `${start}-${++requests}`;

/** Sends a response with the common headers; `headers` are alternating names and values. */
export function send(response, status, headers, body = '') {
  const head = [...COMMON, ...headers, 'X-Request-ID', newId()];
  if (status !== 204) head.push('Content-Length', String(Buffer.byteLength(body)));
  response.writeHead(status, head).end(body);
}

/** The ETag of a record as it is written here, for If-None-Match: the record may show values of others, so its version is not enough. */
export function entityTag(record, body) {
  const version = record.slice(TAG_START, record.indexOf('\\', TAG_START));
  const digest = hash('sha256', `${JSON_TYPE}\nen\n${body}`, 'base64url').slice(0, 16);
  return `W/"${version}.${digest}"`;
}

const TAG_START = '{"@odata.etag":"W/\\"'.length;
