// This file reads the name and the password with which a browser signs in.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../base/fault.ts';
import { isJsonObject } from '../../edm/value/lossless-json.ts';
import { readJson } from '../../service/json-body.ts';
import { readBody } from '../body.ts';
import type { BodyTimes } from '../body-stream.ts';

const BODY_BYTES = 16_384;
const MEMBERS = ['UserName', 'Password'] as const;
/** A code of the second factor, if the account has one. */
const CODE = 'Code';

interface Credentials {
  readonly loginName: string;
  readonly password: string;
  readonly code: string | undefined;
}

/** Reads `{"UserName":…,"Password":…}`, with `"Code":…` for a second factor. Throws: request.body, request.media-type, request.body-too-large, write.too-deep, http.timeout. */
export async function readCredentials(
  request: IncomingMessage,
  times: BodyTimes | undefined,
): Promise<Credentials> {
  const body = readJson((await readBody(request, BODY_BYTES, times)) ?? new Uint8Array());
  if (!isJsonObject(body)) throw invalidBody('it must be an object with UserName and Password');
  const permitted: readonly string[] = [...MEMBERS, CODE];
  const unknown = Object.keys(body).find((name) => !permitted.includes(name));
  if (unknown !== undefined)
    throw invalidBody(
      `the member "${unknown.slice(0, 40)}" is unknown; permitted are UserName, Password and Code`,
    );
  const [loginName, password] = MEMBERS.map((member) => textAt(body[member], member));
  const code = CODE in body ? textAt(body[CODE], CODE) : undefined;
  return { loginName: loginName ?? '', password: password ?? '', code };
}

function textAt(value: unknown, member: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidBody(`${member} must be a text that is not empty`);
}

function invalidBody(reason: string): Fault {
  return new Fault('request.body', { reason });
}
