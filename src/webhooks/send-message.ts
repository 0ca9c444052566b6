// This file sends a message to a receiver by HTTP, and reads the start of the response. Redirects are not followed: a receiver could
// redirect to an address that it may not reach.
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import { certificateProblem } from '../base/certificate-problem.ts';
import { guardedLookup, hostOf, type TargetRules, targetProblem } from './target-addresses.ts';

/** What a receiver has returned, or why there was no response. */
export type Reply =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly text: string;
      /** Seconds, or a point in time. */
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'none'; readonly reason: string };

interface OutgoingMessage {
  /** A GET has no body. */
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends messages to one receiver. */
export interface Receiver {
  readonly send: (message: OutgoingMessage) => Promise<Reply>;
  /** Closes idle connections, and ends requests in progress. */
  readonly close: () => void;
}

export interface ReceiverSettings {
  readonly rules: TargetRules;
  readonly connections: number;
  /** Milliseconds for a whole attempt. */
  readonly timeout: number;
}

const RESPONSE_LENGTH = 2000;
/** Bytes of a response that are read, so that the connection can be used again. */
const MOST_BYTES = 65_536;

/** Connections to the receiver at a URL. They stay open between messages. */
export function openReceiver(url: URL, settings: ReceiverSettings): Receiver {
  const isPlain = url.protocol === 'http:';
  const options = {
    keepAlive: true,
    maxSockets: settings.connections,
    scheduling: 'fifo',
  } as const;
  const agent = isPlain ? new Agent(options) : new TlsAgent(options);
  const exchange = new Exchange(url, agent, isPlain, settings);
  return { send: async (message) => await exchange.send(message), close: () => agent.destroy() };
}

class Exchange {
  readonly #isPlain: boolean;
  readonly #timeout: number;
  /** What all requests have in common. */
  readonly #target: RequestOptions;
  /** The header Host. */
  readonly #host: string;
  /** Why no message may be sent. Names are checked when they are resolved. */
  readonly #problem: string | undefined;

  constructor(url: URL, agent: Agent, isPlain: boolean, { rules, timeout }: ReceiverSettings) {
    this.#isPlain = isPlain;
    this.#timeout = timeout;
    const host = hostOf(url.hostname);
    const { port, pathname, search } = url;
    const lookup = guardedLookup(rules, isPlain);
    this.#target = { host, port, path: `${pathname}${search}`, agent, lookup };
    this.#host = url.host;
    this.#problem = isIP(host) === 0 ? undefined : targetProblem(host, [host], isPlain, rules);
  }

  async send(message: OutgoingMessage): Promise<Reply> {
    if (this.#problem !== undefined) return { kind: 'none', reason: this.#problem };
    try {
      return await this.#attempt(message);
    } catch (error) {
      return { kind: 'none', reason: reasonOf(error) };
    }
  }

  #attempt(message: OutgoingMessage): Promise<Reply> {
    const timeout = this.#timeout;
    return new Promise((resolve, reject) => {
      const request = this.#open(message);
      const late = () => request.destroy(new Error(`no response within ${timeout / 1000} seconds`));
      const timer = setTimeout(late, timeout);
      const end = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      request.on('error', (error) => {
        // The receiver has closed a connection that was idle.
        if (isStale(request, error)) end(() => resolve(this.#attempt(message)));
        else end(() => reject(error));
      });
      request.on('response', (response) => {
        readStart(
          response,
          (text) => end(() => resolve(replyOf(response, text))),
          (error) => end(() => reject(error)),
        );
      });
      request.end(message.method === 'GET' ? undefined : message.body);
    });
  }

  /** Names and values of headers in turn are sent as they are; Node would copy an object twice. */
  #open({ method, headers, body }: OutgoingMessage): ClientRequest {
    const all = ['host', this.#host];
    for (const [field, text] of Object.entries(headers)) all.push(field, text);
    if (method === 'POST') all.push('content-length', String(Buffer.byteLength(body)));
    const options = { ...this.#target, method, headers: all };
    return this.#isPlain ? requestPlain(options) : requestTls(options);
  }
}

/** Which error it is depends on how much of the message was sent before the end of the connection arrived. */
function isStale(request: ClientRequest, error: Error): boolean {
  return (
    request.reusedSocket &&
    'code' in error &&
    (error.code === 'ECONNRESET' || error.code === 'EPIPE')
  );
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, text: string): Reply {
  return { kind: 'response', status: statusCode, text, retryAfter: headers['retry-after'] };
}

/** Reads the first characters of the response. A longer one is not read to its end. An iterator would cost more than most responses. */
function readStart(
  response: IncomingMessage,
  done: (text: string) => void,
  failed: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = () =>
    done(Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').slice(0, RESPONSE_LENGTH));
  response.on('data', (chunk: Buffer) => {
    if (size < RESPONSE_LENGTH) chunks.push(chunk);
    size += chunk.length;
    if (size <= MOST_BYTES) return;
    finish();
    response.destroy();
  });
  response.on('end', finish);
  response.on('error', failed);
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return certificateProblem(error) ?? (error instanceof Error ? error.message : String(error));
}
