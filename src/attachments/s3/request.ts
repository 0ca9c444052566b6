// Sends signed requests to object storage, retries temporary failures, and turns error responses into errors. No error contains keys or
// signatures.
// Sources: Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)", "Error Responses".
import { createHash } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';

export interface S3Settings {
  /** URL of the storage, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Prefix of the object names, such as `docket/`. */
  readonly prefix: string;
  /** Whether the bucket is part of the path. Otherwise it is part of the host name. */
  readonly pathStyle: boolean;
  /** Maximum number of concurrent uploads. Each holds up to four parts in memory. */
  readonly uploads: number;
  /** Seconds of silence after which the storage counts as unreachable. */
  readonly timeoutSeconds: number;
}

/** Parameters by name; those that are undefined are omitted. */
export type Query = Readonly<Record<string, string | undefined>>;

interface StorageRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Name of an object; empty for the bucket. */
  readonly object: string;
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Must not change until the response arrives. */
  readonly body?: Uint8Array;
}

/** An error response of the storage. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;
  /** The error code of the storage, such as `NoSuchKey`; empty if the response has none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(`${status} ${code} ${message}`.trim());
    this.status = status;
    this.code = code;
  }
}

/**
 * Sends a request and returns the response, whose body is still to be read. The timeout for silence applies until `disableTimeout`.
 * Throws an S3Error for an error response, other errors if there is no response, and the signal's reason.
 */
export type Send = (request: StorageRequest, signal?: AbortSignal) => Promise<IncomingMessage>;

const MAX_ATTEMPTS = 3;
/** Milliseconds before the second attempt; doubled before the third. */
const PAUSE = 150;

export function createSender(settings: S3Settings): Send {
  const signingKeys = new Map<string, ArrayBuffer>();
  return async (request, signal) => {
    for (let attempt = 1; ; attempt++) {
      const response = await sendOnce(settings, request, signingKeys, signal).catch(
        (error: unknown) => {
          if (signal?.aborted || attempt === MAX_ATTEMPTS) throw error;
          return undefined;
        },
      );
      if (response !== undefined && isSuccess(response)) return response;
      const error = response === undefined ? undefined : await errorOf(response);
      if (error !== undefined && (attempt === MAX_ATTEMPTS || !isTemporary(error.status)))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE * 2 ** (attempt - 1)));
      signal?.throwIfAborted();
    }
  };
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Whether the same request may succeed a moment later. */
function isTemporary(status: number): boolean {
  return status === 429 || status === 500 || status === 502 || status === 503 || status === 504;
}

async function sendOnce(
  settings: S3Settings,
  { body, ...unsigned }: StorageRequest,
  cache: Map<string, ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const { method, url, headers } = await sign(settings, unsigned, body, cache);
  const { timeoutSeconds } = settings;
  const length = body?.byteLength ?? 0;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const request = send(url, {
      method,
      headers: { ...Object.fromEntries(headers), 'Content-Length': String(length) },
      ...(signal === undefined ? {} : { signal }),
    });
    request.setTimeout(timeoutSeconds * 1000, () =>
      request.destroy(new Error(`no data for ${timeoutSeconds} seconds`)),
    );
    request.on('response', resolve);
    request.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    request.end(body);
  });
}

/** Disables the timeout for silence, for readers with a timeout of their own. */
export function disableTimeout(response: IncomingMessage): void {
  response.socket.setTimeout(0);
}

async function sign(
  settings: S3Settings,
  request: Omit<StorageRequest, 'body'>,
  body: Uint8Array | undefined,
  cache: Map<string, ArrayBuffer>,
) {
  const digest = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  return await new AwsV4Signer({
    method: request.method,
    url: urlOf(settings, request).href,
    // The signature covers the digest of the body, so the storage rejects bytes that were changed in transit.
    headers: { ...request.headers, 'X-Amz-Content-Sha256': digest },
    accessKeyId: settings.accessKey,
    secretAccessKey: settings.secretKey,
    service: 's3',
    region: settings.region,
    cache,
  }).sign();
}

function urlOf(
  { endpoint, bucket, pathStyle }: S3Settings,
  { object, query }: Pick<StorageRequest, 'object' | 'query'>,
): URL {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/$/, '');
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${base}${pathStyle ? `/${bucket}` : ''}/${object}`;
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

async function errorOf(response: IncomingMessage): Promise<S3Error> {
  const text = await wholeText(response).catch(() => '');
  const [code = ''] = elements(text, 'Code');
  const [message = response.statusMessage ?? ''] = elements(text, 'Message');
  return new S3Error(response.statusCode ?? 0, code, message);
}

/** The text of a short response. Throws an S3Error if it is an error with a success status, which S3 allows. */
export async function textOf(response: IncomingMessage): Promise<string> {
  const text = await wholeText(response);
  const [code] = text.includes('<Error>') ? elements(text, 'Code') : [];
  if (code === undefined) return text;
  throw new S3Error(response.statusCode ?? 0, code, elements(text, 'Message')[0] ?? '');
}

/** Reads a body to its end, so that its connection can be reused. */
export async function finish(response: IncomingMessage): Promise<void> {
  await wholeText(response);
}

async function wholeText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** The contents of all elements with that name, in order. The XML of S3 is flat enough to be read without a parser. */
export function elements(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, content = '']) =>
    content.replace(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole),
  );
}
