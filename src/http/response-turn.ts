// This file sends the responses that are ready in one turn of the event loop together, at its end. The first of them wakes a client that
// sleeps, which takes longer than all of Node's work on the response; the client is still awake when the others arrive.
import type { ServerResponse } from 'node:http';

/** Milliseconds for which a response waits for others, without the request that is answered then. */
const LIMIT = 1;

/** Collects the responses of a turn, which begins with the first request that arrives in it. */
export class ResponseTurn {
  readonly #elapsed: () => number;
  #isOpen = false;
  /** When the first of the held responses may have been ready, by `elapsed`. */
  #start = 0;
  #held: ServerResponse[] = [];
  readonly #close = () => {
    this.#isOpen = false;
    this.#release();
  };

  /** @param elapsed a clock, in milliseconds */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** To be called when a request arrives, before it is answered. */
  open(): void {
    if (this.#isOpen) {
      this.#releaseInTime();
      return;
    }
    this.#isOpen = true;
    this.#start = this.#elapsed();
    setImmediate(this.#close);
  }

  /**
   * Sends a response, whose head has been passed to Node: at the end of the turn in which requests arrive, or now if none has arrived.
   * @param body not empty if given
   */
  send(response: ServerResponse, body: string | Uint8Array | undefined): void {
    if (!this.#isOpen) {
      sendNow(response, body);
      return;
    }
    response.cork();
    // If the client ends its side before the end of the turn, Node ends the connection with what has been written.
    if (body === undefined) response.flushHeaders();
    else response.write(body);
    this.#held.push(response);
    this.#releaseInTime();
  }

  #releaseInTime(): void {
    if (this.#elapsed() - this.#start > LIMIT) this.#release();
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    this.#start = this.#elapsed();
    for (const response of held) {
      response.uncork();
      response.end();
    }
  }
}

/**
 * Node sends what `write` gets at the end of the turn, in one piece with the headers. With `end(body)` an empty piece follows them, and
 * sending two pieces costs more than all headers.
 */
function sendNow(response: ServerResponse, body: string | Uint8Array | undefined): void {
  if (body === undefined) {
    response.end();
    return;
  }
  response.write(body);
  process.nextTick(end, response);
}

function end(response: ServerResponse): void {
  response.end();
}
