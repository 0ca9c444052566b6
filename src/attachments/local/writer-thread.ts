// The thread of threaded-writer.ts. It processes the requests of each file in order.
import { MessageChannel, parentPort } from 'node:worker_threads';
import { invariant } from '../../base/fault.ts';
import type { FileReply, FileRequest } from './threaded-writer.ts';
import { codeOf, type GrowingFile, localWriter } from './write-file.ts';

const port = parentPort;
invariant(port !== null, 'this file runs in a thread');

interface OpenFile {
  readonly file: GrowingFile;
  /** Resolves when all requests so far have been processed. */
  done: Promise<void>;
  failure: { readonly error: unknown } | undefined;
}

/** A closed port: buffers that are transferred to it are freed immediately. */
const discardPort = new MessageChannel().port1;
discardPort.close();

const writer = localWriter();
const files = new Map<number, OpenFile>();

port.on('message', (request: FileRequest) => {
  const open = files.get(request.file) ?? begin(request);
  open.done = open.done.then(async () => port.postMessage(await replyTo(open, request)));
});

function begin({ file, path }: FileRequest): OpenFile {
  const open = { file: writer.begin(path), done: Promise.resolve(), failure: undefined };
  files.set(file, open);
  return open;
}

/** After an error, all requests except `discard` fail with that error. */
async function replyTo(open: OpenFile, request: FileRequest): Promise<FileReply> {
  const { id, file, method, chunks } = request;
  try {
    if (open.failure !== undefined && method !== 'discard') throw open.failure.error;
    const sha256 = await open.file[method](chunks);
    release(chunks);
    if (method !== 'write') files.delete(file);
    return { id, ...(typeof sha256 === 'string' ? { sha256 } : {}) };
  } catch (error) {
    open.failure = { error };
    const message = error instanceof Error ? error.message : String(error);
    return { id, failure: { message, code: codeOf(error) } };
  }
}

/** Frees memory immediately. During fast uploads, the garbage collector would run only after about 100 MB. */
function release(chunks: readonly Uint8Array<ArrayBuffer>[]): void {
  discardPort.postMessage(
    undefined,
    chunks.map(({ buffer }) => buffer),
  );
}
