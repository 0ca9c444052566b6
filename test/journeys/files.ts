// This file helps the journeys of files: forms with one file as clients send them, digests, and what a desk's store holds.
import { createHash } from 'node:crypto';
import type { Desk, DeskAnswer, Message } from './desk.ts';

export interface FormFile {
  readonly name: string;
  readonly fileName: string;
  readonly type?: string;
  readonly bytes?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const BOUNDARY = 'a-boundary-of-the-test';

/** A multipart/form-data message with the files, as the service contract shows it. */
export function formOf(
  files: readonly FormFile[],
  headers: Readonly<Record<string, string>> = {},
): Message & { readonly body: Buffer } {
  const parts = files.map(
    ({ name, fileName, type = 'text/plain', bytes = 'hello', headers: own = {} }) =>
      Buffer.concat([
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}\r\n${Object.entries(
            own,
          )
            .map(([key, value]) => `${key}: ${value}\r\n`)
            .join('')}\r\n`,
        ),
        Buffer.from(bytes),
        Buffer.from('\r\n'),
      ]),
  );
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    body: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  };
}

/** Uploads one file by a form. */
export async function upload(
  desk: Pick<Desk, 'send'>,
  path: string,
  file: FormFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<DeskAnswer> {
  return await desk.send('POST', path, formOf([file], headers));
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `sha-256=:…:` of the bytes. */
export function digestField(bytes: Buffer | string): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

/** Sizes of all files that the desk's store holds, the smallest first. */
export async function storedSizes({ installation }: Desk): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (const store of installation.stores.all)
    for await (const { size } of store.list()) sizes.push(size);
  return sizes.sort((left, right) => left - right);
}
