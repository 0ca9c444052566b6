// This file is what runs in a reader's thread: it answers one scan after the other over a read-only connection of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { Fault, invariant } from '../../base/fault.ts';
import type { ScanReply, ScanRequest } from '../reader-pool.ts';
import { connect, fetch, statementCache, translate } from './connection.ts';

const port = parentPort;
invariant(port !== null, 'this file runs in a thread');
const data: unknown = workerData;
invariant(
  typeof data === 'object' && data !== null && 'file' in data && typeof data.file === 'string',
  'the thread was given no file',
);

const prepare = statementCache(connect(data.file, true));
port.on('message', (request: ScanRequest) => port.postMessage(answer(request)));

function answer({ text, values }: ScanRequest): ScanReply {
  try {
    return { kind: 'rows', rows: fetch(prepare(text), values) };
  } catch (thrown) {
    const error = translate(thrown);
    if (error instanceof Fault) return { kind: 'fault', code: error.code, message: error.message };
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}
