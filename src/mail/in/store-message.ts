// This file makes the record of a message, and adds it to its thread. Each step is a request that takes effect once, and finds out whether
// it has taken effect already: a message has one record and one line in its thread, though the process ends between the steps.
import { LOCAL_ROOT, type Send } from '../../service/internal-requests.ts';
import type { SentMail } from '../sent-mail.ts';
import { deliveryReportOf, isReadReceipt } from './delivery-report.ts';
import type { Delivery, Message } from './message.ts';
import {
  errorRecordOf,
  identityOf,
  type MailType,
  type RecordBody,
  type Refusal,
  recordOf,
} from './message-record.ts';
import { parseMessage } from './parse-message.ts';
import { tokensOf } from './reply-tokens.ts';
import { type TrustSetting, trustSender } from './sender-trust.ts';
import {
  findSenders,
  findStored,
  findThread,
  RequestError,
  type StoredMail,
  setOf,
} from './stored-mail.ts';

export interface MailSetting extends Omit<TrustSetting, 'findSenders'> {
  readonly mailType: MailType;
  readonly send: Send;
  readonly sent: SentMail;
  /** As `send`, for reports about the delivery of messages. */
  readonly sendReport: Send;
  readonly refusalOf: Refusal;
  /** Reports what the record of a message lacks. */
  readonly warn: (messageId: string, reason: string) => void;
}

/** Throws: RequestError if the message cannot become a record now. */
export async function storeMessage(setting: MailSetting, delivery: Delivery): Promise<void> {
  const parsed = await parseOrReason(delivery);
  if (typeof parsed === 'string') {
    const identity = identityOf(undefined, delivery);
    await createOnce(setting, identity, [
      () => errorRecordOf(setting.mailType, delivery, parsed, { identity }),
    ]);
    return;
  }
  if (isReadReceipt(parsed)) return;
  const tokens = tokensOf(parsed, delivery);
  const { receivedAt } = delivery;
  const report = deliveryReportOf(parsed, { tokens, receivedAt });
  if (report !== undefined) await setting.sent.record(report);
  const send = report === undefined ? setting.send : setting.sendReport;
  await storeParsed({ ...setting, send }, parsed, delivery, tokens);
}

/** The message, or why it cannot be parsed. A mistake in the parser must not lose a message either. */
async function parseOrReason(delivery: Delivery): Promise<Message | string> {
  if (delivery.fault !== undefined) return delivery.fault;
  try {
    return await parseMessage(delivery.raw);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function storeParsed(
  setting: MailSetting,
  message: Message,
  delivery: Delivery,
  tokens: readonly string[],
): Promise<void> {
  const { mailType, send } = setting;
  const find = (address: string) => findSenders(send, mailType, address);
  const findPersons = mailType.mail.sender === undefined ? undefined : find;
  const trust = await trustSender({ ...setting, findSenders: findPersons }, message, delivery);
  const record = (refusalOf: Refusal) => recordOf(mailType, message, delivery, trust, refusalOf);
  const stored = await createOrReport(setting, message, delivery, [
    () => record(setting.refusalOf),
    ...(message.files.length === 0 ? [] : [(reason: string) => record(() => reason)]),
  ]);
  if (stored === undefined || stored.record !== undefined) return;
  const thread = await findThread(send, mailType, message, setting.sent, tokens);
  if (thread !== undefined) await addToThread(setting, stored, thread, trust.mayAct);
}

/** Creates the record, or an error record if none of the bodies is accepted; then undefined. */
async function createOrReport(
  setting: MailSetting,
  message: Message,
  delivery: Delivery,
  bodies: readonly BodyAfter[],
): Promise<StoredMail | undefined> {
  const identity = identityOf(message, delivery);
  try {
    return await createOnce(setting, identity, bodies);
  } catch (error) {
    if (!(error instanceof RequestError) || !isFinal(error.status)) throw error;
    const { subject } = message;
    const { message: reason } = error;
    await createOnce(setting, identity, [
      () => errorRecordOf(setting.mailType, delivery, reason, { identity, subject }),
    ]);
    return undefined;
  }
}

/** A body, made with the reason why the one before it was rejected. */
type BodyAfter = (reason: string) => RecordBody;

/**
 * Creates the record with the first of the bodies that the service accepts, unless it exists already.
 * Throws: RequestError, that of the last body if none is accepted.
 */
async function createOnce(
  { send, mailType, warn }: MailSetting,
  identity: string,
  bodies: readonly BodyAfter[],
): Promise<StoredMail | undefined> {
  const known = await findStored(send, mailType, identity);
  if (known !== undefined) return known;
  const set = setOf(mailType, mailType.type);
  let failure: RequestError | undefined;
  for (const bodyAfter of bodies) {
    const { values, droppedFiles } = bodyAfter(failure?.message ?? '');
    const { status, body } = await send('POST', set, values, { prefer: 'return=minimal' });
    if (status < 300) {
      for (const reason of droppedFiles) warn(identity, reason);
      return await findStored(send, mailType, identity);
    }
    failure = new RequestError(status, body);
    if (!isFinal(status)) break;
  }
  throw failure;
}

/** Whether the same request will be rejected again. Rights and conflicts change. */
function isFinal(status: number): boolean {
  return [400, 413, 415, 422].includes(status);
}

/** Calls the declared action. */
async function addToThread(
  { mailType, send }: MailSetting,
  stored: StoredMail,
  thread: string,
  resumes: boolean,
): Promise<void> {
  const { reply, record } = mailType.mail;
  if (reply === undefined) return;
  const navigation = mailType.model.members(mailType.type).get(record ?? '');
  const target = navigation?.kind === 'navigation' ? navigation.target : '';
  const [, ...parameters] = parametersOf(mailType, reply);
  const values: Record<string, unknown> = {};
  for (const { name, type } of parameters) {
    if (type === target) values[name] = { '@odata.id': `${LOCAL_ROOT}${thread}` };
    else if (type === 'Edm.Boolean') values[name] = resumes;
  }
  const url = `${stored.address}/${reply}`;
  const { status, body } = await send('POST', url, values);
  // The action is not available to a message that somebody has decided about.
  if (status >= 400 && ![404, 409].includes(status)) throw new RequestError(status, body);
}

function parametersOf({ model, type }: MailType, action: string) {
  const found = model.definition.operations.find(
    ({ name, parameters }) => name === action && parameters[0]?.type === type.name,
  );
  return found?.parameters ?? [];
}
