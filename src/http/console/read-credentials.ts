// This file reads the name and the password with which a browser signs in.
import type { IncomingMessage } from 'node:http';
import { Fault, faultDetail } from '../../base/fault.ts';
import { isJsonObject, type JsonObject } from '../../edm/value/lossless-json.ts';
import { readJson } from '../../service/json-body.ts';
import { readBody } from '../body.ts';
import type { BodyTimes } from '../body-stream.ts';

const BODY_BYTES = 16_384;
/** Unknown members that a response names. */
const MOST_UNKNOWN = 10;
const MEMBERS = ['UserName', 'Password'] as const;
/** A code of the second factor, if the account has one. */
const CODE = 'Code';

interface Credentials {
  readonly loginName: string;
  readonly password: string;
  readonly code: string | undefined;
}

/**
 * Reads `{"UserName":…,"Password":…}`, with `"Code":…` for a second factor.
 * Throws: request.body with every mistake, request.media-type, request.body-too-large, write.too-deep, http.timeout.
 */
export async function readCredentials(
  request: IncomingMessage,
  times: BodyTimes | undefined,
): Promise<Credentials> {
  const body = readJson((await readBody(request, BODY_BYTES, times)) ?? new Uint8Array());
  if (!isJsonObject(body))
    throw new Fault('request.body', { reason: 'it must be an object with UserName and Password' });
  requireFaultless([...unknownMembers(body), ...invalidTexts(body)]);
  const { UserName, Password, Code } = body;
  return {
    loginName: String(UserName),
    password: String(Password),
    code: Code === undefined ? undefined : String(Code),
  };
}

interface Mistake {
  readonly target: string;
  readonly reason: string;
}

function unknownMembers(body: JsonObject): readonly Mistake[] {
  const permitted: readonly string[] = [...MEMBERS, CODE];
  return Object.keys(body)
    .filter((name) => !permitted.includes(name))
    .slice(0, MOST_UNKNOWN)
    .map((name) => name.slice(0, 40))
    .map((target) => ({
      target,
      reason: `the member "${target}" is unknown; permitted are UserName, Password and Code`,
    }));
}

function invalidTexts(body: JsonObject): readonly Mistake[] {
  const present = CODE in body ? [...MEMBERS, CODE] : MEMBERS;
  return present
    .filter((member) => typeof body[member] !== 'string' || body[member] === '')
    .map((target) => ({ target, reason: `${target} must be a text that is not empty` }));
}

function requireFaultless(mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return;
  const details = mistakes.map(({ target, reason }) =>
    faultDetail('request.body', { reason }, target),
  );
  const [{ target } = {}] = details;
  const reason = mistakes.map((one) => one.reason).join('; ');
  throw new Fault(
    'request.body',
    { reason },
    target === undefined ? { details } : { target, details },
  );
}
