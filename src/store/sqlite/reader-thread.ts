// This file is the entry point of reader threads: it runs scans one at a time on its own read-only connection.
import { parentPort, workerData } from 'node:worker_threads';
import { Fault, invariant } from '../../base/fault.ts';
import { connect, fetch, statementCache, translate } from './connection.ts';
import type { ScanReply, ScanRequest } from './reader-pool.ts';

const port = parentPort;
invariant(port !== null, 'reader-thread.ts must run in a worker thread');
const data: unknown = workerData;
invariant(
  typeof data === 'object' && data !== null && 'file' in data && typeof data.file === 'string',
  'the reader thread has no database file',
);

const prepare = statementCache(connect(data.file, true));
port.on('message', (request: ScanRequest) => port.postMessage(runScan(request)));

function runScan({ text, values }: ScanRequest): ScanReply {
  try {
    return { kind: 'rows', rows: fetch(prepare(text), values) };
  } catch (thrown) {
    const error = translate(thrown);
    if (error instanceof Fault) return { kind: 'fault', code: error.code, message: error.message };
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}
