// This file is the entry point of reader threads: it runs scans one at a time on its own read-only connection. Clients choose what scans
// read, so the connection is replaced when too many statements have been evicted from its cache, which frees their memory.
import { parentPort, workerData } from 'node:worker_threads';
import { Fault, invariant } from '../../base/fault.ts';
import { connect, fetchWithin, StatementCache, translate } from './connection.ts';
import type { Connection } from './driver.ts';
import type { ScanReply, ScanRequest } from './reader-pool.ts';

const port = parentPort;
invariant(port !== null, 'reader-thread.ts must run in a worker thread');
const data: unknown = workerData;
invariant(
  typeof data === 'object' && data !== null && 'file' in data && typeof data.file === 'string',
  'the reader thread has no database file',
);
invariant(
  'resultSize' in data && typeof data.resultSize === 'number',
  'the reader thread has no limit',
);

const { file, resultSize } = data;
let opened: { readonly connection: Connection; readonly statements: StatementCache } | undefined;
port.on('message', (request: ScanRequest) => port.postMessage(runScan(request)));

function runScan({ text, values }: ScanRequest): ScanReply {
  try {
    const rows = fetchWithin(usableStatements().prepare(text), values, { resultSize });
    return { kind: 'rows', rows };
  } catch (thrown) {
    const error = translate(thrown);
    if (error instanceof Fault) return { kind: 'fault', code: error.code, message: error.message };
    if (opened === undefined) return { kind: 'unopened' };
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}

function usableStatements(): StatementCache {
  if (opened?.statements.isWorn === false) return opened.statements;
  opened?.connection.close();
  opened = undefined;
  const connection = connect(file, true);
  opened = { connection, statements: new StatementCache(connection) };
  return opened.statements;
}
