// This file runs two nodes of the service on one PostgreSQL database, sends requests to them, and checks that requests fail only while
// the database or their node is down.
import type { OwnServer } from '../postgres/own-server.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

/** Milliseconds after a restart in which requests may still fail. */
const GRACE = 2000;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test states what it expects of it
  readonly json: any;
  /** When the request was sent, by performance.now(). */
  readonly sent: number;
}

export interface Request {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another token; none if null. */
  readonly token?: string | null;
}

interface Outage {
  readonly from: number;
  to: number;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Cluster {
  isDone = false;
  /** Responses and errors that should not be. */
  readonly violations: string[] = [];
  /** Milliseconds that requests took while nothing was down. */
  readonly latencies: Record<'read' | 'write', number[]> = { read: [], write: [] };
  /** Numbers of 503 responses and of requests without a response. */
  readonly failures = { unavailable: 0, unanswered: 0 };
  readonly #server: OwnServer;
  readonly #program: Killable;
  readonly #nodes: Serving[] = [];
  readonly #outages: Outage[] = [];
  readonly #nodeOutages: readonly Outage[][] = [[], []];
  #token = '';

  constructor(server: OwnServer) {
    this.#server = server;
    this.#program = makeKillable(50, server.url);
  }

  async start(): Promise<void> {
    this.#nodes.push(await this.#program.serve(), await this.#program.serve());
    this.#token = await logIn(this.#nodeAt(0));
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) if (node.child.signalCode === null) await kill(node);
    this.#program.close();
  }

  async restartDatabase(signal: 'SIGINT' | 'SIGQUIT', milliseconds: number): Promise<void> {
    await during(this.#outages, async () => {
      await this.#server.stop(signal);
      await pause(milliseconds);
      await this.#server.start();
    });
  }

  /** Kills a node, and starts it again after `meanwhile`. */
  async restartNode(index: number, meanwhile: () => Promise<void>): Promise<void> {
    await during(this.#nodeOutages[index] ?? [], async () => {
      await kill(this.#nodeAt(index));
      await meanwhile();
      this.#nodes[index] = await this.#program.serve();
    });
  }

  /** Sends a request. Undefined if there is no response, which is permitted while the node is down. */
  async ask(
    node: number,
    method: string,
    path: string,
    request: Request = {},
  ): Promise<Answered | undefined> {
    const sent = performance.now();
    try {
      const answered = await this.#send(node, method, path, request, sent);
      this.#judge(answered, node, `${method} ${path}`);
      return answered;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.failures.unanswered++;
      if (!overlaps(this.#nodeOutages[node] ?? [], sent))
        this.violations.push(`${method} ${path}: ${String(error.cause ?? error)}`);
      return undefined;
    }
  }

  /** Sends the request to the nodes in turn until there is a response other than 503. */
  async insist(
    node: number,
    method: string,
    path: string,
    request: Request = {},
  ): Promise<Answered> {
    for (let turn = node; ; turn++) {
      const answered = await this.ask(turn % 2, method, path, request);
      if (answered !== undefined && answered.status !== 503) return answered;
      await pause(100);
    }
  }

  /** Whether the database or the node was down after the time. */
  wasDisturbed(node: number, since: number): boolean {
    return overlaps(this.#outages, since) || overlaps(this.#nodeOutages[node] ?? [], since);
  }

  #nodeAt(index: number): Serving {
    const node = this.#nodes[index];
    if (node === undefined) throw new Error(`no node ${index}`);
    return node;
  }

  async #send(
    node: number,
    method: string,
    path: string,
    { body, headers, token = this.#token }: Request,
    sent: number,
  ): Promise<Answered> {
    const isForm = body instanceof URLSearchParams;
    const answer = await fetch(`${this.#nodeAt(node).origin}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    const json = isJson === true && text !== '' ? JSON.parse(text) : undefined;
    return { status: answer.status, headers: answer.headers, text, json, sent };
  }

  #judge({ status, headers, text, sent }: Answered, node: number, request: string): void {
    const isDisturbed = this.wasDisturbed(0, sent) || this.wasDisturbed(1, sent);
    if (!isDisturbed && status < 400)
      this.latencies[request.startsWith('GET') ? 'read' : 'write'].push(performance.now() - sent);
    if (status < 500) return;
    this.failures.unavailable++;
    const isPermitted = status === 503 && headers.has('retry-after');
    if (!(isPermitted && overlaps(this.#outages, sent)))
      this.violations.push(`node ${node}, ${request}: ${status} ${text.slice(0, 300)}`);
  }
}

async function during(outages: Outage[], work: () => Promise<void>): Promise<void> {
  const outage = { from: performance.now(), to: Number.POSITIVE_INFINITY };
  outages.push(outage);
  await work();
  outage.to = performance.now() + GRACE;
}

/** Whether something was down between the time and now. */
function overlaps(outages: readonly Outage[], since: number): boolean {
  return outages.some(({ from, to }) => from <= performance.now() && to >= since);
}
