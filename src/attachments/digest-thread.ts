// This file is what runs in the thread of a digester: it reads files as far as they have been written, and tells their SHA-256 at the end.
import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { invariant } from '../base/fault.ts';
import type { DigestReply, DigestRequest } from './digester.ts';

interface Taking {
  readonly hash: Hash;
  /** Bytes that have been read. */
  end: number;
  /** Why no more can be read. */
  failure?: string;
}

const port = parentPort;
invariant(port !== null, 'this file runs in a thread');

const buffer = Buffer.allocUnsafeSlow(262_144);
const taking = new Map<number, Taking>();

port.on('message', (request: DigestRequest) => {
  const reply = answer(request);
  if (reply !== undefined) port.postMessage(reply);
});

function answer(request: DigestRequest): DigestReply | undefined {
  const { id } = request;
  const one = taking.get(id) ?? { hash: createHash('sha256'), end: 0 };
  if (request.kind === 'forget') {
    taking.delete(id);
    return undefined;
  }
  tryOn(one, request.file, request.end);
  if (request.kind === 'more') {
    taking.set(id, one);
    return undefined;
  }
  taking.delete(id);
  const { failure: message, hash } = one;
  if (message !== undefined) return { kind: 'failure', id, message };
  return { kind: 'digest', id, sha256: hash.digest('hex') };
}

function tryOn(one: Taking, file: number, end: number): void {
  try {
    readOn(one, file, end);
  } catch (error) {
    one.failure ??= error instanceof Error ? error.message : String(error);
  }
}

function readOn(one: Taking, file: number, end: number): void {
  while (one.end < end) {
    const wanted = Math.min(buffer.byteLength, end - one.end);
    const read = readSync(file, buffer, 0, wanted, one.end);
    if (read === 0) throw new Error(`the file ends after ${one.end} of ${end} bytes`);
    one.hash.update(buffer.subarray(0, read));
    one.end += read;
  }
}
