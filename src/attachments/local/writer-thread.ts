// The thread of threaded-writer.ts. It processes the requests of each file in order.
import { MessageChannel, parentPort } from 'node:worker_threads';
import { invariant } from '../../base/fault.ts';
import type { FileReply, FileRequest } from './threaded-writer.ts';
import { codeOf, type GrowingFile, localWriter, sizeOf } from './write-file.ts';

const port = parentPort;
invariant(port !== null, 'this file runs in a thread');

/** Bytes between two progress replies. */
const REPORT_SIZE = 1_048_576;

interface OpenFile {
  readonly file: GrowingFile;
  /** Resolves when all requests so far have been processed. */
  done: Promise<void>;
  hasFailed: boolean;
  /** Bytes that have been written, and that have been reported. */
  written: number;
  reported: number;
}

/** A closed port: buffers that are transferred to it are freed immediately. */
const discardPort = new MessageChannel().port1;
discardPort.close();

const writer = localWriter();
const files = new Map<number, OpenFile>();

port.on('message', (request: FileRequest) => {
  const open = files.get(request.id) ?? begin(request);
  open.done = open.done.then(async () => await process(open, request));
});

function begin({ id, path }: FileRequest): OpenFile {
  const file = writer.begin(path);
  const open = { file, done: Promise.resolve(), hasFailed: false, written: 0, reported: 0 };
  files.set(id, open);
  return open;
}

/** After an error, all requests except `discard` are ignored. */
async function process(open: OpenFile, request: FileRequest): Promise<void> {
  if (open.hasFailed && request.kind !== 'discard') return;
  try {
    const reply = await replyTo(open, request);
    if (reply !== undefined) port?.postMessage(reply);
  } catch (error) {
    open.hasFailed = true;
    port?.postMessage(failure(request.id, error));
  }
}

async function replyTo(open: OpenFile, request: FileRequest): Promise<FileReply | undefined> {
  const { id } = request;
  switch (request.kind) {
    case 'write': {
      const size = sizeOf(request.chunks);
      await open.file.write(request.chunks);
      release(request.chunks);
      return progress(id, open, size);
    }
    case 'keep': {
      const sha256 = await open.file.keep(request.chunks);
      release(request.chunks);
      files.delete(id);
      return { kind: 'kept', id, sha256 };
    }
    case 'discard':
      await open.file.discard();
      files.delete(id);
      return { kind: 'discarded', id };
  }
}

/** Frees memory immediately. During fast uploads, the garbage collector would run only after about 100 MB. */
function release(chunks: readonly Uint8Array<ArrayBuffer>[]): void {
  discardPort.postMessage(
    undefined,
    chunks.map(({ buffer }) => buffer),
  );
}

function progress(id: number, open: OpenFile, more: number): FileReply | undefined {
  open.written += more;
  if (open.written - open.reported < REPORT_SIZE) return undefined;
  open.reported = open.written;
  return { kind: 'written', id, bytes: open.written };
}

function failure(id: number, error: unknown): FileReply {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', id, message, code: codeOf(error) };
}
