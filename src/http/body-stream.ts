// This file streams request bodies with backpressure. Each piece costs one promise, instead of the several that iterating a Node stream
// takes.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../base/fault.ts';

/** Minimum speed of request bodies. */
export interface BodyTimes {
  /** Milliseconds until a body must be complete, or after which a file must have reached its pace. */
  readonly limit: number;
  /** Minimum bytes per second of a file after that time. */
  readonly pace: number;
}

export const BODY_TIMES: BodyTimes = { limit: 60_000, pace: 1024 };

type Piece = IteratorResult<Uint8Array, undefined>;

interface Reader {
  readonly resolve: (piece: Piece) => void;
  readonly reject: (fault: Fault) => void;
}

/** Reading from the client pauses when this many bytes are buffered. */
const MAX_BUFFERED = 131_072;

/**
 * The pieces of a body, for a single reader that requests one after the other. Ending the iteration early leaves the connection open, so
 * that a response can be sent. Iterating throws: file.interrupted, http.timeout.
 */
export class BodyPieces implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #request: IncomingMessage;
  readonly #times: BodyTimes;
  readonly #start = performance.now();
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #size = 0;
  #reader: Reader | undefined;
  /** Undefined until the body ends; a fault if it does not end regularly. */
  #end: 'whole' | Fault | undefined;
  #stop: (() => void) | undefined;

  constructor(request: IncomingMessage, times: BodyTimes) {
    this.#request = request;
    this.#times = times;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Piece> {
    if (this.#stop === undefined) this.#listen();
    const value = this.#waiting.shift();
    if (value === undefined) return this.#atEnd() ?? this.#wait();
    this.#waitingBytes -= value.byteLength;
    if (this.#waitingBytes === 0 && this.#end === undefined) this.#request.resume();
    return Promise.resolve({ done: false, value });
  }

  return(): Promise<Piece> {
    this.#finish('whole');
    this.#waiting.length = 0;
    return Promise.resolve({ done: true, value: undefined });
  }

  #wait(): Promise<Piece> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  #atEnd(): Promise<Piece> | undefined {
    if (this.#end === undefined) return undefined;
    if (this.#end === 'whole') return Promise.resolve({ done: true, value: undefined });
    return Promise.reject(this.#end);
  }

  #listen(): void {
    const request = this.#request;
    const take = (value: Buffer) => this.#take(value);
    const finish = () => this.#finish('whole');
    const leave = () => this.#finish(new Fault('file.interrupted'));
    this.#stop = () => {
      request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
      request.pause();
    };
    if (request.destroyed && !request.readableEnded) leave();
    else request.on('end', finish).on('close', leave).on('error', leave).on('data', take);
  }

  #take(value: Buffer): void {
    this.#size += value.byteLength;
    const { limit, pace } = this.#times;
    const late = performance.now() - this.#start - limit;
    if (late > 0 && this.#size < (late / 1000) * pace) {
      this.#finish(new Fault('http.timeout'));
      return;
    }
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) {
      reader.resolve({ done: false, value });
      return;
    }
    this.#waiting.push(value);
    this.#waitingBytes += value.byteLength;
    if (this.#waitingBytes >= MAX_BUFFERED) this.#request.pause();
  }

  #finish(end: 'whole' | Fault): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stop?.();
    const reader = this.#reader;
    this.#reader = undefined;
    if (end === 'whole') reader?.resolve({ done: true, value: undefined });
    else reader?.reject(end);
  }
}
