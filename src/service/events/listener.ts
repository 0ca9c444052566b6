// One client of the live stream: what waits to be sent to it, and how far that goes.
import type { Principal } from '../../access/principal.ts';
import type { ByteSource } from '../../response/response.ts';
import type { Call } from '../service.ts';
import type { StreamPosition } from './stream-position.ts';

/** What a listener follows, and since when. */
export interface ListenerStart {
  /** The request, with the credentials that are checked again while the stream is open. */
  readonly call: Call;
  readonly principal: Principal;
  /** The listeners with the same key get the same events. */
  readonly key: string;
  /** The rights with which the stream was opened. */
  readonly stamp: string;
  /** The sources whose changes can be events. */
  readonly sources: ReadonlySet<string>;
  readonly from: StreamPosition;
  /** The link to the changes after a position; undefined for accounts that get no delta links on the set. */
  readonly linkAfter: (position: StreamPosition) => string | undefined;
}

/** Hears of a listener that wants more, or has gone. */
export interface ListenerOwner {
  readonly onFree: () => void;
  readonly onClosed: (listener: Listener) => void;
}

/**
 * The body of a stream. It holds what has been read once for the listener and not more: it is read for again when the client has taken
 * all of that, so that a slow client does not grow memory, but receives the latest state later.
 */
export class Listener implements ByteSource {
  readonly start: ListenerStart;
  readonly #owner: ListenerOwner;
  readonly #pieces: Uint8Array[] = [];
  #take: (() => void) | undefined;
  #isEnded = false;
  /** The position up to which the listener has been served. */
  position: StreamPosition;
  /** The last position that was sent. */
  sentPosition: StreamPosition;
  /** Whether there are changes after the position. */
  isBehind = true;

  constructor(start: ListenerStart, owner: ListenerOwner) {
    this.start = start;
    this.#owner = owner;
    this.position = start.from;
    this.sentPosition = start.from;
  }

  /** Whether the client has taken everything. */
  get isFree(): boolean {
    return this.#pieces.length === 0 && !this.#isEnded;
  }

  push(piece: Uint8Array): void {
    if (this.#isEnded) return;
    this.#pieces.push(piece);
    this.#take?.();
  }

  /** Ends the stream when the client has taken the rest. */
  end(last: Uint8Array): void {
    this.push(last);
    this.#close();
  }

  destroy(): void {
    this.#pieces.length = 0;
    this.#close();
  }

  #close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#take?.();
    this.#owner.onClosed(this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#pieces[0];
      if (piece !== undefined) {
        yield piece;
        // Only now has the client taken it.
        this.#pieces.shift();
      } else if (this.#isEnded) {
        return;
      } else {
        if (this.isBehind) this.#owner.onFree();
        await new Promise<void>((resolve) => {
          this.#take = resolve;
        });
        this.#take = undefined;
      }
    }
  }
}
