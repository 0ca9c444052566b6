// This file speaks to object storage: one signed request, tried again where the storage asks for it, and its refusal as an error. Neither
// keys nor signatures stand in any error.
// Sources: Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)", "Error Responses".
import { createHash } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';

export interface S3Settings {
  /** Address of the storage, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** What stands before the keys, such as `docket/`. */
  readonly prefix: string;
  /** Whether the bucket stands in the path; else it stands before the host. */
  readonly pathStyle: boolean;
  /** Uploads at a time; each holds up to four parts in memory. */
  readonly uploads: number;
  /** Seconds of silence after which the storage counts as out of reach. */
  readonly timeoutSeconds: number;
}

export interface Ask {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Name of an object; empty for the bucket. */
  readonly object: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** It must stay as it is until the request is answered. */
  readonly body?: Uint8Array;
}

/** A refusal of the storage. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;
  /** The storage's own word for it, such as `NoSuchKey`; empty where it gives none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(`${status} ${code} ${message}`.trim());
    this.status = status;
    this.code = code;
  }
}

/** Gives the response with its head read and its body still to come; it breaks off after a silence until `unwatch` is called on it. */
export type Send = (ask: Ask, signal?: AbortSignal) => Promise<IncomingMessage>;

const TRIES = 3;
/** Milliseconds before the second try; twice as long before the next. */
const PAUSE = 150;

/** What sends requests. It raises S3Error for a refusal, other errors when nothing comes back, the signal's reason once it is given. */
export function sender(settings: S3Settings): Send {
  const signingKeys = new Map<string, ArrayBuffer>();
  return async (ask, signal) => {
    for (let attempt = 1; ; attempt++) {
      const result = await sendOnce(settings, ask, signingKeys, signal).catch((error: unknown) => {
        if (signal?.aborted || attempt === TRIES) throw error;
        return undefined;
      });
      if (result !== undefined && isFine(result)) return result;
      const refusal = result === undefined ? undefined : await refusalOf(result);
      if (refusal !== undefined && (attempt === TRIES || !isPassing(refusal.status))) throw refusal;
      await new Promise((resolve) => setTimeout(resolve, PAUSE * 2 ** (attempt - 1)));
      signal?.throwIfAborted();
    }
  };
}

function isFine({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Statuses after which the same request may succeed in a moment. */
function isPassing(status: number): boolean {
  return status === 429 || status === 500 || status === 502 || status === 503 || status === 504;
}

async function sendOnce(
  settings: S3Settings,
  ask: Ask,
  cache: Map<string, ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const { method, url, headers } = await sign(settings, ask, cache);
  const { timeoutSeconds } = settings;
  const length = ask.body?.byteLength ?? 0;
  const make = url.protocol === 'https:' ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const request = make(url, {
      method,
      headers: { ...Object.fromEntries(headers), 'Content-Length': String(length) },
      ...(signal === undefined ? {} : { signal }),
    });
    request.setTimeout(timeoutSeconds * 1000, () =>
      request.destroy(new Error(`silent for ${timeoutSeconds} seconds`)),
    );
    request.on('response', resolve);
    request.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    request.end(ask.body);
  });
}

/** Lets the response be silent: whoever reads it watches it by other means. */
export function unwatch(response: IncomingMessage): void {
  response.socket.setTimeout(0);
}

async function sign(settings: S3Settings, ask: Ask, cache: Map<string, ArrayBuffer>) {
  const digest = createHash('sha256')
    .update(ask.body ?? '')
    .digest('hex');
  return await new AwsV4Signer({
    method: ask.method,
    url: addressOf(settings, ask).href,
    // The digest of the body is signed too: the storage refuses bytes that were changed on the way.
    headers: { ...ask.headers, 'X-Amz-Content-Sha256': digest },
    accessKeyId: settings.accessKey,
    secretAccessKey: settings.secretKey,
    service: 's3',
    region: settings.region,
    cache,
  }).sign();
}

function addressOf({ endpoint, bucket, pathStyle }: S3Settings, { object, query }: Ask): URL {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/$/, '');
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${base}${pathStyle ? `/${bucket}` : ''}/${object}`;
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  return url;
}

async function refusalOf(response: IncomingMessage): Promise<S3Error> {
  const text = await wholeText(response).catch(() => '');
  const [code = ''] = elements(text, 'Code');
  const [message = response.statusMessage ?? ''] = elements(text, 'Message');
  return new S3Error(response.statusCode ?? 0, code, message);
}

/** The text of a response that is short. Raises S3Error where a refusal comes with a status of success, as the storage may do. */
export async function textOf(response: IncomingMessage): Promise<string> {
  const text = await wholeText(response);
  const [code] = text.includes('<Error>') ? elements(text, 'Code') : [];
  if (code === undefined) return text;
  throw new S3Error(response.statusCode ?? 0, code, elements(text, 'Message')[0] ?? '');
}

/** Reads a body to its end, so that its connection can be used again. */
export async function finish(response: IncomingMessage): Promise<void> {
  await wholeText(response);
}

async function wholeText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** What stands in the elements of a name, in order. The storage's documents are flat enough to be read without a parser. */
export function elements(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, content = '']) =>
    content.replace(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole),
  );
}
