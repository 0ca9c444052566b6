// This file reads the name and the password with which a browser signs in.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../base/fault.ts';
import { isJsonObject } from '../../edm/value/lossless-json.ts';
import { readJson } from '../../service/json-body.ts';
import { readBody } from '../body.ts';
import type { BodyTimes } from '../body-stream.ts';

const BODY_BYTES = 16_384;
const MEMBERS = ['UserName', 'Password'] as const;

interface Credentials {
  readonly loginName: string;
  readonly password: string;
}

/** Reads `{"UserName":…,"Password":…}`. Throws: request.body, request.media-type, request.body-too-large, write.too-deep, http.timeout. */
export async function readCredentials(
  request: IncomingMessage,
  times: BodyTimes | undefined,
): Promise<Credentials> {
  const body = readJson((await readBody(request, BODY_BYTES, times)) ?? new Uint8Array());
  if (!isJsonObject(body)) throw invalidBody('it must be an object with UserName and Password');
  const unknown = Object.keys(body).find((name) => !MEMBERS.some((member) => member === name));
  if (unknown !== undefined)
    throw invalidBody(
      `the member "${unknown.slice(0, 40)}" is unknown; permitted are UserName and Password`,
    );
  const [loginName, password] = MEMBERS.map((member) => textAt(body[member], member));
  return { loginName: loginName ?? '', password: password ?? '' };
}

function textAt(value: unknown, member: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidBody(`${member} must be a text that is not empty`);
}

function invalidBody(reason: string): Fault {
  return new Fault('request.body', { reason });
}
