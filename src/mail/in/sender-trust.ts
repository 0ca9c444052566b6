// This file decides whom a message comes from, and whether it may move the record of its thread. The visible sender is no proof, and what
// machines send moves nothing.
import { type AuthenticationSettings, authenticationMistake } from './authentication-results.ts';
import { automaticReason } from './automatic-mail.ts';
import type { Delivery, Message } from './message.ts';

export interface SenderTrust {
  /** The URL of the person, relative to the service root. */
  readonly sender: string | undefined;
  readonly isAutomatic: boolean;
  /** Whether the message may move the record of its thread. */
  readonly mayAct: boolean;
  /** What is not trusted about the message. */
  readonly distrust: string | undefined;
}

export interface TrustSetting {
  /** Addresses of this service, in lower case and without tags. */
  readonly own: ReadonlySet<string>;
  readonly authentication: AuthenticationSettings | undefined;
  /** Finds the persons with an address, at most two; undefined if messages have no persons. */
  readonly findSenders: ((address: string) => Promise<readonly string[]>) | undefined;
}

export async function trustSender(
  { own, authentication, findSenders }: TrustSetting,
  message: Message,
  delivery: Delivery,
): Promise<SenderTrust> {
  const automatic = automaticReason(message, delivery, own);
  const isAutomatic = automatic !== undefined;
  const mistake = authentication && authenticationMistake(message, authentication);
  const isBarred = mistake !== undefined && authentication?.required === true;
  const address = message.from?.address;
  const isSought = !isBarred && findSenders !== undefined;
  const found = isSought && address !== undefined ? await findSenders(address) : [];
  const [sender, other] = found;
  const isUnknown = isSought && found.length !== 1;
  const unknown = isUnknown ? unknownReason(address, other) : undefined;
  const distrust = isAutomatic
    ? `The message is automatic: ${automatic}.`
    : [mistake, unknown].filter((one) => one !== undefined).join(' ');
  return {
    sender: other === undefined ? sender : undefined,
    isAutomatic,
    mayAct: !isAutomatic && !isBarred && !isUnknown,
    distrust: distrust === '' ? undefined : distrust,
  };
}

function unknownReason(address: string | undefined, other: string | undefined): string {
  if (other === undefined) return `${address || 'The sender'} is no known person.`;
  return `Several persons have the address ${address}. Remove it from all but one.`;
}
