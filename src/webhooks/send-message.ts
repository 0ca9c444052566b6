// This file sends a message to a receiver by HTTP, and reads the start of the response. Redirects are not followed: a receiver could
// redirect to an address that it may not reach.
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import { guardedLookup, hostOf, requirePermitted, type TargetRules } from './target-addresses.ts';

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
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #isPlain: boolean;
  readonly #settings: ReceiverSettings;

  constructor(url: URL, agent: Agent, isPlain: boolean, settings: ReceiverSettings) {
    this.#url = url;
    this.#agent = agent;
    this.#isPlain = isPlain;
    this.#settings = settings;
  }

  async send(message: OutgoingMessage): Promise<Reply> {
    try {
      this.#requireAddress();
      return await this.#attempt(message);
    } catch (error) {
      return { kind: 'none', reason: reasonOf(error) };
    }
  }

  /** Addresses in URLs are not looked up. */
  #requireAddress(): void {
    const host = hostOf(this.#url.hostname);
    if (isIP(host) !== 0) requirePermitted(host, [host], this.#isPlain, this.#settings.rules);
  }

  #attempt(message: OutgoingMessage): Promise<Reply> {
    const { timeout } = this.#settings;
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
        readStart(response).then(
          (text) => end(() => resolve(replyOf(response, text))),
          (error) => end(() => reject(error)),
        );
      });
      request.end(message.method === 'GET' ? undefined : message.body);
    });
  }

  #open({ method, headers, body }: OutgoingMessage): ClientRequest {
    const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      method,
      agent: this.#agent,
      lookup: guardedLookup(this.#settings.rules, this.#isPlain),
      headers: { ...headers, ...length },
    };
    return this.#isPlain ? requestPlain(this.#url, options) : requestTls(this.#url, options);
  }
}

function isStale(request: ClientRequest, error: Error): boolean {
  return request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, text: string): Reply {
  return { kind: 'response', status: statusCode, text, retryAfter: headers['retry-after'] };
}

/** The first characters of the response. A longer one is not read to its end. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size - bytes.length < RESPONSE_LENGTH) chunks.push(bytes);
    if (size > MOST_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').slice(0, RESPONSE_LENGTH);
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
