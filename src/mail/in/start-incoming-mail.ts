// This file runs incoming mail in the process that does the scheduled work: it listens, polls the mailbox, and makes records of messages.
import { createHash } from 'node:crypto';
import { type AuthDatabase, authDatabase } from '../../auth/database.ts';
import { Fault } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import { sender } from '../../service/internal-requests.ts';
import type { Service } from '../../service/service.ts';
import { startJob } from '../../store/background-job.ts';
import { withoutTag } from '../message-tokens.ts';
import { REPORT_ORIGIN, type SentMail } from '../sent-mail.ts';
import type { AuthenticationSettings } from './authentication-results.ts';
import { type ImapSettings, takeMessages } from './imap-mailbox.ts';
import { type Delivery, MESSAGE_TYPE } from './message.ts';
import type { MailType, Refusal } from './message-record.ts';
import {
  forgetDeliveries,
  isStored,
  nextMessage,
  postpone,
  removeContent,
  storeDelivery,
} from './received-messages.ts';
import { type Listener, type ListenSettings, listen } from './smtp-listener.ts';
import { type MailSetting, storeMessage } from './store-message.ts';

export interface IncomingMailSettings {
  /** Login name of the account that messages are stored with. */
  readonly account?: string | undefined;
  /** Maximum size of a message. */
  readonly messageBytes: number;
  readonly imap?: (ImapSettings & { readonly pollSeconds: number }) | undefined;
  readonly listen?: ListenSettings | undefined;
  /** Addresses of this service. */
  readonly ownAddresses: readonly string[];
  readonly authentication?: AuthenticationSettings | undefined;
}

/** Milliseconds between searches for stored messages, attempts to listen, and removals of old deliveries. */
const INTERVAL = 1000;
const LISTEN_INTERVAL = 10_000;
const FORGET_INTERVAL = 3_600_000;

/** The entity type that keeps mail; undefined if the model declares none. */
function mailTypeOf(model: Model): MailType | undefined {
  for (const { type: name } of model.sets.values()) {
    const type = model.types.get(name);
    if (type?.kind === 'entity' && type.mail !== undefined) return { model, type, mail: type.mail };
  }
  return undefined;
}

/**
 * Starts what is configured. Returns the function that stops it. Errors are observed.
 */
export function startIncomingMail(
  service: Service,
  settings: IncomingMailSettings,
  sent: SentMail,
): () => Promise<void> {
  const mailType = mailTypeOf(service.model);
  if (mailType === undefined) return async () => undefined;
  const database = authDatabase(service.database);
  const { imap, listen: listening } = settings;
  const stops = [
    startJob('incoming mail', INTERVAL, service.observe, async (signal) => {
      await storeWaiting(service, { database, mailType, settings, sent }, signal);
    }),
    startJob('received messages', FORGET_INTERVAL, service.observe, () =>
      forgetDeliveries(database, service.world.now()),
    ),
    ...(listening === undefined ? [] : [startListener(service, database, settings, listening)]),
    ...(imap === undefined ? [] : [startPolling(service, database, settings, imap)]),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

interface Parts {
  readonly database: AuthDatabase;
  readonly mailType: MailType;
  readonly settings: IncomingMailSettings;
  readonly sent: SentMail;
}

/** Makes records of all stored messages. One that fails holds up no other. */
async function storeWaiting(service: Service, parts: Parts, signal: AbortSignal): Promise<void> {
  const { database } = parts;
  for (;;) {
    const message = signal.aborted ? undefined : await nextMessage(database, service.world.now());
    if (message === undefined) return;
    try {
      await storeMessage(await settingOf(service, parts), message);
      await removeContent(database, message.identity);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await postpone(database, message, service.world.now(), reason);
      service.observe({ kind: 'failure', id: 'incoming mail', error });
    }
  }
}

/** The account is read again for each message, because its rights may have changed. */
async function settingOf(
  service: Service,
  { mailType, settings, sent }: Parts,
): Promise<MailSetting> {
  const { account = '', ownAddresses, authentication } = settings;
  const principal = await service.sessions.accountNamed(account);
  if (principal === 'blocked')
    throw new Error(
      `The account "${account}" (mail.account) is blocked. Unblock it, or name another one.`,
    );
  const acting = { ...principal, service: true };
  return {
    mailType,
    send: sender(service, acting, { ...ORIGIN, id: 'mail' }),
    sendReport: sender(service, acting, { ...ORIGIN, id: REPORT_ORIGIN }),
    refusalOf: refusalBy(service),
    warn: (message, reason) => service.observe({ kind: 'incoming mail', message, reason }),
    own: new Set(ownAddresses.map(withoutTag)),
    authentication,
    sent,
  };
}

/** Messages have a limit of their own: `messageBytes`. */
const ORIGIN = { address: '', exemptFiles: MESSAGE_TYPE };

function refusalBy({ vault }: Service): Refusal {
  return ({ mediaType, bytes }) => {
    try {
      vault.check({ mediaType, length: bytes.length, isExempt: mediaType === MESSAGE_TYPE });
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
  };
}

/** Listens, and tries again while the port is in use: the process that listened before may not have ended. */
function startListener(
  { world, observe }: Service,
  database: AuthDatabase,
  { messageBytes: bytes }: IncomingMailSettings,
  settings: ListenSettings,
): () => Promise<void> {
  let listener: Listener | undefined;
  const store = async (delivery: Delivery) => {
    const digest = createHash('sha256').update(delivery.raw).digest('hex');
    try {
      await storeDelivery(database, `smtp ${digest}`, delivery);
    } catch (error) {
      observe({ kind: 'failure', id: 'mail listener', error });
      throw error;
    }
  };
  const stop = startJob('mail listener', LISTEN_INTERVAL, observe, async () => {
    if (listener !== undefined) return;
    listener = await listen(settings, { bytes, now: world.now }, store);
    observe({ kind: 'listening', address: `smtp://${settings.host}:${listener.port}` });
  });
  return async () => {
    await stop();
    await listener?.close();
  };
}

function startPolling(
  { world, observe }: Service,
  database: AuthDatabase,
  { messageBytes: bytes }: IncomingMailSettings,
  { pollSeconds, ...settings }: ImapSettings & { readonly pollSeconds: number },
): () => Promise<void> {
  const store = {
    isStored: (identity: string) => isStored(database, identity),
    store: (identity: string, delivery: Delivery) => storeDelivery(database, identity, delivery),
  };
  return startJob('mailbox', pollSeconds * 1000, observe, async (signal) => {
    await takeMessages(settings, { bytes, now: world.now, signal }, store);
  });
}
