// This file closes connections that the primary process of a cluster forgets, whose clients would wait forever: Node has no limit for them.
import type { Serializable } from 'node:child_process';
import type { Worker } from 'node:cluster';

/**
 * Closes the connections that were being handed over to the worker when it died, and those that it rejected because it no longer listened,
 * if no other worker takes them. If no worker listens, as when all of them continue with another model, Node queues such a connection for a
 * server that is closed. Source: Node.js, lib/internal/cluster/round_robin_handle.js.
 * @param after milliseconds in which another worker takes a connection
 */
export function closeForgottenConnections(worker: Worker, after: number): void {
  const child = worker.process;
  const send = child.send.bind(child);
  /** By the number of the message that hands them over. */
  const handed = new Map<unknown, Closable>();
  child.send = (message: Serializable, ...more: readonly unknown[]) => {
    const [handle] = more;
    if (isClosable(handle)) handed.set((message as Numbered).seq, handle);
    return Reflect.apply(send, child, [message, ...more]);
  };
  child.on('internalMessage', ({ ack, accepted }: Reply) => {
    const handle = handed.get(ack);
    if (handle === undefined) return;
    handed.delete(ack);
    if (accepted === false) setTimeout(() => handle.close(), after).unref();
  });
  worker.once('exit', () => {
    // This has no effect on a connection that the worker has already accepted.
    for (const handle of handed.values()) handle.close();
  });
}

/** The message by which Node hands over a connection. */
interface Numbered {
  readonly seq?: number;
}

/** The message by which the worker accepts or rejects it. */
interface Reply {
  readonly ack?: number;
  readonly accepted?: boolean;
}

interface Closable {
  readonly close: () => void;
}

function isClosable(handle: unknown): handle is Closable {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'close' in handle &&
    typeof handle.close === 'function'
  );
}
