// This file takes the messages of an IMAP mailbox. It marks or moves a message after it is stored, so that a process that ends in between
// takes it again; its identity then shows that it is stored. RFC 9051.
import { type FetchMessageObject, ImapFlow } from 'imapflow';
import { certificateProblem } from '../../base/certificate-problem.ts';
import type { Delivery } from './message.ts';

export interface ImapSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: 'off' | 'starttls' | 'implicit';
  readonly verify: boolean;
  readonly user: string;
  readonly password: string;
  readonly folder: string;
  /** The folder that stored messages are moved to; without it they are marked as seen. */
  readonly moveTo?: string | undefined;
  readonly timeoutSeconds: number;
}

/** Bytes of a message that is too large: its header. */
const HEADER_BYTES = 65_536;

const BY_UID = { uid: true };

export interface MessageStore {
  readonly isStored: (identity: string) => Promise<boolean>;
  readonly store: (identity: string, delivery: Delivery) => Promise<void>;
}

/**
 * Stores the messages that have not been taken, from the oldest, until all are taken or the signal is aborted. Throws the errors of the
 * connection, and one that states why the server does not mark or move messages.
 */
export async function takeMessages(
  settings: ImapSettings,
  {
    bytes,
    now,
    signal,
  }: { readonly bytes: number; readonly now: () => number; readonly signal: AbortSignal },
  store: MessageStore,
): Promise<void> {
  let rejection = 'The server gives no reason';
  // The package returns false for a rejected command, and reports the reason to its logger.
  const client = connectionTo(settings, (reason) => {
    rejection = reason;
  });
  // The error of a connection is reported by the command that waits for it.
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    const certificate = certificateProblem(cause);
    if (certificate === undefined) throw cause;
    throw new Error(`${settings.host} (mail.imap.host) cannot be used: ${certificate}`, { cause });
  });
  try {
    const lock = await client.getMailboxLock(settings.folder);
    try {
      const search = settings.moveTo === undefined ? { seen: false } : { all: true };
      const found = (await client.search(search, BY_UID)) || [];
      let unmarked = 0;
      for (const uid of found.toSorted((left, right) => left - right)) {
        if (signal.aborted) break;
        const isMarked = await takeOne(client, settings, uid, { bytes, now }, store);
        if (!isMarked) unmarked += 1;
      }
      if (unmarked > 0) throw new Error(`${unmarkedText(settings, unmarked)}: ${rejection}`);
    } finally {
      lock.release();
    }
  } finally {
    await client.logout().catch(() => client.close());
  }
}

function unmarkedText({ moveTo }: ImapSettings, count: number): string {
  if (moveTo === undefined) return `Stored messages that cannot be marked as seen: ${count}`;
  return `Stored messages that cannot be moved to "${moveTo}" (mail.imap.moveTo): ${count}`;
}

function connectionTo(settings: ImapSettings, onRejection: (reason: string) => void): ImapFlow {
  const { host, port, tls, verify, user, password, timeoutSeconds } = settings;
  const timeout = timeoutSeconds * 1000;
  return new ImapFlow({
    host,
    port,
    secure: tls === 'implicit',
    doSTARTTLS: tls === 'starttls',
    tls: { rejectUnauthorized: verify },
    auth: { user, pass: password },
    logger: { debug: ignore, info: ignore, error: ignore, warn: withReason(onRejection) },
    disableAutoIdle: true,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
  });
}

function ignore(): void {}

function withReason(onRejection: (reason: string) => void) {
  return (entry: unknown) => {
    const text: unknown = Reflect.get(Object(Reflect.get(Object(entry), 'err')), 'responseText');
    if (typeof text === 'string') onRejection(text);
  };
}

/** Whether the message is stored and marked, or no longer there. */
async function takeOne(
  client: ImapFlow,
  settings: ImapSettings,
  uid: number,
  { bytes, now }: { readonly bytes: number; readonly now: () => number },
  store: MessageStore,
): Promise<boolean> {
  const validity = client.mailbox === false ? '' : client.mailbox.uidValidity;
  const { user, host, folder, moveTo } = settings;
  const identity = `imap ${user} ${host} ${folder} ${validity} ${uid}`;
  if (!(await store.isStored(identity))) {
    const delivery = await fetchMessage(client, uid, bytes, now());
    if (delivery === undefined) return true;
    await store.store(identity, delivery);
  }
  if (moveTo === undefined) return await client.messageFlagsAdd(`${uid}`, ['\\Seen'], BY_UID);
  return await moveMessage(client, `${uid}`, moveTo);
}

/** Without the extension MOVE (RFC 6851), the package deletes a message even if it could not be copied. */
async function moveMessage(client: ImapFlow, uid: string, folder: string): Promise<boolean> {
  if (client.capabilities.has('MOVE'))
    return Boolean(await client.messageMove(uid, folder, BY_UID));
  const isCopied = Boolean(await client.messageCopy(uid, folder, BY_UID));
  return isCopied && (await client.messageDelete(uid, BY_UID));
}

/** The message; its beginning if it is too large; undefined if it has been removed meanwhile. */
async function fetchMessage(
  client: ImapFlow,
  uid: number,
  limit: number,
  receivedAt: number,
): Promise<Delivery | undefined> {
  const head = await client.fetchOne(`${uid}`, { size: true }, BY_UID);
  if (head === false) return undefined;
  const isTooLarge = (head.size ?? 0) > limit;
  const source = isTooLarge ? { start: 0, maxLength: HEADER_BYTES } : true;
  const found: FetchMessageObject | false = await client.fetchOne(`${uid}`, { source }, BY_UID);
  if (found === false || found.source === undefined) return undefined;
  const fault = isTooLarge
    ? `The message has ${head.size} bytes, more than the limit of ${limit}. It is in the mailbox; this is its beginning.`
    : undefined;
  return { raw: found.source, receivedAt, sender: undefined, recipients: [], fault };
}
